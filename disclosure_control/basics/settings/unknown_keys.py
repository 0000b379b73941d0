"""Keys that a config may not have: those that are gone, with what to use instead, and those that never were."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from disclosure_control.basics.telling.faults import nearest_name

# By the place of a key that an earlier version read: what to use instead.
GONE: Final = {
    "context['catalogue']": "describe the dataset with the editor of the catalogue",
    "context['word']": "pandoc evidence/anonymisation_report.md -o report.docx makes the document",
    "intruder": '"linkage_attack" tries to find people in what leaves; hand a person who tries the released files',
    **{
        f"linkage_attack[{name!r}]": "the key release asks this of every file that leaves"
        for name in ("singling_out", "inference", "linkability", "control")
    },
    **{
        f"linkage_attack[{name!r}]": "no records are scored; say under within how far a released number may be off"
        for name in ("agreement_rate", "threshold", "seed")
    },
    "linkage_attack['interval_disclosure']": "sdcMicro's dRisk measures how near released numbers are to the true ones",
    "linkage_attack['n_attacks']": "everybody in the identified table is attacked; hand in a part of it",
    "pool": "each hospital runs its own pilot; no command counts the people of several without their records",
    "risk['presets']": "evidence/rules.html judges the rules of EMA; the report gives the highest and the average risk",
    "risk['safe_harbour']": "the key identifiers finds ages above 89 and zip codes; evidence/rules.html has the rules",
    "sweep['utility']": "the tables of a release compare means and regressions before and after: release, fit_for_use",
    "tables": "protect tables that you bring with sdcTable or ACRO; what a release says of its own tables is masked "
    "as before",
}


def unknown_key(place: object, key: object, known: Iterable[str]) -> str:
    """The fault of a ``key`` that is not among the ``known`` ones of this place; no place is the config itself."""
    at = f"{place}[{key!r}]" if str(place) else str(key)
    if at in GONE:
        return f"{at}: gone since version 4.0.0; {GONE[at]}"
    said = f"{place}: unknown key {key!r}" if str(place) else f"{key}: unknown key"
    return f"{said}{nearest_name(key, known)}; known: {', '.join(known)}"
