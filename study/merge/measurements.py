"""Which measurement a record of a findings domain is: its test, under its circumstances, in its unit.

The name of a column depends on all people: it contains the position if a test was taken in two of them. So kinds of
records are distinguished first, in whatever pieces the domain comes, and then the columns are named from the few kinds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.keys import number_groups
from disclosure_control.basics.encoding.text_codes import codes_of_few_texts
from study.merge.settings import MergeSettings
from study.merge.wide import text_of
from study.models.roles import QUALIFIERS, UNIT

Pair = tuple[str | None, str | None]
IS_TEXT, TEST = "is_text", "test"


@dataclass(frozen=True)
class Tests:
    """The tests of a domain: ``names`` in their order, and the place of each pair of --TEST and --TESTCD among them.

    A pair without a name has the place -1.
    """

    names: list[str]
    place: dict[Pair, int]

    def of_records(self, frame: pd.DataFrame) -> np.ndarray:
        """The place of each record's test (n_records,), -1 where it names none."""
        pairs, of_record = pairs_of_tests(frame)
        return np.array([self.place[pair] for pair in pairs] or [-1])[of_record]


def column_of(frame: pd.DataFrame, name: str) -> pd.Series:
    """A variable of a domain, all missing where the domain does not have it."""
    return frame[name] if name in frame else pd.Series(np.nan, index=frame.index, dtype="str")


def pairs_of_tests(frame: pd.DataFrame) -> tuple[list[Pair], np.ndarray]:
    """The distinct pairs of --TEST and --TESTCD, and which of them each record has (n_records,)."""
    codes, labels = zip(*(_factorized(column_of(frame, name)) for name in ("TEST", "TESTCD")), strict=True)
    group, first = _groups([code + 1 for code in codes], [len(one) + 1 for one in labels])
    of_kinds = (np.array([*names, None], dtype=object)[code[first]] for code, names in zip(codes, labels, strict=True))
    return list(zip(*of_kinds, strict=True)), group


def _factorized(values: pd.Series) -> tuple[np.ndarray, pd.Index]:
    """Codes (n_records,), -1 where missing, and labels of a column of text."""
    if (few := codes_of_few_texts(values)) is not None:
        return few.codes.astype(np.int64), pd.Index(few.texts, dtype="str")
    return pd.factorize(values)


def _groups(codes: Sequence[np.ndarray], n_codes: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """The group of each record (n_records,) by its codes, from 0 on, and a record of each group."""
    key, n_keys = codes[0].astype(np.int64), n_codes[0]
    for code, n in zip(codes[1:], n_codes[1:], strict=True):
        key, n_keys = key * n + code, n_keys * n
        if n_keys > max(4 * len(key), 1 << 16):
            key, sizes = number_groups(key, n_keys)
            n_keys = len(sizes)
    group, sizes = number_groups(key, n_keys)
    first = np.zeros(len(sizes), dtype=np.int64)
    first[group[::-1]] = np.arange(len(group))[::-1]
    return group, first


def name_tests(pairs: Iterable[Pair]) -> Tests:
    """The tests of all pairs, by --TEST, else by --TESTCD; by both where one name has two codes."""
    named = {(test, code): test if test is not None else code for test, code in pairs}
    codes: dict[str | None, set[str]] = {}
    for (_, code), name in named.items():
        codes.setdefault(name, set()).update({code} if code is not None else ())
    called = {
        pair: name if len(codes[name]) <= 1 else f"{name} ({pair[1] or ''})"
        for pair, name in named.items()
        if name is not None
    }
    names = sorted(set(called.values()))
    place = {name: i for i, name in enumerate(names)}
    return Tests(names, {pair: place[called[pair]] if pair in called else -1 for pair in named})


@dataclass(frozen=True)
class Kinds:
    """The kinds of records that there are, and the kind of each record (n_records,).

    ``table`` (n_kinds,) has the place of the test, the text of each circumstance and of the unit, None where missing,
    and whether the result is text.
    """

    table: pd.DataFrame = field(repr=False)
    of_record: np.ndarray


def kinds_of_records(
    frame: pd.DataFrame, rows: np.ndarray, test: np.ndarray, unit: pd.Series, is_text: np.ndarray
) -> Kinds:
    """The kinds of records with a result (n_records,), at these ``rows`` of frame and unit.

    ``test`` is the place of each record's test.
    """
    told: dict[str, tuple[np.ndarray, pd.Index]] = {}
    for name in QUALIFIERS:
        if name in frame or (name == "TPT" and "TPTNUM" in frame):
            values = column_of(frame, name)
            if name == "TPT" and "TPTNUM" in frame:
                values = values.fillna(pd.Series(text_of(frame["TPTNUM"]), frame.index, dtype="str"))
            told[name] = _factorized(values.astype("str"))
    told[UNIT] = _factorized(unit.astype("str"))
    told = {name: (code[rows], labels) for name, (code, labels) in told.items()}
    codes = [test, is_text.astype(np.int64), *(code + 1 for code, _ in told.values())]
    group, first = _groups(codes, [int(test.max(initial=-1)) + 1, 2, *(len(names) + 1 for _, names in told.values())])
    columns = {TEST: test[first], IS_TEXT: is_text[first]}
    of_kind = {name: np.array([*names, None], dtype=object)[code[first]] for name, (code, names) in told.items()}
    return Kinds(pd.DataFrame(columns | of_kind, dtype=object), group)


@dataclass(frozen=True)
class Measurements:
    """The columns of a domain by ``names``, their ``units`` where there are some, and the column of each kind."""

    names: list[str]
    units: dict[str, str]
    place: dict[tuple[object, ...], int]

    def of_records(self, kinds: Kinds) -> np.ndarray:
        """The column of each record (n_records,)."""
        return np.array([self.place[kind] for kind in _rows(kinds.table)], dtype=np.int64)[kinds.of_record]


def _rows(table: pd.DataFrame) -> list[tuple[object, ...]]:
    return list(table.itertuples(index=False, name=None))


def name_measurements(
    tables: Iterable[pd.DataFrame], names: list[str], domain: str, settings: MergeSettings
) -> Measurements:
    """The columns of all kinds of records, in the order of tests and of the circumstances that distinguish them.

    ``tables`` are those of ``Kinds``, of one shape; ``names`` are those of the tests.
    """
    kinds = pd.concat(tables, ignore_index=True).drop_duplicates(ignore_index=True)
    told = kinds.drop(columns=IS_TEXT).fillna("").astype({TEST: np.int64})  # "" is missing, and comes first
    told[UNIT] = unit = _with_unit_of_text(told, kinds[IS_TEXT].astype(bool))
    for qualifier in map(str, told.columns.drop(TEST)):
        is_pooled = [qualifier in settings.pool.get(f"{domain}__{name}", ()) for name in names]
        differs = told.groupby(TEST)[qualifier].transform("nunique") > 1
        told[qualifier] = told[qualifier].where(differs & ~np.array(is_pooled, dtype=bool)[told[TEST]], "")
    column = told.groupby(list(told)).ngroup()
    first = told.groupby(column).first()
    column_names = [_name_of_column(domain, names, one, plain=True) for _, one in first.iterrows()]
    if len(set(column_names)) < len(column_names):  # SUPINE may be a position here and a method there
        column_names = [_name_of_column(domain, names, one, plain=False) for _, one in first.iterrows()]
    units = {column_names[i]: ", ".join(sorted(set(of_column))) for i, of_column in unit[unit != ""].groupby(column)}
    return Measurements(column_names, units, dict(zip(_rows(kinds), column.tolist(), strict=True)))


def _with_unit_of_text(told: pd.DataFrame, is_text: pd.Series) -> pd.Series:
    """The units of kinds (n_kinds,): a text result without one (TRACE, <3.42) has its test's, if there is only one."""
    units = told[told[UNIT] != ""].groupby(TEST)[UNIT].unique()
    only = {test: found[0] for test, found in units.items() if len(found) == 1}
    of_test = pd.Series([only.get(test, "") for test in told[TEST]], told.index, dtype=object)
    return told[UNIT].where(~is_text | (told[UNIT] != ""), of_test)


def _name_of_column(domain: str, names: Sequence[str], kind: pd.Series, plain: bool) -> str:
    told = [text if plain else f"{qualifier}={text}" for qualifier, text in kind.drop(TEST).items() if text]
    return f"{domain}__{names[kind[TEST]]}" + (f" [{', '.join(told)}]" if told else "")
