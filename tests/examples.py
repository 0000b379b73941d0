"""Two runs of the tests: the quick one, which a person waits for, and the thorough one (``--thorough``).

Both have every test of every room but those few that are marked ``thorough`` because of what they cost. The quick run
tries fewer examples of each: a property says how many examples it has at full, and ``QUICK_SHARE`` is the one setting
that says how many of them are left. In both runs the examples are the same each time: a test that is red stays red.
``--only-thorough`` is the thorough run without the tests that the quick one has already run whole: CI does both.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, Phase, is_hypothesis_test, settings
from hypothesis import strategies as st

QUICK_SHARE = 1 / 15
FEWEST = 2
AT_FULL = 100  # of a property that says no number

_COMMON = {
    "deadline": None,
    "derandomize": True,
    # Time depends on the machine; and no fixture here holds what an example leaves behind.
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
}
_chosen: dict[str, bool] = {}


def choose(thorough: bool) -> None:
    """Called once, when the options of the run are known and before any test is imported."""
    _chosen["thorough"] = thorough
    settings.register_profile(
        "thorough", **_COMMON, phases=[Phase.explicit, Phase.generate, Phase.shrink], max_examples=AT_FULL
    )
    # Making a failing example smaller takes minutes: that is left to CI, too.
    settings.register_profile(
        "quick", **_COMMON, phases=[Phase.explicit, Phase.generate], max_examples=quick_share_of(AT_FULL)
    )
    settings.load_profile("thorough" if thorough else "quick")


def is_thorough() -> bool:
    """Whether this is the run with everything."""
    return _chosen["thorough"]


def quick_share_of(number: int) -> int:
    """How many of ``number`` this run tries: all of them, or in the quick run the share, but a few at least."""
    return number if _chosen["thorough"] else min(number, max(FEWEST, round(number * QUICK_SHARE)))


def runs_whole_in_the_quick_run(item: pytest.Item) -> bool:
    """Whether the quick run leaves nothing of a test: it is in it, has no random examples, and its file asks for none.

    A file that asks which run this is, or for some of its cases, counts as a whole: any of its tests may have more.
    """
    if item.get_closest_marker("thorough") or is_hypothesis_test(item.obj):
        return False
    return not any(value in ASK_WHICH_RUN for value in vars(item.module).values() if callable(value))


def examples(number: int, **more) -> settings:
    """The decorator of a property that has ``number`` examples at full; ``more`` are further settings of Hypothesis."""
    return settings(max_examples=quick_share_of(number), **more)


def some_of(values: Sequence) -> list:
    """Every value, or in the quick run the share of them at even distances, with the first and the last."""
    kept = quick_share_of(len(values))
    if kept < 2 or kept == len(values):
        return list(values)
    return [values[round(place * (len(values) - 1) / (kept - 1))] for place in range(kept)]


ASK_WHICH_RUN = [is_thorough, quick_share_of, some_of]  # what files of tests import from here

AWKWARD = "aé\u0301 \t\u2003Ωß\u0130ﬁ10.,-'\"\x1b\u200b𝟙"


def any_text(**more) -> st.SearchStrategy[str]:
    """Any text; in the quick run of few characters, each awkward: a table of all costs every process two seconds."""
    return st.text(**more) if _chosen["thorough"] else st.text(AWKWARD, **more)
