"""The pages of a run by file name, from its JSON summary: one for the house and, on request, one for outside."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from config import MERGE_REPORT
from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.telling.sections import Section
from disclosure_control.basics.telling.small_counts import HAND_TO_HAND
from disclosure_control.report.page.page import privacy_page
from disclosure_control.report.page.shareable import shareable_content
from disclosure_control.report.page.what_if import threshold_curves, without_small_counts

_OF_MERGE = ("subjects", "inputs", "domains", "left_out", "notes")


@dataclass(frozen=True)
class PageFile:
    """A page by the name of its file; one that is not shareable is for the data controller alone."""

    name: str
    html: str
    is_shareable: bool


def page_files(
    results: Path,
    summary: Mapping[str, Any],
    assessment: Assessment,
    history: Sequence[Mapping[str, Any]],
    with_shareable: bool,
    told: Sequence[Section] = (),
) -> list[PageFile]:
    """``<PILOT>_privacy_report.html`` and, if wanted, ``<PILOT>_privacy_report_shareable.html``.

    ``results`` is the folder where the merge report stands; ``summary`` what the run's JSON summary will hold;
    ``history`` the lines of ``history.jsonl``, this run's last.
    """
    curves = without_small_counts(threshold_curves(assessment), HAND_TO_HAND)
    name = f"{summary['pilot']}_privacy_report"
    pages = [PageFile(f"{name}.html", privacy_page(summary, curves, merge_report(results), history, told=told), False)]
    if with_shareable:
        outside, told_curves = shareable_content(summary, threshold_curves(assessment, coarse=True))
        html = privacy_page(outside, told_curves, None, is_shareable=True, told=told)
        pages.append(PageFile(f"{name}_shareable.html", html, True))
    return pages


def merge_report(results: Path) -> dict[str, Any] | None:
    """What the merge said of itself; None where it did not write the dataset, or is of another form."""
    try:
        report = json.loads((results / MERGE_REPORT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return report if isinstance(report, dict) and all(key in report for key in _OF_MERGE) else None
