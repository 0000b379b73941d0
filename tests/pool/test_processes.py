"""Five hospitals and a party that sums, each in processes and folders of its own, as they would be: files are copied.

No folder is shared here: what one party wrote is copied to the others, as by mail.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.pool.nodes import FIVE, STUDY, Parties
from tests.pool.random_rounds import POLICIES, random_round
from tests.pool.test_same_answers import compare_answers

SUMS = "TRUSTEE"


class ByMail:
    """Each party has its own copy of the exchanged files, ``pool_exchange`` in its pilot's folder."""

    def __init__(self, parties: Parties, names: list[str]):
        self.parties, self.names = parties, names

    def folder(self, party: str) -> Path:
        return self.parties.data(party) / "pool_exchange"

    def run(self, party: str, command: str, *options: str) -> str:
        """Run a command in a process; what it wrote is sent to everybody. What it printed."""
        done = self.parties.start(party, command, *options)
        assert done.returncode == 0, done.stderr
        for path in self.folder(party).iterdir():
            for other in self.names:
                self.folder(other).mkdir(exist_ok=True)
                if other != party:
                    shutil.copyfile(path, self.folder(other) / path.name)
        return done.stdout


@pytest.mark.thorough("20 s each: 22 processes")
@pytest.mark.parametrize("seed", [3, 5, 7])
def test_a_round_by_mail(seed, parties):
    """One round for each policy for missing values, with two sensitive features or three."""
    made = random_round(seed)
    assert made.config["pool"]["sums"] == SUMS
    assert made.config["missing_qis"] == POLICIES[seed % 3]
    assert len(made.config["sensitive_feature"]) > 1
    names = [*FIVE, SUMS]
    parties.settle(made.config, {**made.frames, SUMS: None})
    mail = ByMail(parties, names)
    for name in names:
        said = mail.run(name, "invite", "--node", name)
    check = re.search(r"--check ([0-9a-f-]+)", said)[1]
    for name in FIVE:
        assert check in mail.run(name, "invite")  # each reads the same in its own copy
    for name in FIVE:
        mail.run(name, "contribute", "--check", check)
    mail.run(SUMS, "sum")
    for name in FIVE:
        assert "The pool's figures count" in mail.run(name, "read")
    parties.shared = mail.folder(SUMS)
    compare_answers(made, parties)
    assert sorted(path.name for path in (parties.root / FIVE[0]).iterdir()) == ["config", "data"]
    assert (parties.data(FIVE[0]) / "pool_results" / f"{STUDY}_pool_report.html").is_file()
