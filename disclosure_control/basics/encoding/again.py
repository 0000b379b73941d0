"""An iterable that can be iterated as often as needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

Part = TypeVar("Part", covariant=True)


class Anew(Generic[Part]):
    """What a function gives, each time anew."""

    def __init__(self, parts: Callable[[], Iterable[Part]]):
        self._parts = parts

    def __iter__(self) -> Iterator[Part]:
        return iter(self._parts())
