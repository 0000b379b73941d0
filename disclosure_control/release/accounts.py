"""The operation on each variable of a study, by config, table of operations and treatment; and its account."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from disclosure_control.release.people import ReleasePeople
from disclosure_control.release.recodings import says_again
from disclosure_control.remedy.treatments.keys import Release
from disclosure_control.remedy.treatments.methods.shift_dates import KEEP_TIMES, REMOVE_TIMES
from study.models.roles import Role
from study.models.study_model import StudyModel
from study.operations import Operation, OperationKind, OperationRule, VariableClass, decided

AS_IT_CAME = (OperationKind.KEEP, OperationKind.NO_FURTHER)
GONE = (OperationKind.REMOVE, OperationKind.REVIEW, OperationKind.REMOVE_DATA_SET)
# Whose values the treatment may recode; the others are handled from the source alone, so that one rule moves all dates.
RECODABLE = (
    OperationKind.DERIVE_AGE,
    OperationKind.RAISE_TO_CONTINENT,
    OperationKind.NO_FURTHER,
    OperationKind.KEEP,
    OperationKind.REVIEW,
)


@dataclass(frozen=True)
class Account:
    """What was done with one variable of a ``domain``: a column, or the rows of a QNAM or code (in column ``rows_of``).

    ``operation`` is from the table or the config. ``recoded``: the treatment's labels replace its values. ``n_values``
    counts the values in the rows of people who stay, ``n_lost`` the values that were emptied, ``n_partial`` the dates
    that are not known to the day, ``n_times`` the dates that lost their time of day. ``has_rare_terms``: some
    terms were generalised or hidden, or their rows were removed. ``has_rare_texts``: some texts of few
    people were emptied.
    """

    file: str
    domain: str
    variable: str
    operation: Operation
    recoded: bool = False
    rows_of: str = ""
    n_values: int = 0
    n_lost: int = 0
    n_partial: int = 0
    n_times: int = 0
    has_rare_terms: bool = False
    has_rare_texts: bool = False

    @property
    def is_disguised(self) -> bool:
        """Whether its values look like the originals, as pseudonyms and moved dates do."""
        return self.operation.operation in (
            OperationKind.OFFSET,
            OperationKind.RECODE_ID,
            OperationKind.RECODE_SUBJECT,
        )

    @property
    def is_moved(self) -> bool:
        """Whether its values are dates that moved."""
        return self.operation.operation is OperationKind.OFFSET

    @property
    def is_as_it_came(self) -> bool:
        """Whether its values leave as they came."""
        return not self.recoded and self.operation.operation in AS_IT_CAME

    @property
    def stays(self) -> bool:
        return self.operation.operation not in GONE

    def removed(self, reason: str) -> Account:
        """The account of a variable that does not leave for a reason of the release."""
        return replace(self, operation=replace(self.operation, operation=OperationKind.REMOVE, reason=reason))


@dataclass
class Decisions:
    """What decides over all files: the people, the config's lines, key and release, and what the study's columns are.

    ``placed``: recodings found. ``times``: whether times of day leave, or the domains of which they do.
    """

    people: ReleasePeople
    lines: Sequence[OperationRule]
    key: bytes = field(repr=False)
    release: Release
    model: StudyModel
    placed: set[str] = field(default_factory=set)
    times: str | tuple[str, ...] = REMOVE_TIMES

    def keeps_times(self, domain: str) -> bool:
        """Whether times of day leave with the dates of a domain."""
        return self.times == KEEP_TIMES if isinstance(self.times, str) else domain in self.times


SAYS_AGAIN = Operation(
    OperationKind.REMOVE,
    VariableClass.QUASI_IDENTIFIER_1,
    "says, alone or with another one, what the treatment recoded",
)


def operation_of_column(name: str, domain: str, state: Decisions) -> Operation:
    """The operation on a column: the config's line, or the data model's; a role in the config decides."""
    says = decided(domain, name, state.lines) or state.model.operation(domain, name)
    if says_again(name, domain, state.people.recoded) or _is_part_of_recoded(name, domain, state):
        return SAYS_AGAIN
    waits = says.operation == OperationKind.REVIEW or _is_removed_by_a_guess(name, domain, says, state.model)
    if waits and f"{domain}__{name}" in state.people.roles:
        return Operation(OperationKind.NO_FURTHER, VariableClass.QUASI_IDENTIFIER_1, "the config gives it a role")
    return says


def _is_part_of_recoded(name: str, domain: str, state: Decisions) -> bool:
    """Whether a column says again, by the data model, a part of one that the treatment recoded."""
    column, recoded = state.model.column(domain, name), state.people.recoded
    whole = "" if column is None else column.part_of
    return bool(whole) and f"{domain}__{whole}" in recoded and f"{domain}__{name}" not in recoded


def _is_removed_by_a_guess(name: str, domain: str, says: Operation, model: StudyModel) -> bool:
    """Whether a column would be removed for a guessed role, or as a place: a config that gives it a role knows more."""
    column = model.column(domain, name)
    is_open = column is not None and column.says is None and (column.is_guessed or column.role is Role.PLACE)
    return is_open and says.operation == OperationKind.REMOVE
