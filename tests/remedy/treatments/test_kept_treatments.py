"""Ninety people after each treatment, by its ways: every released cell and every figure is as it was kept."""

from __future__ import annotations

import pytest

from disclosure_control.assess.told import told_assessment
from disclosure_control.basics.telling.small_counts import EXACT
from disclosure_control.remedy.treatments.treat import treat
from tests.kept import changed_since_kept
from tests.ninety_people import config_of_ninety, ninety_people
from tests.remedy.treatments.treatment_examples import EXAMPLES, RECOMMENDED
from tests.remedy.treatments.treatment_frames import KEY

TWO = {"columns": ["LB__X", "VS__W"]}
BY_CLASS = ("suppress_records", "suppress_cells", "local_suppression", "mondrian", "recommended")
KEY_FROM = {"key_from": {"environment": "PILOT_KEY"}}
# Beside the example of each treatment: its settings at their edges, and their other values.
WAYS = [(method, example.settings) for method, example in EXAMPLES.items()] + [
    ("bins", {"column": "DM__AGE", "edges": [20, 40, 60], "out_of_range": "missing"}),
    ("band", {"column": "DM__AGE", "width": 20}),
    ("band", {"column": "LB__X", "width": 1.5, "label": "truncated_midpoint"}),
    ("group", {"column": "DM__ZIP", "rarer_than": 4, "others": "elsewhere"}),
    ("hierarchy", {"column": "DM__ZIP", "level": 3, "rule": "mask"}),
    ("hierarchy", {"column": "DM__RFSTDTC", "level": 2, "rule": "dates"}),
    ("mask", {"column": "DM__ZIP", "keep": 0, "character": "*"}),
    *(("coarsen_dates", {"column": "DM__RFSTDTC", "to": part}) for part in ("day", "month", "year")),
    ("top_code", {"column": "DM__AGE", "limit": 60, "replacement": 70}),
    ("bottom_code", {"column": "DM__AGE", "limit": 40}),
    ("suppress_records", {"models": ["k", "l", "t"]}),
    ("suppress_cells", {"k": 4, "replacement": "*"}),
    ("pram", {"column": "DM__ZIP", "keep": 0.5, "strength": 1.0}),
    ("noise", {**TWO, "share": 0.3, "keep_variance": True, "decimals": 1}),
    ("noise", {"columns": ["LB__X"], "share": 0.1, "decimals": 0}),  # some of the zeros become negative ones
    ("round", {"column": "LB__X", "to": 3}),
    ("rank_swap", {**TWO, "percent": 5}),
    ("recode_ids", {**KEY_FROM, "columns": ["USUBJID", "DM__SUBJID"], "length": 8}),
    ("shift_dates", {**KEY_FROM, "days": 30, "times": "keep", "columns": ["DM__RFSTDTC"]}),
    ("local_suppression", {"k": 4, "missing": "wildcard", "importance": ["DM__AGE", "DM__SEX"]}),
    ("local_suppression", {"k": 2, "missing": "category", "strata": ["SC__STATE"]}),
    ("mondrian", {"k": 5, "also": []}),
    ("mondrian", {"k": 2, "also": ["l"]}),
    ("mdav", {**TWO, "group_size": 4, "aggregate": "median"}),
    ("microaggregation", {**TWO, "group_size": 5, "partition": "fixed", "aggregate": "mean"}),
]


@pytest.mark.parametrize("policy", ["category", "exclude", "wildcard"])
def test_all_treatments(policy, monkeypatch):
    monkeypatch.setenv("PILOT_KEY", KEY)
    frame, found = ninety_people(), {}
    config = config_of_ninety(missing_qis=policy)
    for place, (method, settings) in enumerate(WAYS):
        if policy == "category" or method in BY_CLASS:
            treated = treat(frame, config, [{"method": method, **settings}], 3, recommended=RECOMMENDED)
            figures = [treated.steps, treated.notes, told_assessment(EXACT, treated.as_released)]
            found[f"{place} {method}"] = {"released": treated.released, "figures": figures}
    assert changed_since_kept(f"treatments_{policy}", found) == {}
