"""Write LINKAGE_DEMO, a pilot of 1,000 people and the identified table that an attacker may hold. All are invented.

    python benchmarks/makers/make_linkage_demo.py

LINKAGE_DEMO/DM.csv, LB.csv                   what the pilot holds: pseudonyms instead of names
LINKAGE_DEMO/identified/register.csv          names, sex, postal code, age of the 1,000 people and of 250 others;
                                              the controller alone can say who is who (USUBJID)

Seeded: each run writes the same bytes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

SEED = 6
N_PEOPLE, N_OTHERS = 1_000, 250
N_POSTAL_CODES = 1_700
FIRST_NAMES = {
    "F": [
        "Aris",
        "Bela",
        "Cleo",
        "Dora",
        "Elba",
        "Fenna",
        "Gala",
        "Hedda",
        "Ilka",
        "Juno",
        "Kaia",
        "Lida",
        "Mara",
        "Nele",
        "Olla",
        "Pia",
        "Runa",
        "Sina",
        "Thea",
        "Ulla",
    ],
    "M": [
        "Adan",
        "Boro",
        "Caio",
        "Dino",
        "Egon",
        "Falk",
        "Gero",
        "Hajo",
        "Ivar",
        "Jori",
        "Karl",
        "Levi",
        "Milo",
        "Nino",
        "Odin",
        "Pavo",
        "Remo",
        "Sven",
        "Timo",
        "Udo",
    ],
}
SYLLABLES = [
    "bar",
    "den",
    "fal",
    "gor",
    "hem",
    "jal",
    "kor",
    "lin",
    "mar",
    "nol",
    "pur",
    "ros",
    "sel",
    "tam",
    "vor",
    "wen",
]
DIAGNOSES = ["HYPERTENSION", "DIABETES", "ASTHMA", "ARTHRITIS", "EPILEPSY", "MELANOMA"]
DIAGNOSIS_WEIGHTS = [0.34, 0.24, 0.18, 0.15, 0.06, 0.03]
DM_COLUMNS = ("USUBJID", "SEX", "AGE", "POSTCODE", "DIAGNOSIS")
REGISTER_COLUMNS = ("name", "sex", "postal_code", "age", "USUBJID")


def write_linkage_demo(folder: Path) -> None:
    """Write ``LINKAGE_DEMO/`` below ``folder``, over what an earlier run wrote."""
    rng = np.random.default_rng(SEED)
    people = _people(rng, N_PEOPLE + N_OTHERS)
    inside = people[:N_PEOPLE]
    for number, place in enumerate(rng.permutation(N_PEOPLE), start=1):
        inside[place]["USUBJID"] = f"LINK-{number:04d}"
    pilot = folder / "LINKAGE_DEMO"
    (pilot / "identified").mkdir(parents=True, exist_ok=True)
    by_subject = sorted(inside, key=lambda person: person["USUBJID"])
    _write(pilot / "DM.csv", DM_COLUMNS, by_subject)
    _write(pilot / "LB.csv", ("USUBJID", "Cholesterol"), by_subject)
    register = [people[place] for place in rng.permutation(len(people))]
    _write(pilot / "identified" / "register.csv", REGISTER_COLUMNS, register)


def _people(rng: np.random.Generator, n_people: int) -> list[dict]:
    """People in a region of many postal codes, some of them larger than others."""
    size = rng.lognormal(0, 0.5, N_POSTAL_CODES)
    codes = rng.choice(np.arange(10_000, 10_000 + N_POSTAL_CODES), n_people, p=size / size.sum())
    people, names = [], set()
    for code in codes:
        sex = str(rng.choice(["F", "M"]))
        age = int(np.clip(round(rng.normal(52, 17)), 16, 96))
        name = _name(rng, sex)
        while name in names:
            name = _name(rng, sex)
        names.add(name)
        people.append(
            {
                "name": name,
                "sex": sex,
                "postal_code": str(code),
                "age": age,
                "USUBJID": "",
                "SEX": sex,
                "AGE": age,
                "POSTCODE": str(code),
                "DIAGNOSIS": str(rng.choice(DIAGNOSES, p=DIAGNOSIS_WEIGHTS)),
                "Cholesterol": int(np.clip(round(rng.normal(170 + 0.5 * age, 32)), 95, 330)),
            }
        )
    return people


def _name(rng: np.random.Generator, sex: str) -> str:
    family = "".join(str(part) for part in rng.choice(SYLLABLES, 3))
    return f"{rng.choice(FIRST_NAMES[sex])} {family.capitalize()}"


def _write(path: Path, columns: tuple[str, ...], rows: list[dict]) -> None:
    lines = [columns, *([row[name] for name in columns] for row in rows)]
    path.write_bytes("".join(",".join(map(str, line)) + "\n" for line in lines).encode("utf-8"))


if __name__ == "__main__":
    write_linkage_demo(Path(__file__).resolve().parents[2] / "pilot_report")
