"""The page of a run, ``{PILOT}_privacy_report.html``: the verdict first, then a section for every step that ran."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from disclosure_control.basics.drawings.style import page_style
from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.encoding.interval_labels import BINS_HOLD
from disclosure_control.basics.telling.sections import Part, Section, Sentence, Where
from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.basics.telling.words import interval_text, many_text, share_text
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
    told: Sequence[Section] = (),
) -> str:
    """The page as HTML that needs nothing beside it: no network, no script to be read.

    ``summary`` is the JSON summary of the run, ``merge`` the merge report (None where there is none), ``history`` the
    figures of earlier runs, oldest first. No subject, id or member of a class is in any of them. ``told`` are what
    steps say of themselves.
    """
    where = Where.OUTSIDE if is_shareable else Where.PAGE
    said: dict[str, list[Part]] = {}
    for section in told:
        said.setdefault(section.key, []).extend(section.shown(where))
    content = sections.PageContent(summary, curves, merge, history, is_shareable)
    shown = [section for section in sections.SECTIONS if said.get(section.key) or section.has_ran(content)]
    missing = [section for section in sections.SECTIONS if section not in shown]
    withheld = summary.get("withheld", ())
    return (
        _environment()
        .get_template("page.html")
        .render(
            summary=summary,
            content=content,
            shown=[
                (section, None if section.key in said else section.figures(content), blocks(said.get(section.key, ())))
                for section in shown
            ],
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


def blocks(parts: Sequence[Part]) -> list[tuple[str, list[Part]]]:
    """Parts that stand together: drawings side by side, points of a list; each with its kind or style."""
    kinds = itertools.groupby(parts, lambda part: part.style.value if isinstance(part, Sentence) else part.kind)
    return [(kind, list(of_kind)) for kind, of_kind in kinds]


# Words that the page explains, by the place of the explanation: the first of each in a section leads there.
TERMS = {
    "class": r"equivalence class(?:es)?",
    "quasi-identifier": r"quasi-identifiers?",
    "masked": r"masked",
    "alone": r"alone",
    "interval": r"95% intervals?",
    "four-fifths": r"four-fifths line",
    "recoding": r"recodings?",
    "attack": r"beat(?:s|ing)? (?:a )?guess(?:ing)?",
    "epsilon": r"epsilon",
}
_TERM = re.compile(
    "|".join(rf"(?P<{key.replace('-', '_')}>\b{words}\b)" for key, words in TERMS.items()), re.IGNORECASE
)


def _with_links(text: str, met: set[str]) -> Markup:
    """A sentence in which every term that the section has not ``met`` yet leads to its explanation."""

    def link(found: re.Match[str]) -> str:
        key = str(found.lastgroup).replace("_", "-")
        if key in met:
            return found[0]
        met.add(key)
        return f'<a href="#definition-{key}">{found[0]}</a>'

    return Markup(_TERM.sub(link, str(escape(text))))


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
    environment.globals["new_set"] = set
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
        "terms": _with_links,
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
