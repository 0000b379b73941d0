"""The step ``linkage_attack``: try to break the release, before and after a treatment, side by side.

Who was matched stands in ``linkage_matches.csv`` alone; summary and screen hold counts and rates.
"""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pandas as pd

from cdisc.merge.subject_ids import SubjectIdRule
from disclosure_control.assess.combined_dataset import SUBJECT_COLUMN
from disclosure_control.basics.columns import encode_column
from disclosure_control.basics.faults import FaultyInputError
from disclosure_control.steps.linkage_attack.inference import TOLERANCE, infer_attribute
from disclosure_control.steps.linkage_attack.linkability import link_parts
from disclosure_control.steps.linkage_attack.linkage import (
    NOT_IN_PILOT,
    NOT_RELEASED,
    LinkageAttack,
    attack_linkage,
    compare_tables,
    success_by_knowledge,
)
from disclosure_control.steps.linkage_attack.people import (
    IdentifiedTable,
    Release,
    read_control,
    read_identified,
    releases_of,
)
from disclosure_control.steps.linkage_attack.report import attack_report
from disclosure_control.steps.linkage_attack.settings import (
    DEFAULT_ATTACKS,
    INNER_KEYS,
    KEY,
    AttackSettings,
)
from disclosure_control.steps.linkage_attack.singling_out import MODES, single_out
from disclosure_control.steps.running import StepInput, StepResult

__all__ = ["run_step"]
MATCHES = "linkage_matches.csv"


def run_step(step: StepInput) -> StepResult:
    """Every attack that the key asks for, on every release; ``linkage_matches.csv`` tells who was named."""
    settings = step.settings
    pilot, subjects = step.dataset.typed_table, step.dataset.subjects
    treated = step.earlier["treatment"].outcome if "treatment" in step.earlier else None
    releases = releases_of(pilot, treated, settings.released)
    figures: dict = {"releases": {}, "notes": []}
    identified, matches, inputs = None, [], {}
    if settings.identified is not None:
        _check_within(settings, pilot)
        rule = step.assessment.config.settings.get("subject_id", SubjectIdRule())
        identified = read_identified(settings, step.folder, subjects, rule)
        figures["identified"] = _people_figures(identified)
        figures["notes"] += identified.notes
        inputs |= identified.source
    wide = _wide_settings(settings, step.assessment.config)
    used = sorted({name for part in wide.values() for name in _columns_of(part)})
    control, source = read_control(settings, step.folder, used)
    inputs |= source
    for release in releases:
        found: dict = {"records": len(release.frame), "removed": len(pilot) - len(release.frame)}
        if identified is not None:
            found["linkage"], attacks, notes = _linkage(release, identified, settings, pilot)
            matches += [_matches(attack, release, identified, subjects) for attack in attacks]
            figures["notes"] += notes
        for part, given in wide.items():
            before = _before(release, pilot)
            found[part], notes = ATTACKS[part](release, pilot, before, subjects, control, given, settings.seed)
            figures["notes"] += notes
        figures["releases"][release.name] = found
    if wide and control is None:
        figures["notes"].append(
            f"{_listed(wide)}: no control group; name a file of people who are not in the pilot under control to "
            "see what is knowledge about the population alone."
        )
    if control is not None and not wide:
        figures["notes"].append(f"control: no use of the file; it is for {_listed(INNER_KEYS)} alone.")
    figures["notes"] = list(dict.fromkeys(figures["notes"]))
    tables = {MATCHES: _all_matches(matches)} if identified is not None else {}
    return StepResult(figures, attack_report(figures), tables=tables, inputs=inputs)


def _before(release: Release, pilot: pd.DataFrame) -> pd.DataFrame | None:
    """The released records before the treatment, in their order; None where there was none."""
    return None if release.name == "combined" else pilot.iloc[release.kept].reset_index(drop=True)


def _check_within(settings: AttackSettings, pilot: pd.DataFrame) -> None:
    faults = [
        f"{KEY}['within']: column {name!r} holds text, and only numbers can be off by some width; name it under "
        "continuous_qis if it holds numbers, or take it out"
        for name in settings.within
        if not encode_column(pilot[name]).is_numeric
    ]
    if faults:
        raise FaultyInputError(faults)


def _listed(names) -> str:
    return ", ".join(name.replace("_", " ") for name in names)


# ---------------------------------------------------------------- linkage


def _people_figures(identified: IdentifiedTable) -> dict:
    figures: dict = {"people": len(identified.frame), "attacked": len(identified.attacked)}
    if identified.subject is not None:
        n_in_pilot = int((identified.subject[identified.attacked] >= 0).sum())
        figures |= {"in_pilot": n_in_pilot, "control": len(identified.attacked) - n_in_pilot}
    return figures | {"truth_known": identified.subject is not None}


def _linkage(
    release: Release, identified: IdentifiedTable, settings: AttackSettings, pilot: pd.DataFrame
) -> tuple[dict, list[LinkageAttack], list[str]]:
    """Figures per method, the attacks, and what has to be said."""
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
    figures, attacks = {"known": list(known), "methods": {}}, []
    before = _before(release, pilot[list(known)])
    if not known or not len(release.frame):
        return figures, attacks, [*notes, f"Nothing is left to attack in the {release.name} release."]
    for method in settings.method:
        matching = compare_tables(release.frame, identified.frame, known, method, settings.within, before)
        options: dict = {"people": identified.attacked}
        if method == "probabilistic":
            options |= {"agreement_rate": settings.agreement_rate, "threshold": settings.threshold}
        attack = attack_linkage(matching, truth, method, **options)
        levels, said = success_by_knowledge(matching, truth, method, **options)
        notes += [said] if said else []
        notes += [
            f"{column.name}: {column.n_unreadable} values of the identified table are no numbers: not known."
            for column in matching.columns
            if column.n_unreadable
        ]
        notes += _missing_notes(matching, method)
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


def _missing_notes(matching, method: str) -> list[str]:
    missing = {column.name: int((column.known < 0).sum()) for column in matching.columns}
    fate = "match anything" if matching.missing_agrees else "match nothing"
    return [
        f"{name}: not known of {n} of {matching.n_known} people in the identified table; under {method!r} they {fate}."
        for name, n in missing.items()
        if n
    ]


def _matches(attack: LinkageAttack, release: Release, identified: IdentifiedTable, subjects: pd.Series) -> pd.DataFrame:
    """One row per person for whom a record is named."""
    named = np.flatnonzero(attack.claimed)
    record, person = release.kept[attack.found.candidate[named]], identified.attacked[named]
    table = {
        "release": release.name,
        "method": attack.method,
        "person": identified.ids.iloc[person].to_numpy(),
        f"named_{SUBJECT_COLUMN}": subjects.iloc[record].to_numpy(),
    }
    if attack.truth is not None:
        words = np.where(attack.correct[named], "right", "wrong")
        table["claim"] = np.where(attack.truth[named] == NOT_IN_PILOT, "wrong, not in the pilot", words)
    if attack.found.score is not None:
        table |= {"score": attack.found.score[named], "probability": attack.found.probability[named]}
    return pd.DataFrame(table, index=range(len(named)))


def _all_matches(parts: list[pd.DataFrame]) -> pd.DataFrame:
    if not parts:
        return pd.DataFrame({"release": [], "method": [], "person": []}, dtype="str")
    return pd.concat(parts, ignore_index=True).sort_values(["release", "method", "person"], ignore_index=True)


# ---------------------------------------------------------------- singling out, inference, linkability


def _wide_settings(settings: AttackSettings, config) -> dict[str, dict]:
    """The settings of the other attacks that are asked for, with their defaults."""
    everything = [*config.quasi_identifiers, *config.sensitive_features]
    given = {}
    if settings.singling_out is not None:
        given["singling_out"] = {"columns": everything, "modes": MODES, "n_columns": 3} | dict(settings.singling_out)
        modes = given["singling_out"]["modes"]
        given["singling_out"]["modes"] = (modes,) if isinstance(modes, str) else tuple(modes)
    if settings.inference is not None:
        secrets = settings.inference.get("secret", list(config.sensitive_features))
        secrets = [secrets] if isinstance(secrets, str) else list(secrets)
        known = [name for name in config.quasi_identifiers if name not in secrets]
        given["inference"] = {"known": known, "tolerance": TOLERANCE} | dict(settings.inference) | {"secret": secrets}
    if settings.linkability is not None:
        given["linkability"] = dict(settings.linkability)
    return {part: {"n_attacks": DEFAULT_ATTACKS} | found for part, found in given.items()}


def _columns_of(part: dict) -> list[str]:
    return [name for key in ("columns", "known", "secret", "one", "other") for name in part.get(key, ())]


def _drawn(subjects: pd.Series, n: int, seed: int) -> np.ndarray:
    """Positions of up to ``n`` subjects at random, whatever the order of rows."""
    order = np.argsort(encode_column(subjects).codes, kind="stable")
    if n >= len(order):
        return order
    return order[np.sort(np.random.default_rng(seed).choice(len(order), n, replace=False))]


def _gone(release: Release, names: list[str], attack: str) -> tuple[list[str], list[str]]:
    left = [name for name in names if name in release.frame]
    gone = [name for name in names if name not in left]
    return left, [f"{attack}: {', '.join(gone)} not in the {release.name} release any more."] if gone else []


def _singling_out(release, pilot, before, subjects, control, given, seed) -> tuple[dict, list[str]]:
    columns, notes = _gone(release, list(given["columns"]), "Singling out")
    figures = {}
    for mode in given["modes"] if columns else ():
        generator = np.random.default_rng(seed)
        n_attacks, n_columns = given["n_attacks"], given["n_columns"]
        found = single_out(release.frame, pilot, columns, mode, generator, n_attacks, n_columns, control, before)
        figures[mode] = found.rates.figures() | {"asked": found.n_asked, "people": found.n_people}
        if found.rates.attack.n < found.n_asked:
            notes.append(
                f"Singling out, {mode}: the {release.name} release suggests {found.rates.attack.n} predicates of the "
                f"{found.n_asked} asked for."
            )
        if found.n_control and found.n_control != found.n_people:
            notes.append(
                f"Singling out: {found.n_people} people against {found.n_control} in the control group; the verdict "
                "compares random parts of both, as large as the smaller one."
            )
        if found.rates.needs_control and not found.n_control and found.rates.attack.n:
            notes.append(
                f"Singling out, {mode}: without a control group nobody can tell whether the attack beats guessing; a "
                "rare value singles out somebody among other people, too."
            )
    return figures, notes


def _inference(release, pilot, before, subjects, control, given, seed) -> tuple[dict, list[str]]:
    known, notes = _gone(release, list(given["known"]), "Inference")
    secrets, more = _gone(release, list(given["secret"]), "Inference")
    people, figures = pilot.iloc[_drawn(subjects, given["n_attacks"], seed)], {}
    for secret in secrets if known else ():
        found = infer_attribute(release.frame, people, secret, known, control, given["tolerance"], before)
        figures[secret] = found.rates.figures() | {"known": known, "without_secret": found.n_without_secret}
        figures[secret]["tolerance"] = found.tolerance
        if found.n_without_secret:
            notes.append(
                f"Inference: {found.n_without_secret} of {len(people)} people drawn have no {secret}: not attacked."
            )
    return figures, notes + more


def _linkability(release, pilot, before, subjects, control, given, seed) -> tuple[dict, list[str]]:
    one, notes = _gone(release, list(given["one"]), "Linkability")
    other, more = _gone(release, list(given["other"]), "Linkability")
    if not one or not other:
        return {}, notes + more
    people = pilot.iloc[_drawn(subjects, given["n_attacks"], seed)]
    rates = link_parts(release.frame, people, one, other, control, before)
    return {f"{', '.join(one)} with {', '.join(other)}": rates.figures()}, notes + more


ATTACKS = {"singling_out": _singling_out, "inference": _inference, "linkability": _linkability}
