"""Reading SAS transport files: values, encodings, and files that are not whole."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from disclosure_control.basics.telling.faults import FaultyInputError
from study.formats.files import read_domain_file
from study.formats.tables import FileOptions
from study.formats.xport_layout import layout_of, numbers_of_cells, observations_of, texts_of_cells
from tests.cases import each
from tests.examples import some_of
from tests.places import SHARED_DATA
from tests.study.formats.asked import cells, faults_of

VERSIONS = pytest.mark.parametrize("version", [5, 8])


def written(folder: Path, frame: pd.DataFrame, version: int = 5, **settings) -> Path:
    path = folder / "lb.xpt"
    pyreadstat.write_xport(frame, path, table_name="LB", file_format_version=version, **settings)
    return path


def patched(path: Path, *replacements: tuple[bytes, bytes]) -> Path:
    """Replace bytes of a file, keeping its length: pyreadstat writes UTF-8 and no special missing values."""
    content = path.read_bytes()
    for old, new in replacements:
        assert len(old) == len(new)
        assert content.count(old) == 1
        content = content.replace(old, new)
    path.write_bytes(content)
    return path


def fault_of(path: Path, **declared) -> str:
    (fault,) = faults_of(path, **declared)
    return fault


@VERSIONS
def test_numbers_text_and_labels(tmp_path, version):
    frame = pd.DataFrame({"USUBJID": [" 007", "", "x "], "LBSTRESN": [0.0, None, -1.5]})
    path = written(tmp_path, frame, version, column_labels=["Subject", " Result "])
    table = read_domain_file(path)
    assert cells(table) == {"USUBJID": ["007", None, "x"], "LBSTRESN": [0.0, None, -1.5]}
    assert [str(dtype) for dtype in table.frame.dtypes] == ["str", "float64"]
    assert table.frame.index.equals(pd.RangeIndex(3))
    assert (table.domain, table.file_name) == ("LB", "lb.xpt")
    assert table.labels == {"USUBJID": "Subject", "LBSTRESN": "Result"}
    assert table.notes == ()


def test_version_8_has_long_names_and_labels(tmp_path):
    frame = pd.DataFrame({"A_NAME_LONGER_THAN_EIGHT": ["x"]})
    table = read_domain_file(written(tmp_path, frame, 8, column_labels=["long " * 12]))
    assert list(table.frame) == ["A_NAME_LONGER_THAN_EIGHT"]
    assert table.labels["A_NAME_LONGER_THAN_EIGHT"] == ("long " * 12).strip()


@VERSIONS
def test_a_stored_zero_is_zero(tmp_path, version):
    table = read_domain_file(written(tmp_path, pd.DataFrame({"A": [0.0, 5e-5, 1.0]}), version))
    assert table.frame["A"].tolist() == [0.0, 5e-5, 1.0]


def test_special_missing_values_are_missing(tmp_path):
    path = written(tmp_path, pd.DataFrame({"A": [1.0, 123.5, 321.5, 2.0]}))
    # 123.5 and 321.5 as IBM doubles
    path = patched(
        path,
        (b"\x42\x7b\x80\0\0\0\0\0", b"B\0\0\0\0\0\0\0"),
        (b"\x43\x14\x18\0\0\0\0\0", b"_\0\0\0\0\0\0\0"),
    )
    assert cells(read_domain_file(path)) == {"A": [1.0, None, None, 2.0]}


def test_numbers_with_a_format_of_dates_are_dates(tmp_path):
    day, moment = pd.Timestamp("1960-01-02"), pd.Timestamp("2014-12-31 10:30")
    frame = pd.DataFrame({"A": [day.date(), None], "B": [moment, None], "C": [1.0, None]})
    table = read_domain_file(written(tmp_path, frame))
    assert cells(table) == {"A": ["1960-01-02", None], "B": ["2014-12-31T10:30:00", None], "C": [1.0, None]}


# Encoding


@VERSIONS
def test_utf8_is_the_first_choice(tmp_path, version):
    frame = pd.DataFrame({"A": ["Ηράκλειο", "α\u0301", "x"]})
    table = read_domain_file(written(tmp_path, frame, version, column_labels=["Πόλη"]))
    assert cells(table) == {"A": ["Ηράκλειο", "ά", "x"]}
    assert (table.labels, table.notes) == ({"A": "Πόλη"}, ())


@VERSIONS
@each("text, encoding", [("Άγιος", "cp1253"), ("Zoë W", "cp1252")])
def test_windows_encodings_are_guessed_and_said(tmp_path, version, text, encoding):
    path = written(tmp_path, pd.DataFrame({"A": ["vvvvv", "x"]}), version, column_labels=["lllll"])
    patched(path, (b"vvvvv", text.encode(encoding)), (b"lllll", text.encode(encoding)))
    table = read_domain_file(path)
    assert cells(table) == {"A": [text, "x"]}
    assert table.labels == {"A": text}
    assert table.notes == (f"not UTF-8: read as {encoding} (guessed)",)


def test_declared_encoding_wins(tmp_path):
    path = patched(written(tmp_path, pd.DataFrame({"A": ["vvvvv"]})), (b"vvvvv", "Άγιος".encode("iso-8859-7")))
    table = read_domain_file(path, FileOptions(encoding="iso-8859-7"))
    assert (cells(table), table.notes) == ({"A": ["Άγιος"]}, ())
    assert "1 distinct value with bytes that do not exist in the declared encoding utf-8" in fault_of(
        path, encoding="utf-8"
    )


# Files that are not whole

FRAME = pd.DataFrame({"A": [f"DOLLY{number:02}" for number in range(40)], "B": range(40)}).astype({"B": float})
# A record of 80 bytes each: observations may then end together with the file.
WIDE_FRAME = pd.DataFrame({"A": ["DOLLY" + "x" * 67] * 3, "B": [1.0, 2.0, 3.0]})


@VERSIONS
def test_every_cut_is_noticed_except_between_two_observations_of_version_5(tmp_path, version):
    path = written(tmp_path, FRAME, version)
    content = path.read_bytes()
    n_whole = 0
    for size in [*range(1, 1200, 79), *range(80, len(content), 80)]:
        path.write_bytes(content[:size])
        try:
            table = read_domain_file(path)
        except FaultyInputError as error:
            assert "DOLLY" not in str(error)  # noqa: PT017
        else:
            n_whole += 1
            assert version == 5
            assert table.frame["B"].tolist() == list(range(len(table.frame)))
            assert (size - content.index(b"DOLLY00")) % 15 < 80
    # Observations of 15 bytes end together with a record of 80 at every 240 bytes.
    assert n_whole == (2 if version == 5 else 0)


@pytest.mark.parametrize("seed", some_of(range(30)))
def test_bytes_of_any_kind_are_read_as_the_library_reads_them(tmp_path, seed):
    """Numbers that are missing, too long for a float or not normalised; text with blanks and zeros within."""
    generator, n = np.random.default_rng(seed), 400
    path = written(tmp_path, pd.DataFrame({"N": np.ones(n), "T": ["abc"] * n}))
    cells = generator.integers(0, 256, (n, 11), dtype=np.uint8)
    cells[::7, 1:8] = 0
    cells[::11, 1:4] = 0
    cells[::5, 0] = generator.choice(list(b".AZ_ \x00a"), len(cells[::5]))
    cells[:, 8:] = generator.choice(list(b"ab \x00\xe4\x85"), (n, 3))
    cells[-1] = 65
    content = path.read_bytes()
    at = layout_of(content).data_at
    path.write_bytes(content[:at] + cells.tobytes() + content[at + cells.size :])
    its, _ = pyreadstat.read_xport(path, encoding="LATIN1", output_format="dict", disable_datetime_conversion=True)
    found = observations_of(path.read_bytes(), layout_of(content))
    assert np.array_equal(numbers_of_cells(found[:, :8]), np.array(its["N"], dtype=float), equal_nan=True)
    assert texts_of_cells(found[:, 8:]).to_pylist() == list(its["T"])


@VERSIONS
def test_observations_that_fill_records(tmp_path, version):
    path = written(tmp_path, WIDE_FRAME, version)
    assert len(read_domain_file(path).frame) == 3
    path.write_bytes(path.read_bytes()[:-40])
    assert "cut off or damaged: it ends within a record of 80 bytes" in fault_of(path)


def test_version_8_counts_its_observations(tmp_path):
    path = written(tmp_path, WIDE_FRAME, 8)
    path.write_bytes(path.read_bytes()[:-80])
    assert "it announces 3 records and contains 2" in fault_of(path)


def test_version_8_without_a_count_is_read_to_its_end(tmp_path):
    path = written(tmp_path, WIDE_FRAME, 8)
    patched(path, (b"RECORD!!!!!!!              3", b"RECORD!!!!!!!000000000000000"))
    assert len(read_domain_file(path).frame) == 3


def test_records_appended_to_a_whole_file(tmp_path):
    path = written(tmp_path, FRAME, 8)
    path.write_bytes(path.read_bytes() + b"DOLLY".ljust(80))
    assert "its last record is not whole" in fault_of(path)


def test_blank_records_at_the_end(tmp_path):
    path = written(tmp_path, pd.DataFrame({"A": ["x" * 100, "", "y", "", ""]}))
    table = read_domain_file(path)
    assert cells(table) == {"A": ["x" * 100, None, "y"]}
    assert table.notes == ("blank records at the end, left out",)
    # Shorter than the filling of the last record, they cannot be told from it.
    assert read_domain_file(written(tmp_path, pd.DataFrame({"A": ["xx", "", "yy", ""]}))).notes == ()


def test_no_records(tmp_path):
    for version in (5, 8):
        path = written(tmp_path, FRAME.head(0), version)
        assert "column names but no records" in fault_of(path)


def test_html_page(tmp_path):
    path = tmp_path / "lb.xpt"
    path.write_text("<!DOCTYPE html><html><body>DOLLY</body></html>")
    assert "this is an HTML page saved as .xpt" in fault_of(path)


@each("content", [b"USUBJID,AGE\nDOLLY,5\n", b"\0" * 800, b"HEADER RECORD", "DOLLY".encode("utf-16") * 100])
def test_no_transport_file_at_all(tmp_path, content):
    path = tmp_path / "lb.xpt"
    path.write_bytes(content)
    assert "this is not a SAS transport file" in fault_of(path)


def test_cport_file(tmp_path):
    path = tmp_path / "lb.xpt"
    path.write_bytes(b"**COMPRESSED** **COMPRESSED** **COMPRESSED** **COMPRESSED** **COMPRESSED********" * 9)
    assert "CPORT" in fault_of(path)


@VERSIONS
def test_several_datasets(tmp_path, version):
    path = written(tmp_path, FRAME, version)
    content = path.read_bytes()
    path.write_bytes(content + content[240:])
    assert "the file contains 2 datasets; one dataset per file is allowed" in fault_of(path)


def test_damaged_headers(tmp_path):
    content = written(tmp_path, FRAME).read_bytes()
    path = tmp_path / "lb.xpt"
    for place in some_of(range(240, 1000, 3)):
        path.write_bytes(content[:place] + b"\xff" + content[place + 1 :])
        try:
            read_domain_file(path)
        except FaultyInputError as error:
            assert "DOLLY" not in str(error)  # noqa: PT017


def test_names_in_another_encoding(tmp_path):
    path = patched(written(tmp_path, pd.DataFrame({"AAA": ["x"], "B": [1.0]})), (b"AAA", "ΟΝΑ".encode("cp1253")))
    table = read_domain_file(path)
    assert list(table.frame) == ["ΟΝΑ", "B"]
    assert table.notes == ("not UTF-8: read as cp1253 (guessed)",)


def test_duplicate_names(tmp_path):
    path = written(tmp_path, pd.DataFrame({"AAA": ["x"], "BBB": ["y"]}))
    assert "2 columns have the name 'BBB' (positions 1, 2)" in fault_of(patched(path, (b"AAA", b"BBB")))


# Real files


def shared_files(pattern: str) -> list[Path]:
    return sorted(SHARED_DATA.glob(pattern)) or [SHARED_DATA / "absent"]


CDISC_PILOT = [
    pytest.param(path, marks=pytest.mark.thorough("1 s of a large file") if path.name == "vs.xpt" else ())
    for path in some_of(shared_files("cdiscpilot01/*.xpt"))
]


@pytest.mark.parametrize("path", CDISC_PILOT, ids=lambda path: path.name)
def test_cdisc_pilot(path):
    if not path.exists():
        pytest.skip("shared data is not beside the repository")
    table = read_domain_file(path)
    expected, metadata = pyreadstat.read_xport(path, encoding="WINDOWS-1252")
    assert table.labels == metadata.column_names_to_labels
    assert list(table.frame) == list(expected)
    for name, values in expected.items():
        # pyreadstat trims the end of text alone and has '' for missing.
        if values.dtype != "float64":
            values = values.str.strip().replace("", None)
        pd.testing.assert_series_equal(table.frame[name], values, check_dtype=False)
    is_western = path.name == "ts.xpt"
    assert table.notes == (("not UTF-8: read as cp1252 (guessed)",) if is_western else ())
