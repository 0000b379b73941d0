"""What became of coded terms of few people: counted by records and people, and what of it a report may say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from disclosure_control.basics.telling.small_counts import Policy, things_told
from disclosure_control.basics.telling.words import listed, people_text, share_text

NOT_RELEASED = "(not released)"


@dataclass(frozen=True)
class RaisedTerms:
    """What was done with the records of a ``domain``, or of one term of a table: all rows, ``rows_raised`` by the
    column of their new level.

    ``rows_hidden`` stay without their term, ``rows_gone`` were removed; ``people_raised``, ``people_hidden`` and
    ``people_gone``, of all ``people`` with a record, have such a one. ``related_rows_gone`` are rows of SUPP-- and
    RELREC that belong to changed ones. ``loss`` in [0, 1]: levels lost per row, as a share of all levels; a hidden or
    removed row loses all.
    """

    domain: str
    rows: int
    rows_raised: Mapping[str, int]
    rows_gone: int
    related_rows_gone: int
    loss: float
    rows_hidden: int = 0
    people: int = 0
    people_raised: int = 0
    people_hidden: int = 0
    people_gone: int = 0

    @property
    def is_changed(self) -> bool:
        return bool(self.rows_raised or self.rows_hidden or self.rows_gone)


@dataclass(frozen=True)
class ToldTerms:
    """The same as a report gives it: None for counts of few, and for the loss from which they could be calculated."""

    domain: str
    rows: int | None
    rows_raised: Mapping[str, int | None]
    rows_hidden: int | None
    rows_gone: int | None
    related_rows_gone: int | None
    people: int | None
    people_raised: int | None
    people_hidden: int | None
    people_gone: int | None
    loss: float | None

    @classmethod
    def of(cls, policy: Policy, one: RaisedTerms) -> ToldTerms:
        """What was done, as the reader may see it: the rows that were changed in each way are parts of all rows."""
        parts = np.array([*one.rows_raised.values(), one.rows_hidden, one.rows_gone])
        hidden = policy.hidden_parts(np.append(parts, one.rows - parts.sum()))[:-1]
        *raised, rows_hidden, rows_gone = [None if hides else int(n) for n, hides in zip(parts, hidden, strict=True)]
        changed = (one.people_raised, one.people_hidden, one.people_gone)
        raised_people, hidden_people, gone_people = (policy.told(n, one.people) for n in changed)
        is_exact = not hidden.any() and None not in (raised_people, hidden_people, gone_people)
        return cls(
            one.domain,
            policy.told(one.rows),
            dict(zip(one.rows_raised, raised, strict=True)),
            rows_hidden,
            rows_gone,
            policy.told(one.related_rows_gone),
            policy.told(one.people),
            raised_people,
            hidden_people,
            gone_people,
            round(one.loss, 4) if is_exact else None,
        )

    def words(self) -> str:
        """The new levels, what was hidden or removed, and the loss."""
        what = [f"{_records(n)} raised to {column}" for column, n in self.rows_raised.items()]
        if self.rows_hidden != 0:
            what.append(f"the term of {_records(self.rows_hidden)} of {_people(self.people_hidden)} hidden")
        if self.rows_gone != 0:
            what.append(f"{_records(self.rows_gone)} of {_people(self.people_gone)} removed")
        if self.related_rows_gone != 0:
            what.append(f"{_records(self.related_rows_gone)} that belong to these removed")
        lost = "" if self.loss is None else f"; {share_text(self.loss)} of all levels lost"
        return f"{self.domain}, {_records(self.rows)}: {listed(what) or 'no term was rare'}{lost}."

    def words_for_recipient(self) -> str:
        """What a reader of the records has to know; empty where nothing was changed."""
        what = []
        if self.rows_raised:
            n = None if None in (all_raised := [*self.rows_raised.values()]) else sum(filter(None, all_raised))
            what.append(f"{_records(n)} have a coarser term")
        if self.rows_hidden != 0:
            what.append(f'{_records(self.rows_hidden)} have "{NOT_RELEASED}" or no term')
        if self.rows_gone != 0:
            what.append(f"{_records(self.rows_gone)} of {_people(self.people_gone)} were removed")
        return f"Of {_records(self.rows)} of {self.domain}, {listed(what)}." if what else ""


def _records(n: int | None) -> str:
    return things_told(n, "record")


def _people(n: int | None) -> str:
    return "some people" if n is None else people_text(n, ",")
