"""Other ways to hold than the proposed one: all ranked by what the study's own tables lose, the best ones tried whole.

A way is a recoding of the quasi-identifiers, where rare terms are counted, and whether cells of few people are hidden,
so that a column stays for all others. Recodings are searched from the recommended one on, one column up or down at a
time: within larger classes, fewer terms, visits and outcomes are those of few people, and a column that was dropped may
come back. What a way loses is found without any search of what leaves, so many ways cost less than one trial.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from config import parse_config
from disclosure_control.basics.settings.changes import ConfigChange, applied, lines_to_paste, treatment_steps
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.small_counts import people_on_screen
from disclosure_control.basics.telling.words import capitalised, counted, listed
from disclosure_control.draft.edits import with_changes
from disclosure_control.draft.proposal import STEPS_OF_TREATMENT, Proposal, lines_for, tried_whole
from disclosure_control.draft.way import RecodingLevels, Way, WayWeighed
from disclosure_control.report.trials import Asks, Trials
from disclosure_control.report.verdict import Verdict

MOST_WEIGHED, MOST_TRIED, MOST_WHOLE, MOST_SHOWN = 16, 6, 3, 3
LARGER_CLASSES = (2, 4, 8)  # times K: within them fewer people are alone by what an acquaintance knows
AS_PROPOSED = "As proposed"
_RECOMMENDED = {"method": "recommended"}
_LIMIT = ("recommend", "suppression_limit")
_AT_LEAST = ("recommend", "at_least")
_RARE = ("release", "rare_terms")
_WITHIN = {"class": "rare terms counted within each class", "study": "rare terms counted in the whole study"}


@dataclass
class _Weighed:
    """The ways that were weighed so far, up to a number of them; one that the files refuse counts as weighed."""

    literal: Mapping[str, Any]
    recoding: RecodingLevels | None
    trials: Trials
    tables: Sequence[str]
    n_weighed: int = 0
    fine: tuple[str, ...] = ()
    found: list[WayWeighed] = field(default_factory=list)

    def of(self, way: Way) -> WayWeighed | None:
        """What the way loses; None if the files refuse it, nothing would leave by it, or enough were weighed."""
        if self.n_weighed == MOST_WEIGHED:
            return None
        self.n_weighed += 1
        try:
            weighed = self.trials.weigh(applied(self.literal, way.changes), f"Weighing a way to hold: {way.words}")
        except FaultyInputError:
            return None
        if weighed is None:
            return None
        taken = weighed.levels if way.taken is None else way.taken
        given_up = self.recoding.dropped(taken) if self.recoding is not None else []
        n_given_up = len(set(self.fine).intersection(given_up))
        weighed = dataclasses.replace(weighed, levels=taken)
        lost = weighed.use.lost_of(self.tables)
        found = WayWeighed(way, weighed, lost, n_given_up, stay_fine=self.fine)
        if not any(one.weighed.use is weighed.use for one in self.found):  # else the same leaves as by that one
            self.found.append(found)
        return found


def ways_weighed(
    literal: Mapping[str, Any],
    recoding: RecodingLevels | None,
    trials: Trials,
    tables: Sequence[str],
    needed: Collection[tuple[str, ...]] = (),
) -> list[WayWeighed]:
    """The ways, those that lose least first, by the ``tables`` that matter; () for all. What the files refuse is not
    among them.

    First comes the config as it is, then the other ways to count rare terms, and a recoding that leaves nobody out.
    From the best of the first one and those of larger classes on, each column of the ``recoding`` that the config
    applies goes a level up or down; the best of these ways is the next to start from, until none is better. Last, each
    column that the best recoding drops stays, and cells of few people are hidden. What is ``needed``, the keys down to
    it, is not undone.
    """
    settings = literal.get("recommend", {})
    recoding = recoding if _RECOMMENDED in treatment_steps(literal) else None
    fine = tuple(name for name, weight in settings.get("weights", {}).items() if weight > 1)
    weighed = _Weighed(literal, recoding, trials, tables, fine=fine)
    here = weighed.of(Way(AS_PROPOSED, ()))
    if here is None:
        return []
    for other in _other_counts(literal, _RARE in needed):
        weighed.of(other)
    if recoding is not None:
        _weigh_recodings(weighed, here, recoding, settings)
    return sorted(weighed.found, key=lambda one: one.losses)


def _weigh_recodings(
    weighed: _Weighed, here: WayWeighed, recoding: RecodingLevels, settings: Mapping[str, Any]
) -> None:
    """The ways by other recodings than the recommended one, by which ``here`` is."""
    stays = {**settings.get("fixed", {}), **settings.get("max_level", {})}
    if settings.get(_LIMIT[1]) != 0:
        weighed.of(Way("nobody left out by the recoding", (ConfigChange.to(_LIMIT, 0),)))
    seen = [recoding.taken]
    for way in _larger_classes(weighed.literal):
        if (found := weighed.of(way)) is not None:
            seen.append(found.weighed.levels)
            if found.loses_less_than(here):
                here, recoding = found, dataclasses.replace(recoding, taken=found.weighed.levels)
    while True:
        others = [one for one in recoding.neighbours(stays, weighed.fine) if one.taken not in seen]
        seen += [one.taken for one in others]
        tried = [(weighed.of(_way_of(one, stays)), one) for one in others]
        better = [(found, one) for found, one in tried if found is not None and found.loses_less_than(here)]
        if not better:
            break
        here, recoding = min(better, key=lambda pair: pair[0].losses)
    for way in _cells_hidden(weighed.literal, recoding, weighed.fine):
        weighed.of(way)


def ways_tried(
    found: Sequence[WayWeighed], config_of: Callable[[Way], Mapping[str, Any]], trials: Trials, as_it_is: WayWeighed
) -> list[WayWeighed]:
    """The ways after trials of the best ones, until one may leave, or holds by what lines of a config answer; the best
    ones first, those that were not tried last.

    ``as_it_is`` is the config as it is, with what is known of it. Ways that lose less are tried before it, others after
    it; where it or a whole run is held, those with larger classes first: fewer people lose more than others, which is
    what gives them away. What lines of a config answer of a first look, they answer: the way is looked at with them. It
    is run whole if a look finds nothing against it, or, where the way has only larger classes, against the config as it
    is. One of the whole runs is kept for the config as it is: a way that is held is proposed over it only if the config
    is held, too.
    """
    others = [one for one in found if one.way.changes]
    if as_it_is.reasons:
        order = [as_it_is, *sorted(others, key=_has_own_classes)]
    else:
        better = [one for one in others if one.loses_less_than(as_it_is)][:MOST_TRIED]
        order = [*better, as_it_is, *(one for one in others if one not in better)]
    tried: list[WayWeighed] = []
    went_on: list[Way] = []  # with further lines
    n_looks = 0
    while order and max(n_looks, len(tried)) <= MOST_TRIED:
        one = order.pop(0)
        is_coarser = not _has_own_classes(one) and not as_it_is.reasons
        if one.reasons is None and not is_coarser:
            if (n_looks := n_looks + 1) > MOST_TRIED:
                break
            config = config_of(one.way)
            seen = trials.verdict(config, f"Looking at a way to hold: {one.way.words}", Asks.FIRST)
            one = dataclasses.replace(one, reasons=seen.reasons)
            if one.has_lines and (lines := lines_for(config, seen.reasons, trials.check, one.stay_fine)):
                went_on.append(one.way)
                order.insert(0, one.with_lines(lines))
                continue
        is_before_it = bool(one.way.changes) and all(other.way.changes for other in tried)
        n_whole = is_before_it + sum(other.is_whole for other in tried)  # one run is kept for the config as it is
        most = MOST_WHOLE - (bool(one.way.changes) and _has_own_classes(one))  # and one is kept for larger classes
        if not one.reasons and not one.is_whole and n_whole < most:
            seen = trials.verdict(config_of(one.way), f"Trying a way to hold: {one.way.words}", Asks.UNTIL_HELD)
            weighed = dataclasses.replace(one.weighed, use=seen.use or one.weighed.use)
            one = dataclasses.replace(one, reasons=seen.reasons, is_whole=True, weighed=weighed)
        tried.append(one)
        if one.is_whole and one.is_answered:
            break
        if one.is_whole:
            order.sort(key=_has_own_classes)
    ways = [*went_on, *(one.way for one in tried)]
    left = (one if one.way.changes else as_it_is for one in found if one.way not in ways)
    return [*sorted(tried, key=lambda one: one.rank), *left]


def _has_own_classes(one: WayWeighed) -> bool:
    """Whether a way changes something else than how many people a class has at least."""
    return not one.way.changes or one.way.changes[0].path != _AT_LEAST


def _other_counts(literal: Mapping[str, Any], is_needed: bool) -> Iterator[Way]:
    """The ways that count rare terms otherwise than the config: elsewhere, if the place is not needed, and so that
    nobody's quasi-identifiers are hidden for them; none for a config that leaves them.
    """
    rare = literal.get("release", {}).get("rare_terms")
    if not isinstance(rare, Mapping):
        return
    alone = {name: value for name, value in rare.items() if name != "keep"}
    within = "study" if rare.get("within", "study") == "class" else "class"
    if not is_needed:
        yield Way(_WITHIN[within], (ConfigChange.to(_RARE, {**alone, "within": within}),))
    if "keep" in rare:
        yield Way("nobody's quasi-identifiers hidden", (ConfigChange.to(_RARE, alone),))


def _larger_classes(literal: Mapping[str, Any]) -> Iterator[Way]:
    """The mildest recodings to classes of more people than K."""
    for times in LARGER_CLASSES if isinstance(literal.get("K"), int) else ():
        least = times * literal["K"]
        yield Way(f"classes of {least} people or more", (ConfigChange.to(_AT_LEAST, least),))


def _cells_hidden(literal: Mapping[str, Any], recoding: RecodingLevels, fine: Sequence[str]) -> Iterator[Way]:
    """A way for each dropped column: it stays at its coarsest level, and cells of few people are hidden instead.

    None where people with a hidden cell would not be evaluated.
    """
    if not recoding.by_level or literal.get("missing_qis") == "exclude":
        return
    own = treatment_steps(literal)
    place = own.index(_RECOMMENDED)
    hides = {"method": "local_suppression", **({"importance": list(fine)} if fine else {})}
    for name in recoding.dropped(recoding.taken):
        stays = dataclasses.replace(recoding, taken={**recoding.taken, name: recoding.taken[name] - 1})
        recoded = [step.literal for one, level in stays.taken.items() for step in recoding.by_level[one][level]]
        gone = [{"method": "drop_column", "columns": rest}] if (rest := stays.dropped(stays.taken)) else []
        steps = [*own[:place], *recoded, *gone, hides, {"method": "suppress_records"}, *own[place + 1 :]]
        words = f"{stays.in_words()}; cells of few people hidden, so that {name} stays"
        yield Way(words, (ConfigChange.to(STEPS_OF_TREATMENT, steps),), stays.taken)


def _way_of(recoding: RecodingLevels, stays: Mapping[str, Any]) -> Way:
    fixed = {name: level for name, level in recoding.taken.items() if name not in stays or level == stays[name]}
    return Way(recoding.in_words(), (ConfigChange.to(("recommend", "fixed"), fixed),))


def proposed_by_ways(
    proposal: Proposal,
    name: str,
    recoding: RecodingLevels | None,
    trials: Trials,
    as_it_is: Verdict | None,
    tables: Sequence[str],
) -> tuple[Proposal, list[str]]:
    """The ``proposal`` with the lines of the best way, what a run of it leaves, and what is said of all ways; ``name``
    of the config's file. ``as_it_is``: what a first look at the proposal found, or the run of today's config; None
    where nobody looked.
    """
    literal = parse_config(proposal.text, name)

    def config_of(way: Way) -> Mapping[str, Any]:
        return parse_config(with_changes(proposal.text, way.changes), name)  # the order of keys names the release

    weighed = ways_weighed(literal, recoding, trials, tables, [change.path for change in proposal.changes])
    own = next((one for one in weighed if not one.way.changes), None)
    if own is None:
        why = "none was weighed, as no tables of the study could be compared."
        return tried_whole(proposal, name, trials), [f"Ways to hold: {why}"]
    # Not before it was weighed: the files may refuse it.
    as_it_is = as_it_is or trials.verdict(literal, "Looking at it", Asks.FIRST)
    own = dataclasses.replace(own, reasons=as_it_is.reasons, is_whole=not proposal.is_other)
    found = ways_tried(weighed, config_of, trials, own)
    best, changes = found[0], tuple[ConfigChange, ...]()
    if best.way.changes:
        own = next(one for one in found if not one.way.changes)
        why = f"of {counted(len(found), 'way')} looked at, {best.is_better_by(own)}"
        changes = tuple(dataclasses.replace(change, why=change.why or why) for change in best.way.changes)
    proposal = dataclasses.replace(
        proposal,
        text=with_changes(proposal.text, changes),
        changes=(*proposal.changes, *changes),
        left=best.reasons or (),
        is_tried=True,
    )
    return proposal, list(ways_in_words(literal, parse_config(proposal.text, name), found, tables))


def ways_in_words(
    literal: Mapping[str, Any], proposed: Mapping[str, Any], found: Sequence[WayWeighed], tables: Sequence[str]
) -> Iterator[str]:
    """The best ways as lines for the screen: what each loses, and the lines that choose it in place of the ``proposed``
    config. ``literal``: the config from which the ways start.
    """
    of = listed(tables) if tables else "all tables of the study"
    n_tried = sum(one.is_tried for one in found)
    yield f"Ways to hold, by what {of} lose; {counted(len(found), 'way')} weighed, {n_tried} tried:"
    unlike: dict[tuple[str, float], WayWeighed] = {}
    for one in found:
        unlike.setdefault((one.weighed.use.loses, one.lost), one)
    others = list(unlike.values())
    hiding = (one for one in others[MOST_SHOWN:] if one.weighed.hidden)
    for number, one in enumerate([*others[:MOST_SHOWN], *itertools.islice(hiding, 1)], start=1):
        way = applied(literal, one.way.changes)
        is_proposed = way == proposed
        words = "As it stands without that" if not one.way.changes and not is_proposed else one.way.words
        yield f"  {number}. {capitalised(words)}. Fit for use: {one.weighed.use.answer}; tables lose {one.lost:.0%}."
        if one.weighed.hidden:
            people = (f"{name} of {people_on_screen(n)}" for name, n in one.weighed.hidden.items())
            yield f"     It hides cells: {listed(people)}."
        yield f"     {one.weighed.use.loses}"
        yield f"     {one.verdict}{' This one is proposed.' if is_proposed else ''}"
        if not is_proposed:
            changes = [ConfigChange.to((key,), value) for key, value in way.items()]
            yield f"     To choose it: {lines_to_paste(proposed, changes)}"
