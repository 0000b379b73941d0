"""A number and its unit are one value: ages, weights and lengths of several units, in one unit.

Where a column beside names the units, 18 months are 1.5 years and no 18 years. In a table of results, each test in each
unit is a measurement of its own already.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import takewhile
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
_LOOKED_AT = 200  # records that show whether a column may have units
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


def unit_of(name: str, names: Sequence[str], first_values: Callable[[str], Iterable[object]]) -> str | None:
    """The column of a table that names the unit of another one's numbers, by its heading or values; None for none."""
    return unit_beside(name, names) or unit_by_values(name, names, first_values)


def unit_by_values(name: str, names: Sequence[str], first_values: Callable[[str], Iterable[object]]) -> str | None:
    """The column of an age, weight or length that has units of its kind alone, the usual one among them: ``anos``.

    Its heading says nothing, and no other numbers stand between; before the numbers it stands behind no others.
    ``first_values`` gives some values of a column.
    """
    kinds, place = _KINDS_OF.get(_measure(name), ()), names.index(name)

    def words_in(other: str) -> set[str]:
        return {_word(str(value)) for value in first_values(other)}

    def has_words(other: str) -> bool:
        words = words_in(other)
        return not words or bool(np.isnan(parse_numbers(pd.Series(sorted(words)))).any())

    before = names[:place] if kinds and all(map(has_words, names[:place])) else []
    for other in (*takewhile(has_words, names[place + 1 :] if kinds else ()), *reversed(before)):
        words = words_in(other)
        are_units = any(_kinds()[kind].keys() >= words and 1 in map(_kinds()[kind].get, words) for kind in kinds)
        if are_units and max(map(len, words)) > 1 and concept_of(other) is None and role_of_heading(other) is None:
            return other
    return None


def first_values_of(table: SourceTable) -> Callable[[str], Iterable[object]]:
    """What gives some values of a column of the table."""
    return lambda name: table.counted_column(name)[0].iloc[:_LOOKED_AT].dropna().unique()


def _measure(name: str) -> str:
    concept = concept_of(name)
    return "age" if name in ("AGE", "AAGE") else concept.name if concept else ""


def _word(text: str) -> str:
    return text.strip().rstrip(".").casefold()


def with_one_unit(table: SourceTable) -> SourceTable:
    """The table, its ages, weights and lengths of several units in the usual one, with notes.

    A number whose unit is not known becomes missing; results of laboratories in several units stay, with a note. Raises
    ``FaultyInputError`` for a table that is not in memory.
    """
    for column, kinds, unit in _pairs(table):
        texts = [str(text) for text in table.counts_of(unit).index]
        usual, factor_of = _factors(texts, kinds)
        # What only stands behind the numbers may be a ward: there all have to be units of the one kind.
        says = role_of_heading(unit)
        is_its_own = unit == f"{column}U" or (says is not None and bool(words_beside_unit(unit)))
        if len(set(factor_of.values())) < 2 or not (is_its_own or all(factor_of.values())):
            units = {text.casefold() for text in texts if is_a_unit(text)}
            if len(units) > 1 and max(map(len, units)) > 1:  # and not A and B, wards
                table = dataclasses.replace(table, notes=(*table.notes, _mixed(column, unit)))
            continue
        if len(table.frame) != table.n_rows:
            raise FaultyInputError(
                f"{table.file_name}: {shown_name(column)} has several units ({shown_name(unit)}), which are "
                "made one with all records in memory alone; convert them in the source, or use --engine memory"
            )
        table = _converted(table, column, unit, usual, factor_of)
    return table


def _mixed(column: str, unit: str) -> Note:
    return Note.of(
        lambda told: (
            f"{shown_name(column)} in several units ({shown_name(unit)}), left unchanged: its numbers cannot be "
            "compared; convert them in the source"
        )
    )


def _pairs(table: SourceTable) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Columns of numbers that people have one of, each with its kinds of units, and the column that names its unit."""
    names = list(map(str, table.frame.columns))
    for name in names:
        of = _measure(name)
        if of in _KINDS_OF and (unit := unit_of(name, names, first_values_of(table))) is not None:
            yield name, _KINDS_OF[of], unit


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
