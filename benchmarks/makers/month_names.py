"""Makes ``study/formats/months.json``: the names of the months in the languages of Europe, from Unicode CLDR.

python benchmarks/makers/month_names.py     with Babel installed (pip install babel), which carries the CLDR data

Each name is folded as headings are: small letters, no accents. Names in Greek and Cyrillic letters stand in Latin ones
too, as people write them on a keyboard without. Of a long name its first three letters are a short form where no other
month begins so.
"""

from __future__ import annotations

import json
from pathlib import Path

import babel
from babel.dates import get_month_names

from disclosure_control.basics.column_names import folded

FILE = Path(__file__).parents[2] / "study" / "formats" / "months.json"
# Languages of the EU, of the EEA, and of its neighbours.
LANGUAGES = (
    *("bg", "cs", "da", "de", "de_AT", "el", "en", "es", "et", "fi", "fr", "ga", "hr", "hu", "it", "lt", "lv", "mt"),
    *("nl", "pl", "pt", "ro", "sk", "sl", "sv", "is", "nb", "nn", "lb", "ca", "eu", "gl", "sq", "mk", "sr", "sr_Latn"),
    *("bs", "uk", "ru", "tr", "cy"),
)
# The Streamlined System of Bulgaria's law on transliteration (2009); ISO 843 and ELOT 743 for Greek.
LATIN = {
    **dict(zip("абвгдезийклмнопрстуфъьѓјљњќџџіїєёы", "abvgdeziyklmnoprstufay", strict=False)),
    **{"ж": "zh", "х": "h", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "sht", "ю": "yu", "я": "ya", "ј": "j", "і": "i"},
    **dict(zip("αβγδεζηικλμνξοπρσςτυφω", "avgdeziiklmnxoprsstyfo", strict=True)),
    **{"θ": "th", "χ": "ch", "ψ": "ps", "є": "ye", "ё": "e", "ы": "y", "ь": ""},
}
# Beside CLDR: what its short forms leave out.
FURTHER = {"en": {9: ("sept",)}, "el": {5: ("mai",), 8: ("aug",)}, "de": {1: ("jänner", "jän"), 3: ("mrz", "maerz")}}
# The case that a date has them in, where CLDR has another one alone.
OF_A_DATE = {
    "sl": "januarja februarja marca aprila maja junija julija avgusta septembra oktobra novembra decembra",
    "sr": "јануара фебруара марта априла маја јуна јула августа септембра октобра новембра децембра",
    "sr_Latn": "januara februara marta aprila maja juna jula avgusta septembra oktobra novembra decembra",
    "bs": "januara februara marta aprila maja juna jula augusta septembra oktobra novembra decembra",
    "lv": "janvārī februārī martā aprīlī maijā jūnijā jūlijā augustā septembrī oktobrī novembrī decembrī",
}
FURTHER |= {
    language: {month: (name,) for month, name in enumerate(names.split(), 1)} for language, names in OF_A_DATE.items()
}
FURTHER["hr"] = {11: ("studenog",)}


def names_of(language: str) -> list[set[str]]:
    """The names of the twelve months of a language, each with the forms that CLDR has, and those in Latin letters."""
    forms: list[set[str]] = [set(map(folded, FURTHER.get(language, {}).get(month, ()))) for month in range(1, 13)]
    for width in ("wide", "abbreviated"):
        for context in ("format", "stand-alone"):
            for month, name in get_month_names(width, context, language).items():
                forms[month - 1].add(folded(name).removeprefix("de ").removeprefix("d ").replace(" ", ""))
    latin = [{"".join(LATIN.get(letter, letter) for letter in name) for name in found} for found in forms]
    both = zip(forms, latin, strict=True)
    return [{name for name in (*one, *other) if len(name) >= 3 and name.isalpha()} for one, other in both]


def beginnings(forms: list[set[str]], taken: dict[str, set[int]]) -> list[set[str]]:
    """The first three letters of the names of each month, unless another month has them in any language."""
    begun = [{name[:3] for name in names} for names in forms]
    found = []
    for month, names in enumerate(begun):
        others = set().union(*(begun[other] for other in range(12) if other != month))
        found.append({name for name in names - others if taken.get(name, {month}) == {month}})
    return found


def main() -> None:
    """Write the file."""
    named = {language: names_of(language) for language in LANGUAGES}
    taken: dict[str, set[int]] = {}
    for forms in named.values():
        for month, names in enumerate(forms):
            for name in names:
                taken.setdefault(name, set()).add(month)
    made = {
        language: [" ".join(sorted(both[0] | both[1])) for both in zip(forms, beginnings(forms, taken), strict=True)]
        for language, forms in named.items()
    }
    contents = {
        "source": "Unicode CLDR, month names of the Gregorian calendar, wide and abbreviated, by Babel "
        f"{babel.__version__}; Unicode License v3, https://www.unicode.org/license.txt. Made by "
        "benchmarks/makers/month_names.py.",
        "months": made,
    }
    FILE.write_text(json.dumps(contents, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
