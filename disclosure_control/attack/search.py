"""The attack on each hidden column by many facts together: the answerers, chance, and what takes a finding away.

Effect comes first, then chance: a column is held only if the guesses double the people found and add ten, and if the
relation is stronger than in 200 exchanges. So a study in which nothing is found pays for no exchange.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Generic, TypeVar

import numpy as np

from disclosure_control.attack.answerers import circle, labels, many, ordered, pairs
from disclosure_control.attack.answerers.levels import LEFT
from disclosure_control.attack.asking import (
    MOST_ASKED,
    Answerer,
    Guess,
    HiddenQuestion,
    exchanged,
    intercepts,
    is_beyond_chance,
)
from disclosure_control.attack.attacked import ASSESSED, BY_LUCK, TOLD, TOO_SMALL, Attacked, AttemptAtColumn
from disclosure_control.attack.facts import PersonFacts
from disclosure_control.attack.fits import Fits
from disclosure_control.attack.found_again import FoundAgain, KnownToAttacker, found_again
from disclosure_control.attack.leaving import FindingTold, Leaving
from disclosure_control.attack.tells.hidden_columns import (
    LEAST_PEOPLE,
    MANY_VALUES,
    HiddenColumn,
    PeopleAsked,
    alike,
)
from disclosure_control.attack.tells.summaries import Summary, lines_without
from disclosure_control.basics.telling.small_counts import Policy

OF_NUMBERS = (pairs.ANSWERER, many.ANSWERER, ordered.ANSWERER)
OF_DAYS_OF_THE_YEAR = tuple(circle.around(one) for one in OF_NUMBERS[:2])
OF_LABELS = (labels.BY_TWO, ordered.ANSWERER, labels.BY_MANY)
WHY = "together with others it discloses what was changed or dropped"
FEWEST_PEOPLE = 40  # of whom a value is known: by fewer, no relation of many facts can be told from chance
MOST_LABELS = 8
SURE, RIGHT, WHOLE = 0.9, 0.95, 0.9  # probability of a guess, share that is right, share of the people guessed
MOST_REMOVED = 25  # units
Effect = TypeVar("Effect")


@dataclass(frozen=True)
class _Best(Generic[Effect]):
    """The answerer whose guesses have the largest effect."""

    answerer: Answerer
    guess: Guess
    effect: Effect


@dataclass(frozen=True)
class _Asked(Generic[Effect]):
    """A question about people (n,), the facts that may answer it, the answerers, and what counts as an effect."""

    facts: PersonFacts
    fits: Fits
    question: HiddenQuestion
    answerers: Sequence[Answerer]
    effect_of: Callable[[Guess], Effect | None]

    def without(self, units: Collection[Summary]) -> _Asked[Effect]:
        """The same by fewer facts."""
        facts = self.facts.without((), units)
        return replace(self, facts=facts, fits=Fits(facts.numbers, self.fits.given))

    def answers(self) -> list[_Best[Effect]]:
        """The answers that have an effect, the strongest first."""
        found = []
        for answerer in self.answerers:
            guess = answerer.answer(self.fits, self.question)
            effect = None if guess is None else self.effect_of(guess)
            if guess is not None and effect is not None:
                found.append(_Best(answerer, guess, effect))
        return sorted(found, key=lambda one: -float(one.guess.strength[0]))

    def beyond_chance(
        self, answers: Sequence[_Best[Effect]], values: np.ndarray, n_questions: int
    ) -> _Best[Effect] | None:
        """The first of the answers that is stronger than those about exchanged ``values`` (n, 1 + n_exchanges).

        Each is compared with its own exchanges: the strengths of two answerers are not on one scale.
        """
        for one in answers:
            guess = one.answerer.answer(self.fits, replace(self.question, values=values))
            if guess is not None and is_beyond_chance(guess.strength, n_questions * len(self.answerers)):
                return one
        return None

    def taken_out(self, assessed: Collection[str]) -> tuple[list[Summary], bool]:
        """The units without which nothing is found, the one that explains most first; and whether that was reached.

        What is ``assessed`` already stays.
        """
        removed: list[Summary] = []
        asked = self
        while len(removed) < MOST_REMOVED and (answers := asked.answers()):
            order = _ranked(asked.fits, asked.question, answers[0].guess.by)
            candidates = (asked.facts.units[at] for at in order)
            units = next((one for one in candidates if not any(unit.is_among(assessed) for unit in one)), None)
            if units is None:
                return removed, False
            removed += sorted(units)
            asked = asked.without(units)
        return removed, not asked.answers()

    def needed(self, by: Sequence[int]) -> list[frozenset[Summary]]:
        """Those of some facts without which nothing is found."""
        units = [self.facts.units[at] for at in by]
        return [one for one in units if not self.without(one).answers()]


def _ranked(fits: Fits, question: HiddenQuestion, by: Sequence[int]) -> list[int]:
    """The facts that explain most of the true values, first; of two together, only these two."""
    z, y = fits.plain_parts[0].z, question.values[:, :1] - fits.plain_parts[0].explained(question.values[:, :1])
    if by:
        return sorted(by, key=lambda at: -abs(float(z[:, at] @ y[:, 0])))
    gram = z.T @ z
    gram[np.diag_indices_from(gram)] += 1e-2 * len(z)
    weight = np.abs(np.linalg.solve(gram, z.T @ y))[:, 0]
    order: list[int] = np.argsort(-weight, kind="stable").tolist()
    return order


def attacked(leaving: Leaving, asked: PeopleAsked, told: Mapping[str, float] | None = None) -> FindingTold:
    """What many facts together disclose of each column that is hidden of the people ``asked``.

    ``told``: for what share of the people a column is disclosed already; nearly all are not asked again.
    """
    scene = _Scene.of(leaving, asked)
    attempts = [] if scene is None else list(scene.attempts(told or {}))
    n_people, n_facts = (0, 0) if scene is None else scene.facts.numbers.shape

    def for_reader(policy: Policy) -> Attacked:
        return Attacked(n_facts, n_people, [one.for_reader(policy, leaving) for one in attempts])

    return for_reader


@dataclass(frozen=True)
class _Scene:
    """The facts and the hidden columns of people (n_people,), the first of all in the order of their hashed ids.

    ``levels``: codes of released quasi-identifiers of few levels. ``n_each``: how many people each one stands for.
    """

    leaving: Leaving
    facts: PersonFacts
    hidden: Sequence[HiddenColumn]
    levels: Sequence[np.ndarray]
    classes: np.ndarray
    n_each: float

    @classmethod
    def of(cls, leaving: Leaving, asked: PeopleAsked) -> _Scene | None:
        """None where nothing is hidden."""
        if not asked.hidden:
            return None
        facts = PersonFacts.of(asked.with_distances, leaving.files, MOST_ASKED).without(leaving.harmless)
        levels = [one[:MOST_ASKED] for one in asked.levels]
        n_each = leaving.n_people / max(min(len(asked.rows), MOST_ASKED), 1)
        return cls(leaving, facts, asked.hidden, levels, asked.classes, n_each)

    def attempts(self, told: Mapping[str, float]) -> Iterator[AttemptAtColumn]:
        """What was found of each hidden column."""
        for one in self.hidden:
            n, who = len(self.facts.numbers), one.changed
            if told.get(one.name, 0.0) >= WHOLE:
                yield AttemptAtColumn(one.name, not_asked=TOLD)
            elif not one.is_numeric and who.sum() - one.asked.sum() >= WHOLE * who.sum():
                yield AttemptAtColumn(one.name, not_asked=ASSESSED)
            elif (one.rows < n).sum() < FEWEST_PEOPLE or who[one.rows < n].sum() < LEAST_PEOPLE:
                yield AttemptAtColumn(one.name, not_asked=TOO_SMALL)
            else:
                ask = self._of_date if one.is_date else self._of_number if one.is_numeric else self._of_label
                yield ask(one)

    def _facts_of(self, one: HiddenColumn, kept: np.ndarray) -> PersonFacts:
        found = self.facts.without([one.name])
        return replace(found, numbers=found.numbers[one.rows[kept]])

    def _given(self, rows: np.ndarray, released: np.ndarray) -> np.ndarray:
        given = intercepts([released, *(level[rows] for level in self.levels)])
        if len(np.unique(released)) > MANY_VALUES:
            given = np.column_stack([given, (released - released.mean()) / max(float(released.std()), 1e-12)])
        return given

    def _of_date(self, one: HiddenColumn) -> AttemptAtColumn:
        """Whether those who know the day find people again, or its day of the year: a season repeats itself."""
        found = self._of_number(one)
        in_the_year = found if found.answerer else self._of_number(one.in_the_year, OF_DAYS_OF_THE_YEAR)
        return in_the_year if in_the_year.answerer else found

    def _of_number(self, one: HiddenColumn, answerers: Sequence[Answerer] = OF_NUMBERS) -> AttemptAtColumn:
        """Whether those who know the number find people again."""
        kept = one.rows < len(self.facts.numbers)
        rows, asked, released = one.rows[kept], one.changed[kept], one.released[kept]
        value = one.numbers[kept].astype(float)
        facts = self._facts_of(one, kept)
        fits = Fits(facts.numbers, self._given(rows, _of_changed(released, asked)))
        groups = self.levels[0][rows] if self.levels else np.zeros(len(rows), dtype=np.int64)
        question = HiddenQuestion(value[:, None], groups)
        baseline = many.out_of_fold(fits, question.values)[:, 0]
        classes = self.classes[rows]
        if not one.is_date:  # a released value that several people have is known, too; a moved date says little
            classes = np.unique(np.stack([classes, _of_several(released)]), axis=1, return_inverse=True)[1]
        known = KnownToAttacker(classes, asked, self.n_each, self.leaving.before.config.K)

        def effect_of(guess: Guess) -> FoundAgain | None:
            found = found_again(guess.guessed, value, baseline, known)
            return found if found.is_more(LEAST_PEOPLE) else None

        of_one = _Asked(facts, fits, question, answerers, effect_of)
        nobody, answers = AttemptAtColumn(f"{one.name}{one.part}", people=int(asked.sum())), of_one.answers()
        if not answers:
            return nobody
        best = of_one.beyond_chance(answers, exchanged(value, alike(released), asked), len(self.hidden))
        if best is None:
            return replace(nobody, not_asked=BY_LUCK)
        found = best.effect
        counts = (round(found.found), round(found.found_by_class), found.below_k)
        return self._attempt(nobody, [(of_one, best)], counts, is_reason=True)

    def _of_label(self, one: HiddenColumn) -> AttemptAtColumn:
        """Whether a label can be inferred, one label after the other, the commonest first."""
        kept = one.rows < len(self.facts.numbers)
        rows, changed, asked, released = one.rows[kept], one.changed[kept], one.asked[kept], one.released[kept]
        label, facts = one.labels.codes[kept], self._facts_of(one, kept)
        nobody = AttemptAtColumn(one.name, people=int(changed.sum()), is_inferred=True)
        common, n = np.unique(label[asked], return_counts=True)
        common = common[np.argsort(-n, kind="stable")][:MOST_LABELS]
        are_two, fits = len(common) == 2, Fits(facts.numbers, intercepts([_of_changed(released, changed)]))
        without = replace(nobody, not_asked=TOO_SMALL)  # until a label is asked
        n_asked, guessed = 0, list[tuple[_Asked[_Sure], _Best[_Sure]]]()
        for level in common[: 1 if are_two else None].tolist():
            has = label == level
            if min(has[asked].sum(), (~has)[asked].sum()) < LEAST_PEOPLE:
                continue
            without = nobody if without.not_asked == TOO_SMALL else without
            n_asked += int(asked.sum() if are_two else has[asked].sum())

            def effect_of(guess: Guess, has: np.ndarray = has) -> _Sure | None:
                found = _Sure.of(guess.guessed, has, asked, are_two)
                return found if found.is_enough else None

            values = has.astype(float)
            question = HiddenQuestion(values[:, None], np.zeros(len(rows), dtype=np.int64))
            of_one = _Asked(facts, fits, question, OF_LABELS, effect_of)
            answers = of_one.answers()
            if not answers:
                continue
            n_questions = len(self.hidden) * len(common)
            best = of_one.beyond_chance(answers, exchanged(values, released, asked), n_questions)
            if best is None:
                without = replace(nobody, not_asked=BY_LUCK)
                continue
            guessed.append((of_one, best))
        if not guessed:
            return without
        # What the population discloses, such as the sex by a height, counts where a value was hidden for single people,
        # or where nearly everybody's is given, by all its labels together; a sensitive value always.
        n, n_right, n_by_chance = np.sum([astuple(best.effect) for _, best in guessed], axis=0).tolist()
        is_sensitive = one.name in self.leaving.before.config.sensitive_features
        is_reason = bool(is_sensitive or n >= WHOLE * n_asked or changed.mean() < WHOLE)
        return self._attempt(nobody, guessed, (round(n_right), round(n_by_chance), 0), is_reason=is_reason)

    def _attempt(
        self,
        nobody: AttemptAtColumn,
        guessed: Sequence[tuple[_Asked[Effect], _Best[Effect]]],
        counts: tuple[int, int, int],
        *,
        is_reason: bool,
    ) -> AttemptAtColumn:
        """What is guessed by the first one of the answers above all, and the lines without which there is none."""
        units, is_gone = list[Summary](), True
        for one, _ in guessed:
            more, is_this_gone = one.without(units).taken_out(self.leaving.quasi_identifiers)
            units, is_gone = [*units, *more], is_gone and is_this_gone
        (asked, best), (found, by_class, below_k) = guessed[0], counts
        of_pair = [sorted(of_fact)[0] for of_fact in asked.needed(best.guess.by)]
        return replace(
            nobody,
            answerer=best.answerer.name,
            by=list(dict.fromkeys(unit.words() for unit in of_pair or units)),
            found=found,
            by_class=by_class,
            below_k=below_k,
            is_reason=is_reason,
            is_sensitive=nobody.column in self.leaving.before.config.sensitive_features,
            changes=tuple(lines_without(units, WHY, self.leaving.originals)),
            lines_are_tried=is_gone,
        )


@dataclass(frozen=True)
class _Sure:
    """Sure guesses of a label: ``n`` of people asked, ``n_right`` are right, ``n_by_chance`` without any facts."""

    n: int
    n_right: int
    n_by_chance: float

    @classmethod
    def of(cls, probability: np.ndarray, has: np.ndarray, asked: np.ndarray, are_two: bool) -> _Sure:
        """By the ``probability`` (n,) that people have the label; of two labels, a low one is a guess of the other."""
        says, denies = probability >= SURE, (probability <= 1 - SURE) & are_two
        sure = asked & (says | denies)
        right = sure & (says == has)
        share = float(has[asked].mean())
        return cls(int(sure.sum()), int(right.sum()), float(sure.sum()) * (max(share, 1 - share) if are_two else share))

    @property
    def is_enough(self) -> bool:
        """Whether enough people have a sure guess, nearly all of which are right, far more than without facts."""
        wrong, wrong_by_chance = self.n - self.n_right, self.n - self.n_by_chance
        return self.n_right >= max(LEAST_PEOPLE, RIGHT * self.n) and wrong <= LEFT * wrong_by_chance


def _of_changed(released: np.ndarray, changed: np.ndarray) -> np.ndarray:
    """The released code (n,) of those whose value was changed, -1 of all others, who teach what facts say of it."""
    return np.where(changed, released, -1)


def _of_several(released: np.ndarray) -> np.ndarray:
    """The released code (n,) where several people have it, else -1."""
    _, place, n = np.unique(released, return_inverse=True, return_counts=True)
    return np.where(n[place] > 1, released, -1)
