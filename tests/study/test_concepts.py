"""Headings in several languages: what they say, and what only looks alike."""

from __future__ import annotations

from study.concepts import CONCEPTS, concept_of
from tests.cases import each

# By concept, one heading for each of English, Greek, German, Spanish, Polish and Bulgarian, in different writings.
HEADINGS = {
    "age": ["AGE", "Ηλικία", "Alter", "EDAD", "wiek", "Възраст"],
    "sex": ["gender", "ΦΥΛΟ", "Geschlecht", "Sexo", "Płeć", "пол", "koen", "kon"],
    "race": ["EthnicGroup", "φυλή", "Ethnie", "raza", "Rasa", "раса"],
    "country": ["native-country", "ΧΩΡΑ", "Geburtsland", "país", "Obywatelstwo", "Държава"],
    "place": ["District of Permanent Address", "Ταχυδρομικός Κώδικας", "PLZ", "Código_Postal", "MIEJSCOWOŚĆ", "град"],
    "education": [
        "Level of Education Attained",
        "Εκπαίδευση",
        "Schulabschluss",
        "nivelDeEstudios",
        "wykształcenie",
        "Образование",
    ],
    "marital status": [
        "Marital Status",
        "ΟΙΚΟΓΕΝΕΙΑΚΗ ΚΑΤΑΣΤΑΣΗ",
        "Familienstand",
        "estado civil",
        "stan_cywilny",
        "Семейно положение",
    ],
    "occupation": ["Occupation", "Επάγγελμα", "BERUF", "profesión", "zawód", "Професия"],
    "body mass index": ["BMI", "ΔΜΣ", "bmi", "IMC", "Bmi", "ИТМ"],
    "height or weight": ["Weight", "Βάρος", "Größe", "peso", "Wzrost", "Тегло"],
    "a diagnosis": ["HeartDisease", "Διάγνωση", "Erkrankung", "Diagnóstico", "ROZPOZNANIE", "Диагноза"],
    "an income": ["salary-class", "Εισόδημα", "Einkommen", "ingresos", "dochód", "Заплата"],
    "a laboratory result": ["Total Cholesterol", "Χοληστερόλη", "Kreatinin", "Glucosa", "Hemoglobina", "Холестерол"],
    "year of birth": [
        "YearOfBirth",
        "Έτος γέννησης",
        "Geburtsjahr",
        "Año de nacimiento",
        "rok urodzenia",
        "година на раждане",
    ],
}
OTHERS = [
    "age at death",
    "how old is the implant",
    "Q1 age of the mother",
    "AGEU",
    "passage",
    "message",
    "sextant",
    "ChestPainType",
    "strat",
    "racecourse",
    "count",
    "ARM",
    "VISIT",
    "karnof",
    "",
    "   ",
    "123",
    "Αγάπη",
    "z30",
]


@each(
    "heading",
    ["anchor_age", "AGE_IN_YEARS_NUM", "G1Q2. How old are you?", "Q3 Age", "Věk pacienta", "Wiek pacjenta"],
)
def test_an_age_in_the_words_of_an_export_or_a_question_is_an_age(heading):
    assert concept_of(heading) is CONCEPTS[0]


@each(
    ("concept", "heading"),
    [
        ("race", "HISPANIC"),
        ("sex", "Pohlaví"),
        ("place", "PSČ"),
        ("place", "CEP"),
        ("occupation", "Povolání"),
        ("education", "Vzdělání"),
        ("height or weight", "Hmotnost"),
        ("height or weight", "hoejde"),
        ("height or weight", "Koerpergroesse"),
        ("marital status", "Rodinný stav"),
    ],
)
def test_headings_of_czech_registers_and_of_pcornet(concept, heading):
    assert concept_of(heading).name == concept


@each("heading", ["Demography Age", "Patient characteristics age (years)", "Dati anagrafici età", "Stammdaten Alter"])
def test_an_age_below_a_group_of_headings_is_an_age(heading):
    assert concept_of(heading) is CONCEPTS[0]


@each(("concept", "heading"), [(name, one) for name, all_of in HEADINGS.items() for one in all_of])
def test_a_heading_is_understood_in_every_language(concept, heading):
    found = concept_of(heading)
    assert found is not None
    assert found.name == concept


@each("heading", OTHERS)
def test_what_only_looks_alike_is_nothing(heading):
    assert concept_of(heading) is None


def test_accents_and_capitals_make_no_difference():
    assert concept_of("ΗΛΙΚΊΑ") is concept_of("ηλικια") is concept_of("Age (years)") is concept_of("âge")


def test_every_concept_with_a_part_in_the_config_is_tried_here():
    assert set(HEADINGS) <= {concept.name for concept in CONCEPTS}


def test_no_phrase_stands_in_two_concepts():
    phrases = [phrase for concept in CONCEPTS for phrase in set(concept.words)]
    assert len(phrases) == len(set(phrases))
