"""The rules that authorities ask for, as data: each file of ``books`` is a book of rules; adding one needs no code.

A book names its source; a rule has the clause, what it asks, and what fulfils it: columns that must not leave, figures
of the JSON summary, statements of the controller under ``context``, or the decision of a person.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

BOOKS = Path(__file__).parent / "books"


@dataclass(frozen=True)
class FigureAsked:
    """A figure of the JSON summary: its ``path`` with dots, and the sentence that gives it in place of ``{value}``.

    With a bound, a figure beyond it does not meet the rule; without one it only shows what is. ``at_most`` and
    ``at_least`` bound a number, or the number of entries of a list, or of those that are not 0 among numbers by name;
    ``equals`` compares with anything. With ``if_counted``, a run without the figure owes none; with ``or_person``, one
    beyond its bound is for a person to judge.
    """

    path: str
    says: str
    at_most: float | None = None
    at_least: float | None = None
    equals: str | float | bool | None = None
    if_counted: bool = False
    or_person: bool = False

    @property
    def is_bounded(self) -> bool:
        """Whether the figure decides, and does not only inform."""
        return any(bound is not None for bound in (self.at_most, self.at_least, self.equals))


@dataclass(frozen=True)
class ColumnsAsked:
    """Columns that must not leave: by what the scan of identifiers found in them, or by the words of their headings.

    ``headings`` are beginnings of words, ``=`` before one asks for it whole, as ``basics.column_names.any_of`` reads
    them; not those of ``not_headings``. ``operations``: all columns of these operations of the release are asked for,
    too. What leaves changed, or as a pseudonym, is for a person to say whether that is enough.
    """

    kinds: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    not_headings: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rule:
    """One line of a book. ``statements`` are settings of ``context``; ``person``: what a person has to decide."""

    id: str
    clause: str
    asks: str
    columns: ColumnsAsked | None = None
    figures: tuple[FigureAsked, ...] = ()
    statements: tuple[str, ...] = ()
    person: str = ""


@dataclass(frozen=True)
class RuleBook:
    """The rules of one source. ``name`` is that of its file; ``source`` and ``address`` say where to read it.

    ``short`` names it on the first screen. ``checked_against``: what of the source its rules were compared with.
    """

    name: str
    place: int
    title: str
    short: str
    source: str
    checked_against: str
    address: str
    about: str
    rules: tuple[Rule, ...]

    def reference(self, rule: Rule) -> str:
        """The name of a rule in a config, under ``context``, ``rules``."""
        return f"{self.name}:{rule.id}"


@cache
def rule_books() -> tuple[RuleBook, ...]:
    """Every book, in the order of their places."""
    books = [book_of(path.stem, json.loads(path.read_text(encoding="utf-8"))) for path in sorted(BOOKS.glob("*.json"))]
    return tuple(sorted(books, key=lambda book: (book.place, book.name)))


def references() -> Iterator[str]:
    """The names of all rules, as a config writes them."""
    return (book.reference(rule) for book in rule_books() for rule in book.rules)


def book_of(name: str, given: Mapping[str, Any]) -> RuleBook:
    """A book as its file gives it. Raises ``ValueError`` where a word is not one of the format."""
    _known(RuleBook, {"name", *given}, name)
    rules = tuple(_rule(one, f"{name}, rule {place}") for place, one in enumerate(given["rules"], 1))
    if len({rule.id for rule in rules}) < len(rules):
        raise ValueError(f"{name}: two rules have the same id")
    return RuleBook(**{**given, "name": name, "rules": rules})


def _rule(given: Mapping[str, Any], place: str) -> Rule:
    _known(Rule, given, place)
    columns = given.get("columns")
    if columns is not None:
        _known(ColumnsAsked, columns, place)
        columns = ColumnsAsked(**{name: tuple(words) for name, words in columns.items()})
    for figure in given.get("figures", ()):
        _known(FigureAsked, figure, place)
    rule = Rule(
        **{
            **given,
            "columns": columns,
            "figures": tuple(FigureAsked(**figure) for figure in given.get("figures", ())),
            "statements": tuple(given.get("statements", ())),
        }
    )
    if not (rule.columns or rule.figures or rule.statements or rule.person):
        raise ValueError(f"{place}: nothing fulfils it; name columns, figures, statements or what a person decides")
    return rule


def _known(kind: type, given: Any, place: str) -> None:
    unknown = set(given) - {field.name for field in fields(kind)}
    if unknown:
        raise ValueError(f"{place}: unknown word {', '.join(sorted(unknown))}")
