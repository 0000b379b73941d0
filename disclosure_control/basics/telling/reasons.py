"""Why what would leave the house must not leave yet: what steps find reaches the verdict in this form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

from disclosure_control.basics.settings.changes import ConfigChange, are_of_the_merge, lines_to_paste

DECIDE = "Decide each of them and delete its mark."  # the lines that a draft leaves to the controller
DECIDE_COLUMNS = 'Decide each of them, and write "agreed" into its cell "decision": docs/columns.md.'
MERGE_AGAIN = "Create_Combined_Pilot_Dataset.py"  # without it, no run knows a change of the merge


class Gravity(IntEnum):
    """What kind of reason, gravest first: the verdict gives them in this order."""

    NOT_AS_MERGED = 0  # the data, or the rules of their merge, are others than those that this run judged
    NAMES_A_PERSON = 1  # a column, a file or a row identifies somebody
    OUTSIDERS_CAN_SINGLE_OUT = 2  # people are alone by what outsiders may know
    THRESHOLD_NOT_MET = 3  # k, l, t or another threshold of the config
    NOT_DECIDED = 4  # the controller has not yet stated what a verdict needs
    KEYS_DO_NOT_JOIN = 5  # rows of the release lost the rows of other tables that they belong to


@dataclass(frozen=True, order=True)
class Reason:
    """``sentence`` gives the reason, in counts and column names; ``changes`` of the config answer it.

    ``remedy`` is what else there is to do, in words: a command, or a choice that only the controller has. With
    changes it begins with "or". ``choices``: changes that answer it only where what their words say is true, which
    nobody but the controller knows; they are proposed as comments. ``infers``: a sensitive value can be inferred.
    ``is_of_all_ways``: no recoding answers it. ``is_foreseen``: it would be found once lines answer the others.
    """

    gravity: Gravity
    sentence: str
    remedy: str = ""
    changes: tuple[ConfigChange, ...] = ()
    lines: str = ""
    choices: tuple[ConfigChange, ...] = ()
    infers: bool = False
    is_of_all_ways: bool = False
    is_foreseen: bool = False

    def with_lines(self, config: Mapping[str, Any]) -> Reason:
        """The reason with its ``lines`` to paste: the keys that its changes make of this ``config``."""
        return replace(self, lines=lines_to_paste(config, self.changes))

    @property
    def next(self) -> str:
        """What to do next, in one line: the lines to paste, the merge if they need it, then what else there is."""
        merge = f"then run {MERGE_AGAIN} again" if self.lines and are_of_the_merge(self.changes) else ""
        return ", ".join(part for part in (self.lines, merge, self.otherwise) if part)

    @property
    def otherwise(self) -> str:
        """The remedy in words; without lines to paste it is no alternative to them, and has no "or" in front."""
        return self.remedy if self.lines else self.remedy.removeprefix("or ")


def found_of(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    """The reasons that a trial found, without those that it foresaw."""
    return tuple(one for one in reasons if not one.is_foreseen)
