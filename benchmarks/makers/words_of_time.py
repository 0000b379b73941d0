"""Makes the words for units of time in ``study/merge/units.json``: in the languages of Europe, from Unicode CLDR.

python benchmarks/makers/words_of_time.py     with Babel installed (pip install babel), which carries the CLDR data

Words of one letter, and words that are two units in two languages, stay as the file has them.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import babel
from month_names import LANGUAGES

FILE = Path(__file__).parents[2] / "study" / "merge" / "units.json"
ABOUT = (
    "How much one of a unit is, in the usual one of its kind: years, kilograms, centimetres. The project's own, from "
    "the definitions of the SI and of the international yard and pound (1959). Words for units of time also from "
    "Unicode CLDR, by Babel {}; Unicode License v3, https://www.unicode.org/license.txt. Made by "
    "benchmarks/makers/words_of_time.py."
)
IN_YEARS = {"year": 1, "month": 1 / 12, "week": 7 / 365.25, "day": 1 / 365.25, "hour": 1 / 24 / 365.25}
# Beside CLDR: cases that stand without a number.
FURTHER = {"year": ("leta", "roků", "éves"), "month": ("hónapos", "mesiacoch"), "week": ("týždni",)}
# Words that are others in English.
AVOIDED = {"any", "time", "timer", "sat", "dies", "mount"}


def words_of(unit: str) -> set[str]:
    """The words for a unit of time with a number before them, in small letters."""
    found = set(FURTHER.get(unit, ()))
    for language in LANGUAGES:
        patterns = babel.Locale.parse(language)._data["unit_patterns"][f"duration-{unit}"]
        texts = [text for text in patterns["long"].values() if isinstance(text, str) and text.startswith("{0}")]
        words = (text.removeprefix("{0}").strip().casefold() for text in texts)
        found |= {word for word in words if re.fullmatch(r"[^\W\d_]{2,}", word)}
    return found - AVOIDED


def main() -> None:
    """Write the file."""
    contents = json.loads(FILE.read_text(encoding="utf-8"))
    stands = contents["time"]
    words = {unit: words_of(unit) for unit in IN_YEARS}
    for unit, years in IN_YEARS.items():
        others = set().union(*(found for other, found in words.items() if other != unit))
        stands |= {word: round(years, 12) for word in sorted(words[unit] - others) if word not in stands}
    contents["about"] = ABOUT.format(babel.__version__)
    lines = [f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in contents.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
