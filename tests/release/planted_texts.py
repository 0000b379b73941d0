"""Texts that name somebody, in forty forms, planted among ordinary values: what is left of them is counted."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from disclosure_control.release.deidentify import ReleasedStudy, deidentify
from disclosure_control.release.texts.rare_texts import without_rare_texts
from tests.release.small_studies import KEY, RELEASE, people, study_of

CELLS, K = (1, 3, 9), 5
FIRST = ("Maria", "Anna", "Georg", "Karl", "Helga", "Franz", "Josef", "Eva", "Otto")
LAST = ("Huber", "Gruber", "Wagner", "Moser", "Steiner", "Pichler", "Brunner", "Auer", "Lang")
TOWNS = ("Wels", "Steyr", "Gmunden", "Enns", "Traun", "Perg", "Bad Ischl", "Schärding", "Ried")
MONTHS = ("March", "April", "May", "June", "July", "August", "October", "November", "January")
_SCRIPTS = {
    "greek": ("Γιώργος Παπαδόπουλος", "Ελένη Νικολάου", "Νίκος Βλάχος", "Άννα Δήμου", "Κώστας Ρήγας", "Ζωή Λάμπρου",
              "Πέτρος Μάνος", "Ηλίας Κόκκινος", "Δάφνη Σαρρή"),
    "cyrillic": ("Иван Петров", "Мария Георгиева", "Стоян Колев", "Анна Димова", "Петър Илиев", "Радка Тонева",
                 "Тодор Златев", "Нина Велева", "Борис Чолаков"),
    "diacritics": ("Łukasz Wiśniewski", "Žofie Dvořáková", "Çağla Öztürk", "Bjørn Sæther", "Zoé Müßig", "Ágnes Kővári",
                   "Íñigo Peña", "Ștefan Țepeș", "Jürgen Göß"),
    "arabic": ("محمد علي", "فاطمة حسن", "أحمد يوسف", "ليلى خالد", "عمر سعيد", "زينب كريم", "سامي ناصر", "هدى عمر",
               "رامي فؤاد"),
    "chinese": ("王小明", "李娜", "张伟", "刘洋", "陈静", "杨帆", "赵磊", "黄丽", "周强"),
}  # fmt: skip
# Each form gives the i-th of its texts, i from 0 to 8.
FORMS: Mapping[str, Callable[[int], str]] = {
    **{f"name, {script}": (lambda i, names=names: names[i]) for script, names in _SCRIPTS.items()},
    "name": lambda i: f"{FIRST[i]} {LAST[i]}",
    "name, inverted": lambda i: f"{LAST[i]}, {FIRST[i]}",
    "name, small letters": lambda i: f"{FIRST[i]} {LAST[i]}".lower(),
    "name, capitals": lambda i: f"{FIRST[i]} {LAST[i]}".upper(),
    "surname alone": lambda i: LAST[i],
    "initials": lambda i: f"{FIRST[i][0]}. {LAST[i][0]}.",
    "title": lambda i: f"Frau Dr. {LAST[i]}",
    "street, small letters": lambda i: f"{LAST[i].lower()}gasse {i + 3}",
    "postcode and town": lambda i: f"46{i}0 {TOWNS[i]}",
    "e-mail": lambda i: f"{FIRST[i].lower()}.{LAST[i].lower()}@gmx.at",
    "e-mail, spoken": lambda i: f"{FIRST[i].lower()} at gmx dot at",
    "telephone": lambda i: f"0664/123 45 {60 + i}",
    "telephone, digits alone": lambda i: f"0664123456{i}",
    "telephone, international": lambda i: f"+43 7242 4152{i}1",
    "telephone, extension": lambda i: f"07242 415-21{i}1",
    "coordinates": lambda i: f"48.15{i}3, 14.0{i}28",
    "profile": lambda i: f"facebook.com/{FIRST[i].lower()}.{LAST[i].lower()}",
    "profile, handle": lambda i: f"@{FIRST[i].lower()}_{LAST[i].lower()}",
    "web address": lambda i: f"https://klinik.example/p/{i}81",
    "birth in words": lambda i: f"born on the second of {MONTHS[i]} 1962",
    "birth, German": lambda i: f"geb. {i + 1}. 3. 1962",
    "date, packed": lambda i: f"196203{i + 10}",
    "date, month in letters": lambda i: f"UNSCHEDULED {i + 10}FEB2014",
    "social insurance": lambda i: f"SVNR 783{i} 020348",
    "record number": lambda i: f"MRN 0048151{i}",
    "pesel": lambda i: f"4405140135{i}",
    "bank account": lambda i: f"AT61 1904 3002 3457 32{i}1",
    "base64": lambda i: base64.b64encode(f"{FIRST[i]} {LAST[i]}".encode()).decode(),
    "hexadecimal": lambda i: f"{FIRST[i]} {LAST[i]}".encode().hex(),
    "image": lambda i: f"IMG_203{i}.jpg",
    "office": lambda i: f"mayor of {TOWNS[i]}",
    "relation": lambda i: f"brother of {FIRST[i]}",
    "tattoo": lambda i: f"tattoo '{FIRST[i]} {LAST[i]} 1962'",
    "part of an id": lambda i: f"701-10{i + 22}",
    "employer": lambda i: f"works at Tischlerei {LAST[i]}",
}  # fmt: skip


@dataclass(frozen=True)
class PlantedStudy:
    """A study that texts are planted into: its ``files`` by name, and the (file, column) with ordinary texts."""

    files: Mapping[str, list[dict]]
    columns: tuple[tuple[str, str], ...]
    model: str


def left_by(study: PlantedStudy, form: str, cells: int, same: bool) -> list[tuple[str, str]]:
    """The columns in which a text of a form is left, if it stands in so many cells of other people in each of them.

    ``same``: one text in all cells, else another one in each.
    """
    files = {key: [dict(row) for row in rows] for key, rows in study.files.items()}
    texts = [FORMS[form](0 if same else i) for i in range(cells)]
    for file, name in study.columns:
        for row, text in zip(_rows_of_others(study.files[file], name, cells), texts, strict=True):
            files[file][row][name] = text
    who = people(IDS, list(range(N_PEOPLE)))
    released = deidentify(study_of(files, IDS, model=study.model), who, (), KEY, RELEASE)
    left, _ = without_rare_texts(released, who, K)
    return [one for one in study.columns if _holds(left, one, texts)]


def _holds(left: ReleasedStudy, place: tuple[str, str], texts: list[str]) -> bool:
    found = left.files.get(place[0])
    if found is None or place[1] not in found.columns:
        return False
    return any(part.frame[place[1]].astype("str").isin(texts).any() for part in found.parts)


def _rows_of_others(rows: list[dict], name: str, n: int) -> list[int]:
    """Places of ``n`` rows that have a value, of one person each."""
    chance, seen, found = np.random.default_rng(7 + len(name)), set(), []
    for row in chance.permutation(len(rows)).tolist():
        if rows[row].get(name) and rows[row]["USUBJID"] not in seen and len(found) < n:
            seen.add(rows[row]["USUBJID"])
            found.append(row)
    assert len(found) == n
    return found


ATTACKS = [(form, cells, same) for form in FORMS for cells in CELLS for same in (True, False) if cells > 1 or same]


# ---------------------------------------------------------------- studies to plant into

N_PEOPLE = 120
IDS = [f"01-70{i % 4 + 1}-{1015 + i}" for i in range(N_PEOPLE)]
_OF_MEDDRA = (
    "Headache|Nausea|Dizziness|Fatigue|Diarrhoea|Vomiting|Cough|Pruritus|Rash|Insomnia|Back pain|Arthralgia|"
    "Constipation|"
    "Nasopharyngitis|Hypertension|Anxiety|Depression|Dyspnoea|Pyrexia|Abdominal pain upper|Myocardial infarction|"
    "Application site erythema|Sinus bradycardia|Urinary tract infection|Type 2 diabetes mellitus|Atrial fibrillation|"
    "Parkinson's disease|Crohn's disease|Hepatitis B|Vitamin D deficiency|Blood creatinine increased"
)
_OF_WHO = "ASPIRIN|PARACETAMOL|METFORMIN HYDROCHLORIDE|SIMVASTATIN|OMEPRAZOLE|AMLODIPINE BESILATE|SALBUTAMOL|RAMIPRIL"
_TERMS, _DRUGS = _OF_MEDDRA.split("|"), _OF_WHO.split("|")


def _of_sdtm(name: str, values: Mapping[str, tuple], per_person: int = 2) -> list[dict]:
    """Rows of a domain: the columns' values in turn, from a generator that knows the file."""
    chance, rows = np.random.default_rng(sum(map(ord, name))), []
    for person in IDS:
        for number in range(per_person):
            row = {"STUDYID": "S1", "DOMAIN": name, "USUBJID": person, f"{name}SEQ": float(number + 1)}
            which = int(chance.integers(1000))
            rows.append(row | {key: texts[which % len(texts)] for key, texts in values.items()})
    return rows


_SDTM = {
    "PE": {"PETESTCD": ("HEAD", "SKIN"), "PETEST": ("Head", "Skin"), "PECAT": ("GENERAL",),
           "PEORRES": ("NORMAL", "NORMAL", "ABNORMAL"), "VISIT": ("SCREENING 1", "WEEK 2", "WEEK 4", "WEEK 8")},
    "LB": {"LBTESTCD": ("ALT", "CHOL"), "LBTEST": ("Alanine Aminotransferase", "Cholesterol"),
           "LBORRES": tuple(str(n / 10) for n in range(31, 90)), "LBORRESU": ("U/L", "mg/dL"),
           "LBMETHOD": ("SPECTROPHOTOMETRY",)},
    "AE": {"AEDECOD": tuple(term.upper() for term in _TERMS), "AESEV": ("MILD", "MODERATE", "SEVERE"),
           "AEOUT": ("RECOVERED/RESOLVED", "NOT RECOVERED/NOT RESOLVED"),
           "AEBODSYS": ("CARDIAC DISORDERS", "EYE DISORDERS", "INVESTIGATIONS")},
    "MH": {"MHDECOD": tuple(_TERMS), "MHCAT": ("PRIMARY DIAGNOSIS",)},
    "CM": {"CMDECOD": tuple(_DRUGS), "CMROUTE": ("ORAL", "TOPICAL"), "CMDOSFRM": ("TABLET", "CREAM")},
    "DS": {"DSDECOD": ("COMPLETED", "ADVERSE EVENT", "LOST TO FOLLOW-UP"), "EPOCH": ("TREATMENT", "FOLLOW-UP")},
    "DM": {"ARM": ("Placebo", "High Dose"), "ARMCD": ("P", "H"), "SEX": ("F", "M")},
    "SUPPDM": {"RDOMAIN": ("DM",), "QNAM": ("ITTFL", "SAFFL"), "QLABEL": ("Intent to Treat", "Safety Population"),
               "QVAL": ("Y", "N"), "QORIG": ("DERIVED",)},
}  # fmt: skip
SDTM_COLUMNS = (
    ("PE", "PEORRES"), ("PE", "PECAT"), ("PE", "VISIT"), ("LB", "LBORRES"), ("LB", "LBORRESU"), ("LB", "LBTEST"),
    ("LB", "LBMETHOD"), ("AE", "AEDECOD"), ("AE", "AEOUT"), ("AE", "AEBODSYS"), ("MH", "MHDECOD"), ("CM", "CMDECOD"),
    ("CM", "CMDOSFRM"), ("DS", "DSDECOD"), ("DS", "EPOCH"), ("DM", "ARM"), ("SUPPDM", "QVAL"), ("SUPPDM", "QLABEL"),
)  # fmt: skip


def sdtm_study() -> PlantedStudy:
    """A made SDTM study of 120 people."""
    files = {name: _of_sdtm(name, values, 1 if name == "DM" else 2) for name, values in _SDTM.items()}
    return PlantedStudy(files, SDTM_COLUMNS, "sdtm")


_PLAIN = {
    "KRANKENBLATT": {
        "Diagnose": ("Hypertonie", "Diabetes mellitus Typ 2", "Asthma bronchiale", "Gonarthrose"),
        "ICD": ("I10", "E11.9", "J45.0", "M17.1"), "Befund Code": ("opB", "unauff", "path"),
        "Raucher": ("ja", "nein"), "Status": ("stabil", "gebessert", "verschlechtert"),
        "Einheit": ("mg/dl", "mmol/l"), "Besuch": ("Visite 1", "Visite 2"), "CRP": ("1.2", "3.4", "0.8", "12.1"),
    }
}  # fmt: skip
PLAIN_COLUMNS = tuple(("KRANKENBLATT", name) for name in _PLAIN["KRANKENBLATT"])


def plain_study() -> PlantedStudy:
    """A German export of 120 people with four rows each, in one plain table."""
    columns = ("USUBJID", *_PLAIN["KRANKENBLATT"])
    rows = [{key: row[key] for key in columns} for row in _of_sdtm("KRANKENBLATT", _PLAIN["KRANKENBLATT"], 4)]
    return PlantedStudy({"KRANKENBLATT": rows}, PLAIN_COLUMNS, "flat")
