"""A pilot on which the example of every registered treatment works: what the property tests run over."""

from __future__ import annotations

import pandas as pd
from hypothesis import strategies as st

from tests.remedy.treatments.treatment_frames import config_for

CONFIG = config_for(["DM__SEX", "DM__ZIP"], ["DM__AGE"], ["LB__X"], binning_config={"DM__AGE": [20, 40, 60, 80]}, T=2)
COLUMNS = ("USUBJID", "DM__SEX", "DM__ZIP", "DM__AGE", "LB__X", "VS__W", "DM__RFSTDTC", "DM__SUBJID", "SC__STATE")


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
