"""Utility: other tools' figures, definitions worked by hand, slow referees, and properties over the registry."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from config.model_settings import validate_config
from disclosure_control.analyses.sweep.utility import MEASURES, OriginalPilot, flat_figures, measure_utility
from disclosure_control.analyses.sweep.utility.analyses import fit_regression
from disclosure_control.analyses.sweep.utility.comparison import Analyses, correlations, released_numbers
from disclosure_control.analyses.sweep.utility.information_loss import il1s, loss_of_column, precision_of_column
from disclosure_control.basics.encoding.hierarchies import read_hierarchy
from disclosure_control.basics.settings.fields import typed
from disclosure_control.basics.telling.faults import FaultyInputError
from tests.cases import each, quick
from tests.examples import examples
from tests.places import SHARED

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared oracles are not beside this clone")
BRIEF = examples(50)
every_measure = pytest.mark.parametrize("name", MEASURES)


def config_of(categorical=(), continuous=(), sensitive=()):
    literal = {
        "categorical_qis": list(categorical),
        "continuous_qis": list(continuous),
        "binning_config": {},
        "sensitive_feature": list(sensitive),
        "K": 2,
        "L": dict.fromkeys(sensitive, 2),
        "T": dict.fromkeys(sensitive, 0.5),
    }
    return validate_config(literal)


def figures(original, released, config, positions=None, eigenvalue_columns=None, **more):
    pilot = OriginalPilot(original, config, eigenvalue_columns, **more)
    return measure_utility(pilot.compare(released, positions)).figures


# ---------------------------------------------------------------- sdcMicro


def microaggregated():
    path = SHARED / "oracles" / "sdcmicro" / "cases.json"
    cases = json.loads(path.read_text())["cases"] if path.is_file() else []
    return [case for case in cases if case["fn"] == "microaggregation" and case["rows"]]


@needs_shared
@pytest.mark.parametrize("case", quick(3, microaggregated(), "0.1 s"), ids=lambda case: case["id"])
def test_il1s_and_eigenvalues_are_those_of_sdcmicro(case):
    names, folder = case["params"]["variables"], SHARED / "oracles" / "sdcmicro"
    original = pd.read_csv(folder / "data" / f"{case['data']}.csv")[names].astype(float)
    released = pd.read_csv(folder / case["rows"])[names].astype(float)
    found = figures(original, released, config_of(continuous=names))
    assert found["IL1s"] == pytest.approx(case["scalars"]["IL1s"], rel=1e-12)
    assert found["eigenvalue_distance"] == pytest.approx(case["scalars"]["eigen"], rel=1e-9, abs=1e-13)


@needs_shared
def test_there_are_cases_of_sdcmicro_to_compare_with():
    assert len(microaggregated()) >= 10


# ---------------------------------------------------------------- ARX

ADULT = ["sex", "age", "race", "marital-status", "education"]


@pytest.fixture(scope="module")
def adult():
    folder = SHARED / "data" / "adult"
    frame = pd.read_csv(folder / "adult.csv", sep=";", dtype="str")[ADULT]
    return frame, {name: read_hierarchy(folder / f"adult_hierarchy_{name}.csv") for name in ADULT}


@pytest.mark.thorough("1 s: many draws; one of each kind in the quick run")
@needs_shared
@pytest.mark.parametrize(
    "row", [100, *(pytest.param(row, marks=pytest.mark.thorough("0.6 s")) for row in (0, 1, 7, 50, 188, 200, 238, 239))]
)
def test_loss_precision_and_classes_are_those_of_arx(adult, row):
    """Each node of the lattice: suppressed records with stars, and then without those records, cost the same."""
    frame, hierarchies = adult
    arx = pd.read_csv(SHARED / "oracles" / "arx" / "lattice_adult5_k5.csv", sep=";").iloc[row]
    coarse = pd.DataFrame({name: hierarchies[name].generalise(frame[name], int(arx[name])) for name in ADULT})
    small = (coarse.groupby(ADULT)["sex"].transform("size") < 5).to_numpy()
    # Where every column is at its top, nothing of anybody is left, and ARX calls that suppressed.
    assert arx["suppressed"] == ((coarse == "*").all(axis=1) | small).sum()
    pilot = OriginalPilot(frame, config_of(ADULT), hierarchies=hierarchies)
    with_stars = pilot.compare(coarse.apply(lambda column: column.mask(small, "*")))
    without = pilot.compare(coarse[~small], np.flatnonzero(~small))
    for comparison in (with_stars, without):
        found = measure_utility(comparison).figures
        # ARX multiplies with rounding of its own.
        assert found["loss_from_exact_values"] == pytest.approx(arx["loss"], rel=1e-9)
        assert 1 - found["precision_from_exact_values"] == pytest.approx(arx["prec"], abs=1e-12)
        assert found["discernibility"] == arx["dm"]
        assert found["average_class_size"] == pytest.approx(arx["aecs"], rel=1e-14)
    # ARX adds what the coarse values cost and what suppressing coarse values costs on top; we see the release alone.
    two_steps = 0.0
    for name in ADULT:
        people, coarse_people = frame[name].value_counts(), coarse[name].value_counts()
        two_steps += np.log2(coarse[name].map(coarse_people) / frame[name].map(people)).sum()
        of_small = coarse[name][small].map(coarse[name][small].value_counts())
        two_steps += np.log2(small.sum() / of_small).sum()
    assert two_steps == pytest.approx(arx["nue"], rel=1e-12)
    if not small.any():
        assert measure_utility(with_stars).figures["non_uniform_entropy_bits"] == pytest.approx(arx["nue"], rel=1e-12)
    else:
        assert measure_utility(with_stars).figures["non_uniform_entropy_bits"] > arx["nue"]


@pytest.mark.thorough("0.3 s")
@needs_shared
def test_without_a_hierarchy_the_domain_are_the_original_values(adult):
    """Where every leaf occurs in the data, ARX's figure comes out of the data alone."""
    frame, hierarchies = adult
    for name in ("sex", "race", "marital-status", "education"):
        coarse = frame.assign(**{name: hierarchies[name].generalise(frame[name], 1)})
        column = OriginalPilot(frame, config_of(ADULT)).compare(coarse).columns[name]
        assert loss_of_column(column) == pytest.approx(loss_of_column(column, hierarchies[name]), rel=1e-12)


# ---------------------------------------------------------------- by hand

FRAME = pd.DataFrame({"sex": list("FFMM"), "age": [20.0, 30.0, 40.0, 60.0], "lab": [1.0, 2.0, 3.0, 5.0]})
CONFIG = config_of(["sex"], ["age"], ["lab"])


def test_il1_by_hand():
    released = FRAME.assign(sex=list("FMMM"), age=[25.0, 25.0, 45.0, 60.0])
    found = figures(FRAME, released, CONFIG)
    assert found["IL1_numeric"] == pytest.approx((5 + 5 + 5 + 0) / 4 / 40)  # lab did not change and is not averaged in
    assert found["IL1_categorical"] == pytest.approx(1 / 4)
    assert found["IL1_overall"] == pytest.approx((15 / 160 + 1 / 4) / 2)
    assert found["IL1_mean"] == pytest.approx((15 / 160 + 1 / 4) / 3)  # over sex, age and lab
    assert found["IL1s"] == pytest.approx(15 / (math.sqrt(2) * FRAME["age"].std()))


def test_what_is_no_longer_there_counts_in_full():
    stars = figures(FRAME, FRAME.assign(sex=["*", "F", "M", "M"], age=["20", "30", "40", ">50"]), CONFIG)
    removed = figures(FRAME, FRAME.iloc[[2, 0, 1]], CONFIG, [2, 0, 1])
    dropped = figures(FRAME, FRAME.drop(columns=["age"]), CONFIG)
    assert (stars["IL1_categorical"], stars["IL1_numeric"]) == (1 / 4, 1 / 4)
    assert (removed["IL1_categorical"], removed["IL1_numeric"]) == (1 / 4, 1 / 4)
    assert (dropped["IL1_categorical"], dropped["IL1_numeric"]) == (0.0, 1.0)
    assert dropped["kolmogorov_smirnov"]["age"] is None
    assert dropped["mean_change"] == {"age": None, "lab": 0.0}


def test_what_was_lost_is_counted_aloud():
    released = FRAME.assign(sex=["*", "**", "M", "M"], age=["20", "30", None, ">50"]).iloc[[1, 2, 3]]
    utility = measure_utility(OriginalPilot(FRAME, CONFIG).compare(released, [1, 2, 3]))
    assert (utility.n_original, utility.n_compared, utility.n_removed) == (4, 3, 1)
    assert utility.n_values_lost == 2  # one sex, one age, of the records still there
    assert utility.n_values_unread == 1


def test_records_are_matched_by_position_and_not_by_order_or_index():
    released = FRAME.iloc[[3, 1]].set_index(pd.Index([1, 3]))
    found = figures(FRAME, released, CONFIG, [3, 1])
    assert found["IL1_numeric"] == found["IL1_categorical"] == 1 / 2
    assert figures(FRAME, released, CONFIG, [1, 3])["IL1_numeric"] > 1 / 2
    for positions in ([1], [1, 1], [0, 1, 2]):
        with pytest.raises(FaultyInputError, match="each needs one of its own"):
            figures(FRAME, released, CONFIG, positions)


def test_a_missing_original_is_no_loss_and_a_value_from_nowhere_is():
    frame = FRAME.assign(age=[20.0, np.nan, 40.0, 60.0], sex=["F", None, "M", "M"])
    assert figures(frame, frame.assign(sex=["F", "*", "M", "M"]), CONFIG)["IL1_overall"] == 0.0
    found = figures(frame, frame.fillna({"age": 30.0, "sex": "F"}), CONFIG)
    assert (found["IL1_numeric"], found["IL1_categorical"]) == (1 / 4, 1 / 4)


def test_coarser_values_by_hand():
    """Ages 20 and 30 become one of two halves: each may stand for 2 of 4 values, held by 2 of 4 people."""
    found = figures(FRAME, FRAME.assign(age=["20--40", "20--40", "40--60", "40--60"]), config_of((), ["age"]))
    assert found["loss_from_exact_values"] == pytest.approx((4 * 2 / 4 - 4 / 4) / (4 - 4 / 4))
    assert found["precision_from_exact_values"] == pytest.approx(1 - math.log(2) / math.log(4))
    assert found["non_uniform_entropy_bits"] == pytest.approx(4.0)
    assert found["entropy_lost_percent"] == pytest.approx(50.0)
    assert (found["discernibility"], found["average_class_size"]) == (8.0, 2.0)
    assert found["IL1_numeric"] == pytest.approx((10 + 0 + 10 + 10) / 4 / 40)  # by the middle, 30 and 50


def test_perturbation_costs_no_precision():
    """M became F once: F still reads as F alone. The change is IL1's to see."""
    found = figures(FRAME, FRAME.assign(sex=list("FFMF")), config_of(["sex"]))
    unseen = ("loss_from_exact_values", "precision_from_exact_values", "non_uniform_entropy_bits")
    assert [found[name] for name in unseen] == [0.0, 1.0, 0.0]
    assert found["IL1_categorical"] == 0.25
    # Truncated midpoints are original values too; but there each value became one other, which is recoding.
    ages = pd.DataFrame({"age": [20.0, 22.0, 24.0, 31.0]})
    recoded = figures(ages, ages.assign(age=[22.0, 22.0, 22.0, 32.0]), config_of((), ["age"]))
    assert recoded["loss_from_exact_values"] == pytest.approx(((3 * 3 + 1) / 4 - 1) / 3)


def test_local_recoding_covers_what_became_the_value():
    ages = pd.DataFrame({"age": [20.0, 20.0, 30.0, 40.0]})
    found = figures(ages, ages.assign(age=["20--30", "20", "20--30", "40"]), config_of((), ["age"]))
    assert found["loss_from_exact_values"] == pytest.approx(((2 + 1 + 2 + 1) / 3 - 4 / 3) / (4 - 4 / 3))


def test_precision_takes_the_level_of_a_hierarchy():
    from disclosure_control.basics.encoding.hierarchies import build_hierarchy

    tree = build_hierarchy([("F", "person", "*"), ("M", "person", "*")], "sex")
    column = OriginalPilot(FRAME, CONFIG).compare(FRAME.assign(sex="person")).columns["sex"]
    assert precision_of_column(column, tree) == 0.5
    assert loss_of_column(column, tree) == 1.0


@each(
    ("label", "number"),
    [
        ("0--6", 3.0),
        ("-5--5", 0.0),
        ("-5---1", -3.0),
        ("45-60", 52.5),
        ("[18,65)", 41.5),
        ("1e1--3e1", 20.0),
        ("7", 7.0),
        ("<0", np.nan),
        (">90", np.nan),
        ("*", np.nan),
        ("60--45", np.nan),
        ("12xxxx", np.nan),
        ("a|b", np.nan),
    ],
)
def test_released_labels_read_as_numbers(label, number):
    assert released_numbers(np.array([label], dtype=object))[0] == pytest.approx(number, nan_ok=True)


def test_codes_stay_categories_and_other_columns_are_found_out():
    frame = FRAME.assign(code=["01", "02", "03", "04"], weight=["50", "60", "70", "80"], note=list("abcd"))
    released = frame.assign(code=["01", "01", "03", "03"], weight=["55", "55", "75", "75"], note=list("abcx"))
    comparison = OriginalPilot(frame, CONFIG).compare(released)
    kinds = {name: column.is_numeric for name, column in comparison.columns.items()}
    assert kinds == {"sex": False, "age": True, "lab": True, "code": False, "weight": True, "note": False}
    assert measure_utility(comparison).figures["IL1_numeric"] == pytest.approx(5 / 30)
    assert set(OriginalPilot(frame, CONFIG).compare(frame).columns) == {"sex", "age", "lab"}


def test_columns_to_compare_must_be_there_and_be_numbers():
    with pytest.raises(FaultyInputError, match="column 'wieght' is not in the dataset"):
        OriginalPilot(FRAME, CONFIG, ["age", "wieght"])
    with pytest.raises(FaultyInputError, match="column 'sex': fewer than 10 of 4 values are text"):
        OriginalPilot(FRAME, CONFIG, ["age", "sex"]).compare(FRAME)


# ---------------------------------------------------------------- correlations, analyses


def test_eigenvalue_similarity_by_hand():
    """Two columns with correlation r have the eigenvalues 1 + r and 1 - r: similarity is 100 (1 - |r' - r|)."""
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": [1.0, 3.0, 2.0, 4.0]})
    released = frame.assign(b=[3.0, 1.0, 4.0, 2.0])
    r, s = np.corrcoef(frame.T)[0, 1], np.corrcoef(released.T)[0, 1]
    found = figures(frame, released, config_of((), ["a", "b"]))
    assert found["eigenvalue_similarity_percent"] == pytest.approx(100 * (1 - abs(abs(r) - abs(s))))
    assert found["correlation_change"] == pytest.approx(abs(r - s))
    constant = figures(frame, frame.assign(b=1.0), config_of((), ["a", "b"]))
    assert constant["eigenvalue_similarity_percent"] == pytest.approx(100 * (1 - abs(r)))
    assert figures(frame, frame, config_of((), ["a"]))["eigenvalue_similarity_percent"] is None


def test_correlations_delete_pairwise_and_forget_the_order():
    generator = np.random.default_rng(1)
    numbers = generator.normal(size=(200, 3))
    numbers[generator.random((200, 3)) < 0.2] = np.nan
    found = correlations(list(numbers.T))
    both = ~np.isnan(numbers[:, [0, 2]]).any(axis=1)
    assert found[0, 2] == pytest.approx(np.corrcoef(numbers[both, 0], numbers[both, 2])[0, 1], abs=1e-13)
    shuffled = numbers[generator.permutation(200)]
    assert (correlations(list(shuffled.T)) == found).all()


ANALYSES = typed(
    Analyses,
    {"means": {"value": "lab", "by": ["sex"]}, "regression": {"outcome": "lab", "predictors": ["age"]}},
)


def test_a_table_of_means_by_hand():
    """Means by sex are 1.5 and 4. With everybody in one group it is 2.75: off by 1.25 for each."""
    deviation = FRAME["lab"].std()
    found = figures(FRAME, FRAME.assign(sex="person"), CONFIG, analyses=ANALYSES)
    assert found["means_error"] == pytest.approx(1.25 / deviation)
    renamed = figures(FRAME, FRAME.assign(sex=["w", "w", "m", "m"]), CONFIG, analyses=ANALYSES)
    assert renamed["means_error"] == 0.0
    removed = figures(FRAME, FRAME.iloc[[0, 2, 3]], CONFIG, [0, 2, 3], analyses=ANALYSES)
    assert removed["means_error"] == pytest.approx((0.5 + 0 + 0) / 3 / deviation)  # group F is now at 1, was at 1.5


def test_the_regression_is_that_of_scipy():
    line = stats.linregress(FRAME["age"], FRAME["lab"])
    comparison = OriginalPilot(FRAME, CONFIG, analyses=ANALYSES).compare(FRAME)
    fit = fit_regression(comparison, comparison.analyses.regression, released=False)
    assert fit.coefficients == {"intercept": pytest.approx(line.intercept), "age": pytest.approx(line.slope)}
    assert fit.r_squared == pytest.approx(line.rvalue**2)
    assert fit.n_used == 4
    assert measure_utility(comparison).figures["regression_error"] == 0.0


def test_the_error_of_a_regression_by_hand():
    bands = FRAME.assign(age=[25.0, 25.0, 45.0, 65.0])
    line, banded = stats.linregress(FRAME["age"], FRAME["lab"]), stats.linregress(bands["age"], bands["lab"])
    gap = (line.intercept + line.slope * FRAME["age"]) - (banded.intercept + banded.slope * bands["age"])
    found = figures(FRAME, bands, CONFIG, analyses=ANALYSES)
    assert found["regression_error"] == pytest.approx(gap.abs().mean() / FRAME["lab"].std())


def test_categories_enter_a_regression_and_their_names_stay_out_of_sight():
    analyses = typed(Analyses, {"regression": {"outcome": "lab", "predictors": ["age", "sex"]}})
    comparison = OriginalPilot(FRAME, CONFIG, analyses=analyses).compare(FRAME)
    fit = fit_regression(comparison, comparison.analyses.regression, released=False)
    design = np.column_stack([np.ones(4), FRAME["age"], FRAME["sex"] == "M"])
    expected = design @ np.linalg.lstsq(design, FRAME["lab"].to_numpy())[0]
    assert fit.fitted == pytest.approx(expected)
    assert set(fit.coefficients) == {"intercept", "age"}
    few = OriginalPilot(FRAME.iloc[:3], CONFIG, analyses=analyses).compare(FRAME.iloc[:3])
    assert measure_utility(few).figures["regression_error"] is None


# ---------------------------------------------------------------- referees


@st.composite
def pairs(draw):
    """An original of 1 to 12 records, and a release of some of them: perturbed, coarsened, suppressed, in any order."""
    n = draw(st.integers(1, 12))
    values = {"sex": ["F", "M", "X", None], "age": [10.0, 20.0, 30.0, 40.0, None], "lab": [1.0, 2.0, 9.0, None]}
    original = pd.DataFrame(
        {name: draw(st.lists(st.sampled_from(v), min_size=n, max_size=n)) for name, v in values.items()}
    )
    original = original.astype({"sex": object, "age": float, "lab": float})
    positions = draw(st.permutations(range(n)))[: draw(st.integers(0, n))]
    released = original.iloc[positions].astype(object)
    labels = {
        "sex": ["F", "M", "all", "*", None],
        "age": ["10--20", "30-40", 20.0, ">30", "*", None],
        "lab": [1.0, 4.0, None],
    }
    for name, allowed in labels.items():
        for i in range(len(released)):
            if draw(st.booleans()):
                released.iloc[i, released.columns.get_loc(name)] = draw(st.sampled_from(allowed))
    return original, released, list(positions)


READ = {"10--20": 15.0, "30-40": 35.0, ">30": None, "*": None}


def slow_il1(original, released, positions, name, numeric):
    """One column's IL1, record by record: None if nothing of it changed."""
    row_of = {position: i for i, position in enumerate(positions)}
    numbers = [value for value in original[name] if not pd.isna(value)]
    spread = max(numbers) - min(numbers) if numeric and numbers else 0
    total, n, changed = 0.0, 0, False
    for position, before in enumerate(original[name]):
        after = released[name].iloc[row_of[position]] if position in row_of else None
        after = None if pd.isna(after) or after == "*" else after
        before = None if pd.isna(before) else before
        if before is None and after is None:
            continue
        n += 1
        changed |= before != after
        if not numeric or before is None or after is None:
            total += before != after
        else:
            number = READ.get(after, after)
            moved = None if number is None else abs(number - before)
            total += 1 if moved is None else moved / spread if spread else moved > 0
    return total / n if changed else None


@BRIEF
@given(pairs())
def test_il1_against_a_slow_referee(pair):
    original, released, positions = pair
    found = figures(original, released, CONFIG, positions)
    parts = {name: slow_il1(*pair, name, numeric=name != "sex") for name in original}
    numeric = [parts[name] for name in ("age", "lab") if parts[name] is not None]
    both = ([np.mean(numeric)] if numeric else []) + ([parts["sex"]] if parts["sex"] is not None else [])
    assert found["IL1_numeric"] == pytest.approx(np.mean(numeric) if numeric else 0.0)
    assert found["IL1_categorical"] == pytest.approx(parts["sex"] or 0.0)
    assert found["IL1_overall"] == pytest.approx(np.mean(both) if both else 0.0)
    assert found["IL1_mean"] == pytest.approx(sum(part or 0.0 for part in parts.values()) / 3)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # scipy on p-values of tiny samples
@BRIEF
@given(pairs())
def test_distributions_against_scipy(pair):
    original, released, positions = pair
    found = figures(original, released, CONFIG, positions)
    for name in ("age", "lab"):
        before = original[name].dropna().to_numpy()
        after = [READ.get(value, value) for value in released[name] if not pd.isna(value)]
        after = np.array([value for value in after if value is not None], dtype=float)
        if not len(before) or not len(after):
            assert found["kolmogorov_smirnov"][name] is None
            assert found["mean_change"][name] is None
            continue
        assert found["kolmogorov_smirnov"][name] == pytest.approx(
            stats.ks_2samp(before, after, method="exact").statistic
        )
        if np.ptp(before):
            distance = stats.wasserstein_distance(before, after) / np.ptp(before)
            assert found["wasserstein_share"][name] == pytest.approx(distance, abs=1e-12)
            change = abs(after.mean() - before.mean()) / before.std(ddof=1)
            assert found["mean_change"][name] == pytest.approx(change, abs=1e-12)
            variance = after.var(ddof=1) if len(after) > 1 else 0.0
            assert found["variance_change"][name] == pytest.approx(abs(variance / before.var(ddof=1) - 1), abs=1e-12)
    shares = [
        pd.Series([value for value in column if not pd.isna(value) and value != "*"], dtype=object).value_counts(
            normalize=True
        )
        for column in (original["sex"], released["sex"])
    ]
    if all(len(share) for share in shares):
        change = shares[0].sub(shares[1], fill_value=0).abs().sum() / 2
        assert found["share_change"]["sex"] == pytest.approx(change, abs=1e-12)


@BRIEF
@given(pairs())
def test_covered_values_against_a_slow_referee(pair):
    original, released, positions = pair
    found = figures(original, released, config_of(["sex"]), positions)
    after = [None] * len(original)
    for i, position in enumerate(positions):
        value = released["sex"].iloc[i]
        after[position] = None if pd.isna(value) or value == "*" else value
    before = [None if pd.isna(value) else value for value in original["sex"]]
    there = [(b, a) for b, a in zip(before, after, strict=True) if b is not None]
    values = {b for b, _ in there}
    became = {b: {a for c, a in there if c == b and a is not None} for b in values}
    split = any(len(targets) > 1 for targets in became.values())
    covered = []
    for b, a in there:
        cover = values if a is None else {c for c in values if a in became[c]}
        covered.append((b, {a} if a is not None and split and a in values else cover))
    n, d = len(there), len(values)
    loss = (sum(len(c) for _, c in covered) / d - n / d) / (n - n / d) if d > 1 else 0.0
    assert found["loss_from_exact_values"] == pytest.approx(loss)
    people = {b: sum(c == b for c, _ in there) for b in values}
    bits = sum(math.log2(sum(people[v] for v in c) / people[b]) for b, c in covered if len(c) > 1)
    assert found["non_uniform_entropy_bits"] == pytest.approx(bits, abs=1e-9)


WHOLE = typed(
    Analyses, {"means": {"value": "lab", "by": ["sex"]}, "regression": {"outcome": "lab", "predictors": ["age", "sex"]}}
)


def values_of(figure):
    return list(figure.values()) if isinstance(figure, dict) else [figure]


@BRIEF
@given(pair=pairs())
def test_an_unchanged_frame_costs_nothing(pair):
    original = pair[0]
    found = figures(original, original.copy(), CONFIG, analyses=WHOLE)
    for name, measure in MEASURES.items():
        for value in values_of(found[name]):
            assert value is None or measure.unchanged is None or value == measure.unchanged, name


@BRIEF
@given(pair=pairs(), randomness=st.randoms(use_true_random=False))
def test_neither_row_order_nor_index_changes_a_figure(pair, randomness):
    original, released, positions = pair
    before = figures(original, released, CONFIG, positions, analyses=WHOLE)
    order = randomness.sample(range(len(original)), len(original))
    place = {old: new for new, old in enumerate(order)}
    turned = original.iloc[order].set_index(pd.Index([7] * len(order)))
    rows = randomness.sample(range(len(released)), len(released))
    moved = [place[positions[i]] for i in rows]
    after = figures(turned, released.iloc[rows].reset_index(drop=True), CONFIG, moved, analyses=WHOLE)
    for name in MEASURES:
        assert after[name] == before[name], name


@BRIEF
@given(pair=pairs())
def test_figures_lie_in_their_range_and_are_plain_numbers(pair):
    original, released, positions = pair
    found = figures(original, released, CONFIG, positions, analyses=WHOLE)
    json.dumps(found, allow_nan=False)
    for name, measure in MEASURES.items():
        for value in values_of(found[name]):
            assert value is None or measure.low is None or value >= measure.low - 1e-9, name
            assert value is None or measure.high is None or value <= measure.high + 1e-9, name


@every_measure
def test_nothing_is_worse_than_suppressing_everything(name):
    frame = pd.concat([FRAME] * 3, ignore_index=True)
    pilot, measure = OriginalPilot(frame, CONFIG, analyses=WHOLE), MEASURES[name]
    untouched = values_of(measure.function(pilot.compare(frame)))
    for nothing in (frame.astype(object).map(lambda value: "*"), frame.iloc[:0]):
        gone = values_of(measure.function(pilot.compare(nothing, [] if nothing.empty else None)))
        for before, after in zip(untouched, gone, strict=True):
            assert after is None or (after > before if measure.larger_is_worse else after < before)


COARSER = [
    "loss_from_exact_values",
    "precision_from_exact_values",
    "non_uniform_entropy_bits",
    "entropy_lost_percent",
    "discernibility",
    "average_class_size",
]
SUPPRESSED = ["IL1_numeric", "IL1_categorical", "IL1_overall", "IL1_mean", "IL1s", *COARSER[:4]]


@pytest.mark.parametrize("name", COARSER)
def test_coarser_is_worse(name):
    frame = pd.DataFrame({"age": np.arange(64.0), "sex": list("FFMM") * 16})
    pilot, measure = OriginalPilot(frame, config_of(["sex"], ["age"])), MEASURES[name]
    chain = [frame.assign(age=[f"{a // w * w:g}--{a // w * w + w:g}" for a in frame["age"]]) for w in (2, 8, 16, 64)]
    found = [measure.function(pilot.compare(released)) for released in (frame, *chain)]
    assert found == sorted(found, reverse=not measure.larger_is_worse)
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("name", SUPPRESSED)
def test_more_suppression_is_worse(name):
    frame = pd.DataFrame({"age": np.arange(12.0) % 5, "sex": list("FFM") * 4})
    pilot, measure = OriginalPilot(frame, config_of(["sex"], ["age"])), MEASURES[name]
    chain = [
        frame.astype(object).apply(lambda column, n=n: column.where(np.arange(12) >= n, "*")) for n in (0, 1, 4, 8, 12)
    ]
    found = [measure.function(pilot.compare(released)) for released in chain]
    assert found == sorted(found, reverse=not measure.larger_is_worse)
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("n", [0, 1])
def test_tiny_and_empty_pilots(n):
    frame = FRAME.iloc[:n]
    found = measure_utility(OriginalPilot(frame, CONFIG, analyses=WHOLE).compare(frame))
    json.dumps(found.figures, allow_nan=False)
    assert found.n_compared == n


def test_columns_of_missing_values_alone():
    frame = FRAME.assign(age=np.nan, sex=pd.Series([None] * 4, dtype=object))
    found = figures(frame, frame, CONFIG, analyses=WHOLE)
    json.dumps(found, allow_nan=False)
    assert found["IL1_overall"] == found["loss_from_exact_values"] == 0.0


def test_the_originals_are_left_alone():
    frame, released = FRAME.copy(), FRAME.assign(age=[1.0, 2.0, 3.0, 4.0])
    figures(frame, released, CONFIG)
    pd.testing.assert_frame_equal(frame, FRAME)


def test_flat_figures_name_the_column():
    utility = measure_utility(OriginalPilot(FRAME, CONFIG).compare(FRAME))
    flat = flat_figures(utility)
    assert flat["kolmogorov_smirnov: age"] == 0.0
    assert list(flat)[:4] == ["IL1_numeric", "IL1_categorical", "IL1_overall", "eigenvalue_similarity_percent"]


def test_a_lost_number_counts_as_a_move_by_the_whole_range_in_il1s():
    comparison = OriginalPilot(FRAME[["age"]], config_of((), ["age"])).compare(FRAME[["age"]].iloc[1:], [1, 2, 3])
    assert il1s(comparison) == pytest.approx(40 / (math.sqrt(2) * FRAME["age"].std()))
