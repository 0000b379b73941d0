"""Nearly 20 million cells take less than a gigabyte, at a node and at the party that sums."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from disclosure_control.pooling.cells import MOST_CELLS, CellSpace
from disclosure_control.pooling.invitation import Invitation
from tests.places import PROJECT
from tests.pool.nodes import STUDY
from tests.pool.small_round import CONFIG, NODES, frame

GIGABYTE = 1 << 30
WITH_PEAK = (
    "import sys\n"
    "from disclosure_control import pool\n"
    "status = pool.main(sys.argv[1:])\n"
    # Not ru_maxrss: it keeps the peak of the process of the tests, in whose memory this one was started.
    "print('peak', open('/proc/self/status').read().partition('VmHWM:')[2].split()[0])\n"
    "sys.exit(status)"
)
WIDE = {
    **CONFIG,
    "binning_config": {"AGE": list(range(65))},  # 3 x 67 classes
    "pool": {**CONFIG["pool"], "values": {"LAB": {"from": 0, "to": 49_000, "step": 0.5}}},
}


@pytest.mark.thorough("20 s")
@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_the_most_cells_within_a_gigabyte(parties):
    space: CellSpace = Invitation.of(STUDY, WIDE).space
    assert 0.95 * MOST_CELLS < space.n_cells <= MOST_CELLS
    parties.settle(WIDE, {**{node: frame(i) for i, node in enumerate(NODES)}, "TRUSTEE": None})
    check = parties.invite([*NODES, "TRUSTEE"])
    parties.contribute(NODES[1:], check)
    for party, command in ((NODES[0], ["contribute", STUDY, "--check", check]), ("TRUSTEE", ["sum", STUDY])):
        line = [sys.executable, "-c", WITH_PEAK, *command, "--folder", str(parties.shared)]
        environment = {**os.environ, **parties.environment(party)}
        done = subprocess.run(line, cwd=PROJECT, env=environment, capture_output=True, text=True, check=True)
        peak = int(done.stdout.rpartition("peak ")[2]) << 10
        assert 8 * MOST_CELLS < peak < GIGABYTE, party
