"""Single facts of the release that disclose a value which a step changed or removed, and sensitive values.

A fact is a column of the merged table, two columns together, or what the rows of a file say: a term, a dose, a file for
each site.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from disclosure_control.attack.leaving import Leaving, ReleaseFinding
from disclosure_control.attack.tells.hidden_columns import LEAST_PEOPLE
from disclosure_control.attack.tells.summaries import without_column
from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.settings.changes import ConfigChange
from disclosure_control.basics.telling.plain import NOT_IN_SUMMARY
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.small_counts import Policy, count_in_sentence, count_text, people_told
from disclosure_control.basics.telling.words import counted, listed, people_text

MOST_SAID = 3
WHY = "they disclose what the treatment changed, or a sensitive value"
HARMLESS = 'or state under "harmless" why they disclose nothing'


@dataclass(frozen=True)
class ToldBy:
    """What released columns or the rows of a file say, in words, and of which ``variable``; for how many people that
    is enough.
    """

    variable: str
    says: str
    people_told: int | None


@dataclass(frozen=True)
class ColumnTold:
    """A column that single facts disclose: ``by`` which, for how many of those who lost their value, and how closely:
    ``within`` which distance each number is from what the other people's give, None of labels and exact numbers.

    ``columns``: those of the merged table that take the finding away. ``changes``: lines for what rows disclose.
    ``is_declared``: the config says why all of these disclose nothing. ``is_released``: a sensitive feature that leaves
    itself, of everybody with a value.
    """

    tells: str
    people_told: int | None
    people_changed: int | None
    by: Sequence[ToldBy]
    within: float | None
    changes: Sequence[ConfigChange] = field(default=(), metadata=NOT_IN_SUMMARY)
    is_declared: bool = field(default=False, metadata=NOT_IN_SUMMARY)
    is_sensitive: bool = field(default=False, metadata=NOT_IN_SUMMARY)
    is_released: bool = field(default=False, metadata=NOT_IN_SUMMARY)
    columns: Sequence[str] | None = field(default=None, metadata=NOT_IN_SUMMARY)

    @property
    def share(self) -> float:
        """The share of the people with a changed value, to whom it is disclosed."""
        return (self.people_told or 0) / max(self.people_changed or 0, 1)

    def for_reader(self, policy: Policy, leaving: Leaving, name: str) -> ColumnTold:
        """The same with what the reader may see; ``name`` is that of the column. How close is one person's distance."""
        n_told, n_changed = self.people_told or 0, self.people_changed or 0
        return replace(
            self,
            people_told=leaving.told_of(policy, name, n_told, n_changed),
            people_changed=leaving.told_of(policy, name, n_changed),
            by=[replace(one, people_told=leaving.told_of(policy, name, one.people_told or 0)) for one in self.by],
            within=self.within if policy.is_exact else None,
        )

    @property
    def row(self) -> list[str]:
        """The finding as a row of the table of attempts."""
        return [self.tells, listed([one.says for one in self.by[:MOST_SAID]]), count_text(self.people_told), "", ""]

    def sentence(self, n_told: str) -> str:
        """What discloses it, for ``n_told`` people."""
        by = [f"{one.says} (for {count_in_sentence(one.people_told, ',')})" for one in self.by[:MOST_SAID]]
        more = len(self.by) - MOST_SAID
        what = f"the sensitive {self.tells}" if self.is_released else f"the original {self.tells}"
        within = f" within {number_text(self.within)}" if self.within else ""
        of = "with a value" if self.is_released else "whose value was changed or dropped"
        return (
            f"{'Rows in released files' if self.columns is None else 'Released columns'} disclose {what}{within} for "
            f"{n_told} of {people_told(self.people_changed)} {of}, by {'; by '.join(by)}"
            + (f"; and by {counted(more, 'further variable')}" if more > 0 else "")
        )


def within_of(away: Mapping[int, float]) -> float | None:
    """The largest of people's distances in two digits, rounded up; None of 0 everywhere."""
    largest = max(away.values(), default=0.0)
    if largest == 0:
        return None
    step = 10.0 ** (math.floor(math.log10(largest)) - 1)
    return float(f"{math.ceil(largest / step * (1 - 1e-9)) * step:.2g}")


@dataclass(frozen=True)
class Telling(ReleaseFinding):
    """Columns that single facts disclose; how many people, summaries of rows and pairs of columns were examined."""

    people: int
    people_looked_at: int
    summaries: int
    pairs: int
    pairs_looked_at: int
    told: Sequence[ColumnTold]
    too_few_to_ask: Sequence[str]
    not_read: Sequence[str]

    def words(self) -> Iterator[str]:
        """What discloses which column, for how many people, and what was not examined."""
        for one in self.told:
            yield f"{one.sentence(count_text(one.people_told))}."
        if self.too_few_to_ask:
            yield (
                f"Not searched, because fewer than {LEAST_PEOPLE} values were changed: "
                f"{', '.join(self.too_few_to_ask)}."
            )
        if self.people_looked_at < self.people:
            yield (
                f"The columns and rows of {self.people_looked_at:,} of {people_text(self.people, ',')} were searched "
                "for this."
            )
        if self.pairs_looked_at < self.pairs:
            yield f"{self.pairs_looked_at:,} of {self.pairs:,} pairs of columns were searched."

    def reasons(self) -> Iterator[Reason]:
        """A reason to hold for all columns of the merged table, one of sensitive features, one for what rows give."""
        open_ones = [one for one in self.told if not one.is_declared]
        for infers in (False, True):
            yield from _of_columns([one for one in open_ones if one.columns is not None and one.is_sensitive == infers])
        for one in open_ones:
            if one.columns is None:
                yield _reason([one], one.changes)

    def not_looked_at(self) -> Iterator[str]:
        """Files whose rows were too many to search."""
        if self.not_read:
            yield f"Not looked at: whether rows of {listed(self.not_read)} disclose what was changed or dropped."


def _of_columns(told: Sequence[ColumnTold]) -> Iterator[Reason]:
    """One reason, and a step of the treatment for each column that has to go."""
    if told:
        columns = dict.fromkeys(name for one in told for name in one.columns or ())
        yield _reason(told, [without_column(name, WHY) for name in reversed(columns)])


def _reason(told: Sequence[ColumnTold], changes: Sequence[ConfigChange]) -> Reason:
    said = "; ".join(one.sentence(count_in_sentence(one.people_told)) for one in told[:MOST_SAID])
    if len(told) > MOST_SAID:
        said += f"; and {counted(len(told) - MOST_SAID, 'further column')}"
    return Reason(
        Gravity.OUTSIDERS_CAN_SINGLE_OUT,
        f"{said}.",
        HARMLESS,
        tuple(changes),
        infers=told[0].is_sensitive,
    )
