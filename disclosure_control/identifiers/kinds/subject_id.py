"""Columns that contain the subject's own id, a part of it, or its digits."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.identifiers.chance import certainty_beside_chance
from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.column_values import ColumnValues
from disclosure_control.identifiers.registry import Hits, IdentifierKind

LONG_ID = 5  # letters; an id this long is not contained in a text by chance
LONG_PART = 3  # letters; a part of an id this long identifies it
MOST_PAIRS = 8192  # of a value and the id of somebody else, by which chance is judged


def detect(column: ColumnValues) -> Hits | None:
    """Values that one person alone has and that repeat, contain, or are part of, the id of that person."""
    lone = column.lone
    if len(lone) < 3:
        return None
    values, ids = map(_compared, (column.sampled.take(pa.array(lone)), column.ids_of_lone()))
    repeats = _repeats(values, ids)
    if not repeats.any():
        return None
    chance = min(max(_rate_beside_others(values, ids), 1e-3), 0.99)
    certainty = certainty_beside_chance(int(repeats.sum()), len(repeats), chance)
    if certainty is None:
        return None
    is_hit = np.zeros(len(column.looked_at), dtype=bool)
    is_hit[lone[repeats]] = True
    return Hits(is_hit, certainty, chance)


def _rate_beside_others(values: np.ndarray, ids: np.ndarray) -> float:
    """How often a value repeats the id of somebody else, over as many others as take little time.

    A pressure of 101 is a part of the ids of a whole site; one other person for each value would often miss that.
    Others are a quarter of the rows away, at least: beside it, in the order of ids, are rows of the same person.
    """
    order = np.argsort(ids[0], kind="stable")  # of any rows
    n = len(order)
    nearest, n_others = max(1, n // 4), max(1, min(n - 1, MOST_PAIRS // n))
    distances = np.unique(np.linspace(nearest, n - nearest, n_others).round().astype(np.int64))
    repeating = 0
    for distance in distances.tolist():
        others = np.empty_like(order)
        others[order] = np.roll(order, distance)
        repeating += int(_repeats(values, ids[:, others]).sum())
    return repeating / (n * len(distances))


def _compared(values: pa.Array) -> np.ndarray:
    """Texts (2, n) of strings: in small letters, and of each the digits without zeros before them."""
    lower = pc.utf8_lower(pc.utf8_trim_whitespace(values))
    digits = pc.replace_substring_regex(pc.replace_substring_regex(lower, r"\D", ""), r"^0+", "")
    return np.array([lower.to_pylist(), digits.to_pylist()], dtype=np.dtypes.StringDType())


def _repeats(values: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Row by row: equal, the id within the value, the value within the id, or the same digits but for zeros."""
    (value, digits), (subject, digits_of_id) = values, ids
    holds = (np.strings.str_len(subject) >= LONG_ID) & (np.strings.find(value, subject) >= 0)
    is_part = (np.strings.str_len(value) >= LONG_PART) & (np.strings.find(subject, value) >= 0)
    same_digits = (digits == digits_of_id) & (digits != "") & (np.strings.str_len(value) <= 20)
    return np.asarray((value == subject) | holds | is_part | same_digits)


KINDS = {
    "subject_id": IdentifierKind(
        grade=Grade.NAMES_A_PERSON,
        words="the subject's own id or its digits",
        what_to_do="drop the column; where it contains nothing else, name it under the columns of recode_ids instead",
        documentation=(
            "values that contain the id of their own subject, a part of at least three letters, or its digits, more "
            "often than the id of somebody else"
        ),
        detect=detect,
        place=5,
    )
}
