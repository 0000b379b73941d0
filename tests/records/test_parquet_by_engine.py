"""A combined dataset in Parquet, of groups as small as one record: every engine finds what is found in the text."""

from __future__ import annotations

import os

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.records.limits import Limits
from study.formats.parquet_blocks import parquet_bytes
from tests.examples import examples
from tests.records.test_engines import CONFIG, results_of
from tests.records.written_pilots import COLUMNS, configs, limits, opened_with, rows, text_of


@pytest.fixture(autouse=True)
def quick_flush(monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


def parquet_of(people: list[list[str]], bytes_of_group: int) -> bytes:
    frame = pd.DataFrame([[value or None for value in row] for row in people], columns=COLUMNS, dtype="str")
    return b"".join(parquet_bytes([frame], bytes_of_group))


@pytest.mark.thorough("2.0 s")
@pytest.mark.parametrize("engine", ["memory", "disk"])
@examples(30)
@given(rows(20), configs, limits, st.sampled_from([1, 200, 600, 1 << 20]))
def test_the_same_bytes_as_of_the_text_in_memory(tmp_path_factory, engine, people, config, parts, group_bytes):
    folder = tmp_path_factory.mktemp("pilot")
    text, parquet = folder / "combined_dataset.csv", folder / "combined_dataset.parquet"
    text.write_bytes(text_of(people))
    parquet.write_bytes(parquet_of(people, group_bytes))
    with opened_with("memory", text, config, parts) as opened:
        expected, hash_of_text = results_of(opened, folder / "text"), opened.dataset.sha256
    with opened_with(engine, parquet, config, parts) as opened:
        assert opened.dataset.file == parquet.name
        assert opened.dataset.n_subjects == len(people)
        found, own_hash = results_of(opened, folder / engine), opened.dataset.sha256
    assert own_hash != hash_of_text
    said = found["P.json"].replace(own_hash.encode(), hash_of_text.encode())
    found["P.json"] = said.replace(parquet.name.encode(), text.name.encode())
    assert list(found) == list(expected)
    assert [name for name in found if found[name] != expected[name]] == []


@pytest.mark.parametrize("engine", ["memory", "disk"])
def test_faults_of_the_people_are_those_of_the_text(tmp_path, engine):
    people = [["1", "a", "1", "2", "3", "4"], ["1", "a", "x", "2", "3", "4"], [" ", "a", "1", "2", "3", "4"]]
    text, parquet = tmp_path / "combined_dataset.csv", tmp_path / "combined_dataset.parquet"
    text.write_bytes(text_of(people))
    parquet.write_bytes(parquet_of(people, 1))
    faults = []
    for path in (text, parquet):
        with pytest.raises(FaultyInputError) as raised, opened_with(engine, path, CONFIG, Limits()):
            pass
        faults.append([fault.replace(path.name, "the file") for fault in raised.value.faults])
    assert faults[0] == faults[1] != []
