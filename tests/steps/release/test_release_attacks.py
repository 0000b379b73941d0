"""What an attacker tries on a released study: each attack works on the source, and fails on what leaves."""

from __future__ import annotations

import io
import json
import re
import struct
from dataclasses import replace
from itertools import pairwise

import pandas as pd
import pyarrow.parquet
import pytest

from disclosure_control.attack.traces.traces import find_traces
from disclosure_control.attack.traces.wanted_texts import Wanted
from disclosure_control.basics.telling.reasons import Gravity
from disclosure_control.release.package import outgoing
from disclosure_control.remedy.treatments.keys import Release, offsets_of, pseudonyms_of
from disclosure_control.run.tables import harmless
from study.formats.registry import writers_by_name
from study.models.sdtm_operations import overriding_line
from study.operations import OperationKind
from tests.cases import each, quick
from tests.release.release_referee import pseudonym
from tests.release.small_studies import KEY, RELEASE, people, released, study_of

IDS = [f"STUDY-{site}-{number}" for number, site in enumerate((701, 701, 704, 708, 708, 716), 1001)]
ALL = list(range(len(IDS)))
DM = [
    {"STUDYID": "STUDY", "DOMAIN": "DM", "USUBJID": one, "SUBJID": one[-4:], "SITEID": one[6:9]}
    | {"AGE": 60.0 + place, "AGEU": "YEARS", "BRTHDTC": f"{1950 - place}-03-0{place + 1}"}
    | {"RFSTDTC": f"2014-0{place + 1}-03", "COUNTRY": "USA", "SEX": "FM"[place % 2]}
    for place, one in enumerate(IDS)
]


def frame_of(files: dict, name: str, who=None) -> pd.DataFrame:
    return released({"DM": DM, **files}, who or people(IDS, ALL)).files[name].frame


def ae(**more) -> list[dict]:
    return [
        {"USUBJID": one, "DOMAIN": "AE", "AESEQ": 1.0, "AEDECOD": "Headache", **{k: v(p) for k, v in more.items()}}
        for p, one in enumerate(IDS)
    ]


def test_by_what_an_id_is_made_of():
    """Ids of one site, of any length, and in the order of the source: pseudonyms have none of it."""
    names = frame_of({}, "DM")["USUBJID"].tolist()
    in_order = [pseudonym(KEY, RELEASE.pilot, RELEASE.name, one) for one in IDS]
    assert sorted(in_order) == names != in_order
    assert in_order[0][:3] != in_order[1][:3]
    short = [dict(row, USUBJID=f"S-{'1' * place}") for place, row in enumerate(DM, 1)]
    frame = released({"DM": short}, people([row["USUBJID"] for row in short], ALL)).files["DM"].frame
    assert set(frame["USUBJID"].str.len()) == {16}


def test_by_the_id_in_the_id_of_a_form_or_the_commonest_one():
    """E01 is everybody's first form: one pseudonym for all of them would say so."""
    frame = frame_of({"AE": ae(AESPID=lambda p: f"{IDS[p]}/E01")}, "AE")
    assert set(frame["AESPID"].str.len()) == {12}
    assert not len(Wanted(IDS).found_in(frame["AESPID"].tolist()).text)
    assert frame_of({"AE": ae(AESPID=lambda p: "E01")}, "AE")["AESPID"].nunique() == len(IDS)


def test_two_releases_do_not_join_by_pseudonym():
    assert not set(pseudonyms_of(KEY, RELEASE, IDS)) & set(pseudonyms_of(KEY, Release("PILOT", "2027"), IDS))


def test_by_a_known_calendar_date_of_the_study():
    """The study's first and last day are public: beside moved dates they would give offsets away."""
    dates = dict.fromkeys(("SSTDTC", "SENDTC", "DCUTDTC"), "2014-01-03") | {"TITLE": "A trial"}
    ts = [{"DOMAIN": "TS", "TSSEQ": 1.0, "TSPARMCD": code, "TSVAL": value} for code, value in dates.items()]
    assert frame_of({"TS": ts}, "TS")["TSPARMCD"].tolist() == ["TITLE"]


def test_by_the_day_on_which_everybody_was_seen():
    """One day of all people becomes many days: none of them is the commonest."""
    days = frame_of({"AE": ae(AESTDTC=lambda p: "2015-01-01")}, "AE")["AESTDTC"]
    assert "2015-01-01" not in set(days)
    assert days.nunique() == len(IDS)


def test_by_the_weekdays_of_a_laboratory():
    """A week's pattern leaves the offset modulo seven: more than a hundred offsets still fit it."""
    offsets = offsets_of(KEY, RELEASE, [f"P{i}" for i in range(20_000)], 365)
    assert all(len(set(offsets[offsets % 7 == rest])) >= 100 for rest in range(7))
    assert 0 not in offsets


def test_by_a_text_that_is_no_date():
    study = released({"DM": DM, "AE": ae(AESTDTC=lambda p: "the day of the flood")}, people(IDS, ALL))
    assert study.files["AE"].frame["AESTDTC"].isna().all()
    assert [a.n_lost for a in study.accounts if a.variable == "AESTDTC"] == [len(IDS)]


# By what an attacker looks: a domain, what a row of each person has there, and the columns that leave beside the id.
COLUMNS = {
    "a verbatim term": ("AE", {"AEDECOD": "Headache", "AETERM": "met Marker"}, {"AEDECOD"}),
    "a variable that nobody thought of": ("AE", {"AEDECOD": "Headache", "AENOTE": "Marker"}, {"AEDECOD"}),
    "a normal range, which goes by age and sex": (
        "LB",
        {"LBTESTCD": "HGB", "LBORRES": "12", "LBORNRLO": "10", "LBSTNRHI": 14.0},
        {"LBTESTCD", "LBORRES"},
    ),
    "the age in other words": ("ADSL", {"AGE": 61.0, "AGEGR1": "60-64", "AGEGR1N": 3.0}, {"AGE"}),
    "a site, an investigator, the year of birth": (
        "DM",
        {"SITEID": "701", "INVNAM": "Dr Marker", "BRTHDTC": "1950-03-01", "SEX": "F"},
        {"SEX"},
    ),
}


@each("by", COLUMNS)
def test_columns_that_tell_do_not_leave(by):
    domain, row, stay = COLUMNS[by]
    rows = {domain: [{"USUBJID": one, **row} for one in IDS]}
    assert set(frame_of(rows, domain)) == {"USUBJID", *stay}


def test_by_a_comment_or_a_row_of_a_supplement_that_nobody_thought_of():
    supp = [{"USUBJID": one, "RDOMAIN": "AE", "QNAM": "NICKNAME", "QVAL": "Marker"} for one in IDS]
    files = {"CO": [{"USUBJID": IDS[0], "COVAL": "Marker lives in Town"}], "AE": ae(), "SUPPAE": supp}
    assert set(released({"DM": DM, **files}, people(IDS, ALL)).files) == {"DM", "AE"}


def test_by_the_rows_of_a_supplement_of_somebody_left_out():
    supp = [{"USUBJID": one, "RDOMAIN": "DM", "QNAM": "ITT", "QVAL": "Y"} for one in IDS]
    study = released({"DM": DM, "SUPPDM": supp}, people(IDS, [0, 1, 2]))
    assert set(study.files["SUPPDM"].frame["USUBJID"]) == set(study.files["DM"].frame["USUBJID"])


def test_by_initials_in_subject_characteristics():
    sc = [
        {"USUBJID": one, "SCTESTCD": code, "SCTEST": "x", "SCORRES": "AB"}
        for one in IDS
        for code in ("SUBJINIT", "MARISTAT", "PETNAME")
    ]
    assert set(frame_of({"SC": sc}, "SC")["SCTESTCD"]) == {"MARISTAT"}


# ---------------------------------------------------------------- files


TABLE = outgoing(released({"DM": DM}, people(IDS, ALL)).files["DM"], pd.Timestamp("2026-03-04").to_pydatetime())


def test_by_the_dates_in_the_header_of_a_transport_file():
    content = writers_by_name()["xpt5"].write(TABLE)
    assert set(re.findall(rb"\d\d[A-Z]{3}\d\d:\d\d:\d\d:\d\d", content)) == {b"04MAR26:00:00:00"}


def test_by_the_lengths_that_a_transport_file_declares():
    """Widths are those of what is released, not of the longest value that was removed."""
    content = writers_by_name()["xpt5"].write(TABLE)
    n_variables = int(content[560 + 53 : 560 + 58])
    lengths = {
        content[640 + i * 140 + 8 : 640 + i * 140 + 16].decode().strip(): struct.unpack_from(
            ">h", content, 644 + i * 140
        )[0]
        for i in range(n_variables)
    }
    assert lengths["USUBJID"] == 16
    assert lengths["COUNTRY"] == len("NORTH AMERICA")


def test_by_the_header_of_dataset_json():
    head = json.loads(writers_by_name()["ndjson"].write(TABLE).splitlines()[0])
    assert not {"sourceSystem", "fileOID", "dbLastModifiedDateTime", "metaDataRef", "metaDataVersionOID"} & set(head)
    assert head["datasetJSONCreationDateTime"] == "2026-03-04T00:00:00"


def test_by_the_statistics_of_a_parquet_file():
    file = pyarrow.parquet.ParquetFile(io.BytesIO(writers_by_name()["parquet"].write(TABLE)))
    group = file.metadata.row_group(0)
    assert all(group.column(i).statistics is None for i in range(group.num_columns))
    assert not any(re.search(rb"pandas|1950|STUDY-7", value) for value in file.schema_arrow.metadata.values())


def test_by_the_size_of_a_file():
    """One row per person, of one width: the size says how many people there are, and not who."""
    write, frame = writers_by_name()["xpt5"].write, TABLE.frame
    sizes = {
        len(write(outgoing(released({"DM": DM}, people(IDS, kept)).files["DM"], TABLE.created)))
        for kept in ([0, 1, 2], [3, 4, 5])
    }
    assert len(sizes) == 1
    assert len(frame) == len(IDS)


@pytest.mark.parametrize("cell", ["=HYPERLINK(1)", "+1+1", "@SUM(A1)", "-2+3"])
def test_by_a_cell_that_a_spreadsheet_runs(cell):
    content = writers_by_name()["csv"].write(
        outgoing(released({"DM": DM, "AE": ae(AEDECOD=lambda p: cell)}, people(IDS, ALL)).files["AE"], TABLE.created)
    )
    frame = harmless(pd.read_csv(io.BytesIO(content), dtype="str"))
    assert frame["AEDECOD"].str.startswith("'").all()


def test_by_searching_the_whole_package_for_the_originals(small):
    source = small.source["DM"]
    originals = [*source["USUBJID"]]
    for name, content in small.files.items():
        if not name.startswith("README"):
            assert not len(Wanted(originals).found_in([content.decode("utf-8", errors="replace")]).text), name
    people_gone = set(source["USUBJID"]) - set(small.kept)
    assert people_gone
    assert not [one for one in small.result.reasons_to_hold if one.gravity is Gravity.NAMES_A_PERSON]


def test_by_an_age_that_another_file_gives_exactly(small):
    ages = set(small.source["DM"]["AGE"])
    assert not ages & set(small.opened["DM"]["AGE"])
    assert [name for name, frame in small.opened.items() if name != "DM" and "AGE" in frame] == []


def test_by_the_gaps_in_the_order_of_dates(small):
    """Within a person the order of visits is as it was, and between people the calendar is not."""
    visits = small.opened["SV"]
    for _, rows in visits.groupby("USUBJID"):
        dates = rows.sort_values("VISITNUM")["SVSTDTC"].dropna().tolist()
        assert all(first <= second for first, second in pairwise(dates))
    before = small.source["SV"].groupby("VISITNUM")["SVSTDTC"].min()
    after = visits.groupby("VISITNUM")["SVSTDTC"].min()
    assert not (before == after.reindex(before.index)).any()


def searched(files: dict, ids: list[str], lines=()):
    """What the search for originals finds in a study as it leaves, and that study."""
    who = people(ids, list(range(len(ids))))
    study = released(files, who, lines)
    opened = {name: replace(file.source.table, frame=file.frame) for name, file in study.files.items()}
    return find_traces(study_of(files, ids), study, opened, who, {}, "USUBJID"), study


@pytest.mark.parametrize(
    ("spelled", "held", "as_number", "kind"),
    quick(
        3,
        [
            ("{}", "{}", True, "original_ids"),
            ("STUDY-{}", "{}", False, "id_digits"),
            ("STUDY-0{}", "1{}", True, None),
            ("STUDY-{}", "{}", True, "id_digits"),
            ("0{}", "{}", True, "original_ids"),
            ("{}", "{}.5", True, "id_digits"),
            ("{}", "98{}01234567", False, "id_digits"),  # of everybody: a pseudonym has the digits of few by chance
            ("{}", "no {}", False, "original_ids"),
        ],
        "0.2 s",
    ),
)
def test_by_the_number_that_somebody_had_in_another_system(spelled, held, as_number, kind):
    """Ids of six digits in a column that the config keeps: found in cells of numbers as in cells of text."""
    numbers = range(700_100, 700_112)
    ids, values = [spelled.format(n) for n in numbers], [held.format(n) for n in numbers]
    lb = [
        {"USUBJID": one, "DOMAIN": "LB", "LBSEQ": 1.0, "LBOLDNO": float(value) if as_number else value}
        for one, value in zip(ids, values, strict=True)
    ]
    files = {"DM": [{"USUBJID": one, "DOMAIN": "DM", "AGE": 50.0} for one in ids], "LB": lb}
    found, study = searched(files, ids, [overriding_line("LB.LBOLDNO", OperationKind.KEEP)])
    assert found.where == ({} if kind is None else {"LB.LBOLDNO": 12})
    assert (found.original_ids, found.id_digits) == tuple(
        12 if kind == one else 0 for one in ("original_ids", "id_digits")
    )
    assert found.searched == sum(int(one.frame.notna().sum().sum()) for one in study.files.values())


def test_digits_of_an_id_are_found_that_are_the_subjects_number_as_well():
    """USUBJID P-700100 beside SUBJID 700100, as CDISC has it: broken up by signs the digits name the person still."""
    ids = [f"P-{n}" for n in range(700_100, 700_112)]
    lb = [{"USUBJID": one, "DOMAIN": "LB", "LBSEQ": 1.0, "LBOLDNO": f"{one[2:5]}-{one[5:]}"} for one in ids]
    files = {"DM": [{"USUBJID": one, "SUBJID": one[2:], "DOMAIN": "DM", "AGE": 50.0} for one in ids], "LB": lb}
    found, _ = searched(files, ids, [overriding_line("LB.LBOLDNO", OperationKind.KEEP)])
    assert (found.id_digits, found.where) == (12, {"LB.LBOLDNO": 12})


@pytest.mark.thorough("0.5 s")
def test_digits_within_the_pseudonym_of_a_record_are_no_id_by_chance_and_are_one_in_a_text_that_was_kept():
    """Somebody's id has the digits of a record's pseudonym: chance there, a trace where the config keeps the text."""

    def found_in(ids, lines, refids):
        lb = [{"USUBJID": a, "DOMAIN": "LB", "LBREFID": b} for a, b in zip(ids, refids, strict=True)]
        files = {"DM": [{"USUBJID": one, "DOMAIN": "DM", "AGE": 50.0} for one in ids], "LB": lb}
        found, study = searched(files, ids, lines)
        return found, study.files["LB"].frame["LBREFID"]

    ids, refids = [f"S{i}" for i in range(6)], [f"R{i}" for i in range(6)]
    others = set(found_in(ids, [], refids)[1]) & set(found_in(["T0", *ids[1:]], [], refids)[1])
    digits = next(found for text in sorted(others) if len(found := "".join(filter(str.isdigit, text))) >= 6)
    ids[0] = f"S-{digits}"
    recoded, fresh = found_in(ids, [], refids)
    assert others < set(fresh)
    assert recoded.where == {}
    texts = sorted(fresh, key=lambda text: "".join(filter(str.isdigit, text)) != digits)  # in the row of the person
    kept, _ = found_in(ids, [overriding_line("LB.LBREFID", OperationKind.KEEP)], texts)
    assert kept.where == {"LB.LBREFID": 1}


def test_a_measured_number_is_no_short_id():
    """Ids that are short without their leading zeros are not looked for among all numbers of everybody."""
    ids = [f"000{n}" for n in range(100, 106)]
    files = {"DM": [{"USUBJID": one, "DOMAIN": "DM", "AGE": 50.0} for one in ids]}
    files["VS"] = [{"USUBJID": ids[-1 - i], "DOMAIN": "VS", "VSSTRESN": 100.0 + i} for i in range(6)]
    found, study = searched(files, ids)
    assert "VSSTRESN" in study.files["VS"].frame
    assert found.total == 0
