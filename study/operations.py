"""What may be done with a variable before a release, and tables of patterns that say it of which variable."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path


class OperationKind(StrEnum):
    """The operations, in the order in which they are applied: each would spoil what a later one needs."""

    REMOVE_DATA_SET = "remove data set"
    DERIVE_AGE = "derive age"  # 90 and above together, whatever the unit; before dates move
    OFFSET = "offset"  # all dates of a person by one number of days
    RAISE_TO_CONTINENT = "raise to continent"
    RECODE_SUBJECT = "recode subject"  # one pseudonym for a person in all files
    RECODE_ID = "recode id"
    NUMBER_ANEW = "number anew"  # the rows of a person, in the order in which they leave
    REMOVE = "remove"
    NO_FURTHER = "no further"  # says something about a person, and nothing is done with it beyond the treatment
    KEEP = "keep"
    REVIEW = "review"  # stays out until the config has decided


UNNAMED_DOMAIN = "XX"  # any domain


class VariableClass(StrEnum):
    """What a variable discloses to an outsider, in the classes of the PHUSE standard."""

    DIRECT_IDENTIFIER = "direct identifier"
    QUASI_IDENTIFIER_1 = "quasi-identifier level 1"  # does not change, and is seen or known: sex, age, country
    QUASI_IDENTIFIER_2 = "quasi-identifier level 2"  # changes with time: dates, events, treatments
    NOT_IDENTIFYING = "not identifying"
    NOT_KNOWN = "not known"  # the table has no line for it


@dataclass(frozen=True)
class Operation:
    """The table's entry for one variable; ``reason`` is for people."""

    operation: OperationKind
    variable_class: VariableClass
    reason: str


@dataclass(frozen=True)
class OperationRule:
    """One line of the table: ``patterns`` of variables, and their operation.

    A pattern is a name (``STUDYID``), one within a domain (``DM.BRTHDTC``), or one with ``--`` for the two letters of
    any domain (``--DTC``). ``*`` matches any letters and digits, also none.
    """

    patterns: tuple[str, ...]
    says: Operation


NOT_IN_THE_TABLE = Operation(
    OperationKind.REVIEW, VariableClass.NOT_KNOWN, "not in the table of operations; the config has to decide"
)


NOT_UNDERSTOOD = Operation(
    OperationKind.REVIEW, VariableClass.NOT_KNOWN, "neither the heading nor a standard says what it is about"
)


def decided(domain: str, variable: str, lines: Sequence[OperationRule]) -> Operation | None:
    """The operation of the first of the ``lines`` that match a variable; None where none matches."""
    line = _deciding(domain, variable, lines)
    return line.says if line else None


def patterns_deciding(variable: str, lines: Sequence[OperationRule]) -> dict[str, Operation]:
    """The patterns that decide on a variable in any domain, and their operations.

    The domains are those that the ``lines`` name, and one that none of them names.
    """
    domains = {_domain_of(pattern) for line in lines for pattern in line.patterns} | {UNNAMED_DOMAIN}
    deciding = (_deciding(domain, variable, lines) for domain in sorted(domains))
    return {", ".join(line.patterns): line.says for line in deciding if line}


def names_variable(pattern: str, domain: str, variable: str) -> bool:
    """Whether a pattern, as those of ``OperationRule``, names a variable of a domain."""
    return _names(pattern.upper(), f"{domain}.{variable}".upper())


def _domain_of(pattern: str) -> str:
    return pattern.rpartition(".")[0].replace("--", UNNAMED_DOMAIN).replace("*", "") or UNNAMED_DOMAIN


def _deciding(domain: str, variable: str, lines: Sequence[OperationRule]) -> OperationRule | None:
    """The first line with a pattern that names a variable of a domain."""
    name = f"{domain}.{variable}".upper()
    return next((line for line in lines if any(_names(pattern, name) for pattern in line.patterns)), None)


def _names(pattern: str, name: str) -> bool:
    return _letters_of(pattern) in name and _of_pattern(pattern).fullmatch(name) is not None


@cache
def _letters_of(pattern: str) -> str:
    """Letters that every name of a pattern has: few patterns come so far that their form has to be compiled."""
    return max(re.split(r"--|\*", pattern), key=len)


@cache
def _of_pattern(pattern: str) -> re.Pattern[str]:
    domain, _, variable = pattern.rpartition(".")
    whole = re.escape(f"{domain or '*'}.{variable}")
    return re.compile(whole.replace(r"\-\-", "[A-Z][A-Z0-9]").replace(r"\*", "[^.]*"))


def rules_of_table(path: Path) -> dict[str, tuple[OperationRule, ...]]:
    """The parts of a table of operations, a JSON file: in each, lines of patterns, operation, class and reason."""
    parts = json.loads(path.read_text(encoding="utf-8"))
    return {part["part"]: tuple(_rule(*line) for line in part["lines"]) for part in parts}


def _rule(patterns: str, operation: str, variable_class: str, reason: str) -> OperationRule:
    decides = Operation(OperationKind(operation), VariableClass(variable_class), reason)
    return OperationRule(tuple(patterns.split()), decides)
