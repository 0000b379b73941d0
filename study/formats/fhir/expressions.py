"""What a path does: functions of a collection (a list of JSON values) that give another one; what is absent is empty.

Each step of a path, function and operator of FHIRPath is made here as such a function; ``paths`` puts them together.

Source: FHIRPath 2.0, HL7, 2020.
"""

from __future__ import annotations

import functools
import itertools
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

Collection: TypeAlias = list[Any]
# Of a collection, and the place of the row among those of its ``forEach``.
Expression: TypeAlias = Callable[[Collection, int], Collection]
# The name of a member, or what else is done with a collection.
Step: TypeAlias = str | Expression


class ViewError(ValueError):
    """A view definition or a path in it is wrong, or gives what it may not; messages name no value of a resource."""


def is_true(found: Collection) -> bool:
    """Whether a collection is the value true. Raises ``ViewError`` where it is a value other than true or false."""
    if not found:
        return False
    if len(found) > 1 or not isinstance(found[0], bool):
        raise ViewError("a condition is neither true nor false")
    return found[0]


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


def _member(name: str) -> Expression:
    def step(focus: Collection, index: int) -> Collection:
        found: Collection = []
        for one in focus:
            value = one.get(name) if isinstance(one, dict) else None
            if isinstance(value, list):
                found += [each for each in value if each is not None]
            elif value is not None:
                found.append(value)
        return found

    return step


def of_any_type(name: str) -> Expression:
    """Where there is no member ``value``, what there is of ``valueString``, ``valueQuantity`` and so on."""
    plain, of_type = _member(name), re.compile(re.escape(name) + "[A-Z]")

    def step(focus: Collection, index: int) -> Collection:
        found = plain(focus, index)
        if found:
            return found
        names = {key for one in focus if isinstance(one, dict) for key in one if of_type.match(key)}
        return [value for key in sorted(names) for value in _member(key)(focus, index)]

    return step


# The elements that FHIR R4 writes with the name of their type, as far as a path may want to know of any.
CHOICES = ("value", "effective", "onset", "abatement", "performed", "occurrence", "medication", "deceased")


def first_of(focus: Collection, index: int) -> Collection:
    return focus[:1]


def along(steps: Sequence[Step]) -> Expression:
    """One step after the other; also where nothing is left, which ``empty()`` asks for."""
    functions: list[Expression] = []
    for is_walk, group in itertools.groupby(steps, lambda one: isinstance(one, str) or one is first_of):
        together = list(group)
        functions += [_walk(together)] if is_walk else [one for one in together if not isinstance(one, str)]
    if len(functions) == 1:
        return functions[0]

    def follow(focus: Collection, index: int) -> Collection:
        for function in functions:
            focus = function(focus, index)
        return focus

    return follow


def _walk(steps: Sequence[Step]) -> Expression:
    """Members and ``first()`` only, most of every view: from a single value to a single value without lists between."""
    each = [_member(one) if isinstance(one, str) else one for one in steps]
    takes_first = [*(one is first_of for one in steps[1:]), False]
    names = [(one, first) for one, first in zip(steps, takes_first, strict=True) if isinstance(one, str)]

    def walk(focus: Collection, index: int) -> Collection:
        if len(focus) != 1:
            return whole(focus, index)
        value = focus[0]
        for name, is_first in names:
            value = value.get(name) if isinstance(value, dict) else None
            if value is None:
                return []
            if isinstance(value, list):
                if not is_first or not value or value[0] is None:
                    return whole(focus, index)
                value = value[0]
        return [value]

    def whole(focus: Collection, index: int) -> Collection:
        for step in each:
            focus = step(focus, index)
        return focus

    return walk


def constantly(*values: Any) -> Expression:
    return lambda focus, index: list(values)


# ---------------------------------------------------------------- functions

# Each makes a step from the expressions in its brackets.
_Function: TypeAlias = Callable[..., Expression]


def _first() -> Expression:
    return first_of


def _exists(*criteria: Expression) -> Expression:
    kept = _where(*criteria) if criteria else first_of
    return lambda focus, index: [bool(kept(focus, index))]


def _empty() -> Expression:
    return lambda focus, index: [not focus]


def _not() -> Expression:
    return lambda focus, index: [not is_true(focus)] if focus else []


def _where(criterion: Expression) -> Expression:
    return lambda focus, index: [one for one in focus if is_true(criterion([one], index))]


def _join(separator: Expression | None = None) -> Expression:
    def step(focus: Collection, index: int) -> Collection:
        between = separator(focus, index) if separator else [""]
        return [str(between[0] if between else "").join(map(str, focus))]

    return step


def _substring(start: Expression, length: Expression) -> Expression:
    def step(focus: Collection, index: int) -> Collection:
        ((begin,), (n_letters,)) = start(focus, index), length(focus, index)
        return [one[begin : begin + n_letters] for one in focus if isinstance(one, str) and begin < len(one)]

    return step


def _extension(url: Expression) -> Expression:
    extensions = _member("extension")

    def step(focus: Collection, index: int) -> Collection:
        wanted = url(focus, index)
        return [one for one in extensions(focus, index) if isinstance(one, dict) and [one.get("url")] == wanted]

    return step


def _get_resource_key() -> Expression:
    return _member("id")


def keys_of_references(resource_type: str = "") -> Expression:
    def step(focus: Collection, index: int) -> Collection:
        found: Collection = []
        for one in focus:
            reference = one.get("reference") if isinstance(one, dict) else None
            key = reference_key(reference, resource_type) if isinstance(reference, str) else None
            if key is not None:
                found.append(key)
        return found

    return step


FUNCTIONS: Mapping[str, tuple[_Function, int, int]] = {
    "first": (_first, 0, 0),
    "exists": (_exists, 0, 1),
    "empty": (_empty, 0, 0),
    "not": (_not, 0, 0),
    "where": (_where, 1, 1),
    "join": (_join, 0, 1),
    "substring": (_substring, 2, 2),
    "extension": (_extension, 1, 1),
    "getResourceKey": (_get_resource_key, 0, 0),
}
# Those whose brackets contain the name of a type.
OF_A_TYPE = ("ofType", "getReferenceKey")


def resources_of_type(name: str) -> Expression:
    """The resources of a type; of an element, the type is part of its name, which the parser sees to."""
    return lambda focus, index: [one for one in focus if isinstance(one, dict) and one.get("resourceType") == name]


# ---------------------------------------------------------------- operators


def _of_two(calculate: Callable[[Any, Any], Any]) -> Callable[[Expression, Expression], Expression]:
    """An operator of two single values; nothing where one of them is absent."""

    def made(left: Expression, right: Expression) -> Expression:
        def step(focus: Collection, index: int) -> Collection:
            first, second = left(focus, index), right(focus, index)
            if not first or not second:
                return []
            if len(first) > 1 or len(second) > 1:
                raise ViewError("an operator has several values beside it where one is allowed")
            try:
                return [calculate(first[0], second[0])]
            except TypeError:
                raise ViewError("an operator has values of different types beside it") from None
            except ZeroDivisionError:
                return []

        return step

    return made


def _equal(wanted: bool) -> Callable[[Expression, Expression], Expression]:
    def made(left: Expression, right: Expression) -> Expression:
        def step(focus: Collection, index: int) -> Collection:
            first, second = left(focus, index), right(focus, index)
            return [(first == second) is wanted] if first and second else []

        return step

    return made


def _union(left: Expression, right: Expression) -> Expression:
    def step(focus: Collection, index: int) -> Collection:
        first, second = left(focus, index), right(focus, index)
        if len(first) + len(second) < 2:
            return first or second
        found: Collection = []
        for one in [*first, *second]:
            if one not in found:
                found.append(one)
        return found

    return step


def _logical(decisive: bool) -> Callable[[Expression, Expression], Expression]:
    """``or``, which true decides, and ``and``, which false does; nothing where what is absent might decide."""

    def made(left: Expression, right: Expression) -> Expression:
        def step(focus: Collection, index: int) -> Collection:
            sides = [is_true(found) if found else None for found in (left(focus, index), right(focus, index))]
            if decisive in sides:
                return [decisive]
            return [] if None in sides else [not decisive]

        return step

    return made


# From those that bind least to those that bind most.
OPERATORS: tuple[Mapping[str, Callable[[Expression, Expression], Expression]], ...] = (
    {"or": _logical(True)},
    {"and": _logical(False)},
    {"=": _equal(True), "!=": _equal(False)},
    {
        "<": _of_two(operator.lt),
        "<=": _of_two(operator.le),
        ">": _of_two(operator.gt),
        ">=": _of_two(operator.ge),
    },
    {"|": _union},
    {"+": _of_two(operator.add), "-": _of_two(operator.sub)},
    {"*": _of_two(operator.mul), "/": _of_two(operator.truediv)},
)


def item_at(number: Expression) -> Expression:
    def step(focus: Collection, index: int) -> Collection:
        places = number(focus, index)
        place = places[0] if len(places) == 1 else None
        if not isinstance(place, int):
            raise ViewError("square brackets contain no whole number")
        return focus[place : place + 1] if place >= 0 else []

    return step
