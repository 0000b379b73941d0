"""What an acquaintance tries who knows a course: each attack finds one person at first, and fails or is counted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from disclosure_control.measures.longitudinal import alone_by_facts
from disclosure_control.release.facts.facts import facts_known
from disclosure_control.release.settings import OutsidersKnow
from disclosure_control.release.terms.rare_terms import RareTerms, without_rare_terms
from disclosure_control.steps.release.course import course_risk
from study.merge.subject_ids import SubjectIdRule
from study.models.sdtm import FACTS
from study.models.sdtm_operations import overriding_line
from study.operations import OperationKind
from tests.release.small_studies import model_of, people, released, rows_of_files

IDS = [f"STUDY-701-{number}" for number in range(1001, 1009)]
WHO = people(IDS, list(range(len(IDS))))
RARE = {"LLT": "Landry's paralysis", "DECOD": "Guillain-Barre syndrome", "HLT": "Acute polyneuropathies"}
COMMON = {"LLT": "Cephalgia", "DECOD": "Headache", "HLT": "Headaches NEC"}
LINES = [overriding_line("SUPPAE.AELLT1", OperationKind.KEEP), overriding_line("AE.AELLT1", OperationKind.KEEP)]


def event(person: int, number: int, term: dict[str, str], **more) -> dict:
    row = {"STUDYID": "STUDY", "DOMAIN": "AE", "USUBJID": IDS[person], "AESEQ": float(number)}
    row |= {f"AE{level}": text for level, text in term.items()}
    return row | {"AEPTCD": float(len(term["DECOD"])), "AESOC": "Nervous system disorders"} | more


def study() -> dict[str, list[dict]]:
    """All had a headache; the last had a syndrome that nobody else had; visits and a death as the tests need them."""
    ae = [event(i, 1, COMMON) for i in range(8)] + [event(7, 2, RARE)]
    supp = {"STUDYID": "STUDY", "RDOMAIN": "AE", "USUBJID": IDS[7], "IDVAR": "AESEQ", "IDVARVAL": "2", "QNAM": "AELLT1"}
    dm = [{"STUDYID": "STUDY", "DOMAIN": "DM", "USUBJID": one, "SEX": "F"} for one in IDS]
    return {"DM": dm, "AE": ae, "SUPPAE": [{**supp, "QLABEL": "Second term", "QVAL": "Paralysis, ascending"}]}


def opened(files: dict[str, list[dict]], rare_terms: RareTerms | None = None) -> dict[str, pd.DataFrame]:
    left = released(files, WHO, LINES)
    if rare_terms is not None:
        left, _ = without_rare_terms(left, rare_terms, np.zeros(len(IDS), dtype=np.int64))
    return {name: file.frame for name, file in left.files.items()}


def alone(files: dict[str, pd.DataFrame], kinds: list[str], with_months: bool = False) -> list[int]:
    subjects = pd.Series(WHO.pseudonyms)
    known = facts_known(rows_of_files(files), subjects, SubjectIdRule(), kinds, model_of(files))[with_months]
    found = alone_by_facts(np.zeros(len(IDS), dtype=np.int64), known.people, known.facts)
    return [one.n_alone for one in found]


@pytest.mark.thorough("1 s: a whole release; what it finds is tested by parts in tests/leaving and tests/release")
def test_by_a_rare_term_its_code_its_synonym_or_its_supplement():
    before, after = opened(study()), opened(study(), RareTerms(2))
    for column in ("AELLT", "AEDECOD", "AEPTCD", "AEHLT"):
        assert before["AE"].groupby(column)["USUBJID"].nunique().min() == 1
        assert after["AE"].groupby(column)["USUBJID"].nunique().min() > 1
    assert before["SUPPAE"]["QVAL"].tolist() == ["Paralysis, ascending"]
    assert "SUPPAE" not in after
    assert alone(before, ["terms"])[1] == 1
    assert alone(after, ["terms"])[1] == 0


@pytest.mark.thorough("1 s: a whole release; what it finds is tested by parts in tests/leaving and tests/release")
def test_by_a_hidden_term_that_nobody_else_has_beside_it():
    """The only rare term would be known to be the hidden one: another term is hidden with it, and no record goes."""
    for common in (COMMON, {**COMMON, "DECOD": "Nausea", "LLT": "Nausea", "HLT": "Nausea"}):
        files = study()
        files["AE"] += [event(i, 3, common) for i in range(3)]
        after = opened(files, RareTerms(2))
        assert len(after["AE"]) == len(files["AE"])
        assert after["AE"].groupby("AEDECOD")["USUBJID"].nunique().min() > 1
        assert alone(after, ["terms"])[1] == 0


def test_by_a_term_that_is_rare_at_every_level_in_a_supplement_whose_row_stays():
    """Another's polyneuropathy is beside it: the term is raised, and what the supplement says of it goes."""
    other = {"LLT": "CIDP", "DECOD": "Chronic polyneuropathy", "HLT": RARE["HLT"]}
    files = study()
    files["AE"].append(event(6, 2, other))
    after = opened(files, RareTerms(2))
    assert sorted(after["AE"]["AEDECOD"].unique()) == ["Acute polyneuropathies", "Headache"]
    assert "SUPPAE" not in after


def test_by_two_terms_that_are_common_each():
    ae = [event(i, 1, COMMON) for i in range(4)] + [event(i, 1, RARE) for i in range(4, 8)] + [event(3, 2, RARE)]
    assert alone(opened({**study(), "AE": ae}), ["terms"])[1:3] == [0, 1]


def test_by_the_month_of_a_common_term():
    ae = [event(i, 1, COMMON, AESTDY=200.0 if i == 2 else 5.0) for i in range(8)]
    files = opened({**study(), "AE": ae})
    assert alone(files, ["terms"])[1] == 0
    assert alone(files, ["terms"], with_months=True)[1] == 1


@pytest.mark.thorough("1 s: a whole release; what it finds is tested by parts in tests/leaving and tests/release")
def test_an_event_that_was_asked_for_and_did_not_occur_is_no_fact_and_hides_nobody():
    """Seven were asked whether they had the syndrome and had not: the eighth is as alone as before."""
    ae = [*study()["AE"], *(event(i, 2, RARE, AEOCCUR="N") for i in range(7))]
    files = {"DM": study()["DM"], "AE": ae}
    assert alone(opened(files), ["terms"])[1] == 1
    after = opened(files, RareTerms(2))
    assert alone(after, ["terms"])[1] == 0
    hidden = after["AE"]
    assert len(hidden) == len(ae)
    assert hidden.loc[hidden["AEOCCUR"] == "N", "AEDECOD"].tolist() == [RARE["DECOD"]] * 7  # of what did not happen


def test_by_the_number_of_visits():
    sv = [
        {"STUDYID": "STUDY", "DOMAIN": "SV", "USUBJID": one, "VISITNUM": float(number)}
        for i, one in enumerate(IDS)
        for number in range(1, 3 + (i == 5))
    ]
    files = opened({"DM": study()["DM"], "SV": sv})
    assert alone(files, ["terms", "death"])[1] == 0
    assert alone(files, list(FACTS))[1] == 1
    subjects, alike = files["DM"]["USUBJID"], np.zeros(len(IDS), dtype=np.int64)
    for kinds, stays in ((("terms",), ()), (("terms", "visits"), ("visits",))):
        known, columns = OutsidersKnow(kinds=kinds), {"DM__SEX": alike}
        course = course_risk(
            rows_of_files(files), subjects, alike, 2, SubjectIdRule(), known, model_of(files), columns=columns
        )
        assert course.may_keep == stays  # what nobody is assumed to know does not have to stay


def test_by_a_death():
    dm = [{**row, "DTHFL": "Y"} if i == 4 else row for i, row in enumerate(study()["DM"])]
    assert alone(opened({"DM": dm}), ["death"])[1] == 1
    assert alone(opened({"DM": study()["DM"]}), ["death"])[1] == 0
