"""docs/pool.md leads through the demo: its commands run as they stand, and its figures are what they print."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.places import PROJECT

PAGE = (PROJECT / "docs" / "pool.md").read_text(encoding="utf-8")
DEMO = PAGE.partition("## Try it in ten minutes")[2].partition("\n## ")[0]
COPY_THE_CHECK = "check=1234-..."


def commands_of_the_demo(folder: Path) -> str:
    """The blocks of the page one after the other; the check is copied from what the last ``invite`` printed."""
    blocks = re.findall(r"```bash\n(.*?)```", DEMO, re.DOTALL)
    lines = [line.strip() for block in blocks for line in block.strip().splitlines()]
    assert COPY_THE_CHECK in lines
    place = lines.index(COPY_THE_CHECK)
    lines[place - 1] += f" | tee {folder}/invited"
    lines[place] = f"check=$(grep -o 'check [0-9a-f-]*$' {folder}/invited | tail -1 | cut -d' ' -f2)"
    return (
        "\n".join(["set -e -o pipefail", *lines])
        .replace("pool_demo/", f"{folder}/")
        .replace("make_pool_demo.py pool_demo", f"make_pool_demo.py {folder}")
    )


@pytest.mark.thorough("30 s: seventeen processes")
@pytest.mark.skipif(shutil.which("bash") is None, reason="the commands of the page are for bash")
def test_the_demo_runs_as_the_page_says(tmp_path):
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    run = subprocess.run(
        ["bash", "-c", commands_of_the_demo(tmp_path)],
        cwd=PROJECT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    n_risky, n_people, share = re.search(r"(\d+) of (\d+) people \((.*?)\) are below K = 3", DEMO).groups()
    assert re.search(rf"│ POOL_DEMO │ {n_people} +│ {n_people} +│ {n_risky} +│ {share} +│", run.stdout)
    home, pool = re.search(r"these are (\d+) of 20 by its own counts, and (\d+) of 20\s+by those", DEMO).groups()
    assert re.search(rf"│ k +│ 20 +│ [\d.]+% +│ [\d.]+% +│ {home} +│ {pool} +│", run.stdout)
    for node in ("AMSTERDAM", "BERLIN", "COIMBRA"):
        assert (tmp_path / node / "POOL_DEMO" / "pool_results" / "POOL_DEMO_pool_report.html").is_file()


def test_every_file_of_the_page_is_written(at):
    from tests.pool.nodes import STUDY
    from tests.pool.small_round import NODES

    made = at("summed")
    assert made.run(NODES[0], "read") == 0
    rows = PAGE.partition("| file | what it holds | restricted |")[2].partition("\n\n")[0]
    named = {name.replace("<STUDY>", STUDY) for name in re.findall(r"`([^`]+\.(?:html|txt|json|csv))`", rows)}
    assert named == {path.name for path in (made.data(NODES[0]) / "pool_results").iterdir()}
    exchanged = set(re.findall(r"`(\w+\.(?:json|pool))`", PAGE))
    shared = {re.sub("|".join([*NODES, "TRUSTEE"]), "NAME", path.name) for path in made.shared.iterdir()}
    assert exchanged == shared
