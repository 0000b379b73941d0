"""How the files of a pilot without a config are merged: the defaults, and what else they need to become one table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from cdisc.formats.files import find_domain_files, read_domain_file
from cdisc.merge.combine import BASE_DOMAIN
from cdisc.merge.sdtm import LEFT_OUT, SUBJECT_TIMING, events_prefix, findings_prefix, supplemental_parent
from cdisc.merge.subject_ids import DEFAULT_COLUMN
from disclosure_control.basics.faults import FaultyInputError, stop_at
from disclosure_control.basics.words import counted
from disclosure_control.draft.literal import Group, Line, Node
from disclosure_control.draft.subject_ids import SubjectIds, draft_subject_ids

STUDY = "STUDYID"
MOST_UNKNOWN = 0.5  # a file of which fewer subjects are in DM than not belongs to somebody else


@dataclass(frozen=True)
class MergeDraft:
    """The drafted config key ``subject_id``, the settings of ``merge`` by name, and the codes of tests.

    ``test_codes``: domain and test as its records name it -> the short code of the test.
    """

    subject_id: Group
    settings: dict[str, Node]
    test_codes: Mapping[tuple[str, str], str]


def read_subject_tables(folder: Path) -> dict[str, pd.DataFrame]:
    """Every file of the folder that holds data of subjects, by domain; SDTM names in capitals.

    Raises ``FaultyInputError`` with the faults of all files that cannot be read.
    """
    tables: dict[str, pd.DataFrame] = {}
    faults: list[str] = []
    for domain, path in find_domain_files(folder).by_domain.items():
        if domain not in LEFT_OUT:
            try:
                tables[domain] = _with_sdtm_names(read_domain_file(path).frame)
            except FaultyInputError as error:
                faults += error.faults
    stop_at(faults)
    return tables


def draft_merge(tables: Mapping[str, pd.DataFrame]) -> MergeDraft:
    """What the merge of these tables (by domain) needs beyond its defaults, each with its reason.

    What cannot be decided from the files (no DM among several, two studies in one folder) stays a fault of the merge.
    """
    whole = {domain: table for domain, table in tables.items() if supplemental_parent(domain) is None}
    base = BASE_DOMAIN if BASE_DOMAIN in whole else next(iter(whole), None)
    ids = draft_subject_ids(whole, base) if base else SubjectIds({"column": Line(DEFAULT_COLUMN)})
    settings: dict[str, Node] = {}
    unknown = [
        Line(domain, f"{n:,} of its {ids.n_subjects[domain]:,} subjects are not in {base}; left out and counted", True)
        for domain, n in ids.n_unknown.items()
        if n <= MOST_UNKNOWN * ids.n_subjects[domain]
    ]
    if unknown:
        settings["unknown_subjects"] = Group(unknown)
    several = {domain: line for domain, table in whole.items() if (line := _several_rows(domain, table, ids))}
    if several:
        settings["several_rows"] = Group(several)
    return MergeDraft(
        Group(ids.lines, "Which column names the subject, and how its spellings are brought together."),
        settings,
        _test_codes(whole),
    )


def _several_rows(domain: str, table: pd.DataFrame, ids: SubjectIds) -> Line | None:
    """What a wide table with several rows for a subject needs; None for any other, and where it holds two studies."""
    columns = list(table.columns)
    is_long = domain != BASE_DOMAIN and (
        findings_prefix(columns) or events_prefix(domain, columns) or domain in SUBJECT_TIMING
    )
    rule = ids.rule
    if (
        is_long
        or rule.column is None
        or rule.column not in table
        or (STUDY in table and table[STUDY].drop_duplicates().count() > 1)
    ):
        return None
    n_subjects = ids.n_subjects[domain]
    if n_subjects == len(table):
        return None
    return Line(
        "last",
        f"{counted(len(table), 'row')} for {counted(n_subjects, 'subject')}: the last by date, then by "
        "its values; the others are left out",
        True,
    )


def _test_codes(tables: Mapping[str, pd.DataFrame]) -> dict[tuple[str, str], str]:
    codes: dict[tuple[str, str], str] = {}
    for table in tables.values():
        prefix = findings_prefix(list(table.columns))
        if prefix and {f"{prefix}TEST", f"{prefix}TESTCD"} <= set(table.columns):
            pairs = table[[f"{prefix}TEST", f"{prefix}TESTCD"]].drop_duplicates().dropna().astype("str")
            codes |= {(prefix, test): code for test, code in pairs.itertuples(index=False)}
    return codes


def _with_sdtm_names(table: pd.DataFrame) -> pd.DataFrame:
    has_small_ones = DEFAULT_COLUMN not in table and DEFAULT_COLUMN in table.columns.str.upper()
    return table.set_axis(table.columns.str.upper(), axis="columns") if has_small_ones else table
