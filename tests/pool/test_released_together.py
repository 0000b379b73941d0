"""Three hospitals release by the lines that ``read`` writes: their files put together hold K."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pprint import pformat

import pandas as pd
import pytest

from pilot_report.make_pool_demo import NODES, STUDY, write_pool_demo
from tests.places import PROJECT

QUASI_IDENTIFIERS = ["SEX", "RACE", "ETHNIC", "AGE"]
KEY = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"


def run(root, party, *line, configs=None) -> str:
    environment = {
        **os.environ,
        "BIOSTREAMS_DATA_DIR": str(root / party),
        "BIOSTREAMS_CONFIG_DIR": str(configs or root / "config"),
        "POOL_KEY": KEY,
    }
    command = [sys.executable, *line]
    return subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=True).stdout


def pool(root, party, command, *options) -> str:
    return run(root, party, "-m", "disclosure_control.pool", command, STUDY, "--folder", str(root / "shared"), *options)


def lines_of(root, node) -> dict:
    text = (root / node / STUDY / "pool_results" / "pool_treatment.txt").read_text(encoding="utf-8")
    return ast.literal_eval("{" + text.partition("\n\n")[2].strip() + "}")


def released(root, node, config) -> pd.DataFrame:
    """DM as the hospital releases it by the ordinary step."""
    folder = root / "configs" / node
    folder.mkdir(parents=True)
    whole = {**config, **lines_of(root, node), "release": {"key_from": {"environment": "POOL_KEY"}}}
    (folder / f"{STUDY}.py").write_text(f"config = {pformat(whole)}\n", encoding="utf-8")
    run(root, node, "Main_Anonymization.py", STUDY, configs=folder)
    path = root / node / STUDY / "processed_for_anonym" / "released" / "dm.csv"
    return pd.read_csv(path, dtype=str, keep_default_na=False)


@pytest.mark.thorough("60 s: a round of three hospitals, both doors at each")
def test_what_three_hospitals_release_holds_k_put_together(tmp_path):
    write_pool_demo(tmp_path)
    for node in NODES:
        run(tmp_path, node, "Create_Combined_Pilot_Dataset.py", STUDY)
    said = [pool(tmp_path, party, "invite", "--node", party) for party in (*NODES, "TRUSTEE")][-1]
    check = re.search(r"--check ([0-9a-f-]+)", said)[1]
    for node in NODES:
        pool(tmp_path, node, "contribute", "--check", check)
    pool(tmp_path, "TRUSTEE", "sum")
    for node in NODES:
        pool(tmp_path, node, "read")
    assert len({str(lines_of(tmp_path, node)) for node in NODES}) == 1
    config = ast.literal_eval(
        (tmp_path / "config" / f"{STUDY}.py").read_text(encoding="utf-8").partition("=")[2].strip()
    )
    together = pd.concat([released(tmp_path, node, config) for node in NODES])
    assert set(together["RACE"]) <= {"WHITE", "other", ""}
    assert len(together) > 20
    assert together.groupby(QUASI_IDENTIFIERS, dropna=False).size().min() >= config["K"]
