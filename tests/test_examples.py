"""``--only-thorough`` leaves out only tests that the quick run has run whole."""

import re
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import examples

HERE = Path(__file__).parent
NAMES = "|".join(asked.__name__ for asked in examples.ASK_WHICH_RUN)


def item(test, marker=None, **names):
    """What is asked of a test that pytest has collected: its function, its marks and the names in its file."""
    module = ModuleType("test_of_something")
    vars(module).update(names)
    return SimpleNamespace(obj=test, module=module, get_closest_marker={"thorough": marker}.get)


def plain():
    """Stands for a test without examples."""


def test_a_plain_test_is_left_out_and_what_has_more_at_full_is_not():
    whole = examples.runs_whole_in_the_quick_run
    assert whole(item(plain, plain=plain, numbers=[1, 2]))
    assert not whole(item(plain, marker="5 s"))
    assert not whole(item(given(st.integers())(lambda number: None)))


@pytest.mark.parametrize("asked", examples.ASK_WHICH_RUN, ids=lambda asked: asked.__name__)
def test_a_file_that_asks_which_run_this_is_counts_as_a_whole(asked):
    assert not examples.runs_whole_in_the_quick_run(item(plain, of_any_name=asked))


def test_what_has_fewer_cases_in_the_quick_run_is_asked_for_by_name_in_files_of_tests():
    asking = {path for path in HERE.rglob("*.py") if re.search(rf"\b({NAMES})\(", path.read_text("utf-8"))}
    asking -= {HERE / "examples.py"}
    assert asking
    for path in sorted(asking):
        imported = re.findall(r"^from tests\.examples import (.+)$", path.read_text("utf-8"), re.MULTILINE)
        assert path.name.startswith("test_"), f"{path}: tests that use it do not show that they have fewer"
        assert any(re.search(NAMES, names) for names in imported), f"{path}: imports {NAMES} by another way"
