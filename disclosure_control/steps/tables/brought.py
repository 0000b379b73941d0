"""A table that the user brings, read as blocks of numbers: every fault of the file at once, and no value in it."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import parse_numbers
from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.telling.faults import FaultyInputError, nearest_name, stop_at
from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.steps.tables.settings import BroughtTable
from disclosure_control.table_protection.blocks import Block, Counted, Dimension, completed
from disclosure_control.table_protection.earlier import with_likely_numbers

COUNTS, OF, EARLIER = "counts", "of", "earlier"
_HIDDEN = ("", MASKED)  # of an earlier table: cells that it did not show


@dataclass(frozen=True, eq=False)
class PlacedNumbers:
    """Where numbers of a table stand in a block: the ``column``, its ``rows`` (n,), and their place ``at`` in it."""

    block: str
    column: str
    rows: np.ndarray = field(repr=False)
    at: tuple[np.ndarray, ...] = field(repr=False)


@dataclass(frozen=True, eq=False)
class TableRead:
    """A table as read: its ``cells`` as text, its ``blocks`` by name, and where its numbers stand in them."""

    name: str
    settings: BroughtTable
    cells: pd.DataFrame = field(repr=False)
    blocks: Mapping[str, Block] = field(repr=False)
    placed: Sequence[PlacedNumbers] = field(repr=False)


def read_table(file: SourceFile, settings: BroughtTable) -> TableRead:
    """The table in a file. Raises ``FaultyInputError`` with every fault of it."""
    cells = _cells(file)
    stop_at(_columns_at_fault(cells, file.name, settings))
    long = _long(cells, settings)
    dimensions = _dimensions(long, settings)
    numbers, faults = _numbers(long, file.name, settings)
    place = [_codes(long[one.name], one) for one in dimensions]
    n_twice = int(pd.MultiIndex.from_arrays(place).duplicated().sum())
    if n_twice:
        faults.append(
            f"{file.name}: {n_twice} rows repeat the categories of an earlier row; one row for each cell is allowed"
        )
    stop_at(faults)
    return _as_read(file.name, settings, cells, numbers, dimensions, place)


def read_earlier(file: SourceFile, now: TableRead) -> Block:
    """The counts of the same table as it left before; masked and empty cells are not known to its readers.

    Raises ``FaultyInputError`` if it has other columns or categories, or numbers that cannot be.
    """
    counts, key = now.blocks[COUNTS], now.settings.counts or COUNTS
    cells = _cells(file)
    needed = [*now.settings.dimensions, *([now.settings.counts] if now.settings.counts else [])]
    stop_at(
        f"{file.name}: column {column!r} is not in the file{nearest_name(column, cells.columns)}; an earlier table has "
        f"the columns of {now.name}"
        for column in needed
        if column not in cells.columns
    )
    long = _long(cells, now.settings)
    unknown = {
        one.name: len(set(long[one.name]) - set(one.categories)) for one in counts.dimensions if one.name in long
    }
    faults = [
        f"{file.name}: column {name!r} has {n} categories that {now.name} does not have; add them there, with 0 people"
        for name, n in unknown.items()
        if n
    ]
    are_hidden = long[key].isin(_HIDDEN).to_numpy()
    numbers = parse_numbers(long[key].where(~are_hidden, "0"))
    n_wrong = int((np.isnan(numbers) | (numbers < 0) | (numbers % 1 != 0)).sum())
    if n_wrong:
        faults.append(
            f'{file.name}: column {key!r}: {n_wrong} cells are neither whole numbers nor "{MASKED}" nor empty'
        )
    stop_at(faults)
    at = tuple(_codes(long[one.name], one) for one in counts.dimensions)
    block = _block(f"{counts.population}, earlier", list(counts.dimensions), at, np.where(are_hidden, np.nan, numbers))
    block.shown[at] = ~are_hidden
    names = tuple(one.name for one in counts.dimensions)
    block = replace(block, fixed=block.shown, whole_of=(counts.population, names))
    filled = with_likely_numbers(block, completed(counts)[0].values)
    if filled is None:
        raise FaultyInputError(
            f"{file.name}: no numbers of people agree with what it shows; bring the table as it left"
        )
    return filled


def _cells(file: SourceFile) -> pd.DataFrame:
    try:
        text = file.content.decode("utf-8-sig")
        cells = pd.read_csv(io.StringIO(text), dtype="str", keep_default_na=False, sep=None, engine="python")
    except (UnicodeDecodeError, ValueError, pd.errors.ParserError, pd.errors.EmptyDataError):
        raise FaultyInputError(
            f"{file.name}: not a table; allowed: CSV in UTF-8 with a line of headings, and as many cells in every line"
        ) from None
    if not len(cells):
        raise FaultyInputError(f"{file.name}: has no rows below its headings")
    return cells.apply(lambda column: column.str.strip())


def _columns_at_fault(cells: pd.DataFrame, name: str, settings: BroughtTable) -> Iterator[str]:
    """Columns that are named and not there, and, of a long table, those that are there and not named."""
    named = {
        "dimensions": settings.dimensions,
        "counts": [settings.counts] if settings.counts else [],
        "of": [settings.of] if settings.of else [],
        "shares": settings.shares,
        "sums": settings.sums,
        "means": settings.means,
        "largest": [column for columns in settings.largest.values() for column in columns],
        "hidden_with": settings.hidden_with,
    }
    there = [str(column) for column in cells.columns]
    for key, columns in named.items():
        for column in columns:
            if column not in there:
                yield f"{name}: column {column!r} of {key!r} is not in the file{nearest_name(column, there)}"
    every = [column for columns in named.values() for column in columns]
    for column in dict.fromkeys(every):
        if every.count(column) > 1:
            yield f"{name}: column {column!r} is named {every.count(column)} times; give each column one meaning"
    unknown = [column for column in there if column not in every]
    if settings.across is None and unknown:
        yield (
            f"{name}: nobody says what {len(unknown)} columns are ({', '.join(map(repr, unknown[:8]))}); name them "
            'under "hidden_with", or under what they are, or leave them out of the file'
        )
    if settings.across is not None and not unknown:
        yield f"{name}: has no columns beside the dimensions, so nothing is across; name the column of the counts"


def _long(cells: pd.DataFrame, settings: BroughtTable) -> pd.DataFrame:
    """One row per cell; of a wide table the rows of its first column of counts first."""
    if settings.across is None:
        return cells
    long = cells.melt(list(settings.dimensions), var_name=settings.across, value_name=COUNTS)
    return long.astype("str")


def _dimensions(long: pd.DataFrame, settings: BroughtTable) -> list[Dimension]:
    names = [*settings.dimensions, *([settings.across] if settings.across else [])]
    return [_dimension(long[name], settings) for name in names]


def _dimension(column: pd.Series, settings: BroughtTable) -> Dimension:
    name = str(column.name)
    parents = dict(settings.parents.get(name, {}))
    found = [one for one in dict.fromkeys(column.tolist()) if one != settings.total]
    if not found:  # totals alone are cells like others
        return Dimension(name, (settings.total,), {}, settings.total, name in settings.several)
    sums: dict[str, tuple[str, ...]] = {}
    waiting = list(dict.fromkeys(parent for parent in parents.values() if parent != settings.total))
    leaves = [one for one in found if one not in waiting]
    for subtotal in sorted(waiting, key=lambda one: -_depth(one, parents)):
        sums[subtotal] = tuple(one for one in (*leaves, *sums) if parents.get(one) == subtotal)
    top = tuple(one for one in (*leaves, *sums) if parents.get(one, settings.total) == settings.total)
    overlaps = name in settings.several
    if not overlaps or settings.total in set(column.tolist()):
        sums[settings.total] = top
    return Dimension(name, tuple(leaves), sums, settings.total, overlaps)


def _depth(category: str, parents: Mapping[str, str]) -> int:
    depth, seen = 0, {category}
    while category in parents and parents[category] not in seen:
        category = parents[category]
        seen.add(category)
        depth += 1
    return depth


def _codes(column: pd.Series, one: Dimension) -> np.ndarray:
    place = {category: at for at, category in enumerate(one.categories)}
    return np.array([place[category] for category in column.tolist()])


def _numbers(long: pd.DataFrame, name: str, settings: BroughtTable) -> tuple[dict[str, np.ndarray], list[str]]:
    """The columns of numbers (n_rows,) by name, and the faults of their cells by kind and count."""
    people = [column for column in (settings.counts or COUNTS, settings.of) if column is not None]
    largest = [column for columns in settings.largest.values() for column in columns]
    found, faults = {}, []
    for column in (*people, *settings.sums, *settings.means, *largest):
        numbers = parse_numbers(long[column])
        is_empty = (long[column] == "").to_numpy()
        blank_is_allowed = column not in people
        n_text = int((np.isnan(numbers) & ~(is_empty & blank_is_allowed)).sum())
        if n_text:
            faults.append(
                f"{name}: column {column!r}: {n_text} cells are no numbers; allowed: numbers such as 12 or 3.5"
            )
        if column in people:
            n_wrong = int((~np.isnan(numbers) & ((numbers < 0) | (numbers % 1 != 0))).sum())
            if n_wrong:
                faults.append(
                    f"{name}: column {column!r}: {n_wrong} cells count no people; allowed: whole numbers from 0"
                )
        found[column] = numbers
    return found, faults


def _as_read(
    name: str,
    settings: BroughtTable,
    cells: pd.DataFrame,
    numbers: Mapping[str, np.ndarray],
    dimensions: list[Dimension],
    place: list[np.ndarray],
) -> TableRead:
    at, rows = tuple(place), np.arange(len(cells))
    of_counts = numbers[settings.counts or COUNTS]
    counted = settings.about if settings.of is None else f"{settings.about}: {name}"
    by = settings.of_by or tuple(one.name for one in dimensions if one.name not in settings.several)
    counts = _block(counted, dimensions, at, of_counts)
    blocks, placed = {COUNTS: counts}, _placed_counts(cells, settings, at)
    if settings.of is not None:
        blocks[COUNTS] = replace(counts, whole_of=(settings.about, by))
        kept = [axis for axis, one in enumerate(dimensions) if one.name in by]
        at_of = tuple(at[axis] for axis in kept)
        _check_same(name, settings.of, numbers[settings.of], at_of)
        blocks[OF] = _block(settings.about, [dimensions[axis] for axis in kept], at_of, numbers[settings.of])
        placed.append(PlacedNumbers(OF, settings.of, rows, at_of))
    people = np.nan_to_num(_in_shape(counts, at, of_counts))
    for column in (*settings.sums, *settings.means):
        values = numbers[column] * (of_counts if column in settings.means else 1)
        block = _block(f"{counted}: {column}", dimensions, at, values)
        contributors = [np.nan_to_num(_in_shape(block, at, numbers[one])) for one in settings.largest.get(column, ())]
        largest = np.stack(contributors, axis=-1) if contributors else None
        blocks[column] = replace(block, counted=Counted.SUM, people=people, largest=largest)
        placed.append(PlacedNumbers(column, column, rows, at))
    return TableRead(name, settings, cells, blocks, placed)


def _placed_counts(cells: pd.DataFrame, settings: BroughtTable, at: tuple[np.ndarray, ...]) -> list[PlacedNumbers]:
    """Where the counts stand: in one column, or across several, whose rows come one after the other."""
    rows = np.arange(len(cells))
    if settings.across is None:
        return [PlacedNumbers(COUNTS, settings.counts or COUNTS, rows, at)]
    columns = [str(name) for name in cells.columns if name not in settings.dimensions]
    parts = [tuple(one[len(rows) * k : len(rows) * (k + 1)] for one in at) for k in range(len(columns))]
    return [PlacedNumbers(COUNTS, column, rows, part) for column, part in zip(columns, parts, strict=True)]


def _block(population: str, dimensions: list[Dimension], at: tuple[np.ndarray, ...], numbers: np.ndarray) -> Block:
    shape = [len(one.categories) for one in dimensions]
    shown = np.zeros(shape, dtype=bool)
    shown[at] = True
    values = np.full(shape, np.nan)
    values[at] = numbers
    return Block(population, tuple(dimensions), values, shown)


def _in_shape(block: Block, at: tuple[np.ndarray, ...], numbers: np.ndarray) -> np.ndarray:
    values = np.full(block.values.shape, np.nan)
    values[at] = numbers
    return values


def _check_same(name: str, column: str, numbers: np.ndarray, at: tuple[np.ndarray, ...]) -> None:
    by_place = (
        pd.Series(numbers).groupby(list(at) if at else np.zeros(len(numbers)), dropna=False).nunique(dropna=False)
    )
    n_several = int((by_place > 1).sum())
    if n_several:
        raise FaultyInputError(
            f"{name}: column {column!r} has several numbers for the same people in {n_several} cases; name under "
            '"of_by" every dimension that it differs by'
        )
