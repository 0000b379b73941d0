"""The chapters of the anonymisation report, under the headings that regulators and the standard ask for.

EMA: external guidance on Policy 0070, EMA/90915/2016, and its template of the anonymisation report, which Health Canada
shares for the public release of clinical information (PRCI). ISO: ISO/IEC 27559:2022, a framework of four parts.
Each section gives the content of the chapter of the same name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from disclosure_control.basics.telling.sections import (
    AnswersGiven,
    Details,
    Part,
    Section,
    Sentence,
    Style,
    Table,
    Where,
)
from disclosure_control.basics.telling.words import capitalised

CONTEXT = "ISO/IEC 27559, context assessment"
DATA = "EMA Policy 0070 and Health Canada PRCI, identification of data variables; ISO/IEC 27559, data assessment"
RISK = "EMA Policy 0070 and Health Canada PRCI, risk assessment; ISO/IEC 27559, identifiability assessment"
METHOD = "EMA Policy 0070 and Health Canada PRCI, anonymisation methodology; ISO/IEC 27559, mitigation"
UTILITY = "EMA Policy 0070 and Health Canada PRCI, data utility"
GOVERNANCE = "ISO/IEC 27559, governance before and after the data are available"
HEAD = "head"  # the key of the part above the chapters


@dataclass(frozen=True)
class Chapter:
    """``keys`` name the sections whose parts it contains; ``asked_by``: who requires it."""

    keys: tuple[str, ...]
    title: str
    asked_by: str


CHAPTERS = (
    Chapter(("purpose",), "Purpose, recipient and context", CONTEXT),
    Chapter(("threats",), "Threat model and probability of an attempt", f"{RISK}; {CONTEXT}, threat modelling"),
    Chapter(("variables",), "Identification of data variables", DATA),
    Chapter(("thresholds",), "Thresholds, and why", RISK),
    Chapter(("missing_values",), "Missing values", DATA),
    Chapter(("risk",), "Risk before and after", RISK),
    Chapter(("treatment",), "Treatment by variable", METHOD),
    Chapter(("utility",), "Loss of utility", UTILITY),
    Chapter(("verdict", "residual_risk"), "Residual risk", RISK),
    Chapter(("approval",), "Approval and review", GOVERNANCE),
    Chapter(("check",), "How to check this report", GOVERNANCE),
)


@dataclass(frozen=True)
class FilledChapter:
    """A chapter with its paragraphs, tables, and the questions that are open."""

    chapter: Chapter
    paragraphs: tuple[str, ...]
    tables: tuple[Table, ...]
    open_points: tuple[str, ...]


def filled(chapter: Chapter, sections: Iterable[Section]) -> FilledChapter:
    """The chapter with the evidence of the sections of its key."""
    parts = [part for one in sections if one.key in chapter.keys for part in one.shown(Where.EVIDENCE)]
    said = [part for part in parts if not (isinstance(part, Sentence) and part.style is Style.OPEN)]
    return FilledChapter(
        chapter,
        tuple(text for part in said for text in _paragraphs(part)),
        tuple(part for part in parts if isinstance(part, Table)),
        tuple(part.text for part in parts if isinstance(part, Sentence) and part.style is Style.OPEN),
    )


def _paragraphs(part: Part) -> Iterator[str]:
    if isinstance(part, Sentence):
        yield part.text
    elif isinstance(part, Details):
        yield f"{part.summary}: {'; '.join(part.lines)}"
    elif isinstance(part, AnswersGiven):
        about = capitalised(part.about)
        yield from (f"{about}: {one.question} {one.sentence}" for one in part.answers)
