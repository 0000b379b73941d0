"""What a recipient reads beside the data: the codebook, one row per variable, and the README."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from disclosure_control.basics.encoding.interval_labels import BINS_HOLD
from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.basics.telling.words import listed
from disclosure_control.release.accounts import Account
from disclosure_control.release.deidentify import ReleasedStudy
from disclosure_control.release.recodings import RESULTS
from disclosure_control.release.terms.raised_terms import NOT_RELEASED
from disclosure_control.run.tables import csv_bytes, harmless
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


def levels_of(released: ReleasedStudy) -> dict[str, dict[str, list[str]]]:
    """The values that may be listed, by data set and column: those of text columns with few values, each of at least
    ten people.
    """
    return {
        name: {column: levels for column, seen in file.seen.items() if (levels := seen.levels)}
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
    if column is not None and account.is_as_it_came:
        done = f"{done}, {AS_WRITTEN if column.dtype.kind == 'f' else WITHOUT_BLANKS}"
    if is_column and (treated := _rows_treated(account, released)):
        done = f"{done}, except in the rows of {listed(treated, 20)}, which have their own entries here"
    done = "; ".join((done, *_of_its_dates(account)))
    if account.has_rare_terms:
        done = RARE_TERMS
    if account.has_rare_texts:
        done = f"{done}; {RARE_TEXTS}"
    of_merged = f"{account.file}__{account.variable}"
    has_intervals = column is not None and file is not None and file.seen[account.variable].has_intervals
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
        "intervals": f"{intervals.get(of_merged, BINS_HOLD)}; {TAILS}" if has_intervals else "",
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
        if one.file == column.file and one.rows_of and one.stays and not one.is_as_it_came
    ]


def codebook_files(entries: list[dict[str, object]], use: Sequence[str] = ()) -> dict[str, bytes]:
    """``codebook.csv`` and ``codebook.json``, which has the sentences on the ``use`` of the release, too."""
    frame = pd.DataFrame(entries)
    frame["released"] = frame["released"].map({True: "yes", False: "no"})
    told = {"variables": entries, **({"what_it_is_fit_for": list(use)} if use else {})}
    text = json.dumps(told, indent=2, ensure_ascii=False) + "\n"
    return {"codebook.csv": csv_bytes(harmless(frame.astype("str"))), "codebook.json": text.encode()}
