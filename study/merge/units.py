"""A number and its unit are one value: ages, weights and lengths of several units, in one unit.

Where a column beside names the units, 18 months are 1.5 years and no 18 years. In a table of results, each test in each
unit is a measurement of its own already.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import number_text, parse_numbers
from disclosure_control.basics.telling.faults import FaultyInputError
from study.concepts import concept_of
from study.formats.messages import Note, shown_name
from study.formats.tables import SourceTable
from study.headings import words_of

_MEASURED = ("age", "height or weight")
_USUAL = {"time": "YEARS", "weight": "kg", "length": "cm"}
_UNIT = frozenset("unit units u einheit einheiten unité unites unita unidad unidades eenheid jednostka".split())  # noqa: SIM905


@cache
def _kinds() -> dict[str, Mapping[str, float]]:
    """How much of years, kilograms and centimetres each of a few units is, by its words in small letters."""
    found = json.loads(Path(__file__).with_name("units.json").read_text(encoding="utf-8"))
    return {kind: found[kind] for kind in _USUAL}


def with_one_unit(table: SourceTable) -> SourceTable:
    """The table, its ages, weights and lengths of several units in the usual one, with notes.

    A number whose unit is not known becomes missing. Raises ``FaultyInputError`` for a table that is not in memory.
    """
    for column, unit in _pairs(table):
        counts = table.counts_of(unit)
        usual, factor_of = _factors([str(text) for text in counts.index])
        if len(set(factor_of.values())) < 2:
            continue
        if len(table.frame) != table.n_rows:
            raise FaultyInputError(
                f"{table.file_name}: {shown_name(column)} has several units ({shown_name(unit)}), which are "
                "made one with all records in memory alone; convert them in the source, or use --engine memory"
            )
        table = _converted(table, column, unit, usual, factor_of)
    return table


def _pairs(table: SourceTable) -> Iterator[tuple[str, str]]:
    """Columns of numbers that people have one of, each with the column that names its unit."""
    names = list(map(str, table.frame.columns))
    measured = {name: words_of(name) for name in names if (it := concept_of(name)) and it.name in _MEASURED}
    measured |= {name: words_of(name) for name in names if name in ("AGE", "AAGE")}
    for name, words in measured.items():
        for other in names:
            of_unit = words_of(other).split()
            rest = " ".join(word for word in of_unit if word not in _UNIT)
            if other == f"{name}U" or (rest == words and len(of_unit) > len(rest.split())):
                yield name, other
                break


def _factors(texts: list[str]) -> tuple[str, dict[str, float | None]]:
    """The usual unit of some texts, all of one kind of unit, and how much of it each is; None of what is no such unit.

    The usual one is written as the texts have it, if they do.
    """
    small = {text: text.strip().rstrip(".").casefold() for text in texts}
    kind = max(_kinds(), key=lambda one: sum(word in _kinds()[one] for word in small.values()))
    found = {text: _kinds()[kind].get(word) for text, word in small.items()}
    return next((text for text, factor in found.items() if factor == 1), _USUAL[kind]), found


def _converted(
    table: SourceTable, column: str, unit: str, usual: str, factor_of: Mapping[str, float | None]
) -> SourceTable:
    values, units = table.frame[column], table.frame[unit]
    codes, distinct = pd.factorize(units)
    factors = np.array([*(np.nan if (one := factor_of[str(text)]) is None else one for text in distinct), np.nan])[
        codes
    ]
    is_other = (values.notna() & (factors != 1)).to_numpy()
    numbers = parse_numbers(values[is_other]) * factors[is_other]
    n_lost = int(np.isnan(numbers).sum())
    if values.dtype.kind == "f":
        values = values.mask(is_other)
        values[is_other] = numbers
    else:
        texts = [None if np.isnan(one) else number_text(round(float(one), 4)) for one in numbers]
        values = values.astype(object)
        values[is_other] = texts
        values = values.astype("str")
    frame = table.frame.assign(**{column: values, unit: units.mask(units.notna(), usual)})

    def write(told: Callable[..., str]) -> str:
        made = f"{shown_name(column)} in several units ({shown_name(unit)}): {told(int(is_other.sum()))} made {usual}"
        return made + (f"; {told(n_lost)} have no unit that is known, and are read as missing" if n_lost else "")

    return dataclasses.replace(table, frame=frame, notes=(*table.notes, Note.of(write)))
