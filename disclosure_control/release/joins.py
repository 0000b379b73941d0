"""Whether the keys of a study still join in its release: for each key, the rows that find their partner, before and
after.

A key is a column whose values name rows of another table: the person's id names the person's row in the table of
people, a foreign key a record, IDVARVAL of SUPP-- and RELREC a record of the domain that they belong to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

import numpy as np
import pandas as pd

from disclosure_control.release.people import ReleasePeople, labels, texts_of
from disclosure_control.release.study import NOBODY, RELATIONS, STRANGER, Study, StudyFile, related_domains
from study.formats.tables import SourceTable
from study.models.roles import ColumnModel, Role, TableKind, TableModel
from study.models.study_model import StudyModel

ROWS_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class Key:
    """A ``column`` of a ``table`` whose values are searched in ``partner_column`` of the tables of domain ``partner``.

    ``where``: the rows that have this key, by column and value; () for all. ``within_person``: the partner is a row of
    the same person. ``is_person``: the column names the person. ``is_code``: it names an entry of a dictionary.
    """

    table: str
    column: str
    partner: str
    partner_column: str
    within_person: bool = False
    where: tuple[tuple[str, str], ...] = ()
    is_person: bool = False
    is_code: bool = False

    @property
    def name(self) -> str:
        """Table and column, and the rows that have it."""
        rows = ", ".join(f"{column} {value}" for column, value in self.where)
        return f"{self.table}.{self.column}" + (f" ({rows})" if rows else "")


class JoinState(StrEnum):
    """What became of a key."""

    JOINS = "joins as before"
    DROPPED = "fewer rows find their partner"
    KEY_GONE = "the key is not released"
    PARTNER_GONE = "released, but its partner is not"
    NO_PARTNER = "the study has no such table"


@dataclass(frozen=True)
class KeyJoin:
    """How many rows have a value of a ``key``, and how many of these find their partner: in the source and now.

    The rows of the source are those of people who stay, and of nobody.
    """

    key: Key
    state: JoinState
    rows_before: int
    found_before: int
    rows_now: int = 0
    found_now: int = 0


def joins_of(
    study: Study, people: ReleasePeople, released: Mapping[str, SourceTable], person: str | None
) -> list[KeyJoin]:
    """Each key of the study with a value, in the order of tables and columns; codes, if a dictionary has any of them.

    ``released`` are the tables of the package by name, ``person`` is the column with the person's id in all of them.
    Tables on disk are read in blocks.
    """
    keys = list(keys_of(study, person))
    before = _counted(keys, _of_source(study, people, person))
    now = _counted(keys, _of_package(released, people, study.model, person))
    tested = [key for key in keys if before[key][1] or (before[key][0] and not key.is_code)]
    return [_join(key, before[key], now[key], study, released) for key in tested]


def _join(
    key: Key, before: tuple[int, int], now: tuple[int, int], study: Study, released: Mapping[str, SourceTable]
) -> KeyJoin:
    if not now[0]:
        state = JoinState.KEY_GONE
    elif not tables_of_domain([file.name for file in study.files], key.partner, study.model):
        state = JoinState.NO_PARTNER
    elif not tables_of_domain(released, key.partner, study.model):
        state = JoinState.PARTNER_GONE
    else:
        state = JoinState.DROPPED if _is_lost(key, before, now, study.model) else JoinState.JOINS
    return KeyJoin(key, state, *before, *now)


def _is_lost(key: Key, before: tuple[int, int], now: tuple[int, int], model: StudyModel) -> bool:
    """Whether more rows have a key without a partner than had one before, as a share, too.

    Rows that a treatment removed may have been those that joined. Entries of a dictionary leave if any row names
    them: a code that does not find its entry is the label that the treatment put in its place.
    """
    partner = model.table(key.partner)
    if partner is not None and partner.kind is TableKind.DICTIONARY:
        return False
    return now[1] * before[0] < before[1] * now[0] and now[0] - now[1] > before[0] - before[1]


def tables_of_domain(names: Iterable[str], domain: str, model: StudyModel) -> list[str]:
    """The tables with rows of a domain: the parts of it, or the one of its name, and no supplement."""
    tables = {name: model.table(name) for name in names if domain in (name, model.domain(name))}
    return [name for name, known in tables.items() if known is None or known.kind is not TableKind.SUPPLEMENTAL]


# ---------------------------------------------------------------- which keys there are


def keys_of(study: Study, person: str | None) -> Iterator[Key]:
    """The keys of a study by its data model; ``person`` is the column with the person's id."""
    model = study.model
    there = {model.domain(file.name) for file in study.files}
    for file in study.files:
        names, domain = list(map(str, file.table.frame)), model.domain(file.name)
        for name in names:
            column = model.column(file.name, name)
            if name == person:
                if model.base and (domain != model.base or file.is_supplemental):
                    yield Key(file.name, name, model.base, name, is_person=True)
            elif column is not None and column.refers_to:
                is_code = not _is_key(column, model.table(file.name))
                is_own = column.role is Role.RECORD_KEY and column.refers_to == domain
                if not is_own and (column.refers_to in there or not is_code):
                    partner = _record_key(study, column.refers_to, name, person)
                    yield Key(file.name, name, column.refers_to, partner, column.within_person, is_code=is_code)
            elif column is not None and column.role is Role.FOREIGN_KEY and not column.within_person:
                yield from _of_list(study, file, name, person)
        if set(names) >= RELATIONS:
            yield from _of_relations(file)


def _is_key(column: ColumnModel, table: TableModel | None) -> bool:
    """Whether a column that refers to a table is a key of people's records, and no code of a dictionary."""
    of_dictionary = table is not None and table.kind is TableKind.DICTIONARY
    return not of_dictionary and column.role in (Role.RECORD_KEY, Role.FOREIGN_KEY, Role.SITE, Role.PLACE)


def _record_key(study: Study, domain: str, named: str, person: str | None) -> str:
    """The column by which the rows of a domain are named: its record key, else the one of the key's own name."""
    for file in study.files:
        known = study.model.table(file.name)
        if known is None or study.model.domain(file.name) != domain:
            continue
        columns = set(map(str, file.table.frame))
        own = [name for name in known.of_role(Role.RECORD_KEY) if known.columns[name].refers_to in ("", domain)]
        if domain == study.model.base and person in columns:
            own.append(str(person))
        if found := [name for name in own if name in columns]:
            return found[0]
    return named


def _of_list(study: Study, file: StudyFile, name: str, person: str | None) -> Iterator[Key]:
    """A key that names no table is searched in the list of what it names: SPDEVID in DI, which lists the devices."""
    for other in study.files:
        columns = set(map(str, other.table.frame))
        if other.name != file.name and name in columns and person not in columns and not columns >= RELATIONS:
            yield Key(file.name, name, study.model.domain(other.name), name)


def _of_relations(file: StudyFile) -> Iterator[Key]:
    """IDVARVAL by related domain and variable; and whole data sets that a relation joins by a variable of each."""
    frame = file.table.frame
    has_domain = "RDOMAIN" in frame
    named = frame.assign(RDOMAIN=related_domains(frame, file.domain)).dropna(subset=["RDOMAIN", "IDVAR"])
    of_rows = named[named["IDVARVAL"].notna()]
    for parent, variable in sorted({*zip(of_rows["RDOMAIN"], of_rows["IDVAR"], strict=True)}):
        where = (("RDOMAIN", parent),) if has_domain else ()
        yield Key(file.name, "IDVARVAL", parent, variable, within_person=True, where=(*where, ("IDVAR", variable)))
    of_data_sets = named[named["IDVARVAL"].isna()]
    if "RELID" in frame:
        for _, related in of_data_sets.groupby("RELID", sort=True):
            both = sorted({*zip(related["RDOMAIN"], related["IDVAR"], strict=True)})
            for (one, column), (other, its_column) in pairwise(both):
                yield Key(one, column, other, its_column, within_person=True)


# ---------------------------------------------------------------- before and after


@dataclass(frozen=True)
class _Tables:
    """Tables by name: their ``columns``, and the person of each row: a position, ``NOBODY`` or ``STRANGER``.

    ``blocks`` gives the people (n_rows,) and some columns of the rows, block by block; ``people`` those of the ids of a
    table (n_ids,), and how many rows have each; None: one each.
    """

    model: StudyModel
    columns: Mapping[str, set[str]]
    blocks: Callable[[str, Sequence[str]], Iterator[tuple[np.ndarray, pd.DataFrame]]]
    people: Callable[[str], tuple[np.ndarray, np.ndarray | None]]

    def of_domain(self, domain: str) -> list[str]:
        """The tables with rows of a domain, without their supplements; a relation may name one of its parts."""
        return tables_of_domain(self.columns, domain, self.model)


def _of_source(study: Study, people: ReleasePeople, person: str | None) -> _Tables:
    """The study as it came, without the rows of people who do not stay."""
    files, stays = {file.name: file for file in study.files}, np.append(people.stays, True)

    def blocks(name: str, columns: Sequence[str]) -> Iterator[tuple[np.ndarray, pd.DataFrame]]:
        for part in files[name].parts(people):
            leaves = (part.people != STRANGER) & stays[np.maximum(part.people, NOBODY)]
            yield part.people[leaves], part.table.frame.loc[leaves, list(columns)]

    def people_of(name: str) -> tuple[np.ndarray, np.ndarray | None]:
        whose, (_, n_rows) = files[name].people, files[name].table.source_ids(person)
        kept = (whose >= 0) & stays[np.maximum(whose, NOBODY)]
        return whose[kept], None if n_rows is None else n_rows[kept]

    return _Tables(study.model, _columns_of({name: one.table for name, one in files.items()}), blocks, people_of)


def _of_package(
    tables: Mapping[str, SourceTable], people: ReleasePeople, model: StudyModel, person: str | None
) -> _Tables:
    """The tables of the package, opened again from disk."""
    columns_of = _columns_of(tables)

    def positions(ids: pd.Series) -> np.ndarray:
        """Whose each id (n_ids,) is, ``NOBODY`` of none, ``STRANGER`` of an unknown one; each is searched once."""
        codes, distinct = pd.factorize(ids)
        position = people.known_pseudonyms.positions(texts_of(pd.Series(distinct)))
        return np.append(np.where(position < 0, STRANGER, position), NOBODY)[codes]

    def blocks(name: str, columns: Sequence[str]) -> Iterator[tuple[np.ndarray, pd.DataFrame]]:
        has_people = person in columns_of[name]
        wanted = list(dict.fromkeys([*columns, *([str(person)] if has_people else [])]))
        full, rest = divmod(tables[name].n_rows, ROWS_AT_ONCE)
        for frame in tables[name].rows_in_order([ROWS_AT_ONCE] * full + [rest], wanted):
            yield positions(frame[person]) if has_people else np.full(len(frame), NOBODY), frame

    def people_of(name: str) -> tuple[np.ndarray, np.ndarray | None]:
        ids, n_rows = tables[name].source_ids(person)
        return positions(ids), n_rows

    return _Tables(model, columns_of, blocks, people_of)


def _columns_of(tables: Mapping[str, SourceTable]) -> dict[str, set[str]]:
    return {name: set(map(str, table.frame)) for name, table in tables.items()}


# ---------------------------------------------------------------- counting


class _Partners:
    """The values of a column by which rows are found, and the people whose rows have them."""

    def __init__(self, pieces: Iterable[tuple[np.ndarray, pd.Series]]):
        seen = [pd.DataFrame({"person": np.zeros(0, dtype=np.int64), "value": np.zeros(0, dtype=object)})]
        for people, column in pieces:
            codes, texts = _coded(column)
            pairs = pd.DataFrame({"person": people, "code": codes})[codes >= 0].drop_duplicates()
            seen.append(pd.DataFrame({"person": pairs["person"], "value": texts[pairs["code"]]}))
        together = pd.concat(seen, ignore_index=True)
        codes, values = pd.factorize(together["value"])
        self._values = pd.Index(values)
        self._pairs = np.unique(self._pair(together["person"].to_numpy(), codes))

    def _pair(self, people: np.ndarray, codes: np.ndarray) -> np.ndarray:
        return (people.astype(np.int64) - STRANGER) * max(len(self._values), 1) + codes

    def find(self, people: np.ndarray, column: pd.Series, within_person: bool) -> np.ndarray:
        """Whether there is a row with the value of each row (n_rows,), of the same person if ``within_person``."""
        codes, values = _coded(column)
        place = np.append(self._values.get_indexer(pd.Index(values, dtype=object)), -1)[codes]
        found: np.ndarray = place >= 0
        return found & np.isin(self._pair(people, place), self._pairs) if within_person else found


def _coded(column: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """The code of each row (n_rows,), -1 for a missing value, and the labels of the codes."""
    codes, distinct = pd.factorize(column)
    return codes, labels(pd.Series(distinct))


def _counted(keys: Sequence[Key], tables: _Tables) -> dict[Key, tuple[int, int]]:
    """For each key the rows with a value, and those that find their partner. Each table is read once for each half."""
    found = {key: _people_found(key, tables) for key in keys if key.is_person}
    others = [key for key in keys if not key.is_person]
    partners = _partners(others, tables)
    total = {key: np.zeros(2, dtype=np.int64) for key in others}
    of_key = {key: [key.table] if key.table in tables.columns else tables.of_domain(key.table) for key in others}
    for name in tables.columns:
        mine = [key for key in others if name in of_key[key] and key.column in tables.columns[name]]
        if not mine:
            continue
        wanted = {column for key in mine for column in (key.column, *(column for column, _ in key.where))}
        for people, frame in tables.blocks(name, sorted(wanted)):
            for key in mine:
                rows = frame[key.column].notna().to_numpy()
                for column, value in key.where:
                    rows = rows & frame[column].eq(value).to_numpy(dtype=bool, na_value=False)
                place = (key.partner, key.partner_column)
                is_found = partners[place].find(people[rows], frame.loc[rows, key.column], key.within_person)
                total[key] += (rows.sum(), is_found.sum())
    return found | {key: (int(n_rows), int(n_found)) for key, (n_rows, n_found) in total.items()}


def _people_found(key: Key, tables: _Tables) -> tuple[int, int]:
    """The rows of somebody in a table, and those whose person has a row in the table of people."""
    if key.table not in tables.columns or key.column not in tables.columns[key.table]:
        return 0, 0
    listed = [
        tables.people(name)[0] for name in tables.of_domain(key.partner) if key.partner_column in tables.columns[name]
    ]
    people, n_rows = tables.people(key.table)
    each = np.ones(len(people), dtype=np.int64) if n_rows is None else n_rows
    is_found = (people >= 0) & np.isin(people, np.concatenate([np.zeros(0, dtype=np.int64), *listed]))
    return int(each[people != NOBODY].sum()), int(each[is_found].sum())


def _partners(keys: Sequence[Key], tables: _Tables) -> dict[tuple[str, str], _Partners]:
    pieces: dict[tuple[str, str], list[tuple[np.ndarray, pd.Series]]] = {
        (key.partner, key.partner_column): [] for key in keys
    }
    for name in tables.columns:
        mine = [
            (domain, column)
            for domain, column in pieces
            if name in tables.of_domain(domain) and column in tables.columns[name]
        ]
        if not mine:
            continue
        for people, frame in tables.blocks(name, sorted({column for _, column in mine})):
            for domain, column in mine:
                each = pd.DataFrame({"person": people, "value": frame[column].to_numpy()}).dropna().drop_duplicates()
                pieces[domain, column].append((each["person"].to_numpy(), each["value"]))
    return {place: _Partners(of_place) for place, of_place in pieces.items()}
