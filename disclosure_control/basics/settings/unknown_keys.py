"""Keys and names that a config may not have: those gone, with what to use instead, and those that never were."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from disclosure_control.basics.telling.faults import nearest_name

_FOR_SECTIONS: Final = "evidence/rules.html judges the rules of authorities"
# By the place of a key, a name or a value that an earlier version read: what to use instead.
GONE: Final = {
    "context['catalogue']": "describe the dataset with the editor of the catalogue",
    "context['word']": "pandoc evidence/anonymisation_report.md -o report.docx makes the document",
    "explore['cross_tables']": "mosaic counts the people of two columns; group by the columns of combined_dataset.csv",
    "fairness['strata']": "mantelhaen.test of R compares two groups within strata; the report compares them in all",
    "identifiers['release_anyway']": "declare each column under harmless, with the reason",
    "intruder": '"linkage_attack" tries to find people in what leaves; hand a person who tries the released files',
    **{
        f"linkage_attack[{name!r}]": "the key release asks this of every file that leaves"
        for name in ("singling_out", "inference", "linkability", "control")
    },
    **{
        f"linkage_attack[{name!r}]": "no records are scored; say under within how far a released number may be off"
        for name in ("agreement_rate", "threshold", "seed")
    },
    "linkage_attack['method']['probabilistic']": '"generalised" finds people whom the known columns single out',
    "linkage_attack['interval_disclosure']": "sdcMicro's dRisk measures how near released numbers are to the true ones",
    "linkage_attack['n_attacks']": "everybody in the identified table is attacked; hand in a part of it",
    "linkage_attack['released']": "the combined dataset and, where a treatment ran, what it made are both attacked",
    "merge['combined_as']": "combined_dataset.csv always has its typed columns beside it, in Parquet",
    "merge['column_names']": "columns of results are called as their tests are",
    "merge['drop_constants']": "name the columns under merge, drop",
    "merge['result']": "results are in the standard unit; convert them in the source",
    **{
        f"method[{name!r}]": "it protects nobody; fairness measures the rates, and an analysis can weigh or relabel"
        for name in ("massaging", "reweighing")
    },
    "method['sorted_microaggregation']": "mdav loses less",
    **{f"mondrian[{name!r}]": "take it out; Mondrian has one form" for name in ("form", "numbers")},
    "noise['kind']['outliers']": '"plain" adds noise to everybody; top_code and bottom_code hide what lies far out',
    "pool": "each hospital runs its own pilot; no command counts the people of several without their records",
    "private_release['kind']['quantile']": "a histogram with edges shows where a quantile lies",
    **{f"rank_swap[{name!r}]": "percent says how far a value may move" for name in ("keep_correlation", "keep_means")},
    **{f"risk['sections'][{name!r}]": _FOR_SECTIONS for name in ("presets", "safe_harbour")},
    **{
        f"risk['sections'][{name!r}]": "quasi_identifier_groups.csv has the classes"
        for name in ("riskiest_classes", "near_empty_bins")
    },
    **{
        f"risk[{name}]": '"explore" lists values of few people in explore_small_levels.csv'
        for name in ("'small_level'", "'sections']['small_levels'")
    },
    "release['rare_terms']['along']": "take it out; a term is raised along all levels that its table has",
    "release['rare_terms']['rows']": "take it out; the record stays, and its term is hidden",
    "risk['presets']": "evidence/rules.html judges the rules of EMA; the report gives the highest and the average risk",
    "risk['safe_harbour']": _FOR_SECTIONS,
    **{
        f"{method}['quantile']": "limit, the number itself: a quantile of the data can be one person's value"
        for method in ("bottom_code", "top_code")
    },
    "sweep['one_generator']": "one generator runs through all entries, in their order; no setting changes it",
    "sweep['utility']": "the tables of a release compare means and regressions before and after: release, fit_for_use",
    "sweep['parameter']": "take it out; what to try of a setting that is a list in any case is a list of lists",
    "tables": "protect tables that you bring with sdcTable or ACRO; what a release says of its own tables is masked "
    "as before",
    "treatment['join']": '"earlier" under release names earlier releases; with the "name" of one of them, this one has '
    "its pseudonyms and offsets",
}


def unknown_key(place: object, key: object, known: Iterable[str]) -> str:
    """The fault of a ``key`` that is not among the ``known`` ones of this place; no place is the config itself."""
    if gone := _gone(place, key):
        at = f"{place}[{key!r}]" if str(place) else key
        return f"{at}: {gone}"
    said = f"{place}: unknown key {key!r}" if str(place) else f"{key}: unknown key"
    return f"{said}{nearest_name(key, known)}; known: {', '.join(known)}"


def hint_of_name(place: object, name: object, known: Iterable[str]) -> str:
    """What follows a name that is not among the ``known`` ones: that it is gone, or the nearest; "" for neither."""
    gone = _gone(place, name)
    return f"; {gone}" if gone else nearest_name(name, known)


def hint_of_value(place: object, value: object) -> str:
    """What follows a value that is not allowed, one or a list: that it is gone, and what to use instead."""
    gone = (_gone(place, one) for one in (value if isinstance(value, list | tuple) else [value]))
    return "".join(f"; {instead}" for instead in gone if instead)


def _gone(place: object, name: object) -> str:
    """Of a step, "treatment[0] noise", the place in the registry is its method."""
    of_step = str(place).rpartition(" ")[2]
    instead = GONE.get(f"{of_step}[{name!r}]" if of_step else str(name))
    return f"gone since version 4.0.0; {instead}" if instead else ""
