"""The report of a round: of a node's people, at risk by its own counts and by those of the pool, side by side; and of
the pool alone, for a party that has no people in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from Anonymization_Models import ModelResult
from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, canonical_labels_of
from disclosure_control.basics.telling.sections import Details, Part, Section, Sentence, Style, Table, Where
from disclosure_control.basics.telling.small_counts import HAND_TO_HAND, count_in_sentence
from disclosure_control.basics.telling.words import share_of_text, share_text
from disclosure_control.pooling.lines import lines_of, shared_steps
from disclosure_control.pooling.settings import PoolSettings
from disclosure_control.records.people import ListedPeople

LINES_SAY = (
    "The pool's recoding as lines of a config, the same at every hospital. If suppress_records is among them, it\n"
    "leaves out whom this hospital's own counts flag, more people than pool_recoded.csv lacks. A release is judged by\n"
    "these counts, too.\n"
)
TEXTS_AND_PAGE = Where.REPORT | Where.SHORT


def class_sizes_section(sizes: Sequence[Mapping[str, int | None]]) -> Section:
    """The histogram of class sizes as a table."""
    rows = [[_span(one["from"], one["to"]), one["people"]] for one in sizes]
    explained = "Sizes are joined until no count, and no difference of two, is that of fewer than 10 people."
    columns = ("k in the pool", "People of all hospitals")
    title = "People by the size of their class in the pool"
    parts: list[Part] = [
        Sentence(title, Style.HEADING, Where.PAGE),  # texts have the table's title
        Table(title, columns, rows, (1,), TEXTS_AND_PAGE),
        Sentence(explained, Style.SMALL, TEXTS_AND_PAGE),
    ]
    return Section("who", "The pool", parts)


def _span(first: int | None, last: int | None) -> str:
    return f"{first} or more" if last is None else f"{first}" if first == last else f"{first} to {last}"


def without_home_lines(sections: Sequence[Section]) -> list[Section]:
    """Sections without the lines that a pilot's own config would take: a node's counts are not those of the pool."""
    return [replace(section, parts=[_without_further(part) for part in section.parts]) for section in sections]


def _without_further(part: Part) -> Part:
    return replace(part, further=()) if isinstance(part, Sentence) else part


def which_figures_count(settings: PoolSettings) -> str:
    """Which figures count, and why."""
    home = settings.why_home_counts
    return f"The home figures count, {home}." if home else f"The pool's figures count, {settings.reason}."


def _whole_report(figures: Mapping[str, Any]) -> Iterator[Part]:
    """On the page, the text of the answer; and when its figures hold."""
    yield Details("The pool's report", figures["text"].splitlines(), is_code=True, where=Where.PAGE)
    yield Sentence(
        "Pool figures hold only where the recipient cannot tell the hospital of a record.", Style.SMALL, TEXTS_AND_PAGE
    )


@dataclass(frozen=True)
class PoolAlone:
    """The pool by the public ``figures`` of an answer: what a party reads that sums and has no people of its own."""

    figures: Mapping[str, Any] = field(repr=False)
    settings: PoolSettings

    def summary(self) -> dict[str, Any]:
        """The figures for programs."""
        return {
            "counts": "home" if self.settings.why_home_counts else "pool",
            "reason": which_figures_count(self.settings),
            "nodes": list(self.settings.nodes),
            "pool": {name: value for name, value in self.figures.items() if name != "text"},
        }

    @property
    def title(self) -> str:
        return f"The pool of {len(self.settings.nodes)} hospitals"

    def sections(self) -> tuple[Section, ...]:
        """How many people of all hospitals are at risk, and which figures count."""
        own = Section("verdict", self.title, tuple(self._parts()))
        return own, class_sizes_section(self.figures["class_sizes"])

    def _parts(self) -> Iterator[Part]:
        figures = self.figures
        found = {"k": figures["k_anonymity"]}
        for letter, model in (("l", "l_diversity"), ("t", "t_closeness")):
            found |= {f"{letter} of {name}": one for name, one in figures[model].items()}
        rows = [[name, one["evaluated"], share_text(one["risky_rate"]), one["risky"]] for name, one in found.items()]
        yield Sentence(self.title, Style.HEADING, Where.SHORT)
        yield Sentence(which_figures_count(self.settings), Style.NOTICE, TEXTS_AND_PAGE)
        columns = ("Model", "Evaluated", "% at risk", "At risk")
        yield Table("People of all hospitals at risk in the pool", columns, rows, range(1, 4), TEXTS_AND_PAGE)
        yield from _whole_report(figures)


@dataclass(frozen=True)
class OwnPeopleInPool:
    """A node's people by both counts: its ``home`` assessment, and the pool's ``flags`` (n_classes, n_flags).

    The flags of its classes are k, l and t of each sensitive feature, in the order of the assessment's results, and
    whether the pool's advice leaves the class out.
    """

    home: Assessment
    flags: np.ndarray = field(repr=False)
    figures: Mapping[str, Any] = field(repr=False)
    settings: PoolSettings

    @classmethod
    def of(
        cls, home: Assessment, flags: np.ndarray, figures: Mapping[str, Any], settings: PoolSettings
    ) -> OwnPeopleInPool:
        """Those of an answer, whose flags (n_classes, n_bytes) are bytes."""
        return cls(home, np.unpackbits(flags, axis=1, bitorder="little").astype(bool), figures, settings)

    @property
    def compared(self) -> list[tuple[str, ModelResult, np.ndarray]]:
        """By model its name, what it finds at home, and the classes (n_classes,) of bool that it flags in the pool."""
        results = self.home.results
        return [(_name_of(one), one, self.flags[:, i]) for i, one in enumerate(results)]

    @property
    def left_out(self) -> np.ndarray:
        """The classes (n_classes,) of bool that the pool's advice leaves out."""
        found: np.ndarray = self.flags[:, len(self.home.results)]
        return found

    def n_in_pool(self, result: ModelResult, flags: np.ndarray) -> int:
        """How many of the node's people a model flags in the pool."""
        return int(result.people[flags].sum())

    # ------------------------------------------------------------ restricted files

    def people(self) -> Iterator[pd.DataFrame]:
        """Everybody at risk by either count: the id, by model 1 or 0 at home and in the pool, and who is left out."""
        hit = np.logical_or.reduce(
            [self.left_out, *(flags | one.risky_classes for _, one, flags in self.compared)], axis=0
        )
        for part in self._everybody():
            rows = hit[part.classes]
            columns: dict[str, Any] = {SUBJECT_COLUMN: part.subjects[rows].to_numpy()}
            for name, one, flags in self.compared:
                judged = part.has_value[str(one.sensitive)] if one.counts is not None else np.ones(len(rows), bool)
                for where, classes in (("home", one.risky_classes), ("pool", flags)):
                    columns[f"{name} at {where}" if where == "home" else f"{name} in the pool"] = (
                        classes[part.classes] & judged
                    )[rows].astype(int)
            columns["left out by the advice"] = self.left_out[part.classes][rows].astype(int)
            yield pd.DataFrame(columns)

    def recoded(self) -> Iterator[pd.DataFrame]:
        """Everybody whom the advice keeps, with the quasi-identifiers as it releases them."""
        recoding, classes = self.figures["recoding"], self.home.classes
        released = {}
        for name, column in zip(classes.quasi_identifiers, classes.columns_of_classes, strict=True):
            if name in recoding:
                labels = [recoding[name].get(str(label), "") for label in canonical_labels_of(column)]
                released[name] = np.array([*labels, recoding[name].get("", "")], dtype=object)[column.codes]
        for part in self._everybody():
            rows = ~self.left_out[part.classes]
            columns = {name: texts[part.classes[rows]] for name, texts in released.items()}
            yield pd.DataFrame({SUBJECT_COLUMN: part.subjects[rows].to_numpy(), **columns})

    def treatment(self) -> str:
        """The recoding as lines of a config, the same for all hospitals; with what the last line does."""
        advised = self.figures["recommend"]["short_list"][0]["treatment"]
        return f"{LINES_SAY}\n{lines_of(shared_steps(advised, self.figures['recoding']))}"

    def _everybody(self) -> Iterator[ListedPeople]:
        yield from self.home.people.everybody(np.arange(self.home.classes.n_classes))

    # ------------------------------------------------------------ sections

    def summary(self) -> dict[str, Any]:
        """The figures for programs: totals of the node's people by both counts."""
        return {
            "counts": "home" if self.settings.why_home_counts else "pool",
            "reason": which_figures_count(self.settings),
            "people": self.home.k_anonymity.n_total,
            "at_risk": {
                name: {"at_home": one.n_risky, "in_the_pool": self.n_in_pool(one, flags), "evaluated": one.n_evaluated}
                for name, one, flags in self.compared
            },
            "left_out_by_the_advice": HAND_TO_HAND.told(self._n_left_out, self.home.k_anonymity.n_total),
            "pool": {name: value for name, value in self.figures.items() if name != "text"},
        }

    @property
    def _advice(self) -> str:
        """What the pool's advice would mean for this hospital, and whether it may be followed."""
        if self.figures["recoding"] is None:
            return "No advice: no recoding of the pool meets its thresholds."
        n_people = self.home.k_anonymity.n_total
        left_out = count_in_sentence(HAND_TO_HAND.told(self._n_left_out, n_people))
        advice = f"The pool's advice leaves out {left_out} of {n_people} people of this hospital"
        if self.settings.why_home_counts:
            return f"{advice}. Do not release by it: the home figures count, and by these it promises nothing."
        return f"{advice}; pool_recoded.csv holds the others, recoded."

    @property
    def _n_left_out(self) -> int:
        return int(self.home.classes.size[self.left_out].sum())

    def sections(self) -> tuple[Section, ...]:
        """Both figures in one table, which of them count, and what the pool's advice would leave out here."""
        own = Section("verdict", "This hospital's people in the pool", tuple(self._parts()))
        return own, class_sizes_section(self.figures["class_sizes"])

    def _parts(self) -> Iterator[Part]:
        rows = [
            [
                name,
                one.n_evaluated,
                *(share_of_text(n, one.n_evaluated) for n in (one.n_risky, of_pool)),
                one.n_risky,
                of_pool,
            ]
            for name, one, flags in self.compared
            for of_pool in [self.n_in_pool(one, flags)]
        ]
        columns = ("Model", "Evaluated", "% at home", "% in the pool", "At home", "In the pool")
        yield Sentence("This hospital's people in the pool", Style.HEADING, Where.SHORT)
        yield Sentence(which_figures_count(self.settings), Style.NOTICE, TEXTS_AND_PAGE)
        yield Table(
            "At risk by the counts of this hospital, and by those of the pool",
            columns,
            rows,
            range(1, 6),
            TEXTS_AND_PAGE,
        )
        yield Sentence(self._advice, where=TEXTS_AND_PAGE)
        yield from _whole_report(self.figures)


def _name_of(result: ModelResult) -> str:
    letter = result.model[0]
    return letter if result.sensitive is None else f"{letter} of {result.sensitive}"
