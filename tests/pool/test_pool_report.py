"""What is told of the pool: the histogram of class sizes, and each hospital's page and summary."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from config.model_settings import validate_config
from disclosure_control.assess.assessment import assess
from disclosure_control.basics.telling.section_text import as_text
from disclosure_control.basics.telling.sections import Where
from disclosure_control.basics.telling.small_counts import HAND_TO_HAND
from disclosure_control.pooling.answer import class_sizes
from disclosure_control.pooling.report import OwnPeopleInPool
from disclosure_control.steps import READERS
from tests.cases import each
from tests.examples import examples
from tests.pool.nodes import STUDY
from tests.pool.small_round import CONFIG, NODES, frame

ONE = NODES[0]


@given(st.lists(st.integers(1, 60), min_size=1, max_size=25), st.integers(2, 6))
@examples(100)
def test_bars_count_the_people_of_their_sizes_and_none_is_small(sizes, k):
    """Classes of these sizes; beside K itself, whose count is a published total, no bar is that of few people."""
    people = pd.DataFrame({"Q": [f"q{i}" for i, size in enumerate(sizes) for _ in range(size)]})
    literal = {"categorical_qis": ["Q"], "continuous_qis": [], "sensitive_feature": [], "K": k, "binning_config": {}}
    assessment = assess(people, validate_config(literal))
    bars = class_sizes(SimpleNamespace(assessment=assessment))
    assert sum(bar["people"] for bar in bars) == sum(sizes)
    last = 0
    for bar in bars:
        assert bar["from"] == last + 1
        last = bar["to"] or max([*sizes, bar["from"]])
        assert bar["people"] == sum(size for size in sizes if bar["from"] <= size <= last)
    n_below = sum(size for size in sizes if size < k)
    if not HAND_TO_HAND.are_small(pd.Series([n_below, sum(sizes) - n_below])).any():
        assert not [bar for bar in bars if HAND_TO_HAND.are_small(pd.Series([bar["people"]])).any()]


def test_the_page_has_both_figures_side_by_side(at):
    made = at("summed")
    assert made.run(ONE, "read") == 0
    results = made.data(ONE) / "pool_results"
    page = (results / f"{STUDY}_pool_report.html").read_text(encoding="utf-8")
    summary = json.loads((results / f"{STUDY}_pool_summary.json").read_text(encoding="utf-8"))
    for words in (
        "At risk by the counts of this hospital, and by those of the pool",
        "In the pool",
        "because the hospital",
        "Next best step",
        "<h3>People by the size of their class in the pool</h3>",
        f"The same figures are in {STUDY}_pool_summary.json.",
    ):
        assert words in page
    assert "Not part of this run" not in page  # its config has the key recommend, and the pool's report the advice
    text = (results / f"{STUDY}_pool_report.txt").read_text(encoding="utf-8")
    assert text.count("People by the size of their class in the pool") == 1
    people = pd.read_csv(results / "pool_people.csv")
    for name, told in summary["at_risk"].items():
        assert told["at_home"] == people[f"{name} at home"].sum()
        assert told["in_the_pool"] == people[f"{name} in the pool"].sum()
    assert summary["counts"] == "pool"
    assert {name for name, entry in summary["files"].items() if entry["restricted"]} == {
        "pool_people.csv",
        "pool_recoded.csv",
        f"{STUDY}_pool_report.html",
    }


def test_who_sums_without_people_reads_the_pool_alone(at):
    """From the public answer: nothing in these files is restricted, nor of one hospital."""
    made = at("summed")
    assert made.run("TRUSTEE", "read") == 0
    assert "People of all hospitals at risk in the pool" in made.said
    results = made.data("TRUSTEE") / "pool_results"
    summary = json.loads((results / f"{STUDY}_pool_summary.json").read_text(encoding="utf-8"))
    names = {f"{STUDY}_pool_report.html", f"{STUDY}_pool_report.txt", f"{STUDY}_pool_summary.json"}
    assert {path.name for path in results.iterdir()} == names
    assert not any(entry["restricted"] for entry in summary["files"].values())
    answer = json.loads((made.shared / "answer.pool").read_bytes().split(b"\n", 1)[0])["figures"]
    assert summary["pool"] == {name: value for name, value in answer.items() if name != "text"}
    of_k = answer["k_anonymity"]
    row = rf"│ k +│ {of_k['evaluated']} +│ {of_k['risky_rate']:.1%} +│ {of_k['risky']} +│"
    text = (results / f"{STUDY}_pool_report.txt").read_text(encoding="utf-8")
    assert re.search(row, text)
    assert "This hospital" not in text
    page = (results / f"{STUDY}_pool_report.html").read_text(encoding="utf-8")
    for words in ("The pool of 3 hospitals", "Next best step", "<h3>People by the size of their class"):
        assert words in page


@each(
    "counts, recoding, words",
    [
        ("home, because of the law", {}, "Do not release by it: the home figures count"),
        ("pool, because of the law", {}, "pool_recoded.csv holds the others, recoded."),
        ("pool, because of the law", None, "No advice: no recoding of the pool meets its thresholds."),
    ],
)
def test_whether_the_advice_may_be_followed(counts, recoding, words):
    config = validate_config({**CONFIG, "pool": {**CONFIG["pool"], "counts": counts}}, None, READERS)
    home = assess(frame(0), config)
    flags = np.zeros((home.classes.n_classes, len(home.results) + 1), dtype=bool)
    figures = {"recoding": recoding, "text": "", "class_sizes": []}
    own = OwnPeopleInPool(home, flags, figures, config.settings["pool"])
    assert words in as_text(own.sections(), Where.SHORT)


def test_a_class_is_no_riskier_in_the_pool_by_k(at):
    """Under the policy that takes a missing value for a value of its own, a pool's class holds each hospital's."""
    made = at("summed")
    for node in NODES:
        assert made.run(node, "read") == 0
        people = pd.read_csv(made.data(node) / "pool_results" / "pool_people.csv")
        assert (people["k in the pool"] <= people["k at home"]).all()
        assert people["k at home"].sum() > people["k in the pool"].sum()
