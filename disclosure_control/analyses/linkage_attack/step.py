"""The step ``linkage_attack``: try to break the release, before and after a treatment, side by side.

Only ``linkage_matches.csv`` names matched people; summary and screen contain counts and rates.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from disclosure_control.analyses.linkage_attack.codebook import AttackedRelease, Codebook, releases_of
from disclosure_control.analyses.linkage_attack.interval_disclosure import attack_intervals
from disclosure_control.analyses.linkage_attack.linkage import (
    NOT_IN_PILOT,
    NOT_RELEASED,
    KnowledgeLevel,
    LinkageAttack,
    attack_linkage,
    compare_tables,
    success_by_knowledge,
)
from disclosure_control.analyses.linkage_attack.matching import Matching
from disclosure_control.analyses.linkage_attack.people import IdentifiedTable, read_identified
from disclosure_control.analyses.linkage_attack.report import attack_sections
from disclosure_control.analyses.linkage_attack.settings import KEY, AttackSettings
from disclosure_control.analyses.linkage_attack.told import (
    AttacksTold,
    LinkageTold,
    MethodTold,
    PeopleTold,
    ReleaseAttacked,
)
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, encode_column
from disclosure_control.basics.telling.faults import stop_at
from disclosure_control.basics.telling.small_counts import people_on_screen
from disclosure_control.steps.running import StepInput, StepResult
from study.merge.subject_ids import SubjectIdRule


def check_within(settings: AttackSettings, pilot: pd.DataFrame) -> None:
    """Raise ``FaultyInputError`` if a column with a tolerance contains text."""
    faults = [
        f"{KEY}['within']: column {name!r} holds text, and only numbers can be off by some width; name it under "
        "continuous_qis if it holds numbers, or take it out"
        for name in settings.within
        if not encode_column(pilot[name]).is_numeric
    ]
    stop_at(faults)


def told_people(identified: IdentifiedTable) -> PeopleTold:
    """How many people the identified table names, and how many of them are in the pilot."""
    n_people = len(identified.frame)
    if identified.subject is None:
        return PeopleTold(n_people)
    n_in_pilot = int((identified.subject >= 0).sum())
    return PeopleTold(n_people, n_in_pilot, n_people - n_in_pilot, truth_known=True)


def attack_release(
    release: AttackedRelease, identified: IdentifiedTable, settings: AttackSettings, pilot: pd.DataFrame
) -> tuple[LinkageTold, list[LinkageAttack], list[str]]:
    """Linkage of the identified table with one release: what came of each method, the attacks, and notes."""
    known = {name: theirs for name, theirs in settings.known.items() if name in release.frame}
    truth = identified.truth(release, len(pilot))
    notes = _notes_on_what_is_gone(release.name, [name for name in settings.known if name not in known])
    notes += _notes_on_removed_people(release.name, truth)
    methods: dict[str, MethodTold] = {}
    told = LinkageTold(list(known), methods)
    if not known or not len(release.frame):
        return told, [], [*notes, f"Nothing is left to attack in the {release.name} release."]
    linkage = _Linkage(release, identified, settings, known, truth, release.codebook(pilot[list(known)]))
    attacks = []
    for method in settings.method:
        matching, attack = linkage.best_attack(method)
        levels, sets_left_out = success_by_knowledge(matching, truth, method, **linkage.options(method))
        methods[method] = _told(attack, levels)
        notes += [sets_left_out] if sets_left_out else []
        notes += linkage.notes_on(matching, attack)
        attacks.append(attack)
    return told, attacks, notes


@dataclass(frozen=True)
class _Linkage:
    """The attacks on one release: ``known`` and ``truth`` are those of ``attack_linkage`` and ``compare_tables``."""

    release: AttackedRelease
    identified: IdentifiedTable
    settings: AttackSettings
    known: Mapping[str, str]
    truth: np.ndarray | None
    codebook: Codebook | None

    def options(self, method: str) -> dict[str, Any]:
        """The settings of this method."""
        if method != "probabilistic":
            return {}
        return {"agreement_rate": self.settings.agreement_rate, "threshold": self.settings.threshold}

    def codebooks(self, method: str) -> list[Codebook | None]:
        """The codebook, once for each share of the people within whose reach the attacker tries to match."""
        if self.codebook is None or method == "exact":
            return [self.codebook]
        shares = self.codebook.shares_tried(self.release.frame, list(self.known))
        return [dataclasses.replace(self.codebook, share=share) for share in shares]

    def best_attack(self, method: str) -> tuple[Matching, LinkageAttack]:
        """The attack that finds the most people, of one for each codebook."""
        frames = self.release.frame, self.identified.frame
        matchings = [
            compare_tables(*frames, self.known, method, self.settings.within, codebook)
            for codebook in self.codebooks(method)
        ]
        attacks = [attack_linkage(matching, self.truth, method, **self.options(method)) for matching in matchings]
        matching, attack = max(zip(matchings, attacks, strict=True), key=lambda tried: tried[1].n_found)
        return matching, dataclasses.replace(attack, n_tries=len(attacks))

    def notes_on(self, matching: Matching, attack: LinkageAttack) -> list[str]:
        """Sentences on what could not be read, compared or named."""
        notes = _notes_on_unreadable(matching) + _notes_on_missing(matching, attack.method)
        notes += _notes_on_unread(matching, attack, self.release.name)
        if attack.n_unsure:
            notes.append(
                f"{attack.method}: {people_on_screen(attack.n_unsure)} people have one best record in the "
                f"{self.release.name} release, but below the threshold of {self.settings.threshold:g}, so it is "
                "not named. A lower threshold would name it."
            )
        return notes


def _told(attack: LinkageAttack, levels: Sequence[KnowledgeLevel]) -> MethodTold:
    return MethodTold(attack.claims, attack.n_unsure, attack.pairs, attack.guesses, levels)


def _notes_on_what_is_gone(release: str, gone: Sequence[str]) -> list[str]:
    if not gone:
        return []
    return [f"The {release} release no longer holds {', '.join(gone)}: no help to the attacker."]


def _notes_on_removed_people(release: str, truth: np.ndarray | None) -> list[str]:
    n_removed = 0 if truth is None else int((truth == NOT_RELEASED).sum())
    if not n_removed:
        return []
    return [
        f"{people_on_screen(n_removed)} attacked people of the pilot are not in the {release} release; "
        "they count as not found."
    ]


def _notes_on_unreadable(matching: Matching) -> list[str]:
    return [
        f"{people_on_screen(column.n_unreadable)} values of {column.name} in the identified table are not numbers and "
        "count as missing."
        for column in matching.columns
        if column.n_unreadable
    ]


def _notes_on_missing(matching: Matching, method: str) -> list[str]:
    missing = {c.name: int((c.known < 0).sum()) for c in matching.columns if not c.tells_nothing}
    fate = "match any value" if matching.missing_agrees else "match no value"
    return [
        f"{people_on_screen(n)} of {matching.n_known} people in the identified table have no {name}; under {method!r} "
        f"they {fate}."
        for name, n in missing.items()
        if n
    ]


def _notes_on_unread(matching: Matching, attack: LinkageAttack, release: str) -> list[str]:
    """Columns without any readable value, and in how many attacks this may have hidden a record."""
    notes = [
        f"The released values of {column.name} distinguish no one: no help to the attacker."
        for column in matching.columns
        if column.tells_nothing
    ]
    notes += [
        f"{attack.method}: no known value of {column.name} agrees with any value of the {release} release. Its labels "
        "cannot be read, or are coded otherwise. So this attack finds no one by it; that does not show that no one "
        "could."
        for column in matching.columns
        if not column.is_read
    ]
    return notes + (attack.pairs.notes(f"Linkage, {attack.method}, {release} release") if attack.pairs else [])


def matches_of(
    attack: LinkageAttack, release: AttackedRelease, identified: IdentifiedTable, subjects: pd.Series
) -> pd.DataFrame:
    """One row per person for whom a record is named: for the controller only."""
    named = np.flatnonzero(attack.claimed)
    record = release.kept[attack.found.candidate[named]]
    table = {
        "release": release.name,
        "method": attack.method,
        "person": identified.ids.iloc[named].to_numpy(),
        f"named_{SUBJECT_COLUMN}": subjects.iloc[record].to_numpy(),
    }
    if attack.truth is not None and attack.correct is not None:
        words = np.where(attack.correct[named], "right", "wrong")
        table["claim"] = np.where(attack.truth[named] == NOT_IN_PILOT, "wrong, not in the pilot", words)
    if attack.found.score is not None and attack.found.probability is not None:
        table |= {"score": attack.found.score[named], "probability": attack.found.probability[named]}
    return pd.DataFrame(table, index=range(len(named)))


def sorted_matches(parts: list[pd.DataFrame]) -> pd.DataFrame:
    """The rows of all releases and methods as one table, in an order of their own."""
    if not parts:
        return pd.DataFrame({"release": [], "method": [], "person": []}, dtype="str")
    return pd.concat(parts, ignore_index=True).sort_values(["release", "method", "person"], ignore_index=True)


MATCHES = "linkage_matches.csv"


def run_step(step: StepInput[AttackSettings]) -> StepResult:
    """The attacks of the key on every release; ``linkage_matches.csv`` lists who was named."""
    settings, config = step.settings, step.assessment.config
    pilot, subjects = step.dataset.typed_table, step.dataset.subjects
    treated = step.earlier["treatment"].outcome if "treatment" in step.earlier else None
    releases = releases_of(pilot, treated, settings.released)
    attacked: dict[str, ReleaseAttacked] = {}
    notes: list[str] = []
    identified: IdentifiedTable | None = None
    matches: list[pd.DataFrame] = []
    inputs: dict[str, dict] = {}
    if settings.identified is not None:
        check_within(settings, pilot)
        rule = config.of(SubjectIdRule)
        identified = read_identified(settings, step.folder, subjects, rule)
        notes += identified.notes
        inputs |= identified.source
    intervals = settings.interval_disclosure and settings.interval_disclosure.on(config)
    for release in releases:
        linkage: LinkageTold | None = None
        disclosed = None
        if identified is not None:
            linkage, attacks, more = attack_release(release, identified, settings, pilot)
            matches += [matches_of(attack, release, identified, subjects) for attack in attacks]
            notes += more
        if intervals is not None:
            disclosed, more = attack_intervals(release, pilot, intervals, settings.seed)
            notes += more
        n_records = len(release.frame)
        attacked[release.name] = ReleaseAttacked(n_records, len(pilot) - n_records, linkage, disclosed)
    people = None if identified is None else told_people(identified)
    told = AttacksTold(attacked, list(dict.fromkeys(notes)), people)
    tables = {MATCHES: sorted_matches(matches)} if identified is not None else {}
    return StepResult(told, sections=attack_sections(told), tables=tables, inputs=inputs)
