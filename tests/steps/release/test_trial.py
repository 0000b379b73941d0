"""A trial is judged in memory, under the name of the config that it would replace: by the same verdict as its files."""

from __future__ import annotations

import dataclasses

import pandas as pd
import pytest

from disclosure_control.attack.attacked import Attacked
from disclosure_control.basics.kept import Kept
from disclosure_control.basics.settings.changes import ConfigChange
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.small_counts import EXACT
from disclosure_control.release.making import begun
from disclosure_control.remedy.treatments.keys import Release
from disclosure_control.steps.release import judged
from disclosure_control.steps.release.step import _stages_of, asked_of, labels_and_names, run_step
from disclosure_control.steps.running import Asks, StepInput, StepResult
from tests.steps.release.conftest import FOLDER, TREATMENT, demo_config, folder_with_files, step_on
from tests.steps.release.made_study import demographics, starts, visits


def said(result: StepResult) -> tuple:
    return result.figures, result.report, result.reasons_to_hold, result.answers, result.not_looked_at, result.inputs


def on_trial(given: StepInput, kept: Kept | None = None) -> StepResult:
    return run_step(dataclasses.replace(given, untried=given.assessment.config, kept=kept or Kept()))


def made_study(tmp_path, **keys) -> StepInput:
    (source := tmp_path / "source").mkdir(exist_ok=True)
    for name, table in {"dm": demographics(starts()), "sv": visits(starts())}.items():
        pd.DataFrame(table).to_csv(source / f"{name}.csv", index=False)
    literal = {"categorical_qis": ["DM__SEX"], "continuous_qis": ["DM__AGE"], "binning_config": {}, "K": 5}
    settings = {"key_from": {"environment": "RELEASE_TEST_KEY"}, "outsiders_know": {"facts": 0}}
    literal |= {"sensitive_feature": [], "sensitive_binning_config_for_L": {}, "release": settings}
    given, _ = step_on(source, source, {**literal, **keys}, None)
    return dataclasses.replace(given, folder=source)


@pytest.mark.thorough("3.3 s")
def test_the_verdict_of_a_trial_is_that_of_the_files(tmp_path, release_key):
    given, kept = made_study(tmp_path), Kept()
    written = run_step(given)
    assert said(on_trial(given, kept)) == said(on_trial(given, kept)) == said(written)


@pytest.mark.thorough("10 s; the quick run tries a made study of two files")
def test_the_verdict_of_a_trial_of_the_demo_is_that_of_its_files(demo, tmp_path, release_key):
    given, _ = step_on(FOLDER, tmp_path, demo_config(), TREATMENT)
    given = dataclasses.replace(given, folder=folder_with_files(FOLDER, tmp_path / "links"))
    assert said(on_trial(given)) == said(demo.result)


def test_all_ways_give_the_pseudonyms_of_the_untried_config(tmp_path, release_key):
    first, other = made_study(tmp_path), made_study(tmp_path, K=4)

    def ids(given: StepInput) -> set[str]:
        with asked_of(given, None) as asked:
            return set(begun(asked).people.pseudonyms)

    assert ids(dataclasses.replace(other, untried=first.assessment.config)) == ids(first) != ids(other)


ALONE = Reason(Gravity.OUTSIDERS_CAN_SINGLE_OUT, "12 are alone.")
TOLD = dataclasses.replace(ALONE, changes=(ConfigChange.to(("release", "operations", "DM.X"), "remove"),))


@pytest.mark.parametrize(
    ("reasons", "is_attacked", "n_asked"), [((), True, 1), ((TOLD,), False, 1), ((ALONE,), False, 0)]
)
def test_what_lines_bring_is_foreseen_by_the_run_that_proposes_them(
    tmp_path, release_key, monkeypatch, reasons, is_attacked, n_asked
):
    """Runs that ended with their first reason were made again for each further one: four or more in a proposal."""
    asked = []
    monkeypatch.setattr(judged, "reasons_of", lambda policy, checked: reasons)
    monkeypatch.setattr(judged, "foreseen", lambda leaving, reasons, spared: asked.append(reasons) or [])
    result = on_trial(dataclasses.replace(made_study(tmp_path), asks=Asks.UNTIL_HELD))
    assert isinstance(result.outcome.findings(EXACT).attacked, Attacked) is is_attacked
    assert asked == [reasons] * n_asked


def test_ways_that_move_dates_or_merge_otherwise_are_not_the_same_release(tmp_path, release_key):
    """Days that ``shift_dates`` names, and the rules of the merge, were no part of what is decided."""

    def decided(**keys):
        given = made_study(tmp_path, **keys)
        with asked_of(given, None) as asked:
            return begun(dataclasses.replace(asked, release=Release("TRIAL", "one"))).decided

    moved = [
        {"method": "shift_dates", "columns": ["DM__SEX"], "days": days, "key_from": {"environment": "RELEASE_TEST_KEY"}}
        for days in (60, 90)
    ]
    assert decided() == decided()
    assert len({decided(), *(decided(treatment=[one]) for one in moved), decided(merge={"drop": ["VS__X"]})}) == 4


def test_the_names_that_leave_are_read_where_they_are_asked_for(tmp_path, release_key):
    assert [
        labels_and_names in _stages_of(dataclasses.replace(made_study(tmp_path), asks=asks))
        for asks in (Asks.FIRST, Asks.NAMES)
    ] == [False, True]
