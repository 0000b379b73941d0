"""The package as a recipient merges it, beside the pilot that it was made of: what the findings are asked of."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.assess.assessment import Assessment
from disclosure_control.attack.leaving import Leaving, MadeOf
from disclosure_control.basics.encoding.columns import numbers_of
from disclosure_control.basics.settings.fields import SettingsGroup
from disclosure_control.records.columns import occurring, places_of_all
from disclosure_control.records.records import EncodedRecords
from disclosure_control.release.accounts import Account
from disclosure_control.release.deidentify import ReleasedStudy
from disclosure_control.release.package import evaluated
from disclosure_control.remedy.treatments.evaluation import holds_numbers
from disclosure_control.remedy.treatments.methods.shift_dates import ShiftDatesSettings
from disclosure_control.remedy.treatments.treated_pilot import AppliedStep
from study.merge.subject_ids import DEFAULT_COLUMN


@dataclass(frozen=True)
class MergedPackage:
    """The package as door 1 merges it: its ``records`` as text, their ``values`` typed, and k, l and t of these."""

    records: EncodedRecords
    values: Mapping[str, pd.Series] = field(repr=False)
    assessment: Assessment

    @property
    def classes(self) -> np.ndarray:
        """The equivalence class of each person (n_people,)."""
        return places_of_all(self.assessment.people.classes_of_blocks())

    def text(self, name: str) -> pd.Series | None:
        """A column of all people (n_people,) as text, None if it does not exist."""
        column = self.records.columns.get(name)
        return None if column is None else column.values.take(column.places()).reset_index(drop=True)


def evaluated_package(
    records: EncodedRecords, pilot: EncodedRecords, config: PilotConfig, promised: PilotConfig
) -> MergedPackage:
    """A merged package, typed as the ``pilot`` is by its ``config`` as far as it still can be, and evaluated.

    ``promised`` is the config with the roles that the columns have after the treatment.
    """
    values = {name: _typed(name, records, pilot, config) for name in records.columns}
    return MergedPackage(records, values, evaluated(records, values, promised))


def _typed(name: str, records: EncodedRecords, pilot: EncodedRecords, config: PilotConfig) -> pd.Series:
    column, before = records.columns[name], pilot.columns.get(name)
    values = occurring(column.values, column.people)
    has_role = name in config.quasi_identifiers + config.sensitive_features
    if has_role and before is not None and before.values.dtype.kind == "f" and holds_numbers(values):
        return pd.Series(numbers_of(values), values.index, name=name)
    return values


def leaving_of(
    package: MergedPackage,
    before: Assessment,
    pilot: EncodedRecords,
    released: ReleasedStudy,
    whose: np.ndarray,
    days: int,
    harmless: Mapping[str, str],
) -> Leaving:
    """The merged package as what leaves, beside the ``pilot`` that it was made of, which ``before`` assesses.

    ``whose`` (n_kept,): the position in the pilot of each one's person. The dates that the release moved, by up to
    ``days``, count as moved by ``shift_dates``; a column that the pilot does not have, as
    released as it was, unless the release changed it.
    """
    records, values, found = package.records, package.values, package.assessment
    accounts = {f"{account.domain}__{account.variable}": account for account in released.accounts if account.stays}
    fresh = {name: is_changed(accounts.get(name)) for name in sorted(set(values) - set(pilot.columns))}
    made_of = MadeOf(pilot, whose, fresh)
    columns = [DEFAULT_COLUMN, *values]
    leaving = Leaving(before, found.config, (), columns, records, values, made_of, harmless)
    changed = {name: 0 if leaves_as_it_was(accounts.get(name)) else leaving.n_others(name) for name in values}
    return dataclasses.replace(leaving, steps=applied_steps(changed, accounts, days))


def applied_steps(changed: Mapping[str, int], accounts: Mapping[str, Account], days: int) -> tuple[AppliedStep, ...]:
    """What the release did, as steps of a treatment: in how many people it changed each column, moved dates apart."""
    moved = {name for name in changed if name in accounts and accounts[name].is_moved}
    return (
        AppliedStep("release", SettingsGroup(), {name: n for name, n in changed.items() if name not in moved}),
        AppliedStep("shift_dates", ShiftDatesSettings({}, days), {n: changed[n] for n in changed if n in moved}),
    )


def leaves_as_it_was(account: Account | None) -> bool:
    """Whether all values of a variable leave: merged without a date, another row of a person comes first."""
    if account is None or not account.is_as_it_came:
        return False
    return not (account.n_lost or account.has_rare_terms or account.has_rare_texts)


def is_changed(account: Account | None) -> bool:
    """Whether the release put other values in place of a variable's own."""
    return account is not None and (account.recoded or account.is_disguised)
