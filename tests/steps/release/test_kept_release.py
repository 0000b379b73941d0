"""Studies as they leave, whole: every released cell, every figure, section and kind of reason is as it was kept."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from disclosure_control.basics.telling.small_counts import EXACT
from study.formats.files import read_domain_file
from tests.config_keys import settings_of_key
from tests.kept import changed_since_kept
from tests.places import PROJECT
from tests.steps.release.conftest import Package, package, shipped_config, step_on, with_key

N_PEOPLE = 50


# Of SDTM_DEMO a few domains; terms of few people are hidden, texts of people are declared, one fact is known.
DOMAINS = ("dm", "ae", "cm", "ds", "mh", "lbch", "suppdm", "ts")
RELEASES = {
    "SDTM_DEMO": {
        "outsiders_know": {"facts": 1},
        "rare_terms": {"at_least": 3, "within": "class", "keep": ["visits"]},
        "operations": {"AE.AETERM": "keep", "MH.MHTERM": "keep"},
    }
}


def table_of(path: Path) -> pd.DataFrame:
    is_csv = path.suffix == ".csv"
    return pd.read_csv(path, dtype="str", keep_default_na=False) if is_csv else read_domain_file(path).frame


def make_some_of(pilot: str, to: Path) -> Package:
    """A shipped pilot as it leaves, with its first people alone; those who died are among them."""
    source, literal = to / "source", shipped_config(pilot, RELEASES.get(pilot))
    source.mkdir()
    person, age = literal["subject_id"]["column"], literal["continuous_qis"][0]
    paths = sorted((PROJECT / "pilot_report" / pilot).glob("*.*"), key=lambda path: path.name != "DEATH.csv")
    tables = {path.stem: table_of(path) for path in paths if path.suffix == ".csv" or path.stem in DOMAINS}
    ids = list(dict.fromkeys(one for table in tables.values() if person in table for one in table[person]))
    for name, table in tables.items():
        own = table[table[person].isin(ids[:N_PEOPLE])] if person in table else table
        if len(own):
            own.to_csv(source / f"{name}.csv", index=False)
    treatment = [{"method": "band", "column": age, "width": 20}, {"method": "suppress_records", "models": ["k"]}]
    merge = settings_of_key("merge", literal.get("merge", {}), literal)
    return package(source, *step_on(source, to, literal, treatment, merge), to)


@pytest.mark.parametrize("pilot", ["small", "SDTM_DEMO", "OMOP_DEMO", "REDCAP_DEMO"])
def test_what_leaves(pilot, small, tmp_path):
    made = small if pilot == "small" else with_key(partial(make_some_of, pilot), tmp_path)
    kinds = [(one.gravity, one.infers, one.is_of_all_ways, one.changes) for one in made.result.reasons_to_hold]
    told = {"files": made.opened, "reasons": kinds, "figures": made.result.figures, "tables": made.result.tables}
    told["sections"] = [made.result.for_reader(EXACT).sections, made.result.sections]
    assert changed_since_kept(f"release_{pilot}", told) == {}
