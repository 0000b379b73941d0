"""A rare term is hidden and its record stays: no arm loses people with an event, no way to leave a study vanishes."""

from __future__ import annotations

from collections import defaultdict
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.release.deidentify import deidentify
from disclosure_control.release.people import drawn_order
from disclosure_control.release.study import Study, StudyFile
from disclosure_control.release.terms.raised_terms import NOT_RELEASED, RaisedTerms
from disclosure_control.release.terms.rare_terms import RareTerms, without_rare_terms
from disclosure_control.release.terms.term_levels import levels_shown
from disclosure_control.remedy.treatments.keys import Release
from study.models.disposition import DISCONTINUED
from study.models.registry import study_model
from tests.cases import quick
from tests.examples import examples
from tests.release.small_studies import KEY, RELEASE, people, released, table
from tests.release.test_rare_terms import NO_CLASSES, WHO, as_terms, records, shows, study

ARMS = ("Placebo", "Low", "High")
# Share of people who discontinue, and of what, by arm; and events per person: placebo has fewer.
LEAVES = {"Placebo": 0.12, "Low": 0.15, "High": 0.2}
REASONS = ("ADVERSE EVENT", "WITHDRAWAL BY SUBJECT", "LOST TO FOLLOW-UP", "DEATH")
EVENTS = {"Placebo": 1.4, "Low": 2.1, "High": 2.3}


def statin_like(seed: int = 7, n_people: int = 270) -> dict[str, list[dict]]:
    """A made trial of a statin in three arms, 12 system organ classes of 15 terms, common ones and many rare ones."""
    rng = np.random.default_rng(seed)
    weight = 1 / np.arange(1, 181) ** 1.1
    terms = [(f"Term {i:03d}", f"Group {i % 36:02d}", f"Class {i % 12:02d}") for i in range(180)]
    dm, ae, ds, ex = [], [], [], []
    for i in range(n_people):
        arm, who = ARMS[i % 3], f"S-{i:04d}"
        dm.append({"STUDYID": "S", "DOMAIN": "DM", "USUBJID": who, "SEX": "FM"[i // 3 % 2], "ARM": arm})
        ex.append({"STUDYID": "S", "DOMAIN": "EX", "USUBJID": who, "EXSEQ": 1.0, "EXSTDY": 1.0})
        for number, term in enumerate(rng.choice(180, rng.poisson(EVENTS[arm]), p=weight / weight.sum()), 1):
            pt, group, soc = terms[term]
            row = {"STUDYID": "S", "DOMAIN": "AE", "USUBJID": who, "AESEQ": float(number), "AETERM": f"{pt} verbatim"}
            row |= {"AELLT": f"{pt} lowest", "AEDECOD": pt, "AEPTCD": 10_000.0 + term, "AEHLGT": group, "AESOC": soc}
            ae.append(row | {"AESTDY": float(rng.integers(1, 180)), "AESER": str(rng.choice(["Y", "N"], p=[0.1, 0.9]))})
        stays = rng.random() > LEAVES[arm]
        reason = "COMPLETED" if stays else str(rng.choice(REASONS, p=[0.5, 0.3, 0.15, 0.05]))
        kinds = (("INFORMED CONSENT OBTAINED", "PROTOCOL MILESTONE"), (reason, "DISPOSITION EVENT"))
        for number, (term_of_ds, category) in enumerate(kinds, 1):
            row = {"STUDYID": "S", "DOMAIN": "DS", "USUBJID": who, "DSSEQ": float(number), "DSDECOD": term_of_ds}
            ds.append(row | {"DSTERM": term_of_ds.lower(), "DSCAT": category})
    return {"DM": dm, "AE": ae, "DS": ds, "EX": ex}


def shares(files: dict[str, pd.DataFrame], has: str, where: pd.Series) -> dict[str, float]:
    """The referee: of each arm's people, the share with such a row of a file."""
    dm, rows = files["DM"], files[has][where]
    return (dm.assign(has=dm["USUBJID"].isin(rows["USUBJID"])).groupby("ARM")["has"].mean()).to_dict()


def as_frames(rows) -> dict[str, pd.DataFrame]:
    return {name: pd.DataFrame(of_file) for name, of_file in rows.items()}


def left(rows, settings: RareTerms, by_class: bool = False, hidden=None):
    ids = [row["USUBJID"] for row in rows["DM"]]
    classes = np.array(["FM".index(row["SEX"]) for row in rows["DM"]]) if by_class else np.zeros(len(ids), np.int64)
    kept = released(rows, people(ids, list(range(len(ids)))))
    return without_rare_terms(kept, settings, classes.astype(np.int64), hidden=hidden)


@pytest.mark.thorough("0.4 s")
@pytest.mark.parametrize("seed", quick(1, [7, 8, 9], "0.3 s"))
@pytest.mark.parametrize("by_class", [False, True])
def test_no_arm_of_a_statin_trial_loses_people_with_an_adverse_event(seed, by_class):
    rows = statin_like(seed)
    before = as_frames(rows)
    after, _ = left(rows, RareTerms(5, within_class=by_class), by_class)
    files = {name: file.frame for name, file in after.files.items()}
    every = pd.Series(True, before["AE"].index)
    assert shares(files, "AE", pd.Series(True, files["AE"].index)) == shares(before, "AE", every)
    assert shares(files, "AE", files["AE"]["AESER"] == "Y") == shares(before, "AE", before["AE"]["AESER"] == "Y")
    assert len(files["AE"]) == len(before["AE"])


@pytest.mark.thorough("0.4 s")
@pytest.mark.parametrize("at_least", [6, 15])
def test_a_disposition_is_raised_to_discontinued_and_nobody_becomes_one_who_completed(at_least):
    """Deaths and losses to follow-up are of few people: 100% completion was what a recipient tabulated."""
    rows = statin_like()
    before = as_frames(rows)
    after, told = left(rows, RareTerms(at_least))
    files = {name: file.frame for name, file in after.files.items()}

    def discontinued(of: dict[str, pd.DataFrame]) -> dict[str, float]:
        is_event = of["DS"]["DSCAT"] == "DISPOSITION EVENT"
        return shares(of, "DS", is_event & (of["DS"]["DSDECOD"] != "COMPLETED"))

    assert discontinued(files) == discontinued(before)
    counts = files["DS"].groupby("DSDECOD")["USUBJID"].nunique()
    assert (counts >= at_least).all()
    assert DISCONTINUED in counts
    assert "DEATH" not in counts
    assert next(one for one in told if one.domain == "DS").rows_hidden == 0


@pytest.mark.thorough("0.7 s")
@pytest.mark.parametrize(("pattern", "at_least"), [("AE.AEDECOD", 1), ("--DECOD", 5)])
def test_named_terms_are_hidden_however_many_people_have_them(pattern, at_least):
    """Two common terms tell a site: their records stay without them, and half of the people are others."""
    rows = statin_like()
    before = left(rows, RareTerms(1))[0].files["AE"].frame
    named = before.groupby("AEDECOD")["USUBJID"].nunique().sort_values().index[-8:-6].tolist()
    after = left(rows, RareTerms(at_least), hidden={pattern: named})[0].files["AE"].frame
    assert len(after) == len(before)
    hidden = after[after["AEDECOD"] == NOT_RELEASED]
    of_named = before["AEDECOD"].isin(named)
    assert hidden["USUBJID"].nunique() >= 2 * before[of_named]["USUBJID"].nunique() > 20
    keys = ["USUBJID", "AESEQ"]
    assert len(before[of_named][keys].merge(hidden[keys])) == of_named.sum()
    levels = [name for name in ("AELLT", "AEHLGT", "AESOC", "AEPTCD") if name in hidden]
    assert levels
    assert hidden[levels].isna().all(axis=None)
    assert not {"AEDECOD", "AELLT"} <= set(after) or not after["AELLT"].isin([f"{one} lowest" for one in named]).any()


@pytest.mark.thorough("0.4 s")
def test_no_column_of_a_hidden_record_tells_its_term():
    rows = statin_like()
    for row in rows["AE"]:
        row |= {"AETOX": row["AEDECOD"], "AESCAT": row["AEDECOD"], "AESEV": "MILD"}
    after, _ = left(rows, RareTerms(5))
    frame = after.files["AE"].frame
    hidden = frame[frame["AEDECOD"] == NOT_RELEASED]
    assert len(hidden)
    for name in ("AELLT", "AEPTCD", "AEHLGT", "AESOC", "AETOX", "AESCAT"):
        assert name not in hidden or hidden[name].isna().all()
    assert hidden[["AESTDY", "AESER", "AESEV"]].notna().all(axis=None)
    raised = frame[frame["AEDECOD"].str.startswith(("Group", "Class"))]
    assert raised[[name for name in ("AELLT", "AEPTCD", "AETOX", "AESCAT") if name in raised]].isna().all(axis=None)


@pytest.mark.thorough("0.3 s")
def test_supplements_of_a_hidden_record_stay_but_for_those_that_tell_its_term():
    files = study()
    codes = [{**row, "QNAM": "AEATC1CD", "QVAL": "C10"} for row in files["SUPPAE"]]
    files["SUPPAE"] = files["SUPPAE"] + codes
    from study.models.sdtm_operations import overriding_line
    from study.operations import OperationKind

    kept = released(files, WHO, [overriding_line("AE.AEATC1CD", OperationKind.KEEP)])
    after, (told,) = without_rare_terms(kept, RareTerms(5), NO_CLASSES)
    supplement, events = after.files["SUPPAE"].frame, after.files["AE"].frame
    assert (events["AEDECOD"] == NOT_RELEASED).sum() == told.rows_hidden == 5
    assert supplement.groupby("QNAM").size().to_dict() == {"AETRTFL": 18, "AEATC1CD": 8}
    assert told.related_rows_gone == 10  # of five raised and five hidden records


@examples(300)
@given(given_rows=records(), at_least=st.integers(1, 4))
def test_hidden_terms_are_those_of_enough_people_or_all_that_the_group_has(given_rows, at_least):
    """With a last level that all terms share: each row shows something that enough people have, none goes."""
    rows, who, groups = given_rows
    rows = [(*row, "any" if any(row) else None) for row in rows]
    level = levels_shown(as_terms(rows), np.array(who), np.array(groups), at_least, {3}).tolist()
    assert -1 not in level
    holding, everybody = defaultdict(set), defaultdict(set)
    for row, person, group, one in zip(rows, who, groups, level, strict=True):
        if any(row):
            holding[group, shows(row, one)].add(person)
            everybody[group].add(person)
    for (group, shown), persons in holding.items():
        assert len(persons) >= at_least or (shown == ("any",) and persons == everybody[group])


def test_counts_of_few_records_and_people_are_masked_and_so_is_the_loss_that_would_give_them():
    (raised, *_) = without_rare_terms(released(study(), WHO), RareTerms(5), NO_CLASSES)[1]
    few = raised.for_reader(MASKED)
    assert (few.rows, few.rows_hidden, few.people_hidden, few.loss) == (18, None, None, None)
    assert few.words() == (
        "AE, 18 records: some records raised to AEHLT, the term of some records of some people hidden."
    )
    recipient = f'some records have a coarser term, some records have "{NOT_RELEASED}" or no term'
    assert few.words_for_recipient() == f"Of 18 records of AE, {recipient}."
    one = RaisedTerms("AE", 100, {"AEHLT": 3, "AESOC": 40}, 20, 0, 0.1, 60, 30, 15).for_reader(MASKED)
    assert (one.rows_raised, one.rows_hidden) == ({"AEHLT": None, "AESOC": 40}, None)
    assert RaisedTerms("AE", 100, {}, 0, 0, 0.0, 60).for_reader(MASKED).words_for_recipient() == ""


# ---------------------------------------------------------------- dispositions


def test_analysis_data_sets_do_not_tell_the_disposition_that_was_raised():
    """ADSL repeats DS: a loss to follow-up of two people is DISCONTINUED there, too, by reason and by code."""
    reasons = ["COMPLETED"] * 10 + ["ADVERSE EVENT"] * 6 + ["LOST TO FOLLOW-UP"] * 2 + ["DEATH"] * 3
    ids = [f"S-{i:02d}" for i in range(len(reasons))]
    own = {"STUDYID": "S", "TRT01P": "A", "SEX": "F"}
    for columns in (("DCDECOD", "DCREASCD"), ("DCREASCD",)):
        rows = [{**own, "USUBJID": one, **dict.fromkeys(columns, why)} for one, why in zip(ids, reasons, strict=True)]
        adsl = table("ADSL", rows)
        model = study_model([adsl], "USUBJID", "adam")
        study = Study((StudyFile(adsl, "ADSL", np.arange(len(ids)), "csv", "USUBJID"),), {}, model)
        left = deidentify(study, people(ids, list(range(len(ids)))), (), KEY, RELEASE)
        after, _ = without_rare_terms(left, RareTerms(5), np.zeros(len(ids), dtype=np.int64))
        frame = after.files["ADSL"].frame
        told = {"COMPLETED": 10, "ADVERSE EVENT": 6, DISCONTINUED: 5}
        assert frame[columns[0]].value_counts().to_dict() == told
        if len(columns) == 2:
            assert frame["DCREASCD"].value_counts().to_dict() == {"COMPLETED": 10, "ADVERSE EVENT": 6}


@pytest.mark.thorough("1.8 s")
def test_who_joins_a_hidden_term_is_drawn_by_the_key_anew_for_each_term():
    """Were it the lowest pseudonyms, the one of five hidden people with another one would have the rare term."""
    ids = [f"S-{i:02d}" for i in range(40)]
    who = people(ids, list(range(40)))
    lowest, joined = 0, []
    for place in range(20):
        rows = [{"STUDYID": "S", "DOMAIN": "DM", "USUBJID": one} for one in ids]
        ae = [
            {**row, "DOMAIN": "AE", "AESEQ": 1.0, "AEDECOD": "Rash" if i == place else "Headache"}
            for i, row in enumerate(rows)
        ]
        drawn = partial(drawn_order, who, KEY, Release("P", str(place)))
        after, _ = without_rare_terms(
            released({"DM": rows, "AE": ae}, who), RareTerms(5), np.zeros(40, np.int64), drawn
        )
        frame = after.files["AE"].frame
        hidden = set(frame["USUBJID"][frame["AEDECOD"] == NOT_RELEASED])
        rare = who.pseudonyms.iloc[place]
        assert len(hidden) == 5
        assert rare in hidden
        others = sorted(set(who.pseudonyms) - {rare})
        lowest += len((hidden - {rare}) & set(others[:4]))
        joined.append(hidden - {rare})
        assert not np.array_equal(drawn("AE"), drawn("CM"))
    assert lowest < 20  # of 80; 8 by chance
    assert len(set.union(*joined)) > 25
