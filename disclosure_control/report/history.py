"""The history of a pilot's runs: ``history.jsonl`` with figures alone, and the data that the next run compares with.

The two further files are restricted: ``alone_since.csv`` has the people who are alone with the quasi-identifiers, since
which run, and those who no longer are; ``quasi_identifier_groups.csv`` how many people each group had in this run and
in the one before. So a verification of the last run can start from the same state. All three belong to the published
set of a run: one that fails or is killed leaves the earlier ones. The state for the next run is kept beside the set,
too, and outlives it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from Anonymization_Models import ModelResult
from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.drawings import planes
from disclosure_control.basics.drawings.pieces import Drawing
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, labels_of
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.sections import AS_IT_CAME_IN, Figure, Outline, Section, Sentence, Where
from disclosure_control.basics.telling.small_counts import FOR_CONTROLLER
from disclosure_control.basics.telling.words import share_text
from disclosure_control.run.beside import beside, put_beside
from disclosure_control.run.doors import Pilot
from disclosure_control.run.fingerprints import fingerprint_of_json, key_of, known_key
from disclosure_control.run.results import ResultSet
from disclosure_control.run.tables import csv_bytes

HISTORY, ALONE, GROUPS = "history.jsonl", "alone_since.csv", "quasi_identifier_groups.csv"
MOST_ALONE = 200_000
_ALONE_COLUMNS = [SUBJECT_COLUMN, "alone_since", "alone_until"]
_GROUP_COLUMNS = ["column", "group", "people_before", "people"]
_KEYS_OF_A_LINE = frozenset({"when", "config", "evaluated", "risky_rate"})


@dataclass(frozen=True)
class Memory:
    """The known runs: their ``lines``, oldest first, and the data of the last one to compare with.

    ``alone``: one row per person who was alone in the last run, ``alone_since`` the run that first found it so, or in
    the run before it alone, ``alone_until`` the last one; else that is "".
    ``groups``: one row per quasi-identifier and group ("" is missing), with its people in the last run and before it.
    """

    lines: tuple[Mapping[str, Any], ...]
    alone: pd.DataFrame = field(repr=False)
    groups: pd.DataFrame = field(repr=False)

    @property
    def knows_who_is_alone(self) -> bool:
        """Whether the last run listed who was alone: it does not if that is almost everyone of a large pilot."""
        return bool(self.lines) and self.lines[-1].get("remembers_who_is_alone", False)

    @property
    def still_alone(self) -> pd.DataFrame:
        """Those of ``alone`` who were so in the last run."""
        return self.alone[self.alone["alone_until"] == ""]

    @classmethod
    def empty(cls) -> Memory:
        """That of a pilot without a run."""
        return cls((), _empty(_ALONE_COLUMNS), _empty(_GROUP_COLUMNS))

    @property
    def last_run(self) -> str:
        """When the last run began; "" where there was none."""
        return str(self.lines[-1]["when"]) if self.lines else ""

    def write(self, results: ResultSet) -> None:
        """Put the three files into the set of a run."""
        results.write_text(HISTORY, self._text, hand_to_hand=False)
        results.write_all({}, {ALONE: self.alone, GROUPS: self.groups}, {})

    def keep_beside(self, results: Path) -> None:
        """Keep the three files beside the published set; where the disk does not take them, the set still has them."""
        with contextlib.suppress(OSError):
            for name, table in ((ALONE, self.alone), (GROUPS, self.groups)):
                put_beside(results, name, csv_bytes(table))
            put_beside(results, HISTORY, self._text.encode("utf-8"))

    @property
    def _text(self) -> str:
        return "".join(f"{json.dumps(line, allow_nan=False)}\n" for line in self.lines)

    @property
    def before_the_last_run(self) -> Memory:
        """The state at the start of the last run, for running it again; the groups of earlier runs are not kept."""
        if not self.lines:
            return self
        lines, last = self.lines[:-1], self.lines[-1]["when"]
        groups = self.groups.assign(people=self.groups["people_before"], people_before=0)
        alone = self.alone[self.alone["alone_since"] != last].assign(alone_until="")
        return Memory(lines, alone, groups)


def latest_memory(results: Path) -> Memory:
    """The state from which the next run continues: that of the set, or the one beside it if that is of a later run.

    So it is used if the set was deleted or restored from a copy. Raises ``FaultyInputError`` like ``read_memory``.
    """
    of_set, kept = read_memory(results), _memory_in(beside(results), [])
    return kept if kept.last_run > of_set.last_run else of_set


def read_memory(results: Path) -> Memory:
    """What earlier runs left in the folder of results; empty where there was none.

    Raises ``FaultyInputError`` where a file is not as a run writes it, or the key of their fingerprints: a history that
    starts anew must be decided.
    """
    faults: list[str] = []
    try:
        known_key(results)
    except FaultyInputError as error:
        faults += error.faults
    return _memory_in(results, faults)


def _memory_in(folder: Path, faults: list[str]) -> Memory:
    """The memory in a folder. Raises ``FaultyInputError`` with the faults of its files beside those that are given."""
    path = folder / HISTORY
    try:
        lines = _lines(path.read_text(encoding="utf-8")) if path.is_file() else ()
    except (ValueError, TypeError):
        remedy = "put it back from a copy, or delete it; the results and the folder beside them hold one each"
        lines = ()
        faults.append(f"{folder.name}/{HISTORY}: not as a run writes it, JSON line by line; {remedy}")
    tables = [_table(folder / name, columns, faults) for name, columns in _TABLES.items()]
    stop_at(faults)
    return Memory(lines, *tables) if lines else Memory.empty()


_TABLES = {ALONE: _ALONE_COLUMNS, GROUPS: _GROUP_COLUMNS}


def _lines(text: str) -> tuple[Mapping[str, Any], ...]:
    lines = tuple(json.loads(line) for line in text.splitlines())
    if not all(isinstance(line, dict) and line.keys() >= _KEYS_OF_A_LINE for line in lines):
        raise ValueError
    return lines


def _table(path: Path, columns: list[str], faults: list[str]) -> pd.DataFrame:
    if not path.is_file():
        return _empty(columns)
    try:
        return pd.read_csv(path, dtype=_kinds_of(columns), keep_default_na=False, encoding="utf-8")[columns]
    except (ValueError, KeyError):
        remedy = f"put it back from a copy, or delete it and {HISTORY} beside it"
        faults.append(f"{path.parent.name}/{path.name}: not as a run writes it; {remedy}")
        return _empty(columns)


def _empty(columns: list[str]) -> pd.DataFrame:
    return pd.DataFrame(columns=columns).astype(_kinds_of(columns))


def _kinds_of(columns: list[str]) -> dict[str, str]:
    return {name: "int64" if name.startswith("people") else "str" for name in columns}


def remember(memory: Memory, pilot: Pilot, summary: Mapping[str, Any], assessment: Assessment) -> Memory:
    """The memory with this run of the ``pilot`` in it, of as many runs as it keeps; ``summary`` is its JSON summary."""
    when, config = pilot.started, fingerprint_of_json(pilot.config, key_of(pilot.results))
    tells_who = n_alone(assessment) <= MOST_ALONE
    both = memory.still_alone.merge(people_alone(assessment), "outer", SUBJECT_COLUMN, indicator="in", validate="1:1")
    went, came = ((both["in"] == side).to_numpy() for side in ("left_only", "right_only"))
    both["alone_since"] = both["alone_since"].astype("str").mask(came, when)
    both["alone_until"] = np.where(went, when, "")
    alone = both[_ALONE_COLUMNS].sort_values(SUBJECT_COLUMN, ignore_index=True) if tells_who else _empty(_ALONE_COLUMNS)
    groups = _groups(assessment, memory.groups)
    line = {
        "for": FOR_CONTROLLER,
        "when": when,
        "version": summary["version"],
        "config": config,
        "total": summary["k_anonymity"]["total"],
        "evaluated": summary["k_anonymity"]["evaluated"],
        "thresholds": {"K": assessment.config.K, "L": assessment.config.L, "T": assessment.config.T},
        "risky_rate": worst_rates(summary),
        "verdict": summary.get("verdict", {}).get("verdict"),
        "remembers_who_is_alone": tells_who,
        "open_points": len(summary.get("context", {}).get("open_points", ())),
    }
    if memory.knows_who_is_alone and tells_who:
        line["newly_alone"] = int(came.sum())
    if memory.lines and memory.lines[-1]["config"] == config:
        line["drift"] = drift(groups)
    lines = (*memory.lines, line)[-pilot.keep_runs :]
    return Memory(lines, alone, groups)


def worst_rates(summary: Mapping[str, Any]) -> dict[str, float | None]:
    """Share of the evaluated people whom k, l and t flag, in [0, 1]; of l and t that of the worst sensitive feature.

    None if nothing was evaluated; without a sensitive feature there is no l and no t.
    """
    rates: dict[str, float | None] = {"k": summary["k_anonymity"]["risky_rate"]}
    for letter, model in (("l", "l_diversity"), ("t", "t_closeness")):
        told = [figures["risky_rate"] for figures in summary[model].values()]
        if told:
            rates[letter] = max((rate for rate in told if rate is not None), default=None)
    return rates


def people_alone(assessment: Assessment) -> pd.DataFrame:
    """The ids of the evaluated people who are alone with their quasi-identifiers, in their order, in one column.

    Empty if more than ``MOST_ALONE`` are: the list would cost more than it is worth.
    """
    if n_alone(assessment) > MOST_ALONE:
        return _empty([SUBJECT_COLUMN])
    alone = _alone(assessment)
    parts = assessment.people.flagged(alone, np.arange(len(alone.risky_classes)))
    ids = [listed[[SUBJECT_COLUMN]].astype("str") for _, listed in parts]
    return pd.concat([_empty([SUBJECT_COLUMN]), *ids]).sort_values(SUBJECT_COLUMN, ignore_index=True)


def n_alone(assessment: Assessment) -> int:
    """How many evaluated people are alone with their quasi-identifiers."""
    return _alone(assessment).n_risky


def _alone(assessment: Assessment) -> ModelResult:
    k = assessment.k_anonymity
    return dataclasses.replace(k, risky_classes=k.evaluated_classes & (k.of_class == 1))


def _groups(assessment: Assessment, earlier: pd.DataFrame) -> pd.DataFrame:
    """People by group of every quasi-identifier as evaluated, now and in the run before, in the order of the groups."""
    classes = assessment.classes
    columns = zip(assessment.config.quasi_identifiers, classes.columns_of_classes, strict=True)
    now = {
        (name, group): int(n)
        for name, column in columns
        for group, n in zip(
            ["", *labels_of(column)],
            np.bincount(column.codes + 1, classes.size, 1 + len(column.labels)),
            strict=True,
        )
        if n
    }
    of_earlier = (earlier[name].tolist() for name in ("column", "group", "people"))
    before = {(name, group): n for name, group, n in zip(*of_earlier, strict=True) if n > 0}
    rows = [(*key, now.get(key, 0), before.get(key, 0)) for key in sorted({*now, *before})]
    groups = pd.DataFrame(rows, columns=["column", "group", "people", "people_before"])
    return groups[_GROUP_COLUMNS].astype(_kinds_of(_GROUP_COLUMNS))


def drift(groups: pd.DataFrame) -> dict[str, float]:
    """How far each quasi-identifier moved since the run before: total variation of its shares, in [0, 1].

    0 where every group has the share it had, 1 where no group is left. Rounded to four digits.
    """
    moved: dict[str, float] = {}
    for name, of_column in groups.groupby("column", sort=True):
        before, now = of_column["people_before"].to_numpy(), of_column["people"].to_numpy()
        if before.sum() and now.sum():
            distance = float(np.abs(before / before.sum() - now / now.sum()).sum() / 2)
            moved[str(name)] = round(distance, 4)
    return moved


# ---------------------------------------------------------------- as a section

OUTLINE = Outline(
    130, "over_time", "Over time", "Whether the risk grows from run to run.", "a second run", AS_IT_CAME_IN
)
MOST_RUNS = 24


def history_sections(lines: Sequence[Mapping[str, Any]]) -> list[Section]:
    """When the last run was, and the shares at risk run by run; ``lines`` are those of ``history.jsonl``."""
    if not lines:
        return []
    when = Sentence(f"{lines[-1]['when'][:10]} (UTC).", where=Where.PAGE)
    trend = Sentence("This is the first recorded run.", where=Where.PAGE)
    part = trend if len(lines) < 2 else Figure(_trend(lines[-MOST_RUNS:]), TREND)
    return [Section("head", "", [when]), OUTLINE.section([part])]


TREND = "Share of the evaluated people at risk, run by run; of several sensitive features the largest by l and by t."


def _trend(runs: Sequence[Mapping[str, Any]]) -> Drawing:
    names = [name for name in ("k", "l", "t") if any(name in run["risky_rate"] for run in runs)]
    drawn = []
    for name in names:
        places = [
            (place / (len(runs) - 1), run["risky_rate"][name])
            for place, run in enumerate(runs)
            if run["risky_rate"].get(name) is not None
        ]
        if places:
            drawn.append(planes.Line(name, tuple(places)))
    described = "; ".join(
        f"{run['when'][:10]}: " + ", ".join(f"{name} {share_text(run['risky_rate'].get(name))}" for name in names)
        for run in runs
    )
    labels = [run["when"][:10] if place in (0, len(runs) - 1) else "" for place, run in enumerate(runs)]
    return planes.line_chart("Share of people at risk, run by run", described, drawn, labels)
