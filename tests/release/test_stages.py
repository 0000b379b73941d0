"""Each stage of a release alone, on a small study: what it promises, and that it changes nothing that it is given."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from config.model_settings import validate_config
from disclosure_control.records.domains import DomainReader
from disclosure_control.records.records import EncodedRecords
from disclosure_control.release import stages
from disclosure_control.release.before_and_after import CameIn
from disclosure_control.release.deidentify import ReleasedStudy
from disclosure_control.release.making import Asked, Making
from disclosure_control.release.settings import ReleaseSettings
from disclosure_control.release.stages import through
from disclosure_control.release.terms.rare_terms import RareTerms
from disclosure_control.release.writing import as_it_would_be_read, opened, written
from disclosure_control.steps import READERS
from study.operations import OperationKind
from tests.cases import each, quick
from tests.release.small_studies import KEY, RELEASE, people, study_of

N = 24
IDS = [f"ST-{701 + i % 3}-{1000 + 7 * i}" for i in range(N)]
RARE, ALONE = "Vertigo", 5  # the term of one person, and who that is
SECRET = "seen by her cousin at the harbour"
SETTINGS = ReleaseSettings(key_from={"environment": "NOT_READ"}, operations={"AE.AECOM": OperationKind.KEEP})


def rows_of_study() -> dict[str, list[dict]]:
    dm = [
        {"STUDYID": "ST", "DOMAIN": "DM", "USUBJID": one, "SEX": "FM"[i % 2], "RFSTDTC": f"2013-03-{i + 1:02d}"}
        | {"SMITH_JOHN": "Y"}
        for i, one in enumerate(IDS)
    ]
    ae = [
        {"STUDYID": "ST", "DOMAIN": "AE", "USUBJID": one, "AESEQ": float(10 * number), "AETERM": "Pain"}
        | {"AEDECOD": RARE if i == ALONE and number == 1 else ("Headache", "Nausea")[number - 1]}
        | {"AESTDTC": f"2013-04-{i + 1:02d}", "AECOM": SECRET if i == ALONE else "mild"}
        for i, one in enumerate(IDS)
        for number in (1, 2)
    ]
    return {"DM": dm, "AE": ae}


def making(settings: ReleaseSettings = SETTINGS, place=None, kept=None) -> Making:
    """The study before any stage; ``kept``: places of those whom a treatment kept."""
    frame = pd.DataFrame({"USUBJID": IDS, "DM__SEX": ["FM"[i % 2] for i in range(N)]})
    literal = {"categorical_qis": ["DM__SEX"], "continuous_qis": [], "binning_config": {}, "K": 3}
    literal |= {"sensitive_feature": [], "sensitive_binning_config_for_L": {}}
    config, original = validate_config(literal, list(frame.columns), READERS), EncodedRecords.in_memory(frame)
    moment = datetime(2026, 1, 31)
    asked = Asked("P", place, config, settings, DomainReader(), original, None, KEY, RELEASE, moment, place=place)
    if kept is not None:
        records = EncodedRecords.in_memory(frame.iloc[kept])
        values = {"DM__SEX": records.columns["DM__SEX"].values}
        promised = replace(asked, original=records).promised
        treated = SimpleNamespace(kept=np.array(kept), records=records, values=values, as_released=promised)
        asked = replace(asked, treated=treated)
    study = study_of(rows_of_study(), IDS)
    nothing = ReleasedStudy({}, {}, (), (), study.model)
    return Making(asked, study, CameIn.of(study, N, 10**9), {}, people(IDS, list(range(N))), np.zeros(N, int), nothing)


def after(last, **given) -> Making:
    """The study up to and with a stage."""
    made = stages.MAKING[: stages.MAKING.index(last) + 1]
    return through(made, making(**given))


def released(made: Making, name: str) -> pd.DataFrame:
    return made.released.files[name].frame


def test_stages_have_their_order():
    assert [stage.__name__ for stage in stages.LEAVING] == [
        *("decisions", "people_who_stay", "operations", "terms_that_stay", "terms", "texts", "labels_and_names"),
        *("order_and_numbers", "study_tables", "written", "opened"),
    ]
    assert stages.ON_TRIAL[:-1] == stages.LEAVING[:-2]


@pytest.mark.thorough("1.1 s")
@each("stage", stages.MAKING)
def test_a_stage_changes_nothing_that_it_is_given(stage):
    before = through(stages.MAKING[: stages.MAKING.index(stage)], making(replace(SETTINGS, rare_terms=RareTerms(3))))
    frames = {name: file.frame.copy() for name, file in before.released.files.items()}
    stays, lines = before.people.stays.copy(), before.lines
    stage(before)
    assert before.lines == lines
    assert (before.people.stays == stays).all()
    assert list(before.released.files) == list(frames)
    for name, frame in frames.items():
        pd.testing.assert_frame_equal(before.released.files[name].frame, frame)


def test_decisions_take_a_column_out_for_its_name():
    made = stages.decisions(making())
    assert made.lines[0].patterns == ("DM.SMITH_JOHN",)
    assert [one.column for one in made.labels.gone] == ["SMITH_JOHN"]


def test_only_those_whom_the_treatment_kept_stay():
    kept = list(range(0, N, 2))
    made = stages.people_who_stay(making(kept=kept))
    assert np.flatnonzero(made.people.stays).tolist() == kept
    assert stages.people_who_stay(making()).people.stays.all()


def test_operations_give_ids_and_one_offset_to_each_person():
    made = after(stages.operations)
    dm, ae = released(made, "DM"), released(made, "AE")
    assert set(dm["USUBJID"]) == set(made.people.pseudonyms)
    assert "SMITH_JOHN" not in dm
    offsets = dict(zip(made.people.pseudonyms, made.people.offsets, strict=True))
    began = {made.people.pseudonyms[i]: f"2013-03-{i + 1:02d}" for i in range(N)}
    moved = pd.to_datetime(dm["RFSTDTC"]) - pd.to_datetime(dm["USUBJID"].map(began))
    assert moved.dt.days.tolist() == dm["USUBJID"].map(offsets).tolist()
    assert not set(IDS) & set(ae.astype(str).to_numpy().ravel())


def test_people_lose_quasi_identifiers_where_their_term_is_to_stay():
    rare = RareTerms(at_least=3, within_class=True, keep=("AE",))
    made = after(stages.terms_that_stay, settings=replace(SETTINGS, rare_terms=rare))
    sex = made.people.recoded["DM__SEX"].released
    assert sex[ALONE] is None
    assert sum(one is None for one in sex) == made.people.n_hidden >= 3
    untouched = after(stages.operations)
    assert stages.terms_that_stay(untouched) is untouched


def test_a_term_of_one_person_is_hidden_where_the_config_asks_for_it():
    made = after(stages.terms, settings=replace(SETTINGS, rare_terms=RareTerms(at_least=3)))
    assert RARE not in set(released(made, "AE")["AEDECOD"])
    assert [one.domain for one in made.raised] == ["AE"]
    assert RARE in set(released(after(stages.terms), "AE")["AEDECOD"])


def test_a_text_of_one_person_is_emptied():
    made = after(stages.texts)
    assert SECRET in made.texts.texts
    assert SECRET not in released(made, "AE").astype(str).to_numpy()


def test_names_that_are_gone_are_told_to_nobody():
    made = after(stages.labels_and_names)
    assert "SMITH_JOHN" in made.released.unnamed
    assert "SMITH_JOHN" in made.emptied_words


def test_rows_are_numbered_without_a_gap_in_an_order_of_their_own():
    made = after(stages.order_and_numbers)
    numbers = released(made, "AE").groupby("USUBJID")["AESEQ"].apply(list)
    assert all(of_person == [1.0, 2.0] for of_person in numbers)
    assert released(made, "AE")["USUBJID"].is_monotonic_increasing


def test_tables_of_the_study_are_compared_where_they_are_asked_for():
    made = after(stages.study_tables)
    assert made.compared is not None
    assert made.compared.tables
    assert stages.study_tables(replace(made, came_in=None, compared=None)).compared is None


@pytest.mark.thorough("0.7 s")
@pytest.mark.parametrize("format_name", quick(2, ["csv", "xpt5", "parquet"], "0.6 s"))
def test_a_trial_reads_in_memory_what_a_recipient_reads_from_files(format_name, tmp_path):
    settings = replace(SETTINGS, format=format_name)
    of_files = opened(written(after(stages.study_tables, settings=settings, place=tmp_path))).package
    in_memory = as_it_would_be_read(after(stages.study_tables, settings=settings, place=tmp_path)).package
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(of_files.files)
    assert list(in_memory.files) == list(of_files.files)
    assert in_memory.names == of_files.names
    assert in_memory.texts == of_files.texts
    assert in_memory.joins == of_files.joins
    assert list(in_memory.tables) == list(of_files.tables)
    for name, table in of_files.tables.items():
        pd.testing.assert_frame_equal(in_memory.tables[name].frame, table.frame)
