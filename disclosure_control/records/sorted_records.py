"""Records in an order that discloses nothing of their original one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.records.records import EncodedRecords, ids_of_block
from disclosure_control.records.subjects import Subjects


def sorted_by_id(
    records: EncodedRecords, ids: Subjects, values: Mapping[str, pd.Series], columns: Sequence[str]
) -> Iterator[pd.DataFrame]:
    """Pieces of the records by rising id, as letters sort; ``ids`` are used in place of those of the records.

    ``values`` (n_texts,) are written for each column except that of the ids, ``columns`` are their order.
    """
    blocks = ([block.column(0), *texts] for block, (_, texts) in zip(ids.ids, records.blocks(values), strict=True))
    for part in _in_order(records, blocks, [pa.large_string()], len(values)):
        found = _written(part, values)
        found[SUBJECT_COLUMN] = ids_of_block(part.column(0))
        yield pd.DataFrame({name: found[name] for name in columns})


def sorted_by_columns(
    records: EncodedRecords, values: Mapping[str, pd.Series], columns: Sequence[str]
) -> Iterator[pd.DataFrame]:
    """Pieces of the records by the values of all columns: numbers by size, text by letters, missing last."""
    written = {name: values[name] for name in columns}
    ranks = [ranks_of(one) for one in written.values()]
    blocks = (
        [np.zeros(len(ids), dtype=np.int8), *(rank[text] for rank, text in zip(ranks, texts, strict=True)), *texts]
        for ids, texts in records.blocks(columns)
    )  # the first one counts the records where they have no column
    for part in _in_order(records, blocks, [pa.int8(), *[pa.int64()] * len(ranks)], len(columns)):
        yield pd.DataFrame(_written(part, written), index=range(part.num_rows))


def ranks_of(values: pd.Series) -> np.ndarray:
    """The place of each value (n,) in the order of a release, equal ones together, missing ones last."""
    is_number = pd.api.types.is_numeric_dtype(values.dtype)
    codes, distinct = pd.factorize(values if is_number else values.astype("str"))
    rank = np.empty(len(distinct) + 1, dtype=np.int64)
    rank[np.asarray(pc.sort_indices(pa.array(distinct)))] = np.arange(len(distinct))
    rank[-1] = len(distinct)
    return rank[codes]


def _written(part: pa.Table, values: Mapping[str, pd.Series]) -> dict[str, pd.Series]:
    """The values of the records, whose places among them are the last columns."""
    places = [column.to_numpy() for column in part.columns[part.num_columns - len(values) :]]
    return {
        name: one.take(place).reset_index(drop=True) for (name, one), place in zip(values.items(), places, strict=True)
    }


def _in_order(
    records: EncodedRecords, blocks: Iterable[Sequence], keys: Sequence[pa.DataType], n_columns: int
) -> Iterator[pa.Table]:
    """The records: of each the ``keys`` by which they are sorted, and the places of its values."""
    kinds = [*keys, *[pa.int32()] * n_columns]
    schema = pa.schema([(f"c{i}", kind) for i, kind in enumerate(kinds)])
    batches = (
        pa.RecordBatch.from_arrays([pa.array(one, kind) for one, kind in zip(block, kinds, strict=True)], schema=schema)
        for block in blocks
    )
    return records.in_order(batches, schema, len(keys))
