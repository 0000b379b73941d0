"""What a catalogue of datasets asks beside the figures of a run: the entry as HealthDCAT-AP has it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from disclosure_control.basics.settings.fields import SettingsGroup, nested, setting
from disclosure_control.basics.settings.kinds import DATE, SENTENCE, Kind, list_of, whole_number

ADDRESS = Kind(
    lambda value: isinstance(value, str) and re.fullmatch(r"(https?|mailto):[^\s<>\"{}|\\^`]+", value) is not None,
    "an address that begins with https:, http: or mailto:",
)
_SENTENCES = list_of(SENTENCE, "a list of texts that are not blank", 1)
_ADDRESSES = list_of(ADDRESS, "a list of addresses that begin with https: or http:", 1)


@dataclass(frozen=True)
class Contact(SettingsGroup):
    """An organisation and where it is reached."""

    name: str = setting(SENTENCE, "its name")
    address: str = setting(ADDRESS, "where it is reached: a page or mailto:")


@dataclass(frozen=True)
class CatalogueEntry(SettingsGroup):
    """The statements of HealthDCAT-AP that no run can count. Ages are in years, dates ISO 8601."""

    title: str = setting(SENTENCE, "the name of the dataset")
    description: str = setting(SENTENCE, "what it is, for somebody who looks for data")
    identifier: str = setting(SENTENCE, "the id of the dataset in the catalogue")
    keywords: Sequence[str] = setting(_SENTENCES, "words to find it by")
    publisher: Contact = setting(nested(Contact), "the holder of the data: name and address")
    access_body: Contact = setting(nested(Contact), "the health data access body: name and address")
    provenance: str = setting(SENTENCE, "where the data come from")
    health_categories: Sequence[str] = setting(_ADDRESSES, "categories of EHDS Article 51, by their addresses")
    access: str = setting(ADDRESS, "where access is applied for")
    type: str = setting(ADDRESS, "the type of the dataset, by its address in the vocabulary of types")
    themes: Sequence[str] = setting(
        _ADDRESSES,
        "themes, by their addresses",
        ("http://publications.europa.eu/resource/authority/data-theme/HEAL",),
        "health",
    )
    coding_systems: Sequence[str] = setting(list_of(SENTENCE, "a list of texts"), "MedDRA, LOINC, ...", ())
    begins: str | None = setting(DATE, "the first day of the period that the data cover", None)
    ends: str | None = setting(DATE, "the last day of that period", None)
    youngest: int | None = setting(whole_number(0, 120), "typical lowest age in years", None)
    oldest: int | None = setting(whole_number(0, 120), "typical highest age in years", None)
    population: str | None = setting(SENTENCE, "which people the data are about", None)


CATALOGUE = nested(CatalogueEntry)
