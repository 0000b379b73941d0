"""The keys of the package in words: which still join, which do not, and the reason to hold if fewer rows do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from disclosure_control.basics.settings.changes import ConfigChange
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.sections import Part, Sentence, Style, Table
from disclosure_control.basics.telling.small_counts import Policy, count_text
from disclosure_control.basics.telling.words import counted, listed
from disclosure_control.release.joins import JoinState, KeyJoin

TITLE = "Keys: rows that find their partner"


@dataclass(frozen=True)
class ToldJoin:
    """A key and the rows that have a value and find their partner, in the source and now; small counts are null."""

    key: str
    partner: str
    state: str
    rows_before: int | None
    found_before: int | None
    rows_now: int | None
    found_now: int | None


def told_joins(policy: Policy, joins: Iterable[KeyJoin]) -> list[ToldJoin]:
    """The keys as the reader may see them."""
    return [
        ToldJoin(
            one.key.name,
            f"{one.key.partner}.{one.key.partner_column}",
            str(one.state),
            *_told(policy, one.rows_before, one.found_before),
            *_told(policy, one.rows_now, one.found_now),
        )
        for one in joins
    ]


def _told(policy: Policy, n_rows: int, n_found: int) -> tuple[int | None, int | None]:
    rows = policy.told(n_rows)
    return rows, None if rows is None else policy.told(n_found, n_rows)


def key_parts(told: Sequence[ToldJoin]) -> Iterator[Part]:
    """All keys with their counts; those that name rows of a table that is not released are named as such."""
    yield Sentence(TITLE, Style.HEADING)
    if not told:
        yield Sentence("The study has no keys between its tables: no join was tested.")
        return
    n_joining = sum(one.state == JoinState.JOINS for one in told)
    yield Sentence(
        f"{n_joining} of {counted(len(told), 'key')} join as before. The rows of the source are those of the people "
        "who stay."
    )
    columns = ("Key", "Partner", "Rows before", "Found before", "Rows now", "Found now", "Result")
    rows = [
        [
            one.key,
            one.partner,
            *map(count_text, (one.rows_before, one.found_before)),
            *map(count_text, (one.rows_now, one.found_now)),
            one.state,
        ]
        for one in told
    ]
    yield Table(TITLE, columns, rows, range(2, 6))


def reasons_of_keys(joins: Iterable[KeyJoin]) -> list[Reason]:
    """A reason if fewer rows of a key find their partner than in the source."""
    dropped = [one.key for one in joins if one.state == JoinState.DROPPED]
    if not dropped:
        return []
    named = listed(f"{key.name} ({key.partner}.{key.partner_column})" for key in dropped)
    return [
        Reason(
            Gravity.KEYS_DO_NOT_JOIN,
            f"Fewer rows find their partner than in the source, by {counted(len(dropped), 'key')}: {named}.",
            "or release the partner by the same operation",
            tuple(
                ConfigChange.to(("release", "operations", name), "remove", "fewer rows find their partner than before")
                for name in dict.fromkeys(f"{key.table}.{key.column}" for key in dropped)
            ),
        )
    ]
