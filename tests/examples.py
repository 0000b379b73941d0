"""Three runs of the tests: the quick one, which a person waits for, that of CI beside it, and the one with everything.

All have every test of every room; the quick one leaves out those that are marked ``thorough`` because of what they
cost, and CI's (``--only-thorough``) those that the quick one has run whole. A property says how many examples it has at
full (``--thorough``), and ``SHARES`` how many of them a run tries. The examples of a run are the same each time: a test
that is red stays red.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, Phase, is_hypothesis_test, settings
from hypothesis import strategies as st

QUICK, OF_CI, WHOLE = "quick", "only-thorough", "thorough"
SHARES = {QUICK: 1 / 15, OF_CI: 1 / 3, WHOLE: 1}
FEWEST = 2
AT_FULL = 100  # of a property that says no number

_COMMON = {
    "deadline": None,
    "derandomize": True,
    # Time depends on the machine; and no fixture here holds what an example leaves behind.
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
}
_chosen = {"run": QUICK}


def choose(run: str) -> None:
    """Called once, when the options of the run are known and before any test is imported."""
    _chosen["run"] = run
    # Making a failing example smaller takes minutes: the quick run leaves that to CI, too.
    phases = [Phase.explicit, Phase.generate, *([Phase.shrink] if is_thorough() else [])]
    settings.register_profile(run, **_COMMON, phases=phases, max_examples=tried_of(AT_FULL))
    settings.load_profile(run)


def is_thorough() -> bool:
    """Whether this run has the costly tests."""
    return _chosen["run"] != QUICK


def tried_of(number: int) -> int:
    """How many of ``number`` this run tries: its share, but a few at least."""
    return min(number, max(FEWEST, round(number * SHARES[_chosen["run"]])))


def runs_whole_in_the_quick_run(item: pytest.Item) -> bool:
    """Whether the quick run leaves nothing of a test: it is in it, has no random examples, and its file asks for none.

    A file that asks which run this is, or for some of its cases, counts as a whole: any of its tests may have more.
    """
    if item.get_closest_marker("thorough") or is_hypothesis_test(item.obj):
        return False
    return not any(value in ASK_WHICH_RUN for value in vars(item.module).values() if callable(value))


def examples(number: int, **more) -> settings:
    """The decorator of a property that has ``number`` examples at full; ``more`` are further settings of Hypothesis."""
    return settings(max_examples=tried_of(number), **more)


def some_of(values: Sequence) -> list:
    """The share of some values that this run tries, at even distances, with the first and the last."""
    kept = tried_of(len(values))
    if kept < 2 or kept == len(values):
        return list(values)
    return [values[round(place * (len(values) - 1) / (kept - 1))] for place in range(kept)]


ASK_WHICH_RUN = [is_thorough, tried_of, some_of]  # what files of tests import from here

AWKWARD = "aé\u0301 \t\u2003Ωß\u0130ﬁ10.,-'\"\x1b\u200b𝟙"


def any_text(**more) -> st.SearchStrategy[str]:
    """Any text; in the quick run of few characters, each awkward: a table of all costs every process two seconds."""
    return st.text(**more) if is_thorough() else st.text(AWKWARD, **more)
