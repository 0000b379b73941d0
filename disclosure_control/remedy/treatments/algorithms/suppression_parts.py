"""What local suppression works on: a part is a number of people of one equivalence class who lose the same cells."""

from __future__ import annotations

import numpy as np

from disclosure_control.remedy.treatments.algorithms.alike import number_rows


class SuppressionParts:
    """Which people lost which cells: the present ``codes`` (n_columns, n_parts), ``people``, and the ``class_of`` each
    part.

    The first parts are the original classes; ``original`` (n_columns, n_classes) are their codes. ``fixed`` are rows of
    further codes, such as strata, that distinguish people and are never suppressed: they follow the columns in
    ``original`` and ``codes``.
    """

    def __init__(self, original: np.ndarray, size: np.ndarray, n_columns: int):
        self.original, self.n_columns = original, n_columns
        self.codes, self.people = original.copy(), size.astype(np.int64)
        self.class_of = np.arange(original.shape[1])

    def move(self, parts: np.ndarray, codes: np.ndarray, people: np.ndarray) -> None:
        """``people`` (n,) of each of ``parts`` (n,) become parts with other ``codes`` (n_rows_of_codes, n)."""
        np.subtract.at(self.people, parts, people)
        self.codes = np.concatenate([self.codes, codes], axis=1)
        self.class_of = np.concatenate([self.class_of, self.class_of[parts]])
        self.people = np.concatenate([self.people, people])

    def compact(self) -> None:
        """Joins parts of one class with the same codes and drops empty ones; their order is that of class and codes."""
        row = number_rows(np.concatenate([self.class_of[np.newaxis], self.codes]))
        people = np.bincount(row, self.people).astype(np.int64)
        member = np.zeros(len(people), dtype=np.int64)
        member[row] = np.arange(len(row))
        member, people = member[people > 0], people[people > 0]
        self.codes, self.class_of, self.people = self.codes[:, member], self.class_of[member], people

    @property
    def lost(self) -> np.ndarray:
        """Which cells each part has lost: (n_columns, n_parts) of bool."""
        n = self.n_columns
        return (self.codes[:n] < 0) & (self.original[:n, self.class_of] >= 0)
