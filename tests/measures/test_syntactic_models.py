"""The syntactic models against the slow referee, and what ``evaluate_syntactic_models`` makes of missing values."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from Anonymization_Models import count_sensitive_values, form_equivalence_classes, run_l_diversity, run_t_closeness
from disclosure_control.basics.encoding.hierarchies import build_hierarchy
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.measures.syntactic_measures import SYNTACTIC_MODELS
from disclosure_control.measures.syntactic_models import evaluate_syntactic_models
from tests.examples import examples
from tests.measures import syntactic_referee as referee

MANY = examples(90)
BRIEF = examples(60)

TREE = [("a", "vowel", "*"), ("e", "vowel", "*"), ("b", "stop", "*"), ("d", "stop", "*"), ("s", "hiss", "*")]
LETTERS = [path[0] for path in TREE]
HIERARCHY = build_hierarchy(TREE, "letters")
FOR_LETTERS = {"hierarchical_t": {"hierarchy": HIERARCHY}, "ordered_t": {"order": sorted(LETTERS)}}


@st.composite
def people(draw, values, missing: bool = True, max_records: int = 40) -> pd.DataFrame:
    """A frame of one quasi-identifier and one sensitive value, few distinct values, so that ties are many."""
    n_records = draw(st.integers(1, max_records))
    pool = draw(st.lists(values, min_size=1, max_size=6))
    class_labels, sensitive = st.sampled_from("pqr"), st.sampled_from(pool)
    if missing:
        class_labels, sensitive = class_labels | st.none(), sensitive | st.none()
    rows = draw(st.lists(st.tuples(class_labels, sensitive), min_size=n_records, max_size=n_records))
    return pd.DataFrame(rows, columns=["q", "s"])


letters = st.sampled_from(LETTERS)
numbers = st.sampled_from([-7.5, 0.0, 0.1, 0.3, 1.0, 2.0, 40.0, 1e6])


def evaluated(frame: pd.DataFrame, missing_qis: str = "category", names=None, parameters=None) -> dict:
    classes = form_equivalence_classes(frame, ["q"])
    counts = {"s": count_sensitive_values(classes, frame["s"])}
    return evaluate_syntactic_models(classes, counts, missing_qis, names, parameters)


def samples_of(frame: pd.DataFrame, missing_qis: str) -> dict:
    """Label of the class -> the values of its members who have one, of the classes that the policy evaluates."""
    samples: dict = {}
    for label, value in zip(frame["q"], frame["s"], strict=True):
        key = None if pd.isna(label) else label
        if key is None and missing_qis == "exclude":
            continue
        samples.setdefault(key, [])
        if not pd.isna(value):
            samples[key].append(value)
    return samples


def expected_measures(frame: pd.DataFrame, name: str, missing_qis: str, **parameters) -> dict:
    samples = samples_of(frame, missing_qis)
    everybody = [value for sample in samples.values() for value in sample]
    function = referee.REFEREE[name]
    return {
        label: float(function(sample, everybody, **parameters)) if sample else math.nan
        for label, sample in samples.items()
    }


def assert_as_expected(frame: pd.DataFrame, result, name: str, missing_qis: str, **parameters) -> None:
    expected = expected_measures(frame, name, missing_qis, **parameters)
    found = referee.by_class(result.classes, result.measure)
    for label, value in found.items():
        wanted = expected.get(label, math.nan)
        assert value == pytest.approx(wanted, rel=1e-9, abs=1e-9, nan_ok=True), (name, label)
    seen = [value for value in expected.values() if not math.isnan(value)]
    worst = (min if SYNTACTIC_MODELS[name].riskier == "smaller" else max)(seen, default=None)
    assert result.worst == (None if worst is None else pytest.approx(worst, rel=1e-9, abs=1e-9))


# ---------------------------------------------------------------- the referee


@pytest.mark.thorough("0.3 s")
@MANY
@given(people(letters), st.sampled_from(["category", "exclude", "wildcard"]))
def test_every_model_of_text_is_that_of_the_referee(frame, missing_qis):
    results = evaluated(frame, missing_qis, None, FOR_LETTERS)
    assert {name for name, _ in results} == set(SYNTACTIC_MODELS) - {"wasserstein_t"}
    given_to = {"hierarchical_t": {"paths": {path[0]: path for path in TREE}}}
    for (name, _), result in results.items():
        assert_as_expected(frame, result, name, missing_qis, **given_to.get(name, {}))


@MANY
@given(people(numbers), st.sampled_from(["category", "exclude", "wildcard"]))
def test_every_model_of_numbers_is_that_of_the_referee(frame, missing_qis):
    frame["s"] = frame["s"].astype(float)
    results = evaluated(frame, missing_qis)
    assert {name for name, _ in results} == set(SYNTACTIC_MODELS) - {"hierarchical_t"}
    for (name, _), result in results.items():
        assert_as_expected(frame, result, name, missing_qis)


@BRIEF
@given(people(letters), st.sampled_from([0.1, 0.3, 0.5, 1, 1.1, 3, 4.7, 100]))
def test_recursive_l_for_any_c(frame, c):
    result = evaluated(frame, "category", ["recursive_l"], {"recursive_l": {"c": c}})["recursive_l", "s"]
    assert_as_expected(frame, result, "recursive_l", "category", c=c)


@BRIEF
@given(people(letters), st.lists(letters, min_size=1, max_size=3, unique=True))
def test_alpha_of_listed_values(frame, listed):
    listed = [value for value in listed if value in set(frame["s"].dropna())]
    if listed:
        result = evaluated(frame, "category", ["alpha_k"], {"alpha_k": {"values": listed}})["alpha_k", "s"]
        assert_as_expected(frame, result, "alpha_k", "category", values=listed)


@BRIEF
@given(people(letters, missing=False), st.permutations(LETTERS))
def test_ordered_t_follows_the_order_that_is_given(frame, order):
    result = evaluated(frame, "category", ["ordered_t"], {"ordered_t": {"order": order}})["ordered_t", "s"]
    ranked = frame.assign(s=frame["s"].map({letter: float(rank) for rank, letter in enumerate(order)}))
    expected = expected_measures(ranked, "ordered_t", "category")
    assert referee.by_class(result.classes, result.measure) == pytest.approx(expected, abs=1e-12)


# ---------------------------------------------------------------- thresholds

MEETS = {
    "at_least": lambda measure, threshold: measure >= threshold or math.isclose(measure, threshold, rel_tol=1e-12),
    "at_most": lambda measure, threshold: measure <= threshold or math.isclose(measure, threshold, rel_tol=1e-12),
    "below": lambda measure, threshold: measure < threshold and not math.isclose(measure, threshold, rel_tol=1e-12),
}
STRICTNESS = dict.fromkeys(SYNTACTIC_MODELS, "at_most") | {"delta_disclosure": "below"}
STRICTNESS |= {name: "at_least" for name in SYNTACTIC_MODELS if name.endswith("_l")}


@BRIEF
@given(people(letters), st.sampled_from([name for name in SYNTACTIC_MODELS if name != "wasserstein_t"]), st.data())
def test_a_threshold_is_compared_as_in_the_paper_and_ties_are_exact(frame, name, data):
    """The threshold is a measure that some class has by exact arithmetic: on the border, where strictness shows."""
    parameters = {"paths": {path[0]: path for path in TREE}} if name == "hierarchical_t" else {}
    expected = expected_measures(frame, name, "category", **parameters)
    on_the_border = [value for value in expected.values() if math.isfinite(value)]
    threshold = data.draw(st.sampled_from([*on_the_border, 1.0, 0.25]))
    given_to_model = {name: {**FOR_LETTERS.get(name, {}), "threshold": threshold}}
    result = evaluated(frame, "category", [name], given_to_model)[name, "s"]

    meets = MEETS[STRICTNESS[name]]
    risky = []
    for label, value in zip(frame["q"], frame["s"], strict=True):
        measure = expected[None if pd.isna(label) else label]
        judged = not math.isnan(measure) and not (pd.isna(value) and SYNTACTIC_MODELS[name].needs_own_value)
        risky.append(judged and not meets(round(measure, 12), round(threshold, 12)))
    assert referee.risky_records(result).tolist() == risky
    assert result.n_risky == sum(risky)
    assert result.risky_rate == (sum(risky) / result.n_evaluated if result.n_evaluated else None)


# ---------------------------------------------------------------- who is evaluated


@BRIEF
@given(people(letters), st.sampled_from(["category", "exclude", "wildcard"]))
def test_records_count_as_they_do_for_l_and_t(frame, missing_qis):
    """A record without a value is judged by its class in l and left out in t; a class without values in both."""
    parameters = {"distinct_l": {"threshold": 2}, "total_variation_t": {"threshold": 0.3}}
    results = evaluated(frame, missing_qis, list(parameters), parameters)
    l_result, t_result = results["distinct_l", "s"], results["total_variation_t", "s"]

    t_model = run_t_closeness(frame, ["q"], "s", 0.3, "total_variation", missing_qis)
    np.testing.assert_array_equal(t_result.per_record(), np.where(t_model.evaluated, t_model.measure, np.nan))
    assert (t_result.n_evaluated, t_result.n_risky) == (t_model.n_evaluated, t_model.n_risky)
    assert referee.risky_records(t_result).tolist() == t_model.risky.tolist()

    l_model = run_l_diversity(frame, ["q"], "s", 2, missing_qis=missing_qis)
    has_l = l_model.evaluated & (l_model.measure > 0)
    np.testing.assert_array_equal(l_result.per_record(), np.where(has_l, l_model.measure, np.nan))
    assert (l_result.n_evaluated, l_result.n_risky) == (has_l.sum(), (has_l & l_model.risky).sum())
    for result in results.values():
        assert result.n_evaluated + result.n_not_evaluated == len(frame)
        assert int((~np.isnan(result.per_record())).sum()) == result.n_evaluated


@BRIEF
@given(people(numbers), st.sampled_from(["category", "exclude"]), st.sampled_from([0.0, 0.1, 1.0, 20.0, 1e5]))
def test_wasserstein_flags_whom_t_closeness_flags(frame, missing_qis, t):
    frame["s"] = frame["s"].astype(float)
    result = evaluated(frame, missing_qis, ["wasserstein_t"], {"wasserstein_t": {"threshold": t}})["wasserstein_t", "s"]
    model = run_t_closeness(frame, ["q"], "s", t, "wasserstein", missing_qis)
    assert referee.risky_records(result).tolist() == model.risky.tolist()
    assert result.worst == model.worst


def test_several_sensitive_attributes_at_once_are_each_as_if_alone():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {"q": rng.integers(0, 9, 300), "x": rng.integers(0, 5, 300) * 1.5, "y": rng.choice(LETTERS, 300)}
    )
    frame.loc[::7, "x"] = np.nan
    classes = form_equivalence_classes(frame, ["q"])
    counts = {name: count_sensitive_values(classes, frame[name]) for name in ("x", "y")}
    parameters = {("hierarchical_t", "y"): {"hierarchy": HIERARCHY}, "recursive_l": {"c": 4}}
    parameters |= {("recursive_l", "y"): {"threshold": 3}}
    together = evaluate_syntactic_models(classes, counts, parameters=parameters)
    assert {key for key in together if key[0] in ("wasserstein_t", "ordered_t", "hierarchical_t")} == {
        ("wasserstein_t", "x"),
        ("ordered_t", "x"),
        ("hierarchical_t", "y"),
    }
    assert together["recursive_l", "y"].parameters == {"c": 4, "threshold": 3}
    assert together["recursive_l", "x"].parameters == {"c": 4}
    assert together["recursive_l", "x"].n_risky is None
    for (name, sensitive), result in together.items():
        alone = evaluate_syntactic_models(
            classes,
            {sensitive: counts[sensitive]},
            "category",
            [name],
            {name: dict(result.parameters)},
        )
        np.testing.assert_array_equal(alone[name, sensitive].measure, result.measure)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"q": ["a", "a"], "s": pd.Series([None, None], dtype=object)}),
        pd.DataFrame({"q": ["a", "a"], "s": [np.nan, np.nan]}),
        pd.DataFrame({"q": pd.Series([], dtype=object), "s": pd.Series([], dtype=float)}),
        pd.DataFrame({"q": [None, None], "s": [1.0, 2.0]}),
    ],
    ids=["no text", "no number", "no record", "no class that is evaluated"],
)
def test_where_nobody_can_be_judged_there_is_no_figure(frame):
    parameters = {**FOR_LETTERS, **{name: {**FOR_LETTERS.get(name, {}), "threshold": 1} for name in SYNTACTIC_MODELS}}
    if frame["s"].dtype.kind == "f":
        del parameters["hierarchical_t"], parameters["ordered_t"]
    results = evaluated(frame, "exclude", None, parameters)
    assert len(results) >= 10
    for result in results.values():
        assert (result.worst, result.n_evaluated, result.n_not_evaluated) == (None, 0, len(frame))
        assert np.isnan(result.measure).all()
        assert result.n_risky in (0, None)
        assert result.risky_rate is None
        assert np.isnan(result.per_record()).all()


# ---------------------------------------------------------------- faults

FRAME = pd.DataFrame({"q": list("ppqq"), "s": list("aebd")})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"names": ["wasserstein_t"]}, "wasserstein_t: does not fit 's': its values are text"),
        ({"names": ["ordered_t"]}, "ordered_t: does not fit 's'.*set parameter \"order\""),
        ({"names": ["hierarchical_t"]}, "no hierarchy is given"),
        ({"parameters": {"distinct": {"threshold": 2}}}, "model in parameters 'distinct' is unknown"),
        ({"parameters": {("distinct_l", "t"): {"threshold": 2}}}, "parameters of distinct_l 't' is unknown"),
        ({"parameters": {"distinct_l": {"c": 2}}}, "parameter of distinct_l 'c' is unknown; allowed: threshold"),
        ({"parameters": {"distinct_l": {"threshold": "2"}}}, "threshold is a str; allowed: a number from 0 up"),
        ({"parameters": {"distinct_l": {"threshold": math.nan}}}, "allowed: a number from 0 up"),
        ({"parameters": {"distinct_l": {"threshold": True}}}, "threshold is a bool"),
        ({"parameters": {"recursive_l": {"c": 0}}}, "c is a int; allowed: a number above 0"),
        ({"parameters": {"alpha_k": {"values": "a"}}}, "values is a str; allowed: a list"),
        ({"parameters": {"alpha_k": {"values": ["a", "MARKER"]}}}, "1 of 2 listed values are nobody's"),
        ({"parameters": {"ordered_t": {"order": ["MARKER", "a", "a"]}}}, "3 values, 1 of them repeated, and lacks 3"),
        ({"parameters": {"hierarchical_t": {"hierarchy": "dx.csv"}}}, "allowed: a ValueHierarchy"),
    ],
    ids=range(14),
)
def test_faults_are_named_with_what_is_allowed_and_show_no_value(arguments, message):
    with pytest.raises(FaultyInputError, match=message) as caught:
        evaluated(FRAME, **arguments)
    assert "MARKER" not in str(caught.value)


def in_units():
    return [name for name, model in SYNTACTIC_MODELS.items() if model.needs == "numbers"]


@pytest.mark.parametrize("name", in_units())
@pytest.mark.parametrize("value", [float("inf"), -float("inf"), 1.1e300])
def test_values_that_cannot_be_calculated_with_are_refused_by_every_model_of_numbers(name, value):
    frame = pd.DataFrame({"q": list("aabb"), "s": [1.0, value, 2.0, 3.0]})
    classes = form_equivalence_classes(frame, ["q"])
    counts = {"s": count_sensitive_values(classes, frame["s"])}
    for names in ([name], None):
        with pytest.raises(FaultyInputError, match="fewer than 10 values are infinite or beyond 1e\\+300"):
            evaluate_syntactic_models(classes, counts, names=names)
