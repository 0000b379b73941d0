"""Verify over a run of every step: one byte of any file, and one figure with all hashes made anew, are found."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil

import numpy as np
import pytest

from disclosure_control import verify as verification
from disclosure_control.report.evidence.manifest import figures_of
from disclosure_control.report.evidence.pack import MANIFEST
from disclosure_control.report.verification import _leaves
from disclosure_control.run.clock import utc_now
from disclosure_control.run.fingerprints import KEY_FILE, fingerprint, fingerprint_of_json
from disclosure_control.run.results import summary_text
from disclosure_control.verify import verify
from tests.run.fixtures import kept_screen
from tests.run.synthetic_pilot import DONE, PEOPLE, Doors, SyntheticPilot, copy_of, csv_text

pytestmark = pytest.mark.thorough("40 s; a sibling of test_verify.py, over a run of every step")
SUMMARY = "CLINIC_privacy_summary.json"
KEY = "VERIFY_TEST_KEY"
KEYS = {
    "risk": "all",
    "explore": {"figures": False},
    "recommend": {},
    "treatment": [{"method": "recommended"}],
    "release": {"key_from": {"environment": KEY}},
    "sweep": {"grid": [{"method": "band", "column": "DM__AGE", "width": [5, 20]}], "seed": 1},
    "fairness": {"favourable": {"column": "LB__Cholesterol", "at_least": 200}, "sensitive": "DM__SEX",
                 "reference": "FMARKER"},
    "linkage_attack": {"folder": "identified", "identified": "register.csv", "id": "name", "truth": "USUBJID",
                       "known": {"DM__SEX": "sex"},
                       "inference": {"secret": "LB__Cholesterol", "known": ["DM__SEX"], "n_attacks": 10}},
    "context": {"purpose": "a test"},
}  # fmt: skip


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A pilot that went through both doors with every step that needs no budget, and through the second one twice."""
    pilot = SyntheticPilot(tmp_path_factory.mktemp("everything")).create()
    register = [{"name": f"NAMEMARKER {i}", "USUBJID": one[0], "sex": one[2]} for i, one in enumerate(PEOPLE)]
    (pilot.folder / "identified").mkdir()
    pilot.write("identified/register.csv", csv_text(register))
    pilot.configure(**KEYS)
    with kept_screen() as screen, pytest.MonkeyPatch.context() as monkeypatch:
        doors = Doors(pilot.desk, monkeypatch, screen)
        monkeypatch.setattr("disclosure_control.run.clock.utc_now", utc_now)
        monkeypatch.setenv(KEY, "a key of this test alone, 0123456789 abcdefghij")
        for door in (1, 2, 2):
            run = doors.start(door, *(["--shareable"] if door == 2 else []))
            assert run.status == DONE, run.err
    return pilot


@pytest.fixture
def published(template, tmp_path, doors, monkeypatch):
    monkeypatch.setenv(KEY, "a key of this test alone, 0123456789 abcdefghij")
    return copy_of(template.root, tmp_path)


@pytest.fixture
def made_once(published, monkeypatch, tmp_path_factory):
    """The run again is made once, for all that is asked of it: it does not depend on the results that are verified."""
    kept = tmp_path_factory.mktemp("again") / "again"
    once = verification._run_again

    @contextlib.contextmanager
    def again(found, *arguments):
        if not kept.is_dir():
            with once(found, *arguments) as made:
                shutil.copytree(made, kept)
        yield kept

    monkeypatch.setattr(verification, "_run_again", again)
    assert verify(published.results).n_changed == 0


def changed_of(pilot) -> list[str]:
    return [words for found in verify(pilot.results).changed.values() for words in found]


def all_files(pilot) -> list:
    """Inputs, config, everything in the folder of results, and the key beside it."""
    paths = [path for path in pilot.folder.rglob("*") if path.is_file() and path.parent != pilot.beside]
    return [*sorted(paths), pilot.beside / KEY_FILE, pilot.config_file]


def test_one_flipped_bit_of_any_file_is_found_and_the_file_is_named(published, capsys):
    assert changed_of(published) == []
    chance = np.random.default_rng(3)
    kinds = set()
    for path in all_files(published):
        content = path.read_bytes()
        place, bit = int(chance.integers(max(len(content), 1))), 1 << int(chance.integers(8))
        path.write_bytes(content[:place] + bytes([content[place] ^ bit]) + content[place + 1 :] if content else b"7")
        status = verification.main([str(published.results)])
        printed = capsys.readouterr()
        path.write_bytes(content)
        where = f"{path.name}, byte {place}, bit {bit}"
        assert status in (verification.CHANGED, 2), where
        assert path.name in printed.out + printed.err or path.name == KEY_FILE, where
        kinds.add(path.suffix or path.name)
    assert kinds >= {".csv", ".json", ".jsonl", ".html", ".txt", ".md", ".py", ".svg", KEY_FILE}
    assert any("released/" in str(path) for path in all_files(published))
    assert changed_of(published) == []


def other(value):
    """A value of the same kind that is another one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1 if abs(value) >= 1 else value + type(value)(1)
    return 7 if value is None else [1] if value == [] else {"a": 1} if value == {} else f"{value}x"


def forged(pilot, place: tuple[str, ...]) -> None:
    """One figure of the summary is another one, and every hash that a run would make of it is made anew."""
    results, key = pilot.results, (pilot.beside / KEY_FILE).read_bytes()
    summary, manifest = (json.loads((results / name).read_text(encoding="utf-8")) for name in (SUMMARY, MANIFEST))
    inner = summary
    for name in place[:-1]:
        inner = inner[int(name) if isinstance(inner, list) else name]
    last = int(place[-1]) if isinstance(inner, list) else place[-1]
    inner[last] = other(inner[last])
    manifest["figures"] = fingerprint_of_json(figures_of(summary), key)
    if place[0] in ("inputs", "files"):
        manifest["results" if place[0] == "files" else "inputs"] = {
            name: entry for name, entry in summary[place[0]].items() if name != MANIFEST
        }
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    (results / MANIFEST).write_text(text, encoding="utf-8")
    if place[:2] != ("files", MANIFEST):
        summary["files"][MANIFEST]["sha256"] = fingerprint(key, hashlib.sha256(text.encode()).hexdigest())
    (results / SUMMARY).write_text(summary_text(summary), encoding="utf-8")


def test_every_forged_figure_is_found(published, made_once):
    """Of the leaves of the JSON summary each that says something of files, and a twentieth of the others by chance."""
    kept = {name: (published.results / name).read_bytes() for name in (SUMMARY, MANIFEST)}
    places = [place for place, _ in _leaves(published.summary())]
    assert len(places) > 500
    chance = np.random.default_rng(4)
    unnoticed = []
    for place in [place for place in places if place[0] in ("files", "inputs") or chance.random() < 0.05]:
        forged(published, place)
        words = changed_of(published)
        if not words:
            unnoticed.append(".".join(place))
        for name, content in kept.items():
            (published.results / name).write_bytes(content)
    assert unnoticed == []
