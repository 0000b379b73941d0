"""Mondrian against a slow recursion, by hand, on Adult with hierarchies; what its labels promise."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from Anonymization_Models import DISTANCES, numerical_distance
from config.model_settings import config_of_valid_keys, validate_config
from disclosure_control.assess.assessment import assess
from disclosure_control.basics.encoding.hierarchies import build_hierarchy
from disclosure_control.basics.settings.fields import faults_of
from disclosure_control.basics.settings.kinds import Place
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.remedy.treatments.methods.mondrian import MondrianSettings
from disclosure_control.remedy.treatments.registry import TreatmentInput
from disclosure_control.remedy.treatments.treat import treat
from tests.examples import examples
from tests.remedy.treatments.treatment_frames import applying, config_for

apply_mondrian = applying("mondrian")

TOWNS = build_hierarchy(
    [["Athens", "South", "Greece"], ["Patras", "South", "Greece"], ["Drama", "North", "Greece"], ["Oslo", "Oslo", "*"]],
    "towns",
)


def pilot(frame, categorical=(), continuous=(), k=2, sensitive=(), subjects=None, **literal):
    literal = {
        "categorical_qis": list(categorical),
        "continuous_qis": list(continuous),
        "binning_config": {},
        "sensitive_feature": list(sensitive),
        "K": k,
        "L": 1,
        "T": 1e9,
        **literal,
    }
    return TreatmentInput(frame, validate_config(literal), np.random.default_rng(1), subjects)


def evaluated(treated, given_input):
    """k, l and t of what came out: every quasi-identifier is a label."""
    config = given_input.config
    literal = config.literal | {"categorical_qis": list(config.quasi_identifiers), "continuous_qis": []}
    return assess(treated.frame, validate_config(literal | {"binning_config": {}}))


# ---------------------------------------------------------------- by hand


def test_the_example_of_the_paper():
    # LeFevre et al. 2006, figures 1 and 3: k = 2, sex is cut at the root because it spans its whole range as age does,
    # and comes first here; women, one part of two; men, by age 25 to 26 and 27 to 28, or by zip: the widest.
    frame = pd.DataFrame(
        {
            "sex": ["Male", "Female", "Male", "Male", "Female", "Male"],
            "age": [25.0, 25, 26, 27, 27, 28],
            "zip": [53711.0, 53712, 53711, 53710, 53712, 53711],
        }
    )
    treated = apply_mondrian(pilot(frame, ["sex"], ["age", "zip"]))
    assert treated.frame["sex"].tolist() == ["Male", "Female", "Male", "Male", "Female", "Male"]
    assert treated.frame["age"].tolist() == ["25--26", "25--27", "25--26", "27--28", "25--27", "27--28"]
    assert treated.frame["zip"].tolist() == ["53711", "53712", "53711", "53710--53711", "53712", "53710--53711"]
    assert treated.changed == {"sex": 0, "age": 6, "zip": 2}
    assert treated.notes == ("3 parts of at least 2 people.",)


def test_labels_of_sets_and_missing():
    frame = pd.DataFrame({"town": ["a", "b", "c", "c", None, "c"], "age": [1.0, 2, 6, 6, 9, np.nan]})
    one_part = pilot(frame, ["town"], ["age"], k=6)
    treated = apply_mondrian(one_part).frame
    assert set(treated["town"]) == {"a|b|c|missing"}
    assert set(treated["age"]) == {"1--9|missing"}
    # Two people without an age are enough for a part of their own, and stay without one.
    frame = pd.DataFrame({"age": [1.0, 2, 3, np.nan, np.nan]})
    assert apply_mondrian(pilot(frame, [], ["age"])).frame["age"].astype(object).tolist()[:3] == ["1--3"] * 3
    assert apply_mondrian(pilot(frame, [], ["age"])).frame["age"].isna().tolist() == [False] * 3 + [True] * 2


def test_a_hierarchy_is_cut_between_its_branches_and_gives_the_lowest_node_above():
    towns = ["Athens"] * 2 + ["Patras"] + ["Drama"] * 2 + ["Oslo"] * 2
    treated = apply_mondrian(pilot(pd.DataFrame({"town": towns}), ["town"]), hierarchies={"town": TOWNS})
    assert treated.frame["town"].tolist() == ["South"] * 3 + ["Drama"] * 2 + ["Oslo"] * 2
    whole = apply_mondrian(pilot(pd.DataFrame({"town": towns}), ["town"], k=5), hierarchies={"town": TOWNS})
    assert set(whole.frame["town"]) == {"*"}


def test_faults_of_hierarchies(tmp_path):
    frame = pd.DataFrame({"town": ["Athens", "Oslo"]})
    with pytest.raises(FaultyInputError, match=r"'towns\.csv': there is no such file"):
        apply_mondrian(pilot(frame, ["town"]), hierarchies={"town": "towns.csv"})
    (tmp_path / "towns.csv").write_text("Athens;Greece\nOslo;Norway\n", encoding="utf-8")
    given_input = dataclasses.replace(pilot(frame, ["town"]), folder=tmp_path)
    assert apply_mondrian(given_input, hierarchies={"town": "towns.csv"}).frame["town"].tolist() == ["*", "*"]
    place = Place("mondrian", config_of_valid_keys({"categorical_qis": ["town"]}))
    assert faults_of(MondrianSettings, {"hierarchies": {"twon": "towns.csv"}}, place) == [
        "mondrian['hierarchies']: 'twon' is not a quasi-identifier; did you mean 'town'?; allowed: town"
    ]
    assert faults_of(MondrianSettings, {"hierarchies": {"town": "towns.csv"}}, place) == []


@pytest.mark.parametrize("distance", list(DISTANCES))
def test_of_a_feature_that_was_put_into_bands_t_is_kept_to_as_it_is_evaluated(distance):
    """Whoever is older has the larger value; bands are categories, whose t is the total variation."""
    age = np.arange(60.0)
    frame = pd.DataFrame({"age": age, "x": age * 7 % 40 + age // 3})
    config = config_for([], ["age"], ["x"], T=0.5, t_distance=distance)
    banded = [{"method": "band", "column": "x", "width": 20}]
    found = treat(frame, config, [*banded, {"method": "mondrian"}]).assessment
    assert found.t_closeness["x"].distance == "total_variation"
    assert found.t_closeness["x"].n_risky == 0
    bare = treat(frame, config, [*banded, {"method": "mondrian", "also": []}]).assessment
    assert bare.t_closeness["x"].n_risky > 0  # k alone does not do it


# ---------------------------------------------------------------- the referee


class Referee:
    """Cut one part after the other, record by record."""

    def __init__(self, frame, names, trees, k, least, most):
        self.names, self.k, self.least, self.most = names, k, least, most
        self.n_records = len(frame)
        self.x = [None if pd.isna(value) else value for value in frame["x"]]
        self.place, self.path, self.position = {}, {}, {}
        for name in names:
            values = [None if pd.isna(value) else value for value in frame[name]]
            present = set(values) - {None}
            rows = (
                [list(row) for row in trees[name].labels] if name in trees else [[value] for value in sorted(present)]
            )
            order = [row[0] for row in rows if row[0] in present]
            path = {row[0]: row for row in rows} | {None: ["(none)"] * len(rows[0] if rows else [0])}
            is_number = name not in trees and all(isinstance(value, float) for value in present)
            self.place[name] = [-1 if value is None else order.index(value) for value in values]
            self.path[name] = [path[value] for value in values]
            self.position[name] = order if is_number else [float(i) for i in range(len(order))]

    def width(self, name, part):
        places, position = [max(self.place[name][record], 0) for record in part], self.position[name]
        whole = position[-1] - position[0] if position else 0.0
        return (position[max(places)] - position[min(places)]) / whole if whole else 0.0

    def is_good(self, part):
        values = [self.x[record] for record in part if self.x[record] is not None]
        if len(part) < self.k or len(set(values)) < self.least:
            return False
        everybody = [value for value in self.x if value is not None]
        return not values or self.most > 1e6 or numerical_distance(values, everybody) <= self.most + 1e-9

    def keys(self, name, part):
        """What a cut may lie between, by its first place: the children of the lowest node above all of the part."""
        place, path = self.place[name], self.path[name]
        for level in range(len(path[0]) - 1, -1, -1):
            if len({path[record][level] for record in part}) > 1:
                return {r: min(place[o] for o in part if path[o][level] == path[r][level]) for r in part}
        return dict.fromkeys(part, 0)

    def halves(self, name, part):
        keys = self.keys(name, part)
        cuts = sorted(set(keys.values()))[:-1]
        if not cuts:
            return None
        best = min(cuts, key=lambda cut: (abs(2 * sum(keys[r] <= cut for r in part) - len(part)), cut))
        return [r for r in part if keys[r] <= best], [r for r in part if keys[r] > best]

    def cut(self, part):
        for name in sorted(self.names, key=lambda name: (-self.width(name, part), self.names.index(name))):
            halves = self.halves(name, part)
            if halves and all(map(self.is_good, halves)):
                return self.cut(halves[0]) + self.cut(halves[1])
        return [part]

    def partition(self):
        parts = [list(range(self.n_records))]
        for name in self.names:
            after = []
            for part in parts:
                gaps = [r for r in part if self.place[name][r] < 0]
                others = [r for r in part if self.place[name][r] >= 0]
                is_cut = bool(gaps and others) and self.is_good(gaps) and self.is_good(others)
                after += [gaps, others] if is_cut else [part]
            parts = after
        return {frozenset(final) for part in parts for final in self.cut(part)}


records = st.tuples(
    st.sampled_from(["F", "M", None]),
    st.sampled_from(["Athens", "Patras", "Drama", "Oslo", None]),
    st.sampled_from([1.0, 2.0, 4.0, 9.0, 20.0, np.nan]),
    st.sampled_from([0.0, 1.0, 5.0, np.nan]),
)


@pytest.mark.thorough("1 s: many examples; one of each kind in the quick run")
@examples(90)
@given(
    st.lists(records, min_size=1, max_size=24),
    st.integers(1, 4),
    st.sampled_from([(1, 1e9), (2, 1e9), (1, 1.5), (2, 1.0)]),
    st.booleans(),
)
def test_strict_parts_are_those_of_the_recursion(rows, k, limits, with_tree):
    names = ["sex", "town", "age"]
    frame = pd.DataFrame(rows, columns=[*names, "x"])
    frame = frame.astype({"sex": "str", "town": "str"})
    trees = {"town": TOWNS} if with_tree else {}
    least, most = limits
    whole = Referee(frame, names, trees, 1, least, 1e9)
    if not whole.is_good(range(len(rows))):
        least = 0  # missed by everybody together: left out
    referee = Referee(frame, names, trees, k, least, most).partition()
    given_input = pilot(frame, ["sex", "town"], ["age"], k, ["x"], L=limits[0], T=most)
    parts = partition_of(given_input, trees)
    assert parts == referee
    treated = apply_mondrian(given_input, hierarchies=trees)
    for name in names:
        for part in parts:
            assert len(treated.frame[name].iloc[sorted(part)].astype(object).drop_duplicates()) == 1
    for i, name in enumerate(names):
        for row, label in zip(rows, treated.frame[name].astype(object), strict=True):
            assert holds(row[i], label, trees.get(name))


def partition_of(given_input, trees, **settings):
    """The parts themselves, by catching them on their way to the labels."""
    from disclosure_control.remedy.treatments.methods import mondrian

    found = {}

    class Labels:
        def __init__(self, labels):
            self.labels = labels

        def take(self, part_of_record):
            found["parts"] = part_of_record
            return self.labels.take(part_of_record)

    class Watched(mondrian.QuasiIdentifier):
        def labels_of_parts(self, *parts):
            return Labels(super().labels_of_parts(*parts))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mondrian, "QuasiIdentifier", Watched)
        apply_mondrian(given_input, hierarchies=trees, **settings)
    return {frozenset(np.flatnonzero(found["parts"] == part).tolist()) for part in np.unique(found["parts"])}


def holds(value, label, tree):
    """Whether a label covers the value that it stands for."""
    if pd.isna(label):
        return pd.isna(value)
    if pd.isna(value):
        return label.endswith("|missing")
    label = label.removesuffix("|missing")
    if isinstance(value, float):
        low, _, high = label.partition("--")
        return float(low) <= value <= float(high or low)
    if tree is None:
        return value in label.split("|")
    return label == "*" or label in next(list(row) for row in tree.labels if row[0] == value)


def test_where_people_are_not_evaluated_t_is_not_promised_and_the_notes_say_so():
    """By hand. Two of age 1 have x = 0, four of age 9 have 6, two without an age have 0; T is 3.5.

    Against all eight, half of them 0 and half 6, each part is 3 away. Those without an age are not evaluated; against
    the other six the part of age 1 is 6 * 4 / 6 = 4 away.
    """
    frame = pd.DataFrame({"age": [1.0] * 2 + [9.0] * 4 + [np.nan] * 2, "x": [0.0] * 2 + [6.0] * 4 + [0.0] * 2})
    given_input = pilot(frame, [], ["age"], sensitive=["x"], T=3.5, missing_qis="exclude")
    treated = apply_mondrian(given_input)
    assert treated.frame["age"].astype(object).tolist()[:6] == ["1"] * 2 + ["9"] * 4
    assert "2 people without a quasi-identifier" in treated.notes[-1]
    assert evaluated(treated, given_input).t_closeness["x"].worst == pytest.approx(4)
    for others in (
        pilot(frame, [], ["age"], sensitive=["x"], T=3.5),
        pilot(frame.dropna(), [], ["age"], sensitive=["x"], T=3.5, missing_qis="exclude"),
    ):
        assert not any("T was met" in note for note in apply_mondrian(others).notes)
    assert not any("T was met" in note for note in apply_mondrian(given_input, also=["l"]).notes)


# ---------------------------------------------------------------- real data
