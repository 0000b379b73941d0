"""A domain in parts: the rows of some people each, all rows of a person in one; in memory it is one part.

A reduction is planned on all parts, one after the other, and then reduces each alone. Its counts add up, so the result
does not depend on how people are divided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from disclosure_control.basics.telling.small_counts import people_on_screen
from study.formats.rows_of_people import SUBJECT
from study.merge.settings import MergeSettings
from study.models.roles import TableModel

# Of a column of the result: (n_subjects,) of text, as Arrow's or as objects with None where missing.
ColumnOfPeople: TypeAlias = np.ndarray | pd.Series
# Of words, a number and its unit: gives the function to call with the number of further ones done.
Progress: TypeAlias = Callable[[str, int, str], AbstractContextManager[Callable[[int], None]]]
# Words of faults in which ``%(n)`` and others stand for numbers of records or people, which add up over the parts.
CountedFaults: TypeAlias = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Domain:
    """A domain whole: its ``columns``, the same in all parts, the ``settings`` of the merge, and the ids' column.

    ``model``: what its rows and columns are.
    """

    name: str
    columns: list[str]
    settings: MergeSettings
    id_column: str | None
    model: TableModel

    @cached_property
    def dropped(self) -> tuple[str, ...]:
        """The columns that say nothing about a person."""
        return tuple(name for name in self.columns if name in self.model.not_merged)

    @cached_property
    def kept(self) -> tuple[str, ...]:
        """The columns that can say something about a person, but for the id."""
        return tuple(name for name in self.columns if name not in (*self.dropped, self.id_column))


@dataclass(frozen=True)
class DomainPart:
    """The rows of a domain for ``n_subjects`` people; the column ``SUBJECT`` has the place of each row's person.

    ``reference_start`` (n_subjects,) is ISO 8601 text or None. ``counts`` and ``faults`` are of the supplemental
    variables; ``read`` caches what was read from the rows.
    """

    frame: pd.DataFrame = field(repr=False)
    n_subjects: int
    reference_start: np.ndarray
    counts: dict[str, int] = field(default_factory=dict)
    faults: CountedFaults = field(default_factory=dict)
    read: dict[str, Any] = field(default_factory=dict)

    @property
    def subject(self) -> np.ndarray:
        """The person of each row: (n_rows,)."""
        return self.frame[SUBJECT].to_numpy()


# Gives the parts of a domain, as often as it is iterated.
Parts = Iterable[DomainPart]


@dataclass(frozen=True)
class Plan:
    """What a reduction has to know of all people, and the faults of the domain's settings."""

    what: Any = None
    faults: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reduced:
    """A domain after its reduction: text columns (n_subjects,) and counts that add up."""

    columns: Mapping[str, ColumnOfPeople]
    units: dict[str, str] = field(default_factory=dict)
    counts: dict[str, Any] = field(default_factory=dict)
    faults: CountedFaults = field(default_factory=dict)


@dataclass(frozen=True)
class Reduction:
    """How the domains of one ``form`` become one row per subject; see ``REDUCTIONS`` of ``study.merge.combine``.

    ``reduce`` reads one of its parts, with what ``plan`` found in all of them; most forms need nothing of all people.
    """

    form: str
    reduce: Callable[[DomainPart, Domain, Any], Reduced]
    plan: Callable[[Parts, Domain], Plan] = lambda parts, domain: Plan()


def texts_of(faults: CountedFaults) -> list[str]:
    """The faults whose number ``n`` is not 0 in the end; small numbers are not shown."""
    found = []
    for words, numbers in faults.items():
        for name, number in numbers.items():
            words = words.replace(f"%({name})", people_on_screen(number))
        found += [words] if numbers["n"] else []
    return found


def added(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """The counts of two parts together: numbers are added; everything else is the same in both."""
    return {
        name: _both(one[name], other[name]) if name in one and name in other else {**one, **other}[name]
        for name in {**one, **other}
    }


def _both(one: Any, other: Any) -> Any:
    if isinstance(one, dict):
        return dict(sorted(added(one, other).items()))
    return one + other if isinstance(one, int) else one
