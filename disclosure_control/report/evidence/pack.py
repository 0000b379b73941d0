"""The evidence pack as files of the published set: ``evidence/manifest.json`` and the report, as Markdown and HTML."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup

from config.model_settings import PilotConfig
from disclosure_control import __version__
from disclosure_control.basics.drawings.style import page_style
from disclosure_control.basics.telling.sections import Section, Sentence
from disclosure_control.basics.telling.words import in_one_line
from disclosure_control.report.evidence.catalogue_entry import catalogue_entry
from disclosure_control.report.evidence.chapters import CHAPTERS, HEAD, Chapter, Document, filled
from disclosure_control.report.evidence.ehds import HEAD as HEAD_OF_EHDS
from disclosure_control.report.evidence.ehds import ehds_chapters
from disclosure_control.report.evidence.manifest import manifest
from disclosure_control.report.evidence.rules import rules_chapters, rules_head
from disclosure_control.report.evidence.word import word_document
from disclosure_control.rules.judging import JudgedBook
from disclosure_control.run.doors import Pilot
from disclosure_control.run.results import ResultSet
from disclosure_control.steps.context.catalogue import CatalogueEntry
from disclosure_control.steps.context.settings import ContextSettings

FOLDER = "evidence"
MANIFEST, ENTRY = f"{FOLDER}/manifest.json", f"{FOLDER}/dataset.ttl"
REPORT_MD, REPORT_HTML = f"{FOLDER}/anonymisation_report.md", f"{FOLDER}/anonymisation_report.html"
RULES_MD, RULES_HTML = f"{FOLDER}/rules.md", f"{FOLDER}/rules.html"
EHDS_MD, EHDS_HTML = f"{FOLDER}/ehds.md", f"{FOLDER}/ehds.html"
TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class EvidenceOf:
    """The content of the pack: a run of the ``pilot``, its JSON ``summary``, its ``config``, its sections, and the
    ``rules`` of authorities as they stand.
    """

    pilot: Pilot
    summary: dict[str, Any]
    config: PilotConfig
    sections: Sequence[Section]
    rules: Sequence[JudgedBook]


def write_evidence(results: ResultSet, evidence: EvidenceOf) -> None:
    """Put the pack into the set of a run; last, as the manifest names every other file of it."""
    of_context: ContextSettings | None = evidence.config.settings.get("context")
    catalogue = of_context.catalogue if of_context is not None else None
    for name, document in _documents(evidence, catalogue).items():
        results.write_text(name, _rendered(Path(name).suffix, evidence.pilot, document))
        if of_context is not None and of_context.word and name.endswith(".md"):
            content = word_document(document, _made_by(evidence.pilot))
            results.write_bytes(str(Path(name).with_suffix(".docx")), [content])
    if catalogue is not None:
        results.write_text(ENTRY, catalogue_entry(catalogue, evidence.summary))
    found = manifest(evidence.pilot, evidence.summary, evidence.config.settings, results.files)
    results.write_text(MANIFEST, json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def _documents(evidence: EvidenceOf, catalogue: CatalogueEntry | None) -> dict[str, Document]:
    """By name of the file: the anonymisation report, the rules beside each other, and the sheet of the EHDS."""
    head = [one.text for one in filled(Chapter((HEAD,), "", ""), evidence.sections).body if isinstance(one, Sentence)]
    chapters = [filled(chapter, evidence.sections) for chapter in CHAPTERS]
    report = Document(f"Anonymisation report of {evidence.pilot.name}", head, chapters)
    rules = Document(
        f"Rules of authorities, and what the run of {evidence.pilot.name} shows of them",
        rules_head(evidence.rules),
        rules_chapters(evidence.rules),
    )
    title = f"{evidence.pilot.name} for a health data access body"
    sheet = Document(title, HEAD_OF_EHDS, ehds_chapters(evidence.summary, catalogue))
    return {
        **dict.fromkeys((REPORT_MD, REPORT_HTML), report),
        **dict.fromkeys((RULES_MD, RULES_HTML), rules),
        **dict.fromkeys((EHDS_MD, EHDS_HTML), sheet),
    }


def _made_by(pilot: Pilot) -> str:
    return f"Run of {pilot.started}, version {__version__}."


def _rendered(suffix: str, pilot: Pilot, document: Document) -> str:
    """A document as Markdown, or as one page of HTML that needs nothing beside it, to be printed."""
    template = _environment().get_template(f"document{suffix}")
    return template.render(made_by=_made_by(pilot), document=document, drawings=Markup(page_style()))


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
