"""Ids that are told apart and found again by numbers made from them, some at a time: the same as one by one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from disclosure_control.basics.encoding import dictionary
from disclosure_control.basics.encoding.dictionary import Dictionary
from study.merge import subject_ids
from study.merge.subject_ids import SubjectIdRule, read_subjects
from tests.cases import quick

SPELLINGS = ["", "S", "s", " s ", "é", "e\u0301", "\U0001f600", "\uffff", "a" * 600]


def texts(seed: int, n: int) -> pd.Series:
    random = np.random.default_rng(seed)
    numbered = [f"{random.choice(SPELLINGS)}{random.integers(n)}" for _ in range(n)]
    return pd.Series(pd.array([*numbered, *SPELLINGS[1:], None], dtype="str"))


@pytest.fixture(params=["usual", "few at once", "one hash"])
def looked_up(request, monkeypatch):
    """All together; three ids at a time; and where every id has the same number."""
    if request.param != "usual":
        monkeypatch.setattr(subject_ids, "TEXTS_AT_ONCE", 3)
        monkeypatch.setattr(dictionary, "TEXTS_AT_ONCE", 3)
    if request.param == "one hash":
        for module in (dictionary, subject_ids):
            monkeypatch.setattr(module, "hashes_of_texts", lambda texts: np.zeros(len(texts), dtype=np.uint64))


@pytest.mark.parametrize("seed", quick(1, range(3), "0.2 s"))
def test_each_id_is_found_at_its_place(looked_up, seed):
    ids = pd.Index(texts(seed, 40).dropna().unique())
    asked = pd.Index(texts(seed + 9, 60).dropna())
    expected = [list(ids).index(one) if one in set(ids) else -1 for one in asked]
    assert Dictionary(ids).positions(asked).tolist() == expected
    assert Dictionary(ids[:0]).positions(asked).tolist() == [-1] * len(asked)
    assert Dictionary(ids).positions(asked[:0]).tolist() == []


@pytest.mark.parametrize(
    "rule", [SubjectIdRule(), SubjectIdRule(strip=False), SubjectIdRule(case="upper", prefix="P-")]
)
@pytest.mark.parametrize("keeps_blanks", [False, True])
def test_distinct_ids_with_their_numbers_of_records_are_read_as_the_records_are(looked_up, rule, keeps_blanks):
    column = texts(5, 30)
    column = column if keeps_blanks else column.str.strip()
    distinct = pd.Series(column.unique())
    counts = column.value_counts(dropna=False).reindex(distinct).to_numpy()
    of_rows = read_subjects(pd.DataFrame({"USUBJID": column}), rule)
    of_distinct = read_subjects(pd.DataFrame({"USUBJID": distinct}), rule, counts)
    spelled = dict(zip(distinct.fillna("none"), np.append(of_distinct.ids, None)[of_distinct.code], strict=True))
    assert [spelled[one] for one in column.fillna("none")] == np.append(of_rows.ids, None)[of_rows.code].tolist()
    for name in ("n_merged", "n_unmatched", "n_blank", "n_emptied"):
        assert getattr(of_distinct, name) == getattr(of_rows, name)
    assert sorted(of_distinct.ids) == sorted(of_rows.ids)
