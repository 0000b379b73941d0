"""What may be said of a compared table, and how: shares of enough people, rows of enough people, and their names."""

from __future__ import annotations

import numpy as np

from disclosure_control.basics.telling.small_counts import HAND_TO_HAND
from disclosure_control.study_tables.comparison import LEAST, ComparedTable
from disclosure_control.study_tables.table import CellKind

# Tables whose rows are parts of their first row; and those whose rows of a group are parts of a whole.
_CONTAINED, _PARTS = ("adverse_events",), ("demographics", "disposition")
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def number_in_words(n: int) -> str:
    """A small number as a word."""
    return _NUMBERS[n] if n < len(_NUMBERS) else f"{n:,}"


def bands_in_words(n: int) -> str:
    """So many bands, or other categories."""
    return f"{number_in_words(n)} {'band' if n == 1 else 'bands'}"


def name_of_group(group: str) -> str:
    """A column or test as it is named in a sentence: ``age`` of AGE."""
    return group.lower() if group.isupper() and len(group) > 2 else group


def rows_may_be_named(table: ComparedTable) -> np.ndarray:
    """Which rows (n_rows,) may be named where some of them are hidden: those that enough people had."""
    n: np.ndarray = table.before.n.sum(axis=1) >= LEAST
    return n | (table.before.is_main & np.array([row == group for row, group in _labels(table)], dtype=bool))


def _labels(table: ComparedTable) -> list[tuple[str, str]]:
    return list(zip(table.before.rows, table.before.groups, strict=True))


def row_in_words(table: ComparedTable, row: int) -> str:
    """A row within a sentence: ``any adverse event``, ``race WHITE``."""
    name, group = table.before.rows[row], table.before.groups[row]
    words = name if name[1:2].isupper() else name[:1].lower() + name[1:]
    return f"{name_of_group(group)} {words}" if table.before.name == "demographics" else words


def arm_and_row(table: ComparedTable, row: int, column: int) -> str:
    """A comparison by name: ``any adverse event (High against Placebo)``."""
    name = row_in_words(table, row)
    if table.reference is None:
        return name
    return f"{name} ({table.before.columns[column]} against {table.before.columns[table.reference]})"


def told_cells(table: ComparedTable) -> np.ndarray:
    """Which shares (n_rows, n_columns) may be shown both before and after.

    Not if few people have what the row says, or all but few; nor if so few more or less have it after than before; nor
    if another row of the table and the whole would give such a number away.
    """
    before, after = table.before, table.after
    counts = (
        before.n,
        before.of - before.n,
        after.n,
        after.of - after.n,
        np.abs(before.n - after.n),
        np.abs((before.of - before.n) - (after.of - after.n)),
    )
    hidden = np.any([HAND_TO_HAND.are_small(np.nan_to_num(one)) for one in counts], axis=0)
    hidden |= ~table.is_compared | np.isnan(after.value) | ~rows_may_be_named(table)[:, None]
    if before.name in _CONTAINED:  # in the first row
        for side in (before, after):
            is_near = HAND_TO_HAND.are_small(np.abs(side.n - side.n[:1]))
            is_near[:1] = False
            hidden |= is_near
    if before.name in _PARTS:
        for group in dict.fromkeys(before.groups):
            rows = np.flatnonzero(np.array(before.groups) == group)
            for column in range(hidden.shape[1]):
                for side in (before, after):
                    also = hidden[rows, column]
                    hidden[rows, column] |= HAND_TO_HAND.hidden_parts(side.n[rows, column].astype(np.int64), also)
    return ~hidden


def changed_share(table: ComparedTable) -> str:
    """The share that changed most, of those that may be shown: ``any adverse event, Placebo 81% to 50% of people``."""
    if table.before.kind is not CellKind.SHARE:
        return ""
    change = np.where(told_cells(table), np.abs(np.nan_to_num(table.change)), 0)
    if not change.size or not change.max():
        return ""
    row, column = np.unravel_index(int(np.argmax(change)), change.shape)
    name = table.before.rows[row]
    before, after = table.before.value[row, column], table.after.value[row, column]
    of_arm = f"{table.before.columns[column]} " if table.reference is not None else ""
    return (
        f"{name[:1].lower() + name[1:] if not name.isupper() else name}, {of_arm}{before:.0%} to {after:.0%} of people"
    )
