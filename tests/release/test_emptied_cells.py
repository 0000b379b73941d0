"""An empty cell among full ones says who had the rare text: cells of others are emptied with it."""

from __future__ import annotations

from functools import partial

import pandas as pd
import pytest

from disclosure_control.release.deidentify import deidentify
from disclosure_control.release.people import drawn_order
from disclosure_control.release.texts.rare_texts import without_rare_texts
from tests.cases import each
from tests.release.planted_texts import IDS, N_PEOPLE, K
from tests.release.small_studies import KEY, RELEASE, people, study_of


def judged(rows: list[dict], file: str = "FA"):
    """The released study after the judgement of its texts, what was emptied, and its people."""
    who = people(IDS, list(range(N_PEOPLE)))
    released = deidentify(study_of({file: rows}, IDS), who, (), KEY, RELEASE)
    return *without_rare_texts(released, who, K, drawn=partial(drawn_order, who, KEY, RELEASE)), who


def after(rows: list[dict], file: str = "FA") -> tuple[pd.DataFrame, dict]:
    """The rows of a file after the judgement of its texts, by original id; and the table of what was emptied."""
    left, found, who = judged(rows, file)
    frame = left.files[file].frame
    names = dict(zip(who.pseudonyms, IDS, strict=True))
    return frame.assign(who=frame["USUBJID"].map(names)), {
        (one["column"], one["text"]): one["people"] for one in found.table.to_dict("records")
    }


def status(one: str, text: str, test: str = "STATUS", **more) -> dict:
    return {"STUDYID": "S1", "USUBJID": one, "FATESTCD": test, "FATEST": test, "FAORRES": text, "FASTRESC": text} | more


@pytest.mark.thorough("0.5 s")
@each("n_rare", [1, 3, 4])
def test_by_the_one_empty_cell_of_a_person_among_full_ones(n_rare):
    rows = [status(one, "found in Wels" if i < n_rare else "well") for i, one in enumerate(IDS)]
    frame, table = after(rows)
    for column in ("FAORRES", "FASTRESC"):
        empty = set(frame["who"][frame[column].isna()])
        assert set(IDS[:n_rare]) < empty
        assert len(empty) == K
        assert table[(column, "well")] == K - n_rare
    assert frame["FAORRES"].isna().equals(frame["FASTRESC"].isna())  # what left one column stands in no other


def test_enough_people_with_a_rare_text_need_no_others():
    rows = [status(one, f"seen by {'abcdefgh'[i]} Huber" if i < K else "well") for i, one in enumerate(IDS)]
    frame, _ = after(rows)
    assert set(frame["who"][frame["FAORRES"].isna()]) == set(IDS[:K])


def test_each_test_is_a_group_of_its_own():
    """Nobody has a result of the second test: its empty cells hide none of the first."""
    rows = [status(one, "found in Wels" if i == 0 else "well") for i, one in enumerate(IDS)]
    rows += [status(one, None, "OTHER") for one in IDS]
    frame, _ = after(rows)
    first = frame[frame["FATESTCD"] == "STATUS"]
    assert first["FAORRES"].isna().sum() == K


def test_cells_that_were_empty_hide_one_more():
    rows = [status(one, "found in Wels" if i == 0 else None if i < K else "well") for i, one in enumerate(IDS)]
    frame, _ = after(rows)
    assert set(frame["who"][frame["FAORRES"].isna()]) == set(IDS[:K])


def test_who_joins_does_not_depend_on_the_order_of_the_rows():
    rows = [status(one, "found in Wels" if i == 7 else "well") for i, one in enumerate(IDS)]
    (one, _), (other, _) = after(rows), after(rows[::-1])
    assert set(one["who"][one["FAORRES"].isna()]) == set(other["who"][other["FAORRES"].isna()])


def test_the_text_of_joined_cells_leaves_in_others_and_is_no_secret_of_the_readme():
    rows = [status(one, "found in Wels" if i == 0 else "well") for i, one in enumerate(IDS)]
    _, found, _ = judged(rows)
    assert set(found.texts) == {"found in Wels"}
    assert set(found.table["text"]) == {"found in Wels", "well"}
    assert {one.cells for one in found.emptied} == {K}
