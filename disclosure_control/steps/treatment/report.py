"""The step ``treatment`` as it is told: what was done, before beside after, and what to know before release."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from disclosure_control.assess.outside import k_outside, model_outside
from disclosure_control.assess.report import ToldModel
from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.telling.section_text import as_text
from disclosure_control.basics.telling.sections import Details, Part, Section, Sentence, Style, Table, Where
from disclosure_control.basics.telling.small_counts import MASKED, WHAT_MASKED_MEANS, count_text
from disclosure_control.basics.telling.told_outside import ToldCounts
from disclosure_control.basics.telling.words import counted, listed, share_of_text, share_text
from disclosure_control.leaving.release_findings import FINDINGS
from disclosure_control.steps.treatment import OUTLINES
from disclosure_control.steps.treatment.figures import Figures
from disclosure_control.treatments.seeds import DEFAULT_WARNING

VIEWS = ("before", "after", "as_released")
NOT_ANONYMOUS = (
    "Despite its name, anonymised_dataset.csv holds personal data: lower figures are no finding of anonymity in the "
    "sense of the GDPR."
)
NOT_BESIDE_THE_DATA = (
    "Keep the summaries and risk_utility_summary.csv in the house: whoever has the released file and figures of the "
    "untreated pilot can calculate values of people who were left out of it."
)


def treatment_report(figures: Mapping[str, Any]) -> str:
    """The summary as text: what was done, before beside after, and what the figures do not say."""
    return as_text(treatment_sections(figures), Where.FILE)


def treatment_sections(figures: Mapping[str, Any]) -> tuple[Section, ...]:
    """What was done, before beside after, and what to know before release."""
    (outline,) = OUTLINES
    return (Section(outline.key, outline.title, tuple(_parts(figures))), *_evidence(figures))


def _evidence(figures: Mapping[str, Any]) -> list[Section]:
    """Risk before and after, what was done to each column, and what that cost."""
    changed = [
        [step["method"], name, count_text(n), str(step["records_removed"])]
        for step in figures["steps"]
        for name, n in (step["changed"] or {"-": 0}).items()
    ]
    columns = ("Method", "Column", "Values changed", "Records removed")
    tables = [Table("Treatment", columns, changed, (2, 3), Where.EVIDENCE)] if changed else []
    notes = [*(note for step in figures["steps"] for note in step["notes"]), *figures["notes"]]
    before, after = figures["before"]["records"], figures["as_released"]["records"]
    lost = [f"{after} of {before} records are released; {figures['records_removed']} were removed."]
    if figures["columns_dropped"]:
        lost.append(f"Columns lost: {listed(figures['columns_dropped'], 40)}.")
    untouched = figures["untouched"]
    left = [f"Released unchanged and not assessed: {listed(untouched, 40)}."] if untouched else []
    return [
        Section("risk", "", [replace(_before_and_after_table(figures), where=Where.EVIDENCE)]),
        Section("treatment", "", [*_in_evidence(notes), *tables]),
        Section("utility", "", _in_evidence(lost)),
        Section("residual_risk", "", _in_evidence(left)),
    ]


def _in_evidence(sentences: Sequence[str]) -> list[Sentence]:
    return [Sentence(sentence, where=Where.EVIDENCE) for sentence in sentences]


def _before_and_after_table(figures: Mapping[str, Any]) -> Table:
    rows = _rows([figures[view] for view in VIEWS])
    return Table("Before and after the treatment", ("Figure", "Before", "After", "As released"), rows, range(1, 4))


def refusal_sections(reason: str) -> tuple[Section, ...]:
    """Why nothing was treated."""
    (outline,) = OUTLINES
    parts = (Sentence(f"NOTE: {reason}", where=Where.FIRST), Sentence(reason, Style.NOTICE))
    return (Section(outline.key, outline.title, parts),)


def _parts(figures: Mapping[str, Any]) -> Iterator[Part]:
    if DEFAULT_WARNING in figures["notes"]:
        yield Sentence(DEFAULT_WARNING, where=Where.FIRST)
    yield Sentence(before_and_after(figures), where=Where.SHORT)
    n_before, n_removed = figures["before"]["records"], figures["records_removed"]
    yield _before_and_after_table(figures)
    yield Sentence(
        "Before and after: seen through the config's bins. As released: the exact values in the file.", Style.SMALL
    )
    for name in figures["finer_than_assessed"]:
        yield Sentence(
            f"{name} is assessed in the config's bins and released finer than these: the last column counts, unless a "
            "treatment puts it into bins.",
            Style.NOTICE,
        )
    share = f" ({share_of_text(n_removed, n_before)})" if n_before else ""
    yield Sentence(f"Records removed: {n_removed} of {n_before}{share}.")
    if figures["columns_dropped"]:
        yield Sentence(f"Columns dropped: {', '.join(figures['columns_dropped'])}.")
    yield Sentence("What was done", Style.HEADING)
    for step in figures["steps"]:
        yield Sentence(f"{step['method']}: {_done(step)}.", Style.STEP, further=step["notes"])
    if not figures["steps"]:
        yield Sentence("Nothing was done: the list of treatments is empty.")
    yield _policies(figures["as_released"], figures["missing_qis"])
    lost = [
        [name, *map(count_text, counts)]
        for name, counts in figures["missing_of_kept"].items()
        if counts[0] != counts[1] or counts[0] is None
    ]
    if lost:
        title = "Missing values of the records that are kept"
        yield Table(title, ("Column", "Before", "After"), lost, (1, 2), Where.TEXT)
    yield Sentence("What to know before release", Style.HEADING)
    yield from _before_release(figures)
    yield Sentence(WHAT_MASKED_MEANS, Style.SMALL, Where.TEXT)


def _before_release(figures: Mapping[str, Any]) -> Iterator[Part]:
    for sentence in (NOT_ANONYMOUS, NOT_BESIDE_THE_DATA):
        yield Sentence(sentence, Style.POINT)
    for sentence in figures["after"]["notices"]:
        yield Sentence(f"After: {sentence}", Style.POINT)
    for note in figures["notes"]:
        yield Sentence(note, Style.POINT)
    if figures["untouched"]:
        yield Sentence(
            f"{counted(len(figures['untouched']), 'column')} are released unchanged and not assessed. Alone or "
            "together they may tell what was treated, as height and weight tell the BMI.",
            Style.POINT,
        )
        yield Details("Released unchanged", [", ".join(figures["untouched"])])
    for name, n in figures["untouched_but_for"].items():
        yield Sentence(
            f"{name} is one of these: a step changed {_values(n)} of it, and left the others unchanged.", Style.POINT
        )
    for name, finding in FINDINGS.items():
        for sentence in finding.words(figures[name]):
            yield Sentence(sentence, Style.POINT, Where.TEXT)


def before_and_after(figures: Mapping[str, Any]) -> str:
    """The same in a line: who is left, and k of them before, after and as released."""
    n_before, k = figures["before"]["records"], number_text(figures["before"]["k_anonymity"]["threshold"])
    views = [_people(figures[view]["k_anonymity"]) for view in VIEWS]
    return (
        f"Treatment: {figures['records_removed']} of {n_before} records removed; k < {k}: before {views[0]}, "
        f"after {views[1]}, as released {views[2]}."
    )


def _values(n: int | None) -> str:
    return "a masked number of values" if n is None else counted(n, "value")


def _done(step: Mapping[str, Any]) -> str:
    changed = ", ".join(f"{name} {count_text(count)}" for name, count in step["changed"].items() if count != 0)
    words = [f"cells changed: {changed}"] if changed else []
    if step["records_removed"]:
        words.append(f"records removed: {step['records_removed']}")
    return "; ".join(words) or "nothing changed"


def _policies(view: Mapping[str, Any], in_use: str) -> Table:
    """k of the released file under every policy, so that none of them hides people."""
    threshold = number_text(view["k_anonymity"]["threshold"])
    rows = [
        [policy, n["evaluated"], n["not_evaluated"], n["risky"], share_of_text(n["risky"], n["evaluated"])]
        for policy, n in view["missing_policies"].items()
    ]
    title = f"k < {threshold} as released, by the policy for missing quasi-identifiers (in use: {in_use})"
    columns = ("Policy", "Evaluated", "Not evaluated", "Risky", "% of evaluated")
    return Table(title, columns, rows, range(1, 5), Where.TEXT)


def _rows(views: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    rows = [
        ["Records", *(count_text(view["records"]) for view in views)],
        ["Alone in their class", *(share_text(view["unique_rate"]) for view in views)],
        ["Highest risk (prosecutor)", *(share_text(view["prosecutor_highest_risk"]) for view in views)],
        ["Average risk (marketer)", *(share_text(view["marketer_risk"]) for view in views)],
        *_model_rows("k", [view["k_anonymity"] for view in views]),
    ]
    for model in ("l_diversity", "t_closeness"):
        for name in views[0][model]:
            rows += _model_rows(f"{model[0]} of {name}", [view[model].get(name) for view in views])
    return rows


def _model_rows(title: str, views: Sequence[Mapping[str, Any] | None]) -> list[list[str]]:
    worst = "maximum" if title.startswith("t ") else "minimum"
    sign = ">" if worst == "maximum" else "<"
    before = views[0]
    assert before is not None  # a column that is gone afterwards was there
    head = f"{title} {sign} {number_text(before['threshold'])}"
    rows = [
        [f"At risk by {head}", *(_people(view) for view in views)],
        [f"{'Largest' if worst == 'maximum' else 'Smallest'} {title}", *(_number(view, worst) for view in views)],
    ]
    if any(view and view["not_evaluated"] for view in views):
        rows.append([f"Not evaluated by {title}", *("-" if v is None else str(v["not_evaluated"]) for v in views)])
    return rows


def _people(view: Mapping[str, Any] | None) -> str:
    if view is None:
        return "not released"
    if view["risky"] is None or view["evaluated"] is None:
        return MASKED
    return f"{view['risky']} of {view['evaluated']} ({share_text(view['risky_rate'])})"


def _number(view: Mapping[str, Any] | None, key: str) -> str:
    if view is not None and view.get(f"{key}_between"):
        return "{:g} to {:g}".format(*view[f"{key}_between"])
    return "-" if view is None or view[key] is None else f"{view[key]:.6g}"


# ---------------------------------------------------------------- outside the house


def nothing_outside(counts: ToldCounts, k: ToldModel) -> tuple[Section, ...]:
    """That nothing was treated, and not why."""
    (outline,) = OUTLINES
    return (Section(outline.key, outline.title, (Sentence("Nothing was treated.", where=Where.OUTSIDE),)),)


def sections_outside(figures: Mapping[str, Any], counts: ToldCounts, k: ToldModel) -> tuple[Section, ...]:
    """Before beside after in the counts that may leave the house, and which treatments were used."""
    (outline,) = OUTLINES
    rows = [row for row in _rows([_view_outside(figures[view], counts) for view in VIEWS]) if {*row[1:]} != {"-"}]
    n_removed = count_text(counts.tell(figures["records_removed"]))
    parts: list[Part] = [
        Table("Before and after the treatment", ("Figure", "Before", "After", "As released"), rows, range(1, 4)),
        Sentence(f"Records removed: {n_removed}."),
        Sentence("What was done", Style.HEADING),
        *(Sentence(f"{step['method']}.", Style.STEP) for step in figures["steps"]),
    ]
    return (Section(outline.key, outline.title, [replace(part, where=Where.OUTSIDE) for part in parts]),)


def _view_outside(figures: Mapping[str, Any], counts: ToldCounts) -> Figures:
    evaluated = counts.tell(figures["k_anonymity"]["evaluated"])
    unique_rate = counts.tell_rate(figures["unique_rate"], evaluated)
    return {
        "records": counts.tell(figures["records"]),
        "k_anonymity": _outside(k_outside, figures["k_anonymity"], counts),
        **{
            model: {name: _outside(model_outside, one, counts) for name, one in figures[model].items()}
            for model in ("l_diversity", "t_closeness")
        },
        "unique_rate": unique_rate,
        "prosecutor_highest_risk": None,
        "marketer_risk": None,
    }


def _outside(mask: Callable[[ToldModel, ToldCounts], ToldModel], figures: Figures, counts: ToldCounts) -> Figures:
    told = ToldModel(figures["threshold"], None, figures["evaluated"], None, figures["risky"], None)
    return {**asdict(mask(told, counts)), "not_evaluated": None, "minimum": None, "maximum": None}


def summary_files(pilot: str, figures: Mapping[str, Any]) -> dict[str, bytes]:
    """``{PILOT}_treatment_summary.txt`` and ``.json``."""
    text = json.dumps(figures, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return {
        f"{pilot}_treatment_summary.txt": treatment_report(figures).encode("utf-8"),
        f"{pilot}_treatment_summary.json": text.encode("utf-8"),
    }
