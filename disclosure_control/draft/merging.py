"""How the files of a pilot without a config are merged: the defaults, and the settings they need beyond these."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from disclosure_control.basics.telling.faults import stop_at
from disclosure_control.basics.telling.small_counts import people_on_screen
from disclosure_control.draft.literal import DraftedValue, Group, Node
from disclosure_control.draft.person_columns import PersonColumn, common_name, person_of_each, person_of_one
from disclosure_control.draft.subject_ids import SubjectIds, draft_subject_ids, faults_of_spellings
from study.formats.tables import SourceTable
from study.merge.people import KnownPeople, with_person_of_key
from study.merge.subject_ids import DEFAULT_COLUMN
from study.models.flat import FLAT
from study.models.roles import TableKind
from study.models.study_model import StudyModel

MOST_UNKNOWN = 0.5  # a file with a larger share of subjects missing from DM belongs to another study


@dataclass(frozen=True)
class MergeDraft:
    """The drafted config key ``subject_id``, the settings of ``merge`` by name, and the codes of tests.

    ``test_codes``: domain and test as its records name it -> the short code of the test.
    """

    subject_id: Group
    settings: dict[str, Node]
    test_codes: Mapping[tuple[str, str], str]


def tables_by_domain(tables: Iterable[SourceTable], model: StudyModel) -> dict[str, pd.DataFrame]:
    """The rows of the tables by domain; files that a config pools are one, and those that list the people."""
    parts: dict[str, list[pd.DataFrame]] = {}
    for table in tables:
        is_supplemental = _is_of_kind(table.domain, model, TableKind.SUPPLEMENTAL)  # no further rows of the people
        is_of_base = not is_supplemental and model.base is not None and model.domain(table.domain) == model.base
        parts.setdefault(str(model.base) if is_of_base else table.domain, []).append(table.frame)
    return {domain: some[0] if len(some) == 1 else pd.concat(some, ignore_index=True) for domain, some in parts.items()}


def draft_merge(tables: Mapping[str, pd.DataFrame], model: StudyModel, given: str | None = "") -> MergeDraft:
    """What the merge of these tables (by domain) needs beyond its defaults, each with its reason.

    ``model``: what the tables are. ``given``: the column that a config says names the person, None for no column, "" if
    it says nothing. What cannot be decided from the files (no DM among several, say) stays a fault of the merge; plain
    tables of which it is open whose their rows are raise ``FaultyInputError``.
    """
    whole = {
        domain: table for domain, table in tables.items() if not _is_of_kind(domain, model, TableKind.SUPPLEMENTAL)
    }
    settings: dict[str, Node] = {}
    person = None
    if model.model == FLAT and (given == "" or (given and len(whole) > 1)):
        person, whole, files = _person_of_plain_tables(whole, given)
        settings |= {"files": Group(files)} if files else {}
    base = model.base if model.base in whole else next(iter(whole), None)
    ids = (
        draft_subject_ids(whole, base, model, person) if base else SubjectIds({"column": DraftedValue(DEFAULT_COLUMN)})
    )
    unknown = [
        DraftedValue(
            domain, f"{people_on_screen(n, ',')} of its subjects are not in {base}; left out and counted", True
        )
        for domain, n in ids.n_unknown.items()
        if n <= MOST_UNKNOWN * ids.n_subjects[domain]
    ]
    if unknown and model.model != FLAT:  # of plain tables each names its people
        settings["unknown_subjects"] = Group(unknown)
    several = {domain: line for domain, table in whole.items() if (line := _several_rows(domain, table, ids, model))}
    if several:
        settings["several_rows"] = Group(several)
    return MergeDraft(
        Group(ids.lines, "The column with the subject id, and how its spellings are made equal."),
        settings,
        _test_codes(whole, model),
    )


def with_rows_of_plain_tables(
    drafted: MergeDraft, tables: Iterable[SourceTable], model: StudyModel, person: str | None
) -> MergeDraft:
    """The draft with a count of the events of each person, and a mark on tables whose rows no date orders.

    ``person`` is the column that names the person. Only plain tables get these lines.
    """
    if model.model != FLAT:
        return drafted
    why = "how many of them each person has: {}__count; name codes to flag who has them"
    events: dict[str, Node] = {
        name: DraftedValue({}, why.format(name))
        for name, table in model.tables.items()
        if table.kind is TableKind.EVENTS
    }
    words = (
        "no column has the date of a row: of a person's values one is taken in the order of values; is there a date?"
    )
    unordered: dict[str, Node] = {
        table.domain: DraftedValue("baseline", words, review=True)
        for table in tables
        if _is_of_kind(table.domain, model, TableKind.ROWS, TableKind.FINDINGS)
        and not model.tables[table.domain].order
        and person in table.frame
        and len(table.counts_of(str(person))) < table.n_rows
    }
    added = {"events": events, "record": unordered}
    settings = drafted.settings | {name: Group(lines) for name, lines in added.items() if lines}
    return dataclasses.replace(drafted, settings=settings)


def _person_of_plain_tables(
    tables: Mapping[str, pd.DataFrame], given: str
) -> tuple[DraftedValue | None, dict[str, pd.DataFrame], dict[str, Node]]:
    """The column that names the person, where not its heading alone says so; the tables under its name; and ``files``.

    Those with the most people come first: their spelling of ids is that of all. ``given``: the column that a config
    names.
    """
    if len(tables) <= 1:
        found = [one for domain, frame in tables.items() if (one := person_of_one(domain, frame))]
        return next((DraftedValue(one.name, one.reason, one.review) for one in found), None), dict(tables), {}
    if any(DEFAULT_COLUMN in frame for frame in tables.values()):
        return None, dict(tables), {}
    persons = person_of_each(tables, given)
    common = given if any(given in frame for frame in tables.values()) else common_name(tables, persons)
    files: dict[str, Node] = {
        domain: Group({"person": _drafted_person(one)})
        for domain, one in persons.items()
        if one.through or one.name != common
    }
    named = {
        domain: frame.rename(columns={persons[domain].name: common}) if persons[domain].through is None else frame
        for domain, frame in tables.items()
    }
    for domain, one in persons.items():  # each after the table through which its person is found
        if one.through:
            other = KnownPeople(named[one.through.through], common)
            named[domain] = with_person_of_key(named[domain], other, one.through.key)
    ordered = sorted(named.items(), key=lambda item: -item[1][common].nunique())
    stop_at(faults_of_spellings(named, common))
    how = "names the person" if not files else "names the person, also of files that call the column otherwise"
    is_open = any(one.review for one in persons.values())
    return DraftedValue(common, f"{how}; the people are those of any file", is_open), dict(ordered), files


def _drafted_person(person: PersonColumn) -> Node:
    """The line of a file: the column, or the other table and the key of both."""
    way = person.through
    names = person.name if way is None else {"through": way.through, "key": way.key}
    return DraftedValue(names, person.reason, person.review)


def _is_of_kind(domain: str, model: StudyModel, *kinds: TableKind) -> bool:
    table = model.table(domain)
    return table is not None and table.kind in kinds


def _several_rows(domain: str, table: pd.DataFrame, ids: SubjectIds, model: StudyModel) -> DraftedValue | None:
    """What a wide table with several rows for a subject needs; None for any other table."""
    column = ids.rule.column
    if not _is_of_kind(domain, model, TableKind.PEOPLE) or column is None or column not in table:
        return None
    if ids.n_subjects[domain] == table[column].notna().sum():
        return None
    date = f"{domain[:2]}DTC"
    order = f"the last by {date}" if date in table else f"the last in the order of its values (it has no {date})"
    return DraftedValue("last", f"several rows for a subject: {order}; the others are left out", review=True)


def _test_codes(tables: Mapping[str, pd.DataFrame], model: StudyModel) -> dict[tuple[str, str], str]:
    codes: dict[tuple[str, str], str] = {}
    for domain, table in tables.items():
        known = model.table(domain)
        if known is None or known.kind is not TableKind.FINDINGS:
            continue
        names = [known.called("TEST"), known.called("TESTCD")]
        if set(names) <= set(table.columns):
            pairs = table[names].drop_duplicates().dropna().astype("str")
            codes |= {(known.name, test): code for test, code in pairs.itertuples(index=False)}
    return codes
