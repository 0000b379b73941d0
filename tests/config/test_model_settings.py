"""validate_config: every fault named, all of them at once; a valid config gives the documented defaults."""

import pytest

import Anonymization_Models as models
from config.model_settings import notes_on_names
from tests.cases import each

VALID = {
    "categorical_qis": ["DM__SEX", "SC__District"],
    "continuous_qis": ["DM__AGE", "VS__BMI"],
    "binning_config": {"DM__AGE": [0, 6, 12, 18], "VS__BMI": [0.5, 20, 40]},
    "sensitive_feature": ["LB__Cholesterol", "LB__Glucose"],
    "sensitive_binning_config_for_L": {"LB__Cholesterol": [100, 150, 200]},
    "K": 5,
    "L": 3,
    "T": 30.5,
}
COLUMNS = ["USUBJID", "DM__SEX", "SC__District", "DM__AGE", "VS__BMI", "LB__Cholesterol", "LB__Glucose", "DM__RACE"]


def without(*names: str, **changes) -> dict:
    return {key: value for key, value in {**VALID, **changes}.items() if key not in names}


def faults_of(config: object, **arguments) -> list[str]:
    with pytest.raises(models.FaultyInputError) as caught:
        models.validate_config(config, **arguments)
    assert str(caught.value) == "\n".join(caught.value.faults)
    return list(caught.value.faults)


def typed(value: object, config: models.PilotConfig, columns: list[str] | None) -> object:
    """Reads whatever a step's key holds."""
    return ("typed", value)


def refusing(fault: str):
    """Finds one fault in whatever a step's key holds."""

    def read(value: object, config: models.PilotConfig, columns: list[str] | None) -> object:
        raise models.FaultyInputError(fault)

    return read


# ---------------------------------------------------------------- valid configs


def test_a_full_config():
    config = {
        **VALID,
        "missing_qis": "exclude",
        "out_of_range": "missing",
        "L": {"LB__Cholesterol": 3, "LB__Glucose": 2},
        "T": {"LB__Cholesterol": 30, "LB__Glucose": 0.0},
        "t_distance": {"LB__Glucose": "ordered", "LB__Cholesterol": "mean_difference"},
        "risk": {"attacker": "prosecutor"},
    }
    checked = models.validate_config(config, COLUMNS, {"risk": typed, "sweep": refusing("never asked")})
    assert checked.categorical_qis == ("DM__SEX", "SC__District")
    assert checked.continuous_qis == ("DM__AGE", "VS__BMI")
    assert checked.quasi_identifiers == ("DM__SEX", "SC__District", "DM__AGE", "VS__BMI")
    assert checked.binning_config == VALID["binning_config"]
    assert checked.sensitive_features == ("LB__Cholesterol", "LB__Glucose")
    assert checked.sensitive_binning == VALID["sensitive_binning_config_for_L"]
    assert checked.K == 5
    assert checked.L == {"LB__Cholesterol": 3, "LB__Glucose": 2}
    assert checked.T == {"LB__Cholesterol": 30, "LB__Glucose": 0.0}
    assert (checked.missing_qis, checked.out_of_range) == ("exclude", "missing")
    assert checked.t_distance == config["t_distance"]
    assert checked.settings == {"risk": ("typed", {"attacker": "prosecutor"})}
    assert checked.literal == config


def test_defaults():
    checked = models.validate_config(without("sensitive_binning_config_for_L"))
    assert (checked.missing_qis, checked.out_of_range) == ("category", "tail")
    assert checked.sensitive_binning == {}
    assert checked.L == {"LB__Cholesterol": 3, "LB__Glucose": 3}
    assert checked.T == {"LB__Cholesterol": 30.5, "LB__Glucose": 30.5}
    assert checked.t_distance == {"LB__Cholesterol": None, "LB__Glucose": None}
    assert checked.settings == {}


def test_the_largest_thresholds():
    checked = models.validate_config({**VALID, "K": 2**53, "L": 2**53, "T": 1e300})
    assert (checked.K, checked.L["LB__Glucose"], checked.T["LB__Glucose"]) == (2**53, 2**53, 1e300)


@pytest.mark.parametrize("bins", [{}, {"DM__AGE": [0, 100]}, {"DM__AGE": (0, 100)}], ids=repr)
def test_continuous_quasi_identifiers_may_stay_as_they_are(bins):
    assert models.validate_config({**VALID, "binning_config": bins}).binning_config == {
        name: list(edges) for name, edges in bins.items()
    }


# ---------------------------------------------------------------- one fault


@each("config", [None, [], "config", 5, {"K"}])
def test_a_config_is_a_dictionary(config):
    assert faults_of(config) == [f"config: a dictionary is needed, found {type(config).__name__}"]


@each("key", ["categorical_qis", "continuous_qis", "sensitive_feature", "K", "L", "T"])
def test_a_required_key_is_missing(key):
    (fault,) = faults_of(without(key), columns=COLUMNS)
    assert fault.startswith(f"{key}: missing")
    assert "allowed: " in fault


def test_a_key_by_its_name_of_the_deliverable_is_read_with_a_note():
    bins = VALID["sensitive_binning_config_for_L"]
    config = {**without("sensitive_binning_config_for_L"), "sensitive_binning_config": bins}
    assert models.validate_config(config, COLUMNS).sensitive_binning == bins
    (note,) = notes_on_names(config)
    assert note.startswith('"sensitive_binning_config" is read as "sensitive_binning_config_for_L"')
    assert notes_on_names(VALID) == []
    (fault,) = faults_of({**VALID, "sensitive_binning_config": bins})  # one of both, not either
    assert fault.startswith("sensitive_binning_config: unknown key")


NOT_NAMES = ["DM__SEX", None, 5, {"DM__SEX": 1}, {"DM__SEX"}, ["DM__SEX", "DM__SEX"], [1], [""], [["DM__SEX"]]]
NOT_EDGES = [None, 5, "0,6", [], [1], [6, 0], [0, 6, 6], ["0", "6"], [0, None], [0, float("inf")], [float("nan"), 1]]
NOT_EDGES += [[True, 5], {"from": 0}, {0, 6}, [-(10**400), 0], [0, 1e16, 1e16 + 2, 1e16 + 4]]
NOT_COUNTS = [None, "5", 0, -1, 2.0, 2.5, True, [5], float("nan"), 2**53 + 1, 10**400]
NOT_DISTANCES = [None, "30", -1, -0.1, True, [30], float("nan"), float("inf"), 1e301, 10**400]
NOT_CHOICES = [None, "", "Category", 1, True, ["category"], ("tail",), {"category"}]
WRONG_VALUES = [
    *[("categorical_qis", value) for value in NOT_NAMES],
    *[("continuous_qis", value) for value in NOT_NAMES],
    *[("sensitive_feature", value) for value in ["", 5, {"a": 1}, ["x", "x"], [1], ["x", ""], [["x"]], True]],
    *[("binning_config", value) for value in [None, [0, 6], "DM__AGE", 5]],
    *[("sensitive_binning_config_for_L", value) for value in [None, [0, 6], "LB__Cholesterol", 5]],
    *[("K", value) for value in [*NOT_COUNTS, {"LB__Glucose": 5}]],
    *[("L", value) for value in NOT_COUNTS],
    *[("T", value) for value in NOT_DISTANCES],
    *[("missing_qis", value) for value in [*NOT_CHOICES, {"DM__SEX": "category"}]],
    *[("out_of_range", value) for value in [*NOT_CHOICES, {"DM__AGE": "tail"}]],
    *[("t_distance", value) for value in [*NOT_CHOICES, "emd", "Wasserstein"]],
]


@each(("key", "value"), WRONG_VALUES)
def test_a_value_of_a_wrong_kind(key, value):
    (fault,) = faults_of({**VALID, key: value}, columns=COLUMNS)
    assert fault.startswith(f"{key}: found ")
    assert "allowed: " in fault
    shown = fault.removeprefix(f"{key}: found ").partition("; allowed")[0]
    assert shown in (repr(value), type(value).__name__)


@each(
    ("key", "nearest"),
    [
        ("categorial_qis", "categorical_qis"),
        ("continuous_qi", "continuous_qis"),
        ("binning", "binning_config"),
        ("sensitive_features", "sensitive_feature"),
        ("missing_qi", "missing_qis"),
        ("out_of_ranges", "out_of_range"),
        ("t_distances", "t_distance"),
        ("treatmnt", "treatment"),
        ("k", "K"),
        ("l", "L"),
        ("t", "T"),
        ("MISSING_QIS", "missing_qis"),
    ],
)
def test_an_unknown_key_with_the_nearest_known_one(key, nearest):
    (fault,) = faults_of({**VALID, key: 1}, readers={"treatment": typed})
    assert fault.startswith(f"{key}: unknown key")
    assert f"{nearest!r}?" in fault


@each(
    ("changes", "words"),
    [
        ({"continuous_qis": ["DM__AGE", "VS__BMI", "DM__SEX"]}, ["'DM__SEX'", "categorical_qis", "continuous_qis"]),
        ({"sensitive_feature": ["LB__Cholesterol", "DM__SEX"]}, ["'DM__SEX'", "categorical_qis", "sensitive_feature"]),
        ({"sensitive_feature": ["LB__Cholesterol", "DM__AGE"]}, ["'DM__AGE'", "continuous_qis", "sensitive_feature"]),
        ({"categorical_qis": [], "continuous_qis": [], "binning_config": {}}, ["both are empty", "quasi-identifier"]),
        ({"binning_config": {"DM__AGES": [0, 1]}}, ["binning_config['DM__AGES']", "continuous_qis", "'DM__AGE'?"]),
        ({"binning_config": {"DM__SEX": [0, 1]}}, ["binning_config['DM__SEX']", "continuous_qis"]),
        (
            {"sensitive_binning_config_for_L": {"LB__Cholesterin": [0, 1]}},
            ["sensitive_binning_config_for_L['LB__Cholesterin']", "sensitive_feature", "'LB__Cholesterol'?"],
        ),
        ({"L": {"LB__Cholesterol": 2}}, ["L['LB__Glucose']", "missing"]),
        ({"T": {"LB__Glucose": 2}}, ["T['LB__Cholesterol']", "missing"]),
        ({"L": {"LB__Cholesterol": 2, "LB__Glucose": 2, "LB__Glucos": 2}}, ["L['LB__Glucos']", "'LB__Glucose'?"]),
        ({"T": {"LB__Cholesterol": 2, "LB__Glucose": 2, 5: 2}}, ["T[5]", "sensitive feature"]),
        ({"t_distance": {"DM__AGE": "ordered"}}, ["t_distance['DM__AGE']", "sensitive_feature"]),
    ],
)
def test_keys_at_odds_with_each_other(changes, words):
    (fault,) = faults_of({**VALID, **changes}, columns=COLUMNS)
    assert all(word in fault for word in words)


@each(
    ("changes", "missing", "hint"),
    [
        ({"categorical_qis": ["DM__SEXX"]}, "'DM__SEXX'", "'DM__SEX'?"),
        ({"continuous_qis": ["DM__AGES"], "binning_config": {}}, "'DM__AGES'", "'DM__AGE'?"),
        ({"sensitive_feature": "LB__Glucos", "sensitive_binning_config_for_L": {}}, "'LB__Glucos'", "'LB__Glucose'?"),
        ({"categorical_qis": ["dm__sex"]}, "'dm__sex'", "'DM__SEX'?"),
        ({"categorical_qis": ["??"]}, "'??'", "column"),
    ],
)
def test_a_column_that_is_not_there_with_the_nearest_name(changes, missing, hint):
    (fault,) = faults_of({**VALID, **changes}, columns=COLUMNS)
    assert missing in fault
    assert hint in fault


# ---------------------------------------------------------------- steps, and many faults


def test_steps_bring_their_own_checks():
    asked = []

    def read(value: object, config: models.PilotConfig, columns: list[str] | None) -> object:
        asked.append((value, config.K, columns))
        raise models.FaultyInputError([f"risk: found {value!r}", "risk: a second fault"])

    faults = faults_of({**VALID, "risk": 7}, columns=iter(COLUMNS), readers={"risk": read})
    assert faults == ["risk: found 7", "risk: a second fault"]
    assert asked == [(7, VALID["K"], COLUMNS)]
    (fault,) = faults_of({**VALID, "risk": 7})
    assert fault.startswith("risk: unknown key")


def test_faults_of_every_sort_at_once():
    """A wrong value hides neither a clash, nor a column that is not there, nor the fault of a step."""
    config = {
        **VALID,
        "K": 0,
        "Tt": 1,
        "categorical_qis": ["DM__SEX", "DM__AGE", "DM__RAC"],
        "L": {"LB__Cholesterol": 2},
        "risk": 1,
    }
    faults = faults_of(config, columns=COLUMNS, readers={"risk": refusing("risk: wrong")})
    text = "\n".join(faults)
    for words in ("K: found 0", "Tt: unknown key", "risk: wrong", "'DM__AGE' is in both", "L['LB__Glucose']"):
        assert words in text
    assert "'DM__RAC'" in text
    assert len(faults) == len(set(faults))
