"""One question for a private answer, in the one form that the ledger keeps."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise

from disclosure_control.basics.encoding.columns import number_text

OTHER = "(other or missing)"


@dataclass(frozen=True)
class Query:
    """One question, checked. ``by`` has (column, declared categories) of every grouping, in order.

    ``name`` and ``accept_noise`` are no part of the question: it is the same under another name.
    """

    kind: str
    epsilon: Decimal
    column: str | None = None
    bounds: tuple[float, float] | None = None
    categories: tuple[str, ...] = ()
    edges: tuple[float, ...] = ()
    by: tuple[tuple[str, tuple[str, ...]], ...] = ()
    probability: float | None = None
    candidates: int | None = None
    name: str = field(default="", compare=False)
    accept_noise: bool = field(default=False, compare=False)

    @property
    def n_groups(self) -> int:
        """Number of groups of the answer, one "(other or missing)" in each grouping; 1 without any."""
        n = 1
        for _, categories in self.by:
            n *= len(categories) + 1
        return n

    @property
    def cells_of_column(self) -> tuple[str, ...]:
        """Cells of a histogram within one group: the declared ones and, last, everything else."""
        between = [f"{number_text(low)}--{number_text(high)}" for low, high in pairwise(self.edges)]
        return (*self.categories, *between, OTHER)

    @property
    def n_cells(self) -> int:
        """Number of cells of the answer: of all groups together."""
        return self.n_groups * (len(self.cells_of_column) if self.kind == "histogram" else 1)

    @property
    def question(self) -> dict:
        """The question in its one canonical form for the ledger: plain values for JSON.

        Categories and groupings are in alphabetical order: answers are labelled, so the order makes no other question.
        """
        return {
            "kind": self.kind,
            "column": self.column,
            "bounds": None if self.bounds is None else list(self.bounds),
            "categories": sorted(self.categories),
            "edges": list(self.edges),
            "by": sorted([column, sorted(categories)] for column, categories in self.by),
            "probability": self.probability,
            "candidates": self.candidates,
            "epsilon": decimal_text(self.epsilon),
        }


def decimal_text(number: Decimal) -> str:
    """A decimal with all its digits and no exponent: 0.30 is 0.3."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
