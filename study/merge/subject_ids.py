"""How a pilot spells its subjects: which column names them, and the rule that makes the spellings agree.

Its pattern is applied where it can be stopped. Python's engine backtracks: ``^(a+)+$`` takes twice as long for each
further letter of an id that does not match, and nothing within a process can stop it on every system. A check of the
pattern's text would refuse harmless ones, and engines that never backtrack have no look-ahead. So a worker process
applies the pattern, under a limit of time that grows with the ids.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from disclosure_control.basics.encoding.dictionary import as_texts
from disclosure_control.basics.encoding.text_codes import are_rising, codes_of_few_texts
from disclosure_control.basics.encoding.text_hashes import hashes_of_texts
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import FLAG, Kind, Place, is_name, one_of, whole_number
from study.formats.messages import in_our_words
from study.formats.values import n_records_of

DEFAULT_COLUMN = "USUBJID"
TEXTS_AT_ONCE = 1 << 19  # ids processed at once, so that those of a nation are not in memory twice


def _whole(number: float) -> str:
    """A numeric id with all its digits."""
    return f"{number:.0f}" if number == int(number) else repr(number)


_PRINTABLE = Kind(lambda value: isinstance(value, str) and value.isprintable(), "a text")


@dataclass(frozen=True)
class SubjectIdRule(SettingsGroup):
    """Applied to each id in this order: trimming, case, pattern and replacement, zero padding, prefix.

    ``column`` None: the file has no id, and its rows are numbered from 1.
    """

    column: str | None = setting(
        Kind(lambda value: value is None or is_name(value), "a column name, or None"),
        "the column with the subject id; `None` for one file without ids, whose rows are then numbered",
        DEFAULT_COLUMN,
    )
    strip: bool = setting(FLAG, "blanks at both ends are removed", True)
    case: str | None = setting(one_of("upper", "lower"), "all letters become upper or lower case", None)
    pattern: str | None = setting(
        Kind(lambda value: isinstance(value, str) and compiles(value), "a regular expression"),
        "the text that is replaced; a pattern that backtracks without end is stopped",
        None,
    )
    replacement: str = setting(_PRINTABLE.but("a text; \\1 is the first group"), "the text that replaces it", "")
    zero_pad: int = setting(whole_number(0, 64), "number of digits to which numbers are padded with zeros", 0)
    prefix: str = setting(_PRINTABLE, "the text put before each id", "")

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """A replacement without a pattern, or with a group that the pattern does not have."""
        if self.pattern is not None and not replacement_fits(self.pattern, self.replacement):
            yield f"{place['replacement']}: it names a group that the pattern does not have"
        if "replacement" in given and self.pattern is None:
            yield f"{place['replacement']}: given without a pattern"

    @property
    def only_trims(self) -> bool:
        """Whether the rule changes nothing of a text but blanks at its ends."""
        return not (self.case or self.pattern or self.zero_pad or self.prefix)

    def apply(self, ids: pd.Index) -> tuple[pd.Index, int]:
        """The ids (n_distinct,) after the rule, as text, and how many the pattern does not change.

        Such ids are usually a sign that the pattern misses a spelling. Raises ``FaultyInputError`` if the pattern
        does not end.
        """
        text = pd.Series(ids.astype("str") if ids.dtype.kind != "f" else [_whole(number) for number in ids])
        if self.strip:
            text = text.str.strip()
        if self.case:
            text = text.str.upper() if self.case == "upper" else text.str.lower()
        n_unmatched = 0
        if self.pattern is not None:
            spelled, n_unmatched = replaced(text.tolist(), self.pattern, self.replacement)
            text = pd.Series(spelled, dtype="str")
        if self.zero_pad:
            text = text.where(~text.str.isdigit(), text.str.zfill(self.zero_pad))
        return pd.Index(self.prefix + text), n_unmatched


SETTINGS = SubjectIdRule


@dataclass(frozen=True)
class ReadSubjects:
    """The subjects of one file: ``code`` (n_rows,) into ``ids`` (n_subjects,); -1 where the row has no id.

    ``n_blank`` rows had none in the source; the rule left nothing of ``n_emptied`` rows' ids. If a row represents
    several records of the file, ``n_records`` (n_rows,) has their number, and records are counted.
    """

    code: np.ndarray
    ids: pd.Index
    n_merged: int = 0
    n_unmatched: int = 0
    n_blank: int = 0
    n_emptied: int = 0
    n_records: np.ndarray | None = None

    def n_rows_of(self, which: np.ndarray) -> int:
        """How many records of the file the rows ``which`` (n_rows,) of bool represent."""
        return n_records_of(pa.array(which), self.n_records)


def read_subjects(frame: pd.DataFrame, rule: SubjectIdRule, n_records: np.ndarray | None = None) -> ReadSubjects:
    """Apply the rule to a file's id column; ``n_merged`` counts source ids that became equal to another one.

    ``n_records`` (n_rows,): how many records of the file each row represents; by default one.
    """
    if rule.column is None:
        ids = pd.Index(np.arange(1, len(frame) + 1).astype(str))
        return ReadSubjects(np.arange(len(frame)), ids)
    column = frame[rule.column]
    if n_records is None and (few := codes_of_few_texts(column)) is not None:
        texts = pd.Series([*few.texts.to_pylist(), None], dtype="str", name=rule.column)
        of_texts = read_subjects(texts.to_frame(), rule, few.people)
        return replace(of_texts, code=of_texts.code.take(few.codes, mode="wrap"), n_records=None)
    if column.dtype.kind not in "f":
        column = _trimmed(column)
    code, source_ids = _distinct(column)
    del column
    spelled, n_unmatched = _spelled(source_ids, rule)
    if spelled is source_ids:  # no change, so no second list of all ids
        return ReadSubjects(code, source_ids, 0, n_unmatched, n_records_of(pa.array(code < 0), n_records), 0, n_records)
    code_of_source, ids = pd.factorize(spelled.where(spelled != ""))  # a rule that leaves nothing leaves no id
    code_of_row, n_blank = np.append(code_of_source, -1)[code], n_records_of(pa.array(code < 0), n_records)
    return ReadSubjects(
        code=code_of_row,
        ids=pd.Index(ids),
        n_merged=int((code_of_source >= 0).sum()) - len(ids),
        n_unmatched=n_unmatched,
        n_blank=n_blank,
        n_emptied=n_records_of(pa.array(code_of_row < 0), n_records) - n_blank,
        n_records=n_records,
    )


def _trimmed(column: pd.Series) -> pd.Series:
    """Ids (n,) without surrounding blanks, those of blanks alone missing; the same object if nothing changes."""
    pieces = (column.iloc[start : start + TEXTS_AT_ONCE] for start in range(0, len(column), TEXTS_AT_ONCE))
    if all(piece.str.strip().equals(piece) and not (piece == "").any() for piece in pieces):
        return column
    column = column.str.strip()
    return column.mask(column == "")


def _distinct(column: pd.Series) -> tuple[np.ndarray, pd.Index]:
    """The code of each id (n,), -1 where it is missing, and the distinct ids.

    Equal ids are looked for among neighbours and by hashes first, which takes 0.1 GB for five million ids; to look them
    up one by one takes 0.8 GB.
    """
    if column.dtype.kind != "f":
        present = column.notna().to_numpy()
        ids = column if present.all() else column[present]
        if _all_differ(as_texts(ids)):
            return np.where(present, np.cumsum(present) - 1, -1), pd.Index(ids)
    code, distinct = pd.factorize(column)
    return code, pd.Index(distinct)


def _all_differ(ids: pa.LargeStringArray) -> bool:
    if are_rising(ids):
        return True
    hashes = hashes_of_texts(ids)
    hashes.sort()
    return bool((np.diff(hashes) > 0).all())


def _spelled(ids: pd.Index, rule: SubjectIdRule) -> tuple[pd.Index, int]:
    """The trimmed ids after the rule, the same object if it changes none, and how many the pattern does not change."""
    if rule.only_trims and ids.dtype.kind != "f":
        return ids, 0
    pieces, n_unmatched, is_changed = [], 0, ids.dtype.kind == "f"
    for start in range(0, max(len(ids), 1), TEXTS_AT_ONCE):
        piece = ids[start : start + TEXTS_AT_ONCE]
        spelled, n = rule.apply(piece)
        n_unmatched += n
        is_same = not is_changed and spelled.equals(piece)
        is_changed |= not is_same
        pieces.append(piece if is_same else spelled)
    return (pieces[0].append(pieces[1:]) if is_changed else ids), n_unmatched


# ---------------------------------------------------------------- patterns

SECONDS, SECONDS_PER_LETTER = 10.0, 1e-5  # a usual pattern takes less than a tenth of the second
# The ids are sent through a pipe: they are in no list of processes and in no file.
_WORKER = """
import json, re, sys
pattern, replacement, texts = json.load(sys.stdin.buffer)
find = re.compile(pattern)
json.dump([find.subn(replacement, text) for text in texts], sys.stdout)
"""


def compiles(pattern: str) -> bool:
    """Whether a text is a regular expression that Python knows."""
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


def replacement_fits(pattern: str, replacement: str) -> bool:
    """Whether a replacement names only groups that the pattern has; the pattern itself is not run."""
    compiled = re.compile(pattern)
    names = {number: name for name, number in compiled.groupindex.items()}
    groups = (f"(?P<{names[i]}>)" if i in names else "()" for i in range(1, compiled.groups + 1))
    try:
        re.sub("".join(groups), replacement, "")
    except (re.error, IndexError):
        return False
    return True


def replaced(texts: Sequence[str], pattern: str, replacement: str) -> tuple[list[str], int]:
    """The texts with every match replaced as ``re.sub`` does, and how many of them have no match.

    Raises ``FaultyInputError`` if the pattern exceeds the limit of time.
    """
    seconds = SECONDS + SECONDS_PER_LETTER * sum(map(len, texts))
    task = json.dumps([pattern, replacement, list(texts)]).encode("ascii")
    endless = (
        f"subject_id['pattern']: stopped after {seconds:.0f} seconds with {len(texts):,} ids; allowed: a pattern that "
        "does not backtrack without end; avoid repeats within repeats, such as (a+)+, and several .* in a row"
    )
    with in_our_words(endless, subprocess.TimeoutExpired, subprocess.CalledProcessError):
        # Isolated: neither the user's folder nor the environment decides what the worker imports.
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _WORKER], input=task, capture_output=True, timeout=seconds, check=True
        )
    found = json.loads(done.stdout)
    return [text for text, _ in found], sum(n == 0 for _, n in found)
