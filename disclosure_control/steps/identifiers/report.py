"""The step ``identifiers`` in words and figures: counts by column, how sure, what becomes of it; never a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from disclosure_control.basics.telling.small_counts import count_text
from disclosure_control.basics.telling.words import counted, listed, people_text, text_table
from disclosure_control.identifiers.column_findings import ColumnFinding, Scan
from disclosure_control.identifiers.outcome import IdentifierOutcome, told_counts

SAID_ONLY = "said only"  # the state of what holds nothing back


def identifier_figures(
    outcome: IdentifierOutcome, of_dataset: Scan, beside: Scan, not_looked_at: Sequence[str], file: str
) -> dict[str, Any]:
    """The figures under ``identifiers`` in the JSON summary; ``file`` is the name of the combined dataset."""
    every = {finding.name for finding in (*outcome.in_dataset, *outcome.elsewhere)}
    return {
        "findings": [_figures(outcome, finding, True) for finding in outcome.in_dataset]
        + [_figures(outcome, finding, False) for finding in outcome.elsewhere],
        "open": [finding.name for finding in outcome.open],
        "columns_looked_at": {
            file: sum(table.n_columns for table in of_dataset.columns.values()),
            **{domain: table.n_columns for domain, table in beside.columns.items()},
        },
        "not_looked_at": list(not_looked_at),
        "harmless": dict(outcome.harmless),
        "harmless_without_finding": [name for name in outcome.harmless if name not in every],
        "release_anyway": outcome.release_anyway,
    }


def _figures(outcome: IdentifierOutcome, finding: ColumnFinding, in_dataset: bool) -> dict[str, Any]:
    return {
        "column": finding.name,
        "kind": finding.kind,
        "grade": finding.grade.name.lower(),
        "certainty": finding.certainty,
        **told_counts(finding),
        "all_people": finding.n_all_people,
        "chance_rate": finding.chance_rate,
        "of_a_sample": finding.is_sample,
        "in_dataset": in_dataset,
        "state": state_of(outcome, finding, in_dataset),
        "what_to_do": finding.what_to_do,
    }


def state_of(outcome: IdentifierOutcome, finding: ColumnFinding, in_dataset: bool) -> str:
    """What becomes of a finding, in a word or two."""
    if finding.name in outcome.harmless:
        return f"harmless: {outcome.harmless[finding.name]}"
    if not finding.vetoes:
        return SAID_ONLY
    if not in_dataset:
        return "in a file beside the dataset"
    if outcome.is_answered(finding):
        return "a quasi-identifier: k counts it"
    return "dropped by the treatment" if finding.name in outcome.planned_drops else "open"


def identifier_report(outcome: IdentifierOutcome, figures: Mapping[str, Any]) -> str:
    """The section of the text report: what names a person first, then what is said only, then what was looked at."""
    lines = ["Identifiers: which columns name a person by themselves"]
    vetoing = [entry for entry in figures["findings"] if entry["state"] != SAID_ONLY]
    words = {finding.kind: finding.words for finding in (*outcome.in_dataset, *outcome.elsewhere)}
    if vetoing:
        rows = [[e["column"], words[e["kind"]], e["certainty"], _people(e), e["state"]] for e in vetoing]
        lines.append(text_table(["Column", "Holds", "How sure", "People", "What becomes of it"], rows))
        remedies = {entry["what_to_do"]: None for entry in vetoing if entry["state"] == "open"}
        for remedy in remedies:
            named = _names(e for e in vetoing if e["what_to_do"] == remedy and e["state"] == "open")
            lines.append(f"  {named}: {remedy}.")
    else:
        lines.append("  No column was found that names a person, or is sure or likely to hold what outsiders know.")
    lines += _said_only(figures["findings"], words)
    lines += [
        f"  Declared harmless, and nothing was found there: {name}." for name in figures["harmless_without_finding"]
    ]
    if outcome.release_anyway:
        lines.append(f"  Let out anyway, by the config: {outcome.release_anyway}")
    n_columns = sum(figures["columns_looked_at"].values())
    n_tables = len(figures["columns_looked_at"])
    lines.append(
        f"  Looked at: {counted(n_columns, 'column')} of {counted(n_tables, 'table')}, by their values. What is "
        "written in a form that no kind knows is not found: see docs/identifiers.md."
    )
    lines += [f"  Not looked at: {file}." for file in figures["not_looked_at"]]
    return "\n".join(lines) + "\n"


def _names(entries: Any) -> str:
    names = list(dict.fromkeys(entry["column"] for entry in entries))
    return listed(names, at_most=len(names))


def _said_only(findings: Sequence[Mapping[str, Any]], words: Mapping[str, str]) -> list[str]:
    """One line for each kind that vetoes nothing here, with its columns and who could know them."""
    lines = []
    for kind, of_kind in words.items():
        entries = [entry for entry in findings if entry["kind"] == kind and entry["state"] == SAID_ONLY]
        if entries:
            may = "" if entries[0]["certainty"] != "possible" else "possibly "
            lines.append(f"  Said only, {may}{of_kind}: {_names(entries)}; {entries[0]['what_to_do']}.")
    return lines


def _people(entry: Mapping[str, Any]) -> str:
    if not entry["all_people"]:
        return f"{count_text(entry['hits'], ',')} of {counted(entry['values'], 'row')}"
    return f"{count_text(entry['people'], ',')} of {people_text(entry['all_people'], ',')}"
