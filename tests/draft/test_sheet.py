"""The sheet of columns from draft to release: drafted once, never overwritten, and what people decide takes effect."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pandas as pd
import pytest

from config import sheet_of
from disclosure_control.basics.files import SourceFile
from disclosure_control.draft.sheet import SheetUpdate
from disclosure_control.steps.treatment import DATASETS
from study.columns.profile import Status
from study.columns.sheet import ColumnSheet, read_sheet
from study.formats.tables import SourceTable
from study.merge.combine import Combined
from study.models.registry import study_model
from tests.cases import each
from tests.run.synthetic_pilot import DONE, INPUT_AT_FAULT, SyntheticPilot, leaks

ROWS = [
    {"pid": f"Q{n:03}", "sex": "mf"[n % 2], "age": 30 + n % 30, "zrk": (n * 7) % 50 if n % 9 else -99, "vit": n % 3}
    for n in range(60)
]


@pytest.fixture
def plain(tmp_path) -> SyntheticPilot:
    """A pilot of one plain table of 60 people, without a config."""
    pilot = SyntheticPilot(tmp_path, "PLAIN")
    pilot.create()
    pilot.config_file.unlink()
    for path in pilot.folder.iterdir():
        path.unlink()
    pilot.write_rows("VISITS.csv", ROWS)
    return pilot


def sheet(pilot: SyntheticPilot) -> ColumnSheet:
    return read_sheet(sheet_of(pilot.config_file))


def edit(pilot: SyntheticPilot, of: str, **cells: str) -> None:
    """Change cells of the row of a column, as a person does in a spreadsheet that writes semicolons."""
    path = sheet_of(pilot.config_file)
    text = path.read_text(encoding="utf-8-sig")
    delimiter = ";" if ";" in text.partition("\n")[0] else ","
    rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))
    for row in rows:
        row.update(cells if row["column"] == of else {})
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=";")
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(out.getvalue(), encoding="utf-8-sig", newline="")


@pytest.mark.thorough("0.4 s")
def test_a_draft_has_a_sheet_that_leaves_to_people_what_the_config_does_not_name(plain, doors):
    first, second = doors.start_both()
    assert (first.status, second.status) == (DONE, DONE)
    assert [(row.column, row.stays_here) for row in sheet(plain).rows.values()] == [  # what is not sure comes first
        ("zrk", True),
        ("vit", True),
        ("sex", False),
        ("age", False),
    ]
    assert "2 columns of PLAIN.columns.csv, out of every file that leaves until you decide" in first.out
    assert "zrk" not in plain.config_file.read_text(encoding="utf-8")
    assert "columns.csv" not in str(plain.summary()["verdict"]["reasons"])  # what stays here keeps nothing else back
    assert leaks(sheet_of(plain.config_file).read_text(encoding="utf-8")) == []


@pytest.mark.thorough("1.1 s")
def test_decisions_take_effect_and_are_in_the_record_of_the_run(plain, doors):
    doors.start_both()
    edit(plain, "zrk", decision="agreed", known_to_outsiders="no", missing_codes="7", decided_by="A. Keeper")
    edit(plain, "vit", decision="agreed", known_to_outsiders="yes")
    before = pd.read_csv(plain.combined)["VISITS__zrk"]
    notes = doors.start(2).out
    assert "What is decided about columns changed after the merge" in notes
    assert "columns.csv has" not in notes
    assert doors.start(1).status == DONE
    after = pd.read_csv(plain.combined)["VISITS__zrk"]
    assert (before.eq(7).any(), after.eq(7).any()) == (True, False)
    assert "changed after the merge" not in doors.start(2).out
    decided = plain.summary()["config"]["merge"]["columns"]["VISITS__zrk"]
    assert decided == {"known_to_outsiders": False, "role": "number", "missing": ["7"]}


@pytest.mark.thorough("0.5 s")
def test_the_next_export_marks_what_is_new_or_changed_and_keeps_every_decision(plain, doors):
    doors.start(1)
    edit(plain, "zrk", decision="agreed", known_to_outsiders="no", decided_on="30.06.2026")
    edit(plain, "vit", column="VIT")
    plain.write_rows("VISITS.csv", [{**row, "zrk": "abc"[row["age"] % 3], "more": row["age"] // 7} for row in ROWS])
    run = doors.start(1)
    assert "PLAIN.columns.csv: 2 columns new, 1 changed since the last export" in run.out
    assert "PLAIN.columns.csv: VISITS__VIT (row 3): not in this export, or a spreadsheet changed the name" in run.out
    rows = {row.column: row for row in sheet(plain).columns}
    assert {name: row.status for name, row in rows.items()} == {
        "sex": Status.NOTHING,
        "age": Status.NOTHING,
        "zrk": Status.CHANGED,
        "VIT": Status.TO_DECIDE,
        "vit": Status.NEW,
        "more": Status.NEW,
    }
    assert (rows["zrk"].decision, rows["zrk"].decided_on, rows["zrk"].seen) == ("agreed", "2026-06-30", "words")
    assert sheet(plain).delimiter == ";"
    content = sheet_of(plain.config_file).read_bytes()
    assert "new, " not in doors.start(1).out
    assert sheet_of(plain.config_file).read_bytes() == content


@pytest.mark.thorough("0.6 s")
def test_a_new_draft_keeps_the_sheet_and_takes_its_decisions_over(plain, doors):
    doors.start(1)
    edit(plain, "zrk", decision="agreed", known_to_outsiders="yes")
    before = sheet_of(plain.config_file).read_bytes()
    plain.config_file.unlink()
    assert doors.start(1).status == DONE
    assert '"VISITS__zrk",  # outsiders know it' in plain.config_file.read_text(encoding="utf-8")
    assert [(row.column, row.decision) for row in sheet(plain).rows.values()] == [
        ("vit", ""),
        ("zrk", "agreed"),
        ("sex", ""),
        ("age", ""),
    ]
    assert len(before) > 0


@pytest.mark.thorough("0.6 s")
def test_a_pilot_with_a_config_and_no_sheet_gets_none(pilot, doors):
    assert doors.start_both()[1].status == DONE
    assert not sheet_of(pilot.config_file).exists()


def test_a_sheet_at_fault_stops_both_doors_with_the_row(plain, doors):
    doors.start(1)
    edit(plain, "zrk", role="nmber")
    for door in (1, 2):
        run = doors.start(door)
        assert run.status == INPUT_AT_FAULT
        assert "PLAIN.columns.csv, row 2, role: found 'nmber'; did you mean 'number'?" in run.err


MORE = [{**row, "qz_a": n % 3, "qz_b": n % 4, "qz_c": n % 5, "oxy": n % 7} for n, row in enumerate(ROWS)]


@pytest.mark.thorough("0.4 s")
def test_several_columns_that_look_alike_are_one_question_which_one_word_answers(plain, doors):
    plain.write_rows("VISITS.csv", MORE)
    first = doors.start(1)
    groups = [(n, row) for n, row in sheet(plain).rows.items() if row.evidence.startswith("group of")]
    assert [(n, row.column, row.known_to_outsiders) for n, row in groups] == [
        (2, "vit | oxy | qz_*", "yes"),
        (3, "vit | oxy | qz_*", "no"),
    ]
    assert 'write "agreed" into row 2 if outsiders know them, into row 3 if they do not' in first.out
    assert "zrk: write" in first.out
    text = sheet_of(plain.config_file).read_text(encoding="utf-8-sig").splitlines()
    text[2] = text[2].replace("to decide,,", "to decide,agreed,")
    sheet_of(plain.config_file).write_text("\n".join(text), encoding="utf-8")
    decided = sheet(plain).decisions
    assert decided.pop("VISITS__zrk") == {"role": "unknown"}
    assert {name: one["known_to_outsiders"] for name, one in decided.items()} == dict.fromkeys(
        ("VISITS__vit", "VISITS__qz_a", "VISITS__qz_b", "VISITS__qz_c", "VISITS__oxy"), False
    )


@pytest.mark.thorough("0.5 s")
def test_numbers_that_may_be_dates_are_opened_by_no_group_and_by_no_word_alone(plain, doors):
    days = {"qz_d": 18_300, "qz_e": 18_270, "Diagnose": 18_200}
    rows = [{**row, **{name: day + 9 * (n % 20) for name, day in days.items()}} for n, row in enumerate(MORE)]
    plain.write_rows("VISITS.csv", rows)
    out = doors.start(1).out
    assert [row.column for row in sheet(plain).rows.values()][:2] == ["vit | oxy | qz_a | qz_b | qz_c"] * 2
    assert 'qz_d (row 10): its numbers may be dates: declare from when they count, such as merge: {"files"' in out
    assert "Diagnose (row" in out  # a heading of what nobody should learn opens no days
    edit(plain, "vit | oxy | qz_a | qz_b | qz_c", column="qz_*")
    path = sheet_of(plain.config_file)
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    path.write_text("\n".join([lines[0], lines[2].replace("decide;", "decide;agreed"), *lines[3:]]), encoding="utf-8")
    opened = {name: one["role"] for name, one in sheet(plain).decisions.items() if "qz" in name}
    assert opened == {f"VISITS__qz_{end}": "number" for end in "abc"} | {
        f"VISITS__{name}": "unknown" for name in ("qz_d", "qz_e")
    }
    edit(plain, "qz_d", decision="agreed", known_to_outsiders="no")
    assert "row 9, role: undecided beside a decision; its numbers may be dates" in doors.start(2).err
    edit(plain, "qz_d", role="number")
    assert sheet(plain).decisions["VISITS__qz_d"] == {"known_to_outsiders": False, "role": "number"}


@pytest.mark.thorough("1 s: whole drafts; their parts in the quick run")
def test_a_pattern_holds_for_what_stood_there_and_a_new_column_is_asked_anew(plain, doors):
    plain.write_rows("VISITS.csv", MORE)
    doors.start(1)
    edit(plain, "vit | oxy | qz_*", decision="agreed", known_to_outsiders="no", column="qz_*", evidence="")
    path = sheet_of(plain.config_file)  # both rows of the group were edited: one of them goes
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    path.write_text("\n".join([lines[0], *lines[2:]]), encoding="utf-8")
    plain.write_rows("VISITS.csv", [{**row, "qz_d": row["age"] % 3} for row in MORE])
    assert "PLAIN.columns.csv: 1 column new" in doors.start(1).out
    rows = {row.column: row for row in sheet(plain).rows.values()}
    assert (rows["qz_a"].decision, rows["qz_d"].decision, rows["qz_d"].status) == ("agreed", "", Status.NEW)


@pytest.mark.thorough("1 s: whole drafts; their parts in the quick run")
def test_a_pattern_that_stands_for_no_column_is_a_fault(plain, doors):
    doors.start(1)
    edit(plain, "vit", column="vitt_*", known_to_outsiders="no", decision="agreed", seen="")
    assert "row 3, column: it stands for no column of the sheet" in doors.start(1).err


@pytest.mark.thorough("1 s: a treatment")
def test_a_treated_dataset_is_without_what_nobody_understood(plain, doors):
    doors.start(1)
    edit(plain, "vit", decision="agreed", known_to_outsiders="no")
    text = plain.config_file.read_text(encoding="utf-8").rstrip().removesuffix("}")
    text += '"treatment": [{"method": "drop_identifiers"}, {"method": "recommended"}]}'
    plain.config_file.write_text(text.replace("# review:", "#"), encoding="utf-8")
    doors.start_both()
    (treated,) = (one for name in DATASETS if (one := plain.results / name).exists())
    assert treated.read_text(encoding="utf-8").splitlines()[0].replace('"', "").split(",")[1:] == [
        "VISITS__sex",
        "VISITS__age",
        "VISITS__vit",
    ]


@each("named, status", [({}, Status.NEW), ({"merge": {"drop": ["DM__XTRA"]}}, None)])
def test_a_new_variable_of_supplemental_rows_is_marked_unless_the_config_names_it(named, status):
    columns = {"USUBJID": ["1", "2"], "SEX": ["M", "F"]}
    rows = {"USUBJID": ["1"], "RDOMAIN": ["DM"], "QNAM": ["XTRA"], "QVAL": ["a"]}
    tables = [
        SourceTable(name, f"{name}.csv", "", pd.DataFrame(frame, dtype="str"), {}, ())
        for name, frame in (("DM", columns), ("SUPPDM", rows))
    ]
    update = SheetUpdate(ColumnSheet(SourceFile(Path("P.columns.csv"), b"")), named)
    update.look(tables, study_model(tables, "USUBJID"))
    report = {"domains": {"DM": {"form": "wide"}}}
    said = update.merged(Combined(["USUBJID", "DM__SEX", "DM__XTRA"], 2, [], report))
    assert {row.name: row.status for row in update.rows}.get("DM__XTRA") == status
    assert bool(said) == (status is not None)
