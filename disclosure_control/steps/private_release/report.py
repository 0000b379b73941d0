"""The section of ``private_release`` in the text report: answers with their accuracy, what they cost, what is left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from math import floor, log10

from disclosure_control.basics.telling.words import text_table

MOST_CELLS_SHOWN = 40


def first_lines(figures: Mapping, notices: Iterable[str] = ()) -> str:
    """What has to be seen first: what is said of the budget and its ledger, and questions without an answer."""
    lines = [f"Privacy budget: {notice}" for notice in notices]
    for query in figures["queries"]:
        asked = query["question"]["epsilon"]
        if query["status"] == "refused":
            lines.append(
                f"Privacy budget: {query['name']!r} asks for epsilon {asked} and {figures['left']} is left: refused."
            )
        elif query["status"] == "not asked":
            lines.append(
                f"Privacy budget: {query['name']!r} was not asked and cost nothing: at epsilon {asked} its groups are "
                "too many, or too small, for the noise. Ask for fewer groups, give it more epsilon, declare "
                '"people", or set "accept_noise": True.'
            )
        elif query["status"] == "too large":
            lines.append(
                f"Privacy budget: {query['name']!r} was not asked and cost nothing: at epsilon {asked} its answer "
                "would fill too much of the ledger. Ask for fewer or shorter categories, or give it more epsilon."
            )
        elif query["mostly_noise"]:
            lines.append(
                f"Privacy budget: {query['name']!r} is mostly noise: its groups hold, on average, fewer people of this "
                'pilot than twice what the noise is worth. With "people" declared, such a question is not asked.'
            )
    return "".join(f"{line}\n" for line in lines)


def release_report(figures: Mapping, for_screen: bool = False) -> str:
    """The section as text. ``for_screen`` leaves out answers by group or category: they stand in the file."""
    rows = [row for query in figures["queries"] for row in _rows(query, for_screen)]
    lines = [
        "Private release",
        f"  Budget: epsilon {figures['budget']}; spent {figures['spent']}, left {figures['left']}.",
        f"  Differential privacy with delta 0: {figures['neighbours']}. Changing a person's record counts as both, and",
        "  costs twice the epsilon. The guarantee is that of the answers in private_release.json, published by",
        "  themselves; the other figures of this summary are exact and stay in the house.",
    ]
    if figures["budget_raised_from"] is not None:
        lines.append(
            f"  The budget was raised: it was {figures['budget_raised_from']} when questions were paid for, and who "
            "was told of that one was promised that no more would be spent."
        )
    if Decimal(figures["asked_in_all"]) > Decimal(figures["budget"]):
        lines.append(
            f"  The queries ask for epsilon {figures['asked_in_all']} together, more than the budget. What was "
            "answered before is free; of the rest, what the budget does not hold is refused."
        )
    if figures["paid_and_never_answered"]:
        lines.append(f"  Paid for and never answered (a run was killed): {figures['paid_and_never_answered']}.")
    if rows:
        headers = ["Query", "Group", "Answer", "95%", "Epsilon", "Charged now"]
        lines += ["", text_table(headers, rows)]
    return "\n".join(lines) + "\n"


def _rows(query: Mapping, for_screen: bool) -> list[list[str]]:
    if "answer" not in query:
        return [[query["name"], "", query["status"], "-", query["question"]["epsilon"], "0"]]
    answer, cost = query["answer"], [_all_digits(query["epsilon"]), query["charged"]]
    if "cells" not in answer:
        return [[query["name"], "", *_value_and_accuracy(answer), *cost]]
    cells = answer["cells"]
    if for_screen:
        return [[query["name"], f"{len(cells)} cells", "see private_release.json", "-", *cost]]
    rows = [
        [query["name"], _place(cell), *_value_and_accuracy({**answer, **cell}), *(cost if i == 0 else ["", ""])]
        for i, cell in enumerate(cells[:MOST_CELLS_SHOWN])
    ]
    n_more = len(cells) - MOST_CELLS_SHOWN
    return rows + (
        [[query["name"], f"and {n_more} more", "see private_release.json", "", "", ""]] if n_more > 0 else []
    )


def _all_digits(number: float) -> str:
    """As it is, as a cost is not rounded: 0.09999999999999995 is less than 0.1."""
    return repr(number).removesuffix(".0")


def _place(cell: Mapping) -> str:
    return ", ".join([*cell.get("group", {}).values(), *([cell["category"]] if "category" in cell else [])])


def _value_and_accuracy(answer: Mapping) -> list[str]:
    if "accuracy_95_in_people" in answer:
        return [f"{answer['value']:.6g}", f"± {answer['accuracy_95_in_people']:.0f} people in rank"]
    accuracy = answer["accuracy_95"]
    digits = min(max(0, 1 - floor(log10(accuracy))), 9) if accuracy > 0 else 6
    return [f"{round(answer['value'], digits) + 0.0:.{digits}f}", f"± {accuracy:.{digits}f}"]  # no zero with a minus
