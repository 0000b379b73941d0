"""The part of each column in a drafted config, by the first rule that knows it; and small pilots drafted whole."""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np

from config import REVIEW, parse_config
from disclosure_control.draft.columns import Column
from disclosure_control.draft.draft import draft_config
from disclosure_control.draft.roles import ConfigRole, decide, order_of_sensitive
from disclosure_control.identifiers.column_findings import ColumnFinding, Grade
from study.models.roles import Role
from study.models.sdtm_operations import operation_of
from tests.cases import each
from tests.kept import changed_since_kept
from tests.places import PROJECT
from tests.study.models.test_described import STUDIES

DROPPED, CATEGORY, NUMBER = ConfigRole.DROPPED, ConfigRole.CATEGORY, ConfigRole.NUMBER
SENSITIVE, ALONE = ConfigRole.SENSITIVE, ConfigRole.LEFT_ALONE
NUMBERS = np.arange(40.0)
NAMES = ColumnFinding("X", "x", "phone", Grade.NAMES_A_PERSON, 40, 40, 40, 40, 0.0, "sure", "drop it")
OUTSIDE = replace(NAMES, grade=Grade.KNOWN_TO_OUTSIDERS)


def column(name: str, **more) -> Column:
    """A column of forty people, each with a value, ten different ones."""
    domain, _, heading = name.partition("__")
    given = {"n_people": 40, "n_values": 40, "n_distinct": 10, "n_rare": 0, "numbers": None, "is_dates": False} | more
    given = {"form": "wide", "operation": operation_of(domain, heading)} | given
    return Column(name=name, domain=domain, heading=heading, **given)


@each(
    "name, more, role, review",
    [
        ("X__sex", {"n_values": 0}, ALONE, False),
        ("X__sex", {"n_distinct": 1}, ALONE, False),
        ("X__sex", {"n_distinct": 1, "n_values": 39}, CATEGORY, False),
        ("X__zzz_count", {"counts_rows": True}, ALONE, True),
        ("X__zzz", {"findings": (NAMES,)}, DROPPED, True),
        ("X__zzz", {"findings": (OUTSIDE,)}, DROPPED, True),
        ("X__zzz", {"findings": (replace(NAMES, certainty="possible"),)}, ALONE, True),
        ("X__zzz", {"findings": (OUTSIDE,), "form": "findings"}, ALONE, False),
        ("X__zzz", {"findings": (NAMES,), "form": "findings"}, DROPPED, True),
        ("X__sex", {"findings": (NAMES,)}, CATEGORY, False),
        ("X__phone", {}, DROPPED, True),
        ("X__dob", {}, DROPPED, True),
        ("X__dob", {"role": Role.AGE, "numbers": NUMBERS}, NUMBER, False),
        ("DM__SUBJID", {}, DROPPED, True),
        ("DM__BRTHDTC", {}, DROPPED, True),
        ("DM__COUNTRY", {"role": Role.PLACE}, CATEGORY, False),
        ("X__zzz", {"is_dates": True}, ALONE, True),
        ("DM__RFSTDTC", {}, ALONE, True),
        ("X__age", {"numbers": NUMBERS}, NUMBER, False),
        ("X__age", {}, CATEGORY, False),
        ("X__age", {"n_rare": 20}, CATEGORY, False),
        ("X__age", {"n_rare": 21}, CATEGORY, True),
        ("X__education", {"numbers": NUMBERS}, CATEGORY, False),
        ("X__education", {"numbers": NUMBERS, "n_distinct": 40}, NUMBER, False),
        ("QS__language", {"form": "findings"}, ALONE, False),
        ("SC__language", {"form": "findings"}, CATEGORY, False),
        ("VS__bmi", {"form": "findings", "numbers": NUMBERS}, NUMBER, False),
        ("X__height", {"numbers": NUMBERS}, ALONE, True),
        ("VS__height", {"numbers": NUMBERS, "form": "findings"}, ALONE, True),
        ("X__zzz", {"role": Role.CODED_TERM}, SENSITIVE, False),
        ("X__zzz", {"role": Role.SEX}, CATEGORY, False),
        ("X__zzz", {"role": Role.SEX, "is_guessed": True}, CATEGORY, True),
        ("X__zzz", {"role": Role.AGE, "numbers": NUMBERS}, NUMBER, False),
        ("X__zzz", {"role": Role.PLACE, "numbers": NUMBERS}, CATEGORY, False),
        ("X__zzz", {"role": Role.SEX, "form": "findings"}, ALONE, False),
        ("DM__ARMCD", {}, ALONE, False),
        ("LB__zzz", {"form": "findings", "numbers": NUMBERS, "n_distinct": 40}, SENSITIVE, False),
        ("LB__zzz", {"form": "findings"}, ALONE, False),
        ("X__zzz", {"form": "findings", "numbers": NUMBERS, "n_distinct": 40, "is_result": True}, SENSITIVE, False),
        ("X__zzz", {"form": "findings", "numbers": NUMBERS, "n_distinct": 40}, ALONE, False),
        ("AE__count", {"form": "events"}, ALONE, False),
        ("X__diagnosis", {}, SENSITIVE, False),
    ],
)  # fmt: skip
def test_a_column_is_decided_by_the_first_rule_that_knows_it(name, more, role, review):
    others = [column("DM__SEX"), column("X__zzz_1", n_values=0)]
    found = decide([column(name, **more), *others])[name]
    assert (found.role, found.review) == (role, review)


def test_columns_beside_others_and_what_a_person_decided():
    born = {"numbers": NUMBERS, "n_distinct": 40}
    assert decide([column("X__birth_year", **born), column("X__age", **born)])["X__birth_year"].role is ALONE
    assert decide([column("X__birth_year", **born)])["X__birth_year"].role is NUMBER
    race = decide([column("DM__RACE"), column("DM__RACE1")])
    assert [race[name].role for name in ("DM__RACE", "DM__RACE1")] == [CATEGORY, ALONE]
    unknown = [column(f"X__zzz{'abcdefg'[i]}", numbers=NUMBERS if i else None, n_distinct=40) for i in range(7)]
    assert [one.role for one in decide(unknown).values()] == [CATEGORY, *[NUMBER] * 4, ALONE, ALONE]
    decided = decide(unknown[:3], {"X__zzza": True, "X__zzzb": True, "X__zzzc": False})
    assert [(one.role, one.review) for one in decided.values()] == [(CATEGORY, False), (NUMBER, False), (ALONE, False)]
    values = [
        column("LB__a", n_values=19),
        column("LB__b", n_values=20),
        column("X__hiv", n_values=20),
        column("X__diagnosis"),
    ]
    assert [one.name for one in sorted(values, key=order_of_sensitive)][-1] == "LB__a"


@each("name", ["plain", "PENTELI", "OMOP_DEMO"])
def test_a_pilot_is_drafted_as_it_was(name, tmp_path):
    """The literal of the draft, its lines to decide, and the rows of the sheet without words."""
    folder = tmp_path if name in STUDIES else PROJECT / "pilot_report" / name
    for table, columns in STUDIES.get(name, {}).items():
        with (folder / f"{table.lower()}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([[*columns], *zip(*columns.values(), strict=True)])
    draft = draft_config("P", folder, {})
    marked = [line.partition(f"# {REVIEW}")[0].strip() for line in draft.text.splitlines() if f"# {REVIEW}" in line]
    rows = {
        row.name: [row.role, row.understood_as, row.degree, row.known_to_outsiders, row.missing_codes]
        for row in draft.rows
    }
    found = {"literal": parse_config(draft.text, "P.py"), "marked": marked, "rows": rows}
    assert changed_since_kept(f"drafted_{name}", found) == {}
