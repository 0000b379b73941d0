"""Whether what leaves is still fit for use: yes, with limits, or no, by the study's own tables, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from disclosure_control.basics.settings.fields import SettingsGroup, nested, setting
from disclosure_control.basics.settings.kinds import POSITIVE, SHARE, TEXT
from disclosure_control.basics.telling.small_counts import Policy, some_of_people
from disclosure_control.basics.telling.words import capitalised, counted, listed
from disclosure_control.study_tables.asked import OutcomeAsked
from disclosure_control.study_tables.comparison import LEAST, ComparedTable, State
from disclosure_control.study_tables.table import CellKind
from disclosure_control.study_tables.words import (
    arm_and_row,
    bands_in_words,
    changed_share,
    moved_by,
    name_of_group,
    row_in_words,
    rows_may_be_named,
)
from study.models.disposition import DISCONTINUED

MOST_NAMED = 4  # comparisons of a table that a reason names
MOST_LOSSES = 4  # parts of the first line
ALL_TABLES = "all"  # in place of their names


class Fitness(StrEnum):
    """The second answer on a release, beside whether it may leave."""

    YES = "yes"
    WITH_LIMITS = "with limits"
    NO = "no"


@dataclass(frozen=True)
class FitForUseSettings(SettingsGroup):
    """What the answer depends on: smaller changes are no limit to the use of what leaves."""

    compare_with: str | None = setting(
        TEXT, "the arm with which the others are compared", None, "the one called placebo or control, else the first"
    )
    outcome: OutcomeAsked | None = setting(
        nested(OutcomeAsked), "an outcome by its predictors, as a table of its own: [below](#an-outcome)", None
    )
    share: float = setting(SHARE, "the largest change of a share of people that is no limit", 0.05)
    deviations: float = setting(POSITIVE, "the same of a mean of people, in standard deviations", 0.2)
    overlap: float = setting(SHARE, "the least mean overlap of a table's confidence intervals that is no limit", 0.9)
    moved: float = setting(
        SHARE,
        "the share of the comparisons of a table by term, test or visit that may move beyond their confidence interval "
        'before the answer is "no", or change in significance before it is "with limits"',
        0.05,
    )


@dataclass(frozen=True)
class FitForUse:
    """The ``answer``, its ``reasons``, gravest first, and the sentence on what the recipient ``loses``.

    ``for_recipient``: lines without any figure of what came in. All may be handed on. ``lost``: the share of each table
    that is lost, by the names of their definitions; where there are several of one name, of all of them.
    ``n_vanished``: categories of the main tables of which nothing is left.
    """

    answer: Fitness
    loses: str
    reasons: tuple[str, ...]
    for_recipient: tuple[str, ...] = field(repr=False)
    lost: Mapping[str, tuple[float, ...]] = field(default_factory=dict, repr=False)
    n_vanished: int = 0

    @property
    def rank(self) -> int:
        """The place of the answer, the best one first."""
        return list(Fitness).index(self.answer)

    def lost_of(self, names: Sequence[str]) -> float:
        """The mean share that is lost of the tables of these names, in [0, 1]; () for all tables."""
        shares = [share for name, of_name in self.lost.items() if not names or name in names for share in of_name]
        return sum(shares) / len(shares) if shares else 0.0


@dataclass(frozen=True)
class HiddenColumns:
    """The ``columns`` of people that so many of them leave without, so that a category of few people can stay."""

    columns: tuple[str, ...]
    n_people: int

    def in_words(self, policy: Policy, n_people: int) -> str:
        """What is hidden, and of how many of so many people."""
        return f"{listed(map(name_of_group, self.columns))} hidden of {some_of_people(policy, self.n_people, n_people)}"

    def for_recipient(self, policy: Policy, n_people: int) -> str:
        """What a reader has to know of what is missing."""
        return (
            f"{capitalised(self.in_words(policy, n_people))}: of those with a rare reason to leave the study or number "
            "of visits, and of others beside them. These values are not missing at random."
        )


@dataclass(frozen=True)
class _Finding:
    """What changed in a table: ``words`` for the controller, ``told`` to the recipient, if that differs.

    ``answer`` is the best one that it leaves open: YES of what is only worth knowing.
    """

    answer: Fitness
    words: str
    told: str = ""


def fit_for_use(
    policy: Policy,
    tables: Mapping[str, ComparedTable],
    n_left_out: int,
    n_people: int,
    settings: FitForUseSettings,
    not_compared: Sequence[str] = (),
    hidden: HiddenColumns | None = None,
) -> FitForUse:
    """The answer by the compared tables of a study, of whose people so many are left out.

    ``not_compared``: data sets of which no table was made; the answer is then at best "with limits". ``hidden``: what
    some people leave without.

    "no": a comparison of one of the main tables moved beyond its confidence interval or can be made no more, or more
    comparisons of another table than the settings allow. "with limits": anything else changed by more than they allow.
    A few comparisons by term, test or visit that changed in significance are named and no limit.
    """
    found = {key: list(_findings(policy, table, settings)) for key, table in tables.items()}
    found = {key: sorted(of_table, key=_gravity) for key, of_table in found.items() if of_table}
    gravest = sorted(found, key=lambda key: (_gravity(found[key][0]), not tables[key].before.is_main))
    parts = list(_losses(policy, list(tables.values()), settings))
    if not parts and tables:
        parts = [f"no change that matters in {counted(len(tables), 'table')}"]
    unknown = _not_compared(tables, not_compared)
    if unknown:
        parts = [*parts[: MOST_LOSSES - 1], unknown]
    left_out = f"{some_of_people(policy, n_left_out, n_people)} left out" if n_left_out else "nobody left out"
    if hidden is not None:
        left_out = f"{hidden.in_words(policy, n_people)}; {left_out}"
    answer = found[gravest[0]][0].answer if gravest else Fitness.YES
    also = [f"{unknown[:1].upper()}{unknown[1:]}."] if unknown else []
    also += [hidden.for_recipient(policy, n_people - n_left_out)] if hidden is not None else []
    is_limited = bool(unknown) or (hidden is not None and hidden.n_people > settings.share * (n_people - n_left_out))
    return FitForUse(
        Fitness.WITH_LIMITS if is_limited and answer is Fitness.YES else answer,
        f"What the recipient loses: {'; '.join([*parts[:MOST_LOSSES], left_out])}.",
        (*(_sentence(tables[key], [one.words for one in found[key]]) for key in gravest), *also),
        (*(_sentence(tables[key], [one.told or one.words for one in found[key]]) for key in gravest), *also),
        _lost_by_name(tables.values()),
        sum(int(table.vanished.sum()) for table in tables.values() if table.before.is_main),
    )


def _lost_by_name(tables: Iterable[ComparedTable]) -> dict[str, tuple[float, ...]]:
    found: dict[str, tuple[float, ...]] = {}
    for table in tables:
        found[table.before.name] = (*found.get(table.before.name, ()), table.lost)
    return found


def _not_compared(tables: Mapping[str, ComparedTable], not_compared: Sequence[str]) -> str:
    """What was not compared with the data as they came in; "" if everything was."""
    if not_compared:
        be = "was" if len(not_compared) == 1 else "were"
        return f"{listed(not_compared, MOST_NAMED)} {be} too large to be compared with what came in"
    return "" if tables else "the study has no table that could be compared with what came in"


def _gravity(finding: _Finding) -> int:
    return (Fitness.NO, Fitness.WITH_LIMITS, Fitness.YES).index(finding.answer)


def _sentence(table: ComparedTable, words: Sequence[str]) -> str:
    return f"{table.before.title}: {'; '.join(words)}."


def _findings(policy: Policy, table: ComparedTable, settings: FitForUseSettings) -> Iterator[_Finding]:
    if _has_nothing(table):
        answer = Fitness.NO if table.before.is_main and table.is_read.any() else Fitness.WITH_LIMITS
        yield _Finding(answer, "what leaves has nothing of this table")
        return
    yield from _of_comparisons(policy, table, settings)
    for group, n in table.coarser.items():
        yield _Finding(Fitness.WITH_LIMITS, f"{name_of_group(group)} leaves in {bands_in_words(n)}")
    if table.gone:
        yield _Finding(Fitness.WITH_LIMITS, f"not in what leaves: {listed(map(name_of_group, table.gone), MOST_NAMED)}")
    if table.test_changed:
        yield _Finding(Fitness.WITH_LIMITS, "the test over all arms has another result at 5% than in what came in")
    if n_gone := int(table.vanished.sum()):
        yield _Finding(Fitness.WITH_LIMITS, _what_became_of(policy, table, n_gone))
    yield from _of_size(policy, table, settings)


def _has_nothing(table: ComparedTable) -> bool:
    """Whether no cell of the table can be made of what leaves, nor another one in its place."""
    return bool(np.isnan(table.after.value).all()) and not table.coarser


def _of_comparisons(policy: Policy, table: ComparedTable, settings: FitForUseSettings) -> Iterator[_Finding]:
    """What became of the comparisons between arms, or of the figures of a study without arms."""
    n_read = int(table.is_read.sum())
    what = "comparison" if table.reference is not None else "figure"
    not_sure = (State.SIGN, State.SIGNIFICANCE)
    kinds = (
        ((State.MOVED,), "moved beyond the confidence interval of what came in"),
        ((State.LOST,), "cannot be made any more"),
        (not_sure, "changed in sign or in significance"),
    )
    is_there = _is_there(table)
    for of_kind, words in kinds:
        at = np.isin(table.states, of_kind) & is_there
        if n := int(at.sum()):
            matters = table.before.is_main or n > settings.moved * n_read
            sentence, places = f"{n} of {counted(n_read, what)} {words}", _may_be_named(policy, table, at)
            named = [arm_and_row(table, *place) for place in places]
            moved = [f"{name}{moved_by(policy, table, *place)}" for name, place in zip(named, places, strict=True)]
            told = f"{sentence} and must not be relied on{_listed_with_rest(named, n)}"
            yield _Finding(_answer(of_kind == not_sure, matters), f"{sentence}{_listed_with_rest(moved, n)}", told)


def _is_there(table: ComparedTable) -> np.ndarray:
    """Which rows (n_rows, 1) leave in some form: those of a whole column that goes are named by the column."""
    found: np.ndarray = ~np.isin(table.before.groups, table.gone)[:, None]
    return found


def _answer(is_unsure: bool, matters: bool) -> Fitness:
    """The best answer that comparisons leave open, which only became unsure or moved; whether they matter."""
    if is_unsure:
        return Fitness.WITH_LIMITS if matters else Fitness.YES
    return Fitness.NO if matters else Fitness.WITH_LIMITS


def _may_be_named(policy: Policy, table: ComparedTable, at: np.ndarray) -> list[tuple[int, int]]:
    """The places (row, column) of those comparisons whose rows may be named."""
    may = rows_may_be_named(policy, table)
    return [(row, column) for row, column in np.argwhere(at).tolist() if may[row]]


def _listed_with_rest(names: Sequence[str], n: int) -> str:
    """Some of ``n`` things by name, and how many others there are."""
    few = [f"{n - len(names)} of few people"] if n > len(names) else []
    return f": {listed([*names[:MOST_NAMED], *few])}{_more(len(names))}" if names else ""


def _what_became_of(policy: Policy, table: ComparedTable, n_gone: int) -> str:
    """That nothing is left of some rows, or which terms stand in their place."""
    rows = _rows_gone(policy, table, n_gone)
    if not table.fresh:
        return f"nothing is left of {rows}"
    names = [name for name, n in table.fresh.items() if n >= policy.threshold or name == DISCONTINUED]
    is_short = 0 < len(names) == len(table.fresh) <= MOST_NAMED
    instead = " or ".join(sorted(names, reverse=True)) if is_short else "coarser terms or not at all"
    return f"{rows}, of too few people to be told apart, {'leaves' if n_gone == 1 else 'leave'} as {instead}"


def _rows_gone(policy: Policy, table: ComparedTable, n_gone: int) -> str:
    may = rows_may_be_named(policy, table) & table.vanished
    names = [row_in_words(table, row) for row in np.flatnonzero(may).tolist()]
    n_few = n_gone - len(names)
    few = [f"{n_few} {'category' if n_few == 1 else 'categories'} of few people"] if n_few else []
    return listed([*names[:MOST_NAMED], *few]) + _more(len(names))


def _more(n_names: int) -> str:
    return f" and {n_names - MOST_NAMED:,} more" if n_names > MOST_NAMED else ""


def _of_size(policy: Policy, table: ComparedTable, settings: FitForUseSettings) -> Iterator[_Finding]:
    """Changes that are large, and intervals that hardly overlap."""
    if too_much := _too_much(table, settings):
        seen = changed_share(policy, table)
        yield _Finding(Fitness.WITH_LIMITS, f"{too_much}{f' ({seen})' if seen else ''}", too_much)
    known = table.overlap[~np.isnan(table.overlap)]
    if len(known) and known.mean() < settings.overlap:
        yield _Finding(
            Fitness.WITH_LIMITS,
            f"confidence intervals overlap with those of what came in by {known.mean():.0%} on average",
        )


def _too_much(table: ComparedTable, settings: FitForUseSettings) -> str:
    """That a cell changed by more than the settings allow; "" if none did."""
    largest = _largest_change(table) if _is_looked_at(table) else 0.0
    if table.before.kind is CellKind.MEAN:
        limit = f"a mean changed by more than {settings.deviations:g} standard deviations"
        return limit if largest > settings.deviations else ""
    limit = f"a share of people changed by more than {100 * settings.share:g} points"
    return limit if largest > settings.share else ""


def _is_looked_at(table: ComparedTable) -> bool:
    """Whether a large change of one cell is a limit: of the main tables, and of the people themselves."""
    return table.before.is_main or table.before.name.startswith("demographics")


def _largest_change(table: ComparedTable) -> float:
    """The largest change of a cell with enough people."""
    people = table.before.of if table.before.kind is CellKind.SHARE else table.before.n
    change = np.abs(np.where(people >= LEAST, table.change, np.nan))
    return float(np.max(change, where=~np.isnan(change), initial=0))


def _losses(policy: Policy, tables: Sequence[ComparedTable], settings: FitForUseSettings) -> Iterator[str]:
    """What is lost in words that a physician reads, the gravest first."""
    for table in sorted(tables, key=lambda one: not one.before.is_main):
        if table.before.is_main and _has_nothing(table) and table.is_read.any():
            yield f"nothing is left of the table {table.before.title}"
        title = table.before.title.partition(" (")[0]
        title = f"{title[:1].lower()}{title[1:]}"
        if table.before.is_main and not _has_nothing(table) and (n_gone := int(table.vanished.sum())):
            yield f"{title}: {_what_became_of(policy, table, n_gone)}"
        said_by_column = bool(table.coarser or table.gone)  # below
        if (too_much := _too_much(table, settings)) and not said_by_column:
            yield changed_share(policy, table) or f"{title}: {too_much}"
    n_unsafe = sum(int((np.isin(table.states, (State.MOVED, State.LOST)) & _is_there(table)).sum()) for table in tables)
    if n_unsafe:
        n_read = sum(int(table.is_read.sum()) for table in tables)
        yield f"{n_unsafe:,} of {counted(n_read, 'comparison')} no longer {'hold' if n_unsafe > 1 else 'holds'}"
    of_people = [table for table in tables if not table.before.is_main and _is_looked_at(table)]
    if gone := [name_of_group(group) for table in of_people for group in table.gone]:
        yield f"{listed(dict.fromkeys(gone), MOST_NAMED)} not released"
    for table in of_people:
        bands = {group: n for group, n in table.coarser.items() if _told_people_apart(table, group)}
        yield from (f"{name_of_group(group)} in {bands_in_words(n)}" for group, n in bands.items())


def _told_people_apart(table: ComparedTable, group: str) -> bool:
    """Whether there was more than one category: of one country, a coarser name is no loss of a comparison."""
    return table.before.kind is CellKind.MEAN or table.before.groups.count(group) != 1


def lines_of(fit: FitForUse) -> tuple[str, ...]:
    """The answer as the first screen gives it: in a word, what is lost, and the gravest reason."""
    n_more = len(fit.reasons) - 1
    more = f" {counted(n_more, 'further reason')} in the section on what the recipient loses." if n_more > 0 else ""
    return (f"FIT FOR USE: {fit.answer}.", fit.loses, *(f"{reason}{more}" for reason in fit.reasons[:1]))


def outside_of(fit: FitForUse) -> str:
    """The answer for readers outside: in a word, and how many tables have a limit; no figure of a table."""
    n_limits = len(fit.for_recipient)
    limits = f" README.txt of the release names the limits of {counted(n_limits, 'table')}." if n_limits else ""
    return f"Fit for use: {fit.answer}.{limits}"
