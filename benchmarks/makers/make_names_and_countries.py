"""Write the data files of first names and of countries, from the lists of two packages that the tool does not need.

    pip install faker babel
    python benchmarks/makers/make_names_and_countries.py

- ``disclosure_control/identifiers/first_names.json``: the first names of Faker (MIT licence), whose lists are of public
  registers and statistics, in the languages of Europe and of those who moved there; folded, as headings are. Words that
  texts of medicine have as well are left out, and so are short names of one language alone.
- ``study/countries.json``: the names of countries in Unicode CLDR (Unicode licence), as Babel has them, in the
  languages of the European Union and its neighbours, by their ISO 3166-1 codes.

Each run with the same versions of the packages writes the same bytes.
"""

from __future__ import annotations

import importlib
import json
from importlib import metadata
from pathlib import Path
from typing import Any

from disclosure_control.basics.column_names import folded

PROJECT = Path(__file__).parents[2]
NAMED_IN = """
ar_AA ar_DZ az_AZ bg_BG cs_CZ da_DK de_AT de_CH de_DE el_GR en_GB en_IE en_IN en_KE en_NG en_US es_AR es_ES es_MX
et_EE fi_FI fr_BE fr_CH fr_DZ fr_FR ga_IE hi_IN hr_HR hu_HU id_ID it_IT lt_LT lv_LV mk_MK nl_BE nl_NL no_NO pl_PL pt_BR
pt_PT ro_RO ru_RU sk_SK sl_SI sv_SE sw tr_TR uk_UA vi_VN
""".split()  # noqa: SIM905
COUNTRIES_IN = """
bg bs ca cs cy da de el en es et eu fi fr ga gl hr hu is it lb lt lv mk mt nl nb pl pt ro ru sk sl sq sr sv tr uk
""".split()  # noqa: SIM905
# Words of texts and places that are names as well; diseases, signs, scales and operations are called after people.
NOT_NAMES = """
america aura canal kelvin vera alba regina sella virginia china israel jordan delta sierra
addison allen allison barrett barthel beck bell bennett borg bowen braden bristol brown child collins crohn eaton
ellison gardner gilbert glasgow graham gunn hamilton holmes howell hunt hunter huntington hutchinson jackson jefferson
jones kelly kelley lambert lawrence lewis lynch mallory marcus morgan morse morton murphy noonan norton osgood paget
parkinson potter ramsay rankin richmond sheehan smith stanford still tanner treacher turner wade weber white whipple
williams willis wilson
angel constant daisy faith flora grace guy hope iris ivy jade joy max olive rose ruby victor violet
""".split()  # noqa: SIM905
# The most common ones where the pilots are, as written in Latin, Greek and Cyrillic letters.
OF_THE_PILOTS = """
James John Robert Michael William David Thomas Charles Mary Patricia Jennifer Linda Elizabeth Susan Sarah Emma Emily
Hans Peter Klaus Wolfgang Jürgen Stefan Andreas Ursula Monika Sabine Petra Anna Heike Karin Julia Lukas José Juan
Carlos Luis Miguel Antonio Javier María Carmen Josefa Isabel Ana Laura Lucía Pilar Pablo Jan Andrzej Piotr Krzysztof
Tomasz Paweł Marek Maria Katarzyna Małgorzata Agnieszka Barbara Ewa Zofia Jakub Ivan Georgi Dimitar Nikola Petar Todor
Stoyan Ivanka Elena Mariya Desislava Radka Stefka Иван Георги Димитър Никола Петър Тодор Стоян Иванка Елена Мария
Десислава Радка Стефка Надежда Александър Калина Александр Сергей Дмитрий Алексей Андрей Ольга Наталья Татьяна Ирина
Светлана Γιώργος Γεώργιος Δημήτρης Δημήτριος Κώστας Κωνσταντίνος Γιάννης Ιωάννης Νίκος Νικόλαος Παναγιώτης Βασίλης
Μαρία Ελένη Κατερίνα Αικατερίνη Βασιλική Σοφία Αγγελική Γεωργία Δήμητρα Αναστασία Χρήστος Ευάγγελος Παρασκευή Giorgos
Georgios Dimitris Dimitrios Kostas Konstantinos Giannis Ioannis Nikos Nikolaos Panagiotis Eleni Katerina Vasiliki
Sofia Angeliki Christos Jean Pierre Michel Philippe Nicolas Marie Nathalie Isabelle Sylvie Catherine François Giuseppe
Giovanni Mario Luigi Francesco Paolo Giulia Francesca Chiara Rosa Johannes Willem Pieter Lars Anders Erik Karl Ingrid
Astrid Kirsten João Manuel Mihai Andrei Ioana Mehmet Mustafa Fatma Ayşe Ahmed Mohamed Fatima Ali
""".split()  # noqa: SIM905
SHORT, LEAST_LANGUAGES_OF_SHORT = 3, 2
COMMON, LANGUAGES_OF_COMMON = "common", 6  # names that are hardly a word of any language


def _of_study(name: str) -> Any:
    """A module of the study: benchmarks stand beside the rooms and import none of it otherwise."""
    return importlib.import_module(f"study.{name}")


def first_names() -> dict[str, int]:
    """The names of all languages, folded, sorted, and how many languages have each."""
    found: dict[str, set[str]] = {}
    for locale in NAMED_IN:
        provider: Any = importlib.import_module(f"faker.providers.person.{locale}").Provider
        lists = [getattr(provider, name) for name in dir(provider) if name.startswith("first_name")]
        for names in lists:
            for name in names if isinstance(names, dict | tuple | list) else ():
                if str(name).isalpha():
                    found.setdefault(folded(str(name)), set()).add(locale[:2])
    medicine = _of_study("models.standard_words").words_of_medicine()
    known = {folded(word) for word in _of_study("words").words_of_headings()} | {*NOT_NAMES}
    return {
        name: len(languages)
        for name, languages in sorted(found.items())
        if name not in known and name not in medicine
        if len(name) > SHORT or (len(name) == SHORT and len(languages) >= LEAST_LANGUAGES_OF_SHORT)
    }


def countries() -> dict[str, list[str]]:
    """The names of each country in all languages, as ``words_of`` gives them, by its code."""
    from babel import Locale

    words_of = _of_study("headings").words_of
    found: dict[str, set[str]] = {}
    for language in COUNTRIES_IN:
        for code, name in Locale(language).territories.items():
            if len(code) == 2 and code.isalpha() and code not in ("EU", "EZ", "UN", "QO", "ZZ", "XA", "XB"):
                found.setdefault(code, set()).add(words_of(name))
    return {code: sorted(names) for code, names in sorted(found.items())}


def main() -> None:
    names, about_names = first_names(), f"Faker {metadata.version('faker')} (MIT licence)"
    by_letter: dict[str, list[str]] = {}
    for name in names:
        by_letter.setdefault(name[0], []).append(name)
    _write(
        PROJECT / "disclosure_control" / "identifiers" / "first_names.json",
        "First names, folded; made by benchmarks/makers/make_names_and_countries.py.",
        about_names,
        {
            COMMON: " ".join(
                sorted({*map(folded, OF_THE_PILOTS), *(n for n, k in names.items() if k >= LANGUAGES_OF_COMMON)})
            )
        }
        | {letter: " ".join(some) for letter, some in sorted(by_letter.items())},
    )
    _write(
        PROJECT / "study" / "countries.json",
        "Names of countries by ISO 3166-1 code; made by benchmarks/makers/make_names_and_countries.py.",
        f"Unicode CLDR (Unicode licence), by Babel {metadata.version('babel')}",
        {code: "; ".join(of_code) for code, of_code in countries().items()},
    )


def _write(path: Path, about: str, source: str, words: dict[str, str]) -> None:
    content = json.dumps({"about": about, "source": source, "words": words}, ensure_ascii=False, indent=1)
    path.write_text(content + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
