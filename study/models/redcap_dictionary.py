"""REDCap's data dictionary: the fields of a project, and which column of an export belongs to which field.

Source: the dictionary that a project's Designer writes (headings such as "Variable / Field Name"), and the metadata of
the API (``field_name``, ...). An export has a column for each field, and one for each choice of a checkbox.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

CHECKBOX = "checkbox"
PARTS = re.compile(r"(?P<field>.+?)___(?P<code>.+)")  # race___1
_TAG = re.compile(r"<[^>]*>")
_LABELLED_PARTS = re.compile(r"(?P<field>.+?) ?\(choice=(?P<choice>.*)\)")  # Race (choice=White)

# The lists of the model, and of them what a column of the dictionary says -> the ways in which its heading is written.
LISTS: Mapping[str, Any] = json.loads(Path(__file__).with_name("redcap.json").read_text(encoding="utf-8"))
_HEADINGS: Mapping[str, Sequence[str]] = LISTS["headings of a dictionary"]


@dataclass(frozen=True)
class RedcapField:
    """One field of a project. ``choices``: code -> label; ``formula``: of a calculated field."""

    name: str
    form: str = ""
    kind: str = ""
    label: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    validation: str = ""
    is_identifier: bool = False
    formula: str = ""

    def label_of(self, code: str) -> str:
        """The label of a checkbox's choice by the code in the name of its column: ``___1``, also ``____1`` for -1."""
        return next((label for one, label in self.choices.items() if in_column_name(one) == code.lower()), code)

    @property
    def words(self) -> dict[str, str]:
        """Code -> label of a list with one choice, without tags; a label of several codes is followed by the code."""
        if self.kind == CHECKBOX:
            return {}
        plain = {code: " ".join(_TAG.sub(" ", label).split()) or code for code, label in self.choices.items()}
        labels = list(plain.values())
        return {code: f"{label} ({code})" if labels.count(label) > 1 else label for code, label in plain.items()}


def in_column_name(code: str) -> str:
    """A choice's code as REDCap writes it into the name of a column."""
    return re.sub(r"[^a-z0-9_]", "_", code.strip().lower())


def words_of(text: str) -> str:
    """A text in small letters, one blank between its words; text in brackets or tags is not part of it."""
    plain = re.sub(r"\([^)]*\)|<[^>]*>", " ", text)
    return " ".join(re.findall(r"[^\W_]+", plain.casefold()))


def columns_of_dictionary(columns: Iterable[str]) -> dict[str, str]:
    """What the columns of a dictionary say (``name``, ``kind``, ...) -> the column; empty if it is no dictionary."""
    found: dict[str, str] = {}
    for name in columns:
        heading = " ".join(re.findall(r"[a-z]+", str(name).lower()))
        what = next((what for what, headings in _HEADINGS.items() if heading in headings), None)
        if what is not None:
            found.setdefault(what, str(name))
    return found if {"name", "kind"} <= found.keys() else {}


def fields_of(frame: pd.DataFrame) -> list[RedcapField]:
    """The fields of a dictionary, in its order."""
    columns = columns_of_dictionary(map(str, frame.columns))
    texts = {what: frame[column].astype("str").fillna("").tolist() for what, column in columns.items()}
    return [_field({what: values[i] for what, values in texts.items()}) for i in range(len(frame)) if texts["name"][i]]


def _field(row: Mapping[str, str]) -> RedcapField:
    kind, choices = row["kind"].strip().lower(), row.get("choices", "")
    is_list = kind in (CHECKBOX, "radio", "dropdown")
    return RedcapField(
        row["name"].strip().lower(),
        row.get("form", "").strip().lower(),
        kind,
        row.get("label", "").strip(),
        _choices(choices) if is_list else {},
        row.get("validation", "").strip().lower(),
        row.get("identifier", "").strip().lower() in ("y", "yes", "1", "true"),
        "" if is_list else choices,
    )


def _choices(text: str) -> dict[str, str]:
    """``"0, Female | 1, Male"`` -> {"0": "Female", "1": "Male"}."""
    parts = [part.partition(",") for part in re.split(r"\||\n", text) if part.strip()]
    return {code.strip(): label.strip() or code.strip() for code, _, label in parts}


@dataclass(frozen=True)
class ExportColumn:
    """A column of an export: the ``field`` that it belongs to, and of a checkbox its ``choice`` in words."""

    field: RedcapField | None = None
    choice: str = ""
    folded: str = ""  # the column that the choices of its checkbox are folded into


def columns_of_export(columns: Sequence[str], fields: Sequence[RedcapField]) -> dict[str, ExportColumn]:
    """Which field each column belongs to: by name, else by a heading that is the label of one field alone."""
    by_name = {one.name: one for one in fields}
    labels = [_plain(one.label) for one in fields]
    by_label = {label: one for label, one in zip(labels, fields, strict=True) if label and labels.count(label) == 1}
    found = {name: _export_column(name, by_name, by_label) for name in columns}
    taken = {name.lower() for name in columns}
    return {
        name: one if one.folded.lower() not in taken else ExportColumn(one.field, one.choice)
        for name, one in found.items()
    }


def _plain(label: str) -> str:
    """A label without the tags that a heading does not have, in small letters."""
    return " ".join(_TAG.sub(" ", label).casefold().split())


def _export_column(name: str, by_name: Mapping[str, RedcapField], by_label: Mapping[str, RedcapField]) -> ExportColumn:
    whole = by_name.get(name.lower()) or by_label.get(_plain(name))
    if whole is not None:
        return ExportColumn(whole)
    if part := PARTS.fullmatch(name):
        of_part = by_name.get(part["field"].lower())
        return ExportColumn(of_part, of_part.label_of(part["code"]) if of_part else part["code"], part["field"])
    if part := _LABELLED_PARTS.fullmatch(name):
        return ExportColumn(by_label.get(_plain(part["field"])), part["choice"], part["field"])
    return ExportColumn()
