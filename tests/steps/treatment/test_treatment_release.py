"""What may leave the house with a treated pilot: dates and ids under any name, seeds, figures, files, keys."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pandas as pd
import pytest

from Create_Combined_Pilot_Dataset import add_merge_options, combine_pilot
from disclosure_control.assess.assessment import assess
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.remedy.treatments.keys import read_key
from disclosure_control.remedy.treatments.methods.noise import decimals_of
from disclosure_control.remedy.treatments.treat import treat
from disclosure_control.run.doors import run_door
from disclosure_control.steps.treatment import release_warnings
from disclosure_control.steps.treatment.figures import treatment_findings
from disclosure_control.steps.treatment.leaks import columns_with_ids
from disclosure_control.steps.treatment.report import treatment_report
from Main_Anonymization import add_options, assess_pilot
from tests.config_keys import faults_of_key, settings_of_key
from tests.found import InSummary
from tests.remedy.treatments.treatment_frames import KEY, KEY_NAME, config_for

KEY_FROM = {"environment": KEY_NAME}
SHIFT = {"method": "shift_dates", "key_from": KEY_FROM}
RECODE = {"method": "recode_ids", "key_from": KEY_FROM}
CONFIG = config_for(["SEX"], K=2)


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv(KEY_NAME, KEY)


def people(n=6, **columns):
    columns = {name: value if isinstance(value, list) else [value] * n for name, value in columns.items()}
    ids = [f"STUDY-{i:03d}" for i in range(n)]
    return pd.DataFrame({"USUBJID": ids, "SEX": ["F", "M"] * (n // 2), **columns}).astype({"USUBJID": "str"})


def figures_of(frame, *steps, config=CONFIG, seed=12345):
    treated = treat(frame, config, steps, seed)
    return InSummary(treatment_findings(assess(frame, config), treated, frame)(MASKED))


def notes_of(frame, *steps, **settings):
    return " ".join(figures_of(frame, *steps, **settings)["notes"])


# ---------------------------------------------------------------- variables carried beside a test


@pytest.fixture
def carried(tmp_path, monkeypatch):
    """A pilot whose merge carries the date, the laboratory and the sample of each result, through both doors."""
    folder, configs = tmp_path / "pilots" / "CARRIED", tmp_path / "configs"
    folder.mkdir(parents=True)
    configs.mkdir()
    ids = [f"S-{i}" for i in range(8)]
    pd.DataFrame({"USUBJID": ids, "SEX": "F", "RFSTDTC": "2012-03-01"}).to_csv(folder / "DM.csv", index=False)
    of_test = {"LBTEST": "Cholesterol", "LBSTRESN": [5, 4, 5, 6, 4, 5, 6, 5], "LBSTRESU": "mmol/L"}
    of_test["LBDTC"] = "2012-02-28T08:15"
    pd.DataFrame({"USUBJID": ids, **of_test, "LBNAM": "LABMARKER", "LBREFID": "SAMPLEMARKER"}).to_csv(
        folder / "LB.csv", index=False
    )

    def run(treatment):
        config = {"categorical_qis": ["DM__SEX"], "continuous_qis": [], "binning_config": {}, "sensitive_feature": []}
        config |= {"K": 2, "merge": {"carry": {"LB": ["LBDTC", "LBNAM", "LBREFID"]}}, "treatment": treatment}
        (configs / "CARRIED.py").write_text(f"config = {config!r}\n", encoding="utf-8")
        monkeypatch.setenv("BIOSTREAMS_DATA_DIR", str(folder.parent))
        monkeypatch.setenv("BIOSTREAMS_CONFIG_DIR", str(configs))
        assert run_door("", combine_pilot, ["CARRIED"], add_merge_options) == 0
        assert run_door("", assess_pilot, ["CARRIED"], add_options) == 0
        results = folder / "processed_for_anonym"
        summary = json.loads((results / "CARRIED_treatment_summary.json").read_text(encoding="utf-8"))
        return pd.read_csv(results / summary["dataset"]), summary

    return run


@pytest.mark.thorough("0.5 s")
def test_carried_dates_are_shifted_and_carried_identifiers_are_dropped(carried, monkeypatch):
    asked = []
    monkeypatch.setattr(
        release_warnings, "columns_with_ids", lambda *given: asked.append(1) or columns_with_ids(*given)
    )
    released, summary = carried([RECODE, SHIFT, {"method": "drop_identifiers"}])
    assert len(asked) == 1  # for the notes and for the reasons to hold
    assert "LB__Cholesterol.LBDTC" in released
    moved = pd.to_datetime(released["LB__Cholesterol.LBDTC"]) - pd.Timestamp("2012-02-28")
    assert (moved == pd.to_datetime(released["DM__RFSTDTC"]) - pd.Timestamp("2012-03-01")).all()
    assert (moved != pd.Timedelta(0)).all()
    assert summary["columns_dropped"] == ["LB__Cholesterol.LBNAM", "LB__Cholesterol.LBREFID"]
    assert "MARKER" not in released.to_csv()
    assert "Dates are not shifted" not in " ".join(summary["notes"])


# ---------------------------------------------------------------- dates: times and intervals


def shifted(text, unreadable="fault", times="keep"):
    out = treat(
        people(D__XDTC=text, D__YDTC="2000-06-15"), CONFIG, [{**SHIFT, "unreadable": unreadable, "times": times}]
    ).frame
    days = (pd.to_datetime(out["D__YDTC"]) - pd.Timestamp("2000-06-15")).dt.days
    return out["D__XDTC"], days


@pytest.mark.parametrize("text", ["2003-12-15T10:00/2003-12-20T10:30", "2003-12-15/2003-12", "2003-12-15T10/2004"])
def test_both_ends_of_an_interval_move(text):
    out, days = shifted(text)
    middle = {7: "-31", 4: "-12-31", 10: ""}  # of an end beside a complete beginning the last day moves
    for found, move in zip(out, days, strict=True):
        ends = []
        for end in text.split("/"):
            day, at, time = end.partition("T")
            moved = pd.Timestamp(day + middle[len(day)]) + pd.Timedelta(days=move)
            ends.append(str(moved.date())[: len(day)] + at + time)
        assert found == "/".join(ends)


@pytest.mark.parametrize(
    "time", ["10", "10:30", "10:30:59.125", "-:15", "10:-:20", "10:30Z", "10:30:00+02:00", "10-05:30"]
)
def test_times_as_sdtm_writes_them_stay_where_the_config_keeps_them(time):
    out, days = shifted(f"2012-04-30T{time}")
    days_of = [str((pd.Timestamp("2012-04-30") + pd.Timedelta(days=move)).date()) for move in days]
    assert out.tolist() == [f"{day}T{time}" for day in days_of]
    assert shifted(f"2012-04-30T{time}", times="remove")[0].tolist() == days_of


@pytest.mark.parametrize(
    "text",
    [
        *("2012-04-30T garbage NAMEMARKER", "2012-04-30T25:99", "2012-04-30T10:60", "2012-04-30T10:00 NAMEMARKER"),
        *("2012-04-30T", "2012-04-30T10:00+99:00", "2012-04-30/NAMEMARKER", "2012-04-30/2012-05-01/2012-05-02"),
        *("2012-04-30/P3D", "2012-04-30T\u0661\u0660"),
    ],
)
def test_what_is_no_time_never_passes(text):
    for step in (SHIFT, {"method": "coarsen_dates", "column": "D__XDTC", "to": "day"}):
        with pytest.raises(FaultyInputError, match=r"not ISO 8601 dates") as error:
            treat(people(D__XDTC=text), CONFIG, [step])
        assert "MARKER" not in str(error.value)
    assert shifted(text, "missing")[0].isna().all()


def test_coarser_dates_are_no_unshifted_ones():
    frame = people(D__ADTC="2012-04-30", D__BDTC="2012-05-01T08:00", D__CDTC="2012")
    coarsen = {"method": "coarsen_dates", "column": "D__ADTC", "to": "month"}
    to_day = {"method": "coarsen_dates", "column": "D__BDTC", "to": "day"}
    assert "Dates are not shifted: D__BDTC, D__CDTC." in notes_of(frame, coarsen, to_day)
    assert "Dates are not shifted: D__BDTC, D__CDTC." in notes_of(frame, {**SHIFT, "columns": ["D__ADTC"]})
    assert "Dates are not shifted" not in notes_of(frame, SHIFT)


# ---------------------------------------------------------------- the seed


FLIP = {"method": "flip", "column": "SEX", "share": 0.5}
OWN = 2**126 + 987654321


def test_the_published_default_is_a_loud_warning_and_no_seed_is_printed():
    for seed, words, whose in (
        (12345, "WARNING: Chance was drawn from the published default seed", "the published default"),
        (777001, "WARNING: Chance was drawn from a seed of your own that is short enough", "your own"),
        (OWN, "Chance was drawn from a seed of your own. Anyone who learns it can undo", "your own"),
    ):
        figures = figures_of(people(), FLIP, seed=seed)
        report = treatment_report(figures.found)
        assert words in report
        assert ("WARNING" in report) == (seed != OWN)
        assert figures["seed"] == whose
        assert str(seed) not in json.dumps(figures) + report
        assert "seed" not in treatment_report(figures_of(people(), {"method": "suppress_cells"}, seed=seed).found)


def test_a_seed_from_a_key():
    value = {"seed_from": KEY_FROM, "steps": [FLIP]}
    assert faults_of_key("treatment", value, {}, ["SEX"]) == []
    settings = settings_of_key("treatment", value)
    seed = settings.chance.read()
    assert [step.literal for step in settings.steps] == [FLIP]
    assert seed.bit_length() > 128
    assert settings.chance.read() == seed
    assert KEY not in json.dumps(figures_of(people(), FLIP, seed=seed))
    first, second = (treat(people(40), CONFIG, [FLIP], one).frame for one in (seed, 12345))
    assert first["SEX"].tolist() != second["SEX"].tolist()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"seed": 7, "seed_from": KEY_FROM}, "name two seeds"),
        ({"seed_from": "SECRETMARKER"}, "seed_from']: allowed"),
        (
            {"seed_from": {"environment": "SECRET7f3Qz91Lk0Vw8Rt2"}},  # perhaps the key, in the wrong place
            "seed_from']: the named environment variable is not set",
        ),
    ],
)
def test_faults_of_the_seed(settings, words):
    (fault,) = faults_of_key("treatment", {**settings, "steps": []}, {}, None)
    assert fault.startswith("treatment")
    assert words in fault
    assert "MARKER" not in fault


@pytest.mark.parametrize(
    ("numbers", "n"),
    [([], 0), ([np.nan], 0), ([1, 20], 0), ([0.1, 2], 1), ([1e300, 0.25], 2), ([1 / 3], 15), ([-0.005], 3)],
)
def test_decimals(numbers, n):
    assert decimals_of(np.array(numbers, dtype=float)) == n


# ---------------------------------------------------------------- who was left out


def test_figures_of_the_untreated_tell_no_exact_distance():
    """One person alone with 987.654; t of all, 5/6 of the distance to the others' 1, would give the value back."""
    frame = people(X=[1.0, 1, 1, 1, 1, 987.654]).assign(SEX=list("FFFFFM"))
    config = config_for(["SEX"], sensitive=["X"], K=2, L=1, T=1e6)
    exact = assess(frame, config).t_closeness["X"].worst
    assert exact == pytest.approx((987.654 - 1) * 5 / 6)
    figures = figures_of(frame, {"method": "suppress_records"}, config=config)
    assert figures["before"]["t_closeness"]["X"]["maximum"] is None
    low, high = figures["before"]["t_closeness"]["X"]["maximum_between"]
    assert low < exact <= high == 2 * low
    report = treatment_report(figures.found)
    assert "822" not in report + json.dumps(figures)


# ---------------------------------------------------------------- original ids in other columns


def test_columns_that_hold_the_original_id_are_named_and_counted():
    frame = people(
        6,
        LB__SAMPLE=[f"study-{i:03d}-L1" for i in range(6)],
        CO__TEXT=["seen", "STUDY-001 withdrew", "STUDY-001's sister", None, "seen", "seen"],
        DM__ROW=["1", "2", "3", "4", "5", "6"],
    )
    notes = notes_of(frame, RECODE)
    assert "LB__SAMPLE contains the subject's original id for an undisclosed number of 6 people" in notes
    # One of them: the third speaks of another one.
    assert "CO__TEXT contains the subject's original id for an undisclosed number of 6 people" in notes
    assert "DM__ROW" not in notes
    assert "STUDY" not in notes
    assert "original id" not in notes_of(frame)  # then the ids themselves are there, and said to be
    again = {"method": "drop_column", "columns": ["LB__SAMPLE", "CO__TEXT"]}
    assert "original id" not in notes_of(frame, RECODE, again)
    assert "LB__SAMPLE contains" in notes_of(frame, {"method": "drop_column", "columns": ["USUBJID"]})


def test_ids_of_another_column_alone_are_no_pseudonyms_of_the_subjects():
    notes = notes_of(people(OTHER="a"), {**RECODE, "columns": ["OTHER"]})
    assert "Subject ids are released unchanged" in notes


def test_short_ids_count_where_they_are_the_column():
    ids = pd.Series(["1", "2", "3", "4", None])
    table = pd.DataFrame(
        {"copy": ["1", "2", "3", "9", "x"], "count": ["1", "9", "9", "9", "9"], "n": [1.0, 2, 3, 4, 5]}
    )
    assert columns_with_ids([(ids, table)]) == {"copy": 3}
    assert columns_with_ids([(ids.iloc[:2], table.iloc[:2]), (ids.iloc[2:], table.iloc[2:])]) == {"copy": 3}
    assert columns_with_ids([(ids.iloc[:0], table.iloc[:0])]) == {}


# ---------------------------------------------------------------- files and keys


@pytest.mark.parametrize("method", ["hierarchy", "mondrian"])
def test_hierarchies_stay_in_the_pilot_s_folder_and_are_inputs(tmp_path, method):
    folder = tmp_path / "PILOT"
    (folder / "hierarchies").mkdir(parents=True)
    content = "F;any\nM;any\n"
    for path in (folder / "hierarchies" / "sex.csv", tmp_path / "outside.csv"):
        path.write_text(content, encoding="utf-8")

    def step(file):
        if method == "mondrian":
            return {"method": "mondrian", "hierarchies": {"SEX": file}}
        return {"method": "hierarchy", "column": "SEX", "level": 1, "file": file}

    treated = treat(people(), CONFIG, [step("hierarchies/sex.csv")], folder=folder)
    assert treated.inputs == {"hierarchies/sex.csv": {"sha256": hashlib.sha256(content.encode()).hexdigest()}}
    assert treat(people(), CONFIG, [step(str(tmp_path / "outside.csv"))]).inputs == {}  # a notebook has no folder
    for file in ("../outside.csv", str(tmp_path / "outside.csv"), "nowhere.csv"):
        with pytest.raises(FaultyInputError, match=r"in a folder of its own .* such as hierarchies/race\.csv"):
            treat(people(), CONFIG, [step(file)], folder=folder)


@pytest.mark.parametrize("step", [RECODE, SHIFT])
def test_a_key_in_the_pilot_s_folder_is_a_fault(tmp_path, step):
    for folder, is_fault in ((tmp_path, True), (tmp_path / "PILOT", False)):
        path = tmp_path / "key"
        path.write_text(KEY, encoding="utf-8")
        path.chmod(0o600)
        steps = [{**step, "key_from": {"file": str(path)}}]
        if is_fault:
            with pytest.raises(FaultyInputError, match="is in the pilot's folder; move it out"):
                treat(people(D__ADTC="2012-01-01"), CONFIG, steps, folder=folder)
        else:
            treat(people(D__ADTC="2012-01-01"), CONFIG, steps, folder=folder)


def test_a_key_of_any_bytes(monkeypatch):
    monkeypatch.setenv(KEY_NAME, b"\xff\xfe7f1c93e0b85d4a26".decode("utf-8", "surrogateescape"))
    assert read_key(KEY_FROM) == b"\xff\xfe7f1c93e0b85d4a26"
