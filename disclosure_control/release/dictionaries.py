"""Dictionaries leave with the entries that occur in what leaves: others may be those of people who were removed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import partial

import pandas as pd

from disclosure_control.release.deidentify import ReleasedFile, ReleasedStudy
from disclosure_control.release.people import labels
from study.models.roles import Role, TableKind
from study.models.study_model import StudyModel


def with_used_entries(released: ReleasedStudy, model: StudyModel) -> ReleasedStudy:
    """The study, each dictionary that records of people refer to being cut to the entries that any file names.

    An entry is used if a key outside of its own dictionary names it. Other dictionaries leave as they are.
    """
    files = dict(released.files)
    for name, file in released.files.items():
        key = _own_key(file, model)
        if key is None or not any(one.has_people for _, one in _naming(released.files, file.source.domain, model)):
            continue
        used = _used(released.files, file.source.domain, model)
        files[name] = file.where(partial(_is_used, key, used))
    return released.with_files(files, "no entry of it occurs in what leaves")


def _is_used(key: str, used: Collection[str], frame: pd.DataFrame) -> pd.Series:
    return pd.Series(labels(frame[key])).isin(used)


def _own_key(file: ReleasedFile, model: StudyModel) -> str | None:
    """The key of a dictionary that leaves, None of any other file."""
    table = model.table(file.source.domain)
    if table is None or table.kind is not TableKind.DICTIONARY:
        return None
    return next((name for name in table.of_role(Role.RECORD_KEY) if name in file.columns), None)


def _naming(
    files: Mapping[str, ReleasedFile], dictionary: str, model: StudyModel
) -> Iterator[tuple[list[str], ReleasedFile]]:
    """The files with keys that name entries of a dictionary, and these keys; without the dictionary itself."""
    for file in files.values():
        table = model.table(file.source.domain)
        if table is None or file.source.domain == dictionary:
            continue
        keys = [name for name, column in table.columns.items() if column.refers_to == dictionary]
        if there := [name for name in keys if name in file.columns]:
            yield there, file


def _used(files: Mapping[str, ReleasedFile], dictionary: str, model: StudyModel) -> set[str]:
    found: set[str] = set()
    for keys, file in _naming(files, dictionary, model):
        for part in file.parts:
            for key in keys:
                found.update(labels(part.frame[key].drop_duplicates()))
    return found
