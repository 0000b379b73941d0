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

import pyarrow as pa

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.records.spill import Columns, arrays_of, schema_of
from disclosure_control.run.memory import free_memory, is_out_of_memory

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Of a file of codes, for each combination of some columns that occurs the codes and, last, how many people have it, in
# the order of the codes: in batches.
Count = Callable[[Path, Sequence[int]], Iterator[pa.RecordBatch]]

USUAL_MEMORY, LEAST_MEMORY = 1 << 28, 1 << 27  # bytes
REMEDY_IN_MEMORY = "use --engine memory on a machine with enough memory"
ROWS_AT_ONCE = 1 << 17
_OUT_OF_MEMORY_OR_DISK = ("Out of Memory", "No space left")


class Database:
    """DuckDB for one run: it reads and writes within the ``folder`` of the run and nowhere else.

    ``counted_by`` counts codes in its place, where a run has a cluster. It opens with the first question.
    """

    def __init__(self, folder: Path, counted_by: Count | None = None):
        self.folder, self._counted_by = folder.resolve(), counted_by
        self._connection: DuckDBPyConnection | None = None
        self._memory, self._n_open = 0, 0

    def new_folder(self) -> Path:
        """A folder for whatever is put aside, readable by its owner alone."""
        return Path(tempfile.mkdtemp(dir=self.folder))

    def count(self, path: Path, columns: Sequence[int]) -> Iterator[pa.RecordBatch]:
        """See ``Count``. Raises ``FaultyInputError`` where that needs more memory than there is."""
        if self._counted_by is not None:
            yield from self._counted_by(path, columns)
            return
        names = ", ".join(f"c{i}" for i in columns)
        asked = f"SELECT {names}, count(*) AS people FROM read_parquet(?) GROUP BY {names} ORDER BY {names}"
        with self._asked("bin what is continuous, or name fewer quasi-identifiers") as cursor:
            yield from cursor.sql(asked, params=[os.fspath(path.resolve())]).to_arrow_reader(ROWS_AT_ONCE)

    def in_order(
        self,
        blocks: Iterable[Columns],
        kinds: Sequence[pa.DataType],
        n_keys: int,
        n_at_once: int,
        remedy: str = REMEDY_IN_MEMORY,
    ) -> Iterator[pa.Table]:
        """Records that come in blocks by their first ``n_keys`` columns, rising, about ``n_at_once`` together.

        There is one table at least. Raises ``FaultyInputError``, which names the ``remedy``, where that needs more
        memory than there is.
        """
        schema = schema_of(kinds)
        with _reader_of(blocks, schema) as reader, self._asked(remedy) as cursor:
            cursor.register("records", reader)
            asked = f"SELECT * FROM records ORDER BY {', '.join(map(str, range(1, n_keys + 1)))}"
            found = map(pa.Table.from_batches, zip(cursor.sql(asked).to_arrow_reader(n_at_once), strict=True))
            first = next(found, schema.empty_table())
            for one in itertools.chain([first], found):
                yield one.cast(schema)

    def count_distinct(self, path: Path) -> int:
        """How many different values the first column of a Parquet file has, missing ones apart."""
        with self._asked(REMEDY_IN_MEMORY) as cursor:
            asked = "SELECT count(DISTINCT c0) FROM read_parquet(?)"
            return int(cursor.sql(asked, params=[os.fspath(path.resolve())]).fetchall()[0][0])

    def close(self) -> None:
        """Close it, whatever is still asked."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def give_memory_back(self) -> None:
        """Close it, unless a question is open: the next one opens it again."""
        if not self._n_open:
            self.close()

    @contextlib.contextmanager
    def _asked(self, remedy: str) -> Iterator[DuckDBPyConnection]:
        """For one question: several may be open side by side. Raises ``FaultyInputError`` without memory or disk."""
        if self._connection is None:
            self._connection = self._opened()
        self._n_open += 1
        try:
            with self._connection.cursor() as cursor:
                yield cursor
        except Exception as error:
            if not is_out_of_memory(error) and not any(words in str(error) for words in _OUT_OF_MEMORY_OR_DISK):
                raise
            raise FaultyInputError(
                f"DuckDB may take {self._memory / 1e6:.0f} MB of memory, by what is free, and that or the room on the "
                "disk beside the results is too small: give the run more of either (--memory of the container, "
                f"MemoryMax= of the systemd unit), or {remedy}"
            ) from None
        finally:
            self._n_open -= 1

    def _opened(self) -> DuckDBPyConnection:
        import duckdb

        self._memory = memory_for(free_memory())
        settings: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": f"{self._memory // 1000}kB",
            "threads": max(
                min(self._memory // USUAL_MEMORY, os.cpu_count() or 1), 1
            ),  # each one sorts in its own memory
            "temp_directory": os.fspath(self.new_folder()),  # mode 0700
            "preserve_insertion_order": False,
            "allow_community_extensions": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
        connection = duckdb.connect(":memory:", config=settings)
        connection.execute("SET allowed_directories = ?", [[os.fspath(self.folder)]])
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        return connection


def memory_for(free: int | None) -> int:
    """The bytes that DuckDB may take where so many are ``free``, None where nobody knows."""
    return USUAL_MEMORY if free is None else max(min(max(USUAL_MEMORY, free // 32), free // 2), LEAST_MEMORY)


@contextlib.contextmanager
def _reader_of(blocks: Iterable[Columns], schema: pa.Schema) -> Iterator[pa.RecordBatchReader]:
    """What DuckDB reads the records with; what goes wrong in them comes out as it is, not as an error of DuckDB."""
    raised: list[BaseException] = []

    def read() -> Iterator[pa.RecordBatch]:
        try:
            for block in blocks:
                yield pa.RecordBatch.from_arrays(arrays_of(block, schema), schema=schema)
        except GeneratorExit:  # DuckDB asks for no more
            raise
        except BaseException as error:
            raised.append(error)
            raise

    try:
        yield pa.RecordBatchReader.from_batches(schema, read())
    except Exception:
        if raised:
            raise raised[0] from raised[0].__cause__
        raise


def database_in(folder: Path, counted_by: Count | None = None) -> contextlib.closing[Database]:
    """The database of a run, in its ``folder``; closed at the end of the block."""
    return contextlib.closing(Database(folder, counted_by))
