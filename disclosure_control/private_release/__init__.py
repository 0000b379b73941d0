"""The step ``private_release``: noisy answers under a privacy budget, meant to leave the house.

The guarantee is differential privacy, epsilon with delta 0, for adding or removing any one person; it is that of the
answers alone. The rest of the summary holds exact counts and stays in the house.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from disclosure_control.private_release.ledger import BudgetExhaustedError, Ledger, LedgerState, Recorded, key_of
from disclosure_control.private_release.settings import (
    PrivateReleaseSettings,
    Query,
    check_settings,
    decimal_text,
    read_settings,
)
from disclosure_control.steps import StepInput, StepResult

__all__ = ["NEIGHBOURS", "Release", "ask", "check_settings", "release_queries", "run_step"]

ANSWERS_FILE = "private_release.json"
NEIGHBOURS = "add or remove one person"
GUARANTEE = (
    "Each answer is differentially private by itself, and all answers of this pilot together cost the epsilon given as "
    "spent. It holds for these answers alone, not for whatever else is published of the same people."
)
ANSWERED, RECORDED, REFUSED, NOT_ASKED = "answered", "answered before", "refused", "not asked"


@dataclass(frozen=True)
class Release:
    """What became of one query: ``recorded`` is its answer, None where it was refused or not asked."""

    query: Query
    status: str
    recorded: Recorded | None = None


def ask(query: Query, records, dataset: str, ledger: Ledger) -> Recorded:
    """The answer to one query through the ledger; ``dataset`` is the SHA-256 of what ``records`` was read from.

    Raises as ``Ledger.ask`` does. OpenDP builds the mechanism before anything is spent.
    """
    from disclosure_control.private_release.queries import answer_of, mechanism_of

    epsilon = mechanism_of(query).epsilon
    return ledger.ask(query.question, dataset, query.epsilon, lambda: answer_of(query, records), epsilon)


def release_queries(queries: Iterable[Query], records, dataset: str, ledger: Ledger) -> list[Release]:
    """Ask all queries in order. What is mostly noise is not asked unless it accepts that; what the budget does not hold
    is refused. Raises ``LedgerFaultError`` before the first question where the ledger is not whole.
    """
    from disclosure_control.private_release.queries import is_mostly_noise

    known = ledger.look().answers
    releases = []
    for query in queries:
        is_known = key_of(query.question, dataset) in known
        if not is_known and not query.accept_noise and is_mostly_noise(query, records.n_records):
            releases.append(Release(query, NOT_ASKED))
            continue
        try:
            recorded = ask(query, records, dataset, ledger)
        except BudgetExhaustedError:
            releases.append(Release(query, REFUSED))
        else:
            releases.append(Release(query, ANSWERED if recorded.is_new else RECORDED, recorded))
    return releases


def run_step(step: StepInput) -> StepResult:
    """Answers, costs and what is left, and ``private_release.json`` with the answers alone."""
    from disclosure_control.private_release.queries import Records
    from disclosure_control.private_release.report import first_lines, release_report

    settings = read_settings(step.settings, step.dataset.table.columns)
    ledger = Ledger(step.folder, settings.budget)
    releases = release_queries(settings.queries, Records(step.dataset.table), step.dataset.sha256, ledger)
    figures = release_figures(settings, releases, ledger.look())
    return StepResult(
        figures,
        release_report(figures),
        first_lines=first_lines(figures),
        screen=release_report(figures, for_screen=True),
        files={ANSWERS_FILE: _for_publication(step.pilot, figures)},
        outcome=tuple(releases),
    )


def release_figures(settings: PrivateReleaseSettings, releases: list[Release], state: LedgerState) -> dict:
    """The figures under ``private_release``: exact decimals as text, and of every query what became of it."""
    return {
        "neighbours": NEIGHBOURS,
        "delta": 0,
        "budget": decimal_text(settings.budget),
        "spent": decimal_text(state.spent),
        "left": decimal_text(max(settings.budget - state.spent, Decimal(0))),
        "paid_and_never_answered": state.n_unanswered,
        "queries": [_query_figures(release) for release in releases],
    }


def _query_figures(release: Release) -> dict:
    question = {name: value for name, value in release.query.question.items() if value not in (None, [])}
    figures = {"name": release.query.name, "status": release.status, "question": question}
    if release.recorded is None:
        return figures
    charged = decimal_text(release.recorded.charged)
    return {**figures, "epsilon": release.recorded.epsilon, "charged": charged, "answer": release.recorded.answer}


def _for_publication(pilot: str, figures: dict) -> bytes:
    """The answers and what they promise, without what was refused or not asked: those tell of the data unprotected."""
    answers = [
        {name: query[name] for name in ("name", "question", "epsilon", "answer")}
        for query in figures["queries"]
        if "answer" in query
    ]
    content = {
        "schema": 1,
        "pilot": pilot,
        "guarantee": GUARANTEE,
        "neighbours": figures["neighbours"],
        "epsilon_spent": figures["spent"],
        "delta": figures["delta"],
        "answers": answers,
    }
    return (json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8")
