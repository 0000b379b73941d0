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

from study.formats.fhir.expressions import Collection, Expression, ViewError
from study.formats.fhir.paths import CompiledPath, compiled_path

Row: TypeAlias = tuple[Any, ...]
# The rows of a value in a resource, and of its place among those of its ``forEach``.
_Rows: TypeAlias = Callable[[Collection, int], list[Row]]


@dataclass(frozen=True)
class ViewColumn:
    """A column of a view as it is declared; ``declared`` has all that its definition says of it."""

    name: str
    type: str
    declared: Mapping[str, Any] = field(repr=False)


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
    """A view definition as a function of resources. Raises ``ViewError`` where it is not one that is read here."""
    resource = definition.get("resource")
    if not isinstance(resource, str) or not definition.get("select"):
        raise ViewError("a view names a resource, and has a select")
    _stop_at_unread(definition)
    compiler = _Compiler()
    select = compiler.together(definition["select"], True)
    names = [column.name for column in select.columns]
    if len(set(names)) < len(names):
        raise ViewError("a view has a name for each column once")
    return View(
        name=str(definition.get("name", resource)),
        resource=resource,
        columns=select.columns,
        reads=frozenset(compiler.reads),
        _rows=select.rows,
    )


def _stop_at_unread(part: Mapping[str, Any]) -> None:
    """What SQL on FHIR has beside, and would change the rows."""
    for name in ("constant", "where", "repeat", "collection"):
        if part.get(name):
            raise ViewError(f"a view has {name!r}, which is not read here")


# ---------------------------------------------------------------- selects


@dataclass(frozen=True)
class _Select:
    columns: tuple[ViewColumn, ...]
    rows: _Rows


@dataclass
class _Compiler:
    reads: set[str] = field(default_factory=set)

    def _path(self, text: object, is_of_resource: bool) -> CompiledPath:
        path = compiled_path(text)
        if is_of_resource:
            self.reads |= path.roots
        return path

    def together(self, selects: Iterable[Mapping[str, Any]], is_of_resource: bool) -> _Select:
        """Selects beside each other: each row of one with each row of the others."""
        return _beside([self._select(one, is_of_resource) for one in selects])

    def _select(self, select: Mapping[str, Any], is_of_resource: bool) -> _Select:
        _stop_at_unread(select)
        loops = [key for key in ("forEach", "forEachOrNull") if key in select]
        if len(loops) > 1:
            raise ViewError(f"a select has one of {' and '.join(loops)}")
        loop = self._path(select[loops[0]], is_of_resource) if loops else None
        is_inside = is_of_resource and (loop is None or loop.stays)
        parts = [self._columns(select["column"], is_inside)] if select.get("column") else []
        parts += [self._select(one, is_inside) for one in select.get("select", ())]
        if select.get("unionAll"):
            parts.append(_below([self._select(one, is_inside) for one in select["unionAll"]]))
        if not parts:
            raise ViewError("a select has a column, a select or a unionAll")
        inside = _beside(parts)
        return _for_each(loop.evaluate, inside, with_none="forEachOrNull" in loops) if loop else inside

    def _columns(self, declared: Iterable[Mapping[str, Any]], is_of_resource: bool) -> _Select:
        columns, values = [], []
        for one in declared:
            _stop_at_unread(one)
            columns.append(ViewColumn(one["name"], one.get("type", "string"), one))
            values.append(_one_value(self._path(one["path"], is_of_resource).evaluate, one["name"]))

        def rows(here: Collection, index: int) -> list[Row]:
            return [tuple([value(here, index) for value in values])]

        return _Select(tuple(columns), rows)


def _one_value(evaluate: Expression, name: str) -> Callable[[Collection, int], Any]:
    def value(here: Collection, index: int) -> Any:
        found = evaluate(here, index)
        if not found:
            return None
        if len(found) > 1:
            raise ViewError(f"column {name}: {len(found)} values where one is allowed")
        return found[0]

    return value


def _beside(parts: list[_Select]) -> _Select:
    if len(parts) == 1:
        return parts[0]
    every = [part.rows for part in parts]

    def rows(here: Collection, index: int) -> list[Row]:
        found = every[0](here, index)
        for part in every[1:]:
            if not found:
                break
            further = part(here, index)
            found = [row + more for row in found for more in further]
        return found

    return _Select(tuple(itertools.chain.from_iterable(part.columns for part in parts)), rows)


def _below(parts: list[_Select]) -> _Select:
    """Rows of one select after those of another, of the same columns."""
    names = [[column.name for column in part.columns] for part in parts]
    if any(one != names[0] for one in names):
        raise ViewError("the parts of a unionAll have the same columns in the same order")

    def rows(here: Collection, index: int) -> list[Row]:
        return [row for part in parts for row in part.rows(here, index)]

    return _Select(parts[0].columns, rows)


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
