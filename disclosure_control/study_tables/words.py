"""What may be said of a compared table, and how: shares of enough people, rows of enough people, and their names."""

from __future__ import annotations

import numpy as np

from disclosure_control.basics.telling.small_counts import Policy
from disclosure_control.study_tables.comparison import ComparedTable
from disclosure_control.study_tables.table import CellKind
from study.models.disposition import is_reason

# Tables whose rows are parts of their first row; and those whose rows of a group are parts of a whole.
_CONTAINED, _PARTS = ("adverse_events",), ("demographics", "disposition")
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def bands_in_words(n: int) -> str:
    """So many bands, or other categories."""
    return f"{_NUMBERS[n] if n < len(_NUMBERS) else f'{n:,}'} {'band' if n == 1 else 'bands'}"


# Variables of SDTM whose names are no words.
_CALLED = {"ETHNIC": "ethnicity", "DTHFL": "the flag of death", "BRTHDTC": "the date of birth"}


def name_of_group(group: str) -> str:
    """A column or test as it is named in a sentence: ``age`` of AGE."""
    if group in _CALLED:
        return _CALLED[group]
    return group.lower() if group.isupper() and group.isalpha() and len(group) > 2 else group


def rows_may_be_named(policy: Policy, table: ComparedTable) -> np.ndarray:
    """Which rows (n_rows,) may be named where some of them are hidden: those that enough people had, and the reasons
    to leave a study that CDISC's code list has, because every study has these.
    """
    n: np.ndarray = table.before.n.sum(axis=1) >= policy.threshold
    labels = zip(table.before.rows, table.before.groups, strict=True)
    known = [row == group or (table.before.name == "disposition" and is_reason(row)) for row, group in labels]
    return n | (table.before.is_main & np.array(known, dtype=bool))


def lowered(title: str) -> str:
    """A title within a sentence: only its first letter changes, and that of an abbreviation does not."""
    return title if title.isupper() or title[1:2].isupper() else f"{title[:1].lower()}{title[1:]}"


def row_in_words(table: ComparedTable, row: int) -> str:
    """A row within a sentence: ``any adverse event``, ``race WHITE``."""
    words = lowered(table.before.rows[row])
    return f"{name_of_group(table.before.groups[row])} {words}" if table.before.name == "demographics" else words


def arm_and_row(table: ComparedTable, row: int, column: int) -> str:
    """A comparison by name: ``any adverse event (High against Placebo)``."""
    name = row_in_words(table, row)
    if table.reference is None:
        return name
    return f"{name} ({table.before.columns[column]} against {table.before.columns[table.reference]})"


def moved_by(policy: Policy, table: ComparedTable, row: int, column: int) -> str:
    """How a difference between arms changed, `` from 13 to 35 points``; "" where both arms may not be shown."""
    reference, is_share = table.reference, table.before.kind is CellKind.SHARE
    if reference is None or not is_share or not told_cells(policy, table)[row, [column, reference]].all():
        return ""
    was, now = (100 * one.value[row, column] for one in (table.before_differences, table.after_differences))
    return f" from {was:.0f} to {now:.0f} points"


def told_cells(policy: Policy, table: ComparedTable) -> np.ndarray:
    """Which shares (n_rows, n_columns) may be shown both before and after.

    Not if few people have what the row says, or all but few; nor if so few more or less have it after than before, in
    this arm or in another one: the arms that changed would say whose arm lost them; nor if another row of the table and
    the whole would give such a number away.
    """
    before, after = table.before, table.after
    change = np.abs(before.n - after.n), np.abs((before.of - before.n) - (after.of - after.n))
    hidden = np.any([policy.are_small(np.nan_to_num(one)) for one in change], axis=0).any(axis=1, keepdims=True)
    hidden = hidden | np.isnan(after.value) | ~table.is_compared | ~rows_may_be_named(policy, table)[:, None]
    for side in (before, after):
        hidden |= policy.are_small(side.n) | policy.are_small(side.of - side.n)
        if before.name in _CONTAINED:
            hidden[1:] |= policy.are_small(np.abs(side.n - side.n[:1]))[1:]
    for group in dict.fromkeys(before.groups) if before.name in _PARTS else ():
        rows = np.flatnonzero(np.array(before.groups) == group)
        for column in range(hidden.shape[1]):
            for side in (before, after):
                also = hidden[rows, column]
                hidden[rows, column] |= policy.hidden_parts(side.n[rows, column].astype(np.int64), also)
    return ~hidden


def changed_share(policy: Policy, table: ComparedTable) -> str:
    """The share that changed most, of those that may be shown: ``any adverse event, Placebo 81% to 50% of people``."""
    if table.before.kind is not CellKind.SHARE:
        return ""
    change = np.where(told_cells(policy, table), np.abs(np.nan_to_num(table.change)), 0)
    if not change.size or not change.max():
        return ""
    row, column = np.unravel_index(int(np.argmax(change)), change.shape)
    name = lowered(table.before.rows[row])
    of_arm = f"{table.before.columns[column]} " if table.reference is not None else ""
    return f"{name}, {of_arm}{table.before.value[row, column]:.0%} to {table.after.value[row, column]:.0%} of people"
