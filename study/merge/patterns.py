"""A regular expression of a config, applied where it can be stopped.

Python's engine backtracks: ``^(a+)+$`` takes twice as long for each further letter of an id that does not match, and
nothing within a process can stop it on every system. A check of the pattern's text would refuse harmless ones, and
engines that never backtrack have no look-ahead. So a worker process applies the pattern, under a limit of time that
grows with the ids.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence

from disclosure_control.basics.telling.faults import FaultyInputError

SECONDS, SECONDS_PER_LETTER = 10.0, 1e-5  # a usual pattern takes less than a tenth of the second
# The ids are sent through a pipe: they are in no list of processes and in no file.
_WORKER = """
import json, re, sys
pattern, replacement, texts = json.load(sys.stdin.buffer)
find = re.compile(pattern)
json.dump([find.subn(replacement, text) for text in texts], sys.stdout)
"""


def compiles(pattern: str) -> bool:
    """Whether a text is a regular expression that Python knows."""
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


def replacement_fits(pattern: str, replacement: str) -> bool:
    """Whether a replacement names only groups that the pattern has; the pattern itself is not run."""
    compiled = re.compile(pattern)
    names = {number: name for name, number in compiled.groupindex.items()}
    groups = (f"(?P<{names[i]}>)" if i in names else "()" for i in range(1, compiled.groups + 1))
    try:
        re.sub("".join(groups), replacement, "")
    except (re.error, IndexError):
        return False
    return True


def replaced(texts: Sequence[str], pattern: str, replacement: str) -> tuple[list[str], int]:
    """The texts with every match replaced as ``re.sub`` does, and how many of them have no match.

    Raises ``FaultyInputError`` if the pattern exceeds the limit of time.
    """
    seconds = SECONDS + SECONDS_PER_LETTER * sum(map(len, texts))
    task = json.dumps([pattern, replacement, list(texts)]).encode("ascii")
    try:
        # Isolated: neither the user's folder nor the environment decides what the worker imports.
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _WORKER], input=task, capture_output=True, timeout=seconds, check=True
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        raise FaultyInputError(
            f"subject_id['pattern']: stopped after {seconds:.0f} seconds with {len(texts):,} ids; allowed: a "
            "pattern that does not backtrack without end; avoid repeats within repeats, such as (a+)+, and several .* "
            "in a row"
        ) from None
    found = json.loads(done.stdout)
    return [text for text, _ in found], sum(n == 0 for _, n in found)
