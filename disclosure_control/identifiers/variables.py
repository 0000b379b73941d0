"""The variable of a column of the combined dataset, for all rules that use names."""

from __future__ import annotations

import re


def variables_of(column: str) -> tuple[str, ...]:
    """The names by which a rule may know a column: what follows the domain, and what follows the last dot of that.

    ``DM__RFSTDTC`` is RFSTDTC; ``LB__Cholesterol.LBDTC``, as ``merge`` carries a variable beside a test, is LBDTC too.
    """
    heading = column.rpartition("__")[2]
    variable = heading.rpartition(".")[2]
    return (heading,) if variable in ("", heading) else (heading, variable)


def is_variable(column: str, names: str) -> bool:
    """Whether the whole name of a column's variable matches the pattern ``names``."""
    return any(re.fullmatch(names, variable) for variable in variables_of(column))
