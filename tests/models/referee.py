"""A slow, obvious referee for k, l and t: plain loops and dictionaries, exact fractions, no numpy and no pandas.

It reads a table as ``{column: [value of record 0, value of record 1, ...]}`` (``columns_of`` makes one of a frame)
and answers with one entry per record, ``None`` where the record is not evaluated. Nothing is shared with the code
under test; what the design says is written down here once more, the long way.
"""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
from fractions import Fraction

WHOLE_WITH_ZEROS = re.compile(r"([+-]?[0-9]+)\.0+")


def columns_of(frame) -> dict[str, list]:
    """The columns of a frame as plain lists of Python values."""
    return {name: list(frame[name]) for name in frame.columns}


# ---------------------------------------------------------------- equality of values


def is_missing(value: object) -> bool:
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value).strip() == ""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and math.isnan(value)


def canonical(value: object) -> str | None:
    """The text that all spellings of one value share; None is missing.

    NFC and trimming; ``1``, ``1.0`` and ``1.00`` are ``"1"``, ``01`` is another value, a truth value is a word.
    """
    if is_missing(value):
        return None
    if type(value).__name__ in ("bool", "bool_"):
        return "True" if value else "False"
    if isinstance(value, float):
        return str(int(value)) if value == int(value) else repr(float(value))
    text = unicodedata.normalize("NFC", str(value)).strip()
    whole = WHOLE_WITH_ZEROS.fullmatch(text)
    return whole.group(1) if whole else text


# ---------------------------------------------------------------- binning


def bin_label(value: object, edges: list[float], out_of_range: str = "tail") -> str | None:
    """``[a, b)``, the last one closed; outside is a tail or missing."""
    if is_missing(value):
        return None
    number = Fraction(value)
    low, high = Fraction(edges[0]), Fraction(edges[-1])
    if number < low:
        return f"<{edges[0]:g}" if out_of_range == "tail" else None
    if number > high:
        return f">{edges[-1]:g}" if out_of_range == "tail" else None
    for i in range(len(edges) - 1):
        is_last = i == len(edges) - 2
        if Fraction(edges[i]) <= number and (number < Fraction(edges[i + 1]) or is_last):
            return f"{edges[i]:g}--{edges[i + 1]:g}"
    raise AssertionError("a number within the edges is in one of the bins")


# ---------------------------------------------------------------- equivalence classes


def keys(table: dict[str, list], quasi_identifiers: list[str]) -> list[tuple]:
    """The key of every record: a tuple of canonical texts, None where missing."""
    n_records = len(next(iter(table.values())))
    return [tuple(canonical(table[name][i]) for name in quasi_identifiers) for i in range(n_records)]


def classes(table: dict[str, list], quasi_identifiers: list[str]) -> dict[tuple, list[int]]:
    """Key -> the records that carry it."""
    members: dict[tuple, list[int]] = {}
    for i, key in enumerate(keys(table, quasi_identifiers)):
        members.setdefault(key, []).append(i)
    return members


def is_evaluated(key: tuple, missing_qis: str) -> bool:
    return missing_qis != "exclude" or None not in key


# ---------------------------------------------------------------- k


def agree(one: tuple, other: tuple) -> bool:
    """Whether two keys are equal wherever both have a value."""
    return all(a is None or b is None or a == b for a, b in zip(one, other, strict=True))


def wildcard_k(table: dict[str, list], quasi_identifiers: list[str], alpha: float = 1) -> list[Fraction]:
    """Every pair of records compared; another key that has a missing value counts ``alpha`` (sdcMicro)."""
    all_keys = keys(table, quasi_identifiers)
    frequency = []
    for mine in all_keys:
        count = Fraction(0)
        for other in all_keys:
            if other == mine:
                count += 1
            elif agree(mine, other):
                count += Fraction(alpha) if None in other else 1
        frequency.append(count)
    return frequency


def k_of_records(table: dict[str, list], quasi_identifiers: list[str], missing_qis: str) -> list:
    if missing_qis == "wildcard":
        return wildcard_k(table, quasi_identifiers)
    all_keys = keys(table, quasi_identifiers)
    return [all_keys.count(key) if is_evaluated(key, missing_qis) else None for key in all_keys]


# ---------------------------------------------------------------- l


def l_of_records(
    table: dict[str, list],
    quasi_identifiers: list[str],
    sensitive: str,
    edges: list[float] | None = None,
    out_of_range: str = "tail",
    missing_qis: str = "category",
) -> list:
    """Distinct values of the class that are not missing, after binning where there are edges."""
    found: list = [None] * len(table[sensitive])
    for key, members in classes(table, quasi_identifiers).items():
        if not is_evaluated(key, missing_qis):
            continue
        distinct = set()
        for i in members:
            value = table[sensitive][i]
            label = canonical(value) if edges is None else bin_label(value, edges, out_of_range)
            if label is not None:
                distinct.add(label)
        for i in members:
            found[i] = len(distinct)
    return found


# ---------------------------------------------------------------- t


def share_up_to(sample: list, value) -> Fraction:
    return Fraction(sum(1 for member in sample if member <= value), len(sample))


def wasserstein(sample: list, everybody: list) -> Fraction:
    """Area between the two distribution functions, gap by gap."""
    points = sorted({Fraction(value) for value in sample + everybody})
    area = Fraction(0)
    for here, there in itertools.pairwise(points):
        area += abs(share_up_to(sample, here) - share_up_to(everybody, here)) * (there - here)
    return area


def ordered_emd(sample: list, everybody: list) -> Fraction:
    """Wasserstein with all neighbouring values 1 / (m - 1) apart, m distinct values in all."""
    points = sorted(set(sample + everybody))
    total = sum((abs(share_up_to(sample, p) - share_up_to(everybody, p)) for p in points), Fraction(0))
    return total / (len(points) - 1) if len(points) > 1 else Fraction(0)


def total_variation(sample: list, everybody: list) -> Fraction:
    values = set(sample + everybody)
    difference = Fraction(0)
    for value in values:
        difference += abs(Fraction(sample.count(value), len(sample)) - Fraction(everybody.count(value), len(everybody)))
    return difference / 2


def mean_difference(sample: list, everybody: list) -> Fraction:
    def mean(values: list) -> Fraction:
        return sum((Fraction(value) for value in values), Fraction(0)) / len(values)

    return abs(mean(sample) - mean(everybody))


DISTANCES = {
    "wasserstein": wasserstein,
    "ordered": ordered_emd,
    "total_variation": total_variation,
    "mean_difference": mean_difference,
}


def t_of_records(
    table: dict[str, list],
    quasi_identifiers: list[str],
    sensitive: str,
    distance: str,
    missing_qis: str = "category",
) -> list:
    """Distance of the record's class from all evaluated records, both over the records that have a value."""

    def read(value):
        return canonical(value) if distance == "total_variation" else Fraction(value)

    members_of = {
        key: [i for i in members if not is_missing(table[sensitive][i])]
        for key, members in classes(table, quasi_identifiers).items()
        if is_evaluated(key, missing_qis)
    }
    everybody = [read(table[sensitive][i]) for members in members_of.values() for i in members]
    found: list = [None] * len(table[sensitive])
    for members in members_of.values():
        if members:
            t = DISTANCES[distance]([read(table[sensitive][i]) for i in members], everybody)
        for i in members:
            found[i] = t
    return found
