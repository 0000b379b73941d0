"""Verify: a run holds when nothing changed; one byte, one figure, one file that changed is named."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from disclosure_control.report.evidence.pack import MANIFEST
from disclosure_control.report.verification import Verification, check_figures_again, check_files_again
from disclosure_control.run.clock import utc_now
from disclosure_control.run.doors import OTHER_BUILD
from disclosure_control.run.fingerprints import KEY_FILE
from disclosure_control.verify import main, verify
from tests.run.fixtures import kept_screen
from tests.run.synthetic_pilot import (
    DISTRICT,
    DONE,
    INPUT_AT_FAULT,
    LOCKED,
    Doors,
    copy_of,
    files_below,
    leaks,
    rows_of,
    snapshot,
)

CHANGED = 1
COSTLY = pytest.mark.thorough("0.5 s to 1 s for a run again, and two or three of them")
SUMMARY = "CLINIC_privacy_summary.json"


@pytest.fixture(scope="module")
def published_once(finished_template, tmp_path_factory):
    """Results of a second run, a day after the first."""
    pilot = copy_of(finished_template, tmp_path_factory.mktemp("published"))
    with kept_screen() as screen, pytest.MonkeyPatch.context() as monkeypatch:
        doors = Doors(pilot.desk, monkeypatch, screen)
        monkeypatch.setattr("disclosure_control.run.clock.utc_now", utc_now)
        assert doors.start(2).status == DONE
    return pilot.root


@pytest.fixture
def published(published_once, tmp_path, doors, monkeypatch):
    """Such results of a desk of one's own, where ``verify`` finds the config."""
    monkeypatch.setattr("disclosure_control.run.clock.utc_now", utc_now)
    return copy_of(published_once, tmp_path)


def changed_of(pilot) -> list[str]:
    return [words for found in verify(pilot.results).changed.values() for words in found]


def flip_a_bit(path, place: int | None = None) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2 if place is None else place] ^= 1
    path.write_bytes(bytes(content))


def test_a_figure_that_differs_is_named_and_its_numbers_are_not_on_the_screen():
    """The report is exact since it is the controller's: "3 is stored, the run again says 4" was a count of few."""
    found = Verification()
    check_figures_again(found, {"k": {"risky": 3, "gone": 7}, "same": 8}, {"k": {"risky": 4}, "same": 8})
    assert found.n_changed == 2
    assert "CHANGED, k: k.risky: the run again says otherwise" in found.text
    assert "k.gone: is only in what is stored" in found.text
    assert not re.search(r"[3478]", found.text)


def test_files_made_again_are_compared_by_name_and_one_that_is_on_one_side_alone_differs(tmp_path):
    for folder, names in (("one", "ab"), ("other", "ac")):
        (tmp_path / folder).mkdir()
        for name in names:
            (tmp_path / folder / name).write_text("same")
    found = Verification()
    check_files_again(found, tmp_path / "one", tmp_path / "other", {"a", "b", "c"})
    assert found.held == {"files made again": 1}
    assert [words.partition(":")[0] for words in found.changed["files made again"]] == ["b", "c"]


def test_a_run_that_nobody_touched_holds_and_is_left_as_it_was(published, capsys):
    before = snapshot(published.root)
    assert main([str(published.results)]) == DONE
    out = capsys.readouterr().out
    assert "HOLDS: all" in out
    assert "CHANGED" not in out
    assert leaks(out) == []
    assert snapshot(published.root) == before


@pytest.mark.thorough("1.8 s")
def test_results_of_another_build_have_a_status_of_their_own_and_say_so_first(published, capsys, monkeypatch):
    monkeypatch.setattr("disclosure_control.report.verification.build", lambda: "another")
    assert main([str(published.results)]) == DONE  # another build that makes the same results
    monkeypatch.setattr("disclosure_control.report.run_told.__version__", "9.9.9")
    capsys.readouterr()
    assert main([str(published.results)]) == OTHER_BUILD
    out = capsys.readouterr().out
    assert out.splitlines()[1].startswith("Another build of this program made these results")
    assert out.splitlines()[-1].startswith("ANOTHER BUILD: files and inputs hold")
    flip_a_bit(published.results / "CLINIC_privacy_details.txt")
    assert main([str(published.results)]) == CHANGED


def test_every_figure_and_file_is_compared(published):
    found = verify(published.results)
    summary = published.summary()
    assert set(summary) - {"files"} <= set(found.held)
    assert found.held["files of the results"] == len(summary["files"]) + 1
    assert found.held["k_anonymity"] == len(summary["k_anonymity"])
    assert found.held["files made again"] == len(summary["files"])  # the manifest by its figures, the dataset beside
    assert found.notes == []


@COSTLY
@pytest.mark.parametrize("runs", ["400", "2"])
def test_a_run_after_which_few_are_no_longer_alone_holds(pilot, doors, monkeypatch, runs):
    """40 are alone; then 35 of them stay so, 5 go and 12 come: exactly so in the run, and when it is made again."""
    monkeypatch.setenv("BIOSTREAMS_KEEP_RUNS", runs)
    monkeypatch.setattr("disclosure_control.run.clock.utc_now", utc_now)
    monkeypatch.setattr("tests.run.synthetic_pilot.PEOPLE", tuple(_person(i) for i in range(90)))
    for alone in (range(40), range(5, 52)):
        for domain in ("DM", "VS", "LB", "SC"):
            rows = rows_of(domain)
            if domain == "SC":
                for i in alone:
                    rows[i][DISTRICT] = f"D{i}"
            pilot.write_rows(f"{domain}.csv", rows)
        assert [run.status for run in doors.start_both()] == [DONE, DONE]
    last = json.loads((pilot.results / "history.jsonl").read_text().splitlines()[-1])
    assert last["newly_alone"] == 12
    assert changed_of(pilot) == []
    assert len(pilot.result_rows("alone_since.csv")) == 35 + 12 + 5


def _person(i: int) -> tuple[str, ...]:
    return (f"S{i:03}", "31", "F", "all", "21", str(150 + i))


FILES = (
    "DM.csv",
    "processed_for_anonym/combined_dataset.csv",
    "processed_for_anonym/merge_report.json",
    "processed_for_anonym/risky_rows_k3_anonymity.csv",
    f"processed_for_anonym/{SUMMARY}",
    f"processed_for_anonym/{MANIFEST}",
    "../../configs/CLINIC.py",
    "VS.csv",
    "LB.csv",
    "SC.csv",
    "processed_for_anonym/alone_since.csv",
    "processed_for_anonym/combined_dataset.typed.parquet",
    "processed_for_anonym/CLINIC_privacy_summary.txt",
    "processed_for_anonym/CLINIC_privacy_details.txt",
    "processed_for_anonym/CLINIC_privacy_report.html",
    "processed_for_anonym/evidence/anonymisation_report.html",
    "processed_for_anonym/evidence/anonymisation_report.md",
    "processed_for_anonym/evidence/rules.html",
    "processed_for_anonym/evidence/rules.md",
    "processed_for_anonym/history.jsonl",
    "processed_for_anonym/quasi_identifier_groups.csv",
    "processed_for_anonym/risky_rows_l2_LB__Cholesterol.csv",
    "processed_for_anonym/risky_rows_t30_LB__Cholesterol.csv",
)


@COSTLY
@pytest.mark.parametrize(("place", "name"), list(enumerate(FILES)))
def test_one_changed_byte_of_any_file_is_found_and_the_file_is_named(published, place, name, capsys):
    path = (published.folder / name).resolve()
    before = path.read_bytes()
    # In turn a blank for a line end, or a letter or a digit of what stands in the middle.
    path.write_bytes(before[:-1] + b" " if place % 2 else _other_in_the_middle(before))
    status = main([str(published.results)])
    captured = capsys.readouterr()
    assert status in (CHANGED, INPUT_AT_FAULT)
    assert path.name in captured.out + captured.err
    assert leaks(captured.out, captured.err) == []


def _other_in_the_middle(content: bytes) -> bytes:
    place = len(content) // 2
    return content[:place] + (b"7" if content[place : place + 1] != b"7" else b"8") + content[place + 1 :]


def test_the_files_that_are_tried_are_all_there_are(pilot):
    tried = {name.removeprefix("processed_for_anonym/") for name in FILES}
    assert set(files_below(pilot.results)) <= tried
    assert {path.name for path in pilot.folder.iterdir() if path.is_file()} <= tried


@COSTLY
@pytest.mark.parametrize(
    ("place", "value"), [(("t_closeness", "LB__Cholesterol", "maximum"), 61.0), (("verdict", "verdict"), "May leave")]
)
def test_one_changed_figure_is_named_even_where_it_is_spelt_as_a_run_would(published, place, value):
    summary = published.summary()
    inner = summary
    for name in place[:-1]:
        inner = inner[name]
    assert inner[place[-1]] != value
    inner[place[-1]] = value
    (published.results / SUMMARY).write_text(json.dumps(summary, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    found = verify(published.results)
    (words,) = found.changed[place[0]]
    assert words.startswith(".".join(map(str, place)))
    assert found.changed["figures as recorded"]


@pytest.mark.thorough("2 s")
def test_whoever_forges_hashes_too_is_found_by_the_run_again(published):
    """A figure of the history of all places, with every fingerprint made anew: the run again still says otherwise."""
    import hashlib

    from disclosure_control.run.fingerprints import fingerprint

    path = published.results / "risky_rows_k3_anonymity.csv"
    path.write_text(path.read_text().replace(DISTRICT, "D", 1))
    key = (published.beside / KEY_FILE).read_bytes()
    true = fingerprint(key, hashlib.sha256(path.read_bytes()).hexdigest())
    for name in (SUMMARY, MANIFEST):
        text = (published.results / name).read_text()
        was = json.loads(text)["files" if name == SUMMARY else "results"][path.name]["sha256"]
        (published.results / name).write_text(text.replace(was, true))
    assert any(path.name in words for words in changed_of(published))


@pytest.mark.thorough("0.5 s")
@pytest.mark.parametrize("name", ["released/dm.xpt", ".hidden"])
def test_a_file_that_no_run_wrote_is_named(published, name):
    (published.results / name).parent.mkdir(exist_ok=True)
    (published.results / name).write_text("of somebody else")
    assert changed_of(published) == [f"{name}: no run wrote it; the next one moves it out of the results"]


@pytest.mark.thorough("0.6 s")
def test_a_link_and_an_empty_folder_among_the_results_are_named(published):
    """A link to a folder of domain files in ``released/`` is copied with it; so is a file that is gone."""
    (published.results / "risky_rows_k3_anonymity.csv").unlink()
    (published.folder / "raw").mkdir()
    (published.folder / "raw" / "dm.csv").write_bytes((published.folder / "DM.csv").read_bytes())
    (published.results / "evidence" / "raw").symlink_to(published.folder / "raw")
    (published.results / "evidence" / "DM.csv").symlink_to(published.folder / "DM.csv")
    (published.results / "notes on somebody").mkdir()
    names = ["evidence/DM.csv", "evidence/raw", "notes on somebody"]
    changed = changed_of(published)
    assert "risky_rows_k3_anonymity.csv: not there any more" in changed
    assert [f"{name}: no run wrote it; remove it" for name in names] == [one for one in changed if "remove" in one]


def test_an_archive_that_is_read_only_is_verified_in_a_copy_of_it(published, capsys, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: not Path(path).is_relative_to(published.folder))
    assert main([str(published.results)]) == INPUT_AT_FAULT
    assert "copy the pilot's folder to such a place, and verify the copy" in capsys.readouterr().err


@pytest.mark.thorough("0.5 s")
def test_without_domain_files_the_combined_dataset_stands_for_them(published):
    published.remove("VS.csv")
    found = verify(published.results)
    assert found.changed["inputs"] == ["VS.csv: not there any more"]
    assert any("combined_dataset.csv was used without merging" in note for note in found.notes)
    # The step identifiers looks at every domain file; k, l and t at the combined dataset alone.
    assert not any(found.changed[name] for name in ("k_anonymity", "l_diversity", "t_closeness", "missing_policies"))


@pytest.mark.thorough("0.5 s")
def test_a_config_that_cannot_be_run_any_more_is_said(published):
    published.configure(K=0)
    words = changed_of(published)
    assert "CLINIC.py: changed since the run" in words
    assert any("it stops: K: found 0" in one for one in words)


@pytest.mark.thorough("0.3 s")
def test_versions_that_changed_are_notes(published, monkeypatch):
    monkeypatch.setattr("disclosure_control.report.verification.versions", lambda: {"python": "2.7", "numpy": "1"})
    found = verify(published.results)
    assert found.n_changed == 0
    assert any(re.match(r"python: version 3\.\d+\.\d+ in the run, 2\.7 now", note) for note in found.notes)


@pytest.mark.thorough("2 s")
def test_paid_answers_are_not_asked_again(published, doors):
    pytest.importorskip("opendp")
    query = {"name": "people", "kind": "count", "epsilon": 0.5, "accept_noise": True}
    published.configure(private_release={"budget": {"epsilon": 1.0}, "people": 12, "queries": [query]})
    assert doors.start(2).status == DONE
    before = snapshot(published.root)
    found = verify(published.results)
    assert found.n_changed == 0, found.changed
    assert any("not asked again" in note for note in found.notes)
    assert snapshot(published.root) == before  # the ledger, too
    flip_a_bit(published.results / "private_release.json")
    assert changed_of(published) == ["private_release.json: changed since the run"]


@pytest.mark.thorough("2 s")
def test_a_release_of_another_day_holds(pilot, doors, monkeypatch):
    """``released/`` tells the day of its run, and does so when it is made again."""
    monkeypatch.setattr("disclosure_control.run.clock.utc_now", lambda: "2026-02-03T04:05:06.000007Z")
    monkeypatch.setenv("CLINIC_KEY", "8f14e45fceea167a5a36dedd4bea2543a1b2c3d4e5f60718")
    pilot.configure(release={"key_from": {"environment": "CLINIC_KEY"}})
    assert doors.start(2).status == DONE
    assert "released 2026-02-03" in (pilot.results / "released" / "README.txt").read_text(encoding="utf-8")
    monkeypatch.setattr("disclosure_control.run.clock.utc_now", utc_now)
    found = verify(pilot.results)
    assert found.n_changed == 0, found.changed


def test_nothing_to_compare(published, tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    assert main([str(tmp_path / "empty")]) == INPUT_AT_FAULT
    assert "name a folder that Main_Anonymization.py wrote" in capsys.readouterr().err
    key = published.beside / KEY_FILE
    key.write_bytes(key.read_bytes() + b"\n")
    before = snapshot(published.root)
    assert main([str(published.results)]) == INPUT_AT_FAULT
    assert ".hash_key: changed since a run wrote it" in capsys.readouterr().err
    assert snapshot(published.root) == before
    key.unlink()
    assert main([str(published.results)]) == INPUT_AT_FAULT
    assert ".hash_key: not there" in capsys.readouterr().err


@pytest.mark.thorough("1 s, a process")
def test_a_pilot_that_another_run_holds(published):
    from tests.run.processes import held_by_another_process

    with held_by_another_process(published):
        assert main([str(published.results)]) == LOCKED
