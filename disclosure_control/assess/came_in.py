"""The merge report as a section of the page: which files were read, what was dropped and collapsed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from config import MERGE_REPORT
from disclosure_control.basics.telling.merged_domains import NOTES_SHOWN, ToldDomain
from disclosure_control.basics.telling.sections import Outline, Part, Section, Sentence, Style, Table, Where
from disclosure_control.basics.telling.small_counts import Policy, count_text, people_told
from disclosure_control.basics.telling.words import counted
from study.columns.profile import ColumnProfile, Degree

OUTLINE = Outline(
    120,
    "merge",
    "What came in",
    "Which files were read, what was dropped, collapsed and guessed.",
    "python Create_Combined_Pilot_Dataset.py",
)
_OF_MERGE = ("subjects", "inputs", "domains", "left_out", "notes", NOTES_SHOWN)


def merge_sections(policy: Policy, results: Path, columns: Iterable[ColumnProfile] = ()) -> list[Section]:
    """The section of the merge report in the folder of results; none where it is not there, or of another form.

    ``columns``: those of the sheet, which are shown as they were understood, what is not sure first.
    """
    try:
        report = json.loads((results / MERGE_REPORT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    if not isinstance(report, dict) or not all(key in report for key in _OF_MERGE):
        return []
    return [OUTLINE.section([*_parts(policy, report), *_understood(columns)])]


def _understood(columns: Iterable[ColumnProfile]) -> Iterator[Part]:
    least_sure_first = sorted(columns, key=lambda one: (not one.stays_here, list(Degree)[::-1].index(one.degree)))
    rows = [
        [one.table, one.column, one.role, one.known_to_outsiders, one.decision or one.degree, one.evidence]
        for one in least_sure_first
    ]
    if rows:
        headings = ("Table", "Column", "Role", "Known to outsiders", "Understood", "Why")
        yield Table("Columns as understood", headings, rows, (), Where.PAGE)


def _parts(policy: Policy, report: Mapping[str, Any]) -> Iterator[Part]:
    n_files = counted(len(report["inputs"]), "file")
    yield Sentence(f"{people_told(report['subjects'], ',')} from {n_files}.", where=Where.PAGE)
    rows = [
        [
            name,
            domain["form"],
            *(count_text(n, ",") for n in (told.rows, told.subjects, told.collapsed)),
            len(domain.get("dropped_columns", ())),
        ]
        for name, domain in report["domains"].items()
        for told in [ToldDomain.of(policy, domain, report["subjects"])]
    ]
    columns = ("Domain", "Form", "Rows", "People", "Collapsed", "Columns dropped")
    yield Table("Domains", columns, rows, range(2, 6), Where.PAGE)
    words = {} if policy.is_exact else report[NOTES_SHOWN]
    said = [f"Left out: {name}, {words.get(reason, reason)}" for name, reason in report["left_out"].items()]
    said += [words.get(note, note) for note in report["notes"]]
    said += [f"{name}: {words.get(n, n)}" for name, file in report["inputs"].items() for n in file["notes"]]
    yield from (Sentence(sentence, Style.NOTICE, Where.PAGE) for sentence in said)
