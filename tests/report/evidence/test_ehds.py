"""The sheet of the EHDS has the run's figures, and the entry what the shapes of HealthDCAT-AP (release 8) require."""

from __future__ import annotations

import json

import pytest

from disclosure_control.report.evidence.pack import EHDS_HTML, EHDS_MD, ENTRY
from tests.places import SHARED
from tests.run.synthetic_pilot import DONE, INPUT_AT_FAULT, leaks
from tests.steps.context.test_context import CATALOGUE

DCT, DCAT, HEALTH = "http://purl.org/dc/terms/", "http://www.w3.org/ns/dcat#", "http://healthdataportal.eu/ns/health#"
CV, CSVW = "http://data.europa.eu/m8g/", "http://www.w3.org/ns/csvw#"
DCATAP, VCARD = "http://data.europa.eu/r5r/", "http://www.w3.org/2006/vcard/ns#"
# By hand from the shapes of data that are not public: what a dataset must have, and what it may have once.
NEEDED = [
    *(f"{DCT}{name}" for name in ("title", "description", "accessRights", "identifier", "type", "provenance")),
    *(f"{DCAT}{name}" for name in ("distribution", "theme", "contactPoint", "keyword")),
    *(f"{HEALTH}{name}" for name in ("hdab", "healthCategory", "hasStructuredData")),
    f"{DCATAP}applicableLegislation",
]
ONCE = [
    *(f"{DCT}{name}" for name in ("accessRights", "publisher")),
    *(f"{HEALTH}{name}" for name in ("hdab", "numberOfRecords", "numberOfUniqueIndividuals", "minTypicalAge")),
    f"{HEALTH}hasStructuredData",
]
SHAPES = SHARED / "healthdcat_ap_r8"
THEME = "http://publications.europa.eu/resource/authority/data-theme/SOCI"
EU = "https://hdeu-dcat.data.health.europa.eu/resource/authority"
VOCABULARIES = {
    f"{HEALTH}healthCategory": {f"{EU}/healthcategories/EHRS"},
    f"{HEALTH}hasCodingSystem": {f"{EU}/coding-system/MEDDRA"},
    f"{DCAT}theme": {THEME, THEME.replace("SOCI", "HEAL")},
}


def names_of_columns(graph) -> list[str]:
    """The names of all columns of an entry."""
    return sorted(str(one) for _, path, one in graph if str(path) == f"{CSVW}name")


def test_the_table_of_minimisation_has_the_figures_of_the_run(pilot, doors):
    pilot.configure(treatment=[{"method": "drop_column", "columns": ["VS__BMI"]}])
    assert doors.start(2).status == DONE
    summary = json.loads((pilot.results / f"{pilot.name}_privacy_summary.json").read_text(encoding="utf-8"))
    text = (pilot.results / EHDS_MD).read_text(encoding="utf-8")
    rows = dict(line.strip("| ").split(" | ", 2)[1:] for line in text.splitlines() if line.startswith("| "))
    assert rows["people"] == f"{summary['k_anonymity']['total']} | not counted in this run"
    n_columns = len((pilot.combined.read_text(encoding="utf-8").splitlines()[0]).split(","))
    assert rows["variables"] == f"{n_columns} | {n_columns - 1}"
    assert "Who keeps the key?" in text
    for name in (EHDS_MD, EHDS_HTML):
        assert leaks((pilot.results / name).read_text(encoding="utf-8")) == []


def test_the_entry_has_what_the_shapes_require(pilot, doors):
    rdflib = pytest.importorskip("rdflib", reason="no rdflib")
    pilot.configure(context={"catalogue": CATALOGUE})
    assert doors.start(2).status == DONE
    text = (pilot.results / ENTRY).read_text(encoding="utf-8")
    assert leaks(text) == []
    graph = rdflib.Graph().parse(data=text, format="turtle")
    name = rdflib.URIRef
    (dataset,) = graph.subjects(rdflib.RDF.type, name(f"{DCAT}Dataset"))
    n_values = {path: len(list(graph.objects(dataset, name(path)))) for path in (*NEEDED, *ONCE)}
    assert [path for path in NEEDED if not n_values[path]] == []
    assert [path for path in ONCE if n_values[path] > 1] == []
    (access,) = graph.objects(dataset, name(f"{DCT}accessRights"))
    assert str(access).endswith("/access-right/NON_PUBLIC")
    for path in (f"{DCT}publisher", f"{HEALTH}hdab"):
        (agent,) = graph.objects(dataset, name(path))
        (point,) = graph.objects(agent, name(f"{CV}contactPoint"))
        assert (point, rdflib.RDF.type, name(f"{CV}ContactPoint")) in graph
        pages, mails = (list(graph.objects(point, name(f"{CV}{way}"))) for way in ("contactPage", "email"))
        assert {type(one) for one in pages} <= {rdflib.URIRef}
        assert {type(one) for one in mails} <= {rdflib.Literal}
        assert pages or mails
    (card,) = graph.objects(dataset, name(f"{DCAT}contactPoint"))
    assert (card, rdflib.RDF.type, name(f"{VCARD}Kind")) in graph
    reached = [one for way in ("hasURL", "hasEmail") for one in graph.objects(card, name(f"{VCARD}{way}"))]
    assert [type(one) for one in reached] == [rdflib.URIRef]
    (distribution,) = graph.objects(dataset, name(f"{DCAT}distribution"))
    assert list(graph.objects(distribution, name(f"{DCATAP}applicableLegislation")))
    # Nothing leaves: the pilot as it came in is described.
    header = pilot.combined.read_text(encoding="utf-8").split("\n", 1)[0].replace('"', "").split(",")
    assert names_of_columns(graph) == sorted(one.partition("__")[2] or one for one in header)
    (people,) = graph.objects(dataset, name(f"{HEALTH}numberOfUniqueIndividuals"))
    assert int(people) == len(pilot.combined.read_text(encoding="utf-8").splitlines()) - 1


def test_codes_become_addresses_of_the_vocabularies_and_others_are_told(pilot, doors):
    """The validator refuses a category, a coding system or a theme that is not in its vocabularies."""
    rdflib = pytest.importorskip("rdflib", reason="no rdflib")
    strange = "https://access.example/categories/EHR"
    pilot.configure(context={"catalogue": CATALOGUE | {"health_categories": ["ehrs", strange], "themes": [THEME]}})
    assert doors.start(2).status == DONE
    graph = rdflib.Graph().parse(pilot.results / ENTRY, format="turtle")
    name = rdflib.URIRef
    found = {path: {str(one) for one in graph.objects(None, name(path))} for path in VOCABULARIES}
    assert found == VOCABULARIES | {f"{HEALTH}healthCategory": {f"{EU}/healthcategories/EHRS", strange}}
    assert f"not in the vocabularies of release 8: {strange}." in (pilot.results / EHDS_MD).read_text(encoding="utf-8")
    pilot.configure(context={"catalogue": CATALOGUE | {"coding_systems": ["Meddra 26"]}})
    run = doors.start(2)
    assert run.status == INPUT_AT_FAULT
    assert "SNOMED-CT" in run.err


@pytest.mark.skipif(not SHAPES.is_dir(), reason="no shapes of HealthDCAT-AP beside the clone")
def test_the_entry_conforms_to_the_shapes_of_release_8(pilot, doors):
    pyshacl = pytest.importorskip("pyshacl", reason="no pyshacl")
    rdflib = pytest.importorskip("rdflib", reason="no rdflib")
    pilot.configure(context={"catalogue": CATALOGUE})
    assert doors.start(2).status == DONE
    shapes, vocabularies = (rdflib.Graph().parse(SHAPES / f"{name}.ttl") for name in ("shapes", "vocabularies"))
    entry = rdflib.Graph().parse(pilot.results / ENTRY, format="turtle")
    entry += vocabularies
    conforms, _, report = pyshacl.validate(entry, shacl_graph=shapes, advanced=True, allow_warnings=True)
    assert conforms, report


def test_the_entry_has_the_variables_that_leave(pilot, doors):
    """Structured data have exactly one "true" and a table; a column has one name, one type and a description."""
    rdflib = pytest.importorskip("rdflib", reason="no rdflib")
    dropped = [{"method": "drop_column", "columns": ["VS__BMI"]}]
    pilot.configure(context={"catalogue": CATALOGUE}, treatment=dropped)
    assert doors.start(2).status == DONE
    text = (pilot.results / ENTRY).read_text(encoding="utf-8")
    assert leaks(text) == []
    graph, name = rdflib.Graph().parse(data=text, format="turtle"), rdflib.URIRef
    (dataset,) = graph.subjects(rdflib.RDF.type, name(f"{DCAT}Dataset"))
    (is_structured,) = graph.objects(dataset, name(f"{HEALTH}hasStructuredData"))
    assert is_structured == rdflib.Literal(True)
    (group,) = graph.objects(dataset, name(f"{HEALTH}hasVariables"))
    assert (group, rdflib.RDF.type, name(f"{CSVW}TableGroup")) in graph
    tables = list(graph.objects(group, name(f"{CSVW}table")))
    columns = [one for table in tables for one in graph.objects(table, name(f"{CSVW}column"))]
    needed = [*(f"{CSVW}{one}" for one in ("name", "title", "datatype")), f"{DCT}description"]
    assert [path for path in needed for one in columns if len(list(graph.objects(one, name(path)))) != 1] == []
    assert all(len(list(graph.objects(one, name(f"{DCT}title")))) == 1 for one in (group, *tables))
    header = pilot.combined.read_text(encoding="utf-8").split("\n", 1)[0].replace('"', "").split(",")
    assert names_of_columns(graph) == sorted(one.partition("__")[2] or one for one in header if one != "VS__BMI")
