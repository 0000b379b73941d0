"""The package as a recipient merges it, beside the pilot that it was made of: what the findings are asked of."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.leaving.leaving import Leaving
from disclosure_control.release.accounts import Account
from disclosure_control.release.deidentify import ReleasedStudy
from disclosure_control.release.people import ReleasePeople
from disclosure_control.treatments.keys import Release
from disclosure_control.treatments.registry import where_changed
from disclosure_control.treatments.treated_pilot import AppliedStep, TreatedPilot
from study.operations import OperationKind


def leaving_of(
    merged: pd.DataFrame,
    found: Assessment,
    before: Assessment,
    table: pd.DataFrame,
    released: ReleasedStudy,
    people: ReleasePeople,
    release: Release,
    days: int,
    harmless: Mapping[str, str],
    subject_column: str | None,
) -> Leaving:
    """The merged package (n_kept, n_columns) as what leaves, beside the combined dataset ``table`` (n_people, ...).

    ``found`` is the package as it was evaluated, ``before`` the pilot. The dates that the release moved count as moved
    by ``shift_dates`` by up to ``days``; a column that the combined dataset does not have, as released as it was,
    unless the release changed it. ``subject_column`` is that of the ids, None in a study of one file without ids.
    """
    position = _whose(merged, released, people, subject_column)
    frame = merged.set_axis(pd.Index(position))
    original = table.iloc[position].copy(deep=False)
    accounts = accounts_by_column(released)
    for name in frame.columns.difference(original.columns):
        is_other = is_changed(accounts.get(str(name)))
        original[name] = pd.Series(np.nan, original.index) if is_other else frame[name]
    where = {str(name): where_changed(original[name], frame[name]) for name in frame if name != SUBJECT_COLUMN}
    changed = {name: int(rows.sum()) for name, rows in where.items()}
    steps = applied_steps(changed, accounts, days)
    treated = TreatedPilot(frame, found.config, found, steps, len(people.ids), None, (), release)
    return Leaving(before, treated, original, harmless, where=where)


def _whose(
    merged: pd.DataFrame, released: ReleasedStudy, people: ReleasePeople, subject_column: str | None
) -> np.ndarray:
    """Whose record each row of the package is (n_kept,), as positions in the combined dataset."""
    if subject_column is None:  # the rows of the one file stand as they were written
        (file,) = released.files.values()
        return file.people
    return people.known_pseudonyms.positions(merged[SUBJECT_COLUMN])


def accounts_by_column(released: ReleasedStudy) -> dict[str, Account]:
    """The accounts of variables that are released, by the columns that they have when merged."""
    return {f"{account.domain}__{account.variable}": account for account in released.accounts if account.stays}


def applied_steps(changed: Mapping[str, int], accounts: Mapping[str, Account], days: int) -> tuple[AppliedStep, ...]:
    """What the release did, as steps of a treatment: in how many people it changed each column, moved dates apart."""
    moved = {name for name in changed if name in accounts and _is_moved(accounts[name])}
    return (
        AppliedStep("release", {name: n for name, n in changed.items() if name not in moved}, 0, (), False),
        AppliedStep(
            "shift_dates", {n: changed[n] for n in changed if n in moved}, 0, (), False, settings={"days": days}
        ),
    )


def _is_moved(account: Account) -> bool:
    return account.operation.operation == OperationKind.OFFSET


def is_changed(account: Account | None) -> bool:
    """Whether the release put other values in place of a variable's own."""
    return account is not None and (account.recoded or account.is_disguised)
