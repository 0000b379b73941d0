"""What the model says of a column, in the words of the sheet: the kind, the degree, and what no standard explains."""

from __future__ import annotations

import pandas as pd

from study.columns.profile import Degree, Known, UnderstoodAs, is_left_open, profile_of, seen_in
from study.formats.tables import SourceTable
from study.models.registry import study_model
from study.models.roles import Role
from study.models.values_seen import ValuesSeen
from tests.cases import each

ROWS = pd.DataFrame(
    {
        "patient_id": [f"P{n:03}" for n in range(40)],
        "sex": ["m", "f"] * 20,
        "xyz": [f"{n}.5" for n in range(40)],
        "seen": [f"2024-01-{n % 28 + 1:02}" for n in range(40)],
        "serial": [f"{18_300 + 9 * (n % 30)}" for n in range(39)] + ["99999"],
        "visitdate": [f"{5_000 + 9 * (n % 30)}" for n in range(40)],
        "empty": [None] * 40,
    },
    dtype="str",
)
PLAIN = SourceTable("VISITS", "VISITS.csv", "", ROWS, {}, ())
OF_PLAIN = study_model([PLAIN], "patient_id")
DM = SourceTable(
    "DM", "DM.csv", "", pd.DataFrame({"USUBJID": ["1"], "SEX": ["M"], "SITEID": ["7"]}, dtype="str"), {}, ()
)
OF_SDTM = study_model([DM], "USUBJID")


@each(
    "column, understood_as, role, known, degree",
    [
        ("sex", UnderstoodAs.CATEGORY, Role.SEX, Known.YES, Degree.LIKELY),
        ("xyz", UnderstoodAs.NUMBER, Role.NUMBER, Known.UNDECIDED, Degree.UNKNOWN),
        ("seen", UnderstoodAs.DATE, Role.DATE, Known.UNDECIDED, Degree.LIKELY),
        ("empty", UnderstoodAs.TEXT, Role.UNKNOWN, Known.UNDECIDED, Degree.UNKNOWN),
        ("patient_id", UnderstoodAs.ID, Role.PERSON, Known.UNDECIDED, Degree.SURE),
    ],
)
def test_a_column_of_a_plain_table(column, understood_as, role, known, degree):
    found = profile_of("VISITS", column, OF_PLAIN)
    assert (found.understood_as, found.role, found.known_to_outsiders, found.degree) == (
        understood_as,
        role,
        known,
        degree,
    )
    assert found.evidence
    assert (found.decision, found.is_open) == ("", False)


@each("column, is_open", [("SEX", False), ("SITEID", False), ("XYZ", True)])
def test_what_a_standard_says_needs_no_row(column, is_open):
    assert is_left_open("DM", column, OF_SDTM) is is_open


def test_what_was_guessed_needs_a_row():
    assert [name for name in ROWS if not is_left_open("VISITS", name, OF_PLAIN)] == ["patient_id"]


@each(
    "column, seen",
    [
        ("sex", "words"),
        ("xyz", "numbers"),
        ("seen", "dates"),
        ("serial", "numbers that may be dates"),
        ("visitdate", "numbers that may be dates"),  # of 1983 as R counts
        ("empty", "nothing"),
    ],
)
def test_what_values_look_like(column, seen):
    assert seen_in(column, ValuesSeen.of(PLAIN, column)) == seen
    assert (OF_PLAIN.column("VISITS", column).role is Role.UNKNOWN) == (
        seen in ("numbers that may be dates", "nothing")
    )
