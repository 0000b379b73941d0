"""The report of the step ``treatment``: its effect, before and after, and what to know before release."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from disclosure_control.assess.outside import k_outside, model_outside
from disclosure_control.assess.report import policies_table
from disclosure_control.assess.told import ToldModel
from disclosure_control.basics.drawings.rows import Bar, row_chart
from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.telling.plain import plain
from disclosure_control.basics.telling.section_text import as_text
from disclosure_control.basics.telling.sections import Details, Figure, Part, Section, Sentence, Style, Table, Where
from disclosure_control.basics.telling.small_counts import (
    EXACT,
    FOR_CONTROLLER,
    MASKED,
    MASKED_CELL,
    WHAT_MASKED_MEANS,
    Policy,
    count_text,
)
from disclosure_control.basics.telling.told_outside import ToldCounts
from disclosure_control.basics.telling.words import capitalised, counted, listed, share_of_text, share_text
from disclosure_control.remedy.treatments.seeds import DEFAULT_SEED, seed_warnings
from disclosure_control.steps.treatment import DATASET, OUTLINES, WITH_ORIGINAL_IDS
from disclosure_control.steps.treatment.figures import PilotView, StepApplied, TreatmentFindings

NOT_ANONYMOUS = (
    f"Despite its name, {DATASET} contains personal data: lower figures do not prove anonymity in the sense of the "
    "GDPR."
)
NOT_TO_HAND_ON = (
    f"{WITH_ORIGINAL_IDS} contains the original ids of its people: never hand it on. With recode_ids it gets "
    f"pseudonyms and the name {DATASET}."
)
NOT_BESIDE_THE_DATA = (
    "Do not hand on the summaries or risk_utility_summary.csv: anyone with the released file and figures of the "
    "untreated pilot can calculate values of people who were left out of it."
)
THE_TABLE = (
    "The table with one row per person is treated first. The files of the study take from it who is left out and what "
    "is recoded; what else is done with each variable of the files follows."
)


def treatment_report(found: TreatmentFindings, policy: Policy = MASKED) -> str:
    """The summary as text: the treatments, before and after, and the limits of the figures."""
    return as_text(treatment_sections(policy, found), Where.FILE)


def treatment_sections(
    policy: Policy, found: TreatmentFindings, of_table_alone: Collection[str] | None = None
) -> tuple[Section, ...]:
    """The treatments, before and after, and what to know before release; ``found`` is as the reader may see it.

    ``of_table_alone``: where files of a study leave and the treated table stays, notes that are no evidence on them.
    """
    return (OUTLINES[0].section(_parts(policy, found)), *_evidence(found, of_table_alone))


def _evidence(found: TreatmentFindings, of_table_alone: Collection[str] | None) -> list[Section]:
    """Risk before and after, the changes to each column, and their cost."""
    is_of_study = of_table_alone is not None
    changed = [
        [step.method, name, count_text(n), count_text(step.records_removed) if place == 0 else "-"]
        for step in found.steps
        for place, (name, n) in enumerate((step.changed or {"-": 0}).items())
    ]
    columns = ("Method", "Column", "Values changed", "Records removed by the step")
    tables = [Table("Treatment", columns, changed, (2, 3), Where.EVIDENCE)] if changed else []
    notes = [*(note for step in found.steps for note in step.notes), *found.notes]
    if of_table_alone is not None:
        notes = [THE_TABLE, *(note for note in notes if note not in of_table_alone)]
    before, after = found.before.records, found.as_released.records
    lost = [f"{after} of {before} records are released; {found.records_removed} were removed."]
    if found.columns_dropped:
        lost.append(f"Columns lost: {listed(found.columns_dropped, 40)}.")
    untouched = found.untouched
    left = [f"Released unchanged and not assessed: {listed(untouched, 40)}."] if untouched and not is_of_study else []
    return [
        Section("risk", "", [replace(_before_and_after_table(found), where=Where.EVIDENCE), *_drawing(found)]),
        Section("treatment", "", [*_in_evidence(notes), *tables]),
        Section("utility", "", _in_evidence(lost)),
        Section("residual_risk", "", _in_evidence(left)),
    ]


def _in_evidence(sentences: Sequence[str]) -> list[Sentence]:
    return [Sentence(sentence, where=Where.EVIDENCE) for sentence in sentences]


def _before_and_after_table(found: TreatmentFindings) -> Table:
    rows = _rows(found.views)
    return Table("Before and after the treatment", ("Figure", "Before", "After", "As released"), rows, range(1, 4))


def _drawing(found: TreatmentFindings) -> Iterator[Figure]:
    """The share of people at risk by each model, before and as released, where neither is masked."""
    before, after = found.before, found.as_released
    models: list[tuple[str, ToldModel, ToldModel | None]] = [("k", before.k_anonymity, after.k_anonymity)]
    models += [(f"l of {name}", one, after.l_diversity.get(name)) for name, one in before.l_diversity.items()]
    models += [(f"t of {name}", one, after.t_closeness.get(name)) for name, one in before.t_closeness.items()]
    bars = []
    for name, came_in, leaves in models:
        if leaves is None or came_in.risky_rate is None or leaves.risky_rate is None:
            continue
        bars.append(Bar(f"{name}, before", came_in.risky_rate, _people(came_in)))
        bars.append(Bar(f"{name}, as released", leaves.risky_rate, _people(leaves)))
    if bars:
        title = "People at risk, before and as released"
        described = "; ".join(f"{bar.label}: {bar.text}" for bar in bars)
        yield Figure(row_chart(title, described, bars), "Of the people who were evaluated.", Where.EVIDENCE)


def refusal_sections(reason: str) -> tuple[Section, ...]:
    parts = (Sentence(f"NOTE: {reason}", where=Where.FIRST), Sentence(reason, Style.NOTICE))
    return (OUTLINES[0].section(parts),)


def _parts(policy: Policy, found: TreatmentFindings) -> Iterator[Part]:
    yield from (Sentence(one, where=Where.FIRST) for one in seed_warnings(DEFAULT_SEED) if one in found.notes)
    yield Sentence(before_and_after(found), where=Where.SHORT)
    n_before, n_removed = found.before.records, found.records_removed
    yield _before_and_after_table(found)
    yield Sentence(
        "Before and after: seen through the config's bins. As released: the exact values in the file.", Style.SMALL
    )
    for name in found.finer_than_assessed:
        yield Sentence(
            f"{name} is assessed in the config's bins and released finer than these: the last column counts, unless a "
            "treatment puts it into bins.",
            Style.NOTICE,
        )
    share = f" ({share_of_text(n_removed, n_before)})" if n_before else ""
    yield Sentence(f"Records removed: {n_removed} of {n_before}{share}.")
    if found.columns_dropped:
        yield Sentence(f"Columns dropped: {', '.join(found.columns_dropped)}.")
    yield Sentence("What was done", Style.HEADING)
    for step in found.steps:
        yield Sentence(f"{step.method}: {_done(step)}.", Style.STEP, further=step.notes)
    if not found.steps:
        yield Sentence("Nothing was done: the list of treatments is empty.")
    yield _policies(found.as_released, found.missing_qis)
    lost = [
        [name, *map(count_text, counts)]
        for name, counts in found.missing_of_kept.items()
        if counts[0] != counts[1] or counts[0] is None
    ]
    if lost:
        title = "Missing values of the records that are kept"
        yield Table(title, ("Column", "Before", "After"), lost, (1, 2), Where.TEXT)
    yield Sentence("What to know before release", Style.HEADING)
    yield from _before_release(found)
    if not policy.is_exact:
        yield Sentence(WHAT_MASKED_MEANS, Style.SMALL, Where.TEXT)


def _before_release(found: TreatmentFindings) -> Iterator[Part]:
    for sentence in (NOT_TO_HAND_ON if found.dataset == WITH_ORIGINAL_IDS else NOT_ANONYMOUS, NOT_BESIDE_THE_DATA):
        yield Sentence(sentence, Style.POINT)
    for sentence in found.after.notices:
        yield Sentence(f"After: {sentence}", Style.POINT)
    for note in found.notes:
        yield Sentence(note, Style.POINT)
    if found.untouched:
        yield Sentence(
            f"{counted(len(found.untouched), 'column')} are released unchanged and not assessed. Alone or "
            "together they may tell what was treated, as height and weight tell the BMI.",
            Style.POINT,
        )
        yield Details("Released unchanged", [", ".join(found.untouched)])
    for name, n in found.untouched_but_for.items():
        yield Sentence(
            f"{name} is one of these: a step changed {_changed_of(n)}, and left the others unchanged.", Style.POINT
        )
    for sentence in found.leaving.words():
        yield Sentence(sentence, Style.POINT, Where.TEXT)


def before_and_after(found: TreatmentFindings) -> str:
    """The summary in a line: who is left, and k of them before, after and as released."""
    n_before, k = found.before.records, number_text(found.before.k_anonymity.threshold)
    views = [_people(view.k_anonymity) for view in found.views]
    return (
        f"Treatment: {found.records_removed} of {n_before} records removed; k < {k}: before {views[0]}, "
        f"after {views[1]}, as released {views[2]}."
    )


def _changed_of(n: int | None) -> str:
    return "some of its values (how many is not shown)" if n is None else f"{counted(n, 'value')} of it"


def _done(step: StepApplied) -> str:
    changed = ", ".join(f"{name} {count_text(count)}" for name, count in step.changed.items() if count != 0)
    words = [f"cells changed: {changed}"] if changed else []
    if step.records_removed != 0:
        words.append(f"records removed: {count_text(step.records_removed)}")
    return "; ".join(words) or "nothing changed"


def _policies(view: PilotView, in_use: str) -> Table:
    """k of the released file under every policy, so that no policy hides people."""
    threshold = number_text(view.k_anonymity.threshold)
    title = f"k < {threshold} as released, by the policy for missing quasi-identifiers (in use: {in_use})"
    return policies_table(title, view.missing_policies)


def _rows(views: Sequence[PilotView]) -> list[list[str]]:
    rows = [
        ["Records", *(count_text(view.records) for view in views)],
        ["Alone in their class", *(share_text(view.unique_rate) for view in views)],
        ["Highest risk (prosecutor)", *(share_text(view.prosecutor_highest_risk) for view in views)],
        ["Average risk (marketer)", *(share_text(view.marketer_risk) for view in views)],
        *_model_rows("k", "Smallest", [view.k_anonymity for view in views]),
    ]
    for name in views[0].l_diversity:
        rows += _model_rows(f"l of {name}", "Smallest", [view.l_diversity.get(name) for view in views])
    for name in views[0].t_closeness:
        rows += _model_rows(f"t of {name}", "Largest", [view.t_closeness.get(name) for view in views])
    return rows


def _model_rows(title: str, worst: str, views: Sequence[ToldModel | None]) -> list[list[str]]:
    before = views[0]
    assert before is not None  # before the treatment every column is there
    head = f"{title} {'<' if worst == 'Smallest' else '>'} {number_text(before.threshold)}"
    rows = [
        [f"At risk by {head}", *map(_people, views)],
        [f"{worst} {title}", *("-" if view is None else view.worst for view in views)],
    ]
    if any(view and view.not_evaluated for view in views):
        rows.append([f"Not evaluated by {title}", *("-" if v is None else str(v.not_evaluated) for v in views)])
    return rows


def _people(view: ToldModel | None) -> str:
    if view is None:
        return "not released"
    if view.evaluated == 0:
        return "nobody evaluated"
    if view.risky is None or view.evaluated is None:
        return MASKED_CELL
    return f"{view.risky} of {view.evaluated} ({share_text(view.risky_rate)})"


# ---------------------------------------------------------------- the shareable page


def nothing_outside(counts: ToldCounts, k: ToldModel) -> tuple[Section, ...]:
    """States that nothing was treated, and not why."""
    return (OUTLINES[0].section((Sentence("Nothing was treated.", where=Where.OUTSIDE),)),)


def sections_outside(found: TreatmentFindings, counts: ToldCounts, k: ToldModel) -> tuple[Section, ...]:
    """Before and after in shareable counts, and the treatments used."""
    rows = [row for row in _rows([_view_outside(view, counts) for view in found.views]) if {*row[1:]} != {"-"}]
    n_removed = count_text(counts.tell(found.records_removed))
    parts: list[Part] = [
        Table("Before and after the treatment", ("Figure", "Before", "After", "As released"), rows, range(1, 4)),
        Sentence(f"Records removed: {n_removed}."),
        Sentence("What was done", Style.HEADING),
        *(Sentence(f"{step.method}.", Style.STEP) for step in found.steps),
    ]
    return (OUTLINES[0].section([replace(part, where=Where.OUTSIDE) for part in parts]),)


def _view_outside(view: PilotView, counts: ToldCounts) -> PilotView:
    evaluated = counts.tell(view.k_anonymity.evaluated)
    unique_rate = counts.tell_rate(view.unique_rate, evaluated)
    return replace(
        view,
        records=counts.tell(view.records),
        k_anonymity=_outside(k_outside(view.k_anonymity, counts)),
        l_diversity={name: _outside(model_outside(one, counts)) for name, one in view.l_diversity.items()},
        t_closeness={name: _outside(model_outside(one, counts)) for name, one in view.t_closeness.items()},
        unique_rate=unique_rate,
        prosecutor_highest_risk=None,
        marketer_risk=None,
    )


def _outside(told: ToldModel) -> ToldModel:
    return replace(told, not_evaluated=None)


def summary_files(pilot: str, found: TreatmentFindings) -> dict[str, bytes]:
    """``{PILOT}_treatment_summary.txt`` and ``.json``, for the controller: ``found`` is exact."""
    figures = {"schema": 2, "for": FOR_CONTROLLER, **plain(found)}
    text = json.dumps(figures, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    report = f"{capitalised(FOR_CONTROLLER)}.\n\n{treatment_report(found, EXACT)}"
    return {
        f"{pilot}_treatment_summary.txt": report.encode("utf-8"),
        f"{pilot}_treatment_summary.json": text.encode("utf-8"),
    }
