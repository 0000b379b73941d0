"""Random small tables, made fit to leave: whoever tries all tables of whole numbers learns no more than is promised."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from disclosure_control.table_protection.blocks import Block
from disclosure_control.table_protection.houses import HouseRules, house_by_name
from disclosure_control.table_protection.protection import ProtectedTables, ProtectionMethod, protect_tables
from tests.examples import is_thorough
from tests.table_protection.tables import block, dimension
from tests.table_protection.undo_tables import ReleasedTable, agreeing, full_rows, quantities, widths

MINIMUM = 4
HIDDEN, ROUNDED = ProtectionMethod.SUPPRESS, ProtectionMethod.ROUND
RULES = dataclasses.replace(house_by_name("sdc_handbook"), minimum=MINIMUM)


def block_of(counts: np.ndarray, name: str, shows_totals: bool = True) -> Block:
    """A table of rows and columns; the rows of all tables are the same groups of the same people."""
    dimensions = [
        dimension(one, [f"{one} {i}" for i in range(n)]) for one, n in zip(("group", name), counts.shape, strict=True)
    ]
    shown = np.pad(np.ones(counts.shape, dtype=bool), ((0, 1), (0, 1)), constant_values=shows_totals)
    return block("people", dimensions, counts, shown=shown)


def as_read(found: ProtectedTables, rules: HouseRules, method: ProtectionMethod) -> list[ReleasedTable]:
    """What a reader knows: rounding brackets are made anew here, from the rule in words."""
    tables = []
    for one in found.blocks:
        truth = np.round(one.block.values).astype(int)
        known = ~np.isnan(one.released)
        released = np.where(known, np.nan_to_num(one.released), 0).astype(int)
        low, high = released, released
        if method is ProtectionMethod.ROUND:
            base = rules.round_to or rules.minimum
            reach = base * max(1, int(np.ceil(np.abs(released - truth)[known].max(initial=0) / base + 1e-9)))
            low, high = released - reach + 1, released + reach - 1
            assert (released[known] % base == 0).all()
        elif rules.round_to:
            numbers = np.arange(truth.max() * 2 + rules.round_to)
            rounded = rules.round_to * ((2 * numbers + rules.round_to) // (2 * rules.round_to))
            low = np.array([numbers[rounded == one].min() for one in released.ravel()]).reshape(truth.shape)
            high = np.array([numbers[rounded == one].max() for one in released.ravel()]).reshape(truth.shape)
        tables.append(ReleasedTable(truth, np.where(known, low, 0), np.where(known, high, 10**6)))
    return tables


def random_tables(chance: np.random.Generator, n_tables: int) -> list[np.ndarray]:
    """Tables of the same people, by group and something else."""
    n_groups = int(chance.integers(2, 4 if n_tables == 1 else 3))
    group = chance.integers(0, n_groups, int(chance.integers(5, 30)))
    found = []
    for _ in range(n_tables):
        n_columns = int(chance.integers(2, 4 if n_groups == 2 else 3))
        column = chance.choice(n_columns, len(group), p=chance.dirichlet(np.ones(n_columns)))
        counts = np.zeros((n_groups, n_columns))
        np.add.at(counts, (group, column), 1)
        found.append(counts)
    return found


def check_that_nothing_is_undone(
    seed: int, n_tables: int, rules: HouseRules, method: ProtectionMethod, totals: bool
) -> int:
    chance = np.random.default_rng(seed)
    counts = random_tables(chance, n_tables)
    blocks = [block_of(one, f"column of {i}", totals) for i, one in enumerate(counts)]
    found = protect_tables(blocks, [f"table {i}" for i in range(n_tables)], rules, method)
    assert found.n_unproven == 0
    tables = as_read(found, rules, method)
    candidates = agreeing(tables, rules.promised + 1)
    n_looked_at = 0
    for table, possible in zip(tables, candidates, strict=True):
        assert (possible == table.truth).all(axis=(1, 2)).any(), "the truth agrees with what was released"
        narrow = {
            name: width
            for name, width in widths(possible, table.truth, rules.minimum).items()
            if width < rules.promised
        }
        assert narrow == {}, f"seed {seed}: {counts}"
        for whole, place in full_rows(table.truth):
            others = possible[:, whole[0], whole[1]] - possible[:, place[0], place[1]]
            assert others.max() >= rules.promised, f"seed {seed}: {counts}"
        n_looked_at += len(quantities(table.truth, rules.minimum))
    return n_looked_at


@pytest.mark.parametrize(
    ("n_tables", "rules", "method", "totals"),
    [
        pytest.param(1, RULES, HIDDEN, True, id="hidden"),
        pytest.param(1, RULES, HIDDEN, False, id="hidden, totals not shown"),
        pytest.param(2, RULES, HIDDEN, True, id="hidden, two tables of the same groups"),
        pytest.param(1, dataclasses.replace(RULES, round_to=3), HIDDEN, True, id="hidden and rounded"),
        pytest.param(1, dataclasses.replace(RULES, round_to=4), ROUNDED, True, id="rounded so that totals add up"),
    ],
)
def test_random_tables_cannot_be_undone(n_tables, rules, method, totals):
    seeds = range(200 if is_thorough() else 5)
    looked_at = [check_that_nothing_is_undone(seed, n_tables, rules, method, totals) for seed in seeds]
    assert sum(looked_at) > len(looked_at)


def test_the_referee_undoes_what_is_not_protected():
    truth = np.array([[9, 2, 11], [8, 9, 17], [17, 11, 28]])
    low, high = truth.copy(), truth.copy()
    low[0, 1], high[0, 1] = 0, 10**6
    (possible,) = agreeing([ReleasedTable(truth, low, high)], 3)
    assert widths(possible, truth, MINIMUM) == dict.fromkeys(quantities(truth, MINIMUM), 0)
