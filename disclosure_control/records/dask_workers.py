"""The workers of the engine ``cluster``: those of a Dask scheduler, or processes of this machine for one run.

Dask is imported only where it is used. No data of a person pass through it: tasks receive names of files and columns,
and counts. No error of a task is passed on unchanged, because its message or a log of Dask might quote a value.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import importlib
import logging
import os
import queue
import secrets
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from config import ClusterSettings
from disclosure_control.basics.telling.faults import FaultElsewhereError, FaultyInputError, stop_at
from disclosure_control.records.scheduler_address import safe_address
from disclosure_control.run.memory import OF_A_WORKER, free_memory

if TYPE_CHECKING:
    from distributed import Client, Future

Result = TypeVar("Result")
MEMORY_OF_WORKER, SHARE_OF_FREE = 2 << 30, 0.8
MOST_DEATHS = 10  # workers of this machine that may die at one task
STARTS = 3  # of the workers of this machine, before it is given up
SECONDS_TO_CONNECT, SECONDS_BETWEEN_LOOKS, LOOKS_WITHOUT_WORKER = 20, 2.0, 30
# Dask measures itself fifty times a second in every process, which takes a few percent of each.
QUIET = {
    "distributed.scheduler.allowed-failures": MOST_DEATHS,
    "distributed.worker.memory.target": False,  # what tasks give back is small: there is nothing to spill
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.monitor-interval": "500ms",
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "2s",
    "distributed.admin.tick.limit": "60s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.scheduler.http.routes": [],  # of Dask's pages none is served
    "distributed.nanny.http.routes": [],
    "distributed.worker.http.routes": [],
    # Dask has a worker give memory back at once, which took more than a quarter of the CPU of a whole run.
    **{f"distributed.nanny.pre-spawn-environ.{name}": value for name, value in OF_A_WORKER.items()},
}
# What has to be the same everywhere: what talks to each other, and what decides which values are the same.
MUST_AGREE = (
    "python", "dask", "distributed", "msgpack", "cloudpickle", "numpy", "pandas", "pyarrow", "disclosure_control"
)  # fmt: skip
REMEDY = "start scheduler and workers from the same installation as this program, see docs/scale.md"


@dataclass(frozen=True)
class Failed:
    """What stopped a task: faults of the input, the system's number of an error, or a fault of the program's own."""

    faults: tuple[str, ...] = ()
    system_error: int | None = None
    kind: str = ""
    place: str = ""


def guarded(task: Callable[..., Any], arguments: tuple) -> Any:
    """What a task comes to, or what stopped it; it raises nothing."""
    try:
        return task(*arguments)
    except FaultyInputError as error:
        return Failed(faults=error.faults)
    except MemoryError:
        return Failed(system_error=errno.ENOMEM)
    except OSError as error:
        return Failed(system_error=error.errno or errno.EIO)
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        return Failed(kind=type(error).__name__, place=f"{Path(frame.filename).name}:{frame.lineno}")


def _found(outcome: Any) -> Any:
    if not isinstance(outcome, Failed):
        return outcome
    stop_at(outcome.faults)
    if outcome.system_error is not None:
        raise OSError(outcome.system_error, f"{os.strerror(outcome.system_error)}, at a worker")
    raise FaultElsewhereError(f"{outcome.kind} at {outcome.place}")


class DaskWorkers:
    """The workers that a client of Dask knows: see ``cluster.Workers``."""

    def __init__(self, client: Client, where: str):
        self._client, self._where = client, where

    @property
    def n_workers(self) -> int:
        """How many there are just now, at least one."""
        return max(len(self._client.nthreads()), 1)

    def each(self, task: Callable[..., Result], arguments: Iterable[tuple]) -> Iterator[Result]:
        """What the task comes to for each of the arguments, in their order; they are handed out as they come."""
        done: queue.SimpleQueue[int] = queue.SimpleQueue()
        waiting: dict[int, Future] = {}
        found: dict[int, Any] = {}
        n_given = 0
        try:
            for number, one in enumerate(arguments):
                future = self._asked(self._client.submit, guarded, task, one, pure=False)
                waiting[number] = future
                future.add_done_callback(lambda _, number=number: done.put(number))
                while not done.empty():
                    self._take(done.get(), waiting, found)
                while n_given in found:
                    yield _found(found.pop(n_given))
                    n_given += 1
            while waiting or found:
                while n_given not in found:
                    self._take(self._next(done), waiting, found)
                yield _found(found.pop(n_given))
                n_given += 1
        finally:
            with contextlib.suppress(Exception):  # nothing waits for these results any more
                self._client.cancel(list(waiting.values()), force=True)

    def _next(self, done: queue.SimpleQueue[int]) -> int:
        """The number of the next task that is done; looks now and then whether anybody still works."""
        n_looks = 0
        while True:
            with contextlib.suppress(queue.Empty):
                return done.get(timeout=SECONDS_BETWEEN_LOOKS)
            if self._client.status != "running":
                raise FaultyInputError(f"{self._where}: the scheduler is gone; start it and run again")
            n_looks = 0 if self._asked(self._client.nthreads) else n_looks + 1
            if n_looks >= LOOKS_WITHOUT_WORKER:
                raise FaultyInputError(f"{self._where}: no worker is left; start workers and run again")

    def _take(self, number: int, waiting: dict[int, Future], found: dict[int, Any]) -> None:
        future = waiting.pop(number)
        found[number] = self._asked(future.result)
        future.release()

    def _asked(self, ask: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """What Dask answers; whatever is wrong with it is a fault in words of ours."""
        from distributed import KilledWorker

        try:
            return ask(*arguments, **named)
        except KilledWorker:
            raise FaultyInputError(
                f"{self._where}: several workers died at the same piece of work; they need more memory each, or there "
                "is a fault on their machines, which their own logs tell"
            ) from None
        except (Exception, asyncio.CancelledError) as error:
            raise FaultyInputError(
                f"{self._where}: the scheduler gave the work up ({type(error).__name__}); see its log, and run again"
            ) from None


@contextlib.contextmanager
def dask_workers(settings: ClusterSettings, run: Path) -> Iterator[DaskWorkers]:
    """Workers for a run whose intermediate files are in the folder ``run``.

    Those of the configured scheduler, else processes of this machine that nobody else can reach, ended with the block.
    Raises ``FaultyInputError`` for a scheduler that could be listened to, before anything is sent to it; if Dask is not
    installed; and if a scheduler refuses, has no workers, other versions of what has to agree, or workers that do not
    share the folder.
    """
    scheduler = None if settings.scheduler is None else safe_address(settings.scheduler)
    try:
        import dask
        import distributed

        importlib.import_module("cryptography")  # with which Dask closes the workers of this machine to others
    except ImportError:
        raise FaultyInputError("--engine cluster needs Dask: pip install -r requirements/cluster.txt") from None
    for name in ("distributed", "asyncio", "tornado"):  # they would write tracebacks; we report what matters
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with contextlib.ExitStack() as until_end:
        until_end.enter_context(dask.config.set(QUIET))
        if scheduler is None:
            where, address = "cluster of this machine", until_end.enter_context(_of_this_machine(settings, run))
        else:
            where = address = scheduler
        try:
            client = distributed.Client(address, timeout=SECONDS_TO_CONNECT, set_as_default=False)
        except Exception as error:
            if _was_stopped(error):
                raise KeyboardInterrupt from None
            raise FaultyInputError(
                f"BIOSTREAMS_SCHEDULER: the scheduler {where} refuses or cannot be reached ({type(error).__name__}); "
                "start it, correct the address, or take it out for a cluster of this machine"
            ) from None
        until_end.callback(_end, client.close)
        workers = DaskWorkers(client, where)
        if scheduler is not None:
            _check(client, where, run)
        yield workers


@contextlib.contextmanager
def _of_this_machine(settings: ClusterSettings, run: Path) -> Iterator[Any]:
    from distributed import LocalCluster
    from distributed.security import Security

    free = free_memory()
    share = MEMORY_OF_WORKER if free is None else int(SHARE_OF_FREE * free / settings.n_workers)
    scratch = run / "dask"
    scratch.mkdir(mode=0o700)
    # Anybody who reaches a scheduler can run anything on its workers: other users of this machine must not.
    security = Security.temporary()
    options = {
        "n_workers": settings.n_workers,
        "threads_per_worker": 1,
        "processes": True,
        "host": "127.0.0.1",
        "protocol": "tls://",
        "security": security,
        "dashboard_address": None,
        "worker_dashboard_address": None,
        "memory_limit": min(MEMORY_OF_WORKER, share),
        "local_directory": os.fspath(scratch),
        "silence_logs": logging.CRITICAL,
    }
    for n_left in reversed(range(STARTS)):
        try:
            with warnings.catch_warnings():  # of a port that another run has: Dask takes the next one
                warnings.simplefilter("ignore")
                cluster = LocalCluster(**options)
            break
        except Exception as error:  # a worker may die while it starts, too
            if _was_stopped(error):
                raise KeyboardInterrupt from None
            if not n_left:
                raise FaultyInputError(
                    f"the workers of this machine could not be started ({type(error).__name__}); run again, or use "
                    "--engine disk"
                ) from None
    try:
        yield cluster
    finally:
        _end(cluster.close)


def _was_stopped(error: BaseException | None) -> bool:
    """Whether an error came of Ctrl-C."""
    return error is not None and (isinstance(error, KeyboardInterrupt) or _was_stopped(error.__context__))


def _end(close: Callable[[], Any]) -> None:
    """Close what ends with this process at the latest: Dask's errors must not hide why the run ends."""
    with contextlib.suppress(Exception):
        close()


def _check(client: Client, where: str, run: Path) -> None:
    """Raise ``FaultyInputError`` unless scheduler and workers have what this process has, and see its folder."""
    with contextlib.suppress(Exception):
        client.wait_for_workers(1, timeout=SECONDS_TO_CONNECT)
    if not client.nthreads():
        raise FaultyInputError(f"{where}: the scheduler has no workers; start some and run again")
    try:
        versions = client.get_versions(packages=["pyarrow", "disclosure_control"])
    except Exception as error:
        raise FaultyInputError(f"{where}: its versions cannot be told ({type(error).__name__}); {REMEDY}") from None
    ours = _agreed(versions["client"])
    theirs = [("the scheduler", _agreed(versions["scheduler"]))]
    theirs += [("a worker", _agreed(one)) for one in versions["workers"].values()]
    differing = (
        f"{where}: {whose} has {name} {found[name] or '(none)'}, and this process has {ours[name]}; {REMEDY}"
        for whose, found in theirs
        for name in MUST_AGREE
        if found[name] != ours[name]
    )
    stop_at(dict.fromkeys(differing))
    token = run / secrets.token_hex(8)
    token.touch(mode=0o600)
    try:
        seen = client.run(may_work_in, os.fspath(run), token.name)
    except Exception as error:
        raise FaultyInputError(f"{where}: workers cannot be asked ({type(error).__name__}); {REMEDY}") from None
    finally:
        token.unlink()
    n_blind = sum(not one for one in seen.values())
    if n_blind:
        raise FaultyInputError(
            f"{where}: {n_blind} of {len(seen)} workers cannot read and write the pilot's folder; it has to be at the "
            "same path on every machine, shared, and the workers' user the one of this run"
        )


def _agreed(versions: dict[str, Any]) -> dict[str, str | None]:
    packages = versions["packages"]
    return {name: _short(packages.get(name)) for name in MUST_AGREE}


def _short(version: str | None) -> str | None:
    return version if version is None else ".".join(str(version).split()[0].split(".")[:3])


def may_work_in(run: str, token: str) -> bool:
    """Whether this process reads and writes a run's folder, in which the client has put a file."""
    folder = Path(run)
    try:
        (folder / token).read_bytes()
        own = folder / secrets.token_hex(8)
        own.touch(mode=0o600)
        own.unlink()
    except OSError:
        return False
    return True
