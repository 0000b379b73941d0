"""The container, without a daemon: the steps of the Dockerfile followed by hand, then run as it says it may be run."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.places import PROJECT
from tests.run.processes import environment, without_root_powers
from tests.run.synthetic_pilot import SyntheticPilot, leaks, snapshot


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions in order: word and the rest of the line."""
    text = (PROJECT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.partition(" ") for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(word, rest.strip()) for word, _, rest in lines]


def rest_of(word: str) -> str:
    (found,) = [rest for one, rest in instructions() if one == word]
    return found


def compiling() -> list[str]:
    """The command with which the image compiles the program; what it compiles beside that is the image's own."""
    (found,) = [rest.split() for word, rest in instructions() if word == "RUN" and "compileall" in rest]
    version = rest_of("FROM").removeprefix("python:").partition("-")[0]
    assert found[-2:] == [f"/usr/local/lib/python{version}", "."]
    return [*found[:-2], "."]


def copied() -> set[str]:
    """What of the clone, as git has it, COPY takes along: the last rule of .dockerignore that fits decides."""
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=PROJECT, capture_output=True, text=True
    ).stdout.splitlines()
    if not names:
        pytest.skip("no git repository to list files")
    rules = (PROJECT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    rules = [rule for rule in rules if rule and not rule.startswith("#")]

    def is_copied(name: str) -> bool:
        ways = [name, *map(str, Path(name).parents)][:-1]
        taken = True
        for rule in rules:
            if any(fnmatch.fnmatch(way, rule.lstrip("!")) and way.count("/") == rule.count("/") for way in ways):
                taken = rule.startswith("!")
        return taken

    return {name for name in names if is_copied(name) and (PROJECT / name).is_file()}


def test_the_image_runs_without_the_powers_of_root():
    words = [word for word, _ in instructions()]
    user = rest_of("USER")
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user)  # by number, so that a platform can see that it is not root
    assert words.index("USER") > max(place for place, word in enumerate(words) if word in ("RUN", "COPY"))
    assert "HEALTHCHECK" not in words  # a start that proves no run would say that all is well
    assert "--network none" in (PROJECT / "docs" / "operations.md").read_text(encoding="utf-8")
    assert "--read-only" in (PROJECT / "docs" / "operations.md").read_text(encoding="utf-8")


def test_no_pilot_and_no_config_becomes_part_of_the_image():
    found = copied()
    assert {"Main_Anonymization.py", "config/__init__.py", "study/__init__.py", "requirements.txt"} <= found
    assert "disclosure_control/report/pilots/templates/overview.html" in found
    assert not [name for name in found if name.startswith(("pilot_report/", "tests/", "docs/")) or name == ".env"]
    assert not [name for name in found if re.fullmatch(r"config/[A-Z_]+\.py", name)]


@pytest.mark.thorough("3 s, two processes")
@pytest.mark.skipif(os.name != "posix", reason="containers run Linux")
def test_the_steps_of_the_image_end_with_a_report(tmp_path):
    """Copied as COPY does, read-only, without root's powers or a home: both doors, and a broken pilot beside."""
    service = tmp_path / "service"
    for name in copied():
        (service / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(PROJECT / name, service / name)
    pilot = SyntheticPilot(tmp_path).create()
    pilot.sibling("BROKEN").remove("DM.csv")
    given = dict(setting.split("=", 1) for setting in rest_of("ENV").split())
    python = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": "/nonexistent"}
    python["PYTHONPYCACHEPREFIX"] = ""
    subprocess.run(compiling(), cwd=service, env=environment(**given, **python), check=True)
    paths = [service, *service.rglob("*")]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = snapshot(service)
    where = {"BIOSTREAMS_DATA_DIR": str(pilot.data_folder), "BIOSTREAMS_CONFIG_DIR": str(pilot.config_folder)}

    def run(command: list[str], *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [*command, *arguments],
            cwd=service,
            env=environment(**given, **where, **python),
            capture_output=True,
            text=True,
            preexec_fn=without_root_powers,
            timeout=120,
        )

    try:
        done = run(json.loads(rest_of("ENTRYPOINT")), "BROKEN", "CLINIC")
        told = run(["python", "-v", "Main_Anonymization.py", "CLINIC"]).stderr
    finally:
        for path in paths:
            path.chmod(0o755)
    assert done.returncode == 2, done.stderr  # a pilot without DM, and one of which more are at risk than 5%
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["status"] for event in events if event["event"] == "outcome"] == [2, 1]
    assert events[-1]["words"].startswith(
        "2 of 2 pilots need a look: a fault in the config or the input (BROKEN); newly"
    )
    assert leaks(done.stdout, done.stderr) == []
    assert pilot.summary()["pilot"] == "CLINIC"
    of_service = re.findall(rf"code object from '?{re.escape(str(service))}/\S+?[.](pyc?)'?$", told, re.MULTILINE)
    assert len(of_service) > 50
    assert set(of_service) == {"pyc"}  # nothing was compiled anew
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    assert snapshot(service) == before
    for path in paths:
        path.chmod(0o755)
