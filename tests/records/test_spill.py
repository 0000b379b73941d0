"""What is put aside is for the controller alone, and gone after the run, however that ended."""

from __future__ import annotations

import contextlib
import stat
from itertools import chain
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.records import spill, store
from disclosure_control.records.limits import Limits
from disclosure_control.records.spill import Aside, spill_folder
from disclosure_control.run.beside import SPILL, beside
from disclosure_control.run.results import held
from tests.examples import examples
from tests.records.test_engines import CONFIG
from tests.records.written_pilots import opened_with, text_of

PEOPLE = [[f"{i}", "ab"[i % 2], "1", f"{i % 3}", "a", "x"] for i in range(12)]


def modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in [folder, *folder.rglob("*")]}


def test_files_are_for_the_controller_alone_and_gone_afterwards(tmp_path):
    path = tmp_path / "combined_dataset.csv"
    path.write_bytes(text_of(PEOPLE))
    with opened_with("disk", path, CONFIG):
        found = modes(beside(tmp_path) / SPILL)
        folders = {path.name for path in (beside(tmp_path) / SPILL).rglob("*") if path.is_dir()} | {SPILL}
        assert len(found) > len(folders)
        assert {mode for name, mode in found.items() if name not in folders} == {0o600}
        assert {found[name] for name in folders} == {0o700}
    assert [path.name for path in tmp_path.iterdir()] == ["combined_dataset.csv"]


def test_they_are_gone_after_a_fault_as_well(tmp_path):
    path = tmp_path / "combined_dataset.csv"
    path.write_bytes(text_of([*PEOPLE, PEOPLE[0]]))
    with (
        pytest.raises(FaultyInputError, match=r"fewer than 10 of \d+ rows repeat the USUBJID"),
        opened_with("disk", path, CONFIG),
    ):
        pass
    assert not (beside(tmp_path) / SPILL).exists()


def test_what_a_killed_run_left_is_gone_at_the_next_start(tmp_path):
    (beside(tmp_path) / SPILL).mkdir(parents=True)
    (beside(tmp_path) / SPILL / "subjects").write_text("ZZSUBJ")
    with held(tmp_path):
        assert not (beside(tmp_path) / SPILL).exists()


def test_a_disk_without_room_is_a_fault_before_anything_is_read(tmp_path):
    with pytest.raises(FaultyInputError, match="free"), spill_folder(tmp_path, 1 << 80):
        pass
    assert list(tmp_path.iterdir()) == []


def with_free(monkeypatch, n_bytes: int) -> None:
    monkeypatch.setattr(spill.shutil, "disk_usage", lambda folder: Mock(free=n_bytes))


def test_a_disk_with_just_enough_room_is_enough(tmp_path, monkeypatch):
    with_free(monkeypatch, 1000)
    with spill_folder(tmp_path, 1000):
        pass
    with pytest.raises(FaultyInputError, match="free"), spill_folder(tmp_path, 1001):
        pass


def test_a_pilot_from_disk_needs_as_much_room_as_is_said_of_its_text(tmp_path, monkeypatch):
    path = tmp_path / "combined_dataset.csv"
    path.write_bytes(text_of(PEOPLE))
    n_bytes = int(store.SPILL_PER_BYTE * path.stat().st_size)
    with_free(monkeypatch, n_bytes)
    with opened_with("disk", path, CONFIG):
        pass
    with_free(monkeypatch, n_bytes - 1)
    with pytest.raises(FaultyInputError, match="free"), opened_with("disk", path, CONFIG):
        pass


def test_a_repeated_id_beside_its_own_in_a_file_that_rises_is_a_fault(tmp_path):
    path = tmp_path / "combined_dataset.csv"
    path.write_bytes(text_of([[f"{i // 2:02d}", *row[1:]] for i, row in enumerate(PEOPLE)]))
    fault = r"fewer than 10 of 12 rows repeat the USUBJID of another row"
    for block_bytes in (1 << 24, 40):  # neighbours within a block, and on either side of its end
        limits = Limits(block_bytes=block_bytes)
        with (
            pytest.raises(FaultyInputError, match=fault),
            opened_with("disk", path, CONFIG, limits),
        ):
            pass


def test_no_file_is_open_after_a_fault_whoever_holds_it(tmp_path):
    with contextlib.suppress(FaultyInputError), spill_folder(tmp_path, 0) as folder:
        written, read = (Aside(folder / name, [pa.int32()]) for name in "ab")
        for one in (written, read):
            one.append([np.arange(2)])
        next(read.tables())
        raise FaultyInputError("a fault")
    assert not written._writer.is_open


@examples(40)
@given(st.lists(st.lists(st.sampled_from(["a", "é", None]), max_size=4), max_size=4), st.data())
def test_tables_come_back_as_often_as_asked_and_rows_in_any_order(tmp_path_factory, tables, data):
    aside = Aside(tmp_path_factory.mktemp("run") / "aside", [pa.int32(), pa.large_string()])
    numbers = [list(range(10 * i, 10 * i + len(one))) for i, one in enumerate(tables)]
    for number, texts in zip(numbers, tables, strict=True):
        aside.append([np.array(number, dtype=np.uint8), pa.array(texts, pa.large_string())])
    for _ in range(2):
        assert [one.tolist() for one in aside.column(0)] == numbers
        assert [one.column(0).to_pylist() for one in aside.tables(columns=[1])] == tables
    rows = data.draw(st.permutations(range(sum(map(len, tables))))) if any(tables) else []
    whole = list(zip(chain(*numbers), chain(*tables), strict=True))
    found = aside.take(np.array(rows, dtype=np.int64))
    assert [(one["c0"], one["c1"]) for one in found.to_pylist()] == [whole[row] for row in rows]
    aside.remove()
    assert list(aside.path.parent.iterdir()) == []
