"""Reading CDISC Dataset-JSON in its three forms."""

import copy
import gc
import json
from pathlib import Path

import pandas as pd
import pytest

from study.formats.files import read_domain_file
from study.formats.tables import FileOptions, SourceTable
from tests.cases import each
from tests.examples import some_of
from tests.places import SHARED_DATA
from tests.study.formats.asked import cells, faults_of

SHARED_DATA = SHARED_DATA / "dataset_json"
FORMS = pytest.mark.parametrize("form", ["1.1", "ndjson", "1.0"])


def dataset(columns: dict[str, str], rows: list) -> dict:
    return {
        "datasetJSONVersion": "1.1.0",
        "records": len(rows),
        "name": "LB",
        "label": "Laboratory",
        "columns": [
            {"itemOID": f"IT.{name}", "name": name, "label": f"Label of {name}", "dataType": data_type}
            for name, data_type in columns.items()
        ],
        "rows": rows,
    }


EXAMPLE = dataset(
    {"ITEMGROUPDATASEQ": "integer", "USUBJID": "string", "LBSTRESN": "float"},
    [[1, "DOLLY1", 0], [2, "DOLLY2", 1.5], [3, "", None]],
)


def written(folder: Path, document: dict, form: str = "1.1") -> Path:
    document = copy.deepcopy(document)
    if form == "1.1":
        path, text = folder / "lb.json", json.dumps(document, indent=1)
    elif form == "ndjson":
        rows = document.pop("rows", [])
        path, text = folder / "lb.ndjson", "\n".join(json.dumps(line) for line in [document, *rows]) + "\n"
    else:
        items = [
            {"OID": column["itemOID"], "name": column["name"], "label": column["label"], "type": column["dataType"]}
            for column in document["columns"]
        ]
        group = {key: document[key] for key in ("records", "name", "label") if key in document}
        group |= {"items": items, "itemData": document["rows"]}
        content = {"datasetJSONVersion": "1.0.0", "clinicalData": {"itemGroupData": {"IG.LB": group}}}
        path, text = folder / "lb.json", json.dumps(content)
    path.write_text(text, encoding="utf-8")
    return path


def read(folder: Path, document: dict, form: str = "1.1", **declared) -> SourceTable:
    return read_domain_file(written(folder, document, form), FileOptions(**declared))


@FORMS
def test_the_three_forms_hold_the_same(tmp_path, form):
    table = read(tmp_path, EXAMPLE, form)
    assert cells(table) == {"USUBJID": ["DOLLY1", "DOLLY2", None], "LBSTRESN": [0.0, 1.5, None]}
    assert [str(dtype) for dtype in table.frame.dtypes] == ["str", "float64"]
    assert table.frame.index.equals(pd.RangeIndex(3))
    assert table.labels == {"USUBJID": "Label of USUBJID", "LBSTRESN": "Label of LBSTRESN"}
    assert (table.domain, table.notes) == ("LB", ())


@pytest.mark.parametrize(
    ("data_type", "given", "expected"),
    [
        ("integer", [1, 2.0, None, ""], [1.0, 2.0, None, None]),
        ("integer", [2**53 + 1, 7, None], ["9007199254740993", "7", None]),
        ("float", [1, 2.5, None, "", " "], [1.0, 2.5, None, None, None]),
        ("double", [1e-300, -0.5], [1e-300, -0.5]),
        ("decimal", [" 12.50", "-1", 3, 0.5, "", None], [12.5, -1.0, 3.0, 0.5, None, None]),
        ("decimal", ["12345678901234567890", "1"], ["12345678901234567890", "1"]),
        ("decimal", [" NA", "1.5", "NULL", "-"], [None, 1.5, None, None]),
        ("integer", ["NA", "7", 8], [None, 7.0, 8.0]),
        ("float", ["2.5", "", " . "], [2.5, None, None]),
        ("string", [" x ", "", None, "007"], ["x", None, None, "007"]),
        ("string", [701, 1.0, 1.25, 2**60, "a"], ["701", "1", "1.25", str(2**60), "a"]),
        ("boolean", [True, False, None, "Y"], ["True", "False", None, "Y"]),
        ("date", ["2012", "2012-04", "2012-04-01", ""], ["2012", "2012-04", "2012-04-01", None]),
        ("datetime", ["2012-04-01T10:11"], ["2012-04-01T10:11"]),
        ("time", ["10:11"], ["10:11"]),
        ("URI", ["http://x"], ["http://x"]),
        ("string", ["a", float("nan")], ["a", None]),
        ("string", [None, ""], [None, None]),
        ("float", [None, None], [None, None]),
    ],
)
def test_each_type(tmp_path, data_type, given, expected):
    table = read(tmp_path, dataset({"A": data_type}, [[value] for value in given]))
    assert cells(table) == {"A": expected}


@pytest.mark.parametrize(
    ("data_type", "given", "n_wrong"),
    [
        ("integer", [1, "DOLLY", "7", True], 2),
        ("integer", [1, 1.5, None], 1),
        ("float", [1.0, [1], {"a": 1}, False], 3),
        ("float", [1.0, "DOLLY"], 1),
        ("decimal", ["1.5", "DOLLY", True, "1,5"], 3),
        ("string", ["DOLLY", True, ["DOLLY"]], 2),
        ("date", ["2012-01-01", 2012, 19000.0], 2),
        ("boolean", [True, 1], 1),
        ("string", ["DOLLY", "\ud800"], 1),
    ],
)
def test_values_of_another_type_are_counted(tmp_path, data_type, given, n_wrong):
    (fault,) = faults_of(written(tmp_path, dataset({"A": data_type}, [[value] for value in given])))
    assert f"lb.json, column 'A': {n_wrong} value" in fault
    assert f"not of the declared dataType {data_type}" in fault


def test_faults_of_all_columns_come_together(tmp_path):
    document = dataset({"A": "integer", "B": "string", "C": "float"}, [["x", "y", "z"], [1, "y", "z"]])
    assert len(faults_of(written(tmp_path, document))) == 2


def test_infinity_is_no_number_and_nan_is_missing(tmp_path):
    assert cells(read(tmp_path, dataset({"A": "float"}, [[float("nan")], [1]]))) == {"A": [None, 1.0]}
    assert "1 value" in faults_of(written(tmp_path, dataset({"A": "float"}, [[float("inf")], [1]])))[0]


def test_what_is_missing_among_large_integers_is_no_token(tmp_path):
    table = read(tmp_path, dataset({"A": "integer"}, [[2**53 + 1], [None], [float("nan")]]))
    assert cells(table) == {"A": ["9007199254740993", None, None]}
    assert table.notes == ()


def test_tokens_of_r_in_columns_of_numbers_are_missing_and_counted(tmp_path):
    table = read(tmp_path, dataset({"A": "decimal", "B": "integer"}, [[" NA", "NA"], ["1.5", 1], ["NULL", None]]))
    assert cells(table) == {"A": [None, 1.5, None], "B": [None, 1.0, None]}
    assert table.notes == (
        "'NA' in columns of numbers or dates read as missing: 'A' (1), 'B' (1)",
        "'NULL' in columns of numbers or dates read as missing: 'A' (1)",
    )
    declared = read(tmp_path, dataset({"A": "decimal"}, [["UNK"], ["1.5"]]), missing=("UNK",))
    assert (cells(declared), declared.notes) == ({"A": [None, 1.5]}, ())
    (fault,) = faults_of(written(tmp_path, dataset({"A": "decimal"}, [["UNK"], ["1.5"]])))
    assert "1 value not of the declared dataType" in fault


def test_unusual_dataset_names_do_not_matter(tmp_path):
    assert read(tmp_path, EXAMPLE | {"name": "DM_TEST5"}).domain == "LB"


# Faults


@FORMS
def test_no_records(tmp_path, form):
    (fault,) = faults_of(written(tmp_path, EXAMPLE | {"rows": [], "records": 0}, form))
    assert "column names but no records" in fault


def test_no_rows_at_all(tmp_path):
    document = {key: value for key, value in EXAMPLE.items() if key != "rows"}
    assert "announces 3 records and contains 0" in faults_of(written(tmp_path, document))[0]
    assert "no record" in faults_of(written(tmp_path, document | {"records": 0}))[0]


@FORMS
@each("records", [0, 2, 4])
def test_announced_records_that_are_not_there(tmp_path, form, records):
    (fault,) = faults_of(written(tmp_path, EXAMPLE | {"records": records}, form))
    assert f"announces {records} records and contains 3" in fault


def test_records_need_not_be_announced(tmp_path):
    document = {key: value for key, value in EXAMPLE.items() if key != "records"}
    assert len(read(tmp_path, document).frame) == 3


@FORMS
def test_rows_of_another_length_are_counted(tmp_path, form):
    rows = [[1, "DOLLY", 1.0], [2, "DOLLY"], [3, "DOLLY", 1.0, 2.0], {"USUBJID": "DOLLY"}]
    (fault,) = faults_of(written(tmp_path, EXAMPLE | {"rows": rows, "records": 4}, form))
    assert "3 records with another number of values than the 3 columns described; the first is record 2" in fault


@FORMS
def test_names_twice_or_empty(tmp_path, form):
    document = dataset({"A": "string", "A ": "string", " ": "string"}, [["x", "y", "z"]])
    faults = faults_of(written(tmp_path, document, form))
    assert len(faults) == 2
    assert "2 columns have the name 'A'" in faults[1]


def test_unknown_type(tmp_path):
    (fault,) = faults_of(written(tmp_path, dataset({"A": "text"}, [["DOLLY"]])))
    assert "column 'A': the dataType 'text' is not one of Dataset-JSON (string, integer," in fault


@each(
    "content",
    [
        [],
        "DOLLY",
        7,
        {"rows": [["DOLLY"]]},
        {"columns": [], "rows": []},
        {"columns": "DOLLY"},
        {"columns": ["DOLLY"], "rows": []},
        {"columns": [{"name": "A"}], "rows": []},
        {"columns": [{"name": 1, "dataType": "string"}]},
        {"columns": [{"name": "A", "dataType": "string"}], "rows": {"DOLLY": 1}},
        {"clinicalData": {}},
        {"clinicalData": {"itemGroupData": {"IG.LB": {"itemData": [["DOLLY"]]}}}},
        {"referenceData": {"itemGroupData": ["DOLLY"]}},
    ],
)
def test_json_that_is_no_dataset(tmp_path, content):
    path = tmp_path / "lb.json"
    path.write_text(json.dumps(content))
    (fault,) = faults_of(path)
    assert "this is JSON, but not CDISC Dataset-JSON" in fault
    assert 'merge: {"ignore": ["LB"]}' in fault


def test_two_datasets_in_version_1_0(tmp_path):
    group = {"items": [{"name": "A", "type": "string"}], "itemData": [["DOLLY"]]}
    path = tmp_path / "lb.json"
    path.write_text(json.dumps({"clinicalData": {"itemGroupData": {"IG.LB": group, "IG.VS": group}}}))
    assert "contains 2 datasets" in faults_of(path)[0]


def test_reference_data_of_version_1_0(tmp_path):
    group = {"items": [{"name": "A", "type": "string"}], "itemData": [["x"]]}
    path = tmp_path / "ta.json"
    path.write_text(json.dumps({"referenceData": {"itemGroupData": {"IG.TA": group}}}))
    assert cells(read_domain_file(path)) == {"A": ["x"]}


def test_broken_json_names_the_line(tmp_path):
    path = written(tmp_path, EXAMPLE)
    lines = path.read_text().splitlines()
    n_line = next(number for number, line in enumerate(lines) if "DOLLY2" in line)
    lines[n_line] = '"DOLLY2" "DOLLY",'
    path.write_text("\n".join(lines))
    assert f"not valid JSON (line {n_line + 1})" in faults_of(path)[0]


@pytest.mark.thorough("1.5 s; a file cut once is a fault in the quick run")
def test_json_that_is_cut_off_anywhere(tmp_path):
    path = written(tmp_path, EXAMPLE)
    content = path.read_bytes()
    for size in range(1, len(content)):
        path.write_bytes(content[:size])
        assert "not valid JSON" in faults_of(path)[0]


def test_json_that_ends_early_says_so(tmp_path):
    path = tmp_path / "lb.json"
    path.write_text('{"columns": [\n')
    assert "line 1, where the file ends too early" in faults_of(path)[0] or "line 2" in faults_of(path)[0]


def test_json_nested_without_end(tmp_path):
    path = tmp_path / "lb.json"
    path.write_text("[" * 200_000)
    assert "not valid JSON" in faults_of(path)[0]


def test_broken_lines_of_ndjson_are_counted(tmp_path):
    path = written(tmp_path, EXAMPLE, "ndjson")
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], lines[1], "", '[2, "DOLLY', lines[3] + "]", ""]))
    assert "2 lines not valid JSON; the first is line 4" in faults_of(path)[0]
    path.write_text("\n".join(["{DOLLY", *lines]))
    assert "not valid JSON (line 1)" in faults_of(path)[0]


def test_ndjson_keeps_line_separators_within_text(tmp_path):
    path = tmp_path / "lb.ndjson"
    metadata = {key: value for key, value in dataset({"A": "string"}, [["x"]]).items() if key != "rows"}
    path.write_text(json.dumps(metadata) + "\r\n" + '["a\u2028b"]\r\n', encoding="utf-8", newline="")
    assert cells(read_domain_file(path)) == {"A": ["a\u2028b"]}


def test_encodings(tmp_path):
    path = tmp_path / "lb.json"
    text = json.dumps(dataset({"A": "string"}, [["Αθήνα"]]), ensure_ascii=False)
    path.write_bytes(text.encode("utf-8-sig"))
    assert cells(read_domain_file(path)) == {"A": ["Αθήνα"]}
    path.write_bytes(text.encode("cp1253"))
    table = read_domain_file(path)
    assert (cells(table), table.notes) == ({"A": ["Αθήνα"]}, ("not UTF-8: read as cp1253 (guessed)",))


def test_garbage_collection_is_on_afterwards(tmp_path):
    assert gc.isenabled()
    read(tmp_path, EXAMPLE)
    faults_of(written(tmp_path, EXAMPLE | {"records": 9}))
    assert gc.isenabled()


# Real files


def shared(name: str) -> Path:
    path = SHARED_DATA / name
    if not path.exists():
        pytest.skip(f"shared data is not beside the repository: {name}")
    return path


@pytest.mark.thorough("0.4 s")
@pytest.mark.parametrize("domain", some_of(["ae", "dm", "lb", "mh", "vs", "suppdm"]))
def test_the_same_domain_in_three_formats(domain):
    tables = [read_domain_file(shared(f"sdtm/{domain}.{suffix}")) for suffix in ("json", "ndjson", "xpt")]
    for table in tables[1:]:
        # SAS stores 7.497 as it was computed, a bit beside; JSON has its 15 digits.
        pd.testing.assert_frame_equal(table.frame, tables[0].frame, rtol=1e-14, atol=0)
        assert table.labels == tables[0].labels
    assert all(table.notes == () for table in tables)


@each(
    ("number", "message"),
    [
        (1, "no list of columns"),
        (2, "no list of columns"),
        (3, "column names but no records"),
        (4, "column names but no records"),
        (5, "announces 0 records and contains 18"),
    ],
)
def test_malformed_examples(number, message):
    (fault,) = faults_of(shared(f"malformed/datasetjson_0{number}.json"))
    assert message in fault
