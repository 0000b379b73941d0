"""What the scan of values found: counts per column, and never a value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum


class Grade(Enum):
    """What a column of a kind can do to a person, gravest first."""

    NAMES_A_PERSON = "names or reaches a person"
    KNOWN_TO_OUTSIDERS = "outsiders may know it, and few people share it"


@dataclass(frozen=True)
class ColumnFinding:
    """One kind of identifier in one column, in counts.

    ``domain`` is that of the file, ``column`` the heading as in the file. ``n_values`` rows with a value were looked
    at, ``n_hits`` of them are of the kind; ``n_people`` of ``n_all_people`` whose rows were looked at have a hit (0 of
    0 where the table names no subject). ``chance_rate`` in [0, 1] is the share that would pass the same check by
    chance. ``certainty`` is "sure", "likely" or "possible". ``words`` say what the hits are, in the plural. Of a very
    large column a sample of its different values was looked at where ``is_sample`` says so.
    """

    domain: str
    column: str
    kind: str
    grade: Grade
    n_values: int
    n_hits: int
    n_people: int
    n_all_people: int
    chance_rate: float
    certainty: str
    what_to_do: str
    words: str = ""
    is_sample: bool = False

    @property
    def name(self) -> str:
        """The column as the combined dataset would call it: ``DM__PHONE``."""
        return f"{self.domain}__{self.column}" if self.domain else self.column

    @property
    def vetoes(self) -> bool:
        """Whether it is a reason against releasing the column; a merely possible finding is not."""
        return self.certainty != "possible"


@dataclass(frozen=True)
class Scan:
    """The ``findings``, gravest first within their tables, and how many ``columns`` were scanned, per table."""

    findings: tuple[ColumnFinding, ...] = ()
    columns: Mapping[str, int] = field(default_factory=dict)


def joined(scans: Iterable[Scan]) -> Scan:
    """Several scans as one."""
    scans = list(scans)
    columns = {name: n_columns for scan in scans for name, n_columns in scan.columns.items()}
    return Scan(tuple(finding for scan in scans for finding in scan.findings), columns)
