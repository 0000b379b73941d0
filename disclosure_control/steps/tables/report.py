"""The report of the step ``tables``: how much of each table is masked, and how little can be known of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.sections import Details, Part, Section, Sentence, Style, Table, Where
from disclosure_control.basics.telling.words import counted, listed
from disclosure_control.steps.tables import OUTLINES
from disclosure_control.steps.tables.files import CHECKS, PAGE, TableToLeave
from disclosure_control.table_protection.houses import HouseRules
from disclosure_control.table_protection.protection import ProtectedTables, ProtectionMethod

ROWS_BESIDE_TABLES = Reason(
    Gravity.OUTSIDERS_CAN_SINGLE_OUT,
    "The study's own tables count everybody as the study came in. Beside the rows of released/ they tell of the "
    "people and terms that were left out.",
    'hand on the tables alone, without released/; or take "study" out of "tables"',
)


@dataclass(frozen=True)
class OneTableTold:
    """A table as in the JSON summary: its cells, and how many are masked by a rule, or for the sake of those."""

    table: str
    cells: int
    masked_by_a_rule: int
    masked_with_them: int


@dataclass(frozen=True)
class TablesTold:
    """The findings as in the JSON summary: numbers of cells, and no number of a table.

    ``narrowest``: how wide what can be known of a masked or rounded small count is at least, proven; None without one.
    """

    house: str
    source: str
    not_confirmed: Sequence[str]
    method: str
    smallest_count_shown: int
    rounded_to: int | None
    promised_width: int
    narrowest: float | None
    promises_not_kept: int
    tables: Sequence[OneTableTold]


def told_tables(
    tables: Sequence[TableToLeave], found: ProtectedTables, rules: HouseRules, method: ProtectionMethod
) -> TablesTold:
    """The findings of the step."""
    return TablesTold(
        house=rules.name,
        source=rules.source,
        not_confirmed=list(rules.not_confirmed),
        method=str(method),
        smallest_count_shown=rules.minimum,
        rounded_to=(rules.round_to or rules.minimum) if method is ProtectionMethod.ROUND else rules.round_to,
        promised_width=rules.promised,
        narrowest=found.narrowest,
        promises_not_kept=found.n_unproven,
        tables=[_one_told(table) for table in tables],
    )


def _one_told(table: TableToLeave) -> OneTableTold:
    blocks = list(table.blocks.values())
    cells, primary, secondary = (
        sum(int(np.sum(cells)) for cells in arrays)
        for arrays in (
            (one.block.shown for one in blocks),
            (one.is_primary for one in blocks),
            (one.is_secondary for one in blocks),
        )
    )
    return OneTableTold(table.read.name, cells, primary, secondary)


def how_it_was_done(told: TablesTold) -> str:
    """What was done to the tables, for those who read them: the rule, and no number that is masked."""
    rounded = f" Counts are rounded to multiples of {told.rounded_to}" if told.rounded_to else ""
    adds_up = ", and totals add up." if told.method == ProtectionMethod.ROUND else "; totals need not add up."
    return (
        f"Counts of fewer than {told.smallest_count_shown} people, and what would disclose them, are masked or "
        f'rounded. "masked" does not say whether a number is small: others are masked so that small ones cannot be '
        f"calculated.{rounded + adds_up if rounded else ''}"
    )


def reasons_to_hold(told: TablesTold) -> tuple[Reason, ...]:
    """Why the tables may not leave: a promise that nothing keeps."""
    if not told.promises_not_kept:
        return ()
    return (
        Reason(
            Gravity.THRESHOLD_NOT_MET,
            f"Tables: {counted(told.promises_not_kept, 'cell')} can be calculated too closely from tables that left "
            "before, whatever is masked now. No table is written.",
            'leave out of the files under "tables" what the earlier tables show, or combine categories',
        ),
    )


def tables_sections(told: TablesTold, files: Sequence[str]) -> tuple[Section, ...]:
    """How much of each table is masked, by which rules, with which proof; the files."""
    return (OUTLINES[0].section(_parts(told, files)),)


def _parts(told: TablesTold, files: Sequence[str]) -> Iterator[Part]:
    cells = sum(one.cells for one in told.tables)
    primary = sum(one.masked_by_a_rule for one in told.tables)
    secondary = sum(one.masked_with_them for one in told.tables)
    many = counted(len(told.tables), "table")
    if told.promises_not_kept:
        yield Sentence(
            f"Tables: none of {many} may leave. {counted(told.promises_not_kept, 'cell')} can be calculated too "
            "closely.",
            Style.NOTICE,
            Where.SHORT | Where.REPORT,
        )
    else:
        yield Sentence(
            f"Tables: {many} may leave, by the rules of {told.house}. {primary + secondary} of {cells} cells are "
            f"masked: {primary} by a rule, {secondary} so that these cannot be calculated. See {PAGE}.",
            where=Where.SHORT | Where.REPORT,
        )
    yield Sentence(
        f"Counts of fewer than {told.smallest_count_shown} people are not shown"
        f"{f', and counts are rounded to multiples of {told.rounded_to}' if told.rounded_to else ''}. {told.source}.",
        Style.DEFINITION,
    )
    if told.not_confirmed:
        yield Sentence(
            f"Not compared with the source yet: {listed(told.not_confirmed)}. Ask the house, or write its rules into a "
            "file of your own.",
            Style.NOTICE,
        )
    if told.narrowest is not None and not told.promises_not_kept:
        yield Sentence(
            f"Proven: whoever reads all tables together knows no such count to within less than "
            f"{told.promised_width}. For each, two sets of numbers were found that agree with everything shown and are "
            f"{told.promised_width} or more apart there; the closest two are {number_text(told.narrowest)} apart."
        )
    rows = [[one.table, one.cells, one.masked_by_a_rule, one.masked_with_them] for one in told.tables]
    yield Table("Masked cells by table", ("Table", "Cells", "By a rule", "With them"), rows, numbers=(1, 2, 3))
    yield Sentence(
        f"{CHECKS} is for those who check: it names the rule and the proof of every masked cell. Do not hand it on.",
        Style.SMALL,
    )
    yield Details("Files written", list(files))
