"""The name of a release and the days by which its dates move: decided once, for ``treatment`` and ``release`` alike.

A person has one pseudonym and one calendar in everything that leaves. A config may write the name under either key and
the days in either place; what it writes once holds for both, and what it writes twice has to be the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from config.model_settings import PilotConfig
from disclosure_control.remedy.treatments.registry import TreatmentStep

MOVES_DATES, GIVES_IDS = "shift_dates", "recode_ids"
FEWEST_DAYS, DEFAULT_DAYS = 30, 365  # of a release: with fewer, the days that remain possible are too few


def name_of_release(dataset_sha256: str, config: PilotConfig) -> str:
    """The name that the config gives; without one, a name that no other dataset or config has.

    So two releases join by pseudonym only if their configs say so.
    """
    settings = config.settings
    for key, attribute in (("treatment", "release"), ("release", "name")):
        if named := getattr(settings.get(key), attribute, None):
            return str(named)
    return hashlib.sha256(f"{dataset_sha256} {config.literal!r}".encode()).hexdigest()


def is_named(config: PilotConfig) -> bool:
    """Whether the config names the release."""
    settings = config.settings
    return bool(getattr(settings.get("treatment"), "release", None) or getattr(settings.get("release"), "name", None))


def key_of_release(config: PilotConfig) -> object:
    """Where the key of the pseudonyms is; None if the config makes none."""
    of_release = getattr(config.settings.get("release"), "key_from", None)
    return of_release or next((one.key_from for one in _giving_ids(config)), None)


def length_of_pseudonyms(config: PilotConfig) -> int:
    """How many digits the pseudonyms of the treated table have."""
    return next((one.length for one in _giving_ids(config)), 16)


def _giving_ids(config: PilotConfig) -> Iterator[Any]:
    steps: Sequence[TreatmentStep] = getattr(config.settings.get("treatment"), "steps", ())
    return (step.settings for step in steps if step.method == GIVES_IDS)


def days_of_release(config: PilotConfig) -> int:
    """By how many days at most the dates of a person move, back or forth."""
    of_release = getattr(config.settings.get("release"), "days", None)
    steps: Sequence[Any] = getattr(config.settings.get("treatment"), "steps", ())
    written = [step.settings.days for step in steps if step.method == MOVES_DATES and "days" in step.literal]
    return next((days for days in (of_release, *written) if days is not None), DEFAULT_DAYS)


def in_one_calendar(steps: Sequence[TreatmentStep], config: PilotConfig) -> tuple[TreatmentStep, ...]:
    """The steps, of which ``shift_dates`` moves dates by the days of the release if its own line names none."""
    days = days_of_release(config)
    has_release = "release" in config.settings
    return tuple(
        TreatmentStep.of({**step.literal, "days": days})
        if has_release and step.method == MOVES_DATES and "days" not in step.literal and days != DEFAULT_DAYS
        else step
        for step in steps
    )


def faults_of_one_release(literal: Mapping[str, Any]) -> Iterator[str]:
    """Where the keys ``treatment`` and ``release`` of a config contradict each other: both lines, and the fix."""
    release, treatment = literal.get("release"), literal.get("treatment")
    treatment = {"steps": treatment} if isinstance(treatment, list | tuple) else treatment
    if isinstance(release, dict) and isinstance(treatment, dict):
        yield from _of_name(release.get("name"), treatment)
        listed = treatment.get("steps")
        steps = list(enumerate(listed)) if isinstance(listed, list | tuple) else []
        of_method = [(place, step, step.get("method")) for place, step in steps if isinstance(step, dict)]
        moving = [(f"treatment[{place}] {MOVES_DATES}", step) for place, step, name in of_method if name == MOVES_DATES]
        yield from _of_days(release.get("days"), moving)
        if any(name == GIVES_IDS and step.get("key_from") == release.get("key_from") for _, step, name in of_method):
            yield from _of_keys(release.get("key_from"), moving)


def _of_name(name: object, treatment: Mapping[str, Any]) -> Iterator[str]:
    other = treatment.get("release")
    if name is not None and other is not None and name != other:
        yield (
            f"release['name']: found {name!r}, and treatment['release'] is {other!r}; a release has one name; take "
            "one of the two lines out"
        )


def _of_days(days: object, moving: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[str]:
    lines = [("release['days']", days)] if days is not None else []
    lines += [(f"{where}['days']", step["days"]) for where, step in moving if "days" in step]
    if len({repr(found) for _, found in lines}) > 1:
        said = " and ".join(f"{where} is {found!r}" for where, found in lines)
        yield (
            f"{said}: the dates of one person would move by two numbers of days; write the same number in all of "
            "them, or in one of them only, which then holds for all"
        )
    elif days is None and lines and isinstance(lines[0][1], int) and lines[0][1] < FEWEST_DAYS:
        yield (
            f"{lines[0][0]}: found {lines[0][1]}, which holds for the key release as well; allowed there: a whole "
            f"number from {FEWEST_DAYS}"
        )


def _of_keys(key_from: object, moving: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[str]:
    for where, step in moving:
        if step.get("key_from") != key_from:
            yield (
                f"{where}['key_from']: another key than release['key_from'], which {GIVES_IDS} has: people with one "
                "pseudonym would have two calendars; name the same key in all three"
            )
