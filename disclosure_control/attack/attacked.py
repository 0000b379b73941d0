"""What an attacker gets from many facts together: which hidden value is guessed, for how many people, and by what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from disclosure_control.attack.leaving import Leaving, ReleaseFinding
from disclosure_control.basics.settings.changes import ConfigChange
from disclosure_control.basics.telling.plain import NOT_IN_SUMMARY
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.small_counts import Policy, count_in_sentence, count_text, people_told
from disclosure_control.basics.telling.words import capitalised, counted, listed

MOST_NAMED = 4
TOO_SMALL = "this cannot be seen at this size"
BY_LUCK = "at this size, what was guessed may be chance"
ASSESSED = "a released quasi-identifier gives it, and is assessed with it"
TOLD = "single columns, pairs or rows already disclose it"
TRIED = " This was tried: without these columns, too little is found to report."
NO_REASON = " This is no reason to hold: the column was taken out for nearly everybody, and too few guesses are sure."


@dataclass(frozen=True)
class AttemptAtColumn:
    """One hidden ``column``: ``answerer`` guessed it ``by`` which columns, for how many people.

    ``found`` people are found at the first attempt by who knows their value, or have a sure guess that is right;
    ``by_class``: so many without the guesses. ``is_inferred``: the second one. ``not_asked``: why there is no answer.
    ``lines_are_tried``: without the columns that the ``changes`` take out, nothing is guessed any more.
    """

    column: str
    answerer: str = ""
    by: Sequence[str] = ()
    found: int | None = 0
    by_class: int | None = 0
    below_k: int | None = 0
    people: int | None = 0
    is_inferred: bool = False
    not_asked: str = ""
    is_reason: bool = False
    is_sensitive: bool = False
    changes: Sequence[ConfigChange] = field(default=(), metadata=NOT_IN_SUMMARY)
    lines_are_tried: bool = field(default=False, metadata=NOT_IN_SUMMARY)

    def for_reader(self, policy: Policy, leaving: Leaving) -> AttemptAtColumn:
        """The same with the counts that the reader may see."""
        n_found, n_by_class, n_people = self.found or 0, self.by_class or 0, self.people or 0
        told = (leaving.told_of(policy, self.column, n, n_people) for n in (n_found, n_by_class, self.below_k or 0))
        n_found_told, n_by_class_told, n_below = told
        n_people_told = leaving.told_of(policy, self.column, n_people)
        return replace(self, found=n_found_told, by_class=n_by_class_told, below_k=n_below, people=n_people_told)

    def sentence(self, n_found: str) -> str:
        """What is guessed by which columns, for ``n_found`` people."""
        more = len(self.by) - MOST_NAMED
        by = listed([*self.by[:MOST_NAMED], *([counted(more, "further column")] if more > 0 else [])])
        of_people = f"{n_found} of {people_told(self.people)} whose value was changed or dropped"
        without = f"{count_in_sentence(self.by_class)} by what is released of the column itself"
        what = f"the original {self.column}, above all {by}"
        if self.is_inferred:
            return f"{capitalised(self.answerer)} give {what}: a guess is sure and right for {of_people}, {without}"
        return (
            f"{capitalised(self.answerer)} give {what}: an attacker who knows a person's value finds {of_people} at "
            f"the first attempt, {count_in_sentence(self.by_class)} by the quasi-identifiers alone"
        )

    @property
    def row(self) -> list[str]:
        """The attempt as a row of a table."""
        if self.not_asked:
            return [self.column, "", "", "", self.not_asked]
        if not self.answerer:
            return [self.column, "none", "", "", ""]
        return [self.column, self.answerer, count_text(self.found), count_text(self.by_class), ""]


@dataclass(frozen=True)
class Attacked(ReleaseFinding):
    """All attempts at hidden columns, and by how many facts."""

    facts: int
    people_looked_at: int
    attempts: Sequence[AttemptAtColumn]

    def words(self) -> Iterator[str]:
        """Which column is guessed, for how many people; what was not asked, and why."""
        for one in self.attempts:
            if one.answerer:
                beside = "" if one.is_reason else NO_REASON
                yield f"{one.sentence(count_text(one.found))}.{beside}"
        nothing = [one.column for one in self.attempts if not one.answerer and not one.not_asked]
        if nothing:
            yield f"Attempts with {self.facts:,} facts together found too little to report of: {listed(nothing)}."
        yield from self._without_an_answer(ASSESSED, TOLD, TOO_SMALL, BY_LUCK)

    def _without_an_answer(self, *reasons: str) -> Iterator[str]:
        for why in reasons:
            if names := [one.column for one in self.attempts if one.not_asked == why]:
                yield f"Many facts together give no answer about {listed(names)}: {why}."

    def not_looked_at(self) -> Iterator[str]:
        """Columns about which nothing can be said, so that a verdict without a finding is none about them."""
        return self._without_an_answer(TOO_SMALL, BY_LUCK)

    def reasons(self) -> Iterator[Reason]:
        """A reason to hold for each column that is guessed."""
        for one in self.attempts:
            if one.is_reason:
                so = TRIED if one.lines_are_tried else ""
                yield Reason(
                    Gravity.OUTSIDERS_CAN_SINGLE_OUT,
                    f"{one.sentence(count_in_sentence(one.found))}.{so}",
                    'or state under "treatment", "harmless" why these columns disclose nothing',
                    tuple(one.changes),
                    infers=one.is_sensitive,
                )
