"""The scan: every column of every table, by its values, in any language and under any heading.

``scan_source`` scans a domain file, ``scan_combined`` a dataset whose headings name their domain (``DM__PHONE``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.basics.kept import Kept, print_of
from disclosure_control.basics.telling.side_by_side import side_by_side
from disclosure_control.identifiers.column_findings import ColumnFinding, Scan
from disclosure_control.identifiers.column_values import ColumnValues, column_values, encoded, texts_of
from disclosure_control.identifiers.holders import Holders, RowHolders
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
    whose = _holders(ids, table.n_rows)
    found = tuple(
        finding
        for together in table.columns_together(names)
        for finding in _of_columns([(table.domain, name, column) for name, column in together], whose, kept or Kept())
    )
    return Scan(found, {table.domain: len(names)})


def scan_combined(frame: pd.DataFrame) -> Scan:
    """The same of a dataset with one row per person, whose headings are ``<DOMAIN>__<name>``; ids are in USUBJID."""
    names = [str(name) for name in frame.columns if name != SUBJECT_COLUMN]
    whose = _holders(frame.get(SUBJECT_COLUMN), len(frame))
    found = _of_columns([(*_divided(name), frame[name]) for name in names], whose, Kept())
    return Scan(found, {"": len(names)})


def scan_dataset(dataset: CombinedDataset) -> Scan:
    """The same of a pilot's combined dataset, by the distinct texts of its columns and who has them."""
    table, ids_at, n_people = dataset.table, dataset.table.subjects.ids_at, dataset.n_subjects
    names = [name for name in table.columns if name != SUBJECT_COLUMN]

    def findings_of(name: str) -> list[ColumnFinding]:
        counted = table.counted(name)
        holders = _counted_before(counted.people, counted.first_record, n_people, ids_at)
        return list(_findings(ColumnValues(*_divided(name), holders, counted.texts, counted.share_at_hand)))

    return Scan(_of_each(findings_of, names, n_people), {"": len(names)})


def scan_values(
    values: pd.Series, people: np.ndarray, first_record: np.ndarray, n_people: int, ids_at: IdsAt
) -> tuple[ColumnFinding, ...]:
    """The findings in a column of ``n_people``, by its distinct values (n_values,), as in the records themselves.

    ``people`` (n_values,) have each, ``first_record`` (n_values,) is the number of one of them, and ``ids_at`` gives
    the ids (n,) of the records with these numbers.
    """
    code, distinct = encoded(values)
    first, is_there = np.full(len(distinct), np.iinfo(np.int64).max), code >= 0
    np.minimum.at(first, code[is_there], first_record[is_there])
    of_value = np.bincount(code[is_there], people[is_there], len(distinct)).astype(np.int64)
    holders = _counted_before(of_value, first, n_people, ids_at)
    return tuple(_findings(ColumnValues(*_divided(str(values.name)), holders, distinct)))


def _counted_before(people: np.ndarray, first_record: np.ndarray, n_people: int, ids_at: IdsAt) -> Holders:
    """Holders of values (n_distinct,) of people with one row each, by the number of the first record with a value."""
    return Holders(people, people, n_people, lambda values: ids_at(first_record[values]))


def _divided(name: str) -> tuple[str, str]:
    """Domain and heading of a column of the combined dataset; no domain where its name has none."""
    domain, divided, heading = name.partition("__")
    return (domain, heading) if divided else ("", name)


def _holders(ids: pd.Series | None, n_rows: int) -> RowHolders:
    """Whose the rows are; nobody's without ids."""
    if ids is None:
        return RowHolders(np.full(n_rows, -1, dtype=np.int64), pa.array([], pa.large_string()))
    code, distinct = encoded(ids)
    return RowHolders(code, texts_of(distinct))


# ---------------------------------------------------------------- one column


def _of_columns(
    columns: Sequence[tuple[str, str, pd.Series]], subjects: RowHolders, kept: Kept
) -> tuple[ColumnFinding, ...]:
    """The findings in columns (domain, heading, values), in their order."""
    whose = print_of(subjects.code, subjects.ids)

    def findings_of(column: tuple[str, str, pd.Series]) -> list[ColumnFinding]:
        key = ("identifiers", *column[:2], print_of(column[2]), whose)
        return kept.of(key, lambda: list(_findings(column_values(*column, subjects))))

    return _of_each(findings_of, columns, len(subjects.code))


def _of_each(
    findings_of: Callable[[Any], list[ColumnFinding]], columns: Iterable[Any], n_rows: int
) -> tuple[ColumnFinding, ...]:
    """The findings in columns, in their order; those of large tables side by side."""
    each = side_by_side if n_rows >= LARGE else map
    return tuple(finding for findings in each(findings_of, columns) for finding in findings)


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
    holders, seen, is_hit = column.holders, np.ones(column.n_distinct, dtype=bool), hits.is_hit
    if len(is_hit) < column.n_distinct:
        seen, is_hit = np.zeros_like(seen), np.zeros_like(seen)
        seen[column.looked_at] = True
        is_hit[column.looked_at] = hits.is_hit
    is_sample = not seen.all() or column.share_at_hand < 1
    return ColumnFinding(
        domain=column.domain,
        column=column.column,
        kind=name,
        grade=kind.grade,
        n_values=int(holders.rows_of_value[seen].sum()),
        n_hits=int(holders.rows_of_value[is_hit].sum()),
        n_people=holders.people_with(is_hit),
        n_all_people=holders.people_with(seen) if is_sample else holders.n_all_people,
        chance_rate=hits.chance_rate,
        certainty=hits.certainty,
        what_to_do=kind.what_to_do,
        words=kind.words,
        is_sample=is_sample,
    )
