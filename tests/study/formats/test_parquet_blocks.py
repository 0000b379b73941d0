"""A Parquet file that is read block by block: how long it is as text, and that it stays as it is meanwhile."""

from __future__ import annotations

import os

import pandas as pd
import pytest

from disclosure_control.basics.telling.faults import FaultyInputError
from study.formats.blocks import bytes_as_text
from study.formats.parquet_domains import BlocksOfParquetDomain


def written(path, n_records):
    pd.DataFrame({"USUBJID": ["a" * 20] * n_records, "AGE": ["1"] * n_records}).to_parquet(path, index=False)
    return path


def test_a_file_that_changes_while_it_is_read_is_at_fault(tmp_path):
    path = written(tmp_path / "dm.parquet", 2)
    blocks = iter(BlocksOfParquetDomain(path, 1))
    next(blocks)
    os.utime(path, ns=(0, 0))
    with pytest.raises(FaultyInputError, match="changed while it was read"):
        list(blocks)


def test_how_long_it_is_as_text_is_told_without_reading_it(tmp_path):
    path = written(tmp_path / "dm.parquet", 10_000)
    assert path.stat().st_size < 5_000
    assert bytes_as_text(path) >= 2 * 8 * 10_000
    path.write_bytes(path.read_bytes()[:-9])
    assert bytes_as_text(path) == path.stat().st_size  # whoever asks before a damaged file is read gets an answer
