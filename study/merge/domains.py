"""The domains of a pilot, divided by person: each part with its supplemental variables.

SUPP-- folds into its parent: each QNAM becomes a variable of the parent's records. A file is checked whole first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.telling.small_counts import people_on_screen
from study.formats.column_reading import MISSING_TOKENS
from study.formats.messages import Note
from study.formats.rows_of_people import SUBJECT, RowsInMemory, RowsOfPeople
from study.formats.tables import SourceTable
from study.merge.parts import CountedFaults, Domain, DomainPart, Progress, added
from study.merge.state import MergeState
from study.merge.wide import row_of_each_subject
from study.models.sdtm import supplemental_parent


@dataclass(frozen=True)
class DividedDomain(Domain):
    """A domain in parts, one for each of ``ranges`` of people: iterate as often as needed, or ask for one part.

    ``base`` is the domain that has each person's reference start; None for that domain itself, or where there is none.
    It is read once for that. A domain of a single part keeps it until ``forget`` is called. ``progress`` shows a look
    at all parts.
    """

    members: Sequence[RowsOfPeople]
    folds: Sequence[ForDomain]
    ranges: Sequence[tuple[int, int]]
    progress: Progress
    base: DividedDomain | None = None
    _kept: dict[int, DomainPart] = field(default_factory=dict)
    _began: dict[int, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)

    def __iter__(self) -> Iterator[DomainPart]:
        with self.progress(f"Looking at {self.name}", self.ranges[-1][1], "people") as advance:
            for i in range(len(self.ranges)):
                part = self.part(i)
                yield part
                advance(part.n_subjects)

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
            code, days = pd.factorize(self._reference_start(self.part(i)))
            self._began[i] = code.astype(np.min_scalar_type(-len(days) - 1)), np.array([*days, None], dtype=object)
        code, days = self._began[i]
        return np.asarray(days[code])

    def _reference_start(self, part: DomainPart) -> np.ndarray:
        """The start of each person (n_subjects,): of SDTM the reference start, or else the first exposure."""
        start, rows, subject = np.full(part.n_subjects, None, dtype=object), part.frame, part.subject
        if several_rows := self.settings.several_rows.get(self.name):
            chosen = row_of_each_subject(rows.drop(columns=SUBJECT), self.model.order, subject, several_rows)
            rows, subject = rows.iloc[chosen], subject[chosen]
        for name in self.model.starts:
            if name in rows:
                given = rows[name].notna().to_numpy()
                start[subject[given]] = rows[name].to_numpy(dtype=object)[given]
        return start

    def forget(self, i: int) -> None:
        """Drop a part that is not needed again; the base keeps its own, which the domains after it read."""
        if self.base is not None:
            self._kept.pop(i, None)


def divided_domains(
    rows: Mapping[str, Sequence[RowsOfPeople]],
    supplemental: Sequence[SourceTable],
    to_fold: Mapping[str, RowsInMemory],
    ranges: Sequence[tuple[int, int]],
    progress: Progress,
    state: MergeState,
) -> dict[str, DividedDomain]:
    """The domains by name, in the order of ``rows``; supplemental records of no domain are a fault, or left out."""
    columns = {
        name: list(dict.fromkeys(column for member in members for column in member.columns))
        for name, members in rows.items()
    }
    folds = planned_folds(supplemental, to_fold, columns, state)
    domains: dict[str, DividedDomain] = {}
    for name, members in rows.items():
        model, base = state.model.tables[name], domains.get(state.model.base or "")
        own = list(dict.fromkeys([*columns[name], *model.derived]))
        whole = (name, own, state.settings, state.rule.column, model)
        domains[name] = DividedDomain(*whole, members, folds.get(name, ()), ranges, progress, base)
    return domains


# ---------------------------------------------------------------- supplemental variables


@dataclass(frozen=True)
class ForDomain:
    """The records of a supplemental file that belong to one domain, and the variables that they add."""

    file_name: str
    rows: RowsInMemory
    variables: Sequence[str]


def planned_folds(
    tables: Sequence[SourceTable],
    rows: Mapping[str, RowsInMemory],
    columns: dict[str, list[str]],
    state: MergeState,
) -> dict[str, list[ForDomain]]:
    """What is folded into each domain, in the order of the files; the new variables are added to ``columns``."""
    folds: dict[str, list[ForDomain]] = {}
    for table in tables:
        for parent, records in _by_parent(table, rows[table.file_name].frame, columns, state).items():
            variables = _variables(records, columns[parent])
            columns[parent] += [name for name in variables if name not in columns[parent]]
            of_domain = ForDomain(table.file_name, RowsInMemory(records), variables)
            folds.setdefault(parent, []).append(of_domain)
    return folds


def _by_parent(
    table: SourceTable, frame: pd.DataFrame, merged: Mapping[str, object], state: MergeState
) -> dict[str, pd.DataFrame]:
    """The records of a file by their domain; records of no domain are a fault, or left out."""
    needs = ["QNAM", "QVAL", *(["IDVARVAL"] if "IDVAR" in frame and frame["IDVAR"].notna().any() else [])]
    absent = [name for name in needs if name not in frame]
    if absent:
        state.faults.append(f"{table.file_name}: no column {' and '.join(absent)}; a supplemental file needs them")
        return {}
    parents = pd.Series(supplemental_parent(table.domain), frame.index, dtype="str")
    if "RDOMAIN" in frame:
        parents = frame["RDOMAIN"].fillna(parents)
    # A part such as LBHE belongs to its whole domain.
    parts = [name for name in parents.unique() if name not in merged and name[:2] in merged]
    parents = parents.replace({name: name[:2] for name in parts})
    no_domain = ~parents.isin([*merged]) & ~parents.str.fullmatch(r"[A-Z][A-Z0-9]{1,7}")
    if no_domain.any():  # a shifted column, say: its content is not shown
        state.faults.append(
            f"{table.file_name}: {people_on_screen(int(no_domain.sum()))} values of RDOMAIN name no domain; "
            "correct them"
        )
    found = {}
    for parent, records in frame[~no_domain].groupby(parents[~no_domain]):
        if parent in merged:
            found[str(parent)] = records
        else:
            state.left_out[f"{table.file_name} ({parent})"] = _without_parent(len(records), str(parent))
    return found


def _without_parent(n_records: int, parent: str) -> Note:
    return Note.of(lambda told: f"{told(n_records, 'record')} for {parent}, which is not in the folder")


def fold_into(
    part: pd.DataFrame, folds: Sequence[ForDomain], start: int, stop: int
) -> tuple[pd.DataFrame, dict[str, int], CountedFaults]:
    """Fold supplemental variables into the rows of some people; returns the rows, counts and faults."""
    given: dict[str, np.ndarray] = {}
    counts: dict[str, int] = {}
    faults: CountedFaults = {}
    for fold in folds:
        part, of_file, own_faults = _folded(part, fold.rows.part(start, stop), fold.file_name, given)
        for name in fold.variables:  # these people may have no supplemental records
            if name not in part:
                part[name] = pd.Series(np.nan, part.index, dtype="str")
        counts, faults = added(counts, of_file), added(faults, own_faults)
    return part, counts, faults


def _folded(
    parent: pd.DataFrame, supplemental: pd.DataFrame, file_name: str, given: dict[str, np.ndarray]
) -> tuple[pd.DataFrame, dict[str, int], CountedFaults]:
    """The parent with its supplemental variables; both frames have the column ``SUBJECT`` of each row's subject.

    Rows with an empty IDVAR, or one that means missing, belong to the subject; others to the parent records whose IDVAR
    variable equals IDVARVAL (numbers as numbers: ``"  12"`` is 12.0). Two values of one QNAM for one parent record are
    a fault; ``given`` has the parent records with a value of a QNAM from this file or an earlier one, and is updated.
    """
    frame, n_folded = parent.copy(deep=False), 0
    faults: CountedFaults = {}
    rows, identifiers = _with_value(supplemental)
    for (identifier, name), group in rows.groupby([identifiers, "QNAM"], sort=True):
        identifier, name = str(identifier), str(name)
        if identifier and identifier not in parent:
            continue
        keys = [SUBJECT, "_record"]
        left = pd.DataFrame({SUBJECT: parent[SUBJECT], "_record": _as_key(parent[identifier]) if identifier else ""})
        own = _as_key(group["IDVARVAL"]) if identifier else ""
        right = pd.DataFrame({SUBJECT: group[SUBJECT], "_record": own, "value": group["QVAL"]})
        right = right.dropna(subset="_record")
        n_repeated = int(right.duplicated(keys).sum())
        right = right.drop_duplicates(keys)
        joined = left.merge(right, how="left", on=keys, validate="many_to_one")
        value = joined["value"].to_numpy(dtype=object, na_value=np.nan)
        has_value = ~pd.isna(value)
        before = parent[name].to_numpy(dtype=object, na_value=np.nan) if name in parent else np.nan
        has_other = has_value & pd.notna(before) & (before != value)
        n_repeated += int((has_value & given.get(name, False) | has_other).sum())
        if n_repeated:
            words = (
                f"{file_name}: %(n) records give a parent record a second {_shown(name)}; allowed: one value; correct "
                "the file"
            )
            faults = added(faults, {words: {"n": n_repeated}})
        given[name] = has_value | given.get(name, False)
        n_folded += len(right.merge(left[keys].drop_duplicates(), how="inner", on=keys, validate="one_to_one"))
        earlier = frame[name].to_numpy(dtype=object, na_value=np.nan) if name in frame else np.nan
        frame[name] = pd.Series(np.where(has_value, value, earlier), index=frame.index, dtype="str")
    n_orphans = int(supplemental["QVAL"].notna().sum()) - n_folded
    return frame, {"supplemental_folded": n_folded, "supplemental_without_parent": n_orphans}, faults


def _variables(supplemental: pd.DataFrame, columns: Sequence[str]) -> list[str]:
    """The variables that ``_folded`` adds to a parent with these columns, in their order there."""
    rows, identifiers = _with_value(supplemental)
    named = pd.DataFrame({"identifier": identifiers, "name": rows["QNAM"]}).drop_duplicates()
    pairs = sorted(map(tuple, named.astype(str).to_numpy().tolist()))
    return list(dict.fromkeys(name for identifier, name in pairs if not identifier or identifier in columns))


def _with_value(supplemental: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    """The records with a name and a value, and the parent's variable that identifies their record, "" for none."""
    rows = supplemental[supplemental["QVAL"].notna() & supplemental["QNAM"].notna()]
    identifiers = pd.Series("", rows.index)
    if "IDVAR" in rows:  # no variable is called NA: a program wrote it for a missing one
        identifiers = rows["IDVAR"].mask(rows["IDVAR"].isin(MISSING_TOKENS)).fillna("")
    return rows, identifiers


def _shown(name: str) -> str:
    """A QNAM for a message; hidden if it is no SAS name, as it may be a value in a shifted column."""
    return name if re.fullmatch(r"[A-Z_][A-Z0-9_]{0,7}", name) else "value"


def _as_key(values: pd.Series) -> pd.Series:
    """Text for comparing: ``"  12"``, ``12.0`` and ``"12.0"`` are one key. Distinct values are converted once."""
    codes, distinct = pd.factorize(values)
    keys = []
    for value in distinct:
        number = pd.to_numeric(value, errors="coerce")
        keys.append(str(value).strip() if pd.isna(number) else number_text(float(number)))
    return pd.Series(np.array([*keys, None], dtype=object)[codes], index=values.index, dtype="str")
