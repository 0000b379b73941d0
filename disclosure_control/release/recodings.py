"""The treatment's recodings, applied to the domain files that contain the values of the combined dataset."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import encode_column, labels_of, parse_numbers
from disclosure_control.basics.encoding.interval_labels import Interval, interval_of
from disclosure_control.basics.telling.words import in_one_line
from disclosure_control.release.people import RecodedColumn, are_numbers, labels, of_rows
from study.merge.wide import text_of
from study.models.roles import TableKind, TableModel

# Columns that repeat, alone or with another one, what the treatment recoded: removed unless recoded as well.
# A weight and a height determine the BMI; without the weight, the height does not.
SAID_AGAIN = {
    "RACE": tuple(f"RACE{i}" for i in range(1, 10)),
    "BMI": ("WEIGHT",),
    "BODY MASS INDEX": ("WEIGHT",),
}


def says_again(name: str, domain: str, recoded: Mapping[str, RecodedColumn]) -> bool:
    """Whether a variable (or the code of a test) of a domain repeats a recoded column of that domain."""
    if any(_is_of(one, name, domain) for one in recoded.values()):
        return False
    sources = {one.variable.partition(" [")[0].upper() for one in recoded.values() if one.domain == domain}
    return any(name.upper() in SAID_AGAIN.get(source, ()) for source in sources)


def _is_of(recoded: RecodedColumn, name: str, domain: str) -> bool:
    return recoded.domain == domain and recoded.variable.partition(" [")[0].upper() == name.upper()


def rows_of_test(frame: pd.DataFrame, recoded: RecodedColumn, table: TableModel) -> tuple[np.ndarray, np.ndarray]:
    """Which rows (n_rows,) of a table of findings belong to the recoded test, and to its measurement.

    The combined dataset names in brackets what distinguishes several measurements of a test (``[STANDING]``): rows with
    this value belong to the measurement.
    """
    frame = table.as_merged(frame)
    named = [one for short in ("TEST", "TESTCD") if (one := table.read(short, frame)) is not None]
    if table.kind is not TableKind.FINDINGS or not named:
        return np.zeros(len(frame), dtype=bool), np.zeros(len(frame), dtype=bool)
    heading, _, told = recoded.variable.partition(" [")
    held = [one.eq(heading) | (one.astype("str") + ")").eq(heading.partition(" (")[2]) for one in named]
    of_test = np.logical_or.reduce([one.fillna(False).to_numpy(dtype=bool) for one in held])
    texts = [column for _, column in frame.items() if column.dtype.kind != "f"]
    of_measurement = of_test.copy()
    for part in told.removesuffix("]").split(", ") if told else ():
        value = part.partition("=")[2] or part
        of_measurement &= np.logical_or.reduce([text.eq(value).to_numpy(dtype=bool) for text in texts])
    return of_test, of_measurement


RESULTS = ("STRESN", "STRESC", "ORRES")  # the columns of a table of findings that hold the result of a test


def with_results_recoded(
    frame: pd.DataFrame, recoded: RecodedColumn, people: np.ndarray, at: np.ndarray, table: TableModel
) -> int:
    """Put the released labels in place of the results of a test, in the rows ``at`` (n_rows,), in the frame itself.

    Returns in how many rows a result was emptied for lack of a label: see ``n_without_a_label``.

    The result in the combined dataset becomes the person's label. The result of another visit becomes the released
    label of the same value of any person, the interval that contains it, or the mean of the group of neighbours that it
    is next to; it is emptied if there is none of these, and if the person's own result was suppressed. A code whose
    name did not change stays.
    """
    names = [name for short in RESULTS if (name := table.called(short)) in frame]
    rows = np.flatnonzero(at)
    merged = table.as_merged(frame.iloc[rows])
    value = merged[names[0]]
    for name in names[1:]:
        value = value.astype("str").fillna(merged[name].astype("str"))
    label = labels_of_values(value, recoded, people[rows])
    are_texts = any(merged[name].notna().any() for name in names if merged[name].dtype.kind != "f")
    for name in names:
        had = merged[name].notna().to_numpy()
        if name in table.derived:
            had = had & (labels(merged[name]) != label)
        if frame[name].dtype.kind == "f" and (are_texts or are_numbers(pd.Series(label, dtype="str"))):
            numbers = frame[name].to_numpy(copy=True)
            numbers[rows] = np.where(had, parse_numbers(pd.Series(label, dtype="str")), np.nan)
            frame[name] = numbers
        else:
            texts = text_of(frame[name]).copy()
            texts[rows[had]] = label[had]
            frame[name] = pd.Series(texts, frame.index, dtype="str")
    return n_without_a_label(value, label, recoded, people[rows])


def n_without_a_label(
    value: pd.Series, label: np.ndarray | pd.Series, recoded: RecodedColumn, people: np.ndarray
) -> int:
    """How many values (n,) have no released form: no band holds them, or nobody's label is theirs.

    Values of people whose own value the treatment suppressed are not among them.
    """
    assert recoded.released is not None
    suppressed = pd.isna(of_rows(recoded.released, people)) & pd.notna(of_rows(recoded.original, people))
    return int((value.notna().to_numpy() & pd.isna(label) & ~suppressed).sum())


def labels_of_values(value: pd.Series, recoded: RecodedColumn, people: np.ndarray) -> np.ndarray:
    """What each value (n,) of its person (n,) is released as: a label, or None."""
    encoded = encode_column(value)
    texts = [*labels_of(encoded), None]
    fates = recoded.fates
    intervals = [(interval_of(label), label) for label in sorted({label for label in fates.values() if label})]
    numbers = parse_numbers(pd.Series(texts[:-1], dtype="str"))
    of_groups = _labels_of_groups(numbers, recoded)
    of_text = [
        (fates[text] if text in fates else _interval_holding(number, intervals)) or of_group
        for text, number, of_group in zip(texts[:-1], numbers, of_groups, strict=True)
    ]
    general = np.array([*of_text, None], dtype=object)[encoded.codes]
    assert recoded.released is not None
    own = of_rows(recoded.released, people)
    is_own = of_rows(recoded.original, people) == np.array(texts, dtype=object)[encoded.codes]
    suppressed = pd.isna(own) & pd.notna(of_rows(recoded.original, people))
    fresh = np.where(is_own, own, general)
    fresh[suppressed] = None
    return fresh


def _labels_of_groups(numbers: np.ndarray, recoded: RecodedColumn) -> list[str | None]:
    """The label of the group of neighbouring values that each number (n,) is next to; None where there are no groups.

    Microaggregation gives one mean to neighbours: each mean stands for the values between the smallest and the largest
    of its people. Numbers between two groups belong to the nearer one, those beyond all to the outermost.
    """
    groups = recoded.groups_of_neighbours
    if groups is None:
        return [None] * len(numbers)
    low, high, named = groups
    ends = (high[:-1] + low[1:]) / 2
    of_group = np.searchsorted(ends, numbers, side="right")
    return [None if np.isnan(number) else str(named[at]) for number, at in zip(numbers, of_group, strict=True)]


def _interval_holding(number: float, intervals: list[tuple[Interval | None, str]]) -> str | None:
    """The label of the interval that contains a number; where two meet, the upper one, as bins are drawn."""
    holding = [
        (interval.low, label) for interval, label in intervals if interval and interval.low <= number <= interval.high
    ]
    return max(holding)[1] if holding else None


def with_folded_columns(
    frame: pd.DataFrame, domain: str, table: TableModel | None, recoded: Mapping[str, RecodedColumn]
) -> pd.DataFrame:
    """The rows of a file with the folded columns that the treatment recoded, each before the first of its parts.

    Such a column leaves in place of its parts, which would say again what it said.
    """
    if table is None:
        return frame
    for name in folded_columns(table):
        if name in frame or f"{domain}__{in_one_line(name)}" not in recoded:
            continue
        parts = [i for i, part in enumerate(frame) if table.columns[str(part)].part_of == name]
        values, frame = table.derived[name](frame), frame.copy(deep=False)
        frame.insert(min(parts, default=len(frame.columns)), name, values)
    return frame


def folded_columns(table: TableModel) -> list[str]:
    """The columns that the merge makes of others, which are parts of them."""
    whole = dict.fromkeys(column.part_of for column in table.columns.values())
    return [name for name in whole if name in table.derived]
