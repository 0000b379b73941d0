"""Every number of page, texts and evidence stands in the JSON summary, and those of a row in one part of it."""

from __future__ import annotations

import ast
import json
import re
import shutil
from pathlib import Path

import pytest

from Create_Combined_Pilot_Dataset import add_merge_options, combine_pilot
from disclosure_control.run.doors import DONE, run_door
from Main_Anonymization import add_options, assess_pilot
from tests.places import PROJECT
from tests.report.figures_for_others import figures_for_others
from tests.report.numbers_told import Said, with_what_follows
from tests.report.test_page import Page
from tests.report.test_text import tables
from tests.run.fixtures import kept_screen
from tests.run.synthetic_pilot import Doors, copy_of

KEY = "SAME_NUMBERS_KEY"
OF_OTHERS = "figures_for_others.json"
BAND = {"method": "band", "column": "DM__AGE", "width": [5, 20]}
EVERYTHING = {
    "risk": "all",
    "explore": {"figures": False},
    "recommend": {},
    "treatment": [{"method": "recommended"}],
    "release": {"key_from": {"environment": KEY}},
    "sweep": {"grid": [BAND], "figures": False, "seed": 1},
    "context": {"purpose": "a test", "attempt_probability": 0.3},
}
FAIR = {"favourable": {"column": "LB__Cholesterol", "at_least": 5}, "sensitive": "DM__SEX", "reference": "M"}
SHIPPED = [
    pytest.param("SDTM_DEMO", {"fairness": FAIR}, marks=pytest.mark.thorough("2 s")),
    pytest.param("LINKAGE_DEMO", {}, marks=pytest.mark.thorough("5 s")),
    pytest.param("PENTELI", EVERYTHING, marks=pytest.mark.thorough("10 s")),
]
# What no run has counted: years, numbers of standards and addresses of the sources, axes, levels of intervals.
OF_NO_RUN = re.compile(
    r"WP216|ISO/IEC 27559(:2022)?|Policy 0070|EMA/\d+/\d+|\b0\.09\b(?! of)|K = 12|(?<![\d.])95%( interval)?"
    r"|and \d+ more|^#+ \d+\.|\d+ of \d+ points"
    r"|\d{4}-\d\d-\d\d(T[\d:.]+Z)?|from 0 to 1|level \d+|version [\d.]+|Version [\d.]+|at most \d+%"
    r"|\d+ variables in released/ leave as they came in"  # which are listed behind it
    r"|Demodrug \d+ mg"  # the name of an arm
    r"|loss [\d.]+ to [\d.]+"  # the range that a rounded loss stands for
    r"|\bk (=|<|>|<=) \d+|\d+ are not drawn|<= \d+",
    re.MULTILINE | re.IGNORECASE,
)


def shipped_run(name: str, keys: dict, root: Path, monkeypatch) -> Path:
    """The folder of results of a shipped pilot whose config has further keys."""
    pilots, configs = root / "pilots", root / "configs"
    configs.mkdir()
    shutil.copytree(PROJECT / "pilot_report" / name, pilots / name, ignore=shutil.ignore_patterns("*processed*"))
    module = ast.parse((PROJECT / "config" / f"{name}.py").read_text(encoding="utf-8"))
    literal = ast.literal_eval(module.body[-1].value) | keys
    (configs / f"{name}.py").write_text(f"config = {literal!r}\n", encoding="utf-8")
    monkeypatch.setenv("BIOSTREAMS_DATA_DIR", str(pilots))
    monkeypatch.setenv("BIOSTREAMS_CONFIG_DIR", str(configs))
    monkeypatch.setenv(KEY, "a key of this test alone, 0123456789 abcdefghij")
    assert run_door("", combine_pilot, [name], add_merge_options) == DONE
    with figures_for_others() as figures:
        assert run_door("", assess_pilot, [name, "--shareable"], add_options) == DONE
    (pilots / name / OF_OTHERS).write_text(json.dumps(figures), encoding="utf-8")
    return pilots / name / "processed_for_anonym"


def said_in(results: Path, name: str, summary: dict | None = None) -> Said:
    """What the summary says; beside it what else is told by the page: the merge, the runs, the thresholds' curves."""
    summary = summary or json.loads((results / f"{name}_privacy_summary.json").read_text(encoding="utf-8"))
    page = (results / f"{name}_privacy_report.html").read_text(encoding="utf-8")
    data = json.loads(re.search(r'id="what-if-data">(.*?)</script>', page, re.S)[1])
    below = [0, *next((one["risky"] for one in data["curves"] if one["model"] == "k_anonymity"), ())]
    evaluated = summary["k_anonymity"]["evaluated"]
    sizes = [after - before for before, after in zip(below, [*below[1:], evaluated], strict=True)
             if before is not None and after is not None]  # fmt: skip
    # Classes above the largest size with a bar of its own.
    sizes += [evaluated - one for one in below if one is not None]
    merge = json.loads((results / "merge_report.json").read_text(encoding="utf-8"))
    for one in merge["domains"].values():
        one["n_dropped"] = len(one.pop("dropped_columns", ()))
    key_sets = [one["unique_rate"] for one in summary.get("risk", {}).get("key_sets", ())]
    treated = summary.get("treatment", {})
    beside = {
        "sets that leave few alone, and those below the eight that are listed": [
            key_sets.count(None),
            max(0, sum(map(bool, key_sets)) - 8),
        ],
        "merge": merge,
        "files": [len(merge["inputs"])],
        "columns": [len((results / "combined_dataset.csv").read_text(encoding="utf-8").split("\n", 1)[0].split('","'))],
        "removed": [treated["records_removed"] / treated["before"]["records"]] if "before" in treated else [],
        "untouched": [len(summary.get("treatment", {}).get("untouched", ()))],
        "history": [json.loads(line) for line in (results / "history.jsonl").read_text().splitlines()],
        "curves": [{"evaluated": one["evaluated"], "risky": one["risky"]} for one in data["curves"]],
        "sizes": [sizes],
    }
    return Said(with_what_follows(summary) | beside)


def check(results: Path, name: str) -> int:
    """Compares every number; how many there were."""
    of_others = json.loads((results.parent / OF_OTHERS).read_text(encoding="utf-8"))
    inside, outside, n = said_in(results, name), said_in(results, name, of_others), 0
    unsaid, mixed = {}, {}
    for file in (f"{name}_privacy_details.txt", f"{name}_privacy_summary.txt", "evidence/anonymisation_report.md"):
        text, said = (results / file).read_text(encoding="utf-8"), outside if "/" in file else inside
        rows = [[*row.values()] for _, found in tables(text) for row in found] if file.endswith(".txt") else []
        rows += [row.strip("|").split(" | ") for row in text.splitlines() if row.startswith("| ")]
        unsaid[file], mixed[file] = said.unsaid(counted_numbers(text)), mixed_rows(said, rows)
        n += len(re.findall(r"\d+", text))
    for kind, said in (("report", inside), ("report_shareable", outside)):
        path = results / f"{name}_privacy_{kind}.html"
        if path.is_file():
            page = Page(path.read_text(encoding="utf-8").split('<section id="definitions"')[0])
            drawings = [svg["aria-label"] for svg in page.having("svg")]
            groups = [
                ["", item] for text in drawings if text.startswith("Share at risk by") for item in text.split("; ")
            ]
            unsaid[kind] = said.unsaid(counted_numbers("\n".join([*_without_axes(page.text), *drawings])))
            mixed[kind] = mixed_rows(said, [*page.rows, *groups])
            n += len(re.findall(r"\d+", "".join(page.text)))
    assert {file: numbers for file, numbers in unsaid.items() if numbers} == {}
    assert {file: rows for file, rows in mixed.items() if rows} == {}
    return n


def counted_numbers(text: str) -> str:
    """A text without what no run has counted, and without bins."""
    return re.sub(r"\S+--\S+", "", OF_NO_RUN.sub("", text))


def _without_axes(texts: list[str]) -> list[str]:
    return [text for text in texts if not re.fullmatch(r"\s*[\d.]+%?\s*", text)]


def mixed_rows(said: Said, rows: list[list[str]]) -> list[list[str]]:
    cells = [[counted_numbers(cell) for cell in row[1:]] for row in rows]
    return [row for row, of_row in zip(rows, cells, strict=True) if not said.is_of_one_part(of_row)]


@pytest.fixture(scope="module")
def told_once(finished_template, tmp_path_factory):
    """A small pilot, run once more for its figures for others."""
    pilot = copy_of(finished_template, tmp_path_factory.mktemp("told"))
    with kept_screen() as screen, pytest.MonkeyPatch.context() as monkeypatch, figures_for_others() as figures:
        Doors(pilot.desk, monkeypatch, screen).start(2)
    (pilot.folder / OF_OTHERS).write_text(json.dumps(figures), encoding="utf-8")
    return pilot


@pytest.mark.parametrize(("name", "keys"), SHIPPED)
def test_every_number_of_a_shipped_pilot(name, keys, tmp_path, monkeypatch):
    assert check(shipped_run(name, keys, tmp_path, monkeypatch), name) > 200


WRONG = {
    "CLINIC_privacy_details.txt": (r"│ 12 +│ 12 ", "│ 12 │ 13 "),
    "CLINIC_privacy_summary.txt": (r"│ \d+ +│ 12 ", "│ 4321 │ 12 "),
    "CLINIC_privacy_report.html": (r'<td class="n">12</td>', '<td class="n">4321</td>'),
    "evidence/anonymisation_report.md": (r"\| \d+ \| 12 \|", "| 4321 | 12 |"),
}


@pytest.mark.thorough("0.5 s")
def test_every_number_of_a_small_pilot_and_one_wrong_number_is_seen(told_once):
    results = told_once.results
    assert check(results, told_once.name) > 200
    for file, (was, now) in WRONG.items():
        path = results / file
        text = path.read_text(encoding="utf-8")
        path.write_text(re.sub(was, now, text, count=1), encoding="utf-8")
        with pytest.raises(AssertionError):
            check(results, told_once.name)
        path.write_text(text, encoding="utf-8")
