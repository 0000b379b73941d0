"""What of the originals still stands in the files that leave: ids, their digits, dates, values of removed identifiers.

What is searched is what a recipient reads: every cell of every file, and the texts beside them. The count has to be 0.
A cell of text may hold an id among other letters, one of a column of numbers is an id as a whole.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.lib.stride_tricks import sliding_window_view

from cdisc.operations import OperationKind, VariableClass
from disclosure_control.release.deidentify import ReleasedFile, ReleasedStudy, RowsOfSource
from disclosure_control.release.opened import Opened
from disclosure_control.release.people import People, labels, of_rows
from disclosure_control.release.study import Study
from disclosure_control.run.progress import going_through, progress
from disclosure_control.run.results import harmless

# Shorter texts stand in data by chance: they are looked for as whole cells of the same person alone.
SHORTEST_SEARCHED = 6
LEAST_SHARE_OF_NUMBERS = 0.01
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_HASH_BASE = np.uint64(1_099_511_628_211)


@dataclass(frozen=True)
class Traces:
    """How many cells hold what must not leave, by kind; ``where`` names file and column of each, in counts."""

    original_ids: int
    id_digits: int
    original_dates: int
    removed_identifiers: int
    people_left_out: int
    where: Mapping[str, int]
    n_searched: int

    @property
    def total(self) -> int:
        """All of them together."""
        counts = (self.original_ids, self.id_digits, self.original_dates, self.removed_identifiers)
        return sum(counts) + self.people_left_out


def find_traces(
    study: Study,
    released: ReleasedStudy,
    opened: Mapping[str, Opened],
    people: People,
    texts: Mapping[str, str],
    subject_column: str | None,
) -> Traces:
    """Search the files as they were ``opened`` from disk, by data set, and the ``texts`` beside them by file name."""
    ids = _spellings_of_ids(study, subject_column)
    ids.update(labels(people.ids))
    ids = {text for text in ids if len(text) >= SHORTEST_SEARCHED}
    digits = {run for text in ids if len(run := re.sub(r"\D", "", text)) >= SHORTEST_SEARCHED and run != text}
    removed = _values_of_removed_identifiers(study, released) - ids
    kinds = {
        "original_ids": Wanted(ids),
        "id_digits": Wanted(digits),
        "removed_identifiers": Wanted(removed),
    }
    numbers = {"original_ids": _as_numbers(ids), "id_digits": _as_numbers(digits) - _as_numbers(ids)}
    del ids, digits, removed  # several times what is kept of them
    pseudonyms = set(people.pseudonyms)
    where: dict[str, int] = {}
    counts = {"original_ids": 0, "id_digits": 0, "removed_identifiers": 0}
    n_searched = 0
    columns = [(name, column, *table.distinct(column)) for name, table in opened.items() for column in table.columns]
    columns += [(name, "text", pd.Series([text], dtype="str"), np.ones(1, dtype=int)) for name, text in texts.items()]
    each = going_through("Searching for traces", columns, lambda one: len(one[2]), "values")
    for name, column, values, n_cells in each:
        n_searched += int(n_cells.sum())
        if values.dtype.kind == "f":
            for kind, wanted_numbers in numbers.items():
                hit = values.isin(wanted_numbers).to_numpy()
                counts[kind] += _add(where, f"{name}.{column}", int(n_cells[hit].sum()))
            continue
        distinct, n_cells = _but_for(pseudonyms, values, n_cells)
        only_digits = [re.sub(r"[^0-9]+", "", text) if len(text) < 100 else "" for text in distinct]
        for kind, wanted in kinds.items():
            hit = wanted.held_by(only_digits if kind == "id_digits" else distinct)
            counts[kind] += _add(where, f"{name}.{column}", int(n_cells[hit].sum()))
    counts["original_ids"] += _short_ids(study, released, opened, people, subject_column, where)
    dates = _dates_that_stayed(released, opened, where)
    return Traces(
        **counts,
        original_dates=dates,
        people_left_out=_rows_of_others(opened, people, subject_column, where),
        where=dict(sorted(where.items())),
        n_searched=n_searched,
    )


def _add(where: dict[str, int], place: str, count: int) -> int:
    if count:
        where[place] = where.get(place, 0) + count
    return count


def _as_numbers(texts: Iterable[str]) -> set[float]:
    """The texts of digits alone as a column of numbers holds them; not those that get short without leading zeros."""
    numbers = {float(text) for text in texts if text.isascii() and text.isdigit()}
    return {number for number in numbers if number >= 10 ** (SHORTEST_SEARCHED - 1)}


def _but_for(pseudonyms: set[str], values: pd.Series, n_cells: np.ndarray) -> tuple[list[str], np.ndarray]:
    texts = values.tolist()
    others = np.array([text not in pseudonyms for text in texts], dtype=bool)
    return [text for text, is_other in zip(texts, others, strict=True) if is_other], n_cells[others]


def _spellings_of_ids(study: Study, subject_column: str | None) -> set[str]:
    """Every id of a subject as it is written in any file of the study, whoever it names."""
    found: set[str] = set()
    for file in study.files:
        for name in {str(column) for column in file.table.frame} & {subject_column, "USUBJID", "SUBJID"}:
            found |= set(labels(file.table.counted_column(name)[0].drop_duplicates())) - {None}
    return found


def _values_of_removed_identifiers(study: Study, released: ReleasedStudy) -> set[str]:
    """The values of columns that identify directly and were removed or recoded, long enough to be no chance."""
    found: set[str] = set()
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
            found |= {str(text) for text in cells.dropna().unique() if len(str(text)) >= SHORTEST_SEARCHED}
    return found


def _short_ids(
    study: Study,
    released: ReleasedStudy,
    opened: Mapping[str, Opened],
    people: People,
    subject_column: str | None,
    where: dict[str, int],
) -> int:
    """Cells of a person that are the person's own short id, by the pilot's rule or as SUBJID.

    A number may be measured: where cells are numbers, those of a column count from one in a hundred of its cells on.
    """
    short = _short_spellings(_own_ids(study, people))
    total = 0
    for name, file in released.files.items() if short else ():
        n_texts, n_numbers, n_cells = Counter[tuple[int, str]](), Counter[tuple[int, str]](), Counter[str]()
        for source, frame in _side_by_side(name, file, opened[name]):
            for column in frame.columns.drop(subject_column or [], errors="ignore"):
                found = labels(frame[column])
                n_cells[column] += int(frame[column].notna().sum())
                for i, own in enumerate(short):
                    mine = of_rows(own, source.people)
                    hit = pd.Series(found[(found == mine) & pd.notna(mine)], dtype="str")
                    is_number = hit.str.fullmatch(r"[0-9.]+").to_numpy(dtype=bool)
                    n_numbers[i, column] += int(is_number.sum())
                    n_texts[i, column] += int((~is_number).sum())
        for (i, column), n in n_numbers.items():
            n_hits = n_texts[i, column] + (n if n > LEAST_SHARE_OF_NUMBERS * n_cells[column] else 0)
            total += _add(where, f"{name}.{column}", n_hits)
    return total


def _side_by_side(name: str, file: ReleasedFile, opened: Opened) -> Iterator[tuple[RowsOfSource, pd.DataFrame]]:
    """Rows of the source, part by part, and what stands in their place in the file as it was opened."""
    with progress(f"Searching {name}", file.n_records, "rows") as advance:
        for source, frame in zip(file.beside_source, opened.rows(file.lengths), strict=True):
            yield source, frame
            advance(len(frame))


def _short_spellings(ids: Iterable[np.ndarray]) -> list[np.ndarray]:
    """The short ones of the ids (n_people,), None of others; also as they stand where a spreadsheet would run them."""
    found = []
    for own in ids:
        short = np.array([text if text and len(text) < SHORTEST_SEARCHED else None for text in own], dtype=object)
        if pd.notna(short).any():
            safe = labels(harmless(pd.DataFrame({"id": pd.Series(short, dtype="str")}))["id"])
            found += [short] if (safe == short).all() else [short, safe]
    return found


def _own_ids(study: Study, people: People) -> Iterator[np.ndarray]:
    """Ids of each person (n_people,): by the pilot's rule, and as SUBJID where a file has it."""
    yield labels(people.ids)
    for file in study.files:
        if "SUBJID" in file.table.frame:
            own = np.full(len(people.ids), None, dtype=object)
            for part in file.parts(people):
                somebody = part.people >= 0
                own[part.people[somebody]] = labels(part.table.frame["SUBJID"])[somebody]
            yield own


def _dates_that_stayed(released: ReleasedStudy, opened: Mapping[str, Opened], where: dict[str, int]) -> int:
    """Complete dates of a person that stand in the record in which they stood: whatever was meant to be done with them.

    Dates as numbers are looked at where the table says that they are dates.
    """
    numeric = {
        (account.file, account.variable)
        for account in released.accounts
        if account.operation.operation == OperationKind.OFFSET and not account.rows_of
    }
    total = 0
    for name, file in released.files.items():
        for source, frame in _side_by_side(name, file, opened[name]):
            somebody = source.people >= 0
            for column in frame.columns.intersection(source.frame.columns):
                before, after = source.frame[column].iloc[source.rows].reset_index(drop=True), frame[column]
                if before.dtype.kind == "f":
                    complete = before.notna().to_numpy() & ((name, column) in numeric)
                else:
                    dates = {text for text in before.unique() if isinstance(text, str) and _DATE.match(text)}
                    complete = before.isin(dates).to_numpy() if dates else np.zeros(len(before), dtype=bool)
                if complete.any():
                    same = complete & somebody & (before.to_numpy() == after.to_numpy())
                    total += _add(where, f"{name}.{column}", int(same.sum()))
    return total


def _rows_of_others(
    opened: Mapping[str, Opened], people: People, subject_column: str | None, where: dict[str, int]
) -> int:
    """Rows under any other name than the pseudonyms of those who stay."""
    known, total = set(people.pseudonyms[people.stays]), 0
    for name, table in opened.items():
        if subject_column in table.columns:
            ids, n_cells = table.distinct(subject_column)
            total += _add(where, f"{name}.{subject_column}", int(n_cells[~ids.isin(known).to_numpy()].sum()))
    return total


# ---------------------------------------------------------------- many texts in many texts


class Wanted:
    """Texts that are searched for in many others, by rolling hashes of each length that occurs among them.

    So time goes by the letters of the texts and not by the number of the wanted; whatever the hash finds is compared
    letter by letter.
    """

    def __init__(self, wanted: Iterable[str]):
        by_length: dict[int, set[bytes]] = {}
        for text in wanted:
            word = text.encode()
            by_length.setdefault(len(word), set()).add(word)
        self._words: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        for length in sorted(by_length):  # as one text for each length: words by themselves take several times as much
            together = b"".join(sorted(by_length.pop(length)))
            self._words[length] = np.frombuffer(together, dtype=f"S{length}"), _hashes_of(together, length)

    def held_by(self, texts: Sequence[str]) -> np.ndarray:
        """Which of the texts (n,) hold any of the wanted ones as a part, as (n,) of bool."""
        found = np.zeros(len(texts), dtype=bool)
        if not self._words or not len(texts):
            return found
        parts = [text.encode() for text in texts]
        letters = np.frombuffer(b"\0".join(parts), dtype=np.uint8)
        starts = np.cumsum([0, *(len(part) + 1 for part in parts[:-1])])
        for length, (words, known) in self._words.items():
            if length > len(letters):
                break
            places = np.flatnonzero(np.isin(_rolling_hashes(letters, length), known))
            parts_there = np.ascontiguousarray(sliding_window_view(letters, length)[places]).view(f"S{length}").ravel()
            places = places[np.isin(parts_there, words)]
            found[np.searchsorted(starts, places, side="right") - 1] = True
        return found


def _hashes_of(words: bytes, length: int) -> np.ndarray:
    """The distinct hashes of words of one length, which stand one after the other, sorted."""
    letters = np.frombuffer(words, dtype=np.uint8).reshape(-1, length)
    hashes = np.zeros(len(letters), dtype=np.uint64)
    with np.errstate(over="ignore"):
        for i in range(length):
            hashes = hashes * _HASH_BASE + letters[:, i].astype(np.uint64) + np.uint64(1)
    return np.unique(hashes)


def _rolling_hashes(letters: np.ndarray, length: int) -> np.ndarray:
    """A hash of each run of ``length`` letters, (n - length + 1,) of uint64; equal runs have equal hashes."""
    hashes = np.zeros(len(letters) - length + 1, dtype=np.uint64)
    with np.errstate(over="ignore"):
        for i in range(length):
            hashes = hashes * _HASH_BASE + letters[i : len(letters) - length + 1 + i].astype(np.uint64) + np.uint64(1)
    return hashes
