"""The screen of door 1: what became of every domain, and nobody's small count in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from Create_Combined_Pilot_Dataset import merge_table
from disclosure_control.basics.telling.small_counts import SMALLEST_PRINTED_GROUP
from tests.examples import examples
from tests.run.synthetic_pilot import DONE, rows_of


@pytest.mark.thorough("0.4 s")
@pytest.mark.parametrize("engine", ["memory", "disk"])
def test_the_screen_tells_no_small_count_and_the_report_tells_all(engine, pilot, doors):
    """Of 12 people: 3 without a record of VS, 2 unknown, 1 text among numbers, 2 codes that a list does not know."""
    some = [{**row, "BMI": "pending" if i == 0 else row["BMI"]} for i, row in enumerate(rows_of("VS")[3:])]
    some += [{"USUBJID": f"ZZSUBJ-9000{i}", "BMI": "21"} for i in range(2)]
    pilot.write_rows("VS.csv", some)
    age = rows_of("DM")
    age[0]["AGE"] = "NA"
    pilot.write_rows("DM.csv", age)
    pilot.configure(
        merge={"unknown_subjects": ["VS"]}, subject_id={"pattern": "^(ZZSUBJ-4815.)$", "replacement": r"\1"}
    )
    run = doors.start(1, "--engine", engine)
    assert run.status == DONE
    line = next(line for line in run.out.splitlines() if "VS" in line)
    rows, subjects, without = line.strip("│").split("│")[2:5]
    assert {rows.strip(), subjects.strip(), without.strip()} == {"masked"}
    for words in (
        "VS: fewer than 10 subjects that are not in DM were left out",
        "DM.csv: 'NA' in columns of numbers or dates read as missing: 'AGE' (fewer than 10)",
        "DM.csv: fewer than 10 ids do not match the subject_id pattern",
        "Texts in columns of numbers: VS__BMI (fewer than 10)",
    ):
        assert words in run.out
    report = pilot.merge_report()
    counts = report["domains"]["VS"]
    assert (counts["subjects"], counts["subjects_without_record"], counts["unknown_subjects_left_out"]) == (9, 3, 2)
    assert "Texts in columns of numbers: VS__BMI (1 of 9)" in report["notes"]
    assert "3 ids do not match the subject_id pattern" in report["inputs"]["DM.csv"]["notes"]


@examples(200)
@given(n_all=st.integers(SMALLEST_PRINTED_GROUP, 60), n_without=st.integers(0, 60), n_more=st.integers(0, 30))
def test_who_has_no_record_cannot_be_calculated_from_the_table(n_all, n_without, n_more):
    """Of a wide domain with rows beyond one for a subject: whatever is told, no two numbers differ by few people.

    A pilot of fewer people than are told at all has none that could be told.
    """
    n_subjects = n_all - min(n_without, n_all)
    counts = {"form": "wide", "rows": n_subjects + n_more, "subjects": n_subjects, "collapsed": n_more}
    counts["subjects_without_record"] = n_all - n_subjects
    report = {"subjects": n_all, "domains": {"VS": counts}, "columns": {}, "inputs": {}, "left_out": {}}
    table = merge_table({**report, "notes": [], "dropped_columns": []}).splitlines()[-2]
    cells = [cell.strip() for cell in table.strip("│").split("│")]
    rows, subjects, without, collapsed = (int(cells[i]) if cells[i] != "masked" else None for i in (2, 3, 4, 6))
    present = [n for n in (subjects, None if without is None else n_all - without) if n is not None]
    present += [] if rows is None or collapsed is None else [rows - collapsed]
    for told in (rows, *present):
        assert told is None or not 0 < abs(n_all - told) < SMALLEST_PRINTED_GROUP
    assert all(told is None or not 0 < told < SMALLEST_PRINTED_GROUP for told in (without, collapsed))
