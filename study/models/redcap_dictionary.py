"""REDCap's data dictionary: the fields of a project, what each is for, and which column of an export belongs to it.

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

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import parse_numbers
from study.models.column_roles import MOST_CATEGORIES, MOST_WORDS_OF_A_LABEL
from study.models.role_words import role_of_heading, role_of_phrase
from study.models.roles import ColumnModel, Role
from study.operations import Operation, OperationKind, VariableClass

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


# ---------------------------------------------------------------- what a field is for

MOST_TEXTS = 0.5  # among the values of a field of numbers: codes for missing ones are words

FILE = Operation(OperationKind.REMOVE, VariableClass.DIRECT_IDENTIFIER, "names a file, whose content is not looked at")

# What a name or a label means, whole: more words are about something else, as "injection site" is.
# Of a field of numbers or texts: in other tables "insurance" is the kind of one, "nhs" who pays.
_WHOLE = tuple((Role(role), pattern) for role, pattern in LISTS["whole phrases"])
# What it means by one of its words, as in any table.
_BY_WORDS = (
    *(Role.BIRTH, Role.BIRTH_YEAR, Role.DEATH, Role.DEATH_DATE, Role.AGE),
    *(Role.SEX, Role.ORIGIN, Role.PLACE, Role.IDENTIFIER),
)
_WHOSE = r"patient|participant|subject|child|baby|infant|mother|father"
_BEFORE = re.compile(rf"^(?:dem|demo|demographics?|pt|pat|subj|bl|baseline|enrol\w*|s|{_WHOSE}) ")
_AFTER = re.compile(rf" (?:of )?(?:(?:the )?(?:{_WHOSE})s?|bl|baseline|cat|code|v?\d+)$")

_DATES = (Role.BIRTH, Role.DEATH_DATE)
_NUMBERS = (Role.AGE, Role.BIRTH_YEAR, Role.IDENTIFIER, Role.PLACE, Role.ORIGIN, Role.SITE, Role.DEATH)
_CHOICES = (Role.SEX, Role.ORIGIN, Role.SITE, Role.ARM, Role.PLACE, Role.DEATH, Role.BIRTH_YEAR)
_TEXTS = (*_DATES, *_NUMBERS, *_CHOICES)
_NEVER_OUT = (Role.BIRTH, Role.DEATH_DATE, Role.IDENTIFIER)
# What a meaning may be, where the kind of field says less.
_MAY_MEAN = {
    Role.DATE: _DATES,
    Role.NUMBER: _NUMBERS,
    Role.CATEGORY: _CHOICES,
    Role.FLAG: (Role.DEATH, Role.ORIGIN, Role.SEX),
    Role.VERBATIM: _TEXTS,
}

_OF_KIND = {kind: Role(role) for kind, role in LISTS["kinds"].items()}
_OF_VALIDATION = tuple((pattern, Role(role)) for pattern, role in LISTS["validations"])


def meaning_of(name: str, label: str = "") -> Role | None:
    """The role that a field's name means, or else its label; None if neither names what others know of people."""
    for text in (name, label):
        words = words_of(text)
        own = _BEFORE.sub("", words)
        for one in dict.fromkeys((_AFTER.sub("", own), own, _AFTER.sub("", words), words)):  # "enrolled by" is a whole
            whole = next((role for role, pattern in _WHOLE if re.fullmatch(pattern, one)), None)
            says = (role_of_phrase(one) or role_of_heading(one)) if len(one.split()) <= MOST_WORDS_OF_A_LABEL else None
            by_words = says.role if says is not None and says.role in _BY_WORDS else None
            if whole is not None or by_words is not None:
                return whole or by_words
    return None


def column_of_field(field: RedcapField, values: pd.Series) -> ColumnModel:
    """What a field is for: its type, its validation, the mark of an identifier, and what its name or label means."""
    if field.kind in ("file", "signature") or field.validation == "signature":
        return ColumnModel(Role.IDENTIFIER, "a field of type file", says=FILE)
    role, reason = _role_of_kind(field), f"a field of type {field.kind or 'text'}"
    if field.kind == "text" and field.validation:
        reason += f", validated as {field.validation}"
    is_guessed = False
    if role is Role.NUMBER and not are_numbers(values, MOST_TEXTS) and len(values.dropna()):
        role, is_guessed, reason = Role.VERBATIM, True, f"{reason}, but most values are no numbers"
    if role is Role.VERBATIM and field.kind != "notes" and are_dates(values):
        role, is_guessed, reason = Role.DATE, True, f"{reason}; every value is a date"
    meant = meaning_of(field.name, field.label)
    if meant is not None and meant in _MAY_MEAN.get(role, ()) and field.kind != "notes" and _fits(meant, values, role):
        # What may not leave is no guess, so that no role in a config lets it out.
        role, is_guessed, reason = meant, meant not in _NEVER_OUT, f"{reason}, by its name or label"
    if field.is_identifier and role not in (Role.DATE, Role.BIRTH, Role.DEATH_DATE):
        return ColumnModel(Role.IDENTIFIER, "the dictionary marks it as an identifier")
    return ColumnModel(role, reason, is_guessed=is_guessed)


def _role_of_kind(field: RedcapField) -> Role:
    if field.kind in _OF_KIND:
        return _OF_KIND[field.kind]
    of_validation = (role for pattern, role in _OF_VALIDATION if re.fullmatch(pattern, field.validation))
    return next(of_validation, Role.VERBATIM)


def _fits(meant: Role, values: pd.Series, role: Role) -> bool:
    """Whether the values can be what a text field is named after: an age is a number, a sex one of a few words."""
    if role is not Role.VERBATIM:
        return True
    if meant in (Role.AGE, Role.BIRTH_YEAR):
        return are_numbers(values)
    return meant not in (Role.SEX, Role.ORIGIN, Role.ARM, Role.DEATH) or values.nunique() <= MOST_CATEGORIES


def are_dates(values: pd.Series) -> bool:
    """Whether there are values, and each is a day in ISO 8601, with a time or without."""
    present = values.dropna().astype("str")
    return len(present) > 0 and bool(present.str.fullmatch(r"\d{4}-\d\d-\d\d([T ].*)?").all())


def are_numbers(values: pd.Series, most_others: float = 0.0) -> bool:
    """Whether there are values, and each is a number, but for a share of ``most_others``."""
    present = values.dropna()
    return len(present) > 0 and float(np.isnan(parse_numbers(present)).mean()) <= most_others
