"""Sections as text: in the files, in the short text, and on the screen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from disclosure_control.basics.telling.sections import (
    AnswersGiven,
    Details,
    Figure,
    Part,
    Section,
    Sentence,
    Style,
    Table,
    WhatIf,
    Where,
)
from disclosure_control.basics.telling.words import text_table

INDENT = "  "


def as_text(sections: Iterable[Section], where: Where) -> str:
    """The parts of the sections that are shown there, section by section; "" where there is none."""
    texts = ["".join(f"{line}\n" for line in _lines(section, where)) for section in sections]
    return "\n".join(text for text in texts if text)


def _lines(section: Section, where: Where) -> list[str]:
    parts = [part for part in section.shown(where) if not isinstance(part, Figure | WhatIf)]
    if not parts:
        return []
    has_title = bool(section.title and where & Where.TEXT)
    lines = [section.title] if has_title else []
    indent, n_steps = INDENT if has_title else "", 0
    for part in parts:
        is_heading = isinstance(part, Sentence) and part.style is Style.HEADING
        n_steps = n_steps + 1 if isinstance(part, Sentence) and part.style is Style.STEP else 0
        if is_heading and lines:
            lines.append("")
        if isinstance(part, AnswersGiven):
            lines += _answers(part, in_words=bool(where & Where.TEXT))
            continue
        lines += _lines_of_part(part, "" if is_heading else indent, n_steps, lines)
        indent = INDENT if is_heading else indent
    return lines


def _lines_of_part(part: Part, indent: str, number: int, before: list[str]) -> Iterator[str]:
    if isinstance(part, Sentence):
        mark = f"{number}. " if number else ""
        yield f"{indent}{mark}{part.text}"
        yield from (f"{indent}   {line}" for line in part.further)
    elif isinstance(part, Table):
        if part.title and before[-1:] != [part.title]:
            yield from ("", part.title) if before else (part.title,)
        yield text_table(part.columns, part.rows)
    elif isinstance(part, Details):
        yield f"{indent}{part.summary}:"
        yield from (f"{indent}    {line}" for line in part.lines)


def _answers(part: AnswersGiven, in_words: bool) -> Iterator[str]:
    """The questions with their answers: a line for each with the people, or the sentences."""
    yield f"Three questions (WP216), {part.about}"
    if in_words:
        yield from (f"{INDENT}{one.question}  {one.sentence}" for one in part.answers)
        return
    rows = [part.columns, *((one, answer.capitalize(), *n) for one, answer, *n in part.in_rows)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield INDENT + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
    yield from (f"{INDENT}{sentence}" for sentence in part.beside_figures)
