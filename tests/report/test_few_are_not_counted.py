"""Small pilots through both doors: no count of one to nine people or records in anything that may be handed on.

What is published exactly, and why, is listed in ``counts_shown.py``: totals of the whole pilot. That masked counts do
not follow from others is shown by the solvers of ``test_masks_hold.py`` and its neighbours.
"""

from __future__ import annotations

import argparse
import json

import pytest

from Create_Combined_Pilot_Dataset import add_merge_options
from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.report.evidence.pack import REPORT_MD, RULES_HTML
from disclosure_control.steps.treatment.figures import removed_by
from tests.report.counts_shown import small_counts_in, small_in_json
from tests.report.pilots_of_few import PILOTS

TEXTS = (".txt", ".html", ".md", ".csv")
MORE = pytest.mark.thorough("3 s each")


def told_by(run) -> dict[str, str]:
    """What a run hands on, by name of file, and what it shows."""
    summary = json.loads((run.results / "FEW_privacy_summary.json").read_text(encoding="utf-8"))
    handed_on = [one for one, entry in summary["files"].items() if not entry["restricted"]]
    handed_on += ["released/README.txt", "released/codebook.csv"] if (run.results / "released").is_dir() else []
    texts = {
        one: (run.results / one).read_text(encoding="utf-8") for one in handed_on if one.endswith((*TEXTS, ".json"))
    }
    return texts | {"the screen": run.shown, "figures.json": json.dumps(run.figures)}


@pytest.mark.thorough("4.0 s")
@pytest.mark.parametrize("name", ["trial", *(pytest.param(name, marks=MORE) for name in PILOTS if name != "trial")])
def test_no_small_count_of_people_or_records_is_handed_on_or_shown(name, run_of_few):
    texts = told_by(run_of_few(name))
    assert {REPORT_MD, RULES_HTML, "FEW_privacy_report_shareable.html"} <= {*texts}
    assert not {"FEW_privacy_details.txt", "FEW_privacy_report.html", "history.jsonl"} & {*texts}
    found = {}
    for file, text in texts.items():
        if file.endswith(".json"):
            summary = {key: value for key, value in json.loads(text).items() if key != "config"}
            found[file] = [*small_in_json(summary)]
        else:
            found[file] = small_counts_in(file, text)
    assert {file: places for file, places in found.items() if places} == {}


@pytest.mark.parametrize(
    "sentence",
    [
        "  AE.AESTDTC: 1 value emptied: unreadable, or outside every band of the treatment.",
        "4 times of day removed: AE.AESTDTC.",
        "5 partial dates moved as whole months or years: AE.AEENDTC.",
        "Texts in columns of numbers: LB__Glucose (1 of 90)",
        "Few attributes single out 9 people.",
        "column 'AGE': 1 of 12 values are text",
        "AE, 3 records: 1 record raised to AEBODSYS.",
    ],
)
def test_what_was_told_once_is_found(sentence):
    """Each of these stood in a report before."""
    assert small_counts_in("details.txt", sentence)


@pytest.mark.parametrize(
    ("headings", "row"),
    [
        ("File | Records | Records in the source", "dd.csv | 2 | 2"),
        ("Domain | Form | Rows | People | Collapsed", "DD | findings | 2 | 2 | 0"),
    ],
)
def test_a_cell_that_was_told_once_is_found(headings, row):
    assert small_counts_in("report.md", f"| {headings} |\n|---|\n| {row} |\n")
    cells = "".join(f"<td>{one}</td>" for one in row.split(" | "))
    heads = "".join(f"<th>{one}</th>" for one in headings.split(" | "))
    assert small_counts_in("page.html", f"<table><tr>{heads}</tr><tr>{cells}</tr></table>")


def test_what_one_of_several_steps_removed_is_told_only_beside_enough_others():
    """By hand: the total of 12 is published; 3 are few, and the 9 would follow from them; a lone step is the total."""
    removed = {(0, 3, 0): [0, 3, 0], (3, 9): [None, None], (3, 40): [None, None], (12, 40): [12, 40], (0, 0): [0, 0]}
    assert {steps: removed_by(MASKED, steps) for steps in removed} == removed


def test_a_merge_on_a_cluster_is_refused_with_the_engine_to_use(capsys):
    parser = argparse.ArgumentParser()
    add_merge_options(parser)
    with pytest.raises(SystemExit):
        parser.parse_args(["--engine", "cluster"])
    assert "A merge runs on one machine: merge with --engine disk" in capsys.readouterr().err
    assert parser.parse_args(["--engine", "disk"]).engine == "disk"


def test_a_number_of_few_rows_in_json_is_found():
    assert [*small_in_json({"files": {"explore_outliers.csv": {"rows": 4}}, "k_anonymity": {"risky": 4}})] == [
        "files.explore_outliers.csv.rows: 4"
    ]
