"""What a path does: functions of a collection (a list of JSON values) that give another one; what is absent is empty.

Each step of a path, function and operator is made here as such a function; ``paths`` puts them together. Of FHIRPath
are here those that a view uses.

Source: FHIRPath 2.0, HL7, 2020.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

Collection: TypeAlias = list[Any]
# Of a collection, and the place of the row among those of its ``forEach``.
Expression: TypeAlias = Callable[[Collection, int], Collection]


class ViewError(ValueError):
    """A view definition or a path in it is wrong, or gives what it may not; messages name no value of a resource."""


@functools.lru_cache(maxsize=1 << 16)
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


# ---------------------------------------------------------------- steps along a path


def member(name: str) -> Expression:
    """The values of an element; those of a list are values of their own."""

    def step(focus: Collection, index: int) -> Collection:
        found: Collection = []
        for one in focus:
            value = one.get(name) if isinstance(one, dict) else None
            if value is None:
                continue
            if isinstance(value, list):
                found += [each for each in value if each is not None]
            else:
                found.append(value)
        return found

    return step


# The elements that FHIR R4 writes with the name of their type, as far as a path may want to know of any.
CHOICES = ("value", "effective", "onset", "abatement", "performed", "occurrence", "medication", "deceased")


def of_any_type(name: str) -> Expression:
    """Where there is no member ``value``, what there is of ``valueString``, ``valueQuantity`` and so on."""
    plain, of_type = member(name), re.compile(re.escape(name) + "[A-Z]")

    def step(focus: Collection, index: int) -> Collection:
        found = plain(focus, index)
        if found:
            return found
        names = {key for one in focus if isinstance(one, dict) for key in one if of_type.match(key)}
        return [value for key in sorted(names) for value in member(key)(focus, index)]

    return step


def along(steps: Sequence[Expression]) -> Expression:
    """One step after the other; also where nothing is left, which ``empty()`` asks for."""
    if len(steps) == 1:
        return steps[0]

    def follow(focus: Collection, index: int) -> Collection:
        for step in steps:
            focus = step(focus, index)
        return focus

    return follow


def constantly(*values: Any) -> Expression:
    """The same values of every collection."""
    return lambda focus, index: list(values)


# ---------------------------------------------------------------- functions, made of what is in their brackets


def _is_true(found: Collection) -> bool:
    """Whether a collection is the value true. Raises ``ViewError`` where it is a value other than true or false."""
    if not found:
        return False
    if len(found) > 1 or not isinstance(found[0], bool):
        raise ViewError("a condition is neither true nor false")
    return found[0]


def _where(criterion: Expression) -> Expression:
    return lambda focus, index: [one for one in focus if _is_true(criterion([one], index))]


def _substring(start: int, length: int) -> Expression:
    return lambda focus, index: [
        one[start : start + length] for one in focus if isinstance(one, str) and start < len(one)
    ]


def _extension(url: str) -> Expression:
    extensions = member("extension")
    return lambda focus, index: [
        one for one in extensions(focus, index) if isinstance(one, dict) and one.get("url") == url
    ]


def _reference_keys(resource_type: str = "") -> Expression:
    def step(focus: Collection, index: int) -> Collection:
        references = [one.get("reference") for one in focus if isinstance(one, dict)]
        keys = [reference_key(one, resource_type) for one in references if isinstance(one, str)]
        return [key for key in keys if key is not None]

    return step


# Each with what its brackets contain: an expression, a text, a number, or the name of a type, which may be left out.
FUNCTIONS: Mapping[str, tuple[Callable[..., Expression], Sequence[str]]] = {
    "first": (lambda: lambda focus, index: focus[:1], ()),
    "exists": (lambda: lambda focus, index: [bool(focus)], ()),
    "empty": (lambda: lambda focus, index: [not focus], ()),
    "where": (_where, ("expression",)),
    "join": (lambda between: lambda focus, index: [between.join(map(str, focus))], ("text",)),
    "substring": (_substring, ("number", "number")),
    "extension": (_extension, ("text",)),
    "getResourceKey": (lambda: member("id"), ()),
    "getReferenceKey": (_reference_keys, ("name",)),
}


# ---------------------------------------------------------------- operators


def _or(left: Expression, right: Expression) -> Expression:
    """True where a side is; nothing where what is absent might be."""

    def step(focus: Collection, index: int) -> Collection:
        sides = [_is_true(found) if found else None for found in (left(focus, index), right(focus, index))]
        return [True] if True in sides else [] if None in sides else [False]

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


# From the one that binds least to the one that binds most.
OPERATORS: Mapping[str, Callable[[Expression, Expression], Expression]] = {"or": _or, "=": _equal, "|": _union}
