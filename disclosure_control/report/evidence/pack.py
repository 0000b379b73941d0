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
from disclosure_control import __version__
from disclosure_control.basics.telling.sections import Section
from disclosure_control.basics.telling.words import in_one_line
from disclosure_control.report.evidence.chapters import CHAPTERS, HEAD, Chapter, filled
from disclosure_control.report.evidence.manifest import manifest
from disclosure_control.run.doors import Pilot
from disclosure_control.run.results import ResultSet

FOLDER = "evidence"
MANIFEST, REPORT_MD, REPORT_HTML = (
    f"{FOLDER}/{name}" for name in ("manifest.json", "anonymisation_report.md", "anonymisation_report.html")
)
TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class EvidenceOf:
    """The content of the pack: a run of the ``pilot``, its JSON ``summary``, its ``config``, and its sections."""

    pilot: Pilot
    summary: dict[str, Any]
    config: PilotConfig
    sections: Sequence[Section]


def write_evidence(results: ResultSet, evidence: EvidenceOf) -> None:
    """Put the pack into the set of a run; last, as the manifest names every other file of it."""
    for name in (REPORT_MD, REPORT_HTML):
        results.write_text(name, _rendered(Path(name).name, evidence))
    found = manifest(evidence.pilot, evidence.summary, evidence.config.settings, results.files)
    results.write_text(MANIFEST, json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def _rendered(template: str, evidence: EvidenceOf) -> str:
    """The report as Markdown, or as one page of HTML that needs nothing beside it, to be printed."""
    head = filled(Chapter((HEAD,), "", ""), evidence.sections).paragraphs
    chapters = [filled(chapter, evidence.sections) for chapter in CHAPTERS]
    pilot = evidence.pilot
    return (
        _environment()
        .get_template(template)
        .render(pilot=pilot.name, started=pilot.started, version=__version__, head=head, chapters=chapters)
    )


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
    """Text that Markdown shows unchanged: in one line, without marks of a table, a link, HTML or emphasis."""
    return re.sub(r"([\\`*\[\]|<>&])", r"\\\1", in_one_line(str(text)))
