"""What the recipient loses: the ledger, the study's tables before and after, masked, and whether they are of use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from disclosure_control.basics.telling.sections import Part, Section, Sentence, Style, Table, Where
from disclosure_control.basics.telling.small_counts import MASKED_CELL, WHAT_MASKED_MEANS, Policy
from disclosure_control.basics.telling.words import counted
from disclosure_control.release.before_and_after import StudyCompared
from disclosure_control.release.ledger import By, Loss, losses_for
from disclosure_control.steps.release import STUDY_TABLES_OUTLINE
from disclosure_control.study_tables.comparison import ComparedTable, State
from disclosure_control.study_tables.table import CellKind
from disclosure_control.study_tables.words import changed_share, told_cells

STUDY_TABLES = "study_tables.csv"
MOST_ROWS, MOST_LINES = 20, 60  # of a main table on the page, and of the ledger


@dataclass(frozen=True)
class TableTold:
    """What became of one table, in the order of the page, which does not show the ``name``: cells, the overlap of
    intervals, and comparisons between arms by their state.
    """

    name: str
    title: str
    cells: int
    cells_changed: int
    overlap: float | None
    comparisons: int
    moved: int
    lost: int
    changed_sign_or_significance: int
    largest_change: str


@dataclass(frozen=True)
class UseTold:
    """The part ``study_tables`` of the JSON summary: counts of cells and of comparisons, and shares that may be shown.

    ``not_compared``: data sets of which no table was made. ``main``: the rows of the main tables, for people.
    """

    fit_for_use: str
    loses: str
    reasons: Sequence[str]
    tables: Sequence[TableTold]
    not_compared: Sequence[str]


def use_told(policy: Policy, compared: StudyCompared) -> UseTold:
    """What became of the tables, for the report."""
    fit = compared.fit_for(policy)
    return UseTold(
        fit_for_use=str(fit.answer),
        loses=fit.loses,
        reasons=fit.reasons,
        tables=[_told(policy, table) for table in compared.tables.values()],
        not_compared=compared.not_read,
    )


def _told(policy: Policy, table: ComparedTable) -> TableTold:
    known = table.overlap[~np.isnan(table.overlap)]
    states = table.states
    return TableTold(
        name=table.before.key,
        title=table.before.title,
        cells=int(table.is_compared.sum()),
        cells_changed=int(table.is_changed.sum()),
        overlap=round(float(known.mean()), 3) if len(known) else None,
        comparisons=int(table.is_read.sum()),
        moved=int((states == State.MOVED).sum()),
        lost=int((states == State.LOST).sum()),
        changed_sign_or_significance=int(np.isin(states, (State.SIGN, State.SIGNIFICANCE)).sum()),
        largest_change=_largest(policy, table),
    )


def _largest(policy: Policy, table: ComparedTable) -> str:
    if not table.is_changed.any():
        return "none"
    nothing_to_compare = "cells are lost" if policy.is_exact else MASKED_CELL
    if table.before.kind is CellKind.SHARE:
        return changed_share(policy, table) or nothing_to_compare
    change = np.abs(table.change[(table.is_read | policy.is_exact) & ~np.isnan(table.change)])
    if not len(change):
        return nothing_to_compare
    if not change.max():
        return "cells are lost, the others are as they were"
    units = {CellKind.SURVIVAL: "points", CellKind.MEAN: "standard deviations"}
    scale = 100 if table.before.kind is CellKind.SURVIVAL else 1
    return f"{scale * change.max():.2g} {units.get(table.before.kind, 'standard errors')}"


def use_sections(
    policy: Policy, compared: StudyCompared, losses: Sequence[Loss] = (), n_people: Sequence[int] = ()
) -> tuple[Section, ...]:
    """The section: the answer with its reasons, the ledger, what became of each table, and the main ones.

    The answer, the reasons and the figures of each table are in the evidence, too, under the loss of utility.
    ``n_people``: the published numbers of people, all and those who stay.
    """
    told = use_told(policy, compared)
    answer = tuple(_answer(told))
    return (
        STUDY_TABLES_OUTLINE.section((*answer, *_ledger(policy, losses, n_people), *_parts(policy, compared, told))),
        Section("utility", "", [replace(part, where=Where.EVIDENCE) for part in answer]),
    )


def _answer(told: UseTold) -> Iterator[Sentence | Table]:
    yield Sentence(f"Fit for use: {told.fit_for_use}. {told.loses}", Style.NOTICE)
    yield from (Sentence(reason, Style.POINT) for reason in told.reasons)
    named = [asdict(one) | {"overlap": "-" if one.overlap is None else f"{one.overlap:.1%}"} for one in told.tables]
    rows = [list(cells.values())[1:] for cells in named]
    columns = (
        "Table",
        "Cells",
        "Changed",
        "Overlap",
        "Comparisons",
        "Moved",
        "Lost",
        "Sign or significance",
        "Largest change",
    )
    yield Table("Tables of the study, as they came in and as they leave", columns, rows, range(1, 8))
    yield Sentence(
        "Overlap: of the 95% confidence intervals, on average. A comparison moved if what leaves shows a difference "
        "between two arms (without arms, a figure) outside the confidence interval of what came in. "
        f"{STUDY_TABLES} has every cell and stays in your organisation.",
        Style.SMALL,
    )


def _ledger(policy: Policy, losses: Sequence[Loss], n_people: Sequence[int]) -> Iterator[Part]:
    """What does not leave, line by line; columns that do not because of their role are among the operations."""
    shown = [loss for loss in losses_for(policy, losses) if loss.by is not By.ROLE]
    if shown:
        rows = [loss.cells(policy, n_people) for loss in shown[:MOST_LINES]]
        yield Table("What does not leave", ("What", "Name", "By whom", "People", "Rows or cells"), rows, range(3, 5))
    if (n_more := len(shown) - MOST_LINES) > 0:
        yield Sentence(f"{counted(n_more, 'further line')} not shown.", Style.SMALL)


def _parts(policy: Policy, compared: StudyCompared, told: UseTold) -> Iterator[Part]:
    for name in told.not_compared:
        yield Sentence(f"Not compared: {name}, which has more rows on disk than are read for its tables.", Style.NOTICE)
    yield from (Sentence(f"No table of {words}.", Style.NOTICE) for words in compared.not_made)
    for table in compared.tables.values():
        if table.before.is_main and table.before.kind is CellKind.SHARE:
            yield from _main_table(policy, table)


def _main_table(policy: Policy, table: ComparedTable) -> Iterator[Part]:
    told, before, after = told_cells(policy, table), table.before, table.after
    shown = np.flatnonzero(told.any(axis=1))[:MOST_ROWS].tolist()
    if not shown:
        return
    title, n_arms = f"{before.title}: share of people, as it came in → as it leaves", len(before.columns)
    shares = [f"{one:.0%} → {other:.0%}" for one, other in zip(before.value.flat, after.value.flat, strict=True)]
    cells = np.where(told, np.reshape(shares, told.shape), MASKED_CELL)
    rows = [[before.rows[row], *cells[row].tolist()] for row in shown]
    yield Table(title, ("", *before.columns), rows, range(1, n_arms + 1))
    n_more = len(before.rows) - len(shown)
    more = f" {counted(n_more, 'row')} of few people not shown." if n_more else ""
    if masks := f"{'' if policy.is_exact else WHAT_MASKED_MEANS}{more}".strip():
        yield Sentence(masks, Style.SMALL)
