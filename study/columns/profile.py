"""The profile of a column: what it is understood as, why, how surely, and what a person decided about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from study.columns.known_to_outsiders import known_to_outsiders
from study.formats.dated_columns import may_be_dates
from study.models.roles import ColumnModel, Role
from study.models.study_model import StudyModel
from study.models.values_seen import ValuesSeen
from study.operations import OperationKind


class UnderstoodAs(StrEnum):
    """What the values of a column are."""

    ID = "id"
    DATE = "date"
    NUMBER = "number"
    CATEGORY = "category"
    TEXT = "text"
    FLAG = "flag"


class Known(StrEnum):
    """Whether outsiders may know the value of a person."""

    YES = "yes"
    NO = "no"
    UNDECIDED = "undecided"


class Degree(StrEnum):
    """How surely a column is understood: a standard, a dictionary or a person says so; headings and values; nothing."""

    SURE = "sure"
    LIKELY = "likely"
    UNKNOWN = "unknown"


class Status(StrEnum):
    """Why a person has to look at a row of the sheet."""

    NOTHING = ""
    TO_DECIDE = "to decide"
    NEW = "new"  # it was in no earlier export
    CHANGED = "changed"  # its values are of another kind than in earlier exports


NO_VALUES = "nothing"  # what was seen in an empty column
MAY_BE_DATES = "numbers that may be dates"
AGREED = "agreed"  # the decision of a person: the row is right as it stands
_OF_KIND = {
    UnderstoodAs.ID: (Role.PERSON, Role.RECORD_KEY, Role.FOREIGN_KEY, Role.IDENTIFIER),
    UnderstoodAs.DATE: (Role.DATE, Role.TIME, Role.BIRTH, Role.DEATH_DATE),
    UnderstoodAs.NUMBER: (Role.NUMBER, Role.AGE, Role.BIRTH_YEAR, Role.STUDY_DAY),
    UnderstoodAs.TEXT: (Role.VERBATIM, Role.UNKNOWN),
    UnderstoodAs.FLAG: (Role.FLAG, Role.DEATH),
}
_BY_ROLE = {role: kind for kind, roles in _OF_KIND.items() for role in roles}


@dataclass(frozen=True)
class ColumnProfile:
    """What is known of a column of a table, or of a test of a table of results: one row of the sheet.

    ``evidence`` says why, in words without a value of a person. ``missing_codes`` mean missing in this column.
    ``decision`` is ``AGREED`` or "". ``seen`` is what the values looked like when the row was written: "numbers",
    "numbers that may be dates", "dates", "words", "nothing", or "" where no file has such a column.
    """

    table: str
    column: str
    understood_as: UnderstoodAs = UnderstoodAs.TEXT
    unit: str = ""
    missing_codes: tuple[str, ...] = ()
    role: Role = Role.UNKNOWN
    known_to_outsiders: Known = Known.UNDECIDED
    evidence: str = ""
    degree: Degree = Degree.UNKNOWN
    status: Status = Status.NOTHING
    decision: str = ""
    decided_by: str = ""
    decided_on: str = ""
    seen: str = ""

    @property
    def name(self) -> str:
        """Its name in the combined dataset."""
        return f"{self.table}__{self.column}"

    @property
    def is_open(self) -> bool:
        """Whether a person has to look at it: nobody decided, or the values changed since somebody did."""
        return self.status is Status.CHANGED or (bool(self.status) and not self.decision)

    @property
    def may_be_dates(self) -> bool:
        """Whether its numbers may be dates: a person has to say of this column alone what they are."""
        return self.seen == MAY_BE_DATES

    @property
    def is_understood(self) -> bool:
        """Whether a standard, a dictionary, a person, or heading and values together say what it is."""
        return self.degree is not Degree.UNKNOWN

    @property
    def stays_here(self) -> bool:
        """Whether it leaves in no file, for nobody understood it yet: what is released needs no decision about it."""
        return self.is_open and not self.is_understood and not self.decision


def profile_of(table: str, column: str, model: StudyModel, seen: str = "") -> ColumnProfile:
    """What the data model and the name say of a column; nobody has decided about it yet."""
    known = model.column(table, column)
    role = known.role if known is not None else Role.UNKNOWN
    says = model.operation(table, column)
    return ColumnProfile(
        table,
        column,
        understood_as=_BY_ROLE.get(role, UnderstoodAs.CATEGORY),
        role=role,
        known_to_outsiders=Known.YES if known_to_outsiders([f"{table}__{column}"]) else Known.UNDECIDED,
        evidence=known.reason if known is not None and known.reason else says.reason,
        degree=_degree(known, says.operation),
        seen=seen,
    )


def _degree(known: ColumnModel | None, operation: OperationKind) -> Degree:
    if known is not None and known.is_guessed:
        return Degree.UNKNOWN if known.role is Role.UNKNOWN or known.is_closed else Degree.LIKELY
    return Degree.UNKNOWN if operation is OperationKind.REVIEW else Degree.SURE


def is_left_open(table: str, column: str, model: StudyModel) -> bool:
    """Whether no standard and no dictionary says what a column is: it was guessed, or nothing knows it."""
    known = model.column(table, column)
    if known is not None:
        return known.is_guessed
    return model.operation(table, column).operation is OperationKind.REVIEW


def seen_in(column: str, values: ValuesSeen) -> str:
    """What the values of a column look like, as the sheet remembers it."""
    if not values.n_values:
        return NO_VALUES
    if values.are_dates or not values.is_numeric:
        return "dates" if values.are_dates else "words"
    return MAY_BE_DATES if may_be_dates(column, values.numbers) else "numbers"
