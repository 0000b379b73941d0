"""By which released columns people are alone, quasi-identifiers or not, and who can know these columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from disclosure_control.basics.reasons import Gravity, Reason
from disclosure_control.basics.small_counts import people_on_screen
from disclosure_control.basics.words import listed, people_text
from disclosure_control.findings.leaving import Leaving
from disclosure_control.measures.singling_sets import SetsOfSize, n_alone, near_ids, singling_sets
from disclosure_control.treatments.known_to_outsiders import known_to_outsiders

MOST_NAMED = 6
COLUMNS_IN_WORDS = {1: "one column", 2: "two columns", 3: "three columns"}
WHO_HOLDS_MEASUREMENTS = (
    "Exact measurements single nearly everybody out for whoever holds the same measurements (a laboratory, another "
    "copy of the data), and nobody else."
)


def figures(leaving: Leaving) -> dict[str, Any]:
    """Who is alone by one, two and three released columns, and by what outsiders may know of them."""
    columns = leaving.released
    ids = near_ids(columns, leaving.n_people)
    others = {name: column for name, column in columns.items() if name not in ids}
    return {
        "people": leaving.n_people,
        "near_ids": ids,
        "columns_searched": list(others),
        "sets": [_figures_of(one) for one in singling_sets(others, leaving.n_people)],
        "outsiders": _outsiders(leaving),
        "harmless": {name: why for name, why in leaving.harmless.items() if name in columns},
    }


def _figures_of(sets: SetsOfSize) -> dict[str, Any]:
    return {
        "columns": sets.size,
        "sets": sets.n_sets,
        "counted": sets.n_counted,
        "with_somebody_alone": sets.n_singling,
        "people_alone": sets.n_alone,
        "riskiest": [{"columns": list(one.columns), "people_alone": one.n_alone} for one in sets.riskiest],
    }


def _outsiders(leaving: Leaving) -> dict[str, Any]:
    """What outsiders may know and nobody treated, assessed or declared, and who is alone by it besides k."""
    known = known_to_outsiders(leaving.without_a_role)
    undeclared = {name: kind for name, kind in known.items() if name not in leaving.harmless}
    open_columns = {name: kind for name, kind in undeclared.items() if name in leaving.as_they_were}
    treated = {name: kind for name, kind in undeclared.items() if name not in open_columns}
    assessed = [name for name in leaving.quasi_identifiers if name in leaving.released]
    together = {name: leaving.released[name] for name in [*assessed, *open_columns]}
    n_assessed = n_alone({name: leaving.released[name] for name in assessed}, leaving.n_people)
    n_together = n_alone(together, leaving.n_people)
    with_treated = together | {name: leaving.released[name] for name in treated}
    smallest = None
    if n_together > n_assessed:
        sets = singling_sets(together, leaving.n_people, with_one_of=set(open_columns))
        smallest = next((_figures_of(one) for one in sets if one.n_singling), None)
    return {
        "not_assessed": open_columns,
        "quasi_identifiers": assessed,
        "people_alone": n_together,
        "people_alone_by_quasi_identifiers": n_assessed,
        "smallest_sets": smallest,
        "treated_without_a_role": treated,
        "people_alone_with_treated": n_alone(with_treated, leaving.n_people),
    }


# ---------------------------------------------------------------- in words


def words(found: Mapping[str, Any]) -> Iterator[str]:
    """Beside the quasi-identifiers: who is alone by other columns, and who can know these."""
    people = people_text(found["people"])
    if len(found["near_ids"]) > MOST_NAMED:
        names = listed(found["near_ids"], at_most=MOST_NAMED)
        yield f"Nearly ids, by each of which half of {people} or more are alone, and in no set below: {names}."
    for name, n in found["near_ids"].items() if len(found["near_ids"]) <= MOST_NAMED else ():
        yield f"{name} is nearly an id: by it alone {n} of {people} are alone. It is in no set below."
    for one in found["sets"]:
        if one["with_somebody_alone"]:
            yield _words_of_sets(one, people)
        if one["counted"] < one["sets"]:
            yield (
                f"Of {one['sets']:,} sets of {COLUMNS_IN_WORDS[one['columns']]} {one['counted']:,} were counted, those "
                "with the most combinations of values: more people may be alone by the others."
            )
    if found["near_ids"] or any(one["with_somebody_alone"] for one in found["sets"]):
        yield WHO_HOLDS_MEASUREMENTS
    yield from _words_on_outsiders(found["outsiders"], people)
    for name, why in found["harmless"].items():
        yield f"Declared harmless in the config: {name} ({why})."


def _words_of_sets(one: Mapping[str, Any], people: str) -> str:
    riskiest = one["riskiest"][0]
    return (
        f"Quasi-identifiers or not: by {COLUMNS_IN_WORDS[one['columns']]}, {', '.join(riskiest['columns'])}, "
        f"{riskiest['people_alone']} of {people} are alone; by one such set or another, or a smaller one, "
        f"{one['people_alone']}."
    )


def _words_on_outsiders(outsiders: Mapping[str, Any], people: str) -> Iterator[str]:
    open_columns, treated = outsiders["not_assessed"], outsiders["treated_without_a_role"]
    if treated:
        yield (
            f"Outsiders may know, treated and without a role in the config: {_with_kinds(treated)}. With these as they "
            f"are released {outsiders['people_alone_with_treated']} of {people} are alone; name them among the "
            "quasi-identifiers where outsiders can compare what is left of them, as they can a rounded number."
        )
    if not open_columns:
        yield (
            "By the names of the columns, the config treats, assesses or declares whatever outsiders may know (ages, "
            "dates, places, occupations, events, body measures); names are all that was looked at."
        )
        return
    yield (
        f"Outsiders may know, and the config neither treats nor declares: {_with_kinds(open_columns)}. By the "
        f"quasi-identifiers and these together {outsiders['people_alone']} of {people} are alone, by the "
        f"quasi-identifiers without them {outsiders['people_alone_by_quasi_identifiers']}."
    )
    if outsiders["smallest_sets"]:
        sets = "; ".join(f"{', '.join(one['columns'])}: {one['people_alone']}" for one in _smallest(outsiders))
        yield f"The smallest sets of these by which somebody is alone, and how many are: {sets}."


def _smallest(outsiders: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    sets: list[Mapping[str, Any]] = outsiders["smallest_sets"]["riskiest"]
    return sets


def _with_kinds(columns: Mapping[str, str]) -> str:
    return ", ".join(f"{name} ({kind})" for name, kind in columns.items())


def reasons(found: Mapping[str, Any]) -> Iterator[Reason]:
    """A reason to hold where people are alone by what outsiders may know and nobody assessed."""
    outsiders = found["outsiders"]
    open_columns = outsiders["not_assessed"]
    n_more = outsiders["people_alone"] - outsiders["people_alone_by_quasi_identifiers"]
    if not n_more:
        return
    smallest = ""
    if outsiders["smallest_sets"]:
        best = _smallest(outsiders)[0]
        smallest = f"; by {', '.join(best['columns'])} alone {people_on_screen(best['people_alone'])}"
    yield Reason(
        Gravity.OUTSIDERS_CAN_SINGLE_OUT,
        f"{people_on_screen(n_more)} of {people_text(found['people'])} whom the quasi-identifiers leave with others "
        f"are alone by columns that outsiders may know and that the config neither treats nor declares: "
        f"{_with_kinds(open_columns)}{smallest}.",
        "name them among the quasi-identifiers, treat or drop them, or declare them: "
        f'"treatment": {{"harmless": {{"{next(iter(open_columns))}": "why nobody outside knows it"}}, "steps": [...]}}',
    )
