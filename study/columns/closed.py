"""Columns that stay here until a person decides, in groups by what their values look like: one question for each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase

import numpy as np

from disclosure_control.basics.telling.words import listed
from study.columns.profile import MAY_BE_DATES, NO_VALUES, ColumnProfile, Known, Status, UnderstoodAs, seen_in
from study.formats.messages import all_files_setting
from study.models.values_seen import ValuesSeen

FEW = 20  # different values of a column, which count as codes of categories
FEWEST_OF_A_STEM = 3  # columns that one pattern stands for
BETWEEN, ANY = " | ", "*"
_GROUP_OF = "group of"  # begins the evidence of a row that the tool wrote for several columns


class Look(StrEnum):
    """What the values of a column look like: the groups, and the words for them."""

    TWO = "two values, such as yes and no"
    FEW = "a few codes or words that many people share"
    DAYS = MAY_BE_DATES
    WHOLE = "whole numbers"
    MEASURED = "numbers with decimals"
    WORDS = "words or codes of few people"


def look_of(column: str, values: ValuesSeen) -> Look:
    """What the values of a column look like; dates, ids and texts are understood by their form, and in no group."""
    seen = seen_in(column, values)
    if seen == MAY_BE_DATES:
        return Look.DAYS
    if values.n_distinct <= 2:
        return Look.TWO
    if values.n_distinct <= FEW and values.are_short:
        return Look.FEW
    if seen != "numbers":
        return Look.WORDS
    numbers = values.numbers[~np.isnan(values.numbers)]
    return Look.WHOLE if (numbers == np.round(numbers)).all() else Look.MEASURED


@dataclass(frozen=True)
class ClosedGroup:
    """Columns whose values look alike, by ``table`` and name."""

    look: Look
    columns: tuple[tuple[str, str], ...]

    @property
    def words(self) -> str:
        """The group for a screen."""
        several = len({table for table, _ in self.columns}) > 1
        names = [f"{table}.{column}" if several else column for table, column in self.columns]
        return f"{self.look}: {listed(names, at_most=12)}"


def groups_of(looks: Iterable[tuple[str, str, Look]]) -> list[ClosedGroup]:
    """The groups of columns, each given by table, name and look; those that say least come last."""
    found = list(looks)
    columns = {look: tuple((table, column) for table, column, one in found if one is look) for look in Look}
    return [ClosedGroup(look, of_look) for look, of_look in columns.items() if of_look]


def rows_of(groups: Iterable[ClosedGroup], rows: Sequence[ColumnProfile]) -> Iterator[ColumnProfile]:
    """Two rows of the sheet for each group of several columns, of which a person agrees to one.

    ``rows`` are those of columns that are in no group. Each column whose numbers may be dates is a question of its own.
    """
    for group in groups:
        if len(group.columns) == 1 or group.look is Look.DAYS:
            continue
        tables = dict.fromkeys(table for table, _ in group.columns)
        table = next(iter(tables)) if len(tables) == 1 else ANY
        of_others = [row.column for row in rows]
        column = BETWEEN.join(_as_patterns(list(dict.fromkeys(name for _, name in group.columns)), of_others))
        what = f"{_GROUP_OF} {len(group.columns)} columns: {group.look}"
        for known, words in ((Known.YES, "outsiders know them"), (Known.NO, "outsiders do not know them")):
            yield ColumnProfile(
                *(table, column, UnderstoodAs.CATEGORY),
                known_to_outsiders=known,
                evidence=f"{what}; agree to this row if {words}",
                status=Status.TO_DECIDE,
            )


def _as_patterns(names: Sequence[str], others: Sequence[str]) -> Iterator[str]:
    """The names, or a pattern in place of several that begin alike, where it matches no other column."""
    stems: dict[str, list[str]] = {}
    for name in names:
        stems.setdefault(re.sub(r"[^_]+$|\d+[a-z]?$", "", name), []).append(name)
    for stem, of_stem in stems.items():
        is_one = (
            len(stem) > 1
            and len(of_stem) >= FEWEST_OF_A_STEM
            and not any(map(str.startswith, others, [stem] * len(others)))
        )
        yield from [f"{stem}{ANY}"] if is_one else of_stem


def is_pattern(row: ColumnProfile) -> bool:
    """Whether a row stands for several columns. A heading with such a sign has a row with what was seen."""
    return any(sign in row.column for sign in (ANY, BETWEEN.strip())) and not row.seen and not row.is_understood


def is_asked(row: ColumnProfile) -> bool:
    """Whether the values of a column stay here, and a person has to decide about it."""
    return row.stays_here and row.seen != NO_VALUES


def of_dates(row: ColumnProfile) -> str:
    """What to do about a column whose numbers may be dates."""
    setting = all_files_setting("files", {row.table: {"dates": {row.column: "R"}}})
    return f'its numbers may be dates: declare from when they count, such as {setting}, or write "number" as its role'


def is_of_the_tool(row: ColumnProfile) -> bool:
    """Whether a row for several columns was prepared, and nobody agreed to it yet."""
    return is_pattern(row) and row.evidence.startswith(_GROUP_OF) and not row.decision


def holds_for(pattern: ColumnProfile, row: ColumnProfile) -> bool:
    """Whether a row for several columns stands for this one; what is new it stands for only by its whole name.

    It stands for no column whose numbers may be dates.
    """
    if row.may_be_dates or not fnmatchcase(row.table, pattern.table):
        return False
    names = [name.strip() for name in pattern.column.split(BETWEEN.strip())]
    return row.column in names or (row.status is not Status.NEW and any(fnmatchcase(row.column, one) for one in names))
