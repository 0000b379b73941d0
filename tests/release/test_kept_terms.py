"""Terms that stay because some people lose their quasi-identifiers: no class has few people with one, nobody is hidden
without need, and the files show it.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.records.records import EncodedRecords
from disclosure_control.release.deidentify import deidentify
from disclosure_control.release.terms.kept_terms import (
    NEVER,
    Held,
    alone_in_all,
    facts_held,
    people_to_hide,
    terms_held,
    without_quasi_identifiers,
)
from disclosure_control.release.terms.rare_terms import RareTerms, without_rare_terms
from tests.config_keys import faults_of_key
from tests.examples import examples
from tests.release.small_studies import KEY, RELEASE, people, study_of

K, AT_LEAST = 4, 3


@st.composite
def held_by_people(draw) -> tuple[np.ndarray, Held]:
    """People in classes, some of whom do not leave, and what each of them has."""
    n = draw(st.integers(K, 40))
    classes = np.array(draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n)))
    pairs = draw(st.sets(st.tuples(st.integers(0, n - 1), st.integers(0, 4)), max_size=60))
    found = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
    held = Held.of(found[:, 0], found[:, 1], AT_LEAST)
    if draw(st.booleans()) and len(held.least):
        held.least[draw(st.integers(0, len(held.least) - 1))] = NEVER
    return classes, held


@examples(300)
@given(held_by_people(), st.integers(0, 3))
def test_every_class_has_enough_people_with_a_thing_or_nobody(case, seed):
    """Counted with plain loops; the hidden people are a class, too, unless everybody is hidden."""
    classes, held = case
    hidden = people_to_hide(classes, held, K, np.random.default_rng(seed).permutation(len(classes)))
    assert not hidden[classes < 0].any()
    is_everybody = hidden[classes >= 0].all()
    for one in {*classes[(classes >= 0) & ~hidden].tolist(), "hidden"}:
        inside = hidden if one == "hidden" else (classes == one) & ~hidden
        if not inside.any() or (one == "hidden" and is_everybody):
            continue
        assert inside.sum() >= K
        for thing, least in enumerate(held.least.tolist()):
            have = held.people[held.things == thing]
            n, n_all = int(inside[have].sum()), int((classes[have] >= 0).sum())
            if least == NEVER:
                assert one == "hidden" or n == 0
            elif n_all >= least:
                assert n == 0 or n >= least


@examples(100)
@given(held_by_people())
def test_nobody_is_hidden_where_no_class_has_few(case):
    classes, held = case
    together = np.where(classes >= 0, 0, -1)
    leaves = together[held.people] >= 0
    held = Held.of(held.people[leaves], held.things[leaves], AT_LEAST)
    if (together == 0).sum() >= K:
        assert not people_to_hide(together, held, K, np.arange(len(classes))).any()


def test_people_with_one_thing_are_at_most_half_of_the_hidden_ones():
    """Five people who were lost, in five classes: as many who were not lose their class with them."""
    classes = np.repeat(np.arange(5), 20)
    lost = np.arange(0, 100, 20)
    others = np.setdiff1d(np.arange(100), lost)
    held = Held.of(np.append(lost, others), np.repeat([0, 1], [5, 95]), 5)
    hidden = people_to_hide(classes, held, 5, np.arange(100))
    assert hidden[lost].all()
    assert hidden.sum() == 10


def test_who_is_the_only_one_with_a_thing_is_alone_whatever_the_class():
    """The second thing is that of two people, of whom one does not leave."""
    held = Held.of(np.array([0, 1, 2, 3, 4]), np.array([0, 0, 1, 1, 2]), 2)
    assert np.flatnonzero(alone_in_all(held, np.array([True, True, True, False, True, True]))).tolist() == [2, 4]


IDS = [f"STUDY-{number:04d}" for number in range(60)]
SEXES = ["F", "M", "X"] * 20
ENDED = ["LOST TO FOLLOW-UP"] * 6 + ["DEATH"] * 2 + ["ADVERSE EVENT"] * 12 + ["COMPLETED"] * 40


def ended_study() -> dict[str, list[dict]]:
    return {
        "DM": [{"USUBJID": one, "SEX": sex} for one, sex in zip(IDS, SEXES, strict=True)],
        "DS": [
            {"USUBJID": one, "DSDECOD": term, "DSCAT": "DISPOSITION EVENT"}
            for one, term in zip(IDS, ENDED, strict=True)
        ],
        "SV": [
            {"USUBJID": one, "VISITNUM": float(number), "VISIT": f"VISIT {number}"}
            for place, one in enumerate(IDS)
            for number in range(1, 6 - (place in (58, 59)))
        ],
    }


def as_it_leaves(keep: tuple[str, ...]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The people and how they ended the study, with sex as the one quasi-identifier."""
    study, who = study_of(ended_study(), IDS), people(IDS, list(range(60)), {"DM__SEX": SEXES})
    plain = deidentify(study, who, (), KEY, RELEASE)
    classes = pd.factorize(np.array(SEXES))[0]
    held = terms_held(plain, [one for one in keep if one == "DS"], 5).and_also(
        facts_held(plain, who, "USUBJID", [one for one in keep if one == "visits"])
    )
    hidden = people_to_hide(classes, held, 5, np.arange(60))
    dataset = pd.DataFrame({"USUBJID": IDS, "DM__SEX": SEXES})
    who = without_quasi_identifiers(who, hidden, EncodedRecords.in_memory(dataset), ["DM__SEX"])
    now = np.where(hidden, classes.max() + 1, classes)
    after, _ = without_rare_terms(deidentify(study, who, (), KEY, RELEASE), RareTerms(5, within_class=True), now)
    return after.files["DM"].frame, after.files["DS"].frame


def test_a_reason_to_leave_the_study_stays_although_every_class_has_few():
    """Two people of each sex were lost: with ``keep`` five or six are, and the dead discontinued."""
    people_now, ended = as_it_leaves(())
    assert "LOST TO FOLLOW-UP" not in set(ended["DSDECOD"])
    assert people_now["SEX"].notna().all()
    people_now, ended = as_it_leaves(("DS",))
    counts = ended["DSDECOD"].value_counts()
    assert counts["LOST TO FOLLOW-UP"] >= 5
    assert counts["COMPLETED"] == 40
    assert "DEATH" not in counts
    together = ended.merge(people_now, on="USUBJID")
    by_class = together.groupby(["SEX", "DSDECOD"], dropna=False).size()
    assert by_class.min() >= 5
    assert people_now["SEX"].isna().sum() < 60


def test_nobody_is_alone_by_a_number_of_visits_where_it_stays():
    """Two people of different sexes had four visits, all others five."""
    people_now, _ = as_it_leaves(("visits",))
    of_four = [IDS.index(one) for one in (IDS[58], IDS[59])]
    hidden = people_now["SEX"].isna()
    assert hidden.sum() >= 5
    assert SEXES[of_four[0]] != SEXES[of_four[1]]
    plain = people(IDS, list(range(60)))
    assert set(plain.pseudonyms[of_four]) <= set(people_now.loc[hidden, "USUBJID"])


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"at_least": 5, "keep": ["DS"]}, '"within": "class"'),
        ({"at_least": 5, "within": "class", "keep": "DS"}, "a list of domains"),
    ],
)
def test_faults_of_the_setting(settings, words):
    faults = faults_of_key("release", {"key_from": {"environment": "KEY"}, "rare_terms": settings})
    assert any("keep" in one and words in one for one in faults)
