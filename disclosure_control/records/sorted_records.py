"""Records in an order that discloses nothing of their original one: divided by their key, each part sorted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.basics.encoding.keys import KEY_LIMIT
from disclosure_control.records.records import EncodedRecords, ids_of_block
from disclosure_control.records.spill import SpilledRecords
from disclosure_control.records.subjects import Subjects

Keyed = tuple[np.ndarray, pa.Array, list[np.ndarray]]  # of a block the keys, the ids, and the texts by column
MOST_PARTS = 256
KEYS_OF_BLOCK = 1 << 10  # of each block so many evenly spaced records, which determine where the parts begin


def sorted_by_id(
    records: EncodedRecords, ids: Subjects, values: Mapping[str, pd.Series], columns: Sequence[str]
) -> Iterator[pd.DataFrame]:
    """Pieces of the records by rising id, as letters sort; ``ids`` are used in place of those of the records.

    ``values`` (n_texts,) are written for each column except that of the ids, ``columns`` are their order.
    """
    names = list(values)

    def keyed() -> Iterator[Keyed]:
        for block, (_, texts) in zip(ids.ids, records.blocks(names), strict=True):
            yield block.column(0).to_numpy(zero_copy_only=False), block.column(0), texts

    for part in _divided(keyed, records, len(names)):
        order = pc.sort_indices(part.column(0)).to_numpy()
        found = _written(part.take(pa.array(order)), values)
        found[SUBJECT_COLUMN] = ids_of_block(part.column(0).take(pa.array(order)))
        yield pd.DataFrame({name: found[name] for name in columns})


def sorted_by_columns(
    records: EncodedRecords, values: Mapping[str, pd.Series], columns: Sequence[str]
) -> Iterator[pd.DataFrame]:
    """Pieces of the records by the values of all columns: numbers by size, text by letters, missing last."""
    ranks = {name: ranks_of(values[name]) for name in columns}
    first, n_keys = [], 1  # as many columns as fit in one number divide the records
    for name, (_, n_ranks) in ranks.items():
        if n_keys * n_ranks > KEY_LIMIT:
            break
        first.append(name)
        n_keys *= n_ranks

    def keyed() -> Iterator[Keyed]:
        for ids, texts in records.blocks(columns):
            key = np.zeros(len(ids), dtype=np.int64)
            for name, text in zip(columns, texts, strict=True):
                if name in first:
                    key = key * ranks[name][1] + ranks[name][0][text]
            yield key, pa.nulls(len(ids), pa.large_string()), texts

    for part in _divided(keyed, records, len(columns)):
        places = [part.column(1 + i).to_numpy() for i in range(len(columns))]
        keys = [ranks[name][0][place] for name, place in zip(columns, places, strict=True)]
        order = np.lexsort(keys[::-1]) if keys else np.arange(part.num_rows)
        found = _written(part.take(pa.array(order)), {name: values[name] for name in columns})
        yield pd.DataFrame(found, index=range(part.num_rows))


def ranks_of(values: pd.Series) -> tuple[np.ndarray, int]:
    """The place of each value (n,) in the order of a release, equal ones together, and how many places there are."""
    is_number = pd.api.types.is_numeric_dtype(values.dtype)
    codes, distinct = pd.factorize(values if is_number else values.astype("str"))
    rank = np.empty(len(distinct) + 1, dtype=np.int64)
    rank[np.asarray(pc.sort_indices(pa.array(distinct)))] = np.arange(len(distinct))
    rank[-1] = len(distinct)
    return rank[codes], len(distinct) + 1


def _written(part: pa.Table, values: Mapping[str, pd.Series]) -> dict[str, pd.Series]:
    places = [part.column(1 + i).to_numpy() for i in range(len(values))]
    return {
        name: one.take(place).reset_index(drop=True) for (name, one), place in zip(values.items(), places, strict=True)
    }


def _divided(blocks: Callable[[], Iterator[Keyed]], records: EncodedRecords, n_columns: int) -> Iterator[pa.Table]:
    """The records in parts by their key, of about as many people as may be listed together; equal keys in one part."""
    starts = _starts(blocks, min(-(-records.n_people // records.limits.flagged_per_part), MOST_PARTS))
    schema = pa.schema([("id", pa.large_string()), *((str(i), pa.int32()) for i in range(n_columns))])
    if not len(starts):
        yield pa.Table.from_batches((_block(ids, texts, schema) for _, ids, texts in blocks()), schema)
        return
    folder = records.new_folder()
    parts = [SpilledRecords(folder / f"part_{i}", schema) for i in range(len(starts) + 1)]
    for key, ids, texts in blocks():
        block = _block(ids, texts, schema)
        part_of_record = np.searchsorted(starts, key, side="right")
        for i in np.unique(part_of_record).tolist():
            parts[i].append(block.take(pa.array(np.flatnonzero(part_of_record == i))))
    for part in parts:
        yield pa.Table.from_batches(part, schema)
        part.remove()


def _block(ids: pa.Array, texts: Sequence[np.ndarray], schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([ids, *(pa.array(text.astype(np.int32)) for text in texts)], schema=schema)


def _starts(blocks: Callable[[], Iterator[Keyed]], n_parts: int) -> np.ndarray:
    """The keys (n_parts - 1,) with which all parts but the first begin, by some of the keys."""
    if n_parts < 2:
        return np.zeros(0, dtype=np.int64)
    some = np.sort(np.concatenate([key[:: max(len(key) // KEYS_OF_BLOCK, 1)] for key, _, _ in blocks()]))
    starts: np.ndarray = some[np.arange(1, n_parts) * len(some) // n_parts]
    return starts
