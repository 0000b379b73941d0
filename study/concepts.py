"""What the heading of a column says about its values, in several languages: a small table of the project's own."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from study.headings import words_of


class Part(Enum):
    """The part that a concept plays in a config."""

    KNOWN = "quasi-identifier"  # acquaintances know it
    SEEN = "seen"  # visible to anybody who meets the person
    SENSITIVE = "sensitive"


@dataclass(frozen=True)
class Concept:
    """What headings with one of these words name. ``words`` may be phrases; ``why`` is for people.

    Among columns of ``SENSITIVE`` concepts, the earlier in the table, the more sensitive.
    """

    name: str
    part: Part
    why: str
    words: tuple[str, ...]


def _concept(name: str, part: Part, why: str, words: str) -> Concept:
    return Concept(name, part, why, tuple(words_of(phrase) for phrase in words.split(",")))


# A heading counts as an age only with none but these words beside it: "age at death" is another matter.
_BESIDE_AGE = frozenset(
    words_of(
        "in at the of years year yrs y entry enrolment enrollment baseline admission inclusion visit patient subject "
        "pat der des bei jahre jahren años en al ans annees lata lat w έτη σε του години год в na i"
    ).split()
)

CONCEPTS: tuple[Concept, ...] = (
    _concept(
        "age",
        Part.KNOWN,
        "known to many",
        "age, alter, lebensalter, edad, wiek, ηλικία, възраст, âge, età, idade, leeftijd, vârsta",
    ),
    _concept(
        "year of birth",
        Part.KNOWN,
        "known to many, like the age",
        "year of birth, birth year, yob, geburtsjahr, jahrgang, año de nacimiento, rok urodzenia, έτος γέννησης, "
        "година на раждане, année de naissance, anno di nascita, geboortejaar, ano de nascimento",
    ),
    _concept(
        "sex",
        Part.KNOWN,
        "seen by everybody",
        "sex, gender, geschlecht, sexo, género, genero, płeć, φύλο, пол, sexe, sesso, genre, geslacht",
    ),
    _concept(
        "race",
        Part.KNOWN,
        "seen by everybody",
        "race, ethnic, ethnicity, ethnic group, ethnic origin, ethnie, rasse, raza, etnia, rasa, etniczność, φυλή, "
        "εθνότητα, εθνοτική ομάδα, раса, етнос, етническа принадлежност, skin colour, skin color",
    ),
    _concept(
        "country",
        Part.KNOWN,
        "where a person comes from is known to many",
        "country, native country, country of birth, birth country, nationality, citizenship, geburtsland, "
        "herkunftsland, land, staat, staatsangehörigkeit, nationalität, país, pais, nacionalidad, kraj, "
        "narodowość, obywatelstwo, χώρα, υπηκοότητα, εθνικότητα, държава, страна, гражданство, националност, "
        "pays, nationalité, paese, nazionalità, cittadinanza",
    ),
    _concept(
        "place",
        Part.KNOWN,
        "where a person lives is known to many, and is in registers",
        "postcode, postal code, post code, zip, zipcode, zip code, plz, postleitzahl, código postal, cp, "
        "kod pocztowy, ταχυδρομικός κώδικας, τκ, пощенски код, code postal, cap, region, district, county, state, "
        "province, city, town, municipality, village, residence, urban, rural, bundesland, landkreis, kreis, ort, "
        "wohnort, stadt, gemeinde, bezirk, región, provincia, ciudad, municipio, distrito, localidad, comuna, "
        "województwo, powiat, gmina, miasto, miejscowość, περιοχή, περιφέρεια, νομός, δήμος, πόλη, κατοικία, "
        "τόπος κατοικίας, νομος, област, община, град, населено място, регион, район, région, département, ville, "
        "commune, regione, comune, città",
    ),
    _concept(
        "education",
        Part.KNOWN,
        "known to acquaintances",
        "education, schooling, education level, school years, bildung, schulabschluss, bildungsabschluss, "
        "ausbildung, educación, estudios, nivel de estudios, escolaridad, wykształcenie, εκπαίδευση, μόρφωση, "
        "μορφωτικό επίπεδο, образование, éducation, niveau d etudes, istruzione, titolo di studio",
    ),
    _concept(
        "marital status",
        Part.KNOWN,
        "known to acquaintances",
        "marital, marital status, civil status, married, familienstand, estado civil, stan cywilny, "
        "οικογενειακή κατάσταση, семейно положение, семеен статус, état civil, situation familiale, stato civile",
    ),
    _concept(
        "occupation",
        Part.KNOWN,
        "known to acquaintances",
        "occupation, job, profession, workclass, work class, employment, employment status, employer, beruf, "
        "tätigkeit, arbeitgeber, profesión, ocupación, empleo, zawód, zatrudnienie, επάγγελμα, εργασία, професия, "
        "заетост, métier, professione, occupazione",
    ),
    _concept(
        "religion",
        Part.KNOWN,
        "known to acquaintances",
        "religion, konfession, religión, wyznanie, θρήσκευμα, θρησκεία, религия, вероизповедание, religione",
    ),
    _concept(
        "language",
        Part.KNOWN,
        "heard by everybody",
        "language, mother tongue, sprache, muttersprache, idioma, język, γλώσσα, μητρική γλώσσα, език, langue, lingua",
    ),
    _concept(
        "body mass index",
        Part.KNOWN,
        "seen by everybody, roughly",
        "bmi, body mass index, imc, δμσ, δείκτης μάζας σώματος, итм, индекс на телесна маса",
    ),
    _concept(
        "height or weight",
        Part.SEEN,
        "seen by everybody, roughly",
        "height, weight, body weight, wtkg, htcm, größe, körpergröße, gewicht, körpergewicht, altura, talla, peso, "
        "wzrost, waga, masa ciała, ύψος, βάρος, ръст, тегло, taille, poids, altezza, hair colour, eye colour",
    ),
    _concept(
        "a stigma",
        Part.SENSITIVE,
        "could harm a person who is found",
        "hiv, aids, homo, sexual orientation, drugs, drug use, substance abuse, alcohol, psychiatric, suicide, "
        "abortion",
    ),
    _concept(
        "a diagnosis",
        Part.SENSITIVE,
        "a diagnosis is known only to the person and the doctor",
        "diagnosis, diagnoses, disease, heart disease, icd, icd10, condition, comorbidity, diagnose, erkrankung, "
        "krankheit, diagnóstico, enfermedad, rozpoznanie, choroba, διάγνωση, νόσος, ασθένεια, диагноза, "
        "заболяване, diagnostic, maladie, diagnosi, malattia",
    ),
    _concept(
        "an income",
        Part.SENSITIVE,
        "what a person earns is private",
        "income, salary, salary class, wage, einkommen, gehalt, ingresos, salario, dochód, wynagrodzenie, "
        "εισόδημα, μισθός, доход, заплата, revenu, salaire, reddito",
    ),
    _concept(
        "a laboratory result",
        Part.SENSITIVE,
        "a laboratory result is known only to the person and the doctor",
        "cholesterol, total cholesterol, χοληστερόλη, χοληστερίνη, холестерол, cholesterin, colesterol, "
        "cholestérol, glucose, γλυκόζη, glukose, glucosa, glukoza, глюкоза, hba1c, hemoglobin a1c, creatinine, "
        "κρεατινίνη, kreatinin, creatinina, kreatynina, креатинин, hemoglobin, haemoglobin, αιμοσφαιρίνη, "
        "hämoglobin, hemoglobina, хемоглобин, triglycerides, psa, crp, cd4, cd40, viral load",
    ),
)

LABORATORY_RESULT = next(concept for concept in CONCEPTS if concept.name == "a laboratory result")


def concept_of(heading: str) -> Concept | None:
    """The concept that a heading names; None if it contains no word of the table.

    The words of a phrase have to be in it whole and side by side; the longest phrase decides, then the table's
    order.
    """
    words = words_of(heading)
    found = [
        (len(phrase), concept)
        for concept in CONCEPTS
        for phrase in concept.words
        if f" {phrase} " in f" {words} " and _means(concept, phrase, words)
    ]
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _means(concept: Concept, phrase: str, words: str) -> bool:
    return concept.name != "age" or set(words.split()) - {phrase} <= _BESIDE_AGE


def rank_of(concept: Concept, heading: str) -> tuple[int, int]:
    """Place of the concept in the table, and of the heading's word in the concept: earlier is more likely meant."""
    words = f" {words_of(heading)} "
    places = (place for place, phrase in enumerate(concept.words) if f" {phrase} " in words)
    return CONCEPTS.index(concept), next(places, len(concept.words))
