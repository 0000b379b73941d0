"""Nothing grows unseen: the most statements that a room and its tests may have, the most settings, the most words.

The numbers of this file fall and never rise. What needs room takes it from elsewhere in the same commit: one number
goes down by at least what another goes up, and ``MOST_STATEMENTS`` holds the sum. A number much above what is there is
lowered to it, so that what was taken away stays away. Statements are those of the syntax tree: a longer line, a lost
docstring or comment gains nothing.

``python -m tests.test_size`` prints what is there today.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from pathlib import Path

from tests.places import PROJECT
from tests.test_imports import module_name, parsed, project_files, room_of

# What an issue carries beyond the numbers below while old and new stand side by side: its name, and how many statements
# of which room. An overdraft ends with its issue.
OVERDRAFTS: dict[str, dict[str, int]] = {}

MOST = {
    "Anonymization_Models": 374,
    "config": 235,
    "disclosure_control": 1,
    "disclosure_control.analyses": 3043,
    "disclosure_control.assess": 781,
    "disclosure_control.attack": 3655,
    "disclosure_control.basics": 2286,
    "disclosure_control.draft": 1792,
    "disclosure_control.identifiers": 1204,
    "disclosure_control.measures": 1328,
    "disclosure_control.records": 1511,
    "disclosure_control.release": 4686,
    "disclosure_control.remedy": 3608,
    "disclosure_control.report": 1184,
    "disclosure_control.rules": 297,
    "disclosure_control.run": 974,
    "disclosure_control.steps": 3591,
    "disclosure_control.study_tables": 1509,
    "doors": 713,
    "study": 9172,
    "tests": 861,
    "tests/analyses/explore": 387,
    "tests/analyses/fairness": 143,
    "tests/analyses/linkage_attack": 418,
    "tests/analyses/private_release": 782,
    "tests/analyses/sweep": 447,
    "tests/assess": 193,
    "tests/attack": 1203,
    "tests/bad_inputs": 589,
    "tests/basics": 1108,
    "tests/config": 182,
    "tests/corpus": 299,
    "tests/draft": 1527,
    "tests/identifiers": 445,
    "tests/measures": 1730,
    "tests/models": 791,
    "tests/records": 1445,
    "tests/release": 2639,
    "tests/remedy/recodings": 682,
    "tests/remedy/treatments": 1307,
    "tests/report": 2670,
    "tests/rules": 211,
    "tests/run": 2010,
    "tests/steps/context": 41,
    "tests/steps/identifiers": 217,
    "tests/steps/recommend": 384,
    "tests/steps/release": 1606,
    "tests/steps/risk": 277,
    "tests/steps/treatment": 304,
    "tests/study": 245,
    "tests/study/columns": 196,
    "tests/study/formats": 2688,
    "tests/study/merge": 1937,
    "tests/study/models": 1123,
    "tests/study_tables": 1060,
}
MOST_STATEMENTS, MOST_OF_TESTS = 41944, 32147
MOST_SETTINGS = 240
MOST_WORDS = {"docs": 34830, "README.md": 1990}
MOST_BYTES_OF_README = 12288
# A number may be above what is there by this share: less is no room to hide in.
SLACK = 0.01


def statements_in(path: Path) -> int:
    """Statements of a file, those within others too; docstrings and other lone constants are none."""
    return parsed(path.read_text(encoding="utf-8")).n_statements


def place_of_tests(path: Path) -> str:
    """The folder of a test below ``tests``, of steps and analyses and parts of a study one folder further down."""
    parts = path.relative_to(PROJECT).parts[:-1]
    return "/".join(parts[:3] if parts[1:2] in (("steps",), ("analyses",), ("study",), ("remedy",)) else parts[:2])


@functools.cache
def sizes() -> dict[str, int]:
    """Statements by room, as ``tests/test_imports.py`` lists the rooms, and by folder of tests."""
    found: Counter[str] = Counter()
    for path in project_files():
        found[room_of(module_name(path)) or "disclosure_control"] += statements_in(path)
    for path in sorted((PROJECT / "tests").rglob("*.py")):
        found[place_of_tests(path)] += statements_in(path)
    return dict(sorted(found.items()))


def allowed(room: str) -> int:
    return MOST.get(room, 0) + sum(of_issue.get(room, 0) for of_issue in OVERDRAFTS.values())


def n_settings() -> int:
    """Fields of classes of settings: what a controller can write into a config."""
    return sum(path.read_text(encoding="utf-8").count(" = setting(") for path in project_files())


def words_of(*paths: Path) -> int:
    return sum(len(path.read_text(encoding="utf-8").split()) for path in paths)


def test_no_room_grows():
    grown = {room: size - allowed(room) for room, size in sizes().items() if size > allowed(room)}
    assert grown == {}, f"statements more than tests/test_size.py allows: {grown}; take as many away elsewhere"


def test_what_was_taken_away_stays_away():
    found = sizes()
    loose = {room: found.get(room, 0) for room in MOST if allowed(room) > found.get(room, 0) * (1 + SLACK) + 10}
    assert loose == {}, f"less is there than tests/test_size.py allows: lower its numbers to {loose}"


def test_rooms_grow_only_by_what_others_lose():
    of_tests = sum(most for room, most in MOST.items() if room.startswith("tests"))
    assert of_tests <= MOST_OF_TESTS
    assert sum(MOST.values()) - of_tests <= MOST_STATEMENTS


def test_no_more_settings():
    assert n_settings() <= MOST_SETTINGS


def test_no_more_words():
    found = {"docs": words_of(*sorted((PROJECT / "docs").glob("*.md"))), "README.md": words_of(PROJECT / "README.md")}
    grown = {name: n - MOST_WORDS[name] for name, n in found.items() if n > MOST_WORDS[name]}
    assert grown == {}, f"words more than tests/test_size.py allows: {grown}"
    assert (PROJECT / "README.md").stat().st_size <= MOST_BYTES_OF_README


if __name__ == "__main__":
    of_today = sizes()
    print(re.sub(r"(\d),", r"\1,\n   ", str(of_today)))
    print(
        {
            "product": sum(n for room, n in of_today.items() if not room.startswith("tests")),
            "tests": sum(n for room, n in of_today.items() if room.startswith("tests")),
            "settings": n_settings(),
        }
    )
