"""Values of JSON as columns, by the data types of Dataset-JSON."""

from __future__ import annotations

import gc
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from study.formats.values import LARGEST_EXACT_INTEGER, NUMBER_PATTERN, clean_name

JsonCells: TypeAlias = np.ndarray | pa.Array


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep Python from looking through millions of new lists for circles that JSON cannot have: half the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def numbers_in_texts(cells: Sequence[Any], missing: Collection[str]) -> tuple[Sequence[Any], Counter[str]]:
    """Return the cells of a column of numbers with texts as the numbers in them, and how often each token is missing.

    Decimals are text, so that no digit is lost on the way, and padded; R writes NA as text into any column.
    """
    n_tokens: Counter[str] = Counter()
    if str not in set(map(type, cells)):
        return cells, n_tokens
    n_tokens.update(text for cell in cells if isinstance(cell, str) and (text := clean_name(cell)) in missing)
    read = [_number_in(cell, missing) if isinstance(cell, str) else cell for cell in cells]
    return read, n_tokens


def _read_integers(cells: Sequence[Any]) -> tuple[JsonCells, int]:
    values, n_wrong = _read_numbers(cells)
    if isinstance(values, np.ndarray):
        n_wrong += int(np.count_nonzero(values != np.trunc(values)) - np.count_nonzero(np.isnan(values)))
    return values, n_wrong


def _read_numbers(cells: Sequence[Any]) -> tuple[JsonCells, int]:
    """Return numbers as float64, or as text where an integer is too large to stay exact: rather an identifier."""
    types = set(map(type, cells))
    if wrong := types - {int, float, type(None)}:
        return np.zeros(len(cells)), sum(type(cell) in wrong for cell in cells)
    if int in types and any(type(cell) is int and abs(cell) > LARGEST_EXACT_INTEGER for cell in cells):
        return pa.array([_number_as_text(cell) for cell in cells], type=pa.large_string()), 0
    values = np.array(cells, dtype=np.float64)
    return values, int(np.isinf(values).sum())


def _read_text(cells: Sequence[Any]) -> tuple[JsonCells, int]:
    # A code may have been written as a number; it is a code nevertheless.
    if not {int, float}.isdisjoint(map(type, cells)):
        cells = [_number_as_text(cell) if type(cell) in (int, float) else cell for cell in cells]
    return _as_text(cells)


def _read_booleans(cells: Sequence[Any]) -> tuple[JsonCells, int]:
    return _as_text([str(cell) if isinstance(cell, bool) else cell for cell in cells])


def _as_text(cells: Sequence[Any]) -> tuple[JsonCells, int]:
    if set(map(type, cells)) <= {str, type(None)}:
        try:
            return pa.array(cells, type=pa.large_string()), 0
        except UnicodeEncodeError:
            # Half of a surrogate pair, which JSON can write and no encoding can.
            pass
    n_wrong = sum(not (cell is None or _is_text(cell)) for cell in cells)
    return pa.nulls(len(cells), pa.large_string()), n_wrong


def _is_text(cell: Any) -> bool:
    try:
        return isinstance(cell, str) and cell.encode() is not None
    except UnicodeEncodeError:
        return False


def _number_in(text: str, missing: Collection[str]) -> int | float | str | None:
    """Return the number of padded text, None where it is missing, and the text itself where it is no number."""
    text = clean_name(text)
    if not text or text in missing:
        return None
    if not re.search(NUMBER_PATTERN, text, re.ASCII):
        return text
    return int(text) if text.lstrip("+-").isdigit() and len(text) < 100 else float(text)


def _number_as_text(number: float | None) -> str | None:
    if number is None or number != number:
        return None
    is_integral = isinstance(number, float) and number.is_integer() and abs(number) <= LARGEST_EXACT_INTEGER
    return str(int(number) if is_integral else number)


# Each returns the column, and the number of values that are not of the type.
READERS_OF_TYPE: dict[str, Callable[[Sequence[Any]], tuple[JsonCells, int]]] = {
    "string": _read_text,
    "integer": _read_integers,
    "float": _read_numbers,
    "double": _read_numbers,
    "decimal": _read_numbers,
    "boolean": _read_booleans,
    "date": _as_text,
    "datetime": _as_text,
    "time": _as_text,
    "URI": _read_text,
}
NUMBER_TYPES = ("integer", "float", "double", "decimal")
