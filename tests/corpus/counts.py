"""The scan against what is known of a corpus: precision and recall by kind.

``python -m tests.corpus.counts`` writes the table of docs/identifiers.md from the held-out languages and another seed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from disclosure_control.identifiers.column_findings import ColumnFinding
from disclosure_control.identifiers.registry import kinds
from tests.corpus.exports import Export
from tests.identifiers.scanned import scan_tables


@dataclass(frozen=True)
class Counts:
    """Per kind: columns ``planted``, those of them ``found``; vetoing findings ``told``, and those that were ``right``.

    ``missed`` and ``false`` name export, column, planted kind and finding, for a person who mends a kind.
    """

    planted: Counter
    found: Counter
    told: Counter
    right: Counter
    missed: list[str]
    false: list[str]


def counts_of(exports: Iterable[Export]) -> Counts:
    """The findings of every export beside what was planted."""
    counts = Counts(Counter(), Counter(), Counter(), Counter(), [], [])
    for export in exports:
        by_column: dict[tuple[str, str], list[ColumnFinding]] = {}
        for finding in scan_tables(export.tables).findings:
            by_column.setdefault((finding.domain, finding.column), []).append(finding)
        for place, kind in export.planted.items():
            counts.planted[kind] += 1
            names = [finding.kind for finding in by_column.get(place, [])]
            counts.found[kind] += kind in names
            if kind not in names:
                counts.missed.append(f"{export.name} {place}: {kind}, found {names}")
        for place, findings in by_column.items():
            for finding in findings:
                if finding.vetoes:
                    counts.told[finding.kind] += 1
                    is_right = _is_right(finding.kind, export.planted.get(place))
                    counts.right[finding.kind] += is_right
                    if not is_right:
                        counts.false.append(f"{export.name} {place}: {finding.kind}, is {export.planted.get(place)}")
    return counts


def _is_right(kind: str, planted: str | None) -> bool:
    """The kind that was planted; a note with an identifier in it is free text, and a day in the order of ids a date."""
    also = {"free_text": ("person_name", "phone", "email", "national_id"), "event_date": ("same_order",)}
    return kind == planted or planted in also.get(kind, ())


def table(counts: Counts) -> str:
    """The rows of the docs: a kind, its columns, how many were found, how many vetoing findings were right."""
    lines = ["| kind | columns with it | found | vetoing findings | right |", "|---|---|---|---|---|"]
    for kind in kinds():
        row = [counts.planted[kind], counts.found[kind], counts.told[kind], counts.right[kind]]
        if any(row):
            lines.append(f"| `{kind}` | {' | '.join(map(str, row))} |")
    return "\n".join(lines)
