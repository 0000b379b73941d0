"""Hospitals with folders of their own, which share one folder and nothing else; commands as their users give them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from pprint import pformat

import pandas as pd
import pytest

from disclosure_control import pool
from tests.places import PROJECT

STUDY = "STUDY"
FIVE = ("AMSTERDAM", "BERLIN", "COIMBRA", "DUBLIN", "EDINBURGH")
WHY = {"counts": "pool, because the hospital leaves no trace", "shared_patients": "none, because ids were compared"}


@dataclass
class Parties:
    """The parties of a round below one folder; ``run`` gives a command at one of them, in this process or its own."""

    root: Path
    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]
    shared: Path = field(init=False)
    said: str = ""

    def __post_init__(self) -> None:
        self.shared = self.root / "shared"

    @property
    def check(self) -> str:
        """The check of the round that was made for all tests."""
        return (self.root.parent / "check").read_text(encoding="utf-8")

    def settle(self, config: Mapping, frames: Mapping[str, pd.DataFrame | None]) -> None:
        """Folders, config and combined dataset of each party; no dataset for one without people."""
        for party, frame in frames.items():
            self.write_config(party, config)
            results = self.data(party) / "processed_for_anonym"
            results.mkdir(parents=True, exist_ok=True)
            if frame is not None:
                ids = [f"{party}-{i:05}" for i in range(len(frame))]
                frame.assign(USUBJID=ids).to_csv(results / "combined_dataset.csv", index=False)

    def write_config(self, party: str, config: Mapping) -> None:
        folder = self.root / party / "config"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{STUDY}.py").write_text(f"config = {pformat(dict(config))}\n", encoding="utf-8")

    def data(self, party: str) -> Path:
        return self.root / party / "data" / STUDY

    def environment(self, party: str) -> dict[str, str]:
        folder = self.root / party
        return {"BIOSTREAMS_DATA_DIR": str(folder / "data"), "BIOSTREAMS_CONFIG_DIR": str(folder / "config")}

    def run(self, party: str, command: str, *options: str) -> int:
        """The exit status; ``said`` is what was printed."""
        for name, value in self.environment(party).items():
            self.monkeypatch.setenv(name, value)
        status = pool.main([command, STUDY, "--folder", str(self.shared), *options])
        self.said = "".join(self.capsys.readouterr())
        return status

    def start(self, party: str, command: str, *options: str) -> subprocess.CompletedProcess:
        """The same in a process of its own, with the party's own folder of exchanged files."""
        line = [sys.executable, "-m", "disclosure_control.pool", command, STUDY]
        environment = {**os.environ, **self.environment(party)}
        return subprocess.run(
            [*line, *options], cwd=PROJECT, env=environment, capture_output=True, text=True, check=False
        )

    def invite_first(self, party: str) -> None:
        """One party begins a round."""
        assert self.run(party, "invite", "--node", party) == 0, self.said

    def invite(self, parties: Sequence[str]) -> str:
        """All join; the check of the round."""
        for party in parties:
            assert self.run(party, "invite", "--node", party) == 0, self.said
        return re.search(r"--check ([0-9a-f-]+)", self.said)[1]

    def kept(self, party: str) -> Path:
        """Where a party keeps what it never sends."""
        return self.data(party) / ".pool_results"

    def contribute(self, nodes: Sequence[str], check: str) -> None:
        for node in nodes:
            assert self.run(node, "contribute", "--check", check) == 0, self.said

    def whole_round(self, nodes: Sequence[str], sums: str) -> None:
        """From the invitation to each node's report."""
        parties = list(dict.fromkeys([*nodes, sums]))
        self.contribute(nodes, self.invite(parties))
        assert self.run(sums, "sum") == 0, self.said
        for node in nodes:
            assert self.run(node, "read") == 0, self.said
