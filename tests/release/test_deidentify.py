"""A study as it leaves, against the slow referee, and what must hold of every study."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from disclosure_control.release.codebook import AS_WRITTEN, WITHOUT_BLANKS, codebook
from disclosure_control.release.deidentify import deidentify
from study.models.sdtm_operations import overriding_line
from study.operations import OperationKind
from tests.examples import examples
from tests.release.release_referee import offset_days, pseudonym, released_rows
from tests.release.small_studies import KEY, RELEASE, people, released, rows_of, studies, study_of

NAMED = (KEY, RELEASE.pilot, RELEASE.name)


@pytest.mark.thorough("0.6 s")
@given(studies())
@examples(40)
def test_every_cell_is_that_of_the_referee(study):
    files, ids, kept = study
    found = released(files, people(ids, kept))
    stays = {ids[place] for place in kept}
    for name, rows in files.items():
        expected = released_rows(name, rows, stays, {}, *NAMED)
        got = rows_of(found.files[name].frame) if name in found.files else []
        assert got == expected, name


@pytest.mark.thorough("0.4 s")
@given(studies())
@examples(40)
def test_no_original_id_is_in_any_file_and_who_stayed_keeps_every_parent_of_a_supplement_and_a_relation(study):
    files, ids, kept = study
    found = released(files, people(ids, kept)).files
    text = "\n".join(file.frame.to_csv() for file in found.values())
    assert not re.search(r"STUDY-\d", text)
    assert not [one for place, one in enumerate(ids) if place not in kept and pseudonym(*NAMED, one) in text]
    events = rows_of(found["AE"].frame) if "AE" in found else []
    parents = {by: {(row["USUBJID"], spelled(row[by])) for row in events} for by in ("AESEQ", "AESPID")}
    for name in ("SUPPAE", "RELREC"):
        for row in rows_of(found[name].frame) if name in found else ():
            assert (row["USUBJID"], row["IDVARVAL"]) in parents[row["IDVAR"]]


def spelled(value) -> str:
    return str(value).removesuffix(".0")


@pytest.mark.thorough("0.6 s")
@given(studies())
@examples(30)
def test_the_order_of_the_source_tells_nothing_but_the_order_within_a_person(study):
    files, ids, kept = study
    who = people(ids, kept)
    turned = {name: sorted(rows, key=lambda row: ids.index(row["USUBJID"])) for name, rows in files.items()}
    within = {name: sorted(rows, key=lambda row: -ids.index(row["USUBJID"])) for name, rows in turned.items()}
    first, second = released(turned, who), released(within, who)
    for name in first.files:
        assert first.files[name].frame.equals(second.files[name].frame)


DM = [
    {"USUBJID": "S-1", "AGE": 34.0, "SEX": "F", "RACE": "WHITE", "COUNTRY": "GRC", "BRTHDTC": "1988-02-03"},
    {"USUBJID": "S-2", "AGE": 91.0, "SEX": "M", "RACE": "OTHER", "COUNTRY": "XYZ", "BRTHDTC": "1930-02-03"},
    {"USUBJID": "S-3", "AGE": 47.0, "SEX": "M", "RACE": "ASIAN", "COUNTRY": "USA", "BRTHDTC": "1975-07-03"},
]
IDS = ["S-1", "S-2", "S-3"]


def of_person(frame, one):
    return frame[frame["USUBJID"] == pseudonym(*NAMED, one)].iloc[0]


def test_ages_of_ninety_and_above_are_together_in_any_unit():
    rows = [dict(row, AGEU="YEARS") for row in DM]
    rows[2] |= {"AGE": 1100.0, "AGEU": "MONTHS"}
    frame = released({"DM": rows}, people(IDS, [0, 1, 2])).files["DM"].frame
    assert [of_person(frame, one)["AGE"] for one in IDS] == [34, 90, 1080]


def test_a_country_that_nobody_knows_is_lost_and_counted():
    study = released({"DM": DM}, people(IDS, [0, 1, 2]))
    frame = study.files["DM"].frame
    assert of_person(frame, "S-1")["COUNTRY"] == "EUROPE"
    assert frame["COUNTRY"].notna().sum() == 2
    assert {account.variable: account.n_lost for account in study.accounts if account.n_lost} == {"COUNTRY": 1}


AGE = ({"DM__AGE": ["34", "91", "47"]}, {"DM__AGE": ["30--40", "90--100", "40--50"]})


def test_what_the_treatment_recoded_is_recoded_in_every_file_that_repeats_it():
    adsl = [{"USUBJID": one["USUBJID"], "AGE": one["AGE"], "AGEGR1": "x", "TRTSDTC": "2012-01-01"} for one in DM]
    study = released({"DM": DM, "ADSL": adsl}, people(IDS, [0, 1, 2], *AGE))
    for name in ("DM", "ADSL"):
        frame = study.files[name].frame
        assert [of_person(frame, one)["AGE"] for one in IDS] == ["30--40", ">=90", "40--50"]
    assert "AGEGR1" not in study.files["ADSL"].frame
    assert study.unplaced == ()


def test_race_in_the_supplement_goes_where_the_treatment_recoded_race():
    supp = [
        {"USUBJID": "S-2", "RDOMAIN": "DM", "QNAM": f"RACE{i}", "QVAL": race}
        for i, race in ((1, "ASIAN"), (2, "WHITE"))
    ]
    kept = released({"DM": DM, "SUPPDM": supp}, people(IDS, [0, 1, 2]))
    assert len(kept.files["SUPPDM"].frame) == 2
    recoded = people(IDS, [0, 1, 2], {"DM__RACE": ["WHITE", "OTHER", "ASIAN"]}, {"DM__RACE": ["ANY", "ANY", "ANY"]})
    study = released({"DM": DM, "SUPPDM": supp}, recoded)
    assert "SUPPDM" not in study.files
    assert set(study.files["DM"].frame["RACE"]) == {"ANY"}


VS = [
    {"USUBJID": one, "DOMAIN": "VS", "VSSEQ": float(place), "VSTESTCD": code, "VSTEST": test}
    | {"VSORRES": str(value), "VSSTRESC": str(value), "VSSTRESN": float(value), "VISITNUM": float(visit)}
    for place, (one, code, test, value, visit) in enumerate(
        [
            ("S-1", "WEIGHT", "Weight", 71, 1),
            ("S-1", "WEIGHT", "Weight", 82, 2),
            ("S-1", "BMI", "BMI", 24, 1),
            ("S-2", "WEIGHT", "Weight", 84, 1),
            ("S-2", "WEIGHT", "Weight", 133, 2),
            ("S-3", "WEIGHT", "Weight", 93, 1),
            ("S-3", "PULSE", "Pulse", 60, 1),
        ]
    )
]


def test_a_test_that_was_recoded_is_recoded_at_every_visit():
    before = {"VS__Weight": ["71", "84", "93"]}
    who = people(IDS, [0, 1, 2], before, {"VS__Weight": ["70--80", "80--90", None]})
    frame = released({"DM": DM, "VS": VS}, who).files["VS"].frame
    weights = {
        (one, place): of
        for one in IDS
        for place, of in enumerate(
            frame[(frame["USUBJID"] == pseudonym(*NAMED, one)) & (frame["VSTESTCD"] == "WEIGHT")]["VSSTRESC"]
        )
    }
    assert weights[("S-1", 0)] == "70--80"
    assert weights[("S-1", 1)] == "80--90"  # of another visit: the interval that holds it
    assert weights[("S-2", 0)] == "80--90"
    assert weights[("S-2", 1)] != weights[("S-2", 1)]  # no interval holds 133
    assert weights[("S-3", 0)] != weights[("S-3", 0)]  # suppressed
    of_weight = frame["VSTESTCD"] == "WEIGHT"
    assert frame["VSSTRESN"][of_weight].isna().all()
    assert set(frame["VSORRES"][of_weight].dropna()) == {"70--80", "80--90"}
    assert frame["VSSTRESN"][frame["VSTESTCD"] == "PULSE"].tolist() == [60]


def released_weights(labels: list[str]) -> dict[str, list[float]]:
    """The released weights of each person, visit by visit, where those of the first visit became these labels."""
    who = people(IDS, [0, 1, 2], {"VS__Weight": ["71", "84", "93"]}, {"VS__Weight": labels})
    frame = released({"DM": DM, "VS": VS}, who).files["VS"].frame
    of_weight = frame[frame["VSTESTCD"] == "WEIGHT"]
    of_person = of_weight.groupby("USUBJID")["VSSTRESN"].agg(list)
    return {one: of_person[pseudonym(*NAMED, one)] for one in ("S-1", "S-2")}


def test_a_group_of_neighbours_stands_for_the_values_of_other_visits_next_to_it():
    """82 kg is between the 71 and 84 of a group; 133 is beyond all groups, next to the last one."""
    assert released_weights(["77.5", "77.5", "93"]) == {"S-1": [77.5, 77.5], "S-2": [77.5, 93]}


def test_numbers_with_noise_are_groups_of_nobody():
    found = released_weights(["73.2", "70.9", "95.1"])
    assert [found["S-1"][0], found["S-2"][0]] == [73.2, 70.9]
    assert np.isnan([found["S-1"][1], found["S-2"][1]]).all()


def test_all_ages_of_a_person_get_one_band():
    """P-1 turns 60 between two visits: of two bands and a visit each year the recipient would know the day."""
    ages = {"P-1": [58, 59, 60, 61], "P-2": [44, 45, 46, 47], "P-3": [52, 53, 54, 55]}
    rows = [
        {"patient_id": one, "USUBJID": one, "visit_date": f"201{i}-05-0{i + 1}", "age": float(age), "weight": 70.0 + i}
        for one, of_person in ages.items()
        for i, age in enumerate(of_person)
    ]
    before = {"VISITS__age": ["58", "44", "52"], "VISITS__weight": ["70", "70", "70"]}
    after = {"VISITS__age": ["50--60", "40--50", "50--60"], "VISITS__weight": ["60--72", "60--72", "60--72"]}
    study = study_of({"VISITS": rows}, list(ages), "USUBJID", "flat")
    frame = deidentify(study, people(list(ages), [0, 1, 2], before, after), (), KEY, RELEASE).files["VISITS"].frame
    assert frame.groupby("USUBJID")["age"].agg(set).to_dict() == {
        pseudonym(*NAMED, one): {band} for one, band in zip(ages, after["VISITS__age"], strict=True)
    }


@pytest.mark.thorough("0.3 s")
def test_values_that_no_band_holds_are_counted_and_suppressed_ones_are_not():
    """133 kg at S-2's second visit is in no band; S-3's weight was suppressed by the treatment itself."""
    before = {"VS__Weight": ["71", "84", "93"]}
    who = people(IDS, [0, 1, 2], before, {"VS__Weight": ["70--80", "80--90", None]})
    accounts = {one.variable: one for one in released({"DM": DM, "VS": VS}, who).accounts if one.domain == "VS"}
    assert (accounts["Weight"].n_values, accounts["Weight"].n_lost) == (5, 1)
    assert sum(one.n_lost for one in accounts.values()) == 1
    everybody = people(IDS, [0, 1, 2], before, {"VS__Weight": ["70--140", "70--140", "70--140"]})
    assert not any(one.n_lost for one in released({"DM": DM, "VS": VS}, everybody).accounts if one.domain == "VS")


def test_values_of_a_supplement_that_are_in_no_band_are_counted():
    """S-2 has a value in the supplement and none in the combined dataset; S-3's was suppressed by the treatment."""
    supp = [
        {"STUDYID": "STUDY", "RDOMAIN": "DM", "USUBJID": one, "IDVAR": None, "IDVARVAL": None}
        | {"QNAM": "INCOME", "QLABEL": "Income", "QVAL": value}
        for one, value in zip(IDS, ["71", "84", "93"], strict=True)
    ]
    who = people(IDS, [0, 1, 2], {"DM__INCOME": ["71", None, "93"]}, {"DM__INCOME": ["70--80", None, None]})
    accounts = {one.variable: one for one in released({"DM": DM, "SUPPDM": supp}, who).accounts if one.rows_of}
    assert (accounts["INCOME"].n_values, accounts["INCOME"].n_lost) == (3, 1)


def test_the_codebook_says_of_which_rows_of_a_result_the_values_are_not_as_they_were():
    who = people(IDS, [0, 1, 2], {"VS__Weight": ["71", "84", "93"]}, {"VS__Weight": ["70--80", "80--90", None]})
    study = released({"DM": DM, "VS": VS}, who)
    done = {one["variable"]: one["done"] for one in codebook(study, {}, {}, {}) if one["file"] == "VS"}
    for name in ("VSORRES", "VSSTRESC", "VSSTRESN"):
        expected = "values as they were, {}, except in the rows of Weight, which have their own entries here"
        assert done[name] == expected.format(AS_WRITTEN if name.endswith("N") else WITHOUT_BLANKS)
    assert done["Weight"] == "recoded by the treatment"
    assert done["VISITNUM"] == f"values as they were, {AS_WRITTEN}"
    untreated = codebook(released({"DM": DM, "VS": VS}, people(IDS, [0, 1, 2])), {}, {}, {})
    assert not any("except" in str(one["done"]) for one in untreated)


def test_a_weight_goes_where_the_bmi_was_recoded():
    who = people(IDS, [0, 1, 2], {"VS__BMI": ["24", None, None]}, {"VS__BMI": ["20--30", None, None]})
    frame = released({"DM": DM, "VS": VS}, who).files["VS"].frame
    assert set(frame["VSTESTCD"]) == {"BMI", "PULSE"}


def test_a_recoding_that_stands_nowhere_is_said():
    who = people(IDS, [0, 1, 2], {"XX__FLAG": ["Y", "N", "N"]}, {"XX__FLAG": [None, None, None]})
    assert [
        deidentify(replace(study_of({"DM": DM}, IDS), left_out=stays_here), who, (), KEY, RELEASE).unplaced
        for stays_here in ({}, {"xx.csv": "left out by the config"})
    ] == [("XX__FLAG",), ()]


def test_dates_coarsened_by_the_treatment_are_not_given_beside_moved_ones():
    rows = [dict(row, RFSTDTC="2012-03-04") for row in DM]
    coarse = {"DM__RFSTDTC": ["2012-03-04"] * 3}, {"DM__RFSTDTC": ["2012-03"] * 3}
    assert "RFSTDTC" not in released({"DM": rows}, people(IDS, [0, 1, 2], *coarse)).files["DM"].frame
    shifted = {"DM__RFSTDTC": ["2012-03-04"] * 3}, {"DM__RFSTDTC": ["2013-03-04"] * 3}
    frame = released({"DM": rows}, people(IDS, [0, 1, 2], *shifted)).files["DM"].frame
    assert frame["RFSTDTC"].nunique() > 1  # moved from the source, by each person's own offset


def test_devices_of_people_left_out_go():
    ec = [{"USUBJID": one, "DOMAIN": "EC", "SPDEVID": f"DEV-{one}", "ECSEQ": 1.0} for one in IDS]
    di = [{"DOMAIN": "DI", "SPDEVID": f"DEV-{one}", "DIPARMCD": "SERIAL", "DIVAL": f"SERIAL-{one}"} for one in IDS]
    study = released({"DM": DM, "EC": ec, "DI": di}, people(IDS, [0, 2]))
    assert set(study.files["DI"].frame["SPDEVID"]) == set(study.files["EC"].frame["SPDEVID"])
    assert not study.files["DI"].frame["DIVAL"].str.contains("SERIAL").any()


def test_a_file_without_any_value_does_not_leave_as_without_any_record():
    file = released({"DM": DM}, people(IDS, [0, 1])).files["DM"]
    emptied = file.whole._replace(frame=file.frame.mask(file.frame.notna()))
    assert file.why_nothing_leaves == ""
    assert replace(file, parts=[emptied]).why_nothing_leaves == "no value of it is left"
    assert replace(file, parts=[file.whole.where(file.people < 0)]).why_nothing_leaves == "no record of it is left"


def test_people_whom_the_pilot_does_not_know_are_in_no_file():
    ae = [{"USUBJID": "S-9", "DOMAIN": "AE", "AESEQ": 1.0, "AEDECOD": "Headache"}, {"USUBJID": "S-1", "AESEQ": 2.0}]
    assert len(released({"DM": DM, "AE": ae}, people(IDS, [0])).files["AE"].frame) == 1


def test_a_config_may_keep_what_the_table_removes():
    ae = [{"USUBJID": "S-1", "DOMAIN": "AE", "AESEQ": 1.0, "AETERM": "HEADACHE"}]
    lines = [overriding_line("AE.AETERM", OperationKind.KEEP)]
    assert "AETERM" in released({"DM": DM, "AE": ae}, people(IDS, [0]), lines).files["AE"].frame


@pytest.mark.parametrize("text", ["2012", "2012-04", "2012-04-30", "2012-04-30T08:15"])
def test_partial_dates_stay_as_partial_as_they_were(text):
    rows = [dict(row, RFSTDTC=text) for row in DM]
    frame = released({"DM": rows}, people(IDS, [0, 1, 2])).files["DM"].frame
    assert set(frame["RFSTDTC"].str.len()) == {min(len(text), 10)}


def test_a_date_as_a_number_moves_too():
    rows = [dict(row, TRTSDT=19000.0, TRTSDTM=19000.0 * 86400) for row in DM]
    frame = released({"ADSL": rows}, people(IDS, [0, 1, 2])).files["ADSL"].frame
    for one in IDS:
        days = offset_days(*NAMED, one)
        assert of_person(frame, one)["TRTSDT"] == 19000 + days
        assert of_person(frame, one)["TRTSDTM"] == (19000 + days) * 86400


@pytest.mark.thorough("0.4 s")
def test_by_the_time_of_day_of_a_visit_whatever_its_form():
    """Text, a moment as a number, an interval, a QVAL: the day alone leaves, unless the release keeps times."""
    rows = [dict(row, RFSTDTC="2012-04-30T08:15", TRTSDTM=19000.0 * 86400 + 29_700) for row in DM]
    ae = [{"USUBJID": one, "DOMAIN": "AE", "AESEQ": 1.0, "AESTDTC": "2012-05-01T23:59:59/2012-05-02T01"} for one in IDS]
    supp = [{"USUBJID": one, "RDOMAIN": "AE", "IDVAR": "AESEQ", "IDVARVAL": "1"} for one in IDS]
    supp = [row | {"QNAM": "AEXDTC", "QVAL": "2012-05-03T10:00:00+01:00"} for row in supp]
    files = {"DM": rows, "AE": ae, "SUPPAE": supp}
    for times, of_dm, of_ae in (("remove", False, False), ("keep", True, True), (("AE",), False, True)):
        made = deidentify(study_of(files, IDS), people(IDS, [0, 1, 2]), (), NAMED[0], RELEASE, times)
        dm, events, extra = (made.files[name].frame for name in ("DM", "AE", "SUPPAE"))
        assert dm["RFSTDTC"].str.endswith("T08:15").all() == of_dm
        assert dm["TRTSDTM"].mod(86_400).eq(29_700).all() == of_dm
        assert events["AESTDTC"].str.fullmatch(r".{10}T23:59:59/.{10}T01").all() == of_ae
        assert extra["QVAL"].str.endswith("T10:00:00+01:00").all() == of_ae
        if times == "remove":
            text = "".join(frame.to_csv() for frame in (dm, events, extra))
            assert not re.search(r"\dT\d\d|\d\d:\d\d", text)
            assert dm["TRTSDTM"].mod(86_400).eq(0).all()
            n_times = {one.variable: one.n_times for one in made.accounts if one.n_times}
            assert n_times == {"RFSTDTC": 3, "TRTSDTM": 3, "AESTDTC": 3, "AEXDTC": 3}


def test_rows_are_divided_anew_where_others_stay():
    """Two ways to release one study, the second of which keeps a person whom the first left out."""
    ids = ["S-1", "S-2", "S-3"]
    study = study_of({"DM": [{"USUBJID": one, "DOMAIN": "DM", "AGE": 50.0} for one in ids]}, ids)
    for kept in ([0, 1], [0, 1, 2], [2]):
        parts = list(study.files[0].parts(people(ids, kept)))
        there = {int(one) for part in parts for one in part.people if one in kept}
        assert there == set(kept)
