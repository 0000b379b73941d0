"""What the distinct values of a column look like: dates, numbers, codes of a system, words that repeat, free text.

Only distinct values and their counts are asked for, so the order of rows makes no difference, and a file that stays on
disk gives them as one in memory does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import number_text, parse_numbers
from study.countries import MOST_COUNTRIES, are_countries
from study.formats.tables import SourceTable
from study.formats.values import COMPARATOR
from study.words import MOST_WORDS_OF_VALUES, named_by_values, yes_and_no

LOOKED_AT = 2_000  # distinct values; of more, those whose hashes are the lowest
_DAY, _MONTH = r"(?:[0-2]?\d|3[01])", r"(?:0?[1-9]|1[0-2])"
_FORMS_OF_A_DAY = (
    rf"\d{{4}}[-/.](?:{_MONTH}[-/.]{_DAY}|(?:0[1-9]|1[0-2]))",  # a month alone in two digits: LOINC has 2093-3
    rf"{_DAY}[-/.]{_DAY}[-/.](?:\d{{4}}|\d\d)",
    r"(?:1[89]|20)\d\d[01]\d[0-3]\d",
    r"(?:1[89]|20)\d\d[ -]?(?:Q[1-4]|W[0-5]\d)",
)
DATE = rf"(?:{'|'.join(_FORMS_OF_A_DAY)})(?:[T ].*)?"
TIME_OF_DAY = r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?"
YEAR = r"(?:1[89]|20)\d\d"
MONTH = rf"{_MONTH}[-/.]{YEAR}"  # 03/2021
UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
# A code without blanks that has a digit in it: no word, no measurement, no text.
CODE = r"(?=\S*\d)[\w./:-]{1,40}"
RATIO = r"\d+/\d+"  # a blood pressure, or a number of a case and its year
PRESSURE = r"(?:[5-9]\d|[12]\d\d)/(?:[3-9]\d|1\d\d)"  # of the blood, in mmHg: systolic, diastolic
LIMIT = rf"{COMPARATOR}\s*\d+(?:[.,]\d+)?"  # of a measurement
# How the name of a person is often written: with a title, or the surname first.
PERSON_S_NAME = r"(?:(?:Dr|Prof|Mr|Mrs|Ms|Herr|Frau|Sr|Sra|Dott|Dra|Mme|Hr|Fr)\b\.? ?.+|[^\W\d_]+, ?[^\W\d_]+\.?)"
# Codes that can be told by their form alone. Source: the structure of each system's codes as its publisher gives it.
CODE_SYSTEMS = {
    "ICD-10": r"[A-TV-Z]\d[0-9AB](?:\.[0-9A-Z]{1,4})?[-+*!]?",
    "ATC": r"[ABCDGHJLMNPRSV]\d\d[A-Z]{2}\d\d",
    "LOINC": r"\d{1,5}-\d",
    "OPS": r"[1-9]-\d{2}[0-9a-z](?:\.[0-9a-z]{1,2})?",
}


@dataclass(frozen=True)
class ValuesSeen:
    """``n_values`` records have one of ``n_distinct`` values; ``texts`` are up to ``LOOKED_AT`` of these.

    ``records`` (n_texts,) is how many records have each.
    """

    n_values: int
    n_distinct: int
    texts: pd.Series = field(repr=False)
    records: np.ndarray = field(repr=False)

    @staticmethod
    def of(table: SourceTable, name: str) -> ValuesSeen:
        """The values of a column of a table."""
        return ValuesSeen.of_counts(table.counts_of(name))

    @staticmethod
    def of_counts(counts: pd.Series) -> ValuesSeen:
        """The values that an index has, ``counts`` being how many records have each."""
        n_values, n_distinct = int(counts.sum()), len(counts)
        if n_distinct > LOOKED_AT:
            hashes = pd.util.hash_array(
                counts.index.to_numpy(dtype=object if counts.index.dtype.kind != "f" else float)
            )
            counts = counts.iloc[np.sort(np.argsort(hashes, kind="stable")[:LOOKED_AT])]
        texts = counts.index.to_series().reset_index(drop=True)
        texts = texts.map(number_text) if texts.dtype.kind == "f" else texts
        return ValuesSeen(n_values, n_distinct, texts.astype("str").str.strip(), counts.to_numpy())

    @cached_property
    def _listed(self) -> list[str]:
        return self.texts.tolist()

    @cached_property
    def numbers(self) -> np.ndarray:
        """The texts as numbers (n_texts,), NaN where one is none."""
        return parse_numbers(self.texts)

    @cached_property
    def is_numeric(self) -> bool:
        """Whether all values are numbers, or limits such as ``<0.1``, and none is written as a code (``01``)."""
        is_number = ~np.isnan(self.numbers) | self.texts.str.fullmatch(LIMIT).to_numpy(dtype=bool)
        is_code = self.texts.str.match(r"[+-]?0\d").any()
        return bool(self.n_distinct and is_number.all() and not is_code)

    @property
    def is_unique(self) -> bool:
        """Whether each value is that of one record."""
        return self.n_distinct == self.n_values

    @cached_property
    def are_dates(self) -> bool:
        return self.share(DATE) >= 0.9

    @cached_property
    def are_codes(self) -> bool:
        """Whether values are short codes with a digit in them, or whole numbers."""
        is_whole = bool((self.numbers == np.round(self.numbers)).all())
        return not self.are_dates and self.share(CODE) >= 0.95 and (is_whole or np.isnan(self.numbers).any())

    @cached_property
    def system(self) -> str:
        """The system of codes that nearly all values belong to by their form; "" for none.

        A letter and two digits may be a room, a trade or a group of diagnoses: some codes have to be longer.
        """
        found = next((name for name, form in CODE_SYSTEMS.items() if self.share(form) >= 0.9), "")
        return found if self.share(r"[A-Z]\d\d") < 1 else ""

    @cached_property
    def are_yes_or_no(self) -> bool:
        return 0 < self.n_distinct <= 3 and set(self.texts.str.casefold()) <= yes_and_no()

    @cached_property
    def named(self) -> str | None:
        """The concept whose words in one language all values are; None if there is none."""
        return named_by_values(self.texts) if 0 < self.n_distinct <= MOST_WORDS_OF_VALUES else None

    @cached_property
    def are_countries(self) -> bool:
        return 1 < self.n_distinct <= MOST_COUNTRIES and are_countries(self._listed)

    @cached_property
    def have_one_length(self) -> bool:
        """Whether all values are digits, four or more and the same number of them, as numbers of people often are."""
        return self.share(r"\d{4,}") == 1 and len(set(self.texts.str.len())) == 1

    @cached_property
    def are_short(self) -> bool:
        return bool(self.texts.str.len().max() <= 60) if len(self.texts) else True

    def share(self, form: str) -> float:
        """The share of the distinct values that have a form as a whole."""
        # Of few texts, pandas takes longer to read the form than to compare them.
        matches = re.compile(form).fullmatch
        return sum(matches(text) is not None for text in self._listed) / len(self.texts) if len(self.texts) else 0.0
