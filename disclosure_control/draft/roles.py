"""Which part each column plays in a drafted config, by the first rule that knows it, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from disclosure_control.basics.telling.small_counts import MASKED, some_of_people
from disclosure_control.draft.columns import Column
from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.named_columns import identifier_columns
from study.concepts import LABORATORY_RESULT, Part, concept_of, rank_of
from study.models.roles import Role
from study.operations import OperationKind, VariableClass


class ConfigRole(Enum):
    """What a config does with a column."""

    DROPPED = "left out of the combined dataset"
    CATEGORY = "quasi-identifier, a category"
    NUMBER = "quasi-identifier, a number"
    SENSITIVE = "what nobody should learn"  # a candidate: not all of them are chosen
    LEFT_ALONE = "neither"


@dataclass(frozen=True)
class Decision:
    """The part that a column plays, why, and whether a controller has to decide."""

    role: ConfigRole
    reason: str
    review: bool = False


Rule = Callable[[Column, frozenset[str]], Decision | None]
DEMOGRAPHIC_DOMAINS = ("DM", "SC")  # a question of a questionnaire that contains "language" is not about the language
LABORATORY_DOMAINS = ("LB", "MEASUREMENT")  # of SDTM, of OMOP
NUMBERS = ("age", "year of birth", "body mass index")
DATES = "dates; shift or coarsen them before release (shift_dates, coarsen_dates)"
MOST_GUESSED = 5
_KNOWN_BY_VALUES = (Role.AGE, Role.BIRTH_YEAR)  # under a heading of a birth: Croatian "dob", "anno nascita"
NOT_RECOGNISED = Decision(ConfigRole.LEFT_ALONE, "the heading was not recognised", review=True)


def decide(columns: Sequence[Column], known: Mapping[str, bool] | None = None) -> dict[str, Decision]:
    """The part of each column, by name, in their order.

    ``known``: of which columns a person decided whether outsiders know them. Where no heading names a quasi-identifier,
    some unknown columns become quasi-identifiers.
    """
    names = frozenset(column.name for column in columns)
    found = {column.name: _decided(column, _first(column, names), (known or {}).get(column.name)) for column in columns}
    if any(decision.role in (ConfigRole.CATEGORY, ConfigRole.NUMBER) for decision in found.values()):
        return found
    unknown = [one for one in columns if found[one.name] == NOT_RECOGNISED and not _may_be_days(one)][:MOST_GUESSED]
    words = "No heading of this pilot was recognised: assumed known to outsiders until you decide"
    return found | {
        column.name: Decision(ConfigRole.NUMBER if column.is_measured else ConfigRole.CATEGORY, words, review=True)
        for column in unknown
    }


def _decided(column: Column, decision: Decision, is_known: bool | None) -> Decision:
    if is_known:
        return _quasi_identifier(column, "outsiders know it, as decided in the sheet of columns", column.is_measured)
    is_settled = is_known is False and decision.role is ConfigRole.LEFT_ALONE
    return replace(decision, review=False) if is_settled else decision


def _first(column: Column, names: frozenset[str]) -> Decision:
    decisions = (rule(column, names) for rule in RULES)
    return next((decision for decision in decisions if decision), NOT_RECOGNISED)


# ---------------------------------------------------------------- rules, the first that knows a column decides


def _tells_nothing(column: Column, names: frozenset[str]) -> Decision | None:
    if column.n_values == 0:
        return Decision(ConfigRole.LEFT_ALONE, "empty")
    if column.n_distinct == 1 and column.n_values == column.n_people:
        return Decision(ConfigRole.LEFT_ALONE, "the same for everyone")
    return None


def _names_a_person(column: Column, names: frozenset[str]) -> Decision | None:
    """The scan of the values for identifiers. What acquaintances know is generalised, not dropped.

    The result of a named test is neither an address nor a date of a life, whatever its digits look like.
    """
    grades = {Grade.NAMES_A_PERSON} if column.form == "findings" else {Grade.NAMES_A_PERSON, Grade.KNOWN_TO_OUTSIDERS}
    finding = next((one for one in column.findings if one.vetoes and one.grade in grades), None)
    if finding is None or _is_known(column):
        return None
    who = some_of_people(MASKED, finding.n_people, finding.n_all_people)
    return Decision(ConfigRole.DROPPED, f"{finding.words or finding.kind} of {who}: {finding.grade.value}", review=True)


def _has_the_name_of_an_identifier(column: Column, names: frozenset[str]) -> Decision | None:
    why = None if column.role in _KNOWN_BY_VALUES else identifier_columns([column.name]).get(column.name)
    return Decision(ConfigRole.DROPPED, why, review=True) if why else None


def _goes_by_the_standard(column: Column, names: frozenset[str]) -> Decision | None:
    """PHUSE's operations for SDTM: what is removed before a study is released."""
    says = column.operation
    is_direct = says.variable_class is VariableClass.DIRECT_IDENTIFIER
    is_place = column.role is Role.PLACE  # which the treatment can make coarse
    goes = column.form == "wide" and (says.operation is OperationKind.REMOVE or is_direct) and not is_place
    return Decision(ConfigRole.DROPPED, says.reason, review=True) if goes else None


def _is_date(column: Column, names: frozenset[str]) -> Decision | None:
    is_moved = column.form == "wide" and column.operation.operation is OperationKind.OFFSET
    return Decision(ConfigRole.LEFT_ALONE, DATES, review=True) if column.is_dates or is_moved else None


def _counts_rows(column: Column, names: frozenset[str]) -> Decision | None:
    words = "numbers of rows of each person: acquaintances may know them, roughly (how often somebody was treated)"
    return Decision(ConfigRole.LEFT_ALONE, words, review=True) if column.counts_rows else None


def _known_to_acquaintances(column: Column, names: frozenset[str]) -> Decision | None:
    concept = column.concept
    if concept is None or not _is_known(column):
        return None
    is_number = column.numbers is not None and (
        concept.name in NUMBERS or (concept.name == "education" and column.is_measured)
    )
    return _quasi_identifier(column, concept.why, is_number)


def _is_age(name: str) -> bool:
    return (concept := concept_of(name.partition("__")[2])) is not None and concept.name == "age"


def _is_known(column: Column) -> bool:
    concept, is_question = column.concept, column.form == "findings" and column.domain not in DEMOGRAPHIC_DOMAINS
    is_known = not is_question or (concept is not None and concept.name == "body mass index")
    return is_known and concept is not None and concept.part is Part.KNOWN


def _repeats_another(column: Column, names: frozenset[str]) -> Decision | None:
    whole = column.name.rstrip("0123456789")
    if whole != column.name and whole in names and column.operation.variable_class is VariableClass.QUASI_IDENTIFIER_1:
        return Decision(ConfigRole.LEFT_ALONE, f"repeats {whole} in more detail", review=True)
    concept = column.concept if _is_known(column) else None
    is_of_role = concept is None and column.role is Role.BIRTH_YEAR and column.form == "wide"
    is_birth = is_of_role or (concept is not None and concept.name == "year of birth")
    if is_birth and any(_is_age(name) for name in names):
        return Decision(ConfigRole.LEFT_ALONE, "repeats the age; coarsen or drop it before release", review=True)
    return None


def _seen(column: Column, names: frozenset[str]) -> Decision | None:
    """Height and weight: outsiders see them roughly, and exact values would make everybody unique."""
    concept = column.concept
    is_seen = concept and concept.part is Part.SEEN and (column.form == "wide" or column.domain in ("VS", "SC"))
    words = "seen by everyone, roughly: name them in continuous_qis, with bins, if attackers may know them"
    return Decision(ConfigRole.LEFT_ALONE, words, review=True) if is_seen else None


def _coded_term(column: Column, names: frozenset[str]) -> Decision | None:
    """A diagnosis, drug or procedure that a data model without a standard for single columns knows as a coded term."""
    term = Decision(ConfigRole.SENSITIVE, "a coded term is known only to the person and the doctor")
    return term if column.role is Role.CODED_TERM else None


def _role_of_the_model(column: Column, names: frozenset[str]) -> Decision | None:
    """A quasi-identifier by its role, under a heading that is in no table: numbers for ages, else categories."""
    role = _ROLE_OF_QUASI_IDENTIFIER.get(column.role) if column.role else None
    if role is None or column.form != "wide":
        return None
    is_number = role is ConfigRole.NUMBER and column.numbers is not None
    return replace(_quasi_identifier(column, column.operation.reason, is_number), review=column.is_guessed)


_ROLE_OF_QUASI_IDENTIFIER = {
    Role.AGE: ConfigRole.NUMBER,
    Role.BIRTH_YEAR: ConfigRole.NUMBER,
    Role.SEX: ConfigRole.CATEGORY,
    Role.ORIGIN: ConfigRole.CATEGORY,
    Role.PLACE: ConfigRole.CATEGORY,
}


def _level_1(column: Column, names: frozenset[str]) -> Decision | None:
    is_one = column.operation.variable_class is VariableClass.QUASI_IDENTIFIER_1
    return _quasi_identifier(column, column.operation.reason, column.is_measured) if is_one else None


def _level_2(column: Column, names: frozenset[str]) -> Decision | None:
    is_one = column.form == "wide" and column.operation.variable_class is VariableClass.QUASI_IDENTIFIER_2
    return Decision(ConfigRole.LEFT_ALONE, column.operation.reason, review=True) if is_one else None


def _sensitive(column: Column, names: frozenset[str]) -> Decision | None:
    concept = column.concept
    if _may_be_days(column):
        return None
    is_of_laboratory = column.domain in LABORATORY_DOMAINS
    if concept and concept.part is Part.SENSITIVE and (column.form == "wide" or is_of_laboratory or column.is_result):
        return Decision(ConfigRole.SENSITIVE, concept.why)
    is_result = is_of_laboratory or (column.is_result and concept is None)
    if is_result and column.form == "findings" and column.is_measured:
        return Decision(ConfigRole.SENSITIVE, LABORATORY_RESULT.why)
    return None


def _may_be_days(column: Column) -> bool:
    """Whether the numbers of a column may count days, whatever its heading says: those of diagnoses, of visits."""
    return column.role is Role.UNKNOWN and column.numbers is not None


def _private(column: Column, names: frozenset[str]) -> Decision | None:
    concept = column.concept
    is_meant = concept is not None and concept.part is Part.PRIVATE and column.form == "wide"
    return Decision(ConfigRole.LEFT_ALONE, concept.why) if concept and is_meant else None


def _result(column: Column, names: frozenset[str]) -> Decision | None:
    if column.form == "findings":
        return Decision(ConfigRole.LEFT_ALONE, "findings: known only to those who examined the person")
    if column.form == "events":
        return Decision(ConfigRole.LEFT_ALONE, "counts and flags of events")
    if column.operation.variable_class is VariableClass.NOT_IDENTIFYING:
        return Decision(ConfigRole.LEFT_ALONE, column.operation.reason)
    return None


RULES: tuple[Rule, ...] = (
    _tells_nothing,
    _counts_rows,
    _names_a_person,
    _has_the_name_of_an_identifier,
    _goes_by_the_standard,
    _is_date,
    _repeats_another,
    _known_to_acquaintances,
    _seen,
    _coded_term,
    _role_of_the_model,
    _level_1,
    _level_2,
    _sensitive,
    _private,
    _result,
)


def _quasi_identifier(column: Column, why: str, is_number: bool) -> Decision:
    if is_number:
        return Decision(ConfigRole.NUMBER, why)
    rare = (
        f"; {some_of_people(MASKED, column.n_rare, column.n_people)} have one shared by fewer than K"
        if column.n_rare
        else ""
    )
    # Where most values are rare, exact values single people out: a coarser column is needed.
    is_too_fine = 2 * column.n_rare > column.n_values
    return Decision(ConfigRole.CATEGORY, f"{why}; {column.n_distinct:,} values{rare}", is_too_fine)


def order_of_sensitive(column: Column) -> tuple[bool, tuple[int, int], int, str]:
    """Sort key of sensitive columns: those that most people have first, then by the order of the headings' table."""
    concept = column.concept
    is_named = concept is not None and concept.part is Part.SENSITIVE
    rank = rank_of(concept if concept is not None and is_named else LABORATORY_RESULT, column.heading)
    return 2 * column.n_values < column.n_people, rank, -column.n_values, column.name
