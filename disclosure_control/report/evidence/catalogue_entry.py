"""The dataset's entry for a catalogue: HealthDCAT-AP in Turtle, for data that are not public; made with rdflib.

Source: HealthDCAT-AP, release 8, with the shapes and vocabularies of its validator, and DCAT-AP 3.0; Regulation (EU)
2025/327, Article 77.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from disclosure_control.report.evidence.ehds import rows_of_all
from disclosure_control.rules.columns_left import columns_of_run, dotted
from disclosure_control.rules.judging import value_at
from disclosure_control.steps.context.catalogue import (
    CODING_SYSTEMS,
    HEALTH,
    HEALTH_CATEGORIES,
    CatalogueEntry,
    Contact,
)

if TYPE_CHECKING:
    from rdflib import Graph
    from rdflib.term import Node

LAW = "http://data.europa.eu/eli/reg/2025/327/oj"
NOT_PUBLIC = "http://publications.europa.eu/resource/authority/access-right/NON_PUBLIC"
MAIL = "mailto:"
ANY_TYPE = "anyAtomicType"  # of CSVW: the type of each variable is in the codebook, and is not counted by a run
PREFIXES = {
    "dcat": "http://www.w3.org/ns/dcat#",
    "dct": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "vcard": "http://www.w3.org/2006/vcard/ns#",
    "dcatap": "http://data.europa.eu/r5r/",
    "cv": "http://data.europa.eu/m8g/",
    "csvw": "http://www.w3.org/ns/csvw#",
    "healthdcatap": "http://healthdataportal.eu/ns/health#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
}


def catalogue_entry(entry: CatalogueEntry, summary: Mapping[str, Any]) -> str:
    """The entry as Turtle: the controller's statements, and people, records and variables as the run counted them."""
    from rdflib import Graph

    graph = Graph()
    for prefix, address in PREFIXES.items():
        graph.bind(prefix, address)
    dataset = _thing(graph, "dataset", "dcat:Dataset")
    _words(graph, dataset, entry)
    _addresses(graph, dataset, entry)
    _say(graph, dataset, "dct:publisher", [_agent(graph, "publisher", entry.publisher)])
    _say(graph, dataset, "dcat:contactPoint", [_card(graph, entry.publisher)])
    _say(graph, dataset, "healthdcatap:hdab", [_agent(graph, "access_body", entry.access_body)])
    _numbers(graph, dataset, entry, summary)
    _variables(graph, dataset, entry, summary)
    _period(graph, dataset, entry)
    distribution = _thing(graph, "distribution", "dcat:Distribution")
    _say(graph, dataset, "dcat:distribution", [distribution])
    _say(graph, distribution, "dcat:accessURL", [_address(entry.access)])
    _say(graph, distribution, "dcatap:applicableLegislation", [_address(LAW)])
    return str(graph.serialize(format="turtle"))


def _words(graph: Graph, dataset: Node, entry: CatalogueEntry) -> None:
    for name, texts in {
        "dct:title": [entry.title],
        "dct:description": [entry.description],
        "dcat:keyword": entry.keywords,
        "healthdcatap:populationCoverage": [entry.population] if entry.population else [],
    }.items():
        _say(graph, dataset, name, [_text(text) for text in texts])
    _say(graph, dataset, "dct:identifier", [_literal(entry.identifier)])
    provenance = _thing(graph, "provenance", "dct:ProvenanceStatement")
    _say(graph, provenance, "rdfs:label", [_text(entry.provenance)])
    _say(graph, dataset, "dct:provenance", [provenance])


def _addresses(graph: Graph, dataset: Node, entry: CatalogueEntry) -> None:
    for name, addresses in {
        "dcat:theme": dict.fromkeys((HEALTH, *entry.themes)),
        "dct:type": [entry.type],
        "dct:accessRights": [NOT_PUBLIC],
        "dcatap:applicableLegislation": [LAW],
        "healthdcatap:healthCategory": map(HEALTH_CATEGORIES.address_of, entry.health_categories),
        "healthdcatap:hasCodingSystem": map(CODING_SYSTEMS.address_of, entry.coding_systems),
    }.items():
        _say(graph, dataset, name, map(_address, addresses))


def _numbers(graph: Graph, dataset: Node, entry: CatalogueEntry, summary: Mapping[str, Any]) -> None:
    files = summary.get("release", {}).get("files", {})
    people = "k_anonymity.total" if columns_of_run(summary) is None else "release.people"
    for name, number in {
        "healthdcatap:numberOfUniqueIndividuals": value_at(summary, people),
        "healthdcatap:numberOfRecords": rows_of_all(files, "records") if files else None,
        "healthdcatap:minTypicalAge": entry.youngest,
        "healthdcatap:maxTypicalAge": entry.oldest,
    }.items():
        if isinstance(number, int):
            _say(graph, dataset, name, [_literal(number, "xsd:nonNegativeInteger")])


def _period(graph: Graph, dataset: Node, entry: CatalogueEntry) -> None:
    days = {"dcat:startDate": entry.begins, "dcat:endDate": entry.ends}
    if any(days.values()):
        period = _thing(graph, "period", "dct:PeriodOfTime")
        _say(graph, dataset, "dct:temporal", [period])
        for name, day in days.items():
            _say(graph, period, name, [_literal(day, "xsd:date")] if day else [])


def _variables(graph: Graph, dataset: Node, entry: CatalogueEntry, summary: Mapping[str, Any]) -> None:
    """The variables of each file that leaves; where nothing leaves, those of the pilot as it came in."""
    columns = columns_of_run(summary)
    if columns is None:
        names = [dotted(name) for name in summary["context"]["columns"]]
        product, described = next(iter(summary["inputs"])), "came in"
    else:
        names, product, described = list(columns.left), columns.product, "leaves"
    files: dict[str, list[str]] = {}
    for column in names:
        file, _, variable = column.partition(".")
        files.setdefault(file if variable else product, []).append(variable or file)
    group = _thing(graph, "variables", "csvw:TableGroup")
    _say(graph, dataset, "healthdcatap:hasStructuredData", [_literal(True)])
    _say(graph, dataset, "healthdcatap:hasVariables", [group])
    _say(graph, group, "dct:title", [_text(entry.title)])
    for file, variables in files.items():
        table = _thing(graph, f"table_{file}", "csvw:Table")
        _say(graph, group, "csvw:table", [table])
        _say(graph, table, "dct:title", [_text(file)])
        for variable in variables:
            column_of = _thing(graph, f"column_{file}_{variable}", "csvw:Column")
            _say(graph, table, "csvw:column", [column_of])
            _say(graph, column_of, "csvw:name", [_literal(variable)])
            _say(graph, column_of, "csvw:title", [_text(variable)])
            _say(graph, column_of, "csvw:datatype", [_literal(ANY_TYPE)])
            _say(graph, column_of, "dct:description", [_text(f"{variable} of {file}, as it {described}")])


def _agent(graph: Graph, name: str, given: Contact) -> Node:
    """An agent and how it is reached, in the core vocabulary that agents have since release 7."""
    agent, point = _thing(graph, name, "foaf:Agent"), _thing(graph, f"{name}_contact", "cv:ContactPoint")
    _say(graph, agent, "foaf:name", [_text(given.name)])
    _say(graph, agent, "cv:contactPoint", [point])
    if given.address.startswith(MAIL):
        _say(graph, point, "cv:email", [_literal(given.address.removeprefix(MAIL))])
    else:
        _say(graph, point, "cv:contactPage", [_address(given.address)])
    return agent


def _card(graph: Graph, given: Contact) -> Node:
    """Whom to ask about the dataset."""
    card = _thing(graph, "contact", "vcard:Kind")
    _say(graph, card, "vcard:fn", [_text(given.name)])
    is_mail = given.address.startswith(MAIL)
    _say(graph, card, "vcard:hasEmail" if is_mail else "vcard:hasURL", [_address(given.address)])
    return card


def _thing(graph: Graph, name: str, kind: str) -> Node:
    from rdflib import BNode

    node = BNode(name)
    _say(graph, node, "rdf:type", [_name(kind)])
    return node


def _say(graph: Graph, subject: Node, name: str, values: Iterable[Node]) -> None:
    for value in list(values):
        graph.add((subject, _name(name), value))


def _name(short: str) -> Node:
    prefix, _, name = short.partition(":")
    return _address(f"{PREFIXES[prefix]}{name}")


def _address(text: str) -> Node:
    from rdflib import URIRef

    return URIRef(text)


def _text(text: str) -> Node:
    from rdflib import Literal

    return Literal(text, lang="en")


def _literal(value: object, kind: str = "") -> Node:
    from rdflib import Literal, URIRef

    return Literal(value, datatype=URIRef(str(_name(kind)))) if kind else Literal(value)
