"""The role of each column of a plain table, guessed from its heading and its values, each with the reason.

A guess is careful: free text, names, and codes that belong to one person alone are never taken for categories. What
is neither recognised nor harmless stays ``UNKNOWN``, and so out of a release until the config decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from disclosure_control.basics.encoding.dictionary import as_texts
from disclosure_control.basics.encoding.text_hashes import hashes_of_texts
from study.concepts import concept_of, names_a_measure, names_an_examination, names_what_is_known
from study.formats.dated_columns import may_be_dates
from study.formats.epochs import may_count_time
from study.formats.tables import SourceTable
from study.headings import is_number, words_of
from study.merge.units import are_units
from study.models.births import birth_by_values, has_dates
from study.models.role_words import (
    HeadingSays,
    is_key,
    is_known_to_acquaintances,
    names_a_label,
    names_a_term,
    role_of_heading,
)
from study.models.roles import ColumnModel, ColumnsAskedFor, Role
from study.models.sdtm_operations import operation_of
from study.models.standard_words import is_a_medical_term
from study.models.values_seen import MONTH, PERSON_S_NAME, PRESSURE, TIME_OF_DAY, UUID, YEAR, ValuesSeen
from study.operations import Operation, OperationKind, VariableClass
from study.words import words_of_results

MOST_CATEGORIES, PEOPLE_OF_A_CATEGORY = 20, 10  # of words; on average so many people have one
PEOPLE_OF_A_TERM = 5
PEOPLE_OF_A_WORD = 3  # of a term that is written in words
MOST_DAYS_OF_A_MONTH, OLDEST = 31, 120
OLDEST_OF_MANY = 90  # hardly anybody of a study is older, and many born in the nineties are in one
_CROATIAN = {"spol", "bolesnika", "bolesnice", "pacijenta", "pacijentice", "ispitanika", "god", "godina", "godine", "u"}
OF_MEDICINE, WORDS_OF_A_TERM = 0.8, 6  # the share of the values; words of one, not of a sentence
# What outsiders know, whatever its values: a guess of the values does not make it less known.
SEEN = Operation(OperationKind.NO_FURTHER, VariableClass.QUASI_IDENTIFIER_1, "seen or known by many")
# Roles that take a column out of a release need no values; the others do.
_BY_HEADING_ALONE = (Role.BIRTH, Role.IDENTIFIER, Role.PLACE, Role.SITE, Role.VERBATIM, Role.ORIGIN, Role.AGE)
# Roles of what leaves, and has no days.
_NO_DATES = (Role.AGE, Role.SEX, Role.ORIGIN, Role.BIRTH_YEAR)
# What a label may say: a longer one is a question, in which a word for a site or a group is not what the column has.
_BY_LABEL = (
    *(Role.BIRTH, Role.BIRTH_YEAR, Role.DEATH, Role.DEATH_DATE, Role.DATE),
    *(Role.SEX, Role.AGE, Role.ORIGIN, Role.PLACE, Role.IDENTIFIER),
)
MOST_WORDS_OF_A_LABEL = 4
# Roles that values have whatever they are about, so that heading or label have to say whether outsiders know them.
SHOWN_BY_VALUES = (Role.CATEGORY, Role.NUMBER, Role.FLAG)
_LEAVES = (OperationKind.KEEP, OperationKind.NO_FURTHER)
_HARMFUL = (Role.VERBATIM, Role.IDENTIFIER, Role.UNKNOWN, Role.RECORD_KEY, Role.FOREIGN_KEY)


@dataclass(frozen=True)
class PlainTable:
    """A table, the column with its person if it is known, and what is told of some columns by the table's kind.

    ``others`` are the tables beside it, which keys may refer to; ``is_of_people``: its rows are those of people. Values
    are asked for when a role is.
    """

    table: SourceTable
    person: str | None
    told: Mapping[str, ColumnModel] = field(default_factory=dict)
    others: Sequence[SourceTable] = ()
    is_of_people: bool = True
    _values: dict[str, ValuesSeen] = field(default_factory=dict, repr=False)

    def values(self, name: str) -> ValuesSeen:
        """The values of a column, asked for once."""
        if name not in self._values:
            self._values[name] = ValuesSeen.of(self.table, name)
        return self._values[name]

    @cached_property
    def columns(self) -> list[str]:
        return list(map(str, self.table.frame.columns))

    @property
    def roles(self) -> ColumnsAskedFor:
        """The columns with their roles; each is guessed when it is asked for first."""
        return ColumnsAskedFor(self.columns, self.role)

    @cached_property
    def n_people(self) -> int:
        """The people of the table; its rows, where the person is not known."""
        if self.person not in self.columns:
            return self.table.n_rows
        ids, n_records = self.table.counted_column(self.person)
        is_there = ids.notna().to_numpy() if n_records is None else ids.notna().to_numpy() & (n_records > 0)
        ids = ids if is_there.all() else ids[is_there]
        if ids.dtype != "str":
            return ids.nunique()
        hashes = hashes_of_texts(as_texts(ids))  # sorted, a fifth of the time that looking for equal ids takes
        hashes.sort()
        return int(np.count_nonzero(np.diff(hashes))) + min(len(hashes), 1)

    def role(self, name: str) -> ColumnModel:
        """The role of a column, with its reason."""
        if name == self.person:
            return ColumnModel(Role.PERSON, "it names the person")
        if name in self.told:
            return self.told[name]
        by_heading = role_of_heading(name) or self._by_label(name)
        if by_heading is not None and by_heading.role in _NO_DATES and has_dates(self.table, name):
            by_heading = None  # "dzim." may be the sex, or a birth
        if by_heading is not None and by_heading.role in _BY_HEADING_ALONE:
            return self._guess(name, by_heading.role, by_heading.reason)
        values = self.values(name)
        if by_heading is not None and _agrees(by_heading.role, values):
            is_birth = by_heading.role is Role.DATE and self._why_birth(name)
            role, reason = (Role.BIRTH, is_birth) if is_birth else (by_heading.role, by_heading.reason)
            return self._guess(name, role, reason)
        guessed = self._guess(name, *self._by_values(name, values))
        says = operation_of(self.table.domain, name)
        is_of_sdtm = name.isupper() and says.operation is not OperationKind.REVIEW
        if is_of_sdtm and not (says.operation in _LEAVES and guessed.role in _HARMFUL):
            return replace(guessed, says=says)
        if guessed.role not in SHOWN_BY_VALUES or not self.is_of_people or self._is_result(name):
            return guessed
        return understood(guessed, name, self._short_label(name))

    def _is_result(self, name: str) -> bool:
        """Whether a heading says "value", and another one which examination it is the value of."""
        is_one = set(words_of(name).split()) <= words_of_results()
        return is_one and any(names_an_examination(other) for other in self.columns)

    def _short_label(self, name: str) -> str:
        """The label that the file has of a column; "" where it has none, or one as long as a question."""
        label = self.table.labels.get(name, "")
        return label if len(words_of(label).split()) <= MOST_WORDS_OF_A_LABEL else ""

    def _by_label(self, name: str) -> HeadingSays | None:
        """What the label of a column says, where its name says nothing, not even by a standard."""
        label = self._short_label(name)
        if not label or concept_of(name) or names_a_term(name):
            return None
        if name.isupper() and operation_of(self.table.domain, name).operation is not OperationKind.REVIEW:
            return None
        says = role_of_heading(label)
        if says is None or says.role not in _BY_LABEL:
            return None
        return replace(says, reason=says.reason.replace("the heading", "the label of the column", 1))

    def _guess(self, name: str, role: Role, reason: str) -> ColumnModel:
        if role is Role.BIRTH and self._is_an_age(name):
            role, reason = Role.AGE, "its values are ages"
        if role is Role.BIRTH and self.values(name).share(YEAR) == 1:
            role, reason = Role.BIRTH_YEAR, f"{reason}; its values are years"
        refers_to = key_scope(name, self.table, self.others) if role in (Role.RECORD_KEY, Role.FOREIGN_KEY) else ""
        if role is Role.RECORD_KEY and refers_to != self.table.domain:
            role = Role.FOREIGN_KEY
        return ColumnModel(role, reason, refers_to=refers_to, is_guessed=True)

    def _is_an_age(self, name: str) -> bool:
        """Whether a heading is ``dob``, the age in Croatian, its values are years of a life, and no other is an age.

        Without a Croatian word beside it, values of 90 and more are years of birth of two digits. Where all are below,
        they are ages: read as births of two digits, they would leave the people without an age that k counts.
        """
        first, *others = words_of(name).split() or [""]
        ages = self.values(name).numbers
        if first != "dob" or not _CROATIAN.issuperset(others) or not _are_ages(ages):
            return False
        if not others and ages.max() >= OLDEST_OF_MANY:
            return False
        return not any((says := role_of_heading(other)) and says.role is Role.AGE for other in self.columns)

    def _why_birth(self, name: str) -> str:
        return birth_by_values(name, self.table, self.person, self.others)

    def _by_values(self, name: str, values: ValuesSeen) -> tuple[Role, str]:
        """The role that the values show, under a heading that names none."""
        if not values.n_values:
            return Role.UNKNOWN, "empty"
        if values.are_dates:
            why = self._why_birth(name)
            return (Role.BIRTH, why) if why else (Role.DATE, "its values are dates")
        if values.share(TIME_OF_DAY) == 1:
            return Role.TIME, "its values are times of day"
        if values.named == "sex":
            return Role.SEX, "its values are words for the sexes"
        if values.are_countries:
            return Role.ORIGIN, "its values are names of countries"
        if values.are_yes_or_no:
            return Role.FLAG, "its values are yes and no"
        if self._is_key(name, values):
            role = Role.RECORD_KEY if values.is_unique and values.n_values == self.table.n_rows else Role.FOREIGN_KEY
            return role, "the heading names a number of records, and its values are codes"
        is_named = names_a_term(name) and not names_what_is_known(name)
        if values.system or (is_named and not self._is_code_of_anything(name)):
            return self._term(values, name)
        if names_a_label(name):
            return self._label(values, name)
        if values.is_numeric:
            return self._number(values, name)
        return self._words(values)

    def _is_code_of_anything(self, name: str) -> bool:
        """Whether a heading says "code" alone, and no column has words for it: a postcode, a room or a diagnosis."""
        return is_number(name) and not any(map(names_a_label, self.columns))

    def _is_key(self, name: str, values: ValuesSeen) -> bool:
        if values.share(UUID) == 1:
            return True
        is_of_many = values.n_distinct > MOST_CATEGORIES or values.is_unique
        return is_key(name) and values.are_codes and is_of_many and not names_a_term(name) and not values.system

    def _term(self, values: ValuesSeen, name: str) -> tuple[Role, str]:
        if values.system:
            return Role.CODED_TERM, f"its values have the form of {values.system} codes"
        if values.share(MONTH) == 1:
            return Role.DATE, "its values are months of years"
        repeats = values.n_distinct * PEOPLE_OF_A_TERM <= values.n_values
        if values.is_numeric and (may_be_dates(name, values.numbers) or values.share(YEAR) == 1):
            return self._number(values, name)
        if values.are_codes and repeats:
            return Role.CODED_TERM, "the heading names a term, and its values are codes that repeat"
        is_shared = repeats and values.n_distinct * PEOPLE_OF_A_WORD <= self.n_people
        if self._are_categories(values) or (values.are_short and is_shared):
            return Role.CODED_TERM, "the heading names a term, and its values are words that repeat"
        if values.is_numeric:
            return self._number(values, name)
        if values.are_short and (2 * values.n_distinct <= values.n_values or _are_of_medicine(values)):
            return (
                Role.CODED_TERM,
                "the heading names a term, and its values repeat, or are words of medicine",
            )
        return self._words(values)

    def _label(self, values: ValuesSeen, name: str) -> tuple[Role, str]:
        codes = (self.values(name) for name in self.columns if names_a_term(name))
        if any(one.n_distinct <= values.n_distinct <= 1.2 * one.n_distinct and not one.is_unique for one in codes):
            return Role.LABEL, "the heading names a label, and there is about one for each code beside it"
        role, reason = self._term(values, name)
        return (Role.LABEL if role is Role.CODED_TERM else role), reason

    def _number(self, values: ValuesSeen, name: str) -> tuple[Role, str]:
        may_be_ids = values.n_distinct > 1 and not (names_a_measure(name) or names_an_examination(name))
        if may_be_ids and values.have_one_length and values.n_distinct >= min(self.n_people, values.n_values):
            return Role.IDENTIFIER, "its values are numbers of one length, another one for each person"
        if may_be_ids and 2 * values.n_distinct > self.n_people and values.share(r"\d{8,}") > 0.5:
            return Role.IDENTIFIER, "its values are long numbers, hardly any of two people"
        if may_be_dates(name, values.numbers):
            return Role.UNKNOWN, "its values may be dates, counted in days or seconds from one that is not declared"
        return Role.NUMBER, "its values are numbers"

    def _words(self, values: ValuesSeen) -> tuple[Role, str]:
        if values.share(PERSON_S_NAME) > 0.2:
            return Role.IDENTIFIER, "its values are written as names of persons"
        if self._are_categories(values):
            return Role.CATEGORY, f"it has {values.n_distinct} short values, shared by many people"
        are_codes = values.are_codes and values.share(PRESSURE) < 0.95
        if are_codes and 2 * values.n_distinct > self.n_people:
            return Role.IDENTIFIER, "its values are codes, hardly any of two people"
        if not values.are_short or (values.share(r".*\s.*") > 0.2 and 2 * values.n_distinct > self.n_people):
            return Role.VERBATIM, "its values are texts that hardly repeat"
        return Role.UNKNOWN, "neither the heading nor the values say what it is"

    def _are_categories(self, values: ValuesSeen) -> bool:
        most = min(MOST_CATEGORIES, self.n_people // PEOPLE_OF_A_CATEGORY)
        return values.are_short and 0 < values.n_distinct <= most


def _are_ages(numbers: np.ndarray) -> bool:
    """Whether numbers (n_values,) are years of a life, and no days or months of births."""
    return bool(len(numbers)) and bool((numbers >= 0).all()) and MOST_DAYS_OF_A_MONTH < numbers.max() <= OLDEST


def _are_of_medicine(values: ValuesSeen) -> bool:
    """Whether nearly all values are a few words, one of them a word of medicine."""
    are = [is_a_medical_term(text) and len(text.split()) <= WORDS_OF_A_TERM for text in values.texts]
    return bool(are) and float(np.mean(are)) >= OF_MEDICINE


def understood(guessed: ColumnModel, name: str, label: str) -> ColumnModel:
    """What is told of a column whose values show a number, a category or a flag, by its heading and its label.

    Outsiders know it, or only those who examined the person do, where these say so; else it stays here.
    """
    if is_known_to_acquaintances(name) or is_known_to_acquaintances(label):
        return replace(guessed, says=SEEN)
    return replace(guessed, is_closed=not (names_an_examination(name) or names_an_examination(label)))


def _agrees(role: Role, values: ValuesSeen) -> bool:
    """Whether the values of a column can be what its heading names."""
    if role in (Role.DATE, Role.DEATH_DATE):
        return values.share(r"\S.*") > 0 and values.are_dates
    if (
        role is Role.UNIT
        and values.n_values
        and (values.is_numeric or not are_units(values.texts.tolist(), values.records))
    ):
        return False  # units of alcohol, and intensive care units
    if role in (Role.UNIT, Role.VISIT, Role.ARM, Role.DEATH):
        few = values.n_distinct * PEOPLE_OF_A_TERM <= values.n_values or values.is_numeric
        return values.are_short and few and not values.are_dates and not may_count_time(values.numbers)
    return role in (Role.SEX, Role.BIRTH_YEAR)


def key_scope(name: str, table: SourceTable, others: Sequence[SourceTable]) -> str:
    """The table whose rows a key names, or the words of its heading where no table has them.

    It is the first table, in the order of their names, in which the column of this name has another value in each row;
    a heading such as ``id`` names the rows of its own table. Else it is the table that the heading names, ``ENCOUNTER``
    of ``ENCOUNTERS``, with a key of its own.
    """
    of_its_name = [table] if is_number(name) else sorted([table, *others], key=lambda one: one.domain)
    for one in of_its_name:
        if name in one.frame and is_unique(one, name):
            return one.domain
    thing = " ".join(word for word in words_of(name).split() if not is_number(word)) or words_of(name)
    for one in others:
        named = words_of(one.domain)
        if named in (thing, f"{thing}s", f"{thing}es", f"{thing}en") and any(
            is_number(str(key)) and is_unique(one, str(key)) for key in one.frame.columns
        ):
            return one.domain
    return thing


def is_unique(table: SourceTable, name: str) -> bool:
    """Whether each row of a table has a value of its own in a column."""
    counts = table.counts_of(name)
    return len(counts) == table.n_rows > 0
