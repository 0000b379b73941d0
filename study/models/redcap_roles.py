"""The role of a REDCap field: from its type and validation, from what its name and label mean, else from its values."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import parse_numbers
from study.models.column_roles import MOST_CATEGORIES, MOST_WORDS_OF_A_LABEL
from study.models.redcap_dictionary import LISTS, RedcapField, words_of
from study.models.role_words import role_of_heading, role_of_phrase
from study.models.roles import ColumnModel, Role
from study.operations import Operation, OperationKind, VariableClass

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


def flag_of(folded: ColumnModel, into: str) -> ColumnModel:
    """A column of one choice of a checkbox, which the column ``into`` repeats."""
    says = folded.role is Role.IDENTIFIER
    return replace(folded, role=folded.role if says else Role.FLAG, part_of=into)
