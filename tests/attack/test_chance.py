"""Chance is no trace: what it gives is bounded exactly, and what it does not explain is found in a single cell."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.attack.traces.originals import Originals, ids_of_people, last_digits
from disclosure_control.attack.traces.originals_found import HIGHEST_CHANCE, Exchange, FoundForm, OriginalKind, Searched
from disclosure_control.attack.traces.traces import Traces, find_traces
from disclosure_control.basics.encoding.dictionary import Dictionary, as_texts
from study.formats.tables import SourceTable
from study.models.sdtm_operations import overriding_line
from study.operations import OperationKind
from tests.cases import quick
from tests.examples import examples, some_of
from tests.release.small_studies import people, released, study_of

N = 150


def traces_of(files, ids, plant=None) -> Traces:
    """Of a study whose columns all stay but for those of ids; ``plant`` writes into the package, given whose rows."""
    who = people(ids, list(range(len(ids))))
    kept = {
        f"{name}.{column}"
        for name, rows in files.items()
        for column in rows[0]
        if column[:2] == name and column != "EXSTDTC"
    }
    made = released(files, who, [overriding_line(pattern, OperationKind.KEEP) for pattern in sorted(kept)])
    opened = {}
    for name, file in made.files.items():
        frame = file.frame.copy()
        if plant is not None:
            plant(name, frame, [ids[i] if i >= 0 else "" for i in file.people])
        opened[name] = SourceTable(name, f"{name}.csv", "", frame, {}, ())
    return find_traces(study_of(files, ids), made, opened, who, {}, "USUBJID")


# ---------------------------------------------------------------- the bound


@examples(100)
@given(
    st.integers(2, 6).flatmap(
        lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=n, max_size=n)
    )
)
def test_the_chance_of_own_originals_is_never_above_its_bound(rows):
    """Against all permutations of up to six people: ``rows[p][q]``, whether the rows of p hold the original of q."""
    n = len(rows)
    hits = [sum(rows[p][order[p]] for p in range(n)) for order in permutations(range(n))]
    n_pairs = sum(map(sum, rows))
    for k in range(1, n + 1):
        exact = sum(one >= k for one in hits) / len(hits)
        if k > n_pairs:
            assert exact == 0
            continue
        found = Exchange(k, n_pairs, n_pairs - k, n)
        assert exact <= found.highest_chance + 1e-12
        assert exact <= max(HIGHEST_CHANCE, 1 / len(hits)) or not found.is_more_than_chance


def test_of_few_people_all_with_their_own_alone_are_more_than_chance():
    assert Exchange(6, 6, 0, 6).is_more_than_chance
    assert not Exchange(5, 5, 0, 6).is_more_than_chance
    assert not Exchange(6, 12, 6, 6).is_more_than_chance
    assert not Exchange(0, 0, 0, 6).is_more_than_chance


# ---------------------------------------------------------------- numbers that look like ids


def statin_like(seed: int, spelled: str) -> tuple[dict, list[str]]:
    """Three arms in 2025: days, years, dates, sample numbers and platelets look like ids, which are given at random."""
    rng = np.random.default_rng(seed)
    ids = [spelled.format(i) for i in rng.permutation(N)]
    files = {"DM": [], "EX": [], "LB": []}
    for i, one in enumerate(ids):
        start = pd.Timestamp("2025-01-07") + pd.Timedelta(days=int(rng.integers(0, 250)))
        files["DM"].append({"USUBJID": one, "SUBJID": f"{2000 + i}", "DMYEAR": "2013" if i % 3 else "2025"})
        for k, days in enumerate((28, 56, 84)):
            day = start + pd.Timedelta(days=days + int(rng.integers(-2, 3)))
            row = {"USUBJID": one, "EXSEQ": float(k + 1), "EXENDY": float((day - start).days)}
            files["EX"].append(
                row | {"EXSTDTC": f"{day:%Y-%m-%dT%H:%M}", "EXLOT": f"2025{int(rng.integers(1000)):03}-{k}"}
            )
            row = {"USUBJID": one, "LBSAMPLE": f"{2025000 + (3 * i + k) % N}", "LBNO": float(2025000 + (i + 7 * k) % N)}
            noted = pd.Timestamp("2025-01-07") + pd.Timedelta(days=(67 * i + k) % 330)  # nobody's own day
            platelets = 1000.0 * int(rng.integers(120, 400))
            files["LB"].append(row | {"LBPLAT": platelets, "LBNOTE": f"drawn {noted:%d.%m.%Y}, 2025 {k}12 tubes"})
    return files, ids


FORMS = ["F2025{:03}", "2025-{:03}", "{}", "2025{:03}", "20{:02}", "120{:03}", "01-701-1{:03}"]


@pytest.mark.thorough("1.2 s")
@pytest.mark.parametrize(("seed", "spelled"), list(enumerate(FORMS)))
def test_ids_given_at_random_leave_no_trace(spelled, seed):
    """EX.EXENDY = 28 of subject 28, a year, F2025000 within 2025-12-08: 272 "traces" by chance held the package."""
    files, ids = statin_like(seed, spelled)
    found = traces_of(files, ids)
    assert (found.where, found.total) == ({}, 0)
    if spelled == FORMS[0]:
        assert "within a longer number or a date" in found.by_chance["EX.EXSTDTC"]
        assert "a number" in found.by_chance["LB.LBNO"]


# ---------------------------------------------------------------- what chance does not explain


@pytest.mark.thorough("1.0 s")
@pytest.mark.parametrize(
    ("spelled", "planted"),
    quick(
        2,
        [
            ("F2025{:03}", "case 2025 {tail}, again"),
            ("01-7{:03}-1022", "brother of {}."),
            ("87{:03}31", "{}"),
            ("F2025{:03}", "see {}"),
            ("F2025{:03}", "copy of {}/2"),
            ("01-7{:03}-1022", "{}"),
            ("01-7{:03}-1022", "{}-003"),
            ("87{:03}31", "pt. {} called"),
            ("PAT{:03}", "{} fell"),
            ("F2025{:03}", "brother of {other}"),
            ("01-7{:03}-1022", "brother of {other}"),
        ],
        "0.5 s",
    ),
)
def test_one_cell_with_the_whole_id_of_its_person_or_of_somebody_else_is_found(spelled, planted):
    files, ids = statin_like(3, spelled)
    for row in files["EX"]:
        row["EXADJ"] = "took 28 tablets"

    def plant(name, frame, own):
        if name == "EX":
            frame.loc[11, "EXADJ"] = planted.format(
                own[11], tail=own[11][-3:], other=next(one for one in ids if one != own[11])
            )

    found = traces_of(files, ids, plant)
    assert found.where == {"EX.EXADJ": 1}


@pytest.mark.thorough("1.1 s")
@pytest.mark.parametrize(
    ("spelled", "form"),
    quick(1, [("F2025{:03}", "a number"), ("{}", "a whole cell"), ("20{:02}", "a whole cell")], "0.5 s"),
)
def test_a_column_of_own_numbers_is_found_among_numbers(spelled, form):
    """A quarter of the people have their own number in a column of numbers of the same form."""
    files, ids = statin_like(4, spelled)

    def plant(name, frame, own):
        if name == "LB":
            at = np.flatnonzero([int(one[-2:]) < 25 for one in own])
            frame.loc[at, "LBPLAT"] = [float(own[i].removeprefix("F")) for i in at]

    found = traces_of(files, ids, plant)
    assert set(found.where) == {"LB.LBPLAT"}
    assert set(found.forms["LB.LBPLAT"]) == {form}


IDS_OF_ANY_FORM, HELD = ["01-701-1{:03}", "P4{:03}", "5{:03}"], ["{}/{}", "S{}.{}", "4.90{}{}", "{}{}1", "{}.{}"]


@pytest.mark.thorough("2.0 s")
@pytest.mark.parametrize(
    ("held", "spelled"),
    quick(1, some_of(sorted(product(HELD, IDS_OF_ANY_FORM), key=lambda pair: pair[1])), "1 s"),
)
def test_by_the_last_digits_of_an_id_in_nine_ratios_codes_and_decimals(spelled, held):
    """Each is a result, a code of ICD-10 or a measured number; nine people have their own."""
    files, ids = statin_like(4, spelled)
    for i, row in enumerate(files["EX"]):
        row["EXADJ"] = held.format(11 + i % 80, 11 + 7 * i % 80)

    def plant(name, frame, own):
        if name == "EX":
            at = np.unique(own, return_index=True)[1][:9]
            frame.loc[at, "EXADJ"] = [held.format(own[i][-4:-2], own[i][-2:]) for i in at]

    assert traces_of(files, ids).where == {}
    found = traces_of(files, ids, plant)
    assert set(found.where) == {"EX.EXADJ"}
    assert found.where["EX.EXADJ"] >= 8  # the digits of one may be a whole id of somebody else


def test_a_day_of_others_hides_no_last_digits_of_the_own_id():
    """12.10.3906 of the person with 3906, where 12103906 is among the true days of somebody else, too."""
    ends, nobody = [f"{3000 + 7 * i}" for i in range(60)], Originals.of([])
    ids = Originals.of([(pa.array([f"01-{end}" for end in ends], pa.large_string()), np.arange(60))])
    cells = [f"12.10.{end}" if i < 9 else f"9{i}.{i}" for i, end in enumerate(ends)]
    days = Originals.of([(pa.array([f"1210{end}" for end in ends], pa.large_string()), (np.arange(60) + 1) % 60)])
    searched = Searched(dict.fromkeys(OriginalKind, nobody), nobody, days, last_digits(ids))
    values, everybody = as_texts(cells), np.arange(60)
    hits = {
        one.form: one for one in searched.in_texts(values, np.ones(60, np.int64), Dictionary(as_texts(["-"])), False)
    }
    exchange, n_own = hits[FoundForm.END].met_by(everybody, values, everybody)
    assert hits[FoundForm.END].traces(Exchange(n_people=60) + exchange, n_own) == 9


def test_more_last_digits_than_numbers_leave_to_chance_are_not_searched():
    ids = [f"S-{n}" for n in range(1000, 2000)]
    subjects = {"DM": [{"USUBJID": one, "DOMAIN": "DM", "SUBJID": "1"} for one in ids]}
    study = study_of(subjects, ids)
    assert len(last_digits(ids_of_people(study, people(ids, list(range(len(ids)))), "USUBJID")).texts) == 0


@pytest.mark.thorough("0.5 s")
def test_a_word_that_many_have_is_no_trace_of_a_removed_identifier():
    """A removed column says UNKNOWN for many; so does another one, of others."""
    ids = [f"PAT{i:03}" for i in range(60)]
    files = {
        "DM": [{"USUBJID": one, "INVNAM": "UNKNOWN" if i % 2 else f"SMITH J{i}"} for i, one in enumerate(ids)],
        "EX": [{"USUBJID": one, "EXADJ": "UNKNOWN" if i % 3 else "NONE"} for i, one in enumerate(ids)],
    }
    assert traces_of(files, ids).where == {}

    def plant(name, frame, own):
        if name == "EX":
            frame.loc[4, "EXADJ"] = "asked SMITH J20"

    assert traces_of(files, ids, plant).removed_identifiers == 1
