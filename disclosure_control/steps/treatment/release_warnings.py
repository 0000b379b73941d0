"""What a controller has to know of a treated pilot before it is released, in sentences without a person in them."""

from __future__ import annotations

import pandas as pd

from disclosure_control.assess.combined_dataset import SUBJECT_COLUMN
from disclosure_control.basics.reasons import Gravity, Reason
from disclosure_control.basics.words import listed, people_text
from disclosure_control.steps.treatment.leaks import columns_with_ids
from disclosure_control.treatments.methods.drop_identifiers import identifier_columns
from disclosure_control.treatments.methods.shift_dates import date_columns, tells_the_day
from disclosure_control.treatments.seeds import seed_reasons, seed_warnings
from disclosure_control.treatments.treated_pilot import TreatedPilot


def release_warnings(treated: TreatedPilot, subjects: pd.Series | None) -> list[str]:
    """Sentences on ids, dates, identifiers and chance; ``subjects`` (n_kept,) are the ids before the treatment."""
    warnings = [*_on_ids(treated, subjects), *_on_dates(treated)]
    identifiers = list(identifier_columns(list(treated.frame.columns)))
    if identifiers:
        warnings.append(
            f"By their name direct identifiers or free text, see drop_identifiers: {', '.join(identifiers)}."
        )
    if any(step.used_chance for step in treated.steps):
        warnings += seed_warnings(treated.seed)
    return warnings


def release_reasons(treated: TreatedPilot, subjects: pd.Series | None, file: str) -> list[Reason]:
    """Why the ``file`` has to wait for what stands in it by itself: original ids, and chance that anybody undoes."""
    reasons = []
    in_columns = [SUBJECT_COLUMN] if _has_original_ids(treated) else list(_with_ids(treated, subjects))
    if in_columns:
        reasons.append(
            Reason(
                Gravity.NAMES_A_PERSON,
                f"{file} holds the original ids of its people, in {listed(in_columns)}.",
                '{"method": "recode_ids", "key_from": {"environment": "PILOT_KEY"}} in "treatment"; drop other columns '
                "that hold them",
            )
        )
    if any(step.used_chance for step in treated.steps):
        reasons += seed_reasons(treated.seed, file)
    return reasons


def _has_original_ids(treated: TreatedPilot) -> bool:
    is_recoded = any(step.method == "recode_ids" and SUBJECT_COLUMN in step.changed for step in treated.steps)
    return SUBJECT_COLUMN in treated.frame and not is_recoded


def _with_ids(treated: TreatedPilot, subjects: pd.Series | None) -> dict[str, int]:
    """Other columns than that of the ids which hold the subject's own, and in how many records."""
    if subjects is None:
        return {}
    return columns_with_ids(subjects, treated.frame.drop(columns=SUBJECT_COLUMN, errors="ignore"))


def _on_ids(treated: TreatedPilot, subjects: pd.Series | None) -> list[str]:
    if _has_original_ids(treated):
        return ["Subject ids are released as they are; recode_ids makes pseudonyms of them."]
    found = _with_ids(treated, subjects)
    n_people = 0 if subjects is None else len(subjects)
    return [
        f"{name} holds the subject's original id for {n} of {people_text(n_people)}: drop it, or where it is "
        "nothing else, name it under the columns of recode_ids."
        for name, n in found.items()
    ]


def _on_dates(treated: TreatedPilot) -> list[str]:
    shifted = {name for step in treated.steps if step.method == "shift_dates" for name in step.changed}
    touched = {name for step in treated.steps for name, count in step.changed.items() if count}
    dates = [
        name
        for name in date_columns(list(treated.frame.columns))
        if name not in shifted and (name not in touched or tells_the_day(treated.frame[name]))
    ]
    return [f"Dates are not shifted: {', '.join(dates)}."] if dates else []
