"""The page of a run, ``{PILOT}_privacy_report.html``: the verdict first, then a section for every step that ran."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.encoding.interval_labels import BINS_HOLD
from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.basics.telling.words import interval_text, many_text, share_text
from disclosure_control.drawings.style import page_style
from disclosure_control.report.compiled import CompiledTemplates
from disclosure_control.report.page import sections
from disclosure_control.report.page.what_if import ThresholdCurve
from disclosure_control.report.verdict import NOTHING_AGAINST_IT

TEMPLATES = Path(__file__).parent / "templates"


def privacy_page(
    summary: Mapping[str, Any],
    curves: Sequence[ThresholdCurve],
    merge: Mapping[str, Any] | None,
    history: Sequence[Mapping[str, Any]] = (),
    is_shareable: bool = False,
) -> str:
    """The page as HTML that needs nothing beside it: no network, no script to be read.

    ``summary`` is the JSON summary of the run, ``merge`` the merge report (None where there is none), ``history`` the
    figures of earlier runs, oldest first. No subject, id or member of a class is in any of them.
    """
    content = sections.PageContent(summary, curves, merge, history, is_shareable)
    shown = [section for section in sections.SECTIONS if section.has_ran(content)]
    missing = [section for section in sections.SECTIONS if section not in shown]
    withheld = summary.get("withheld", ())
    return (
        _environment()
        .get_template("page.html")
        .render(
            summary=summary,
            content=content,
            shown=[(section, section.figures(content)) for section in shown],
            withheld=[section for section in missing if section.key in withheld],
            not_run=[section for section in missing if section.key not in withheld],
            style=Markup(page_style() + "\n" + (TEMPLATES / "style.css").read_text(encoding="utf-8")),
            script=Markup((TEMPLATES / "script.js").read_text(encoding="utf-8")),
            what_if=_script_data({"curves": [dataclasses.asdict(curve) for curve in curves], **_landscape(summary)}),
            is_shareable=is_shareable,
            nothing_against_it=NOTHING_AGAINST_IT,
            most_features=sections.MOST_IN_HEADER,
            bins_hold=BINS_HOLD,
        )
    )


def _landscape(summary: Mapping[str, Any]) -> dict[str, Any]:
    found = summary.get("recommend", {}).get("landscape")
    return {"landscape": found, "records": summary["k_anonymity"]["evaluated"]} if found else {}


def _script_data(value: object) -> Markup:
    """JSON that ends no script element and opens no comment, whatever a column is called."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=True, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=CompiledTemplates(TEMPLATES),
    )
    environment.filters |= {
        "share": share_text,
        "told_share": lambda rate: MASKED if rate is None else share_text(rate),
        "number": _number,
        "count": _count,
        "many": many_text,
        "in_sentence": _in_sentence,
        "lines": _lines_of_config,
        "between": interval_text,
        "words": lambda text: str(text).replace("_", " "),
        "sentence": lambda text: text[:1].upper() + text[1:],
        "by": _by,
        "pairs": _pairs,
        "place": _place,
    }
    return environment


def _count(n: float | None) -> str:
    return MASKED if n is None else f"{n:,.0f}"


def _in_sentence(n: int | None) -> str:
    """A count within a sentence: ``a masked number``, where a table has ``masked``."""
    return f"a {MASKED} number" if n is None else _count(n)


def _number(value: object) -> str:
    if value is None:
        return "-"
    if not isinstance(value, float):
        return str(value)
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e15 else number_text(float(f"{value:.4g}"))


def _by(entries: Iterable[Mapping[str, Any]], key: str) -> list[tuple[Any, list[Mapping[str, Any]]]]:
    """Entries by what they have under ``key``, in the order in which each first comes."""
    groups: dict[Any, list[Mapping[str, Any]]] = {}
    for entry in entries:
        groups.setdefault(entry[key], []).append(entry)
    return list(groups.items())


def _pairs(value: Mapping[str, Any] | Sequence[str]) -> list[tuple[str, Any]]:
    """Names with what is said of each; of a list, names alone."""
    return list(value.items()) if isinstance(value, Mapping) else [(name, "") for name in value]


def _place(cell: Mapping[str, Any]) -> str:
    """Where a private answer stands: its groups and its category."""
    return ", ".join([*map(str, cell.get("group", {}).values()), *([cell["category"]] if "category" in cell else [])])


def _lines_of_config(treatment: Sequence[Mapping[str, Any]]) -> str:
    rows = [f"    {json.dumps(step, ensure_ascii=False)}," for step in treatment]
    return "\n".join(['"treatment": [', *rows, "],"])
