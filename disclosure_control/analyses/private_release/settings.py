"""The config key ``private_release``: a pilot's whole budget, and its questions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from disclosure_control.analyses.private_release.answers import faults_of_mechanism, opendp
from disclosure_control.analyses.private_release.questions import EPSILON, Query, faults_of_query, read_query
from disclosure_control.basics.settings.fields import SettingsGroup, nested, setting
from disclosure_control.basics.settings.kinds import Kind, Place, whole_number
from disclosure_control.basics.telling.faults import FaultyInputError


@dataclass(frozen=True)
class PrivacyBudget(SettingsGroup):
    """The total cost of all answers."""

    epsilon: Decimal = setting(EPSILON, "the budget of all answers together")

    def check(self, place: Place, given: Mapping[str, Any]) -> Sequence[str]:
        """The library that answers, where it is missing."""
        try:
            opendp()
        except FaultyInputError as error:
            return error.faults
        return ()


def _faults_of_queries(values: Sequence[Any], place: Place) -> Iterator[str]:
    """Faults of each query, questions that cannot be answered, and names used twice."""
    names = []
    for i, value in enumerate(values):
        found = faults_of_query(value, place[i])
        if not found and not value.get("name"):
            found = [f"{place[i]['name']}: missing; the report shows the answer under it"]
        if not found:
            names.append(value["name"])
            found = faults_of_mechanism(str(place[i]), read_query(value))
        yield from found
    for name in dict.fromkeys(names):
        if names.count(name) > 1:
            yield f"{place}: {names.count(name)} queries have the name {name!r}; give each its own"


_QUERIES = Kind(
    lambda value: isinstance(value, list | tuple),
    "a list of queries",
    lambda value: tuple(map(read_query, value)),
    within=_faults_of_queries,
)


@dataclass(frozen=True)
class PrivateReleaseSettings(SettingsGroup):
    """The config key ``private_release``: the pilot's whole budget, and its questions.

    ``people``: about how many people the pilot has, as the public may know; None where the config does not say.
    """

    budget: Decimal = setting(
        nested(PrivacyBudget)
        .but('a dictionary, {"epsilon": 1.0}')
        .read_as(lambda value: EPSILON.read(value["epsilon"])),
        "the permanent budget of all answers together",
    )
    queries: tuple[Query, ...] = setting(_QUERIES, "what is asked", ())
    people: int | None = setting(
        whole_number(1, 10**10).but("a whole number from 1"),
        "about how many people the pilot has, as the public may know",
        None,
    )

    @property
    def asked(self) -> Decimal:
        """The epsilon of all queries together, each question once."""
        epsilons = {json.dumps(query.question): query.epsilon for query in self.queries}
        return sum(epsilons.values(), Decimal(0))


SETTINGS = PrivateReleaseSettings
