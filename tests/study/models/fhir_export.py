"""A made bulk export of FHIR in the shape that Synthea writes: resources, codings, references, what names a person."""

from __future__ import annotations

import json
import uuid
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

SEED = 20261123
US_CORE = "http://hl7.org/fhir/us/core/StructureDefinition"
CONDITIONS = (("38341003", "Hypertension"), ("44054006", "Diabetes"), ("195662009", "Viral pharyngitis"))
DRUGS = (("314076", "lisinopril 10 MG"), ("860975", "metformin 500 MG"))
NEVER_GIVEN = ("197361", "amlodipine 5 MG")
RXNORM = "http://www.nlm.nih.gov/research/umls/rxnorm"
# Code, words, unit, mean, spread.
MEASURED = (
    ("8302-2", "Body Height", "cm", 168, 9),
    ("29463-7", "Body Weight", "kg", 78, 14),
    ("2339-0", "Glucose", "mg/dL", 95, 12),
)


def coded(code: str, display: str, system: str = "http://snomed.info/sct") -> dict[str, Any]:
    return {"coding": [{"system": system, "code": code, "display": display}], "text": display}


def race(number: int) -> dict[str, Any]:
    words = ("White", "White", "Black or African American")[number % 3]
    category = {"url": "ombCategory", "valueCoding": {"system": "urn:oid:2.16.840.1.113883.6.238", "display": words}}
    return {"url": f"{US_CORE}/us-core-race", "extension": [category, {"url": "text", "valueString": words}]}


class FhirExport:
    """Resources by type, those of one person after the other; the same for the same seed."""

    def __init__(self, n_people: int = 60, seed: int = SEED):
        self.chance = np.random.default_rng(seed)
        self.resources: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for number in range(n_people):
            self._add_person(number)
        self.resources["Medication"] = [
            {"resourceType": "Medication", "id": f"med-{code}", "code": coded(code, words, RXNORM)}
            for code, words in (*DRUGS, NEVER_GIVEN)
        ]

    def write(self, folder: Path, part_of: str = "Observation") -> None:
        """One file for each type, and two for the type ``part_of``, as servers divide large ones."""
        for name, found in self.resources.items():
            parts = [found] if name != part_of else [found[: len(found) // 2], found[len(found) // 2 :]]
            for number, part in enumerate(parts):
                file = f"{name}.ndjson" if len(parts) == 1 else f"{name}.{number:03}.ndjson"
                (folder / file).write_text("".join(json.dumps(one) + "\n" for one in part), encoding="utf-8")

    def _add(self, kind: str, **content: Any) -> str:
        found = self.resources[kind]
        key = str(uuid.UUID(bytes=self.chance.bytes(16), version=4))
        narrative = {"status": "generated", "div": f"<div>Narrative of {key}</div>"}
        found.append({"resourceType": kind, "id": key, "text": narrative, **content})
        return key

    def _add_person(self, number: int) -> None:
        born = datetime(1930 + int(self.chance.integers(60)), 1 + number % 12, 5, tzinfo=UTC)
        person = self._add(
            "Patient",
            identifier=[{"system": "http://hospital.smarthealthit.org", "value": f"MRN{number:05}"}],
            name=[{"use": "official", "family": f"Familyname{number}", "given": [f"Givenname{number}"]}],
            telecom=[{"system": "phone", "value": f"555-{number:04}"}],
            extension=[{"url": f"{US_CORE}/us-core-birthsex", "valueCode": "F"}, race(number)],
            gender=("female", "male")[int(self.chance.integers(2))],
            birthDate=born.strftime("%Y-%m-%d"),
            address=[{"line": [f"{number} Street"], "city": "Boston", "state": "MA", "postalCode": "02108"}],
            maritalStatus=coded(("M", "S")[int(self.chance.integers(2))], "marital"),
            communication=[{"language": coded("en-US", "English", "urn:ietf:bcp:47")}],
        )
        day = datetime(2015, 1, 1, 9, 30, tzinfo=UTC) + timedelta(days=int(self.chance.integers(300)))
        for _ in range(1 + int(self.chance.integers(3))):
            self._add_encounter({"subject": {"reference": f"Patient/{person}"}}, day)
            day += timedelta(days=int(self.chance.integers(20, 200)))

    def _add_encounter(self, subject: dict[str, Any], day: datetime) -> None:
        moment = day.isoformat()
        encounter = self._add(
            "Encounter",
            **subject,
            status="finished",
            **{"class": {"code": "AMB"}},
            type=[coded("162673000", "General examination of patient")],
            period={"start": moment, "end": (day + timedelta(minutes=30)).isoformat()},
            serviceProvider={"reference": "Organization?identifier=synthea|1"},
        )
        within = {**subject, "encounter": {"reference": f"Encounter/{encounter}"}}
        self._add_observations(within, moment)
        if self.chance.random() < 0.6:
            code = CONDITIONS[int(self.chance.integers(len(CONDITIONS)))]
            active = {"coding": [{"code": "active"}]}
            self._add("Condition", **within, clinicalStatus=active, code=coded(*code), onsetDateTime=moment)
        if self.chance.random() < 0.5:
            code, words = DRUGS[int(self.chance.integers(len(DRUGS)))]
            drug = coded(code, words, RXNORM)
            prescribed = {"medicationCodeableConcept": drug, "authoredOn": moment, "intent": "order"}
            request = self._add("MedicationRequest", **within, status="active", **prescribed)
            given = {"subject": subject["subject"], "context": within["encounter"], "effectiveDateTime": moment}
            asked = {"request": {"reference": f"MedicationRequest/{request}"}, "status": "completed"}
            named = {"medicationReference": {"reference": f"Medication/med-{code}"}}
            self._add("MedicationAdministration", **given, **asked, **named)
        if self.chance.random() < 0.4:
            performed = {
                "performedPeriod": {"start": moment, "end": moment},
                "code": coded("430193006", "Reconciliation"),
            }
            self._add("Procedure", **within, status="completed", **performed)
        if self.chance.random() < 0.1:
            self._add("AllergyIntolerance", patient=subject["subject"], code=coded("91935009", "Allergy to peanuts"))
        self._add("Claim", patient=subject["subject"], status="active")

    def _add_observations(self, within: dict[str, Any], moment: str) -> None:
        common = {**within, "status": "final", "effectiveDateTime": moment, "issued": moment}
        for code, words, unit, mean, spread in MEASURED:
            quantity = {"value": round(float(self.chance.normal(mean, spread)), 1), "unit": unit, "code": unit}
            self._add("Observation", **common, code=coded(code, words, "http://loinc.org"), valueQuantity=quantity)
        components = [
            {"code": coded(code, words, "http://loinc.org"), "valueQuantity": {"value": value, "unit": "mm[Hg]"}}
            for code, words, value in (
                ("8462-4", "Diastolic Blood Pressure", 60 + int(self.chance.integers(30))),
                ("8480-6", "Systolic Blood Pressure", 100 + int(self.chance.integers(50))),
            )
        ]
        self._add(
            "Observation", **common, code=coded("85354-9", "Blood Pressure", "http://loinc.org"), component=components
        )
        smoking = (
            coded("266919005", "Never smoker") if self.chance.random() < 0.7 else coded("449868002", "Smokes daily")
        )
        self._add("Observation", **common, code=coded("72166-2", "Smoking status"), valueCodeableConcept=smoking)
