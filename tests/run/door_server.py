"""Run as a module by ``processes.DoorServer``: forks doors that are broken off at a given operation on files.

Operations are counted by an audit hook: whatever function is called to rename, delete, create or open a file for
writing, the interpreter reports it; only flushing to disk has to be counted by hand. What a door that came to its end
had imported, the server imports too, so that the next ones need not.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import gc
import importlib
import io
import json
import os
import runpy
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from disclosure_control.run import exchange
from tests.run.synthetic_pilot import NOW, SCRIPTS

OPERATIONS = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.chmod", "os.link", "os.symlink", "os.truncate"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


class Breaker:
    """Counts operations; kills the process before the n-th, or makes that one fail."""

    def __init__(self, n: int, how: str):
        self.n, self.how, self.count, self.pid = n, how, 0, os.getpid()
        self.exchanged: int | None = None
        sys.addaudithook(self.hook)
        os.fsync = self.fsync

    def hook(self, event: str, arguments: tuple) -> None:
        if event in OPERATIONS or (event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITING):
            self.step()

    def fsync(self, descriptor) -> None:
        self.step()  # the death of a process, unlike that of a machine, loses nothing that was written

    def exchange(self, really: Callable, *folders: Path) -> None:
        """The exchange of the sets: one call of the system, which the interpreter does not report."""
        self.step()
        self.exchanged = self.count
        really(*folders)

    def step(self) -> None:
        self.count += 1
        if self.count == self.n:
            if self.how == "kill":
                os.kill(self.pid, signal.SIGKILL)
            number = getattr(errno, self.how)
            raise OSError(number, os.strerror(number))


def run_door(
    desk: str, script: str, arguments: list[str], n: int, how: str, by_renames: bool, output: str, report: int
) -> None:
    """In the child: never returns. ``by_renames``: as on a system that cannot exchange two folders."""
    sys.dont_write_bytecode = True
    for name, descriptor in (("out", 1), ("err", 2)):
        opened = os.open(Path(output) / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(opened, descriptor)
        os.close(opened)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    os.chdir(desk)
    sys.argv = [script, *arguments]
    clock = importlib.import_module("disclosure_control.run.clock")
    clock.utc_now = lambda: NOW
    status = 99
    breaker = Breaker(n, how)
    results = importlib.import_module("disclosure_control.run.results")
    results.exchange = functools.partial(breaker.exchange, exchange.exchange)
    if by_renames:
        exchange._exchanged = lambda one, other: False
    try:
        runpy.run_path(str(Path(__file__).resolve().parents[2] / script), run_name="__main__")
    except SystemExit as ended:
        status = ended.code
    finally:
        breaker.n = 0
        sys.stdout.flush()
        sys.stderr.flush()
        modules = [name for name, module in sys.modules.items() if getattr(module, "__spec__", None)]
        told = {"status": status, "operations": breaker.count, "exchanged": breaker.exchanged, "modules": modules}
        os.write(report, json.dumps(told).encode())
        os._exit(0)


def run_both_once(desk: str) -> None:
    """Both doors in this process: what they import, compile and keep is there for each that is forked later."""
    os.chdir(desk)
    for script in SCRIPTS.values():
        sys.argv = [script]
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            runpy.run_path(str(Path(__file__).resolve().parents[2] / script), run_name="__main__")
    gc.freeze()  # a collection in a child would copy every page


def main(desk: str) -> None:
    run_both_once(desk)
    for line in sys.stdin:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            run_door(**json.loads(line), report=writing)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            answer = pipe.read()
        _, ended = os.waitpid(child, 0)
        killed = os.WTERMSIG(ended) if os.WIFSIGNALED(ended) else 0
        told = json.loads(answer) if answer else {"modules": []}
        for name in told.pop("modules"):
            if name not in sys.modules:
                with contextlib.suppress(ImportError):
                    importlib.import_module(name)
        print(json.dumps({"signal": killed, **told}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
