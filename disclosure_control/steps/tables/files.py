"""The files of the step: each table as CSV, all of them as a page, and the sheet of checks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from disclosure_control.basics.drawings.style import page_style
from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.steps.tables.brought import TableRead
from disclosure_control.table_protection.blocks import Counted
from disclosure_control.table_protection.houses import HouseRules
from disclosure_control.table_protection.protection import ProtectedBlock

TEMPLATES = Path(__file__).parent / "templates"
PAGE, CHECKS = "tables/tables.html", "tables_checks.csv"


@dataclass(frozen=True, eq=False)
class TableToLeave:
    """A table as it was read, and its blocks as they may leave, by what they are."""

    read: TableRead
    blocks: Mapping[str, ProtectedBlock] = field(repr=False)

    @property
    def file(self) -> str:
        """Its file among the results."""
        return f"tables/{Path(self.read.name).stem}.csv"

    def released(self) -> pd.DataFrame:
        """The table as it may leave, cells as text: as they came, ``masked`` or rounded; without contributors."""
        settings, cells = self.read.settings, self.read.cells.copy()
        numbers = self._numbers()
        for one in self.read.placed:
            is_count = self.blocks[one.block].block.counted is Counted.PEOPLE
            column = list(cells.columns).index(one.column)
            cells.iloc[one.rows, column] = _told(cells.iloc[one.rows, column], numbers[one.column][one.rows], is_count)
        counts = numbers[settings.counts] if settings.counts else np.zeros(len(cells))
        for name in settings.shares:
            cells[name] = _shares(cells[name], counts, numbers[settings.of or ""])
        for name in settings.hidden_with:
            cells[name] = cells[name].where(~np.isnan(counts) | (cells[name] == ""), MASKED)
        contributors = [column for columns in settings.largest.values() for column in columns]
        return cells.drop(columns=contributors)

    def _numbers(self) -> dict[str, np.ndarray]:
        """The numbers of each column (n_rows,) as they may leave, NaN where they are masked."""
        found: dict[str, np.ndarray] = {}
        for one in self.read.placed:
            column = found.setdefault(one.column, np.full(len(self.read.cells), np.nan))
            column[one.rows] = self.blocks[one.block].released[one.at]
        return found

    def checks(self) -> Iterator[dict[str, object]]:
        """A row for each masked cell: which rule, and how wide what can be known of it is; no number of the table."""
        columns = {placed.block: placed.column for placed in self.read.placed}
        for name, one in self.blocks.items():
            dimensions = one.block.dimensions
            for at in zip(*np.nonzero(one.is_primary | one.is_secondary), strict=True):
                place = tuple(map(int, at))
                cell = "; ".join(f"{by.name}={by.categories[i]}" for by, i in zip(dimensions, place, strict=True))
                yield {
                    "table": self.read.name,
                    "numbers": self.read.settings.across or columns.get(name, name),
                    "cell": cell,
                    "masked": "by a rule" if one.is_primary[at] else "so that no other can be calculated",
                    "rule": one.rules.get(place, ""),
                    "proven_width": _number(one.up[at] + one.down[at]),
                    "promised_width": _number(one.promised[at]),
                }


def checks_sheet(tables: Sequence[TableToLeave]) -> pd.DataFrame:
    """Every masked cell of every table with its rule and its proof."""
    columns = ["table", "numbers", "cell", "masked", "rule", "proven_width", "promised_width"]
    return pd.DataFrame([row for table in tables for row in table.checks()], columns=columns)


def tables_page(tables: Sequence[TableToLeave], rules: HouseRules, how: str) -> bytes:
    """The tables as a page that needs nothing else; ``how`` says what was done to them."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    page = environment.get_template("tables.html").render(
        tables=[_on_page(table) for table in tables],
        masked=MASKED,
        house=rules.name,
        source=rules.source,
        how=how,
        style=page_style(),
    )
    return page.encode("utf-8")


def _on_page(table: TableToLeave) -> dict[str, object]:
    settings, cells = table.read.settings, table.released()
    columns = list(cells.columns)
    return {
        "name": table.read.name,
        "columns": columns,
        "names": [columns.index(name) for name in settings.dimensions],
        "total": settings.total,
        "rows": cells.to_numpy().tolist(),
    }


def _told(cells: pd.Series, numbers: np.ndarray, is_count: bool) -> pd.Series:
    """Cells as they came, but masked where the number (n_rows,) is NaN; counts as they were rounded."""
    texts = [
        MASKED if np.isnan(number) and cell else number_text(float(number)) if is_count and cell else cell
        for cell, number in zip(cells.tolist(), numbers, strict=True)
    ]
    return pd.Series(texts, cells.index, dtype="str")


def _shares(cells: pd.Series, counts: np.ndarray, of: np.ndarray) -> pd.Series:
    """Shares of what is released, as percent where they came so."""
    came = pd.to_numeric(cells.str.rstrip("%"), errors="coerce")
    sign = "%" if cells.str.endswith("%").any() else ""
    scale, digits = (100, 1) if sign or came.max() > 1 else (1, 3)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(of > 0, scale * counts / of, np.nan)
    texts = [
        MASKED if np.isnan(n) or np.isnan(m) else "" if m == 0 else f"{one:.{digits}f}{sign}"
        for one, n, m in zip(share, counts, of, strict=True)
    ]
    return pd.Series(texts, cells.index, dtype="str")


def _number(value: float) -> float | int:
    return int(value) if float(value).is_integer() else round(float(value), 6)
