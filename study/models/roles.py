"""What the columns and tables of a study are for, in the words that every data model is described in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache

import pandas as pd

from study.operations import Operation

# What makes two results of one test two different measurements, in the order of a column's name.
WHAT_IS_MEASURED = ("CAT", "SCAT", "OBJ", "SPEC", "SPCCND")
HOW_IT_IS_MEASURED = ("METHOD", "LOC", "LAT", "DIR", "POS", "TPT", "FAST", "EVAL", "EVALID")
QUALIFIERS = WHAT_IS_MEASURED + HOW_IT_IS_MEASURED
UNIT = "UNIT"


class Role(StrEnum):
    """What a column tells of its row."""

    PERSON = "person"  # whose row it is
    RECORD_KEY = "record key"  # numbers the rows of its table, and is what others refer to
    FOREIGN_KEY = "foreign key"
    DATE = "date"  # with a time of day or without
    TIME = "time"  # of a day
    STUDY_DAY = "study day"  # counted from the person's own start
    CODED_TERM = "coded term"
    VERBATIM = "verbatim text"
    NUMBER = "number"
    UNIT = "unit"
    FLAG = "flag"
    CATEGORY = "category"
    VISIT = "visit"
    ARM = "arm"
    SITE = "site"  # also who treats: a provider, a ward
    PLACE = "place"  # where a person lives
    BIRTH = "birth"  # a date of birth, or a part of one that is finer than the year
    BIRTH_YEAR = "year of birth"
    AGE = "age"
    SEX = "sex"
    ORIGIN = "race or origin"
    DEATH = "death"  # whether or why a person died; its day is a date
    DEATH_DATE = "date of death"
    LABEL = "label"  # says in words what a code beside it says
    DESCRIBES_RECORD = "describes the record"  # who entered it, of what kind it is: says nothing about a person
    IDENTIFIER = "identifier"  # of a person, beside the person column: a name, a number in other files
    UNKNOWN = "unknown"


class TableKind(StrEnum):
    """What the rows of a table are."""

    PEOPLE = "people"  # one row for each
    FINDINGS = "findings"  # a test and a result in each row
    EVENTS = "events"  # something that happened, or a treatment that was given
    TIMING = "timing"  # visits, elements and periods of a person
    ROWS = "rows in time"  # several for a person, each with many columns
    SUPPLEMENTAL = "supplemental"  # further variables of the rows of another table
    DESIGN = "design"  # of the study, not of a person
    RELATIONS = "relations"  # between records of other tables
    DICTIONARY = "dictionary"  # what the codes of other tables mean
    LEGEND = "legend"  # says for a reader what codes and columns mean; no part of the study
    FREE_TEXT = "free text"


@dataclass(frozen=True)
class ColumnModel:
    """What a column is for, and why it is taken for that.

    ``refers_to``: of a key, the table whose rows it names: keys of one table share their pseudonyms in whatever column.
    ``within_person``: a key that numbers the rows of a person, as SDTM's do.
    ``level``: of a coded term, 0 for the finest. Terms with the same ``ladder``, the letters of SDTM's records, are one
    term at several levels; ``code_of``: the column with the words for a code. ``part_of``: the column that this one
    says a part of again.
    ``numbers_within``: of a column that numbers rows, those that it counts within, beside the person.
    ``says``: what the standard does with it before a release; None: what is done with its role. ``is_closed``: only its
    values were understood, not what they are about, so that it stays here until a person decides.
    """

    role: Role
    reason: str = ""
    refers_to: str = ""
    within_person: bool = False
    level: int = 0
    ladder: str = ""
    code_of: str = ""
    part_of: str = ""
    numbers_within: tuple[str, ...] = ()
    is_guessed: bool = False
    says: Operation | None = None
    is_closed: bool = False


class ColumnsAskedFor(Mapping[str, ColumnModel]):
    """The columns of a table by name; what each is for is found when it is asked for first."""

    def __init__(self, names: Iterable[str], find: Callable[[str], ColumnModel]):
        self._names = dict.fromkeys(names)
        self._find = cache(find)

    def __getitem__(self, name: str) -> ColumnModel:
        if name not in self._names:
            raise KeyError(name)
        return self._find(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


# Makes a further column for the merge from the rows of a table, in their order.
Derive = Callable[[pd.DataFrame], pd.Series]


@dataclass(frozen=True)
class TableModel:
    """What the rows of a table are, and what each column is for.

    ``short``: column -> the name that the merge gives to what it contains: ``TEST``, ``STRESN``, ``DTC``, ``OCCUR``,
    ... , those of SDTM's general classes without the letters of the domain, which are the ``prefix`` there.
    ``derived``: columns that the merge adds, by name; one of the name of a column takes its place in the merge: a code
    appears in words, and leaves as a code.
    ``starts``: columns that say when the study began for a person, the last with a value counts. ``order``: columns by
    which the rows of a person follow each other in time. ``of_person``: columns of a table of findings or events that
    say something of the person, and are merged as those of rows in time are. ``not_merged``: columns that say nothing
    about a person. ``values``: column -> code -> what it means in words. ``labels``: column -> its label in a
    dictionary. ``names_columns``: columns of a dictionary that name the columns of other tables: a row of it leaves
    with the column that it names.
    """

    name: str
    kind: TableKind
    reason: str = ""
    columns: Mapping[str, ColumnModel] = field(default_factory=dict)
    prefix: str = ""
    short: Mapping[str, str] = field(default_factory=dict)
    derived: Mapping[str, Derive] = field(default_factory=dict)
    starts: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    of_person: tuple[str, ...] = ()
    not_merged: frozenset[str] = frozenset()
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)
    no_term: frozenset[str] = frozenset()
    has_visits: bool = False
    labels: Mapping[str, str] = field(default_factory=dict, repr=False)
    names_columns: tuple[str, ...] = ()

    def of_role(self, *roles: Role) -> list[str]:
        """The columns with one of the roles, in the order of the table."""
        return [name for name, column in self.columns.items() if column.role in roles]

    def as_merged(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The rows (n_rows, n_columns) with the columns that the merge adds, or puts in place of codes."""
        derived = {name: derive(frame) for name, derive in self.derived.items()}
        return frame.assign(**derived) if derived else frame

    def called(self, short: str) -> str:
        """The column that the merge knows by this name; the table may not have it."""
        return next((name for name, one in self.short.items() if one == short), f"{self.prefix}{short}")

    def in_words(self, name: str, frame: pd.DataFrame) -> pd.Series:
        """A column of rows of the table as the merge writes it: the code of a concept by its name."""
        return self.derived[name](frame) if name in self.derived else frame[name]

    def read(self, short: str, frame: pd.DataFrame) -> pd.Series | None:
        """The column of rows of the table that the merge knows by this name, also one that it derives; None without.

        A column of the table itself may be missing: it was not released, or is not read.
        """
        name = self.called(short)
        if name in frame:
            return frame[name]
        return self.derived[name](frame) if name in self.derived and name not in self.columns else None

    def short_names(self, columns: Iterable[str]) -> dict[str, str]:
        """The columns that the merge knows by other names, and these names."""
        by_prefix = {name: name[len(self.prefix) :] for name in columns if self.prefix and name.startswith(self.prefix)}
        return {**by_prefix, **self.short}
