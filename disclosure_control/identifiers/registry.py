"""A kind of identifier: how its values are recognised, how grave it is, its words and its line of docs."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module

import numpy as np

from disclosure_control.identifiers import kinds as modules
from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.column_values import ColumnValues


@dataclass(frozen=True)
class Hits:
    """Which of a column's distinct values are of a kind.

    ``is_hit`` of bool speaks of all distinct values (n_distinct,), or of those in its sample (n_sample,).
    ``chance_rate`` in [0, 1]: the share that would pass by chance. ``certainty``: "sure", "likely" or "possible".
    """

    is_hit: np.ndarray
    certainty: str
    chance_rate: float = 0.0


@dataclass(frozen=True)
class IdentifierKind:
    """One kind of identifier, registered by its name among the ``KINDS`` of a module in ``kinds``.

    ``detect`` returns its hits in a column, None if there are none worth reporting. ``words`` name the hits in the
    plural; ``what_to_do`` is the remedy; ``documentation`` says how it is recognised. A finding is dropped if another
    one of ``yields_to`` explains at least half as many rows of the column. ``place`` orders the kinds.
    """

    grade: Grade
    words: str
    what_to_do: str
    documentation: str
    detect: Callable[[ColumnValues], Hits | None]
    yields_to: tuple[str, ...] = ()
    place: int = 100


@cache
def kinds() -> dict[str, IdentifierKind]:
    """Every kind by name, in the order of their places."""
    names = [f"{modules.__name__}.{module.name}" for module in pkgutil.iter_modules(modules.__path__)]
    found: dict[str, IdentifierKind] = {}
    for name in names:
        found |= import_module(name).KINDS
    return dict(sorted(found.items(), key=lambda entry: (entry[1].place, entry[0])))
