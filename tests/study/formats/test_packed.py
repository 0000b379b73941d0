"""Packed files: the same table as unpacked, hashed as they lie there, unpacked within bounds."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from pathlib import Path

import numpy as np
import pytest

from disclosure_control.basics.telling.faults import FaultyInputError
from study.formats import packed
from study.formats.files import find_domain_files, read_domain_file
from tests.bad_inputs.faults_of_other_formats import dataset_json, ndjson_lines
from tests.cases import each
from tests.places import SHARED_DATA

CSV = b"USUBJID;BMI\nDOLLY;21,5\nDOLLY2;30,25\n"
TEXTS = {
    ".csv": CSV,
    ".tsv": CSV.replace(b";", b"\t"),
    ".txt": CSV.replace(b";", b"|"),
    ".json": json.dumps(dataset_json()).encode(),
    ".ndjson": "\n".join(ndjson_lines()).encode(),
}


def written(folder: Path, name: str, content: bytes) -> Path:
    (folder / name).write_bytes(content)
    return folder / name


def faults_of(path: Path) -> tuple[str, ...]:
    with pytest.raises(FaultyInputError) as caught:
        read_domain_file(path)
    assert "DOLLY" not in str(caught.value)
    return caught.value.faults


@each("suffix", TEXTS)
def test_packed_text_is_read_as_the_text_is(tmp_path, suffix):
    plain = read_domain_file(written(tmp_path, f"vs{suffix}", TEXTS[suffix]))
    content = gzip.compress(TEXTS[suffix])
    table = read_domain_file(written(tmp_path, f"VS{suffix}.GZ", content))
    assert table.frame.equals(plain.frame)
    assert (table.domain, table.notes) == ("VS", plain.notes)
    assert table.sha256 == hashlib.sha256(content).hexdigest()


def test_an_archive_of_several_members_is_one_text(tmp_path):
    content = gzip.compress(CSV[:20]) + gzip.compress(CSV[20:]) + bytes(512)
    assert len(read_domain_file(written(tmp_path, "vs.csv.gz", content)).frame) == 2


@each("pack", [zlib.compress, gzip.compress])
def test_compressed_dataset_json_as_a_stream_and_as_gzip(tmp_path, pack):
    plain = read_domain_file(written(tmp_path, "vs.ndjson", TEXTS[".ndjson"]))
    table = read_domain_file(written(tmp_path, "vs.dsjc", pack(TEXTS[".ndjson"])))
    assert table.frame.equals(plain.frame)
    assert table.labels == plain.labels


def test_streams_behind_one_another_are_one_text_and_what_is_none_is_noticed(tmp_path):
    text = TEXTS[".ndjson"]
    two = zlib.compress(text[:90]) + zlib.compress(text[90:])
    plain = read_domain_file(written(tmp_path, "vs.ndjson", text)).frame
    assert read_domain_file(written(tmp_path, "vs.dsjc", two)).frame.equals(plain)
    (fault,) = faults_of(written(tmp_path, "vs.dsjc", zlib.compress(text) + b"xx"))
    assert "cut off or damaged" in fault


@each("name, pack", [("vs.csv.gz", gzip.compress), ("vs.dsjc", zlib.compress)])
def test_every_cut_is_noticed(tmp_path, name, pack):
    content = pack(TEXTS[".ndjson"] if name == "vs.dsjc" else CSV)
    for length in range(1, len(content), 5):
        (fault,) = faults_of(written(tmp_path, name, content[:length]))
        assert "cut off or damaged" in fault or "not a gzip archive" in fault


def test_what_is_no_archive(tmp_path):
    assert "vs.csv.gz: this is not a gzip archive" in faults_of(written(tmp_path, "vs.csv.gz", CSV))[0]
    assert "vs.dsjc: a compressed file, cut off" in faults_of(written(tmp_path, "vs.dsjc", CSV))[0]


@each("name, pack", [("vs.csv.gz", gzip.compress), ("vs.dsjc", zlib.compress)])
def test_a_small_file_cannot_fill_the_memory(tmp_path, monkeypatch, name, pack):
    monkeypatch.setattr(packed, "LARGEST_UNFOLDED", 10**6)
    monkeypatch.setattr(packed, "_PIECE", 10**5)
    path = written(tmp_path, name, pack(b"A" * 2 * 10**7))
    assert "would unfold to 0.0 GB; allowed: up to 0.0 GB" in faults_of(path)[0]


def test_how_much_a_file_holds_is_told_by_all_of_its_members(tmp_path):
    """bgzip packs each 64 KB by themselves: by the first of them alone a file would hold a hundredth."""
    text = b"".join(b"S%07d,%d\n" % (i, i * i % 9973) for i in range(12_000))
    members = [gzip.compress(text[start : start + 65_280], 1) for start in range(0, len(text), 65_280)]
    for content in (b"".join(members), gzip.compress(text), gzip.compress(b"") + b"".join(members)):
        assert packed.bytes_unpacked(written(tmp_path, "LB.csv.gz", content)) == len(text)


def test_how_much_a_large_file_holds_is_told_by_its_beginning(tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "_PIECE", 1 << 20)
    text = np.random.default_rng(0).integers(48, 58, 3 << 20, dtype=np.uint8).tobytes()
    found = packed.bytes_unpacked(written(tmp_path, "LB.csv.gz", gzip.compress(text, 1)))
    assert 0.85 * len(text) < found < 1.05 * len(text)


def test_a_text_that_is_no_table_is_left_out_and_a_table_is_not(tmp_path):
    written(tmp_path, "dm.txt", b"USUBJID\tAGE\nS1\t50\nS2\t51\n")
    written(tmp_path, "vs.txt", "USUBJID|AGE\nS1|50\n".encode("utf-16"))
    written(tmp_path, "LETTER.txt", b"Data of the clinic, sent on Monday.\nCall us, if need be, or write.\n\nBye\n")
    found = find_domain_files(tmp_path)
    assert list(found.by_domain) == ["DM", "VS"]
    assert found.left_out == {"LETTER.txt": "text, but not a table"}


@pytest.mark.thorough("0.3 s")
@pytest.mark.skipif(not SHARED_DATA.is_dir(), reason="the public data are not beside the clone")
@each("name", ["dm", "suppdm", "lb"])
def test_compressed_dataset_json_of_a_whole_study(name):
    study = SHARED_DATA / "dataset_json" / "whole_study"
    packed_table = read_domain_file(study / "dsjc" / f"{name}.dsjc")
    assert packed_table.frame.equals(read_domain_file(study / "json" / f"{name}.json").frame)
