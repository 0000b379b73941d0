"""The step ``linkage_attack``: try to break the release, before and after a treatment, side by side.

Only ``linkage_matches.csv`` names matched people; summary and screen contain counts and rates.
"""

from __future__ import annotations

import pandas as pd

from disclosure_control.analyses.linkage_attack.interval_disclosure import attack_intervals
from disclosure_control.analyses.linkage_attack.people import IdentifiedTable, read_identified
from disclosure_control.analyses.linkage_attack.register import (
    attack_release,
    check_within,
    matches_of,
    sorted_matches,
    told_people,
)
from disclosure_control.analyses.linkage_attack.releases import releases_of
from disclosure_control.analyses.linkage_attack.report import attack_sections
from disclosure_control.analyses.linkage_attack.settings import AttackSettings
from disclosure_control.analyses.linkage_attack.told import AttacksTold, LinkageTold, ReleaseAttacked
from disclosure_control.steps.running import StepInput, StepResult
from study.merge.subject_ids import SubjectIdRule

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
