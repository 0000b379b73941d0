"""Rare coded terms are raised: what is left is never of few, nothing is lost without need, each is counted."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.release.deidentify import deidentify
from disclosure_control.release.study import Study, StudyFile
from disclosure_control.release.terms.raised_terms import NOT_RELEASED
from disclosure_control.release.terms.rare_terms import RareTerms, without_rare_terms
from disclosure_control.release.terms.term_levels import levels_shown
from study.models.roles import ColumnModel, Role, TableKind, TableModel
from study.models.study_model import StudyModel
from tests.examples import examples
from tests.release.small_studies import KEY, RELEASE, people, released, rows_of, table

IDS = [f"STUDY-{number:04d}" for number in range(1, 13)]
WHO = people(IDS, list(range(len(IDS))))
NO_CLASSES = np.zeros(len(IDS), dtype=np.int64)


def as_terms(rows: list[tuple]) -> list[np.ndarray]:
    return [np.array([row[i] for row in rows], dtype=object) for i in range(len(rows[0]))]


def shows(row: tuple, level: int) -> tuple:
    return row[level:]


def referee(rows: list[tuple], who: list[int], groups: list[int], at_least: int) -> list[int]:
    """Level by level from the finest, with plain loops: settle what is of enough people, join or go up."""
    n_levels = len(rows[0])
    level = [0 if all(term is None for term in row) else -1 for row in rows]
    settled: dict[int, tuple] = {}
    for j in range(n_levels):
        waiting = defaultdict(list)
        for i, row in enumerate(rows):
            if level[i] == -1 and row[j] is not None:
                waiting[groups[i], shows(row, j)].append(i)
        for (group, path), members in waiting.items():
            now = list(members)
            if len({who[i] for i in members}) < at_least:
                below = defaultdict(list)
                for i in settled:
                    if groups[i] == group and shows(rows[i], j) == path:
                        below[settled[i]].append(i)
                costs = {shown: sum(j - level[i] for i in ones) for shown, ones in below.items()}
                cheapest = min(costs.values(), default=None)
                if cheapest is None or cheapest > len(members) * (n_levels - j):
                    continue
                now += below[next(shown for shown, cost in costs.items() if cost == cheapest)]
            for i in now:
                level[i], settled[i] = j, (j, group, path)
    return level


@st.composite
def records(draw, holes: bool = True) -> tuple[list[tuple], list[int], list[int]]:
    """Rows of terms in a tree of three levels, some without labels, and whose they are."""
    n = draw(st.integers(1, 25))
    term = st.integers(0, 7)
    rows = []
    for one in draw(st.lists(term, min_size=n, max_size=n)):
        row = [f"t{one}", f"h{one // 2}", f"s{one // 4}"]
        if holes and draw(st.integers(0, 9)) == 0:
            row[draw(st.integers(0, 2))] = None
        rows.append(tuple(row))
    who = draw(st.lists(st.integers(0, 7), min_size=n, max_size=n))
    return rows, who, [one % draw(st.integers(1, 2)) for one in who]


def loss(rows, level) -> int:
    return sum(len(rows[0]) if one == -1 else one for one in level)


@examples(300)
@given(given_rows=records(), at_least=st.integers(1, 4))
def test_what_is_shown_is_of_enough_people_and_costs_no_more_than_taking_the_rare_rows_away(given_rows, at_least):
    rows, who, groups = given_rows
    level = levels_shown(as_terms(rows), np.array(who), np.array(groups), at_least).tolist()
    holding = defaultdict(set)
    for row, person, group, one in zip(rows, who, groups, level, strict=True):
        if one >= 0 and any(row):
            assert row[one] is not None
            holding[group, shows(row, one)].add(person)
    assert all(len(persons) >= at_least for persons in holding.values())
    finest = [next((j for j, term in enumerate(row) if term), 0) for row in rows]
    rare = referee_rare(rows, who, groups, finest, at_least)
    assert loss(rows, level) <= sum(3 if is_rare else one for is_rare, one in zip(rare, finest, strict=True))
    if not any(rare):
        assert level == finest


def referee_rare(rows, who, groups, finest, at_least) -> list[bool]:
    holding = defaultdict(set)
    for row, person, group, j in zip(rows, who, groups, finest, strict=True):
        holding[group, shows(row, j)].add(person)
    return [
        any(row) and len(holding[group, shows(row, j)]) < at_least
        for row, group, j in zip(rows, groups, finest, strict=True)
    ]


@examples(300)
@given(given_rows=records(holes=False), at_least=st.integers(1, 4))
def test_levels_as_the_slow_referee_says(given_rows, at_least):
    rows, who, groups = given_rows
    level = levels_shown(as_terms(rows), np.array(who), np.array(groups), at_least).tolist()
    expected = referee(rows, who, groups, at_least)
    assert loss(rows, level) == loss(rows, expected)  # where two terms cost the same, either may be joined
    assert [one == -1 for one in level] == [one == -1 for one in expected]


# ---------------------------------------------------------------- in files


def study() -> dict[str, list[dict]]:
    """Everybody has a headache; two had a stroke and three another bleeding, both vascular; one has a rash."""
    events = [(one, "Headache", "Head pain", "Nervous") for one in IDS]
    events += [(one, "Stroke", "Bleeding", "Vascular") for one in IDS[:2]]
    events += [(one, "Haematoma", "Bleeding", "Vascular") for one in IDS[2:5]]
    events += [(IDS[5], "Rash", "Rashes", "Skin")]
    ae = [
        {"STUDYID": "STUDY", "DOMAIN": "AE", "USUBJID": one, "AESEQ": float(number), "AESPID": f"E{number:02d}"}
        | {"AELLT": f"{term} of a kind", "AEDECOD": term, "AEPTCD": float(len(term)), "AEHLT": above, "AESOC": top}
        for number, (one, term, above, top) in enumerate(events, 1)
    ]
    supp = [
        {"STUDYID": "STUDY", "RDOMAIN": "AE", "USUBJID": row["USUBJID"], "IDVAR": "AESEQ", "QNAM": "AETRTFL"}
        | {"IDVARVAL": str(int(row["AESEQ"])), "QLABEL": "Treatment emergent", "QVAL": "Y"}
        for row in ae
    ]
    dm = [{"STUDYID": "STUDY", "DOMAIN": "DM", "USUBJID": one, "SEX": "F"} for one in IDS]
    return {"DM": dm, "AE": ae, "SUPPAE": supp}


def treated(settings: RareTerms, classes: np.ndarray = NO_CLASSES, lines=()):
    return without_rare_terms(released(study(), WHO, lines), settings, classes)


def test_in_files_a_term_is_raised_and_finer_ones_and_codes_go_with_it():
    """Stroke and haematoma are five people's together; the rash is one person's, and four headaches join it."""
    after, (told,) = treated(RareTerms(5))
    frame = after.files["AE"].frame
    shown = frame.groupby("AEDECOD").size().to_dict()
    assert shown == {"Headache": 8, "Bleeding": 5, NOT_RELEASED: 5}
    raised = [row for row in rows_of(frame) if row["AEDECOD"] == "Bleeding"]
    assert {tuple(sorted({"AELLT", "AEPTCD"} & set(row))) for row in raised} == {()}
    assert {row["AEHLT"] for row in raised} == {"Bleeding"}
    assert frame.loc[frame["AEDECOD"] == "Headache", "AELLT"].notna().all()
    assert (told.domain, told.rows, told.rows_raised, told.rows_hidden) == ("AE", 18, {"AEHLT": 5}, 5)
    assert told.loss == (5 * 2 + 5 * 4) / (4 * 18)  # of the levels LLT, DECOD, HLT and SOC


def test_a_row_that_keeps_the_finest_term_it_has_loses_nothing():
    files = study()
    files["AE"] = [{**row, "AELLT": None} if row["AEDECOD"] == "Headache" else row for row in files["AE"]]
    _, (told,) = without_rare_terms(released(files, WHO, ()), RareTerms(5), NO_CLASSES)
    assert told.loss == (5 * 2 + 5 * 4) / (4 * 18)  # as where headaches have one


@pytest.mark.thorough("0.4 s")
def test_the_accounts_say_which_columns_have_terms_that_were_raised():
    after, _ = treated(RareTerms(5))
    marked = {account.variable for account in after.accounts if account.has_rare_terms}
    assert marked == {"AELLT", "AEDECOD", "AEPTCD", "AEHLT", "AESOC"}
    untouched, _ = treated(RareTerms(1))
    assert not any(account.has_rare_terms for account in untouched.accounts)


def test_in_files_within_classes_a_term_of_many_can_be_that_of_few():
    """Ten of twelve have their headache in one class, two in the other: there it is hidden."""
    classes = np.array([0] * 10 + [1] * 2)
    after, _ = treated(RareTerms(3, within_class=True), classes)
    frame = after.files["AE"].frame.assign(class_of=classes[after.files["AE"].people])
    shown = frame.groupby(["class_of", "AEDECOD"])["USUBJID"].nunique()
    assert shown[1].to_dict() == {NOT_RELEASED: 2}
    assert shown[0]["Headache"] >= 7


def test_in_files_verbatim_terms_that_the_config_keeps_go_with_what_they_say():
    from study.models.sdtm_operations import overriding_line
    from study.operations import OperationKind

    files = study()
    for row in files["AE"]:
        row["AETERM"] = row["AEDECOD"].upper()
    kept = released(files, WHO, [overriding_line("AE.AETERM", OperationKind.KEEP)])
    after, _ = without_rare_terms(kept, RareTerms(5), NO_CLASSES)
    frame = after.files["AE"].frame
    assert set(frame["AETERM"].dropna()) == {"HEADACHE"}


@pytest.mark.thorough("0.3 s")
def test_in_files_nothing_is_changed_where_nothing_is_rare():
    before = released(study(), WHO)
    after, (told,) = treated(RareTerms(1))
    for name, file in before.files.items():
        pd.testing.assert_frame_equal(file.frame, after.files[name].frame)
    assert (told.rows_raised, told.rows_hidden, told.loss) == ({}, 0, 0)


# ---------------------------------------------------------------- terms of a data model without SDTM's names


def of_one_table(name: str, kind: TableKind, columns: dict[str, ColumnModel], rows: list[dict], no_term=frozenset()):
    """A study of one table with a row of each person, de-identified."""
    models = {name: TableModel(name, kind, columns=columns, no_term=no_term)}
    ids = [row["who"] for row in rows]
    file = StudyFile(table(name, rows), name, np.arange(len(rows)), "csv", "who")
    study = Study((file,), {}, StudyModel("made", "", "who", None, models))
    return deidentify(study, people(ids, list(range(len(ids)))), (), KEY, RELEASE)


def test_terms_of_any_table_are_raised_along_their_levels_and_their_words_go():
    """I21.0 and I21.9 are of one person each, I21 of both: they are raised; J45 is of one: one E11.9 joins it."""
    codes = [("P1", "I21.0"), ("P2", "I21.9"), ("P3", "J45.1"), ("P4", "E11.9"), ("P5", "E11.9"), ("P6", "E11.9")]
    term, block = ColumnModel(Role.CODED_TERM), ColumnModel(Role.CODED_TERM, level=1, part_of="icd")
    diagnoses = {
        "who": ColumnModel(Role.PERSON),
        "icd": term,
        "block": block,
        "words": ColumnModel(Role.LABEL, part_of="icd"),
    }
    rows = [{"who": who, "icd": code, "block": code[:3], "words": f"words of {code}"} for who, code in codes]
    left = of_one_table("DIAGNOSES", TableKind.EVENTS, diagnoses, rows)
    after, (told,) = without_rare_terms(left, RareTerms(2), np.zeros(6, dtype=np.int64))
    shown = after.files["DIAGNOSES"].frame
    assert sorted(shown["icd"]) == [
        *[NOT_RELEASED] * 2,
        *["E11.9"] * 2,
        *["I21"] * 2,
    ]  # the coarser term is in its place
    assert sorted(shown["block"].fillna("-")) == ["-", "-", "E11", "E11", "I21", "I21"]
    assert sorted(shown["words"].fillna("-")) == [*"----", "words of E11.9", "words of E11.9"]
    assert (told.domain, told.rows, told.rows_raised, told.rows_hidden) == ("DIAGNOSES.icd", 6, {"block": 2}, 2)
    assert {one.variable for one in after.accounts if one.has_rare_terms} == {"icd", "block", "words"}


def deaths(causes: list[str]):
    """A table of deaths with a cause of each, 0 for none, and words for it."""
    columns = {"who": ColumnModel(Role.PERSON), "cause": ColumnModel(Role.CODED_TERM), "text": ColumnModel(Role.LABEL)}
    rows = [{"who": f"P{i}", "cause": cause, "text": "words"} for i, cause in enumerate(causes)]
    return of_one_table("DEATHS", TableKind.ROWS, columns, rows, frozenset(["0"]))


def test_a_death_of_a_rare_cause_stays_a_death_among_those_of_no_known_cause():
    """P0 died of what nobody else died of; the code 0 of P1 means that there is no term. The two are alike now."""
    after, (told,) = without_rare_terms(deaths(["C1", "0", "C2", "C2"]), RareTerms(2), np.zeros(4, dtype=np.int64))
    shown = after.files["DEATHS"].frame
    assert sorted(shown["cause"]) == ["0", "0", "C2", "C2"]
    assert shown["text"].isna().sum() == 1
    assert (told.rows_hidden, told.people_hidden, len(shown)) == (1, 1, 4)


def test_a_hidden_cause_that_one_person_has_is_joined_by_some_of_the_commonest():
    """Nobody's cause is unknown: a single hidden one would be known to be the rare one."""
    causes = ["C1", "C2", "C2", "C3", "C3", "C3"]
    after, (told,) = without_rare_terms(deaths(causes), RareTerms(2), np.zeros(6, dtype=np.int64))
    assert sorted(after.files["DEATHS"].frame["cause"]) == ["0", "0", "C2", "C2", "C3", "C3"]
    assert told.rows_hidden == 2
    few, _ = without_rare_terms(deaths(["C1", "C2", "C2"]), RareTerms(2), np.zeros(3, dtype=np.int64))
    assert sorted(few.files["DEATHS"].frame["cause"]) == ["0", "0", "0"]  # one of two C2 would be alone
