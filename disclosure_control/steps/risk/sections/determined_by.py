"""Section ``determined_by``: does one column give a sensitive value away?"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from Anonymization_Models import SensitiveCounts
from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.basics.encoding.keys import count_pairs
from disclosure_control.basics.telling.sections import Part, Sentence, Style, Table, Where
from disclosure_control.basics.telling.words import share_text
from disclosure_control.measures.determination import n_guessed_right, shuffled_guessed_right
from disclosure_control.records.people import LevelValuePairs
from disclosure_control.records.texts import TextTable
from disclosure_control.steps.risk.scene import Scene
from disclosure_control.steps.risk.section import Finding, RiskSection

NEARLY = 0.9
PEOPLE_PER_LEVEL = 5
MOST_ATTRIBUTES = 50
MOST_SHUFFLED = 5
MOST_FEATURES, MOST_TELLING = 12, 8  # on the page: sensitive features, and columns that disclose each
MOST_SHUFFLES, SHUFFLED_PEOPLE = 20, 400_000  # of very many people one shuffle is as good as many


@dataclass(frozen=True)
class Determination:
    """How well one ``attribute`` discloses a sensitive value: see ``determinations``."""

    attribute: str
    is_quasi_identifier: bool
    predicted_rate: float
    baseline_rate: float
    shuffled_rate: float | None
    determines: bool
    nearly: bool

    @property
    def beyond(self) -> float:
        """How much more it discloses than guessing does; those that disclose everything first."""
        return bool(self.determines or self.nearly) + self.predicted_rate - self.baseline_rate


@dataclass(frozen=True)
class DeterminedBy:
    """By sensitive feature, the attributes that disclose it best, and how many columns were not examined."""

    determined_by: Mapping[str, Sequence[Determination]]
    determined_by_not_looked_at: int


def evaluate(scene: Scene) -> Finding:
    """Every column of the dataset is examined, except those with nearly as many values as people."""
    found, n_too_many = {}, 0
    for sensitive in scene.assessment.config.sensitive_features:
        found[sensitive], n_too_many = determinations(scene.assessment, sensitive, scene.dataset.table)
    return Finding(lambda policy: DeterminedBy(found, n_too_many))


def determinations(assessment: Assessment, sensitive: str, table: TextTable) -> tuple[list[Determination], int]:
    """How well each attribute alone discloses a sensitive value; and how many columns were not examined.

    For each attribute, ``predicted_rate`` is the share of evaluated people guessed right by the commonest value of
    their level, and ``baseline_rate`` the share guessed right by the commonest value of all: both in [0, 1], larger is
    riskier. ``determines``: it discloses everyone's value; ``nearly``: at least ``NEARLY`` of what guessing leaves
    open. A missing value is a level. All quasi-identifiers are listed, and other columns that disclose more than
    guessing; nothing if nobody evaluated has a value. The best come first, with ``shuffled_rate`` in [0, 1]: their rate
    if values were assigned at random, because a column of many levels guesses many right by chance. Columns with fewer
    than ``PEOPLE_PER_LEVEL`` people per level are left out for this reason. Source: ``measures.determination``.
    """
    classes, config = assessment.classes, assessment.config
    counted, evaluated = assessment.counts[sensitive], classes.evaluated(config.missing_qis)
    people_of_value = counted.people_of_value(evaluated)
    n, baseline = int(people_of_value.sum()), int(people_of_value.max(initial=0))
    if not n:
        return [], 0
    entries, people_of_levels, n_too_many = [], {}, 0
    for name in dict.fromkeys([*config.quasi_identifiers, *table.columns]):
        if name in (sensitive, SUBJECT_COLUMN):
            continue
        is_qi = name in config.quasi_identifiers
        if is_qi:  # its people are counted already
            i = config.quasi_identifiers.index(name)
            n_levels = len(classes.labels[i]) + 1
            pairs = _pairs_of_classes(counted, classes.class_codes[i] + 1, n_levels, evaluated)
        else:
            column = table.column(name)
            n_levels = sys.maxsize if column is None else column.n_levels()
            if column is None or n_levels == 2 or n_levels * PEOPLE_PER_LEVEL > n:
                n_too_many += n_levels > 2
                continue
            pairs = assessment.people.pairs(column, sensitive, evaluated)
        n_right = n_guessed_right(*pairs)
        if is_qi or n_right > baseline:
            people_of_levels[name] = np.bincount(pairs.level, pairs.people, n_levels)
            entries.append(_determination(name, is_qi, n_right, baseline, n))
    entries = sorted(entries, key=lambda entry: -entry.predicted_rate)[:MOST_ATTRIBUTES]
    n_shuffles = min(max(1, SHUFFLED_PEOPLE // max(n, 1)), MOST_SHUFFLES)
    best = entries[:MOST_SHUFFLED]
    by_chance = shuffled_guessed_right(
        [people_of_levels[entry.attribute] for entry in best], people_of_value, n_shuffles
    )
    shuffled = [
        replace(entry, shuffled_rate=n_by_chance / n) for entry, n_by_chance in zip(best, by_chance, strict=True)
    ]
    return shuffled + entries[MOST_SHUFFLED:], n_too_many


def _pairs_of_classes(
    counted: SensitiveCounts, level: np.ndarray, n_levels: int, evaluated: np.ndarray
) -> LevelValuePairs:
    """The levels of classes, (n_classes,), with the sensitive values of their evaluated people."""
    n_values = max(len(counted.values), 1)
    counts = []
    for part, table in counted.tables:
        kept = evaluated[part][table.class_of_cell]
        level_of_cell = level[part][table.class_of_cell[kept]]
        counts.append(count_pairs(level_of_cell, table.value_of_cell[kept], n_levels, n_values, table.people[kept]))
    levels, values, people = (np.concatenate(arrays) for arrays in zip(*counts, strict=True))
    return LevelValuePairs(levels, values, n_levels, n_values, people)


def _determination(name: str, is_qi: bool, n_right: int, baseline: int, n: int) -> Determination:
    open_after_guessing = n - baseline
    return Determination(
        name,
        is_qi,
        predicted_rate=n_right / n,
        baseline_rate=baseline / n,
        shuffled_rate=None,
        determines=bool(open_after_guessing and n_right == n),
        nearly=bool(open_after_guessing and n > n_right >= baseline + NEARLY * open_after_guessing),
    )


def words(found: DeterminedBy) -> Iterator[Part]:
    """For each sensitive feature, what discloses it for everyone, for almost everyone, or else best."""
    determined = found.determined_by
    yield from _best_columns(determined)
    for sensitive, entries in determined.items():
        fully = [entry.attribute for entry in entries if entry.determines]
        nearly = [f"{entry.attribute} ({share_text(entry.predicted_rate)})" for entry in entries if entry.nearly]
        if fully:
            sentence = f"Inference: each of these columns alone discloses everyone's {sensitive}: {', '.join(fully)}."
            yield Sentence(sentence, Style.NOTICE)
        if nearly:
            sentence = (
                f"Inference: each of these columns alone discloses almost everyone's {sensitive}: {', '.join(nearly)}."
            )
            yield Sentence(sentence, Style.NOTICE)
        if not entries:
            yield Sentence(f"Inference: not computed for {sensitive}, of which nobody evaluated has a value.")
        elif not fully and not nearly:
            best = entries[0]
            yield Sentence(
                f"Inference: a guess of {sensitive} from {best.attribute} alone is right for "
                f"{share_text(best.predicted_rate)} of the people; from shuffled values for "
                f"{share_text(best.shuffled_rate)}, without the column for {share_text(best.baseline_rate)}.",
                where=Where.TEXT,
            )


def _best_columns(determined: Mapping[str, Sequence[Determination]]) -> Iterator[Part]:
    """By sensitive feature, the columns that disclose it, or most of it beyond guessing."""
    by_most = sorted(determined, key=lambda feature: -max((one.beyond for one in determined[feature]), default=0.0))
    shown = {
        feature: sorted(determined[feature], key=lambda one: one.beyond, reverse=True)[:MOST_TELLING]
        for feature in determined
        if feature in by_most[:MOST_FEATURES]
    }
    if any(shown.values()):
        yield Sentence("What one column discloses about a sensitive feature", Style.HEADING, Where.PAGE)
        yield Sentence(
            "For how many people a guess from the column is right. The column discloses something if this is clearly "
            "above two other guesses: from the column with shuffled values, and the most frequent value for everyone.",
            Style.DEFINITION,
            Where.PAGE,
        )
    for feature, columns in shown.items():
        rows = [
            [one.attribute, *map(share_text, (one.predicted_rate, one.shuffled_rate, one.baseline_rate))]
            for one in columns
            if one.shuffled_rate is not None
        ]
        if rows:
            heads = (f"Guess of {feature} from", "Right for", "Shuffled", "Most frequent")
            yield Table(f"Columns that disclose {feature}", heads, rows, range(1, 4), Where.PAGE)
    n_more = sum(map(len, determined.values())) - sum(map(len, shown.values()))
    if n_more:
        yield Sentence(
            f"{n_more:,} more pairs of a column and a sensitive feature, which disclose less, are in the JSON summary.",
            Style.SMALL,
            Where.PAGE,
        )


SECTION = RiskSection(
    place=70,
    answers="does one column disclose a sensitive value, fully or almost? Every column is examined, not only the "
    "quasi-identifiers; those with fewer than five people per value are left out and counted",
    evaluate=evaluate,
    words=words,
    is_inline=True,
    on_page="why",
    by_default=True,
)
