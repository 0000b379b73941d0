"""What a project wrote about its own fields, events and terms: texts of tables about nobody, in anybody's words.

The labels and choices of REDCap's dictionary, its events and arms, the arms, elements, visits and criteria of SDTM's
design, and the local concepts of a database in OMOP are the words of a project. A count of people says nothing of
them, so those with a word that no list has are read before they leave; an arm or visit that many people have is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import parse_numbers
from disclosure_control.identifiers.label_words import why_of_label
from disclosure_control.identifiers.ordinary_names import is_in_known_words
from disclosure_control.release.deidentify import ReleasedFile, ReleasedStudy
from study.models.omop import FIRST_LOCAL_CONCEPT
from study.models.roles import Role, TableKind, TableModel

OF_PROJECTS = ("redcap", "sdtm")  # data models whose tables about nobody are in a project's own words
MANY_PEOPLE = 10
SUMMARY = "TS"  # of SDTM, which registers publish
_ABOUT_NOBODY = (TableKind.DESIGN, TableKind.DICTIONARY)


def own_descriptions(released: ReleasedStudy) -> Iterator[tuple[str, str, str]]:
    """The file, column and text of what a project wrote in words that no list has, each text of a column once."""
    for name, file in released.files.items():
        table = released.model.table(name)
        if (
            table is None
            or table.kind not in _ABOUT_NOBODY
            or file.has_people
            or released.model.domain(name) == SUMMARY
        ):
            continue
        for column, known in table.columns.items():
            if column not in file.columns or file.columns[column].dtype != "str":
                continue
            if known.role in (Role.RECORD_KEY, Role.FOREIGN_KEY):
                continue
            unknown = _texts(file, column, table, released.model.model)
            known_of_people = _of_many_people(released, column, unknown) if unknown else set()
            yield from ((name, column, text) for text in unknown if text not in known_of_people)


def _of_many_people(released: ReleasedStudy, column: str, texts: Sequence[str]) -> set[str]:
    """Those of some texts that many people have in a column of this name: an arm, an element, a visit."""
    whose: list[pd.DataFrame] = []
    for file in released.files.values():
        if file.has_people and column in file.columns:
            for part in file.parts:
                there = part.frame[column].isin(texts).to_numpy(dtype=bool)
                whose.append(pd.DataFrame({"text": part.frame[column][there], "person": part.people[there]}))
    if not whose:
        return set()
    n_people = pd.concat(whose).drop_duplicates().groupby("text").size()
    return set(n_people.index[n_people >= MANY_PEOPLE])


def _texts(file: ReleasedFile, column: str, table: TableModel, model: str) -> list[str]:
    """The distinct texts of a column that are a project's own in words that no list has.

    Of a dictionary of codes these are those of local ones, and of the others names: a file may say anything of a code.
    """
    key = next(iter(table.of_role(Role.RECORD_KEY)), "")
    found: dict[str, None] = {}
    for part in file.parts:
        is_own = np.full(len(part.frame), model in OF_PROJECTS)
        if model not in OF_PROJECTS and key in part.frame:
            is_own |= parse_numbers(part.frame[key]) >= FIRST_LOCAL_CONCEPT
        own, others = (part.frame[column][rows].dropna().unique() for rows in (is_own, ~is_own))
        found.update(dict.fromkeys([text for text in own if not is_in_known_words(text)]))
        found.update(dict.fromkeys([text for text in others if why_of_label(text)]))
    return list(found)
