"""Coded terms of few people are raised along their hierarchy or hidden; their records stay.

A record without its term still says that something happened, when, how grave it was and to which arm it belongs: the
tables that a study is read by keep their people. A record that goes would bend them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import Kind, Place, are_names, one_of, whole_number
from disclosure_control.release.deidentify import ReleasedFile, ReleasedStudy
from disclosure_control.release.people import labels
from disclosure_control.release.terms.outcomes import OutcomeLadder, outcomes_told, where_few_tell
from disclosure_control.release.terms.raised_terms import NOT_RELEASED, RaisedTerms
from disclosure_control.release.terms.related_terms import emptied, without_related
from disclosure_control.release.terms.term_levels import levels_shown
from study.models.coded_terms import TermLadder, term_ladders
from study.models.disposition import DISCONTINUED, are_dispositions, disposition_level
from study.models.sdtm import LEVELS
from study.models.study_model import StudyModel
from study.operations import names_variable

# The terms that are hidden, by the pattern of a variable.
HiddenTerms = Mapping[str, Sequence[str]]
# For the name of a term, a number of each person (n_people,).
Drawn = Callable[[str], np.ndarray]
# Of SDTM: the levels at which a term is shown. Columns below them, such as MedDRA's lowest terms, go with the term.
SHOWN = tuple(level for level in LEVELS if level != "LLT")


@dataclass(frozen=True)
class RareTerms(SettingsGroup):
    """The setting: a term of fewer than ``at_least`` people is generalised along its levels, or hidden.

    ``within_class``: people are counted within their equivalence class, so that nobody is alone by a term together with
    the quasi-identifiers. ``keep``: domains whose terms stay, and people of few lose their class.
    """

    at_least: int = setting(whole_number(2, 1_000_000), "a term of fewer people is raised, or hidden")
    within_class: bool = setting(
        one_of("study", "class").read_as(lambda value: value == "class"),
        "who is counted: the people of the study, or of an equivalence class",
        False,
        '`"study"`',
        named="within",
    )
    keep: tuple[str, ...] = setting(
        Kind(are_names, 'a list of domains and kinds of facts, such as ["DS", "visits"]'),
        "domains whose terms stay if enough people of the study have them: where a class has fewer, these people lose "
        "their quasi-identifiers; so do people who are alone in their class by a kind of fact that is named",
        (),
    )

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """Terms that stay in a way that the rest of the config does not allow."""
        if self.keep and not self.within_class:
            yield f'{place["keep"]}: quasi-identifiers are hidden within classes only; add "within": "class"'
        if self.keep and place.pilot.missing_qis == "exclude":
            yield (
                f'{place["keep"]}: people without quasi-identifiers are not evaluated under missing_qis "exclude"; '
                'allowed: "category" or "wildcard"'
            )


@dataclass(frozen=True)
class _Place:
    """The rows of a file that form a part of the records, their person (n_rows,), and the columns of the term."""

    file: str
    ladder: TermLadder
    rows: np.ndarray
    people: np.ndarray = field(repr=False)

    @classmethod
    def of(cls, name: str, ladder: TermLadder, files: Mapping[str, ReleasedFile]) -> _Place:
        people = files[name].people
        somebody = np.flatnonzero(people >= 0)
        return cls(name, ladder, somebody, people[somebody])


@dataclass(frozen=True)
class _Levels:
    """The levels that the rows of some places (n_rows,) can show, each by its name with the labels of all rows.

    The first ``n_columns`` are columns. Then comes what all ways to discontinue share, if the terms are of such; last
    comes nothing: hidden terms are one only within a category that stays beside them.
    """

    names: tuple[str, ...]
    n_columns: int
    labels: tuple[np.ndarray, ...] = field(repr=False)

    @classmethod
    def of(cls, places: Sequence[_Place], files: Mapping[str, ReleasedFile], columns: Sequence[str]) -> _Levels:
        def together(read: list[np.ndarray]) -> np.ndarray:
            return np.concatenate(read)

        names = list(columns)
        found = [
            together([terms_of_rows(files[place.file].frame, place.ladder, column)[place.rows] for place in places])
            for column in columns
        ]
        category = together([_category(files[place.file].frame, place) for place in places])
        if are_dispositions([one for one in pd.unique(found[0]) if pd.notna(one)]):
            found.append(disposition_level(found[0], category))
            names.append(DISCONTINUED)
        said_nothing = [_says_nothing(files[place.file].frame, place)[place.rows] for place in places]
        has_term = np.logical_or.reduce([together(said_nothing), *(pd.notna(one) for one in found)])
        among = pd.Series(category).fillna("").to_numpy(dtype=object, copy=True)
        among[~has_term] = None
        return cls((*names, NOT_RELEASED), len(columns), (*found, among))


def without_rare_terms(
    released: ReleasedStudy,
    settings: RareTerms,
    classes: np.ndarray,
    drawn: Drawn | None = None,
    hidden: HiddenTerms | None = None,
) -> tuple[ReleasedStudy, tuple[RaisedTerms, ...]]:
    """The study without coded terms of fewer people than the setting allows, and the loss by domain.

    ``classes`` (n_people,): the equivalence class of each person, for ``within_class``; ``drawn``: for a term a
    number of each person (n_people,) that no recipient can know; ``hidden``: terms that are hidden, however many people
    have them. A row shows its own term, or that of the lowest level at which enough people have a generalised row.
    Otherwise, the smallest term beside them is generalised with them if that loses no more than hiding the rows.
    Otherwise they move a level up. After the last level their terms are hidden, together with those of some people of
    the commonest term if they alone are of too few people. All arms of a study are treated together.
    """
    files, model, told = dict(released.files), released.model, list[RaisedTerms]()
    changed: set[tuple[str, str]] = set()
    ladders: dict[str, dict[str, TermLadder]] = {}
    for name, file in files.items():
        told_in_words = outcomes_told(model.domain(name), model.table(name), file)
        for ladder in (*term_ladders(model.domain(name), model.table(name), map(str, file.columns)), *told_in_words):
            ladders.setdefault(ladder.name, {})[name] = ladder
    for name in sorted(ladders):
        places = [_Place.of(file, ladder, files) for file, ladder in ladders[name].items()]
        columns = _levels_of([one.ladder for one in places])
        if _shown_in(columns, places) and sum(len(place.rows) for place in places):
            files, one = _of_ladder(name, files, places, columns, settings, classes, model, drawn, hidden or {})
            told.append(one)
            if one.is_changed:
                of_places = ((one.file, {*one.ladder.columns, *one.ladder.said_again}) for one in places)
                changed |= {(file, column) for file, columns_of_file in of_places for column in columns_of_file}
    accounts = tuple(
        replace(one, has_rare_terms=one.stays and (one.file, one.variable) in changed) for one in released.accounts
    )
    return replace(released.with_files(files), accounts=accounts), tuple(told)


def _levels_of(ladders: Sequence[TermLadder]) -> list[str]:
    """The levels of a term that any of its files has, from the finest on."""
    level = {name: ladder.table.columns[name].level for ladder in ladders for name in ladder.levels}
    return sorted(level, key=level.__getitem__)


def _shown_in(columns: Sequence[str], places: Sequence[_Place]) -> str:
    """The finest column that shows what a term is raised to; "" if its files have none."""
    of_sdtm = {f"{place.ladder.prefix}{level}" for place in places for level in SHOWN}
    plain = {name for place in places if not place.ladder.prefix for name in place.ladder.levels}
    return next((name for name in columns if name in of_sdtm | plain), "")


def _of_ladder(
    name: str,
    files: dict[str, ReleasedFile],
    places: Sequence[_Place],
    columns: Sequence[str],
    settings: RareTerms,
    classes: np.ndarray,
    model: StudyModel,
    drawn: Drawn | None,
    hidden: HiddenTerms,
) -> tuple[dict[str, ReleasedFile], RaisedTerms]:
    people = np.concatenate([place.people for place in places])
    group = classes[people] if settings.within_class else np.zeros(len(people), dtype=np.int64)
    levels = _Levels.of(places, files, columns)
    if isinstance(outcome := places[0].ladder, OutcomeLadder):
        tells = outcome.tells(levels.labels[0])
        few = [where_few_tell(one, tells, people, group, settings.at_least) for one in levels.labels]
        levels = replace(levels, labels=tuple(few))
    numbers = people if drawn is None else drawn(name)[people]
    is_hidden = np.concatenate(
        [_are_to_hide(files[one.file].frame, one.ladder, model.domain(one.file), hidden)[one.rows] for one in places]
    )
    free = range(levels.n_columns, len(levels.names))
    level = levels_shown(levels.labels, numbers, group, settings.at_least, free, is_hidden)
    shown_in = _shown_in(columns, places)
    # What a row shows is no change where it has nothing finer.
    finest = np.argmax([pd.notna(one) for one in levels.labels], axis=0)
    level = np.where(level == finest, 0, level)
    cut = np.cumsum([len(place.rows) for place in places])[:-1]
    related, fresh = 0, dict(files)
    of_places = zip(*(np.split(one, cut) for one in levels.labels), strict=True)  # the labels at each level
    for place, of_place, texts in zip(places, np.split(level, cut), of_places, strict=True):
        frame = _with_terms_raised(fresh[place.file].frame, place, levels.names, texts, shown_in, of_place)
        fresh[place.file] = fresh[place.file].with_frame(frame)
        if place.ladder.prefix:
            is_changed = np.zeros(len(frame), dtype=bool)
            is_changed[place.rows[of_place != 0]] = True
            fresh, n_related = without_related(place.ladder.prefix, fresh, fresh[place.file], is_changed)
            related += n_related
    return fresh, _told(name, levels, level, finest, people, related)


def _told(
    name: str, levels: _Levels, level: np.ndarray, finest: np.ndarray, people: np.ndarray, related: int
) -> RaisedTerms:
    n_of_terms = len(levels.names) - 1  # that a term can lose
    hidden = level == n_of_terms
    raised = (level > 0) & ~hidden
    of_level = np.bincount(level[raised], minlength=n_of_terms)
    lost = np.where(hidden, n_of_terms, np.where(raised, level - finest, 0)).sum()
    return RaisedTerms(
        name,
        len(level),
        {levels.names[i]: int(n) for i, n in enumerate(of_level) if n},
        int(hidden.sum()),
        related,
        float(lost / (n_of_terms * len(level))),
        *(len(np.unique(people[at])) for at in (np.ones(len(people), dtype=bool), raised, hidden)),
    )


# ---------------------------------------------------------------- the terms of a file


def _level(frame: pd.DataFrame, name: str) -> np.ndarray:
    return labels(frame[name]) if name in frame else np.full(len(frame), None, dtype=object)


def terms_of_rows(frame: pd.DataFrame, ladder: TermLadder, name: str) -> np.ndarray:
    """Labels of a level (n_rows,); None also if the event did not occur: such a row is about nobody."""
    terms = _level(frame, name)
    terms[pd.Series(terms).isin(ladder.table.no_term).to_numpy()] = None
    terms[~ladder.happened(frame)] = None
    return terms


def _are_to_hide(frame: pd.DataFrame, ladder: TermLadder, domain: str, hidden: HiddenTerms) -> np.ndarray:
    """Which rows (n_rows,) have, at any level of a coded term, one of the ``hidden`` terms of that column."""
    found = np.zeros(len(frame), dtype=bool)
    for column in frame.columns.intersection(list(ladder.columns)):
        texts = {text for pattern, of in hidden.items() if names_variable(pattern, domain, str(column)) for text in of}
        if texts:
            found |= pd.Series(labels(frame[column])).isin(texts).to_numpy()
    return found


def _says_nothing(frame: pd.DataFrame, place: _Place) -> np.ndarray:
    """Which rows (n_rows,) have the code of no term, under which terms are hidden: these are among such rows."""
    words, none = _level(frame, place.ladder.columns[0]), place.ladder.table.no_term
    return pd.Series(words).isin(none).to_numpy() & place.ladder.happened(frame)


def _category(frame: pd.DataFrame, place: _Place) -> np.ndarray:
    """The category that stays beside the term of each row (n_rows,), None without one: it divides what is hidden."""
    return _level(frame, f"{place.ladder.prefix}CAT" if place.ladder.prefix else "")[place.rows]


def _with_terms_raised(
    frame: pd.DataFrame,
    place: _Place,
    names: Sequence[str],
    texts: Sequence[np.ndarray],
    shown_in: str,
    level: np.ndarray,
) -> pd.DataFrame:
    """Rows with the label of their level in the column that shows it, and nothing in finer ones.

    ``texts`` are the labels (n_rows,) at each of the levels ``names``.
    """
    frame, order, ladder = frame.copy(deep=False), place.ladder.columns, place.ladder
    for j in sorted({*level.tolist()} - {0}):
        at, name = place.rows[level == j], names[j]
        finer = order[: order.index(name)] if name in order else order
        own = [one for one in names[:j] if one in frame]
        is_above = name in frame and shown_in in names[:j]
        shown: object = _mark_of(frame, ladder, shown_in) if name == NOT_RELEASED else None
        if is_above or name == DISCONTINUED:
            shown = texts[j][level == j]
        frame = emptied(frame, [*finer, *own, *ladder.said_again], at)
        if shown is not None and shown_in in frame:
            frame[shown_in] = _with_values(frame[shown_in], at, shown)
    return frame


def _mark_of(frame: pd.DataFrame, ladder: TermLadder, shown_in: str) -> str | None:
    """What is in place of a hidden term: words; the code of no term, where the data model has one; else nothing."""
    if ladder.table.no_term and not isinstance(ladder, OutcomeLadder):
        return min(ladder.table.no_term)
    is_text = shown_in in frame and frame[shown_in].dtype == "str"
    return NOT_RELEASED if is_text else None


def _with_values(column: pd.Series, at: np.ndarray, values: object) -> pd.Series:
    cells = column.to_numpy(dtype=object, copy=True)
    cells[at] = values
    if column.dtype.kind == "f":
        return pd.Series(pd.to_numeric(cells), column.index, dtype=column.dtype)
    return pd.Series(cells, column.index, dtype="str")
