"""Other ways to hold: which are tried, in which order they are shown, and what each line writes."""

from __future__ import annotations

from dataclasses import dataclass

from config import parse_config
from disclosure_control.basics.settings.changes import ConfigChange, applied
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.draft.ways import RecodingTaken, Way, ways_in_words, ways_of, ways_tried
from disclosure_control.study_tables.fit import FitForUse, Fitness

LITERAL = {
    "treatment": [{"method": "drop_identifiers"}, {"method": "recommended"}],
    "release": {"rare_terms": {"at_least": 5, "within": "class"}},
}
COARSER = RecodingTaken("Drop AGE", [{"method": "drop_column", "columns": ["AGE"]}])
RECODINGS = [RecodingTaken("Band AGE", [{"method": "band"}]), COARSER]
ALONE = Reason(Gravity.OUTSIDERS_CAN_SINGLE_OUT, "12 of 100 people are alone.")


@dataclass(frozen=True)
class FoundByTrial:
    reasons: tuple[Reason, ...]
    use: FitForUse | None


def use(answer: Fitness, **lost: float) -> FitForUse:
    return FitForUse(answer, "What the recipient loses: this.", (), (), {name: (one,) for name, one in lost.items()})


def test_each_recoding_is_tried_with_rare_terms_within_classes_and_in_the_study():
    found = {way.words: applied(LITERAL, way.changes) for way in ways_of(LITERAL, RECODINGS)}
    both = "Drop AGE; rare terms counted in the whole study"
    assert list(found) == ["As proposed", "rare terms counted in the whole study", "Drop AGE", both]
    assert found["As proposed"] == LITERAL
    assert found[both] == {
        "treatment": [{"method": "drop_identifiers"}, *COARSER.steps],
        "release": {"rare_terms": {"at_least": 5, "within": "study"}},
    }


def test_a_config_of_its_own_steps_keeps_them_and_one_without_rare_terms_gets_none():
    own = {"treatment": {"seed": 1, "steps": [{"method": "band"}]}, "release": {}}
    assert [way.changes for way in ways_of(own, RECODINGS)] == [()]
    seeded = {"treatment": {"seed": 1, "steps": [{"method": "recommended"}]}, "release": {}}
    _, way = ways_of(seeded, RECODINGS)
    assert applied(seeded, way.changes)["treatment"] == {"seed": 1, "steps": list(COARSER.steps)}


def test_at_most_six_ways_are_tried():
    assert len(list(ways_of(LITERAL, [*RECODINGS, *RECODINGS, *RECODINGS]))) == 6


def test_what_may_leave_comes_first_then_what_is_fit_and_loses_least_of_the_tables_that_matter():
    undone = Reason(Gravity.OUTSIDERS_CAN_SINGLE_OUT, "20 are alone.", changes=(ConfigChange.to(("K",), 3),))
    results = {
        "held": FoundByTrial((ALONE,), use(Fitness.YES, terms=0.0)),
        "undone": FoundByTrial((undone,), use(Fitness.YES, terms=0.0)),
        "bent": FoundByTrial((), use(Fitness.NO, terms=0.1)),
        "much": FoundByTrial((), use(Fitness.WITH_LIMITS, terms=0.4, shifts=0.0)),
        "little": FoundByTrial((), use(Fitness.WITH_LIMITS, terms=0.2, shifts=0.9)),
        "nothing": FoundByTrial((), None),
    }

    def run(literal):
        if "faulty" in literal["name"]:
            raise FaultyInputError("no")
        return results[literal["name"]]

    ways = [Way(name, (ConfigChange.to(("name",), name),)) for name in (*results, "faulty")]
    found = ways_tried({}, ways, run, ["terms"])
    assert [one.way.words for one in found] == ["little", "much", "bent", "held", "undone"]
    assert [one.way.words for one in ways_tried({}, ways, run, ())][:2] == ["much", "little"]
    words = "\n".join(ways_in_words({}, found, ["terms"]))
    assert "5 ways tried" in words
    assert "1. Little. Fit for use: with limits; tables lose 20%." in words
    assert "bent" in words.lower()
    assert "12 of 100" not in words  # the fourth
    assert "Hold: 12 of 100 people are alone." in "\n".join(ways_in_words({}, found[3:], ["terms"]))


def test_the_line_of_a_way_has_its_keys_whole():
    found = ways_tried(LITERAL, ways_of(LITERAL, RECODINGS), lambda literal: FoundByTrial((), use(Fitness.YES)), ())
    lines = [line for line in ways_in_words(LITERAL, found, ()) if "To choose it: " in line]
    assert len(lines) == 2
    for line, one in zip(lines, found[1:], strict=False):
        pasted = parse_config(f"config = {{{line.partition('To choose it: ')[2]}}}", "x")
        assert LITERAL | pasted == applied(LITERAL, one.way.changes)
