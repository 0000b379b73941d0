"""README.txt of a release: what its recipient has to know before the codebook, of which it is the short form."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.basics.telling.words import counted, in_short, listed, people_text, text_table
from disclosure_control.identifiers.label_words import why_of_name
from disclosure_control.release.deidentify import ReleasedStudy
from disclosure_control.release.joins import JoinState, KeyJoin
from disclosure_control.release.study import NOBODY
from disclosure_control.release.terms.raised_terms import RaisedTerms
from study.merge.subject_ids import DEFAULT_COLUMN
from study.operations import OperationKind

MOST_LIMITS, MOST_WORDS = 5, 25  # in the list above the tables, and in each sentence of it
_WIDTHS = (34, 70)


@dataclass(frozen=True)
class LimitsOfUse:
    """Whether the release is fit for use, and its ``limits``, gravest first: what each is about, and its words."""

    answer: str
    limits: Sequence[tuple[str, str]] = ()


def readme(
    pilot: str,
    released: ReleasedStudy,
    file_names: Mapping[str, str],
    created: datetime,
    form: Sequence[str] = (),
    joins: Sequence[KeyJoin] = (),
    rare_terms: Sequence[RaisedTerms] = (),
    is_defined: bool = False,
    use: LimitsOfUse | None = None,
) -> str:
    """The text for the recipient: what is lost, the files, their keys, what was done, and what must not be done.

    ``form``: lines on the form in which the study leaves, where it came in another one. ``rare_terms``: what became of
    coded terms of few people. ``use``: what the release is fit for; None where nobody compared it.
    """
    rows = [
        (file_names[name], f"{file.n_records:,}", file.source.table.label or "")
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
        *([] if use is None else _use_in_short(use)),
        "",
        "Files",
        *_table(("File", "Records", "Content"), rows),
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
        *(["Limits of use", *_table(("About", "Limit"), use.limits, _WIDTHS), ""] if use and use.limits else []),
        "What must not be done",
        "  The records are those of real people. Do not try to find out who they are. Do not link these files with",
        "  others that name people. Do not hand them on without permission from the organisation that gave them",
        "  to you.",
    ]
    return "\n".join(lines) + "\n"


def _use_in_short(use: LimitsOfUse) -> list[str]:
    """Whether it is fit for use, and at most five limits, the gravest of each table."""
    gravest: dict[str, str] = {}
    for about, words in use.limits:
        gravest.setdefault(about, words)
    lines = [_point(about, in_short(words, MOST_WORDS - len(about.split()))) for about, words in gravest.items()]
    n_more = len(lines) - MOST_LIMITS
    more = [f"  {counted(n_more, 'further limit')}: below, under Limits of use."] if n_more > 0 else []
    none = "  The tables of the study were compared before and after: no limit was found."
    return [f"Fit for use: {use.answer}.", "", "What the recipient loses", *(lines[:MOST_LIMITS] or [none]), *more]


def _point(about: str, words: str) -> str:
    return textwrap.fill(f"  - {about}{': ' if about else ''}{words}", 108, subsequent_indent="    ")


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]], widest: Sequence[int] | None = None) -> list[str]:
    """A table in lines, without its empty columns."""
    filled = [i for i in range(len(columns)) if any(row[i] for row in rows)]
    cells = [[row[i] for i in filled] for row in rows]
    text = text_table([columns[i] for i in filled], cells, "plain", widest and [widest[i] for i in filled])
    return [f"  {line}".rstrip() for line in text.splitlines()]


def _rare_terms(told: Sequence[RaisedTerms]) -> list[str]:
    """What became of coded terms of few people, by domain: a reader who counts terms has to know it."""
    lines = [f"    {words}" for one in told if (words := one.words_for_recipient())]
    return ["  Coded terms of few people are raised to a coarser term or hidden:", *lines] if lines else []


def _keys(joins: Sequence[KeyJoin]) -> list[str]:
    """Which keys join, as it was tested in the files themselves."""
    rows = [_key(one) for one in joins if one.state != JoinState.KEY_GONE]
    return ["Keys between the files", *_table(("Key", "Finds", "Rows that find it"), rows), ""] if rows else []


def _key(join: KeyJoin) -> tuple[str, str, str]:
    key = join.key
    if join.state in (JoinState.PARTNER_GONE, JoinState.NO_PARTNER):
        return key.name, f"{key.partner}, which is not among the files", "none"
    return key.name, f"{key.partner}.{key.partner_column}", _rows_found(join.found_now, join.rows_now)


def _rows_found(n_found: int, n_rows: int) -> str:
    """How many rows find their partner, without a small count or one that subtraction would give."""
    if n_found == n_rows:
        return f"all of {n_rows:,}" if MASKED.told(n_rows) else "all"
    if MASKED.told(n_found, n_rows) is not None:
        return f"{n_found:,} of {n_rows:,}"
    return "some" if n_found < MASKED.threshold else f"nearly all of {n_rows:,}"


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
    if any(seen.has_intervals for file in released.files.values() for seen in file.seen.values()):
        lines.append("  Intervals: a--b contains a. For each variable, the codebook says whether it contains b.")
    if any(".csv" in name for name in file_names.values()):
        lines.append("  In CSV files, an apostrophe precedes text that a spreadsheet would run as a formula.")
    return lines
