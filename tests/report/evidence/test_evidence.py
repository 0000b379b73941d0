"""The evidence pack: what regulators ask for, the figures of the summary, true fingerprints, and nobody in it."""

from __future__ import annotations

import hashlib
import html
import json
import platform
import re
import socket

import pytest

from disclosure_control.report.evidence.pack import MANIFEST, REPORT_HTML, REPORT_MD, markdown_text
from disclosure_control.report.evidence.packages import versions
from disclosure_control.run.fingerprints import KEY_FILE, fingerprint
from tests.cases import each
from tests.places import PROJECT
from tests.run.synthetic_pilot import DONE, NOW, leaks
from tests.steps.context.test_context import EVERYTHING, ROLES

# The template of EMA and Health Canada: methodology, variables, risk, utility; ISO/IEC 27559 around it.
HEADINGS = [
    "Purpose, recipient and context",
    "Anonymisation methodology: treatment by variable",
    "Identification of data variables",
    "Missing values",
    "Threat model and probability of an attempt",
    "Thresholds, and why",
    "Risk before and after",
    "Adversarial testing",
    "Residual risk",
    "Loss of utility",
    "Approval and review",
    "How to check this report",
]


def text_of(pilot, name: str) -> str:
    return (pilot.results / name).read_text(encoding="utf-8")


def manifest_of(pilot) -> dict:
    return json.loads(text_of(pilot, MANIFEST))


def test_the_report_has_every_heading_in_both_forms(pilot):
    assert re.findall(r"^## \d+\. (.+)$", text_of(pilot, REPORT_MD), re.M) == HEADINGS
    assert re.findall(r"<h2[^>]*>\d+\. (.+)</h2>", text_of(pilot, REPORT_HTML)) == HEADINGS


def test_every_table_says_what_it_is_of(pilot):
    """Two tables of one chapter ran into each other."""
    page, markdown = text_of(pilot, REPORT_HTML), text_of(pilot, REPORT_MD)
    for title in ("At risk before any treatment", "Missing values", "Thresholds", "Variables"):
        assert f"<caption>{title}</caption>" in page
        assert f"\n\n**{title}**\n\n|" in markdown


@pytest.mark.thorough("0.6 s")
def test_what_was_not_said_is_an_open_point_and_what_was_is_not(pilot, doors):
    assert text_of(pilot, REPORT_MD).count("**Open point**") == 16
    assert text_of(pilot, REPORT_HTML).count("<strong>Open point</strong>") == 16
    pilot.configure(context=EVERYTHING, treatment=[{"method": "suppress_records", "models": ["k"]}])
    assert doors.start(2).status == DONE
    for name in (REPORT_MD, REPORT_HTML):
        text = text_of(pilot, name)
        assert "pen point" not in text
        said = [value for value in EVERYTHING.values() if isinstance(value, str)] + list(ROLES.values())
        assert [value for value in said if value not in text] == []
        assert "2026-01-15" in text
    check_the_figures_of_the_summary(pilot.summary(), text_of(pilot, REPORT_MD))


def check_the_figures_of_the_summary(summary: dict, report: str) -> None:
    before, after = summary["k_anonymity"], summary["treatment"]["as_released"]["k_anonymity"]
    shown = [f"{one['risky']} of {one['evaluated']} ({one['risky_rate']:.1%})" for one in (before, after)]
    (row,) = re.findall(r"^\| At risk by k .*$", report, re.M)
    assert all(one in row for one in shown)
    for policy, n in summary["missing_policies"].items():
        assert f"| {policy} | {n['evaluated']} | {n['not_evaluated']} | {n['risky']} |" in report
    average = summary["risk"]["prosecutor"]["average"]
    assert f"on average, so with the attempt {0.3 * average:.1%}" in report


def test_nobody_is_in_the_pack_and_nothing_of_the_host(pilot):
    for name in (MANIFEST, REPORT_MD, REPORT_HTML):
        text = text_of(pilot, name)
        assert leaks(text) == []
        for of_host in (socket.gethostname(), platform.release(), str(pilot.root), str(PROJECT)):
            assert not re.search(rf"(?<!\w){re.escape(of_host)}(?!\w)", text), name


def test_every_fingerprint_of_the_manifest_is_true(pilot):
    manifest, key = manifest_of(pilot), (pilot.beside / KEY_FILE).read_bytes()

    def of_file(path) -> str:
        return fingerprint(key, hashlib.sha256(path.read_bytes()).hexdigest())

    assert (manifest["schema"], manifest["started"]) == (1, NOW)
    assert manifest["config"]["sha256"] == of_file(pilot.config_file)
    assert set(manifest["domain_files"]) == {"DM.csv", "VS.csv", "LB.csv", "SC.csv"}
    assert {name: of_file(pilot.folder / name) for name in manifest["domain_files"]} == {
        name: entry["sha256"] for name, entry in manifest["domain_files"].items()
    }
    assert manifest["merge_report"] == of_file(pilot.results / "merge_report.json")
    assert manifest["inputs"] == pilot.summary()["inputs"]
    of_set = {name: entry for name, entry in pilot.summary()["files"].items() if name != MANIFEST}
    assert manifest["results"] == of_set


def test_no_plain_hash_stands_in_the_pack(pilot):
    """A plain hash of a small file would say of each guess at its one unknown value whether it is right."""
    text = text_of(pilot, MANIFEST)
    files = [path for folder in (pilot.folder, pilot.results) for path in folder.iterdir() if path.is_file()]
    assert not [path.name for path in files if hashlib.sha256(path.read_bytes()).hexdigest() in text]


@pytest.mark.thorough("0.5 s")
def test_seeds_are_told_where_that_undoes_nothing(pilot, doors):
    noise = [{"method": "noise", "columns": ["VS__BMI"], "share": 0.5}]
    pilot.configure(treatment={"seed": 424242, "steps": noise})
    run = doors.start(2)
    assert run.status == DONE, run.err
    assert manifest_of(pilot)["seeds"] == {"treatment": "your own"}
    assert "424242" not in text_of(pilot, MANIFEST) + text_of(pilot, REPORT_MD) + text_of(pilot, REPORT_HTML)


def test_versions_are_those_of_every_requirement():
    import jinja2
    import numpy

    found = versions()
    assert (found["numpy"], found["jinja2"]) == (numpy.__version__, jinja2.__version__)
    assert {"python-dateutil", "markupsafe"} <= {*found}  # what these need
    assert found["python"] == platform.python_version()
    assert "pytest" not in found


@each("text", ["a|b", "<b>x</b>", "[x](http://y)", "*x*", "a\nb", "# x", "`x`", "x & y", "\\", "DM__SEX", "a_b_c"])
def test_markdown_shows_names_as_they_are(text):
    """No mark of it forms a table, a link, HTML or emphasis; in a reader's eyes the text is as it was, in one line."""
    shown = markdown_text(text)
    assert not re.search(r"(?<!\\)[|<>\[\]*`&]", shown)
    assert "\n" not in shown
    assert re.sub(r"\\(.)", r"\1", shown) == text.replace("\n", " ")


@pytest.mark.thorough("0.5 s")
def test_names_and_words_cannot_leave_their_place(pilot, doors):
    bad = "</p><script>alert(1)</script>|x"
    pilot.write("DM.csv", (pilot.folder / "DM.csv").read_text().replace("SEX", f'"{bad}"', 1))
    pilot.configure(
        categorical_qis=[f"DM__{bad}", "SC__District of Permanent Address"], context={"purpose": f"{bad}\n## x"}
    )
    for run in doors.start_both():
        assert run.status == DONE, run.err
    page = text_of(pilot, REPORT_HTML)
    assert "<script" not in page
    assert html.escape(bad) in page
    assert not re.search(r"^## x", text_of(pilot, REPORT_MD), re.M)
