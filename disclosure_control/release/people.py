"""One decision per person: who stays, under which pseudonym, the offset of the dates, and the recoded columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.encoding.columns import encode_column, labels_of, parse_numbers, texts_as_labels
from disclosure_control.basics.encoding.dictionary import Dictionary, as_texts
from disclosure_control.basics.kept import print_of
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.small_counts import people_on_screen
from disclosure_control.records.records import EncodedRecords
from disclosure_control.remedy.treatments.keys import Release, digests, offsets_of, pseudonyms_of

_PEOPLE_AT_ONCE = 1 << 16
BY_TREATMENT = "dropped by the treatment"


@dataclass(frozen=True)
class RecodedColumn:
    """A column of the combined dataset that the treatment changed, as labels per person (n_people,), None if missing.

    ``released`` is None where the treatment dropped the whole column, or another ``reason`` keeps it back.
    """

    name: str
    original: np.ndarray = field(repr=False)
    released: np.ndarray | None = field(repr=False)
    reason: str = BY_TREATMENT

    @property
    def domain(self) -> str:
        """The domain that the column comes from."""
        return self.name.partition("__")[0]

    @property
    def variable(self) -> str:
        """The variable or test within the domain."""
        return self.name.partition("__")[2]

    @cached_property
    def print(self) -> bytes:
        """A digest of what the treatment changed."""
        return print_of(*(pd.Series(one) for one in (self.original, self.released) if one is not None))

    @cached_property
    def _pairs(self) -> pd.DataFrame:
        """Each original value with each label that it became, once (n_pairs, 2); without who was suppressed."""
        assert self.released is not None
        return pd.DataFrame({"original": self.original, "released": self.released}).dropna().drop_duplicates()

    @cached_property
    def fates(self) -> dict[str, str | None]:
        """Original value -> the one label that it became in all who were not suppressed; None of several."""
        pairs = self._pairs
        alone = ~pairs.duplicated("original", keep=False)
        found: dict[str, str | None] = dict.fromkeys(pairs["original"])
        found.update(zip(pairs["original"][alone], pairs["released"][alone], strict=True))
        return found

    @cached_property
    def groups_of_neighbours(self) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """The smallest and the largest original number of each released number (n_groups,), and its label; rising.

        None if labels are no numbers, or people of one label are no neighbours: numbers with noise are in no group.
        """
        numbers = {name: parse_numbers(column.astype("str")) for name, column in self._pairs.items()}
        if self._pairs.empty or any(np.isnan(column).any() for column in numbers.values()):
            return None
        pairs = self._pairs.assign(number=numbers["original"])
        groups = pairs.groupby("released", sort=False)["number"].agg(["min", "max", "size"]).sort_values(["min", "max"])
        low, high = groups["min"].to_numpy(), groups["max"].to_numpy()
        are_neighbours = bool((high[:-1] <= low[1:]).all()) and bool((groups["size"] > 1).any())
        return (low, high, groups.index.to_numpy(dtype=object)) if are_neighbours else None

    @cached_property
    def released_as_numbers(self) -> bool:
        """Whether every label that is released reads as a number: of one type in all files that have the variable."""
        assert self.released is not None
        return are_numbers(pd.Series(pd.unique(self.released), dtype="str"))


@dataclass(frozen=True)
class ReleasePeople:
    """The people of a pilot (n_people,), in the order of the combined dataset.

    ``ids`` are the original ones, after the pilot's rule; ``stays``: who was kept by the treatment; ``pseudonyms`` and
    ``offsets`` in days belong to the release. ``recoded`` are the columns that the treatment changed, ``roles`` the
    columns that the config names as quasi-identifiers or sensitive. ``are_numbers``: the pseudonyms are whole numbers.
    ``n_hidden`` people leave without the quasi-identifiers ``hidden_columns``, so that their terms can stay; those
    ``undated`` (n_people,) without dates, because no offset hides them; None: nobody.
    """

    ids: pd.Series = field(repr=False)
    stays: np.ndarray
    pseudonyms: pd.Series = field(repr=False)
    offsets: np.ndarray
    recoded: Mapping[str, RecodedColumn]
    roles: Sequence[str]
    are_numbers: bool = False
    n_hidden: int = 0
    hidden_columns: tuple[str, ...] = ()
    undated: np.ndarray | None = field(default=None, repr=False)

    @cached_property
    def rank(self) -> np.ndarray:
        """The place of each person (n_people + 1,) by pseudonym, and that of nobody, the last."""
        rank = np.empty(len(self.ids) + 1, dtype=np.int64)
        rank[_order(as_texts(self.pseudonyms))] = np.arange(len(self.ids))
        rank[-1] = len(self.ids)
        return rank

    @cached_property
    def known_pseudonyms(self) -> Dictionary:
        """The pseudonyms, to find people by."""
        return Dictionary(self.pseudonyms)


def drawn_order(people: ReleasePeople, key: bytes, release: Release, purpose: str) -> np.ndarray:
    """A number of each person (n_people,), drawn by the key for one purpose: the order of the source is not in it, and
    the pseudonyms do not tell it.
    """
    (seed,) = digests(key, "draw", release, [purpose])
    return np.random.default_rng(int.from_bytes(seed)).permutation(len(people.ids))[people.rank[:-1]]


def people_of(
    ids: pd.Series,
    roles: Sequence[str],
    key: bytes,
    release: Release,
    days: int,
    as_numbers: bool = False,
) -> ReleasePeople:
    """The people of a pilot before its treatment: everybody stays, and nothing is recoded.

    ``ids`` (n_people,) are those of the combined dataset; ``as_numbers``: pseudonyms are whole numbers. Raises
    ``FaultyInputError`` if two people would get the same pseudonym.
    """
    texts = texts_of(ids)
    of_blocks, offsets = [], [np.zeros(0, dtype=np.int64)]
    for start in range(0, len(texts), _PEOPLE_AT_ONCE):
        block = texts.slice(start, _PEOPLE_AT_ONCE).to_pylist()
        of_blocks.append(pa.array(pseudonyms_of(key, release, block, as_numbers=as_numbers), pa.large_string()))
        offsets.append(offsets_of(key, release, block, days))
    pseudonyms = pa.concat_arrays(of_blocks) if of_blocks else texts
    ordered = pseudonyms.take(pa.array(_order(pseudonyms)))
    n_shared = pc.sum(pc.equal(ordered[1:], ordered[:-1])).as_py()
    if n_shared:
        raise FaultyInputError(
            f"release: {people_on_screen(n_shared)} people would share a pseudonym; take another key"
        )
    return ReleasePeople(
        ids=ids.reset_index(drop=True),
        stays=np.ones(len(ids), dtype=bool),
        pseudonyms=pd.Series(pd.array(pseudonyms, dtype="str")),
        offsets=np.concatenate(offsets),
        recoded={},
        roles=tuple(roles),
        are_numbers=as_numbers,
    )


def _order(texts: pa.LargeStringArray) -> np.ndarray:
    """The places (n,) of the texts as their letters rise."""
    order: np.ndarray = pc.array_sort_indices(texts).to_numpy().astype(np.int64)  # bytes of UTF-8 sort as letters do
    return order


def recoded_columns(
    original: EncodedRecords, stayed: EncodedRecords, values: Mapping[str, pd.Series], kept: np.ndarray
) -> dict[str, RecodedColumn]:
    """The columns that changed for a kept person, or were dropped; the subject's own id is not among them.

    ``original`` are the records of the combined dataset, ``stayed`` those at the positions ``kept`` (n_kept,), and
    ``values`` the released forms of their values.
    """
    found = {}
    for name, column in original.columns.items():
        before = labels(column.values)[column.places()]
        if name not in values:
            found[name] = RecodedColumn(name, before, None)
            continue
        after = np.full(len(before), None, dtype=object)
        after[kept] = labels(values[name])[stayed.places(name)]
        if (after[kept] != before[kept]).any():
            found[name] = RecodedColumn(name, before, after)
    return found


def are_numbers(texts: pd.Series) -> bool:
    """Whether every text that is there reads as a number."""
    return bool(pd.to_numeric(texts.dropna(), errors="coerce").notna().all())


def of_rows(values: np.ndarray, people: np.ndarray) -> np.ndarray:
    """What each person has (n_people,) for the rows (n_rows,) of these people; None in rows of nobody."""
    somebody, found = people >= 0, np.full(len(people), None, dtype=object)
    found[somebody] = values[people[somebody]]  # in the time of the rows: a part of a file has few of the people
    return found


def labels(column: pd.Series) -> np.ndarray:
    """The column (n_records,) as labels under which values are counted: text, None where missing."""
    encoded = encode_column(column)
    return np.array([*labels_of(encoded), None], dtype=object)[encoded.codes]


def texts_of(column: pd.Series) -> pa.LargeStringArray:
    """The same (n_records,) as one array of Arrow's: of columns of text that hardly repeat, without the labels."""
    if column.dtype == "str":
        return texts_as_labels(as_texts(column))
    return pa.array(labels(column), pa.large_string())
