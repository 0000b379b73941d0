"""Finding the domain files of a pilot, and what holds for files of every format."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from disclosure_control.basics.telling.faults import FaultyInputError
from study.formats.files import find_domain_files, read_domain_file
from study.formats.registry import readers_by_suffix
from study.formats.tables import FileOptions
from tests.cases import each
from tests.places import PROJECT

REPOSITORY = PROJECT


def write(folder: Path, name: str, content: bytes = b"USUBJID,AGE\nS1,50\n") -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def test_domain_is_the_file_stem_in_capitals_and_domains_are_sorted(tmp_path):
    for name in ("vs.xpt", "Dm.CSV", "lbch.Json", "sc.ndjson", "ae.PARQUET", "mh.tsv"):
        write(tmp_path, name)
    found = find_domain_files(tmp_path)
    assert list(found.by_domain) == ["AE", "DM", "LBCH", "MH", "SC", "VS"]
    assert found.by_domain["DM"].name == "Dm.CSV"
    assert found.left_out == {}


def test_other_formats_are_left_out_with_the_reason_and_hidden_files_and_folders_silently(tmp_path):
    for name in ("dm.csv", "define.xml", "notes", "vs.rds", ".DS_Store", ".vs.csv"):
        write(tmp_path, name)
    (tmp_path / "processed_for_anonym.csv").mkdir()
    found = find_domain_files(tmp_path)
    assert list(found.by_domain) == ["DM"]
    assert found.left_out == {
        "define.xml": "not a data format this tool reads: .xml",
        "notes": "not a data format this tool reads: no suffix",
        "vs.rds": "not a data format this tool reads: .rds",
    }


def test_two_files_for_one_domain_are_a_fault_for_each_such_domain(tmp_path):
    for name in ("dm.xpt", "dm.json", "vs.csv", "VS.xpt", "ae.csv"):
        write(tmp_path, name)
    with pytest.raises(FaultyInputError) as caught:
        find_domain_files(tmp_path)
    assert len(caught.value.faults) == 2
    assert "2 files for the domain DM (dm.json, dm.xpt)" in caught.value.faults[0]


def test_folder_without_data_files_is_a_fault(tmp_path):
    write(tmp_path, "readme.txt", b"These are data of MARKER, sent on Monday.\nCall us, please, if need be.\n\nYours\n")
    with pytest.raises(FaultyInputError, match=r"no data file found \(1 file of other formats\)"):
        find_domain_files(tmp_path)


def test_folder_that_does_not_exist_is_a_fault(tmp_path):
    with pytest.raises(FaultyInputError, match="cannot be listed"):
        find_domain_files(tmp_path / "nowhere")


@each("suffix", readers_by_suffix())
def test_empty_file_of_any_format(tmp_path, suffix):
    with pytest.raises(FaultyInputError) as caught:
        read_domain_file(write(tmp_path, f"vs{suffix}", b""))
    assert caught.value.faults == (
        f'vs{suffix}: the file is empty. Remove it, or leave the domain out by merge: {{"ignore": ["VS"]}}.',
    )


WORKBOOKS = (".xlsx", ".xlsm", ".xls")


@each("suffix", readers_by_suffix())
@each(
    "content, kind",
    [
        (b"\n<!DOCTYPE html>\n<html><body>Dolly, 01-701-1015</body></html>\n", "an HTML page"),
        (b"\xef\xbb\xbf<HTML><table><tr><td>Dolly</td></tr></table></HTML>", "an HTML page"),
        (b'<?xml version="1.0"?><html><p>Dolly</p></html>', "an HTML page"),
        (b'<?xml version="1.0"?><ODM>Dolly</ODM>', "an XML document"),
        (b"PK\x03\x04" + bytes(200), "a zip archive or an Excel workbook"),
        (b"%PDF-1.7 Dolly", "a PDF document"),
    ],
)
def test_other_content_under_a_data_suffix(tmp_path, suffix, content, kind):
    with pytest.raises(FaultyInputError) as caught:
        read_domain_file(write(tmp_path, f"vs{suffix}", content))
    assert len(caught.value.faults) == 1
    is_damaged = suffix in WORKBOOKS and "workbook" in kind
    said = "the workbook is cut off, damaged" if is_damaged else f"this is {kind} saved as {suffix}"
    assert f"vs{suffix}: {said}" in caught.value.faults[0]
    assert "Dolly" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_unknown_suffix_is_a_fault(tmp_path):
    with pytest.raises(FaultyInputError, match=r"vs.rds: not a data format this tool reads \(.rds\)"):
        read_domain_file(write(tmp_path, "vs.rds"))


@each("suffix", readers_by_suffix())
def test_file_that_is_gone_is_a_fault(tmp_path, suffix):
    with pytest.raises(FaultyInputError, match=f"vs{suffix}: the file cannot be read"):
        read_domain_file(tmp_path / f"vs{suffix}")


def test_the_table_that_readers_hand_on(tmp_path):
    table = read_domain_file(write(tmp_path, "Vs.csv", b"USUBJID,NOTE\nS2,\n007, b \n"), FileOptions())
    assert (table.domain, table.file_name, table.labels, table.notes) == ("VS", "Vs.csv", {}, ())
    assert table.frame.index.equals(pd.RangeIndex(2))
    assert (table.frame.dtypes == pd.Series(["a"]).dtype).all()
    assert table.frame["USUBJID"].tolist() == ["S2", "007"]
    assert table.frame["NOTE"].isna().tolist() == [True, False]
    assert table.frame["NOTE"][1] == "b"


@pytest.mark.thorough("0.8 s in a process")
def test_a_reader_is_imported_only_for_its_format(tmp_path):
    path = write(tmp_path, "dm.csv")
    code = (
        "import sys; from pathlib import Path; from study.formats.files import read_domain_file;"
        f"read_domain_file(Path({str(path)!r}));"
        "heavy = ('pyreadstat', 'pyarrow.parquet');"
        "print([name for name in heavy if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_what_is_no_file_or_has_no_name_in_text_is_a_fault(tmp_path):
    """A named pipe has no end: who opens it waits."""
    (tmp_path / "dm.csv").write_text("USUBJID,AGE\n1,50\n")
    os.mkfifo(tmp_path / "lb.csv")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xffae.csv")).write_text("USUBJID\n1\n")
    with pytest.raises(FaultyInputError, match=r"lb\.csv is a device, a named pipe or a socket") as raised:
        find_domain_files(tmp_path)
    assert "the name of the file \\xffae.csv is no text in UTF-8" in str(raised.value)
