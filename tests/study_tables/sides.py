"""Sides of studies for the tests: of files in a folder, and of frames made at will."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from disclosure_control.study_tables.rows import PersonRows
from disclosure_control.study_tables.side import StudySide
from disclosure_control.study_tables.table import StudyTable
from study.formats.files import find_domain_files, read_domain_file
from study.formats.tables import NOTHING_DECLARED, SourceTable
from study.models.registry import study_model
from study.models.study_model import StudyModel


def model_of(frames: Mapping[str, pd.DataFrame], person: str = "USUBJID") -> StudyModel:
    tables = [SourceTable(name, f"{name.lower()}.csv", "0" * 64, frame, {}, ()) for name, frame in frames.items()]
    return study_model(tables, person)


def side_of(
    frames: Mapping[str, pd.DataFrame],
    ids: list[str],
    model: StudyModel,
    like: StudySide | None = None,
    there: np.ndarray | None = None,
) -> StudySide:
    """A side whose people are the ``ids``; rows of others are nobody's."""
    column = str(model.person)
    rows = {
        name: PersonRows(frame, pd.Index(ids).get_indexer(frame[column]))
        for name, frame in frames.items()
        if column in frame
    }
    return StudySide(rows, model, np.ones(len(ids), dtype=bool) if there is None else there, like)


def frames_in(folder: Path) -> dict[str, pd.DataFrame]:
    return {
        name: read_domain_file(path, NOTHING_DECLARED).frame
        for name, path in find_domain_files(folder).by_domain.items()
    }


def side_in(folder: Path) -> tuple[StudySide, dict[str, pd.DataFrame]]:
    """The study in a folder, of the people of its DM or ADSL."""
    frames = frames_in(folder)
    model = model_of(frames)
    return side_of(frames, list(frames[str(model.base)]["USUBJID"]), model), frames


def row(table: StudyTable, name: str, group: str | None = None) -> int:
    """The place of a row."""
    return next(
        place
        for place, (label, of) in enumerate(zip(table.rows, table.groups, strict=True))
        if label == name and group in (None, of)
    )
