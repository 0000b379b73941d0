"""How far the reading of a file of text is: what its blocks add up to."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from disclosure_control.records import disk
from disclosure_control.records.disk import with_progress
from study.formats.delimited_blocks import BlocksOfText


def test_the_bytes_of_all_blocks_are_those_of_the_file(tmp_path, monkeypatch):
    path = tmp_path / "combined_dataset.csv"
    path.write_text("USUBJID,AGE\n" + "".join(f"S{i:04},{i % 90}\n" for i in range(400)), encoding="utf-8")
    told: list = []

    @contextlib.contextmanager
    def noted(words: str, n_total: int, unit: str) -> Iterator:
        told.append((words, n_total, unit))
        yield told.append

    monkeypatch.setattr(disk, "progress", noted)
    n_records = [block.num_rows for block in with_progress(BlocksOfText(path, 1_000))]
    first, *advanced = told
    assert first == ("Reading combined_dataset.csv", path.stat().st_size, "bytes")
    assert len(advanced) == len(n_records) > 2
    assert min(advanced) >= 0
    assert sum(advanced) == path.stat().st_size
    assert sum(n_records) == 400
