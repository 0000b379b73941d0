"""The words of the pilots' languages: headings, what is cut off of them, and values, by hand; what only looks alike."""

from __future__ import annotations

import pandas as pd

from study.concepts import CONCEPTS, concept_of
from study.headings import words_of
from study.models.column_roles import PlainTable
from study.models.roles import Role
from study.words import named_by_values, words_of_the_pilots, yes_and_no
from tests.cases import each
from tests.study.models.test_flat import table

LANGUAGES = {"en", "de", "el", "it", "fr", "es", "nl", "pt", "pl"}
# German, Greek, Italian, French, Spanish, Dutch, Portuguese, Polish, English, as exports write them.
IN_NINE_LANGUAGES = {
    "sex": "Geschl., Φύλο, sesso, Sexe, SEXO, geslacht, sexo, płeć, gender",
    "age": "Alter, ηλικία, età, âge, edad, leeftijd, idade, wiek, age_yrs",
    "a diagnosis": "Hauptdiagnose, Κύρια διάγνωση, diagnosi_principale, Diagnostic principal, DIAGNÓSTICO, "
    "hoofddiagnose, doença, rozpoznanie, hypertension",
    "occupation": "Beruf, επάγγελμα, professione, métier, profesión, beroep, profissão, zawód, work_type",
    "a habit": "Raucher, κάπνισμα, fumatore, tabagisme, fumador, rookstatus, fumante, palenie, smoking_status",
    "marital status": "Fam.-Stand, οικογενειακή κατάσταση, stato civile, état civil, estado civil, burgerlijke staat, "
    "estado conjugal, stan cywilny, ever_married",
}


@each(("concept", "heading"), [(name, one) for name, all_of in IN_NINE_LANGUAGES.items() for one in all_of.split(", ")])
def test_a_heading_of_each_language_is_understood(concept, heading):
    found = concept_of(heading)
    assert found is not None
    assert found.name == concept


@each(
    ("heading", "concept"),
    [
        ("GESCHLEC", "sex"),  # eight letters, as in old files of SAS
        ("Hauptdiagn.", "a diagnosis"),
        ("Körpergew.", "height or weight"),
        ("educat", "education"),
        ("koen", "sex"),  # without its letters
        ("Koerpergroesse", "height or weight"),
    ],
)
def test_a_heading_that_is_cut_off_or_spelled_otherwise_is_understood(heading, concept):
    found = concept_of(heading)
    assert found is not None
    assert found.name == concept


@each("heading", ["count", "stat.", "rel.", "Nr.", "Bem.", "test", "Wert1", "RR_syst", "person"])
def test_what_may_be_cut_off_of_several_words_or_of_none_is_nothing(heading):
    assert concept_of(heading) is None


@each(
    ("values", "concept"),
    [
        (["m", "w"], "sex"),
        (["M", "W", "D"], "sex"),
        (["Άνδρας", "Γυναίκα"], "sex"),
        (["ΑΝΔΡΑΣ", "ΓΥΝΑΙΚΑ"], "sex"),
        (["maschio", "femmina"], "sex"),
        (["homme", "femme"], "sex"),
        (["Hombre", "Mujer"], "sex"),
        (["V", "M"], "sex"),
        (["masculino", "feminino"], "sex"),
        (["K", "M"], "sex"),
        (["male", "female", "unknown"], "sex"),
        (["ledig", "verheiratet", "verwitwet"], "marital status"),
        (["never smoked", "formerly smoked", "smokes", "Unknown"], "a habit"),
        (["m", "km"], None),
        (["m"], None),
        (["m", "unbekannt"], None),
        (["ja", "nein"], None),
        (["homme", "mujer"], None),  # of two languages
        (["0", "1"], None),
        ([], None),
    ],
)
def test_what_the_values_say(values, concept):
    assert named_by_values(values) == concept


def test_a_column_of_sexes_is_known_under_any_heading_and_flags_in_every_language():
    frame = pd.DataFrame({"merkmal x": ["m", "w"] * 30, "q": ["sim", "não"] * 30, "r": ["Nej", "Ja"] * 30}, dtype="str")
    plain = PlainTable(table("X", frame), None)
    assert plain.role("merkmal x").role is Role.SEX
    assert plain.role("q").role is Role.FLAG
    assert plain.role("r").role is Role.FLAG


def test_the_file_has_every_language_and_names_its_sources():
    found = words_of_the_pilots()
    assert {name: set(languages) for name, languages in found["values"].items()} == dict.fromkeys(
        ("sex", "marital status", "a habit"), LANGUAGES
    )
    assert set(found["yes and no"]) >= LANGUAGES
    assert set(found["values"]) | {
        "headings",
        "roles",
        "rows",
        "names",
        "diagnoses",
        "missing",
        "yes and no",
        "examined",
        "beside",
        "results",
        "known",
        "legends",
        "trials",
    } == set(found["sources"])
    assert {"ja", "nein", "ναι", "όχι", "sì", "oui", "no", "nee", "não", "tak"} <= yes_and_no()
    assert not [word for one in CONCEPTS for word in one.words if word != words_of(word)]
