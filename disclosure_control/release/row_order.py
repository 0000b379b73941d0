"""The order in which released rows stand: by what they contain, never by where they stood in the source.

A source is often sorted by what is not released: adverse events by their verbatim term, patients by enrolment. Rows
stand by the person's pseudonym, then by their released dates, visits and other values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import pandas as pd
import pyarrow.compute as pc

from disclosure_control.basics.encoding.keys import KEY_LIMIT, number_groups
from disclosure_control.basics.encoding.text_codes import text_codes
from study.models.roles import Role, TableKind, TableModel

# What says when a row is: these come first, in this order.
_WHEN = (Role.DATE, Role.DEATH_DATE, Role.STUDY_DAY, Role.VISIT)
# Of a table of findings: what makes two results of one day and visit different, but for their number.
_OF_A_RESULT = ("TPTNUM", "TPT", "REPNUM", "TESTCD", "TEST")
# Tables whose rows of nobody keep their order: it is the reader's, and was made for no person. Not of a dictionary of a
# database, whose entries have keys: it is cut to the entries that people have, and may come in the order of their use.
AS_THEY_CAME = (TableKind.DESIGN, TableKind.DICTIONARY, TableKind.LEGEND)

Secret = Callable[[pd.Series], np.ndarray]


def order_of_rows(
    frame: pd.DataFrame, rank: np.ndarray, table: TableModel | None, numbers: Sequence[str], secret: Secret
) -> np.ndarray:
    """The places of the rows (n_rows,) in the order in which they leave.

    ``rank`` (n_rows,): the place of each row's person. ``numbers`` are columns that number the rows, and are numbered
    anew; ``secret`` gives a number to each of their values that nobody can know, for rows that are equal in all else.
    Results of one test and one time keep the order of their numbers: it decides which of them a merge takes.
    """
    kept = np.arange(len(frame), dtype=np.int64)
    if table is not None and table.kind in AS_THEY_CAME and not table.of_role(Role.RECORD_KEY):
        return kept[np.argsort(rank, kind="stable")]
    key = _key(np.asarray(rank, dtype=np.int64), _codes(frame, table, numbers, secret))
    if len(key) < 2 or bool((key[1:] >= key[:-1]).all()):
        return kept
    return np.argsort(key, kind="stable")


def _codes(
    frame: pd.DataFrame, table: TableModel | None, numbers: Sequence[str], secret: Secret
) -> Iterator[tuple[np.ndarray, int]]:
    """Of each column, the first ones first, the place of each row's value (n_rows,), -1 without one; how many there
    are.
    """
    there = [str(name) for name in frame]
    own = [name for name in numbers if name in there]
    is_of_findings = table is not None and table.kind is TableKind.FINDINGS
    first = [] if table is None else [name for role in _WHEN for name in table.of_role(role)]
    if table is not None and is_of_findings:
        first += [table.called(short) for short in _OF_A_RESULT]
    first = [name for name in dict.fromkeys(first) if name in there and name not in own]
    yield from (_places(frame[name]) for name in first)
    if is_of_findings:
        yield from (_places(frame[name]) for name in own)
    yield from (_places(frame[name]) for name in there if name not in (*first, *own))
    for name in own:
        codes = secret(frame[name])
        yield codes, int(codes.max(initial=-1)) + 1


def _places(column: pd.Series) -> tuple[np.ndarray, int]:
    if column.dtype != "str":
        codes, distinct = pd.factorize(column, sort=True)
        return codes.astype(np.int64), len(distinct)
    known = text_codes(column)
    place = np.full(len(known.texts) + 1, -1, dtype=np.int64)
    place[pc.array_sort_indices(known.texts).to_numpy()] = np.arange(len(known.texts))
    return place.take(known.codes, mode="wrap"), len(known.texts)


def _key(first: np.ndarray, columns: Iterable[tuple[np.ndarray, int]]) -> np.ndarray:
    """One whole number per row (n_rows,) that rises as the rows are ordered; columns that change nothing are not
    asked for.
    """
    key, n_keys = first, int(first.max(initial=0)) + 1
    for codes, n_codes in columns:
        if n_keys > KEY_LIMIT // (n_codes + 1):
            key, sizes = number_groups(key, n_keys)
            if len(sizes) == len(key):
                break
            n_keys = len(sizes)
        key, n_keys = key * (n_codes + 1) + codes + 1, n_keys * (n_codes + 1)
    return key
