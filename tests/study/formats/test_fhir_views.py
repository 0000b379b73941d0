"""View definitions: the test cases of SQL on FHIR, and what is not among them."""

import json
from collections import Counter

import pytest

from study.formats.fhir.expressions import ViewError, reference_key
from study.formats.fhir.paths import compiled_path
from study.formats.fhir.views import compiled_view
from tests.cases import each
from tests.places import ORACLES

CASES = ORACLES / "sql_on_fhir"
# The cases that are run: file -> how many.
COVERED = {
    "basic": 11,
    "collection": 4,
    "combinations": 6,
    "constant": 8,
    "constant_types": 14,
    "fhirpath": 11,
    "fhirpath_numbers": 1,
    "fn_empty": 1,
    "fn_extension": 2,
    "fn_first": 2,
    "fn_join": 3,
    "fn_oftype": 2,
    "fn_reference_keys": 3,
    "foreach": 13,
    "logic": 3,
    "repeat": 7,
    "row_index": 9,
    "union": 10,
    "validate": 5,
    "view_resource": 3,
    "where": 8,
}
NO_BOUNDARIES = "lowBoundary() and highBoundary() are not offered: no table here needs the limits of a partial date"
NOT_COVERED = {
    ("fn_boundary", f"{kind} {limit}Boundary"): NO_BOUNDARIES
    for kind in ("decimal", "datetime", "date", "time")
    for limit in ("low", "high")
}


def cases():
    if not CASES.is_dir():
        pytest.skip(f"the test cases of SQL on FHIR are not at {CASES}")
    for path in sorted(CASES.glob("*.json")):
        suite = json.loads(path.read_text(encoding="utf-8"))
        for case in suite["tests"]:
            yield path.stem, case, suite["resources"]


def rows_of(definition, resources):
    table = compiled_view(definition).table(resources)
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


def as_set(rows):
    return Counter(json.dumps(row, sort_keys=True) for row in rows)


@pytest.mark.parametrize("suite", COVERED)
def test_a_view_gives_the_rows_that_sql_on_fhir_expects(suite):
    n_cases, wrong = 0, []
    for name, case, resources in cases():
        if name != suite or (name, case["title"]) in NOT_COVERED:
            continue
        n_cases += 1
        if "expectError" in case:
            with pytest.raises(ViewError):
                rows_of(case["view"], resources)
            continue
        rows = rows_of(case["view"], resources)
        names = list(rows[0]) if rows else []
        if as_set(rows) != as_set(case["expect"]) or names != case.get("expectColumns", names):
            wrong.append(case["title"])
    assert wrong == []
    assert n_cases == COVERED[suite]


def test_every_case_of_sql_on_fhir_is_run_or_listed_with_the_reason_why_not():
    found = Counter((name, case["title"]) for name, case, _ in cases())
    assert set(NOT_COVERED) <= set(found)
    run = Counter(name for name, title in found.elements() if (name, title) not in NOT_COVERED)
    assert run == COVERED
    for name, case, resources in cases():
        if (name, case["title"]) in NOT_COVERED:
            with pytest.raises(ViewError, match="which is not read here"):
                rows_of(case["view"], resources)


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
        ("code.coding[1].code", ["other"]),
        ("code.coding[2].code", []),
        ("component.value.ofType(Quantity).value", [120, 80]),
        ("component.value.unit", ["mm[Hg]", "mm[Hg]"]),
        ("component.where(code.coding.code = '8462-4').valueQuantity.value", [80]),
        ("component.exists() and value.empty()", [True]),
        ("value.exists() or component.empty()", [False]),
        ("(effective.ofType(dateTime) | effective.ofType(Period).start).first()", ["2020-01-02"]),
        ("component.value.unit | component.value.unit", ["mm[Hg]"]),
        ("subject.getReferenceKey(Patient)", ["p1"]),
        ("subject.getReferenceKey(Group)", []),
        ("code.coding.code.join(';')", ["85354-9;other"]),
        ("effective.ofType(Period).start.substring(0, 4)", ["2020"]),
        ("id.substring(5, 1)", []),
        ("1 + 2 * 3 = 7", [True]),
        ("(1 + 2) * 3 > 9 or false", [False]),
        ("1 / 0", []),
        ("absent = 1", []),
        ("absent = 1 and false", [False]),
        ("absent = 1 or true", [True]),
        ("{}", []),
        ("'it\\'s'", ["it's"]),
    ],
)
def test_a_path_gives_what_fhirpath_says(path, expected):
    assert compiled_path(path).evaluate([PRESSURE], 0) == expected


@each(
    "path, said",
    [
        ("@2020", "position 1"),
        ("code.", "a name is expected"),
        ("code.coding[0", r"lacks '\]'"),
        ("where()", "0 arguments"),
        ("a b", "after its end"),
        ("trace('x')", "not read here"),
        ("(id", r"lacks '\)'"),
        ("%unknown", "no constant"),
        (7, "not int"),
    ],
)
def test_a_path_that_is_not_read_is_an_error_that_names_it(path, said):
    with pytest.raises(ViewError, match=said):
        compiled_path(path)


@each(
    "path, roots, stays",
    [
        ("code.coding.first().code", {"code"}, False),
        ("(value.ofType(Quantity).value | value.ofType(integer)).first()", {"valueQuantity", "valueInteger"}, False),
        ("where(component.exists() and code.text.empty())", {"component", "code"}, True),
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


@each(
    "definition, said",
    [
        ({"select": [{"column": [{"name": "a", "path": "id"}]}]}, "names a resource"),
        ({"resource": "Patient", "select": [{}]}, "a column, a select or a unionAll"),
        (
            {"resource": "Patient", "select": [{"column": [{"name": "a", "path": "id"}, {"name": "a", "path": "id"}]}]},
            "once",
        ),
        (
            {
                "resource": "Patient",
                "select": [{"forEach": "a", "forEachOrNull": "b", "column": [{"name": "a", "path": "id"}]}],
            },
            "one of forEach and forEachOrNull",
        ),
    ],
)
def test_a_view_that_is_not_one_is_an_error(definition, said):
    with pytest.raises(ViewError, match=said):
        compiled_view(definition)
