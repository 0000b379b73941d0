"""What a controller has to know of a treated pilot before its release, in sentences without anybody's data."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.basics.settings.changes import ConfigChange
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.small_counts import MASKED, NoteForReaders, people_on_screen
from disclosure_control.basics.telling.words import listed, people_text
from disclosure_control.identifiers.named_columns import identifier_columns
from disclosure_control.remedy.treatments.algorithms.moved_columns import tells_the_day
from disclosure_control.remedy.treatments.methods.shift_dates import date_columns
from disclosure_control.remedy.treatments.seeds import seed_reasons, seed_warnings
from disclosure_control.remedy.treatments.treated_pilot import TreatedPilot
from disclosure_control.steps.treatment.leaks import columns_with_ids

RECODED_IDS = {"method": "recode_ids", "key_from": {"environment": "PILOT_KEY"}}


def columns_of_ids(treated: TreatedPilot) -> dict[str, int]:
    """The columns that contain original ids, with the number of people: the column of ids or, if recoded, others."""
    is_recoded = any(step.method == "recode_ids" and SUBJECT_COLUMN in step.changed for step in treated.steps)
    if SUBJECT_COLUMN in treated.columns and not is_recoded:
        return {SUBJECT_COLUMN: treated.n_people}
    records = treated.records
    return columns_with_ids(records.beside_ids(treated.values)) if records.subjects.has_ids else {}


def release_warnings(treated: TreatedPilot, of_ids: Mapping[str, int]) -> list[str]:
    """Sentences on ids, dates, identifiers and chance; ``of_ids`` are the ``columns_of_ids``."""
    warnings = [*_on_ids(of_ids, treated.n_people), *_on_dates(treated)]
    identifiers = list(identifier_columns(treated.columns))
    if identifiers:
        warnings.append(
            f"By their name direct identifiers or free text, see drop_identifiers: {', '.join(identifiers)}."
        )
    if any(step.used_chance for step in treated.steps):
        warnings += seed_warnings(treated.seed)
    return warnings


def release_reasons(treated: TreatedPilot, of_ids: Mapping[str, int], file: str) -> list[Reason]:
    """Why the ``file`` has to wait: original ids in it, and random changes that anybody can undo."""
    reasons = []
    if of_ids:
        reasons.append(
            Reason(
                Gravity.NAMES_A_PERSON,
                f"{file} contains the original ids, in {listed(of_ids)}.",
                "or drop other columns that contain them",
                (ConfigChange.to(("treatment", "steps"), RECODED_IDS, "ids become pseudonyms", is_added=True),),
            )
        )
    if any(step.used_chance for step in treated.steps):
        reasons += seed_reasons(treated.seed, file)
    return reasons


def _on_ids(of_ids: Mapping[str, int], n_people: int) -> list[str]:
    if SUBJECT_COLUMN in of_ids:
        return ["Subject ids are released unchanged; recode_ids replaces them by pseudonyms."]
    masked = {name: people_on_screen(MASKED.told(n, n_people)) for name, n in of_ids.items()}
    return [
        NoteForReaders.of(partial(_on_id, name, people_text(n_people)), n, masked[name]) for name, n in of_ids.items()
    ]


def _on_id(name: str, people: str, n: str) -> str:
    return (
        f"{name} contains the subject's original id for {n} of {people}: drop it, or, if it contains nothing else, "
        "name it under the columns of recode_ids."
    )


def _on_dates(treated: TreatedPilot) -> list[str]:
    shifted = {name for step in treated.steps if step.method == "shift_dates" for name in step.changed}
    touched = {name for step in treated.steps for name, count in step.changed.items() if count}
    dates = [
        name
        for name in date_columns(treated.columns)
        if name not in shifted and (name not in touched or tells_the_day(treated.distinct(name)))
    ]
    return [f"Dates are not shifted: {', '.join(dates)}."] if dates else []
