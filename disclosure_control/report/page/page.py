"""The page of a run, ``{PILOT}_privacy_report.html``: the verdict first, then a section for every step that ran."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment
from markupsafe import Markup, escape

from disclosure_control import __version__
from disclosure_control.assess import came_in
from disclosure_control.basics.drawings.style import page_style
from disclosure_control.basics.telling.sections import AnswersGiven, Part, Section, Sentence, WhatIf, Where
from disclosure_control.basics.telling.words import capitalised
from disclosure_control.report import history
from disclosure_control.report.templates import templates_of
from disclosure_control.steps import outlines

TEMPLATES = Path(__file__).parent / "templates"
HEAD, VERDICT = "head", "verdict"  # the keys of the sections above all others
# Words that the page explains, by the place of the explanation: the first of each in a section leads there.
TERMS = {
    "class": r"equivalence class(?:es)?",
    "quasi-identifier": r"quasi-identifiers?",
    "masked": r"masked|undisclosed number",
    "alone": r"(?:is|are) alone",
    "interval": r"95% intervals?",
    "four-fifths": r"four-fifths line",
    "recoding": r"recodings?",
    "attack": r"beat(?:s|ing)? (?:a )?guess(?:ing)?",
    "epsilon": r"epsilon",
}
# Words that name another section of the page, by its key.
SECTIONS = {"study_tables": "section on what the recipient loses"}
_TERM = re.compile(
    "|".join(rf"(?P<{key.replace('-', '_')}>\b{words}\b)" for key, words in (TERMS | SECTIONS).items()), re.IGNORECASE
)


def privacy_page(
    pilot: str,
    sections: Sequence[Section],
    is_shareable: bool = False,
    withheld: Collection[str] = (),
) -> str:
    """The page as HTML that needs nothing else: no network, and no script to be read.

    No subject, id or member of a class is in the ``sections``. ``withheld`` are keys of findings that are not
    shared.
    """
    where = Where.OUTSIDE if is_shareable else Where.PAGE
    parts: dict[str, list[Part]] = {HEAD: [], VERDICT: []}
    for section in sections:
        parts.setdefault(section.key, []).extend(section.shown(where))
    if not any(isinstance(part, AnswersGiven) for part in parts[VERDICT]):  # then the first answers there are
        holder = next(
            (key for key, some in parts.items() if any(isinstance(one, AnswersGiven) for one in some)), VERDICT
        )
        parts[VERDICT][1:1] = [part for part in parts[holder] if isinstance(part, AnswersGiven)]
        parts[holder] = [part for part in parts[holder] if holder == VERDICT or not isinstance(part, AnswersGiven)]
    if any(isinstance(part, AnswersGiven) and part.before for part in parts[VERDICT]):  # both are one table there
        parts |= {
            key: [part for part in some if key == VERDICT or not isinstance(part, AnswersGiven)]
            for key, some in parts.items()
        }
    places = sorted([*outlines(), came_in.OUTLINE, history.OUTLINE], key=lambda outline: outline.place)
    missing = [place for place in places if not parts.get(place.key)]
    data: dict[str, Any] = {}
    for part in itertools.chain(*parts.values()):
        data |= part.data if isinstance(part, WhatIf) else {}
    return (
        _environment()
        .get_template("page.html")
        .render(
            pilot=pilot,
            version=__version__,
            head=parts[HEAD],
            verdict=next((section for section in sections if section.key == VERDICT), None),
            verdict_blocks=blocks(parts[VERDICT]),
            shown=[(place, blocks(parts[place.key])) for place in places if place not in missing],
            withheld=[place for place in missing if place.key in withheld],
            not_run=[place for place in missing if place.key not in withheld],
            style=Markup(page_style() + "\n" + (TEMPLATES / "style.css").read_text(encoding="utf-8")),
            script=Markup((TEMPLATES / "script.js").read_text(encoding="utf-8")),
            what_if=_script_data(data),
            is_shareable=is_shareable,
        )
    )


def blocks(parts: Sequence[Part]) -> list[tuple[str, list[Part]]]:
    """Parts that belong together: drawings side by side, points of a list; each with its kind or style."""
    kinds = itertools.groupby(parts, lambda part: part.style.value if isinstance(part, Sentence) else part.kind)
    return [(kind, list(of_kind)) for kind, of_kind in kinds]


def _with_links(text: str, met: set[str]) -> Markup:
    """A sentence in which every term that the section has not ``met`` yet leads to its explanation, or section."""

    def link(found: re.Match[str]) -> str:
        if found.lastgroup in SECTIONS:
            return f'<a href="#{found.lastgroup}">{found[0]}</a>'
        key = str(found.lastgroup).replace("_", "-")
        if key in met:
            return found[0]
        met.add(key)
        return f'<a href="#definition-{key}">{found[0]}</a>'

    return Markup(_TERM.sub(link, str(escape(text))))


def _script_data(value: Mapping[str, Any]) -> Markup:
    """JSON that ends no script element and opens no comment, whatever a column is called."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=True, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


@cache
def _environment() -> Environment:
    environment = templates_of(TEMPLATES)
    environment.globals["new_set"] = set
    environment.filters |= {"terms": _with_links, "sentence": capitalised}
    return environment
