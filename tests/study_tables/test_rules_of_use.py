"""Each rule of the answer on use, by a study of which nothing else is lost that is as grave."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.release.ledger import By, Loss, What
from disclosure_control.release.ledger_lines import entries_of
from disclosure_control.study_tables.comparison import compared
from disclosure_control.study_tables.fit import (
    RULES,
    FitForUse,
    FitForUseSettings,
    HiddenColumns,
    LedgerLine,
    fit_for_use,
)
from disclosure_control.study_tables.table import StudyTable
from tests.cases import each
from tests.study_tables.test_comparison import FRAMES, IDS, USUAL, N, fit_of, shares

EVENTS, PEOPLE = FRAMES["AE"], FRAMES["DM"]
FLIPPED = PEOPLE.assign(SEX=np.where(PEOPLE["ARM"] == "Active", "M", PEOPLE["SEX"]))
OF_FEW = {**FRAMES, "CM": pd.DataFrame({"USUBJID": IDS[:5], "CMDECOD": "ASPIRIN", "CMTRT": "Aspirin"})}


def of_terms(before: list[list[int]], after: list[list[int]], is_main: bool = False, **settings) -> FitForUse:
    """The answer of one table of shares of 100 people an arm."""
    sides = (dataclasses.replace(shares(n, [100, 100], name="terms"), is_main=is_main) for n in (before, after))
    table: StudyTable = compared(*sides)
    return fit_for_use(MASKED, {"terms": table}, 0, N, FitForUseSettings(**settings))


def of_ledger(what: What, by: By, n_rows: int, has_order: bool = False, characteristic: int | None = None) -> FitForUse:
    """The answer of a line of so many rows of 100 of as many people."""
    loss = Loss(what, "VS", by, n_rows, n_rows, 100, has_order, characteristic)
    same = {"terms": compared(shares([[50, 50]], [100, 100]), shares([[50, 50]], [100, 100]))}
    return fit_for_use(MASKED, same, 0, N, USUAL, entries=entries_of(MASKED, [loss], USUAL))


def of_people(n_left_out: int, hidden: HiddenColumns | None = None, not_compared: tuple[str, ...] = ()) -> FitForUse:
    same = {"terms": compared(shares([[50, 50]], [100, 100]), shares([[50, 50]], [100, 100]))}
    return fit_for_use(MASKED, same, n_left_out, N, USUAL, not_compared, hidden)


def of_a_test() -> FitForUse:
    before = dataclasses.replace(shares([[50, 50]], [100, 100], name="terms"), p_value=0.01)
    table = compared(before, dataclasses.replace(before, p_value=0.2))
    return fit_for_use(MASKED, {"terms": table}, 0, N, USUAL)


def of_few_in_a_group(name: str = "demographics") -> FitForUse:
    groups = {"name": name, "is_main": False, "groups": ("SEX", "ROOM")}
    before = dataclasses.replace(shares([[50, 50], [3, 2]], [100, 100]), **groups)
    after = dataclasses.replace(shares([[50, 50]], [100, 100], ["row 0"]), **(groups | {"groups": ("SEX",)}))
    gone = LedgerLine("column_removed", "", "AE.AESPID", short="AE.AESPID")
    return fit_for_use(
        MASKED, {name: compared(before, after)}, 0, N, USUAL, entries=[gone] if name == "results" else []
    )


CASES: dict[str, Callable[[], FitForUse]] = {
    "nothing_left": lambda: of_ledger(What.EVERYTHING, By.CLOSED, 100),
    "arm_gone": lambda: fit_of(FRAMES, np.arange(N) < N // 2),
    "main_table_gone": lambda: fit_of({name: frame for name, frame in FRAMES.items() if name != "DS"}),
    "main_moved": lambda: of_terms([[40, 60]], [[40, 45]], is_main=True),
    "table_gone": lambda: fit_of({**FRAMES, "AE": EVENTS.drop(columns=["AEDECOD", "AEBODSYS"])}),
    "moved": lambda: fit_of({**FRAMES, "DM": FLIPPED}),
    "characteristic_gone": lambda: of_ledger(What.COLUMN, By.TREATMENT, 100, characteristic=1),
    "data_set_gone": lambda: of_ledger(What.DATA_SET, By.CONFIG, 100),
    "small_table_gone": lambda: fit_of(FRAMES, before=OF_FEW),
    "test_gone": lambda: of_few_in_a_group("results"),
    "category_gone": lambda: fit_of({**FRAMES, "AE": EVENTS[EVENTS["AEDECOD"] != "RASH"]}),
    "few_moved": lambda: fit_of({**FRAMES, "DM": FLIPPED}, moved=1.0),
    "main_unsure": lambda: of_terms([[30, 45]], [[30, 42]], is_main=True),
    "unsure": lambda: of_terms([[30, 45]], [[30, 42]]),
    "test_changed": of_a_test,
    "column_gone": of_few_in_a_group,
    "column_removed": lambda: of_ledger(What.COLUMN, By.TREATMENT, 100),
    "column_closed": lambda: of_ledger(What.COLUMN, By.CLOSED, 100),
    "large_change": lambda: of_terms([[50, 50]], [[58, 58]], is_main=True),
    "overlap": lambda: of_terms([[50, 50]], [[58, 58]]),
    "coarser": lambda: fit_of({**FRAMES, "DM": PEOPLE.assign(AGE=np.where(PEOPLE["AGE"] < 60, "40--60", "60--80"))}),
    "rows_gone": lambda: of_ledger(What.ROWS, By.RARE, 10),
    "times_gone": lambda: of_ledger(What.TIMES, By.TIMES, 100, has_order=True),
    "cells_gone": lambda: of_ledger(What.CELLS, By.UNREAD, 10),
    "not_compared": lambda: of_people(0, not_compared=("LB",)),
    "hidden": lambda: of_people(0, HiddenColumns(("SEX",), 20)),
    "people_gone": lambda: of_people(20),
    "few_unsure": lambda: of_terms([[30, 45]], [[30, 42]], moved=1.0),
    "few_gone": lambda: of_ledger(What.ROWS, By.RARE, 5),
    "column_by_role": lambda: of_ledger(What.COLUMN, By.ROLE, 100),
    "data_set_by_role": lambda: of_ledger(What.DATA_SET, By.ROLE, 100),
    "no_times": lambda: of_ledger(What.TIMES, By.TIMES, 100),
}


@pytest.mark.thorough("0.3 s")
@each("rule", RULES)
def test_the_gravest_line_decides(rule):
    fit = CASES[rule]()
    assert fit.ledger[0].rule == rule
    assert fit.answer == RULES[rule].answer


def test_a_test_that_is_gone_is_named_beside_a_column_that_is():
    assert "ROOM not released" in of_few_in_a_group("results").loses.replace("room", "ROOM")


def test_nothing_lost_is_a_yes():
    assert of_people(0).answer == "yes"
    assert "no change that matters in 1 table" in of_people(0).loses


def test_few_people_left_out_hidden_or_gone_are_no_limit():
    assert of_people(10, HiddenColumns(("SEX",), 9)).answer == "yes"


def test_a_coefficient_is_judged_by_its_standard_error():
    """One that went from 1.0 to 1.04 with an error of 0.01 changed by four; from 100 to 101 with 10 by a tenth."""
    before = dataclasses.replace(shares([[50]], [100]), kind="estimate", columns=("All people",))
    for value, now, error, answer in (
        (1.0, 1.04, 0.01, "no"),
        (100.0, 101.0, 10.0, "yes"),
        (1.0, 1.6, 0.5, "with limits"),
    ):
        was = dataclasses.replace(before, value=np.array([[value]]), error=np.array([[error]]))
        table = compared(was, dataclasses.replace(was, value=np.array([[now]])))
        assert fit_for_use(MASKED, {"outcome": table}, 0, N, FitForUseSettings(overlap=0.0)).answer == answer


def test_one_row_of_a_table_of_few_is_a_limit_and_several_or_all_are_a_no():
    """Of three, two and one comparisons; a row of two arms is one figure, too, and a row of deaths is never small."""
    few = [[50, 50], [40, 60], [30, 60]]
    assert of_terms(few, [[50, 80], *few[1:]]).answer == "with limits"
    assert of_terms(few, [[50, 80], [40, 90], few[2]]).answer == "no"
    assert of_terms(few[:1], [[50, 80]]).answer == "no"
    before = dataclasses.replace(shares(few, [100, 100], name="terms"), deaths=("DTHFL",), groups=("DTHFL", "A", "B"))
    after = shares([[50, 80], *few[1:]], [100, 100], name="terms")
    table = compared(before, dataclasses.replace(after, groups=before.groups))
    assert fit_for_use(MASKED, {"terms": table}, 0, N, USUAL).answer == "no"


def test_the_arm_of_the_one_person_left_out_is_not_shown():
    """Of two arms one lost a person: neither share is shown as it leaves."""
    from disclosure_control.study_tables.words import told_cells

    table = compared(shares([[80, 82]], [100, 102]), shares([[80, 81]], [100, 101]))
    assert not told_cells(MASKED, table).any()


def test_what_nobody_decided_is_always_in_the_first_line():
    """Seven graver kinds of loss, of which five are named, do not push it out."""
    lines = [LedgerLine(rule, "", rule, short=rule) for rule in [*RULES][:7]]
    lost = Loss(What.ROWS, "VS", By.UNRECORDED, 90, 90, 1000)
    same = {"terms": compared(shares([[50, 50]], [100, 100]), shares([[50, 50]], [100, 100]))}
    fit = fit_for_use(MASKED, same, 0, N, USUAL, entries=[*lines, *entries_of(MASKED, [lost], USUAL)])
    assert fit.losses[0] == "rows of VS (90 of 1,000 rows) for a reason that is not recorded"
    assert fit.answer == "no"
