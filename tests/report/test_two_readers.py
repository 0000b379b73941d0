"""One run, two readers: the controller's files are exact and say whose they are, and what others read is masked."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from config.model_settings import validate_config
from disclosure_control.assess.assessment import assess
from disclosure_control.assess.combined_dataset import CombinedDataset
from disclosure_control.basics.telling.section_text import as_text
from disclosure_control.basics.telling.sections import Where
from disclosure_control.basics.telling.small_counts import EXACT, FOR_CONTROLLER, MASKED
from disclosure_control.report.run_told import run_told
from disclosure_control.steps import READERS
from disclosure_control.steps.running import run_steps

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"
MASKS = re.compile(r"\bmasked\b|undisclosed number|a few of \d|nearly all of|→ ±", re.IGNORECASE)
OF_THE_CONTROLLER = ("privacy_report.html", "privacy_summary.txt", "privacy_details.txt", "treatment_summary.txt")


def of_both(inside: Any, outside: Any, place: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Every place where the figures of the two readers differ, with both."""
    if isinstance(inside, dict) and isinstance(outside, dict):
        for name in inside.keys() | outside.keys():
            yield from of_both(inside.get(name), outside.get(name), f"{place}.{name}")
    elif isinstance(inside, list) and isinstance(outside, list) and len(inside) == len(outside):
        for number, (one, other) in enumerate(zip(inside, outside, strict=True)):
            yield from of_both(one, other, f"{place}.{number}")
    elif inside != outside:
        yield place, inside, outside


def test_the_controllers_files_say_so_and_mask_nothing(pilot):
    check_the_controllers_files(pilot.results, pilot.name, OF_THE_CONTROLLER[:3])


def check_the_controllers_files(results: Path, pilot: str, names: tuple[str, ...]) -> None:
    summary = json.loads((results / f"{pilot}_privacy_summary.json").read_text(encoding="utf-8"))
    assert (summary["schema"], summary["for"]) == (2, FOR_CONTROLLER)
    for name in names:
        text = (results / f"{pilot}_{name}").read_text(encoding="utf-8").split('<section id="definitions"')[0]
        text = re.sub(r"<[^>]+>", " ", text.partition("<body>")[2] or text)
        assert FOR_CONTROLLER in text[:300].lower(), name
        assert MASKS.findall(text) == [], name
        assert summary["files"][f"{pilot}_{name}"]["restricted"], name
    (line,) = map(json.loads, (results / "history.jsonl").read_text(encoding="utf-8").splitlines())
    assert next(iter(line.items())) == ("for", FOR_CONTROLLER)


@pytest.mark.thorough("4 s: a trial through both doors; the controller's files of a small pilot in the quick run")
def test_others_are_told_less_and_nothing_else(run_of_few):
    """Where the two readers' figures are not the same, others have none, a range, or the same in coarser words."""
    results, others = run_of_few("trial").results, run_of_few("trial").figures
    check_the_controllers_files(results, "FEW", OF_THE_CONTROLLER)
    summary = json.loads((results / "FEW_privacy_summary.json").read_text(encoding="utf-8"))
    ours = {name: one for name, one in summary.items() if name not in ("files", "hashes", "inputs", "for", "verdict")}
    theirs = {name: one for name, one in others.items() if name not in ("inputs", "masked", "verdict")}
    masked = [(place, n, other) for place, n, other in of_both(ours, theirs) if other is None and type(n) is int]
    assert len(masked) >= 20, "the trial has few people: many of its counts are masked"
    shown = [place for place, n, other in of_both(ours, theirs) if type(n) is type(other) is int]
    shown = [place for place in shown if "by_group" not in place]  # small groups are together
    assert shown == []  # a count is the same for both, or masked
    assert summary["verdict"]["verdict"] == others["verdict"]["verdict"]
    assert summary["rules"] == others["rules"]


@pytest.mark.skipif(not SHARED.is_dir(), reason="no shared data")
def test_the_published_key_sets_are_in_the_details_and_the_figures():
    """ACTG175: who is alone, the median k, and k of at most five, as published; others are told none of the few."""
    published = json.loads((SHARED / "oracles" / "published.json").read_text(encoding="utf-8"))["actg175"]
    frame = pd.read_csv(SHARED / "data" / "actg175" / "aids_original_data.csv", sep=";")
    names = published["quasi_identifiers"]
    literal = {
        "categorical_qis": names,
        "continuous_qis": [],
        "sensitive_feature": [],
        **{"K": 5, "L": 1, "T": 1, "risk": {"sections": ["key_sets"]}},
    }
    config = validate_config(literal, frame.columns, READERS)
    assessment, ids = assess(frame, config), pd.Series([f"S{i}" for i in range(len(frame))])
    dataset = CombinedDataset.of(frame, ids, frame.astype("str").assign(USUBJID=ids))
    steps = run_steps("P", Path(), dataset, assessment, left_out=("identifiers", "context"))
    inside, outside = (run_told(policy, "P", assessment, steps, {}) for policy in (EXACT, MASKED))
    details = as_text(inside.sections, Where.FILE)
    told = {tuple(one["quasi_identifiers"]): one for one in inside.summary["risk"]["key_sets"]}
    for words, (alone, median, at_most_5) in published["key_set_snapshots"].items():
        if words == "columns":
            continue
        one = told[tuple(words.split("+"))]
        figures = 100 * one["unique_rate"], one["median_k"], 100 * one["k_at_most_rate"]["5"]
        assert figures == pytest.approx((alone, median, at_most_5), abs=0.005)
        if alone:  # sets that single nobody out are counted alone
            row = next(line for line in details.splitlines() if f"│ {words.replace('+', ', ')} " in line)
            assert f"│ {alone:.2f}% " in row
            assert f"│ {at_most_5:.2f}% " in row
    (of_age,) = (one for one in outside.summary["risk"]["key_sets"] if one["quasi_identifiers"] == ["age"])
    assert of_age["unique_rate"] is None  # two people
    assert "0.09%" not in as_text(outside.sections, Where.FILE)


NOT_FOR_OTHERS = """
from disclosure_control.basics.telling.small_counts import EXACT, MASKED
from disclosure_control.report.evidence.pack import EvidenceOf
from disclosure_control.report.page.files import page_inside, page_outside
from disclosure_control.report.run_told import run_told

def made(pilot, assessment, steps, config) -> None:
    inside, outside = run_told(EXACT, "P", assessment, steps, {}), run_told(MASKED, "P", assessment, steps, {})
    EvidenceOf(pilot, outside, config, "")
    page_inside(inside, [])
    page_outside(outside, [])
    EvidenceOf(pilot, inside, config, "")
    page_outside(inside, [])
    page_inside(outside, [])
"""


@pytest.mark.thorough("mypy: 20 s")
def test_types_refuse_exact_figures_where_others_read(tmp_path):
    snippet = tmp_path / "snippet.py"
    snippet.write_text(NOT_FOR_OTHERS, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), str(snippet)]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    lines = {int(number) for number in re.findall(r"snippet\.py:(\d+): error: Argument", found)}
    assert lines == {12, 13, 14}, found
