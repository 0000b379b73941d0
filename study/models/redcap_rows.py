"""The rows of a REDCap export: events in the order of the plan, instances counted, checkboxes folded into one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import parse_numbers
from study.formats.rows_of_people import SUBJECT
from study.models.redcap_dictionary import words_of
from study.models.roles import Derive

NONE_CHECKED = "none checked"
BETWEEN_CHOICES = "; "
MOST_INSTANCES = 1_000_000  # of a repeating instrument
INCOMPLETE = ("0", "0.0", "incomplete")  # the status of a form that is new, opened or not
UNCHECKED = ("0", "0.0", "unchecked", "false", "no")

_ARM = re.compile(r"(?i)_arm_(\d+)[a-z]?$|\(arm (\d+)\b[^)]*\)\s*$")
_DAYS_OF_UNIT = (("day", "d", 1), ("week", "w", 7), ("wk", "wk", 7), ("month", "m", 30.4), ("mo", "mo", 30.4),
                 ("year", "y", 365.25), ("yr", "yr", 365.25))  # fmt: skip
_DAYS = {name: days for long, short, days in _DAYS_OF_UNIT for name in (long, short)}
_UNIT = "|".join(_DAYS)
_BEFORE = (("pre screening|prescreening", -3.0), ("screening|screen|eligibility", -2.0), ("consent|registration", -1.0))
_BESIDE_ANOTHER = r"\b(pre|post|after|before)\b(?! screening)"
_AT_START = "baseline|bl|enrol|enroll|enrolment|enrollment|randomisation|randomization|initial|intake|admission"
_AT_END = "final|end|last|close ?out|exit|completion|discharge|termination"


# ---------------------------------------------------------------- the order of events


def places_by_plan(events: pd.DataFrame) -> dict[str, float]:
    """The place of each event by a file of events, by unique name and by the name with its arm that labels have.

    Days after the start where the file has them, else the order of the file, which is that of the project.
    """
    columns = {str(name).lower(): str(name) for name in events.columns}
    arms = events[columns["arm_num"]].astype("str") if "arm_num" in columns else pd.Series("1", events.index)
    days = pd.Series(np.arange(len(events), dtype=float))
    if "day_offset" in columns:
        given = pd.Series(parse_numbers(events[columns["day_offset"]]))
        days = given if given.notna().all() else days
    found: dict[str, float] = {}
    for unique, label, arm, day in zip(
        events[columns["unique_event_name"]], events.get(columns.get("event_name", ""), arms), arms, days, strict=True
    ):
        found[str(unique)] = found[_labelled(str(label), str(arm).removesuffix(".0"))] = float(day)
    return found


def _labelled(label: str, arm: str) -> str:
    return f"{words_of(label)} (arm {arm})"


def place_by_plan(event: str, plan: Mapping[str, float]) -> float:
    """The place of an event that a row names by unique name or by label; NaN if the plan does not have it."""
    if event in plan:
        return plan[event]
    arm = _ARM.search(event)
    return plan.get(_labelled(_ARM.sub("", event), (arm[1] or arm[2]) if arm else "1"), float("nan"))


def time_of_name(event: str) -> tuple[float, str] | None:
    """``baseline_arm_1``, ``month_3_arm_1``, "Visit 2 (Arm 1: Drug A)" as a place in time and its scale; None without.

    The scale is that of ``days`` or of numbered visits; at the start and at the end it is both, "".
    """
    words = words_of(_ARM.sub("", event))
    if len(re.findall(r"\d+", words)) > 1 or re.search(_BESIDE_ANOTHER, words):
        return None  # cycle 2 day 1, post dose 1: what they are counted from is not known
    if counted := re.search(rf"\b(?:({_UNIT})s? ?(\d+)|(\d+) ?({_UNIT})s?)\b", words):
        return _DAYS[counted[1] or counted[4]] * float(counted[2] or counted[3]), "days"
    if numbered := re.fullmatch(r"(?:\w+ )?([a-z]+) ?(\d+)", words):
        return float(numbered[2]), numbered[1]
    for pattern, place in (*_BEFORE, (_AT_START, 0.0), (_AT_END, 1e6)):
        if re.search(rf"\b({pattern})\b", words):
            return place, ""
    return None


def places_by_name(events: Sequence[str]) -> dict[str, float]:
    """The places of all events by their names; empty unless each has one, on one scale."""
    times = {event: time for event in events if (time := time_of_name(event)) is not None}
    is_one_scale = len({scale for _, scale in times.values()} - {""}) <= 1
    return {event: place for event, (place, _) in times.items()} if is_one_scale and len(times) == len(events) else {}


def places_by_dates(rows: pd.DataFrame) -> dict[str, float]:
    """The places of events by the median of days since a person's first date, of ``person``, ``event`` and ``date``.

    The days do not change when all dates of a person move. Events without a date have none.
    """
    date = pd.to_datetime(rows["date"].astype("str").str[:10], errors="coerce")
    days = (date - date.groupby(rows["person"]).transform("min")).dt.days
    return {str(event): float(day) for event, day in days.groupby(rows["event"]).median().dropna().items()}


def order_of_rows(event: str | None, places: Mapping[str, float], instance: str | None) -> Derive:
    """A column with the place of each row: of its event, and in that of its instance; an event's own row is the first.

    It is missing where the event's place is not known. Where that of no event is, instances alone decide.
    """

    def derive(frame: pd.DataFrame) -> pd.Series:
        order = pd.Series(0.0, frame.index)
        if event is not None and places:
            order = order + frame[event].astype("str").map(places).astype("float64") * MOST_INSTANCES
        if instance is not None:
            order = order + np.nan_to_num(parse_numbers(frame[instance]))
        return order

    return derive


# ---------------------------------------------------------------- instances and checkboxes


def number_of_rows(column: str, instrument: str) -> Derive:
    """How many rows of a repeating instrument the person of each row has."""

    def derive(frame: pd.DataFrame) -> pd.Series:
        of_instrument = (frame[column] == instrument).astype("float64")
        return of_instrument.groupby(frame[SUBJECT]).transform("sum") if SUBJECT in frame else of_instrument

    return derive


@dataclass(frozen=True)
class RedcapForm:
    """The columns of a form: its ``status``, None without one, its checkboxes, and its other fields."""

    status: str | None
    boxes: Sequence[str] = ()
    fields: Sequence[str] = ()

    def is_filled_in(self, frame: pd.DataFrame) -> np.ndarray:
        """The rows (n_rows,) of a form that somebody filled in: it is more than incomplete, or a field has a value."""
        if self.status not in frame:
            return np.ones(len(frame), dtype=bool)
        status = frame[self.status].astype("str").str.strip().str.lower()
        has_field = frame[[name for name in self.fields if name in frame]].notna().any(axis="columns")
        has_checked = [is_checked(frame[name]) for name in self.boxes if name in frame]
        has_value = np.logical_or.reduce([has_field.to_numpy(dtype=bool), *has_checked])
        is_incomplete = status.isin(INCOMPLETE).to_numpy(dtype=bool)
        return np.asarray(status.notna().to_numpy(dtype=bool) & (~is_incomplete | has_value))


def folded(parts: Mapping[str, str], form: RedcapForm) -> Derive:
    """One column of the labels of the checked options; ``parts``: column of an option -> its label.

    Exports write 0 for a checkbox in rows that do not have its form, too, and for a form that nobody filled in. So a
    row without a checked option counts as ``NONE_CHECKED`` only where the ``form`` is filled in; elsewhere it is
    missing.
    """

    def derive(frame: pd.DataFrame) -> pd.Series:
        present = {name: label for name, label in parts.items() if name in frame}
        given = frame[list(present)].notna().any(axis="columns").to_numpy(dtype=bool) & form.is_filled_in(frame)
        codes = np.zeros(len(frame), dtype=np.int64)  # of the combination of options
        seen: list[tuple[str, ...]] = [()]
        for name, label in present.items():
            checked = is_checked(frame[name]).astype(np.int64)
            code, pairs = pd.factorize(codes * 2 + checked)
            seen = [(*seen[pair // 2], label) if pair % 2 else seen[pair // 2] for pair in pairs]
            codes = code
        texts = np.array([BETWEEN_CHOICES.join(labels) or NONE_CHECKED for labels in seen], dtype=object)[codes]
        is_none = np.array([not labels for labels in seen], dtype=bool)[codes]
        texts[is_none & ~given] = None
        return pd.Series(texts, frame.index, dtype="str")

    return derive


def is_checked(values: pd.Series) -> np.ndarray:
    """Which rows (n_rows,) have an option checked: 1, "Checked", or the option's label."""
    texts = values.astype("str").str.strip().str.lower()
    return (texts.notna() & ~texts.isin(UNCHECKED)).to_numpy(dtype=bool)
