"""Numbers as people read them in texts and pages, and whether a JSON summary says them, too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

NUMBER = re.compile(r"<0\.1%|>99\.9%|(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?%?")
NEARLY = {"<0.1%": (0.0, 0.0005), ">99.9%": (0.9995, 1.0)}  # how a share is written that rounds to nobody, or to all
LARGEST_PLACE = 60  # numbers in a part of the summary that a row may be of; more would say anything


def value_of(written: str) -> float:
    return float(written.lstrip("<>").rstrip("%").replace(",", ""))


def numbers_in(value: Any) -> Iterator[float]:
    """Every number of a part of a summary, those in its names and sentences too."""
    if isinstance(value, str):
        yield from (sum(NEARLY[one]) / 2 if one in NEARLY else value_of(one) for one in NUMBER.findall(value))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)
    elif isinstance(value, Mapping):
        for name, one in value.items():
            yield from numbers_in(name)
            yield from numbers_in(one)
    elif isinstance(value, Sequence):
        for one in value:
            yield from numbers_in(one)


def parts_of(value: Any) -> Iterator[Any]:
    """Every dictionary and list of a summary, but the whole."""
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for one in inner:
        if isinstance(one, Mapping | list):
            yield one
            yield from parts_of(one)


def is_said(written: str, numbers: Iterable[float]) -> bool:
    """Whether one of the numbers, rounded to the digits that are written, is the written one."""
    if written in NEARLY:
        low, high = NEARLY[written]
        return any(low < number < high for number in numbers)
    value, is_share = value_of(written), written.endswith("%")
    digits = len(written.rstrip("%").partition(".")[2].partition("e")[0])
    near = 0.5 * 10.0**-digits * (1 + 1e-9) + 1e-12
    scales = (100, 1) if is_share else (1,)  # a sentence may hold the share as it is written
    return any(abs(number * scale - value) <= near for number in numbers for scale in scales)


def with_what_follows(summary: Mapping[str, Any]) -> dict[str, Any]:
    """The summary with the shares that texts give beside the counts of one part of it: of all, and of the evaluated."""

    def extended(value: Any) -> Any:
        if isinstance(value, list):
            return [extended(one) for one in value]
        if not isinstance(value, Mapping):
            return value
        shares = [
            part / whole
            for of in ("total", "evaluated")
            for name in ("risky", "not_evaluated", "not_assessable")
            if (part := value.get(name)) is not None and (whole := value.get(of))
        ]
        if value.get("missing") is not None and value.get("with_value") is not None:  # of a column
            shares.append(value["missing"] / max(value["missing"] + value["with_value"], 1))
        return {name: extended(one) for name, one in value.items()} | ({"shares": shares} if shares else {})

    found = extended({name: one for name, one in summary.items() if name not in ("files", "hashes", "inputs")})
    answers, records = summary.get("recommend", {}).get("short_list", ()), summary["k_anonymity"]["evaluated"]
    released = [records - one["suppressed"] for one in answers if one["suppressed"] is not None]
    looked_at = summary.get("identifiers", {}).get("columns_looked_at", {})
    return found | {"released by the answers": released, "columns looked at": [sum(looked_at.values())]}


@dataclass
class Said:
    """All that a summary, and what stands beside it, says; each part of it by itself, too."""

    summary: Mapping[str, Any]

    def __post_init__(self) -> None:
        self.all = {*numbers_in(self.summary)}
        parts = ({*numbers_in(part)} for part in parts_of(self.summary))
        self.parts = [part for part in parts if 0 < len(part) <= LARGEST_PLACE]

    def unsaid(self, text: str) -> list[str]:
        """The numbers of a text that no part says."""
        return [written for written in NUMBER.findall(text) if not is_said(written, self.all)]

    def is_of_one_part(self, cells: Sequence[str]) -> bool:
        """Whether the numbers of a row all stand in one part: a row of this and that is none."""
        written = [number for cell in cells for number in NUMBER.findall(cell)]
        if any(all(is_said(number, part) for number in written) for part in self.parts):
            return True
        # Of columns that compare, each cell is of a part of its own.
        return len(cells) > 1 and all(self.is_of_one_part([cell]) for cell in cells)
