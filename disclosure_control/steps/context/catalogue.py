"""What a catalogue of datasets asks beside the figures of a run: the entry as HealthDCAT-AP has it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from disclosure_control.basics.settings.fields import SettingsGroup, nested, setting
from disclosure_control.basics.settings.kinds import DATE, SENTENCE, Kind, list_of, whole_number

THEMES = "http://publications.europa.eu/resource/authority/data-theme"
HEALTH = f"{THEMES}/HEAL"
HEALTHDATA_EU = "https://hdeu-dcat.data.health.europa.eu/resource/authority"
ADDRESS = Kind(
    lambda value: isinstance(value, str) and re.fullmatch(r"(https?|mailto):[^\s<>\"{}|\\^`]+", value) is not None,
    "an address that begins with https:, http: or mailto:",
)
_SENTENCES = list_of(SENTENCE, "a list of texts that are not blank", 1)
_ADDRESSES = list_of(ADDRESS, "a list of addresses that begin with https: or http:", 1)


@dataclass(frozen=True)
class Vocabulary:
    """A controlled vocabulary of HealthDCAT-AP, release 8: its ``address``, and the codes ``listed`` in it then."""

    address: str
    listed: str

    @property
    def codes(self) -> list[str]:
        """Its codes, in capital letters."""
        return self.listed.split()

    @property
    def kind(self) -> Kind:
        """A list of its codes, or of addresses, for those that it got since."""
        one = Kind(
            lambda value: isinstance(value, str) and (value.upper() in self.codes or ADDRESS.is_valid(value)),
            f"one of {', '.join(self.codes)}, or an address that begins with https: or http:",
        )
        return list_of(one, f"a list of {', '.join(self.codes)}, or of addresses", 1)

    def address_of(self, code: str) -> str:
        """The address of a code; an address is returned unchanged."""
        return f"{self.address}/{code.upper()}" if code.upper() in self.codes else code

    def has(self, code: str) -> bool:
        """Whether a validator that has loaded the vocabulary can know the code or address."""
        return self.address_of(code).startswith(f"{self.address}/")


HEALTH_CATEGORIES = Vocabulary(
    f"{HEALTHDATA_EU}/healthcategories",
    "EHRS DIOH NRPE RPDG HRAD HGPD HPML PGEH WELA IDHP PHDR MRMR EHCT EMRD RMMD RQSH EINS",
)
CODING_SYSTEMS = Vocabulary(
    f"{HEALTHDATA_EU}/coding-system",
    "NPU HPO HGNC NCIT LOINC ICF WHODRUG GMDN MEDDRA MESH ICD-9-CM ICPC-2 ORPHACODE ICPC-3 DICOM-CT EMA-SPOR "
    "OHDSI-VOCAB UMLS ICD-10 UCUM ICD-O ATC ORDO ICD-10-NAT RXNORM EMDN OPS ICHI ICD-11 PROC-CODES-NAT SNOMED-CT EDQM",
)


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
    health_categories: Sequence[str] = setting(HEALTH_CATEGORIES.kind, "categories of EHDS Article 51, by their codes")
    access: str = setting(ADDRESS, "where access is applied for")
    type: str = setting(ADDRESS, "the type of the dataset, by its address in the vocabulary of types")
    themes: Sequence[str] = setting(_ADDRESSES, "further themes beside health, by their addresses", (), "health alone")
    coding_systems: Sequence[str] = setting(CODING_SYSTEMS.kind, "coding systems in use, by their codes", ())
    begins: str | None = setting(DATE, "the first day of the period that the data cover", None)
    ends: str | None = setting(DATE, "the last day of that period", None)
    youngest: int | None = setting(whole_number(0, 120), "typical lowest age in years", None)
    oldest: int | None = setting(whole_number(0, 120), "typical highest age in years", None)
    population: str | None = setting(SENTENCE, "which people the data are about", None)

    @property
    def not_in_vocabularies(self) -> list[str]:
        """Categories, coding systems and themes that the validator of release 8 does not know, and so refuses."""
        given = {
            HEALTH_CATEGORIES: self.health_categories,
            CODING_SYSTEMS: self.coding_systems,
            Vocabulary(THEMES, "HEAL"): self.themes,
        }
        return [code for vocabulary, codes in given.items() for code in codes if not vocabulary.has(code)]


CATALOGUE = nested(CatalogueEntry)
