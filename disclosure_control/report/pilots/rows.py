"""One row per pilot: its last attempt, verdict, shares at risk, thresholds, and how old all of that is.

Nothing is computed again.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from config import PILOT_NAME, RESULTS_FOLDER, Settings, list_pilots, load_pilot_config
from disclosure_control.assess.staleness import changed_inputs
from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.small_counts import MASKED_CELL
from disclosure_control.basics.telling.words import counted, listed, share_text
from disclosure_control.report.evidence.pack import MANIFEST
from disclosure_control.report.history import read_memory
from disclosure_control.report.templates import templates_of
from disclosure_control.report.verdict import MAY_LEAVE
from disclosure_control.run.attempts import Attempt, last_attempt
from disclosure_control.run.fingerprints import fingerprint_of_json, known_key
from disclosure_control.run.reidentifications import read_reidentifications, reidentifications_in_words
from disclosure_control.run.sign_offs import manifest_hash, read_sign_offs, sign_offs_in_words

MODELS = ("k", "l", "t")
MOST_RUNS_DRAWN = 24
MOST_DAYS_APPROVED = 366  # after which the controller's statements are to be read again


@dataclass(frozen=True)
class PilotRow:
    """A pilot in the overview. Without a run there are only its ``name``, last ``attempt`` and ``remarks``.

    ``days`` since the last run, ``when`` it was; ``thresholds`` and ``shares`` as text by k, l and t; ``trend`` are the
    shares that k flags, run by run, oldest first, in [0, 1], None where nothing was evaluated. ``remarks`` are
    sentences on what needs attention.
    """

    name: str
    verdict: str = "not known"
    about: str = ""
    when: str = ""
    days: int | None = None
    people: int | None = None
    thresholds: Mapping[str, str] | None = None
    shares: Mapping[str, str] | None = None
    trend: Sequence[float | None] = ()
    newly_alone: str = "-"
    open_points: int | None = None
    remarks: Sequence[str] = ()
    attempt: Attempt | None = None

    @property
    def failure(self) -> str:
        """What became of the last attempt, if it published no results; else "". The results are then older ones."""
        if (last := self.attempt) is None or last.status in (0, 1):
            return ""
        when = f"{last.door} on {last.when[:16].replace('T', ' ')} UTC"
        if last.status is None:
            return f"{when} has not ended: it is at work, or was killed."
        return f"{when} ended with status {last.status}: {last.words}."

    @property
    def place(self) -> tuple[int, str]:
        """Where the pilot stands on the page: first those that failed or cannot be read, last those that may leave."""
        wants = (bool(self.failure), not self.has_run, bool(self.remarks), self.verdict != MAY_LEAVE, True)
        return wants.index(True), self.name

    @property
    def has_run(self) -> bool:
        """Whether a run of it was found."""
        return self.days is not None

    @property
    def path(self) -> str:
        """The trend as a line of SVG in a box of 100 by 24, 0% at its bottom, 100% at its top; "" of fewer than two."""
        drawn = [
            (100 * place / (len(self.trend) - 1), 22 - 20 * rate)
            for place, rate in enumerate(self.trend)
            if rate is not None and len(self.trend) > 1
        ]
        return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in drawn) if len(drawn) > 1 else ""

    @property
    def trend_in_words(self) -> str:
        """The first and the last share of the trend."""
        told = [rate for rate in self.trend if rate is not None]
        if len(self.trend) < 2 or not told:
            return "the first run" if len(self.trend) == 1 else "-"
        return f"{share_text(told[0])} to {share_text(told[-1])} in {len(self.trend)} runs"


def pilot_rows(settings: Settings, now: datetime.datetime, older_than: int) -> list[PilotRow]:
    """A row for every pilot that has a config or results, first what needs a look.

    ``older_than``: days after which a run is old. A pilot that cannot be read has its row, too.
    """
    folders = settings.data_folder.iterdir() if settings.data_folder.is_dir() else ()
    with_results = {path.name for path in folders if PILOT_NAME.fullmatch(path.name) and _has_results(path)}
    names = sorted(with_results | set(list_pilots(settings)))
    return sorted((_row(name, settings, now, older_than) for name in names), key=lambda row: row.place)


def _has_results(folder: Path) -> bool:
    try:
        return (folder / RESULTS_FOLDER).is_dir()
    except OSError:  # a folder of somebody else: that is said in its row
        return True


def _row(name: str, settings: Settings, now: datetime.datetime, older_than: int) -> PilotRow:
    results = settings.data_folder / name / RESULTS_FOLDER
    found = _row_of_results(name, results, settings, now, older_than)
    return replace(found, attempt=last_attempt(results))


def _row_of_results(name: str, results: Path, settings: Settings, now: datetime.datetime, older_than: int) -> PilotRow:
    path = results / f"{name}_privacy_summary.json"
    try:
        if not path.is_file():
            return PilotRow(name, remarks=["No run has published results yet: run both scripts."])
        summary = json.loads(path.read_text(encoding="utf-8"))
        lines = read_memory(results).lines
        if not lines:
            return PilotRow(name, remarks=["Its last run is from before the history: run Main_Anonymization.py again."])
        return _row_of_run(name, summary, lines, _remarks(name, settings, summary, lines[-1], now, older_than), now)
    except FaultyInputError as error:
        return PilotRow(name, remarks=error.faults)
    except OSError as error:
        return PilotRow(name, remarks=[f"Its results cannot be read: {error.strerror or type(error).__name__}."])
    except Exception:  # one pilot must not stop the page of all
        return PilotRow(name, remarks=["Its results cannot be read; run python -m disclosure_control.verify on them."])


def _row_of_run(
    name: str,
    summary: Mapping[str, Any],
    lines: Sequence[Mapping[str, Any]],
    remarks: list[str],
    now: datetime.datetime,
) -> PilotRow:
    last = lines[-1]
    verdict = summary.get("verdict", {})
    newly = last.get("newly_alone", "-")
    return PilotRow(
        name=name,
        verdict=verdict.get("verdict", "not known"),
        about=verdict.get("about", ""),
        when=last["when"][:16].replace("T", " "),
        days=_days_since(last["when"], now),
        people=summary["k_anonymity"]["total"],
        thresholds=_thresholds(summary),
        shares={model: share_text(last["risky_rate"].get(model)) for model in MODELS},
        trend=[line["risky_rate"].get("k") for line in lines[-MOST_RUNS_DRAWN:]],
        newly_alone=MASKED_CELL if newly is None else str(newly),  # lines of earlier versions
        open_points=len(summary.get("context", {}).get("open_points", ())),
        remarks=remarks,
    )


def _days_since(when: str, now: datetime.datetime) -> int:
    return max((now - datetime.datetime.fromisoformat(when)).days, 0)


def _thresholds(summary: Mapping[str, Any]) -> dict[str, str]:
    """K, L and T as text; of several sensitive features each of their numbers, by size."""
    found = {"k": [summary["k_anonymity"]["threshold"]]}
    found["l"], found["t"] = (
        sorted({one["threshold"] for one in summary[model].values()}) for model in ("l_diversity", "t_closeness")
    )
    return {model: ", ".join(map(number_text, numbers)) or "-" for model, numbers in found.items()}


def _remarks(
    name: str,
    settings: Settings,
    summary: Mapping[str, Any],
    last: Mapping[str, Any],
    now: datetime.datetime,
    older_than: int,
) -> list[str]:
    remarks: list[str] = []
    results = settings.data_folder / name / RESULTS_FOLDER
    sign_offs = read_sign_offs(results)
    if sign_offs or summary.get("verdict", {}).get("verdict") == MAY_LEAVE:
        remarks += sign_offs_in_words(sign_offs, manifest_hash(results / MANIFEST))
    remarks += reidentifications_in_words(read_reidentifications(results))
    days = _days_since(last["when"], now)
    if days > older_than:
        remarks.append(f"The last run is {counted(days, 'day')} old.")
    review = summary["config"].get("context", {}).get("review_date")
    if review and datetime.date.fromisoformat(review) < now.date():
        remarks.append(f"The review was due on {review}.")
    approved = summary["config"].get("context", {}).get("approved_on")
    if approved and (now.date() - datetime.date.fromisoformat(approved)).days > MOST_DAYS_APPROVED:
        remarks.append(f"Its description is from {approved}, more than a year ago.")
    if others := changed_inputs(results.parent, results):
        remarks.append(f"{listed(others)} changed or vanished after the merge: run both scripts.")
    key = known_key(results)
    try:
        config = load_pilot_config(settings, name)
    except FaultyInputError:
        remarks.append("There is no config that can be read.")
    else:
        if key is not None and fingerprint_of_json(config, key) != last["config"]:
            remarks.append("The config changed after the last run.")
    return remarks + list(summary["notices"])


TEMPLATES = Path(__file__).parent / "templates"


def overview_page(rows: Sequence[PilotRow], when: str) -> str:
    """The page, a row for each pilot; ``when`` it was made, UTC. It loads nothing and runs no script."""
    return templates_of(TEMPLATES).get_template("overview.html").render(rows=rows, when=when)
