"""Coded terms of few people are generalised along their hierarchy, or their rows removed, at the least loss."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.keys import count_keys, number_groups
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import Kind, are_names, one_of, whole_number
from disclosure_control.basics.telling.plain import WHERE_FOUND
from disclosure_control.basics.telling.words import counted, listed, share_text
from disclosure_control.release.deidentify import ReleasedFile, ReleasedRows, ReleasedStudy
from disclosure_control.release.people import labels
from study.models.coded_terms import VERBATIM, TermLadder, term_ladders
from study.models.roles import Role, TableKind
from study.models.sdtm import LEVELS
from study.models.study_model import StudyModel

ALONG = tuple(f"--{level}" for level in LEVELS if level != "LLT")
NOTHING = -1


_ALONG = Kind(
    are_names,
    'a list of columns from the finest on, such as "AEDECOD", "AESOC", or "--DECOD", "--SOC"',
    lambda value: tuple(map(str.upper, value)),
)


@dataclass(frozen=True)
class RareTerms(SettingsGroup):
    """The setting: a term of fewer than ``at_least`` people is generalised ``along`` these levels, or its rows are
    removed.

    ``along``: columns from the finest on, ``--`` for any domain; as long as it is not set, all levels of a data model
    without such letters. ``within_class``: people are counted within their
    equivalence class, so that nobody is alone by a term together with the quasi-identifiers.
    """

    at_least: int = setting(whole_number(2, 1_000_000), "a term of fewer people is raised, or its rows are removed")
    along: tuple[str, ...] = setting(_ALONG, "the levels along which a term is raised", ALONG)
    within_class: bool = setting(
        one_of("study", "class").read_as(lambda value: value == "class"),
        "who is counted: the people of the study, or of an equivalence class",
        False,
        '`"study"`',
        named="within",
    )


@dataclass(frozen=True)
class RaisedTerms:
    """What was done with the records of a ``domain``, or of one term of a table: all rows, ``rows_raised`` by the
    column of their new level.

    ``rows_gone`` could not be generalised; in tables of other things than events they stay, with the term emptied, and
    are ``rows_hidden``; ``related_rows_gone`` are rows of SUPP-- and RELREC that belong to changed
    ones. ``loss`` in [0, 1]: levels lost per row, as a share of all levels; a removed row loses all.
    """

    domain: str
    rows: int
    rows_raised: Mapping[str, int]
    rows_gone: int
    related_rows_gone: int
    loss: float
    rows_hidden: int | None = field(default=None, metadata=WHERE_FOUND)

    def words(self) -> str:
        """The new level, the removed rows, and the loss."""
        raised = [f"{counted(n, 'record')} raised to {column}" for column, n in self.rows_raised.items()]
        related = f" with {counted(self.related_rows_gone, 'related record')}" if self.related_rows_gone else ""
        gone = [f"{counted(self.rows_gone, 'record')} removed{related}"] if self.rows_gone else []
        hidden = [f"the term emptied in {counted(self.rows_hidden, 'record')}"] if self.rows_hidden else []
        what = listed(raised + hidden + gone) or "no term was rare"
        return f"{self.domain}, {counted(self.rows, 'record')}: {what}; {share_text(self.loss)} lost."


@dataclass(frozen=True)
class _Place:
    """The rows of a file that form a part of the records, their person (n_rows,), and the columns of the term."""

    file: str
    ladder: TermLadder
    rows: np.ndarray
    people: np.ndarray = field(repr=False)

    @property
    def is_of_events(self) -> bool:
        """Whether a row is about the term, and says nothing without it; a visit, a result or a death is more."""
        return bool(self.ladder.prefix) or self.ladder.table.kind is TableKind.EVENTS

    @classmethod
    def of(cls, name: str, ladder: TermLadder, files: Mapping[str, ReleasedFile]) -> _Place:
        people = files[name].people
        somebody = np.flatnonzero(people >= 0)
        return cls(name, ladder, somebody, people[somebody])


def without_rare_terms(
    released: ReleasedStudy, settings: RareTerms, classes: np.ndarray
) -> tuple[ReleasedStudy, tuple[RaisedTerms, ...]]:
    """The study without coded terms of fewer people than the setting allows, and the loss by domain.

    ``classes`` (n_people,): the equivalence class of each person, for ``within_class``. A row shows its own term, or
    that of the lowest level at which enough people have a generalised row. Otherwise, the smallest term beside them is
    generalised with them if that loses no more than removing the rows. Otherwise they move a level up, and are removed
    after the last level. The loss is never larger than removing every rare row.
    """
    files, model, told = dict(released.files), released.model, list[RaisedTerms]()
    changed: set[tuple[str, str]] = set()
    ladders: dict[str, dict[str, TermLadder]] = {}
    for name, file in files.items():
        for ladder in term_ladders(model.domain(name), model.table(name), map(str, file.columns)):
            ladders.setdefault(ladder.name, {})[name] = ladder
    for name in sorted(ladders):
        places = [_Place.of(file, ladder, files) for file, ladder in ladders[name].items() if file in files]
        columns = _columns_of(
            [one.ladder for one in places], [files[one.file].columns for one in places], settings.along
        )
        if len(columns) and sum(len(place.rows) for place in places):
            files, one = _of_ladder(name, files, places, columns, settings, classes, model)
            told.append(one)
            if one.rows_gone or one.rows_raised or one.rows_hidden:
                changed |= {(place.file, column) for place in places for column in place.ladder.columns}
    left_out = {
        **released.left_out,
        **{
            file.source.table.file_name: "no record of it is left"
            for name, file in released.files.items()
            if name not in files
        },
    }
    accounts = tuple(
        replace(one, has_rare_terms=one.stays and (one.file, one.variable) in changed) for one in released.accounts
    )
    return replace(released, files=files, left_out=left_out, accounts=accounts), tuple(told)


def _columns_of(ladders: Sequence[TermLadder], frames: Sequence[pd.DataFrame], along: Sequence[str]) -> list[str]:
    """The levels of a term that its files have, in the order of ``along``; finer ones than the first come before."""
    place = {name: ladder.table.columns[name].level for ladder in ladders for name in ladder.levels}
    levels = sorted(place, key=lambda name: place[name])
    there = {str(name) for frame in frames for name in frame}
    named = [name for name in dict.fromkeys(n for one in ladders for n in _named(one, along)) if name in there]
    return [*takewhile(lambda name: name not in named, levels), *named] if named else []


def _named(ladder: TermLadder, along: Sequence[str]) -> list[str]:
    """The columns of a term that ``along`` names; all its levels, where ``along`` has patterns for SDTM alone."""
    if ladder.prefix:
        return [name for one in along if (name := one.replace("--", ladder.prefix)).startswith(ladder.prefix)]
    named = [name for pattern in along for name in ladder.levels if name.upper() == pattern]
    return named or (list(ladder.levels) if all(pattern.startswith("--") for pattern in along) else [])


def _of_ladder(
    name: str,
    files: dict[str, ReleasedFile],
    places: Sequence[_Place],
    columns: Sequence[str],
    settings: RareTerms,
    classes: np.ndarray,
    model: StudyModel,
) -> tuple[dict[str, ReleasedFile], RaisedTerms]:
    people = np.concatenate([place.people for place in places])
    group = classes[people] if settings.within_class else np.zeros(len(people), dtype=np.int64)
    terms = [
        np.concatenate([_terms(files[place.file].frame, place.ladder, column)[place.rows] for place in places])
        for column in columns
    ]
    level = levels_shown(terms, people, group, settings.at_least)
    named = {column for place in places for column in _named(place.ladder, settings.along)}
    shown_in = next(column for column in columns if column in named)
    # What a row shows is no change where it has nothing finer.
    finest = np.argmax([pd.notna(one) for one in terms], axis=0)
    gone, level = level == NOTHING, np.where(level == finest, 0, level)
    cut = np.cumsum([len(place.rows) for place in places])[:-1]
    related, n_hidden = 0, 0
    fresh = dict(files)
    for place, of_place in zip(places, np.split(level, cut), strict=True):
        frame = _with_terms_raised(fresh[place.file].frame, place.ladder, columns, shown_in, place.rows, of_place)
        fresh[place.file] = with_part(fresh[place.file], fresh[place.file].whole._replace(frame=frame))
        stays = np.ones(len(frame), dtype=bool)
        if place.is_of_events:
            stays[place.rows[of_place == NOTHING]] = False
        else:
            n_hidden += int((of_place == NOTHING).sum())
            frame = _emptied(frame, [*place.ladder.columns, *place.ladder.said_again], place.rows[of_place == NOTHING])
            fresh[place.file] = with_part(fresh[place.file], fresh[place.file].whole._replace(frame=frame))
        is_raised = np.zeros(len(frame), dtype=bool)
        is_raised[place.rows[of_place > 0]] = True
        if place.ladder.prefix:
            fresh, n_related = _without_related(place.ladder.prefix, fresh, fresh[place.file], stays, is_raised)
        else:
            fresh, n_related = _without_dangling_keys(fresh, fresh[place.file], stays, model), 0
        related += n_related
        fresh[place.file] = with_part(fresh[place.file], fresh[place.file].whole.where(stays))
    kept = {name: file for name, file in fresh.items() if file.n_records}
    of_level = np.bincount(level[level > 0], minlength=len(columns))
    lost = int(np.where(gone, len(columns), np.where(level > 0, level - finest, 0)).sum())
    raised = {columns[i]: int(of_level[i]) for i in range(1, len(columns)) if of_level[i]}
    loss = lost / (len(columns) * len(level))
    return kept, RaisedTerms(name, len(level), raised, int(gone.sum()) - n_hidden, related, loss, n_hidden or None)


def _level(frame: pd.DataFrame, name: str) -> np.ndarray:
    return labels(frame[name]) if name in frame else np.full(len(frame), None, dtype=object)


def _terms(frame: pd.DataFrame, ladder: TermLadder, name: str) -> np.ndarray:
    """Labels of a level (n_rows,); None also if the event did not occur: such a row is about nobody."""
    terms = _level(frame, name)
    terms[pd.Series(terms).isin(ladder.table.no_term).to_numpy()] = None
    terms[~ladder.happened(frame)] = None
    return terms


# ---------------------------------------------------------------- which level each row shows


def levels_shown(terms: Sequence[np.ndarray], people: np.ndarray, group: np.ndarray, at_least: int) -> np.ndarray:
    """The level that each row (n_rows,) shows, 0 the finest, -1 for a removed row.

    ``terms`` (n_levels, n_rows) are labels, None where missing; ``people`` and ``group`` (n_rows,) whole numbers from
    0: people are counted within a group. Rows show the same if their labels agree from their level on. A row shows no
    finer level than it has; one without any term is unchanged.
    """
    node = _nodes(terms, group)
    level = np.where(np.logical_and.reduce([one == NOTHING for one in node]), 0, NOTHING)
    shown = np.full(len(people), NOTHING, dtype=np.int64)  # what each settled row shows: one number for one term
    for j, nodes in enumerate(node):
        waiting = (level == NOTHING) & (nodes != NOTHING)
        if not waiting.any():
            continue
        n_nodes = int(nodes.max()) + 1
        n_waiting = np.bincount(nodes[waiting], minlength=n_nodes)
        enough = _n_people(nodes[waiting], people[waiting], n_nodes) >= at_least
        most = np.where(enough, 0, n_waiting * (len(node) - j))
        beside = _smallest_beside(nodes, level, shown, j, most)
        now = (waiting & (enough | (beside != NOTHING))[nodes]) | (np.isin(shown, beside) & (shown != NOTHING))
        level[now], shown[now] = j, int(shown.max()) + 1 + nodes[now]
    return level


def _nodes(terms: Sequence[np.ndarray], group: np.ndarray) -> list[np.ndarray]:
    """For each level one number (n_rows,) per label and those of the coarser levels, within a group; -1 of no label."""
    found, path = [], group
    for labels_of_level in reversed(terms):
        codes, distinct = pd.factorize(labels_of_level, sort=True)
        key = path * (len(distinct) + 1) + codes + 1
        path, _ = number_groups(key, int(key.max(initial=0)) + 1)
        found.append(np.where(codes < 0, NOTHING, path))
    return found[::-1]


def _n_people(nodes: np.ndarray, people: np.ndarray, n_nodes: int) -> np.ndarray:
    n_people = int(people.max()) + 1
    cells, _ = count_keys(nodes * n_people + people, n_nodes * n_people)
    return np.bincount(cells // n_people, minlength=n_nodes)


def _smallest_beside(nodes: np.ndarray, level: np.ndarray, shown: np.ndarray, j: int, most: np.ndarray) -> np.ndarray:
    """For each node (n_nodes,) the term shown below it that loses least if raised to it, -1 if above most."""
    found = np.full(len(most), NOTHING, dtype=np.int64)
    below = np.flatnonzero((shown != NOTHING) & (nodes != NOTHING))
    if len(below):
        cost = np.bincount(shown[below], j - level[below]).astype(np.int64)
        node = np.full(len(cost), NOTHING)
        node[shown[below]] = nodes[below]
        terms = np.flatnonzero(node != NOTHING)
        terms = terms[np.lexsort((terms, cost[terms]))]
        terms = terms[np.unique(node[terms], return_index=True)[1]]
        terms = terms[cost[terms] <= most[node[terms]]]
        found[node[terms]] = terms
    return found


# ---------------------------------------------------------------- the files


def _with_terms_raised(
    frame: pd.DataFrame,
    ladder: TermLadder,
    columns: Sequence[str],
    shown_in: str,
    rows: np.ndarray,
    level: np.ndarray,
) -> pd.DataFrame:
    """Rows (n_rows,) with the label of their level in the column that shows it, and nothing in finer ones."""
    frame = frame.copy(deep=False)
    order = ladder.columns
    texts = {name: _level(frame, name) for name in columns}
    for j, column in enumerate(columns[1:], start=1):
        at = rows[level == j]
        if not len(at):
            continue
        finer = order[: order.index(column)] if column in order else columns[:j]
        frame = _emptied(frame, [*finer, *columns[:j], *ladder.said_again], at)
        if column != shown_in and shown_in in frame and columns.index(shown_in) < j:
            cells = frame[shown_in].to_numpy(dtype=object, copy=True)
            cells[at] = texts[column][at]
            frame[shown_in] = pd.Series(cells, frame.index, dtype="str")
    return frame


def _emptied(frame: pd.DataFrame, columns: Iterable[str], at: np.ndarray) -> pd.DataFrame:
    """The frame without the values of some columns, those that it has, in the rows ``at``."""
    frame = frame.copy(deep=False)
    for name in set(columns) & set(frame):
        cells = frame[name].to_numpy(dtype=object, copy=True)
        cells[at] = np.nan if frame[name].dtype.kind == "f" else None
        frame[name] = pd.Series(cells, frame.index, dtype=frame[name].dtype)
    return frame


def with_part(file: ReleasedFile, part: ReleasedRows) -> ReleasedFile:
    """The file with these rows in place of its own."""
    return replace(file, parts=[part])


def _without_related(
    prefix: str, files: dict[str, ReleasedFile], parent: ReleasedFile, stays: np.ndarray, is_raised: np.ndarray
) -> tuple[dict[str, ReleasedFile], int]:
    """SUPP-- and RELREC without rows of removed records, and without terms of generalised records."""
    found, total = dict(files), 0
    for name, file in files.items():
        frame = file.frame
        if not {"IDVAR", "IDVARVAL"} <= set(frame):
            continue
        related = frame["RDOMAIN"] if "RDOMAIN" in frame else pd.Series(file.source.domain, frame.index, dtype="str")
        is_term = _tells_a_term(prefix, frame)
        kept = np.ones(len(frame), dtype=bool)
        for variable in sorted(set(frame["IDVAR"].dropna().unique()) & set(parent.frame)):
            at = (related.isin([prefix, parent.source.name]) & frame["IDVAR"].eq(variable)).to_numpy(dtype=bool)
            mine = _record_keys(file.people, labels(frame["IDVARVAL"]))
            theirs = _record_keys(parent.people, labels(parent.frame[str(variable)]))
            without_parent = mine.isin(theirs[~stays]) & ~mine.isin(theirs[stays])
            of_raised = mine.isin(theirs[is_raised]) & is_term
            kept &= ~(at & (without_parent | of_raised))
        total += int((~kept).sum())
        found[name] = with_part(file, file.whole.where(kept))
    return found, total


def _without_dangling_keys(
    files: dict[str, ReleasedFile], parent: ReleasedFile, stays: np.ndarray, model: StudyModel
) -> dict[str, ReleasedFile]:
    """The files with no value in keys that named removed records."""
    domain, found = model.domain(parent.source.name), dict(files)
    known = model.table(parent.source.name)
    keys = [name for name in (known.of_role(Role.RECORD_KEY) if known else ()) if name in parent.frame][:1]
    for name, file in files.items() if keys and not stays.all() else ():
        frame, values = file.frame, labels(parent.frame[keys[0]])
        gone = set(values[~stays]) - set(values[stays]) - {None}
        for column in map(str, frame):
            of_column = model.column(name, column)
            if of_column is not None and of_column.role is Role.FOREIGN_KEY and of_column.refers_to == domain:
                frame = frame.assign(**{column: frame[column].where(~np.isin(labels(frame[column]), list(gone)))})
        found[name] = with_part(file, file.whole._replace(frame=frame))
    return found


def _record_keys(people: np.ndarray, values: np.ndarray) -> pd.Index:
    return pd.Index([f"{person}\0{value}" for person, value in zip(people.tolist(), values.tolist(), strict=True)])


def _tells_a_term(prefix: str, frame: pd.DataFrame) -> np.ndarray:
    """Which rows of a supplement (n_rows,) contain the term, or one of its levels, in other words."""
    if "QNAM" not in frame:
        return np.zeros(len(frame), dtype=bool)
    names = [f"{prefix}{suffix}" for level in LEVELS.items() for suffix in level]
    names += [f"{prefix}{suffix}" for suffix in VERBATIM]
    return frame["QNAM"].str.fullmatch(rf"(?i:{'|'.join(names)})\d*").fillna(False).to_numpy(dtype=bool)
