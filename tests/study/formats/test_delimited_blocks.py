"""Text read block by block is what is read of it at once, wherever a block ends; what is broken is a fault."""

from __future__ import annotations

import hashlib
import time

import pyarrow as pa
import pytest

from disclosure_control.basics.telling.faults import FaultyInputError
from study.formats import delimited_blocks
from study.formats.delimited_blocks import BlocksOfText, Dialect
from study.formats.files import read_domain_file
from study.formats.tables import FileOptions
from tests.cases import each
from tests.examples import some_of

NASTY = (
    '"USUBJID","Größe","NOTE"\r\n'
    '"1","x\r\ny","ü"\r\n'
    '2,"q""q",\n'
    '"","","东京"\n'
    '"3","","z, z"\r\n'
    '"4","","\r\n"\r\n'
    '"5"," a ","e\u0301"\n'
)
LARGEST_RECORD = 40


def read(path, block_bytes) -> tuple[pa.Table, BlocksOfText]:
    blocks = BlocksOfText(path, block_bytes)
    return pa.Table.from_batches(list(blocks)), blocks


def written(tmp_path, text: str | bytes):
    path = tmp_path / "combined_dataset.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@each("end", ["", ",,\n", ",,\r\n,,\n,,"])
@each("start", [b"", b"\xef\xbb\xbf"])
def test_wherever_a_block_ends_the_records_are_the_same(tmp_path, start, end):
    path = written(tmp_path, start + (NASTY + end).encode())
    whole, _ = read(path, 1 << 20)
    assert whole.column("Größe").to_pylist() == ["x\r\ny", 'q"q', None, None, None, " a "]
    assert whole.column("NOTE").to_pylist() == ["ü", None, "东京", "z, z", "\r\n", "e\u0301"]
    for block_bytes in some_of(range(LARGEST_RECORD, path.stat().st_size + 3)):
        found, blocks = read(path, block_bytes)
        assert found.equals(whole), block_bytes
        assert (blocks.n_records, blocks.n_empty_end) == (6, end.count(",,"))
        assert blocks.n_bytes_read == blocks.n_bytes == path.stat().st_size
        assert blocks.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_text_is_read_in_its_dialect(tmp_path):
    path = written(tmp_path, 'A;B\n1,5;NA\n"NA";"x;y"\n')
    whole = pa.Table.from_batches(list(BlocksOfText(path, 1 << 10, Dialect(";", na_is_missing=True))))
    assert whole.to_pylist() == [{"A": "1,5", "B": None}, {"A": "NA", "B": "x;y"}]


@each("fault", ['4,a"b,c\n', '4,"a"b,c\n', '4,"a\n5,b,c\n', "4,a\0,c\n"])
def test_what_is_broken_is_found_wherever_a_block_ends(tmp_path, fault):
    path = written(tmp_path, NASTY + fault + NASTY.partition("\n")[2])
    for block_bytes in some_of(range(LARGEST_RECORD, path.stat().st_size + 3)):
        with pytest.raises(FaultyInputError, match=r"quote|NUL|split"):
            read(path, block_bytes)


def test_it_is_what_is_read_at_once_but_for_the_cleaning_of_values(tmp_path):
    path = written(tmp_path, NASTY.replace("e\u0301", "é").replace(" a ", "a").replace('"\r\n"\r\n', '"w"\r\n'))
    at_once = read_domain_file(path, FileOptions(delimiter=",", decimal=".", missing=())).frame
    found = read(path, LARGEST_RECORD)[0].to_pandas()
    assert list(found.columns) == list(at_once.columns)
    assert found.astype(object).where(found.notna(), None).equals(at_once.astype(object).where(at_once.notna(), None))


FAULTY = {
    "ragged": ('"A","B"\n"1","2"\n"3"\n"4","5","6"\n', r"2 records with another number of fields than the 2 columns"),
    "nul": ('"A","B"\n"1","\0"\n', "NUL"),
    "latin": ('"A","B"\n"1","é"\n'.encode("cp1252"), "UTF-8"),
    "latin far away": (('"A","B"\n' + '"1","2"\n' * 3000 + '"1","é"\n').encode("cp1252"), "UTF-8"),
    "open quote": ('"A","B"\n"1","2\n"3","4"\n', "quote"),
    "quote within": ('"A","B"\n1,5" tube\n2,6" tube\n', "quotes within values"),
    "no records": ('"A","B"\n', "record"),
    "names twice": ('"A","A"\n1,2\n', "name every column"),
    "empty": ("", "name every column"),
    "long record": (f'"A","B"\n"1","{"x" * 5000}"\n' * 2, "longer than"),
}


@each("name", FAULTY)
def test_what_is_broken_is_a_fault_without_values(tmp_path, name):
    text, words = FAULTY[name]
    path = written(tmp_path, text)
    for block_bytes in (32, 1000):
        with pytest.raises(FaultyInputError, match=words) as raised:
            read(path, block_bytes)
        assert "tube" not in str(raised.value)
        assert "combined_dataset.csv" in str(raised.value)


def test_a_reading_that_ends_early_leaves_no_thread_that_reads_on(tmp_path, monkeypatch):
    """At the end of the process such a thread broke it: after a fault in the first blocks, or on a full disk."""
    path, n_read, read = tmp_path / "large.csv", [], delimited_blocks._CheckedText.read

    def slowly(self, size=-1):
        time.sleep(0.002)
        data = read(self, size)
        n_read.append(len(data))
        return data

    monkeypatch.setattr(delimited_blocks._CheckedText, "read", slowly)
    path.write_text("USUBJID,AGE\n" + "".join(f"S{i:05},{i % 90}\n" for i in range(20_000)), encoding="utf-8")
    blocks = iter(BlocksOfText(path, 1_000))
    assert next(blocks).num_rows > 50
    blocks.close()
    n_then = len(n_read)
    time.sleep(0.05)
    assert (len(n_read), n_read[-1]) == (n_then, 0)
    assert sum(n_read) < path.stat().st_size
