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
from disclosure_control.steps.tables.brought import COUNTS, OF, TableRead
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
        for name, block in self.blocks.items():
            for column, at in self.read.places[name].items():
                numbers = block.released[at]
                if settings.across is None:
                    cells[column] = _told(cells[column], numbers, is_count=name in (COUNTS, OF))
                else:
                    self._set_wide(cells, numbers)
        counts = self._of_rows(COUNTS)
        for column in settings.shares:
            cells[column] = _shares(cells[column], counts, self._of_rows(OF))
        for column in settings.hidden_with:
            cells[column] = cells[column].where(~np.isnan(counts), MASKED)
        contributors = [column for columns in settings.largest.values() for column in columns]
        return cells.drop(columns=contributors)

    def _of_rows(self, name: str) -> np.ndarray:
        (at,) = self.read.places[name].values()
        return self.blocks[name].released[at]

    def _set_wide(self, cells: pd.DataFrame, numbers: np.ndarray) -> None:
        columns = [name for name in cells.columns if name not in self.read.settings.dimensions]
        for at, column in enumerate(columns):
            rows = slice(at * len(cells), (at + 1) * len(cells))
            cells[column] = _told(cells[column], numbers[rows], is_count=True)

    def checks(self) -> Iterator[dict[str, object]]:
        """A row for each masked cell: which rule, and how wide what can be known of it is; no number of the table."""
        for name, one in self.blocks.items():
            dimensions = one.block.dimensions
            for at in zip(*np.nonzero(one.is_primary | one.is_secondary), strict=True):
                place = tuple(map(int, at))
                cell = "; ".join(f"{by.name}={by.categories[i]}" for by, i in zip(dimensions, place, strict=True))
                yield {
                    "table": self.read.name,
                    "numbers": next(iter(self.read.places[name])),
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
