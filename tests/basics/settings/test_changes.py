"""What changes of a config come to, and the lines to paste for them."""

from __future__ import annotations

import ast

from disclosure_control.basics.settings.changes import (
    EXACT,
    ConfigChange,
    applied,
    are_of_the_merge,
    lines_to_paste,
    python_text,
    treatment_steps,
)
from tests.cases import each

STEP, OTHER = {"drop": ["a"]}, {"round": ["b"]}
STEPS = ("treatment", "steps")


@each(
    "config, change, after, lines",
    [
        ({"K": 5}, ConfigChange.to(["K"], 6), {"K": 6}, '"K": 6'),
        ({"K": 5}, ConfigChange.to(["K"], 5), {"K": 5}, ""),
        ({}, ConfigChange.to(["merge", "drop"], ["a"]), {"merge": {"drop": ["a"]}}, '"merge": {"drop": ["a"]}'),
        ({"merge": 1}, ConfigChange.to(["merge", "x"], 1), {"merge": {"x": 1}}, '"merge": {"x": 1}'),
        ({"q": ["b"]}, ConfigChange.to(["q"], "a", is_added=True), {"q": ["a", "b"]}, '"q": ["a", "b"]'),
        ({"q": ["b"]}, ConfigChange.to(["q"], "b", is_added=True), {"q": ["b"]}, ""),
        ({}, ConfigChange.to(["q"], "a", is_added=True), {"q": ["a"]}, '"q": ["a"]'),
        ({}, ConfigChange.to(STEPS, STEP, is_added=True), {"treatment": [STEP]}, '"treatment": [{"drop": ["a"]}]'),
        ({"treatment": [OTHER]}, ConfigChange.to(STEPS, STEP, is_added=True), {"treatment": [STEP, OTHER]}, None),
        ({"treatment": {"steps": [OTHER]}}, ConfigChange.to(STEPS, STEP, is_added=True),
         {"treatment": {"steps": [STEP, OTHER]}}, None),
        ({"treatment": {}}, ConfigChange.to(STEPS, STEP, is_added=True), {"treatment": [STEP]}, None),
        ({"treatment": [OTHER]}, ConfigChange.to(("treatment", "name"), "n"),
         {"treatment": {"steps": [OTHER], "name": "n"}}, None),
    ],
)  # fmt: skip
def test_a_config_after_a_change(config, change, after, lines):
    before = str(config)
    assert applied(config, [change]) == after
    assert str(config) == before
    if lines is not None:
        assert lines_to_paste(config, [change]) == lines


def test_what_a_change_is_of():
    changes = [ConfigChange.to(["K"], 1), ConfigChange.to(["merge", "x"], 1)]
    assert [are_of_the_merge(changes), are_of_the_merge(changes[:1])] == [True, False]
    assert [treatment_steps(one) for one in ({}, {"treatment": [1]}, {"treatment": {"steps": [1]}})] == [[], [1], [1]]


@each(
    "value, text",
    [
        ("a", '"a"'), ("\\d+", 'r"\\d+"'), ("\\d\n", '"\\\\d\\n"'), ('\\"', '"\\\\\\""'), ("\\", '"\\\\"'),
        (50.0, "50"), (0.5, "0.5"), (float(EXACT), "9007199254740992.0"), (-3.0, "-3"),
        ((1, [2.0]), "[1, [2]]"), (True, "True"),
        ({"a": None}, '{"a": None}'),
    ],
)  # fmt: skip
def test_values_as_a_config_writes_them(value, text):
    assert python_text(value) == text
    assert ast.literal_eval(text) == (list(value) if isinstance(value, tuple) else value)
