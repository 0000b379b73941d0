"""Signs between groups of three digits: 1.250 is 1250 where the comma is the decimal sign, and 1.25 where it is not.

Both readings are tried against all values of a column, and the other columns of the file decide. If both fit and
nothing decides, it is a fault that asks.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.encoding.text_codes import TextCodes
from disclosure_control.basics.telling.faults import stop_at
from disclosure_control.basics.telling.words import listed
from study.concepts import names_a_measure, names_an_examination
from study.formats.column_reading import MISSING_TOKENS
from study.formats.matches import all_match, any_match
from study.formats.messages import setting_of, shown_name
from study.formats.tables import ColumnFound, FileContents, FileOptions, suffix_of
from study.formats.values import clean_values

_BETWEEN = {".": r"\.", ",": ",", " ": r"[ \x{A0}\x{202F}\x{2009}]", "'": "['’]"}
_NO_BREAK = r"\d[\x{A0}\x{202F}\x{2009}]\d"  # 120 140 may be two numbers, but with such a blank it is one
_OTHER = {".": ",", ",": r"\."}  # the decimal sign beside it
_TEXT_FILES = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
_LOOKED_AT = 64


def _in_groups(sign: str) -> str:
    decimal = _OTHER.get(sign, "[.,]")
    return rf"^[+-]?(?:\d{{1,3}}|[1-9]\d{{0,2}}(?:{_BETWEEN[sign]}\d{{3}})+)(?:{decimal}\d+)?$"


def _groups(sign: str) -> str:
    """A number with such a sign in it, blanks around it or not."""
    return rf"^\s*[+-]?[1-9]\d{{0,2}}(?:{_BETWEEN[sign]}\d{{3}})+(?:{_OTHER.get(sign, '[.,]')}\d+)?\s*$"


def _certain(sign: str) -> str:
    """A number that can be nothing else: two groups, or a group and decimals."""
    group = rf"{_BETWEEN[sign]}\d{{3}}"
    return rf"^[+-]?[1-9]\d{{0,2}}(?:{group}(?:{group})+|{group}{_OTHER.get(sign, '[.,]')}\d)"


def without_thousands(contents: FileContents, path: Path, options: FileOptions) -> tuple[FileContents, list[str]]:
    """The contents of a file, numbers in groups of three digits without the sign between these, and a note on them.

    Raises ``FaultyInputError`` where 1.250 may be two numbers and nothing decides.
    """
    if options.thousands == "none" or suffix_of(path) not in _TEXT_FILES:
        return contents, []
    texts = {
        name: _texts_of(column)
        for name, column in contents.columns.items()
        if name not in options.keep and not isinstance(column, np.ndarray)
    }
    grouped = _by_declaration(texts, options) if options.decimal else _by_values(contents, texts, path, options)
    if not grouped:
        return contents, []
    columns = {
        name: _without(column, texts[name], grouped[name]) if name in grouped else column
        for name, column in contents.columns.items()
    }
    notes = [
        f"{sign!r} between groups of three digits left out: "
        f"{listed([shown_name(name) for name, one in grouped.items() if one == sign], at_most=8)}"
        for sign in dict.fromkeys(grouped.values())
    ]
    return dataclasses.replace(contents, columns=columns), notes


def _by_declaration(texts: Mapping[str, pa.ChunkedArray], options: FileOptions) -> dict[str, str]:
    """The columns with such numbers and the sign between their groups, where the decimal sign is declared."""
    sign = options.thousands or ("." if options.decimal == "," else ",")
    return {name: sign for name, column in texts.items() if any_match(column, _groups(sign))}


def _by_values(
    contents: FileContents, texts: Mapping[str, pa.ChunkedArray], path: Path, options: FileOptions
) -> dict[str, str]:
    """The same, where the values and the other columns of the file decide, or the sign is declared."""
    first = {name: _given(column.slice(0, 4 * _LOOKED_AT)).slice(0, _LOOKED_AT) for name, column in texts.items()}
    signs = {name: found for name, column in texts.items() if (found := _sign_of(column, first[name], options))}
    decimal = _decimal_of(first) if signs else None
    grouped, is_open = dict[str, str](), dict[str, str]()
    for name, sign in signs.items():
        is_blank = sign == " " and any_match(texts[name], _NO_BREAK)
        is_certain = is_blank or sign in ("'", options.thousands) or any_match(texts[name], _certain(sign))
        if is_certain or (sign in _OTHER and decimal not in (None, sign)):
            grouped[name] = sign
        elif sign in _OTHER and decimal is None and (contents.may_guess_comma or (sign == "," and _is_measured(name))):
            is_open[name] = sign
    stop_at([_fault(path, is_open)] if is_open else [])
    return grouped


def _is_measured(name: str) -> bool:
    """Whether a heading names a number: under others, 101,202 are two teeth, and stay text with a note."""
    return names_a_measure(name) or names_an_examination(name)


def _texts_of(column: TextCodes | pa.ChunkedArray | pa.Array) -> pa.ChunkedArray:
    """The texts of a column, of one that is encoded each once."""
    texts = column.texts if isinstance(column, TextCodes) else column
    return texts if isinstance(texts, pa.ChunkedArray) else pa.chunked_array([texts])


def _given(texts: pa.ChunkedArray) -> pa.Array:
    """The texts that are there, clean."""
    return clean_values(texts.combine_chunks().cast(pa.large_string()), frozenset(MISSING_TOKENS)).drop_null()


def _sign_of(column: pa.ChunkedArray, some: pa.Array, options: FileOptions) -> str:
    """The sign between groups of digits that all values of a column may have, and some have; "" for none.

    Its first values, ``some``, show of most columns that there is none.
    """
    tried = (options.thousands,) if options.thousands else _BETWEEN
    signs = [sign for sign in tried if all_match(some, r"^[+-]?\d") and all_match(some, _in_groups(sign))]
    if not signs or not any_match(column, rf"\d(?:{'|'.join(_BETWEEN[sign] for sign in signs)})\d{{3}}"):
        return ""
    given = _given(column)
    are_meant = (
        one for one in signs if all_match(given, _in_groups(one)) and any_match(column, rf"\d{_BETWEEN[one]}\d{{3}}")
    )
    return next(are_meant, "")


def _decimal_of(texts: Mapping[str, pa.Array]) -> str | None:
    """The decimal sign that the columns of a file show with other than three digits after it; None if they differ."""
    found = set()
    for some in texts.values():
        for sign, pattern in ((".", r"\."), (",", ",")):
            is_number = rf"^[+-]?\d*{pattern}\d+$"
            is_no_group = rf"^[+-]?(?:\d*{pattern}(?:\d{{1,2}}|\d{{4,}})|0?{pattern}\d+|\d{{4,}}{pattern}\d+)$"
            if all_match(some, rf"^[+-]?\d+$|{is_number}") and any_match(some, is_no_group):
                found.add(sign)
    return found.pop() if len(found) == 1 else None


def _without(column: ColumnFound, texts: pa.ChunkedArray, sign: str) -> ColumnFound:
    """The column, numbers in groups of its ``texts`` without the sign between these, value by value."""
    is_meant = pc.match_substring_regex(texts, _groups(sign))
    plain = pc.replace_substring_regex(texts, rf"(\d){_BETWEEN[sign]}(\d)", r"\1\2")
    changed = pc.if_else(is_meant, plain, texts)
    return dataclasses.replace(column, texts=changed.combine_chunks()) if isinstance(column, TextCodes) else changed


def _fault(path: Path, is_open: Mapping[str, str]) -> str:
    sign = next(iter(is_open.values()))
    names = listed([shown_name(name) for name in is_open], at_most=8)
    yes, no = (setting_of(path, "thousands", one) for one in (sign, "none"))
    return (
        f"{path.name}: numbers such as 1{sign}250 may be 1250 or 1.25: {names}. Declare the sign between groups of "
        f"three digits by {yes}, or that there is none by {no}"
    )
