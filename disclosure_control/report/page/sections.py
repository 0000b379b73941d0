"""The sections of the page, in their order: when each is shown, what it draws, and what it would answer if it ran."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from disclosure_control.basics.small_counts import count_text
from disclosure_control.basics.words import share_text
from disclosure_control.report.page import charts
from disclosure_control.report.page.what_if import ThresholdCurve

MOST_GROUPS = 12  # drawn of one column; the table beside has all
MOST_SETS = 8
MOST_SIZES = 12  # class sizes with a bar of their own


@dataclass(frozen=True)
class Content:
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
    has_ran: Callable[[Content], bool]
    figures: Callable[[Content], dict[str, Any]] = lambda content: {}


def _needs(*keys: str) -> Callable[[Content], bool]:
    return lambda content: any(key in content.summary for key in keys)


# ---------------------------------------------------------------- who is at risk


def _who(content: Content) -> dict[str, Any]:
    by_group = content.summary["risk"].get("by_group", {})
    overall = content.summary["k_anonymity"]["risky_rate"]
    return {"sizes": _class_sizes(content), "groups": {n: _groups(n, g, overall) for n, g in by_group.items()}}


def _class_sizes(content: Content) -> Markup | None:
    """People by the size of their class, from the totals at each threshold: those below 3 less those below 2."""
    curve = next((curve for curve in content.curves if curve.model == "k_anonymity"), None)
    if curve is None:
        return None
    below = dict(zip((int(k) for k in curve.thresholds), curve.risky, strict=True))
    in_use = int(curve.in_use)
    last = max(MOST_SIZES, in_use + 2)
    told = [0] + [below.get(size) for size in range(2, last + 2)]
    bars = []
    for size, (before, up_to) in enumerate(itertools.pairwise(told), start=1):
        if before is None or up_to is None:
            bars.append(charts.Bar(str(size), 0, "masked", size < in_use))
        else:
            bars.append(
                charts.Bar(str(size), up_to - before, f"{up_to - before:,}" if up_to > before else "", size < in_use)
            )
    if told[-1] is not None:
        rest = curve.evaluated - told[-1]
        bars.append(charts.Bar(f"{last + 1}+", rest, f"{rest:,}" if rest else ""))
    return charts.bar_chart(
        "People by the size of their class",
        f"Classes of fewer than {in_use} people are hatched: their people are at risk.",
        bars,
        "people who share all quasi-identifiers (k)",
        threshold_after=in_use - 1,
    )


def _groups(name: str, groups: Sequence[Mapping[str, Any]], overall: float | None) -> Markup | None:
    told = [group for group in groups if group.get("risky_rate") is not None]
    told = sorted(told, key=lambda group: -group["risky_rate"])[:MOST_GROUPS]
    if not told:
        return None
    rows = [
        charts.Interval(
            g["group"], g["risky_rate"], g["low"], g["high"], f"{share_text(g['risky_rate'])} of {g['people']:,}"
        )
        for g in told
    ]
    described = "; ".join(f"{row.label}: {row.text}" for row in rows)
    return charts.interval_chart(f"Share at risk by {name}", described, rows, overall)


# ---------------------------------------------------------------- why


def _why(content: Content) -> dict[str, Any]:
    effects = content.summary["risk"].get("attribute_effects", [])
    bars = [
        charts.Bar(one["quasi_identifier"], one["unique_rate_added"], share_text(one["unique_rate_added"]))
        for one in sorted(effects, key=lambda one: -one["unique_rate_added"])
    ]
    drawn = charts.row_chart(
        "What each quasi-identifier adds", "; ".join(f"{bar.label}: {bar.text} of people alone" for bar in bars), bars
    )
    sets = sorted(
        content.summary["risk"].get("key_sets", []),
        key=lambda one: (-(one.get("unique_rate") or 0), len(one["quasi_identifiers"])),
    )
    return {"effects": drawn if bars else None, "key_sets": sets[:MOST_SETS]}


# ---------------------------------------------------------------- what it would cost


def _cost(content: Content) -> dict[str, Any]:
    found = content.summary["recommend"]
    people = max(found["records"], 1)
    answers = {tuple(answer["levels"].values()): n for n, answer in enumerate(found["short_list"], start=1)}
    points = []
    for levels, loss, n_at_risk in found["landscape"]["places"]:
        number = answers.get(tuple(levels))
        words = f"loss {loss:.3g}, {count_text(n_at_risk, ',')} people at risk or left out"
        points.append(charts.Point(loss, (n_at_risk or 0) / people, words, f"{number}" if number else ""))
    if not points:
        return {"map": None}
    described = "; ".join(
        f"answer {n}: loss {answer['loss']:.3g}, {count_text(answer['suppressed'], ',')} left out"
        for n, answer in enumerate(found["short_list"], start=1)
    )
    drawn = charts.scatter_chart(
        "Recodings by what they cost and whom they leave at risk",
        described,
        points,
        f"loss ({found['metric']}): more is coarser",
        "people at risk if nobody is left out",
    )
    return {"map": drawn}


# ---------------------------------------------------------------- over time


def _over_time(content: Content) -> dict[str, Any]:
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
            lines.append(charts.Line(name, tuple(places)))
    described = "; ".join(
        f"{run['when'][:10]}: " + ", ".join(f"{n} {share_text(run['risky_rate'].get(n))}" for n in names)
        for run in runs
    )
    labels = [run["when"][:10] if place in (0, len(runs) - 1) else "" for place, run in enumerate(runs)]
    return {"trend": charts.line_chart("Share of people at risk, run by run", described, lines, labels), "runs": runs}


SECTIONS = (
    PageSection(
        "who", "Who is at risk", "How many people stand out, and in which groups.", "risk", _needs("risk"), _who
    ),
    PageSection("why", "Why", "Which facts single people out.", "risk", _needs("risk"), _why),
    PageSection(
        "identifiers",
        "Columns that name people",
        "Which columns name or reach a person by themselves.",
        "identifiers",
        _needs("identifiers"),
    ),
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
    PageSection(
        "linkage_attack",
        "What attacks found",
        "How many people an attacker who holds a register finds.",
        "linkage_attack",
        _needs("linkage_attack"),
    ),
    PageSection(
        "sweep",
        "Treatments compared",
        "Risk and use of many treatments side by side.",
        "sweep",
        _needs("sweep"),
    ),
    PageSection(
        "fairness",
        "Fairness",
        "Whether groups bear risk, or a decision, unequally.",
        "fairness",
        _needs("fairness"),
    ),
    PageSection(
        "private_release",
        "Private answers",
        "Counts with noise, meant for publication, and their error.",
        "private_release",
        _needs("private_release"),
    ),
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
