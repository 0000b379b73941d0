"""Counts on one page are apart from each other, and a domain's counts from those that would give them away."""

from __future__ import annotations

from disclosure_control.basics.telling.merged_domains import ToldDomain, notes_shown
from disclosure_control.basics.telling.small_counts import EXACT, MASKED
from disclosure_control.basics.telling.told_outside import ToldCounts
from tests.cases import each


@each(
    "n_people, asked, told",
    [
        (100, [(20,), (29,), (30,), (20,), (71,)], [20, None, 30, 20, None]),
        (100, [(0,), (100,), (9,), (91,), (10,), (90,)], [0, 100, None, None, 10, 90]),
        (100, [(101,), (-1,), (None,)], [None] * 3),
        (9, [(n,) for n in range(10)], [None] * 10),
        (10, [(0,), (10,)], [0, 10]),
        (100, [(30,), (34,), (40,), (30,)], [30, None, 40, 30]),  # 34 less 30 would be four people
        (100, [(30,), (66,)], [30, None]),  # 100 less 30 is 70, and 70 less 66 would be four
        (100, [(50,), (45, 50), (20, 50)], [50, None, 20]),
        (100, [(20, 25), (20, 30), (20, 40)], [None, 20, 20]),
        (100, [(20, 40), (75,)], [20, None]),  # 80 are told beside
    ],
)  # fmt: skip
def test_counts_are_told_in_their_order(n_people, asked, told):
    page = ToldCounts(n_people)
    assert [page.tell(*one) for one in asked] == told


def test_nobody_and_everybody_are_masked_between_two_counts():
    page = ToldCounts(100)
    assert [page.tell_between(n, 40) for n in (0, 40, 100, None, 20)] == [None] * 4 + [20]
    rates = [(0.5, 40), (0.5, 30), (None, 40), (0.5, None), (0.0, 40), (1.0, 40), (0.5, 0)]
    assert [page.tell_rate(*one) for one in rates] == [0.5, *[None] * 6]


@each(
    "policy, without, collapsed, not_done, expected",
    [
        (MASKED, 0, 0, 0, ToldDomain(200, 100, 0, 0, 0)),
        (MASKED, 9, 20, 9, ToldDomain(200, None, None, 20, None)),
        (MASKED, 10, 95, 10, ToldDomain(200, 90, 10, None, 10)),  # beside it the rows of a hundred people
        (EXACT, 9, 95, 1, ToldDomain(200, 91, 9, 95, 1)),
    ],
)
def test_what_is_told_of_a_domain(policy, without, collapsed, not_done, expected):
    counts = {"rows": 200, "subjects": 100 - without, "subjects_without_record": without}
    further = {"collapsed": collapsed, "not_done": not_done} if collapsed or not_done else {}
    assert ToldDomain.of(policy, counts | further, 100) == expected
    assert notes_shown(["as it is"]) == {}
