"""What the calendar gives away of the dates that moved: cut-offs, weekdays, ends of months, the study's last day."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from disclosure_control.attack.leaving import Leaving, ReleaseFinding
from disclosure_control.basics.settings.changes import ConfigChange
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.small_counts import (
    MASKED_CELL,
    Policy,
    count_in_sentence,
    count_text,
    people_told,
)
from disclosure_control.basics.telling.words import counted, listed, people_text
from disclosure_control.measures.moved_dates import (
    FEW,
    FEWEST_DATES,
    MOST,
    NO_DAY,
    ColumnOfDates,
    Pattern,
    Span,
    calendar_patterns,
    days_known,
    n_offsets_left,
)
from disclosure_control.remedy.treatments.methods.shift_dates import ShiftDatesSettings

MOST_TRIED = 50_000_000  # dates times offsets
MOST_PRINTED = 12  # patterns; the others are counted
EACH_LAST = "the last date of each person"
WORDS = {
    "day": "fall on one and the same day",
    "day of the year": "fall on one day of the year",
    "day of the month": "fall on one day of a month",
    "end of a month": "are the last of a month",
    "month": "fall in one and the same month",
    "month of the year": "fall in one month of the year",
    "year": "fall in one year",
    "weekday": "fall on one weekday",
    "working day": "are no Saturday or Sunday",
    "holiday": "are no 1 January and no 25 December",
}


@dataclass(frozen=True)
class DatedRows:
    """The dates of the released ``columns``, and by how many days those of each person were moved (n_people,).

    ``is_released``: of a whole study, not of a treated table. ``span`` is the first and the last day of the study.
    ``study_days``: columns of dates -> those of study days with the same days. ``not_looked_at``: files of too many
    rows.
    """

    columns: Sequence[ColumnOfDates] = field(repr=False)
    offsets: np.ndarray = field(repr=False)
    is_released: bool = False
    span: Span | None = field(default=None, repr=False)
    study_days: Mapping[str, str] = field(default_factory=dict)
    not_looked_at: tuple[str, ...] = ()


@dataclass(frozen=True)
class CalendarPattern:
    """How many original ``dates`` of a column have a pattern, in counts: no summary names the day.

    ``beside``: the column whose value the rows of these dates share, "" where they are all rows.
    """

    column: str
    beside: str
    pattern: str
    dates: int | None
    holding: int | None
    most: bool

    def for_reader(self, policy: Policy, leaving: Leaving) -> CalendarPattern:
        """The same with the counts that the reader may see."""
        n_dates, n_holding = self.dates or 0, self.holding or 0
        return replace(
            self,
            dates=leaving.told_of(policy, self.column, n_dates),
            holding=leaving.told_of(policy, self.column, n_holding, n_dates),
        )

    @property
    def words(self) -> str:
        """The pattern in counts."""
        rows = f" in the rows with one value of {self.beside}" if self.beside else ""
        return (
            f"{self.column}{rows}: {count_text(self.holding)} of {count_text(self.dates)} original dates "
            f"{WORDS[self.pattern]}."
        )


@dataclass(frozen=True)
class DatesMoved:
    """Dates that moved: the patterns in their ``columns``, and for how many people these leave few offsets.

    Numbers of people are None where they are masked, and where nobody was looked at. ``people_by_span``: for how many
    more the first and the last day of the study leave few offsets. ``undone_by``: columns whose patterns undo somebody.
    """

    columns: Sequence[str]
    offsets: int
    patterns: Sequence[CalendarPattern]
    further_patterns: int
    people_looked_at: int | None
    people_undone: int | None
    people_nearly_undone: int | None
    people_by_span: int | None
    median_offsets_left: float | None
    undone_by: Sequence[str]
    is_released: bool

    def for_reader(self, policy: Policy, leaving: Leaving) -> DatesMoved:
        """The same with the counts that the reader may see."""
        n_looked_at, n_undone, n_nearly = self.people_looked_at or 0, self.people_undone or 0, self.people_nearly_undone

        def told(n: int | None, *beside: int | None) -> int | None:
            return None if n is None else policy.told(n, leaving.n_people, *(one or 0 for one in beside))

        return replace(
            self,
            patterns=[one.for_reader(policy, leaving) for one in self.patterns],
            people_looked_at=told(n_looked_at),
            people_undone=told(self.people_undone, n_looked_at),
            people_nearly_undone=told(n_nearly, n_looked_at, n_undone),
            people_by_span=told(self.people_by_span, n_looked_at, n_nearly),
            median_offsets_left=self.median_offsets_left if n_looked_at >= policy.threshold else None,
        )

    def words(self, n_people: int, too_many_rows: Sequence[str] = ()) -> Iterator[str]:
        """The patterns in counts, and the remaining offsets; dates in ``too_many_rows`` were not looked at."""
        if self.people_looked_at == 0 and too_many_rows and not self.columns:
            tables = listed(too_many_rows, 20)
            yield f"The calendar was not looked at: {tables} have more rows than are searched from disk."
        elif self.people_looked_at == 0:
            columns = listed(self.columns, 20) or "the columns that were moved"
            yield f"The calendar was not looked at: no moved date of {columns} is known to the day."
        for pattern in self.patterns:
            yield pattern.words
            if not pattern.most:
                yield "An attacker who knows the day, and whose dates these are, reverses shift_dates for them."
        if self.further_patterns:
            yield f"{counted(self.further_patterns, 'further pattern')} of the calendar in groups of rows."
        if self.patterns and self.people_looked_at != 0:
            yield self._left
        if self.patterns and self.people_looked_at != n_people:
            n_tried = count_text(self.people_looked_at)
            yield f"This was tried for {n_tried} of {people_text(n_people)}: those with such a date."

    @property
    def _left(self) -> str:
        n_left = MASKED_CELL if self.median_offsets_left is None else f"{self.median_offsets_left:g}"
        return (
            "An attacker who knows these patterns of the calendar reverses shift_dates for "
            f"{count_text(self.people_undone)} of {people_told(self.people_looked_at)}. For "
            f"{count_text(self.people_nearly_undone)}, {FEW} offsets or fewer remain. For half of the people, "
            f"{n_left} of {self.offsets} offsets or fewer remain."
        )

    @property
    def _is_undone(self) -> bool:
        return self.people_looked_at != 0 and self.people_nearly_undone != 0

    def reasons(self) -> Iterator[Reason]:
        """A reason to hold if the calendar alone reverses the moving of dates."""
        if self._is_undone:
            named = listed(self.undone_by, 20)
            yield Reason(
                Gravity.OUTSIDERS_CAN_SINGLE_OUT,
                f"The calendar reverses shift_dates for {count_in_sentence(self.people_undone)} of "
                f"{people_told(self.people_looked_at)}, and leaves {FEW} offsets or fewer for "
                f"{count_in_sentence(self.people_nearly_undone)}: original dates of {named} share a day or "
                f"another pattern that outsiders may know.",
                "or keep days since a date of the person instead of dates, or, if no outsider knows the day, say why "
                'under "identifiers", "harmless" (docs/identifiers.md)',
                self._changes,
            )

    @property
    def _changes(self) -> tuple[ConfigChange, ...]:
        """Columns of dates that go: by an operation of the release, or as a step of the treatment."""
        why = "the calendar gives the original dates away"
        if self.is_released:
            paths = (("release", "operations", name) for name in self.undone_by)
            return tuple(ConfigChange.to(path, "remove", why) for path in paths)
        step = {"method": "drop_column", "columns": list(self.undone_by)}
        return (ConfigChange.to(("treatment", "steps"), step, why, is_added=True),) if self.undone_by else ()

    def accepted(self) -> Iterator[str]:
        """What the calendar leaves where it is no reason to hold, for readers of a verdict."""
        if self.people_looked_at != 0 and self.people_by_span != 0:
            yield (
                f"For {count_in_sentence(self.people_by_span)} of {people_told(self.people_looked_at)}, the first and "
                f"the last day of the study, which registers publish, leave {FEW} offsets or fewer."
            )
        if self.patterns and not self._is_undone and self.median_offsets_left is not None:
            named = listed(dict.fromkeys(f"{one.column} ({one.pattern})" for one in self.patterns), 5)
            yield (
                f"Patterns of the calendar leave {self.median_offsets_left:g} of {self.offsets} offsets or fewer for "
                f"half of the people: {named}."
            )


@dataclass(frozen=True)
class MovedDates(ReleaseFinding):
    """For each step that moved dates: the patterns of the calendar in its columns, and for whom they reverse it."""

    people: int
    steps: Sequence[DatesMoved]
    too_many_rows: Sequence[str] = ()

    def for_reader(self, policy: Policy, leaving: Leaving) -> MovedDates:
        """The same with the counts that the reader may see."""
        return replace(self, steps=[one.for_reader(policy, leaving) for one in self.steps])

    def words(self) -> Iterator[str]:
        return (sentence for step in self.steps for sentence in step.words(self.people, self.too_many_rows))

    def reasons(self) -> Iterator[Reason]:
        return (reason for step in self.steps for reason in step.reasons())

    def not_looked_at(self) -> Iterator[str]:
        yield from (sentence for step in self.steps for sentence in step.accepted())
        if self.too_many_rows:
            yield f"Not looked at: what the calendar discloses of the many dates in {listed(self.too_many_rows)}."


def moved_dates(leaving: Leaving, rows: DatedRows | None = None) -> MovedDates:
    """The patterns of the calendar in the dates that moved, and for whom they reverse it.

    Asked of the ``rows`` of a release, else of the columns of each step that moved dates.
    """
    found = []
    for step in leaving.steps:
        if isinstance(step.settings, ShiftDatesSettings):
            names = [name for name in step.changed if name in leaving.released_names]
            of_step = _merged_columns(leaving, names) if rows is None else rows
            found.append(_dates_moved(leaving, of_step, step.settings.days))
    return MovedDates(leaving.n_people, found, () if rows is None else rows.not_looked_at)


def _merged_columns(leaving: Leaving, names: Sequence[str]) -> DatedRows:
    """One date of each person in each column that a step moved; those that were removed have a pattern, too."""
    columns, offsets = [], np.zeros(leaving.n_people, dtype=np.int64)
    both = {name: tuple(map(days_known, leaving.became(name).of_everybody())) for name in names}
    for before, after in both.values():
        known = (before != NO_DAY) & (after != NO_DAY)
        offsets[known] = (after - before)[known]
    for name, (before, after) in both.items():
        known = np.flatnonzero(before != NO_DAY)
        columns.append(ColumnOfDates(name, known, before[known] + offsets[known], is_released=after[known] != NO_DAY))
    return DatedRows(columns, offsets)


def _dates_moved(leaving: Leaving, rows: DatedRows, days: int) -> DatesMoved:
    patterns = [pattern for column in rows.columns for pattern in calendar_patterns(column, rows.offsets)]
    has_date = np.zeros(leaving.n_people, dtype=bool)
    for column in rows.columns:
        has_date[column.people if column.is_released is None else column.people[column.is_released]] = True
    people = leaving.some_people(max(MOST_TRIED // (2 * days * max(len(patterns), 1)), 1))
    people = people[has_date[people] & (rows.offsets[people] != 0)]
    n_left = n_offsets_left(patterns, people, rows.offsets, days)
    n_looked_at, n_undone, n_nearly = (int((n_left <= most).sum()) for most in (2 * days, 1, FEW))
    in_study = n_left if rows.span is None else n_offsets_left(patterns, people, rows.offsets, days, rows.span)
    n_by_span = int((in_study <= FEW).sum()) - n_nearly
    shown = sorted(patterns, key=lambda one: (bool(one.group), -one.share))[:MOST_PRINTED]
    return DatesMoved(
        [column.name for column in rows.columns],
        offsets=2 * days,
        patterns=[_of_pattern(pattern) for pattern in shown],
        further_patterns=len(patterns) - len(shown),
        people_looked_at=n_looked_at,
        people_undone=n_undone if n_looked_at else None,
        people_nearly_undone=n_nearly if n_looked_at else None,
        people_by_span=n_by_span if n_looked_at else None,
        median_offsets_left=float(np.median(n_left)) if n_looked_at else None,
        undone_by=_undone_by(patterns, rows),
        is_released=rows.is_released,
    )


def _undone_by(patterns: Sequence[Pattern], rows: DatedRows) -> list[str]:
    """The columns whose patterns undo the moving: of a day that most people share, else of any pattern.

    For the last date of each person these are the columns in which enough people have that day.
    """
    of_days = [one for one in patterns if one.feature == "day" and one.share >= MOST]
    found: list[str] = []
    for pattern in of_days or patterns:
        if pattern.column != EACH_LAST:
            found.append(pattern.column)
        else:
            found += [column.name for column in rows.columns if _n_with(column, pattern, rows) >= FEWEST_DATES]
    with_days = [one for name in found for one in (name, rows.study_days.get(name, name))]
    return [name for name in dict.fromkeys(with_days) if name != EACH_LAST]


def _n_with(column: ColumnOfDates, pattern: Pattern, rows: DatedRows) -> int:
    """How many people have the day of a pattern in a column."""
    return len(np.unique(column.people[column.days - rows.offsets[column.people] == pattern.value]))


def _of_pattern(one: Pattern) -> CalendarPattern:
    is_most = one.feature != "day" or one.share >= MOST
    return CalendarPattern(one.column, one.group, one.feature, one.n_dates, one.n_holding, is_most)
