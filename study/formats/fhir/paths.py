"""Paths into FHIR resources: what view definitions need of FHIRPath, compiled once into functions.

Of the language are here: members, one ``ofType(T)`` after a member, the ``FUNCTIONS`` and ``OPERATORS``, texts, whole
numbers, ``true``, ``false``, ``{}`` and ``%rowIndex``. All else is an error that names it.

Sources: FHIRPath 2.0 (HL7, 2020), and SQL on FHIR 2.0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from study.formats.fhir.expressions import (
    CHOICES,
    FUNCTIONS,
    OPERATORS,
    Expression,
    ViewError,
    along,
    constantly,
    member,
    of_any_type,
)


@dataclass(frozen=True)
class CompiledPath:
    """A path: the function, and ``roots``, the elements of the resource from which it starts, by name.

    ``stays``: it gives the values that it is given, or some of them, and none of their elements.
    """

    evaluate: Expression
    roots: frozenset[str]
    stays: bool


def compiled_path(text: object) -> CompiledPath:
    """A path as a function. Raises ``ViewError`` where it is not of the part of FHIRPath that is read here."""
    if not isinstance(text, str):
        raise ViewError(f"A path is text, not {type(text).__name__}")
    parser = _Parser(text)
    expression = parser.whole()
    return CompiledPath(expression, frozenset(parser.roots), parser.stays)


_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+)|'(?P<text>[^'\\]*)'|(?P<name>[A-Za-z_]\w*)|(?P<row>%rowIndex)|(?P<sign>[|=.,(){}]))\s*"
)
_LITERALS: Mapping[str, Callable[[str], Any]] = {"text": str, "number": int, "name": str}
_LEVELS = tuple(OPERATORS)


class _Parser:
    """Reads one path by descent; ``roots`` and ``stays`` are as in ``CompiledPath``.

    ``is_at_root``: what is read next is asked of the resource itself, and not of an element of it.
    """

    def __init__(self, text: str):
        self._text = text
        self._tokens = self._read()
        self._place = 0
        self.roots: set[str] = set()
        self.stays = True

    def whole(self) -> Expression:
        expression = self._expression(True)
        if self._place < len(self._tokens):
            raise self._error(f"has {self._next[1]!r} after its end, which is not read here")
        return expression

    def _read(self) -> list[tuple[str, str]]:
        tokens, place = [], 0
        while place < len(self._text):
            match = _TOKEN.match(self._text, place)
            if match is None:
                raise self._error(
                    f"has {self._text[place:].strip()[0]!r} at position {place + 1}, which is not read here"
                )
            kind = str(match.lastgroup)
            tokens.append((kind, match[kind]))
            place = match.end()
        return tokens

    def _error(self, what: str) -> ViewError:
        return ViewError(f"the path {self._text!r} {what}")

    @property
    def _next(self) -> tuple[str, str]:
        """The kind and the text of the next token."""
        return self._tokens[self._place] if self._place < len(self._tokens) else ("end", "its end")

    def _take(self, wanted: str) -> bool:
        is_there = self._next in (("sign", wanted), ("name", wanted))
        self._place += is_there
        return is_there

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            raise self._error(f"lacks {sign!r} before {self._next[1]!r}")

    def _expression(self, is_at_root: bool, level: int = 0) -> Expression:
        if level == len(_LEVELS):
            return self._steps(is_at_root)
        left = self._expression(is_at_root, level + 1)
        while self._take(_LEVELS[level]):
            left = OPERATORS[_LEVELS[level]](left, self._expression(is_at_root, level + 1))
        return left

    def _steps(self, is_at_root: bool) -> Expression:
        """A term with everything behind its dots."""
        steps = [self._term(is_at_root)]
        while self._take("."):
            steps.append(self._named_step(is_at_root=False))
        return along(steps)

    def _term(self, is_at_root: bool) -> Expression:
        kind, token = self._next
        if kind == "name":
            return self._named_step(is_at_root)
        self._place += 1
        if kind in _LITERALS:
            return constantly(_LITERALS[kind](token))
        if kind == "row":
            return lambda focus, index: [index]
        if token == "(":
            inside = self._expression(is_at_root)
            self._expect(")")
            return inside
        if token == "{":
            self._expect("}")
            return constantly()
        raise self._error(f"has {token!r} where an expression is expected")

    def _named_step(self, is_at_root: bool) -> Expression:
        kind, name = self._next
        if kind != "name":
            raise self._error(f"has {name!r} where a name is expected")
        self._place += 1
        if self._take("("):
            return self._function(name, is_at_root)
        if name in ("true", "false"):
            return constantly(name == "true")
        of_type = self._type_behind()
        self.stays = False
        if is_at_root:
            self.roots.add(name + of_type)
        return of_any_type(name) if name in CHOICES and not of_type else member(name + of_type)

    def _type_behind(self) -> str:
        """The type in a following ``.ofType(T)``, which is part of the name of an element in JSON; "" without one."""
        following = self._tokens[self._place : self._place + 5]
        if [token for _, token in following[:3]] != [".", "ofType", "("] or len(following) < 5:
            return ""
        self._place += 4
        self._expect(")")
        return following[3][1][:1].upper() + following[3][1][1:]

    def _function(self, name: str, is_at_root: bool) -> Expression:
        if name not in FUNCTIONS:
            raise self._error(f"has the function {name}(), which is not read here")
        made, kinds = FUNCTIONS[name]
        arguments = list(self._arguments(kinds, is_at_root))
        self._expect(")")
        return made(*arguments)

    def _arguments(self, kinds: Sequence[str], is_at_root: bool) -> Iterator[Any]:
        """What is in the brackets of a function: members in it start where those of the outer expression do."""
        for number, wanted in enumerate(kinds):
            if number:
                self._expect(",")
            kind, token = self._next
            if wanted == "expression":
                stays = self.stays
                yield self._expression(is_at_root)
                self.stays = stays
            elif kind == wanted:
                self._place += 1
                yield _LITERALS[kind](token)
            elif wanted != "name":
                raise self._error(f"has {token!r} where a {wanted} is expected")
