"""The people attacked: those of the identified table, in the pilot or not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath

import numpy as np
import pandas as pd

from disclosure_control.analyses.linkage_attack.linkage import NOT_IN_PILOT, NOT_RELEASED
from disclosure_control.analyses.linkage_attack.settings import KEY, AttackSettings
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, encode_column
from disclosure_control.basics.files import SourceFile, file_of_pilot
from disclosure_control.basics.telling.faults import FaultyInputError, nearest_name, stop_at
from disclosure_control.basics.telling.small_counts import people_on_screen
from study.formats.files import read_domain_file
from study.merge.subject_ids import SubjectIdRule

DEFAULT_RULE = SubjectIdRule()
PLACE = f"{KEY}['identified']"
# What readers of domain files advise: settings of the merge, which are of no help here.
MERGE_HINT = re.compile(r"[^.;,]*\bmerge: .*$", re.DOTALL)


@dataclass(frozen=True)
class IdentifiedTable:
    """People by name: ``ids`` (n_people,), their ``frame``, and their positions in the pilot.

    ``subject`` (n_people,) is the position of the person's own row in the pilot, ``NOT_IN_PILOT`` if there is none;
    None if the table does not say. ``source`` are the file and its SHA-256; ``notes`` are sentences for the controller.
    """

    ids: pd.Series = field(repr=False)
    frame: pd.DataFrame = field(repr=False)
    subject: np.ndarray | None
    source: Mapping[str, dict]
    notes: tuple[str, ...] = ()

    def truth(self, kept: np.ndarray, n_pilot: int) -> np.ndarray | None:
        """Position of each person's own record among those ``kept`` (n_released,), see ``LinkageAttack``."""
        if self.subject is None:
            return None
        position = np.full(n_pilot + 1, NOT_RELEASED)
        position[kept] = np.arange(len(kept))
        position[n_pilot] = NOT_IN_PILOT
        return position[np.where(self.subject < 0, n_pilot, self.subject)]


def read_identified(
    settings: AttackSettings, folder: Path, subjects: pd.Series, rule: SubjectIdRule = DEFAULT_RULE
) -> IdentifiedTable:
    """The controller's identified table. Raises ``FaultyInputError``.

    ``rule`` is how the pilot spells its subjects: the column ``truth`` may use this spelling, or that of the source.
    """
    file, source = file_of_identified(settings, folder)
    truth = settings.truth or SUBJECT_COLUMN
    needed = {"id": settings.id, **{f"known[{name!r}]": theirs for name, theirs in settings.known.items()}}
    if settings.truth:
        needed["truth"] = settings.truth
    frame = _read(file, needed)
    ids = frame[settings.id]
    faults = _faults_of_ids(ids, file.name, settings.id)
    subject: np.ndarray | None = None
    notes: list[str] = []
    if truth in frame:
        subject, more, notes = _positions(frame[truth], subjects, rule, file.name, truth)
        faults += more
        if settings.truth and not (subject >= 0).any():
            faults += notes
    stop_at(faults)
    return IdentifiedTable(ids, frame, subject, source, tuple(notes))


def file_of_identified(settings: AttackSettings, folder: Path) -> tuple[SourceFile, Mapping[str, dict]]:
    """The identified table's file, as it was read in the config's folder or below; by name, its SHA-256."""
    name, where = settings.identified, f"the folder {settings.folder!r}"
    try:
        file, read = file_of_pilot(folder / settings.folder, name, PLACE)
    except FaultyInputError as error:
        own = settings.folder == "."
        faults = [fault if own else fault.replace("the pilot's folder", where) for fault in error.faults]
        raise FaultyInputError(faults) from None
    return file, {PurePath(settings.folder, name).as_posix(): read}


def _read(file: SourceFile, needed: Mapping[str, str]) -> pd.DataFrame:
    try:
        frame = read_domain_file(file).frame
    except FaultyInputError as error:  # this file is no domain that a merge could leave out
        end = f"; correct the file, or name another one under {PLACE}"
        raise FaultyInputError([MERGE_HINT.sub("", fault).rstrip(".;, ") + end for fault in error.faults]) from None
    faults = [
        f"{file.name}: no column {name!r} for {KEY} {role}{nearest_name(name, list(frame.columns))}"
        for role, name in needed.items()
        if name not in frame
    ]
    stop_at(faults)
    return frame


def _faults_of_ids(ids: pd.Series, file: str, name: str) -> list[str]:
    codes = encode_column(ids).codes
    n_blank, n_repeated = int((codes < 0).sum()), int((np.bincount(codes[codes >= 0]) > 1).sum())
    faults = []
    if n_blank:
        faults.append(
            f"{file}: {name} is empty in {people_on_screen(n_blank)} of {len(ids)} rows; every row names a person"
        )
    if n_repeated:
        faults.append(
            f"{file}: {people_on_screen(n_repeated)} values of {name} stand in several rows; one row per person "
            "is needed"
        )
    return faults


def _positions(
    truth: pd.Series, subjects: pd.Series, rule: SubjectIdRule, file: str, name: str
) -> tuple[np.ndarray, list[str], list[str]]:
    """Position in the pilot of the subject that each row names, faults, and notes.

    A row may spell the subject as the pilot or as the source does. Two rows with one subject are a fault.
    """
    spelled = encode_column(truth.astype("str"))
    ids_by_rule, _ = rule.apply(pd.Index(spelled.labels, dtype="str"))
    by_rule = pd.Series(ids_by_rule, dtype="str")
    both = encode_column(
        pd.concat([subjects.astype("str"), pd.Series(spelled.labels, dtype="str"), by_rule], ignore_index=True)
    )
    own, as_is, ruled = np.split(both.codes, [len(subjects), len(subjects) + len(spelled.labels)])
    at = np.full(len(both.labels) + 1, NOT_IN_PILOT)
    at[own] = np.arange(len(subjects))
    at[-1] = NOT_IN_PILOT
    of_label = np.where(at[as_is] >= 0, at[as_is], at[ruled])
    position = np.append(of_label, NOT_IN_PILOT)[spelled.codes]
    n_repeated = int((np.bincount(position[position >= 0], minlength=1) > 1).sum())
    faults = [
        f"{file}: {people_on_screen(n_repeated)} subjects of the pilot stand in several rows of {name}; allowed: one"
    ]
    n_named, n_unknown = int((spelled.codes >= 0).sum()), int(((spelled.codes >= 0) & (position < 0)).sum())
    notes = []
    if n_unknown == n_named:
        notes.append(
            f"{file}: {n_named} of {len(truth)} rows have an id in {name}, and none of them is one of the "
            f"{len(subjects)} subjects of the pilot; spell them as the pilot does, or as its source does with a rule "
            "under subject_id; nothing can be said of success before"
        )
    elif n_unknown:
        notes.append(
            f"{file}: {people_on_screen(n_unknown)} of {n_named} ids in {name} are no subjects of the pilot; these "
            "people are taken as outside of it (control group)."
        )
    return position, faults if n_repeated else [], notes
