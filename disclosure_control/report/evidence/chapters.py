"""The chapters of the anonymisation report, under the headings that regulators and the standard ask for.

EMA: external guidance on Policy 0070, EMA/90915/2016, and its template of the anonymisation report, which Health Canada
shares for the public release of clinical information (PRCI): methodology, identification of data variables, risk
assessment, data utility, in this order. ISO: ISO/IEC 27559:2022, a framework of four parts, whose context stands before
these and whose governance stands after. Each section gives the content of the chapter of the same name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, starmap

from disclosure_control.basics.telling.sections import (
    ADVERSARIAL,
    AnswersGiven,
    Details,
    Figure,
    Part,
    Section,
    Sentence,
    Table,
    Where,
)
from disclosure_control.basics.telling.words import capitalised

TEMPLATE = "EMA Policy 0070 and Health Canada PRCI, anonymisation report"
CONTEXT = "ISO/IEC 27559, context assessment"
METHOD = f"{TEMPLATE}, methodology; ISO/IEC 27559, mitigation"
DATA = f"{TEMPLATE}, identification of data variables; ISO/IEC 27559, data assessment"
RISK = f"{TEMPLATE}, risk assessment; ISO/IEC 27559, identifiability assessment"
UTILITY = f"{TEMPLATE}, data utility"
TESTING = "ISO/IEC 27559, adversarial testing; ICO, anonymisation guidance, motivated intruder test"
GOVERNANCE = "ISO/IEC 27559, governance before and after the data are available"
HEAD = "head"  # the key of the part above the chapters

BodyPart = Sentence | Table | Figure


@dataclass(frozen=True)
class Chapter:
    """``keys`` name the sections whose parts it contains; ``asked_by``: who requires it."""

    keys: tuple[str, ...]
    title: str
    asked_by: str


CHAPTERS = (
    Chapter(("purpose",), "Purpose, recipient and context", CONTEXT),
    Chapter(("treatment",), "Anonymisation methodology: treatment by variable", METHOD),
    Chapter(("variables",), "Identification of data variables", DATA),
    Chapter(("missing_values",), "Missing values", DATA),
    Chapter(("threats",), "Threat model and probability of an attempt", f"{RISK}; {CONTEXT}, threat modelling"),
    Chapter(("thresholds",), "Thresholds, and why", RISK),
    Chapter(("risk",), "Risk before and after", RISK),
    Chapter((ADVERSARIAL,), "Adversarial testing", TESTING),
    Chapter(("verdict", "residual_risk"), "Residual risk", RISK),
    Chapter(("utility",), "Loss of utility", UTILITY),
    Chapter(("approval",), "Approval and review", GOVERNANCE),
    Chapter(("check",), "How to check this report", GOVERNANCE),
)


@dataclass(frozen=True)
class FilledChapter:
    """A chapter with its sentences, tables and drawings, in their order; open questions are sentences of ``OPEN``."""

    chapter: Chapter
    body: tuple[BodyPart, ...]


@dataclass(frozen=True)
class Document:
    """A document of the pack: its title, sentences above the chapters, and the chapters."""

    title: str
    head: Sequence[str]
    chapters: Sequence[FilledChapter]


def filled(chapter: Chapter, sections: Iterable[Section]) -> FilledChapter:
    """The chapter with the evidence of the sections of its key."""
    parts = [part for one in sections if one.key in chapter.keys for part in one.shown(Where.EVIDENCE)]
    body = [line for part in parts for line in _in_the_body(part)]
    return FilledChapter(chapter, tuple(starmap(_without_its_heading, pairwise([None, *body]))))


def _without_its_heading(before: BodyPart | None, part: BodyPart | None) -> BodyPart:
    """A table whose title is the heading right above it does not say it twice."""
    assert part is not None
    is_twice = isinstance(part, Table) and isinstance(before, Sentence) and before.text == part.title
    return replace(part, title="") if is_twice and isinstance(part, Table) else part


def _in_the_body(part: Part) -> Iterator[BodyPart]:
    if isinstance(part, Sentence):
        yield replace(part, text=" ".join((part.text, *part.further)))
    elif isinstance(part, Table | Figure):
        yield part
    elif isinstance(part, Details):
        yield Sentence(f"{part.summary}: {'; '.join(line.removesuffix('.') for line in part.lines)}.")
    elif isinstance(part, AnswersGiven):
        about = capitalised(part.about)
        yield from (Sentence(f"{about}: {one.question} {one.sentence}") for one in part.answers)
