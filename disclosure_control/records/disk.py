"""People of a file that does not fit in memory: read once, encoded, written to disk and counted part by part.

text, block by block -> codes of each column, on disk -> counts of classes and cells, in SQL -> class of each record

In memory are the distinct values of the columns, the classes with their people, one block, and one part of the cells.
On disk, beside the results and for this run only, are a few bytes per record and column, and the ids.
"""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from collections.abc import Iterable, Iterator, Sequence

import pandas as pd
import pyarrow as pa

from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.basics.telling.progress import progress
from disclosure_control.records.dataset_rules import faults_of_subjects, typed_columns
from disclosure_control.records.limits import USUAL_LIMITS, Limits
from disclosure_control.records.people import People, named_columns
from disclosure_control.records.records import EncodedRecords
from disclosure_control.records.sql import Database
from disclosure_control.records.subjects import SubjectsOnDisk
from disclosure_control.records.texts import TextsBeingRead, TextTable, put_aside
from study.formats.blocks import Blocks
from study.formats.values import clean_values


def count_on_disk(
    text: Blocks, config: PilotConfig, database: Database, limits: Limits = USUAL_LIMITS
) -> tuple[People, TextTable]:
    """Read the text once, store it encoded, and count its people; with further facts about the file.

    Raises ``FaultyInputError`` as reading the whole file does, and where there are more distinct values or classes than
    ``limits`` allow.
    """
    named = named_columns(config)
    table = texts_of_people(with_progress(text), text.columns, named, database, limits)
    faults = faults_of_subjects(table.subjects, text.path.name)
    typed = typed_columns(table.in_full(named), config, text.path.name, faults)
    return People(config, EncodedRecords(table.subjects, typed, database, limits)), table


def in_full(people: People, table: TextTable) -> EncodedRecords:
    """The records of counted ``people`` with every column. Raises ``FaultyInputError`` for those of too many values."""
    typed = people.records.columns
    texts = table.in_full(name for name in table.columns if name != SUBJECT_COLUMN and name not in typed)
    columns = {name: typed.get(name) or texts[name] for name in table.columns if name != SUBJECT_COLUMN}
    return dataclasses.replace(people.records, columns=columns)


def records_of_pieces(
    columns: Sequence[str], pieces: Iterable[pd.DataFrame], database: Database, limits: Limits
) -> EncodedRecords:
    """Those of a combined dataset that comes in pieces with these columns, put aside, every column as text.

    Raises ``FaultyInputError`` for columns of too many values.
    """
    blocks = (pa.RecordBatch.from_pandas(piece, preserve_index=False) for piece in pieces)
    table = texts_of_people(blocks, columns, columns, database, limits)
    texts = table.in_full(name for name in columns if name != SUBJECT_COLUMN)
    return EncodedRecords(table.subjects, texts, database, limits)


def with_progress(text: Blocks) -> Iterator[pa.RecordBatch]:
    """The blocks of a text; after each, the number of bytes done is reported."""
    n_read = 0
    with progress(f"Reading {text.path.name}", text.n_bytes, "bytes") as advance:
        for block in text:
            yield block
            advance(text.n_bytes_read - n_read)
            n_read = text.n_bytes_read


def texts_of_people(
    blocks: Iterable[pa.RecordBatch], columns: Sequence[str], named: Sequence[str], database: Database, limits: Limits
) -> TextTable:
    """Blocks with these ``columns`` put aside: each as codes of its distinct texts, and the ids of the people.

    All texts are kept of the columns that are ``named``.
    """
    subjects = SubjectsOnDisk(database)

    def beside_ids() -> Iterator[pa.RecordBatch]:
        for block in blocks:
            subjects.append(clean_values(block.column(SUBJECT_COLUMN).cast(pa.large_string())))
            yield block

    read = {
        name: TextsBeingRead(sys.maxsize if name in named else limits.few_texts)
        for name in columns
        if name != SUBJECT_COLUMN
    }
    remedy = "round them in the source, or leave the column out of the config"
    with contextlib.closing(subjects):
        found, _ = put_aside(beside_ids(), read, database, limits.n_values, remedy)
    return TextTable(columns, found.__getitem__, subjects, limits.few_texts)
