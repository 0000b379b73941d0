"""The person of rows that name a stay, a visit or a sample: found through the table that says whose that is.

The join is made as soon as the files are read, for the merge and for a release alike, as a further column of the table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from disclosure_control.basics.telling.faults import nearest_name, stop_at
from disclosure_control.basics.telling.small_counts import people_on_screen
from study.formats.messages import Note, all_files_setting
from study.formats.tables import FileOptions, SourceTable, Through
from study.merge.subject_ids import SubjectIdRule
from study.models.role_words import is_key, role_of_heading
from study.models.values_seen import ValuesSeen
from study.models.words_of_codes import text_of_code

LEAST_KEYS = 5  # that show that a column is a key of another table
KNOWN = 0.8  # of the keys of a table are in the other one


def with_persons(
    tables: Sequence[SourceTable],
    files: Mapping[str, FileOptions],
    rule: SubjectIdRule,
    unknown_subjects: Collection[str] = (),
) -> list[SourceTable]:
    """The ``tables``, those whose config says so with the person of each row, by the key of another table.

    Rows whose key the other table does not have are a fault, unless their domain is among ``unknown_subjects``: then
    they are left out and noted. Raises ``FaultyInputError`` with all faults of these settings.
    """
    found = {table.domain: table for table in tables}
    ways = {name: one.person for name, one in files.items() if isinstance(one.person, Through) and name in found}
    faults: list[str] = []
    while ways:
        name = next((one for one, way in ways.items() if way.through not in ways), None)
        if name is None:
            faults.append(f"merge['files']: {', '.join(sorted(ways))} name their person through each other in a circle")
            break
        way = ways.pop(name)
        place = f"merge['files'][{name!r}]['person']"
        own = list(_faults(found[name], way, found, rule, place))
        if not own:
            found[name], own = _joined(found[name], found[way.through], way, rule, name in unknown_subjects)
        faults += own
    stop_at(faults)
    return [found[table.domain] for table in tables]


def _faults(
    table: SourceTable, way: Through, tables: Mapping[str, SourceTable], rule: SubjectIdRule, place: str
) -> Iterator[str]:
    other = tables.get(way.through)
    if rule.column is None:
        yield f"{place}: subject_id names no column, so no row has a person"
    elif other is None:
        yield f"{place}: no file of the domain {way.through!r}{nearest_name(way.through, tables)}"
    elif rule.column in table.frame:
        yield f"{place}: {table.file_name} has the column {rule.column!r} itself; delete this line"
    else:
        for one, column in ((table, way.key), (other, way.key), (other, rule.column)):
            if column not in one.frame:
                yield f"{place}: no column {column!r} in {one.file_name}{nearest_name(column, map(str, one.frame))}"


def _joined(
    table: SourceTable, other: SourceTable, way: Through, rule: SubjectIdRule, is_left_out: bool
) -> tuple[SourceTable, list[str]]:
    """The table with the person of each row, and the faults of its keys."""
    person = str(rule.column)
    pairs = other.combinations([way.key, person], None)
    assert pairs is not None  # no limit
    people = _person_of_keys(pairs[way.key], pairs[person])
    n_shared = int(people.index.duplicated(keep="first").sum())
    if n_shared:
        return table, [
            f"{other.file_name}: {people_on_screen(n_shared)} of {people.index.nunique()} values of {way.key!r} belong "
            "to several people; a key through which rows get their person belongs to one"
        ]
    known = people.index
    counts = table.counts_of(way.key)
    n_without = table.n_rows - int(counts[np.isin(_texts(counts.index.to_series()), known)].sum())
    if n_without and not is_left_out:
        return table, [
            f"{table.file_name}: {people_on_screen(n_without)} of {table.n_rows} rows have no person, as "
            f"{other.file_name} does not have their {way.key!r}; correct the files, or leave these rows out by "
            f"{all_files_setting('unknown_subjects', [table.domain])}"
        ]
    if n_without:
        table = table.where(way.key, lambda values: np.isin(_texts(values), known))
    made = table.with_column_of_ids(way.key, person, lambda keys: _persons(keys, people))

    def write(told: Callable[..., str]) -> str:
        without = f"; {told(n_without)} rows whose {way.key!r} it does not have were left out" if n_without else ""
        return f"the person of each row is that of its {way.key!r} in {other.file_name}{without}"

    return replace(made, notes=(*made.notes, Note.of(write))), []


def _person_of_keys(keys: pd.Series, people: pd.Series) -> pd.Series:
    """The person of each key, once for each person that it has."""
    pairs = pd.DataFrame({"key": _texts(keys), "person": _texts(people)})
    pairs = pairs[(keys.notna() & people.notna()).to_numpy()].drop_duplicates()
    return pd.Series(pairs["person"].to_numpy(), index=pairs["key"])


def _persons(keys: pd.Series, people: pd.Series) -> pd.Series:
    found = people.reindex(_texts(keys)).astype("str")
    return found.set_axis(keys.index)


def _texts(values: pd.Series) -> np.ndarray:
    """Keys as text (n,), numbers without decimals: one table may hold them as text, another one as numbers."""
    codes, distinct = pd.factorize(values)
    return np.array([*map(text_of_code, distinct), ""], dtype=object)[codes]


# ---------------------------------------------------------------- which key it is


@dataclass(frozen=True)
class KnownPeople:
    """The rows of a table whose column ``person`` names the person of each."""

    frame: pd.DataFrame = field(repr=False)
    person: str


def way_to_person(frame: pd.DataFrame, known: Mapping[str, KnownPeople]) -> Through | None:
    """The key of a table by which another one, of ``known`` people by domain, says whose its rows are; None for none.

    A key is a column of both under one name, each of its values belongs to one person there, and at least ``KNOWN`` of
    those that the table has are among them. A person's own number is no key.
    """
    found = []
    for domain, other in known.items():
        for name in map(str, frame):
            if name == other.person or name not in other.frame or (role_of_heading(name) and not is_key(name)):
                continue
            keys = _person_of_keys(other.frame[name], other.frame[other.person])
            own = pd.Series(frame[name].dropna().unique())
            if len(own) < LEAST_KEYS or keys.index.has_duplicates or 10 * frame[name].isna().sum() > len(frame):
                continue
            share = float(np.isin(_texts(own), keys.index).mean())
            if share >= KNOWN and ValuesSeen.of_counts(frame[name].value_counts(sort=False)).are_codes:
                found.append((share, is_key(name), -len(keys), domain, name))
    return Through(*max(found)[-2:]) if found else None


def why_through(way: Through) -> str:
    """Why rows get their person by a key."""
    return f"at least {KNOWN:.0%} of its {way.key!r} are in {way.through}, where each belongs to one person"


def how_to_join(domain: str, way: Through) -> str:
    """Why rows of a table get their person by a key, and the setting by which they do."""
    setting = all_files_setting("files", {domain: {"person": {"through": way.through, "key": way.key}}})
    return f"{why_through(way)}: join them by {setting}"


def with_person_of_key(frame: pd.DataFrame, other: KnownPeople, key: str) -> pd.DataFrame:
    """The rows that have a person by a key, with the person in a further column, called as in the other table."""
    people = _person_of_keys(other.frame[key], other.frame[other.person])
    rows = frame[np.isin(_texts(frame[key]), people.index)]
    return rows.assign(**{other.person: _persons(rows[key], people)})
