"""Changes of a config: its text with them reads as the changes come to, and keeps every line and comment of today."""

from __future__ import annotations

import ast

from hypothesis import given
from hypothesis import strategies as st

from config import REVIEW, lines_to_review, parse_config
from disclosure_control.basics.settings.changes import ConfigChange, applied, lines_to_paste, python_text
from disclosure_control.draft.edits import PROPOSED, with_changes, with_marks_decided
from tests.cases import each

TEXT = '''"""A pilot."""

config = {
    "K": 5,  # review: usual
    "categorical_qis": ["DM__SEX"], "T": 0.2,
    # What is left out.
    "merge": {
        "drop": [
            "DM__BRTHDTC",  # review: a date of birth, ö
            "DM__ΦΥΛΟ"  # no comma here, and one, two
        ]
    },
    "treatment": [{"method": "recommended"}],
    "recommend": {},  # the search
    # - the last words
}
'''
CHANGES = [
    ConfigChange.to(("K",), 3, "few people"),
    ConfigChange.to(("T",), 0.4, "beside others on its line"),
    ConfigChange.to(("L",), {"A": 2}, "new"),
    ConfigChange.to(("merge", "drop"), "DM__SITEID", "a site", is_added=True),
    ConfigChange.to(("merge", "drop"), "DM__SITEID", "again", is_added=True),
    ConfigChange.to(("merge", "several_rows", "SC"), "last"),
    ConfigChange.to(("treatment", "steps"), {"method": "drop_column", "columns": ["x"]}, "tells", is_added=True),
    ConfigChange.to(("treatment", "harmless", "VS__H"), "why", "declared"),
    ConfigChange.to(("treatment", "steps"), {"method": "drop_identifiers"}, "first", is_added=True),
    ConfigChange.to(("release", "operations", "AE.AETRTEM"), "keep", "a flag"),
    ConfigChange.to(("release", "operations", "AE.X"), "remove", "a reason " * 30),
    ConfigChange.to(("recommend",), {}),
    ConfigChange.to(("recommend", "time_limit"), 60),
]


def test_the_text_reads_as_the_changes_come_to_by_hand():
    text = with_changes(TEXT, CHANGES)
    assert parse_config(text, "x") == applied(parse_config(TEXT, "x"), CHANGES)
    assert parse_config(text, "x") == {
        "K": 3,
        "categorical_qis": ["DM__SEX"],
        "T": 0.4,
        "merge": {"drop": ["DM__SITEID", "DM__BRTHDTC", "DM__ΦΥΛΟ"], "several_rows": {"SC": "last"}},
        "treatment": {
            "steps": [
                {"method": "drop_identifiers"},
                {"method": "drop_column", "columns": ["x"]},
                {"method": "recommended"},
            ],
            "harmless": {"VS__H": "why"},
        },
        "recommend": {"time_limit": 60},
        "L": {"A": 2},
        "release": {"operations": {"AE.AETRTEM": "keep", "AE.X": "remove"}},
    }


def test_todays_comments_stay_and_what_is_new_says_why():
    text = with_changes(TEXT, CHANGES)
    comments = [line.partition("#")[2] for line in TEXT.splitlines() if "#" in line]
    assert [one for one in comments if one not in text] == []
    for why in ("few people", "new", "a site", "tells", "first", "a flag"):
        assert f"# {PROPOSED} {why}\n" in text
    assert max(map(len, text.splitlines())) <= 120


def test_marks_become_those_of_a_proposal_and_words_of_a_value_do_not():
    text = TEXT.replace('"DM__SEX"', f'"# {REVIEW} no mark"')
    decided, words = with_marks_decided(text)
    assert (lines_to_review(text), lines_to_review(decided)) == (2, 0)
    assert words == ["usual", "a date of birth, ö"]
    assert parse_config(decided, "x") == parse_config(text, "x")


@each(
    ("config", "changes", "expected"),
    [
        ({"recommend": {}}, [ConfigChange.to(("recommend",), {})], ""),
        ({"recommend": {}}, [ConfigChange.to(("K",), 3), ConfigChange.to(("recommend",), {})], '"K": 3'),
        (
            {"release": {"key_from": {"environment": "X"}}},
            [ConfigChange.to(("release", "operations", "A.B"), "keep")],
            '"release": {"key_from": {"environment": "X"}, "operations": {"A.B": "keep"}}',
        ),
    ],
)
def test_a_line_to_paste_has_its_key_whole_and_none_that_is_there(config, changes, expected):
    assert lines_to_paste(config, changes) == expected


LEAVES = st.one_of(st.integers(-5, 5), st.booleans(), st.none(), st.text("aβ\"'#\\:,{}[] ", max_size=6))
NAMES = st.sampled_from(["a", "b", "treatment", "steps", 'q"#,'])
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=5,
)
CONFIGS = st.dictionaries(
    NAMES, st.one_of(st.dictionaries(NAMES, st.lists(LEAVES, max_size=2), max_size=2)), max_size=4
)


@given(CONFIGS, st.lists(st.tuples(NAMES, NAMES, VALUES, st.booleans()), max_size=4), st.booleans())
def test_any_text_reads_as_its_changes_come_to(config, wanted, is_wide):
    text = f"config = {python_text(config)}\n"
    if is_wide:
        text = (
            "config = {\n"
            + "".join(f"    {python_text(k)}: {python_text(v)},  # c\n" for k, v in config.items())
            + "}\n"
        )
    changes = [ConfigChange.to((one, two), value, "why", is_added=added) for one, two, value, added in wanted]
    changes = [one for one in changes if not one.is_added or _is_list_or_nothing(config, changes, one)]
    found = with_changes(text, changes)
    assert ast.literal_eval(found.removeprefix("config = ")) == applied(config, changes)


def _is_list_or_nothing(config, changes, one) -> bool:
    """Only a list is added to: no other change writes something else there."""
    others = [other for other in changes if other.path == one.path and not other.is_added]
    return not others
