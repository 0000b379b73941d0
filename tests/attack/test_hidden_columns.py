"""Whose hidden value a released quasi-identifier gives: it is assessed with it, whatever its copies are called."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from disclosure_control.attack.tells.hidden_columns import HiddenColumn, PeopleAsked, as_numbers
from disclosure_control.attack.tells.merged import leaves_as_it_was
from disclosure_control.release.accounts import Account
from study.operations import Operation, OperationKind, VariableClass

N = 200
AGE = pd.Series(np.random.default_rng(2).integers(30, 70, N).astype(float))
BAND = pd.DataFrame({"age": (AGE // 10).map("{:.0f}0 and more".format)})
GROUP = pd.Series(np.where(AGE < 50, "young", np.where(AGE < 65, "middle", "old")))


def beside(original: pd.Series, released: pd.DataFrame) -> HiddenColumn:
    changed = original.index >= 3
    one = HiddenColumn.beside("hidden", original, None, changed)
    return one.beside_quasi_identifiers(released)


def test_a_group_that_bands_give_is_asked_where_they_do_not_give_it():
    of_group = beside(GROUP, BAND)
    assert (of_group.asked == of_group.changed & (AGE >= 60).to_numpy()).all()
    fives = pd.DataFrame({"age": (AGE // 5).astype(str)})
    assert not beside(2020 - AGE, fives).asked.any()


def test_what_no_quasi_identifier_gives_is_asked_of_everybody():
    shuffled = BAND.sample(frac=1, random_state=1).reset_index(drop=True)
    for original in (GROUP, 2020 - AGE):
        one = beside(original, shuffled)
        assert (one.asked == one.changed).all()


def test_a_column_whose_values_all_leave_is_not_hidden():
    """Without the date that orders rows, a merge takes another row of a person: that takes nothing out."""
    keep = Operation(OperationKind.KEEP, VariableClass.NOT_IDENTIFYING, "a result")
    whole = Account("LB", "LB", "GLUC", keep, n_values=9)
    assert leaves_as_it_was(whole)
    for other in ({"n_lost": 1}, {"recoded": True}, {"has_rare_terms": True}, {"has_rare_texts": True}):
        assert not leaves_as_it_was(replace(whole, **other))
    assert not leaves_as_it_was(None)
    as_they_are = {OperationKind.KEEP, OperationKind.NO_FURTHER}
    of_kind = {kind: replace(whole, operation=replace(keep, operation=kind)) for kind in OperationKind}
    assert {kind for kind, account in of_kind.items() if leaves_as_it_was(account)} == as_they_are


def test_moved_dates_are_facts_by_their_distances_alike_by_any_key():
    """Two releases move a person's dates by other numbers of days; what came in are the days between them."""
    came = pd.DataFrame({"began": [100.0, 40.0, np.nan], "ended": [130.0, np.nan, 70.0], "weight": [60.0, 70.0, 80.0]})
    found = []
    for offsets in ([5.0, -300.0, 11.0], [-77.0, 2.0, 9.0]):
        moved = came.assign(began=came["began"] + offsets, ended=came["ended"] + offsets)
        asked = PeopleAsked(np.arange(3), [], [], moved, np.zeros(3, dtype=int), [], moved=["began", "ended"])
        found.append(asked.with_distances)
    pd.testing.assert_frame_equal(*found)
    assert found[0]["ended"].tolist()[0] == 30
    assert found[0]["weight"].tolist() == [60.0, 70.0, 80.0]


def test_dates_of_a_database_that_was_moved_as_a_whole_are_days():
    dates = pd.Series([f"21{number:02d}-03-0{1 + number % 9}" for number in range(50, 90)], dtype="str")
    assert as_numbers(dates).dtype.kind == "f"
