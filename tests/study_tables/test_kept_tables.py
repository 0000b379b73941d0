"""The tables of whole studies, cell by cell, and what a recipient of a part of them loses, are as they were kept."""

from __future__ import annotations

import numpy as np
import pytest

from disclosure_control.basics.telling.small_counts import EXACT
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


@pytest.mark.parametrize("pilot", DEMOS)
def test_a_study_of_which_a_part_leaves(pilot):
    """A fifth of the people stays here, and of each further file every seventh record."""
    (base, person), frames = DEMOS[pilot], frames_in(PROJECT / "pilot_report" / pilot)
    ids, model = list(dict.fromkeys(frames[base][person])), model_of(frames, person)
    there = np.arange(len(ids)) % 5 > 0
    left = {
        name: frame[np.arange(len(frame)) % 7 > 0] if person in frame and name != base else frame
        for name, frame in frames.items()
    }
    side = side_of(frames, ids, model)
    compared = compared_tables(study_tables(side), study_tables(side_of(left, ids, model, side, there)))
    use = fit_for_use(EXACT, compared, int((~there).sum()), len(ids), FitForUseSettings())
    assert changed_since_kept(f"tables_of_{pilot}", {"tables": compared, "use": use}) == {}
