"""A config drafted from the files of a pilot: they are merged with the defaults, and each line has its reason."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from disclosure_control.basics.settings.fields import read
from disclosure_control.basics.settings.kinds import Place
from disclosure_control.basics.telling.words import people_text
from disclosure_control.draft.ages import draft_ages
from disclosure_control.draft.columns import Column, columns_of
from disclosure_control.draft.literal import DraftedValue, Group, Node, config_text
from disclosure_control.draft.merging import MergeDraft, draft_merge, tables_by_domain, with_rows_of_plain_tables
from disclosure_control.draft.model_keys import chosen_sensitive, draft_model_keys
from disclosure_control.draft.roles import ConfigRole, Decision, decide
from disclosure_control.draft.sheet import drafted_rows
from disclosure_control.draft.thresholds import draft_k
from disclosure_control.identifiers.scan import scan_combined
from study.columns.decisions import known_by_decision
from study.columns.profile import ColumnProfile
from study.columns.sheet import ColumnSheet
from study.formats.files import ReadOnce
from study.formats.tables import SourceTable
from study.merge.combine import Combined, MergeResources, combine_domains
from study.merge.reading import read_tables_to_merge
from study.merge.settings import MergeSettings
from study.merge.subject_ids import SubjectIdRule
from study.models.roles import TableKind
from study.models.study_model import StudyModel

TITLE = """Drafted settings of the pilot {pilot}, made from {people} and {n_columns} columns. \
"{review}" marks what you have to decide: change the line or keep it, then delete the mark.

Columns that are not named here stay in the combined dataset and in the treated dataset.{sheet}

This file is one dictionary. It is read, never run. README.md explains every key."""
SHEET = " You decide about them in {pilot}.columns.csv, beside this file: see docs/columns.md."
AS_GIVEN = "as in the pilot's config"
OF_EVERY_TABLE, WEIGHT = ("age", "sex"), 5  # concepts of columns, and how much more than another one they count
MOST_ROWS_WEIGHED = 500_000  # each way to hold that is tried costs a run


@dataclass(frozen=True)
class Draft:
    """The ``text`` of a config file, the ``rows`` of the sheet of columns, and the dataset of the merge by both."""

    text: str
    rows: list[ColumnProfile]
    combined: Combined


def draft_config(pilot: str, folder: Path, given: Mapping[str, Any], sheet: ColumnSheet | None = None) -> Draft:
    """Draft the config of a pilot from the files in its folder.

    ``given`` is its present config, if it has one: the keys ``subject_id`` and ``merge`` are taken over, as
    a person decided them, and so is what the ``sheet`` of its columns decides. Raises ``FaultyInputError`` where the
    files cannot be merged.
    """
    read_settings = functools.partial(_rule_and_settings, sheet)
    given_rule, given_settings = read_settings(given.get("subject_id", {}), given.get("merge", {}))
    working = MergeResources(read=ReadOnce())
    tables, model = read_tables_to_merge(folder, given_rule, given_settings, working.read)
    person = given_rule.column if "subject_id" in given else ""
    merge = _as_given(draft_merge(tables_by_domain(tables, model), model, person), given)
    rule, settings = read_settings(merge.subject_id.value, Group(merge.settings).value)
    if rule != given_rule:  # what columns are for depends on the person
        tables, model = read_tables_to_merge(folder, rule, settings, working.read)
    merge = with_rows_of_plain_tables(merge, tables, model, rule.column)
    ages = draft_ages(tables, model, rule.column or None, folder) if not given_settings.age else {}
    merge = dataclasses.replace(merge, settings={**merge.settings, **({"age": Group(ages)} if ages else {})})
    merge = _as_given(merge, given)
    settings = read_settings({}, Group(merge.settings).value)[1]
    if settings.age:  # a further column, whose role is known once it is there
        tables, model = read_tables_to_merge(folder, rule, settings, working.read)
    combined = combine_domains(folder, rule, settings, working)
    k = draft_k(len(combined.frame))
    columns = _columns(combined, merge, model, k)
    decisions = decide(columns, known_by_decision(settings.columns))
    dropped = {name: decision for name, decision in decisions.items() if decision.role is ConfigRole.DROPPED}
    of_all = combined
    if dropped:  # the dataset as the next merge will make it
        without = dataclasses.replace(settings, drop=(*settings.drop, *dropped))
        combined = combine_domains(folder, rule, without, working)
    sensitive = chosen_sensitive(columns, decisions)
    model_keys = draft_model_keys(columns, decisions, sensitive, k, of_all.frame)
    keys: dict[str, Node] = {**model_keys, "subject_id": merge.subject_id}
    parts = {**merge.settings, **_drop(settings.drop, dropped)}
    if parts:
        keys["merge"] = Group(parts, "Settings of the merge that differ from its defaults.")
    keys["recommend"] = _recommend(tables, model, _that_stay_fine(columns, decisions))
    names_of_sensitive = {column.name for column in sensitive}
    rows = drafted_rows(columns, decisions, names_of_sensitive, tables, model, None if given else sheet)
    title = TITLE.format(
        pilot=pilot,
        people=people_text(len(combined.frame), ","),
        n_columns=len(columns),
        review="# review:",
        sheet=SHEET.format(pilot=pilot) if rows else "",
    )
    return Draft(config_text(title, keys), rows, combined)


def _rule_and_settings(
    sheet: ColumnSheet | None, subject_id: object, merge: object
) -> tuple[SubjectIdRule, MergeSettings]:
    decided = merge if sheet is None else sheet.below({"merge": merge})["merge"]
    return (
        read(SubjectIdRule, subject_id, Place("subject_id")),
        read(MergeSettings, decided, Place("merge")),
    )


def _that_stay_fine(columns: Sequence[Column], decisions: Mapping[str, Decision]) -> dict[str, Node]:
    """The weights of age and sex among the quasi-identifiers: every table of a study is read by them."""
    why = "every table of a study is read by it, so others are given up first; 1: as easily as they"
    known = [one for one in columns if decisions[one.name].role in (ConfigRole.CATEGORY, ConfigRole.NUMBER)]
    return {
        one.name: DraftedValue(WEIGHT, why)
        for one in known
        if one.concept is not None and one.concept.name in OF_EVERY_TABLE
    }


def _recommend(tables: Iterable[SourceTable], model: StudyModel, weights: Mapping[str, Node]) -> Group:
    """The search for a recoding; in a study with events, by what its tables lose as well."""
    rows = {table.domain: len(table.frame) for table in tables}
    kinds = {of.kind for of in map(model.table, rows) if of is not None}
    weigh: dict[str, Node] = {"weights": Group(dict(weights))} if weights else {}
    if TableKind.EVENTS in kinds and sum(rows.values()) <= MOST_ROWS_WEIGHED:
        why = "--propose also tries coarser recodings, and takes the one that keeps the tables of the study best"
        weigh["weigh"] = DraftedValue("all", why)
    return Group(weigh, "Searches for the mildest recoding that meets K, L and T; see the end of the report.")


def _columns(combined: Combined, merge: MergeDraft, model: StudyModel, k: DraftedValue) -> list[Column]:
    forms = {domain: counts.get("form", "wide").split(",")[0] for domain, counts in combined.report["domains"].items()}
    findings = scan_combined(combined.frame).findings
    return columns_of(combined.frame, forms, merge.test_codes, findings, k.value, model)


def _as_given(drafted: MergeDraft, given: Mapping[str, Any]) -> MergeDraft:
    """The draft below what a person decided: a setting of the config stays, one for a table beside it is added."""
    if "subject_id" in given:
        lines = {name: DraftedValue(value) for name, value in given["subject_id"].items()}
        drafted = dataclasses.replace(drafted, subject_id=Group(lines, AS_GIVEN))
    if "merge" in given:
        own = {name: _below(drafted.settings.get(name), value) for name, value in given["merge"].items()}
        drafted = dataclasses.replace(drafted, settings={**drafted.settings, **own})
    return drafted


def _below(drafted: Node | None, given: object) -> Node:
    """A given setting; where it is by domain, with the drafted lines of other domains."""
    if not isinstance(given, dict) or not isinstance(drafted, Group) or not isinstance(drafted.parts, Mapping):
        return DraftedValue(given, AS_GIVEN)
    own = {name: DraftedValue(value, AS_GIVEN) for name, value in given.items()}
    return dataclasses.replace(drafted, parts={**drafted.parts, **own})


def _drop(given: Sequence[str], dropped: Mapping[str, Decision]) -> dict[str, Node]:
    lines = [DraftedValue(name, AS_GIVEN) for name in given]
    lines += [DraftedValue(name, decision.reason, decision.review) for name, decision in dropped.items()]
    why = (
        "Columns left out of the combined dataset and of a release, where keys leave as pseudonyms, and dates of "
        "events outside CDISC moved."
    )
    return {"drop": Group(lines, why)} if lines else {}
