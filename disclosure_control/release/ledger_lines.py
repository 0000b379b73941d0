"""What does not leave, in lines for a reader: each has its rule of the answer on use, and a part of the first line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from disclosure_control.basics.telling.small_counts import Policy
from disclosure_control.basics.telling.words import listed
from disclosure_control.release.ledger import By, Loss, What, losses_for
from disclosure_control.study_tables.fit import FitForUseSettings, LedgerLine

MOST_NAMED = 8
_OF = {What.DATA_SET: "", What.COLUMN: "", What.EVERYTHING: "", What.PEOPLE: "all people of "}

_COUNTED = {What.CELLS: "cells", What.CHANGED: "cells", What.PEOPLE: "people"}


def entries_of(policy: Policy, losses: Iterable[Loss], settings: FitForUseSettings) -> Iterator[LedgerLine]:
    """The lines in words, those of one rule and of one who decided together."""
    grouped: dict[tuple[str, What, By], list[Loss]] = {}
    for loss in losses_for(policy, losses):
        grouped.setdefault((_rule(loss, settings), loss.what, loss.by), []).append(loss)
    for (rule, what, by), unsorted in grouped.items():
        of_one = sorted(unsorted, key=lambda one: one.characteristic or 0)
        bare = [one.name for one in of_one]
        names = [f"{one.name}{_how_many(policy, one)}" for one in of_one]
        with_numbers = what in (What.ROWS, What.TWICE, What.CELLS) or any(one.where_for(policy) for one in of_one)
        counted = names if with_numbers else bare
        kind = "" if by is By.RECODED else _OF.get(what, f"{what} of ")
        decided_by = f"{', ' if what is What.EVERYTHING else ' '}{by}"
        yield LedgerLine(
            rule,
            f"Not in what leaves, {what}",
            f"{_some(names)}{decided_by}",
            f"{_some(bare)}{decided_by}",
            f"{kind}{_some(counted, 4)}{decided_by}",
            by is By.UNRECORDED,
        )


def _rule(loss: Loss, settings: FitForUseSettings) -> str:
    is_much = loss.n_rows > settings.share * loss.of_rows
    match loss.what:
        case What.EVERYTHING:
            return "nothing_left"
        case What.DATA_SET:
            return "data_set_by_role" if loss.by is By.ROLE or not loss.n_people else "data_set_gone"
        case What.COLUMN:
            removed = "column_removed" if loss.characteristic is None else "characteristic_gone"
            return {By.ROLE: "column_by_role", By.CLOSED: "column_closed"}.get(loss.by, removed)
        case What.PEOPLE:
            return "people_gone" if is_much else "few_gone"
        case What.ROWS | What.TWICE:
            return "rows_gone" if is_much else "few_gone"
        case What.TIMES:
            return "times_gone" if loss.has_order else "no_times"
    return "cells_gone" if is_much else "few_gone"


def _how_many(policy: Policy, loss: Loss) -> str:
    rows = None if loss.what is What.COLUMN or not loss.n_rows else policy.told(loss.n_rows, loss.of_rows)
    what = _COUNTED.get(loss.what, "rows")
    of_all = [] if rows is None else [f"{rows:,} of {loss.of_rows:,} {what}"]
    told = "; ".join(filter(None, [*of_all, loss.where_for(policy)]))
    return f" ({told})" if told else ""


def _some(names: Sequence[str], most: int = MOST_NAMED) -> str:
    n_more = len(names) - most
    return listed([*names[:most], f"{n_more:,} more"] if n_more > 0 else names, most + 1)
