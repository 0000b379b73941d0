"""Every engine finds the same of a file, byte by byte, however small its parts; and what a slow referee finds."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.assess.assessment import Assessment, evaluate
from disclosure_control.assess.opening import OpenedPilot
from disclosure_control.assess.risky_rows import risky_row_files
from disclosure_control.basics.telling.faults import RecordsNotAtHandError
from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.records.limits import Limits
from disclosure_control.report.run_texts import full_privacy_report
from disclosure_control.report.run_told import privacy_summary
from disclosure_control.run.results import ResultSet
from disclosure_control.steps.running import run_steps
from tests.examples import examples
from tests.models import referee
from tests.records.written_pilots import (
    COLUMNS,
    NUMBERS,
    configs,
    limits,
    opened_with,
    refused,
    rows,
    text_of,
)


@pytest.fixture(autouse=True)
def quick_flush(monkeypatch):
    """Waiting for the disk tells nothing here and takes most of the time."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


def assessed(opened: OpenedPilot) -> Assessment:
    return evaluate(opened.people, opened.config)


def test_what_is_declared_of_columns_is_no_reason_to_refuse_a_run(tmp_path):
    path = tmp_path / "combined_dataset.csv"
    path.write_bytes(text_of([["1", "a", "1", "2", "3", "4"]]))
    declared = {"identifiers": {"harmless": {"SITE": "a batch number"}}, "context": {}}
    with opened_with("memory", path, CONFIG | declared, Limits()) as opened:
        assert refused(opened.config) == []


def results_of(opened: OpenedPilot, folder) -> dict[str, bytes]:
    """Every file of results by name, as door 2 writes them."""
    assessment = assessed(opened)
    steps = run_steps("P", folder, opened.dataset, assessment)
    assert set(steps) >= {"identifiers", "risk", "context"}
    folder.mkdir()
    results = ResultSet(folder, "P.json")
    for name, pieces in risky_row_files(assessment):
        results.write_table(name, pieces, for_people=True)
    for step in steps.values():
        results.write_all(step.tables, step.datasets, step.files)
    said = [text for step in steps.values() for text in (step.first_lines, step.report)]
    report = [full_privacy_report("P", assessment), *said, repr(steps["identifiers"].reasons_to_hold)]
    results.write_text("P.txt", "\n".join(report))
    inputs = {"combined_dataset.csv": {"sha256": opened.dataset.sha256, "rows": opened.dataset.n_subjects}}
    figures = {name: step.figures for name, step in steps.items()}
    summary = {**privacy_summary(MASKED, "P", assessment, inputs), **figures, "files": results.files}
    results.write_text("P.json", json.dumps(summary, sort_keys=True))
    return {path.name: path.read_bytes() for path in sorted(results.staging.iterdir())}


@pytest.mark.thorough("3 s: both engines over whole pilots; their parts in the quick run")
@examples(24)
@given(rows(), configs, limits, st.integers(0, 3))
def test_the_same_bytes_from_disk_as_in_memory(tmp_path_factory, people, config, parts, n_empty):
    folder = tmp_path_factory.mktemp("pilot")
    path = folder / "combined_dataset.csv"
    path.write_bytes(text_of(people, n_empty))
    with opened_with("memory", path, config, parts) as opened:
        expected = results_of(opened, folder / "memory")
    with opened_with("disk", path, config, parts) as opened:
        found = results_of(opened, folder / "disk")
    assert list(found) == list(expected)
    assert [name for name in found if found[name] != expected[name]] == []


@pytest.mark.thorough("1 s: both engines over whole pilots; their parts in the quick run")
@examples(40)
@given(rows(12), configs)
def test_what_the_slow_referee_finds(tmp_path_factory, people, config):
    path = tmp_path_factory.mktemp("pilot") / "combined_dataset.csv"
    path.write_bytes(text_of(people))
    config = config | {"binning_config": {}, "sensitive_binning_config_for_L": {}}
    with opened_with("memory", path, config) as opened:
        assessment = assessed(opened)
        listed = [piece for _, pieces in risky_row_files(assessment) for piece in pieces]
    assert_as_the_referee_says(assessment, listed, people, config)


TWO_LINES = "two\r\nlines é"
NASTY_PEOPLE = [
    [
        f"患者{i * 5 % 11:02}",
        ["東京", "é"][i % 2],
        ["1", "2.5"][i % 5 // 4],
        NUMBERS[i % 5],
        ["é", TWO_LINES][i % 3 // 2],
        "x",
    ]
    for i in range(11)
]
TEXT = text_of(NASTY_PEOPLE)
CUT = (85, 105, 125, 144, 164)  # bytes of a block, one record at least


def what_blocks_cut() -> set[str]:
    """Within what the ends of blocks stand."""
    starts = [TEXT.index(person[0].encode()) for person in NASTY_PEOPLE]
    found = set()
    for end in {end for size in CUT for end in range(size, len(TEXT), size)}:
        before, after = ({tuple(person[1:3]) for person, start in zip(NASTY_PEOPLE, starts, strict=True)
                          if (start < end) == is_before} for is_before in (True, False))  # fmt: skip
        is_within = {
            "a letter": 0x80 <= TEXT[end] < 0xC0,
            "a quoted line break": TEXT[end - 1 : end + 1] == b"\r\n",
            "a class": bool(before & after),
        }
        found |= {name for name, is_cut in is_within.items() if is_cut}
    return found


@pytest.mark.thorough("1 s: both engines over whole pilots; their parts in the quick run")
def test_wherever_a_part_ends_the_slow_referee_finds_the_same(tmp_path):
    assert what_blocks_cut() == {"a letter", "a quoted line break", "a class"}
    path = tmp_path / "combined_dataset.csv"
    path.write_bytes(TEXT)
    config = CONFIG | {"sensitive_feature": ["V", "W"], "L": {"V": 2, "W": 2}, "T": {"V": 0.5, "W": 0.2}, "K": 3}
    config |= {"missing_qis": "category", "t_distance": {"V": "wasserstein", "W": "total_variation"}}
    for size in CUT:
        n_people = 1 + size % 4
        parts = Limits(block_bytes=size, cells_per_part=n_people, flagged_per_part=n_people)
        with opened_with("disk", path, config, parts) as opened:
            assessment = assessed(opened)
            listed = [piece for _, pieces in risky_row_files(assessment) for piece in pieces]
        assert_as_the_referee_says(assessment, listed, NASTY_PEOPLE, config)


def assert_as_the_referee_says(assessment: Assessment, listed: list, people: list[list[str]], config: dict) -> None:
    """The figures of each model, and who is listed with which measure."""
    expected = dict(referee_measures(people, config))
    for result in assessment.results:
        of_record = expected[result.model, result.sensitive]
        known = [float(value) for value in of_record.values() if value is not None]
        assert (result.n_total, result.n_evaluated) == (len(people), len(known))
        if known:
            worst = max(known) if result.model == "t_closeness" else min(known)
            assert result.worst == pytest.approx(worst, abs=1e-9)
    flagged: dict[tuple, dict[str, float]] = {}
    for piece in listed:
        kind = {"k_count": "k_anonymity", "l_count": "l_diversity", "t_distance": "t_closeness"}[piece.columns[-1]]
        sensitive = None if kind == "k_anonymity" else piece.columns[-2]
        measures = dict(zip(piece["USUBJID"], piece.iloc[:, -1].astype(float), strict=True))
        flagged.setdefault((kind, sensitive), {}).update(measures)
    for key, measures in flagged.items():
        threshold = {"k_anonymity": config["K"], "l_diversity": config["L"], "t_closeness": config["T"]}[key[0]]
        threshold = threshold if key[1] is None else threshold[key[1]]
        known = {subject: float(value) for subject, value in expected[key].items() if value is not None}
        is_risky = {
            subject: value > threshold + 1e-9 if key[0] == "t_closeness" else value < threshold
            for subject, value in known.items()
        }
        assert set(measures) == {subject for subject, risky in is_risky.items() if risky}
        assert measures == pytest.approx({subject: known[subject] for subject in measures}, abs=1e-9)


def referee_measures(people: list[list[str]], config: dict) -> Iterator[tuple[tuple[str, str | None], dict]]:
    """By model and sensitive feature what the referee says of each subject, None where it is not evaluated."""
    table = {name: [row[i] for row in people] for i, name in enumerate(COLUMNS)}
    numbers = {name: [float(value) if value else None for value in table[name]] for name in ("AGE", "V")}
    table |= numbers
    qis, policy, subjects = ["SEX", "AGE"], config["missing_qis"], table["USUBJID"]
    yield ("k_anonymity", None), dict(zip(subjects, referee.k_of_records(table, qis, policy), strict=True))
    for name in ("V", "W"):
        diversity = referee.l_of_records(table, qis, name, missing_qis=policy)
        yield ("l_diversity", name), dict(zip(subjects, diversity, strict=True))
        closeness = referee.t_of_records(table, qis, name, config["t_distance"][name], policy)
        yield ("t_closeness", name), dict(zip(subjects, closeness, strict=True))


CONFIG = {
    "categorical_qis": ["SEX"], "continuous_qis": ["AGE"], "binning_config": {}, "sensitive_feature": "V",
    "K": 2, "L": 2, "T": 1,
}  # fmt: skip


ASKED = {
    "class_of_record": lambda assessment: assessment.classes.class_of_record,
    "codes of a quasi-identifier": lambda assessment: assessment.classes.columns[0].codes,
    "codes of a sensitive feature": lambda assessment: assessment.counts["V"].codes,
    "measure": lambda assessment: assessment.k_anonymity.measure,
}


def test_records_that_are_not_in_memory_are_refused_with_what_would_help(tmp_path):
    path = tmp_path / "combined_dataset.csv"
    path.write_bytes(text_of([["1", "a", "1", "1", "a", "x"], ["2", "a", "1", "2", "a", "x"]]))
    with opened_with("disk", path, CONFIG, None) as opened:
        for ask in [lambda _: opened.dataset.everybody, *ASKED.values()]:
            with pytest.raises(RecordsNotAtHandError, match="--engine memory"):
                ask(assessed(opened))


@pytest.mark.thorough("0.4 s")
def test_the_count_table_is_there_where_it_fits_and_refused_where_not(tmp_path, monkeypatch):
    path = tmp_path / "combined_dataset.csv"
    people = [[f"{i}", "ab"[i % 2], "1", f"{i % 3}", "a", "x"] for i in range(12)]
    path.write_bytes(text_of(people))
    with opened_with("memory", path, CONFIG, None) as opened:
        expected = opened.people.counts["V"].table
    with opened_with("disk", path, CONFIG, None) as opened:
        found = opened.people.counts["V"].table
        for name in ("class_of_cell", "value_of_cell", "people", "values"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    monkeypatch.setattr("Anonymization_Models.MOST_CELLS_AT_ONCE", 5)
    parts = Limits(cells_per_part=3)
    with opened_with("disk", path, CONFIG, parts) as opened, pytest.raises(RecordsNotAtHandError, match="cells"):
        _ = opened.people.counts["V"].table
