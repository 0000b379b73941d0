"""The study's own tables: counted as pandas counts them, protected as brought ones are, not handed on beside rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from disclosure_control.release.before_and_after import CameIn
from disclosure_control.steps.running import StepResult
from disclosure_control.steps.tables.brought import COUNTS, TableRead
from disclosure_control.steps.tables.of_study import NO_VALUE, TOTAL, tables_of_study
from disclosure_control.steps.tables.step import protected, run_step
from disclosure_control.study_tables.registry import study_tables
from disclosure_control.table_protection.houses import house_by_name, known_houses
from disclosure_control.table_protection.protection import ProtectionMethod
from tests.config_keys import settings_of_key
from tests.examples import is_thorough
from tests.steps.release.conftest import FOLDER, demo_config, release_key, step_on
from tests.study_tables.sides import model_of, side_of

__all__ = ["release_key"]
N = 240
IDS = [f"P{i:03}" for i in range(N)]


def frames(seed: int) -> dict[str, pd.DataFrame]:
    """A trial with a rare sex of which some have no value, few deaths, and events of a third of the people."""
    random = np.random.default_rng(seed)
    arm = random.choice(["Placebo", "Active"], N)
    sex = random.choice(np.array(["F", "M", "U", None], dtype=object), N, p=[0.48, 0.48, 0.02, 0.02])
    people = pd.DataFrame({"USUBJID": IDS, "ARM": arm, "SEX": pd.Series(sex, dtype="str")})
    ended = random.choice(["COMPLETED", "ADVERSE EVENT", "DEATH"], N, p=[0.9, 0.08, 0.02])
    who = random.choice(N, 2 * N // 3)
    events = {"AEDECOD": random.choice(["HEADACHE", "RASH"], len(who)), "AESER": random.choice(["Y", "N"], len(who))}
    ended_so = pd.DataFrame({"USUBJID": IDS, "DSDECOD": ended})
    return {"DM": people, "DS": ended_so, "AE": pd.DataFrame({"USUBJID": np.array(IDS)[who], **events})}


def tables_of(files: dict[str, pd.DataFrame]) -> dict[str, TableRead]:
    side = side_of(files, IDS, model_of(files))
    return {table.name: table for table in tables_of_study(CameIn(side, study_tables(side), (), {}))}


def counted(table: TableRead, column: str) -> dict[tuple[str, str], int]:
    cells = table.cells
    return {(row, arm): int(n) for row, arm, n in zip(cells[column], cells["arm"], cells["people"], strict=True)}


def test_people_are_counted_as_pandas_counts_them():
    files = frames(1)
    tables = tables_of(files)
    people, arms = files["DM"], files["DM"]["ARM"].value_counts()
    sexes = counted(tables["study_demographics_dm_sex.csv"], "SEX")
    expected = people.assign(SEX=people["SEX"].fillna(NO_VALUE)).value_counts(["SEX", "ARM"]).to_dict()
    assert {place: n for place, n in sexes.items() if place[0] != TOTAL and n} == expected
    assert {arm: n for (row, arm), n in sexes.items() if row == TOTAL} == arms.to_dict()
    ends = counted(tables["study_disposition_ds_dsdecod.csv"], "DSDECOD")
    of = files["DS"].merge(people).value_counts(["DSDECOD", "ARM"]).to_dict()
    assert {place: n for place, n in ends.items() if place[0] != TOTAL and n} == of
    events = counted(tables["study_adverse_events_ae_event.csv"], "event")
    any_event = people[people["USUBJID"].isin(files["AE"]["USUBJID"])]["ARM"].value_counts().to_dict()
    assert {arm: n for (row, arm), n in events.items() if row == "Any adverse event"} == any_event


@pytest.mark.parametrize("house", known_houses())
@pytest.mark.parametrize("method", ProtectionMethod)
def test_every_promise_is_kept_for_all_tables_together(house, method):
    rules = house_by_name(house)
    for seed in range(4 if is_thorough() else 2):
        tables, found = protected([(table, None) for table in tables_of(frames(seed)).values()], rules, method)
        assert found.n_unproven == 0
        assert found.narrowest is None or found.narrowest >= rules.promised
        for table in tables:
            shown = pd.to_numeric(table.released()["people"], errors="coerce")
            true = table.read.cells["people"].astype(float)
            small = (true > 0) & (true < rules.minimum)
            assert method is ProtectionMethod.ROUND or shown[small].isna().all()
            assert COUNTS in table.blocks


def test_tables_of_everybody_do_not_leave_beside_the_rows(tmp_path, release_key):
    given, _ = step_on(FOLDER, tmp_path, demo_config(None), None)
    settings = settings_of_key("tables", {"study": True, "method": "round"})
    given = replace(given, folder=FOLDER, settings=settings)
    alone = run_step(given)
    assert not alone.reasons_to_hold
    assert "tables/study_demographics_dm_sex.csv" in alone.files
    assert "dm.xpt" in alone.inputs
    beside = run_step(replace(given, earlier={"release": StepResult({}, outcome=object())}))
    assert ["released/" in reason.sentence for reason in beside.reasons_to_hold] == [True]
    assert beside.files == alone.files
    refused = run_step(replace(given, earlier={"release": StepResult({}, outcome=None)}))
    assert not refused.reasons_to_hold
