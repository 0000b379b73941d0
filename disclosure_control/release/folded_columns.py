"""Columns that the merge folds of others, such as the choices of a checkbox, in the files that leave."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from disclosure_control.basics.telling.words import in_one_line
from disclosure_control.release.people import RecodedColumn
from study.models.roles import TableModel


def with_folded_columns(
    frame: pd.DataFrame, domain: str, table: TableModel | None, recoded: Mapping[str, RecodedColumn]
) -> pd.DataFrame:
    """The rows of a file with the folded columns that the treatment recoded, each before the first of its parts.

    Such a column leaves in place of its parts, which would say again what it said.
    """
    if table is None:
        return frame
    for name in folded_columns(table):
        if name in frame or f"{domain}__{in_one_line(name)}" not in recoded:
            continue
        parts = [i for i, part in enumerate(frame) if table.columns[str(part)].part_of == name]
        values, frame = table.derived[name](frame), frame.copy(deep=False)
        frame.insert(min(parts, default=len(frame.columns)), name, values)
    return frame


def folded_columns(table: TableModel) -> list[str]:
    """The columns that the merge makes of others, which are parts of them."""
    whole = dict.fromkeys(column.part_of for column in table.columns.values())
    return [name for name in whole if name in table.derived]
