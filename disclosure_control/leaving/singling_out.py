"""By which released columns people are alone, quasi-identifiers or not, and who can know these columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.small_counts import HAND_TO_HAND, count_text, people_on_screen
from disclosure_control.basics.telling.words import listed, people_text
from disclosure_control.leaving.leaving import Leaving
from disclosure_control.measures.singling_sets import SetsOfSize, singling_sets
from disclosure_control.treatments.known_to_outsiders import known_to_outsiders

MOST_NAMED = 6
COLUMNS_IN_WORDS = {1: "one column", 2: "two columns", 3: "three columns"}
WHO_HOLDS_MEASUREMENTS = (
    "Exact measurements single nearly everybody out for whoever holds the same measurements (a laboratory, another "
    "copy of the data), and nobody else."
)
SETS_NOT_LOOKED_AT = (
    "Not looked at: by which sets of one, two or three columns people are alone, beyond what outsiders may know by the "
    "names of the columns; these are more people and columns than fit in memory."
)


@dataclass(frozen=True)
class _Alone:
    """Who is alone by ``columns`` together: ``n`` of ``n_people``."""

    columns: frozenset[str]
    n: int

    @classmethod
    def by(cls, columns: Iterable[str], leaving: Leaving) -> _Alone:
        names = frozenset(columns)
        return cls(names, leaving.n_alone(names))

    def told(self, n_people: int, others: Iterable[_Alone], *beside: int) -> int | None:
        """Their number as it may be told: who is alone by some columns is so by more, and a difference tells of few."""
        nested = [one.n for one in others if one.columns <= self.columns or self.columns <= one.columns]
        return HAND_TO_HAND.told(self.n, n_people, *nested, *beside)


def figures(leaving: Leaving) -> dict[str, Any]:
    """Who is alone by one, two and three released columns, and by what outsiders may know of them.

    Counts of people go through the policy for small counts, None where they are masked.
    """
    ids = leaving.near_ids()
    others = [name for name in leaving.released_names if name not in ids]
    outsiders, told = _outsiders(leaving)
    alone_by_one = {name: _Alone(frozenset([name]), n).told(leaving.n_people, told) for name, n in ids.items()}
    found = {
        "people": leaving.n_people,
        "near_ids": alone_by_one,
        "columns_searched": others,
        "sets": [],
        "outsiders": outsiders,
        "harmless": {name: why for name, why in leaving.harmless.items() if name in leaving.released_names},
    }
    if not leaving.can_search_sets:
        return {**found, "columns_searched": [], "sets_not_looked_at": len(others)}
    columns = {name: leaving.released[name] for name in others}
    return {**found, "sets": _figures_of_sizes(singling_sets(columns, leaving.n_people), leaving.n_people, told)}


def _figures_of_sizes(sizes: Iterable[SetsOfSize], n_people: int, told: Iterable[_Alone]) -> list[dict[str, Any]]:
    """Of each size in turn: whoever is alone by a smaller set counts among those of the larger ones."""
    found, smaller = [], 0
    for sets in sizes:
        riskiest = [
            {
                "columns": list(one.columns),
                "people_alone": _Alone(frozenset(one.columns), one.n_alone).told(n_people, told, sets.n_alone),
            }
            for one in sets.riskiest
        ]
        found.append(
            {
                "columns": sets.size,
                "sets": sets.n_sets,
                "counted": sets.n_counted,
                "with_somebody_alone": sets.n_singling,
                "people_alone": HAND_TO_HAND.told(sets.n_alone, n_people, smaller),
                "riskiest": riskiest,
            }
        )
        smaller = sets.n_alone
    return found


def _outsiders(leaving: Leaving) -> tuple[dict[str, Any], list[_Alone]]:
    """What outsiders may know and nobody treated, assessed or declared, and who is alone by it besides k."""
    known = known_to_outsiders(leaving.without_a_role)
    undeclared = {name: kind for name, kind in known.items() if name not in leaving.harmless}
    open_columns = {name: kind for name, kind in undeclared.items() if name in leaving.as_they_were}
    treated = {name: kind for name, kind in undeclared.items() if name not in open_columns}
    assessed = [name for name in leaving.quasi_identifiers if name in leaving.released_names]
    by_assessed = _Alone.by(assessed, leaving)  # a total of the pilot, as k is
    together = _Alone.by([*assessed, *open_columns], leaving)
    with_treated = _Alone.by([*assessed, *open_columns, *treated], leaving)
    told = [by_assessed, together, with_treated]
    smallest = None
    if together.n > by_assessed.n and leaving.can_search_sets:
        columns = {name: leaving.released[name] for name in [*assessed, *open_columns]}
        sets = singling_sets(columns, leaving.n_people, with_one_of=set(open_columns))
        of_size = next((one for one in sets if one.n_singling), None)
        smallest = of_size and _figures_of_sizes([of_size], leaving.n_people, told)[0]
    found = {
        "not_assessed": open_columns,
        "quasi_identifiers": assessed,
        "people_alone": together.told(leaving.n_people, [by_assessed]),
        "people_alone_by_quasi_identifiers": by_assessed.n,
        "people_alone_besides": HAND_TO_HAND.told(together.n - by_assessed.n, leaving.n_people),
        "smallest_sets": smallest,
        "treated_without_a_role": treated,
        "people_alone_with_treated": with_treated.told(leaving.n_people, [by_assessed, together]),
    }
    return found, told


# ---------------------------------------------------------------- in words


def words(found: Mapping[str, Any]) -> Iterator[str]:
    """Beside the quasi-identifiers: who is alone by other columns, and who can know these."""
    people = people_text(found["people"])
    if len(found["near_ids"]) > MOST_NAMED:
        names = listed(found["near_ids"], at_most=MOST_NAMED)
        yield f"Nearly ids, by each of which half of {people} or more are alone, and in no set below: {names}."
    for name, n in found["near_ids"].items() if len(found["near_ids"]) <= MOST_NAMED else ():
        yield f"{name} is nearly an id: by it alone {count_text(n)} of {people} are alone. It is in no set below."
    for one in found["sets"]:
        if one["with_somebody_alone"]:
            yield _words_of_sets(one, people)
        if one["counted"] < one["sets"]:
            yield (
                f"Of {one['sets']:,} sets of {COLUMNS_IN_WORDS[one['columns']]} {one['counted']:,} were counted, those "
                "with the most combinations of values: more people may be alone by the others."
            )
    if "sets_not_looked_at" in found:
        yield SETS_NOT_LOOKED_AT
    if found["near_ids"] or any(one["with_somebody_alone"] for one in found["sets"]):
        yield WHO_HOLDS_MEASUREMENTS
    yield from _words_on_outsiders(found["outsiders"], people)
    for name, why in found["harmless"].items():
        yield f"Declared harmless in the config: {name} ({why})."


def _words_of_sets(one: Mapping[str, Any], people: str) -> str:
    riskiest = one["riskiest"][0]
    return (
        f"Quasi-identifiers or not: by {COLUMNS_IN_WORDS[one['columns']]}, {', '.join(riskiest['columns'])}, "
        f"{count_text(riskiest['people_alone'])} of {people} are alone; by one such set or another, or a smaller one, "
        f"{count_text(one['people_alone'])}."
    )


def _words_on_outsiders(outsiders: Mapping[str, Any], people: str) -> Iterator[str]:
    open_columns, treated = outsiders["not_assessed"], outsiders["treated_without_a_role"]
    if treated:
        n_alone_with = count_text(outsiders["people_alone_with_treated"])
        yield (
            f"Outsiders may know, treated and without a role in the config: {_with_kinds(treated)}. With these as they "
            f"are released {n_alone_with} of {people} are alone; name them among the "
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
        f"quasi-identifiers and these together {count_text(outsiders['people_alone'])} of {people} are alone, by the "
        f"quasi-identifiers without them {outsiders['people_alone_by_quasi_identifiers']}."
    )
    if outsiders["smallest_sets"]:
        sets = [f"{', '.join(one['columns'])}: {count_text(one['people_alone'])}" for one in _smallest(outsiders)]
        yield f"The smallest sets of these by which somebody is alone, and how many are: {'; '.join(sets)}."


def _smallest(outsiders: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    sets: list[Mapping[str, Any]] = outsiders["smallest_sets"]["riskiest"]
    return sets


def _with_kinds(columns: Mapping[str, str]) -> str:
    return ", ".join(f"{name} ({kind})" for name, kind in columns.items())


def not_looked_at(found: Mapping[str, Any]) -> Iterator[str]:
    """What was not searched of what leaves, for whoever reads the verdict alone."""
    if "sets_not_looked_at" in found:
        yield SETS_NOT_LOOKED_AT


def reasons(found: Mapping[str, Any]) -> Iterator[Reason]:
    """A reason to hold where people are alone by what outsiders may know and nobody assessed."""
    outsiders = found["outsiders"]
    open_columns = outsiders["not_assessed"]
    n_more = outsiders["people_alone_besides"]
    if n_more == 0:
        return
    smallest = ""
    if outsiders["smallest_sets"]:
        best = _smallest(outsiders)[0]
        smallest = f"; by {', '.join(best['columns'])} alone {people_on_screen(best['people_alone'])}"
    yield Reason(
        Gravity.OUTSIDERS_CAN_SINGLE_OUT,
        f"Of {people_text(found['people'])}, {people_on_screen(n_more)} whom the quasi-identifiers leave with others "
        f"are alone by columns that outsiders may know and that the config neither treats nor declares: "
        f"{_with_kinds(open_columns)}{smallest}.",
        "name them among the quasi-identifiers, treat or drop them, or declare them: "
        f'"treatment": {{"harmless": {{"{next(iter(open_columns))}": "why nobody outside knows it"}}, "steps": [...]}}',
    )
