"""Reading FHIR R4 bulk data: a file of lines, each a resource of one type, as the flat table of its view.

``views.json`` declares the tables: view definitions in the manner of SQL on FHIR, whose columns also have the ``role``
that they have in a study. What no column names is not read: names, identifiers, telecom, notes, narrative, and all
extensions but race and ethnicity of US Core.

Sources: HL7 FHIR 4.0.1, and the FHIR Bulk Data Access implementation guide 2.0.
"""

from __future__ import annotations

import io
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.words import counted, listed
from study.formats.fhir.bundles import tables_of_bundles
from study.formats.fhir.views import Expression, Row, View, ViewError, compiled_path, declared_views, views_by_resource
from study.formats.json_values import READERS_OF_TYPE, JsonCells, collector_paused
from study.formats.messages import Note, counted_note, shown_name
from study.formats.registry import BEGINNING_BYTES, Format, Recognised
from study.formats.tables import FileContents, FileOptions, domain_of, file_of, suffix_of

# The data types of FHIR that are none of text, as Dataset-JSON names them.
_DATA_TYPES = {
    "boolean": "boolean",
    "integer": "integer",
    "decimal": "decimal",
    "date": "date",
    "dateTime": "datetime",
}
# The address of a code system is that of its owner, a hospital perhaps: the public ones are named, others are "other".
_CODE_SYSTEMS = {
    "http://loinc.org": "LOINC",
    "http://snomed.info/sct": "SNOMED CT",
    "http://www.nlm.nih.gov/research/umls/rxnorm": "RxNorm",
    "http://hl7.org/fhir/sid/icd-10": "ICD-10",
    "http://hl7.org/fhir/sid/icd-10-cm": "ICD-10-CM",
    "http://fhir.de/CodeSystem/bfarm/icd-10-gm": "ICD-10-GM",
    "http://hl7.org/fhir/sid/icd-9-cm": "ICD-9-CM",
    "http://www.cms.gov/Medicare/Coding/ICD10": "ICD-10-PCS",
    "http://fhir.de/CodeSystem/bfarm/ops": "OPS",
    "http://www.ama-assn.org/go/cpt": "CPT",
    "http://hl7.org/fhir/sid/ndc": "NDC",
    "http://hl7.org/fhir/sid/cvx": "CVX",
    "http://www.whocc.no/atc": "ATC",
    "http://unitsofmeasure.org": "UCUM",
}
_HL7 = ("http://hl7.org/", "http://terminology.hl7.org/")
# What lies beside the files of a bulk export and is no resource, by an element that it has.
_BESIDE_AN_EXPORT = {"transactionTime": "the manifest of a bulk export", "exportId": "the log of a bulk export"}
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:]')
# Its type comes last, after any number of resources.
_BUNDLE_IN_ORDER_OF_NAMES = re.compile(rb'(?s)\s*\{\s*"entry"\s*:\s*\[.*"resourceType"\s*:')
_MARK_OF_UTF8 = b"\xef\xbb\xbf"


# ---------------------------------------------------------------- which file is FHIR


def resource_type_of(beginning: bytes) -> str:
    """The type of the resource with which a file begins; "" where it begins with none."""
    return _own_word(beginning, "resourceType")


def _own_word(beginning: bytes, name: str) -> str:
    """The text of an element of the object with which a file begins, "" where it has none, or none of a word.

    A resource may contain others, so only the object's own elements are looked at.
    """
    depth, before = 0, ("", "")
    text = beginning[:BEGINNING_BYTES].removeprefix(_MARK_OF_UTF8).decode("utf-8", "replace").lstrip()
    for match in _TOKEN.finditer(text if text.startswith("{") else ""):
        token = match[0]
        if token in ("{", "["):
            depth += 1
        elif token in ("}", "]"):
            depth -= 1
            if depth == 0:
                return ""
        elif depth == 1 and before == (f'"{name}"', ":"):
            return token.strip('"') if re.fullmatch(r'"[\w:.+-]{1,60}"', token) else ""
        before = (before[1], token)
    return ""


def recognised_as_fhir(path: Path, beginning: bytes) -> Recognised | None:
    """What the first bytes of a file say: the table of its resources, or why it is not read; None if it is no FHIR."""
    resource = resource_type_of(beginning)
    if not resource and _BUNDLE_IN_ORDER_OF_NAMES.match(beginning):
        return Recognised(is_together=True)
    if not resource:
        of_export = next((words for name, words in _BESIDE_AN_EXPORT.items() if _own_word(beginning, name)), "")
        return Recognised(left_out=of_export) if of_export else None
    is_of_bundles = path != file_of(path)
    if resource == "Bundle" or not (is_of_bundles or suffix_of(path).startswith(".ndjson")):
        return Recognised(is_together=True)
    if resource not in views_by_resource():
        return Recognised(left_out=f"FHIR resources of the type {resource}, for which there is no view")
    return Recognised(domain=_domain(path, views_by_resource()[resource]))


def _domain(path: Path, view: View) -> str:
    """``OBSERVATION``, and ``OBSERVATION_001`` for ``Observation.001.ndjson``, a part of the table."""
    return "_".join([view.name.upper(), *re.findall(r"\d+", domain_of(path))])


# ---------------------------------------------------------------- from lines to a table


# What is wrong with a line.
_BROKEN = "not valid JSON in UTF-8. The file may be cut off; export it again."
_OF_ANOTHER_TYPE = (
    "not a resource of the type {}, as the first line is; allowed: one type in a file. Export each type into files of "
    "its own."
)
_NOT_AS_FHIR = "not as FHIR R4 has a resource of the type {}: {}. Correct the export."
_WITHOUT_KEY = (
    "without the id of a Patient: the resource has none, or names its patient by a search, an identifier, or within "
    'itself. Export with references such as "Patient/<id>".'
)


@dataclass
class _Lines:
    """What was found in the lines of a file: rows, elements, resources of no patient.

    ``several_codings``: column -> resources whose concept has other codes beside the one that is read. ``at_fault``:
    what is wrong, in words -> the numbers of the lines.
    """

    rows: list[Row] = field(default_factory=list)
    n_of_nobody: int = 0
    elements: set[str] = field(default_factory=set)
    several_codings: Counter[str] = field(default_factory=Counter)
    at_fault: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    n_lines: int = 0


@collector_paused()
def read_fhir_ndjson(source: SourceFile, options: FileOptions) -> FileContents:
    """Read resources of one type, one in each line, as the rows and columns of their view.

    Raises FaultyInputError for lines that are broken, of another type, or not as FHIR has them, by their numbers.
    """
    recognised = recognised_as_fhir(source.path, source.content)
    if recognised is None or not recognised.domain:
        why = recognised.left_out if recognised else "no FHIR resource in the first line"
        raise FaultyInputError(f"{source.path.name}: {why}")
    view = views_by_resource()[resource_type_of(source.content)]
    lines = _read_lines(source.content.removeprefix(_MARK_OF_UTF8), view, options.encoding or "utf-8")
    stop_at(_line_faults(lines, source.path))
    columns, faults = _columns(lines.rows, view, source.path)
    stop_at(faults)
    return FileContents(
        columns,
        _notes(lines, view),
        labels={column["name"]: column["label"] for column in view.columns},
        types={column["name"]: _DATA_TYPES.get(column["type"], "string") for column in view.columns},
        label=declared_views()[view.name.upper()]["title"],
        written_as="csv",
        domain=recognised.domain,
    )


def _read_lines(content: bytes, view: View, encoding: str) -> _Lines:
    found = _Lines()
    person = next((place for place, one in enumerate(view.columns) if one["role"] == "person"), None)
    concepts = _concepts(view)
    for number, line in enumerate(io.BytesIO(content), start=1):
        if line.isspace():
            continue
        found.n_lines += 1
        try:
            resource = json.loads(line.decode(encoding))
        except (ValueError, RecursionError):  # of the encoding as well
            found.at_fault[_BROKEN].append(number)
            continue
        if not isinstance(resource, dict) or resource.get("resourceType") != view.resource:
            found.at_fault[_OF_ANOTHER_TYPE.format(view.resource)].append(number)
            continue
        found.elements.update(resource)
        try:
            rows = view.rows(resource)
        except ViewError as error:
            found.at_fault[_NOT_AS_FHIR.format(view.resource, error)].append(number)
            continue
        if rows and person is not None and rows[0][person] is None:
            if _is_of_a_patient(resource):
                found.at_fault[_WITHOUT_KEY].append(number)
            found.n_of_nobody += 1
        else:
            found.rows += map(_with_texts_once, rows)
            found.several_codings.update(name for name, codings in concepts if len(codings([resource], 0)) > 1)
    return found


def _concepts(view: View) -> list[tuple[str, Expression]]:
    """The columns with the first code of a concept of the resource, and the path to all codings of it."""
    paths = {column["path"]: column["name"] for column in view.columns if column["role"] == "coded term"}
    first_code = ".first().code"
    return [
        (name, compiled_path(path.removesuffix(first_code)).evaluate)
        for path, name in paths.items()
        if path.endswith(f".coding{first_code}")
    ]


def _with_texts_once(row: Row) -> Row:
    """The row with each text as the one object that all rows share: most values of a large file are a few texts."""
    return tuple([sys.intern(cell) if type(cell) is str else cell for cell in row])


def _is_of_a_patient(resource: Mapping[str, Any]) -> bool:
    """Whether a resource without the key of a patient is of one nevertheless: not of a group, a device or a place."""
    subject = resource.get("subject") or resource.get("patient")
    if resource["resourceType"] == "Patient" or subject is None:
        return resource["resourceType"] == "Patient"
    if not isinstance(subject, dict) or subject.get("type") == "Patient":
        return True
    reference = subject.get("reference")
    return (
        reference is None or str(reference).startswith("#") or re.search(r"(^|/)Patient\b", str(reference)) is not None
    )


def _line_faults(lines: _Lines, path: Path) -> Iterator[str]:
    for what, numbers in lines.at_fault.items():
        are = "is" if len(numbers) == 1 else "are"
        of_lines = f"{len(numbers):,} of {counted(lines.n_lines, 'line')} (the first is line {numbers[0]:,})"
        yield f"{path.name}: {of_lines} {are} {what}"


def _columns(rows: list[Row], view: View, path: Path) -> tuple[dict[str, JsonCells], list[str]]:
    columns, faults = {}, []
    cells = zip(*rows, strict=True) if rows else [()] * len(view.columns)
    for column, found in zip(view.columns, cells, strict=True):
        fhir_type = column.get("type", "string")
        data_type = _DATA_TYPES.get(fhir_type, "string")
        given = [_code_system(cell) for cell in found] if fhir_type == "codeSystem" else found
        columns[column["name"]], n_wrong = READERS_OF_TYPE[data_type](given)
        if data_type == "boolean":
            n_wrong += sum(isinstance(cell, str) for cell in given)
        if n_wrong:
            faults.append(
                f"{path.name}, column {shown_name(column['name'])} ({column['path']}): "
                f"{counted(n_wrong, 'value')} not of the type {fhir_type} of FHIR. Correct the export."
            )
    return columns, faults


def _code_system(address: object) -> object:
    if not isinstance(address, str):
        return address
    return _CODE_SYSTEMS.get(address) or ("HL7" if address.startswith(_HL7) else "other")


def _notes(lines: _Lines, view: View) -> list[str]:
    unread = sorted(lines.elements - view.reads - {"resourceType", "id"})
    named = listed(map(_shown_element, unread), at_most=20)
    not_read = f"; {counted(len(unread), 'element')} of {view.resource} not read: {named}" if unread else ""
    n = lines.n_of_nobody
    of_nobody = [Note.of(lambda told: f"{told(n, 'resource')} of no patient left out")] if n else []
    return [
        f"read and released as the flat table {view.name}, not as FHIR{not_read}",
        *of_nobody,
        *counted_note("of several codes of a concept the first is read: {}", lines.several_codings),
    ]


def _shown_element(name: str) -> str:
    """The name of an element as FHIR has it; anything else is not shown."""
    return name if re.fullmatch(r"_?[a-z][A-Za-z0-9]{1,40}", name) else "one with another name than FHIR's"


FORMAT = Format(
    readers={".ndjson": read_fhir_ndjson, ".json": read_fhir_ndjson},
    documentation="FHIR R4 bulk data (`.ndjson`) and Bundles (`.json`) as flat tables",
    place=3,
    is_text=True,
    recognised=recognised_as_fhir,
    together=tables_of_bundles,
)
