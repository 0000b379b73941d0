"""A ledger whose process is killed, or whose disk is full, at one call of the system after another."""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from disclosure_control.analyses.private_release.ledger import Ledger
from tests.analyses.private_release.publish_pilots import asked, spending
from tests.examples import some_of
from tests.places import PROJECT

STRACE = shutil.which("strace")
# Each call of the system in turn takes minutes, so some are left out; with 1 everywhere, none is.
STRIDE = {"pwrite64": 9, "fdatasync": 4, "unlink": 1, "rename": 1}
ASKS_ONE = """
import sys
from decimal import Decimal
from pathlib import Path
from disclosure_control.analyses.private_release.ledger import Ledger
import filelock
ledger = Ledger(Path(sys.argv[1]), Decimal(1))
try:
    ledger.ask({"kind": "q"}, "0" * 64, Decimal("0.1"), lambda: {"value": 1}, 0.1)
    print("answered")
except OSError as error:
    print("OSError", error.errno)
except Exception as error:
    print(type(error).__name__, error)
"""


def inject(pilot: Path, call: str, number: int, what: str) -> str:
    """Ask one question in a process of its own, whose call of that number after the imports is killed or refused."""
    calls_before = n_calls(call)
    injected = ["-f", "-qq", "-o", "/dev/null", "-e", f"inject={call}:{what}:when={calls_before + number}"]
    run = subprocess.run([STRACE, *injected, sys.executable, "-c", ASKS_ONE, pilot], cwd=PROJECT, capture_output=True)
    return run.stdout.decode()


@functools.cache
def n_calls(call: str) -> int:
    """How often a process makes this call before it asks anything."""
    imports = ASKS_ONE.partition("ledger = ")[0]
    counted = [STRACE, "-f", "-qq", "-e", f"trace={call}", sys.executable, "-c", imports, "x"]
    return len(subprocess.run(counted, cwd=PROJECT, capture_output=True).stderr.splitlines())


@pytest.mark.thorough("12 s in processes; one kill between write and answer is in the quick run")
@pytest.mark.skipif(not STRACE, reason="strace is not here")
@pytest.mark.parametrize("what", ["signal=KILL", "error=ENOSPC"])
@pytest.mark.parametrize("call", some_of(list(STRIDE)))
def test_killed_or_refused_at_a_call_of_the_system_the_ledger_stays_whole(tmp_path, call, what):
    """Whatever happens, what was answered is paid for, and the ledger can be read and asked on."""
    outcomes = set()
    for number in some_of(range(1, 40, STRIDE[call])):
        pilot = tmp_path / f"{number}"
        pilot.mkdir()
        asked(Ledger(pilot, Decimal(1)), "before")
        said = inject(pilot, call, number, what)
        ledger = Ledger(pilot, Decimal(1))
        n_paid = (spending(ledger) - Decimal("0.1")) / Decimal("0.1")
        assert n_paid in (0, 1)
        assert n_paid == 1 or "answered" not in said
        assert asked(ledger, "later").is_new
        assert not asked(ledger, "before").is_new
        assert {path.name for path in pilot.iterdir()} == {"privacy"}
        outcomes.add((n_paid, said.strip()))
        if "answered" in said:
            break
    assert len(outcomes) > 1, outcomes
