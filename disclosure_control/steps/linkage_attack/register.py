"""The attack ``linkage`` as the step runs it: an identified table against each release, in figures and in names."""

from __future__ import annotations

import dataclasses
from dataclasses import asdict

import numpy as np
import pandas as pd

from disclosure_control.assess.combined_dataset import SUBJECT_COLUMN
from disclosure_control.basics.encoding.columns import encode_column
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.steps.linkage_attack.codebook import Codebook
from disclosure_control.steps.linkage_attack.linkage import (
    NOT_IN_PILOT,
    NOT_RELEASED,
    LinkageAttack,
    attack_linkage,
    compare_tables,
    success_by_knowledge,
)
from disclosure_control.steps.linkage_attack.matching import Matching
from disclosure_control.steps.linkage_attack.people import IdentifiedTable
from disclosure_control.steps.linkage_attack.releases import AttackedRelease
from disclosure_control.steps.linkage_attack.settings import KEY, AttackSettings


def check_within(settings: AttackSettings, pilot: pd.DataFrame) -> None:
    """Raise ``FaultyInputError`` where a column that may be off by some width holds text."""
    faults = [
        f"{KEY}['within']: column {name!r} holds text, and only numbers can be off by some width; name it under "
        "continuous_qis if it holds numbers, or take it out"
        for name in settings.within
        if not encode_column(pilot[name]).is_numeric
    ]
    if faults:
        raise FaultyInputError(faults)


def figures_of_people(identified: IdentifiedTable) -> dict:
    """How many people the identified table names, how many are attacked, and of these how many are in the pilot."""
    figures: dict = {"people": len(identified.frame), "attacked": len(identified.attacked)}
    if identified.subject is not None:
        n_in_pilot = int((identified.subject[identified.attacked] >= 0).sum())
        figures |= {"in_pilot": n_in_pilot, "control": len(identified.attacked) - n_in_pilot}
    return figures | {"truth_known": identified.subject is not None}


def attack_release(
    release: AttackedRelease, identified: IdentifiedTable, settings: AttackSettings, pilot: pd.DataFrame
) -> tuple[dict, list[LinkageAttack], list[str]]:
    """Linkage of the identified table with one release: figures per method, the attacks, and notes."""
    known = {name: theirs for name, theirs in settings.known.items() if name in release.frame}
    gone = [name for name in settings.known if name not in known]
    notes = (
        [f"{', '.join(gone)}: not in the {release.name} release any more, and no help to the attacker."] if gone else []
    )
    truth = identified.truth(release, len(pilot))
    n_removed = 0 if truth is None else int((truth[identified.attacked] == NOT_RELEASED).sum())
    if n_removed:
        notes.append(
            f"{n_removed} attacked people of the pilot are not in the {release.name} release; they count as not found."
        )
    figures: dict = {"known": list(known), "methods": {}}
    attacks: list[LinkageAttack] = []
    codebook = release.codebook(pilot[list(known)])
    if not known or not len(release.frame):
        return figures, attacks, [*notes, f"Nothing is left to attack in the {release.name} release."]
    for method in settings.method:
        options: dict = {"people": identified.attacked}
        if method == "probabilistic":
            options |= {"agreement_rate": settings.agreement_rate, "threshold": settings.threshold}
        books: list[Codebook | None] = [codebook]
        if codebook is not None and method != "exact":
            shares = codebook.shares_tried(release.frame, list(known))
            books = [dataclasses.replace(codebook, share=share) for share in shares]
        tried = []
        for book in books:
            matching = compare_tables(release.frame, identified.frame, known, method, settings.within, book)
            tried.append((matching, attack_linkage(matching, truth, method, **options)))
        matching, attack = max(tried, key=lambda one: one[1].n_found)
        attack = dataclasses.replace(attack, n_tries=len(tried))
        levels, said = success_by_knowledge(matching, truth, method, **options)
        notes += [said] if said else []
        notes += [
            f"{column.name}: {column.n_unreadable} values of the identified table are no numbers: not known."
            for column in matching.columns
            if column.n_unreadable
        ]
        notes += _missing_notes(matching, method)
        notes += _unread_notes(matching, attack, release.name)
        if attack.n_unsure:
            notes.append(
                f"{method}: of {attack.n_unsure} people in the {release.name} release there is one best record, below "
                f"the threshold of {settings.threshold:g}: not named. A lower threshold names them."
            )
        figures["methods"][method] = {
            "claims": attack.claims.figures(),
            "below_threshold": attack.n_unsure,
            "pairs": attack.pairs.figures() if attack.pairs else None,
            "guesses": attack.guesses.figures() if attack.guesses else None,
            "by_knowledge": [asdict(level) | {"best": list(level.best)} for level in levels],
        }
        attacks.append(attack)
    return figures, attacks, notes


def _missing_notes(matching: Matching, method: str) -> list[str]:
    missing = {c.name: int((c.known < 0).sum()) for c in matching.columns if not c.tells_nothing}
    fate = "match anything" if matching.missing_agrees else "match nothing"
    return [
        f"{name}: not known of {n} of {matching.n_known} people in the identified table; under {method!r} they {fate}."
        for name, n in missing.items()
        if n
    ]


def _unread_notes(matching: Matching, attack: LinkageAttack, release: str) -> list[str]:
    """Of which columns nothing could be read, and in how many attacks this may have hidden a record."""
    notes = [
        f"{column.name}: what the treatment released in place of it tells nobody apart, and is no help to the attacker."
        for column in matching.columns
        if column.tells_nothing
    ]
    notes += [
        f"{attack.method}: no known value of {column.name} agrees with any value of the {release} release: labels that "
        "cannot be read, or another coding; nobody can be found by it, which is no finding that nobody could."
        for column in matching.columns
        if not column.is_read
    ]
    return notes + (attack.pairs.notes(f"Linkage, {attack.method}, {release} release") if attack.pairs else [])


def matches_of(
    attack: LinkageAttack, release: AttackedRelease, identified: IdentifiedTable, subjects: pd.Series
) -> pd.DataFrame:
    """One row per person for whom a record is named: for the controller's eyes alone."""
    named = np.flatnonzero(attack.claimed)
    record, person = release.kept[attack.found.candidate[named]], identified.attacked[named]
    table = {
        "release": release.name,
        "method": attack.method,
        "person": identified.ids.iloc[person].to_numpy(),
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
