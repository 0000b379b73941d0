"""Tables of both sides compared: intervals, overlaps and differences by hand, and what becomes of a bent study."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.study_tables.comparison import State, compared, compared_tables, differences, reference_of
from disclosure_control.study_tables.fit import FitForUse, FitForUseSettings, Fitness, fit_for_use
from disclosure_control.study_tables.registry import study_tables
from disclosure_control.study_tables.table import CellKind, Cells, StudyTable
from disclosure_control.study_tables.words import told_cells
from tests.cases import each
from tests.study_tables.sides import model_of, side_of

ARMS = ("Placebo", "Active")
N = 200  # people, half in each arm
IDS = [f"P{number:03}" for number in range(N)]
USUAL = FitForUseSettings()


def shares(
    n: list[list[int]], of: list[int], rows: list[str] | None = None, name: str = "adverse_events"
) -> StudyTable:
    names = rows or [f"row {place}" for place in range(len(n))]
    cells, margin = Cells.of_shares(np.array(n), np.array(of)), np.array(of)
    return StudyTable.of_cells(CellKind.SHARE, (name, "AE", "Adverse events", ARMS), names, cells, margin, is_main=True)


# ---------------------------------------------------------------- figures


def test_a_difference_has_the_interval_of_agresti_and_caffo():
    """With one success and one failure added to each arm, p = 57/102 and 11/102."""
    found = differences(shares([[10, 56]], [100, 100]), 0)
    share, other = 57 / 102, 11 / 102
    half = 1.959964 * np.sqrt(share * (1 - share) / 102 + other * (1 - other) / 102)
    assert found.value[0, 1] == pytest.approx(0.46)
    assert (found.low[0, 1], found.high[0, 1]) == pytest.approx((share - other - half, share - other + half), abs=1e-6)
    assert found.is_significant.tolist() == [[False, True]]


def test_the_overlap_is_that_of_karr():
    """Intervals [0, 2] and [1, 5]: half of the one and a quarter of the other; those apart have none."""
    before, after = shares([[10, 10]], [100, 100]), shares([[10, 10]], [100, 100])
    wide = dataclasses.replace(before, kind="mean", value=np.array([[1.0, 1.0]]), error=np.array([[1, 1]]) / 1.9599640)
    narrow = dataclasses.replace(wide, value=np.array([[3.0, 9.0]]), error=np.array([[2, 1]]) / 1.9599640)
    assert compared(wide, narrow).overlap == pytest.approx(np.array([[0.375, 0.0]]), abs=1e-6)
    assert compared(before, after).overlap.tolist() == [[1.0, 1.0]]


def test_a_column_that_its_role_removes_is_no_comparison_that_is_lost():
    before = dataclasses.replace(shares([[50, 50], [30, 60]], [100, 100]), groups=("SEX", "AGEGR1"), source="ADSL")
    after = dataclasses.replace(shares([[50, 50]], [100, 100]), groups=("SEX",))
    for by_role, n_lost in (("ADSL.AGEGR1", 0), ("ADAE.AGEGR1", 1)):
        assert (compared(before, after, by_role=[by_role]).states == State.LOST).sum() == n_lost


CELLS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=4)


@given(CELLS, st.integers(0, 2**31))
def test_states_are_those_of_a_slow_referee(before, seed):
    rng = np.random.default_rng(seed)
    after = [[int(rng.integers(0, one + 1)) for one in pair] for pair in before]
    found = compared(
        shares([list(pair) for pair in before], [60, 60]), shares(after, [60, 55 + int(rng.integers(0, 6))])
    )
    if max(max(pair) for pair in after) > found.after.of.min():
        return
    for row, pair in enumerate(before):
        assert found.states[row, 0] == State.NOT_COMPARED
        assert found.states[row, 1] == _state(pair, after[row], found.after.of[row]), (pair, after[row])


def _state(before, after, of_after):
    if sum(before) < 10:
        return State.NOT_COMPARED

    def difference(pair, of):
        low_arm, high_arm = ((n + 1) / (size + 2) for n, size in zip(pair, of, strict=True))
        variance = sum(p * (1 - p) / (size + 2) for p, size in ((low_arm, of[0]), (high_arm, of[1])))
        middle, half = high_arm - low_arm, 1.9599639845 * variance**0.5
        return pair[1] / of[1] - pair[0] / of[0], middle - half, middle + half

    was, low, high = difference(before, (60, 60))
    now, low_now, high_now = difference(after, of_after)
    if abs(was - now) < 1e-9:
        return State.HELD
    if not low - 1e-9 <= now <= high + 1e-9:
        return State.MOVED
    was_sure, is_sure = not low <= 0 <= high, not low_now <= 0 <= high_now
    if was * now < 0 and (was_sure or is_sure):
        return State.SIGN
    return State.SIGNIFICANCE if was_sure != is_sure else State.HELD


@each(
    "columns, asked, place",
    [
        (("Active", "Placebo"), None, 1),
        (("Drug", "Control arm"), None, 1),
        (("A", "B"), None, 0),
        (("A", "B"), "B", 1),
        (("All people",), None, None),
    ],
)
def test_arms_are_compared_with_the_control(columns, asked, place):
    assert reference_of(columns, asked) == place


# ---------------------------------------------------------------- a study


def study(events: dict[str, list[int]], reasons: list[str] | None = None) -> dict[str, pd.DataFrame]:
    """200 people in two arms; ``events``: term -> how many people of each arm have it, the first of the arm."""
    arms = np.repeat(ARMS, N // 2)
    people = pd.DataFrame(
        {"USUBJID": IDS, "ARM": arms, "AGE": np.tile(np.arange(40.0, 80.0), 5), "SEX": ["F", "M"] * 100}
    )
    rows = [
        {"USUBJID": IDS[arm * N // 2 + place], "AEDECOD": term, "AEBODSYS": "SYSTEM", "AESTDY": 3.0, "AESER": "N"}
        for term, counts in events.items()
        for arm, n in enumerate(counts)
        for place in range(n)
    ]
    ended = pd.DataFrame({"USUBJID": IDS, "DSDECOD": reasons or ["COMPLETED"] * 150 + ["DEATH"] * 50})
    return {"DM": people, "AE": pd.DataFrame(rows), "DS": ended}


FRAMES = study({"HEADACHE": [40, 60], "NAUSEA": [50, 70], "RASH": [3, 2]})


def fit_of(
    after: dict[str, pd.DataFrame],
    there: np.ndarray | None = None,
    before: dict[str, pd.DataFrame] = FRAMES,
    **settings,
) -> FitForUse:
    model = model_of(before)
    side = side_of(before, IDS, model)
    tables = compared_tables(study_tables(side), study_tables(side_of(after, IDS, model, side, there)))
    n_left = 0 if there is None else int((~there).sum())
    return fit_for_use(MASKED, tables, n_left, N, FitForUseSettings(**settings))


def test_what_was_not_compared_is_no_yes_and_is_told():
    model = model_of(FRAMES)
    side = side_of(FRAMES, IDS, model)
    tables = compared_tables(study_tables(side), study_tables(side_of(FRAMES, IDS, model, side)))
    for fit in (
        fit_for_use(MASKED, tables, 0, N, FitForUseSettings(), ["LB"]),
        fit_for_use(MASKED, {}, 0, N, FitForUseSettings(), ["LB"]),
        fit_for_use(MASKED, {}, 0, N, FitForUseSettings()),
    ):
        assert fit.answer == Fitness.WITH_LIMITS
        assert len(fit.reasons) == len(fit.for_recipient) == 1


def test_what_a_table_loses_is_nothing_as_it_came_all_where_it_goes_and_more_where_more_goes():
    assert all(fit_of(FRAMES).lost_of([name]) == 0 for name in ("adverse_events", "terms", "disposition"))
    none = fit_of({name: frame for name, frame in FRAMES.items() if name != "AE"})
    assert none.lost_of(["adverse_events", "terms"]) == 1
    assert none.lost_of(["disposition"]) == 0
    assert 0 < none.lost_of([]) < 1
    events = FRAMES["AE"]
    few, many = (fit_of({**FRAMES, "AE": events.iloc[::step]}).lost_of(["terms"]) for step in (2, 5))
    assert 0 < few < many < 1


def test_a_category_that_is_gone_is_named_where_its_share_may_not_be_told():
    rows = ["COMPLETED", "LOST TO FOLLOW-UP", "DISCONTINUED"]
    before, after = ([[80, 80], n_lost, n_other] for n_lost, n_other in (([8, 9], [12, 11]), ([0, 0], [20, 20])))
    table = compared(shares(before, [100, 100], rows), shares(after, [100, 100], rows))
    loses = fit_for_use(MASKED, {"disposition": table}, 0, N, USUAL).loses
    assert loses.startswith("What the recipient loses: adverse events: nothing is left of LOST TO FOLLOW-UP")


def test_categories_that_leave_under_another_term_are_not_said_to_be_gone():
    """Twenty deaths and three people who moved away are released as DISCONTINUED, which nobody was called before."""
    before = shares([[90, 87], [8, 12], [2, 1]], [100, 100], ["COMPLETED", "DEATH", "MOVED AWAY"])
    after = shares([[90, 87], [10, 13]], [100, 100], ["COMPLETED", "DISCONTINUED"])
    groups = {"groups": ("DSDECOD",) * 3, "name": "disposition", "title": "Disposition"}
    before = dataclasses.replace(before, **groups)
    after = dataclasses.replace(after, **(groups | {"groups": ("DSDECOD",) * 2}))
    fit = fit_for_use(MASKED, {"disposition": compared(before, after)}, 0, N, USUAL)
    assert (
        "DEATH, 1 category of few people, of too few people to be told apart, leave as DISCONTINUED" in fit.reasons[0]
    )
    assert "nothing is left of" not in " ".join((*fit.reasons, fit.loses))
    few = dataclasses.replace(after, rows=("COMPLETED", "SOMETHING ELSE"), n=np.array([[90, 87], [2, 1]]))
    assert fit.n_vanished == 2
    assert "disposition: DEATH, 1 category" in fit.loses
    few = dataclasses.replace(before, n=np.array([[90, 87], [2, 1], [2, 1]]))
    named = fit_for_use(MASKED, {"disposition": compared(few, after)}, 0, N, USUAL).reasons[0]
    assert "DEATH, 1 category of few people" in named  # every study has it, and words of one's own are not named


def test_a_comparison_of_a_term_that_left_cannot_be_made_and_did_not_move():
    before = shares([[5, 60], [50, 50]], [100, 100])
    after = shares([[0, 0], [50, 50]], [100, 100])
    assert compared(before, after).states[:, 1].tolist() == [State.LOST, State.HELD]


def test_a_column_in_bands_is_lost_to_one_part_in_their_number():
    """Six ages in two bands lose one half of their rows; in three bands a third; not released all of them."""
    ages = [f"{low}--{low + 10}" for low in range(30, 90, 10)]
    fine = dataclasses.replace(shares([[15, 15]] * 6, [90, 90], ages, "demographics"), groups=("AGE",) * 6)

    def in_bands(n: int) -> StudyTable:
        rows = [f"band {number}" for number in range(n)]
        return dataclasses.replace(shares([[90 // n] * 2] * n, [90, 90], rows, "demographics"), groups=("AGE",) * n)

    assert [compared(fine, in_bands(n)).lost for n in (2, 3)] == pytest.approx([1 / 2, 1 / 3])
    assert (compared(fine, fine).lost, compared(fine, None).lost) == (0, 1)


def test_a_difference_between_arms_that_grew_beyond_its_interval_is_a_no():
    """The rows of one arm are thinned more than those of the other, as when rare terms go within classes."""
    events = FRAMES["AE"]
    thinned = events[~events["USUBJID"].isin(IDS[15:50])]
    fit = fit_of({**FRAMES, "AE": thinned})
    assert fit.answer == Fitness.NO
    assert "any adverse event (Active against Placebo) from 20 to 55 points" in fit.reasons[0]
    assert "any adverse event, Placebo 50% to 15% of people" in fit.loses
    to_recipient = " ".join(fit.for_recipient)  # no figure of what came in
    assert not any(figure in to_recipient for figure in ("50%", "15%", "from 20"))


def test_rows_of_few_people_are_counted_and_not_named():
    events = FRAMES["AE"][FRAMES["AE"]["AEDECOD"] != "RASH"]
    fit = fit_of({**FRAMES, "AE": events})
    assert "RASH" not in " ".join((*fit.reasons, *fit.for_recipient, fit.loses))
    assert any("1 category of few people" in reason for reason in fit.reasons)
    assert fit.answer == Fitness.WITH_LIMITS


def test_bands_are_counted_and_columns_that_go_are_named():
    people = FRAMES["DM"].drop(columns="SEX")
    people["AGE"] = np.where(people["AGE"] < 60, "40--60", "60--80")
    fit = fit_of({**FRAMES, "DM": people})
    assert fit.answer == Fitness.NO, "both comparisons of a sex are lost"
    assert fit.loses.lower().index("sex not released") < fit.loses.lower().index("age in two bands")
    bands = fit_of({**FRAMES, "DM": people.assign(SEX=FRAMES["DM"]["SEX"])})
    assert bands.answer == Fitness.WITH_LIMITS


def test_the_one_country_of_everybody_by_a_coarser_name_is_no_loss_of_the_first_line():
    came, leaves = FRAMES["DM"].assign(COUNTRY="USA"), FRAMES["DM"].assign(COUNTRY="NORTH AMERICA")
    assert "country" not in fit_of({**FRAMES, "DM": leaves}, before={**FRAMES, "DM": came}).loses.lower()


def test_a_study_without_its_arms_has_no_table_left():
    fit = fit_of({**FRAMES, "DM": FRAMES["DM"].drop(columns="ARM")})
    assert fit.answer == Fitness.NO
    assert any("what leaves has nothing of it" in reason for reason in fit.reasons)


# ---------------------------------------------------------------- masks


@given(st.lists(st.integers(0, 40), min_size=4, max_size=4), st.lists(st.integers(0, 40), min_size=4, max_size=4))
def test_no_share_is_shown_that_gives_few_people_away(before, lost):
    after = [max(n - gone, 0) for n, gone in zip(before, lost, strict=True)]
    table = compared(shares([before[:2], before[2:]], [40, 40]), shares([after[:2], after[2:]], [40, 40]))
    for row, column in np.argwhere(told_cells(MASKED, table)):
        was, now = int(table.before.n[row, column]), int(table.after.n[row, column])
        assert not any(0 < n < 10 for n in (was, 40 - was, now, 40 - now, abs(was - now)))
        if row:  # part of the first row
            assert not any(
                0 < abs(side.n[0, column] - side.n[row, column]) < 10 for side in (table.before, table.after)
            )


def test_a_part_that_the_others_give_away_is_not_shown():
    """Reasons are parts of an arm: 60, 36 and 4 of 100; with both large ones the small one could be calculated."""
    rows = ["COMPLETED", "ADVERSE EVENT", "DEATH"]
    table = shares([[60, 50], [36, 40], [4, 10]], [100, 100], rows, name="disposition")
    table = dataclasses.replace(table, groups=("DSDECOD",) * 3)
    assert told_cells(MASKED, compared(table, table))[:, 0].sum() <= 1
    assert told_cells(MASKED, compared(table, table))[:, 1].all()
