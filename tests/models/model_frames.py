"""Hypothesis strategies for frames of people: columns of every kind that a hospital's file may hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from tests.examples import examples

MAX_RECORDS = 40
MANY = examples(90)
BRIEF = examples(45)

# Spellings of few values, so that ties are many: blanks, composed and decomposed letters, codes as text.
TEXTS = ["a", " a", "a\t", "b", "A", "é", "e\u0301", "\u00a0é", "Ω", "\u2126", "", "  ", "1", "1.0", " 1 ", "01"]
TEXTS += ["1.00", "0", "0.0", "1.", ".0", "1.5", "1.50", "-1", "-1.0", "nan", "None", "True", "患者"]
MIXED = ["1", 1, 1.0, "1.0", " 1", "01", 2, 2.0, "2", 0, 0.0, -0.0, "0", 1.5, "1.5", "a", " a ", "", "\t", -3, "-3.0"]
MISSING = [None, np.nan, pd.NA]
free_text = st.text(alphabet="aé\u0301 \t\u2003Ω10.", max_size=4)
edge_lists = st.lists(st.integers(-30, 30).map(lambda i: i / 4), min_size=2, max_size=6, unique=True).map(sorted)
small_floats = st.sampled_from([0.0, -0.0, 0.5, 1.0, 1.5, -2.0, 0.1, 0.30000000000000004, 0.3, 1e9, 1e-9, -7.25])


def _of(pool, dtype):
    return pool, lambda values: pd.Series(values, dtype=dtype)


def _category(values: list, ordered: bool) -> pd.Series:
    present = [value for value in values if value is not None]
    return pd.Series(pd.Categorical(values, categories=list(dict.fromkeys(present)), ordered=ordered))


_texts = st.sampled_from(TEXTS) | free_text
_whole = st.integers(-3, 3)
# Kind of column -> what a value is drawn from, and how a list of values becomes a column.
KINDS = {
    "text": _of(_texts | st.sampled_from(MISSING), object),
    "str": _of(_texts | st.none(), "str"),
    "string": _of(_texts | st.none(), "string"),
    "arrow string": _of(_texts | st.none(), "string[pyarrow]"),
    "int64": _of(_whole, "int64"),
    "uint8": _of(st.integers(0, 255), "uint8"),
    "float64": _of(small_floats | st.just(np.nan), "float64"),
    "bool": _of(st.booleans(), "bool"),
    "Int64": _of(_whole | st.none(), "Int64"),
    "Float64": _of(small_floats | st.none(), "Float64"),
    "boolean": _of(st.booleans() | st.none(), "boolean"),
    "int64[pyarrow]": _of(_whole | st.none(), "int64[pyarrow]"),
    "mixed": _of(st.sampled_from(MIXED + MISSING), object),
    "category": (_texts | st.none(), lambda values: _category(values, ordered=False)),
    "ordered category": (_texts | st.none(), lambda values: _category(values, ordered=True)),
    "category of numbers": (_whole | st.none(), lambda values: _category(values, ordered=False)),
}
CATEGORICAL_KINDS = sorted(KINDS)


@st.composite
def columns(draw, n_records: int, kinds=CATEGORICAL_KINDS) -> pd.Series:
    """A column of ``n_records`` with few distinct values, hence with ties."""
    pool, make = KINDS[draw(st.sampled_from(kinds))]
    distinct = draw(st.lists(pool, min_size=1, max_size=5))
    return make(draw(st.lists(st.sampled_from(distinct), min_size=n_records, max_size=n_records)))


@st.composite
def numbers(draw, n_records: int, missing: bool = True) -> pd.Series:
    """A numeric sensitive column: ties, negative numbers, large and tiny units, sometimes constant or all missing."""
    unit = draw(st.sampled_from([1.0, 1.0, 0.1, 1e-9, 1e9]))
    whole = st.integers(-20, 20).map(lambda value: value * unit)
    pool = draw(st.sampled_from([whole, st.floats(-1000, 1000).map(lambda x: round(x, 3) + 0.0), st.just(unit)]))
    values = draw(st.lists(pool | st.none() if missing else pool, min_size=n_records, max_size=n_records))
    if missing and draw(st.integers(0, 9)) == 0:
        values = [None] * n_records
    return pd.Series(values, dtype=draw(st.sampled_from(["float64", "Float64", "float64[pyarrow]"])))


@st.composite
def indexes(draw, n_records: int) -> pd.Index:
    """Labels that mean nothing: rising, repeated, text, dates."""
    return draw(
        st.sampled_from(
            [
                pd.RangeIndex(n_records),
                pd.Index([7] * n_records),
                pd.Index([f"label {i % 3}" for i in range(n_records)]),
                pd.Index(range(n_records, 0, -1)),
                pd.DatetimeIndex(["2020-01-01"] * n_records),
            ]
        )
    )


@st.composite
def frames(draw, max_quasi_identifiers: int = 4, sensitive=None, kinds=CATEGORICAL_KINDS, min_records: int = 0):
    """A frame of 0..40 records, and the names of its 1..4 quasi-identifiers; ``sensitive`` makes a column ``s``."""
    n_records = draw(st.integers(min_records, MAX_RECORDS))
    names = [f"q{i}" for i in range(draw(st.integers(1, max_quasi_identifiers)))]
    parts = {name: draw(columns(n_records, kinds)) for name in names}
    if sensitive is not None:
        parts["s"] = draw(sensitive(n_records))
    frame = pd.DataFrame(parts)
    return frame.set_axis(draw(indexes(n_records)), axis=0), names
