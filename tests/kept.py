"""Outcomes as they were kept: every cell and every figure of a made study. Words may change, and are not looked at.

Where a change is meant: delete the file under ``tests/kept``; its test then writes it anew. Read what differs.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from disclosure_control.basics.telling.plain import plain
from tests.places import PROJECT

KEPT, LONGEST = PROJECT / "tests" / "kept", 60
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def changed_since_kept(name: str, found: object) -> dict[str, tuple[object, object]]:
    """What differs from what was kept under this name, by its place: as it was, and as it is."""
    path, now = KEPT / f"{name}.json", dict(_leaves(found, ""))
    if not path.is_file():
        path.write_text(json.dumps(now, indent=0, sort_keys=True) + "\n", encoding="utf-8")
        return {name: (None, "kept from now on")}
    before = json.loads(path.read_text(encoding="utf-8"))
    return {one: (before.get(one), now.get(one)) for one in {*before, *now} if before.get(one) != now.get(one)}


def _leaves(value: object, place: str) -> Iterator[tuple[str, str]]:
    """Each column and each figure with its place: short ones as they are, others as a hash."""
    value = _bare(value)
    text = json.dumps(value, sort_keys=True, default=str)
    if isinstance(value, dict) and len(text) > LONGEST:
        for key, one in value.items():
            yield from _leaves(one, f"{place}/{key}")
    else:
        yield place, text if len(text) <= LONGEST else hashlib.sha256(text.encode()).hexdigest()[:12]


def _bare(value: object) -> object:
    """Names and numbers alone: of a sentence its numbers, of a fraction the digits that no library decides."""
    value = plain(value)
    if isinstance(value, pd.DataFrame):
        value = value.astype("str").to_dict("list")
    if isinstance(value, Mapping):
        return {str(key): _bare(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set | np.ndarray):
        return [_bare(one) for one in (sorted(value) if isinstance(value, set) else value)]
    if isinstance(value, float):
        return f"{value + 0:.4g}"
    if isinstance(value, str):
        return _NUMBER.findall(value) if " " in value else value
    return value.item() if isinstance(value, np.generic) else value
