"""An example of every registered treatment, what it promises, and a pilot on which it works: for property tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd
from hypothesis import strategies as st

from tests.remedy.treatments.treatment_frames import config_for

CONFIG = config_for(["DM__SEX", "DM__ZIP"], ["DM__AGE"], ["LB__X"], binning_config={"DM__AGE": [20, 40, 60, 80]}, T=2)
COLUMNS = ("USUBJID", "DM__SEX", "DM__ZIP", "DM__AGE", "LB__X", "VS__W", "DM__RFSTDTC", "DM__SUBJID", "SC__STATE")


class Example(NamedTuple):
    """``settings`` that work on the pilot, the columns that they may change, and properties of what comes out.

    ``promises``: "k", "l", "t", "rows" (none is removed), "ids" (subject ids stay), "types" (numbers stay numbers).
    """

    settings: Mapping[str, object] = {}
    touches: tuple[str, ...] = ()
    promises: tuple[str, ...] = ("rows", "ids")


_QIS, _NUMBERS = ("DM__SEX", "DM__ZIP", "DM__AGE"), ("LB__X", "DM__AGE")
_SAME_TYPES = ("rows", "ids", "types")
_KEY = {"key_from": {"environment": "PILOT_KEY"}}
_GROUPS = {"column": "DM__SEX", "groups": {"any": ["F", "M"]}, "others": "other"}
_NOISE = {"columns": ["LB__X", "VS__W"], "share": 0.5, "kind": "correlated"}
EXAMPLES = {
    "bins": Example({"column": "DM__AGE", "edges": [0, 30, 60]}, ("DM__AGE",)),
    "band": Example({"column": "DM__AGE", "width": 10, "label": "midpoint"}, ("DM__AGE",)),
    "round": Example({"column": "VS__W", "to": 0.5}, ("VS__W",), _SAME_TYPES),
    "group": Example(_GROUPS, ("DM__SEX",)),
    "hierarchy": Example({"column": "DM__AGE", "level": 2, "rule": {"intervals": [5, 10]}}, ("DM__AGE",)),
    "mask": Example({"column": "DM__ZIP", "keep": 2}, ("DM__ZIP",)),
    "coarsen_dates": Example({"column": "DM__RFSTDTC", "to": "quarter"}, ("DM__RFSTDTC",)),
    "top_code": Example({"column": "DM__AGE", "limit": 60}, ("DM__AGE",), _SAME_TYPES),
    "bottom_code": Example({"column": "LB__X", "limit": 3, "replacement": 2.5}, ("LB__X",), _SAME_TYPES),
    "drop_column": Example({"columns": ["SC__STATE", "DM__ZIP"]}, ("SC__STATE", "DM__ZIP"), ("rows",)),
    "suppress_records": Example(promises=("k", "ids", "types")),
    "suppress_cells": Example({}, _QIS, ("k", "rows", "ids")),
    "pram": Example({"column": "SC__STATE", "strata": ["DM__SEX"]}, ("SC__STATE",), _SAME_TYPES),
    "flip": Example({"column": "DM__SEX", "share": 0.5}, ("DM__SEX",), _SAME_TYPES),
    "noise": Example(_NOISE, ("LB__X", "VS__W"), _SAME_TYPES),
    "rank_swap": Example({"columns": ["LB__X", "VS__W"], "percent": 20}, ("LB__X", "VS__W"), _SAME_TYPES),
    "recode_ids": Example(_KEY, ("USUBJID",), ("rows",)),
    "shift_dates": Example(_KEY, ("DM__RFSTDTC",)),
    "drop_identifiers": Example({}, ("DM__SUBJID",)),
    "local_suppression": Example({}, _QIS, ("k", *_SAME_TYPES)),
    "mondrian": Example({}, _QIS, ("k", "l", "t", "rows", "ids")),
    "mdav": Example({"columns": list(_NUMBERS)}, _NUMBERS, _SAME_TYPES),
    "microaggregation": Example({"columns": list(_NUMBERS)}, _NUMBERS, _SAME_TYPES),
    "recommended": Example({}, ("DM__ZIP",), ("ids",)),
}
RECOMMENDED = ({"method": "mask", "column": "DM__ZIP", "keep": 1}, {"method": "suppress_records"})

_DATES = st.sampled_from(["2012", "2010-04", "2010-04-30", "2013-07-01T08:15", "2012-02-29"])
_KINDS = {
    "DM__SEX": (st.sampled_from(["F", "M"]), "str"),
    "DM__ZIP": (st.sampled_from(["11527", "11528", "115", "45110"]), "str"),
    "DM__AGE": (st.integers(15, 85).map(float), "float64"),
    "LB__X": (st.integers(0, 8).map(lambda x: x / 2), "float64"),
    "VS__W": (st.integers(40, 99).map(lambda x: f"{x}.25"), "str"),
    "DM__RFSTDTC": (_DATES, "str"),
    "DM__SUBJID": (st.integers(1, 9).map(str), "str"),
    "SC__STATE": (st.sampled_from(["a", "b", "c"]), "str"),
}


@st.composite
def pilots(draw, min_records: int = 0, max_records: int = 25) -> pd.DataFrame:
    """A pilot as door 2 reads it: typed columns of the config, the others as text; some missing, some wholly so."""
    n = draw(st.integers(min_records, max_records))
    columns = {"USUBJID": pd.Series([f"S-{i + 1}" for i in range(n)], dtype="str")}
    for name, (pool, dtype) in _KINDS.items():
        values = draw(st.lists(pool | st.none() if draw(st.booleans()) else pool, min_size=n, max_size=n))
        if draw(st.integers(0, 9)) == 0:
            values = [None] * n
        columns[name] = pd.Series(values, dtype=dtype)
    return pd.DataFrame(columns)
