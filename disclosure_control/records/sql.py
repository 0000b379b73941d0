"""What DuckDB is asked in SQL: how many people have the same codes, and records in order.

Codes are in a Parquet file with the columns ``c0``, ``c1`` and so on: no name of the data reaches DuckDB, and of its
values only ids. Rows come in an explicit order, and every other figure is computed from these counts.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.run.memory import free_memory, is_out_of_memory

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Of a file of codes, for each combination of some columns that occurs the codes and, last, how many people have it, in
# the order of the codes: in batches.
Count = Callable[[Path, Sequence[int]], Iterator[pa.RecordBatch]]

MOST_MEMORY, LEAST_MEMORY, SHARE_OF_FREE = 1 << 29, 1 << 27, 0.5
ROWS_AT_ONCE = 1 << 20


def put_codes(path: Path, blocks: Iterable[Sequence[np.ndarray]], n_columns: int) -> None:
    """Write the codes of each record, -1 missing, that come block by block and column by column (n_records,)."""
    from pyarrow.parquet import ParquetWriter

    schema = pa.schema([(f"c{i}", pa.int32()) for i in range(n_columns)])
    path.touch(mode=0o600)
    with ParquetWriter(path, schema, compression="lz4", write_statistics=False) as writer:
        for codes in blocks:
            arrays = [pa.array(one, pa.int32()) for one in codes]
            writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))


def count_here(path: Path, columns: Sequence[int]) -> Iterator[pa.RecordBatch]:
    """Count on this machine: see ``Count``. Raises ``FaultyInputError`` where that needs more memory than there is."""
    file, names = path.resolve(), ", ".join(f"c{i}" for i in columns)
    asked = f"SELECT {names}, count(*) AS people FROM read_parquet(?) GROUP BY {names} ORDER BY {names}"
    with connected(file.parent) as connection:
        yield from connection.sql(asked, params=[os.fspath(file)]).to_arrow_reader(ROWS_AT_ONCE)


def in_order(
    records: Iterable[pa.RecordBatch], schema: pa.Schema, n_keys: int, folder: Path, n_at_once: int
) -> Iterator[pa.Table]:
    """The records by their first ``n_keys`` columns, rising, about ``n_at_once`` together; one table at least.

    In the ``folder`` is what memory does not hold.
    """
    with connected(folder) as connection:
        connection.register("records", pa.RecordBatchReader.from_batches(schema, records))
        asked = f"SELECT * FROM records ORDER BY {', '.join(map(str, range(1, n_keys + 1)))}"
        found = map(pa.Table.from_batches, zip(connection.sql(asked).to_arrow_reader(n_at_once), strict=True))
        first = next(found, schema.empty_table())
        for one in itertools.chain([first], found):
            yield one.cast(schema)


def count_distinct(texts: Iterable[pa.RecordBatch], schema: pa.Schema, folder: Path) -> int:
    """How many different texts there are in a column that comes in blocks, missing ones apart."""
    with connected(folder) as connection:
        connection.register("records", pa.RecordBatchReader.from_batches(schema, texts))
        found = connection.sql(f"SELECT count(DISTINCT {schema.names[0]}) FROM records").fetchall()
        return int(found[0][0])


@contextlib.contextmanager
def connected(folder: Path) -> Iterator[DuckDBPyConnection]:
    """DuckDB, which reads and writes within the ``folder`` of a run and nowhere else.

    Raises ``FaultyInputError`` where memory or disk do not suffice.
    """
    import duckdb

    free = free_memory()
    memory = MOST_MEMORY if free is None else max(min(MOST_MEMORY, int(SHARE_OF_FREE * free)), LEAST_MEMORY)
    with tempfile.TemporaryDirectory(dir=folder.resolve()) as spill:  # mode 0700
        settings: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": f"{memory // 1000}kB",
            "temp_directory": spill,
            "preserve_insertion_order": False,
            "allow_community_extensions": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
        try:
            with duckdb.connect(":memory:", config=settings) as connection:
                connection.execute("SET allowed_directories = ?", [[os.fspath(folder.resolve())]])
                connection.execute("SET enable_external_access = false")
                connection.execute("SET lock_configuration = true")
                yield connection
        except Exception as error:
            if not is_out_of_memory(error) and "Out of Memory" not in str(error):
                raise
            raise FaultyInputError(
                f"DuckDB may take {memory / 1e6:.0f} MB of memory, half of what is free and at most "
                f"{MOST_MEMORY / 1e6:.0f} MB, and that or the room on the disk beside the results is too small: give "
                "the run more of either (--memory of the container, MemoryMax= of the systemd unit), bin what is "
                "continuous, or name fewer quasi-identifiers"
            ) from None
