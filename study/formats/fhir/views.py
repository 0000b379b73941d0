"""View definitions: which rows and columns a resource of FHIR becomes, in the manner of SQL on FHIR.

A view is compiled once. It then gives each resource its rows as tuples, so that many resources are columns after one
``zip``. Of a view definition are read ``resource`` and ``select`` (``column``, ``select``, ``forEach``,
``forEachOrNull``, ``unionAll``).

Source: SQL on FHIR 2.0, HL7, "View definition" and its processing algorithm.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from study.formats.fhir.paths import Collection, CompiledPath, Expression, ViewError, compiled_path

Row: TypeAlias = tuple[Any, ...]
# All that a definition says of a column: ``name``, ``path``, ``type`` and what else there is.
ViewColumn: TypeAlias = Mapping[str, Any]
# The rows of a value in a resource, and of its place among those of its ``forEach``.
_Rows: TypeAlias = Callable[[Collection, int], list[Row]]
# What SQL on FHIR has beside, and would change the rows.
_NOT_READ = ("constant", "where", "repeat", "collection")


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
