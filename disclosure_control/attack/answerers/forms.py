"""Digits of an id or a true day within the numbers and texts of a person's own rows, in any order a day is written in.

Assumption: the digits stand together, with or without a decimal point or other signs between them (90.200417 of subject
200417; 7.02112015 of 2 November 2015). Chance: how many people would have their own if ids and days were exchanged
among people; of *m* on average, *k* have a chance of at most *m*^*k* / *k*!. Cost: cells of five digits or more, times
their windows of six to eight digits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

LENGTHS = (6, 7, 8)
MOST_DIGITS = 18
N_SHIFTS = 20
RARE = 1e-6
MOST_PAIRS = 2_000_000
_ROOM = 10**9  # for the length of the digits, and these
_DAYS = ("%d%m%Y", "%m%d%Y", "%Y%m%d", "%d%m%y", "%m%d%y", "%y%m%d")


@dataclass(frozen=True)
class OwnDigits:
    """The digits that are wanted of people: ``code`` (n_wanted,) and whose, ``person`` (n_wanted,) of ``n_people``."""

    code: np.ndarray = field(repr=False)
    person: np.ndarray = field(repr=False)
    n_people: int

    @classmethod
    def of(cls, ids: pd.Series, people: np.ndarray, days: np.ndarray, of_days: np.ndarray, n_people: int) -> OwnDigits:
        """Of ids (n,) as text and true days (n_days,) since 1970, with the person of each."""
        runs = ids.astype("str").str.extractall(r"(?P<run>\d{6,8})(?!\d)").reset_index(level=1, drop=True)["run"]
        person = pd.Series(people, ids.index).loc[runs.index].to_numpy()
        texts, whose = [runs.to_numpy(dtype=str)], [person]
        distinct, place = np.unique(days, return_inverse=True)
        dates = pd.DatetimeIndex(distinct.astype("datetime64[D]"))
        for form in _DAYS:
            texts.append(dates.strftime(form).to_numpy(dtype=str)[place])
            whose.append(of_days)
        text, owner = np.concatenate(texts), np.concatenate(whose)
        wanted = pd.DataFrame({"code": _coded(text), "person": owner}).drop_duplicates()
        return cls(wanted["code"].to_numpy(np.int64), wanted["person"].to_numpy(np.int64), n_people)

    @cached_property
    def _owned(self) -> np.ndarray:
        return np.unique(self.code * self.n_people + self.person)

    def found(self, cells: pd.Series, person: np.ndarray) -> tuple[int, bool] | None:
        """How many people have their own digits in the cells (n_rows,) of their rows, and if chance explains it.

        None where the cells are too many to search.
        """
        windows = _windows(cells, person)
        if windows is None:
            return None
        code, who = windows
        n_own = self._n_own(code, who)
        if not n_own:
            return 0, True
        step = max(self.n_people // (N_SHIFTS + 1), 1)
        by_chance = [self._n_own(code, (who + step * (i + 1)) % self.n_people) for i in range(N_SHIFTS)]
        mean = max(float(np.mean(by_chance)), 1 / N_SHIFTS)
        return n_own, n_own * math.log(mean) - math.lgamma(n_own + 1) > math.log(RARE)

    def _n_own(self, code: np.ndarray, who: np.ndarray) -> int:
        own = np.isin(code * self.n_people + who, self._owned)
        return len(np.unique(who[own]))


def _coded(texts: np.ndarray) -> np.ndarray:
    """Texts of digits as whole numbers, which tell 070214 from 70214."""
    known = pd.Series(texts, dtype="str")
    return known.str.len().to_numpy(np.int64) * _ROOM + known.astype(np.int64).to_numpy()


def _windows(cells: pd.Series, person: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """The windows of the digits of the cells (n_rows,), each once with its person: codes and people (n_windows,).

    None where more than ``MOST_PAIRS`` cells of people have so many digits.
    """
    there = cells.notna().to_numpy() & (person >= 0)
    pairs = pd.DataFrame({"cell": cells[there].astype("str").to_numpy(), "person": person[there]}).drop_duplicates()
    place, distinct = pd.factorize(pairs["cell"])
    digits = pd.Series(distinct, dtype="str").str.replace(r"\.0$|\D", "", regex=True)
    long = digits.str.len().between(min(LENGTHS) - 1, MOST_DIGITS).to_numpy(dtype=bool)
    kept = long[place]
    if kept.sum() > MOST_PAIRS:
        return None
    if not kept.any():
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    parts = [pd.DataFrame({"cell": cell, "code": code}) for cell, code in _of_cells(digits, long)]
    windows = pd.concat(parts)
    found = pd.DataFrame({"cell": place[kept], "person": pairs["person"].to_numpy()[kept]}).merge(windows, on="cell")
    found = found[["code", "person"]].drop_duplicates()
    return found["code"].to_numpy(np.int64), found["person"].to_numpy(np.int64)


def _of_cells(digits: pd.Series, long: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The windows of each length: the cell and the code of each; a number may have lost a zero in front."""
    at = np.flatnonzero(long)
    of_long = digits.iloc[at]
    written = pd.concat([of_long, "0" + of_long])
    cell = np.tile(at, 2)
    for length in LENGTHS:
        for start in range(MOST_DIGITS + 2 - length):
            part = written.str.slice(start, start + length)
            # Of the one with a zero in front, only the window that begins with it is new.
            whole = (part.str.len() == length).to_numpy(dtype=bool, copy=True)
            whole[len(at) :] &= start == 0
            if not whole.any():
                break
            yield cell[whole], _coded(part.to_numpy(dtype=object)[whole])
