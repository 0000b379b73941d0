"""Attacks by the order of rows and by their numbers: neither tells what stood in the source, and keys still join."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.measures.longitudinal import alone_by_facts
from disclosure_control.release.deidentify import ReleasedStudy, deidentify
from disclosure_control.release.facts.facts import facts_known, kinds_to_count, usual_kinds
from disclosure_control.release.joins import JoinState, joins_of
from disclosure_control.release.numbering import in_an_order_of_their_own, order_of_rows
from disclosure_control.release.study import NOBODY, Study, StudyFile
from study.merge.subject_ids import SubjectIdRule
from study.models.registry import study_model
from study.models.roles import ColumnModel, Role, TableKind, TableModel
from study.models.sdtm_operations import overriding_line
from study.operations import OperationKind
from tests.examples import examples
from tests.release.small_studies import KEY, RELEASE, people, released, rows_of, rows_of_files, studies, study_of, table

IDS = [f"STUDY-{number:04d}" for number in range(1, 5)]
WHO = people(IDS, list(range(len(IDS))))


def arranged(before: ReleasedStudy, who=WHO) -> ReleasedStudy:
    return in_an_order_of_their_own(before, who, KEY, RELEASE)


def event(person: str, number: int, term: str, day: int = 1) -> dict:
    row = {"STUDYID": "STUDY", "DOMAIN": "AE", "USUBJID": person, "AESEQ": float(number), "AETERM": f"{term} verbatim"}
    return row | {"AEDECOD": term, "AESTDY": float(day)}


def qualifier(person: str, number: int, text: str) -> dict:
    row = {"STUDYID": "STUDY", "RDOMAIN": "AE", "USUBJID": person, "IDVAR": "AESEQ", "IDVARVAL": str(number)}
    return row | {"QNAM": "AETRTFL", "QLABEL": "Treatment emergent", "QVAL": text}


def subjects() -> list[dict]:
    return [{"STUDYID": "STUDY", "DOMAIN": "DM", "USUBJID": one, "SEX": "F"} for one in IDS]


def test_a_gap_in_aeseq_tells_nobody_whose_record_is_missing():
    """Each person's third record was taken away before: 1, 2, 4, 5 would show it."""
    events = [event(one, number, "Headache", 9 - number) for one in IDS for number in (1, 2, 4, 5)]
    after = arranged(released({"DM": subjects(), "AE": events}, WHO)).files["AE"].frame
    assert after.groupby("USUBJID")["AESEQ"].apply(list).tolist() == [[1, 2, 3, 4]] * 4


def test_the_entries_of_a_vocabulary_do_not_keep_the_order_of_the_source():
    """Those of a questionnaire do: its order is that of the form."""
    codes = pd.DataFrame({"concept_id": [7.0, 3.0, 5.0], "concept_name": ["x", "y", "z"]})
    rank, key = np.zeros(3, dtype=np.int64), {"concept_id": ColumnModel(Role.RECORD_KEY)}
    vocabulary, form = (TableModel("CONCEPT", TableKind.DICTIONARY, columns=columns) for columns in (key, {}))
    assert order_of_rows(codes, rank, vocabulary, (), np.zeros).tolist() == [1, 2, 0]
    assert order_of_rows(codes, rank, form, (), np.zeros).tolist() == [0, 1, 2]


def test_rows_do_not_stand_in_the_alphabetical_order_of_verbatim_terms():
    """The source sorts by a verbatim term that is not released: of equal days, its order is another one now."""
    events = [event(one, number, term) for one in IDS for number, term in enumerate(("Zoster", "Asthma", "Migraine"))]
    after = arranged(released({"DM": subjects(), "AE": events}, WHO)).files["AE"].frame
    assert after.groupby("USUBJID")["AEDECOD"].apply(list).tolist() == [["Asthma", "Migraine", "Zoster"]] * 4
    assert after.groupby("USUBJID")["AESEQ"].apply(list).tolist() == [[1, 2, 3]] * 4


def joined(files: dict[str, pd.DataFrame]) -> Counter:
    """The oracle: each record with what its supplement says of it, without its number."""
    supp = files["SUPPAE"].assign(AESEQ=pd.to_numeric(files["SUPPAE"]["IDVARVAL"], errors="coerce"))
    supp = supp[supp["IDVAR"] == "AESEQ"]
    both = supp.merge(files["AE"], on=["USUBJID", "AESEQ"], suffixes=("_s", ""))
    kept = [name for name in both if name not in ("AESEQ", "IDVARVAL")]
    return Counter(both[kept].fillna("-").astype(str).itertuples(index=False, name=None))


def frames(study: ReleasedStudy) -> dict[str, pd.DataFrame]:
    return {name: file.frame for name, file in study.files.items()}


@pytest.mark.thorough("1 s: many forms; one of each in the quick run")
@examples(60)
@given(made=studies(), data=st.data())
def test_supplements_join_the_records_that_they_joined_whatever_these_are_numbered(made, data):
    files, ids, kept = made
    who = people(ids, kept)
    before = released(files, who)
    after = arranged(before, who)
    if {"AE", "SUPPAE"} <= set(after.files):
        assert joined(frames(after)) == joined(frames(before))
    if "AE" in after.files:
        numbers = after.files["AE"].frame.groupby("USUBJID")["AESEQ"]
        assert all(list(one) == list(range(1, len(one) + 1)) for _, one in numbers)
    again = {name: data.draw(st.permutations(rows)) for name, rows in files.items()}
    for name, file in arranged(released(again, who), who).files.items():
        pd.testing.assert_frame_equal(file.frame, after.files[name].frame)


@pytest.mark.thorough("0.3 s")
def test_all_keys_join_after_numbering_and_a_link_to_a_record_that_is_gone_goes():
    events = [event(one, number, "Headache", number) for one in IDS for number in (7, 3)]
    supp = [qualifier(one, number, "Y" if number == 3 else "N") for one in IDS for number in (3, 7)]
    supp += [qualifier(IDS[0], 99, "Y")]
    related = [{"STUDYID": "STUDY", "RDOMAIN": "AE", "USUBJID": one, "IDVAR": "AESEQ", "IDVARVAL": "7", "RELID": "R1"}
               for one in IDS]  # fmt: skip
    files = {"DM": subjects(), "AE": events, "SUPPAE": supp, "RELREC": related}
    after = arranged(released(files, WHO))
    opened = {name: table(name, rows_of(file.frame)) for name, file in after.files.items()}
    found = {one.key.name: one for one in joins_of(study_of(files, IDS), WHO, opened, "USUBJID")}
    assert {one.state for one in found.values()} == {JoinState.JOINS}
    assert {name: (one.rows_now, one.found_now) for name, one in found.items() if "IDVARVAL" in name} == {
        "SUPPAE.IDVARVAL (RDOMAIN AE, IDVAR AESEQ)": (8, 8),
        "RELREC.IDVARVAL (RDOMAIN AE, IDVAR AESEQ)": (4, 4),
    }
    supplement = after.files["SUPPAE"].frame
    assert set(zip(supplement["IDVARVAL"], supplement["QVAL"], strict=True)) == {("1", "Y"), ("2", "N")}


def test_a_relation_that_names_no_record_that_leaves_is_left_out_with_the_reason():
    files = {"DM": subjects(), "AE": [event(one, 1, "Headache") for one in IDS], "SUPPAE": [qualifier(IDS[0], 9, "Y")]}
    keep = overriding_line("AE.AETRTFL", OperationKind.KEEP)
    after = arranged(released(files, WHO, [keep]))
    assert (sorted(after.files), after.left_out) == (["AE", "DM"], {"suppae.csv": "no record of it is left"})


def test_the_parts_of_a_divided_domain_share_their_numbers():
    def result(part: str, person: str, number: int) -> dict:
        row = {"STUDYID": "STUDY", "DOMAIN": "LB", "USUBJID": person, "LBSEQ": float(number), "LBTESTCD": part}
        return row | {"LBSTRESN": float(number), "LBDTC": f"2014-01-{number:02d}"}

    files = {"DM": subjects()}
    files["LBCH"] = [result("CHOL", one, number) for one in IDS for number in (2, 9)]
    files["LBHE"] = [result("HGB", one, number) for one in IDS for number in (4, 11)]
    after = arranged(released(files, WHO))
    both = pd.concat([after.files["LBCH"].frame, after.files["LBHE"].frame])
    assert both.groupby("USUBJID")["LBSEQ"].apply(sorted).tolist() == [[1, 2, 3, 4]] * 4


def test_analysis_data_sets_name_the_new_numbers_of_records():
    """ADAE.AESEQ and SRCSEQ name the record of AE; ASEQ numbers the rows of its own data set."""
    events = [event(one, number, f"Term {number}", 10 - number) for one in IDS for number in (2, 5)]
    analysis = [
        {"STUDYID": "STUDY", "USUBJID": row["USUBJID"], "AEDECOD": row["AEDECOD"], "AESEQ": row["AESEQ"]}
        | {"ASEQ": 10 * row["AESEQ"], "SRCDOM": "AE", "SRCSEQ": row["AESEQ"], "TRTA": "A"}
        for row in events
    ]
    rows = {"ADAE": analysis, "AE": events, "DM": subjects()}
    tables = {name: table(name, of_file) for name, of_file in rows.items()}
    model = study_model(list(tables.values()), "USUBJID", "adam")
    whose = {name: np.array([IDS.index(row["USUBJID"]) for row in of_file]) for name, of_file in rows.items()}
    files = tuple(StudyFile(one, model.domain(name), whose[name], "csv", "USUBJID") for name, one in tables.items())
    after = frames(arranged(deidentify(Study(files, {}, model), WHO, (), KEY, RELEASE)))
    both = after["ADAE"].merge(after["AE"], on=["USUBJID", "AESEQ"], suffixes=("", "_of_ae"), validate="one_to_one")
    assert len(both) == 8
    assert (both["AEDECOD"] == both["AEDECOD_of_ae"]).all()
    assert (both["SRCSEQ"] == both["AESEQ"]).all()
    assert both.groupby("USUBJID")["ASEQ"].apply(sorted).tolist() == [[1, 2]] * 4
    assert after["AE"].groupby("AEDECOD")["AESEQ"].apply(set).to_dict() == {"Term 2": {2}, "Term 5": {1}}


def test_repeat_instances_are_counted_anew_within_their_instrument_and_keep_their_order():
    record = {"record_id": "1", "redcap_repeat_instrument": "labs", "glucose": "5.1"}
    rows = [{**record, "record_id": one, "redcap_repeat_instance": i} for one in ("1", "2") for i in ("2", "4", "7")]
    rows += [{**record, "redcap_repeat_instrument": "visits", "redcap_repeat_instance": "3"}]
    rows = [{**row, "glucose": str(9.0 - int(row["redcap_repeat_instance"]))} for row in rows]
    read = table("EXPORT", rows)
    model = study_model([read], "record_id", "redcap")
    whose = np.array([int(row["record_id"]) - 1 for row in rows])
    who = people(["1", "2"], [0, 1])
    study = Study((StudyFile(read, "EXPORT", whose, "csv", "record_id"),), {}, model)
    lines = [overriding_line("glucose", OperationKind.KEEP)]
    after = frames(arranged(deidentify(study, who, lines, KEY, RELEASE), who))["EXPORT"]
    labs = after[after["redcap_repeat_instrument"] == "labs"]
    assert dict(zip(labs["glucose"], labs["redcap_repeat_instance"], strict=True)) == {
        "7.0": "1",
        "5.0": "2",
        "2.0": "3",
    }
    assert after.loc[after["redcap_repeat_instrument"] == "visits", "redcap_repeat_instance"].tolist() == ["1"]


def test_numbers_that_the_config_keeps_stay_and_so_does_the_plan_of_the_trial():
    events = [event(one, number, "Headache", number) for one in IDS for number in (3, 7)]
    plan = [{"STUDYID": "STUDY", "DOMAIN": "TE", "ETCD": one, "ELEMENT": one.lower()} for one in ("Z", "B", "M")]
    kept = released({"DM": subjects(), "AE": events, "TE": plan}, WHO, [overriding_line("--SEQ", OperationKind.KEEP)])
    after = frames(arranged(kept))
    assert after["AE"].groupby("USUBJID")["AESEQ"].apply(list).tolist() == [[3, 7]] * 4
    assert after["TE"]["ETCD"].tolist() == ["Z", "B", "M"]
    assert set(arranged(kept).files["TE"].people) == {NOBODY}


def test_results_of_one_test_and_time_keep_their_order_so_that_a_merge_takes_the_same():
    """Two results of one day: a merge takes the one of the larger number, which is still the same one."""
    row = {"STUDYID": "STUDY", "DOMAIN": "VS", "USUBJID": IDS[0], "VSTESTCD": "WEIGHT", "VSDTC": "2014-01-05"}
    rows = [{**row, "VSSEQ": 5.0, "VSSTRESN": 90.0}, {**row, "VSSEQ": 8.0, "VSSTRESN": 70.0}]
    after = frames(arranged(released({"DM": subjects(), "VS": rows}, WHO)))["VS"]
    assert dict(zip(after["VSSEQ"], after["VSSTRESN"], strict=True)) == {1.0: 90.0, 2.0: 70.0}


def test_a_gap_in_numbers_that_the_config_keeps_is_a_fact_of_the_person():
    """One of four lacks the record 2: where numbers stay, the acquaintance of somebody with a rare event finds it."""
    events = [
        event(one, number, "Headache", number) for one in IDS for number in (1, 2, 3) if (one, number) != (IDS[2], 2)
    ]
    files = {"DM": subjects(), "AE": events}
    for lines, n_alone in (([overriding_line("--SEQ", OperationKind.KEEP)], 1), ([], 0)):
        after = arranged(released(files, WHO, lines))
        kinds = kinds_to_count(("visits",), after)
        assert ("gaps" in kinds) == bool(n_alone)
        rows, subject = rows_of_files(frames(after)), pd.Series(WHO.pseudonyms)
        found, _ = facts_known(rows, subject, SubjectIdRule(), kinds, after.model)
        assert alone_by_facts(np.zeros(len(IDS), dtype=np.int64), found.people, found.facts)[1].n_alone == n_alone
        assert usual_kinds(after.model) == ("terms", "visits", "death", "hospital")
