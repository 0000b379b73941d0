"""View definitions: which rows and columns a resource of FHIR becomes, in the manner of SQL on FHIR.

A view is compiled once. It then gives each resource its rows as tuples, so that many resources are columns after one
``zip``. Of a view definition are read ``resource`` and ``select`` (``column``, ``select``, ``forEach``,
``forEachOrNull``, ``unionAll``).

Paths are read as far as the views need FHIRPath, and compiled into functions of a collection: a list of JSON values,
what is absent is empty. Of the language are here: members, ``ofType(T)`` behind a member, the ``FUNCTIONS``, ``|``,
``=``, ``or``, texts, whole numbers, ``true``, ``false``, ``{}`` and ``%rowIndex``. That much of its grammar is also
Python's, operators binding alike, and is read by Python's parser; an element that is called like a word of Python's,
such as ``for``, is refused.

Sources: SQL on FHIR 2.0, HL7, "View definition" and its processing algorithm; FHIRPath 2.0 (HL7, 2020).
"""

from __future__ import annotations

import ast
import itertools
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeAlias

Collection: TypeAlias = list[Any]
# Of a collection, and the place of the row among those of its ``forEach``.
Expression: TypeAlias = Callable[[Collection, int], Collection]
# The elements that FHIR R4 writes with the name of their type, as far as a path may want to know of any.
_CHOICES = ("value", "effective", "onset", "abatement", "performed", "occurrence", "medication", "deceased")
_TO_PYTHON = {"=": "==", "%rowIndex": "rowIndex_", "class": "class_"}
_LITERALS: Mapping[str, Expression] = {
    "true": lambda focus, index: [True],
    "false": lambda focus, index: [False],
    "rowIndex_": lambda focus, index: [index],
}
Row: TypeAlias = tuple[Any, ...]
# All that a definition says of a column: ``name``, ``path``, ``type`` and what else there is.
ViewColumn: TypeAlias = Mapping[str, Any]
# The rows of a value in a resource, and of its place among those of its ``forEach``.
_Rows: TypeAlias = Callable[[Collection, int], list[Row]]
# What SQL on FHIR has beside, and would change the rows.
_NOT_READ = ("constant", "where", "repeat", "collection")


class ViewError(ValueError):
    """A view definition or a path in it is wrong, or gives what it may not; messages name no value of a resource."""


@dataclass(frozen=True)
class CompiledPath:
    """A path: the function, and ``roots``, the elements of the resource from which it starts, by name.

    ``stays``: it gives the values that it is given, or some of them, and none of their elements.
    """

    evaluate: Expression
    roots: frozenset[str]
    stays: bool


def compiled_path(text: str) -> CompiledPath:
    """A path as a function. Raises ``ViewError`` where it is not of the part of FHIRPath that is read here."""
    if "#" in re.sub(r"'[^']*'", "", text):  # Python's mark of a comment
        raise ViewError(f"the path {text!r} is not of the part of FHIRPath that is read here")
    python = re.sub(r"'[^']*'|%rowIndex|\bclass\b|=", lambda found: _TO_PYTHON.get(found[0], found[0]), text)
    try:
        tree = ast.parse(python, mode="eval").body
        return CompiledPath(_expression(tree), _roots(tree), _stays(tree))
    except (SyntaxError, ValueError, KeyError, TypeError):
        raise ViewError(f"the path {text!r} is not of the part of FHIRPath that is read here") from None


def _expression(node: ast.AST) -> Expression:
    match node:
        case ast.Constant(value=str() | int() as value):
            return lambda focus, index: [value]
        case ast.Dict(keys=[]):
            return lambda focus, index: []
        case ast.Name(id=name):
            return _LITERALS.get(name) or _member(name)
        case ast.Attribute(value=before, attr=name):
            return _then(_expression(before), _member(name))
        case ast.Call(func=ast.Attribute(value=before, attr="ofType"), args=[ast.Name(id=kind)]):
            return _expression(_typed(before, kind))
        case ast.Call(func=ast.Attribute(value=before, attr=name), args=arguments):
            return _then(_expression(before), _function(name, arguments))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return _function(name, arguments)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _union(_expression(left), _expression(right))
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            return _equal(_expression(left), _expression(right))
        case ast.BoolOp(op=ast.Or(), values=sides):
            return _or(*map(_expression, sides))
    raise TypeError


def _function(name: str, arguments: Sequence[ast.expr]) -> Expression:
    """A function with what is in its brackets: an expression, the name of a type, or texts and numbers."""
    if name == "where":
        return FUNCTIONS[name](*map(_expression, arguments))
    is_of_types = name == "getReferenceKey"
    return FUNCTIONS[name](
        *(one.id if is_of_types and isinstance(one, ast.Name) else ast.literal_eval(one) for one in arguments)
    )


def _typed(node: ast.AST, kind: str) -> ast.expr:
    """The member before ``ofType``, by the name that it has in JSON: ``valueQuantity``."""
    behind = kind[:1].upper() + kind[1:]
    match node:
        case ast.Name(id=name):
            return ast.Name(name + behind)
        case ast.Attribute(value=before, attr=name):
            return ast.Attribute(before, name + behind)
    raise TypeError


def _roots(node: ast.AST) -> frozenset[str]:
    match node:
        case ast.Name(id=name):
            return frozenset() if name in _LITERALS else frozenset([name.removesuffix("_")])
        case ast.Call(func=ast.Attribute(value=before, attr="ofType"), args=[ast.Name(id=kind)]):
            return _roots(_typed(before, kind))
        case ast.Attribute(value=before) | ast.Call(func=ast.Attribute(value=before)):
            return _roots(before)
        case ast.Call(args=parts) | ast.BoolOp(values=parts):
            return frozenset().union(*map(_roots, parts))
        case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
            return _roots(left) | _roots(right)
    return frozenset()


def _stays(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=before)):
            return _stays(before)
        case ast.Call():
            return True
    return False


# ---------------------------------------------------------------- steps along a path


def _then(first: Expression, second: Expression) -> Expression:
    return lambda focus, index: second(first(focus, index), index)


def _member(name: str) -> Expression:
    """The values of an element; those of a list are values of their own. ``value`` is also that of any type."""
    name = name.removesuffix("_")
    of_type = re.compile(re.escape(name) + "[A-Z]") if name in _CHOICES else None

    def step(focus: Collection, index: int) -> Collection:
        found = _values(focus, name)
        if found or of_type is None:
            return found
        names = {key for one in focus if isinstance(one, dict) for key in one if of_type.match(key)}
        return [value for key in sorted(names) for value in _values(focus, key)]

    return step


def _values(focus: Collection, name: str) -> Collection:
    found: Collection = []
    for one in focus:
        value = one.get(name) if isinstance(one, dict) else None
        if isinstance(value, list):
            found += [each for each in value if each is not None]
        elif value is not None:
            found.append(value)
    return found


@lru_cache(maxsize=1 << 16)
def reference_key(reference: str, resource_type: str = "") -> str | None:
    """The id of the resource that a reference names; None if it names none, or one of another type.

    ``Patient/123``, ``https://host/fhir/Patient/123/_history/2`` and ``urn:uuid:123`` are ``123``. A contained
    resource (``#a``) and a search (``Patient?identifier=1``) have no key.
    """
    if reference.startswith(("urn:uuid:", "urn:oid:")):
        return reference.rpartition(":")[2] or None
    parts = reference.partition("/_history/")[0].split("/")
    if reference.startswith("#") or "?" in reference or not parts[-1]:
        return None
    is_other = resource_type and (len(parts) < 2 or parts[-2] != resource_type)
    return None if is_other else parts[-1]


def _reference_keys(resource_type: str = "") -> Expression:
    def step(focus: Collection, index: int) -> Collection:
        references = (one.get("reference") for one in focus if isinstance(one, dict))
        keys = (reference_key(one, resource_type) for one in references if isinstance(one, str))
        return [key for key in keys if key is not None]

    return step


def _is_true(found: Collection) -> bool:
    """Whether a collection is the value true. Raises ``ViewError`` where it is a value other than true or false."""
    if found and (len(found) > 1 or not isinstance(found[0], bool)):
        raise ViewError("a condition is neither true nor false")
    return bool(found) and found[0]


def _or(*sides: Expression) -> Expression:
    """True where a side is; nothing where what is absent might be."""

    def step(focus: Collection, index: int) -> Collection:
        found = [_is_true(one) if one else None for one in (side(focus, index) for side in sides)]
        return [True] if True in found else [] if None in found else [False]

    return step


def _equal(left: Expression, right: Expression) -> Expression:
    def step(focus: Collection, index: int) -> Collection:
        first, second = left(focus, index), right(focus, index)
        return [first == second] if first and second else []

    return step


def _union(left: Expression, right: Expression) -> Expression:
    def step(focus: Collection, index: int) -> Collection:
        found: Collection = []
        for one in (*left(focus, index), *right(focus, index)):
            if one not in found:
                found.append(one)
        return found

    return step


FUNCTIONS: Mapping[str, Callable[..., Expression]] = {
    "first": lambda: lambda focus, index: focus[:1],
    "exists": lambda: lambda focus, index: [bool(focus)],
    "empty": lambda: lambda focus, index: [not focus],
    "where": lambda criterion: lambda focus, index: [one for one in focus if _is_true(criterion([one], index))],
    "join": lambda between: lambda focus, index: [between.join(map(str, focus))],
    "substring": lambda start, length: (
        lambda focus, index: [one[start : start + length] for one in focus if isinstance(one, str) and start < len(one)]
    ),
    "extension": lambda url: (
        lambda focus, index: [
            one for one in _values(focus, "extension") if isinstance(one, dict) and one.get("url") == url
        ]
    ),
    "getResourceKey": lambda: _member("id"),
    "getReferenceKey": _reference_keys,
}


# ---------------------------------------------------------------- views


@dataclass(frozen=True)
class View:
    """A compiled view: its ``columns`` in their order, and the elements of the resource that it ``reads``."""

    name: str
    resource: str
    columns: tuple[ViewColumn, ...]
    reads: frozenset[str]
    _rows: _Rows = field(repr=False)

    def rows(self, resource: Mapping[str, Any]) -> list[Row]:
        """The rows of one resource of the view's type; what is absent is None.

        Raises ``ViewError`` where a column has several values, or a condition is neither true nor false.
        """
        return self._rows([resource], 0)


def compiled_view(definition: Mapping[str, Any]) -> View:
    """A sound view definition as a function of resources. Raises ``ViewError`` where it has what is not read here."""
    reads: set[str] = set()
    _stop_at_unread(definition)
    select = _beside([_select(one, reads, True) for one in definition["select"]])
    name, resource = definition.get("name", definition["resource"]), definition["resource"]
    return View(name, resource, select.columns, frozenset(reads), select.rows)


def _stop_at_unread(part: Mapping[str, Any]) -> None:
    if unread := [name for name in _NOT_READ if part.get(name)]:
        raise ViewError(f"a view has {unread[0]!r}, which is not read here")


# ---------------------------------------------------------------- selects


@dataclass(frozen=True)
class _Select:
    columns: tuple[ViewColumn, ...]
    rows: _Rows


def _select(select: Mapping[str, Any], reads: set[str], is_of_resource: bool) -> _Select:
    """A part of a view; what it reads of the resource itself is added to ``reads``."""
    _stop_at_unread(select)
    each = select.get("forEach") or select.get("forEachOrNull")
    loop = _path(each, reads, is_of_resource) if each else None
    is_inside = is_of_resource and (loop is None or loop.stays)
    parts = [_columns(select["column"], reads, is_inside)] if select.get("column") else []
    parts += [_select(one, reads, is_inside) for one in select.get("select", ())]
    if select.get("unionAll"):
        parts.append(_below([_select(one, reads, is_inside) for one in select["unionAll"]]))
    inside = _beside(parts)
    return _for_each(loop.evaluate, inside, with_none="forEachOrNull" in select) if loop else inside


def _path(text: str, reads: set[str], is_of_resource: bool) -> CompiledPath:
    path = compiled_path(text)
    if is_of_resource:
        reads |= path.roots
    return path


def _columns(declared: Iterable[ViewColumn], reads: set[str], is_of_resource: bool) -> _Select:
    columns, values = tuple(declared), []
    for one in columns:
        _stop_at_unread(one)
        values.append(_one_value(_path(one["path"], reads, is_of_resource).evaluate, one["name"]))
    return _Select(columns, lambda here, index: [tuple([value(here, index) for value in values])])


def _one_value(evaluate: Expression, name: str) -> Callable[[Collection, int], Any]:
    def value(here: Collection, index: int) -> Any:
        found = evaluate(here, index)
        if len(found) > 1:
            raise ViewError(f"column {name}: {len(found)} values where one is allowed")
        return found[0] if found else None

    return value


def _beside(parts: list[_Select]) -> _Select:
    """Each row of one select with each row of the others."""
    if len(parts) == 1:
        return parts[0]

    def rows(here: Collection, index: int) -> list[Row]:
        found = parts[0].rows(here, index)
        for part in parts[1:]:
            further = part.rows(here, index) if found else []
            found = [row + more for row in found for more in further]
        return found

    return _Select(tuple(itertools.chain.from_iterable(part.columns for part in parts)), rows)


def _below(parts: list[_Select]) -> _Select:
    """Rows of one select after those of another, of the same columns."""
    return _Select(parts[0].columns, lambda here, index: [row for part in parts for row in part.rows(here, index)])


def _for_each(found: Expression, inside: _Select, with_none: bool) -> _Select:
    def rows(here: Collection, index: int) -> list[Row]:
        values = found(here, index)
        if not values and with_none:
            return inside.rows([], 0)
        return [row for place, value in enumerate(values) for row in inside.rows([value], place)]

    return _Select(inside.columns, rows)


# ---------------------------------------------------------------- the views of this house


@cache
def declared_views() -> dict[str, Mapping[str, Any]]:
    """The definitions of ``views.json`` by the name of their table, in capitals."""
    definitions = json.loads(Path(__file__).with_name("views.json").read_text(encoding="utf-8"))
    return {one["name"].upper(): one for one in definitions}


@cache
def views_by_resource() -> dict[str, View]:
    """The views by the type of resource that they are of."""
    return {one["resource"]: compiled_view(one) for one in declared_views().values()}
