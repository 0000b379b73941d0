"""One decision per person: who stays, under which name, by how many days the dates move, and what was recoded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from disclosure_control.basics.columns import encode_column, labels_of
from disclosure_control.basics.faults import FaultyInputError
from disclosure_control.treatments.keys import Release, offsets_of, pseudonyms_of


@dataclass(frozen=True)
class RecodedColumn:
    """A column of the combined dataset that the treatment changed, as labels per person (n_people,), None if missing.

    ``released`` is None where the treatment dropped the whole column.
    """

    name: str
    original: np.ndarray
    released: np.ndarray | None

    @property
    def domain(self) -> str:
        """The domain that the column comes from."""
        return self.name.partition("__")[0]

    @property
    def variable(self) -> str:
        """The variable or test within the domain."""
        return self.name.partition("__")[2]


@dataclass(frozen=True)
class People:
    """The people of a pilot (n_people,), in the order of the combined dataset.

    ``ids`` are the original ones, after the pilot's rule; ``stays`` says whom the treatment kept; ``pseudonyms`` and
    ``offsets`` in days belong to the release. ``recoded`` are the columns that the treatment changed, ``roles`` the
    columns that the config names as quasi-identifiers or sensitive.
    """

    ids: pd.Series
    stays: np.ndarray
    pseudonyms: np.ndarray
    offsets: np.ndarray
    recoded: Mapping[str, RecodedColumn]
    roles: Sequence[str]


def people_of(
    ids: pd.Series,
    kept: np.ndarray,
    before: pd.DataFrame,
    after: pd.DataFrame,
    roles: Sequence[str],
    key: bytes,
    release: Release,
    days: int,
) -> People:
    """The people of a pilot after its treatment.

    ``ids`` (n_people,) and ``before`` (n_people, n_columns) are the combined dataset; ``kept`` (n_kept,) are the
    positions of the people whom the treatment kept, ``after`` (n_kept, ...) their records. Raises ``FaultyInputError``
    where two people would share a pseudonym.
    """
    encoded = encode_column(ids)
    texts = labels_of(encoded)
    position = encoded.codes
    pseudonyms = np.array(pseudonyms_of(key, release, texts), dtype=object)[position]
    n_shared = len(ids) - len(set(pseudonyms))
    if n_shared:
        raise FaultyInputError(f"release: {n_shared} people would share a pseudonym; take another key")
    stays = np.zeros(len(ids), dtype=bool)
    stays[kept] = True
    return People(
        ids=ids.reset_index(drop=True),
        stays=stays,
        pseudonyms=pseudonyms,
        offsets=offsets_of(key, release, texts, days)[position],
        recoded=_recoded_columns(before.reset_index(drop=True), after, kept),
        roles=tuple(roles),
    )


def _recoded_columns(before: pd.DataFrame, after: pd.DataFrame, kept: np.ndarray) -> dict[str, RecodedColumn]:
    """The columns that differ in somebody who was kept, or are gone; the subject's own id is no such column."""
    found = {}
    for name in before.columns.drop("USUBJID", errors="ignore"):
        original = labels(before[name])
        if name not in after:
            found[str(name)] = RecodedColumn(str(name), original, None)
            continue
        released = np.full(len(before), None, dtype=object)
        released[kept] = labels(after[name])
        if (released[kept] != original[kept]).any():
            found[str(name)] = RecodedColumn(str(name), original, released)
    return found


def of_rows(values: np.ndarray, people: np.ndarray) -> np.ndarray:
    """What each person has (n_people,) for the rows (n_rows,) of these people; None in rows of nobody."""
    return np.array([*values, None], dtype=object)[people]


def labels(column: pd.Series) -> np.ndarray:
    """The column (n_records,) as labels under which values are counted: text, None where missing."""
    encoded = encode_column(column)
    return np.array([*labels_of(encoded), None], dtype=object)[encoded.codes]
