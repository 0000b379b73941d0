"""The two policies for small counts: EXACT for the data controller, MASKED for all other readers.

Whatever turns findings into sections, figures or reasons is given the policy of its reader, so that one function makes
both. EXACT masks nothing. MASKED says which numbers of people a file that is handed on, and the screen, may show.

Published exactly are the totals of the whole pilot: people, evaluated, flagged by k, l and t. A count of people within
a named group, or of a named kind, is a cell of a table. A cell from 1 to 9 is masked; so is one whose complement is
that small, and any other from which a masked cell could be calculated with the totals (secondary suppression, Hundepool
et al. 2012, Statistical Disclosure Control, chapter 4). A share is masked with its numerator. An extreme of few people
is shown as an interval. Only restricted files contain more.

**The guarantee**: by adding and subtracting all published numbers, a masked count stays uncertain by at least
``threshold - 2``, so that as many numbers are possible as there are small counts; or by as much as the pilot's own
totals allow, if these are small.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

import numpy as np

from disclosure_control.basics.encoding.columns import EncodedColumn, labels_of
from disclosure_control.basics.telling.confidence_intervals import wilson_interval
from disclosure_control.basics.telling.words import SMALLEST_PRINTED_GROUP as SMALLEST_PRINTED_GROUP
from disclosure_control.basics.telling.words import counted, few_or_number, interval_text, people_text, share_text

SMALLER_GROUPS = "(smaller groups together)"
TOO_FEW = f"(fewer than {SMALLEST_PRINTED_GROUP} people)"
MASKED_CELL = "masked"
# In a sentence. It does not say whether the number is from 1 to 9: other numbers could be calculated from that.
NOT_SHOWN = "an undisclosed number"
WHAT_MASKED_MEANS = (
    f"Counts from 1 to {SMALLEST_PRINTED_GROUP - 1}, and counts from which these could be calculated, are shown as "
    f'"{MASKED_CELL}".'
)
SIGNIFICANT_DIGITS = 3
FOR_CONTROLLER = "for the data controller alone"  # how what is exact begins


@dataclass(frozen=True)
class Policy:
    """What a reader may see, with its ``threshold``: counts from 1 to ``threshold - 1`` are small, with 1 none is.

    ``is_strict``, for what leaves the house: totals of the whole pilot are no exception.
    """

    threshold: int
    is_strict: bool = False

    @property
    def is_exact(self) -> bool:
        """Whether it masks nothing."""
        return self.threshold <= 1

    def are_small(self, counts: np.ndarray) -> np.ndarray:
        """Which of the counts, of any shape, are small; nobody is no small count."""
        return (counts > 0) & (counts < self.threshold)

    def told(self, part: int, *beside: int) -> int | None:
        """A count beside other published ones; None if it, or its difference from one of them, is small.

        ``beside`` are the whole, and every published count that contains it or is part of it; zero is not a small
        count. For cells of one table use ``hidden_parts`` or ``mask_table``, which consider what the others disclose.
        """
        return part if not part or self.is_apart(part, (0, *beside)) else None

    def is_apart(self, n: int, others: Iterable[int]) -> bool:
        """Whether no difference between a count and one of the published ``others`` is small."""
        return not self.are_small(np.abs(np.array([*others], dtype=np.int64) - n)).any()

    def in_steps(self, n: int, whole: int) -> int:
        """Of ``whole`` people, all, or a number rounded down to whole steps of ``step``, the last never a short one.

        Of many overlapping groups that nobody names, such as the people alone by each set of facts: exact numbers of
        them together would disclose the sizes of named groups that are masked.
        """
        return n if n == whole else max(min(n, whole - self.step), 0) // self.step * self.step

    def rate_in_steps(self, rate: float | None, n: int, whole: int) -> float | None:
        """A share of ``n`` of the ``whole`` people, both in steps; None for fewer people than one step."""
        if self.is_exact:
            return rate
        told = self.in_steps(n, whole)
        n_hit = 0 if rate is None else max(min(round(rate * n), n - self.step), 0) // self.step * self.step
        return n_hit / told if told and n_hit else None

    @property
    def step(self) -> int:
        """Two hidden groups of a column, each small, are together fewer than this."""
        return 1 if self.is_exact else 2 * self.threshold

    def hidden_parts(self, parts: np.ndarray, also: np.ndarray | None = None) -> np.ndarray:
        """Which ``parts`` (n,) of a published whole are hidden, (n,) of bool.

        All small ones, and those of ``also`` (n,); and as many larger ones, the smallest first, as make them at least
        two, and at least ``threshold`` together.
        """
        parts = np.asarray(parts)
        hidden = self.are_small(parts) | (np.zeros(len(parts), dtype=bool) if also is None else also & (parts > 0))
        if hidden.any():
            others = _smallest_first(parts, ~hidden)
            together = parts[hidden].sum() + np.append(0, np.cumsum(parts[others]))
            is_enough = (together >= self.threshold) & (hidden.sum() + np.arange(len(together)) > 1)
            hidden[others[: _first(is_enough)]] = True
        return hidden

    def hidden_rows(self, counts: np.ndarray, primary: np.ndarray | None = None) -> np.ndarray:
        """Which rows of ``counts`` (n_rows, 2) are hidden if totals of rows and columns are published, (n_rows,) of
        bool.

        The ``primary`` ones (n_rows,), by default those with a small cell; and the smallest others, until the hidden
        rows together leave each of them uncertain by ``threshold``: a cell of a row of n people and a column of S,
        among N people in the hidden rows, is known up to min(n, N - n, S, N - S).
        """
        counts = np.asarray(counts)
        of_row = counts.sum(axis=1)
        first: np.ndarray = np.any(self.are_small(counts), axis=1) if primary is None else primary
        hidden = first.copy()
        if first.any():
            others = _smallest_first(of_row, ~hidden)
            together = counts[first].sum(axis=0) + np.vstack([[0, 0], np.cumsum(counts[others], axis=0)])
            beside_largest = together.sum(axis=1) - of_row[first].max()
            is_enough = np.all(np.column_stack([together, beside_largest]) >= self.threshold, axis=1)
            hidden[others[: _first(is_enough)]] = True
        return hidden

    def mask_table(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For rows of people who are hit, not hit and not considered (n_rows, 3): whose considered and hit are hidden.

        Two masks (n_rows,) of bool; the totals of rows and columns are published. If few are not considered, or few
        are, their number is hidden; and so is the number of hits there, or if these are few, or all but few. The first
        mask does not depend on who is hit: the same people may be in several tables.
        """
        hit, not_hit, not_considered = (counts := np.asarray(counts)).T
        considered = hit + not_hit
        few_considered = self.are_small(considered) & (not_considered > 0)
        seen = np.column_stack([considered, not_considered])
        without_people = self.hidden_rows(seen, self.are_small(not_considered) | few_considered)
        few = self.are_small(np.column_stack([hit, not_hit, not_hit + not_considered])).any(axis=1)
        return without_people, self.hidden_rows(counts[:, :2], few | without_people)

    def extreme(self, value: float, n_people: int, unit: float, most: float = math.inf) -> float | tuple[float, float]:
        """An extreme of a measure, to three digits; if it is of fewer than ``threshold`` people, bounds of it.

        The bounds are ``unit``, not 0, times neighbouring powers of two, the upper one at most ``most``: the distance
        of a class of one person, in three digits, would disclose that person's value.
        """
        if self.is_exact:
            return float(value)
        if n_people >= self.threshold or value == 0:
            return float(f"{value:.{SIGNIFICANT_DIGITS}g}")
        low = abs(unit) * 2.0 ** (math.ceil(math.log2(abs(value) / abs(unit))) - 1)
        return (low, min(2 * low, most)) if value > 0 else (-2 * low, -low)


class ForController(Policy):
    """That of the files that the data controller alone reads."""


class ForOthers(Policy):
    """That of everybody else: the screen, logs, evidence, README and codebook of a release, the shareable page."""


EXACT = ForController(1)
MASKED = ForOthers(SMALLEST_PRINTED_GROUP)
Reader = TypeVar("Reader", ForController, ForOthers)  # whose sections and figures something holds


def _smallest_first(sizes: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Places of the ``wanted`` sizes above 0, both (n,): the smallest first, ties in their order."""
    places = np.flatnonzero(wanted & (sizes > 0))
    return places[np.argsort(sizes[places], kind="stable")]


def _first(is_enough: np.ndarray) -> int:
    """The first place (n + 1,) that is enough; n, which is all, where none is."""
    return int(np.argmax(is_enough)) if is_enough.any() else len(is_enough) - 1


class MissingShown(Enum):
    """What is published elsewhere about the number of people without a value in a column."""

    LIKE_ANY_GROUP = "nothing"
    HIDDEN = "nothing, and the other columns would narrow it down if it stood with them"
    KNOWN = "it, as a total of the pilot"


def hidden_groups(
    policy: Policy,
    column: EncodedColumn,
    among: np.ndarray | None = None,
    gaps: MissingShown = MissingShown.LIKE_ANY_GROUP,
    people: np.ndarray | None = None,
) -> np.ndarray:
    """Which groups of a column are hidden, (1 + n_labels,) of bool: those without a value first, then its labels.

    ``among`` (n_records,) of bool: the people of the published total; by default all. ``people`` (n_records,) count
    each entry of the column, one each if not given.
    """
    in_group = _people_by_group(column, among, people)
    if gaps is MissingShown.KNOWN:
        return np.append(policy.are_small(in_group[:1]), policy.hidden_parts(in_group[1:]))
    return policy.hidden_parts(in_group, (np.arange(len(in_group)) == 0) & (gaps is MissingShown.HIDDEN))


def missing_told(policy: Policy, column: EncodedColumn) -> int | None:
    """People without a value, as published beside the column's groups; None where it is masked."""
    return None if hidden_groups(policy, column)[0] else int((column.codes < 0).sum())


def _people_by_group(column: EncodedColumn, among: np.ndarray | None, people: np.ndarray | None = None) -> np.ndarray:
    kept = slice(None) if among is None else among
    each = None if people is None else people[kept]
    return np.bincount(column.codes[kept] + 1, each, len(column.labels) + 1).astype(np.int64)


@dataclass(frozen=True)
class GroupShare:
    """Who of a ``group`` is hit; ``word`` is the JSON summary's name for the ``hits``. Masked numbers are None.

    Of a group that is not ``told`` only its existence is known.
    """

    group: str
    word: str
    people: int | None = None
    hits: int | None = None
    told: bool = True

    @property
    def rate(self) -> float | None:
        """The share that is hit, in [0, 1]."""
        return None if self.people is None or self.hits is None else self.hits / self.people

    @property
    def interval(self) -> tuple[float, float] | tuple[None, None]:
        """That of the share."""
        return (None, None) if self.people is None or self.hits is None else wilson_interval(self.hits, self.people)

    def in_summary(self) -> dict[str, object]:
        """As the JSON summary has it."""
        if not self.told:
            return {"group": self.group}
        low, high = self.interval
        hits = {self.word: self.hits, f"{self.word}_rate": self.rate}
        return {"group": self.group, "people": self.people, **hits, "low": low, "high": high}

    def cells(self) -> list[str]:
        """A row of a table: people, hits, their share and its interval."""
        if not self.told:
            return ["-"] * 4
        low, high = self.interval
        interval = "-" if low is None or high is None else interval_text(low, high)
        return [count_text(self.people), count_text(self.hits), share_text(self.rate), interval]


def shares_by_group(
    policy: Policy,
    groups: EncodedColumn,
    considered: np.ndarray,
    hit: np.ndarray,
    word: str,
    among: np.ndarray | None = None,
    gaps: MissingShown = MissingShown.LIKE_ANY_GROUP,
    people: np.ndarray | None = None,
    also: np.ndarray | None = None,
) -> list[GroupShare]:
    """Who of each group is hit, among those considered, as published; missing is a group.

    ``groups`` is a column (n_records,); ``considered`` and ``hit`` (n_records,) of bool; ``word`` names a hit.
    ``among`` (n_records,) are the people of the published total, by default all; those of them who are not considered
    are a third kind beside those who are hit and those who are not. ``people`` (n_records,) count each entry, one each
    if not given. ``also`` (1 + n_labels,) of bool: further hidden groups, as in ``hidden_groups``.

    Small groups are joined with as many larger ones as make them ten, and come last; they are masked if they are still
    fewer than ten.
    """
    among = np.ones(len(groups.codes), dtype=bool) if among is None else among
    considered = considered & among
    hidden = hidden_groups(policy, groups, among, gaps, people)
    hidden = hidden if also is None else hidden | also
    names = ["missing", *labels_of(groups)]
    kinds = (considered & hit, considered & ~hit, among)
    counts = np.column_stack([_people_by_group(groups, who, people) for who in kinds])
    counts[:, 2] -= counts[:, 0] + counts[:, 1]
    if hidden.any():
        names.append(SMALLER_GROUPS)
        counts = np.vstack([counts, counts[hidden].sum(axis=0)])
        hidden = np.append(hidden, False)
    return _told_groups(policy, names, np.where(hidden[:, None], 0, counts), word)


def _told_groups(policy: Policy, names: Sequence[str], counts: np.ndarray, word: str) -> list[GroupShare]:
    """Entries of rows of hit, not hit, and not considered; rows without considered people are left out."""
    people = counts[:, 0] + counts[:, 1]
    without_people, without_hits = policy.mask_table(counts)
    entries = []
    for i in np.flatnonzero(people > 0).tolist():
        if counts[i].sum() < policy.threshold:
            entries.append(GroupShare(TOO_FEW, word, told=False))
        else:
            n = None if without_people[i] else int(people[i])
            entries.append(GroupShare(names[i], word, n, None if without_hits[i] else int(counts[i, 0])))
    return entries


def told_parts(policy: Policy, parts: dict[str, int], whole: int | None = None) -> dict[str, int | None]:
    """Counts of people by name, parts of a published whole, as published beside each other.

    If they are not all of the ``whole``, its rest, which is not published, is one of its parts. Where all people are
    in one small part, that the others have nobody says how many these are: it is hidden as well.
    """
    counts = list(parts.values())
    hidden = policy.hidden_parts(np.array([*counts, 0 if whole is None else whole - sum(counts)]))
    hidden |= hidden.sum() == 1
    return {name: None if hides else n for (name, n), hides in zip(parts.items(), hidden[: len(counts)], strict=True)}


class NoteForReaders(str):
    """A sentence as others may read it, whose ``exact`` form is for the controller."""

    exact: str

    def __new__(cls, masked: str, exact: str) -> NoteForReaders:
        """Keep both forms."""
        note = super().__new__(cls, masked)
        note.exact = exact
        return note

    @classmethod
    def of(cls, words: Callable[[str], str], n: int, masked: str) -> NoteForReaders:
        """The sentence that ``words`` make of the number ``n``, and of the words that others read in its place."""
        return cls(words(masked), words(f"{n}"))


def notes_told(policy: Policy, notes: Iterable[str]) -> list[str]:
    """The notes as the reader may see them."""
    return [getattr(note, "exact", note) if policy.is_exact else note for note in notes]


def count_text(n: int | None, form: str = "") -> str:
    """A count as reports print it, by ``form`` "," as ``1,000``; None is masked."""
    return MASKED_CELL if n is None else f"{n:{form}}"


def count_in_sentence(n: int | None, form: str = "") -> str:
    """A count as a sentence has it, by ``form`` "," as ``1,000``; None is masked."""
    return NOT_SHOWN if n is None else f"{n:{form}}"


def things_told(n: int | None, noun: str) -> str:
    """A number of records, values or other things of people, in words: ``some records`` if it is masked."""
    return f"some {noun}s" if n is None else counted(n, noun)


def people_told(n: int | None, form: str = "") -> str:
    """A number of people in words, possibly zero, by ``form`` "," as ``1,000 people``; None is masked."""
    return f"{NOT_SHOWN} of people" if n is None else people_text(n, form)


def some_of_people(policy: Policy, n: int, n_all: int) -> str:
    """How many of the people, in words, without a small count or one that subtraction would give."""
    of_all = f"of {people_text(n_all, ',')}"
    if policy.told(n, n_all) is not None and n:
        return f"{n:,} {of_all}"
    return f"a few {of_all}" if n < policy.threshold else f"nearly all {of_all}"


def people_on_screen(n: int | None, form: str = "") -> str:
    """A number of people in a sentence without its complement; from 1 to 9 it is "fewer than 10".

    None is a number that is masked already; ``form`` "," writes ``1,000``.
    """
    if n is None:
        return NOT_SHOWN
    return few_or_number(n, form)
