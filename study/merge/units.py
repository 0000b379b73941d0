"""A number and its unit are one value: ages, weights and lengths of several units, in one unit.

Where a column beside names the units, 18 months are 1.5 years and no 18 years. In a table of results, each test in each
unit is a measurement of its own already.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import number_text, parse_numbers
from disclosure_control.basics.telling.faults import FaultyInputError
from study.concepts import concept_of
from study.formats.messages import Note, shown_name
from study.formats.tables import SourceTable
from study.models.role_words import role_of_heading, unit_beside, words_beside_unit

# The kinds of units in which numbers are made one; results of laboratories in several units stay.
_KINDS_OF = {"age": ("time",), "height or weight": ("weight", "length"), "a laboratory result": ()}
_LOOKED_AT = 200  # values that show whether a column may have units
# Months and weeks of infants beside years: so many of each, the years those of adults, and more than so many times the
# other numbers, which are none of adults.
_FEWEST, _ADULT, _APART = 5, 18, 1.5
_NEARLY_ALL = 0.9  # of the records whose heading names a unit
_USUAL = {"time": "YEARS", "weight": "kg", "length": "cm"}

# Units are words, with signs or powers between them: 10^9/L, mL/min/1.73 m2, mm[Hg], {score}.
_BETWEEN = re.compile(r"[/\s.,·()\[\]{}]+|\bper\b")
_POWER = re.compile(
    r"[x×]?\d*(?:[*^e]+\d+)?[⁰¹²³⁴-⁹]*|k|log(?:10)?|thou|thousand|tsd|tys|mio|mln|mill|million|international"
)
_WORD = re.compile(
    r"\d*(?:(?:(?:[kcdmnpfuμ]|mc)?(?:g|l|m|mol|eq|iu|ie|ui|u|s|pa|hz|bar|gy|v|j|kat|osm|osmol|cal)|[мкдн]*(?:г|л|м|мол|моль|ед)"
    r"|(?:milli|micro|nano|centi|deci|kilo)?(?:gram|metre|meter|litre|liter|mole)s?|t|[gt]pt|cc|(?:mm)?hg|(?:cm)?h2o|mval|torr"
    r"|bpm|msec|sec|min|ratio|inr|index|ph|pts|pp[mb]|cfu|kbe|wbc|feu|ddu|[hl]pf|[°º]?[cf]|[°‰]|cel|celsius|deg[cf]?|[a-z]{0,3}%"
    r"|percent|(?:second|minute|score|point|tablet|capsule|drop|puff|unit|dose|beat|breath|count|cell|copie|step|session|drink"
    r"|cigarette)s?)(?:[*^]*[-−⁻][123¹²³])?|[cdmkμu]?m[*^]*[23²³])"
)


@cache
def _kinds() -> dict[str, Mapping[str, float]]:
    """How much of years, kilograms and centimetres each of a few units is, by its words in small letters."""
    found = json.loads(Path(__file__).with_name("units.json").read_text(encoding="utf-8"))
    return {kind: found[kind] for kind in _USUAL}


def is_a_unit(text: str) -> bool:
    """Whether a text is written as units are: of their words alone, on both sides of a stroke; or begins with %.

    A ward may be numbered: Unit 1, Unit A.
    """
    small = text.strip().casefold()
    words = [word for word in _BETWEEN.split(small) if word]
    are = [
        _WORD.fullmatch(word) or any(word.lstrip("0123456789") in kind for kind in _kinds().values()) for word in words
    ]
    are_all = all(one or _POWER.fullmatch(word) for one, word in zip(are, words, strict=True))
    is_numbered = re.search(r"\s\w$", small) is not None
    return small.startswith("%") or (bool(words) and bool(are[-1]) and are_all and not is_numbered)


def are_units(texts: Sequence[str], n_records: np.ndarray) -> bool:
    """Whether nearly all records (n_texts,) have a unit, and some one of more than a letter: A and M are wards."""
    are = np.array([is_a_unit(text) for text in texts], dtype=bool)
    is_sure = any(re.search(r"[^\W\d_]{2}|[%°‰^*²³]", text) for text, one in zip(texts, are, strict=True) if one)
    return is_sure and bool(n_records[are].sum() >= _NEARLY_ALL * n_records.sum())


def _measure(name: str) -> str:
    concept = concept_of(name)
    return "age" if name in ("AGE", "AAGE") else concept.name if concept else ""


def _word(text: str) -> str:
    return text.strip().rstrip(".").casefold()


def with_one_unit(table: SourceTable) -> SourceTable:
    """The table, its ages, weights and lengths of several units in the usual one, with notes.

    A number whose unit is not known becomes missing; results of laboratories in several units stay, with a note, and so
    do ages beside what may be their unit. Raises ``FaultyInputError`` for a table that is not in memory.
    """
    for column, kinds, unit, is_named in _pairs(table):
        texts = [str(text) for text in table.counts_of(unit).index]
        usual, factor_of = _factors(texts, kinds)
        # What only stands behind the numbers may be a ward: there all have to be units of the one kind.
        says = role_of_heading(unit)
        is_its_own = unit == f"{column}U" or (says is not None and bool(words_beside_unit(unit)))
        if len(set(factor_of.values())) < 2 or not (is_its_own or all(factor_of.values())):
            units = {text.casefold() for text in texts if is_a_unit(text)}
            if len(units) > 1 and max(map(len, units)) > 1:  # and not A and B, wards
                table = _noted(
                    table,
                    f"{shown_name(column)} in several units ({shown_name(unit)}), left unchanged: its numbers cannot "
                    "be compared; convert them in the source",
                )
            continue
        if not (is_named or _are_infants(table, column, unit, factor_of)):
            table = _noted(
                table,
                f"{shown_name(unit)} beside {shown_name(column)} has words for units of time: if it is its unit, call "
                f"it {shown_name(column + '_unit')} in the source; left unchanged",
            )
            continue
        if len(table.frame) != table.n_rows:
            raise FaultyInputError(
                f"{table.file_name}: {shown_name(column)} has several units ({shown_name(unit)}), which are "
                "made one with all records in memory alone; convert them in the source, or use --engine memory"
            )
        table = _converted(table, column, unit, usual, factor_of)
    return table


def _noted(table: SourceTable, note: str) -> SourceTable:
    return dataclasses.replace(table, notes=(*table.notes, note))


def _pairs(table: SourceTable) -> Iterator[tuple[str, tuple[str, ...], str, bool]]:
    """Columns of numbers that people have one of, each with its kinds of units, and the column that names its unit.

    The last says whether a heading says that it does; else the values may.
    """
    names = list(map(str, table.frame.columns))
    for name in names:
        of = _measure(name)
        if of in _KINDS_OF and (unit := unit_beside(name, names)) is not None:
            yield name, _KINDS_OF[of], unit, True
        elif of == "age" and (unit := _units_of_time_beside(name, names, table)) is not None:
            yield name, _KINDS_OF[of], unit, False


def _units_of_time_beside(name: str, names: Sequence[str], table: SourceTable) -> str | None:
    """The column beside an age with words for units of time alone, years among them, and a heading that says nothing.

    It may be how often somebody does something. Before the age it stands behind no other numbers.
    """

    def words_in(other: str) -> set[str]:
        return {_word(str(one)) for one in table.counts_of(other).index[:_LOOKED_AT]}

    place, times = names.index(name), _kinds()["time"]
    before = names[max(place - 2, 0) : place]
    is_of_others = len(before) > 1 and bool((~np.isnan(parse_numbers(pd.Series(sorted(words_in(before[0])))))).any())
    for other in (*names[place + 1 : place + 2], *([] if is_of_others else before[-1:])):
        if concept_of(other) is None and role_of_heading(other) is None:
            words = words_in(other)
            if words <= times.keys() and 1 in map(times.get, words) and max(map(len, words)) > 1:
                return other
    return None


def _are_infants(table: SourceTable, column: str, unit: str, factor_of: Mapping[str, float | None]) -> bool:
    """Whether the ages in years are adults' alone, and those in other units are numbers far below: no adults' years."""
    rows = table.combinations([column, unit], None)
    assert rows is not None  # no limit
    ages = parse_numbers(rows[column])
    factors = rows[unit].astype("str").map(factor_of).to_numpy(dtype=float)
    years, others = ages[(factors == 1) & ~np.isnan(ages)], ages[(factors != 1) & ~np.isnan(ages)]
    if min(len(years), len(others)) < _FEWEST:
        return False
    return bool(others.max() < _ADULT <= years.min() and _APART * others.max() < years.min())


def _factors(texts: list[str], kinds: tuple[str, ...]) -> tuple[str, dict[str, float | None]]:
    """The usual unit of some texts, all of one of the kinds, and how much of it each is; None of what is no such unit.

    The usual one is written as the texts have it, if they do.
    """
    if not kinds:
        return "", dict.fromkeys(texts)
    small = {text: _word(text) for text in texts}
    kind = max(kinds, key=lambda one: sum(word in _kinds()[one] for word in small.values()))
    found = {text: _kinds()[kind].get(word) for text, word in small.items()}
    return next((text for text, factor in found.items() if factor == 1), _USUAL[kind]), found


def _converted(
    table: SourceTable, column: str, unit: str, usual: str, factor_of: Mapping[str, float | None]
) -> SourceTable:
    values, units = table.frame[column], table.frame[unit]
    codes, distinct = pd.factorize(units)
    factors = np.array([*(factor_of[str(text)] for text in distinct), np.nan], dtype=float)[codes]
    is_other = (values.notna() & (factors != 1)).to_numpy()
    numbers = parse_numbers(values[is_other]) * factors[is_other]
    n_lost = int(np.isnan(numbers).sum())
    if values.dtype.kind == "f":
        values = values.mask(is_other)
        values[is_other] = numbers
    else:
        values = values.astype(object)
        values[is_other] = [None if np.isnan(one) else number_text(round(float(one), 4)) for one in numbers]
        values = values.astype("str")
    frame = table.frame.assign(**{column: values, unit: units.mask(units.notna(), usual)})
    what = f"{shown_name(column)} in several units ({shown_name(unit)})"
    note = Note.of(
        lambda told: (
            f"{what}: {told(int(is_other.sum()))} made {usual}"
            + (f"; {told(n_lost)} have no unit that is known, and are read as missing" if n_lost else "")
        )
    )
    return dataclasses.replace(table, frame=frame, notes=(*table.notes, note))
