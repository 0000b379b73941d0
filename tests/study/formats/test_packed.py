"""Packed files: the same table as unpacked, hashed as they lie there, unpacked within bounds."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path

import numpy as np

from study.formats import packed
from study.formats.files import find_domain_files, read_domain_file
from tests.bad_inputs.faults_of_other_formats import dataset_json, ndjson_lines
from tests.cases import each
from tests.study.formats.asked import faults_of

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


def test_every_cut_is_noticed(tmp_path):
    content = gzip.compress(CSV)
    for length in range(1, len(content), 5):
        (fault,) = faults_of(written(tmp_path, "vs.csv.gz", content[:length]))
        assert "cut off or damaged" in fault or "not a gzip archive" in fault


def test_what_is_no_archive(tmp_path):
    assert "vs.csv.gz: this is not a gzip archive" in faults_of(written(tmp_path, "vs.csv.gz", CSV))[0]


def test_a_small_file_cannot_fill_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "LARGEST_UNFOLDED", 10**6)
    monkeypatch.setattr(packed, "_PIECE", 10**5)
    path = written(tmp_path, "vs.csv.gz", gzip.compress(b"A" * 2 * 10**7))
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
