"""Writing the define.xml of a released study by odmlib: Define-XML 2.1 of the released files.

It takes the descriptions of data sets and variables from the study's own define.xml, and nothing about values or
documents: code lists are those of the released columns; methods, comments, value level metadata and annotated forms are
left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from study.define_xml import DatasetDefinition, StudyDefinition, VariableDefinition
from study.formats.outgoing import OutgoingTable

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
        version.CodeList += [_code_list(model, one, name, variables.get(name.upper())) for name in one.levels]
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
    group.Description = _text(model, table.label or defined.label or table.name)
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
    item.Description = _text(model, table.labels.get(name) or (variable.label if variable else "") or name)
    if name in one.levels:
        item.CodeListRef = model.CodeListRef(CodeListOID=f"CL.{table.name}.{name}")
    origin = "Derived" if name in one.derived else _ORIGINS.get(variable.origin if variable is not None else "", "")
    if origin:
        item.Origin.append(model.Origin(Type=origin, **({"Source": "Sponsor"} if origin == "Derived" else {})))
    return item


def _code_list(model: Any, one: DescribedTable, name: str, variable: VariableDefinition | None) -> Any:
    """The values of the column, with their meanings if the source has all of them."""
    terms = variable.code_list.terms if variable is not None and variable.code_list is not None else {}
    levels = one.levels[name]
    code_list = model.CodeList(OID=f"CL.{one.table.name}.{name}", Name=f"{one.table.name}.{name}", DataType="text")
    code_list.Description = _text(model, f"Values of {name} in {one.table.name}")
    if all(terms.get(level) for level in levels):
        for level in levels:
            decode = model.Decode(TranslatedText=[model.TranslatedText(_content=terms[level])])
            code_list.CodeListItem.append(model.CodeListItem(CodedValue=level, Decode=decode))
    else:
        code_list.EnumeratedItem += [model.EnumeratedItem(CodedValue=level) for level in levels]
    return code_list


def _text(model: Any, text: str) -> Any:
    return model.Description(TranslatedText=[model.TranslatedText(_content=text, lang="en")])
