"""What became of coded terms of few people: counted by records and people, and what of it a report may say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from disclosure_control.basics.telling.small_counts import Policy, things_told
from disclosure_control.basics.telling.words import listed, people_text, share_text

NOT_RELEASED = "(not released)"


@dataclass(frozen=True)
class RaisedTerms:
    """What was done with the records of a ``domain``, or of one term of a table: all rows, ``rows_raised`` by the
    column of their new level.

    ``rows_hidden`` are without their term; ``people_raised`` and ``people_hidden``, of all ``people`` with a record,
    have such a one. ``related_rows_gone`` are rows of SUPP-- and RELREC with the term of changed ones. ``loss`` in
    [0, 1]: levels lost per row, as a share of all levels; a hidden row loses all. None is masked for the reader: counts
    of few, and the loss from which they could be calculated.
    """

    domain: str
    rows: int | None
    rows_raised: Mapping[str, int | None]
    rows_hidden: int | None
    related_rows_gone: int | None
    loss: float | None
    people: int | None = 0
    people_raised: int | None = 0
    people_hidden: int | None = 0

    @property
    def is_changed(self) -> bool:
        return bool(self.rows_raised or self.rows_hidden)

    def for_reader(self, policy: Policy) -> RaisedTerms:
        """The same as the reader may see it: the rows that were changed in each way are parts of all rows."""
        n_rows, n_people = self.rows or 0, self.people or 0
        parts = np.array([*self.rows_raised.values(), self.rows_hidden], dtype=np.int64)
        hidden = policy.hidden_parts(np.append(parts, n_rows - parts.sum()))[:-1]
        *raised, rows_hidden = [None if hides else int(n) for n, hides in zip(parts, hidden, strict=True)]
        people_raised, people_hidden = (policy.told(n or 0, n_people) for n in (self.people_raised, self.people_hidden))
        is_exact = not hidden.any() and None not in (people_raised, people_hidden)
        return replace(
            self,
            rows=policy.told(n_rows),
            rows_raised=dict(zip(self.rows_raised, raised, strict=True)),
            rows_hidden=rows_hidden,
            related_rows_gone=policy.told(self.related_rows_gone or 0),
            people=policy.told(n_people),
            people_raised=people_raised,
            people_hidden=people_hidden,
            loss=round(self.loss or 0.0, 4) if is_exact else None,
        )

    def words(self) -> str:
        """The new levels, what was hidden, and the loss."""
        what = [f"{_records(n)} raised to {column}" for column, n in self.rows_raised.items()]
        if self.rows_hidden != 0:
            what.append(f"the term of {_records(self.rows_hidden)} of {_people(self.people_hidden)} hidden")
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
        return f"Of {_records(self.rows)} of {self.domain}, {listed(what)}." if what else ""


def _records(n: int | None) -> str:
    return things_told(n, "record")


def _people(n: int | None) -> str:
    return "some people" if n is None else people_text(n, ",")
