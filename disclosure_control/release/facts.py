"""What an acquaintance may know of a person's course: coded terms of events and treatments, number of visits, death.

These facts are read from the released files. A coded term is the finest one in its row. Its month is counted from the
person's start, because moved dates preserve this distance.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.dictionary import Dictionary
from disclosure_control.release.people import labels
from disclosure_control.release.study import people_of_rows
from study.merge.subject_ids import SubjectIdRule

# Levels of coded terms, from the finest on, each in words and the suffix of its code: MedDRA's, and classes of drugs.
LEVELS = {
    "LLT": "LLTCD",
    "DECOD": "PTCD",
    "HLT": "HLTCD",
    "HLGT": "HLGTCD",
    "BODSYS": "BDSYCD",
    "SOC": "SOCCD",
    "CLAS": "CLASCD",
}
_TERM = re.compile(rf"([A-Z][A-Z0-9])({'|'.join((*LEVELS, *LEVELS.values()))})")
DAYS_PER_MONTH = 30
NO_MONTH = ""


@dataclass(frozen=True)
class Facts:
    """``people`` and ``facts`` (n_entries,): who has which fact; positions of people, and whole numbers from 0.

    ``holders``: for each kind of fact, how many people have one.
    """

    people: np.ndarray
    facts: np.ndarray
    holders: Mapping[str, int]


class _Opened:
    """The files as they leave, and of each row (n_rows,) the position of its person, below 0 of nobody."""

    def __init__(self, frames: Mapping[str, pd.DataFrame], ids: pd.Index, rule: SubjectIdRule):
        self.frames = frames
        self.n_people = len(ids)
        self._ids, self._rule = Dictionary(ids), rule
        self._people: dict[str, np.ndarray] = {}

    def people(self, name: str) -> np.ndarray:
        """Asked of the files with facts alone: laboratory values of a million rows have none."""
        if name not in self._people:
            self._people[name] = people_of_rows(self.frames[name], self._rule, self._ids)
        return self._people[name]

    @cached_property
    def starts(self) -> np.ndarray:
        """The released first day of each person (n_people,), as datetime64[D]; NaT if no file has it. DM has
        precedence.
        """
        start = np.full(self.n_people, np.datetime64("NaT", "D"))
        holding = [name for name, frame in self.frames.items() if "RFSTDTC" in frame]
        for name in sorted(holding, key=lambda one: (one != "DM", one)):
            people, days = self.people(name), _days(self.frames[name]["RFSTDTC"])
            tells = (people >= 0) & ~np.isnat(days)
            tells[tells] = np.isnat(start[people[tells]])
            start[people[tells]] = days[tells]
        return start


def tells_facts(column: str, columns: Sequence[str], rule: SubjectIdRule) -> bool:
    """Whether facts are read from a column of a file with these ``columns``."""
    prefixes = [found[1] for name in columns if (found := _TERM.fullmatch(name))]
    by_term = {f"{prefix}{suffix}" for prefix in prefixes for suffix in ("OCCUR", "STAT", "STDY", "DY", "STDTC", "DTC")}
    return column in {rule.column, "RFSTDTC", "VISITNUM", "VISIT", "DTHFL", "DTHDTC", "DTHDT", *by_term} or bool(
        _TERM.fullmatch(column)
    )


def facts_known(
    opened: Mapping[str, pd.DataFrame], subjects: pd.Series, rule: SubjectIdRule, kinds: Sequence[str]
) -> tuple[Facts, Facts]:
    """What may be known of each subject (n_people,), of the ``kinds`` of ``KINDS``: without months of terms, and with.

    A term with its month replaces the term, because anyone who knows the month knows the term.
    """
    known = _Opened(opened, pd.Index(subjects.astype("str")), rule)
    found = {kind: pd.concat([_NOTHING, *KINDS[kind](known)]) for kind in kinds}
    entries = pd.concat([_NOTHING, *found.values()])
    holders = {kind: int(part["person"].nunique()) for kind, part in found.items()}
    with_month = entries["fact"] + "\0" + entries["month"]
    return _facts(entries, entries["fact"], holders), _facts(entries, with_month, holders)


def _facts(entries: pd.DataFrame, texts: pd.Series, holders: Mapping[str, int]) -> Facts:
    each = pd.DataFrame({"person": entries["person"], "fact": texts}).drop_duplicates()
    codes, _ = pd.factorize(each["fact"], sort=True)
    return Facts(each["person"].to_numpy(dtype=np.int64), codes.astype(np.int64), holders)


def _entries(person: np.ndarray, kind: str, values: np.ndarray, months: np.ndarray | str = NO_MONTH) -> pd.DataFrame:
    """Facts of people: who, the fact as a text, and its month; rows of nobody and without a value are none."""
    facts = pd.Series(values.astype(object))
    rows = pd.DataFrame({"person": person, "fact": kind + "\0" + facts.astype("str"), "month": months})
    return rows[(person >= 0) & facts.notna().to_numpy()].astype({"month": "str"}).drop_duplicates()


_NOTHING = pd.DataFrame({"person": np.zeros(0, dtype=np.int64), "fact": [], "month": []}).astype(
    {"fact": "str", "month": "str"}
)


# ---------------------------------------------------------------- coded terms


def _terms(known: _Opened) -> list[pd.DataFrame]:
    found = []
    for name, frame in known.frames.items():
        for prefix in coded_domains(frame):
            people = known.people(name)
            months = _months(frame, prefix, people, known.starts)
            found.append(_entries(people, f"term {prefix}", finest_term(frame, prefix), months))
    return found


def coded_domains(frame: pd.DataFrame) -> list[str]:
    """The two letters of each domain whose coded terms are in the file."""
    return sorted({match[1] for column in frame if (match := _TERM.fullmatch(str(column)))})


def finest_term(frame: pd.DataFrame, prefix: str) -> np.ndarray:
    """The finest coded term of each row (n_rows,) of a domain, None where there is none, or it did not occur."""
    term = np.full(len(frame), None, dtype=object)
    for name in (f"{prefix}{suffix}" for level in LEVELS.items() for suffix in level):
        if name in frame:
            missing = pd.isna(term)
            term[missing] = labels(frame[name])[missing]
    term[~occurred(frame, prefix)] = None
    return term


def occurred(frame: pd.DataFrame, prefix: str) -> np.ndarray:
    """Whether the event of a row (n_rows,) took place: not if a question about it was denied or not answered."""
    took_place = np.ones(len(frame), dtype=bool)
    for name, denies in ((f"{prefix}OCCUR", "N"), (f"{prefix}STAT", "NOT DONE")):
        if name in frame:
            took_place &= ~frame[name].astype("str").str.upper().eq(denies).to_numpy(dtype=bool)
    return took_place


def _months(frame: pd.DataFrame, prefix: str, people: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The month of the study in which each row (n_rows,) begins, as text: by its study day, else by its dates.

    ``start`` (n_people,) is the first day of each person.
    """
    days = np.full(len(frame), np.nan)  # since the first one, which is study day 1; the one before it is -1
    for name in (f"{prefix}STDY", f"{prefix}DY"):
        if name in frame:
            study_day = pd.to_numeric(frame[name], errors="coerce").to_numpy(dtype=float)
            days = np.where(np.isnan(days), study_day - (study_day > 0), days)
    for name in (f"{prefix}STDTC", f"{prefix}DTC"):
        if name in frame:
            began = np.append(start, np.datetime64("NaT", "D"))[np.where((people >= 0), people, len(start))]
            days = np.where(np.isnan(days), (_days(frame[name]) - began) / np.timedelta64(1, "D"), days)
    month = np.floor(days / DAYS_PER_MONTH)
    return np.where(np.isnan(month), NO_MONTH, np.nan_to_num(month).astype(np.int64).astype(str))


def _days(column: pd.Series) -> np.ndarray:
    complete = column.astype("str").str.slice(0, 10)
    return pd.to_datetime(complete, format="%Y-%m-%d", errors="coerce").to_numpy().astype("datetime64[D]")


# ---------------------------------------------------------------- visits and death


def _visits(known: _Opened) -> list[pd.DataFrame]:
    """How many visits each person had: by SV, else by the visits that any file names."""
    holding = {"SV": known.frames["SV"]} if "SV" in known.frames else known.frames
    named = [name for name, frame in holding.items() if "VISITNUM" in frame or "VISIT" in frame]
    rows = [_named_visits(known.people(name), holding[name]) for name in named]
    visits = _visits_as_one(pd.concat([_NO_VISITS, *rows])).groupby("person")["visit"].size()
    return [_entries(visits.index.to_numpy(), "visits", visits.to_numpy())]


_NO_VISITS = pd.DataFrame({"person": np.zeros(0, dtype=np.int64), "number": [], "name": []}).astype(
    {"number": "str", "name": "str"}
)


def _named_visits(person: np.ndarray, frame: pd.DataFrame) -> pd.DataFrame:
    """The distinct visits of each person with number and name, each missing if the row or the file has none."""
    nothing = pd.Series(np.nan, frame.index)
    columns = {"number": frame.get("VISITNUM", nothing), "name": frame.get("VISIT", nothing)}
    seen = pd.DataFrame({"person": person} | {name: labels(column) for name, column in columns.items()})
    return seen[seen["person"] >= 0].drop_duplicates().astype({"number": "str", "name": "str"})


def _visits_as_one(seen: pd.DataFrame) -> pd.DataFrame:
    """Each visit of each person once, as ``person`` and ``visit``: by its number, which a file may lack.

    A name is replaced by a number that occurs with it in any row: by one that the person has, else by the first. A name
    that occurs with no number may be any of the visits and is not counted. If no file has numbers, names identify
    visits.
    """
    if seen["number"].isna().all():
        return seen[["person", "name"]].dropna().drop_duplicates().rename(columns={"name": "visit"})
    numbered = seen[["person", "number"]].dropna().drop_duplicates()
    pairs = seen[["name", "number"]].dropna().drop_duplicates().sort_values(["name", "number"])
    by_name = seen.loc[seen["number"].isna(), ["person", "name"]].dropna().drop_duplicates().merge(pairs, on="name")
    has_it = by_name.merge(numbered, on=["person", "number"])[["person", "name"]].drop_duplicates()
    is_new = by_name.merge(has_it, on=["person", "name"], how="left", indicator=True)["_merge"].eq("left_only")
    first = by_name[is_new.to_numpy()].drop_duplicates(["person", "name"])[["person", "number"]]
    return pd.concat([numbered, first]).drop_duplicates().rename(columns={"number": "visit"})


def _deaths(known: _Opened) -> list[pd.DataFrame]:
    """Who died: by the flag or the date of death in any file, or a record in DD."""
    found = []
    for name, frame in known.frames.items():
        died = np.full(len(frame), name == "DD")
        if "DTHFL" in frame:
            died |= frame["DTHFL"].astype("str").str.upper().eq("Y").to_numpy(dtype=bool)
        for column in ("DTHDTC", "DTHDT"):
            if column in frame:
                died |= frame[column].notna().to_numpy()
        if died.any():
            found.append(_entries(known.people(name)[died], "death", np.full(died.sum(), "died")))
    return found


# What an acquaintance may know, by the name under which a config gives it.
KINDS: dict[str, Callable[[_Opened], list[pd.DataFrame]]] = {"terms": _terms, "visits": _visits, "death": _deaths}
