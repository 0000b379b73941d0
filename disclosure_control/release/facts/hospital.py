"""Who was in hospital, wherever a study says so: by the gravity of an event, an encounter, or a word for it."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from disclosure_control.release.facts.deaths import is_hidden_with_terms, labels_in
from disclosure_control.release.facts.opened_rows import NO_FACTS, OF_THE_COURSE, OpenedRows, fact_entries
from disclosure_control.release.facts.words_told import Words, rows_saying
from study.models.roles import TableKind, TableModel
from study.words import yes_or_no

_YES = yes_or_no()[0] | {"1.0", "checked"}
_NAMED = re.compile(
    r"(?i)[A-Z]{2}SHOSP|.*(?:hospitali[sz]|hospital_?admi|admitted|inpatient|stationaer|stationär|ricover|ingreso_?hosp|"
    r"ingresado|hospitaliz|opname|νοσηλε).*"
)
_STAYED = re.compile(
    r"(?i)\b(?:hospitali[sz]\w*|hospitalis\w*|inpatient|in-patient|admitted to hospital|hospital (?:stay|admission)|"
    r"stationär\w*|krankenhausaufenthalt|ricover\w*|hospitalizac\w*|intensive care(?: unit)?)\b"
)
_OTHERWISE = re.compile(r"(?i)\b(?:not?|non|without|nicht|keine?|never|no need|outpatient|avoid\w*|prevent\w*)\b")
_HINT = "hospital|inpatient|in-patient|stationär|krankenhaus|ricover|intensive care"
WORDS = Words(_STAYED, _OTHERWISE, _HINT, most_words=12)
_OF_STAYS = re.compile(r"(?i)hospitali[sz]ations?|(hospital_?)?admissions?|inpatients?(_?stays?)?|ricoveri|ingresos")


def stays_in_hospital(known: OpenedRows) -> list[pd.DataFrame] | None:
    """Who was in hospital, and in which month: None where no table is about the course of a person."""
    found, could_tell = [], False
    for name, table, frame in known.described():
        could_tell |= table.kind in OF_THE_COURSE
        at = np.full(len(frame), is_of_hospital(table))
        for column in columns_of_hospital(table, list(map(str, frame))):
            at |= labels_in(frame[column], _YES)
        for _, told in rows_saying(table, frame, WORDS):
            at |= told
        if at.any():
            entries = fact_entries(
                known.people(name)[at], "hospital", np.full(at.sum(), "stayed"), known.months(name)[at]
            )
            found.append(entries)
    return [NO_FACTS, *found] if could_tell or found else None


def told_by(known: OpenedRows, name: str, table: TableModel) -> list[str]:
    """The columns of a table that tell of a stay in hospital; ``*`` where every row is one."""
    frame = known.frames[name]
    told = [one for one, at in rows_saying(table, frame, WORDS) if at.any() and not is_hidden_with_terms(table, one)]
    return [*columns_of_hospital(table, list(map(str, frame))), *told, *(["*"] if is_of_hospital(table) else [])]


def columns_of_hospital(table: TableModel, columns: Sequence[str]) -> list[str]:
    """The columns of a table that tell of a stay in hospital by their name."""
    if table.kind in (TableKind.DESIGN, TableKind.DICTIONARY, TableKind.LEGEND, TableKind.RELATIONS):
        return []
    return [name for name in columns if _NAMED.fullmatch(name)]


def is_of_hospital(table: TableModel) -> bool:
    """Whether every row of a table is a stay in hospital: SDTM's HO, a table of admissions."""
    return table.prefix == table.name == "HO" or bool(_OF_STAYS.fullmatch(table.name))
