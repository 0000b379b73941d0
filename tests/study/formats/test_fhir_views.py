"""View definitions: the test cases of SQL on FHIR, and what is not among them."""

import json
import re
from collections import Counter

import pytest

from study.formats.fhir.expressions import ViewError, reference_key
from study.formats.fhir.paths import compiled_path
from study.formats.fhir.views import compiled_view
from tests.cases import each
from tests.places import ORACLES

CASES = ORACLES / "sql_on_fhir"
# The cases that are run: file -> how many.
RUN = {
    "basic": 6,
    "collection": 1,
    "combinations": 5,
    "constant": 2,
    "fhirpath": 6,
    "fn_empty": 1,
    "fn_extension": 2,
    "fn_first": 2,
    "fn_join": 2,
    "fn_oftype": 2,
    "fn_reference_keys": 3,
    "foreach": 7,
    "row_index": 8,
    "union": 9,
    "validate": 5,
    "view_resource": 3,
}
# What no view of ours uses, so that nothing here reads it: in how many cases a fault names it.
NOT_READ = {
    "'where'": 17,  # of a view; the function where() is read
    "'constant'": 20,
    "'collection'": 4,
    "'repeat'": 8,
    "lowBoundary()": 4,
    "highBoundary()": 4,
    "'['": 4,
    "'$'": 6,
    "'+'": 1,
    "join() without a text": 2,
}
NAMED = re.compile(r"has (?:the function )?(\S+?),? (?:at position \d+, )?which is not read here$")


def cases():
    if not CASES.is_dir():
        pytest.skip(f"the test cases of SQL on FHIR are not at {CASES}")
    for path in sorted(CASES.glob("*.json")):
        suite = json.loads(path.read_text(encoding="utf-8"))
        for case in suite["tests"]:
            yield path.stem, case, suite["resources"]


def rows_of(definition, resources):
    view = compiled_view(definition)
    rows = [row for one in resources if one["resourceType"] == view.resource for row in view.rows(one)]
    return [dict(zip((column.name for column in view.columns), row, strict=True)) for row in rows]


def as_set(rows):
    return Counter(json.dumps(row, sort_keys=True) for row in rows)


def unread(error):
    """What a fault names as not read here; "" where it is another fault."""
    named = NAMED.search(str(error))
    if named:
        return named[1]
    return "join() without a text" if str(error).endswith("has ')' where a text is expected") else ""


def test_a_case_of_sql_on_fhir_gives_its_rows_or_names_what_is_not_read_here():
    run, not_read, wrong = Counter(), Counter(), []
    for suite, case, resources in cases():
        try:
            rows = rows_of(case["view"], resources)
        except ViewError as error:
            what = "" if "expectError" in case else unread(error)
            if what:
                not_read[what] += 1
                continue
            is_right = "expectError" in case
        else:
            names = list(rows[0]) if rows else []
            is_right = "expectError" not in case and as_set(rows) == as_set(case["expect"])
            is_right &= names == case.get("expectColumns", names)
        run[suite] += 1
        if not is_right:
            wrong.append((suite, case["title"]))
    assert wrong == []
    assert run == RUN
    assert not_read == NOT_READ


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
    "path, said",
    [
        ("@2020", "'@' at position 1"),
        ("code.", "a name is expected"),
        ("code.coding[0]", "'\\[' at position 12, which is not read here"),
        ("1 + 2", "'\\+' at position 3"),
        ("'it\\'s'", "position 1, which is not read here"),
        ("a and b", "'and' after its end, which is not read here"),
        ("where()", "an expression is expected"),
        ("id.substring(5)", "lacks ','"),
        ("join(1)", "a text is expected"),
        ("name.ofType(A).ofType(B)", r"ofType\(\), which is not read here"),
        ("a b", "after its end"),
        ("trace('x')", "not read here"),
        ("(id", r"lacks '\)'"),
        ("%unknown", "'%' at position 1"),
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
