"""What is recorded about a released column besides its values: its levels, and whether it has intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pyarrow as pa

from disclosure_control.basics.encoding.columns import encode_column, labels_of
from disclosure_control.basics.encoding.interval_labels import interval_of
from disclosure_control.basics.encoding.text_codes import text_codes
from disclosure_control.basics.telling.small_counts import SMALLEST_PRINTED_GROUP

MOST_LEVELS = 50
PROBED = 200


@dataclass(frozen=True)
class ColumnSeen:
    """A text column as far as it was read, part by part, with all rows of a person in one part. Numbers are not
    recorded.

    ``people``: how many have each level, None if there are more levels than are listed. ``first``: the first texts.
    """

    people: Mapping[str, int] | None = field(default_factory=dict)
    first: tuple[str, ...] = ()

    def after(self, column: pd.Series, people: np.ndarray) -> ColumnSeen:
        """The same after one more part (n_rows,) of these people (n_rows,), below 0 of nobody."""
        if column.dtype.kind == "f":
            return ColumnSeen(None)
        texts = text_codes(column if column.dtype == "str" else column.astype("str")).texts
        first = tuple(dict.fromkeys([*self.first, *texts[:MOST_LEVELS].to_pylist()]))[:MOST_LEVELS]
        if self.people is None or _are_many(texts):
            return ColumnSeen(None, first)
        return ColumnSeen(_with_people(self.people, column, people), first)

    @property
    def has_intervals(self) -> bool:
        """Whether one of its first texts is an interval."""
        return any(interval_of(text) is not None for text in self.first)

    @property
    def levels(self) -> list[str]:
        """The levels, where they are few and each is that of at least ten people."""
        if not self.people or min(self.people.values()) < SMALLEST_PRINTED_GROUP:
            return []
        return sorted(self.people)


def _are_many(texts: pa.Array) -> bool:
    """Whether the first of very many texts alone are more levels than are listed: then the others are not spelt."""
    return len(texts) > PROBED and len(encode_column(pd.Series(texts[:PROBED], dtype="str")).labels) > MOST_LEVELS


def _with_people(people_of: Mapping[str, int], column: pd.Series, people: np.ndarray) -> Mapping[str, int] | None:
    encoded = encode_column(column)
    found = dict(people_of)
    if len(encoded.labels) <= MOST_LEVELS:
        present = encoded.codes >= 0
        person, n_people = people[present] + 1, int(people.max(initial=0)) + 2
        pairs = pd.unique(encoded.codes[present].astype(np.int64) * n_people + person)
        counts = np.bincount(pairs // n_people, minlength=len(encoded.labels))
        for level, n in zip(labels_of(encoded), counts.tolist(), strict=True):
            found[level] = found.get(level, 0) + n
        if len(found) <= MOST_LEVELS:
            return found
    return None
