"""The scan: every column of every table, by its values, in any language and under any heading.

``scan_source`` scans a domain file, ``scan_combined`` a dataset whose headings name their domain (``DM__PHONE``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa

from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.basics.kept import Kept, print_of
from disclosure_control.basics.telling.side_by_side import side_by_side
from disclosure_control.identifiers.column_findings import ColumnFinding, Scan, ScannedTable
from disclosure_control.identifiers.column_values import ColumnValues, column_values
from disclosure_control.identifiers.holders import HoldersCounted, HoldersInRows, RowHolders
from disclosure_control.identifiers.registry import Hits, IdentifierKind, kinds
from disclosure_control.records.store import CombinedDataset
from study.formats.tables import SourceTable

IdsAt = Callable[[np.ndarray], pa.Array]
LARGE = 100_000  # rows, from which on columns are examined side by side


def scan_source(table: SourceTable, subject_column: str | None, but_for: Collection[str] = ()) -> Scan:
    """What in the columns of a table, ``but_for`` some, names a person, or is shared by few people.

    ``subject_column``: the heading of the subject's id, which is not examined itself; None: every row is a person. In a
    table without it, people are not counted, and kinds that are recognised by how many share a value are not found.
    Findings come column by column, the gravest of a column first. Rows may be on disk, for columns in their turn.
    """
    headings = list(map(str, table.frame))
    if subject_column is None:
        own: set[str] = set()
        ids: pd.Series | None = pd.Series(np.arange(1.0, table.n_rows + 1))
    else:
        own = {name for name in headings if name.casefold() == subject_column.casefold()}
        ids = table.column(subject_column if subject_column in own else min(own)) if own else None
    names = [name for name in headings if name not in own and name not in but_for]
    return scan_columns(table, names, ids)


def scan_columns(table: SourceTable, names: Sequence[str], ids: pd.Series | None, kept: Kept | None = None) -> Scan:
    """The same of some columns; ``ids`` (n_rows,) name the person of each row, None if unknown. ``kept``: what was
    found in the same columns before.
    """
    whose = _nobodys(table.n_rows) if ids is None else _encoded(ids)
    found = tuple(
        finding
        for together in table.columns_together(names)
        for finding in _of_columns([(table.domain, name, column) for name, column in together], whose, kept or Kept())
    )
    return Scan(found, {table.domain: ScannedTable(table.n_rows, whose.n_people, len(names))})


def scan_combined(frame: pd.DataFrame, subjects: pd.Series | None = None, columns: Iterable[str] | None = None) -> Scan:
    """The same of a dataset with one row per person, whose headings are ``<DOMAIN>__<name>``.

    ``subjects`` (n_records,) are the ids; None takes the column USUBJID, if there is one. ``columns``: those to look
    at, None for all.
    """
    names = [str(name) for name in (frame.columns if columns is None else columns) if name != SUBJECT_COLUMN]
    ids = frame.get(SUBJECT_COLUMN) if subjects is None else subjects
    whose = _nobodys(len(frame)) if ids is None else _encoded(ids)
    found = _of_columns([(*_divided(name), frame[name]) for name in names], whose, Kept())
    return Scan(found, {"": ScannedTable(len(frame), whose.n_people, len(names))})


def scan_dataset(dataset: CombinedDataset) -> Scan:
    """The same of a pilot's combined dataset, by the distinct texts of its columns and who has them."""
    table, n_people = dataset.table, dataset.n_subjects
    names = [name for name in table.columns if name != SUBJECT_COLUMN]

    def findings_of(name: str) -> list[ColumnFinding]:
        counted = table.counted(name)
        holders = HoldersCounted(counted.people, n_people, lambda values: table.ids_at(counted.first_record[values]))
        return list(_findings(ColumnValues(*_divided(name), holders, counted.texts, None, counted.share_at_hand)))

    each = side_by_side if n_people >= LARGE else map
    found = tuple(finding for findings in each(findings_of, names) for finding in findings)
    return Scan(found, {"": ScannedTable(n_people, n_people, len(names))})


def _divided(name: str) -> tuple[str, str]:
    """Domain and heading of a column of the combined dataset; no domain where its name has none."""
    domain, divided, heading = name.partition("__")
    return (domain, heading) if divided else ("", name)


def _nobodys(n_rows: int) -> RowHolders:
    return RowHolders(np.full(n_rows, -1, dtype=np.int64), pa.array([], pa.large_string()))


def _encoded(ids: pd.Series) -> RowHolders:
    column = column_values("", "", ids, _nobodys(len(ids)))
    assert isinstance(column.holders, HoldersInRows)
    return RowHolders(column.holders.code, column.distinct)


# ---------------------------------------------------------------- one column


def _of_columns(
    columns: Sequence[tuple[str, str, pd.Series]], subjects: RowHolders, kept: Kept
) -> tuple[ColumnFinding, ...]:
    """The findings in columns (domain, heading, values), in their order; those of large tables side by side."""
    whose = print_of(subjects.code, subjects.ids)

    def findings_of(column: tuple[str, str, pd.Series]) -> list[ColumnFinding]:
        key = ("identifiers", *column[:2], print_of(column[2]), whose)
        return kept.of(key, lambda: list(_findings(column_values(*column, subjects))))

    if len(subjects.code) < LARGE:
        return tuple(finding for column in columns for finding in findings_of(column))
    return tuple(finding for findings in side_by_side(findings_of, columns) for finding in findings)


def scan_values(
    values: pd.Series, people: np.ndarray, first_record: np.ndarray, n_people: int, ids_at: IdsAt
) -> tuple[ColumnFinding, ...]:
    """The findings in a column of ``n_people``, by its distinct values (n_values,), as in the records themselves.

    ``people`` (n_values,) have each, ``first_record`` (n_values,) is the number of one of them, and ``ids_at`` gives
    the ids (n,) of the records with these numbers.
    """
    name = str(values.name)
    column = column_values(*_divided(name), values, _nobodys(len(values)))
    assert isinstance(column.holders, HoldersInRows)
    places = np.flatnonzero(column.holders.code >= 0)
    code, n_distinct = column.holders.code[places], column.n_distinct
    first = np.full(n_distinct, np.iinfo(np.int64).max)
    np.minimum.at(first, code, first_record[places])
    of_value = np.bincount(code, people[places], n_distinct).astype(np.int64)
    holders = HoldersCounted(of_value, n_people, lambda values: ids_at(first[values]))
    return tuple(_findings(replace(column, holders=holders)))


def _findings(column: ColumnValues) -> Iterator[ColumnFinding]:
    """What each kind finds in a column, but for what another kind explains better."""
    if not column.n_distinct:
        return
    hits = {name: found for name, kind in kinds().items() if (found := kind.detect(column)) is not None}
    made = {name: _finding(column, name, kinds()[name], found) for name, found in hits.items()}
    for name, finding in made.items():
        better = (made[other] for other in kinds()[name].yields_to if other in made)
        if not any(other.n_hits >= 0.5 * finding.n_hits for other in better):
            yield finding


def _finding(column: ColumnValues, name: str, kind: IdentifierKind, hits: Hits) -> ColumnFinding:
    seen, is_hit = np.ones(column.n_distinct, dtype=bool), hits.is_hit
    looks_at_some = hits.looked_at is not None and len(hits.looked_at) < column.n_distinct
    is_sample = looks_at_some or column.share_at_hand < 1
    if looks_at_some:
        seen, is_hit = np.zeros_like(seen), np.zeros_like(seen)
        seen[hits.looked_at] = True
        is_hit[hits.looked_at] = hits.is_hit
    return ColumnFinding(
        domain=column.domain,
        column=column.column,
        kind=name,
        grade=kind.grade,
        n_values=int(column.rows_of_value[seen].sum()),
        n_hits=int(column.rows_of_value[is_hit].sum()),
        n_people=column.people_with(is_hit),
        n_all_people=column.people_with(seen) if is_sample else column.holders.n_all_people,
        chance_rate=hits.chance_rate,
        certainty=hits.certainty,
        what_to_do=kind.what_to_do,
        words=kind.words,
        is_sample=is_sample,
    )
