"""The config key ``private_release``: a pilot's whole budget, and what is asked of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from config.model_settings import PilotConfig
from disclosure_control.basics.settings.settings import Check, faults_of_settings, whole_number
from disclosure_control.basics.telling.faults import stop_at
from disclosure_control.steps.private_release.answers import faults_of_mechanism, opendp
from disclosure_control.steps.private_release.query import Query
from disclosure_control.steps.private_release.questions import EPSILON, exact_epsilon, faults_of_query, read_query

KEY = "private_release"


@dataclass(frozen=True)
class PrivateReleaseSettings:
    """The config key ``private_release``: the pilot's whole budget, and what is asked of it.

    ``people``: about how many people the pilot has, as the public may know; None where the config does not say.
    """

    budget: Decimal
    queries: tuple[Query, ...]
    people: int | None = None

    @property
    def asked(self) -> Decimal:
        """The epsilon of all queries together, each question once."""
        epsilons = {json.dumps(query.question): query.epsilon for query in self.queries}
        return sum(epsilons.values(), Decimal(0))


_KEYS: dict[str, Check] = {
    "budget": (lambda budget: isinstance(budget, dict), 'a dictionary, {"epsilon": 1.0}'),
    "people": (
        whole_number(1, 10**10)[0],
        "a whole number from 1, about how many people the pilot has, as the public may know",
    ),
    "queries": (lambda queries: isinstance(queries, list | tuple), "a list of queries"),
}


def read_settings(value: object, config: PilotConfig, columns: Sequence[str] | None) -> PrivateReleaseSettings:
    """The settings of the config key ``private_release``.

    Raises ``FaultyInputError`` with every fault of it; a missing library is one.
    """
    opendp()
    stop_at(faults_of_settings(KEY, value, _KEYS))
    faults = _faults_of_budget(value["budget"]) if "budget" in value else [f"{KEY}['budget']: missing"]
    queries, faults_of_queries = _read_queries(value.get("queries", ()), columns)
    stop_at(faults + faults_of_queries)
    return PrivateReleaseSettings(exact_epsilon(value["budget"]["epsilon"]), tuple(queries), value.get("people"))


def _faults_of_budget(value: Mapping[str, object]) -> list[str]:
    faults = faults_of_settings(f"{KEY}['budget']", value, {"epsilon": EPSILON})
    if not faults and "epsilon" not in value:
        faults.append(f"{KEY}['budget']['epsilon']: missing; allowed: {EPSILON[1]}")
    return faults


def _read_queries(values: Sequence[object], columns: Sequence[str] | None) -> tuple[list[Query], list[str]]:
    """Those that can be asked, and the faults of the others and of names that several have."""
    queries, faults = [], []
    for i, value in enumerate(values):
        where = f"{KEY}['queries'][{i}]"
        found = faults_of_query(where, value, columns)
        if not found and not value.get("name"):
            found = [f"{where}['name']: missing; the report shows the answer under it"]
        if not found:
            query = read_query(value)
            found = faults_of_mechanism(where, query)
            queries += [] if found else [query]
        faults += found
    names = [query.name for query in queries]
    return queries, faults + [
        f"{KEY}['queries']: {names.count(name)} queries have the name {name!r}; give each its own"
        for name in dict.fromkeys(names)
        if names.count(name) > 1
    ]
