"""Who loses the quasi-identifiers so that terms can stay, and which keys join: of made people, as it is kept."""

from __future__ import annotations

import dataclasses

import numpy as np

from disclosure_control.release.terms.kept_terms import (
    NEVER,
    Held,
    alone_in_all,
    people_to_hide,
)
from study.formats.tables import SourceTable
from tests.kept import changed_since_kept
from tests.release.test_joins import FILES, joins, made


def test_who_is_hidden_for_the_terms_that_stay():
    draw, found = np.random.default_rng(3), {}
    for case in range(40):
        n, n_things = 12 + 3 * (case % 7), 2 + case % 4
        classes = draw.integers(-1 if case % 3 else 0, 2 + case % 4, n)
        has = draw.random((n, n_things)) < [0.05, 0.2, 0.5, 0.9][case % 4]
        held = Held.of(*np.nonzero(has), 2 + case % 3)
        if case % 5 == 0:
            held.least[-1:] = NEVER
        hidden = people_to_hide(classes, held, 3, draw.permutation(n))
        found[str(case)] = [np.flatnonzero(one) for one in (hidden, alone_in_all(held, classes >= 0))]
    assert changed_since_kept("hidden_for_terms", found) == {}


def without_some(tables: dict[str, SourceTable], name: str, column: str, n: int) -> dict[str, SourceTable]:
    """A column of the package of which the first values are others, or missing."""
    frame = tables[name].frame.copy()
    frame.loc[frame.index[:n], column] = "another" if n % 2 else None
    return {**tables, name: dataclasses.replace(tables[name], frame=frame)}


def test_keys_that_join_less_than_before():
    found = {}
    for kept in ([0, 1, 2, 3, 4, 5], [0, 2]):
        for name, column in (("VISITS", "visit_id"), ("VISITS", "who"), ("RESULTS", "at")):
            for n in (1, 6):
                after = joins(made(FILES), kept, change=lambda one, c=(name, column, n): without_some(one, *c))
                counted = {key: [one.state, *dataclasses.astuple(one)[2:]] for key, one in after.items()}
                found[f"{len(kept)} {name}.{column} {n}"] = counted
    assert changed_since_kept("keys_that_join", found) == {}
