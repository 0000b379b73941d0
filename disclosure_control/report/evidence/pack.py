"""The evidence pack as files of the published set: ``evidence/manifest.json`` and the report, as Markdown and HTML."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import Environment
from markupsafe import Markup

from config.model_settings import PilotConfig
from disclosure_control import __version__
from disclosure_control.basics.drawings.style import page_style
from disclosure_control.basics.telling.sections import Section, Sentence
from disclosure_control.basics.telling.small_counts import ForOthers
from disclosure_control.basics.telling.words import in_one_line
from disclosure_control.report.evidence.chapters import CHAPTERS, HEAD, Chapter, Document, filled
from disclosure_control.report.evidence.manifest import manifest
from disclosure_control.report.evidence.rules import rules_chapters, rules_head
from disclosure_control.report.run_told import RunTold
from disclosure_control.report.templates import templates_of
from disclosure_control.run.doors import Pilot
from disclosure_control.run.results import ResultSet

FOLDER = "evidence"
MANIFEST = f"{FOLDER}/manifest.json"
REPORT_MD, REPORT_HTML = f"{FOLDER}/anonymisation_report.md", f"{FOLDER}/anonymisation_report.html"
RULES_MD, RULES_HTML = f"{FOLDER}/rules.md", f"{FOLDER}/rules.html"
TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class EvidenceOf:
    """The content of the pack: a run of the ``pilot`` as ``told`` to others, and its ``config``.

    ``figures``: the fingerprint of the JSON summary as the controller has it.
    """

    pilot: Pilot
    told: RunTold[ForOthers]
    config: PilotConfig
    figures: str

    @property
    def sections(self) -> list[Section]:
        """The verdict first."""
        return [self.told.verdict.section, *self.told.sections]


def write_evidence(results: ResultSet, evidence: EvidenceOf) -> None:
    """Put the pack into the set of a run; last, as the manifest names every other file of it."""
    for name, document in _documents(evidence).items():
        results.write_text(name, _rendered(Path(name).suffix, evidence.pilot, document))
    found = manifest(
        evidence.pilot, evidence.told.summary["inputs"], evidence.figures, evidence.config.settings, results.files
    )
    results.write_text(MANIFEST, json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def _documents(evidence: EvidenceOf) -> dict[str, Document]:
    """By name of the file: the anonymisation report, and the rules beside each other."""
    head = [one.text for one in filled(Chapter((HEAD,), "", ""), evidence.sections).body if isinstance(one, Sentence)]
    chapters = [filled(chapter, evidence.sections) for chapter in CHAPTERS]
    report = Document(f"Anonymisation report of {evidence.pilot.name}", head, chapters)
    rules = Document(
        f"Rules of authorities, and what the run of {evidence.pilot.name} shows of them",
        rules_head(evidence.told.rules),
        rules_chapters(evidence.told.rules),
    )
    return {REPORT_MD: report, REPORT_HTML: report, RULES_MD: rules, RULES_HTML: rules}


def _rendered(suffix: str, pilot: Pilot, document: Document) -> str:
    """A document as Markdown, or as one page of HTML that needs nothing beside it, to be printed."""
    template = _environment().get_template(f"document{suffix}")
    made_by = f"Run of {pilot.started}, version {__version__}."
    return template.render(made_by=made_by, document=document, drawings=Markup(page_style()))


@cache
def _environment() -> Environment:
    environment = templates_of(TEMPLATES, keep_trailing_newline=True)
    environment.filters["md"] = markdown_text
    return environment


def markdown_text(text: object) -> str:
    """Text that Markdown shows unchanged: in one line, without marks of a table, a link, HTML or emphasis."""
    return re.sub(r"([\\`*\[\]|<>&])", r"\\\1", in_one_line(str(text)))
