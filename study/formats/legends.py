"""Tables beside the data of a study that say what codes, terms and variables mean: legends, lists, dictionaries.

Such a table names no person, and its headings say what it is, in several languages: a code and what it means. In doubt
a table is none, so that no data is left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache

from study.formats.header_rows import looks_like_data
from study.formats.tables import SourceTable
from study.headings import is_number, names_subjects, words_of
from study.words import words_of_the_pilots

CODES = "a list of codes, terms or variables, which names no person"
PROSE = "text without a table"
MOST_VALUES = 200  # of a column that are looked at
_MOST_COLUMNS_OF_PROSE = 2
_MOST_COLUMNS_OF_A_LIST = 4
_WORDS_OF_PROSE = 4


def legends_among(tables: Sequence[SourceTable], id_column: str | None) -> dict[str, str]:
    """Why some ``tables`` of a study are legends, by their domains; none if no table but legends would be left.

    ``id_column`` names the person, where that is known. Of a table on disk the headings decide alone.
    """
    headings = [set(map(str, table.frame.columns)) for table in tables]
    legends: dict[str, str] = {}
    for i, table in enumerate(tables):
        if _name_people(headings[i], id_column):
            continue
        beginning = table.frame.head(MOST_VALUES).astype("str").fillna("")
        columns = {str(name): values.tolist() for name, values in beginning.items()}
        elsewhere = set().union(*headings[:i], *headings[i + 1 :])
        reason = why_a_legend(columns, id_column, table.domain.lower(), elsewhere)
        legends |= {table.domain: reason} if reason else {}
    return legends if len(legends) < len(tables) else {}


def _name_people(headings: Collection[str], id_column: str | None) -> bool:
    return id_column in headings or any(map(names_subjects, headings))


@cache
def _words(kind: str) -> frozenset[str]:
    """Words for what a legend has: what is ``explained``, what is ``explaining`` it, terms, and what is ``beside``."""
    return frozenset(words_of(" ".join(words_of_the_pilots()["legends"][kind])).split())


# Names of a sheet or file that say the same.
_TITLES = re.compile(
    r"(.* )?(legend(e|a)?|code ?lists?|codes|code ?book|(data ?)?dictionary|(daten)?worterbuch|glossar(y)?|"
    r"read ?me|lies ?mich|meddra|metadata|metadaten|variables|variablen|erlauterung(en)?|schlussel|lookups?|"
    r"drop ?downs?|λεζαντα|υπομνημα|κωδικοι|κωδικοποιηση|λεξικο|легенда|leyenda|kodierung|abkurzungen|"
    r"abbreviations)( .*)?"
)


def why_a_legend(
    columns: Mapping[str, Sequence[str]],
    id_column: str | None = None,
    title: str = "",
    elsewhere: Collection[str] = (),
    is_sheet: bool = False,
) -> str:
    """Why a table is no data of a study but explains them; "" if it is data, or if that is in doubt.

    ``columns``: heading -> the first values, as text, "" if missing. ``id_column`` names the person, where that is
    known; ``title`` is the name of the sheet or the file, and ``elsewhere`` are the headings of the other tables, by
    which it may be joined. Only a sheet may be prose.
    """
    if _name_people(columns, id_column):
        return ""
    if is_sheet and _is_prose(columns):
        return PROSE
    words = [set(words_of(name).split()) for name in columns]
    known = frozenset().union(*map(_words, ("explained", "explaining", "terminologies", "beside")))
    if any(name in elsewhere and not one & known for name, one in zip(columns, words, strict=True)):
        return ""
    explained, explaining, n_terms = (
        sum(bool(one & kind) for one in words) for kind in map(_words, ("explained", "explaining", "terminologies"))
    )
    is_titled = any(_TITLES.fullmatch(words_of(one)) for one in (title, title.lower()))
    may_number_people = any(
        is_number(name) and not one & _words("explained") for name, one in zip(columns, words, strict=True)
    )
    if is_titled and is_sheet and len(columns) <= _MOST_COLUMNS_OF_A_LIST and not may_number_people:
        return CODES
    says_both = bool((explained and explaining) or n_terms > 1) and len(columns) > 1 and not may_number_people
    says_what_it_is = says_both or (is_titled and bool(explained or explaining or n_terms))
    return CODES if says_what_it_is and all(one & known for one in words) and _explains_each_once(columns) else ""


def _explains_each_once(columns: Mapping[str, Sequence[str]]) -> bool:
    """Whether no row repeats another one and no column has measurements, that is decimal numbers."""
    rows = [row for row in zip(*columns.values(), strict=True) if any(row)]
    has_measurements = any(_are_measured(values) for values in columns.values())
    return len(set(rows)) == len(rows) and not has_measurements


def _are_measured(values: Sequence[str]) -> bool:
    given = [value for value in values if value]
    return bool(given) and 2 * sum(looks_like_data(one) and not one.isdigit() for one in given) > len(given)


def _is_prose(columns: Mapping[str, Sequence[str]]) -> bool:
    """Whether most cells are sentences, in one or two columns."""
    cells = [cell for name, values in columns.items() for cell in (name, *values) if cell]
    n_sentences = sum(len(cell.split()) >= _WORDS_OF_PROSE for cell in cells)
    return len(columns) <= _MOST_COLUMNS_OF_PROSE and 2 * n_sentences >= len(cells)
