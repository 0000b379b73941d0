"""The short text: at most 45 lines of at most 110 characters, whatever the config asks for."""

import numpy as np
import pandas as pd
import pytest

from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.sections import Section, Sentence, Where
from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.report.run_texts import MOST_LINES, WIDTH, run_texts
from disclosure_control.report.run_told import RunTold, run_told
from disclosure_control.steps.running import StepResult
from tests.report.small_pilots import assessed


def wide_pilot():
    """Thirty quasi-identifiers with many bins and values out of range, a threshold that cannot be met, gaps."""
    draw = np.random.default_rng(3)
    names = [f"a column with a long name, number {i}" for i in range(30)]
    frame = pd.DataFrame({name: draw.integers(0, 90, 60).astype(float) for name in names})
    frame = frame.mask(draw.random(frame.shape) < 0.1)
    frame["lab"] = np.where(draw.random(60) < 0.2, np.nan, draw.integers(0, 30, 60))
    config = {
        "categorical_qis": names[:10],
        "continuous_qis": names[10:],
        "binning_config": {name: list(range(10, 80, 2)) for name in names[10:]},
        "sensitive_feature": "lab",
        "sensitive_binning_config_for_L": {"lab": [5, 10, 20]},
        "K": 100,
        "L": 50,
        "T": 3,
        "missing_qis": "exclude",
        "out_of_range": "missing",
    }
    return frame, config


def talkative(name: str, first_lines: int, short: int) -> StepResult:
    """A step that says as much as it may."""
    places = [Where.TEXT | (Where.FIRST if i < first_lines else Where.TEXT) for i in range(400)]
    parts = [Sentence(f"{name} says line {i}", where=where) for i, where in enumerate(places)]
    parts += [Sentence(f"{name} says in short {i}", where=Where.SHORT) for i in range(short)]
    return StepResult({}, (Section(name, name, parts),))


def told(found, steps, notices=(), reasons=()) -> RunTold:
    return run_told(MASKED, "PILOT", found, steps, {}, notices, reasons)


def test_it_is_short_whatever_the_config_asks_for():
    frame, config = wide_pilot()
    found = assessed(frame, config)
    steps = {"risk": talkative("risk", 4, 0), "recommend": talkative("recommend", 0, 4)}
    steps |= {"treatment": talkative("treatment", 1, 1), "private_release": talkative("private_release", 400, 0)}
    reasons = [Reason(Gravity.NOT_DECIDED, f"{i} reason", "this") for i in range(4)]
    texts = run_texts(told(found, steps, [f"notice {i}" for i in range(50)], reasons))
    lines = texts.short.splitlines()
    assert (MOST_LINES, WIDTH) == (45, 110)
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= WIDTH
    assert len(texts.full.splitlines()) > 1200
    assert "\nVERDICT: Hold" in texts.short
    for words in (
        "60 people; K 100; L 50, T 3 for lab",
        "Reasons",
        "Next: this",
        "PILOT_privacy_details.txt",
        "and 453 more",
    ):
        assert words in texts.short, words


@pytest.mark.parametrize(("kind", "first"), [("short", "Privacy report of pilot"), ("full", "VERDICT: Hold")])
def test_the_report_of_a_run_that_changes_nothing_comes_first_and_nobody_drops_out_unsaid(kind, first):
    frame, config = wide_pilot()
    found = assessed(frame, config)
    text = getattr(run_texts(told(found, {})), kind)
    assert first in text[:100]
    assert "VERDICT: Hold" in text
    n_left = int((~found.k_anonymity.evaluated).sum())
    assert n_left > 0
    assert f"Not evaluated: {n_left} of 60" in text
    if kind == "short":
        assert [row for row in ("k < 100", "l of lab < 50", "t of lab > 3") if f"│ {row} " not in text] == []


def test_columns_that_wait_for_a_decision_are_listed_below_their_note():
    frame, config = wide_pilot()
    notice = (
        "2 columns of the sheet wait until you decide:\n    smoker, ward: write yes or no into row 2\n    code: row 4"
    )
    short = run_texts(told(assessed(frame, config), {}, [notice])).short
    assert f"NOTE: {notice}\n" in short
