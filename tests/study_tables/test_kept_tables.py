"""The tables of whole studies, cell by cell, and what a recipient of a part of them loses, are as they were kept."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from disclosure_control.basics.telling.small_counts import EXACT, MASKED
from disclosure_control.study_tables.comparison import compared_tables
from disclosure_control.study_tables.fit import FitForUseSettings, fit_for_use
from disclosure_control.study_tables.registry import study_tables
from tests.kept import changed_since_kept
from tests.places import PROJECT
from tests.study_tables.sides import frames_in, model_of, side_of
from tests.study_tables.test_awkward_study import IDS, STUDY, tables_of

DEMOS = {"SDTM_DEMO": ("DM", "USUBJID"), "REDCAP_DEMO": ("DATA", "participant")}


def test_the_tables_of_an_awkward_study():
    assert changed_since_kept("awkward_study", tables_of(STUDY, IDS)) == {}


def every_seventh(frame: pd.DataFrame) -> np.ndarray:
    return np.arange(len(frame)) % 7 == 0


def first_things(frame: pd.DataFrame) -> np.ndarray:
    """The rows of the first test, term, visit, drug and dose, so that these are nowhere afterwards."""
    names = [name for name in frame if name.lower().endswith(("testcd", "decod", "visit", "drug", "event_name"))]
    return (frame[names] == frame[names].iloc[0]).any(axis=1).to_numpy()


@pytest.mark.parametrize("gone", [every_seventh, first_things])
@pytest.mark.parametrize("pilot", DEMOS)
def test_a_study_of_which_a_part_leaves(pilot, gone):
    """A fifth of the people stays here, and of each further file some records."""
    (base, person), frames = DEMOS[pilot], frames_in(PROJECT / "pilot_report" / pilot)
    ids, model = list(dict.fromkeys(frames[base][person])), model_of(frames, person)
    there, side = np.arange(len(ids)) % 5 > 0, side_of(frames, ids, model)
    has_people = {
        name: person in frame and (name != base or frame[person].duplicated().any()) for name, frame in frames.items()
    }
    left = {name: frame[~gone(frame)] if has_people[name] else frame for name, frame in frames.items()}
    compared = compared_tables(study_tables(side), study_tables(side_of(left, ids, model, side, there)))
    uses = [fit_for_use(reader, compared, 12, len(ids), FitForUseSettings()) for reader in (EXACT, MASKED)]
    assert changed_since_kept(f"tables_of_{pilot}_{gone.__name__}", {"tables": compared, "uses": uses}) == {}
