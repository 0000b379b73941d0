"""Who is attacked and what is released: the identified table, the control group, and the releases of one pilot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from Anonymization_Models import FaultyInputError, encode_column, nearest_name
from cdisc.files import read_domain_file
from disclosure_control.attacks.linkage import NOT_IN_PILOT, NOT_RELEASED
from disclosure_control.attacks.settings import KEY, AttackSettings
from disclosure_control.combined_dataset import SUBJECT_COLUMN


@dataclass(frozen=True)
class Release:
    """What an attacker sees: ``frame`` (n_released, n_columns); ``kept`` are its records' positions in the pilot."""

    name: str
    frame: pd.DataFrame
    kept: np.ndarray


@dataclass(frozen=True)
class IdentifiedTable:
    """People by name: ``ids`` (n_people,), their ``frame``, and where each is in the pilot.

    ``subject`` (n_people,) is the position of the person's own row in the pilot, ``NOT_IN_PILOT`` where there is none;
    None where the table does not tell. ``n_drawn_from`` people were in the file.
    """

    ids: pd.Series
    frame: pd.DataFrame
    subject: np.ndarray | None
    n_drawn_from: int

    def truth(self, release: Release, n_pilot: int) -> np.ndarray | None:
        """Position of each person's own record in a release, see ``LinkageAttack``."""
        if self.subject is None:
            return None
        position = np.full(n_pilot + 1, NOT_RELEASED)
        position[release.kept] = np.arange(len(release.kept))
        position[n_pilot] = NOT_IN_PILOT
        return position[np.where(self.subject < 0, n_pilot, self.subject)]


def releases_of(pilot: pd.DataFrame, treated, which: str) -> list[Release]:
    """The combined dataset as it is, the treated one, or both; ``treated`` is the treatment's outcome, or None."""
    found = []
    if which != "treated":
        found.append(Release("combined", pilot, np.arange(len(pilot))))
    if which != "combined" and treated is not None:
        found.append(Release("treated", treated.frame.reset_index(drop=True), np.asarray(treated.kept)))
    if not found:
        raise FaultyInputError(f'{KEY}["released"]: no treatment ran before; add the key treatment to the config')
    return found


def read_identified(settings: AttackSettings, folder: Path, subjects: pd.Series) -> IdentifiedTable:
    """The controller's identified table, or the random part of it that is attacked. Raises ``FaultyInputError``."""
    path = folder / settings.folder / settings.identified
    truth = settings.truth or SUBJECT_COLUMN
    needed = {"id": settings.id, **{f"known[{name!r}]": theirs for name, theirs in settings.known.items()}}
    if settings.truth:
        needed["truth"] = settings.truth
    frame = _read(path, needed, "identified")
    ids = frame[settings.id]
    faults = _faults_of_ids(ids, path.name, settings.id)
    subject = None
    if truth in frame:
        subject, more = _positions(frame[truth], subjects, path.name, truth)
        faults += more
    if faults:
        raise FaultyInputError(faults)
    if settings.n_attacks is not None and settings.n_attacks < len(frame):
        order = np.argsort(encode_column(ids).codes, kind="stable")
        generator = np.random.default_rng(settings.seed)
        chosen = order[np.sort(generator.choice(len(frame), settings.n_attacks, replace=False))]
        n_all, frame, ids = len(frame), frame.iloc[chosen].reset_index(drop=True), ids.iloc[chosen]
        subject = None if subject is None else subject[chosen]
        return IdentifiedTable(ids.reset_index(drop=True), frame, subject, n_all)
    return IdentifiedTable(ids, frame, subject, len(frame))


def read_control(settings: AttackSettings, folder: Path, columns: list[str]) -> pd.DataFrame | None:
    """People who are not in the pilot, with the columns that the attacks use; None where the config names no file."""
    if settings.control is None:
        return None
    return _read(folder / settings.folder / settings.control, {name: name for name in columns}, "control")


def _read(path: Path, needed: Mapping[str, str], key: str) -> pd.DataFrame:
    if not path.is_file():
        raise FaultyInputError(
            f'{KEY}[{key!r}]: {path.name} is not in the folder {path.parent.name!r}; put it there, or correct "folder"'
        )
    frame = read_domain_file(path).frame
    faults = [
        f"{path.name}: no column {name!r} for {KEY} {role}{nearest_name(name, list(frame.columns))}"
        for role, name in needed.items()
        if name not in frame
    ]
    if faults:
        raise FaultyInputError(faults)
    return frame


def _faults_of_ids(ids: pd.Series, file: str, name: str) -> list[str]:
    codes = encode_column(ids).codes
    n_blank, n_repeated = int((codes < 0).sum()), int((np.bincount(codes[codes >= 0]) > 1).sum())
    faults = []
    if n_blank:
        faults.append(f"{file}: {name} is empty in {n_blank} of {len(ids)} rows; every row names a person")
    if n_repeated:
        faults.append(f"{file}: {n_repeated} values of {name} stand in several rows; one row per person is needed")
    return faults


def _positions(truth: pd.Series, subjects: pd.Series, file: str, name: str) -> tuple[np.ndarray, list[str]]:
    """Position in the pilot of the subject that each row names; two rows with one subject are a fault."""
    both = encode_column(pd.concat([subjects.astype("str"), truth.astype("str")], ignore_index=True))
    own, theirs = both.codes[: len(subjects)], both.codes[len(subjects) :]
    at = np.full(len(both.labels) + 1, NOT_IN_PILOT)
    at[own] = np.arange(len(subjects))
    at[-1] = NOT_IN_PILOT
    position = at[theirs]
    n_repeated = int((np.bincount(position[position >= 0], minlength=1) > 1).sum())
    if n_repeated:
        return position, [f"{file}: {n_repeated} subjects of the pilot stand in several rows of {name}; allowed: one"]
    return position, []
