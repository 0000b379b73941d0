"""The define.xml of a study, which says the name of each variable, its allowed codes and its origin: read and written.

Define-XML 2.0 and 2.1 are read. The file describes data and contains none; it comes from outside, so XML features
beyond elements and attributes (document types, entities, references) are refused before parsing.

That of a release is written by odmlib, as Define-XML 2.1. It takes the descriptions of data sets and variables from the
study's own define.xml, and nothing about values or documents: code lists are those of the released columns; methods,
comments, value level metadata and annotated forms are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import number_text, parse_numbers
from disclosure_control.basics.files import SourceFile, link_fault, read_file
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.words import listed
from study.formats.messages import Note, shown_name
from study.formats.outgoing import OutgoingTable
from study.formats.tables import SourceTable

_STANDARD = ("Name", "Type", "PublishingSet", "Version", "Status")
_NUMBER_TYPES = ("integer", "float")
_LARGEST = 1 << 28


@dataclass(frozen=True)
class CodeList:
    """The codes of a variable, ``terms`` from code to meaning; empty where a dictionary outside has them."""

    name: str
    terms: Mapping[str, str]


@dataclass(frozen=True)
class VariableDefinition:
    """One variable of a dataset; ``origin``: Collected, Derived, Assigned, ...; "" if the file has none."""

    name: str
    label: str
    data_type: str
    origin: str
    is_mandatory: bool
    code_list: CodeList | None
    key_sequence: int | None = None


@dataclass(frozen=True)
class DatasetDefinition:
    """One dataset: its label, domain, ``structure`` ("One record per subject") and class; "" where missing.

    ``repeating`` and ``is_reference`` are "Yes" or "No": several records of a subject, and about no subject.
    """

    label: str = ""
    domain: str = ""
    structure: str = ""
    class_name: str = ""
    repeating: str = ""
    is_reference: str = ""


@dataclass(frozen=True)
class StudyDefinition:
    """The content of a define.xml: dataset to variable to definition, names in capitals.

    ``described`` maps datasets to their descriptions; ``standards`` are those that the study follows, with
    their attributes of Define-XML (Name, Type, Version, Status, PublishingSet).
    """

    file_name: str
    sha256: str
    study: str
    datasets: Mapping[str, Mapping[str, VariableDefinition]] = field(repr=False)
    described: Mapping[str, DatasetDefinition] = field(default_factory=dict, repr=False)
    standards: tuple[Mapping[str, str], ...] = ()

    def variable(self, dataset: str, name: str) -> VariableDefinition | None:
        """The definition of a variable; None where there is none."""
        return self.datasets.get(dataset.upper(), {}).get(name.upper())


def find_definition(folder: Path) -> Path | None:
    """Return the define.xml of a pilot's folder, whatever the case of its name; None where there is none."""
    return next((path for path in sorted(folder.iterdir()) if path.name.lower() == "define.xml"), None)


def read_definition(file: Path | SourceFile) -> StudyDefinition:
    """Read a define.xml at a path, or from bytes that were read already.

    Raises FaultyInputError where it is no Define-XML, is broken, or contains a document type, which none needs.
    """
    if isinstance(file, Path):
        fault = link_fault(file, file.parent)
        if fault is not None:
            raise FaultyInputError(fault)
        file = read_file(file)
    root = _parsed(file)
    versions = root.findall("{*}Study/{*}MetaDataVersion") if _local(root.tag) == "ODM" else []
    if not versions:
        raise FaultyInputError(f"{file.name}: this is XML, but not Define-XML; export it again, or remove it.")
    code_lists = {_of(one, "OID"): _code_list(one) for part in versions for one in part.iterfind("{*}CodeList")}
    items = {_of(one, "OID"): one for part in versions for one in part.iterfind("{*}ItemDef")}
    groups = {_of(one, "Name").upper(): one for part in versions for one in part.iterfind("{*}ItemGroupDef")}
    standards = tuple(
        {key: value for key in _STANDARD if (value := _of(one, key))}
        for part in versions
        for one in part.iterfind("{*}Standards/{*}Standard")
    )
    return StudyDefinition(
        file.name,
        file.sha256,
        (root.findtext("{*}Study//{*}StudyName") or "").strip(),
        {name: _variables(group, items, code_lists) for name, group in groups.items()},
        {name: _dataset(group) for name, group in groups.items()},
        standards,
    )


def contradictions(definition: StudyDefinition, table: SourceTable) -> list[str]:
    """Return in sentences where a domain file and its description disagree; in names and counts, never in values."""
    described = definition.datasets.get(table.domain)
    if described is None:
        return [f"{definition.file_name} does not describe this dataset"]
    notes = []
    columns = {str(name).upper(): str(name) for name in table.frame}
    unknown = [shown_name(name) for upper, name in columns.items() if upper not in described]
    if unknown:
        notes.append(f"{definition.file_name} does not describe {listed(unknown, at_most=8)}")
    absent = [name for name, variable in described.items() if name not in columns and variable.is_mandatory]
    if absent:
        notes.append(f"{definition.file_name} requires {listed(absent, at_most=8)}, which the file does not have")
    for name, variable in described.items():
        if name in columns:
            column, n_records = table.counted_column(columns[name])
            notes += _disagreements(definition.file_name, variable, column, n_records)
    return notes


def _disagreements(
    file_name: str, variable: VariableDefinition, column: pd.Series, n_records: np.ndarray | None
) -> list[str]:
    def n_of(which: pd.Series) -> int:
        return int(which.sum() if n_records is None else n_records[which.to_numpy(dtype=bool)].sum())

    notes: list[str] = []
    where = f"{file_name}: {variable.name}"
    is_number = column.dtype.kind == "f"
    if variable.data_type in _NUMBER_TYPES and not is_number:
        n_texts = n_of(column.notna() & pd.isna(parse_numbers(column)))
        if n_texts:
            notes.append(
                Note.of(
                    lambda told: f"{where} has {told(n_texts, 'value')} that cannot be read as {variable.data_type}"
                )
            )
    codes_of = variable.code_list
    if codes_of is not None and codes_of.terms:
        distinct = pd.Series(column.dropna().unique())
        codes = distinct.map(number_text) if is_number else distinct.astype("str")
        n_outside = n_of(column.isin(distinct[~codes.isin(list(codes_of.terms))]))
        if n_outside:
            outside = f"outside its code list {codes_of.name!r}"
            notes.append(Note.of(lambda told: f"{where} has {told(n_outside, 'value')} {outside}"))
    return notes


# ---------------------------------------------------------------- XML


class _WithoutDoctype(ElementTree.TreeBuilder):
    def doctype(self, *_: object) -> None:
        raise FaultyInputError(
            "it contains a document type (DOCTYPE), which can refer to other files; Define-XML does not need it. "
            "Delete the DOCTYPE, or remove the file."
        )


def _parsed(source: SourceFile) -> ElementTree.Element:
    if len(source.content) > _LARGEST:
        raise FaultyInputError(
            f"{source.name}: {len(source.content) / 1e6:,.0f} MB; allowed: {_LARGEST / 1e6:,.0f} MB. Remove the file."
        )
    try:
        return ElementTree.fromstring(source.content, ElementTree.XMLParser(target=_WithoutDoctype()))
    except FaultyInputError as error:
        raise FaultyInputError(f"{source.name}: {error}") from None
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        where = f" in line {error.position[0]:,}" if isinstance(error, ElementTree.ParseError) else ""
        raise FaultyInputError(f"{source.name}: not valid XML{where}; export it again, or remove it.") from None


def _local(tag: str) -> str:
    """A name without its namespace, which differs from version to version."""
    return tag.rpartition("}")[2]


def _of(element: ElementTree.Element, name: str) -> str:
    return next((value.strip() for key, value in element.items() if _local(key) == name), "")


def _text(element: ElementTree.Element, name: str) -> str:
    """The first translated text of a child: a label, or the meaning of a code."""
    return " ".join((element.findtext(f"{{*}}{name}/{{*}}TranslatedText") or "").split())


def _code_list(element: ElementTree.Element) -> CodeList:
    items = [item for item in element if _local(item.tag) in ("CodeListItem", "EnumeratedItem")]
    return CodeList(_of(element, "Name"), {_of(item, "CodedValue"): _text(item, "Decode") for item in items})


def _dataset(group: ElementTree.Element) -> DatasetDefinition:
    classes = [_of(one, "Name") for one in group.iterfind("{*}Class")] or [_of(group, "Class")]
    return DatasetDefinition(
        label=_text(group, "Description") or _of(group, "Label"),
        domain=_of(group, "Domain"),
        structure=_of(group, "Structure"),
        class_name=classes[0],
        repeating=_of(group, "Repeating"),
        is_reference=_of(group, "IsReferenceData"),
    )


def _variables(
    group: ElementTree.Element, items: Mapping[str, ElementTree.Element], code_lists: Mapping[str, CodeList]
) -> dict[str, VariableDefinition]:
    found = {}
    for reference in group.iterfind("{*}ItemRef"):
        item = items.get(_of(reference, "ItemOID"))
        if item is None:
            continue
        named = [_of(one, "CodeListOID") for one in item.iterfind("{*}CodeListRef")]
        origins = [_of(one, "Type") for one in item.iterfind("{*}Origin")] or [_of(item, "Origin")]
        found[_of(item, "Name").upper()] = VariableDefinition(
            name=_of(item, "Name"),
            label=_text(item, "Description") or _of(item, "Label"),
            data_type=_of(item, "DataType"),
            origin=origins[0],
            is_mandatory=_of(reference, "Mandatory") == "Yes",
            code_list=code_lists.get(named[0]) if named else None,
            key_sequence=int(sequence) if (sequence := _of(reference, "KeySequence")).isdigit() else None,
        )
    return found


# ---------------------------------------------------------------- writing

NEEDS = "odmlib (requirements/formats.txt)"
STRUCTURE = "One record per row"
# Data types of Dataset-JSON that Define-XML names otherwise.
_TYPES = {"string": "text", "double": "float", "decimal": "float"}


@dataclass(frozen=True)
class DescribedTable:
    """A data set as released in ``file_name``; ``levels``: the values of each column whose code list may be published.

    ``derived`` are the columns whose values are no longer those of the source.
    """

    table: OutgoingTable
    file_name: str
    levels: Mapping[str, Sequence[str]]
    derived: frozenset[str]


def define_xml(tables: Sequence[DescribedTable], source: StudyDefinition, created: datetime) -> bytes | None:
    """The file's bytes; None where odmlib is not installed. ``source`` came with the study."""
    try:
        import odmlib.define_2_1.model as model
    except ImportError:
        return None
    study = next((one.table.study for one in tables if one.table.study), "STUDY")
    version = model.MetaDataVersion(
        OID="MDV.RELEASED", Name=f"{study}, de-identified", Description="The released data sets", DefineVersion="2.1.0"
    )
    version.Standards = _standards(model, source)
    standard = "STD.1"  # the first of them
    for one in tables:
        defined = source.described.get(one.table.name, DatasetDefinition())
        variables = source.datasets.get(one.table.name, {})
        version.ItemGroupDef.append(_item_group(model, one, defined, variables, standard))
        for name in map(str, one.table.frame):
            version.ItemDef.append(_item(model, one, name, variables.get(name.upper())))
        version.CodeList += [_published_code_list(model, one, name, variables.get(name.upper())) for name in one.levels]
    names = model.GlobalVariables()
    names.StudyName, names.StudyDescription, names.ProtocolName = (
        model.StudyName(_content=study),
        model.StudyDescription(_content=f"{study}, de-identified"),
        model.ProtocolName(_content=study),
    )
    root = model.ODM(
        FileOID=f"{study}.released",
        CreationDateTime=created.strftime("%Y-%m-%dT%H:%M:%S"),
        ODMVersion="1.3.2",
        FileType="Snapshot",
        Context="Other",
    )
    root.Study = model.Study(OID=study, GlobalVariables=names)
    root.Study.MetaDataVersion = version
    content: str = root.to_xml_string()
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{content}\n'.encode()


def _standards(model: Any, source: StudyDefinition) -> Any:
    """The standards that the source names; where it names none, SDTMIG without a claim to a later version."""
    named = [one for one in source.standards if one["Type"] in ("IG", "CT")] or [
        {"Name": "SDTMIG", "Type": "IG", "Version": "3.2", "Status": "Final"}
    ]
    return model.Standards(
        Standard=[model.Standard(OID=f"STD.{number}", **one) for number, one in enumerate(named, start=1)]
    )


def _item_group(
    model: Any,
    one: DescribedTable,
    defined: DatasetDefinition,
    variables: Mapping[str, VariableDefinition],
    standard: str,
) -> Any:
    table = one.table
    group = model.ItemGroupDef(
        OID=f"IG.{table.name}",
        Name=table.name,
        Domain=defined.domain or table.name,
        Repeating=defined.repeating or "Yes",
        IsReferenceData=defined.is_reference or "No",
        SASDatasetName=table.name[:8],
        Purpose="Tabulation",
        Structure=defined.structure or STRUCTURE,
        StandardOID=standard,
        ArchiveLocationID=f"LF.{table.name}",
    )
    group.Description = _described_as(model, table.label or defined.label or table.name)
    for number, name in enumerate(map(str, table.frame), start=1):
        variable = variables.get(name.upper())
        is_full = variable is not None and variable.is_mandatory and bool(table.frame[name].notna().all())
        reference = {"KeySequence": variable.key_sequence} if variable is not None and variable.key_sequence else {}
        group.ItemRef.append(
            model.ItemRef(
                ItemOID=f"IT.{table.name}.{name}",
                OrderNumber=number,
                Mandatory="Yes" if is_full else "No",
                **reference,
            )
        )
    if defined.class_name:
        group.Class = model.Class(Name=defined.class_name)
    group.leaf = model.leaf(ID=f"LF.{table.name}", href=one.file_name, title=model.title(_content=one.file_name))
    return group


# The origins of Define-XML 2.1, and what those of 2.0 are called there; others are not written.
_ORIGINS = {
    one: one for one in ("Assigned", "Collected", "Derived", "Not Available", "Other", "Predecessor", "Protocol")
}
_ORIGINS |= {"CRF": "Collected", "eDT": "Collected"}


def _item(model: Any, one: DescribedTable, name: str, variable: VariableDefinition | None) -> Any:
    table = one.table
    data_type = _TYPES.get(table.data_type(name), table.data_type(name))
    lengths = {} if data_type in ("date", "datetime", "time") else {"Length": table.length(name)}
    if data_type == "float":
        lengths["SignificantDigits"] = table.decimals(name)
    item = model.ItemDef(OID=f"IT.{table.name}.{name}", Name=name, DataType=data_type, **lengths)
    item.Description = _described_as(model, table.labels.get(name) or (variable.label if variable else "") or name)
    if name in one.levels:
        item.CodeListRef = model.CodeListRef(CodeListOID=f"CL.{table.name}.{name}")
    origin = "Derived" if name in one.derived else _ORIGINS.get(variable.origin if variable is not None else "", "")
    if origin:
        item.Origin.append(model.Origin(Type=origin, **({"Source": "Sponsor"} if origin == "Derived" else {})))
    return item


def _published_code_list(model: Any, one: DescribedTable, name: str, variable: VariableDefinition | None) -> Any:
    """The values of the column, with their meanings if the source has all of them."""
    terms = variable.code_list.terms if variable is not None and variable.code_list is not None else {}
    levels = one.levels[name]
    code_list = model.CodeList(OID=f"CL.{one.table.name}.{name}", Name=f"{one.table.name}.{name}", DataType="text")
    code_list.Description = _described_as(model, f"Values of {name} in {one.table.name}")
    if all(terms.get(level) for level in levels):
        for level in levels:
            decode = model.Decode(TranslatedText=[model.TranslatedText(_content=terms[level])])
            code_list.CodeListItem.append(model.CodeListItem(CodedValue=level, Decode=decode))
    else:
        code_list.EnumeratedItem += [model.EnumeratedItem(CodedValue=level) for level in levels]
    return code_list


def _described_as(model: Any, text: str) -> Any:
    return model.Description(TranslatedText=[model.TranslatedText(_content=text, lang="en")])
