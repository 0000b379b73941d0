"""Paths into FHIR resources: the part of FHIRPath that view definitions need, compiled once into functions.

Of the language are here: members, ``[n]``, ``{}``, ``$this``, ``%name`` of constants and ``%rowIndex``, the functions
of ``FUNCTIONS``, ``ofType`` and ``getReferenceKey``, and the ``OPERATORS``. Dates are compared as text.

Sources: FHIRPath 2.0 (HL7, 2020), and SQL on FHIR 2.0, "required FHIRPath expressions".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from study.formats.fhir.expressions import (
    CHOICES,
    FUNCTIONS,
    OF_A_TYPE,
    OPERATORS,
    Expression,
    Step,
    ViewError,
    along,
    constantly,
    item_at,
    keys_of_references,
    of_any_type,
    resources_of_type,
)


@dataclass(frozen=True)
class CompiledPath:
    """A path: the function, and ``roots``, the elements of the resource from which it starts, by name.

    ``stays``: it gives the values that it is given, or some of them, and none of their elements.
    """

    text: str
    evaluate: Expression
    roots: frozenset[str]
    stays: bool


def compiled_path(text: object, constants: Mapping[str, Any] | None = None) -> CompiledPath:
    """A path as a function. Raises ``ViewError`` where it is not of the part of FHIRPath that is read here."""
    if not isinstance(text, str):
        raise ViewError(f"A path is text, not {type(text).__name__}")
    parser = _Parser(text, constants or {})
    expression = parser.whole()
    return CompiledPath(text, expression, frozenset(parser.roots), parser.stays)


# ---------------------------------------------------------------- reading the text of a path

_TOKEN = re.compile(
    r"""\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<text>'(?:[^'\\]|\\.)*')|(?P<name>[A-Za-z_]\w*)
    |(?P<constant>%\w+)|(?P<this>\$this)|(?P<sign><=|>=|!=|[-+*/|=<>().,\[\]{}]))""",
    re.VERBOSE,
)


class _Parser:
    """Reads one path by descent; ``roots`` and ``stays`` are as in ``CompiledPath``."""

    def __init__(self, text: str, constants: Mapping[str, Any]):
        self._text, self._constants = text, constants
        self._tokens = self._read()
        self._place = 0
        self._is_at_root = True
        self._depth = 0
        self.roots: set[str] = set()
        self.stays = True

    def whole(self) -> Expression:
        expression = self._binary(0)
        if self._place < len(self._tokens):
            raise self._error(f"has {self._next()[1]!r} after its end")
        return expression

    def _read(self) -> list[tuple[str, str]]:
        tokens, place, text = [], 0, self._text.rstrip()
        while place < len(text):
            match = _TOKEN.match(text, place)
            if match is None:
                raise self._error(f"has something at position {place + 1} that is not read here")
            tokens.append((str(match.lastgroup), match[str(match.lastgroup)]))
            place = match.end()
        return tokens

    def _error(self, what: str) -> ViewError:
        return ViewError(f"the path {self._text!r} {what}")

    def _next(self) -> tuple[str, str]:
        return self._tokens[self._place] if self._place < len(self._tokens) else ("end", "")

    def _take(self, *wanted: str) -> bool:
        if self._next()[1] in wanted and self._next()[0] in ("sign", "name"):
            self._place += 1
            return True
        return False

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            raise self._error(f"lacks {sign!r} before {self._next()[1] or 'its end'!r}")

    def _binary(self, level: int) -> Expression:
        if level == len(OPERATORS):
            return self._invocations()
        left = self._binary(level + 1)
        while self._next()[1] in OPERATORS[level] and self._next()[0] in ("sign", "name"):
            made = OPERATORS[level][self._next()[1]]
            self._place += 1
            left = made(left, self._binary(level + 1))
        return left

    def _invocations(self) -> Expression:
        """A term with everything behind its dots and in its square brackets."""
        was_at_root = self._is_at_root
        steps: list[Step] = [self._term()]
        while True:
            if self._take("."):
                self._is_at_root = False
                steps.append(self._named_step())
            elif self._take("["):
                steps.append(item_at(self._inner(was_at_root)))
                self._expect("]")
            else:
                self._is_at_root = was_at_root
                return along(steps)

    def _term(self) -> Step:
        kind, token = self._next()
        if kind == "name":
            return self._named_step()
        self._place += 1
        if kind == "number":
            return constantly(float(token) if "." in token else int(token))
        if kind == "text":
            return constantly(re.sub(r"\\(.)", r"\1", token[1:-1]))
        if kind == "this":
            return lambda focus, index: focus
        if kind == "constant":
            return self._constant(token[1:])
        if token == "(":
            inside = self._binary(0)
            self._expect(")")
            return inside
        if token == "{":
            self._expect("}")
            return constantly()
        raise self._error(f"has {token or 'its end'!r} where an expression is expected")

    def _constant(self, name: str) -> Expression:
        if name == "rowIndex":
            return lambda focus, index: [index]
        if name not in self._constants:
            raise self._error(f"names %{name}, which is no constant of the view")
        return constantly(self._constants[name])

    def _named_step(self) -> Step:
        kind, name = self._next()
        if kind != "name":
            raise self._error(f"has {name or 'its end'!r} where a name is expected")
        self._place += 1
        if name in ("true", "false"):
            return constantly(name == "true")
        if self._take("("):
            return self._function(name)
        step, full_name = self._element(name)
        self.stays &= self._depth > 0
        if self._is_at_root:
            self.roots.add(full_name)
        return step

    def _element(self, name: str) -> tuple[Step, str]:
        """A member; the type in a following ``.ofType(T)`` is part of its name in JSON."""
        following = self._tokens[self._place : self._place + 5]
        if [token for _, token in following[:3]] == [".", "ofType", "("] and len(following) == 5:
            of_type = following[3][1]
            self._place += 4
            self._expect(")")
            name += of_type[:1].upper() + of_type[1:]
            return name, name
        return (of_any_type(name) if name in CHOICES else name), name

    def _function(self, name: str) -> Expression:
        if name in OF_A_TYPE:
            kind, of_type = self._next()
            self._place += kind == "name"
            self._expect(")")
            if name == "ofType":
                return resources_of_type(of_type)
            return keys_of_references(of_type if kind == "name" else "")
        if name not in FUNCTIONS:
            raise self._error(f"has the function {name}(), which is not read here")
        made, least, most = FUNCTIONS[name]
        arguments = []
        while not self._take(")"):
            arguments.append(self._inner(self._is_at_root))
            if not self._take(",") and self._next()[1] != ")":
                raise self._error(f"lacks ')' after {name}(")
        if not least <= len(arguments) <= most:
            raise self._error(f"gives {name}() {len(arguments)} arguments")
        return made(*arguments)

    def _inner(self, is_at_root: bool) -> Expression:
        """An expression in brackets, of which the members start where those of the outer one do, or further in."""
        before, self._is_at_root = self._is_at_root, is_at_root
        self._depth += 1
        inside = self._binary(0)
        self._depth -= 1
        self._is_at_root = before
        return inside
