"""What is done with each variable of SDTM before a release: variable pattern -> operation, class and reason.

A table of the project's own in the terms of the PHUSE De-identification Standard for SDTM 3.2, whose own lines are for
registered users; where the operations alone do not decide, the lines follow what sponsors published for single trials
(TransCelerate 2013, YODA) and El Emam and Malin's paper for the Institute of Medicine (2015, appendix B), and in doubt
the more careful of these. A config overrides any line.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from study.operations import (
    NOT_IN_THE_TABLE,
    UNNAMED_DOMAIN,
    Operation,
    OperationKind,
    OperationRule,
    decided,
    rules_of_table,
)

# The first line with a matching pattern decides: special lines come before general ones.
_PARTS = rules_of_table(Path(__file__).with_suffix(".json"))
LINES = tuple(rule for part in _PARTS.values() for rule in part)
# Who people are and who treats them by their names, and what somebody typed: no K decides about these.
NAMES_AND_TEXTS = frozenset(
    rule.says for part in ("People, sites, investigators, devices", "Free text") for rule in _PARTS[part]
)


def operation_of(domain: str, variable: str, overriding: Sequence[OperationRule] = ()) -> Operation:
    """What is done with a variable: the operation, the class of the variable, and why.

    ``domain`` is the two letters of the domain, or the name of a data set such as RELREC. A variable of SUPP-- counts
    under its parent's domain and its QNAM; a test whose result is a characteristic under its code (``SC``,
    ``MARISTAT``). ``overriding`` lines are asked first. A variable without a line is for review, never kept silently.
    """
    return decided(domain, variable, (*overriding, *LINES)) or NOT_IN_THE_TABLE


def overriding_line(pattern: str, operation: OperationKind) -> OperationRule:
    """The line by which a config overrides the table for the variables of a pattern."""
    says = operation_of(*_example_of(pattern))
    return OperationRule((pattern.upper(),), Operation(operation, says.variable_class, "decided by the config"))


def _example_of(pattern: str) -> tuple[str, str]:
    domain, _, variable = pattern.rpartition(".")
    return domain, variable.replace("--", domain[:2] or UNNAMED_DOMAIN)
