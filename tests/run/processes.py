"""Doors in processes of their own: with less than root's powers, under limits, held, or broken off at any moment."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.run.synthetic_pilot import PROJECT, SCRIPTS, SETTINGS, SyntheticPilot, SyntheticRun

_PR_CAPBSET_DROP, _CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH, _CAP_FOWNER = 24, 1, 2, 3
_CANNOT_DROP = 77
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform.startswith("linux") else None


def environment(**changes: str) -> dict[str, str]:
    """This process's environment without the settings of the service, and with these changes."""
    return {key: value for key, value in os.environ.items() if key not in SETTINGS} | changes


def start_process(
    pilot: SyntheticPilot,
    door: int,
    *arguments: str,
    script_folder: Path = PROJECT,
    before: Callable | None = None,
    **changes: str,
) -> SyntheticRun:
    """``python <script> <arguments>`` in the pilot's desk; ``before`` runs in the child, in a changed environment."""
    done = subprocess.run(
        [sys.executable, str(script_folder / SCRIPTS[door]), *arguments],
        cwd=pilot.desk,
        env=environment(**changes),
        preexec_fn=before,
        timeout=60,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode == _CANNOT_DROP:
        pytest.skip("root's powers cannot be dropped on this system, so permissions stop nothing")
    return SyntheticRun(done.returncode, done.stdout, done.stderr)


def without_root_powers() -> None:
    """In a child before its program starts: permissions of files count for root, too."""
    if os.geteuid() == 0:
        for power in (_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH, _CAP_FOWNER):
            if _libc is None or _libc.prctl(_PR_CAPBSET_DROP, power, 0, 0, 0) != 0:
                os._exit(_CANNOT_DROP)


@contextlib.contextmanager
def held_by_another_process(pilot: SyntheticPilot) -> Iterator[subprocess.Popen]:
    """Another run holds the pilot as long as the block lasts."""
    code = (
        "import sys; from pathlib import Path; from disclosure_control.run.results import held\n"
        f"with held(Path({str(pilot.results)!r})): print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as holder:
        try:
            assert holder.stdout.readline() == "held\n"
            yield holder
        finally:
            holder.kill()


class DoorServer:
    """A process that ran both doors once, on a pilot of its own, and forks one per request, broken off at its n-th
    operation."""

    def __init__(self, folder: Path, pilot: SyntheticPilot):
        self.output = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.run.door_server", str(pilot.desk)],
            cwd=PROJECT,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def start(
        self, pilot: SyntheticPilot, door: int, n: int, how: str, *arguments: str, by_renames: bool = False
    ) -> SyntheticRun | None:
        """Start a door that is killed before its n-th operation on files, or whose n-th fails with this error's name.

        None if it was killed; what it came to if it ended by itself. Then it is known, too, how many operations it
        had, and which of them ``exchanged`` the sets; ``by_renames``: as a system does that cannot at once.
        """
        request = {"desk": str(pilot.desk), "script": SCRIPTS[door], "arguments": arguments, "n": n, "how": how}
        request |= {"output": str(self.output), "by_renames": by_renames}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if answer["signal"]:
            return None
        self.operations, self.exchanged = answer["operations"], answer["exchanged"]
        return SyntheticRun(
            answer["status"], *((self.output / name).read_text(encoding="utf-8") for name in ("out", "err"))
        )

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait(timeout=10)
        self.process.stdout.close()
