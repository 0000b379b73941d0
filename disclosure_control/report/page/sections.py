"""The sections of the page, in their order: when each is shown, what it draws, and what it would answer if it ran."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from disclosure_control.basics.drawings import planes, rows
from disclosure_control.basics.drawings.group_shares import share_chart
from disclosure_control.basics.drawings.pieces import Drawing
from disclosure_control.basics.telling.sections import Outline
from disclosure_control.basics.telling.small_counts import HAND_TO_HAND, MASKED, count_text
from disclosure_control.basics.telling.words import listed, share_text
from disclosure_control.report.page.what_if import ThresholdCurve
from disclosure_control.steps.explore import OUTLINES as EXPLORE
from disclosure_control.steps.fairness import OUTLINES as FAIRNESS
from disclosure_control.steps.identifiers import OUTLINES as IDENTIFIERS
from disclosure_control.steps.linkage_attack import OUTLINES as LINKAGE_ATTACK
from disclosure_control.steps.private_release import OUTLINES as PRIVATE_RELEASE
from disclosure_control.steps.sweep import OUTLINES as SWEEP

MOST_COLUMNS = 24  # with a drawing, or a bar in one: nobody reads hundreds
MOST_NAMED = 5  # groups that are masked
MOST_SETS = 8
MOST_FEATURES, MOST_TELLING = 12, 8  # sensitive features, and columns that tell each
MOST_IN_HEADER = 3  # sensitive features with their thresholds
MOST_SIZES = 12  # class sizes with a bar of their own


@dataclass(frozen=True)
class PageContent:
    """What a page is made of: see ``privacy_page``."""

    summary: Mapping[str, Any]
    curves: Sequence[ThresholdCurve]
    merge: Mapping[str, Any] | None
    history: Sequence[Mapping[str, Any]]
    is_shareable: bool


@dataclass(frozen=True)
class PageSection:
    """``key`` names the anchor and the template, ``templates/<key>.html``; ``question`` is what the section answers.

    ``how_to_run``: the key of the config, or the command, that fills it. ``figures`` gives what the template draws.
    """

    key: str
    title: str
    question: str
    how_to_run: str
    has_ran: Callable[[PageContent], bool]
    figures: Callable[[PageContent], dict[str, Any]] = lambda content: {}


def _needs(*keys: str) -> Callable[[PageContent], bool]:
    return lambda content: any(key in content.summary for key in keys)


# ---------------------------------------------------------------- who is at risk


def _who(content: PageContent) -> dict[str, Any]:
    """Class sizes, and the share at risk of the groups of each column, all columns of one kind of mark."""
    by_group = content.summary["risk"].get("by_group", {})
    overall = content.summary["k_anonymity"]["risky_rate"]
    shown = sorted(by_group, key=lambda name: -_largest_rate(by_group[name]))[:MOST_COLUMNS]
    drawn = {
        name: share_chart(f"Share at risk by {name}", by_group[name], "risky", overall)
        for name in by_group
        if name in shown
    }
    masked = {name: _masked_groups(by_group[name]) for name in drawn}
    not_drawn = len(by_group) - len(drawn)
    return {"sizes": _class_sizes(content), "groups": drawn, "masked_groups": masked, "n_not_drawn": not_drawn}


def _masked_groups(groups: Sequence[Mapping[str, Any]]) -> str:
    """Groups without a share, with their people: who reads a drawing alone must not take it for everybody."""
    masked = [one for one in groups if one.get("risky_rate") is None]
    return listed([f"{one['group']} ({count_text(one.get('people'), ',')})" for one in masked], at_most=MOST_NAMED)


def _largest_rate(groups: Sequence[Mapping[str, Any]]) -> float:
    return max((group.get("risky_rate") or 0.0 for group in groups), default=0.0)


def _class_sizes(content: PageContent) -> Drawing | None:
    """People by the size of their class, from the totals at each threshold: those below 3 less those below 2.

    No class is larger than all people: a small pilot has rows up to its own size.
    """
    curve = next((curve for curve in content.curves if curve.model == "k_anonymity"), None)
    if curve is None or curve.evaluated is None:
        return None
    below = dict(zip((int(k) for k in curve.thresholds), curve.risky, strict=True))
    in_use = int(curve.in_use)
    last = max(MOST_SIZES, in_use + 2)
    if last + 1 not in below:  # a K larger than the curve goes
        return None
    told = [0, *(below[size] for size in range(2, last + 2)), curve.evaluated]
    bars = []
    for size, (before, up_to) in enumerate(itertools.pairwise(told), start=1):
        if size > max(curve.evaluated, in_use):
            break
        label = f"k = {size}" if size <= last else f"k > {last}"
        n = None if before is None or up_to is None else up_to - before
        if n is not None and not content.is_shareable and HAND_TO_HAND.are_small(np.array([n]))[0]:
            n = None
        bars.append(rows.Bar(label, n or 0, MASKED if n is None else f"{n:,}" if n else "0", size < in_use))
    if all(bar.text == MASKED for bar in bars):
        return None
    return rows.row_chart(
        "People by the size of their class",
        f"Classes of fewer than {in_use} people are hatched: their people are at risk. "
        + "; ".join(f"{bar.label}: {bar.text}" for bar in bars),
        bars,
        threshold_after=in_use - 1,
    )


# ---------------------------------------------------------------- why


def _why(content: PageContent) -> dict[str, Any]:
    effects = content.summary["risk"].get("attribute_effects", [])
    bars = [
        rows.Bar(one["quasi_identifier"], one["unique_rate_added"], share_text(one["unique_rate_added"]))
        for one in sorted(effects, key=lambda one: -one["unique_rate_added"])[:MOST_COLUMNS]
    ]
    drawn = rows.row_chart(
        "What each quasi-identifier adds", "; ".join(f"{bar.label}: {bar.text} of people alone" for bar in bars), bars
    )
    all_sets = content.summary["risk"].get("key_sets", [])
    sets = sorted(
        (one for one in all_sets if one.get("unique_rate") != 0),
        key=lambda one: (-(one.get("unique_rate") or 0), len(one["quasi_identifiers"])),
    )
    telling, n_not_told = _telling(content.summary["risk"].get("determined_by", {}))
    return {
        "effects": drawn if bars else None,
        "n_effects_not_drawn": len(effects) - len(bars),
        "key_sets": sets[:MOST_SETS],
        "n_sets_not_shown": max(0, len(sets) - MOST_SETS),
        "n_sets_without": len(all_sets) - len(sets),
        "telling": telling,
        "n_telling_left_out": n_not_told,
    }


def _telling(
    determined: Mapping[str, Sequence[Mapping[str, Any]]],
) -> tuple[dict[str, list[Mapping[str, Any]]], int]:
    """Per sensitive feature the columns that tell it, or most of it beyond guessing; how many are left out."""

    def beyond(column: Mapping[str, Any]) -> float:
        tells_all = bool(column.get("determines") or column.get("nearly"))  # these first, whatever guessing gives
        return tells_all + (column.get("predicted_rate") or 0.0) - (column.get("baseline_rate") or 0.0)

    by_most = sorted(determined, key=lambda feature: -max(map(beyond, determined[feature]), default=0.0))
    shown = {
        feature: sorted(determined[feature], key=lambda column: -beyond(column))[:MOST_TELLING]
        for feature in determined
        if feature in by_most[:MOST_FEATURES]
    }
    return shown, sum(map(len, determined.values())) - sum(map(len, shown.values()))


# ---------------------------------------------------------------- what it would cost


def _cost(content: PageContent) -> dict[str, Any]:
    """The recodings as points; the answers at what they leave out, the others at whom they leave at risk."""
    found = content.summary["recommend"]
    metric = found["metric"]
    people = max(found["records"] or 1, 1)
    answers = {tuple(answer["levels"].values()): n for n, answer in enumerate(found["short_list"], start=1)}
    points, n_masked = [], 0
    for levels, loss, n_at_risk in found["landscape"]["places"]:
        number = answers.get(tuple(levels))
        n = n_at_risk if number is None else found["short_list"][number - 1]["suppressed"]
        if n is None:
            n_masked += 1
        else:
            words = f"loss {loss:.3g}, {n:,} people at risk or left out"
            points.append(planes.Point(loss, n / people, words, f"{number}" if number else ""))
    if not points:
        return {"map": None, "n_masked": n_masked}
    described = "; ".join(
        f"answer {n}: loss {'-' if answer['loss'] is None else format(answer['loss'], '.3g')}, "
        f"{count_text(answer['suppressed'])} left out"
        for n, answer in enumerate(found["short_list"], start=1)
    )
    drawn = planes.scatter_chart(
        "Recodings by what they cost and whom they leave at risk",
        described,
        points,
        f"{'loss' if metric == 'loss' else f'loss ({metric})'}: more is coarser",
        "people at risk, or left out",
    )
    return {"map": drawn, "n_masked": n_masked}


# ---------------------------------------------------------------- treatments compared, attacks, fairness, exploration


# ---------------------------------------------------------------- over time


def _over_time(content: PageContent) -> dict[str, Any]:
    runs = [*content.history][-24:]
    names = [name for name in ("k", "l", "t") if any(name in run["risky_rate"] for run in runs)]
    if len(runs) < 2:
        return {"trend": None, "runs": runs}
    lines = []
    for name in names:
        places = [
            (place / (len(runs) - 1), run["risky_rate"][name])
            for place, run in enumerate(runs)
            if run["risky_rate"].get(name) is not None
        ]
        if places:
            lines.append(planes.Line(name, tuple(places)))
    described = "; ".join(
        f"{run['when'][:10]}: " + ", ".join(f"{n} {share_text(run['risky_rate'].get(n))}" for n in names)
        for run in runs
    )
    labels = [run["when"][:10] if place in (0, len(runs) - 1) else "" for place, run in enumerate(runs)]
    return {"trend": planes.line_chart("Share of people at risk, run by run", described, lines, labels), "runs": runs}


def _of_outline(outline: Outline) -> PageSection:
    """A section that a step has made by itself."""
    return PageSection(outline.key, outline.title, outline.question, outline.how_to_run, lambda content: False)


SECTIONS = (
    PageSection(
        "who", "Who is at risk", "How many people stand out, and in which groups.", "risk", _needs("risk"), _who
    ),
    PageSection("why", "Why", "Which facts single people out.", "risk", _needs("risk"), _why),
    *map(_of_outline, IDENTIFIERS),
    PageSection(
        "recommend",
        "What it would cost to be safe",
        "The mildest recoding that meets K, L and T.",
        "recommend",
        _needs("recommend"),
        _cost,
    ),
    PageSection(
        "treatment",
        "Before and after",
        "What a treatment changed, in risk and in use.",
        "treatment",
        _needs("treatment"),
    ),
    PageSection(
        "release", "What leaves", "The files of the study as a recipient opens them.", "release", _needs("release")
    ),
    *map(_of_outline, LINKAGE_ATTACK),
    *map(_of_outline, SWEEP),
    *map(_of_outline, FAIRNESS),
    *map(_of_outline, PRIVATE_RELEASE),
    *map(_of_outline, EXPLORE),
    PageSection(
        "merge",
        "What came in",
        "Which files were read, what was dropped, collapsed and guessed.",
        "python Create_Combined_Pilot_Dataset.py",
        lambda content: content.merge is not None,
    ),
    PageSection(
        "over_time",
        "Over time",
        "Whether the risk grows from run to run.",
        "a second run",
        lambda content: bool(content.history),
        _over_time,
    ),
)
