"""A section of a report: its sentences, tables and drawings as they may be shown, and where each is shown.

A step's ``report.py`` makes sections of what the step found, once. Masks are applied and figures are rounded there: a
renderer prints what it is given, and knows no step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, Flag, auto
from typing import Any, ClassVar, Protocol


class Where(Flag):
    """Where a part is shown. Parts that are not marked for outside stay with the controller."""

    FIRST = auto()  # above everything else, in every text
    SHORT = auto()  # the short text
    FILE = auto()  # the full text as a file
    SCREEN = auto()  # the full text as printed, where values of people must not be seen
    PAGE = auto()  # the controller's page
    OUTSIDE = auto()  # the shareable page
    EVIDENCE = auto()  # the anonymisation report, in the chapter that the section names
    TEXT = FILE | SCREEN
    REPORT = TEXT | PAGE
    PAGES = PAGE | OUTSIDE
    EVERYWHERE = REPORT | OUTSIDE


class Style(Enum):
    """What a sentence is among the others of its section."""

    PLAIN = "plain"
    HEADING = "heading"
    DEFINITION = "definition"
    NOTICE = "notice"
    SMALL = "small"
    POINT = "point"  # of a list
    STEP = "step"  # of a numbered list
    OPEN = "open"  # a question that the controller has not answered


class Shown(Protocol):
    """Something shown as its HTML element, such as a drawing."""

    def __html__(self) -> str: ...


@dataclass(frozen=True)
class Sentence:
    """One or more sentences that belong together. ``further`` lines follow below it, indented.

    ``code``: lines to copy, which pages alone show.
    """

    kind: ClassVar[str] = "sentence"
    text: str
    style: Style = Style.PLAIN
    where: Where = Where.REPORT
    further: Sequence[str] = ()
    code: str = ""


@dataclass(frozen=True)
class Table:
    """A table: ``title`` is its subject; the columns at the places ``numbers`` contain figures."""

    kind: ClassVar[str] = "table"
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    numbers: Sequence[int] = ()
    where: Where = Where.REPORT


@dataclass(frozen=True)
class Figure:
    """A drawing and the text below it; only pages and the evidence show it."""

    kind: ClassVar[str] = "figure"
    drawing: Shown
    caption: str
    where: Where = Where.PAGE


@dataclass(frozen=True)
class Details:
    """Lines that a page shows on request: lines of a config (``is_code``), or names at length."""

    kind: ClassVar[str] = "details"
    summary: str
    lines: Sequence[str]
    is_code: bool = False
    where: Where = Where.REPORT


class QuestionAnswered(Protocol):
    """A question, "yes", "no" or "not assessable", and the sentence with the reason."""

    @property
    def question(self) -> str: ...

    @property
    def answer(self) -> str: ...

    @property
    def sentence(self) -> str: ...

    @property
    def people(self) -> str: ...

    @property
    def is_by_figures(self) -> bool: ...


@dataclass(frozen=True)
class AnswersGiven:
    """The three questions with their answers; ``about`` names their subject, within a sentence.

    ``before``: the answers about what came in, in the same order; then both are one table.
    """

    kind: ClassVar[str] = "answers"
    about: str
    answers: Sequence[QuestionAnswered]
    where: Where = Where.REPORT
    before: Sequence[QuestionAnswered] = ()

    @property
    def beside_figures(self) -> list[str]:
        """The sentences of answers that neither people in the table nor reasons against a release give."""
        return [one.sentence for one in self.answers if not one.is_by_figures and one.answer != "yes"]

    @property
    def columns(self) -> tuple[str, ...]:
        """The headings of ``in_rows``."""
        return ("", "", "people before", "after") if self.before else ("", "", "people")

    @property
    def in_rows(self) -> list[tuple[str, ...]]:
        """Of each question what is asked, the answer, and how many people are concerned, before and after."""
        asked = [(now.question.rpartition(" be ")[2].capitalize(), now.answer) for now in self.answers]
        before: list[tuple[str, ...]] = [(one.people,) for one in self.before] or [()] * len(asked)
        return [(*words, *was, now.people) for words, was, now in zip(asked, before, self.answers, strict=True)]


@dataclass(frozen=True)
class WhatIf:
    """Where the page's script puts controls that move figures of the run; ``data`` is what it reads, by name."""

    kind: ClassVar[str] = "what_if"
    name: str
    title: str
    data: Mapping[str, Any] = field(repr=False)
    where: Where = Where.PAGES


Part = Sentence | Table | Figure | Details | AnswersGiven | WhatIf


@dataclass(frozen=True)
class Section:
    """``key`` names its place on a page; parts of sections with the same key are together there.

    A section without a ``title`` has no heading in a text. ``tone``: "good" or "bad" news, of the verdict.
    """

    key: str
    title: str
    parts: Sequence[Part]
    tone: str = ""

    def shown(self, where: Where) -> Iterator[Part]:
        """Its parts that are shown there."""
        return (part for part in self.parts if part.where & where)


def in_chapter(key: str, title: str, parts: Iterable[Part]) -> Section:
    """What the controller's report says, as a chapter of the anonymisation report has it, below a title of its own."""
    said = [part for part in parts if isinstance(part, Sentence | Table | Details | AnswersGiven)]
    shown = [replace(part, where=Where.EVIDENCE) for part in said if part.where & Where.REPORT]
    return Section(key, "", [Sentence(title, Style.HEADING, Where.EVIDENCE), *shown] if shown else [])


ADVERSARIAL = "adversarial"  # the chapter on attacks, in which several steps have their part
AS_IT_CAME_IN = "Of the pilot as it came in, before any treatment."


@dataclass(frozen=True)
class Outline:
    """A place on the page, also where nothing filled it: what it would answer, and ``how_to_run`` what fills it.

    ``how_to_run`` is a key of the config, or a command. ``about``: of which data all its figures are, if of one kind.
    """

    place: int
    key: str
    title: str
    question: str
    how_to_run: str
    about: str = ""

    def section(self, parts: Iterable[Part]) -> Section:
        """What fills it."""
        return Section(self.key, self.title, tuple(parts))
