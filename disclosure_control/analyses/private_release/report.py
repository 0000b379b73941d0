"""The report of the step ``private_release``: answers with their accuracy, their cost, and what is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import floor, log10
from typing import Any

from disclosure_control.analyses.private_release import OUTLINES
from disclosure_control.basics.telling.plain import WHERE_FOUND
from disclosure_control.basics.telling.sections import Part, Section, Sentence, Style, Table, Where

MOST_CELLS_SHOWN = 40


NOT_ANSWERED = {
    "refused": "asks for epsilon {asked} and {left} is left: refused.",
    "not asked": "was not asked and cost nothing: at epsilon {asked} its groups are too many, or too small, for the "
    'noise. Ask for fewer groups, give it more epsilon, declare "people", or set "accept_noise": True.',
}
MOSTLY_NOISE = (
    "is mostly noise: its groups hold, on average, fewer people of this pilot than twice what the noise is worth. With "
    '"people" declared, such a question is not asked.'
)


@dataclass(frozen=True)
class QueryTold:
    """The result of a query: its ``answer`` and the cost, None where it was refused or not asked."""

    name: str
    status: str
    question: Mapping[str, Any]
    epsilon: float | None = field(default=None, metadata=WHERE_FOUND)
    charged: str | None = field(default=None, metadata=WHERE_FOUND)
    answer: Mapping[str, Any] | None = field(default=None, metadata=WHERE_FOUND)
    mostly_noise: bool | None = field(default=None, metadata=WHERE_FOUND)


@dataclass(frozen=True)
class PrivateTold:
    """The part ``private_release`` of the JSON summary: exact decimals are text."""

    neighbours: str
    delta: int
    budget: str
    spent: str
    left: str
    asked_in_all: str
    budget_raised_from: str | None
    paid_and_never_answered: int
    queries: Sequence[QueryTold]


def private_sections(told: PrivateTold, notices: Iterable[str] = ()) -> tuple[Section, ...]:
    """Answers with their accuracy, their cost, what is left; ``notices`` of the budget and its ledger.

    The answers may be published. Their error on the data may not.
    """
    return (OUTLINES[0].section((*_first(told, notices), *_parts(told))),)


def _first(told: PrivateTold, notices: Iterable[str]) -> Iterator[Part]:
    """The first lines: notices of the budget and its ledger, and questions without an answer."""
    said = list(notices)
    for query in told.queries:
        words = NOT_ANSWERED.get(query.status, MOSTLY_NOISE if query.mostly_noise else "")
        if words:
            said.append(f"{query.name!r} {words.format(asked=query.question['epsilon'], left=told.left)}")
    for sentence in said:
        yield Sentence(f"Privacy budget: {sentence}", Style.NOTICE, Where.FIRST | Where.PAGE)


def _parts(told: PrivateTold) -> Iterator[Part]:
    yield Sentence(
        "Noise hides whether any one person is in the data. Epsilon says how well; what is spent stays spent.",
        Style.DEFINITION,
        Where.PAGES,
    )
    yield Sentence(
        f"Budget: epsilon {told.budget}; spent {told.spent}, left {told.left}.",
        where=Where.EVERYWHERE,
    )
    yield Sentence(
        f"Differential privacy with delta 0: {told.neighbours}. Changing a person's record counts as both, and "
        "costs twice the epsilon. The guarantee covers the answers in private_release.json alone; the other figures of "
        "this report are exact and must stay in your organisation.",
        Style.SMALL,
    )
    if told.budget_raised_from is not None:
        yield Sentence(
            f"The budget was raised: it was {told.budget_raised_from} when questions were paid for. Readers of those "
            "answers were promised that no more would be spent.",
            Style.NOTICE,
        )
    if Decimal(told.asked_in_all) > Decimal(told.budget):
        yield Sentence(
            f"The queries ask for epsilon {told.asked_in_all} together, more than the budget. What was "
            "answered before is free; of the rest, what the budget does not hold is refused.",
            Style.NOTICE,
        )
    if told.paid_and_never_answered:
        yield Sentence(f"Paid for and never answered (a run was killed): {told.paid_and_never_answered}.")
    columns = ("Query", "Group", "Answer", "95%", "Epsilon", "Charged now")
    for where, for_screen in ((Where.FILE | Where.PAGE, False), (Where.SCREEN, True)):
        rows = [row for query in told.queries for row in _rows(query, for_screen)]
        yield Table("Answers with their noise", columns, rows, range(2, 6), where)
    outside = [row[:-1] for query in told.queries for row in _rows(query, False)]
    yield Table("Answers with their noise", columns[:-1], outside, range(2, 5), Where.OUTSIDE)


def _rows(query: QueryTold, for_screen: bool) -> list[list[str]]:
    answer = query.answer
    if answer is None or query.epsilon is None or query.charged is None:
        return [[query.name, "", query.status, "-", query.question["epsilon"], "0"]]
    cost = [query.question["epsilon"], query.charged]
    if "cells" not in answer:
        return [[query.name, "", *_value_and_accuracy(answer), *cost]]
    cells = answer["cells"]
    if for_screen:
        return [[query.name, f"{len(cells)} cells", "see private_release.json", "-", *cost]]
    rows = [
        [query.name, _place(cell), *_value_and_accuracy({**answer, **cell}), *(cost if i == 0 else ["", ""])]
        for i, cell in enumerate(cells[:MOST_CELLS_SHOWN])
    ]
    n_more = len(cells) - MOST_CELLS_SHOWN
    return rows + ([[query.name, f"and {n_more} more", "see private_release.json", "", "", ""]] if n_more > 0 else [])


def _place(cell: Mapping) -> str:
    return ", ".join([*cell.get("group", {}).values(), *([cell["category"]] if "category" in cell else [])])


def _value_and_accuracy(answer: Mapping) -> list[str]:
    accuracy = answer["accuracy_95"]
    digits = min(max(0, 1 - floor(log10(accuracy))), 9) if accuracy > 0 else 6
    return [f"{round(answer['value'], digits) + 0.0:.{digits}f}", f"± {accuracy:.{digits}f}"]  # no negative zero
