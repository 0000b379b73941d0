"""The domains of a pilot, divided by person: each part with its supplemental variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from study.formats.rows_of_people import SUBJECT, RowsInMemory, RowsOfPeople
from study.formats.tables import SourceTable
from study.merge.parts import DomainPart
from study.merge.state import MergeState
from study.merge.supplemental import ForDomain, fold_into, planned_folds
from study.merge.wide import row_of_each_subject
from study.models.roles import TableModel


@dataclass
class DividedDomain:
    """A domain in parts, one for each of ``ranges`` of people: iterate as often as needed, or ask for one part.

    ``base`` is the domain that has each person's reference start; None for that domain itself, or where there is none.
    It is read once for that. A domain of a single part keeps it until ``forget`` is called.
    """

    name: str
    members: Sequence[RowsOfPeople]
    columns: list[str]
    folds: Sequence[ForDomain]
    ranges: Sequence[tuple[int, int]]
    several_rows: str | None
    model: TableModel
    base: DividedDomain | None = None
    _kept: dict[int, DomainPart] = field(default_factory=dict)
    _began: dict[int, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)

    def __iter__(self) -> Iterator[DomainPart]:
        return map(self.part, range(len(self.ranges)))

    def part(self, i: int) -> DomainPart:
        """The rows of the people of a range."""
        if i in self._kept:
            return self._kept[i]
        start, stop = self.ranges[i]
        frames = [member.part(start, stop) for member in self.members]
        frame = frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)
        frame, counts, faults = fold_into(frame, self.folds, start, stop)
        frame = self.model.as_merged(frame)
        began = self.base.began(i) if self.base else np.full(stop - start, None, dtype=object)
        part = DomainPart(frame, stop - start, began, counts, faults)
        if len(self.ranges) == 1:
            self._kept[i] = part
        return part

    def began(self, i: int) -> np.ndarray:
        """The reference starts of the people of a range, by this domain: (n,) of text or None."""
        if i not in self._began:
            part = self.part(i)
            code, days = pd.factorize(reference_start(part.frame, part.n_subjects, self.several_rows, self.model))
            self._began[i] = code.astype(np.min_scalar_type(-len(days) - 1)), np.array([*days, None], dtype=object)
        code, days = self._began[i]
        return np.asarray(days[code])

    def forget(self, i: int) -> None:
        """Drop a part that is not needed again; the base keeps its own, which the domains after it read."""
        if self.base is not None:
            self._kept.pop(i, None)


def divided_domains(
    rows: Mapping[str, Sequence[RowsOfPeople]],
    supplemental: Sequence[SourceTable],
    to_fold: Mapping[str, RowsInMemory],
    starts: np.ndarray,
    n_people: int,
    state: MergeState,
) -> dict[str, DividedDomain]:
    """The domains by name, in the order of ``rows``; supplemental records of no domain are a fault, or left out."""
    columns = {
        name: list(dict.fromkeys(column for member in members for column in member.columns))
        for name, members in rows.items()
    }
    folds = planned_folds(supplemental, to_fold, columns, state)
    for name, own in columns.items():
        own += [one for one in state.model.tables[name].derived if one not in own]
    ranges = list(zip(starts.tolist(), [*starts[1:].tolist(), n_people], strict=True))
    domains: dict[str, DividedDomain] = {}
    for name, members in rows.items():
        chosen_row = state.settings.several_rows.get(name)
        base, model = domains.get(state.model.base or ""), state.model.tables[name]
        of_domain = folds.get(name, ())
        domains[name] = DividedDomain(name, members, columns[name], of_domain, ranges, chosen_row, model, base)
    return domains


def reference_start(
    demographics: pd.DataFrame, n_subjects: int, several_rows: str | None, model: TableModel
) -> np.ndarray:
    """The start of each person (n_subjects,), text or None: of SDTM the reference start, or else the first exposure."""
    start = np.full(n_subjects, None, dtype=object)
    if several_rows:
        wide = demographics.drop(columns=SUBJECT)
        subject = demographics[SUBJECT].to_numpy()
        demographics = demographics.iloc[row_of_each_subject(wide, model.order, subject, several_rows)]
    for name in model.starts:
        if name in demographics:
            given = demographics[name].notna().to_numpy()
            start[demographics[SUBJECT].to_numpy()[given]] = demographics[name].to_numpy(dtype=object)[given]
    return start
