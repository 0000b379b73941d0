"""Published and hand-worked tables: which cells a rule names, which are hidden with them, what stays possible."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.table_protection.blocks import Counted
from disclosure_control.table_protection.cells import link_blocks
from disclosure_control.table_protection.houses import HouseRules, house_by_name, known_houses
from disclosure_control.table_protection.moves import Promises, Reader
from disclosure_control.table_protection.primary import Concern, concerns_of
from disclosure_control.table_protection.protection import ProtectionMethod, protect_tables
from disclosure_control.table_protection.suppression import hide_further
from tests.cases import each
from tests.table_protection.tables import block, dimension

COUNTS = HouseRules("test", "test", minimum=10)
# Fischetti and Salazar 2000, table 1: investment by activity and region.
INVESTMENT = [[20, 50, 10], [8, 19, 22], [17, 32, 12]]
ACTIVITY, REGION = dimension("activity", ["I", "II", "III"]), dimension("region", ["A", "B", "C"])


def reader_of_investment() -> tuple[Reader, np.ndarray]:
    linked = link_blocks([block("investment", [ACTIVITY, REGION], INVESTMENT)], ["table"])
    return Reader.of(linked.system), linked.places[0]


def test_the_published_pattern_leaves_what_is_published():
    """With II and III of A and C hidden, activity II in region C is between 5 and 30, as the paper finds."""
    reader, place = reader_of_investment()
    reader.hide(place[np.ix_([1, 2], [0, 2])].ravel())
    cell = place[1, 2]
    goal = np.zeros(len(reader.base))
    everywhere, far = np.ones(len(goal), dtype=bool), np.full(len(goal), 1000.0)
    for sign, end in ((1.0, 30), (-1.0, 5)):
        goal[cell] = sign
        assert reader.move(goal, far, everywhere)
        assert reader.base[cell] + reader.moves[-1][cell] == end


def test_as_few_cells_as_in_the_publication_are_hidden():
    """The cell of 22 with 5 up and down needs three more cells, which hide 46 together there at least."""
    reader, place = reader_of_investment()
    promises = Promises.of([Concern(int(place[1, 2]), "the paper's", up=5, down=5)], len(reader.base))
    reader.hide(promises.cells)
    no_cell = np.zeros(len(reader.base), dtype=bool)
    failed = hide_further(reader, promises, [np.unique(place)], reader.base, no_cell)
    assert not len(failed)
    assert int(reader.free.sum()) == 4
    up, down = reader.reach()
    assert up[place[1, 2]] >= 5
    assert down[place[1, 2]] >= 5


def test_each_house_reads():
    assert known_houses() == ["eurostat", "opensafely", "sdc_handbook"]
    assert [house_by_name(name).minimum for name in known_houses()] == [10, 8, 10]
    assert "dominance" in house_by_name("eurostat").not_confirmed
    assert house_by_name("opensafely").not_confirmed == ()


@each("house, minimum", [("eurostat", 10), ("opensafely", 8), ("sdc_handbook", 10)])
def test_the_smallest_count_that_is_shown_is_the_published_one(house, minimum):
    rules = house_by_name(house)
    given = block("people", [dimension("site", ["a", "b", "c", "d", "e"])], [minimum - 1, minimum, 50, 60, 1])
    (found,) = protect_tables([given], ["table"], rules).blocks
    assert found.is_primary.tolist()[:2] == [True, False]
    assert found.is_primary[4]


def rules_of(given, rules: HouseRules) -> set[str]:
    return {one.rule for one in concerns_of(link_blocks([given], ["table"]), rules)}


def test_a_row_with_everybody_in_one_column_is_found_and_an_empty_column_is_no_way_out():
    outcome = dimension("outcome", ["ill", "well", "unknown"])
    full = block("people", [ACTIVITY, outcome], [[20, 30, 0], [0, 25, 0], [40, 15, 0]])
    rule = "nearly all people of a row in one column"
    assert rule not in rules_of(full, COUNTS)
    assert rule in rules_of(full, dataclasses.replace(COUNTS, full_row_percent=100))
    (found,) = protect_tables([full], ["table"], dataclasses.replace(COUNTS, full_row_percent=100)).blocks
    assert np.isnan(found.released[1]).sum() >= 2
    nobody_else = block("people", [ACTIVITY, outcome], [[0, 30, 0], [0, 25, 0], [0, 15, 0]])
    assert rules_of(nobody_else, dataclasses.replace(COUNTS, full_row_percent=100)) == set()


def test_ninety_percent_of_a_row_is_eurostats_rule():
    given = block("people", [ACTIVITY, dimension("outcome", ["ill", "well"])], [[91, 1000], [180, 20], [50, 50]])
    assert "nearly all people of a row in one column" in rules_of(given, house_by_name("eurostat"))


def sums(values, largest, **more):
    dimensions = [dimension("site", ["a", "b", "c"])]
    shape = (len(values) + 1,)
    contributors = np.zeros((*shape, len(largest[0])))
    contributors[:-1] = largest
    return block("cost", dimensions, values, counted=Counted.SUM, largest=contributors, **more)


def test_dominance_and_p_percent_as_worked_by_hand():
    """Hundepool et al. 2012, section 4.2: what has to stay possible is 100/k of the n largest, or p% of the largest."""
    given = sums([100.0, 100.0, 100.0], [[60, 10], [30, 30], [52, 47]])
    linked = link_blocks([given], ["table"])
    found = concerns_of(linked, dataclasses.replace(COUNTS, dominance=((1, 50),), p_percent=10))
    cells = linked.places[0]
    asked = {(one.cell, one.rule.split()[0]): one.up for one in found}
    assert asked == {(cells[0], "1"): 20.0, (cells[2], "1"): pytest.approx(4.0), (cells[2], "the"): pytest.approx(4.2)}


def test_a_mean_of_few_people_and_those_that_would_give_it_are_hidden():
    people = block("people", [dimension("site", ["a", "b", "c", "d"])], [4, 40, 50, 60])
    ages = np.array([4 * 30.0, 40 * 50.0, 50 * 60.0, 60 * 41.0])
    given = block("age", people.dimensions, ages, counted=Counted.SUM, people=people.values, people_in=0)
    counts, means = protect_tables([people, given], ["table", "table"], COUNTS).blocks
    assert np.isnan(counts.released).sum() >= 2
    assert (np.isnan(means.released) >= np.isnan(counts.released)).all()


def test_people_with_an_event_leave_those_without_it_in_peace():
    """38 of 40 people have it: those who have not are 2."""
    arm = dimension("arm", ["a", "b"])
    of = block("people", [arm], [40, 45])
    with_event = block("with event", [arm], [38, 20], whole_of=("people", ("arm",)))
    of_all, events = protect_tables([of, with_event], ["table", "table"], COUNTS).blocks
    assert np.isnan(events.released[0]) or np.isnan(of_all.released[0])


def test_overlapping_parts_bound_their_whole_and_do_not_add_up():
    term = dimension("term", ["headache", "nausea", "rash"], overlaps=True)
    values = [30, 30, 6, 40]
    given = block("with event", [term], values[:3])
    given = dataclasses.replace(given, values=np.array(values, dtype=float))
    (found,) = protect_tables([given], ["table"], COUNTS).blocks
    assert np.isnan(found.released).tolist() == [False, False, True, False]


def test_subtotals_are_totals():
    parents = {"north": ("a", "b"), "south": ("c", "d"), "Total": ("north", "south")}
    given = block("people", [dimension("site", "abcd", sums=parents)], [3, 30, 40, 50])
    (found,) = protect_tables([given], ["table"], COUNTS).blocks
    assert np.isnan(found.released).sum() >= 2
    assert np.isnan(found.released[[1, 4]]).any()


def test_an_earlier_table_is_not_subtracted():
    site = dimension("site", ["a", "b", "c"])
    now = block("people", [site], [43, 50, 60])
    earlier = block("people in 2025", [site], [40, 50, 60], whole_of=("people", ("site",)))
    earlier = dataclasses.replace(earlier, fixed=np.ones(4, dtype=bool))
    found = protect_tables([now, earlier], ["table", "table"], COUNTS).blocks[0]
    assert np.isnan(found.released[0])
    assert np.isnan(found.released[3])


def test_rounded_tables_add_up():
    chance = np.random.default_rng(5)
    given = block("people", [ACTIVITY, REGION], chance.integers(0, 40, (3, 3)))
    (found,) = protect_tables([given], ["table"], COUNTS, ProtectionMethod.ROUND).blocks
    released = found.released
    assert (released % 10 == 0).all()
    assert np.array_equal(released[:-1].sum(axis=0), released[-1])
    assert np.array_equal(released[:, :-1].sum(axis=1), released[:, -1])
    assert np.abs(released - found.block.values).max() < 10


def test_every_wrong_total_and_every_disagreement_is_a_fault_at_once():
    site = dimension("site", ["a", "b"])
    wrong = dataclasses.replace(block("people", [site], [1, 2]), values=np.array([1.0, 2.0, 4.0]))
    with pytest.raises(FaultyInputError, match="1 of its totals are not the sum") as caught:
        protect_tables([wrong, wrong], ["one.csv", "two.csv"], COUNTS)
    assert len(caught.value.faults) == 2
    other = block("people", [site], [1, 3])
    with pytest.raises(FaultyInputError, match=r"two.csv: 2 cells have another number than the same cells of one.csv"):
        protect_tables([block("people", [site], [1, 2]), other], ["one.csv", "two.csv"], COUNTS)


def test_a_house_with_faults_has_all_of_them_named():
    with pytest.raises(FaultyInputError, match="did you mean 'opensafely'"):
        house_by_name("opensafly")
