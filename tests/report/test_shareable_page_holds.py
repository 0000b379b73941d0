"""A solver reads the shareable page of small pilots, in its tables, drawings and embedded data, and undoes no mask."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from Anonymization_Models import MISSING_POLICIES, run_k_anonymity
from config.model_settings import validate_config
from disclosure_control.assess.assessment import Assessment, assess
from disclosure_control.basics.encoding.binning import OUT_OF_RANGE_POLICIES
from disclosure_control.basics.encoding.columns import labels_of
from disclosure_control.basics.telling.told_outside import STRICT
from disclosure_control.steps import READERS
from tests.examples import some_of
from tests.report.page_attack import FLAGGED, FLAGS, MISSING, Between, ReadPage, between, possible, told_by, unflagged
from tests.report.small_pilots import run_of
from tests.report.test_same_numbers import shipped_run

PROMISED = STRICT.threshold - 2


def a_pilot(seed: int) -> tuple[pd.DataFrame, dict]:
    """People with rare towns and gaps that go together or do not; many classes of two and three, or few."""
    chance = np.random.default_rng(seed)
    n = int(chance.integers(12, 220))
    rare = chance.choice(["ZZRARE-A", "ZZRARE-B", "ZZRARE-C"], n)
    town = np.where(chance.random(n) < chance.choice([0.03, 0.1, 0.3]), rare, "Alpha").astype(object)
    town[chance.random(n) < chance.choice([0.0, 0.3])] = "Beta"
    sex = chance.choice(["F", "M"], n, p=[0.4, 0.6]).astype(object)
    age = chance.integers(1, 90, n).astype(float)
    lab = chance.integers(0, 30, n).astype(float)
    gaps = chance.random(n)
    for column, rate in ((town, 0.2), (sex, 0.1), (age, 0.2), (lab, 0.1)):
        column[(gaps if chance.random() < 0.5 else chance.random(n)) < rate * chance.integers(0, 3)] = None
    frame = pd.DataFrame({"sex": sex, "town": town, "age": age, "lab": lab})
    config = {
        "categorical_qis": ["sex", "town"][: int(chance.integers(1, 3))],
        "continuous_qis": ["age"],
        "binning_config": {"age": list(range(0, 81, int(chance.choice([5, 20, 40]))))},
        "sensitive_feature": "lab",
        "sensitive_binning_config_for_L": {"lab": [0, 10, 20, 30]},
        "K": int(chance.integers(2, 12)),
        "L": int(chance.integers(1, 4)),
        "T": float(chance.choice([0.5, 2, 5.5, 12])),
        "missing_qis": str(chance.choice(MISSING_POLICIES)),
        "out_of_range": str(chance.choice(OUT_OF_RANGE_POLICIES)),
        "risk": "all",
        "recommend": {"time_limit": 5},
        "treatment": [{"method": "recommended"}],
    }
    return frame, config


def page_of(frame, config, folder):
    run = run_of(frame, config, folder)
    return ReadPage.of(run.shareable_page()), run.assessment


def true_counts(unknowns, assessment) -> dict:
    """Every unknown number as it is: by quasi-identifier, label, gaps and flags."""
    names, config = assessment.config.quasi_identifiers, assessment.config
    of_record = assessment.classes
    columns = dict(zip(names, of_record.columns, strict=True))
    risky = {p: run_k_anonymity(None, names, config.K, p, of_record).risky for p in ("category", "wildcard")}
    flags = np.where(risky["wildcard"], FLAGS[0], np.where(risky["category"], FLAGS[1], FLAGS[2]))
    lacks = {name: column.codes < 0 for name, column in columns.items()}
    counts = {}
    for gap in unknowns.gaps:
        of_gap = np.all([lacks[name] == (name in gap) for name in names], axis=0)
        for flag in FLAGS:
            who = of_gap & (flags == flag)
            counts[gap, flag] = int(who.sum())
            for name, column in columns.items():
                if name not in gap:
                    for code, label in enumerate(labels_of(column)):
                        counts[name, label, gap, flag] = int((who & (column.codes == code)).sum())
    return counts


def undone(page: ReadPage, assessment: Assessment) -> list[str]:
    """The small counts that sums of what the page tells pin down closer than is promised."""
    policy, names = assessment.config.missing_qis, assessment.config.quasi_identifiers
    labels = {n: labels_of(c) for n, c in zip(names, assessment.classes.columns, strict=True)}
    told, unknowns = told_by(page, labels, policy)
    true = true_counts(unknowns, assessment)
    questions = {
        f"lack {sorted(gap)}, {flags}": unknowns.people([gap], flags)
        for gap in unknowns.gaps
        for flags in (FLAGS, FLAGGED[policy], unflagged(policy))
    }
    for name in names:
        for label in (MISSING, *labels[name]):
            for flags in (FLAGS, FLAGGED[policy], unflagged(policy)):
                questions[f"{name} {label}, {flags}"] = unknowns.of_label(name, label, policy, flags)
    found = []
    for words, wanted in questions.items():
        n = sum(true[one] for one in wanted)
        if STRICT.are_small(np.array(n)):
            low, high = told.interval(wanted)
            assert low - 1e-6 <= n <= high + 1e-6, words
            if high - low < PROMISED - 1e-6:
                found.append(f"{words}: {low} to {high}")
    return found


@pytest.mark.thorough("0.5 s")
@pytest.mark.parametrize("seed", some_of(range(30)))
def test_no_sum_and_no_division_into_classes_of_what_the_page_tells_undoes_a_mask(seed, tmp_path):
    frame, config = a_pilot(seed)
    page, assessment = page_of(frame, config, tmp_path)
    assert undone(page, assessment) == []
    if config["missing_qis"] != "wildcard":  # what matches anything forms no classes
        assert divided(page) == []


@pytest.mark.thorough("5 s each")
@pytest.mark.parametrize(("name", "keys"), [("PENTELI", {}), ("SDTM_DEMO", {"risk": "all", "recommend": {}})])
def test_no_mask_of_a_shipped_pilot_is_undone(name, keys, tmp_path, monkeypatch):
    results = shipped_run(name, keys, tmp_path, monkeypatch)
    page = ReadPage.of((results / f"{name}_privacy_report_shareable.html").read_text(encoding="utf-8"))
    summary = json.loads((results / f"{name}_privacy_summary.json").read_text(encoding="utf-8"))
    frame = pd.read_csv(results / "combined_dataset.csv", keep_default_na=False, na_values=[""])
    assessment = assess(frame, validate_config(summary["config"], frame.columns, READERS))
    assert undone(page, assessment) == []
    assert divided(page) == []


@pytest.mark.thorough("0.8 s")
def test_the_attacker_undoes_a_page_without_masks(tmp_path, monkeypatch):
    """Or no test here would show anything."""
    monkeypatch.setattr("disclosure_control.basics.telling.told_outside.ToldCounts.tell", lambda self, n, whole=None: n)
    monkeypatch.setattr(type(STRICT), "are_small", lambda self, counts: np.zeros(np.shape(counts), dtype=bool))
    page, assessment = page_of(*a_pilot(1), tmp_path)
    monkeypatch.undo()
    names = assessment.config.quasi_identifiers
    labels = {n: labels_of(c) for n, c in zip(names, assessment.classes.columns, strict=True)}
    told, unknowns = told_by(page, labels, assessment.config.missing_qis)
    cells = [[cell] for cell in unknowns.people() if true_counts(unknowns, assessment)[cell] in range(1, 10)]
    assert any(told.width(one) < PROMISED for one in cells)


def narrow(stretch: Between) -> list[str]:
    """What can be told of the classes in a stretch that was not to be: masked numbers, and people of a small size.

    Where there may be no class of a size, its people are not told; nor is anything by a number that is a told one.
    """
    of_size, below = possible(stretch)
    told = ({stretch.before}, {stretch.before + stretch.people})
    masked = [size for size in stretch.sizes[1:] if below[size] not in told]
    small = [size for size in stretch.sizes if masked and size < STRICT.threshold and 0 not in of_size[size]]
    known = [size for size in small if width(of_size[size]) < PROMISED]
    found = [f"people in classes of {size}: {sorted(of_size[size])}" for size in known]
    return found + [f"k < {size}: {sorted(below[size])}" for size in masked if width(below[size]) < PROMISED]


def width(numbers: set[int]) -> int:
    return max(numbers) - min(numbers)


def divided(page: ReadPage) -> list[str]:
    """What the class sizes give away on a whole page."""
    (curve, *_) = page.data["curves"]
    if curve["evaluated"] is None:
        return []
    return [words for one in between(page.numbers_of_classes(), curve["evaluated"]) for words in narrow(one)]


def test_the_attacker_divides_by_class_sizes():
    """Ten people in classes of three and four: two of three, one of four, and nothing else."""
    stretch = next(between([(3, 20), (4, None), (5, 30)], 30))
    assert possible(stretch) == ({3: {6}, 4: {4}}, {3: {20}, 4: {26}})
    assert narrow(stretch) == ["people in classes of 3: [6]", "people in classes of 4: [4]", "k < 4: [26]"]


def test_the_attacker_knows_that_a_masked_number_is_not_the_told_one_beside():
    """33 people in classes of 6 to 8, some of them of 6 and some of 8: three of 6, one of 7, one of 8."""
    stretch = next(between([(6, 71), (7, None), (8, None), (9, 104)], 200))
    assert possible(stretch)[0] == {6: {18}, 7: {7}, 8: {8}}
