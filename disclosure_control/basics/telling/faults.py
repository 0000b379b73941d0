"""Faults in data, files and settings: all of them at once, and no person in them."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from typing import TypeVar

Held = TypeVar("Held")

LONGEST_BEGINNING, LONGEST_END = 3_000, 1_000  # characters of a message: the fault first, the remedy last


class FaultyInputError(ValueError):
    """Something in the data, the files or the settings is at fault; ``faults`` names all of it at once.

    Messages name files, columns, kinds and counts, never a subject or a value of a person. A message that shows a huge
    setting loses its middle.
    """

    def __init__(self, faults: str | Iterable[str]):
        self.faults = tuple(map(_shortened, (faults,) if isinstance(faults, str) else faults))
        super().__init__("\n".join(self.faults))


def _shortened(fault: str) -> str:
    n_more = len(fault) - LONGEST_BEGINNING - LONGEST_END
    if n_more <= 0:
        return fault
    return f"{fault[:LONGEST_BEGINNING]} [... {n_more:,} more characters ...] {fault[-LONGEST_END:]}"


class RecordsNotAtHandError(FaultyInputError):
    """Something needs every record at once, and the store of this run does not have them."""

    def __init__(self, what: str):
        super().__init__(
            f"{what} needs all records in memory, and the engine of this run does not hold them; use --engine memory "
            "on a machine with enough of it"
        )


def at_hand(found: Held | None, what: str) -> Held:
    """A store's value for all records. Raises ``RecordsNotAtHandError`` if the store does not have it."""
    if found is None:
        raise RecordsNotAtHandError(what)
    return found


class ColumnNames(tuple[str, ...]):
    """The columns of a dataset, and ``absence``, the known reasons why others are not among them."""

    absence: Callable[[str], str | None]

    def __new__(cls, names: Iterable[str], absence: Callable[[str], str | None]) -> ColumnNames:
        """Keep the names in their order."""
        columns = super().__new__(cls, names)
        columns.absence = absence
        return columns


def stop_at(faults: Iterable[str]) -> None:
    """Raise ``FaultyInputError`` with these faults, if there is one."""
    found = tuple(faults)
    if found:
        raise FaultyInputError(found)


def nearest_name(name: object, known: Iterable[str]) -> str:
    """``; did you mean 'K'?`` with the nearest of the known names, or an empty text where none is near.

    Where the known names are columns that can say why this one is not among them, that is said instead.
    """
    why = known.absence(str(name)) if isinstance(known, ColumnNames) else None
    if why is not None:
        return f"; {why}"
    by_folded = {str(candidate).casefold(): candidate for candidate in known}
    close = difflib.get_close_matches(str(name).casefold(), list(by_folded), n=1, cutoff=0.5)
    return f"; did you mean {by_folded[close[0]]!r}?" if close else ""
