"""The step ``tables``: tables that the user brings, made fit to leave by the rules of a house.

    "tables": {"rules": "sdc_handbook", "files": [
        {"file": "tables/events.csv", "dimensions": ["TERM", "ARM"], "counts": "n", "of": "N", "several": "TERM"}]}

All tables are protected together: a cell that two of them share is masked in both, and none can be used to calculate
what another one masks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from disclosure_control.basics.files import SourceFile, file_of_pilot
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.release.before_and_after import CameIn
from disclosure_control.release.study import read_study
from disclosure_control.run.tables import csv_bytes, harmless
from disclosure_control.steps.running import StepInput, StepResult
from disclosure_control.steps.tables.brought import TableRead, read_earlier, read_table
from disclosure_control.steps.tables.files import CHECKS, PAGE, TableToLeave, checks_sheet, tables_page
from disclosure_control.steps.tables.of_study import tables_of_study
from disclosure_control.steps.tables.report import (
    ROWS_BESIDE_TABLES,
    how_it_was_done,
    reasons_to_hold,
    tables_sections,
    told_tables,
)
from disclosure_control.steps.tables.settings import BroughtTable, TablesSettings
from disclosure_control.table_protection.blocks import Block
from disclosure_control.table_protection.houses import HouseRules, house_by_name, house_rules
from disclosure_control.table_protection.protection import ProtectedTables, ProtectionMethod, protect_tables
from study.merge.settings import MergeSettings
from study.merge.subject_ids import SubjectIdRule

_KEY = "tables"
_PLACE = "in a folder of its own within the pilot's folder, such as tables/events.csv"
Inputs = dict[str, dict]


def run_step(step: StepInput[TablesSettings]) -> StepResult:
    """The tables as they may leave, as CSV and as a page, and the sheet of checks.

    Where a promise cannot be kept, no table is written, and that is a reason to hold. Raises ``FaultyInputError`` with
    the faults of all files.
    """
    inputs: Inputs = {}
    rules, read = _read_all(step.settings, step.folder, inputs)
    if step.settings.study:
        read += [(table, None) for table in tables_of_study(_came_in(step, inputs))]
    method = ProtectionMethod(step.settings.method)
    tables, found = protected(read, rules, method)
    told = told_tables(tables, found, rules, method)
    how = how_it_was_done(told)
    files = {table.file: csv_bytes(harmless(table.released())) for table in tables}
    files[PAGE] = tables_page(tables, rules, how)
    reasons = reasons_to_hold(told)
    kept = {} if reasons else files
    if step.settings.study and "release" in step.earlier and step.earlier["release"].outcome:
        reasons = (*reasons, ROWS_BESIDE_TABLES)
    return StepResult(
        told,
        sections=tables_sections(told, [*kept, CHECKS]),
        tables={CHECKS: checks_sheet(tables)},
        files=kept,
        hand_to_hand=frozenset(kept),
        inputs=inputs,
        reasons_to_hold=reasons,
    )


def protected(
    tables: Sequence[tuple[TableRead, Block | None]], rules: HouseRules, method: ProtectionMethod
) -> tuple[list[TableToLeave], ProtectedTables]:
    """The tables as they may leave, all of them protected together; each with its earlier counts, if it has any."""
    blocks: list[Block] = []
    names: list[str] = []
    first: list[int] = []
    for table, earlier in tables:
        first.append(len(blocks))
        blocks += [
            block if block.people is None else replace(block, people_in=first[-1] + (block.people_in or 0))
            for block in table.blocks.values()
        ]
        blocks += [] if earlier is None else [earlier]
        names += [table.name] * (len(blocks) - first[-1])
    found = protect_tables(blocks, names, rules, method)
    leaving = [
        TableToLeave(table, dict(zip(table.blocks, found.blocks[at:], strict=False)))
        for at, (table, _) in zip(first, tables, strict=True)
    ]
    return leaving, found


def _read_all(
    settings: TablesSettings, folder: Path, inputs: Inputs
) -> tuple[HouseRules, list[tuple[TableRead, Block | None]]]:
    """The rules and every table, each with its earlier counts; the faults of all of them at once."""
    faults: list[str] = []
    found: list[tuple[TableRead, Block | None]] = []
    rules = None
    try:
        rules = _rules(settings.rules, folder, inputs)
    except FaultyInputError as error:
        faults += error.faults
    for one in settings.files:
        try:
            found.append(_read(one, folder, inputs))
        except FaultyInputError as error:
            faults += error.faults
    stop_at(faults)
    assert rules is not None
    stop_at(
        f"{table.name}: the rules of {rules.name} ask for the {rules.largest_needed} largest contributors to "
        f'{column!r}; name their columns under "largest"'
        for table, _ in found
        for column in table.settings.sums
        if len(table.settings.largest.get(column, ())) < rules.largest_needed
    )
    return rules, found


def _came_in(step: StepInput[TablesSettings], inputs: Inputs) -> CameIn:
    """The study with its tables, its files read as the release reads them."""
    config = step.assessment.config
    rule, merge = config.of(SubjectIdRule), config.of(MergeSettings)
    ids = step.dataset.records().ids()
    study = read_study(step.folder, ids, rule, merge, read=step.files.read)
    inputs |= {name: {"sha256": sha256} for name, sha256 in study.inputs.items()}
    return CameIn.of(study, len(ids), step.files.rows_to_search)


def _rules(name: str, folder: Path, inputs: Inputs) -> HouseRules:
    return house_rules(_file(name, folder, "rules", inputs)) if name.endswith(".json") else house_by_name(name)


def _read(settings: BroughtTable, folder: Path, inputs: Inputs) -> tuple[TableRead, Block | None]:
    table = read_table(_file(settings.file, folder, "files", inputs), settings)
    if settings.earlier is None:
        return table, None
    return table, read_earlier(_file(settings.earlier, folder, "earlier", inputs), table)


def _file(name: str, folder: Path, key: str, inputs: Inputs) -> SourceFile:
    try:
        file, read = file_of_pilot(folder, name, f"{_KEY}[{key!r}]")
    except FaultyInputError as error:
        raise FaultyInputError([f"{fault}, {_PLACE}" for fault in error.faults]) from None
    inputs[name] = {**read}
    return file
