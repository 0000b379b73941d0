"""What a recipient reads beside the data: the codebook, one row per variable, and the README."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

import pandas as pd

from disclosure_control.basics.encoding.interval_labels import BINS_HOLD
from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.basics.telling.words import counted, listed, people_text
from disclosure_control.identifiers.label_words import why_of_name
from disclosure_control.release.accounts import Account
from disclosure_control.release.deidentify import ReleasedStudy
from disclosure_control.release.joins import JoinState, KeyJoin
from disclosure_control.release.recodings import RESULTS
from disclosure_control.release.study import NOBODY
from disclosure_control.release.terms.raised_terms import NOT_RELEASED, RaisedTerms
from disclosure_control.run.tables import csv_bytes, harmless
from study.merge.subject_ids import DEFAULT_COLUMN
from study.operations import OperationKind

TAILS = "<a below a; >b above b; >=a from a on"
RARE_TERMS = (
    f'where few people have the term, a coarser one of its hierarchy is here, or "{NOT_RELEASED}", or nothing; '
    "README.txt counts these records, and those that were removed"
)
RARE_TEXTS = "cells with a text of few people, or of a form that may name somebody, are empty"
AS_WRITTEN = "written in their shortest form"
WITHOUT_BLANKS = "without blanks at their ends"
_WHAT_WAS_DONE = {
    OperationKind.DERIVE_AGE: "ages of 90 years and above together",
    OperationKind.OFFSET: "dates moved, by one number of days for each person",
    OperationKind.RAISE_TO_CONTINENT: "continent in place of the country",
    OperationKind.RECODE_SUBJECT: "pseudonym",
    OperationKind.RECODE_ID: "pseudonym",
    OperationKind.NUMBER_ANEW: "numbered anew within each person, in the order of the released rows",
    OperationKind.REMOVE: "removed",
    OperationKind.REMOVE_DATA_SET: "data set removed",
    OperationKind.REVIEW: "left out",
    OperationKind.NO_FURTHER: "values as they were",
    OperationKind.KEEP: "values as they were",
}
SAME = (OperationKind.KEEP, OperationKind.NO_FURTHER)


def levels_of(released: ReleasedStudy) -> dict[str, dict[str, list[str]]]:
    """The values that may be listed, by data set and column: those of text columns with few values, each of at least
    ten people.
    """
    return {
        name: {column: levels for column, seen in file.overview.seen.items() if (levels := seen.levels)}
        for name, file in released.files.items()
        if file.has_people
    }


def codebook(
    released: ReleasedStudy,
    file_names: Mapping[str, str],
    levels: Mapping[str, Mapping[str, list[str]]],
    intervals: Mapping[str, str],
) -> list[dict[str, object]]:
    """One entry per variable of the study, in the order of the files: label, type, operation with its reason, levels.

    ``file_names`` maps data sets to the released files. Levels are those of ``levels_of``, each of at least ten people.
    ``intervals``: for each column of the combined dataset whether its labels ``a--b`` contain b.
    """
    return [
        _entry(account, released, file_names, levels, intervals)
        for account in released.accounts
        if account.stays or not {account.variable, account.file} & released.unnamed
    ]


def _entry(
    account: Account,
    released: ReleasedStudy,
    file_names: Mapping[str, str],
    levels: Mapping[str, Mapping[str, list[str]]],
    intervals: Mapping[str, str],
) -> dict[str, object]:
    file = released.files.get(account.file)
    is_column = account.rows_of == "" and file is not None and account.variable in file.columns
    stays = account.stays and file is not None and (is_column or account.rows_of != "")
    column = file.columns[account.variable] if is_column and file is not None else None
    done = "recoded by the treatment" if account.recoded else _WHAT_WAS_DONE[account.operation.operation]
    if column is not None and not account.recoded and account.operation.operation in SAME:
        done = f"{done}, {AS_WRITTEN if column.dtype.kind == 'f' else WITHOUT_BLANKS}"
    if is_column and (treated := _rows_treated(account, released)):
        done = f"{done}, except in the rows of {listed(treated, 20)}, which have their own entries here"
    done = "; ".join((done, *_of_its_dates(account)))
    if account.has_rare_terms:
        done = RARE_TERMS
    if account.has_rare_texts:
        done = f"{done}; {RARE_TEXTS}"
    has_intervals = column is not None and file is not None and file.overview.seen[account.variable].has_intervals
    return {
        "file": file_names.get(account.file, account.file),
        "variable": account.variable,
        "rows_of": account.rows_of,
        "label": file.source.table.labels.get(account.variable, "") if file is not None else "",
        "type": "" if column is None else "number" if column.dtype.kind == "f" else "text",
        "class": str(account.operation.variable_class),
        "released": stays,
        "done": done,
        "why": account.operation.reason,
        "intervals": _read_as(account, intervals) if has_intervals else "",
        "levels": "; ".join(levels.get(account.file, {}).get(account.variable, [])) if column is not None else "",
    }


def _of_its_dates(account: Account) -> Iterator[str]:
    """What the codebook says of times of day and of partial dates, whose small counts it does not give."""
    if account.n_times:
        yield "times of day removed"
    if account.n_partial:
        n = MASKED.told(account.n_partial, account.n_values)
        yield f"{'some' if n is None else f'{n:,}'} partial dates moved as whole months or years"


def _rows_treated(column: Account, released: ReleasedStudy) -> list[str]:
    """The tests, codes and QNAMs whose values stand in this column and were treated as variables of their own."""
    table = released.model.table(column.file)
    results = {f"{column.domain}{short}" for short in (*RESULTS, "VAL")} | {"QVAL"}
    results |= set() if table is None else {table.called(short) for short in RESULTS}
    if column.variable not in results:
        return []
    return [
        one.variable
        for one in released.accounts
        if one.file == column.file
        and one.rows_of
        and one.stays
        and (one.recoded or one.operation.operation not in SAME)
    ]


def _read_as(account: Account, intervals: Mapping[str, str]) -> str:
    return f"{intervals.get(f'{account.file}__{account.variable}', BINS_HOLD)}; {TAILS}"


def codebook_files(entries: list[dict[str, object]], use: Sequence[str] = ()) -> dict[str, bytes]:
    """``codebook.csv`` and ``codebook.json``, which has the sentences on the ``use`` of the release, too."""
    frame = pd.DataFrame(entries)
    frame["released"] = frame["released"].map({True: "yes", False: "no"})
    told = {"variables": entries, **({"what_it_is_fit_for": list(use)} if use else {})}
    text = json.dumps(told, indent=2, ensure_ascii=False) + "\n"
    return {"codebook.csv": csv_bytes(harmless(frame.astype("str"))), "codebook.json": text.encode()}


def readme(
    pilot: str,
    released: ReleasedStudy,
    file_names: Mapping[str, str],
    created: datetime,
    form: Sequence[str] = (),
    joins: Sequence[KeyJoin] = (),
    rare_terms: Sequence[RaisedTerms] = (),
    is_defined: bool = False,
    use: Sequence[str] = (),
) -> str:
    """The text for the recipient: the files, their keys, what was done to all of them, and what must not be done.

    ``form``: lines on the form in which the study leaves, where it came in another one. ``rare_terms``: what became of
    coded terms of few people. ``use``: lines on what the release is fit for.
    """
    rows = [
        f"  {file_names[name]}: {counted(file.n_records, 'record')}"
        + (f", {file.source.table.label}" if file.source.table.label else "")
        for name, file in released.files.items()
    ]
    n_people = len({person for file in released.files.values() for person in file.overview.people if person != NOBODY})
    gone = sorted(name for name in released.left_out if name not in released.unnamed)
    n_unnamed = len(released.left_out) - len(gone)
    gone += [f"{counted(n_unnamed, 'file')} that is not named here"] if n_unnamed else []
    emptied = any(account.has_rare_texts for account in released.accounts)
    study = "Study" if why_of_name(pilot) else f"Study {pilot}"
    lines = [
        f"{study}, de-identified; released {created:%Y-%m-%d}; {people_text(n_people)}.",
        "",
        "Files",
        *rows,
        *(f"  {line}" for line in form),
        *([f"Not released: {', '.join(gone)}."] if gone else []),
        "",
        *_keys(joins),
        "What was done",
        *_what_was_done(released, file_names),
        *_rare_terms(rare_terms),
        *(["  Cells with a text that few people have are empty; the codebook names the columns."] if emptied else []),
        "  codebook.csv and codebook.json say for every variable what was done, and why.",
        *(["  define.xml (Define-XML 2.1) describes the files as they are here."] if is_defined else []),
        "",
        *(["What it is fit for", *use, ""] if use else []),
        "What must not be done",
        "  The records are those of real people. Do not try to find out who they are, do not link these files with",
        "  others that name people, and do not hand them on without permission from the organisation that gave them",
        "  to you.",
    ]
    return "\n".join(lines) + "\n"


def _rare_terms(told: Sequence[RaisedTerms]) -> list[str]:
    """What became of coded terms of few people, by domain: a reader who counts terms has to know it."""
    lines = [f"    {words}" for one in told if (words := one.words_for_recipient())]
    return ["  Coded terms of few people are raised to a coarser term or hidden:", *lines] if lines else []


def _keys(joins: Sequence[KeyJoin]) -> list[str]:
    """Which keys join, as it was tested in the files themselves."""
    released = [_key(one) for one in joins if one.state != JoinState.KEY_GONE]
    return ["Keys between the files", *released, ""] if released else []


def _key(join: KeyJoin) -> str:
    key = join.key
    if join.state in (JoinState.PARTNER_GONE, JoinState.NO_PARTNER):
        return f"  {key.name}: names rows of {key.partner}, which is not among the files."
    return f"  {key.name} finds {key.partner}.{key.partner_column}: {_rows_found(join.found_now, join.rows_now)}."


def _rows_found(n_found: int, n_rows: int) -> str:
    """How many rows find their partner, without a small count or one that subtraction would give."""
    if n_found == n_rows:
        return f"all of {n_rows:,} rows" if MASKED.told(n_rows) else "all of its rows"
    if MASKED.told(n_found, n_rows) is not None:
        return f"{n_found:,} of {n_rows:,} rows"
    return "some of its rows" if n_found < MASKED.threshold else f"nearly all of {n_rows:,} rows"


# Texts for the recipient about each operation that was used somewhere in the study.
_SAID = {
    OperationKind.RECODE_ID: ("  Ids of records, samples and devices are pseudonyms.",),
    OperationKind.OFFSET: (
        "  All dates of a person were moved by one number of days. Intervals and orders of complete dates and study",
        "  days (--DY) did not change; seasons, weekdays and calendar years did.",
    ),
    OperationKind.NUMBER_ANEW: (
        "  Rows are in the order of pseudonyms, dates and values. Numbers of rows were made anew, and so were the",
        "  numbers in other files that name them.",
    ),
    OperationKind.DERIVE_AGE: ("  Ages of 90 years and above are combined.",),
    OperationKind.RAISE_TO_CONTINENT: ("  Countries are given as continents.",),
    OperationKind.REMOVE: ("  The codebook lists the variables that were removed as not released, and says why.",),
}
# Of a study without SDTM's study days.
_NO_STUDY_DAYS = (
    "  All dates of a person were moved by one number of days. Intervals and orders of complete dates did not",
    "  change; seasons, weekdays and calendar years did.",
)
TIMES_REMOVED = "  Times of day were removed: dates are given to the day."


def _dates_less_than_complete(released: ReleasedStudy) -> Iterator[str]:
    """What the recipient has to know of partial dates and of times of day."""
    n_partial = sum(account.n_partial for account in released.accounts)
    if n_partial:
        n = MASKED.told(n_partial, sum(one.n_values for one in released.accounts if one.n_partial))
        many = "some" if n is None else f"{n:,}"
        yield f"  Partial dates ({many}) moved as whole months or years. Their distances to other dates may differ by"
        yield "  as much. No record that could begin before it ended now ends before it begins."
    if any(account.n_times for account in released.accounts):
        yield TIMES_REMOVED


def _what_was_done(released: ReleasedStudy, file_names: Mapping[str, str]) -> list[str]:
    """Statements that hold for this study: the config may have kept what the table of operations removes."""
    done = {account.operation.operation for account in released.accounts}
    ids = {one.variable for one in released.accounts if one.operation.operation == OperationKind.RECODE_SUBJECT}
    lines = [f"  Pseudonyms of people, one for each person in all files: {listed(sorted(ids))}."] if ids else []
    said = _SAID if DEFAULT_COLUMN in ids else _SAID | {OperationKind.OFFSET: _NO_STUDY_DAYS}
    lines += [line for kind, of_kind in said.items() if kind in done for line in of_kind]
    lines += _dates_less_than_complete(released)
    lines.append("  Text stands without blanks at its ends, and columns of numbers in their shortest form.")
    if any(seen.has_intervals for file in released.files.values() for seen in file.overview.seen.values()):
        lines.append("  Intervals: a--b contains a. For each variable, the codebook says whether it contains b.")
    if any(".csv" in name for name in file_names.values()):
        lines.append("  In CSV files, an apostrophe precedes text that a spreadsheet would run as a formula.")
    return lines
