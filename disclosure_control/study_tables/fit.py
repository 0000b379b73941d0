"""Whether what leaves is still fit for use, by a ledger of all that a recipient loses: a rule for each of its lines."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from disclosure_control.basics.settings.fields import SettingsGroup, nested, setting
from disclosure_control.basics.settings.kinds import POSITIVE, SHARE, TEXT
from disclosure_control.basics.telling.small_counts import Policy, some_of_people
from disclosure_control.basics.telling.words import capitalised, counted, listed
from disclosure_control.study_tables.comparison import LEAST, ComparedTable, State
from disclosure_control.study_tables.regression import OutcomeAsked
from disclosure_control.study_tables.table import ANY, CellKind
from disclosure_control.study_tables.words import (
    arm_and_row,
    bands_in_words,
    changed_share,
    lowered,
    moved_by,
    name_of_group,
    row_in_words,
    rows_may_be_named,
)
from study.models.disposition import DISCONTINUED

MOST_NAMED = 4  # comparisons of a table that a reason names
LOSES = "What the recipient loses"
MOST_LOSSES = 5  # of the first screen, with the people left out
ALL_TABLES = "all"  # in place of their names
STANDARD_ERRORS = 1.0  # by which a correlation or coefficient may change without a limit


class Fitness(StrEnum):
    """The second answer on a release, beside whether it may leave."""

    YES = "yes"
    WITH_LIMITS = "with limits"
    NO = "no"


@dataclass(frozen=True)
class RuleOfUse:
    """A kind of line of the ledger, and the best ``answer`` that it leaves open: YES of what is only worth knowing."""

    answer: Fitness
    documentation: str
    in_first_line: str = "{}"


_NO, _LIMITS, _YES = Fitness.NO, Fitness.WITH_LIMITS, Fitness.YES
# The ledger and its first line are in this order.
RULES: dict[str, RuleOfUse] = {
    "nothing_left": RuleOfUse(_NO, "nothing but keys leaves: the rest is removed or closed"),
    "arm_gone": RuleOfUse(_NO, "nobody of an arm", "nothing is left of arm {}"),
    "main_table_gone": RuleOfUse(_NO, "a main table gone", "the table {}"),
    "main_moved": RuleOfUse(_NO, "a comparison of a main table moved or lost"),
    "table_gone": RuleOfUse(_NO, "another table with a comparison gone", "the table {}"),
    "moved": RuleOfUse(
        _NO, "more comparisons of another table than `moved` moved or lost, of several rows, all or deaths"
    ),
    "characteristic_gone": RuleOfUse(_LIMITS, "age, sex, country or origin of people gone"),
    "data_set_gone": RuleOfUse(_LIMITS, "a data set of people gone"),
    "small_table_gone": RuleOfUse(_LIMITS, "a table without a comparison gone", "the table {}"),
    "test_gone": RuleOfUse(_LIMITS, "a test of a table gone", "{} not released"),
    "category_gone": RuleOfUse(_LIMITS, "a category or visit of a table gone"),
    "few_moved": RuleOfUse(_LIMITS, "fewer comparisons than `moved`, or of one row, moved or lost"),
    "main_unsure": RuleOfUse(_LIMITS, "a comparison of a main table with another sign or significance"),
    "unsure": RuleOfUse(_LIMITS, "more of another table than `moved`, of several rows, all or deaths"),
    "test_changed": RuleOfUse(_LIMITS, "another result of the test over all arms"),
    "column_gone": RuleOfUse(_LIMITS, "a column of a table gone", "{} not released"),
    "column_removed": RuleOfUse(_LIMITS, "a column gone that its role would let leave"),
    "column_closed": RuleOfUse(_LIMITS, "a column kept here until decided in the sheet"),
    "large_change": RuleOfUse(
        _LIMITS,
        "a larger change than `share` or `deviations`, of an estimate than its standard error, in a main table or "
        "a characteristic of people",
    ),
    "overlap": RuleOfUse(_LIMITS, "less overlap than `overlap`"),
    "coarser": RuleOfUse(_LIMITS, "a column in bands"),
    "rows_gone": RuleOfUse(_LIMITS, "more rows of a data set than `share` gone or there twice, of people who stay"),
    "times_gone": RuleOfUse(_LIMITS, "times of day gone that ordered a person's rows of one day"),
    "cells_gone": RuleOfUse(_LIMITS, "more cells of a column than `share` emptied, changed or unread"),
    "not_compared": RuleOfUse(_LIMITS, "a data set too large to be compared, or no table"),
    "hidden": RuleOfUse(_LIMITS, "quasi-identifiers of more people than `share` hidden"),
    "people_gone": RuleOfUse(_LIMITS, "more people than `share` left out"),
    "few_unsure": RuleOfUse(_YES, "fewer comparisons with another sign or significance"),
    "few_gone": RuleOfUse(_YES, "fewer rows, cells or people gone or hidden; codes for missing"),
    "column_by_role": RuleOfUse(_YES, "a column gone because of its role: an identifier, a free text"),
    "data_set_by_role": RuleOfUse(_YES, "a data set of nobody, or of free texts, gone"),
    "no_times": RuleOfUse(_YES, "other times of day gone"),
}
_PLACES = {name: place for place, name in enumerate(RULES)}


@dataclass(frozen=True)
class LedgerLine:
    """A line of the ledger: the name of its ``rule``, what it is ``about``, and ``words`` for the controller.

    ``told`` to the recipient, if that differs; ``short``: its part of the first line, "" where another line has it.
    ``is_unexpected``: nobody decided it, so that the first line always has it.
    """

    rule: str
    about: str
    words: str
    told: str = ""
    short: str = ""
    is_unexpected: bool = False

    @property
    def gravity(self) -> tuple[int, int]:
        """Its place in the ledger, the gravest first: by the answer, then by the rule."""
        return -list(Fitness).index(RULES[self.rule].answer), _PLACES[self.rule]


@dataclass(frozen=True)
class FitForUseSettings(SettingsGroup):
    """What the answer depends on: smaller changes are no limit to the use of what leaves."""

    compare_with: str | None = setting(
        TEXT, "the arm with which the others are compared", None, "the one called placebo or control, else the first"
    )
    outcome: OutcomeAsked | None = setting(
        nested(OutcomeAsked), "an outcome by its predictors, as a table of its own: [below](#an-outcome)", None
    )
    share: float = setting(
        SHARE, "the largest change of a share of people, or share gone of rows, cells or people, that is no limit", 0.05
    )
    deviations: float = setting(POSITIVE, "the same of a mean of people, in standard deviations", 0.2)
    overlap: float = setting(SHARE, "the least mean overlap of a table's confidence intervals that is no limit", 0.9)
    moved: float = setting(
        SHARE,
        "the share of a table's comparisons that may move or be lost before "
        '"no", or become unsure before "with limits"',
        0.05,
    )


@dataclass(frozen=True)
class FitForUse:
    """The ``answer``, its ``reasons`` and the few ``losses`` that the first screen names, both gravest first.

    All are made of one ledger. ``for_recipient``: lines without any figure of what came in. All may be handed on.
    ``lost``: the share of each table that is lost, by the names of their definitions; where there are several of one
    name, of all of them. ``n_vanished``: categories of the main tables of which nothing is left.
    """

    answer: Fitness
    losses: tuple[str, ...]
    reasons: tuple[str, ...]
    for_recipient: tuple[str, ...] = field(repr=False)
    lost: Mapping[str, tuple[float, ...]] = field(default_factory=dict, repr=False)
    n_vanished: int = 0
    ledger: tuple[LedgerLine, ...] = field(default=(), repr=False)

    @property
    def loses(self) -> str:
        """The losses in a sentence."""
        return f"{LOSES}: {'; '.join(self.losses)}."

    @property
    def limits(self) -> list[tuple[str, str]]:
        """What the recipient has to know, gravest first: what it is about, and its words, without figures before."""
        return [(one.about, one.told or one.words) for one in self.ledger if one.words]

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

    def entry(self, policy: Policy, n_people: int, share: float) -> LedgerLine:
        """What is hidden, of how many of so many people, and what a reader has to know of what is missing."""
        of_people = some_of_people(policy, self.n_people, n_people)
        words = f"{listed(map(name_of_group, self.columns))} hidden of {of_people}"
        sentence = (
            f"{capitalised(words)}: of those with a rare reason to leave the study or number of visits, and of others "
            "beside them. These values are not missing at random"
        )
        return LedgerLine("hidden" if self.n_people > share * n_people else "few_gone", "", sentence, short=words)


def fit_for_use(
    policy: Policy,
    tables: Mapping[str, ComparedTable],
    n_left_out: int,
    n_people: int,
    settings: FitForUseSettings,
    not_compared: Sequence[str] = (),
    hidden: HiddenColumns | None = None,
    entries: Iterable[LedgerLine] = (),
) -> FitForUse:
    """The answer by the compared tables of a study, of whose people so many are left out.

    ``not_compared``: data sets of which no table was made. ``hidden``: what some people leave without. ``entries``:
    further lines of the ledger, on data sets, columns, rows and cells. The gravest line decides; ``RULES`` has them.
    """
    found = [*entries, *_of_arms(tables.values()), *_not_compared(tables, not_compared)]
    found += [entry for table in tables.values() for entry in _entries(policy, table, settings)]
    found += _in_total(tables.values())
    left_out = "nobody left out" if not n_left_out else f"{some_of_people(policy, n_left_out, n_people)} left out"
    if n_left_out:
        found.append(LedgerLine("people_gone" if n_left_out > settings.share * n_people else "few_gone", "", ""))
    if hidden is not None:
        found.append(hidden.entry(policy, n_people - n_left_out, settings.share))
    found.sort(key=lambda entry: entry.gravity)
    grouped: dict[str, list[LedgerLine]] = {}
    for entry in found:
        if entry.words:
            grouped.setdefault(entry.about, []).append(entry)
    lost: dict[str, tuple[float, ...]] = {}
    for table in tables.values():
        lost[table.before.name] = (*lost.get(table.before.name, ()), table.lost)
    reasons, for_recipient = (
        tuple(f"{f'{about}: ' if about else ''}{'; '.join(map(words, lines))}." for about, lines in grouped.items())
        for words in (lambda line: line.words, lambda line: line.told or line.words)
    )
    n_vanished = sum(int(table.vanished.sum()) for table in tables.values() if table.before.is_main)
    answer, losses = RULES[found[0].rule].answer if found else Fitness.YES, _first_line(found, len(tables), left_out)
    return FitForUse(answer, tuple(losses), reasons, for_recipient, lost, n_vanished, tuple(found))


def _first_line(ledger: Sequence[LedgerLine], n_tables: int, left_out: str) -> list[str]:
    """The parts of the first line, of the ledger in its order: those of one rule together, and who is ``left_out``."""
    named: dict[str, list[str]] = {}
    for entry in sorted(ledger, key=lambda one: not one.is_unexpected):
        if entry.short and entry.short not in named.setdefault(entry.rule, []):
            named[entry.rule].append(entry.short)
    # The ledger's own lines say of which data set a column is, and by whom it went.
    if named.keys() & {"characteristic_gone", "column_removed", "column_closed"}:
        named.pop("column_gone", None)
    parts = [RULES[rule].in_first_line.format(listed(names, MOST_NAMED)) for rule, names in named.items() if names]
    if not parts:
        return [*([f"no change that matters in {counted(n_tables, 'table')}"] if n_tables else []), left_out]
    if len(parts) >= MOST_LOSSES:
        n_more = len(parts) - MOST_LOSSES + 2
        parts[MOST_LOSSES - 2 :] = [f"{counted(n_more, 'further kind')} of loss"]
    return [*parts, left_out]


def _not_compared(tables: Mapping[str, ComparedTable], not_compared: Sequence[str]) -> Iterator[LedgerLine]:
    """What was not compared with the data as they came in."""
    words = "" if tables else "the study has no table that could be compared with what came in"
    if not_compared:
        be = "was" if len(not_compared) == 1 else "were"
        words = f"{listed(not_compared, MOST_NAMED)} {be} too large to be compared with what came in"
    if words:
        yield LedgerLine("not_compared", "", capitalised(words), short=words)


def _of_arms(tables: Iterable[ComparedTable]) -> Iterator[LedgerLine]:
    """Arms of which nobody is left in any table that can be made."""
    there = [table for table in tables if table.reference is not None and table.after.of.any()]
    had, has = (
        {name for one in tables_of_side for name, n in zip(one.columns, one.of.T, strict=True) if n.any()}
        for tables_of_side in ([one.before for one in there], [one.after for one in there])
    )
    if gone := sorted(had - has):
        yield LedgerLine("arm_gone", "Arms", f"nothing is left of {listed(gone)}", short=listed(gone))


def _in_total(tables: Collection[ComparedTable]) -> Iterator[LedgerLine]:
    """How many comparisons of all tables do not hold any more, for the first line."""
    n_unsafe = sum(int(np.isin(table.states, (State.MOVED, State.LOST)).sum()) for table in tables)
    if n_unsafe:
        n_read = sum(int(table.is_read.sum()) for table in tables)
        words = f"{n_unsafe:,} of {counted(n_read, 'comparison')} no longer {'hold' if n_unsafe > 1 else 'holds'}"
        yield LedgerLine("few_moved", "", "", short=words)


def _entries(policy: Policy, table: ComparedTable, settings: FitForUseSettings) -> Iterator[LedgerLine]:
    before, about, title = table.before, table.before.title, lowered(table.before.title.partition(" (")[0])
    is_of_people = _is_looked_at(table) and not before.is_main
    if np.isnan(table.after.value).all() and not table.coarser:
        rule = "main_table_gone" if before.is_main else "table_gone" if table.is_read.any() else "small_table_gone"
        short = "" if is_of_people else about  # its columns are named
        yield LedgerLine(rule, about, "what leaves has nothing of it", short=short)
        if not is_of_people:
            return
    else:
        yield from _of_comparisons(policy, table, settings)
    for group, n in table.coarser.items():
        words, name = bands_in_words(n), name_of_group(group)
        tells_apart = is_of_people and (before.kind is CellKind.MEAN or before.groups.count(group) != 1)
        short = f"{name} in {words}" if tells_apart else ""
        yield LedgerLine("coarser", about, f"{name} leaves in {words}", short=short)
    if gone := [group for group in table.gone if group != ANY]:
        names = listed(map(name_of_group, gone), MOST_NAMED)
        short = names if before.name not in _PAIRS else ""
        yield LedgerLine(_GONE.get(before.name, "column_gone"), about, f"not in what leaves: {names}", short=short)
    if table.test_changed:
        yield LedgerLine("test_changed", about, "the test over all arms has another result at 5% than in what came in")
    if n_gone := int(table.vanished.sum()):
        words = _what_became_of(policy, table, n_gone)
        is_named = before.is_main or bool((rows_may_be_named(policy, table) & table.vanished).any())
        yield LedgerLine("category_gone", about, words, short=f"{title}: {words}" if is_named else "")
    if too_much := _too_much(table, settings):
        seen = changed_share(policy, table)
        short = "" if table.coarser or table.gone else seen or f"{title}: {too_much}"
        yield LedgerLine("large_change", about, f"{too_much}{f' ({seen})' if seen else ''}", too_much, short)
    known = table.overlap[~np.isnan(table.overlap)]
    if len(known) and known.mean() < settings.overlap:
        words = f"confidence intervals overlap with those of what came in by {known.mean():.0%} on average"
        yield LedgerLine("overlap", about, words)


_PAIRS = ("associations",)  # of columns that another table has
_GONE = dict.fromkeys(("change_from_baseline", "results", "shifts"), "test_gone")


def _of_comparisons(policy: Policy, table: ComparedTable, settings: FitForUseSettings) -> Iterator[LedgerLine]:
    """What became of the comparisons between arms, or of the figures of a study without arms."""
    n_read, states = int(table.is_read.sum()), table.states
    what = "comparison" if table.reference is not None else "figure"
    is_gone = np.isin(states, (State.MOVED, State.LOST))
    is_unsure = np.isin(states, (State.SIGN, State.SIGNIFICANCE))
    gone, unsure = (
        f"main_{name}" if table.before.is_main else name if _are_many(table, at, settings) else f"few_{name}"
        for name, at in (("moved", is_gone), ("unsure", is_unsure))
    )
    may = rows_may_be_named(policy, table)
    for rule, of_kind, words in (
        (gone, (State.MOVED,), "moved beyond the confidence interval of what came in"),
        (gone, (State.LOST,), "cannot be made any more"),
        (unsure, (State.SIGN, State.SIGNIFICANCE), "changed in sign or in significance"),
    ):
        at = np.isin(states, of_kind)
        if n := int(at.sum()):
            sentence = f"{n} of {counted(n_read, what)} {words}"
            places = [(row, column) for row, column in np.argwhere(at).tolist() if may[row]]
            named = [arm_and_row(table, *place) for place in places]
            moved = [f"{name}{moved_by(policy, table, *place)}" for name, place in zip(named, places, strict=True)]
            told = f"{sentence} and must not be relied on{_listed_with_rest(named, n)}"
            yield LedgerLine(rule, table.before.title, f"{sentence}{_listed_with_rest(moved, n)}", told)


def _are_many(table: ComparedTable, at: np.ndarray, settings: FitForUseSettings) -> bool:
    """Whether comparisons (n_rows, n_columns) are more than may move: of one row among others they are not, however
    few comparisons a table has, unless it is one of deaths.
    """
    rows, n_rows = at.any(axis=1), int(table.is_read.any(axis=1).sum())
    is_of_deaths = np.isin(table.before.groups, table.before.deaths)
    is_several = rows.sum() >= min(2, n_rows) or (rows & is_of_deaths).any()
    return bool(at.sum() > settings.moved * table.is_read.sum() and is_several)


def _listed_with_rest(names: Sequence[str], n: int) -> str:
    """Some of ``n`` things by name, and how many others there are."""
    few = [f"{n - len(names)} of few people"] if n > len(names) else []
    return f": {listed([*names[:MOST_NAMED], *few])}{_more(len(names))}" if names else ""


def _what_became_of(policy: Policy, table: ComparedTable, n_gone: int) -> str:
    """That nothing is left of some rows, or which terms stand in their place."""
    may = rows_may_be_named(policy, table) & table.vanished
    names = _visits_gone(table) or [row_in_words(table, row) for row in np.flatnonzero(may).tolist()]
    n_few = int((table.vanished & ~may).sum())
    few = [f"{n_few} {'category' if n_few == 1 else 'categories'} of few people"] if n_few else []
    rows = listed([*names[:MOST_NAMED], *few]) + _more(len(names))
    if not table.fresh:
        return f"nothing is left of {rows}"
    names = [name for name, n in table.fresh.items() if n >= policy.threshold or name == DISCONTINUED]
    is_short = 0 < len(names) == len(table.fresh) <= MOST_NAMED
    instead = " or ".join(sorted(names, reverse=True)) if is_short else "coarser terms or not at all"
    return f"{rows}, of too few people to be told apart, {'leaves' if n_gone == 1 else 'leave'} as {instead}"


def _visits_gone(table: ComparedTable) -> list[str]:
    """The visits of a table of results of which no test has anything left."""
    visits = [row.rpartition(", ")[2] for row in table.before.rows]
    gone = {visit for visit, is_gone in zip(visits, table.vanished, strict=True) if is_gone}
    left = {visit for visit, is_gone in zip(visits, table.vanished, strict=True) if not is_gone}
    return sorted(gone) if table.before.name == "change_from_baseline" and gone.isdisjoint(left) else []


def _more(n_names: int) -> str:
    return f" and {n_names - MOST_NAMED:,} more" if n_names > MOST_NAMED else ""


def _too_much(table: ComparedTable, settings: FitForUseSettings) -> str:
    """That a cell of enough people changed by more than the settings allow; "" if none did."""
    people = table.before.of if table.before.kind is CellKind.SHARE else table.before.n
    change = np.abs(np.where(people >= LEAST, table.change, np.nan))
    largest = float(np.max(change, where=~np.isnan(change), initial=0)) if _is_looked_at(table) else 0.0
    what, limit, scale, unit = {
        CellKind.MEAN: ("a mean", settings.deviations, 1, "standard deviations"),
        CellKind.ESTIMATE: ("an estimate", STANDARD_ERRORS, 1, "standard error"),
    }.get(table.before.kind, ("a share of people", settings.share, 100, "points"))
    return f"{what} changed by more than {scale * limit:g} {unit}" if largest > limit else ""


def _is_looked_at(table: ComparedTable) -> bool:
    """Whether a large change of one cell is a limit: of the main tables, and of the people themselves."""
    return table.before.is_main or table.before.name.startswith("demographics")


def outside_of(fit: FitForUse) -> str:
    """The answer for readers outside: in a word, and how many tables have a limit; no figure of a table."""
    n_limits = len(fit.for_recipient)
    limits = f" README.txt of the release names the limits of {counted(n_limits, 'table')}." if n_limits else ""
    return f"Fit for use: {fit.answer}.{limits}"
