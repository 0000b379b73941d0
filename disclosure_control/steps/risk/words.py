"""How figures of risk are written in the text report."""

from __future__ import annotations


def figure_text(value: float | str | None) -> str:
    """A figure in four digits, ``-`` if there is none, and words that replace a figure that is not published."""
    if value is None or isinstance(value, str):
        return value or "-"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
