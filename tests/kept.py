"""Outcomes as they were kept: the cells and figures of a made study. Words of a report may change freely.

- A cell of a table, and a name among figures, is kept as it is. Of a sentence, and of all words of a report's section
  but the cells of its tables, the numbers are kept; of a drawing those that it is drawn by.
- Of a longer list are kept: how many cells it has, and of numbers ends and sums, of texts the most frequent ones, how
  many different ones there are, and a hash of all in their order. A number in a text is text.
- Numbers are equal if they differ by less than ``CLOSE`` of themselves: libraries add in different orders.
- What is drawn by chance depends on numpy's streams. If these have changed since, a difference says so.

``CONTRIBUTING.md`` says how files are kept anew.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import Enum

import numpy as np
import pandas as pd

from disclosure_control.basics.telling.plain import plain
from disclosure_control.basics.telling.sections import Section
from tests.places import PROJECT

KEPT, LONGEST, FREQUENT, CLOSE = PROJECT / "tests" / "kept", 240, 4, 1e-9
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
# What is reduced to its numbers: no cell, of figures sentences alone, of a section all words.
_NOTHING, _SENTENCES, _WORDS = re.compile(r"(?!)"), re.compile(r"\s.*[.:?!]$", re.DOTALL), re.compile(r"\s")


def changed_since_kept(name: str, found: object) -> dict[str, tuple[object, object]]:
    """What differs from what was kept under this name, by its place: as it was, and as it is."""
    now = dict(_leaves(_bare(found, _SENTENCES), "")) | {"numpy draws": _draws()}
    path = KEPT / f"{name}.json"
    if not path.is_file():
        lines = [f"{json.dumps(place)}: {json.dumps(one)}" for place, one in sorted(now.items())]
        path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        return {name: (None, "kept from now on")}
    before = json.loads(path.read_text(encoding="utf-8"))
    places = {one for one in {*before, *now} if not _alike(before.get(one), now.get(one))}
    return {one: (before.get(one), now.get(one)) for one in sorted(places)} if places != {"numpy draws"} else {}


def _draws() -> list[float]:
    draw = np.random.default_rng(3)
    return [draw.random(), draw.standard_normal(), *draw.integers(99, size=2).tolist(), *draw.permutation(5).tolist()]


def _alike(one: object, other: object) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_alike(one[key], other[key]) for key in one)
    if isinstance(one, float) and isinstance(other, float | int):
        return math.isclose(one, other, rel_tol=CLOSE, abs_tol=CLOSE)
    return one == other


def _leaves(value: object, place: str) -> Iterator[tuple[str, object]]:
    """Each value with its place, of a longer list what ``_column`` keeps."""
    if len(json.dumps(value)) <= LONGEST or not isinstance(value, dict | list):
        yield place, value
    elif isinstance(value, dict) or any(isinstance(one, dict | list) for one in value):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(one, f"{place}/{key}")
    else:
        yield place, _column(value)


def _column(cells: list[object]) -> dict[str, object]:
    numbers = np.array([one for one in cells if isinstance(one, int | float)], dtype=float)
    if len(numbers) and len(numbers) + cells.count(None) == len(cells):
        ends = {"least": numbers.min(), "most": numbers.max(), "negative": int(np.signbit(numbers).sum())}
        sums = {"sum": numbers.sum(), "in order": numbers @ np.arange(len(numbers))}
        return {"cells": len(cells), "there": len(numbers), **ends, **sums}
    counts = Counter(map(str, cells))
    frequent = sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:FREQUENT]
    order = hashlib.sha256(json.dumps(cells).encode()).hexdigest()[:8]
    return {"cells": len(cells), "different": len(counts), **dict(frequent), "in order": order}


def _bare(value: object, words: re.Pattern[str]) -> object:
    """A value as JSON has it; texts in which ``words`` are found are their numbers."""
    if isinstance(value, Section):
        said = [{key: one for key, one in vars(part).items() if one} for part in value.parts]
        return _bare({value.key: said, "tone": value.tone, "title": value.title}, _WORDS)
    if isinstance(value, pd.DataFrame):
        return {name: _bare(column.tolist(), _NOTHING) for name, column in value.items()}
    value = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    if isinstance(value, Mapping):
        return {str(key): _bare(one, _SENTENCES if key == "rows" else words) for key, one in value.items()}
    if isinstance(value, list | tuple | range | set | frozenset):
        return [_bare(one, words) for one in (sorted(value) if isinstance(value, set | frozenset) else value)]
    if isinstance(value, str):
        return _NUMBER.findall(value) if words.search(value) else value
    if isinstance(value, int | None):
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else float(f"{value:.12g}")
    if hasattr(value, "__html__"):
        return _NUMBER.findall(value.__html__())
    if isinstance(value, Enum):
        return value.name
    as_plain = plain(value)
    return str(value) if as_plain is value else _bare(as_plain, words)
