"""Originals that are still in the released files: ids, their digits, dates, values of removed identifiers.

What a recipient reads is searched: every cell of every file, and the texts beside them. The count has to be 0. A text
cell may contain an id among other letters; a cell of numbers is compared as a whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.encoding.dictionary import Dictionary, as_texts
from disclosure_control.basics.encoding.text_codes import text_codes
from disclosure_control.basics.telling.progress import going_through, progress
from disclosure_control.release.columns import ROW_ID_LENGTH
from disclosure_control.release.deidentify import ReleasedFile, ReleasedRows, ReleasedStudy
from disclosure_control.release.people import ReleasePeople, labels, texts_of
from disclosure_control.release.study import NOBODY, Study
from disclosure_control.release.wanted_texts import Wanted, blocks_of, digits_of
from disclosure_control.run.tables import harmless
from study.formats.tables import SourceTable
from study.operations import OperationKind, VariableClass

# Shorter texts occur by chance: they are searched as whole cells of the same person only.
SHORTEST_SEARCHED = 6
LEAST_SHARE_OF_NUMBERS = 0.01
LONGEST_WITH_DIGITS = 100  # of a longer text the digits together are no id
MOST_DIGITS = 300  # a number of more is larger than any that is read
_NUMBER = r"^[+-]?[0-9]+(\.[0-9]+)?$"
_ROW_ID = f"^[0-9a-f]{{{ROW_ID_LENGTH}}}$"
_DATE = "^[0-9]{4}-[0-9]{2}-[0-9]{2}"


@dataclass(frozen=True)
class Traces:
    """How many of the cells ``searched`` contain an original, by kind; ``where`` names file and column of each."""

    searched: int
    original_ids: int
    id_digits: int
    original_dates: int
    removed_identifiers: int
    people_left_out: int
    where: Mapping[str, int]

    @property
    def total(self) -> int:
        counts = (self.original_ids, self.id_digits, self.original_dates, self.removed_identifiers)
        return sum(counts) + self.people_left_out


def find_traces(
    study: Study,
    released: ReleasedStudy,
    opened: Mapping[str, SourceTable],
    people: ReleasePeople,
    texts: Mapping[str, str],
    subject_column: str | None,
) -> Traces:
    """Search the files as they were ``opened`` from disk, by data set, and the ``texts`` beside them by file name."""
    ids = _long_ones(_spellings_of_ids(study, people, subject_column))
    # Also texts that are somebody's id: a subject's number is part of the longer id of the study as well.
    written = ids.filter(pc.invert(pc.match_substring_regex(ids, "^[0-9]+$")))
    runs = [_long_ones(digits_of(block)) for block in blocks_of(written)]
    digits = pc.unique(pa.chunked_array(runs, pa.large_string()))
    removed = _values_of_removed_identifiers(study, released)
    removed = removed.filter(pa.array(Dictionary(ids).positions(removed) < 0))
    wanted = {"original_ids": ids, "id_digits": digits, "removed_identifiers": removed}
    kinds = {kind: _Searched.of(texts) for kind, texts in wanted.items()}
    of_ids = _as_numbers(ids)
    numbers = {"original_ids": of_ids, "id_digits": np.setdiff1d(_as_numbers(digits), of_ids)}
    del ids, written, runs, digits, removed, wanted
    recoded = {
        (account.file, account.variable)
        for account in released.accounts
        if account.operation.operation == OperationKind.RECODE_ID and not account.rows_of
    }
    where: dict[str, int] = {}
    counts = {"original_ids": 0, "id_digits": 0, "removed_identifiers": 0}
    n_searched = 0
    of_tables = [(name, column, table) for name, table in opened.items() for column in map(str, table.frame)]
    for name, column, table in going_through("Searching for traces", of_tables, lambda one: one[2].n_rows, "values"):
        values, n_cells = _distinct(table, column)
        n_searched += int(n_cells.sum())
        if values.dtype.kind == "f":
            for kind, wanted_numbers in numbers.items():
                hit = np.isin(values.to_numpy(), wanted_numbers)
                counts[kind] += _add(where, f"{name}.{column}", int(n_cells[hit].sum()))
            continue
        may_be_ids = (name, column) in recoded
        for kind, n_held in _n_held(as_texts(values), n_cells, kinds, people.known_pseudonyms, may_be_ids).items():
            counts[kind] += _add(where, f"{name}.{column}", n_held)
    for name, text in texts.items():
        n_searched += 1
        for kind, n_held in _n_held(as_texts([text]), np.ones(1, dtype=int), kinds, people.known_pseudonyms).items():
            counts[kind] += _add(where, f"{name}.text", n_held)
    counts["original_ids"] += _short_ids(study, released, opened, people, subject_column, where)
    dates = _dates_that_stayed(released, opened, people, where)
    return Traces(
        **counts,
        original_dates=dates,
        people_left_out=_rows_of_others(opened, people, subject_column, where),
        where=dict(sorted(where.items())),
        searched=n_searched,
    )


def _distinct(table: SourceTable, column: str) -> tuple[pd.Series, np.ndarray]:
    """The values of a column (n,), each once, and how many cells have each."""
    counted = table.counts_of(column)
    return counted.index.to_series(), counted.to_numpy()


def _add(where: dict[str, int], place: str, count: int) -> int:
    if count:
        where[place] = where.get(place, 0) + count
    return count


def _long_ones(texts: pa.LargeStringArray) -> pa.LargeStringArray:
    """The texts that are too long to occur in data by chance."""
    return texts.filter(pc.greater_equal(pc.utf8_length(texts), SHORTEST_SEARCHED))


def _as_numbers(texts: pa.LargeStringArray) -> np.ndarray:
    """Texts of digits as a column of numbers represents them; not those that are short without leading zeros."""
    are_digits = texts.filter(pc.match_substring_regex(texts, f"^[0-9]{{{SHORTEST_SEARCHED},{MOST_DIGITS}}}$"))
    numbers = np.unique(are_digits.cast(pa.float64()).to_numpy())
    return numbers[numbers >= 10 ** (SHORTEST_SEARCHED - 1)]


@dataclass(frozen=True)
class _Searched:
    """Texts to search for: as parts of texts, and as whole cells, where a cell is a number or a pseudonym."""

    parts: Wanted
    whole: Dictionary

    @classmethod
    def of(cls, texts: pa.LargeStringArray) -> _Searched:
        return cls(Wanted(texts), Dictionary(texts))

    def held_by(self, texts: pa.LargeStringArray, are_whole: np.ndarray) -> np.ndarray:
        """Which texts (n,) contain a wanted one, or are one: any digits are a part of some long number by chance."""
        found = self.whole.positions(texts) >= 0
        words = np.flatnonzero(~are_whole)
        found[words] |= self.parts.held_by(texts.take(pa.array(words)))
        return found


def _n_held(
    values: pa.LargeStringArray,
    n_cells: np.ndarray,
    kinds: Mapping[str, _Searched],
    pseudonyms: Dictionary,
    may_be_ids: bool = False,
) -> dict[str, int]:
    """How many cells contain a wanted text, by kind; ``n_cells`` (n_values,) have each of the values.

    ``may_be_ids``: the cells are pseudonyms of records. One that has their form is compared as a whole: of many
    thousand, some contain a short id by chance.
    """
    found, n_before = dict.fromkeys(kinds, 0), 0
    for block in blocks_of(values):
        others = np.flatnonzero(pseudonyms.positions(block) < 0)
        distinct, n_of_block = block.take(pa.array(others)), n_cells[n_before + others]
        are_short = pc.less(pc.utf8_length(distinct), LONGEST_WITH_DIGITS)
        are_whole = pc.match_substring_regex(distinct, _NUMBER)
        if may_be_ids:
            are_ids = pc.match_substring_regex(distinct, _ROW_ID)
            are_short, are_whole = pc.and_not(are_short, are_ids), pc.or_(are_whole, are_ids)
        only_digits = digits_of(pc.if_else(are_short, distinct, ""))
        are_whole = are_whole.to_numpy(zero_copy_only=False)
        for kind, wanted in kinds.items():
            hit = wanted.held_by(only_digits if kind == "id_digits" else distinct, are_whole)
            found[kind] += int(n_of_block[hit].sum())
        n_before += len(block)
    return found


def _spellings_of_ids(study: Study, people: ReleasePeople, subject_column: str | None) -> pa.LargeStringArray:
    """Every id of a subject in every spelling of any file of the study, whichever person it names."""
    found = pc.unique(texts_of(people.ids))
    for file in study.files:
        for name in sorted({str(column) for column in file.table.frame} & {str(subject_column), "USUBJID", "SUBJID"}):
            column, n_records = file.table.counted_column(name)
            spelled = texts_of(column.drop_duplicates() if n_records is None else column).drop_null()
            fresh = spelled.filter(pa.array(Dictionary(found).positions(spelled) < 0))
            found = pa.concat_arrays([found, pc.unique(fresh)])
    return found


def _values_of_removed_identifiers(study: Study, released: ReleasedStudy) -> pa.LargeStringArray:
    """The values of columns that identify directly and were removed or recoded, long enough to be no chance."""
    found = [pa.array([], pa.large_string())]
    by_name = {file.name: file.table for file in study.files}
    for account in released.accounts:
        direct = account.operation.variable_class == VariableClass.DIRECT_IDENTIFIER
        is_treated = not account.stays or account.operation.operation == OperationKind.RECODE_ID
        table = by_name[account.file]
        frame = table.frame
        if not (direct and is_treated):
            continue
        if account.rows_of in ("", "test"):
            is_there = account.variable in frame
            cells = table.counted_column(account.variable)[0] if is_there else pd.Series(dtype="str")
        else:  # of files whose rows are at hand
            at = frame[account.rows_of].eq(account.variable)
            named = [name for name in frame if name == "QVAL" or str(name).endswith(("ORRES", "STRESC", "DIVAL"))]
            cells = pd.concat([frame[name][at] for name in named]) if named else pd.Series(dtype="str")
        if cells.dtype.kind != "f":
            found.append(_long_ones(pc.unique(as_texts(cells).drop_null())))
    return pc.unique(pa.concat_arrays(found))


def _short_ids(
    study: Study,
    released: ReleasedStudy,
    opened: Mapping[str, SourceTable],
    people: ReleasePeople,
    subject_column: str | None,
    where: dict[str, int],
) -> int:
    """Cells of a person that are the person's own short id, by the pilot's rule or as SUBJID.

    A number may be measured: where cells are numbers, those of a column count from one in a hundred of its cells on.
    """
    short = _short_spellings(study, people)
    total = 0
    for name, file in released.files.items() if short else ():
        n_texts, n_numbers, n_cells = Counter[tuple[int, str]](), Counter[tuple[int, str]](), Counter[str]()
        columns = [column for column in map(str, opened[name].frame) if column != subject_column]
        for _, made, frame in _side_by_side(name, file, people, opened[name], columns):
            for column in columns:
                found = labels(frame[column])
                n_cells[column] += int(frame[column].notna().sum())
                for i, own in enumerate(short):
                    mine = labels(pd.Series(own.array.take(np.maximum(made.people, NOBODY), allow_fill=True)))
                    hit = pd.Series(found[(found == mine) & pd.notna(mine)], dtype="str")
                    is_number = hit.str.fullmatch(r"[0-9.]+").to_numpy(dtype=bool)
                    n_numbers[i, column] += int(is_number.sum())
                    n_texts[i, column] += int((~is_number).sum())
        for (i, column), n in n_numbers.items():
            n_hits = n_texts[i, column] + (n if n > LEAST_SHARE_OF_NUMBERS * n_cells[column] else 0)
            total += _add(where, f"{name}.{column}", n_hits)
    return total


def _side_by_side(
    name: str, file: ReleasedFile, people: ReleasePeople, opened: SourceTable, columns: Sequence[str]
) -> Iterator[tuple[pd.DataFrame, ReleasedRows, pd.DataFrame]]:
    """Part by part, the rows of the source, their released values, and the same rows in the released file as read."""
    with progress(f"Searching {name}", file.n_records, "rows") as advance:
        found = opened.rows_in_order(file.overview.lengths, columns)
        for source, made, frame in zip(file.source.parts(people), file.parts, found, strict=True):
            yield source.table.frame, made, frame
            advance(len(frame))


def _short_spellings(study: Study, people: ReleasePeople) -> list[pd.Series]:
    """The short ids of each person (n_people,), missing for others; also in the form that no spreadsheet runs."""
    found = []
    for own in _own_ids(study, people):
        if (short := own.where(own.str.len() < SHORTEST_SEARCHED)).notna().any():
            safe = harmless(pd.DataFrame({"id": short}))["id"]
            found += [short] if safe.equals(short) else [short, safe]
    return found


def _own_ids(study: Study, people: ReleasePeople) -> Iterator[pd.Series]:
    """Ids of each person (n_people,): by the pilot's rule, and as SUBJID where a file has it."""
    yield pd.Series(pd.array(texts_of(people.ids), dtype="str"))
    for file in study.files:
        if "SUBJID" in file.table.frame:
            texts, place = [pa.nulls(1, pa.large_string())], np.zeros(len(people.ids), dtype=np.int64)
            n_before = 1
            for part in file.parts(people):
                last = np.flatnonzero(~pd.Series(part.people).duplicated(keep="last").to_numpy() & (part.people >= 0))
                texts.append(texts_of(part.table.frame["SUBJID"].iloc[last]))
                place[part.people[last]] = n_before + np.arange(len(last))
                n_before += len(last)
            yield pd.Series(pd.array(pa.concat_arrays(texts).take(pa.array(place)), dtype="str"))


def _dates_that_stayed(
    released: ReleasedStudy, opened: Mapping[str, SourceTable], people: ReleasePeople, where: dict[str, int]
) -> int:
    """Complete dates of a person that are still in their original record, whatever the operation.

    Dates as numbers are examined if the table declares them as dates.
    """
    numeric = {
        (account.file, account.variable)
        for account in released.accounts
        if account.operation.operation == OperationKind.OFFSET and not account.rows_of
    }
    total = 0
    for name, file in released.files.items():
        table = opened[name]
        names = map(str, table.frame)
        columns = [one for one in names if (name, one) in numeric or _has_dates(_distinct(table, one)[0])]
        for source, made, frame in _side_by_side(name, file, people, table, columns) if columns else ():
            somebody = made.people >= 0
            for column in frame.columns.intersection(source.columns):
                before, after = source[column].iloc[made.rows].reset_index(drop=True), frame[column]
                if before.dtype.kind == "f":
                    complete = before.notna().to_numpy() & ((name, column) in numeric)
                else:
                    complete = _are_dates(before)
                rows = np.flatnonzero(complete & somebody)
                if len(rows):
                    same = before.iloc[rows].to_numpy() == after.iloc[rows].to_numpy()
                    total += _add(where, f"{name}.{column}", int(same.sum()))
    return total


def _has_dates(values: pd.Series) -> bool:
    return values.dtype.kind != "f" and bool(pc.any(pc.match_substring_regex(as_texts(values), _DATE)).as_py())


def _are_dates(column: pd.Series) -> np.ndarray:
    """Which cells (n_rows,) of a column of text are complete dates."""
    known = text_codes(column)
    is_date = pc.match_substring_regex(known.texts, _DATE).to_numpy(zero_copy_only=False)
    return known.taken(is_date, False).astype(bool)


def _rows_of_others(
    opened: Mapping[str, SourceTable], people: ReleasePeople, subject_column: str | None, where: dict[str, int]
) -> int:
    """Rows under any other name than the pseudonyms of those who stay."""
    stays, total = np.append(people.stays, False), 0
    for name, table in opened.items():
        if subject_column is not None and subject_column in table.frame:
            ids, n_cells = _distinct(table, subject_column)
            person = people.known_pseudonyms.positions(texts_of(ids))
            total += _add(where, f"{name}.{subject_column}", int(n_cells[~stays[person]].sum()))
    return total
