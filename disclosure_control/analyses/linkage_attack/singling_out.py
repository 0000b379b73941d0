"""Singling out: does the release suggest predicates that fit exactly one person of the pilot?

The attacker uses the release alone. "univariate": a value that occurs once, the smallest and the largest
number. "multivariate": some values of one released record together, which no other released record has. A
predicate succeeds where it fits exactly one of the original people. Source: Giomi et al. 2023,
doi:10.56553/popets-2023-0055, section 4.1; Cohen and Nissim 2020, doi:10.1073/pnas.1914598117.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.analyses.linkage_attack.codebook import Codebook
from disclosure_control.analyses.linkage_attack.kinds import (
    DEFAULT_ATTACKS,
    N_ATTACKS,
    AttackKind,
    AttackPart,
    AttackScene,
)
from disclosure_control.analyses.linkage_attack.predicates import (
    AT_LEAST,
    AT_MOST,
    EQUAL,
    MISSING,
    Predicates,
    TableColumn,
    canonical_order,
    common_columns,
    distinct_predicates,
    n_fitting,
)
from disclosure_control.analyses.linkage_attack.rates import AttackRates, Rate
from disclosure_control.analyses.linkage_attack.told import AttackTold
from disclosure_control.basics.settings.fields import setting
from disclosure_control.basics.settings.kinds import COLUMNS, one_or_some_of

FIRST_DRAWN = 2  # times as many predicates as are asked for, to begin with
MOST_DRAWN = 200  # times as many in all, and at most so many comparisons with records:
MOST_COMPARED = 2_000_000_000
MODES = ("univariate", "multivariate")
ORIGINAL, CONTROL = 0, 1
NO_GUESS = Rate(0, 0)


@dataclass(frozen=True)
class SinglingOut:
    """What came of predicates of one ``mode``: the rates over them; ``n_asked`` for, of which so many were found.

    The multivariate baseline are predicates of the same kind from released records whose values were mixed column by
    column. Of one column there is no such thing: any guess at a rare value takes it from the release, and a rare value
    singles out somebody among other people as well. So the univariate verdict rests on the control group alone, and the
    multivariate one heeds it. ``n_people`` and ``n_control`` are the sizes of the two groups: as success depends on the
    size, they are compared by random parts of the same size, of which the expected rates are taken.
    """

    mode: str
    rates: AttackRates
    n_asked: int
    n_people: int
    n_control: int


def single_out(
    released: pd.DataFrame,
    original: pd.DataFrame,
    columns: Sequence[str],
    mode: str,
    generator: np.random.Generator,
    n_attacks: int = 500,
    n_columns: int = 3,
    control: pd.DataFrame | None = None,
    codebook: Codebook | None = None,
) -> SinglingOut:
    """Draw up to ``n_attacks`` different predicates from the release and put them to the original people.

    ``columns`` are those used, in all tables; ``n_columns`` of them make a multivariate predicate. Rates are shares of
    the predicates that fit exactly one person, in [0, 1], larger is riskier. ``codebook``: what is known of the
    treatment; a predicate of released people of the pilot that then fits nobody of it was not read rightly.
    """
    people = [original] if control is None else [original, control]
    tables = common_columns(released, people, list(columns), codebook)
    size = 1 if mode == "univariate" else min(n_columns, len(columns))
    guesses = None
    if mode == "univariate":
        attack = _chosen(_univariate(tables), n_attacks, generator)
    else:
        attack = _multivariate(tables, n_attacks, size, generator)
        if size > 1:
            guesses = _multivariate([_mixed(table, generator) for table in tables], len(attack), size, generator)
    sizes = [len(table) for table in people]
    fitting = [n_fitting(tables, attack, table) for table in range(len(people))]
    rates = AttackRates(
        _singled_out(fitting[ORIGINAL]),
        NO_GUESS if guesses is None else _singled_out(n_fitting(tables, guesses, ORIGINAL)),
        None if control is None else _singled_out(fitting[CONTROL]),
        at_equal_size=None if control is None else _at_equal_size(fitting, sizes),
        needs_control=guesses is None,
        n_unread=0 if codebook is None else int((fitting[ORIGINAL] == 0).sum()),
    )
    return SinglingOut(mode, rates, n_attacks, len(original), 0 if control is None else len(control))


def _singled_out(n_people: np.ndarray) -> Rate:
    return Rate(int((n_people == 1).sum()), len(n_people))


def _at_equal_size(fitting: list[np.ndarray], sizes: list[int]) -> tuple[Rate, Rate]:
    """Expected rates in random parts of both groups, as large as the smaller group: chances that one person fits."""
    from scipy.stats import hypergeom

    n = min(sizes)
    chances = [hypergeom.pmf(1, size, n_people, n) for size, n_people in zip(sizes, fitting, strict=True)]
    original, control = (Rate(math.fsum(chance), len(chance)) for chance in chances)
    return original, control


def _univariate(tables: list[TableColumn]) -> Predicates:
    """Every predicate on one column that the release suggests."""
    parts = []
    for i, table in enumerate(tables):
        count = np.bincount(table.released + 1, minlength=table.n_codes + 1)
        once = np.flatnonzero(count[1:] == 1)
        parts.append((i, EQUAL, once))
        if count[0] == 1:
            parts.append((i, MISSING, np.zeros(1, dtype=np.int64)))
        present = np.flatnonzero(count[1:])
        if table.is_numeric and len(present):
            parts += [(i, AT_MOST, present[:1]), (i, AT_LEAST, present[-1:])]
    column = np.concatenate([np.full(len(code), i) for i, _, code in parts])
    comparison = np.concatenate([np.full(len(code), kind) for _, kind, code in parts])
    code = np.concatenate([code for _, _, code in parts])
    return Predicates(column[:, np.newaxis], comparison[:, np.newaxis], code[:, np.newaxis])


def _chosen(predicates: Predicates, n: int, generator: np.random.Generator) -> Predicates:
    if len(predicates) <= n:
        return predicates
    return predicates[np.sort(generator.choice(len(predicates), n, replace=False))]


def _multivariate(
    tables: list[TableColumn], n_attacks: int, n_columns: int, generator: np.random.Generator
) -> Predicates:
    """Different predicates, each of ``n_columns`` values of one record, that fit no other record of the release."""
    order = canonical_order(tables)
    records = np.array([table.released[order] for table in tables])
    middle = np.array([_middle_code(table) for table in tables])
    numeric = np.array([table.is_numeric for table in tables])
    found = Predicates(*np.zeros((3, 0, n_columns), dtype=np.int64))
    n_drawn, n_at_once = 0, FIRST_DRAWN * n_attacks
    most = min(MOST_DRAWN * n_attacks, max(n_at_once, MOST_COMPARED // max(len(order), 1))) if len(order) else 0
    while len(found) < n_attacks and n_drawn < most:
        record = generator.integers(0, len(order), n_at_once)
        column = np.argsort(generator.random((n_at_once, len(tables))), axis=1)[:, :n_columns]
        code = records[column, record[:, np.newaxis]]
        one_side = np.where(code > middle[column], AT_LEAST, AT_MOST)
        comparison = np.where(code < 0, MISSING, np.where(numeric[column], one_side, EQUAL))
        drawn = Predicates(column, comparison, np.maximum(code, 0))
        drawn = drawn[n_fitting(tables, drawn, None) == 1]
        both = Predicates(
            np.concatenate([found.column, drawn.column]),
            np.concatenate([found.comparison, drawn.comparison]),
            np.concatenate([found.code, drawn.code]),
        )
        found = both[distinct_predicates(both)]
        n_drawn += n_at_once
        still = (n_attacks - len(found)) * n_drawn // max(len(found), 1)  # at the rate at which they came so far
        n_at_once = min(max(still + still // 4, n_attacks), most - n_drawn)
    return found[:n_attacks]


def _middle_code(table: TableColumn) -> float:
    present = table.released[table.released >= 0]
    return float(np.median(present)) if table.is_numeric and len(present) else -1.0


def _mixed(table: TableColumn, generator: np.random.Generator) -> TableColumn:
    """The column with its released values in a random order, which parts them from those of other columns."""
    shuffled = generator.permutation(np.sort(table.released))
    return TableColumn(table.name, table.is_numeric, table.n_codes, shuffled, table.people, table.overlaps)


# ---------------------------------------------------------------- the kind of attack


@dataclass(frozen=True)
class SinglingOutSettings(AttackPart):
    """``columns`` are those that predicates may be about; ``n_columns`` of them make a multivariate one."""

    columns: tuple[str, ...] = setting(
        COLUMNS, "columns that predicates may be about", (), "quasi-identifiers and sensitive features"
    )
    modes: tuple[str, ...] = setting(one_or_some_of(*MODES), "predicates about one column, or several", MODES)
    n_attacks: int = setting(N_ATTACKS, "predicates that are tried", DEFAULT_ATTACKS)
    n_columns: int = setting(N_ATTACKS, "columns in a multivariate predicate", 3)

    @property
    def columns_used(self) -> tuple[str, ...]:
        return self.columns

    def on(self, config: PilotConfig) -> SinglingOutSettings:
        """Predicates about every column with a role where the config names none."""
        return dataclasses.replace(self, columns=self.columns or config.quasi_identifiers + config.sensitive_features)


def _attack(scene: AttackScene, settings: SinglingOutSettings) -> tuple[dict[str, AttackTold], list[str]]:
    columns, notes = scene.released(settings.columns, "Singling out")
    told = {}
    for mode in settings.modes if columns else ():
        found = single_out(
            scene.release.frame,
            scene.pilot,
            columns,
            mode,
            np.random.default_rng(scene.seed),
            settings.n_attacks,
            settings.n_columns,
            scene.control,
            scene.codebook,
        )
        told[mode] = AttackTold(found.rates, {"asked": found.n_asked, "people": found.n_people})
        notes += _notes(found, scene.release.name)
    return told, notes


def _notes(found: SinglingOut, release: str) -> list[str]:
    notes = found.rates.notes(f"Singling out, {found.mode}")
    if found.rates.attack.n < found.n_asked:
        notes.append(
            f"Singling out, {found.mode}: the {release} release suggests {found.rates.attack.n} predicates of the "
            f"{found.n_asked} asked for."
        )
    if found.n_control and found.n_control != found.n_people:
        notes.append(
            f"Singling out: {found.n_people} people against {found.n_control} in the control group; the verdict "
            "compares random parts of both, as large as the smaller one."
        )
    if found.rates.needs_control and not found.n_control and found.rates.attack.n:
        notes.append(
            f"Singling out, {found.mode}: without a control group nobody can tell whether the attack beats guessing; a "
            "rare value singles out somebody among other people, too."
        )
    return notes


SINGLING_OUT = AttackKind("Singling out: predicates that fit exactly one person", _attack)
