"""Domain files of one pilot -> one row per subject; what was left out, collapsed or unmatched is counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cdisc.formats.tables import SourceTable, domain_of
from cdisc.formats.values import NUMBER_PATTERN
from cdisc.merge.belonging import BASE_DOMAIN, domain_of_table
from cdisc.merge.events import reduce_events
from cdisc.merge.findings import Reduced, reduce_findings
from cdisc.merge.reading import belonging_tables, tables_to_merge
from cdisc.merge.sdtm import (
    SUBJECT_TIMING,
    events_prefix,
    findings_prefix,
    is_informative,
    supplemental_parent,
)
from cdisc.merge.settings import MergeSettings
from cdisc.merge.state import MergeState
from cdisc.merge.subject_ids import DEFAULT_COLUMN, SUBJECT, ReadSubjects, SubjectIdRule, read_subjects
from cdisc.merge.supplemental import fold_supplemental
from cdisc.merge.wide import reduce_wide, row_of_each_subject
from disclosure_control.basics.faults import FaultyInputError, nearest_name
from disclosure_control.basics.words import in_one_line, listed


@dataclass(frozen=True)
class Combined:
    """The combined dataset, all text, ``USUBJID`` first; ``report`` for ``merge_report.json``."""

    frame: pd.DataFrame
    report: dict[str, Any]


def combine_domains(folder: Path, rule: SubjectIdRule, settings: MergeSettings) -> Combined:
    """Read every domain file of ``folder`` and put one row per subject together.

    ``rule`` and ``settings`` are what the config's keys ``subject_id`` and ``merge`` say. Rows come in the order of the
    subject ids, columns by domain, DM first. Raises ``FaultyInputError`` with all faults of the files at once.
    """
    state = MergeState(rule, settings)
    return _combined(tables_to_merge(folder, state), state)


def combine_tables(tables: Sequence[SourceTable], rule: SubjectIdRule, settings: MergeSettings) -> Combined:
    """What ``combine_domains`` makes of a folder, of the tables of its files as they were read already."""
    state = MergeState(rule, settings)
    return _combined(belonging_tables(tables, state), state)


def _combined(tables: list[SourceTable], state: MergeState) -> Combined:
    subjects = {table.file_name: found for table in tables if (found := _subjects_of(table, state)) is not None}
    state.stop_at_faults()
    parts, supplemental = _by_domain(tables)
    ids = _base_subjects(parts, subjects, state)
    state.stop_at_faults()
    frames = {table.file_name: _known_subjects(table, subjects[table.file_name], ids, state) for table in tables}
    state.stop_at_faults()
    merged = {domain: _merge_parts(members, frames) for domain, members in parts.items()}
    for table in supplemental:
        _fold(table, frames[table.file_name], merged, state)
    state.stop_at_faults()

    state.notes.extend(_unknown_domains(state, [table.domain for table in tables], list(merged)))
    chosen_row = state.settings.several_rows.get(BASE_DOMAIN)
    reference_start = _reference_start(merged.get(BASE_DOMAIN), len(ids), chosen_row)
    columns: dict[str, np.ndarray] = {}
    units: dict[str, str] = {}
    for domain, frame in merged.items():
        reduced = _reduce(domain, frame, len(ids), reference_start, state)
        columns |= _with_names_in_one_line(reduced.columns, state)
        units |= {in_one_line(name): unit for name, unit in reduced.units.items()}
        state.domains.setdefault(domain, {}).update(reduced.counts)
        n_present = int(np.count_nonzero(np.bincount(frame[SUBJECT], minlength=len(ids))))
        state.domains[domain] |= {"subjects": n_present, "subjects_without_record": len(ids) - n_present}
    state.notes.extend(_unknown_columns(state.settings, list(columns)))
    state.stop_at_faults()
    return _assemble(ids, columns, units, state)


# ---------------------------------------------------------------- subjects


def _subjects_of(table: SourceTable, state: MergeState) -> ReadSubjects | None:
    """The subject of each row by the pilot's rule; an id that is absent, empty or merged is a fault."""
    frame, rule, name = table.frame, state.rule, table.file_name
    if rule.column is not None and rule.column not in frame:
        state.faults.append(
            f"{name}: no column {rule.column!r} for the subject id among {len(frame.columns)} columns; name it by "
            'subject_id: {"column": "..."}, or {"column": None} for one file without an id'
        )
        return None
    subjects = read_subjects(frame, rule)
    of_rows = f"of {len(frame)} rows"
    if subjects.n_blank:
        state.faults.append(f"{name}: {rule.column} is empty in {subjects.n_blank} {of_rows}; every row needs an id")
    if subjects.n_emptied:
        state.faults.append(
            f"{name}: the subject_id pattern leaves nothing of the id in {subjects.n_emptied} {of_rows}; "
            "every row needs an id: change the pattern"
        )
    if subjects.n_merged:
        state.faults.append(
            f"{name}: the subject_id rule makes {subjects.n_merged} of {subjects.n_merged + len(subjects.ids)} source "
            "ids equal to another one; a rule must keep them apart: change pattern or case"
        )
    if subjects.n_unmatched:
        state.inputs[name]["notes"].append(f"the subject_id pattern does not match {subjects.n_unmatched} ids")
    return subjects


def _by_domain(tables: list[SourceTable]) -> tuple[dict[str, list[SourceTable]], list[SourceTable]]:
    """Files by domain, parts such as LBCH and LBHE under LB, DM first; and the supplemental files."""
    parts: dict[str, list[SourceTable]] = {}
    supplemental = []
    for table in tables:
        if supplemental_parent(table.domain) is None:
            parts.setdefault(domain_of_table(table), []).append(table)
        else:
            supplemental.append(table)
    return dict(sorted(parts.items(), key=lambda item: (item[0] != BASE_DOMAIN, item[0]))), supplemental


def _base_subjects(
    parts: dict[str, list[SourceTable]], subjects: dict[str, ReadSubjects], state: MergeState
) -> pd.Index:
    """The subjects of the combined dataset: those of DM, or of the only domain there is; in a stable order."""
    if state.rule.column is None and len(subjects) > 1:
        state.faults.append(
            f'subject_id: {{"column": None}} numbers the rows of one file, and there are {len(subjects)} files; '
            "name the column that holds the id"
        )
    elif BASE_DOMAIN not in parts and len(parts) > 1:
        state.faults.append(
            f"no DM file among {', '.join(parts)}: DM says who the subjects are; add it, or leave one file alone"
        )
    elif not parts:
        state.faults.append("supplemental files alone: there is no domain that they belong to; add it")
    if state.faults:
        return pd.Index([])
    base = next(iter(parts.values()))
    ids = subjects[base[0].file_name].ids
    for table in base[1:]:
        ids = ids.union(subjects[table.file_name].ids, sort=False)
    return ids if state.rule.column is None else ids.sort_values()


def _known_subjects(table: SourceTable, subjects: ReadSubjects, ids: pd.Index, state: MergeState) -> pd.DataFrame:
    """The rows of subjects that DM knows, with ``SUBJECT``, their code into ``ids``; unknown ones are a fault."""
    position = ids.get_indexer(subjects.ids)
    code = position[subjects.code]
    known = code >= 0
    if known.all():
        return table.frame.assign(**{SUBJECT: code})
    n_rows, n_unknown = int((~known).sum()), int((position < 0).sum())
    domain = domain_of_table(table)
    if domain in state.settings.unknown_subjects or table.domain in state.settings.unknown_subjects:
        unknown = state.unknown.setdefault(domain, set())
        unknown.update(subjects.ids[position < 0])  # parts of a domain may name the same person
        if supplemental_parent(table.domain) is None:
            state.count(domain, rows_of_unknown_subjects=n_rows)
            state.domains[domain]["unknown_subjects_left_out"] = len(unknown)
        else:
            counts = {"unknown_subjects_left_out": len(unknown), "rows_of_unknown_subjects": n_rows}
            state.inputs[table.file_name] |= counts
    else:
        hint = " (no subject in common: the ids are spelled differently; give a subject_id rule)"
        state.faults.append(
            f"{table.file_name}: {n_unknown} of {len(subjects.ids)} subjects ({n_rows} rows) are not in DM"
            f"{hint if n_unknown == len(subjects.ids) else ''}, by {state.rule.column}; correct the files, or leave "
            f'them out by merge: {{"unknown_subjects": ["{domain}"]}}'
        )
    frame: pd.DataFrame = table.frame[known].assign(**{SUBJECT: code[known]})
    return frame.reset_index(drop=True)


def _merge_parts(members: list[SourceTable], frames: dict[str, pd.DataFrame]) -> pd.DataFrame:
    parts = [frames[table.file_name] for table in members]
    return parts[0] if len(parts) == 1 else pd.concat(parts, ignore_index=True)


def _fold(table: SourceTable, frame: pd.DataFrame, merged: dict[str, pd.DataFrame], state: MergeState) -> None:
    needs = ["QNAM", "QVAL", *(["IDVARVAL"] if "IDVAR" in frame and frame["IDVAR"].notna().any() else [])]
    absent = [name for name in needs if name not in frame]
    if absent:
        state.faults.append(f"{table.file_name}: no column {' and '.join(absent)}; a supplemental file needs them")
        return
    parents = pd.Series(supplemental_parent(table.domain), frame.index, dtype="str")
    if "RDOMAIN" in frame:
        parents = frame["RDOMAIN"].fillna(parents)
    # A part such as LBHE has become its whole domain.
    parts = [name for name in parents.unique() if name not in merged and name[:2] in merged]
    parents = parents.replace({name: name[:2] for name in parts})
    no_domain = ~parents.isin([*merged]) & ~parents.str.fullmatch(r"[A-Z][A-Z0-9]{1,7}")
    if no_domain.any():  # a shifted column, say: what stands there is not shown
        state.faults.append(f"{table.file_name}: RDOMAIN names no domain in {int(no_domain.sum())} records; correct it")
    for parent, rows in frame[~no_domain].groupby(parents[~no_domain]):
        if parent not in merged:
            state.left_out[f"{table.file_name} ({parent})"] = f"{len(rows)} records for {parent}, which is not there"
            continue
        folded = fold_supplemental(merged[parent], rows, table.file_name, state.given.setdefault(parent, {}))
        merged[parent] = folded.frame
        state.faults.extend(folded.faults)
        state.count(parent, supplemental_folded=folded.n_folded, supplemental_without_parent=folded.n_without_parent)


def _unknown_domains(state: MergeState, read: list[str], merged: list[str]) -> list[str]:
    """Domains that the settings name and the pilot does not have: such a rule is without effect."""
    settings = state.settings
    known = {*read, *merged, *(domain_of(Path(name)) for name in state.left_out)}
    named = {key: getattr(settings, key) for key in ("ignore", "files", "carry", "events", "several_rows")}
    named["unknown_subjects"] = settings.unknown_subjects
    for key in ("record", "result", "text_results", "pool"):
        named[key] = [name.split("__")[0] for name in getattr(settings, key) if name]
    return [
        f"merge[{key!r}] is without effect: no domain {name!r} in this pilot{nearest_name(name, known)}"
        for key, names in named.items()
        for name in names
        if name not in known
    ]


def _unknown_columns(settings: MergeSettings, columns: list[str]) -> list[str]:
    """Columns that a rule names, with or without their ``[...]``, and the merge does not make."""
    known = {*columns, *(name.split(" [")[0] for name in columns)}
    return [
        f"merge[{key!r}] is without effect: no column {name!r} in this pilot{nearest_name(name, known)}"
        for key in ("record", "result", "text_results", "pool")
        for name in getattr(settings, key)
        if "__" in name and name not in known
    ]


def _reference_start(demographics: pd.DataFrame | None, n_subjects: int, several_rows: str | None) -> np.ndarray:
    start = np.full(n_subjects, None, dtype=object)
    if demographics is not None and several_rows:
        wide = demographics.drop(columns=SUBJECT)
        subject = demographics[SUBJECT].to_numpy()
        demographics = demographics.iloc[row_of_each_subject(wide, BASE_DOMAIN, subject, several_rows)]
    for name in ("RFXSTDTC", "RFSTDTC"):  # the second, where it is given, wins
        if demographics is not None and name in demographics:
            given = demographics[name].notna().to_numpy()
            start[demographics[SUBJECT].to_numpy()[given]] = demographics[name].to_numpy(dtype=object)[given]
    return start


# ---------------------------------------------------------------- reducing and assembling


def _reduce(
    domain: str, frame: pd.DataFrame, n_subjects: int, reference_start: np.ndarray, state: MergeState
) -> Reduced:
    """One domain to columns with one value per subject, by the form that its data have."""
    columns, subject = list(frame.columns), frame[SUBJECT].to_numpy()
    counts = {"rows": len(frame)}
    if domain != BASE_DOMAIN and (prefix := findings_prefix(columns)):
        absent = [name for name in state.settings.carry.get(domain, ()) if name not in frame]
        state.faults += [
            f"merge['carry']: {domain} has no variable {name!r}{nearest_name(name, columns)}" for name in absent
        ]
        reduced = reduce_findings(frame, prefix, domain, subject, n_subjects, reference_start, state.settings)
        return Reduced(reduced.columns, reduced.units, {"form": "findings", **counts, **reduced.counts})
    if domain != BASE_DOMAIN and (domain in SUBJECT_TIMING or events_prefix(domain, columns)):
        if domain not in state.settings.events:
            return Reduced({}, {}, {"form": "events, not joined", **counts})
        flags = state.settings.events[domain]
        joined, faults = reduce_events(frame, domain[:2], domain, subject, n_subjects, flags)
        state.faults.extend(faults)
        return Reduced(joined, {}, {"form": "events", **counts})
    wide = frame.drop(columns=SUBJECT)
    dropped = [name for name in columns if name != SUBJECT and not is_informative(name, domain)]
    if state.rule.column in wide:
        wide = wide.drop(columns=state.rule.column)
    wide = wide.drop(columns=dropped, errors="ignore")
    joined, collapsed, faults = reduce_wide(
        wide, domain, subject, n_subjects, state.settings.several_rows.get(domain), state.rule.column or ""
    )
    state.faults.extend(faults)
    return Reduced(joined, {}, {"form": "wide", **counts, "collapsed": collapsed, "dropped_columns": dropped})


def _with_names_in_one_line(columns: dict[str, np.ndarray], state: MergeState) -> dict[str, np.ndarray]:
    """Columns by their names without line breaks and tabs, which would break the lines of every report."""
    named = {in_one_line(name): values for name, values in columns.items()}
    if len(named) < len(columns):
        state.faults.append(
            f"{len(columns) - len(named)} columns of {len(columns)} are named as another one but for line breaks or "
            "tabs; rename them in the source"
        )
    n_changed = len(columns.keys() - named.keys())
    if n_changed:
        state.notes.append(f"line breaks or tabs in the names of {n_changed} columns became blanks")
    return named


def _assemble(ids: pd.Index, columns: dict[str, np.ndarray], units: dict[str, str], state: MergeState) -> Combined:
    absent = [name for name in state.settings.drop if name not in columns]
    if absent:
        raise FaultyInputError(f"merge['drop']: no column {', '.join(map(repr, absent))} in the combined dataset")
    dropped = list(state.settings.drop)
    if state.settings.drop_constants:
        dropped += [name for name, values in columns.items() if len(pd.unique(values[pd.notna(values)])) <= 1]
    kept = {name: values for name, values in columns.items() if name not in dropped}
    frame = pd.DataFrame({DEFAULT_COLUMN: ids.to_numpy(), **kept}, dtype="str")
    state.notes.extend(_text_among_numbers(frame))
    report = {
        "subjects": len(ids),
        "inputs": state.inputs,
        "left_out": state.left_out,
        "notes": state.notes,
        "domains": state.domains,
        "dropped_columns": sorted(dropped),
        "columns": {name: {"subjects_with_value": int(frame[name].notna().sum())} for name in kept},
        "units": {name: units[name] for name in kept if name in units},
    }
    return Combined(frame, report)


def _text_among_numbers(frame: pd.DataFrame) -> list[str]:
    """Columns of which most values are numbers and some are not: whoever takes them for numbers loses the others."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = []
    for name, column in frame.items():
        values = pa.array(column)
        is_text = pc.invert(pc.match_substring_regex(values, NUMBER_PATTERN))
        n_texts, n_values = pc.sum(is_text).as_py() or 0, len(values) - values.null_count
        if name != DEFAULT_COLUMN and 0 < 2 * n_texts < n_values:
            found.append(f"{name} ({n_texts:,} of {n_values:,})")
    return [f"values that are no numbers among numbers: {listed(found)}"] if found else []
