"""Studies as they leave, whole: every released cell, every figure and every kind of reason is as it was kept."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from tests.config_keys import settings_of_key
from tests.kept import changed_since_kept
from tests.places import PROJECT
from tests.steps.release.conftest import Package, package, shipped_config, step_on, with_key

N_PEOPLE = 50


def make_some_of(pilot: str, to: Path) -> Package:
    """A shipped pilot of CSV files as it leaves, with fifty people alone; those who died are among them."""
    source, literal = to / "source", shipped_config(pilot)
    source.mkdir()
    person, age = literal["subject_id"]["column"], literal["continuous_qis"][0]
    paths = sorted((PROJECT / "pilot_report" / pilot).glob("*.csv"), key=lambda path: path.name != "DEATH.csv")
    tables = {path.name: pd.read_csv(path, dtype="str", keep_default_na=False) for path in paths}
    ids = list(dict.fromkeys(one for table in tables.values() if person in table for one in table[person]))
    for name, table in tables.items():
        own = table[table[person].isin(ids[:N_PEOPLE])] if person in table else table
        if len(own):
            own.to_csv(source / name, index=False)
    treatment = [{"method": "band", "column": age, "width": 20}, {"method": "suppress_records", "models": ["k"]}]
    merge = settings_of_key("merge", literal["merge"], literal)
    return package(source, *step_on(source, to, literal, treatment, merge), to)


@pytest.mark.parametrize("pilot", ["small", "OMOP_DEMO", "REDCAP_DEMO"])
def test_what_leaves(pilot, small, tmp_path):
    made = small if pilot == "small" else with_key(partial(make_some_of, pilot), tmp_path)
    kinds = [(one.gravity, one.infers, one.is_of_all_ways, one.changes) for one in made.result.reasons_to_hold]
    told = {"files": made.opened, "reasons": kinds, "figures": made.result.figures, "tables": made.result.tables}
    assert changed_since_kept(f"release_{pilot}", told) == {}
