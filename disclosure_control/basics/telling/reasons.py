"""Why what would leave the house must not leave yet: what steps find reaches the verdict in this form."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Gravity(IntEnum):
    """What kind of reason, gravest first: the verdict gives them in this order."""

    NAMES_A_PERSON = 1  # a column, a file or a row identifies somebody
    OUTSIDERS_CAN_SINGLE_OUT = 2  # people are alone by what outsiders may know
    THRESHOLD_NOT_MET = 3  # k, l, t or another threshold of the config
    NOT_DECIDED = 4  # the controller has not yet stated what a verdict needs
    KEYS_DO_NOT_JOIN = 5  # rows of the release lost the rows of other tables that they belong to


@dataclass(frozen=True, order=True)
class Reason:
    """``sentence`` gives the reason, in counts and column names; ``remedy`` is a command, or lines of the config."""

    gravity: Gravity
    sentence: str
    remedy: str = ""
