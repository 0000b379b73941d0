"""Which column names the subject, and the mildest rule under which the files agree on the subjects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import parse_numbers
from disclosure_control.basics.settings.fields import typed
from disclosure_control.basics.telling.small_counts import people_on_screen
from disclosure_control.basics.telling.words import counted
from disclosure_control.draft.literal import DraftedValue
from study.concepts import concept_of
from study.headings import is_number, names_subjects
from study.merge.subject_ids import DEFAULT_COLUMN, SubjectIdRule, read_subjects
from study.models.study_model import NOTHING_KNOWN, StudyModel

# From the mildest to a number alone. None adds a prefix: a pilot's name is no part of its ids.
SPELLINGS: tuple[tuple[dict[str, Any], str], ...] = (
    ({"case": "upper"}, "capitals"),
    ({"pattern": r"^0*(\d+)(?:\.0*)?$", "replacement": r"\1"}, "whole numbers without leading zeros and decimals"),
    ({"case": "upper", "pattern": r"[\W_]+", "replacement": "-"}, "capitals, a hyphen between the parts"),
    ({"case": "upper", "pattern": r"[\W_]+", "replacement": ""}, "capitals, nothing between the parts"),
    (
        {"case": "upper", "pattern": r"[\W_]+|(?<!\d)0+(?=\d)", "replacement": ""},
        "capitals, nothing between the parts, no leading zeros",
    ),
    ({"pattern": r"^\D*?0*(\d+)\D*$", "replacement": r"\1"}, "only the number in the id, without leading zeros"),
    ({"pattern": r"^(?:.*\D)?0*(\d+)\D*$", "replacement": r"\1"}, "the last number in the id, without leading zeros"),
)


MOST_DIFFERENT = 0.1  # of the people of two tables: more with different sexes are no errors
MOST_HAVE_ONE = 0.5  # of the rows: a person's further rows may stand below the first without an id, which is a fault


@dataclass(frozen=True)
class SubjectIds:
    """The drafted ``subject_id``, line by line, with its rule; ``n_unknown`` subjects of a file are not in DM.

    ``n_subjects`` counts those of each file, by the file's domain.
    """

    lines: dict[str, DraftedValue]
    rule: SubjectIdRule = field(default_factory=SubjectIdRule)
    n_unknown: Mapping[str, int] = field(default_factory=dict)
    n_subjects: Mapping[str, int] = field(default_factory=dict)


def draft_subject_ids(
    tables: Mapping[str, pd.DataFrame], base: str, model: StudyModel = NOTHING_KNOWN, person: DraftedValue | None = None
) -> SubjectIds:
    """The subject's column and the rule for its spellings, from the domain files by domain.

    ``base`` is the domain that defines the subjects, ``model`` what the tables are, ``person`` the column if it is
    known already. A rule is taken only if it makes no two ids of one file equal and finds more subjects in ``base``
    than no rule; of the best the mildest.
    """
    first = person or _column(tables, base, model)
    column = None if first.value is None else str(first.value)
    ids = {domain: _source_ids(table, column) for domain, table in tables.items() if column is None or column in table}
    if base not in ids:  # the merge reports it
        return SubjectIds({"column": first}, SubjectIdRule(column=column))
    spelling: dict[str, Any] = {}
    words, known = "", _unknown(ids, base, SubjectIdRule(column=column)) or {}
    for candidate, candidate_words in SPELLINGS:
        if not sum(known.values()):
            break
        rule = SubjectIdRule(column=column, **candidate)
        found = None if _unites_others(tables, rule) else _unknown(ids, base, rule)
        if found is not None and sum(found.values()) < sum(known.values()):
            spelling, words, known = candidate, candidate_words, found
    lines = {"column": first}
    if spelling:
        reason = f"the files write their ids differently; made equal by: {words}"
        parts = list(spelling.items())
        lines[parts[0][0]] = DraftedValue(parts[0][1], f"{reason}; no two ids of one file become equal", review=True)
        lines |= {name: DraftedValue(value) for name, value in parts[1:]}
        width = _padded_width(ids[base], spelling)
        if width:
            lines["zero_pad"] = DraftedValue(width, f"numbers of up to {width} digits, padded with zeros as in {base}")
    rule = typed(SubjectIdRule, {name: line.value for name, line in lines.items()})
    n_subjects = {domain: len(found) for domain, found in ids.items()}  # the rule makes no two ids of a file equal
    return SubjectIds(lines, rule, {name: n for name, n in known.items() if n}, n_subjects)


def faults_of_spellings(tables: Mapping[str, pd.DataFrame], column: str) -> list[str]:
    """Plain tables that write one person with small letters and with capitals, each with the remedy.

    A table is one if its ids are other people only by their capitals, and another table, in which no two ids are so,
    has each of these people. No rule unites them: the merge keeps ids of one file apart.
    """
    ids = {domain: _source_ids(table, column) for domain, table in tables.items()}
    capitals = {domain: of_file.astype("str").str.upper() for domain, of_file in ids.items()}
    plain = [one for one in capitals.values() if one.is_unique]
    found = []
    for domain, of_file in capitals.items():
        repeated = of_file[of_file.duplicated()]
        if len(repeated) and any(repeated.isin(one).all() for one in plain):
            n = people_on_screen(repeated.nunique(), ",")
            found.append(
                f"{domain}: {column!r} has ids that differ by small letters and capitals only, and belong to {n} of "
                "another table. Write each id in one way in the file. If they are other people, write "
                f'subject_id: {{"column": "{column}"}} into a config'
            )
    return found


def _source_ids(table: pd.DataFrame, column: str | None) -> pd.Index:
    """The distinct ids of a file before any rule, stripped of blanks, as the merge reads them."""
    return read_subjects(table, SubjectIdRule(column=column)).ids


def _unknown(ids: Mapping[str, pd.Index], base: str, rule: SubjectIdRule) -> dict[str, int] | None:
    """Subjects of each file that ``base`` does not know under a rule; None where the rule makes two of a file equal.

    ``ids`` are those of each file; the rule is applied to all of them at once, as its pattern runs in a process.
    """
    every_id = pd.Index(np.unique(np.concatenate([of_file.to_numpy(dtype=object) for of_file in ids.values()])))
    spelled = rule.apply(every_id)[0]
    under_rule = {domain: spelled[every_id.get_indexer(of_file)] for domain, of_file in ids.items()}
    if any(not of_file.is_unique or (of_file == "").any() for of_file in under_rule.values()):
        return None
    return {domain: int((~of_file.isin(under_rule[base])).sum()) for domain, of_file in under_rule.items()}


def _unites_others(tables: Mapping[str, pd.DataFrame], rule: SubjectIdRule) -> bool:
    """Whether a rule makes people of two tables one whose sexes differ: those of cases and of controls.

    Two tables are compared where one of them has no code that the other one lacks: M and F are no 1 and 2.
    """
    n_shared = n_different = 0
    for one, other in combinations(_sexes(tables, rule), 2):
        if set(one) <= set(other) or set(other) <= set(one):
            shared = one.index.intersection(other.index)
            n_shared += len(shared)
            n_different += int((one[shared] != other[shared]).sum())
    return n_different > MOST_DIFFERENT * n_shared


def _sexes(tables: Mapping[str, pd.DataFrame], rule: SubjectIdRule) -> Iterator[pd.Series]:
    """The sex of each person by the id under a rule, from each table that has it once."""
    for table in tables.values():
        [*names] = (name for name in map(str, table) if (it := concept_of(name)) and it.name == "sex")
        if len(names) == 1 and (rule.column is None or rule.column in table):
            subjects = read_subjects(table, rule)
            first = pd.Series(table[names[0]].to_numpy(), subjects.code).groupby(level=0).first()
            first = first[first.index >= 0].dropna().astype("str").str.upper()
            yield first.set_axis(subjects.ids[first.index])


def _padded_width(ids: pd.Index, spelling: Mapping[str, Any]) -> int:
    """The number of digits in DM's ids, if they have leading zeros that the rule removes."""
    if spelling.get("replacement") != r"\1":
        return 0
    numbers = ids.to_series().astype("str").str.extract(r"(\d+)\D*$")[0].dropna()
    return int(numbers.str.len().max()) if numbers.str.startswith("0").any() else 0


# ---------------------------------------------------------------- the column


def _column(tables: Mapping[str, pd.DataFrame], base: str, model: StudyModel) -> DraftedValue:
    """The column that names the subject in every file; None where one file has none, and its rows are numbered."""
    common = [str(name) for name in tables[base] if all(name in table for table in tables.values())]
    if DEFAULT_COLUMN in common or len(common) == 0:
        return DraftedValue(DEFAULT_COLUMN, "the SDTM name of the subject id, in every record")
    if model.person in common:
        return DraftedValue(model.person, f"names the person of each row: {model.reason}")
    frame = tables[base]
    persons, numbers = ([name for name in common if says(name)] for says in (names_subjects, is_number))
    ids = [name for name in persons if _names_each_row(frame[name])]
    numbered = [name for name in numbers if _names_each_row(frame[name])]
    repeated = [name for name in persons if name not in ids and frame[name].notna().mean() > MOST_HAVE_ONE]
    others = [name for name in common if name not in ids and _names_each_row(frame[name]) and _is_code(frame[name])]
    rows = counted(len(frame), "row")
    if ids:
        return DraftedValue(ids[0], f"the heading names subjects, and each of {rows} has a value of its own")
    if repeated:
        return DraftedValue(repeated[0], "the heading names subjects; some have several rows", review=True)
    if numbered:
        return DraftedValue(
            numbered[0], f"each of {rows} has a number or code of its own; does it identify the subject?", review=True
        )
    if others:
        return DraftedValue(others[0], f"each of {rows} has a code of its own; does it name the subject?", review=True)
    if len(tables) > 1:
        return DraftedValue(DEFAULT_COLUMN, "the SDTM name; no column of all files identifies subjects", review=True)
    return DraftedValue(None, f"no column identifies subjects: each of {rows} is taken as one person", review=True)


def _names_each_row(values: pd.Series) -> bool:
    return bool(values.notna().all() and values.is_unique)


def _is_code(values: pd.Series) -> bool:
    """Whether the values are whole numbers, or short words with a digit in them: no measurements, no text, no dates."""
    text = values.astype("str")
    numbers = parse_numbers(values)
    if not np.isnan(numbers).any():
        return bool((numbers == np.round(numbers)).all())
    is_date = text.str.match(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}").any()
    return bool(text.str.fullmatch(r"\S{1,20}").all() and text.str.contains(r"\d").all() and not is_date)
