"""The figures of a study once more, slowly: rows as dictionaries, one person after the other, in the words of the page.

Each gives (group, row, arm) -> (people, value), with numbers as ``round(value, 9)``.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

import pandas as pd

Row = Mapping[str, object]
Figures = dict[tuple[str, str, str], tuple[int, float]]


def rows_of(*frames: pd.DataFrame) -> list[dict[str, object]]:
    """The rows with what they have; nothing of what is missing."""
    return [
        {str(name): value for name, value in row.items() if not pd.isna(value)}
        for frame in frames
        for row in frame.to_dict("records")
    ]


def mean(values: Iterable[float]) -> float:
    known = list(values)
    return math.fsum(known) / len(known)


def text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def shares(
    rows: list[dict],
    arms: Mapping[str, str],
    person: str,
    what: Callable[[dict], Iterable[tuple[str, str]]],
    of_known=False,
) -> Figures:
    """Of each arm the share of people with a row of each (group, row); of those with some value of the group."""
    having, known = defaultdict(set), defaultdict(set)
    for row in rows:
        if (arm := arms.get(row.get(person, ""))) is not None:
            for group, name in what(row):
                having[group, name, arm].add(row[person])
                known[group, arm].add(row[person])
    found: Figures = {}
    for group, name in {key[:2] for key in having}:
        for arm in set(arms.values()):
            n = len(having[group, name, arm])
            of = len(known[group, arm]) if of_known else sum(one == arm for one in arms.values())
            if of:
                found[group, name, arm] = n, round(n / of, 9)
    return found


def means(values: Mapping[tuple[str, str], Mapping[str, float]], arms: Mapping[str, str]) -> Figures:
    """Of each (group, row) and arm the mean of one number of each person."""
    found: Figures = {}
    for (group, name), of_people in values.items():
        for arm in set(arms.values()):
            if own := [value for person, value in of_people.items() if arms.get(person) == arm]:
                found[group, name, arm] = len(own), round(mean(own), 9)
    return found


def by_person(rows: list[dict], person: str, column: str) -> dict[str, float]:
    """The mean number of each person in a column."""
    found = defaultdict(list)
    for row in rows:
        if column in row:
            found[row[person]].append(float(row[column]))
    return {one: mean(values) for one, values in found.items()}


def results(rows: list[dict], person: str, test: str, number: str) -> dict[tuple[str, str], dict[str, float]]:
    """The mean result of each person by test, of a table without visits."""
    found: dict = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if test in row and number in row and row.get(person):
            found[text(row[test])][row[person]].append(float(row[number]))
    return {(name, name): {one: mean(values) for one, values in of.items()} for name, of in found.items()}


def baseline_rows(rows: list[dict], prefix: str, starts: Mapping[str, str]) -> dict[tuple[str, str], list[dict]]:
    """Of each person and test the rows that are the baseline: flagged, else the last until the first dose."""
    of_pair = defaultdict(list)
    for row in rows:
        of_pair[row["USUBJID"], row[f"{prefix}TESTCD"]].append(row)
    found = {}
    for pair, own in of_pair.items():
        flagged = [row for row in own if row.get(f"{prefix}BLFL") == "Y"]
        start = starts.get(pair[0], "")
        before = [row for row in own if f"{prefix}DTC" in row and row[f"{prefix}DTC"][:10] <= start[:10]]
        last = max((row[f"{prefix}DTC"] for row in before), default="")
        found[pair] = flagged or [row for row in before if row[f"{prefix}DTC"] == last]
    return {pair: chosen for pair, chosen in found.items() if chosen}


def changes(rows: list[dict], prefix: str, starts: Mapping[str, str]) -> dict[tuple[str, str], dict[str, float]]:
    """The change of each person by test and planned visit after that of the baseline."""
    rows = [row for row in rows if f"{prefix}STRESN" in row and "VISITNUM" in row]
    units = defaultdict(set)
    for row in rows:
        units[row[f"{prefix}TESTCD"]].add(row.get(f"{prefix}STRESU", "no unit"))
    for row in rows:
        test = row[f"{prefix}TESTCD"]
        if len(units[test]) > 1:
            row[f"{prefix}TESTCD"] = f"{test} ({row.get(f'{prefix}STRESU', 'no unit')})"
    chosen, found = baseline_rows(rows, prefix, starts), defaultdict(lambda: defaultdict(list))
    for row in rows:
        pair = row["USUBJID"], row[f"{prefix}TESTCD"]
        if (
            pair in chosen
            and row["VISITNUM"] % 1 == 0
            and row["VISITNUM"] > max(one["VISITNUM"] for one in chosen[pair])
        ):
            found[pair[1], f"{pair[1]}, {row['VISIT']}"][pair[0]].append(row[f"{prefix}STRESN"])
    return {
        key: {one: mean(values) - mean(r[f"{prefix}STRESN"] for r in chosen[one, key[0]]) for one, values in of.items()}
        for key, of in found.items()
    }


def curve(times: list[tuple[float, bool]], at: float) -> float:
    """The product of Kaplan and Meier until a time."""
    share = 1.0
    for time in sorted({time for time, happened in times if happened and time <= at}):
        n_risk = sum(one >= time for one, _ in times)
        share *= 1 - sum(one == time and happened for one, happened in times) / n_risk
    return share


def correlation(one: Mapping[str, float], other: Mapping[str, float]) -> tuple[int, float]:
    both = sorted(one.keys() & other.keys())
    x, y = [one[person] for person in both], [other[person] for person in both]
    a, b = mean(x), mean(y)
    cross = math.fsum((p - a) * (q - b) for p, q in zip(x, y, strict=True))
    spread = math.fsum((p - a) ** 2 for p in x) * math.fsum((q - b) ** 2 for q in y)
    return len(both), cross / math.sqrt(spread) if spread > 1e-12 else math.nan
