"""View definitions: the test cases of SQL on FHIR, and what is not among them."""

import json
from collections import Counter

import pytest

from study.formats.fhir.views import ViewError, compiled_path, compiled_view, reference_key
from tests.cases import each
from tests.places import ORACLES

CASES = ORACLES / "sql_on_fhir"
FEWEST_READ = 50  # of the cases: the others have what no view of ours uses, and a fault says so


def test_a_case_of_sql_on_fhir_gives_its_rows_or_is_not_read():
    if not CASES.is_dir():
        pytest.skip(f"the test cases of SQL on FHIR are not at {CASES}")
    n_read, wrong = 0, []
    for path in sorted(CASES.glob("*.json")):
        suite = json.loads(path.read_text(encoding="utf-8"))
        for case in (one for one in suite["tests"] if "expectError" not in one):  # our views are sound
            try:
                view = compiled_view(case["view"])
                of_type = [one for one in suite["resources"] if one["resourceType"] == view.resource]
                names = [column["name"] for column in view.columns]
                rows = [dict(zip(names, row, strict=True)) for one in of_type for row in view.rows(one)]
            except ViewError:
                continue
            n_read += 1
            found, expected = (
                Counter(map(repr, map(sorted, map(dict.items, one)))) for one in (rows, case.get("expect", []))
            )
            if found != expected:
                wrong.append((path.stem, case["title"]))
    assert (wrong, n_read >= FEWEST_READ) == ([], True)


# ---------------------------------------------------------------- without the shared cases

PRESSURE = {
    "resourceType": "Observation",
    "id": "o1",
    "code": {"coding": [{"code": "85354-9"}, {"code": "other"}]},
    "subject": {"reference": "Patient/p1"},
    "effectivePeriod": {"start": "2020-01-02"},
    "component": [
        {"code": {"coding": [{"code": "8480-6"}]}, "valueQuantity": {"value": 120, "unit": "mm[Hg]"}},
        {"code": {"coding": [{"code": "8462-4"}]}, "valueQuantity": {"value": 80, "unit": "mm[Hg]"}},
    ],
}


@each(
    "path, expected",
    [
        ("id", ["o1"]),
        ("code.coding.code", ["85354-9", "other"]),
        ("code.coding.first().code", ["85354-9"]),
        ("component.value.ofType(Quantity).value", [120, 80]),
        ("component.value.unit", ["mm[Hg]", "mm[Hg]"]),
        ("component.where(code.coding.code = '8462-4').valueQuantity.value", [80]),
        ("value.exists() or component.empty()", [False]),
        ("(effective.ofType(dateTime) | effective.ofType(Period).start).first()", ["2020-01-02"]),
        ("component.value.unit | component.value.unit", ["mm[Hg]"]),
        ("subject.getReferenceKey(Patient)", ["p1"]),
        ("subject.getReferenceKey(Group)", []),
        ("code.coding.code.join(';')", ["85354-9;other"]),
        ("effective.ofType(Period).start.substring(0, 4)", ["2020"]),
        ("id.substring(5, 1)", []),
        ("absent = 1", []),
        ("absent = 1 or true", [True]),
        ("absent = 1 or false", []),
        ("false or id = 'o1' | 'o2'", [False]),
        ("component.where(code.coding.code = '8480-6' or valueQuantity.value = 80).value.value", [120, 80]),
        ("{}", []),
    ],
)
def test_a_path_gives_what_fhirpath_says(path, expected):
    assert compiled_path(path).evaluate([PRESSURE], 0) == expected


@each(
    "path",
    [
        *("@2020", "code.", "id # a", "code.coding[0]", "1 + 2", "a and b"),
        *("where()", "id.substring(5)", "a.trace('x')"),
    ],
)
def test_a_path_that_is_not_read_is_an_error(path):
    with pytest.raises(ViewError, match="is not of the part of FHIRPath"):
        compiled_path(path)


@each(
    "path, roots, stays",
    [
        ("code.coding.first().code", {"code"}, False),
        ("(value.ofType(Quantity).value | value.ofType(integer)).first()", {"valueQuantity", "valueInteger"}, False),
        ("where(component.exists() or code.text.empty())", {"component", "code"}, True),
        ("component.where(code.exists())", {"component"}, False),
        ("getResourceKey()", set(), True),
    ],
)
def test_the_elements_that_a_path_reads_are_known(path, roots, stays):
    compiled = compiled_path(path)
    assert (compiled.roots, compiled.stays) == (roots, stays)


@each(
    "reference, resource_type, key",
    [
        ("Patient/123", "Patient", "123"),
        ("Patient/123", "", "123"),
        ("Group/123", "Patient", None),
        ("https://host/fhir/Patient/123", "Patient", "123"),
        ("Patient/123/_history/2", "Patient", "123"),
        ("urn:uuid:1b-2", "Patient", "1b-2"),
        ("urn:oid:1.2.3", "", "1.2.3"),
        ("123", "", "123"),
        ("123", "Patient", None),
        ("#contained", "", None),
        ("Patient?identifier=a|1", "Patient", None),
        ("", "", None),
    ],
)
def test_the_key_of_a_reference_is_the_id_of_the_resource(reference, resource_type, key):
    assert reference_key(reference, resource_type) == key


def test_several_values_of_a_column_are_an_error_without_the_values():
    view = compiled_view(
        {"resource": "Observation", "select": [{"column": [{"name": "c", "path": "code.coding.code"}]}]}
    )
    with pytest.raises(ViewError) as caught:
        view.rows(PRESSURE)
    assert str(caught.value) == "column c: 2 values where one is allowed"


@each("unread", ["constant", "where", "repeat", "collection"])
def test_what_would_change_the_rows_and_is_not_read_is_an_error(unread):
    column = {"name": "a", "path": "id", "collection": unread == "collection"}
    with pytest.raises(ViewError, match="which is not read here"):
        compiled_view({"resource": "Patient", "select": [{"column": [column], unread: ["x"]}]})
