"""Every single fact that leaves, asked of every hidden column: levels and orders of columns and rows, and pairs."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import chain, starmap

import numpy as np
import pandas as pd

from disclosure_control.attack.answerers.levels import (
    CHANCE,
    ToldEntries,
    away_from_others,
    chance_of_best,
    chance_within,
    told_by_membership,
    told_by_neighbours,
    told_by_the_known,
    told_near_median,
)
from disclosure_control.attack.answerers.others import HiddenOfPeople, log_arrangements
from disclosure_control.attack.leaving import FindingTold, Leaving
from disclosure_control.attack.tells.hidden_columns import (
    LEAST_PEOPLE,
    LEAST_RELEASED,
    HiddenColumn,
    PeopleAsked,
    alike,
)
from disclosure_control.attack.tells.row_summaries import RowsOfFile, summaries_of
from disclosure_control.attack.tells.summaries import SummariesOfFiles, Summary, lines_without, lines_without_files
from disclosure_control.attack.tells.telling import ColumnTold, Telling, ToldBy, within_of
from disclosure_control.basics.encoding.columns import encode_column, number_text
from disclosure_control.basics.encoding.keys import number_rows
from disclosure_control.basics.settings.changes import ConfigChange
from disclosure_control.basics.telling.small_counts import MASKED, Policy
from disclosure_control.basics.telling.words import listed

MOST_NAMED = 3
WHY_ROWS = "its rows disclose what the treatment changed"
LONGEST_TERM = 40
MOST_PEOPLE_FOR_PAIRS, MOST_PAIRS = 5_000, 4_000
LEAST_SHARE = 0.1  # of the people, to whom a column discloses a value: then no pair has to


def _people_told(
    told: ToldEntries, summary: np.ndarray, level: np.ndarray | int = -1, is_out: bool = False
) -> pd.DataFrame:
    """Who is told (n_told, 5): the ``person``, by which ``summary``, and by which ``level``, -1 where it is no level.

    ``is_out``: by not being in that level. ``away``: how far a number is from what the others give; 0 of a label.
    """
    away = 0.0 if told.away is None else told.away
    return pd.DataFrame(
        {"person": told.person, "summary": summary, "level": level, "is_out": is_out, "away": away},
        range(len(told.by)),
    )


class SearchOfRows:
    """The search of all summaries for one hidden column after the other."""

    def __init__(self, files: SummariesOfFiles, n_columns: int):
        self._files, self._summaries = files, files.summaries
        n_tests = 2 * files.members.n_levels + 2 * len(files.ranked.person) // LEAST_RELEASED + len(files.summaries)
        self._most = float(np.log(CHANCE / max(n_tests * n_columns, 1)))

    def told(
        self, hidden: HiddenColumn, assessed: Collection[str], harmless: Collection[str], merged: Sequence[str]
    ) -> ColumnTold | None:
        """The finding about one column, but for what is ``assessed``; None where it is about too few people.

        ``harmless``: what the config declares so. Tests that are columns of the ``merged`` table are taken out there.
        """
        found, summaries = self.entries(hidden, assessed), self._summaries
        if found["person"].nunique() < LEAST_PEOPLE:
            return None
        open_ones = [i for i in np.unique(found["summary"]).tolist() if not summaries[i].is_among(harmless)]
        if open_ones:  # what is declared is said where nothing else is
            found = found[found["summary"].isin(open_ones)]
        hidden_terms = list(self._hidden_terms(found)) if open_ones else []
        answered = {one.variable for one, _ in hidden_terms}
        taken_out = [summaries[i] for i in open_ones if summaries[i].variable not in answered]
        whole = chain.from_iterable(one.with_same(self._files.same) for one in taken_out)
        changes = (
            *chain.from_iterable(starmap(_hides, hidden_terms)),
            *lines_without(whole, WHY_ROWS, merged, is_last_resort=True),
        ) or tuple(lines_without_files(taken_out, WHY_ROWS))
        by = self._by_variable(found)
        return ColumnTold(
            hidden.full_name,
            found["person"].nunique(),
            int(hidden.changed.sum()),
            by,
            within_of(_of_each(found)),
            changes,
            not open_ones,
        )

    def entries(self, hidden: HiddenColumn, assessed: Collection[str]) -> pd.DataFrame:
        """Who is told by what, without what is told by what is ``assessed``."""
        found = self._entries(hidden)
        is_asked = [i for i in np.unique(found["summary"]).tolist() if not self._summaries[i].is_among(assessed)]
        return found[found["summary"].isin(is_asked)]

    def by_column(self, hidden: HiddenColumn) -> dict[str, dict[int, float]]:
        """The people to whom each column of the merged table discloses the hidden one, and how far it is at least."""
        found = self._entries(hidden)
        names = found["summary"].map(dict(enumerate(one.column for one in self._summaries)))
        return {str(name): _of_each(part) for name, part in found.groupby(names, sort=False)}

    def _numbers(
        self, hidden: HiddenColumn, tolerance: float
    ) -> tuple[np.ndarray, float, np.ndarray, np.ndarray, float]:
        """Of a number: the number and the tolerance, the chance to guess it, who is asked, the bound of luck."""
        n_people = len(self._files.people)
        number, chance = np.full(n_people, np.nan), np.ones(n_people)
        number[hidden.rows] = hidden.numbers
        of_asked = hidden.rows[hidden.asked]
        released = alike(hidden.released)[hidden.asked]
        chance[of_asked] = chance_within(number[of_asked], released, tolerance)
        asked = np.zeros(n_people, dtype=bool)
        asked[of_asked] = np.isfinite(number[of_asked])
        return number, tolerance, chance, asked, self._most

    def _entries(self, hidden: HiddenColumn) -> pd.DataFrame:
        files, n_people = self._files, len(self._files.people)
        if hidden.is_numeric:
            near = told_near_median(files.members, *self._numbers(hidden, hidden.within_band), files.together)
            beside = told_by_neighbours(files.ranked, *self._numbers(hidden, hidden.tolerance))
            return pd.concat(
                [self._by_level(near), _people_told(beside, files.summary_of_ranked[beside.by])], ignore_index=True
            )
        asked, released = np.zeros(n_people, dtype=bool), np.zeros(n_people, dtype=np.int64)
        asked[hidden.rows] = hidden.asked
        released[hidden.rows] = alike(hidden.released)
        label, known = np.zeros(n_people, dtype=np.int64), np.zeros(n_people, dtype=bool)
        label[hidden.rows], known[hidden.rows] = hidden.labels.codes, ~hidden.changed
        members, of_ranked = files.members, files.levels_of_ranked
        inside, outside = told_by_membership(members, label, released, asked, self._most, files.together)
        runs, _ = told_by_membership(of_ranked[0], label, released, asked, self._most)
        taught = told_by_the_known(members, files.summary_of_level, label, released, asked, known, self._most)
        by_others = [_people_told(runs, of_ranked[1][runs.by]), _people_told(taught, taught.by)]
        return pd.concat([self._by_level(inside), self._by_level(outside, is_out=True), *by_others], ignore_index=True)

    def _by_level(self, told: ToldEntries, is_out: bool = False) -> pd.DataFrame:
        return _people_told(told, self._files.summary_of_level[told.by], told.by, is_out)

    # ------------------------------------------------------------ in words

    def _by_variable(self, found: pd.DataFrame) -> list[ToldBy]:
        """Of each variable what discloses most, the variable first that discloses it for most people."""
        variables = found["summary"].map(dict(enumerate(one.variable for one in self._summaries)))
        told = [
            (-part["person"].nunique(), str(name), self._says(part))
            for name, part in found.groupby(variables, sort=False)
        ]
        return [ToldBy(name, says, -n) for n, name, says in sorted(told)]

    def _says(self, part: pd.DataFrame) -> str:
        """The summary of a variable that tells most people, with its terms that many people have."""
        best = int(part["summary"].mode().iloc[0])
        words, part = self._summaries[best].words(), part[part["summary"] == best]
        of_levels = part[part["level"] >= 0]
        if not len(of_levels):
            return words
        if self._summaries[best].is_of_rows:
            return f"no {words}" if of_levels["is_out"].all() else words
        n_people = of_levels["level"].value_counts().sort_index().sort_values(ascending=False, kind="stable")
        terms = [self._term(level) for level in n_people.index.tolist()]
        shown = [term for term in terms if term]
        without = "the lack of " if part["is_out"].all() else ""
        return f"{without}{words}{f' = {listed(shown, at_most=MOST_NAMED)}' if shown else ''}"

    def _term(self, level: int) -> str:
        """The text of a level that enough people have to be named; "" of any other."""
        text = self._text(level)
        return text if len(text) <= LONGEST_TERM else ""

    def _text(self, level: int) -> str:
        n_people = int((self._files.members.level == level).sum())
        text = self._files.text_of_level[level]
        text = number_text(text) if isinstance(text, float) else str(text)
        return "" if MASKED.are_small(np.array(n_people)) else text

    def _hidden_terms(self, found: pd.DataFrame) -> Iterator[tuple[Summary, list[str]]]:
        """The variables that disclose nothing more to enough people if single coded terms are hidden, and these."""
        variables = found["summary"].map(dict(enumerate(one.variable for one in self._summaries)))
        for _, part in found.groupby(variables, sort=False):
            one = self._summaries[int(part["summary"].iloc[0])]
            if (one.file, one.column) not in self._files.terms:
                continue
            is_of_values = np.array([self._summaries[i].is_of_values for i in part["summary"].tolist()], dtype=bool)
            is_term = is_of_values & (part["level"] >= 0) & ~part["is_out"]
            texts = {level: self._text(level) for level in np.unique(part["level"][is_term]).tolist()}
            is_hidden = is_term & part["level"].isin([level for level, text in texts.items() if text])
            if part["person"][~is_hidden].nunique() < LEAST_PEOPLE:
                yield one, sorted({text for text in texts.values() if text})


def _hides(one: Summary, terms: Sequence[str]) -> Iterator[ConfigChange]:
    """What hides single terms of a variable; its other terms stay."""
    for term in reversed(terms):
        why = "people with it disclose what the treatment changed"
        yield ConfigChange.to(("release", "hide_terms", one.pattern), term, why, is_added=True)


class SearchOfColumns:
    """The search of the columns of the merged table, one more table of one row each, and of pairs of its columns."""

    def __init__(self, asked: PeopleAsked, n_hidden: int):
        there, n_people = np.flatnonzero(asked.rows >= 0), len(asked.rows)
        columns = asked.released.iloc[there].reset_index(drop=True)
        file = RowsOfFile("", "", columns, there, None)
        self._search = SearchOfRows(summaries_of([file], np.arange(n_people), np.zeros(n_people)), n_hidden)
        self._levels = {str(name): np.zeros(n_people, dtype=np.int64) for name in columns}
        for name, column in columns.items():
            self._levels[str(name)][there] = encode_column(column).codes + 1
        self._n_hidden = max(n_hidden, 1)
        self.n_pairs = self.n_pairs_tried = 0

    def told(
        self, hidden: HiddenColumn, assessed: Collection[str], harmless: Collection[str], *, is_released: bool = False
    ) -> ColumnTold | None:
        """The finding about one column; what ``assessed`` ones disclose, alone or together, is assessed with them.

        ``harmless``: what the config declares so. ``is_released``: a sensitive feature that leaves itself; a column
        counts that gives it of a share of the people, and pairs are not asked.
        """
        alone = self._alone(hidden)
        found = {names: who for names, who in alone.items() if not {*assessed}.issuperset(names)}
        least = LEAST_SHARE * hidden.changed.sum()
        if is_released:
            found = {names: who for names, who in found.items() if len(who) >= least}
        else:
            found |= self._together(hidden, assessed, {name for (name,), who in alone.items() if len(who) >= least})
        if not found:
            return None
        # Of a pair the last one goes that is neither declared harmless nor, if possible, assessed.
        open_ones = {names: some for names in found if (some := [name for name in names if name not in harmless])}
        told = {names: found[names] for names in open_ones} or found  # what is declared is said where nothing else is
        told = dict(sorted(told.items(), key=lambda one: -len(one[1])))
        nearest = _of_each(
            pd.DataFrame([one for who in told.values() for one in who.items()], columns=["person", "away"])
        )
        by = [ToldBy(" and ".join(names), _words(names), len(who)) for names, who in told.items()]
        some_open = [open_ones[names] for names in told if names in open_ones]
        goes = [max(some, key=lambda name: (name not in assessed, some.index(name))) for some in some_open]
        changed = int(hidden.changed.sum())
        return ColumnTold(
            hidden.full_name,
            len(nearest),
            changed,
            by,
            within_of(nearest),
            is_declared=not goes,
            columns=list(dict.fromkeys(goes)),
        )

    def _alone(self, hidden: HiddenColumn) -> dict[tuple[str, ...], dict[int, float]]:
        """The people to whom each column discloses the hidden one, by a level or by its neighbours, and how closely."""
        found, value = self._search.by_column(hidden), _of_people(hidden, hidden.rows >= 0)
        for name in self._levels:
            others, known = self._by_others(value, [name]), found.get(name, {})
            found[name] = {who: min(one.get(who, np.inf) for one in (known, others)) for who in known | others}
        return {(name,): who for name, who in found.items() if name != hidden.name and len(who) >= LEAST_PEOPLE}

    def _together(
        self, hidden: HiddenColumn, assessed: Collection[str], alone: Collection[str]
    ) -> dict[tuple[str, ...], dict[int, float]]:
        """The same by pairs: none that does so ``alone``, not both assessed.

        What is released of the column itself makes a pair with each of the others. Of numbers two others are tried as
        facts (``answerers/pairs.py``).
        """
        names = [name for name in self._levels if name not in alone and name != hidden.name]
        pairs = [(name, hidden.name) for name in names if name not in assessed and hidden.name in self._levels]
        if not hidden.is_numeric:
            pairs += [pair for pair in itertools.combinations(names, 2) if not {*assessed}.issuperset(pair)]
        few = _of_people(hidden, hidden.rows < MOST_PEOPLE_FOR_PAIRS)
        tried = pairs[:MOST_PAIRS] if few.can_be_told(self._most(len(pairs))) else []
        self.n_pairs, self.n_pairs_tried = self.n_pairs + len(pairs), self.n_pairs_tried + len(tried)
        found = {pair: self._by_others(few, pair, len(pairs)) for pair in tried}
        return {pair: who for pair, who in found.items() if len(who) >= LEAST_PEOPLE}

    def _by_others(self, value: HiddenOfPeople, names: Sequence[str], n_pairs: int = 0) -> dict[int, float]:
        """The people who are told by the others of their level of one column or two, and how closely."""
        levels = [self._levels[name][value.people] for name in names]
        level, _ = number_rows(levels, [int(one.max(initial=0)) + 1 for one in levels], len(value.people))
        if not n_pairs:
            level = levels[0]
        most = self._most(n_pairs or len(self._levels))
        told = value.told_by(level, most, is_ordered=not n_pairs)
        if not told.any():
            return {}
        away = np.zeros(len(told)) if value.tolerance is None else away_from_others(level, value.value)
        return dict(zip(value.people[told].tolist(), away[told].tolist(), strict=True))

    def _most(self, n_asked: int) -> float:
        """The logarithm of the chance that one of so many columns or pairs may have."""
        return float(np.log(CHANCE / max(self._n_hidden * n_asked, 1)))


def _of_people(hidden: HiddenColumn, some: np.ndarray) -> HiddenOfPeople:
    """The hidden value of some, (n,) of bool, of the people with a value."""
    value = hidden.numbers[some] if hidden.is_numeric else hidden.labels.codes[some].astype(np.int64)
    tolerance = hidden.tolerance if hidden.is_numeric else None
    asked, released, chance = hidden.asked[some], alike(hidden.released)[some], np.ones(len(value))
    of_asked = value[asked], released[asked]
    if asked.any():
        chance[asked] = chance_of_best(*of_asked) if tolerance is None else chance_within(*of_asked, tolerance)
    ways = log_arrangements(*of_asked) if tolerance is None else 0.0
    return HiddenOfPeople(hidden.rows[some], value, tolerance, asked, chance, ways)


def _of_each(found: pd.DataFrame) -> dict[int, float]:
    """Of each person the smallest of the distances."""
    nearest = found.groupby("person")["away"].min()
    return dict(zip(nearest.index.tolist(), nearest.tolist(), strict=True))


def _words(names: Sequence[str]) -> str:
    return f"the column {names[0]}" if len(names) == 1 else f"the columns {' and '.join(names)} together"


def telling_of(leaving: Leaving, asked: PeopleAsked) -> tuple[FindingTold, dict[str, float]]:
    """Which single facts disclose what was changed or dropped, or a sensitive feature that leaves.

    What a quasi-identifier discloses is assessed with it; what columns of the merged table disclose is not reported of
    rows again. Also returns for what share of the people each column is disclosed.
    """
    files, assessed, harmless = leaving.files, leaving.quasi_identifiers, leaving.harmless
    sensitive = leaving.before.config.sensitive_features
    columns = SearchOfColumns(asked, len(asked.hidden) + len(asked.sensitive))
    rows = None if files is None else SearchOfRows(files, len(asked.hidden))
    told: list[tuple[str, ColumnTold]] = []
    for hidden in asked.hidden:
        of_columns = columns.told(hidden, assessed, harmless)
        parts = [] if of_columns is None else [of_columns]
        if rows is not None:
            known = {*assessed, *(one.variable for part in parts for one in part.by)}
            found = rows.told(hidden, known, harmless, leaving.originals)
            if found is None and hidden.is_date:
                found = rows.told(hidden.in_the_year, known, harmless, leaving.originals)
            parts += [] if found is None else [found]
        told += [(hidden.name, replace(one, is_sensitive=hidden.name in sensitive)) for one in parts]
    for hidden in asked.sensitive:
        given = columns.told(hidden, {*assessed, *sensitive}, harmless, is_released=True)
        if given is not None:
            told.append((hidden.name, replace(given, is_sensitive=True, is_released=True)))
    n_summaries = 0 if files is None else len(files.summaries)

    def for_reader(policy: Policy) -> Telling:
        return Telling(
            leaving.n_people,
            len(asked.rows),
            n_summaries,
            columns.n_pairs,
            columns.n_pairs_tried,
            [one.for_reader(policy, leaving, name) for name, one in told],
            asked.too_few,
            () if files is None else files.not_read,
        )

    by_share = sorted((one for _, one in told if not one.is_released), key=lambda one: one.share)
    return for_reader, {one.tells: one.share for one in by_share}
