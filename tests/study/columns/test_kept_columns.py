"""Every column of small studies in the sheet, alone and in groups, open and decided: as it is kept."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from disclosure_control.basics.files import SourceFile
from study.columns.closed import groups_of, holds_for, is_asked, is_of_the_tool, is_pattern, look_of, rows_of
from study.columns.decisions import ColumnDecision, by_column, known_by_decision, staying_here, with_decisions
from study.columns.known_to_outsiders import known_to_outsiders
from study.columns.profile import AGREED, Known, Status, is_left_open, profile_of, seen_in
from study.columns.sheet import frame_of, parsed_sheet
from study.models.registry import study_model
from study.models.roles import Role
from study.models.values_seen import ValuesSeen
from tests.kept import changed_since_kept
from tests.study.models.test_described import tables_of


@pytest.mark.parametrize("name", ["plain", "PENTELI"])
def test_the_sheet_of_a_study(name):
    tables = tables_of(name)
    model, statuses = study_model(tables, None), list(Status)
    seen = {(one.domain, column): ValuesSeen.of(one, column) for one in tables for column in map(str, one.frame)}
    rows = [profile_of(*place, model, seen_in(place[1], values)) for place, values in seen.items()]
    rows = [
        dataclasses.replace(row, status=statuses[at % 4])
        if at % 3
        else dataclasses.replace(row, known_to_outsiders=(Known.YES, Known.NO)[at % 2], decision=AGREED)
        for at, row in enumerate(rows)
    ]
    groups = groups_of((*place, look_of(place[1], values)) for place, values in seen.items())
    patterns = list(rows_of(groups, rows[::5]))
    found = {
        row.name: [
            *map(str, dataclasses.astuple(dataclasses.replace(row, evidence=""))),
            row.is_open,
            row.stays_here,
            is_asked(row),
        ]
        for row in rows
    }
    for row in rows:
        found[row.name] += [is_left_open(row.table, row.column, model)]
    found["groups"] = {one.look: one.columns for one in groups}
    found["patterns"] = {
        f"{at} {one.column}": [
            one.table,
            is_pattern(one),
            is_of_the_tool(one),
            "".join(f"{holds_for(one, row):d}" for row in rows),
        ]
        for at, one in enumerate(patterns)
    }
    agreed = dataclasses.replace(patterns[0], decision=AGREED)
    text = frame_of([*rows, agreed, *patterns[2:]]).to_csv(index=False)
    sheet = parsed_sheet(SourceFile(Path("P.columns.csv"), text.encode()))
    below = sheet.below({"merge": {"columns": {rows[0].name: {"known_to_outsiders": True}}}})["merge"]["columns"]
    found |= {"open": sheet.n_open, "decisions": sheet.decisions, "below": below}
    roles = (None, Role.UNKNOWN, Role.SEX, Role.AGE, Role.IDENTIFIER)
    decided = {
        row.name: ColumnDecision(roles[at % 5], (None, True, False)[at % 3], ("9",) * (at % 2), ("0",) * (at % 4 == 0))
        for at, row in enumerate(rows)
    }
    described = with_decisions(model, decided)
    for row in rows:
        column = described.column(row.table, row.column)
        found[f"decided {row.name}"] = [
            decided[row.name].opens,
            column and [column.role, column.says and column.says.operation],
        ]
    found["known"], found["stays"] = known_by_decision(decided), staying_here(decided)
    found["codes"] = {
        one.domain: [by_column(decided, one.domain, what) for what in ("missing", "kept")] for one in tables
    }
    found["outsiders"] = known_to_outsiders(
        [row.name for row in rows], known_by_decision(dict([*decided.items()][::2]))
    )
    assert changed_since_kept(f"columns_{name}", found) == {}
