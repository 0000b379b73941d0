"""Numbers that carry their own check: who passes it, beside who would pass it by chance.

The checks are those of python-stdnum. Chance is measured twice, and the larger share counts: on random letters of the
same form, and on the column's own values after their letters were exchanged among them, place by place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module

import numpy as np

from disclosure_control.identifiers.chance import certainty_beside_chance
from disclosure_control.identifiers.column_values import ColumnValues
from disclosure_control.identifiers.registry import Hits

LEAST_CHANCE = 1e-3
RANDOM_CHECK = 0.15  # a check digit passes one time in ten
N_RANDOM = 500
FIRST = 200  # too few of these pass if all of them are random
_BETWEEN = re.compile(r"[\s./\-–]+")
_IN_TEXT = re.compile(r"(?<![\w])[A-Z]{0,6}\d[\dA-Z./ -]{5,32}[\dA-Z](?![\w])")


@dataclass(frozen=True)
class CheckedNumber:
    """A kind of number: ``module`` of stdnum that checks it, and its ``form`` without blanks, hyphens and dots.

    ``as_written`` is a further pattern of the unchanged value, for numbers that chance would produce too often.
    """

    module: str
    form: str
    as_written: str | None = None

    @property
    def n_digits(self) -> int | None:
        """Its length, where it is digits alone."""
        found = re.fullmatch(r"\\d\{(\d+)\}", self.form)
        return int(found[1]) if found else None


def checked_hits(column: ColumnValues, numbers: Sequence[CheckedNumber]) -> Hits | None:
    """The values of the sample that are one of the numbers, by the kind of number that chance explains least."""
    with_digits = column.matches(r"(\d[^\d]{0,2}){6}" if not column.is_number else r"\d{6}")
    positions = np.flatnonzero(with_digits)
    if not len(positions):
        return None
    candidates = _candidates([column.sample[position] for position in positions])
    lines = "\n".join(dict.fromkeys(compact for pieces in candidates.values() for _, compact in pieces))
    best: Hits | None = None
    for number in numbers:
        tried = _of_form(number, candidates, lines)
        if not tried:
            continue
        some = sorted(tried.values())[:: max(len(tried) // FIRST, 1)]
        if len(some) >= FIRST and sum(_is_valid(number.module, text) for text in some) <= RANDOM_CHECK * len(some):
            continue
        passed = [row for row, text in tried.items() if _is_valid(number.module, text)]
        if certainty_beside_chance(len(passed), len(tried), LEAST_CHANCE) is None:
            continue
        chance = _chance(number, list(tried.values()))
        certainty = certainty_beside_chance(len(passed), len(tried), chance)
        if certainty and (best is None or len(passed) > best.is_hit.sum()):
            is_hit = np.zeros(len(column.sample), dtype=bool)
            is_hit[positions[passed]] = True
            best = Hits(is_hit, certainty, chance)
    return best


def _candidates(values: Sequence[str]) -> dict[int, list[tuple[str, str]]]:
    """Per value the candidates for a number: unchanged and compact; the whole value, or pieces of a longer text."""
    found: dict[int, list[tuple[str, str]]] = {}
    for row, value in enumerate(values):
        pieces = [value] if len(value) <= 30 else []
        if not pieces or " " in value or len(value) > 20:
            pieces += _IN_TEXT.findall(value)
            pieces += [word for piece in pieces[-3:] for word in piece.split() if len(word) > 7]
        found[row] = [(piece, _BETWEEN.sub("", piece).upper()) for piece in dict.fromkeys(pieces)]
    return found


def _of_form(number: CheckedNumber, candidates: Mapping[int, list[tuple[str, str]]], lines: str) -> dict[int, str]:
    """Per value its first piece of the number's form; digits that lost leading zeros get them back.

    ``lines`` are all compact pieces, one a line: mostly none is of the form, which one search shows.
    """
    of_form = {found[0] for found in re.finditer(rf"^(?:{number.form})$", lines, re.MULTILINE)}
    tried: dict[int, str] = {}
    if not of_form:
        return tried
    for row, pieces in candidates.items():
        for written, compact in pieces:
            if compact in of_form and (number.as_written is None or re.search(number.as_written, written)):
                tried[row] = compact
                break
    length = number.n_digits
    if length and tried:
        short = {
            row: pieces[0][1].zfill(length)
            for row, pieces in candidates.items()
            if row not in tried and pieces and length - 2 <= len(pieces[0][1]) < length and pieces[0][1].isdigit()
        }
        if len(short) < len(tried):
            tried |= short
    return tried


def _is_valid(module: str, text: str) -> bool:
    return bool(import_module(f"stdnum.{module}").is_valid(text))


def _chance(number: CheckedNumber, values: list[str]) -> float:
    """The share in (0, 1) that would pass by chance."""
    shape = re.sub(r"[A-Z]", "A", re.sub(r"\d", "9", min(values)))
    chance = max(_chance_of_random(number.module, shape), LEAST_CHANCE)
    by_length: dict[int, list[str]] = {}
    for value in sorted(set(values)):
        by_length.setdefault(len(value), []).append(value)
    largest = max(by_length.values(), key=len)
    if len(largest) >= 20:
        exchanged = _exchanged(largest)
        chance = max(chance, sum(_is_valid(number.module, text) for text in exchanged) / len(exchanged))
    return min(chance, 0.99)


@cache
def _chance_of_random(module: str, shape: str) -> float:
    """The share of random texts of a shape (digits for 9, capitals for A) that pass."""
    generator = np.random.default_rng(20261122)
    letters = [list("0123456789") if place == "9" else list("ABCDEFGHIJKLMNOPQRSTUVWXYZ") for place in shape]
    drawn = [generator.choice(letter, N_RANDOM) for letter in letters]
    return sum(_is_valid(module, "".join(text)) for text in zip(*drawn, strict=True)) / N_RANDOM


def _exchanged(values: list[str]) -> list[str]:
    """Texts of one length whose letters come from different values of the list, each from its own place."""
    places = np.array([list(value) for value in values])
    n, width = places.shape
    moved = np.column_stack([np.roll(places[:, place], (7 * place + 1) % n) for place in range(width)])
    return ["".join(row) for row in moved]
