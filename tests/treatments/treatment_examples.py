"""A frame on which every registered treatment works, and an example of each: what the property tests run over."""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd
from hypothesis import strategies as st

from tests.treatments.treatment_frames import KEY_NAME, config_for

QUASI_IDENTIFIERS = ("DM__SEX", "DM__ZIP", "DM__AGE")
CONFIG = config_for(["DM__SEX", "DM__ZIP"], ["DM__AGE"], ["LB__X"], binning_config={"DM__AGE": [20, 40, 60, 80]}, T=2)
COLUMNS = ("USUBJID", "DM__SEX", "DM__ZIP", "DM__AGE", "LB__X", "VS__W", "DM__RFSTDTC", "DM__SUBJID", "SC__STATE")


@dataclass(frozen=True)
class Example:
    """A step, the columns that it may touch, and whether it works on any frame of these columns."""

    settings: dict = field(default_factory=dict)
    touches: tuple[str, ...] = ()


KEY_FROM = {"environment": KEY_NAME}
EXAMPLES: dict[str, Example] = {
    "bins": Example({"column": "DM__AGE", "edges": [0, 30, 60]}, ("DM__AGE",)),
    "band": Example({"column": "DM__AGE", "width": 10, "label": "midpoint"}, ("DM__AGE",)),
    "round": Example({"column": "VS__W", "to": 0.5}, ("VS__W",)),
    "group": Example({"column": "DM__SEX", "groups": {"any": ["F", "M"]}, "others": "other"}, ("DM__SEX",)),
    "hierarchy": Example({"column": "DM__AGE", "level": 2, "rule": {"intervals": [5, 10]}}, ("DM__AGE",)),
    "mask": Example({"column": "DM__ZIP", "keep": 2}, ("DM__ZIP",)),
    "coarsen_dates": Example({"column": "DM__RFSTDTC", "to": "quarter"}, ("DM__RFSTDTC",)),
    "top_code": Example({"column": "DM__AGE", "quantile": 0.9}, ("DM__AGE",)),
    "bottom_code": Example({"column": "LB__X", "limit": 3, "replacement": 2.5}, ("LB__X",)),
    "drop_column": Example({"columns": ["SC__STATE", "DM__ZIP"]}, ("SC__STATE", "DM__ZIP")),
    "suppress_records": Example({}),
    "suppress_cells": Example({}, QUASI_IDENTIFIERS),
    "pram": Example({"column": "SC__STATE", "strata": ["DM__SEX"]}, ("SC__STATE",)),
    "flip": Example({"column": "DM__SEX", "share": 0.5}, ("DM__SEX",)),
    "noise": Example({"columns": ["LB__X", "VS__W"], "share": 0.5, "kind": "correlated"}, ("LB__X", "VS__W")),
    "rank_swap": Example({"columns": ["LB__X", "VS__W"], "percent": 20}, ("LB__X", "VS__W")),
    "recode_ids": Example({"key_from": KEY_FROM}, ("USUBJID",)),
    "shift_dates": Example({"key_from": KEY_FROM}, ("DM__RFSTDTC",)),
    "drop_identifiers": Example({}, ("DM__SUBJID",)),
    "local_suppression": Example({}, QUASI_IDENTIFIERS),
    "mondrian": Example({}, QUASI_IDENTIFIERS),
    "mdav": Example({"columns": ["LB__X", "DM__AGE"]}, ("LB__X", "DM__AGE")),
    "microaggregation": Example({"columns": ["LB__X", "DM__AGE"]}, ("LB__X", "DM__AGE")),
    "massaging": Example(
        {
            "column": "SC__STATE",
            "favourable": "a",
            "unfavourable": "b",
            "sensitive": "DM__SEX",
            "reference": "F",
            "score": "DM__AGE",
        },
        ("SC__STATE",),
    ),
    "reweighing": Example({"column": "SC__STATE", "sensitive": "DM__SEX"}),
    "recommended": Example({}, COLUMNS),
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
