"""A config as text: one literal, a reason beside each line, and a mark on what a controller has to decide."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from disclosure_control.basics.words import without_controls

REVIEW = "review:"
WIDTH = 118
INDENT = "    "


@dataclass(frozen=True)
class Line:
    """A value of the config and why it was drafted; ``review`` where a controller has to decide."""

    value: object
    reason: str = ""
    review: bool = False


@dataclass(frozen=True)
class Key:
    """A key of the config: the ``lines`` are its value, its list or, by name, its dictionary.

    ``comment`` stands above it, and ``notes`` are further comments above, each on a line of its own.
    """

    name: str
    lines: Line | Sequence[Line] | Mapping[str, Line]
    comment: str = ""
    notes: Sequence[str] = ()

    @property
    def value(self) -> object:
        """What Python reads there."""
        if isinstance(self.lines, Line):
            return self.lines.value
        if isinstance(self.lines, Mapping):
            return {name: line.value for name, line in self.lines.items()}
        return [line.value for line in self.lines]


def config_text(title: str, keys: Iterable[Key], last_words: Iterable[str] = ()) -> str:
    """The text of a config file: ``config = {...}``, read and never run.

    ``title`` becomes the docstring, a blank line in it a paragraph; ``last_words`` are comments at the end of the
    literal.
    """
    lines = [*_docstring(title), "", "config = {"]
    for key in keys:
        lines += _key(key)
    for words in last_words:
        lines += _comment(words, INDENT)
    return "\n".join([*lines, "}"]) + "\n"


def lines_to_review(text: str) -> int:
    """How many comments of a config ask for a decision."""
    return sum(line.lstrip().startswith(f"# {REVIEW}") or f"  # {REVIEW}" in line for line in text.splitlines())


def python_text(value: object) -> str:
    """A value as a config writes it: text in double quotes, which Python reads back as it was."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{python_text(name)}: {python_text(part)}" for name, part in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(python_text, value)) + "]"
    return repr(value)


def _docstring(title: str) -> list[str]:
    harmless = title.replace("\\", "/").replace('"""', "'''")
    paragraphs = "\n\n".join(textwrap.fill(_one_line(part), WIDTH) for part in harmless.split("\n\n"))
    return f'"""{paragraphs}\n"""'.split("\n")


def _key(key: Key) -> Iterator[str]:
    for words in (key.comment, *key.notes):
        yield from _comment(words, INDENT)
    name = python_text(key.name)
    if isinstance(key.lines, Line):
        yield from _line(f"{name}: ", key.lines, INDENT)
    elif not key.lines:
        yield f"{INDENT}{name}: {'{}' if isinstance(key.lines, Mapping) else '[]'},"
    else:
        is_dictionary = isinstance(key.lines, Mapping)
        opening, closing = "{}" if is_dictionary else "[]"
        items = key.lines.items() if isinstance(key.lines, Mapping) else (("", line) for line in key.lines)
        yield f"{INDENT}{name}: {opening}"
        for part, line in items:
            yield from _line(f"{python_text(part)}: " if is_dictionary else "", line, INDENT * 2)
        yield f"{INDENT}{closing},"


def _line(start: str, line: Line, indent: str) -> Iterator[str]:
    """One value with its reason: beside it where the line is long enough, else above it."""
    reason = _one_line(f"{REVIEW} {line.reason}" if line.review else line.reason)
    code = f"{indent}{start}{python_text(line.value)},"
    if reason and len(code) + len(reason) + 4 <= WIDTH:
        yield f"{code}  # {reason}"
    else:
        yield from _comment(reason, indent)
        yield code


def _comment(words: str, indent: str) -> list[str]:
    wrapped = textwrap.wrap(_one_line(words), WIDTH - len(indent) - 2, break_long_words=False)
    return [f"{indent}# {line}" for line in wrapped]


def _one_line(words: str) -> str:
    """Words that cannot end their comment: in one line, and without what a terminal or Python takes for an end of it."""
    return without_controls(" ".join(words.split()))
