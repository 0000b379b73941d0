"""An attacker who has the shareable page alone: reads every number in it, and works out what the masks hide.

Two ways. People by column, group, gaps and state are unknown numbers, of which sums were told: a linear programme. And
classes of s people hold a multiple of s: what two told numbers leave for the classes between them can be divided among
these in a few ways only.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from disclosure_control.basics.telling.small_counts import MASKED_CELL, SMALLER_GROUPS
from tests.basics.telling.undo_masks import Told
from tests.report.test_page import Page

MISSING = "missing"
Gap = frozenset[str]  # the quasi-identifiers that a person lacks
MOST_AT_THE_END = 60
# Who is at risk when missing is a value is so, or not, when it matches anything; nobody is the other way round.
FLAGS = ("both", "category alone", "neither")
FLAGGED = {"category": ("both", "category alone"), "exclude": ("both", "category alone"), "wildcard": ("both",)}


def unflagged(policy: str) -> tuple[str, ...]:
    """Flags of those who are not at risk under a policy."""
    return tuple(flag for flag in FLAGS if flag not in FLAGGED[policy])


@dataclass(frozen=True)
class ReadPage:
    """What stands on a page: rows of its tables, the descriptions of its drawings, the data of its sliders."""

    rows: Mapping[str, Sequence[str]]
    drawings: Sequence[str]
    data: Mapping

    @classmethod
    def of(cls, html: str) -> ReadPage:
        page = Page(html)
        data = json.loads(re.search(r'id="what-if-data">(.*?)</script>', html, re.S)[1])
        return cls({row[0]: row[1:] for row in page.rows}, [svg["aria-label"] for svg in page.having("svg")], data)

    def count(self, row: str, column: int) -> int | None:
        cell = self.rows[row][column]
        return None if cell in (MASKED_CELL, "-") else int(cell.replace(",", ""))

    def groups(self, column: str) -> dict[str, tuple[float, float, int]]:
        """Of each group that is drawn: the fewest and the most who can be at risk, and its people."""
        start, found = f"Share at risk by {column}. ", {}
        for text in (text[len(start) :] for text in self.drawings if text.startswith(start)):
            for label, share, people in re.findall(r"(?:^|; )([^;]*?): ([0-9.]+)% of ([0-9,]+)", text):
                n, rate = int(people.replace(",", "")), float(share) / 100
                found[label] = (rate - 0.0005) * n, (rate + 0.0005) * n, n
        return found

    def alone_by(self, column: str, n_people: int) -> int | None:
        """How many are alone with this column, where the page says it."""
        cell = self.rows.get(column, ["-"])[0]
        return round(float(cell.rstrip("%")) / 100 * n_people) if cell.endswith("%") else None

    def numbers_of_classes(self) -> list[tuple[int, int | None]]:
        """People in classes below each size, as told; of nobody below 1."""
        (curve,) = [curve for curve in self.data["curves"] if curve["model"] == "k_anonymity"]
        return [(1, 0), *((int(k), n) for k, n in zip(curve["thresholds"], curve["risky"], strict=True))]


# ---------------------------------------------------------------- sums of unknown numbers


class Unknowns:
    """Names of the unknown numbers: people of a label of a column, by what they lack and how they are flagged."""

    def __init__(self, labels: Mapping[str, Sequence[str]]):
        self.labels = labels
        columns = list(labels)
        sizes = range(len(columns) + 1)
        self.gaps = [frozenset(some) for size in sizes for some in itertools.combinations(columns, size)]

    def people(self, gaps: Sequence[Gap] | None = None, flags: Sequence[str] = FLAGS) -> list:
        return [(gap, flag) for gap in (self.gaps if gaps is None else gaps) for flag in flags]

    def of_label(self, column: str, label: str, policy: str, flags: Sequence[str] = FLAGS) -> list:
        """Those of a label whom the policy evaluates."""
        if label == MISSING:
            if policy == "exclude":
                return []
            return self.people([gap for gap in self.gaps if column in gap], flags)
        gaps = [gap for gap in self.gaps if column not in gap and (policy != "exclude" or not gap)]
        return [(column, label, gap, flag) for gap in gaps for flag in flags]


def told_by(
    page: ReadPage, labels: Mapping[str, Sequence[str]], policy: str, told: Told | None = None
) -> tuple[Told, Unknowns]:
    """All sums of people that the page tells, beside what else was ``told``."""
    told, unknowns = told or Told(), Unknowns(labels)
    told.count(*unknowns.people())
    for column, gap in itertools.product(labels, unknowns.gaps):
        if column not in gap:
            for flag in FLAGS:
                told.same([(gap, flag)], [(column, label, gap, flag) for label in labels[column]])

    def tell(names: list, n: int | None) -> None:
        if n is not None:
            told.tell(names, n)

    whole = [frozenset()]
    for name in FLAGGED:
        row = f"{name}, in use" if name == policy else name
        seen = whole if name == "exclude" else None
        tell(unknowns.people(seen, FLAGGED[name]), page.count(row, 0))
        tell(unknowns.people(seen), page.count(row, 1))
    seen = whole if policy == "exclude" else None
    (of_k,) = [row for row in page.rows if row.startswith("k < ")]
    tell(unknowns.people(seen, FLAGGED[policy]), page.count(of_k, 0))
    tell(unknowns.people(seen), page.count(of_k, 1))
    not_evaluated = page.count(of_k, 3)
    if policy == "exclude":
        tell(unknowns.people([gap for gap in unknowns.gaps if gap]), not_evaluated)
    for column in labels:
        drawn = page.groups(column)
        for group, (fewest, most, n) in drawn.items():
            # The small groups stand among those that are not drawn; beside them may be some whose share is masked.
            is_named = group != SMALLER_GROUPS
            of_group = [group] if is_named else [one for one in (MISSING, *labels[column]) if one not in drawn]
            for flags, low, high in (
                (FLAGS, n, n),
                (FLAGGED[policy], max(fewest, 0), most),
                (unflagged(policy), n - most, n - max(fewest, 0)),
            ):
                cells = [cell for one in of_group for cell in unknowns.of_label(column, one, policy, flags)]
                told.tell(cells, low, high if is_named else np.inf)
    return told, unknowns


# ---------------------------------------------------------------- classes of s people hold a multiple of s


@dataclass(frozen=True)
class Between:
    """Classes of ``sizes`` people between two told numbers: ``before`` them, and ``people`` in them together.

    ``for_sure``: sizes of which there is a class, as else the masked number beside were the told one, and told.
    """

    sizes: range
    before: int
    people: int
    for_sure: frozenset[int] = frozenset()


def between(numbers: Sequence[tuple[int, int | None]], evaluated: int) -> Iterator[Between]:
    """Between each two told numbers that follow each other; all who are evaluated are in classes of some size."""
    told = [(k, n) for k, n in numbers if n is not None]
    for (k, before), (other, after) in itertools.pairwise(told):
        sure = {size for size, is_sure in ((k, before > 0), (other - 1, after < evaluated)) if is_sure}
        yield Between(range(k, other), before, after - before, frozenset(sure) if other - k > 1 else frozenset())
    last, before = told[-1]
    people = evaluated - before
    if people < MOST_AT_THE_END:  # more of them can be divided in any way
        sure = frozenset({last}) if before > 0 and last < numbers[-1][0] else frozenset()
        yield Between(range(last, last + people + 1), before, people, sure)


def reachable(sizes: Sequence[int], most: int, for_sure: frozenset[int] = frozenset()) -> set[int]:
    """How many people up to ``most`` classes of these sizes can hold together; slow and obvious."""
    found = {0}
    for size in sizes:
        times = range(1 if size in for_sure else 0, most // size + 1)
        found = {n + size * one for n in found for one in times if n + size * one <= most}
    return found


def possible(stretch: Between) -> tuple[dict[int, set[int]], dict[int, set[int]]]:
    """Of every size in the stretch the people that its classes can hold; and of every threshold whom it can flag."""
    of_size, below, sure = {}, {}, stretch.for_sure
    for place, size in enumerate(stretch.sizes):
        others = reachable([one for one in stretch.sizes if one != size], stretch.people, sure)
        of_size[size] = {n for n in reachable([size], stretch.people, sure) if stretch.people - n in others}
        before = reachable(stretch.sizes[:place], stretch.people, sure)
        after = reachable(stretch.sizes[place:], stretch.people, sure)
        below[size] = {stretch.before + n for n in before if stretch.people - n in after}
    if sure and not all(of_size.values()):
        return possible(dataclasses.replace(stretch, for_sure=frozenset()))
    return of_size, below
