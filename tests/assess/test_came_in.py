"""What came in, as each reader sees it: from a whole merge report, and from none."""

from __future__ import annotations

import json

import pytest

from disclosure_control.assess.came_in import MERGE_REPORT, merge_sections
from disclosure_control.basics.telling.small_counts import EXACT, MASKED
from study.columns.profile import AGREED, ColumnProfile, Degree, Status
from tests.kept import changed_since_kept

REPORT = {
    "subjects": 40,
    "inputs": {"a.csv": {"notes": ["3 rows are of nobody."]}, "b.csv": {"notes": []}},
    "domains": {
        "DM": {"form": "people", "rows": 40, "subjects": 40, "subjects_without_record": 0},
        "AE": {"form": "events", "rows": 90, "subjects": 37, "subjects_without_record": 3, "collapsed": 20,
               "dropped_columns": ["AETERM"], "not_done": 1},
    },
    "left_out": {"c.csv": "a list of 4 codes"},
    "notes": ["2 people are in one file alone."],
    "notes_shown": {"3 rows are of nobody.": "A few rows are of nobody."},
}  # fmt: skip
COLUMNS = [ColumnProfile("A", name, degree=degree, status=Status.TO_DECIDE, decision=decision)
           for name, degree, decision in (("sure", Degree.SURE, ""), ("likely", Degree.LIKELY, ""),
                                          ("open", Degree.UNKNOWN, ""), ("said", Degree.UNKNOWN, AGREED))]  # fmt: skip


def test_both_readers_see_what_came_in(tmp_path):
    (tmp_path / MERGE_REPORT).write_text(json.dumps(REPORT))
    found = {str(policy.threshold): merge_sections(policy, tmp_path, COLUMNS) for policy in (EXACT, MASKED)}
    assert changed_since_kept("came_in", found) == {}


WITHOUT = [json.dumps({key: one for key, one in REPORT.items() if key != name}) for name in REPORT]


@pytest.mark.parametrize("written", [None, "[]", "{", *WITHOUT])
def test_a_merge_report_of_another_form_has_no_section(written, tmp_path):
    if written is not None:
        (tmp_path / MERGE_REPORT).write_text(written)
    assert merge_sections(EXACT, tmp_path) == []
