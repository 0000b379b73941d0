"""The text of a drafted config: Python reads back what was meant, whatever stands in names and reasons."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from config import lines_to_review, parse_config
from disclosure_control.basics.settings.changes import python_text
from disclosure_control.draft.literal import WIDTH, DraftedValue, Group, Node, config_text
from tests.examples import any_text, examples

# What Arrow hands over as headings: any text but lone surrogates.
TEXTS = any_text(max_size=30).map(lambda text: text.encode("utf-8", "ignore").decode())
NUMBERS = st.integers(-(10**18), 10**18) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.none() | st.booleans() | NUMBERS | TEXTS | st.lists(NUMBERS, max_size=4)
LINES = st.builds(DraftedValue, VALUES, TEXTS, st.booleans())
NODES = st.recursive(
    LINES,
    lambda inner: st.builds(
        Group, st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), TEXTS, st.just(False)
    ),
    max_leaves=8,
)
AWKWARD = [
    '"',
    "'",
    '"""',
    "\\",
    "\\n",
    "a\\",
    "\n",
    "\r",
    "\x0b",
    "\x85",
    "\u2028",
    "# review: x",
    "\x00",
    r"^\d+$",
    "Ø\t",
]


def marked(node: Node) -> int:
    """Marks of a node and of all below it."""
    parts = (
        [] if isinstance(node, DraftedValue) else node.parts.values() if isinstance(node.parts, dict) else node.parts
    )
    return node.review + sum(marked(part) for part in parts)


@examples(150)
@given(TEXTS, st.dictionaries(TEXTS, NODES, max_size=4))
def test_python_reads_back_what_was_meant(title, keys):
    text = config_text(title, keys)
    assert parse_config(text, "PILOT.py") == {name: node.value for name, node in keys.items()}


@examples(60)
@given(st.dictionaries(TEXTS, NODES, max_size=4))
def test_each_mark_is_counted_once(keys):
    plain = {name: without_reasons(node) for name, node in keys.items()}
    assert lines_to_review(config_text("", plain)) == sum(map(marked, plain.values()))


def without_reasons(node: Node) -> Node:
    """The node with one reason everywhere: a reason that itself begins with the mark would be one more."""
    if isinstance(node, DraftedValue):
        return DraftedValue(node.value, "because", node.review)
    parts = node.parts
    if isinstance(parts, dict):
        return Group({name: without_reasons(part) for name, part in parts.items()}, "because", node.review)
    return Group([without_reasons(part) for part in parts], "because", node.review)


def test_awkward_texts_one_by_one():
    for text in AWKWARD:
        keys = {
            text: Group({text: DraftedValue([text], text, True)}, text),
            "last": Group([DraftedValue(text, text)], text),
        }
        found = parse_config(config_text(text, keys), "PILOT.py")
        assert found == {text: {text: [text]}, "last": [text]}


def test_the_form_of_a_draft():
    keys = {
        "categorical_qis": Group(
            [DraftedValue("DM__SEX", "seen by everybody"), DraftedValue("DM__RACE", "rare", True)], "Known."
        ),
        "binning_config": Group({"DM__AGE": DraftedValue([50.0, 60.5], "tens")}),
        "K": DraftedValue(5, "usual", review=True),
        "recommend": Group({}, "The mildest."),
        "subject_id": Group({"pattern": DraftedValue(r"^0*(\d+)$")}),
    }
    assert config_text("Drafted.\n\nRead it.", keys) == (
        '"""Drafted.\n'
        "\n"
        "Read it.\n"
        '"""\n'
        "\n"
        "config = {\n"
        "    # Known.\n"
        '    "categorical_qis": [\n'
        '        "DM__SEX",  # seen by everybody\n'
        '        "DM__RACE",  # review: rare\n'
        "    ],\n"
        '    "binning_config": {\n'
        '        "DM__AGE": [50, 60.5],  # tens\n'
        "    },\n"
        '    "K": 5,  # review: usual\n'
        '    "recommend": {},  # The mildest.\n'
        '    "subject_id": {\n'
        '        "pattern": r"^0*(\\d+)$",\n'
        "    },\n"
        "}\n"
    )


def test_lines_are_short_enough_to_read():
    reason = "a long reason " * 30
    text = config_text(reason, {"K": DraftedValue(5, reason), "L": Group([DraftedValue(1, reason)], reason)})
    assert max(map(len, text.splitlines())) <= WIDTH


def test_a_mark_in_a_text_is_no_mark():
    assert (
        lines_to_review('"""# review: not me"""\nconfig = {"a": "# review: nor me"}  # review: me\n# review me\n') == 1
    )


def test_whole_numbers_have_no_point():
    assert [python_text(value) for value in (50.0, 0.5, -0.0, 1e300, 5, True, None)] == [
        "50",
        "0.5",
        "0",
        "1e+300",
        "5",
        "True",
        "None",
    ]
