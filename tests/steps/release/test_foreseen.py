"""What a trial foresees: further lines are found in its package, as if those before them were in place."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from disclosure_control.attack.tells.summaries import without_column
from disclosure_control.basics.settings.changes import ConfigChange
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.steps.release import foreseen


@dataclass(frozen=True)
class Leaves:
    """What leaves, by its columns."""

    columns: list[str]
    values: dict[str, object]
    harmless: dict[str, str] = field(default_factory=dict)
    others: dict[str, object] = field(default_factory=dict)


LEAVES = Leaves(["USUBJID", "DM__AGE", "VS__Height", "LB__X", "AE__AESEV"], dict.fromkeys(["DM__AGE", "VS__Height"], 0))
SEVERITY = ConfigChange.to(("release", "operations", "AE.AESEV"), "remove", "it tells")
ROWS = ConfigChange.to(("release", "operations", "AE.AESTDY"), "remove", "rows tell", is_last_resort=True)


def told_by(*lines: ConfigChange) -> Reason:
    return Reason(Gravity.OUTSIDERS_CAN_SINGLE_OUT, f"{len(lines)} tell.", changes=lines)


@pytest.fixture
def asked(monkeypatch) -> list[Leaves]:
    """What each round was asked of: a height gives the age; once it goes, a laboratory value gives the height."""
    rounds: list[Leaves] = []

    def attacked(leaving, asked, shares):
        rounds.append(leaving)
        is_left = "LB__X" in leaving.columns
        found = (
            [told_by(without_column("LB__X", "it tells"))] if "VS__Height" not in leaving.columns and is_left else []
        )
        return lambda policy: SimpleNamespace(reasons=lambda: found)

    nothing = SimpleNamespace(reasons=lambda: [Reason(Gravity.NOT_DECIDED, "No line.")])
    monkeypatch.setattr(foreseen, "PeopleAsked", SimpleNamespace(of=lambda leaving: None))
    monkeypatch.setattr(foreseen, "telling_of", lambda leaving, asked: ((lambda policy: nothing), {}))
    monkeypatch.setattr(foreseen, "attacked", attacked)
    return rounds


def test_what_gives_a_column_that_goes_is_found_in_the_same_run(asked):
    found = list(foreseen.foreseen(LEAVES, [told_by(without_column("VS__Height", "it tells"), SEVERITY)]))
    assert [one.changes[0].value["columns"] for one in found] == [["LB__X"]]
    first, last = asked
    assert (first.columns, list(first.values)) == (["USUBJID", "DM__AGE", "LB__X"], ["DM__AGE"])
    assert (last.columns, set(last.harmless)) == (["USUBJID", "DM__AGE"], {"VS__Height", "AE__AESEV", "LB__X"})


def test_a_line_that_drops_a_spared_column_is_not_made_so_nothing_is_foreseen_by_it(asked):
    height = told_by(without_column("VS__Height", "it tells"))
    assert list(foreseen.foreseen(LEAVES, [height], ["VS__Height"])) == []
    (further,) = foreseen.foreseen(LEAVES, [height], ["DM__AGE"])
    assert (further.is_foreseen, height.is_foreseen) == (True, False)


def test_where_lines_take_no_column_away_or_there_are_none_nobody_asks_again(asked):
    assert list(foreseen.foreseen(LEAVES, [told_by(ROWS)])) == []
    assert list(foreseen.foreseen(LEAVES, [told_by()])) == []
    assert asked == []
