"""Fixtures of every room (doors that run in this process, a synthetic pilot for them), and the two runs there are."""

import gc
import os

gc.disable()  # while hundreds of modules are imported: nearly all that they make stays, and looking at it is a fifth
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the doors: two threads wait for each other on a busy machine

from tests import examples  # noqa: E402
from tests.run.fixtures import doors, finished_template, fresh, pilot  # noqa: E402

__all__ = ["doors", "finished_template", "fresh", "pilot"]


def pytest_addoption(parser):
    parser.addoption("--thorough", action="store_true", help="everything: all examples, costly tests too")
    parser.addoption("--only-thorough", action="store_true", help="as CI: a third of them, less what was quick")


def pytest_configure(config):
    config.addinivalue_line("markers", "thorough(cost): too costly for the quick run; only with --thorough")
    runs = (run for run in (examples.WHOLE, examples.OF_CI) if config.getoption(f"--{run}"))
    examples.choose(next(runs, examples.QUICK))


def pytest_collection_modifyitems(config, items):
    if config.getoption("--thorough"):
        return
    if config.getoption("--only-thorough"):
        left_out = [item for item in items if examples.runs_whole_in_the_quick_run(item)]
    else:
        left_out = [item for item in items if item.get_closest_marker("thorough")]
    config.hook.pytest_deselected(items=left_out)
    gone = set(left_out)
    items[:] = [item for item in items if item not in gone]


def pytest_collection_finish(session):
    """Thousands of tests stay to the end: without this they are looked through whenever something else is let go."""
    gc.freeze()
    gc.set_threshold(50_000, 10, 50)  # looking for circles after every 700 objects was a tenth of the run
    gc.enable()
