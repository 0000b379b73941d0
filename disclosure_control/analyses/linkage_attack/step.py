"""The step ``linkage_attack``: try to find people in the release, before and after a treatment, side by side.

Only ``linkage_matches.csv`` names matched people; summary and screen contain counts and rates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from disclosure_control.analyses.linkage_attack.linkage import (
    NOT_IN_PILOT,
    NOT_RELEASED,
    Codebook,
    LinkageAttack,
    Matching,
    attack_linkage,
    compare_tables,
)
from disclosure_control.analyses.linkage_attack.people import IdentifiedTable, read_identified
from disclosure_control.analyses.linkage_attack.report import attack_sections
from disclosure_control.analyses.linkage_attack.settings import KEY, AttackSettings
from disclosure_control.analyses.linkage_attack.told import AttacksTold, MethodTold, PeopleTold, ReleaseAttacked
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, encode_column
from disclosure_control.basics.telling.faults import stop_at
from disclosure_control.basics.telling.small_counts import Policy, people_on_screen, told_parts
from disclosure_control.remedy.treatments.registry import Reading
from disclosure_control.remedy.treatments.treated_pilot import TreatedPilot
from disclosure_control.steps.running import StepInput, StepResult, StepTold
from study.merge.subject_ids import SubjectIdRule

MATCHES = "linkage_matches.csv"


@dataclass(frozen=True)
class AttackedRelease:
    """What an attacker sees: ``frame`` (n_released, n_columns); ``kept`` are its records' positions in the pilot.

    ``readings``: how someone with the codebook reads the columns that the treatment changed.
    """

    name: str
    frame: pd.DataFrame = field(repr=False)
    kept: np.ndarray
    readings: Mapping[str, Reading] = field(default_factory=dict)


def releases_of(pilot: pd.DataFrame, treated: TreatedPilot | None) -> list[AttackedRelease]:
    """The untreated combined dataset and, where a treatment ran, its outcome."""
    found = [AttackedRelease("combined", pilot, np.arange(len(pilot)))]
    if treated is not None:
        frame = treated.frame.reset_index(drop=True)
        found.append(AttackedRelease("treated", frame, np.asarray(treated.kept), treated.readings))
    return found


def check_within(settings: AttackSettings, pilot: pd.DataFrame) -> None:
    """Raise ``FaultyInputError`` if a column with a tolerance contains text."""
    faults = [
        f"{KEY}['within']: column {name!r} holds text, and only numbers can be off by some width; name it under "
        "continuous_qis if it holds numbers, or take it out"
        for name in settings.within
        if not encode_column(pilot[name]).is_numeric
    ]
    stop_at(faults)


def told_people(policy: Policy, identified: IdentifiedTable) -> PeopleTold:
    """How many people the identified table names, and how many of them are in the pilot."""
    n_people = len(identified.frame)
    if identified.subject is None:
        return PeopleTold(n_people)
    n_in_pilot = int((identified.subject >= 0).sum())
    parts = told_parts(policy, {"in_pilot": n_in_pilot, "control": n_people - n_in_pilot})
    return PeopleTold(n_people, **parts, truth_known=True)


@dataclass(frozen=True)
class AttackOnRelease:
    """A release that was attacked by the columns that are ``known``, once by each method; ``notes`` are sentences."""

    release: AttackedRelease
    known: Sequence[str]
    attacks: Sequence[LinkageAttack]
    notes: Sequence[str]

    def told(self, policy: Policy, n_pilot: int) -> ReleaseAttacked:
        """The rates as a reader may see them."""
        methods = {
            one.method: MethodTold(one.claims.told(policy), one.pairs and one.pairs.told(policy), one.guesses)
            for one in self.attacks
        }
        n_records = len(self.release.frame)
        return ReleaseAttacked(n_records, n_pilot - n_records, self.known, methods)


def attack_release(
    release: AttackedRelease, identified: IdentifiedTable, settings: AttackSettings, pilot: pd.DataFrame
) -> AttackOnRelease:
    """Linkage of the identified table with one release, by each method."""
    gone = [name for name in settings.known if name not in release.frame]
    moved = [
        name
        for name in settings.known
        if release.readings.get(name) == Reading.PERTURBED and not settings.within.get(name)
    ]
    known = {name: theirs for name, theirs in settings.known.items() if name not in gone + moved}
    truth = identified.truth(release.kept, len(pilot))
    notes = _notes_on_columns(release.name, gone, moved) + _notes_on_removed_people(release.name, truth)
    if not known or not len(release.frame):
        return AttackOnRelease(release, [], [], [*notes, f"Nothing is left to attack in the {release.name} release."])
    before = pilot[list(known)].iloc[release.kept].reset_index(drop=True)
    attacks = []
    for method in settings.method:
        codebook = Codebook(before, release.readings)
        matching = compare_tables(release.frame, identified.frame, known, method, settings.within, codebook)
        attack = attack_linkage(matching, truth, method)
        notes += _notes_on_values(matching, attack, release.name)
        attacks.append(attack)
    return AttackOnRelease(release, list(known), attacks, notes)


def _notes_on_columns(release: str, gone: Sequence[str], moved: Sequence[str]) -> list[str]:
    notes = [f"The {release} release no longer holds {', '.join(gone)}: no help to the attacker."] if gone else []
    if moved:
        notes.append(
            f"The values of {', '.join(moved)} in the {release} release are perturbed and not used; the setting within "
            "says how far a number may be off."
        )
    return notes


def _notes_on_removed_people(release: str, truth: np.ndarray | None) -> list[str]:
    n_removed = 0 if truth is None else int((truth == NOT_RELEASED).sum())
    if not n_removed:
        return []
    return [
        f"{people_on_screen(n_removed)} attacked people of the pilot are not in the {release} release; "
        "they count as not found."
    ]


def _notes_on_values(matching: Matching, attack: LinkageAttack, release: str) -> list[str]:
    """What could not be read or compared, and in how many attacks this may have hidden a record."""
    n_people, fate = len(attack.candidate), "match any value" if matching.missing_agrees else "match no value"
    notes = []
    for column in matching.columns:
        n_missing = int((column.known < 0).sum())
        if column.n_unreadable:
            notes.append(
                f"{people_on_screen(column.n_unreadable)} values of {column.name} in the identified table are not "
                "numbers and count as missing."
            )
        if n_missing:
            notes.append(
                f"{people_on_screen(n_missing)} of {n_people} people in the identified table have no {column.name}; "
                f"under {attack.method!r} they {fate}."
            )
        if not column.is_read:
            notes.append(
                f"{attack.method}: no known value of {column.name} agrees with any value of the {release} release. "
                "Its labels cannot be read, or are coded otherwise. So this attack finds no one by it; that does not "
                "show that no one could."
            )
    if attack.pairs and attack.n_unread:
        counted = "no verdict" if attack.pairs.beats_baseline is None else "they count as not found"
        notes.append(
            f"Linkage, {attack.method}, {release} release: in {people_on_screen(attack.n_unread)} of "
            f"{attack.pairs.attack.n} attacks what is released could not be read as what is known of the person; "
            f"{counted}."
        )
    return notes


def matches_of(
    attack: LinkageAttack, release: AttackedRelease, identified: IdentifiedTable, subjects: pd.Series
) -> pd.DataFrame:
    """One row per person for whom a record is named: for the controller only."""
    named = np.flatnonzero(attack.claimed)
    table = {
        "release": release.name,
        "method": attack.method,
        "person": identified.ids.iloc[named].to_numpy(),
        f"named_{SUBJECT_COLUMN}": subjects.iloc[release.kept[attack.candidate[named]]].to_numpy(),
    }
    if attack.truth is not None:
        words = np.where(attack.correct[named], "right", "wrong")
        table["claim"] = np.where(attack.truth[named] == NOT_IN_PILOT, "wrong, not in the pilot", words)
    return pd.DataFrame(table, index=range(len(named)))


def sorted_matches(parts: list[pd.DataFrame]) -> pd.DataFrame:
    """The rows of all releases and methods as one table, in an order of their own."""
    if not parts:
        return pd.DataFrame({"release": [], "method": [], "person": []}, dtype="str")
    return pd.concat(parts, ignore_index=True).sort_values(["release", "method", "person"], ignore_index=True)


def run_step(step: StepInput[AttackSettings]) -> StepResult:
    """The attacks of the key on every release; ``linkage_matches.csv`` lists who was named."""
    settings, pilot, subjects = step.settings, step.dataset.everybody.typed_table, step.dataset.everybody.subjects
    treated = step.earlier["treatment"].outcome if "treatment" in step.earlier else None
    check_within(settings, pilot)
    identified = read_identified(settings, step.folder, subjects, step.assessment.config.of(SubjectIdRule))
    found = [attack_release(release, identified, settings, pilot) for release in releases_of(pilot, treated)]
    notes = list(dict.fromkeys([*identified.notes, *(note for one in found for note in one.notes)]))
    matches = [matches_of(attack, one.release, identified, subjects) for one in found for attack in one.attacks]

    def tell(policy: Policy) -> StepTold:
        releases = {one.release.name: one.told(policy, len(pilot)) for one in found}
        told = AttacksTold(releases, notes, told_people(policy, identified))
        return StepTold(told, attack_sections(told))

    return StepResult.told_by(tell, tables={MATCHES: sorted_matches(matches)}, inputs=identified.source)
