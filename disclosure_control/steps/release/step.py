"""The step ``release``: the whole study through the stages of a release, judged as a recipient gets it, in words."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from datetime import datetime, time
from functools import partial

from config import RESULTS_FOLDER
from disclosure_control.attack.dates.dated_rows import offsets_drawn_again
from disclosure_control.attack.earlier import EarlierReleases, earlier_releases, held_back
from disclosure_control.basics.telling.reasons import Reason
from disclosure_control.basics.telling.small_counts import Policy
from disclosure_control.release.making import Asked, Making, Stage, begun
from disclosure_control.release.settings import ReleaseSettings
from disclosure_control.release.stages import (
    DECIDED,
    LEAVING,
    LOOKED_AT,
    ON_TRIAL,
    WEIGHED,
    labels_and_names,
    operations,
    people_who_stay,
    through,
)
from disclosure_control.remedy.treatments.keys import Release, read_key
from disclosure_control.remedy.treatments.one_release import name_of_release
from disclosure_control.remedy.treatments.seeds import seed_reasons
from disclosure_control.remedy.treatments.treated_pilot import TreatedPilot
from disclosure_control.run.custody import kept_releases
from disclosure_control.steps.release.checked import PackageChecked, reasons_of
from disclosure_control.steps.release.judged import judged
from disclosure_control.steps.release.labels import LABELS, reasons_of_labels
from disclosure_control.steps.release.report import RARE_TEXTS, refusal_sections, release_sections
from disclosure_control.steps.release.told import release_told
from disclosure_control.steps.release.use import STUDY_TABLES, use_sections
from disclosure_control.steps.running import Asks, StepInput, StepResult, StepTold

FOLDER = "released"


def run_step(step: StepInput[ReleaseSettings]) -> StepResult:
    """Write every domain file of the pilot for release into ``released/``, open it again, evaluate and search it."""
    treated, refusal = _treated(step)
    if refusal:
        return StepResult({"released": False, "reason": refusal}, sections=refusal_sections(refusal))
    with asked_of(step, treated) as asked:
        begins = begun(asked, kept_between_trials=step.is_trial)
        if step.asks is Asks.LOSSES:
            decided = through(DECIDED, begins)
            return step.kept.of(decided.decided, lambda: _losses(through(WEIGHED, decided)))
        kept = kept_releases(step.folder / RESULTS_FOLDER) if step.settings.earlier else ()
        earlier = earlier_releases(begins, (one for release in kept for one in release.ids))
        made = through(against_attacks(_stages_of(step), earlier), begins)
        checked = judged(made, step, earlier)
    compared, texts, labels = made.compared, made.texts, made.labels
    return StepResult.told_by(
        partial(_told, checked=checked, treated=treated, asks=step.asks),
        tables=({} if compared is None else {STUDY_TABLES: compared.rows})
        | ({RARE_TEXTS: texts.table} if texts.emptied else {})
        | ({LABELS: labels.table} if labels.any else {}),
        files={f"{FOLDER}/{name}": content for name, content in made.package.files.items()},
        inputs={name: {"sha256": sha256} for name, sha256 in made.study.inputs.items()}
        | ({} if checked.earlier is None else dict(checked.earlier.inputs)),
        outcome=checked,
    )


def _told(policy: Policy, checked: PackageChecked, treated: TreatedPilot | None, asks: Asks) -> StepTold:
    made, found = checked.made, release_told(policy, checked)
    compared, n_people = made.compared, (len(made.people.ids), int(made.people.stays.sum()))
    of_use = () if compared is None else use_sections(policy, compared, made.losses, n_people)
    of_labels = reasons_of_labels(made.labels, made.asked.settings.declared_names)
    return StepTold(
        found,
        (*release_sections(found), *of_use),
        (
            *reasons_of(policy, checked),
            *(one for one in of_labels if one.changes or asks is not Asks.NAMES),
            *_reasons_of_chance(treated),
        ),
        checked.answers(policy),
        checked.not_looked_at(policy),
        None if compared is None else compared.fit_for(policy),
    )


def _stages_of(step: StepInput[ReleaseSettings]) -> tuple[Stage, ...]:
    if step.asks < Asks.UNTIL_HELD:
        return (*LOOKED_AT[:-1], labels_and_names, LOOKED_AT[-1]) if step.asks is Asks.NAMES else LOOKED_AT
    return ON_TRIAL if step.is_trial else LEAVING


def _losses(made: Making) -> StepResult:
    """What a recipient would lose by a release that nobody makes."""
    compared = made.compared
    use = None if compared is None else compared.fit_for
    return StepResult.told_by(lambda policy: StepTold({}, use=None if use is None else use(policy)))


def against_attacks(stages: tuple[Stage, ...], earlier: EarlierReleases | None) -> tuple[Stage, ...]:
    """The stages with those that ask what an attacker would find: after who stays, and after the operations."""
    after: dict[Stage, Stage] = {people_who_stay: partial(held_back, earlier=earlier), operations: offsets_drawn_again}
    return tuple(one for stage in stages for one in (stage, after.get(stage)) if one is not None)


@contextlib.contextmanager
def asked_of(step: StepInput[ReleaseSettings], treated: TreatedPilot | None) -> Iterator[Asked]:
    """What the config asks for, with a folder for the package while it is judged."""
    config = step.assessment.config
    own = Release(step.pilot, name_of_release(step.dataset.sha256, step.release_config))
    asked = Asked(
        step.pilot,
        step.folder,
        config,
        step.settings,
        step.files,
        step.dataset.records() if treated is None else treated.original,
        treated,
        read_key(step.settings.key_from, step.folder),
        own if treated is None else treated.release,
        datetime.combine(datetime.fromisoformat(step.started), time()),
        step.kept,
    )
    with step.files.package(step.folder / RESULTS_FOLDER) as place:
        yield dataclasses.replace(asked, place=place)


def _treated(step: StepInput[ReleaseSettings]) -> tuple[TreatedPilot | None, str]:
    """The treatment's result, None without one; and the reason if nothing is released."""
    config, n_people = step.assessment.config, step.dataset.n_subjects
    treated = None
    if "treatment" in step.earlier:
        treated = step.earlier["treatment"].outcome
        if treated is None:
            return None, "the treatment made nothing that could leave, so no file is written."
        assert isinstance(treated, TreatedPilot)
        n_people = treated.n_people
    if n_people < config.K:
        return None, f"fewer people than K = {config.K} are left, and such a pilot never leaves; no file is written."
    return treated, ""


def _reasons_of_chance(treated: TreatedPilot | None) -> list[Reason]:
    if treated is None or not any(step.used_chance for step in treated.steps):
        return []
    return seed_reasons(treated.seed, f"{FOLDER}/")
