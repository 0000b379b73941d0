"""One column for the kinds of identifiers: its distinct values, who has them, and its heading.

All tests are of distinct values, through Arrow or numpy; those that need Python for every value use
``sample``, at most ``SAMPLE`` distinct values, chosen by a hash and so the same in every order of the rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.column_names import folded
from disclosure_control.basics.encoding.columns import are_rising
from disclosure_control.basics.encoding.text_codes import PROBED, codes_of_few_texts
from disclosure_control.basics.encoding.text_hashes import hashes_of_texts, mixed
from disclosure_control.identifiers.dates import Days, days_of
from disclosure_control.identifiers.holders import Holders, HoldersInRows, RowHolders
from disclosure_control.identifiers.patterns import in_python

SAMPLE = 2_000  # distinct values of a column that are examined one by one
NUMBER = r"^[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d{1,2})?$"
FEWEST_PEOPLE = 8  # with fewer, it means nothing that nobody shares a value


@dataclass(frozen=True)
class ColumnValues:
    """One column: its distinct values and the ``holders`` of each.

    The distinct values are ``texts``, trimmed, or ``figures`` if the file has numbers; the other one is None.
    ``share_at_hand`` in (0, 1]: of very many distinct values only a sample may be available, with everyone who has one
    of these.
    """

    domain: str
    column: str
    holders: Holders
    texts: pa.Array | None = field(default=None, repr=False)
    figures: np.ndarray | None = None
    share_at_hand: float = 1.0

    @property
    def is_number(self) -> bool:
        """Whether the file has numbers."""
        return self.figures is not None

    @cached_property
    def distinct(self) -> pa.Array:
        """The distinct values (n_distinct,) as text; whole numbers are written without a point."""
        return self.texts if self.figures is None else _texts_of_numbers(self.figures)

    @cached_property
    def heading(self) -> str:
        """The heading in small letters without accents, its words divided by single blanks."""
        return folded(self.column)

    def is_headed(self, pattern: re.Pattern) -> bool:
        """Whether the heading contains one of the words of a pattern."""
        return bool(pattern.search(self.heading))

    @cached_property
    def n_distinct(self) -> int:
        return len(self.distinct if self.figures is None else self.figures)

    # ------------------------------------------------------------ people of each value

    @property
    def rows_of_value(self) -> np.ndarray:
        """Rows (n_distinct,) with each value."""
        return self.holders.rows_of_value

    @property
    def people_of_value(self) -> np.ndarray:
        """People (n_distinct,) who have each value; zeros where the table names no subject."""
        return self.holders.people_of_value

    @property
    def n_people(self) -> int:
        return self.holders.n_people

    @cached_property
    def is_one_each(self) -> bool:
        """Whether hardly anybody has two different values."""
        return self.n_people > 0 and self.holders.n_pairs <= 1.05 * self.n_people

    @cached_property
    def alone_rate(self) -> float:
        """Share of the people with a value who have one that nobody else has, in [0, 1]; larger is riskier."""
        return self.people_with(self.people_of_value == 1) / self.n_people if self.n_people else 0.0

    @cached_property
    def is_hardly_shared(self) -> bool:
        """Whether one value belongs to one person, but for a few: at least 95 of 100 people are alone with theirs."""
        return self.n_people >= FEWEST_PEOPLE and self.is_one_each and self.alone_rate >= 0.95

    @cached_property
    def lone(self) -> np.ndarray:
        """Places (n,) in the sample of the values that one person alone has."""
        return np.flatnonzero(self.people_of_value[self.looked_at] == 1)

    def ids_of_lone(self) -> pa.Array:
        """The ids (n,) of those who have the values of ``lone``."""
        return self.holders.ids_of(self.looked_at[self.lone])

    def people_with(self, values: np.ndarray) -> int:
        """How many people have one of the values (n_distinct,) of bool."""
        return self.holders.people_with(values)

    # ------------------------------------------------------------ values one by one

    @cached_property
    def looked_at(self) -> np.ndarray:
        """Positions (n_sample,) of the distinct values in ``sample``: all, or those of the smallest hashes."""
        if self.n_distinct <= SAMPLE:
            return np.arange(self.n_distinct)
        hashes = hashes_of_texts(self.distinct) if self.figures is None else mixed(self.figures.view(np.uint64))
        return np.sort(np.argpartition(hashes, SAMPLE)[:SAMPLE])

    @cached_property
    def sampled(self) -> pa.Array:
        """The values of the sample as an Arrow array."""
        if self.figures is not None:
            return _texts_of_numbers(self.figures[self.looked_at])
        return self.distinct if len(self.looked_at) == self.n_distinct else self.distinct.take(pa.array(self.looked_at))

    @cached_property
    def sample(self) -> list[str]:
        """Distinct values, at most ``SAMPLE`` of them."""
        return self.sampled.to_pylist()

    @cached_property
    def rows_of_sample(self) -> np.ndarray:
        """Rows (n_sample,) with each value of the sample."""
        return self.rows_of_value[self.looked_at]

    def share(self, is_hit: np.ndarray) -> float:
        """Share in [0, 1] of the distinct values of the sample (n_sample,) that are hits."""
        return float(is_hit.mean()) if len(is_hit) else 0.0

    def matches(self, pattern: str) -> np.ndarray:
        """Which values (n_sample,) of the sample contain the pattern; see ``patterns`` for its spelling."""
        search = in_python(pattern).search
        return np.array([search(value) is not None for value in self.sample], dtype=bool)

    def somewhere(self, pattern: str, needed: np.ndarray | None = None) -> np.ndarray:
        """Which of all distinct values (n_distinct,) contain the pattern, searched only among those ``needed``."""
        if self.n_distinct <= SAMPLE:
            found = self.matches(pattern)
            return found if needed is None else found & needed
        positions = np.arange(self.n_distinct) if needed is None else np.flatnonzero(needed)
        found = np.zeros(self.n_distinct, dtype=bool)
        found[positions] = np.asarray(pc.match_substring_regex(self.distinct.take(pa.array(positions)), pattern))
        return found

    def holding(self, pattern: str, *signs: str) -> np.ndarray:
        """The same of a pattern that has one of these ``signs`` in it, which are quickly found; none of numbers."""
        found = np.zeros(self.n_distinct, dtype=bool)
        for sign in signs if self.figures is None else ():
            found |= np.asarray(pc.match_substring(self.distinct, sign))
        return self.somewhere(pattern, found) if found.any() else found

    @cached_property
    def days(self) -> Days:
        """The days that the values of the sample name, in whatever form they are written."""
        return days_of(self.sample)

    @cached_property
    def are_days(self) -> bool:
        """Whether nearly every value of the sample is a date known to the day."""
        return self.share(self.days.is_day) >= 0.8

    @cached_property
    def numbers(self) -> np.ndarray:
        """The distinct values as numbers (n_distinct,), NaN where they are none; a decimal comma is a point."""
        return _numbers_of(self.distinct) if self.figures is None else self.figures

    @cached_property
    def numbers_of_sample(self) -> np.ndarray:
        """The same of the sample (n_sample,)."""
        return _numbers_of(self.sampled) if self.figures is None else self.figures[self.looked_at]

    @cached_property
    def are_numbers(self) -> bool:
        """Whether nearly every value of the sample is a number; a decimal comma is a point."""
        return self.is_number or self.share(self.matches(NUMBER)) >= 0.8

    @cached_property
    def are_whole(self) -> bool:
        """Whether every value is a whole number that can be counted with."""
        if self.figures is not None:
            return bool((self.figures == np.floor(self.figures)).all() and (np.abs(self.figures) < 2**53).all())
        if not self.n_distinct or not self.matches(r"^[+-]?\d{1,18}$").all():
            return False
        return bool(pc.all(pc.match_substring_regex(self.distinct, r"^[+-]?\d{1,18}$")).as_py())


def _numbers_of(texts: pa.Array) -> np.ndarray:
    text = pc.replace_substring(texts, ",", ".")
    is_number = pc.match_substring_regex(text, NUMBER)
    cast = pc.cast(pc.if_else(is_number, text, pa.scalar(None, text.type)), pa.float64())
    return np.asarray(cast.to_numpy(zero_copy_only=False), dtype=float)


def column_values(domain: str, column: str, values: pd.Series, subjects: RowHolders) -> ColumnValues:
    """A column (n_rows,) of text or numbers, encoded once."""
    is_number = pd.api.types.is_numeric_dtype(values.dtype) and not pd.api.types.is_bool_dtype(values.dtype)
    if is_number:
        code, figures = pd.factorize(values.to_numpy(dtype=float, na_value=np.nan))
        return ColumnValues(domain, column, HoldersInRows(code, subjects, len(figures)), None, figures)
    if isinstance(values.dtype, pd.CategoricalDtype) or not pd.api.types.is_string_dtype(values.dtype):
        values = values.astype("str")
    if (few := codes_of_few_texts(values)) is not None:
        return _of_distinct(domain, column, few.codes, few.texts, subjects)
    texts = pa.array(values)
    texts = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
    return _of_distinct(domain, column, *_encoded(texts.cast(pa.large_string())), subjects)


def _texts_of_numbers(labels: np.ndarray) -> pa.Array:
    """Numbers (n,) as people write them, whole ones without a point."""
    if (np.abs(labels) < 2**53).all() and (labels == np.floor(labels)).all():
        return pc.cast(pa.array(labels.astype(np.int64)), pa.large_string())
    return pc.replace_substring_regex(pc.cast(pa.array(labels), pa.large_string()), r"\.0+$", "")


def _of_distinct(domain: str, column: str, code: np.ndarray, distinct: pa.Array, subjects: RowHolders) -> ColumnValues:
    """``code`` (n,) of distinct texts: blank ones become missing, and those equal when trimmed become one."""
    if _may_have_blanks(distinct):
        trimmed = pc.utf8_trim_whitespace(distinct)
        merged = pc.if_else(pc.equal(trimmed, ""), pa.scalar(None, trimmed.type), trimmed).dictionary_encode()
        again = np.asarray(merged.indices.fill_null(-1))
        code, distinct = np.append(again, -1)[code], merged.dictionary
    return ColumnValues(domain, column, HoldersInRows(code, subjects, len(distinct)), distinct)


def _encoded(texts: pa.Array) -> tuple[np.ndarray, pa.Array]:
    """Code of each text (n,), -1 where missing, and the distinct ones by their first place."""
    if are_rising(texts[:PROBED]) and are_rising(texts):  # as ids mostly are, and then each is its own code
        return np.arange(len(texts), dtype=np.int32), texts
    encoded = texts.dictionary_encode()
    return np.asarray(encoded.indices.fill_null(-1)), encoded.dictionary


def _may_have_blanks(texts: pa.Array) -> bool:
    """Whether a text is empty, or begins or ends with a blank or with a letter beyond ASCII, where there are more."""
    if not len(texts):
        return False
    offsets = np.frombuffer(texts.buffers()[1], dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    if not np.diff(offsets).all():
        return True
    letters = np.frombuffer(texts.buffers()[2], dtype=np.uint8)
    first, last = letters[offsets[:-1]], letters[offsets[1:] - 1]
    return bool(((np.minimum(first, last) <= ord(" ")) | (np.maximum(first, last) >= 0x7F)).any())
