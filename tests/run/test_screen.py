"""What the doors show when all goes well: counts and names of columns, nobody's id and nobody's value."""

from __future__ import annotations

import pytest

from tests.run.processes import start_process
from tests.run.synthetic_pilot import (
    CONFIG,
    DONE,
    INPUT_AT_FAULT,
    PEOPLE,
    Doors,
    SyntheticPilot,
    leaks,
    rows_of,
    unprintable,
)


def test_the_markers_are_found_where_there_are_some():
    for person in PEOPLE:
        for part in (person[0], person[0].lower(), person[1], person[4], person[5], person[5].upper()):
            assert leaks(f"column 'X': found {part} in row 7"), part
    assert leaks("in MarkerDistrict North")
    assert leaks("48151.0")
    assert not leaks("12 of 12 subjects, 633 rows, 2021")
    assert not leaks("scheduler at 'tcp://127.0.0.1:48156'"), "a port that chance handed out is nobody's number"
    assert leaks("scheduler at 'tcp://127.0.0.1:40156' found 48156")
    assert not leaks("(stimulus_id='handle-worker-cleanup-1795541210.9876245')"), "the moment at which a worker went"
    assert leaks("(stimulus_id='handle-worker-cleanup-1795541210.1245') of 9876")


def test_the_results_hold_what_the_screen_must_not(pilot):
    assert leaks(pilot.combined.read_text())
    assert leaks((pilot.results / "risky_rows_k3_anonymity.csv").read_text())


@pytest.mark.parametrize(
    "arguments",
    [pytest.param((), marks=pytest.mark.thorough("0.2 s")), ("--fail-on-risk", "5")],
    ids=["plain", "fail_on_risk"],
)
def test_normal_runs_show_nobody(arguments, pilot, doors):
    combining, assessing = doors.start(1), doors.start(2, *arguments)
    for run in (combining, assessing):
        assert run.err == ""
        assert leaks(run.out) == []
        assert unprintable(run.out) == []


@pytest.mark.thorough("1 s")
def test_normal_runs_show_nobody_in_processes_of_their_own(pilot):
    """Warnings and libraries that write to the streams themselves are heard here, too."""
    for door in (1, 2):
        run = start_process(pilot, door, PYTHONWARNINGS="always")
        assert run.status == DONE
        assert run.err == ""
        assert leaks(run.out) == []


@pytest.fixture
def eventful(fresh: SyntheticPilot) -> SyntheticPilot:
    """A pilot in which every note, count and guess has a reason."""
    lab, visits = [], ("BASELINE", "WEEK 4")
    for subject, *_, cholesterol in PEOPLE:
        for number, visit in enumerate(visits, start=1):
            lab.append(
                {
                    "USUBJID": subject,
                    "LBSEQ": str(len(lab)),
                    "LBTESTCD": "CHOL",
                    "LBTEST": "Cholesterol",
                    "LBSTRESC": cholesterol,
                    "LBSTRESN": cholesterol,
                    "LBSTRESU": "mg/dL",
                    "LBSTAT": "",
                    "LBSPEC": "SERUM" if number == 1 else "PLASMA",
                    "VISITNUM": str(number),
                    "VISIT": visit,
                }
            )
    lab[0] |= {"LBSTRESC": "<987.654", "LBSTRESN": ""}
    lab[3] |= {"LBSTAT": "NOT DONE", "LBSTRESC": "", "LBSTRESN": ""}
    lab.append(lab[4] | {"LBSTRESC": "987.6549", "LBSTRESN": "987.6549"})  # an undecided tie
    lab.append(lab[6] | {"LBSTRESC": "", "LBSTRESN": ""})
    fresh.remove("LB.csv")
    fresh.write_rows("lb.tsv", lab, delimiter="\t")
    signs = [row | {"BMI": row["BMI"].replace(".", ",")} for row in rows_of("VS")]
    signs[0]["BMI"], signs[1]["BMI"] = "NA", "99,8765"
    signs.append({"USUBJID": "ZZSUBJ-48199", "BMI": "21,4837"})
    signs.append(signs[4] | {"BMI": "22,9876"})
    fresh.write_rows("VS.csv", signs, delimiter=";")
    places = fresh.folder / "SC.csv"
    places.write_bytes(places.read_text().replace("MARKERDISTRICT NORTH", "ΒΟΡΡΑΣ MARKERDISTRICT").encode("cp1253"))
    people = [row | {"USUBJID": row["USUBJID"], "RFSTDTC": "2021-01-01"} for row in rows_of("DM")]
    people[11]["SEX"] = ""
    fresh.write_rows("DM.csv", people)
    fresh.write_rows("ae.csv", [{"USUBJID": PEOPLE[0][0], "AETERM": "MARKERPAIN", "AEDECOD": "HEADACHE"}] * 3)
    fresh.write_rows("mh.csv", [{"USUBJID": PEOPLE[1][0], "MHTERM": "MARKERPAST"}])
    job = {"USUBJID": PEOPLE[0][0], "RDOMAIN": "DM", "IDVAR": "", "IDVARVAL": "", "QNAM": "JOB", "QVAL": "MARKERJOB"}
    orphan = job | {"IDVAR": "DMSEQ", "IDVARVAL": "987"}
    fresh.write_rows("suppdm.csv", [job, orphan, job | {"RDOMAIN": "XX"}])
    fresh.write_rows("ts.csv", [{"STUDYID": "S", "TSVAL": "MARKERTRIAL"}])
    fresh.write("notes.docx", "ZZSUBJ-48151")
    fresh.configure(
        subject_id={"pattern": "^([A-Z]+-)(4815.)$", "replacement": r"\1\2", "case": "upper"},
        merge={
            "unknown_subjects": ["VS"],
            "several_rows": {"VS": "last"},
            "events": {"AE": {"AEDECOD": ["HEADACHE"]}},
            "carry": {"LB": ["VISIT"]},
            "pool": {"LB__Cholesterol": ["SPEC"]},
            "text_results": "number",
            "drop": ["DM__JOB"],
        },
        missing_qis="exclude",
        out_of_range="missing",
        L=9,
        K=14,
        sensitive_feature=["LB__Cholesterol", "AE__count"],
        t_distance={"LB__Cholesterol": "ordered"},
        T={"LB__Cholesterol": 0.2, "AE__count": 1},
        binning_config=CONFIG["binning_config"] | {"DM__AGE": [33, 40]},
    )
    fresh.configure(L={"LB__Cholesterol": 9, "AE__count": 2})
    return fresh


@pytest.mark.thorough("1.6 s; screens of other pilots are searched in the quick run")
def test_a_pilot_with_a_reason_for_every_note_shows_nobody(eventful, doors: Doors):
    combining, assessing = doors.start(1), doors.start(2)
    for run in (combining, assessing):
        assert run.err == ""
        assert run.status == DONE
        assert leaks(run.out) == []
        assert unprintable(run.out) == []
    # Had these not been said, the test would have shown little.
    for words in (
        "guessed",
        "subjects that are not in DM were left out",
        "belong to no record",
        "left out: ",
        "dropped by the config",
        "ties between",
        "do not match the subject_id pattern",
        "read as missing",
    ):
        assert words in combining.out, words
    for words in ("cannot be met", "made missing", "Not evaluated"):
        assert words in assessing.out, words


@pytest.mark.thorough("0.4 s")
def test_what_others_read_holds_nobody_either(eventful, doors):
    """The evidence may be shown around; the controller's own files name small groups, and nobody's id."""
    doors.start_both()
    evidence = sorted((eventful.results / "evidence").iterdir())
    assert len(evidence) >= 5
    for path in (*evidence, eventful.results / "merge_report.json"):
        assert leaks(path.read_text(encoding="utf-8")) == [], path.name
    for ending in ("summary.json", "summary.txt", "details.txt", "report.html"):
        text = (eventful.results / f"CLINIC_privacy_{ending}").read_text(encoding="utf-8")
        assert [row["USUBJID"] for row in rows_of("DM") if row["USUBJID"] in text] == [], ending


@pytest.mark.thorough("0.4 s")
def test_a_line_break_in_a_name_breaks_no_line_of_a_report(fresh, doors):
    """A heading of two lines, as spreadsheets have them, and a district with a break: one line each, wherever told."""
    heading, place = "District\n┌──forged of\t Residence", "MARKERDISTRICT\nNORTH"
    rows = [{"USUBJID": row["USUBJID"], heading: place} for row in rows_of("SC")]
    fresh.write_rows("SC.csv", rows)
    name = "SC__District ┌──forged of Residence"
    fresh.configure(categorical_qis=["DM__SEX", name], risk="all", explore={"figures": False})
    merging, assessing = doors.start_both()
    assert (merging.status, assessing.status) == (DONE, DONE), assessing.err
    assert "Line breaks or tabs in the names of 1 columns were replaced by blanks" in merging.out
    report = (fresh.results / "CLINIC_privacy_summary.txt").read_text(encoding="utf-8")
    lines = (merging.out + assessing.out + report).splitlines()
    assert any(name in line for line in lines)
    assert not [line for line in lines if line.startswith("┌──forged")]
    assert not [line for line in report.splitlines() if line.strip().startswith("NORTH")]


def test_a_line_break_in_the_header_of_the_combined_dataset_is_a_fault(pilot, doors):
    broken = {"VS__BMI": "VS__BMI\nX"}
    rows = [{broken.get(name, name): value for name, value in row.items()} for row in pilot.combined_rows()]
    pilot.write_combined(rows)
    pilot.configure(continuous_qis=["DM__AGE"], binning_config={"DM__AGE": [30, 40, 50]})
    run = doors.start(2)
    assert run.status == INPUT_AT_FAULT
    assert "columns 6: line breaks or tabs in the name; rename them in one line" in run.err
