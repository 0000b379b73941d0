"""What the figures on sets of facts disclose of groups that are masked."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from Anonymization_Models import EquivalenceClasses
from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.measures.key_sets import attribute_effects, key_sets
from disclosure_control.steps.risk.sections.attribute_effects import effect_told
from disclosure_control.steps.risk.sections.key_sets import facts_together

# People by sex in two named age groups; "above" and "missing" of the age are masked, and small.
NAMED = [(60, 45), (52, 71)]
SPLITS = [split for split in product(range(10), repeat=2) if 0 < sum(split) < 10]


def classes_of(above: tuple[int, int], missing: tuple[int, int]) -> EquivalenceClasses:
    """The people by sex, age and one of three districts, in the same proportion everywhere but for the few."""
    cells = [(sex, age, n) for age, of_sex in enumerate([*NAMED, above, missing]) for sex, n in enumerate(of_sex) if n]
    sex, age, n = np.array(cells).T
    age = np.where(age == 3, -1, age)  # missing
    labels = (np.array(["F", "M"]), np.array(["0--50", "50--90", ">90"]), np.array(["all"]))
    return EquivalenceClasses(("SEX", "AGE", "AREA"), labels, np.array([sex, age, np.zeros(len(n), int)]), n)


def published(above: tuple[int, int], missing: tuple[int, int]) -> str:
    """What the two sections say of all sets but that of all quasi-identifiers, whose figures are the pilot's totals."""
    classes = classes_of(above, missing)
    n = classes.n_records
    sets = [facts_together(MASKED, one, n) for one in key_sets(classes, 2)]
    effects = [effect_told(MASKED, one, n) for one in attribute_effects(classes)]
    return repr([sets, [(one.unique_rate_alone, one.unique_rate_without) for one in effects], n])


@pytest.mark.thorough("5 s: all divisions of two small groups among two sexes")
def test_sets_of_facts_by_thresholds_do_not_pin_masked_groups():
    """Attack: k <= 2, 5, 10, 20 of DM__AGE with DM__SEX left two of 81 pairs for its "above" and "missing".

    Whoever knows the named groups, and how many people there are, tries all pairs: as many fit as without the figures.
    """
    pairs: dict[str, set[tuple[int, int]]] = {}
    for above, missing in product(SPLITS, repeat=2):
        pairs.setdefault(published(above, missing), set()).add((sum(above), sum(missing)))
    by_total: dict[int, set[tuple[int, int]]] = {}
    for pair in product(range(1, 10), repeat=2):
        by_total.setdefault(sum(pair), set()).add(pair)
    for fitting in pairs.values():
        assert fitting == by_total[sum(next(iter(fitting)))]


def test_a_few_divisions_of_masked_groups_read_alike():
    alike = [((9, 0), (0, 2)), ((1, 1), (8, 1)), ((4, 2), (5, 0)), ((0, 1), (9, 1))]  # nine and two more by sex
    assert len({published(*one) for one in alike}) == 1


def test_numbers_in_steps_never_end_in_a_short_one():
    assert [MASKED.in_steps(n, 61) for n in (0, 19, 20, 40, 41, 59, 60, 61)] == [0, 0, 20, 40, 40, 40, 40, 61]
    assert MASKED.rate_in_steps(1.0, 61, 61) == pytest.approx(40 / 61)
    assert MASKED.rate_in_steps(0.3, 61, 61) is None
