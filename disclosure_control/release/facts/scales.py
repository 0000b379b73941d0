"""Scales one point of which is a death: grade 5 of an adverse event, 6 of Rankin's scale, 5 of ECOG's.

Sources: CTCAE 5.0 (National Cancer Institute 2017); Oken et al. 1982; van Swieten et al. 1988; Karnofsky and Burchenal
1949; Jennett and Bond 1975; Wilson et al. 1998; WHO, clinical progression scale (2020); ASA (brain death).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import parse_numbers
from study.formats.tables import SourceTable
from study.headings import words_of
from study.models.roles import Role, TableModel

# What a heading or the name of a test has in it -> the point that is a death.
_SCALES = {
    r"(?:a?\w{0,2}tox ?gr(?:n|ade)?|ctc(?:ae)? ?gr(?:ade)?|toxicity grade)": 5.0,
    r"ecog\w*(?: ps| perf\w*(?: status)?| status| score)?(?: \d+)?|zubrod(?: score)?": 5.0,
    r"m ?rs(?: ?\d+)?(?: ?d(?:ays?)?| score)?|(?:.* )?rankin(?: .*)?": 6.0,
    r"karnofsky.*|kps(?: ?\d+)?(?: score)?|lansky.*": 0.0,
    r"(?:.* )?glasgow outcome(?: .*)?|gose?(?: ?\d+)?(?: score)?": 1.0,
    r"(?:.* )?clinical progression(?: .*)?": 10.0,
    r"asa(?: ps| class| score| physical status)?": 6.0,
}
_TEST, _RESULTS = ("TESTCD", "TEST", "PARAMCD", "PARAM"), ("STRESN", "STRESC", "ORRES", "AVAL", "AVALC")
_NO_SCALE = (Role.DATE, Role.PERSON, Role.RECORD_KEY, Role.FOREIGN_KEY, Role.STUDY_DAY, Role.VISIT, Role.UNIT)


@cache
def worst_point(name: str) -> float | None:
    """The point that is a death, of the heading of a column or the name of a test; None of other headings."""
    words = re.sub(r"\bscore (?=\d)", "", words_of(name))
    return next((point for pattern, point in _SCALES.items() if re.fullmatch(pattern, words)), None)


def columns_of_scales(table: TableModel, source: SourceTable) -> list[str]:
    """The columns of a file that are points of such a scale; with results of tests, those that name the test."""
    found = _scales_in(table, source.frame)
    for test in _called(table, source.frame, _TEST):
        if any(worst_point(str(name)) is not None for name in source.counts_of(test).index):
            found += [test, *_called(table, source.frame, _RESULTS)]
    return list(dict.fromkeys(found))


def deaths_on_scales(table: TableModel, frame: pd.DataFrame) -> Iterator[tuple[str, np.ndarray]]:
    """The columns of points, and in which rows (n_rows,) one is a death."""
    for name in _scales_in(table, frame):
        yield name, parse_numbers(frame[name]) == worst_point(name)
    results = _called(table, frame, _RESULTS)
    for test in _called(table, frame, _TEST) if results else ():
        codes, names = pd.factorize(frame[test])
        points = [worst_point(str(name)) for name in names]
        if any(point is not None for point in points):
            worst = np.array([*(np.nan if point is None else point for point in points), np.nan])[codes]
            yield from ((name, parse_numbers(frame[name]) == worst) for name in results)


def _scales_in(table: TableModel, frame: pd.DataFrame) -> list[str]:
    roles = {name: column.role for name, column in table.columns.items()}
    return [
        name for name in map(str, frame) if roles.get(name) not in (None, *_NO_SCALE) and worst_point(name) is not None
    ]


def _called(table: TableModel, frame: pd.DataFrame, short: tuple[str, ...]) -> list[str]:
    """The columns that have these short names of a table with a test in each row."""
    names = dict.fromkeys(name for one in short for name in (table.called(one), one))
    return [name for name in names if name in frame]
