"""What counts as a trace of an original in what leaves."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from disclosure_control.attack.traces.traces import find_traces
from disclosure_control.basics.settings.changes import applied
from disclosure_control.basics.telling.small_counts import EXACT
from disclosure_control.steps.release.traces import reasons_of_traces
from study.formats.tables import SourceTable
from tests.release.small_studies import people, released, study_of

IDS = [f"SUBJECT-{i:04}" for i in range(40)]
N = 60
GENERATOR = np.random.default_rng(9)
NUMBERS = 200_017 + 37 * np.arange(N)
DATES = pd.to_datetime("2014-01-06") + pd.to_timedelta(GENERATOR.integers(0, 700, N), unit="D")
# Digits of a person's own id or day, in whatever order, with signs between; and such digits of others, or of nobody.
OWN = {
    "decimals of a number": 90 + NUMBERS / 1e6,
    "a day without its zero in front": [float(one.strftime("%d%m%y")) for one in DATES],
    "a day after another number": [f"7.{one.strftime('%d%m%Y')}" for one in DATES],
    "a day with the month first": [one.strftime("%m/%d/%Y") for one in DATES],
}
CHANCE = {
    "digits of others": 90 + np.roll(NUMBERS, 3) / 1e6,
    "numbers of as many digits": GENERATOR.integers(10**5, 10**8, N).astype(float),
}


def traces_of(files, lines=(), spoilt=None, ids=IDS):
    who = people(ids, list(range(len(ids))))
    made = released(files, who, lines)
    opened = {
        name: SourceTable(name, f"{name}.csv", "", file.frame.copy(), {}, ()) for name, file in made.files.items()
    }
    if spoilt is not None:
        spoilt({name: table.frame for name, table in opened.items()})
    return find_traces(study_of(files, ids), made, opened, who, {}, "USUBJID")


def events(n=2000):
    """Records with numbers of six digits: some of the pseudonyms have six such digits in a row, by chance."""
    return {
        "DM": [{"USUBJID": one, "SEX": "F"} for one in IDS],
        "AE": [{"USUBJID": IDS[i % 40], "AESEQ": float(i), "AESPID": f"{100_000 + i}"} for i in range(n)],
    }


def test_digits_within_a_pseudonym_are_chance():
    found = traces_of(events())
    assert found.total == 0
    assert found.searched > 4000


@pytest.mark.thorough("0.3 s")
def test_an_original_number_left_among_the_pseudonyms_is_a_trace():
    def spoilt(frames):
        frames["AE"].loc[7, "AESPID"] = "100042"

    found = traces_of(events(), spoilt=spoilt)
    assert (found.removed_identifiers, found.where) == (1, {"AE.AESPID": 1})


def digits_in(cells):
    ids = [f"S-{one}" for one in NUMBERS]
    of_people = [
        {"USUBJID": one, "SEX": "F", "RFSTDTC": day.strftime("%Y-%m-%d")} for one, day in zip(ids, DATES, strict=True)
    ]
    rows = [
        {"USUBJID": one, "LBTESTCD": code, "LBTEST": test, "LBORRES" if isinstance(cell, str) else "LBSTRESN": cell}
        for one, own in zip(ids, cells, strict=True)
        for code, test, cell in (("ALT", "Alt", type(own)(20)), ("RATIO", "Ratio", own))
    ]
    return traces_of({"DM": of_people, "LB": rows}, ids=ids)


@pytest.mark.parametrize("how", OWN)
def test_digits_of_ones_own_are_taken_out_with_the_test_that_has_them(how):
    """Without the whole column no result would be left, and the release could not be merged."""
    found = digits_in(list(OWN[how]))
    assert found.id_digits >= 0.9 * N, "a number may have lost a zero at its end"
    (reason,) = reasons_of_traces(EXACT, found, ["LB__Alt", "LB__Ratio"])
    assert applied({}, reason.changes) == {"treatment": [{"method": "drop_column", "columns": ["LB__Ratio"]}]}


@pytest.mark.parametrize("how", CHANCE)
def test_digits_of_others_are_chance(how):
    assert digits_in(list(CHANCE[how])).total == 0


def test_true_days_in_several_rows_of_each_person_are_traces():
    """Nobody shares a day: a person's own days are one pair with the person, however many they are."""
    ids, days = [f"S-{one}" for one in NUMBERS[:20]], pd.date_range("2006-01-06", periods=100)
    rows = [
        {"USUBJID": ids[i // 5], "LBTESTCD": "RATIO", "LBDTC": f"{day:%Y-%m-%d}", "LBORRES": f"7.{day:%d%m%Y}"}
        for i, day in enumerate(days)
    ]
    found = traces_of({"DM": [{"USUBJID": one, "SEX": "F"} for one in ids], "LB": rows}, ids=ids)
    assert found.where == {"LB.LBORRES": len(rows)}
