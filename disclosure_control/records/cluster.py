"""The engine ``cluster``: the counts of the engine ``disk``, asked of Dask's data frames over the same Parquet file.

Dask is imported only where it is used. It gets the name of a file of codes in the run's folder, which its workers read,
and answers with codes and counts: no name, id or value of the data passes through it.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import ipaddress
import logging
import os
import re
import socket
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from config import ClusterSettings
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.records.spill import put_codes
from disclosure_control.records.sql import Count
from disclosure_control.run.memory import free_memory
from disclosure_control.run.stopping import stop_if_asked

KEY = "BIOSTREAMS_SCHEDULER"
ADDRESS = re.compile(r"(?P<scheme>[a-z]+)://(?:\[(?P<ipv6>[0-9A-Fa-f:.]+)\]|(?P<name>[\w.-]+))(?P<port>:[0-9]{1,5})?")
MEMORY_OF_WORKER, SHARE_OF_FREE = 2 << 30, 0.8
SECONDS_TO_CONNECT, SECONDS_WITHOUT_WORKER = 20, 60


@contextlib.contextmanager
def counting_on_cluster(settings: ClusterSettings, run: Path) -> Iterator[Count]:
    """Counts by the workers of the configured scheduler, else by processes of this machine, which end with the block.

    Raises ``FaultyInputError`` for a scheduler that others could listen to, before anything is sent to it; where Dask
    is not installed; and where the workers do not count a first record in the folder ``run``.
    """
    address: Any = None if settings.scheduler is None else safe_address(settings.scheduler)
    try:
        import distributed

        importlib.import_module("cryptography")  # with which Dask closes the workers of this machine to others
    except ImportError:
        raise FaultyInputError("--engine cluster needs Dask: pip install -r requirements/cluster.txt") from None
    for name in ("distributed", "asyncio", "tornado"):  # they would write tracebacks; we report what matters
        logging.getLogger(name).setLevel(logging.CRITICAL)

    def compute(people: Any) -> pd.Series:
        with _in_our_words(
            "did not count: every worker needs this machine's versions of Dask, pandas and Arrow, the pilot's folder "
            "at the same path, and enough memory; see docs/scale.md"
        ):
            future = client.compute(people)
            while not future.done():
                with contextlib.suppress(TimeoutError):
                    future.result(SECONDS_WITHOUT_WORKER)
                if not client.nthreads():
                    raise TimeoutError
            return future.result()

    with contextlib.ExitStack() as until_end:
        with _in_our_words(f"cannot be reached: start it, correct {KEY}, or remove it for workers of this machine"):
            if address is None:
                address = _of_this_machine(settings, run)
                until_end.callback(_end, address.close)
            client = distributed.Client(address, timeout=SECONDS_TO_CONNECT, set_as_default=False)
            until_end.callback(_end, client.close)
            client.wait_for_workers(1, SECONDS_TO_CONNECT)
        trial, count = run / "trial.parquet", counting_by(compute)
        put_codes(trial, [[np.zeros(1, dtype=np.int32)]], 1)
        list(count(trial, [0]))
        yield count


def counting_by(compute: Callable[[Any], pd.Series]) -> Count:
    """The counts as Dask's data frames give them; ``compute`` has what they are asked computed."""

    def count(path: Path, columns: Sequence[int]) -> Iterator[pa.RecordBatch]:
        import dask.dataframe

        names = [f"c{i}" for i in columns]
        codes = dask.dataframe.read_parquet(os.fspath(path.resolve()), columns=names, split_row_groups=True)
        people = compute(codes.groupby(names).size()).rename("people").reset_index().sort_values(names)
        yield from pa.Table.from_pandas(people, preserve_index=False).to_batches()

    return count


def _of_this_machine(settings: ClusterSettings, run: Path) -> Any:
    from distributed import LocalCluster
    from distributed.security import Security

    free = free_memory() or MEMORY_OF_WORKER * settings.n_workers / SHARE_OF_FREE
    return LocalCluster(
        n_workers=settings.n_workers,
        threads_per_worker=1,
        host="127.0.0.1",
        protocol="tls://",
        security=Security.temporary(),  # whoever reaches a scheduler can run anything on its workers
        dashboard_address=None,
        memory_limit=min(MEMORY_OF_WORKER, int(SHARE_OF_FREE * free / settings.n_workers)),
        local_directory=os.fspath(run),
        silence_logs=logging.CRITICAL,
    )


def _end(close: Callable[[], Any]) -> None:
    """Close what ends with this process at the latest: Dask's errors must not hide why the run ends."""
    with contextlib.suppress(Exception):
        close()


@contextlib.contextmanager
def _in_our_words(what: str) -> Iterator[None]:
    """A fault in place of an error of Dask, which may quote a path and would come with a traceback."""
    try:
        yield
    except (Exception, asyncio.CancelledError) as error:
        stop_if_asked()  # Dask may turn the exception of a signal into one of its own
        raise FaultyInputError(f"--engine cluster: Dask {what} ({type(error).__name__})") from None


def safe_address(written: str) -> str:
    """The address of a scheduler to which nobody else can listen: behind TLS, or of this machine alone.

    A name without TLS becomes the loopback address that was checked. Raises ``FaultyInputError``; nothing was sent.
    """
    parts = ADDRESS.fullmatch(written.strip())
    if parts and parts["scheme"] in ("tls", "wss"):
        return parts[0]
    if parts and parts["scheme"] in ("tcp", "ws"):
        with contextlib.suppress(OSError, UnicodeError):  # a host that nobody knows
            answers = socket.getaddrinfo(parts["ipv6"] or parts["name"], None, type=socket.SOCK_STREAM)
            found = [ipaddress.ip_address(str(address[0]).partition("%")[0]) for *_, address in answers]
            if found and all(one.is_loopback for one in found):
                chosen = min(found, key=lambda one: one.version)  # as Dask itself, which prefers IPv4
                host = str(chosen) if chosen.version == 4 else f"[{chosen}]"
                return f"{parts['scheme']}://{host}{parts['port'] or ''}"
    raise FaultyInputError(
        f"{KEY}: found {written[:80]!r}, which others on the network could read or answer, or which is no "
        "address; nothing was sent to it; allowed: tls:// or wss:// to any machine, and tcp:// or ws:// to 127.0.0.1, "
        "::1 or localhost, each with the port, as tls://scheduler.example:8786; see docs/scale.md"
    )
