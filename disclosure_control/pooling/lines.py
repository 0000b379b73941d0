"""The advice of a pool as lines of a config: the same recoding at every hospital, whatever its own people have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from disclosure_control.basics.settings.changes import python_text
from disclosure_control.remedy.treatments.registry import methods


def shared_steps(advised: Sequence[Mapping[str, Any]], recoding: Mapping[str, Mapping[str, str]]) -> list[dict]:
    """The ``advised`` steps, in a form that does the same with the people of any hospital.

    Edges of bins stay. Where the advice joins values by how many people of the pool have them, the groups are written
    out, by what ``recoding`` makes of each declared value. Classes that the advice leaves out are left out by the
    hospital's own counts.
    """
    return [explicit for step in advised for explicit in _explicit(step, recoding)]


def _explicit(step: Mapping[str, Any], recoding: Mapping[str, Mapping[str, str]]) -> Iterator[dict]:
    if step["method"] == "bins" or not methods()[step["method"]].by_value:
        yield dict(step)
        return
    groups: dict[str, list[str]] = {}
    for old, new in recoding[step["column"]].items():
        if old != new:
            groups.setdefault(new, []).append(old)
    if groups:
        yield {"method": "group", "column": step["column"], "groups": groups}


def lines_of(steps: Sequence[Mapping[str, Any]]) -> str:
    """The steps as they are pasted into a config."""
    lines = "".join(f"        {python_text(step)},\n" for step in steps)
    return f'    "treatment": [\n{lines}    ],\n'
