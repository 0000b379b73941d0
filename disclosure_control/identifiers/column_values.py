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
from disclosure_control.basics.encoding.text_codes import text_codes
from disclosure_control.basics.encoding.text_hashes import hashes_of_texts, mixed
from disclosure_control.identifiers.dates import days_of
from disclosure_control.identifiers.holders import Holders, RowHolders, holders_in_rows
from disclosure_control.identifiers.patterns import in_python

SAMPLE = 2_000  # distinct values of a column that are examined one by one
NUMBER = r"^[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d{1,2})?$"
WHOLE = r"^[+-]?\d{1,18}$"
FEWEST_PEOPLE = 8  # with fewer, it means nothing that nobody shares a value


@dataclass(frozen=True)
class ColumnValues:
    """One column: its distinct values and the ``holders`` of each.

    The ``distinct`` values are texts, trimmed, or an array of numpy if the file has numbers. ``share_at_hand`` in
    (0, 1]: of very many distinct values only a sample may be available, with everyone who has one of these.
    """

    domain: str
    column: str
    holders: Holders
    distinct: pa.Array | np.ndarray = field(repr=False)
    share_at_hand: float = 1.0

    @property
    def is_number(self) -> bool:
        """Whether the file has numbers."""
        return isinstance(self.distinct, np.ndarray)

    @cached_property
    def heading(self) -> str:
        """The heading in small letters without accents, its words divided by single blanks."""
        return folded(self.column)

    def is_headed(self, pattern: re.Pattern) -> bool:
        """Whether the heading contains one of the words of a pattern."""
        return bool(pattern.search(self.heading))

    @cached_property
    def n_distinct(self) -> int:
        return len(self.distinct)

    # ------------------------------------------------------------ people of each value

    @property
    def n_people(self) -> int:
        return self.holders.n_people

    @cached_property
    def is_one_each(self) -> bool:
        """Whether hardly anybody has two different values."""
        return self.n_people > 0 and self.holders.people_of_value.sum() <= 1.05 * self.n_people

    @cached_property
    def alone_rate(self) -> float:
        """Share of the people with a value who have one that nobody else has, in [0, 1]; larger is riskier."""
        alone = self.holders.people_with(self.holders.people_of_value == 1)
        return alone / self.n_people if self.n_people else 0.0

    @cached_property
    def is_hardly_shared(self) -> bool:
        """Whether one value belongs to one person, but for a few: at least 95 of 100 people are alone with theirs."""
        return self.n_people >= FEWEST_PEOPLE and self.is_one_each and self.alone_rate >= 0.95

    @cached_property
    def lone(self) -> np.ndarray:
        """Places (n,) in the sample of the values that one person alone has."""
        return np.flatnonzero(self.holders.people_of_value[self.looked_at] == 1)

    def ids_of_lone(self) -> pa.Array:
        """The ids (n,) of those who have the values of ``lone``."""
        return self.holders.ids_of(self.looked_at[self.lone])

    # ------------------------------------------------------------ values one by one

    @cached_property
    def looked_at(self) -> np.ndarray:
        """Positions (n_sample,) of the distinct values in ``sample``: all, or those of the smallest hashes."""
        if self.n_distinct <= SAMPLE:
            return np.arange(self.n_distinct)
        hashes = mixed(self.distinct.view(np.uint64)) if self.is_number else hashes_of_texts(self.distinct)
        return np.sort(np.argpartition(hashes, SAMPLE)[:SAMPLE])

    @cached_property
    def sampled(self) -> pa.Array:
        """The values of the sample as an Arrow array."""
        return texts_of(self.distinct.take(self.looked_at))

    @cached_property
    def sample(self) -> list[str]:
        """Distinct values, at most ``SAMPLE`` of them."""
        return self.sampled.to_pylist()

    def share(self, is_hit: np.ndarray) -> float:
        """Share in [0, 1] of the distinct values of the sample (n_sample,) that are hits."""
        return float(is_hit.mean()) if len(is_hit) else 0.0

    def matches(self, pattern: str) -> np.ndarray:
        """Which values (n_sample,) of the sample contain the pattern; see ``patterns`` for its spelling."""
        search = in_python(pattern).search
        return np.array([search(value) is not None for value in self.sample], dtype=bool)

    def somewhere(self, pattern: str, needed: np.ndarray | None = None) -> np.ndarray:
        """Which of all distinct texts (n_distinct,) contain the pattern, searched only among those ``needed``."""
        needed = np.ones(self.n_distinct, dtype=bool) if needed is None else needed
        if self.n_distinct <= SAMPLE:
            return self.matches(pattern) & needed
        found = np.zeros(self.n_distinct, dtype=bool)
        found[needed] = np.asarray(pc.match_substring_regex(pc.filter(self.distinct, pa.array(needed)), pattern))
        return found

    def holding(self, pattern: str, *signs: str) -> np.ndarray:
        """The same of a pattern that has one of these ``signs`` in it, which are quickly found; none of numbers."""
        found = np.zeros(self.n_distinct, dtype=bool)
        for sign in () if self.is_number else signs:
            found |= np.asarray(pc.match_substring(self.distinct, sign))
        return self.somewhere(pattern, found) if found.any() else found

    @cached_property
    def days(self) -> np.ndarray:
        """The days (n_sample,) that the values of the sample name, in whatever form they are written, else NaN."""
        return days_of(self.sample)

    @cached_property
    def is_day(self) -> np.ndarray:
        """Which values (n_sample,) of the sample are a date known to the day."""
        return ~np.isnan(self.days)

    @cached_property
    def are_days(self) -> bool:
        """Whether nearly every value of the sample is one."""
        return self.share(self.is_day) >= 0.8

    @cached_property
    def numbers(self) -> np.ndarray:
        """The values of the sample as numbers (n_sample,), NaN where they are none; a decimal comma is a point."""
        if self.is_number:
            return self.distinct[self.looked_at]
        text = pc.replace_substring(self.sampled, ",", ".")
        is_number = pc.match_substring_regex(text, NUMBER)
        cast = pc.cast(pc.if_else(is_number, text, pa.scalar(None, text.type)), pa.float64())
        return np.asarray(cast.to_numpy(zero_copy_only=False), dtype=float)

    @cached_property
    def whole_numbers(self) -> np.ndarray | None:
        """The distinct values as numbers (n_distinct,) if each is a whole one that can be counted with."""
        if self.is_number:
            is_whole = (self.distinct == np.floor(self.distinct)) & (np.abs(self.distinct) < 2**53)
            return self.distinct if is_whole.all() else None
        if not self.matches(WHOLE).all() or not pc.all(pc.match_substring_regex(self.distinct, WHOLE)).as_py():
            return None
        return np.asarray(pc.cast(self.distinct, pa.float64()))


def column_values(domain: str, column: str, values: pd.Series, subjects: RowHolders) -> ColumnValues:
    """A column (n_rows,) of text or numbers, encoded once."""
    code, distinct = encoded(values)
    return ColumnValues(domain, column, holders_in_rows(code, len(distinct), subjects), distinct)


def encoded(values: pd.Series) -> tuple[np.ndarray, pa.Array | np.ndarray]:
    """The code (n_rows,) of each value, -1 where missing, and the distinct ones, numbers as numbers.

    Blank texts are missing, and those equal when trimmed are one.
    """
    if pd.api.types.is_numeric_dtype(values.dtype) and not pd.api.types.is_bool_dtype(values.dtype):
        code, numbers = pd.factorize(values.to_numpy(dtype=float, na_value=np.nan))
        return code, numbers
    known = text_codes(values if values.dtype == "str" else values.astype("str"))
    trimmed = pc.utf8_trim_whitespace(known.texts)
    if trimmed.equals(known.texts) and not pc.any(pc.equal(trimmed, "")).as_py():
        return known.codes, known.texts
    merged = pc.if_else(pc.equal(trimmed, ""), pa.scalar(None, trimmed.type), trimmed).dictionary_encode()
    return np.append(np.asarray(merged.indices.fill_null(-1)), -1)[known.codes], merged.dictionary


def texts_of(values: pa.Array | np.ndarray) -> pa.Array:
    """Values (n,) as people write them, whole numbers without a point."""
    if not isinstance(values, np.ndarray):
        return values
    if (np.abs(values) < 2**53).all() and (values == np.floor(values)).all():
        return pc.cast(pa.array(values.astype(np.int64)), pa.large_string())
    return pc.replace_substring_regex(pc.cast(pa.array(values), pa.large_string()), r"\.0+$", "")
