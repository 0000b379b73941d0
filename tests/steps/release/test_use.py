"""The second answer of a release: in the report, in the files of the recipient, and switched off."""

from __future__ import annotations

import json

import numpy as np
import pytest

from disclosure_control.basics.telling.sections import Table
from disclosure_control.steps.release.use import STUDY_TABLES
from tests.steps.release.conftest import Package, make_small


@pytest.fixture(params=["small", pytest.param("demo", marks=pytest.mark.thorough("10 s: a release of the demo"))])
def made(request) -> Package:
    return request.getfixturevalue(request.param)


def test_every_cell_is_in_the_restricted_file_and_counted_as_released(made):
    """People of each arm and sex, as they came in and in the files that leave, by pandas."""
    cells = made.result.tables[STUDY_TABLES]
    assert STUDY_TABLES not in made.result.hand_to_hand
    sexes = cells[(cells["table"] == "demographics.DM") & (cells["group"] == "SEX")]
    arms = set(sexes["arm"])
    for frames, side in ((made.source, "before"), (made.opened, "after")):
        people = frames["DM"]
        for _, cell in sexes.iterrows():
            own = people["SEX"] == cell["row"]
            if len(arms) > 1:
                own &= people["ARM"] == cell["arm"]
            assert cell[f"people_{side}"] == own.sum()
    assert len(sexes) >= 2


def test_the_recipient_reads_what_it_is_fit_for(made):
    text = made.files["README.txt"].decode()
    assert f"Fit for use: {made.result.use.answer}.\n\nWhat the recipient loses" in text
    lines = made.result.use.for_recipient
    told = [line.replace(".NICKNAME ", ".(not told) ") for line in lines]  # a name that stays nowhere
    assert told
    table = "".join(text.partition("Limits of use")[2].split())
    limits = [words.replace(".NICKNAME ", ".(not told) ") for _, words in made.result.use.limits]
    assert limits
    assert [one for one in limits if "".join(one.split()[:3]) not in table] == []
    assert json.loads(made.files["codebook.json"])["what_it_is_fit_for"] in (list(lines), told)


def test_no_share_of_what_came_in_is_told_to_the_recipient(made):
    """README.txt has a share only of overlaps, which are of confidence intervals."""
    part = made.files["README.txt"].decode().partition("Limits of use")[2].partition("What must not be done")[0]
    assert all("overlap" in piece for piece in part.split(";") if "%" in piece)


@pytest.mark.thorough("1 s: a release of its own")
def test_the_tables_can_be_switched_off(tmp_path, release_key):
    made = make_small(tmp_path, {"study_tables": False})
    assert made.result.use is None
    assert made.result.figures["study_tables"] is None
    assert STUDY_TABLES not in made.result.tables
    assert "Fit for use" not in made.files["README.txt"].decode()


def test_shares_in_the_report_are_of_no_few_people(made):
    """Every share in the section is one of cells whose counts and complements are no small counts."""
    cells = made.result.tables[STUDY_TABLES]
    section = next(one for one in made.result.sections if one.key == "study_tables")
    for part in section.parts:
        if not isinstance(part, Table) or "→" not in part.title:
            continue
        for row in part.rows:
            for arm, text in zip(part.columns[1:], row[1:], strict=True):
                if "%" not in str(text):
                    continue
                named = cells[(cells["row"] == row[0]) & (cells["arm"] == arm) & (cells["kind"] == "share")]
                n, of = named["people_before"].to_numpy(), named["of_before"].to_numpy()
                is_meant = [f"{a / b:.0%}" == str(text).partition(" →")[0] for a, b in zip(n, of, strict=True)]
                assert np.any(is_meant)
                safe = [not (0 < a < 10 or 0 < b - a < 10) for a, b in zip(n, of, strict=True)]
                assert np.any(np.array(is_meant) & np.array(safe))
