"""Other ways to hold: which are tried, in which order they are shown, and what each line writes."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from config import parse_config
from disclosure_control.basics.settings.changes import ConfigChange, applied
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.draft.proposal import Proposal, proposal_in_words
from disclosure_control.draft.way import LEAST_GAIN, RecodingLevels, Way, WayWeighed
from disclosure_control.draft.ways import (
    MOST_TRIED,
    MOST_WEIGHED,
    MOST_WHOLE,
    proposed_by_ways,
    ways_in_words,
    ways_tried,
    ways_weighed,
)
from disclosure_control.remedy.treatments.registry import TreatmentStep
from disclosure_control.report.trials import Weighed
from disclosure_control.steps.running import Asks
from disclosure_control.study_tables.fit import FitForUse, Fitness

LITERAL = {
    "recommend": {"suppression_limit": 0},
    "treatment": [{"method": "drop_identifiers"}, {"method": "recommended"}],
    "release": {"rare_terms": {"at_least": 5, "within": "class"}},
}
RECODING = RecodingLevels(
    {"SEX": 0, "AGE": 1}, {"SEX": ["as it is", "not released"], "AGE": ["as it is", "18--40, 40--90", "not released"]}
)
ALONE = Reason(Gravity.OUTSIDERS_CAN_SINGLE_OUT, "12 of 100 people are alone.")


@dataclass(frozen=True)
class MadeTrials:
    """Trials by functions of a literal and words: first looks, whole runs, and what is lost."""

    look: Callable
    run: Callable
    weigh: Callable

    def check(self, literal):
        """Every config can be run."""

    def verdict(self, literal, words, asks):
        return (self.run if asks >= Asks.UNTIL_HELD else self.look)(literal, words)


@dataclass(frozen=True)
class FoundByTrial:
    reasons: tuple[Reason, ...]
    use: FitForUse | None


def use(answer: Fitness, **lost: float) -> FitForUse:
    return FitForUse(answer, ("this",), (), (), {name: (one,) for name, one in lost.items()})


def losing(losses: dict[tuple[int, ...], float], within: str = "class", by_count: float = 0.5):
    """What the tables lose by the levels of a config, or ``by_count`` with another count of terms."""

    def weigh(literal, words):
        fixed = RECODING.taken | literal.get("recommend", {}).get("fixed", {})
        lost = losses[tuple(fixed.values())] if literal["release"]["rare_terms"]["within"] == within else by_count
        return Weighed(use(Fitness.WITH_LIMITS, terms=lost), fixed)

    return weigh


def held_by(reasons: dict[tuple[int, ...], tuple[Reason, ...]]):
    """A run that finds these reasons by the levels of a config."""

    def run(literal, words):
        levels = literal.get("recommend", {}).get("fixed", RECODING.taken)
        return FoundByTrial(reasons.get(tuple(levels.values()), ()), None)

    return run


MAY_LEAVE = FoundByTrial((), use(Fitness.YES))
HELD = FoundByTrial((ALONE,), None)
LOSSES = {(0, 0): 0.4, (1, 0): 0.35, (0, 1): 0.3, (1, 1): 0.29, (0, 2): 0.25, (1, 2): 0.245}


def weighed(literal, recoding, weigh, tables, needed=()):
    """The ways that are weighed by a function."""
    return ways_weighed(literal, recoding, MadeTrials(held_by({}), held_by({}), weigh), tables, needed)


def tried_by(literal, found, run, as_it_is, whole=None):
    """The ways after trials of the best ones: looks by ``run``, and runs by it, or by another one."""
    own = dataclasses.replace(next(one for one in found if not one.way.changes), reasons=as_it_is.reasons)
    trials = MadeTrials(run, whole or run, lambda literal, words: None)
    return ways_tried(found, lambda way: applied(literal, way.changes), trials, own)


def levels_of(literal, found):
    return [tuple(applied(literal, one.way.changes)["recommend"].get("fixed", {}).values()) for one in found]


def test_columns_go_one_level_at_a_time_as_long_as_clearly_more_is_kept():
    found = weighed(LITERAL, RECODING, losing(LOSSES), ())
    assert [round(one.lost, 3) for one in found] == [0.245, 0.25, 0.29, 0.3, 0.4, 0.5]
    # The step from 0.25 to 0.245 gives up a whole column for half a point: it is weighed, and nobody starts from it.
    assert found[0].way.words == "SEX: not released; AGE: not released"
    assert [one.way.words for one in found if not one.way.changes] == ["As proposed"]
    assert found[-1].way.words == "rare terms counted in the whole study"
    assert tried_by(LITERAL, found, held_by({}), MAY_LEAVE)[0] == dataclasses.replace(
        found[0], reasons=(), is_whole=True
    )


def test_a_column_that_was_dropped_comes_back_where_the_tables_keep_more_by_it():
    dropped, losses = RecodingLevels({"SEX": 0, "AGE": 2}, RECODING.words), LOSSES | {(0, 1): 0.1}

    def weigh(literal, words):
        fixed = literal["recommend"].get("fixed", dropped.taken)
        return Weighed(use(Fitness.YES, terms=losses[tuple(fixed.values())]), fixed)

    found = weighed(LITERAL, dropped, weigh, ())
    assert min(found, key=lambda one: one.lost).way.words == "AGE: 18--40, 40--90"


def test_a_column_that_weighs_more_is_not_given_up_for_other_tables():
    literal = {**LITERAL, "recommend": {"suppression_limit": 0, "weights": {"AGE": 5, "SEX": 1}}}
    found = weighed(literal, RECODING, losing(LOSSES | {(1, 1): 0.1}), ())
    assert levels_of(literal, found)[:2] == [(1, 1), ()]
    assert not any("AGE: not released" in one.way.words for one in found)


def test_where_people_are_alone_by_a_fact_larger_classes_are_tried_first():
    literal = {**LITERAL, "K": 5}
    run = held_by({})
    lost = {10: 0.5, 20: 0.6, 40: None}

    def weigh(literal, words):
        at_least = literal["recommend"].get("at_least")
        share = 0.3 if at_least is None else lost[at_least]
        return None if share is None else Weighed(use(Fitness.YES, terms=share), RECODING.taken)  # nobody is left in 40

    def hold_below(literal, words):
        return run(literal, words) if literal["recommend"].get("at_least") == 20 else FoundByTrial((ALONE,), None)

    ways = tried_by(literal, weighed(literal, RECODING, weigh, ()), hold_below, HELD)
    assert [one.way.words for one in ways if one.is_answered] == ["classes of 20 people or more"] == [ways[0].way.words]
    assert sum(one.is_tried for one in ways) == 3  # as proposed, 10 people, 20 people


def test_no_way_is_proposed_for_less_than_it_gives_up():
    losses = LOSSES | {(1, 1): 0.295, (0, 2): 0.292}
    found = weighed(LITERAL, RECODING, losing(losses), ())
    assert len(found) == 5  # none is clearly better, so the search ends there
    ways = tried_by(LITERAL, found, held_by({}), MAY_LEAVE)
    assert [one.way.words for one in ways if one.is_tried] == ["As proposed"]  # what could not win costs no run


def test_the_best_ways_are_tried_until_one_may_leave():
    found = weighed(LITERAL, RECODING, losing(LOSSES), ())
    ways = tried_by(LITERAL, found, held_by({(1, 2): (ALONE,)}), MAY_LEAVE)
    assert [one.is_answered for one in ways] == [True, *[False] * 5]
    assert [one.is_tried for one in ways] == [True, True, *[False] * 4]
    assert levels_of(LITERAL, ways)[0] == (0, 2)
    nobody = tried_by(LITERAL, found, held_by(dict.fromkeys(LOSSES, (ALONE,))), HELD)
    assert sum(one.is_tried for one in nobody) <= 1 + MOST_TRIED
    assert not nobody[0].way.changes  # another way that is held as well is no gain


def test_a_way_is_run_whole_only_after_a_look_and_what_lines_answer_then_ends_the_search():
    found = weighed(LITERAL, RECODING, losing(LOSSES), ())
    told = dataclasses.replace(ALONE, changes=(ConfigChange.to(("release", "operations", "AE.X"), "remove"),))
    runs = []

    def whole(literal, words):
        runs.append(words)
        return FoundByTrial((ALONE,) if len(runs) == 1 else (told,), None)

    ways = tried_by(LITERAL, found, held_by({(1, 2): (told,)}), MAY_LEAVE, whole)
    assert runs == [
        "Trying a way to hold: AGE: not released",
        "Trying a way to hold: As proposed",
    ]
    assert (ways[0].way.words, ways[0].reasons) == ("As proposed", (told,))
    assert not next(one for one in ways if levels_of(LITERAL, [one]) == [(1, 2)]).is_answered  # lines would undo it


def test_lines_that_answer_a_first_look_become_a_part_of_the_way():
    """A death of one person was found in every way, and age and sex dropped instead of the flag."""
    found = weighed(LITERAL, RECODING, losing(LOSSES), ())
    flag = ConfigChange.to(("release", "operations"), {"DM.DTHFL": "remove"})
    told = dataclasses.replace(ALONE, changes=(flag,))
    kept = use(Fitness.YES, terms=0.21)

    def look(literal, words):
        return FoundByTrial(() if "operations" in literal["release"] else (told,), None)

    ways = tried_by(LITERAL, found, look, HELD, lambda literal, words: FoundByTrial((), kept))
    assert (ways[0].way.words, ways[0].reasons) == (f"{found[0].way.words}, with 1 further line", ())
    assert applied(LITERAL, ways[0].way.changes)["release"]["operations"] == {"DM.DTHFL": "remove"}
    assert ways[0].weighed.use is kept  # what the lines take away counts
    assert sum(found[0].way.words in one.way.words for one in ways) == 1


def test_a_run_is_kept_for_the_config_as_it_is_and_no_way_that_is_held_is_proposed_over_it():
    found = weighed(LITERAL, RECODING, losing(LOSSES), ())
    whole = held_by({levels: (ALONE,) for levels in LOSSES if levels != (0, 1)})
    best, *others = tried_by(LITERAL, found, held_by({}), MAY_LEAVE, whole)
    assert (best.way.words, best.reasons, best.is_whole) == ("As proposed", (), True)
    assert sum(one.is_whole for one in others) == MOST_WHOLE - 2  # nor is the one for larger classes used


VERDICTS = st.sampled_from([(), (ALONE,), (ALONE, ALONE)])


# Each finer recoding keeps more, no look finds anything, and every run does: nothing ends the search but its bounds.
@example((), [(ALONE,)] * 27, [sum(levels) / 6 for levels in itertools.product(range(3), repeat=3)])
@given(VERDICTS, st.lists(VERDICTS, min_size=27, max_size=27), st.lists(st.floats(0, 1), min_size=27, max_size=27))
def test_the_work_of_a_proposal_is_bounded_and_its_best_way_is_tried(own, verdicts, shares):
    """Whatever looks and runs find: 16 ways are weighed, 6 looked at, 3 run whole."""
    start = RecodingLevels(dict.fromkeys("ABC", 1), {name: ["fine", "coarse", "not released"] for name in "ABC"})
    at = dict(zip(itertools.product(range(3), repeat=3), zip(verdicts, shares, strict=True), strict=True))
    work = {"look": 0, "run": 0, "weigh": 0}

    def found_by(literal, kind):
        work[kind] += 1
        return at[tuple(literal["recommend"].get("fixed", start.taken).values())]

    def look(literal, words):
        reasons, _ = found_by(literal, "look")
        return FoundByTrial(reasons[1:], None)

    def weigh(literal, words):
        return Weighed(use(Fitness.YES, terms=found_by(literal, "weigh")[1]), start.taken)

    trials = MadeTrials(look, lambda literal, words: FoundByTrial(found_by(literal, "run")[0], None), weigh)
    text = 'config = {"K": 5, "recommend": {"suppression_limit": 0}, "treatment": [{"method": "recommended"}]}'
    proposal = Proposal("", text, (), 0, (), (), is_tried=True)
    found, words = proposed_by_ways(proposal, "x.py", start, trials, FoundByTrial(own, None), ())
    most = {"look": MOST_TRIED, "run": MOST_WHOLE, "weigh": MOST_WEIGHED}
    assert most == {"look": 6, "run": 3, "weigh": 16}
    assert all(work[kind] <= most[kind] for kind in most)
    assert not any("Not tried" in line and "This one is proposed" in line for line in words)
    assert found.left or work["run"]  # nobody says that it may leave without a whole run


@pytest.mark.parametrize("reasons", [(), (ALONE,), None])
def test_where_no_way_is_weighed_the_proposal_itself_is_run_whole(tmp_path, reasons):
    """Without tables of the study; None: the files refuse the run, and nothing is said of it."""
    runs = []

    def run(literal, words):
        runs.append(literal)
        if reasons is None:
            raise FaultyInputError("no rows")
        return FoundByTrial(reasons, None)

    proposal = Proposal("config = {}", 'config = {"K": 5}', (), 0, (), (), is_tried=True)
    found, said = proposed_by_ways(proposal, "x.py", None, MadeTrials(run, run, lambda *_: None), MAY_LEAVE, ())
    assert runs == [{"K": 5}]
    assert (found.left, found.is_tried) == (reasons or (), reasons is not None)
    words = "\n".join([*said, *proposal_in_words(found, tmp_path / "x.proposed.py", tmp_path / "x.py", "x")])
    assert ("may leave" in words) == (reasons == ())


def test_a_proposal_that_the_files_refuse_is_looked_at_by_no_way_and_ends_no_run():
    """Nobody looked at it, as the files refused the first trial: it was looked at again, after all was published."""

    def refused(literal, words):
        raise FaultyInputError("no rows")

    proposal = Proposal("config = {}", 'config = {"K": 5}', (), 0, (), ())
    found, _ = proposed_by_ways(proposal, "x.py", None, MadeTrials(refused, refused, refused), None, ())
    assert (found.text, found.is_tried) == (proposal.text, False)


def test_a_dropped_column_may_stay_with_the_cells_of_few_people_hidden():
    """Nothing is dropped for all where hiding 12 cells keeps the tables better; its price is shown in people."""
    bins = TreatmentStep.of({"method": "bins", "column": "AGE", "edges": [18, 40, 90]})
    dropped = dataclasses.replace(
        RECODING, taken={"SEX": 0, "AGE": 2}, by_level={"SEX": [[], []], "AGE": [[], [bins], []]}
    )

    def weigh(literal, words):
        is_hiding = any(step["method"] == "local_suppression" for step in literal["treatment"])
        hidden = {"AGE": 12} if is_hiding else {}
        return Weighed(use(Fitness.YES, terms=0.1 if is_hiding else 0.3), dropped.taken, hidden)

    literal = {**LITERAL, "recommend": {"suppression_limit": 0, "weights": {"AGE": 5}}}
    found = weighed(literal, dropped, weigh, ())
    best = found[0]
    assert (best.n_given_up, best.way.words) == (
        0,
        "AGE: 18--40, 40--90; cells of few people hidden, so that AGE stays",
    )
    assert applied(literal, best.way.changes)["treatment"] == [
        {"method": "drop_identifiers"},
        {"method": "bins", "column": "AGE", "edges": [18, 40, 90]},
        {"method": "local_suppression", "importance": ["AGE"]},
        {"method": "suppress_records"},
    ]
    assert "It hides cells: AGE of 12." in "\n".join(ways_in_words(literal, {}, found, ()))
    assert not any(
        "hidden" in one.way.words for one in weighed({**literal, "missing_qis": "exclude"}, dropped, weigh, ())
    )


def test_a_level_that_the_config_fixes_stays_and_one_that_is_not_recommended_is_none():
    fixed = {**LITERAL, "recommend": {"suppression_limit": 0, "fixed": {"SEX": 0}}}
    found = weighed(fixed, RECODING, losing(LOSSES), ())
    assert levels_of(fixed, found) == [(0, 2), (0,), (0, 0), (0,)]
    own = {"treatment": {"seed": 1, "steps": [{"method": "band"}]}, "release": {"rare_terms": {"within": "class"}}}
    assert len(weighed(own, RECODING, losing(LOSSES), ())) == 2
    without = {"treatment": [{"method": "recommended"}], "release": {}}
    weigh = losing(LOSSES)
    found = weighed(without, None, lambda literal, words: weigh(LITERAL, words), ())
    assert [one.way.words for one in found] == ["As proposed"]


@given(st.lists(st.sampled_from([0.1, 0.105, 0.2, 0.3, 0.31, 0.4]), min_size=27, max_size=27))
def test_the_search_ends_where_no_column_can_go_for_a_gain(shares):
    words = ["fine", "coarse", "not released"]
    start = RecodingLevels(dict.fromkeys("ABC", 1), dict.fromkeys("ABC", words))
    losses = dict(zip(itertools.product(range(3), repeat=3), shares, strict=True))
    n_runs = []

    def weigh(literal, words):
        n_runs.append(words)
        fixed = literal.get("recommend", {}).get("fixed", start.taken)
        return Weighed(use(Fitness.YES, terms=losses[tuple(fixed.values())]), fixed)

    literal = {"recommend": {"suppression_limit": 0}, "treatment": [{"method": "recommended"}]}
    found = weighed(literal, start, weigh, ())
    assert len(n_runs) == len(found) <= MOST_WEIGHED
    reached, here = {(1, 1, 1)}, (1, 1, 1)  # the slow way: look at all neighbours, go to the least, stop
    while True:
        steps = itertools.product(range(3), (1, -1))
        beside = [tuple(b + by * (a == at) for a, b in enumerate(here)) for at, by in steps]
        new = [one for one in beside if one in losses and one not in reached]
        reached |= set(new)
        least = min(new, key=losses.get, default=here)
        if losses[least] > losses[here] - LEAST_GAIN + 1e-12:
            break
        here = least
    if len(reached) <= MOST_WEIGHED:
        of_search = [applied(literal, one.way.changes).get("recommend", {}).get("fixed", start.taken) for one in found]
        assert {tuple(one.values()) for one in of_search} == reached


def test_the_proposal_has_the_lines_of_the_best_way_with_the_reason_above_them():
    text = 'config = {\n    "recommend": {"suppression_limit": 0},\n    "treatment": [{"method": "recommended"}],\n'
    text += '    "release": {"rare_terms": {"within": "class"}},\n}\n'
    proposal = Proposal(text, text, (), 0, (), ())

    def by_ways(losses, run, as_it_is):
        return proposed_by_ways(proposal, "x.py", RECODING, MadeTrials(run, run, losing(losses)), as_it_is, ())

    found, words = by_ways(LOSSES, held_by({}), MAY_LEAVE)
    assert parse_config(found.text, "x.py")["recommend"] == {"suppression_limit": 0, "fixed": {"SEX": 1, "AGE": 2}}
    assert "# proposed: of 6 ways looked at, this one keeps the tables of the study best" in found.text
    assert found.is_other
    assert "6 ways weighed, 2 tried" in words[0]
    assert "May leave. This one is proposed." in words[3]
    flag = ConfigChange.to(("release", "operations"), {"DM.DTHFL": "remove"}, "it tells a death")
    told = dataclasses.replace(ALONE, changes=(flag,))

    def look(literal, words):
        return FoundByTrial(() if "operations" in literal["release"] else (told,), None)

    further, _ = proposed_by_ways(proposal, "x.py", RECODING, MadeTrials(look, held_by({}), losing(LOSSES)), HELD, ())
    assert "# proposed: it tells a death\n" in further.text  # a line has its own reason
    for line in words:
        if "To choose it: " in line:
            pasted = parse_config(f"config = {{{line.partition('To choose it: ')[2]}}}", "x")
            assert parse_config(found.text, "x.py") | pasted != parse_config(found.text, "x.py")
    assert not found.left
    held = held_by(dict.fromkeys(LOSSES, (ALONE,)))
    twice = FoundByTrial((ALONE, ALONE), use(Fitness.YES))
    fewer, _ = by_ways(LOSSES, held, twice)
    assert "this one has the fewest reasons to hold" in fewer.text
    assert fewer.left == (ALONE,)
    same, _ = by_ways(dict.fromkeys(LOSSES, 0.3), held_by({}), MAY_LEAVE)
    assert same.text == text


def test_what_may_leave_comes_first_then_what_is_fit_and_loses_least_of_the_tables_that_matter():
    undone = Reason(Gravity.OUTSIDERS_CAN_SINGLE_OUT, "20 are alone.", changes=(ConfigChange.to(("K",), 3),))
    results = {
        "held": FoundByTrial((ALONE,), use(Fitness.YES, terms=0.0)),
        "undone": FoundByTrial((undone,), use(Fitness.YES, terms=0.0)),
        "bent": FoundByTrial((), use(Fitness.NO, terms=0.1)),
        "much": FoundByTrial((), use(Fitness.WITH_LIMITS, terms=0.4, shifts=0.0)),
        "little": FoundByTrial((), use(Fitness.WITH_LIMITS, terms=0.2, shifts=0.9)),
    }

    def tried(tables):
        ways = [
            WayWeighed(
                Way(name, (ConfigChange.to(("name",), name),)),
                Weighed(one.use),
                one.use.lost_of(tables),
                reasons=one.reasons,
                is_whole=True,
            )
            for name, one in results.items()
        ]
        return sorted(ways, key=lambda one: one.rank)

    found = tried(["terms"])
    assert [one.way.words for one in found] == ["little", "much", "bent", "undone", "held"]
    assert [one.way.words for one in tried(())][:2] == ["much", "little"]
    words = "\n".join(ways_in_words({}, {}, found, ["terms"]))
    assert "5 ways weighed, 5 tried" in words
    assert "1. Little. Fit for use: with limits; tables lose 20%." in words
    assert "bent" in words.lower()
    assert "12 of 100" not in words  # the fourth
    assert "Hold: 12 of 100 people are alone." in "\n".join(ways_in_words({}, {}, found[4:], ["terms"]))


def test_a_way_that_the_files_refuse_or_by_which_nothing_leaves_is_left_out():
    def weigh(literal, words):
        fixed = literal.get("recommend", {}).get("fixed", RECODING.taken)
        if fixed["SEX"]:
            raise FaultyInputError("no")
        return None if fixed["AGE"] != 1 else Weighed(use(Fitness.YES, terms=0.1), fixed)

    literal = {"recommend": {"suppression_limit": 0}, "treatment": [{"method": "recommended"}], "release": {}}
    assert [one.way.words for one in weighed(literal, RECODING, weigh, ())] == ["As proposed"]


def test_a_recoding_that_leaves_nobody_out_is_a_way_and_so_is_one_that_hides_nobody():
    """A cohort whose common values were bent by the people left out; a trial in which people are hidden for a term."""

    def weigh(literal, words):
        is_bent = literal.get("recommend", {}).get("suppression_limit") != 0
        return Weighed(use(Fitness.NO if is_bent else Fitness.WITH_LIMITS, terms=0.3))

    literal = {"treatment": [{"method": "recommended"}]}
    found = tried_by(literal, weighed(literal, RECODING, weigh, ()), held_by({}), MAY_LEAVE)
    assert found[0].way.words == "nobody left out by the recoding"
    assert "fit for use: with limits" in found[0].is_better_by(found[-1])
    assert found[0].is_answered
    assert not any(one.way.words.startswith("nobody left") for one in weighed(LITERAL, RECODING, weigh, ()))

    rare = {"at_least": 5, "within": "class", "keep": ["DS"]}
    tried = [one.way for one in weighed({"release": {"rare_terms": rare}}, None, weigh, ())]
    written = [applied({"release": {"rare_terms": rare}}, way.changes)["release"]["rare_terms"] for way in tried]
    assert rare in written
    assert {"at_least": 5, "within": "class"} in written
    assert {"at_least": 5, "within": "study"} in written
    needed = weighed({"release": {"rare_terms": rare}}, None, weigh, (), [("release", "rare_terms")])
    assert [one.way for one in needed if "whole study" in one.way.words] == []


def test_a_way_that_keeps_more_categories_of_the_main_tables_comes_first():
    def tried(n_vanished: int, lost: float) -> WayWeighed:
        one = FitForUse(Fitness.WITH_LIMITS, (), (), (), {"terms": (lost,)}, n_vanished)
        return WayWeighed(Way("", ()), Weighed(one), lost, reasons=(), is_whole=True)

    assert tried(1, 0.3).rank < tried(2, 0.1).rank
    assert tried(1, 0.1).rank < tried(1, 0.3).rank
    assert tried(1, 0.3).loses_less_than(tried(2, 0.1))


def test_a_way_is_no_worse_for_what_a_trial_of_it_foresaw():
    def tried(*reasons: Reason) -> WayWeighed:
        return WayWeighed(Way("", ()), Weighed(use(Fitness.YES)), 0.1, reasons=reasons, is_whole=True)

    told = Reason(Gravity.OUTSIDERS_CAN_SINGLE_OUT, "20 are alone.", changes=(ConfigChange.to(("K",), 3),))
    foreseen = dataclasses.replace(told, gravity=Gravity.NAMES_A_PERSON, sentence="3 would be.", is_foreseen=True)
    assert tried(foreseen, told).rank == tried(told).rank < tried(told, told).rank
    assert tried(foreseen, told).verdict == "Hold: 20 are alone."


def test_the_search_begins_from_larger_classes_that_keep_more_of_the_tables():
    """Within classes of 10 people age leaves in two bands, and the tables keep more: from there, its neighbours."""
    coarse = {"SEX": 0, "AGE": 1}
    fine = RecodingLevels({"SEX": 0, "AGE": 0}, RECODING.words)

    def weigh(literal, words):
        settings = literal["recommend"]
        taken = settings.get("fixed") or (coarse if settings.get("at_least") == 10 else fine.taken)
        if settings.get("at_least", 5) > 10:
            return None
        lost = {(0, 0): 0.4, (0, 1): 0.2, (1, 1): 0.3, (0, 2): 0.3}[tuple(taken.values())]
        return Weighed(use(Fitness.YES, terms=lost), taken)

    found = weighed({**LITERAL, "K": 5}, fine, weigh, ())
    assert found[0].way.words == "classes of 10 people or more"
    assert [tuple(one.weighed.levels.values()) for one in found] == [(0, 1), (1, 1), (0, 2), (0, 0), (0, 0)]
