"""The step ``private_release``: noisy answers under a privacy budget, meant for publication.

The guarantee is differential privacy, epsilon with delta 0, for adding or removing any one person; only the answers
have it. The rest of the summary contains exact counts and must not be handed on. Which questions are asked, refused or
left out depends on the questions, the config and earlier questions, never on the content of the records.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from config import RESULTS_FOLDER, read_settings
from disclosure_control.analyses.private_release.answers import Records, is_mostly_noise, mechanism_of, prepared_answer
from disclosure_control.analyses.private_release.ledger import (
    ANSWERS_FILE,
    BudgetExhaustedError,
    Ledger,
    LedgerState,
    published_spending,
)
from disclosure_control.analyses.private_release.questions import Query, decimal_text
from disclosure_control.analyses.private_release.report import PrivateTold, QueryTold, private_sections
from disclosure_control.analyses.private_release.settings import PrivateReleaseSettings
from disclosure_control.steps.running import StepInput, StepResult

# The number of people assumed where the config does not declare it: a choice, no figure of the data.
PEOPLE_IF_NOT_DECLARED = 500
# e**10 is 22,000: an answer may be so many times as likely with a person as without.
HIGH_EPSILON = Decimal(10)
NEIGHBOURS = "add or remove one person"
GUARANTEE = (
    "Each answer is differentially private, and all answers of this pilot together cost the epsilon given as spent. "
    "The guarantee covers these answers only, not anything else that is published about the same people. "
    "A person is one row of the dataset that was asked."
)
ANSWERED, RECORDED, REFUSED, NOT_ASKED = "answered", "answered before", "refused", "not asked"


def pilots_ledger(folder: Path, pilot: str, budget: Decimal) -> Ledger:
    """The ledger of the pilot in ``folder``, checked against the last run's results and its mark."""
    return Ledger(folder, budget, published_spending(folder / RESULTS_FOLDER, pilot), read_settings().state_folder)


def ask(query: Query, records: Records, dataset: str, ledger: Ledger, people: int | None = None) -> QueryTold:
    """The answer to one query through the ledger; ``dataset`` is the SHA-256 of the dataset of ``records``.

    ``people`` are those that the config declares. A query that is mostly noise among them is not asked, unless it
    accepts that or the ledger has its answer; one beyond the budget is refused. Raises as ``Ledger.ask`` does. OpenDP
    builds the mechanism, and the records are prepared for it, before anything is spent. Whether the answer is mostly
    noise against the true number of people, and not accepted as such, only the controller may see.
    """
    told = QueryTold(
        query.name, NOT_ASKED, {name: one for name, one in query.question.items() if one not in (None, [])}
    )
    epsilon = mechanism_of(query).epsilon
    recorded = ledger.recorded(query.question, dataset)
    if recorded is None:
        if not query.accept_noise and is_mostly_noise(query, people or PEOPLE_IF_NOT_DECLARED):
            return told
        try:
            recorded = ledger.ask(query.question, dataset, query.epsilon, prepared_answer(query, records), epsilon)
        except BudgetExhaustedError:
            return replace(told, status=REFUSED)
    return replace(
        told,
        status=ANSWERED if recorded.is_new else RECORDED,
        epsilon=recorded.epsilon,
        charged=decimal_text(recorded.charged),
        answer=recorded.answer,
        mostly_noise=not query.accept_noise and is_mostly_noise(query, records.n_records),
    )


def run_step(step: StepInput[PrivateReleaseSettings]) -> StepResult:
    """Answers, costs and what is left, and ``private_release.json`` with the answers alone."""
    settings = step.settings
    ledger = pilots_ledger(step.folder, step.pilot, settings.budget)
    records = Records(step.dataset.everybody.text)
    ledger.look()  # a ledger that is not whole is a fault before the first question
    asked = [ask(query, records, step.dataset.sha256, ledger, settings.people) for query in settings.queries]
    told = told_release(settings, asked, ledger.look())
    sections = private_sections(told, notices_of(settings.budget, settings.queries, ledger))
    return StepResult(
        told,
        sections=sections,
        outside=lambda counts, k: sections,  # noise hides every person in it
        files={ANSWERS_FILE: _for_publication(step.pilot, told)},
        hand_to_hand=frozenset({ANSWERS_FILE}),
    )


def notices_of(budget: Decimal, queries: Iterable[Query], ledger: Ledger) -> list[str]:
    """What the controller has to know beside the results, each a sentence."""
    high = [f"a budget of epsilon {decimal_text(budget)} promises"] if budget > HIGH_EPSILON else []
    names = [repr(one.name) for one in queries if one.epsilon > HIGH_EPSILON]
    high += [f"epsilon above {HIGH_EPSILON} for {', '.join(names)} promises"] if names else []
    promise = f"little: above {HIGH_EPSILON} an answer hardly hides whether a person is there; 1 is a common choice"
    return [*(f"{which} {promise}." for which in high), *(f"{notice}." for notice in ledger.notices)]


def told_release(settings: PrivateReleaseSettings, queries: list[QueryTold], state: LedgerState) -> PrivateTold:
    """The answers and their cost: exact decimals as text, and each query's result."""
    is_raised = state.lowest_budget is not None and state.lowest_budget < settings.budget
    return PrivateTold(
        neighbours=NEIGHBOURS,
        delta=0,
        budget=decimal_text(settings.budget),
        spent=decimal_text(state.spent),
        left=decimal_text(max(settings.budget - state.spent, Decimal(0))),
        asked_in_all=decimal_text(settings.asked),
        budget_raised_from=decimal_text(state.lowest_budget) if is_raised and state.lowest_budget is not None else None,
        paid_and_never_answered=state.n_unanswered,
        queries=queries,
    )


def _for_publication(pilot: str, told: PrivateTold) -> bytes:
    """The answers and their guarantee; refused or unasked questions, and the error on the data, are left out."""
    answers = [
        {"name": query.name, "question": query.question, "epsilon": query.epsilon, "answer": query.answer}
        for query in told.queries
        if query.answer is not None
    ]
    content = {
        "schema": 1,
        "pilot": pilot,
        "guarantee": GUARANTEE,
        "neighbours": told.neighbours,
        "epsilon_spent": told.spent,
        "delta": told.delta,
        "answers": answers,
    }
    return (json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8")
