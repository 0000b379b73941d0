"""The evidence pack as files of the published set: ``evidence/manifest.json`` and the report, as Markdown and HTML."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from config.model_settings import PilotConfig
from disclosure_control.basics.telling.words import in_one_line
from disclosure_control.report.evidence.manifest import manifest
from disclosure_control.report.evidence.sections import Chapter, EvidenceContent, sections_of
from disclosure_control.run.doors import Pilot
from disclosure_control.run.results import ResultSet
from disclosure_control.steps.context.settings import ContextSettings

FOLDER = "evidence"
MANIFEST, REPORT_MD, REPORT_HTML = (
    f"{FOLDER}/{name}" for name in ("manifest.json", "anonymisation_report.md", "anonymisation_report.html")
)
TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class EvidenceOf:
    """What the pack is of: a run of the ``pilot``, its JSON ``summary``, its ``config``, the columns of its dataset."""

    pilot: Pilot
    summary: dict[str, Any]
    config: PilotConfig
    columns: tuple[str, ...]


def write_evidence(results: ResultSet, evidence: EvidenceOf) -> None:
    """Put the pack into the set of a run; last, as the manifest names every other file of it.

    Everything in it is what the JSON summary tells, so small counts are masked in it, too.
    """
    settings = evidence.config.settings
    context = evidence.config.of(ContextSettings)
    content = EvidenceContent(evidence.summary, context, evidence.config, evidence.columns, evidence.pilot.started)
    sections = sections_of(content)
    results.write_text(REPORT_MD, as_markdown(content, sections))
    results.write_text(REPORT_HTML, as_html(content, sections))
    found = manifest(evidence.pilot, evidence.summary, settings, results.files)
    results.write_text(MANIFEST, json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def as_markdown(content: EvidenceContent, sections: Sequence[Chapter]) -> str:
    """The report as Markdown."""
    return _rendered("anonymisation_report.md", content, sections)


def as_html(content: EvidenceContent, sections: Sequence[Chapter]) -> str:
    """The report as one page of HTML that needs nothing beside it, to be printed."""
    return _rendered("anonymisation_report.html", content, sections)


def _rendered(template: str, content: EvidenceContent, sections: Sequence[Chapter]) -> str:
    return _environment().get_template(template).render(content=content, summary=content.summary, sections=sections)


@cache
def _environment() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from disclosure_control.report.compiled import CompiledTemplates

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=lambda name: bool(name and name.endswith(".html")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        bytecode_cache=CompiledTemplates(TEMPLATES),
    )
    environment.filters["md"] = markdown_text
    return environment


def markdown_text(text: object) -> str:
    """Text that Markdown shows as it is: in one line, no mark of a table, a link, HTML or emphasis."""
    return re.sub(r"([\\`*\[\]|<>&])", r"\\\1", in_one_line(str(text)))
