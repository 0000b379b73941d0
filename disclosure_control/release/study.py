"""The whole study of a pilot: every domain file, joined or not, and whose record each row is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from cdisc.formats.files import find_domain_files, read_domain_file
from cdisc.formats.tables import NOTHING_DECLARED, SourceTable
from cdisc.formats.xport import is_version_8
from cdisc.merge.belonging import domain_of_table
from cdisc.merge.combine import with_sdtm_names
from cdisc.merge.sdtm import supplemental_parent
from cdisc.merge.settings import MergeSettings
from cdisc.merge.subject_ids import SubjectIdRule, read_subjects
from disclosure_control.basics.faults import FaultyInputError
from disclosure_control.basics.files import read_file

# Whose record a row is, where it is not the position of somebody whom the pilot knows.
NOBODY, STRANGER = -1, -2


@dataclass(frozen=True)
class StudyFile:
    """One domain file: its ``table``, whose rows they are, and the name under which its format is written.

    ``people`` (n_rows,) are positions in the pilot's subjects, ``NOBODY`` where a row names none (trial design, a
    relation of whole data sets), ``STRANGER`` where it names somebody whom the combined dataset does not know.
    ``domain`` is that of the variables: LB for LBCH, and for SUPPLB.
    """

    table: SourceTable
    domain: str
    people: np.ndarray
    written_as: str

    @property
    def name(self) -> str:
        """The data set's name: the stem of its file in capitals."""
        return self.table.domain

    @property
    def is_supplemental(self) -> bool:
        """Whether its rows are variables of another data set."""
        return supplemental_parent(self.name) is not None and {"QNAM", "QVAL"} <= set(self.table.frame)


@dataclass(frozen=True)
class Study:
    """The files of a pilot in the order of their names, and those that are not released, each with its reason."""

    files: tuple[StudyFile, ...]
    left_out: dict[str, str]


def read_study(
    folder: Path, subjects: pd.Series, rule: SubjectIdRule, settings: MergeSettings, leave_out: Sequence[str] = ()
) -> Study:
    """Every domain file of the pilot's ``folder``, also those that the merge ignores, but for those to ``leave_out``.

    ``subjects`` (n_people,) are the ids of the combined dataset, after the ``rule``. Raises ``FaultyInputError`` with
    the faults of all files at once.
    """
    found = find_domain_files(folder)
    left_out, faults, files = dict(found.left_out), [], []
    ids = pd.Index(subjects.astype("str"))
    for domain, path in found.by_domain.items():
        if domain in leave_out or domain == "DEFINE":
            left_out[path.name] = "left out by the config" if domain in leave_out else "describes the source"
            continue
        try:
            source = read_file(path)
            table = read_domain_file(source, settings.files.get(domain, NOTHING_DECLARED))
        except FaultyInputError as error:
            faults += list(error.faults)
            continue
        table = with_sdtm_names(table, rule)
        kind = table_format(path.suffix.lower(), path.suffix.lower() == ".xpt" and is_version_8(source))
        files.append(StudyFile(table, _domain_of(table), people_of_rows(table.frame, rule, ids), kind))
    if faults:
        raise FaultyInputError(faults)
    return Study(tuple(files), left_out)


def table_format(suffix: str, is_version_8: bool) -> str:
    """The name under which a file that came with this suffix is written again; CSV where its format has no writer."""
    if suffix == ".xpt":
        return "xpt8" if is_version_8 else "xpt5"
    name = suffix.removeprefix(".")
    return name if name in ("json", "ndjson", "dsjc", "parquet") else "csv"


def _domain_of(table: SourceTable) -> str:
    parent = supplemental_parent(table.domain)
    if parent is None:
        return domain_of_table(table)
    named = list(table.frame["RDOMAIN"].dropna().unique()) if "RDOMAIN" in table.frame else []
    return str(named[0]) if len(named) == 1 else parent


def people_of_rows(frame: pd.DataFrame, rule: SubjectIdRule, ids: pd.Index) -> np.ndarray:
    """Whose record each row (n_rows,) is: the position in ``ids``, ``NOBODY`` or ``STRANGER``."""
    if rule.column is not None and rule.column not in frame:
        return np.full(len(frame), NOBODY)
    read = read_subjects(frame, rule)
    position = ids.get_indexer(read.ids.astype("str"))
    position = np.where(position < 0, STRANGER, position)
    return np.append(position, NOBODY)[read.code]
