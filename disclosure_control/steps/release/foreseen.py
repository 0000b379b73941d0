"""What would be found once the lines that answer the reasons of a trial are in place: asked of the same package.

A column that goes discloses nothing any more, and is hidden itself: others may give it. Without this, each further line
would be found by a further whole run.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator

from disclosure_control.attack.leaving import Leaving
from disclosure_control.attack.search import attacked
from disclosure_control.attack.tells.hidden_columns import PeopleAsked
from disclosure_control.attack.tells.levels_asked import telling_of
from disclosure_control.basics.settings.changes import ConfigChange, dropped_by
from disclosure_control.basics.telling.reasons import Reason
from disclosure_control.basics.telling.small_counts import MASKED


def foreseen(leaving: Leaving, reasons: Iterable[Reason], spared: Collection[str] = ()) -> Iterator[Reason]:
    """The further reasons that lines answer, until these lines bring none; no line drops a ``spared`` column."""
    lines: set[ConfigChange] = set()
    while more := {line for reason in reasons for line in reason.changes} - lines:
        lines |= more
        gone = {name for line in more if not dropped_by(line).intersection(spared) for name in _gone_by(line)}
        if not gone:
            return  # the same leaves, of which the same would be found
        leaving = _without(leaving, gone)
        asked = PeopleAsked.of(leaving)
        telling, shares = telling_of(leaving, asked)
        found = (*telling(MASKED).reasons(), *attacked(leaving, asked, shares)(MASKED).reasons())
        further = (one for one in found if not lines.issuperset(one.changes))
        reasons = [dataclasses.replace(one, is_foreseen=True) for one in further]
        yield from reasons


def _gone_by(line: ConfigChange) -> Iterator[str]:
    """The columns that do not leave by a line, if it is none of last resort."""
    if not line.is_last_resort:
        yield from dropped_by(line)
        if line.path[:2] == ("release", "operations") and line.value == "remove":
            yield line.path[2].replace(".", "__", 1)


def _without(leaving: Leaving, gone: Collection[str]) -> Leaving:
    """The same without the columns ``gone`` of the merged table, and what rows say of them."""
    values = {name: one for name, one in leaving.values.items() if name not in gone}
    return dataclasses.replace(
        leaving,
        columns=[name for name in leaving.columns if name not in gone],
        values=values,
        harmless={**leaving.harmless, **dict.fromkeys(gone, "it does not leave")},
        others={name: one for name, one in leaving.others.items() if name in values},
    )
