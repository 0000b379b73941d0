"""What is searched for in a package: ids in every spelling, their digits, values of removed identifiers, short ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.attack.traces.wanted_texts import Wanted, digits_of
from disclosure_control.basics.encoding.dictionary import Dictionary
from disclosure_control.release.deidentify import ReleasedStudy
from disclosure_control.release.package import as_written
from disclosure_control.release.people import ReleasePeople, texts_of
from disclosure_control.release.study import Study, StudyFile
from study.formats.matches import are_matching
from study.operations import OperationKind, VariableClass

# Shorter texts occur by chance: they are searched as whole cells of the same person only.
SHORTEST_SEARCHED = 6
MOST_OF_NUMBERS = 0.1  # of all numbers of four or five digits: last digits of more ids are in any number
MOST_DIGITS = 300  # a number of more is larger than any that is read
_DAYS = ("%d%m%Y", "%m%d%Y", "%Y%m%d", "%d%m%y", "%m%d%y", "%y%m%d")
_NUMBER_OR_DATE = "^([0-9]+([.,][0-9]+)?|(19|20)[0-9]{2}([-./][0-9]{1,2}){1,2}|([0-9]{1,2}[-./]){1,2}(19|20)[0-9]{2})$"

# Texts, and the person of each; below 0 where it is not known.
Owned: TypeAlias = tuple[pa.LargeStringArray, np.ndarray]


@dataclass(frozen=True)
class Originals:
    """Different texts (n_texts,) of one kind, and whose they are: pairs (n_pairs,) of a text's number and a person."""

    texts: pa.LargeStringArray
    text_of_pair: np.ndarray
    person_of_pair: np.ndarray

    @classmethod
    def of(cls, owned: Sequence[Owned]) -> Originals:
        """Texts with their people, as often as they occur."""
        given = [pa.array([], pa.large_string()), *(texts for texts, _ in owned)]
        encoded = pa.concat_arrays(given).dictionary_encode()
        codes = np.asarray(encoded.indices.fill_null(-1), dtype=np.int64)
        people = np.concatenate([np.zeros(0, dtype=np.int64), *(people for _, people in owned)])
        known = (codes >= 0) & (people >= 0)
        pairs = pd.DataFrame({"text": codes[known], "person": people[known]}).drop_duplicates()
        return cls(encoded.dictionary, pairs["text"].to_numpy(), pairs["person"].to_numpy())

    def where(self, is_kept: np.ndarray) -> Originals:
        """Some of the texts, (n_texts,) of bool."""
        number, stays = np.cumsum(is_kept) - 1, is_kept[self.text_of_pair]
        return Originals(
            self.texts.filter(pa.array(is_kept)), number[self.text_of_pair[stays]], self.person_of_pair[stays]
        )

    def written(self, texts: pa.LargeStringArray) -> Originals:
        """The same originals in other ``texts`` (n_texts,), some of which may now be one, or missing."""
        of_pairs = texts.take(pa.array(self.text_of_pair))
        return Originals.of([(texts, np.full(len(texts), -1)), (of_pairs, self.person_of_pair)])

    def digits(self) -> Originals:
        """The digits of each text, of the same people."""
        return self.written(digits_of(self.texts))

    @cached_property
    def parts(self) -> Wanted:
        """To find them as parts of texts."""
        return Wanted(self.texts)

    @cached_property
    def whole(self) -> Dictionary:
        """To find them as whole cells."""
        return Dictionary(self.texts)

    @cached_property
    def are_numbers(self) -> np.ndarray:
        """Which of them (n_texts,) a number or a date could be: 100042, 701.1022, 2013-07."""
        return are_matching(self.texts, _NUMBER_OR_DATE)

    @cached_property
    def are_words(self) -> np.ndarray:
        """Which of them (n_texts,) have no digit."""
        return ~are_matching(self.texts, "[0-9]")

    @cached_property
    def begin_with_digit(self) -> np.ndarray:
        """Which of them (n_texts,) begin with a digit."""
        return are_matching(self.texts, "^[0-9]")

    @cached_property
    def end_with_digit(self) -> np.ndarray:
        """Which of them (n_texts,) end with a digit."""
        return are_matching(self.texts, "[0-9]$")

    @cached_property
    def numbers(self) -> pd.DataFrame:
        """Those of digits as a column of numbers represents them; not those that are short without leading zeros."""
        place = np.flatnonzero(are_matching(self.texts, f"^[0-9]{{{SHORTEST_SEARCHED},{MOST_DIGITS}}}$"))
        number = self.texts.take(pa.array(place)).cast(pa.float64()).to_numpy()
        return pd.DataFrame({"number": number, "wanted": place})[number >= 10 ** (SHORTEST_SEARCHED - 1)]


def ids_of_people(study: Study, people: ReleasePeople, subject_column: str | None) -> Originals:
    """Every id of a subject in every spelling of any file of the study, whichever person it names."""
    owned: list[Owned] = [(texts_of(people.ids), np.arange(len(people.ids)))]
    known = Dictionary(owned[0][0])
    for file in study.files:
        there = {str(column) for column in file.table.frame}
        if subject_column is not None and subject_column in there:
            texts, person = _once(file.table.source_ids(subject_column)[0], file.people)
            is_fresh = known.positions(texts) < 0  # of millions of people, most files spell the ids alike
            owned.append((texts.filter(pa.array(is_fresh)), person[is_fresh]))
            known.encode(pc.unique(owned[-1][0].drop_null()))
        for name in sorted(there & {"USUBJID", "SUBJID"} - {subject_column}):
            owned += _of_column(file, name, people)
    return Originals.of(owned)


def short_ids(ids: Originals) -> Originals:
    """Those that are too short to be found in texts, also in the form that no spreadsheet runs."""
    short = ids.where(_lengths(ids) < SHORTEST_SEARCHED)
    safe = as_written(pd.Series(pd.array(short.texts, dtype="str")))
    of_pairs = pa.array(short.text_of_pair)
    return Originals.of([(texts.take(of_pairs), short.person_of_pair) for texts in (short.texts, safe)])


def last_digits(ids: Originals) -> Originals:
    """The last four or five digits of ids, such as 1022 of 701-1022, which are searched within other digits.

    None where there are so many that most numbers contain somebody's.
    """
    ends = pc.struct_field(pc.extract_regex(ids.texts, r"(?:^|[^0-9])(?P<end>[0-9]{4,5})$"), "end")
    found = ids.written(ends)
    lengths = _lengths(found)
    n_of_length = np.bincount(lengths, minlength=6)
    is_rare = n_of_length < MOST_OF_NUMBERS * 10.0 ** np.arange(len(n_of_length))
    return found.where(is_rare[lengths])


def own_digits(ids: Originals, days: np.ndarray, whose: np.ndarray) -> Originals:
    """Six to eight digits of ids, and the true ``days`` (n_days,) since 1970 of people, in any order of their parts.

    They are searched within other digits, with or without a decimal point or other signs between: 90.200417 of subject
    200417, 7.02112015 of 2 November 2015.
    """
    texts = pd.Series(pd.array(ids.texts.take(pa.array(ids.text_of_pair)), dtype="str"))
    runs = texts.str.extractall(r"(\d{6,8})(?!\d)")[0]
    distinct, place = np.unique(days, return_inverse=True)
    dates = pd.DatetimeIndex(distinct.astype("datetime64[D]"))
    spelled = [pa.array(dates.strftime(form), pa.large_string()) for form in _DAYS]
    encoded = pa.concat_arrays([texts_of(runs), *spelled]).dictionary_encode()
    codes = np.asarray(encoded.indices, dtype=np.int32)  # half the room: days are many
    of_days = codes[len(runs) :].reshape(len(_DAYS), -1)[:, place]
    people = [ids.person_of_pair[runs.index.get_level_values(0)], *[whose.astype(np.int32)] * len(_DAYS)]
    return Originals(encoded.dictionary, np.append(codes[: len(runs)], of_days), np.concatenate(people, dtype=np.int32))


def long_ones(found: Originals) -> Originals:
    """The texts that are too long to occur in data by chance as whole words."""
    return found.where(_lengths(found) >= SHORTEST_SEARCHED)


def _lengths(found: Originals) -> np.ndarray:
    return np.asarray(pc.utf8_length(found.texts))


def values_of_removed_identifiers(study: Study, released: ReleasedStudy, people: ReleasePeople) -> Originals:
    """The values of columns that identify directly and were removed or recoded."""
    owned: list[Owned] = []
    by_name = {file.name: file for file in study.files}
    for account in released.accounts:
        direct = account.operation.variable_class == VariableClass.DIRECT_IDENTIFIER
        is_treated = not account.stays or account.operation.operation == OperationKind.RECODE_ID
        file = by_name[account.file]
        if not (direct and is_treated):
            continue
        if account.rows_of in ("", "test"):
            if account.variable in file.table.frame:
                owned += _of_column(file, account.variable, people)
        else:  # of files whose rows are at hand
            frame = file.table.frame
            at = np.flatnonzero(frame[account.rows_of].eq(account.variable))
            named = [name for name in frame if name == "QVAL" or str(name).endswith(("ORRES", "STRESC", "DIVAL"))]
            owned += [_once(frame[name].iloc[at], file.people[at]) for name in named if frame[name].dtype == "str"]
    return Originals.of(owned)


def _of_column(file: StudyFile, name: str, people: ReleasePeople) -> Iterator[Owned]:
    """The different texts of a column, and those of each person who stays."""
    cells, n_records = file.table.counted_column(name)
    if cells.dtype.kind == "f" and name not in ("USUBJID", "SUBJID"):
        return
    distinct = texts_of(cells.drop_duplicates() if n_records is None else cells)
    yield distinct, np.full(len(distinct), -1)
    for part in file.parts(people):
        yield _once(part.table.frame[name], part.people)


def _once(cells: pd.Series, people: np.ndarray) -> Owned:
    """Each text with each of its people once."""
    codes, distinct = pd.factorize(cells)
    pairs = pd.DataFrame({"text": codes, "person": people}).drop_duplicates()
    texts = texts_of(pd.Series(distinct, dtype=cells.dtype))
    return texts.take(pa.array(pairs["text"].to_numpy(), mask=pairs["text"].to_numpy() < 0)), pairs["person"].to_numpy()
