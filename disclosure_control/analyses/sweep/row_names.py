"""The name of a row of a sweep, and of a value of its parameter."""

from __future__ import annotations

import json
from typing import Any

from disclosure_control.analyses.sweep.trial import SweepRow
from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.settings.kinds import are_names

UNTREATED = "untreated"


def row_name(row: SweepRow) -> str:
    """A row's name in a report: ``band AGE, width 10``."""
    if row.is_baseline:
        return UNTREATED
    if row.param_value is None:
        return row.method
    return f"{row.method}, {row.param_name} {shown_value(row.param_value)}"


def shown_value(value: Any, n_letters: int = 40) -> str:
    """A parameter for a report: numbers short, long lists and dictionaries cut."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return number_text(value)
    text = ", ".join(value) if are_names(value) else value_text(value)
    return text if len(text) <= n_letters else f"{text[: n_letters - 1]}…"


def value_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
