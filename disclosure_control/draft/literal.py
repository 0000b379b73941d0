"""A config as text: one literal, a reason beside each line, and a mark on what a controller has to decide."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from config import REVIEW
from disclosure_control.basics.settings.changes import python_text
from disclosure_control.basics.telling.words import without_controls

WIDTH = 118
INDENT = "    "


@dataclass(frozen=True)
class DraftedValue:
    """A value of the config and why it was drafted; ``review`` where a controller has to decide."""

    value: Any
    reason: str = ""
    review: bool = False


@dataclass(frozen=True)
class Group:
    """A list or, by name, a dictionary of the config; ``comment`` is printed above it, as its reason."""

    parts: Sequence[Node] | Mapping[str, Node]
    comment: str = ""
    review: bool = False

    @property
    def value(self) -> object:
        """The value that Python reads from the text."""
        if isinstance(self.parts, Mapping):
            return {name: part.value for name, part in self.parts.items()}
        return [part.value for part in self.parts]


Node = DraftedValue | Group


def config_text(title: str, keys: Mapping[str, Node]) -> str:
    """The text of a config file: ``config = {...}``, read and never run.

    ``title`` becomes the docstring, a blank line in it a paragraph.
    """
    lines = [*_docstring(title), "", "config = {"]
    for name, node in keys.items():
        lines += _node(f"{python_text(name)}: ", node, INDENT)
    return "\n".join([*lines, "}"]) + "\n"


def _docstring(title: str) -> list[str]:
    harmless = title.replace("\\", "/").replace('"""', "'''")
    paragraphs = "\n\n".join(textwrap.fill(_one_line(part), WIDTH - 3) for part in harmless.split("\n\n"))
    return f'"""{paragraphs}\n"""'.split("\n")


def _node(start: str, node: Node, indent: str) -> Iterator[str]:
    """A value with its reason: beside it if the line has room, else above it; a group's parts below it."""
    reason = node.reason if isinstance(node, DraftedValue) else node.comment
    words = _one_line(f"{REVIEW} {reason}" if node.review else reason)
    if isinstance(node, DraftedValue) or not node.parts:
        code = f"{indent}{start}{python_text(node.value)},"
        if words and len(code) + len(words) + 4 <= WIDTH:
            yield f"{code}  # {words}"
        else:
            yield from comment_lines(words, indent)
            yield code
        return
    opening, closing = "{}" if isinstance(node.parts, Mapping) else "[]"
    yield from comment_lines(words, indent)
    yield f"{indent}{start}{opening}"
    if isinstance(node.parts, Mapping):
        for name, part in node.parts.items():
            yield from _node(f"{python_text(name)}: ", part, indent + INDENT)
    else:
        for part in node.parts:
            yield from _node("", part, indent + INDENT)
    yield f"{indent}{closing},"


def comment_lines(words: str, indent: str) -> list[str]:
    """Words as lines of a comment, none of which they can end."""
    width = WIDTH - len(indent) - 2
    wrapped = textwrap.wrap(_one_line(words), width, break_long_words=False)
    return [f"{indent}# {line}" for line in wrapped]


def _one_line(words: str) -> str:
    """Words that cannot end their comment: in one line, with no character that ends a line in a terminal or Python."""
    return without_controls(" ".join(words.split()))
