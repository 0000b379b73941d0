"""Every writer: what it writes is read again, by our readers and by other programs, as it was given."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import unicodedata
import zlib
from datetime import datetime

import numpy as np
import pandas as pd
import pyarrow.parquet
import pyreadstat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.telling.faults import FaultyInputError
from study.formats import outgoing
from study.formats.files import read_domain_file
from study.formats.outgoing import OutgoingTable
from study.formats.registry import readers_by_suffix, writers_by_name
from tests.cases import each
from tests.examples import any_text, examples
from tests.places import ORACLES, PROJECT

WRITERS = writers_by_name()
MADE = datetime(2026, 3, 4)
SMALL = OutgoingTable(
    name="VS",
    label="Vital Signs",
    frame=pd.DataFrame(
        {
            "USUBJID": pd.Series(["a", "b", "c"], dtype="str"),
            "VSSEQ": [1.0, 2.0, np.nan],
            "VSORRES": pd.Series(["1", None, "κ,\"'é"], dtype="str"),
            "VSSTRESN": [0.1, -7.25, np.nan],
            "VSDTC": pd.Series(["2012-01-02", "2012", None], dtype="str"),
        }
    ),
    labels={"USUBJID": "Unique Subject Identifier", "VSSEQ": "Sequence Number"},
    study="S1",
    created=MADE,
)


def read_again(name: str, table: OutgoingTable):
    writer = WRITERS[name]
    path = PROJECT / f"{table.name.lower()}{writer.suffix}"  # only named, never opened
    return read_domain_file(SourceFile(path, writer.write(table)))


def readable(name: str) -> bool:
    return WRITERS[name].suffix in readers_by_suffix()


@each("name", WRITERS)
def test_what_is_written_is_read_again(name):
    if not readable(name):
        pytest.skip(f"no reader of {WRITERS[name].suffix} yet")
    found = read_again(name, SMALL)
    expected = SMALL.frame
    if name == "csv":  # all columns of a CSV file are text
        texts = {"VSSEQ": ["1", "2", None], "VSSTRESN": ["0.1", "-7.25", None]}
        expected = expected.assign(**{column: pd.Series(cells, dtype="str") for column, cells in texts.items()})
    pd.testing.assert_frame_equal(found.frame, expected)
    if name not in ("csv", "parquet"):
        assert found.labels["VSSEQ"] == "Sequence Number"


@each("name", WRITERS)
def test_the_same_table_gives_the_same_bytes(name):
    assert WRITERS[name].write(SMALL) == WRITERS[name].write(dataclasses.replace(SMALL, frame=SMALL.frame.copy()))


@each("version", ["xpt5", "xpt8"])
@each("cut", [1, 80, 2000, 1_000_000])
def test_a_transport_file_that_a_full_disk_cut_off_is_never_taken_for_whole(version, cut, monkeypatch):
    """pyreadstat says nothing where its last bytes find no room."""
    many = dataclasses.replace(SMALL, frame=pd.concat([SMALL.frame] * 10, ignore_index=True))
    whole = outgoing.bytes_of_file
    monkeypatch.setattr("study.formats.xport.bytes_of_file", lambda write: whole(write)[:-cut])
    with pytest.raises(OSError, match="could not be written whole"):
        WRITERS[version].write(many)


def test_the_file_of_a_library_leaves_nothing_on_the_disk(monkeypatch):
    """Also where it is killed: there never is such a file, where the system has files in memory."""
    if not hasattr(os, "memfd_create"):
        pytest.skip("no files in memory on this system")
    monkeypatch.setattr("tempfile.TemporaryDirectory", lambda: pytest.fail("a file on the disk"))
    in_memory = WRITERS["xpt5"].write(SMALL)
    monkeypatch.undo()
    monkeypatch.delattr("os.memfd_create")
    assert WRITERS["xpt5"].write(SMALL) == in_memory


@given(
    st.lists(st.tuples(st.none() | any_text(max_size=9), st.floats(), st.floats(-1e9, 1e9)), min_size=1, max_size=30),
    st.sampled_from([5, 8]),
)
@examples(60)
def test_observations_are_those_that_the_library_writes(rows, version):
    text, any_number, number = zip(*rows, strict=True)
    frame = pd.DataFrame({"A": any_number, "T": pd.Series(text, dtype="str"), "N": number, "E": pd.Series(dtype="str")})
    table = dataclasses.replace(SMALL, frame=frame, labels={})
    ours = WRITERS[f"xpt{version}"].write(table)
    filled = frame.assign(T=frame["T"].fillna("").astype(object), E="")

    def write(path):
        pyreadstat.write_xport(filled, path, table.label, [""] * 4, table.name, file_format_version=version)

    its = outgoing.bytes_of_file(write)
    first = its.index(b"HEADER RECORD*******NAMSTV8" if version == 8 else b"HEADER RECORD*******NAMESTR")
    assert ours[first:] == its[first:]  # the headers before it have the moment


def printable(text: str) -> str:
    return "".join(letter for letter in text if unicodedata.category(letter)[0] not in "CZ")


@given(
    st.lists(
        st.tuples(
            any_text(max_size=20).map(printable),
            st.one_of(st.just(np.nan), st.floats(-1e12, 1e12).map(lambda x: round(x, 3))),
        ),
        min_size=1,
        max_size=6,
    )
)
@examples(25)
def test_any_text_and_number_is_read_again(rows):
    text, numbers = zip(*rows, strict=True)
    values = pd.Series(text, dtype="str")
    frame = pd.DataFrame({"A": pd.Series(["x"] * len(rows), dtype="str"), "T": values.mask(values == ""), "N": numbers})
    frame["N"] = frame["N"].astype("float64") + 0.0
    table = dataclasses.replace(SMALL, name="QS", frame=frame)
    for name in ("json", "ndjson", "parquet", "xpt8"):
        found = read_again(name, table).frame
        expected = [unicodedata.normalize("NFC", one) for one in frame["T"].fillna("")]
        assert found["T"].fillna("").tolist() == expected
        np.testing.assert_allclose(found["N"], frame["N"], rtol=1e-14)


def test_another_program_reads_the_transport_file():
    for name in ("xpt5", "xpt8"):
        frame, meta = pyreadstat.read_xport(io.BytesIO(WRITERS[name].write(SMALL)))
        assert frame["VSSEQ"].tolist()[:2] == [1, 2]
        assert meta.column_names_to_labels["USUBJID"] == "Unique Subject Identifier"
        assert (meta.table_name, meta.file_label) == ("VS", "Vital Signs")
    frame = pd.read_sas(io.BytesIO(WRITERS["xpt5"].write(SMALL)), format="xport", encoding="utf-8")
    assert frame["VSSTRESN"].tolist()[:2] == [0.1, -7.25]


def test_a_transport_file_says_when_it_was_released_and_no_other_day():
    content = WRITERS["xpt5"].write(SMALL)
    assert content.count(b"04MAR26:00:00:00") == 4
    assert b"SAS" in content[:200]


def test_a_parquet_file_has_no_statistics_and_keeps_labels():
    file = pyarrow.parquet.ParquetFile(io.BytesIO(WRITERS["parquet"].write(SMALL)))
    assert all(file.metadata.row_group(0).column(i).statistics is None for i in range(5))
    assert file.schema_arrow.field("VSSEQ").metadata[b"label"] == b"Sequence Number"
    assert b"pandas" not in file.schema_arrow.metadata


def test_dsjc_is_the_lines_compressed():
    assert zlib.decompress(WRITERS["dsjc"].write(SMALL)) == WRITERS["ndjson"].write(SMALL)


def test_dataset_json_satisfies_the_schema_of_cdisc():
    validator = pytest.importorskip("jsonschema_rs")
    folder = ORACLES / "dataset_json_schema"
    if not folder.is_dir():
        pytest.skip("the schemas lie beside the clone")
    of_document = json.loads((folder / "dataset.schema.json").read_text())
    validator.validate(of_document, json.loads(WRITERS["json"].write(SMALL)))
    # The schema of the lines refers to definitions that only the other one holds.
    of_lines = json.loads((folder / "dataset-ndjson-schema.json").read_text(encoding="utf-16"))
    of_lines["$defs"] = of_document["$defs"] | of_lines["$defs"]
    validator.validate(of_lines, json.loads(WRITERS["ndjson"].write(SMALL).splitlines()[0]))


def test_nothing_of_the_source_header_is_carried_on():
    head = json.loads(WRITERS["json"].write(SMALL))
    assert head["datasetJSONCreationDateTime"] == "2026-03-04T00:00:00"
    assert not {"sourceSystem", "fileOID", "dbLastModifiedDateTime", "metaDataRef"} & set(head)


def test_what_a_format_cannot_hold_is_a_fault_without_a_value():
    frame = SMALL.frame.assign(**{"District of Address": "x", "LONG": "MARKER" * 50})
    with pytest.raises(FaultyInputError) as error:
        WRITERS["xpt5"].write(dataclasses.replace(SMALL, frame=frame))
    assert len(error.value.faults) == 2
    assert "MARKER" not in str(error.value)
