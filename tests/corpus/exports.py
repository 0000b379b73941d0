"""Messy exports of hospitals, made from a seed: what is in them is known, so that the scan can be counted.

Each language gives four exports: with its own headings; under headings that say nothing; with identifiers within texts
and in the middle of columns; and as SDTM with identifiers in a domain that is not joined.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from tests.corpus.check_numbers import NATIONAL_IDS, card, iban, letters
from tests.corpus.people_words import Language

N_PEOPLE = 160


@dataclass(frozen=True)
class Export:
    """``tables`` by domain, all text; ``planted`` maps (domain, column) to the kind of identifier that it holds."""

    name: str
    tables: Mapping[str, pd.DataFrame]
    planted: Mapping[tuple[str, str], str]


@dataclass
class _Maker:
    language: Language
    rng: np.random.Generator
    style: int

    def __post_init__(self) -> None:
        start = np.datetime64("1935-01-01")
        self.born = start + self.rng.integers(0, 29_000, N_PEOPLE).astype("timedelta64[D]")
        self.first = self.pick(self.language.first)
        self.last = self.pick(self.language.last)
        self.admitted = np.datetime64("2022-01-03") + self.rng.integers(0, 700, N_PEOPLE).astype("timedelta64[D]")

    def pick(self, values: tuple[str, ...]) -> list[str]:
        return list(self.rng.choice(values, N_PEOPLE))

    def each(self, make: Callable[[], str]) -> list[str]:
        return [make() for _ in range(N_PEOPLE)]

    def number(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high))

    def filled(self, form: str) -> str:
        if form == "UK":
            return f"{letters(self.rng, 2)}{self.number(1, 20)} {self.number(1, 9)}{letters(self.rng, 2)}"
        if form == "NL":
            return f"{self.number(1000, 9999)} {letters(self.rng, 2)}"
        if form == "RO":
            return f"{self.number(10_000, 999_999):06d}"
        if form.endswith("{8}"):
            form = form[:-3] + "#" * 8
        return "".join(str(self.rng.integers(0, 10)) if letter == "#" else letter for letter in form)

    # ------------------------------------------------------------ what people are told by

    def ids(self, spelling: int) -> list[str]:
        order = self.rng.permutation(N_PEOPLE) + 1
        forms = ("H-{:04d}", "h_{}", " H {:03d} ")
        return [forms[spelling % 3].format(number) for number in order]

    def national_ids(self) -> list[str]:
        make = NATIONAL_IDS[self.language.national]
        return [make(self.rng, day) for day in self.born]

    def phones(self) -> list[str]:
        return self.each(lambda: self.filled(self.language.phone))

    def emails(self) -> list[str]:
        hosts = ("mail.example", "post.example.eu", "praxis-mitte.example", "gmail.example")
        return self.each(lambda: f"{letters(self.rng, 7).lower()}{self.number(1, 99)}@{self.rng.choice(hosts)}")

    def dates(self, days: np.ndarray, form: str | None = None) -> list[str]:
        form = form or self.language.date
        return [datetime.date.fromisoformat(str(day)).strftime(form) for day in days]

    def streets(self) -> list[str]:
        return [street.format(self.number(1, 180)) for street in self.pick(self.language.street)]

    def postcodes(self) -> list[str]:
        places = [self.filled(self.language.postcode) for _ in range(40)]
        return self.pick(tuple(places))

    # ------------------------------------------------------------ what tells nobody

    def measured(self, mean: float, spread: float, step: float = 1.0) -> list[str]:
        values = np.round(self.rng.normal(mean, spread, N_PEOPLE) / step) * step
        digits = 0 if step >= 1 else 1
        return [f"{value:.{digits}f}".replace(".", ",") for value in values]

    def ages(self) -> list[str]:
        return [str(2024 - int(str(day)[:4])) for day in self.born]

    def harmless(self) -> dict[str, list[str]]:
        return {
            "ward": self.pick(tuple(f"W{number}" for number in range(9))),
            "batch": self.pick(tuple(f"{self.number(10**9, 10**10)}" for _ in range(12))),
            "icd": self.pick(("I10", "E11.9", "J45.0", "E66.0", "I50.1", "G43.9", "E78.5")),
            "pressure": self.each(lambda: f"{self.number(11, 16)}0/{self.number(6, 10)}0"),
            "version": self.pick(("1.2.0.3", "1.2.1.0", "2.0.0.1")),
            "time": self.each(lambda: f"{self.number(7, 19):02d}:{self.number(0, 6)}0"),
            "drug": self.pick(("Metformin", "Ramipril", "Salbutamol", "Atorvastatin", "Bisoprolol", "Aspirin")),
        }


def plain(maker: _Maker, is_headed: bool) -> Export:
    """One table of people with everything that a registration desk writes down."""
    heading = dict(maker.language.headings)
    planted = {
        "surname": (maker.last, "person_name"),
        "first": (maker.first, "person_name"),
        "national_id": (maker.national_ids(), "national_id"),
        "phone": (maker.phones(), "phone"),
        "email": (maker.emails(), "email"),
        "birth": (maker.dates(maker.born), "birth_date"),
        "street": (maker.streets(), "address"),
        "postcode": (maker.postcodes(), "postcode"),
        "admission": (maker.dates(maker.admitted), "event_date"),
    }
    if not is_headed:  # surnames and first names in one column, as exports have them
        planted["surname"] = ([f"{a} {b}" for a, b in zip(maker.first, maker.last, strict=True)], "person_name")
        del planted["first"]
        if maker.language.postcode in ("####", "RO"):
            del planted["postcode"]  # four or six digits under V9 are four or six digits
    others = {
        "sex": maker.pick(("M", "F")),
        "age": maker.ages(),
        "diagnosis": maker.pick(maker.language.diagnosis),
        "city": maker.pick(maker.language.city),
        "cholesterol": maker.measured(190, 35),
    }
    names = [*planted, *others, *maker.harmless()]
    called = {name: heading.get(name, name) if is_headed else f"V{place}" for place, name in enumerate(names, 1)}
    columns = {name: values for name, (values, _) in planted.items()} | others | maker.harmless()
    table = {"USUBJID": maker.ids(maker.style), **{called[name]: values for name, values in columns.items()}}
    kinds = {("DM", called[name]): kind for name, (_, kind) in planted.items()}
    return Export("headed" if is_headed else "unheaded", {"DM": pd.DataFrame(table, dtype="str")}, kinds)


def in_text(maker: _Maker) -> Export:
    """Identifiers within notes and in the middle of columns of something else."""
    some = maker.rng.permutation(N_PEOPLE)
    note = maker.language.note
    names = [f"{maker.language.title}{name}" for name in maker.last]
    phones, emails, nationals = maker.phones(), maker.emails(), maker.national_ids()

    def scattered(usual: list[str], found: list[str], n: int) -> list[str]:
        values = list(usual)
        for row in some[:n]:
            values[row] = found[row]
        return values

    def texts(found: list[str], n: int = 25) -> list[str]:
        plain_notes = [note.format(f"({maker.number(1, 900)})") for _ in range(N_PEOPLE)]
        return scattered(plain_notes, [note.format(value) for value in found], n)

    usual = maker.pick(("OK", "see file", "-", "pending", "n/a"))
    columns = {
        "C1": (texts(names), "person_name"),
        "C2": (texts([f"tel. {phone}" for phone in phones]), "phone"),
        "C3": (texts(emails), "email"),
        "C4": (texts(nationals), "national_id"),
        "C5": (scattered(usual, emails, 12), "email"),
        "C6": (scattered(usual, nationals, 20), "national_id"),
        "C7": (
            maker.each(lambda: f"{maker.number(1, 255)}.{maker.number(60, 255)}.0.{maker.number(1, 9)}"),
            "ip_address",
        ),
        "C8": (scattered(usual, [f"https://portal.example/p/{n}" for n in some], 15), "web_address"),
        "C9": (maker.pick(maker.language.diagnosis), ""),
        "C10": (maker.measured(27, 4, 0.1), ""),
    }
    table = {"USUBJID": maker.ids(maker.style + 1), **{name: values for name, (values, _) in columns.items()}}
    kinds = {("DM", name): kind for name, (_, kind) in columns.items() if kind}
    return Export("in_text", {"DM": pd.DataFrame(table, dtype="str")}, kinds)


def sdtm(maker: _Maker) -> Export:
    """SDTM whose DM is clean but for its own numbers, and a domain of contacts that no merge joins."""
    ids = maker.ids(maker.style + 2)
    bare = [value.strip().lstrip("Hh-_ ") for value in ids]
    order = np.argsort([int(value) for value in bare])
    enrolled = np.empty(N_PEOPLE, dtype="datetime64[D]")
    enrolled[order] = np.sort(maker.admitted + np.arange(N_PEOPLE).astype("timedelta64[D]"))
    demographics = {
        "STUDYID": ["S1"] * N_PEOPLE,
        "DOMAIN": ["DM"] * N_PEOPLE,
        "USUBJID": ids,
        "SUBJID": bare,
        "SITEID": maker.pick(("01", "02", "03")),
        "AGE": maker.ages(),
        "SEX": maker.pick(("M", "F")),
        "ARM": maker.pick(("Placebo", "Active low dose", "Active high dose")),
        "COUNTRY": maker.pick(("GRC", "DEU", "BGR")),
        "BRTHDTC": maker.dates(maker.born, "%Y-%m-%d"),
        "OBS": [str(number) for number in maker.rng.permutation(N_PEOPLE) + 1001],
        "KIT": [f"K{number}" for number in maker.rng.permutation(90_000)[:N_PEOPLE] + 10_000],
    }
    latitude = maker.rng.normal(42.1, 0.4, N_PEOPLE)
    contacts = {
        "USUBJID": ids,
        "XCQ1": maker.each(lambda: iban(maker.rng)),
        "XCQ2": maker.each(lambda: card(maker.rng)),
        "XCQ3": [f"{value:.5f}, {24 + other:.5f}" for value, other in zip(latitude, latitude[::-1] / 50, strict=True)],
        "XCQ4": [f"{value:.6f}" for value in latitude],
        "XCQ5": [
            f"{maker.language.note.format('')} {maker.number(1, 999)} {city}"
            for city in maker.pick(maker.language.city)
        ],
        "XCQ6": maker.dates(maker.born, "%d%b%Y"),
        "XCQ7": [f"{last}, {first}" for first, last in zip(maker.first, maker.last, strict=True)],
    }
    events = sdtm_events(maker, ids)
    planted = {
        **{("DM", "SUBJID"): "subject_id", ("DM", "BRTHDTC"): "birth_date", ("DM", "OBS"): "unique_code"},
        **{("DM", "KIT"): "unique_code", ("XC", "XCQ1"): "bank_account", ("XC", "XCQ2"): "card_number"},
        **{("XC", "XCQ3"): "coordinates", ("XC", "XCQ4"): "coordinates", ("XC", "XCQ5"): "free_text"},
        **{("XC", "XCQ6"): "birth_date", ("XC", "XCQ7"): "person_name", ("AE", "AESPID"): "subject_id"},
    }
    ordered = pd.DataFrame({"USUBJID": ids, "SVQ1": [str(day) for day in enrolled]}, dtype="str")
    planted[("SV", "SVQ1")] = "same_order"
    tables = {"DM": demographics, "XC": contacts, "AE": events}
    return Export(
        "sdtm", {**{name: pd.DataFrame(table, dtype="str") for name, table in tables.items()}, "SV": ordered}, planted
    )


def sdtm_events(maker: _Maker, ids: list[str]) -> dict[str, list[str]]:
    """A long domain with coded terms, visits and results, and the subject's id in a sponsor's number."""
    who = np.sort(maker.rng.integers(0, N_PEOPLE, 3 * N_PEOPLE))
    terms = (
        "HEADACHE",
        "APPLICATION SITE PRURITUS",
        "UPPER RESPIRATORY TRACT INFECTION",
        "NAUSEA",
        "DIZZINESS",
        "RASH",
    )
    n = len(who)
    start = np.datetime64("2022-06-01") + maker.rng.integers(0, 400, n).astype("timedelta64[D]")
    return {
        "USUBJID": [ids[row] for row in who],
        "AESEQ": [str(number % 5 + 1) for number in range(n)],
        "AESPID": [f"AE-{ids[row].strip()}-{number}" for number, row in enumerate(who)],
        "AETERM": list(maker.rng.choice(terms, n)),
        "AEDECOD": list(maker.rng.choice(maker.language.diagnosis, n)),
        "VISIT": list(maker.rng.choice(("SCREENING", "WEEK 2", "WEEK 4"), n)),
        "VISITNUM": list(maker.rng.choice(("1", "2", "2.1"), n)),
        "AESTDTC": [str(day) for day in start],
        "AESTDY": [str(number) for number in maker.rng.integers(1, 400, n)],
        "LBORRES": [f"{value:.1f}".replace(".", ",") for value in maker.rng.normal(5, 1, n)],
    }


def exports(languages: Mapping[str, Language], seed: int) -> list[Export]:
    """Four exports for each language; equal seeds give equal exports."""
    made = []
    for place, (name, language) in enumerate(languages.items()):
        makes = (lambda m: plain(m, True), lambda m: plain(m, False), in_text, sdtm)
        for style, make in enumerate(makes):
            export = make(_Maker(language, np.random.default_rng([seed, place, style]), style + place))
            made.append(Export(f"{name}_{export.name}", export.tables, export.planted))
    return made
