"""The section of ``fairness`` in the text report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from disclosure_control.basics.telling.small_counts import MASKED, count_text, figures_of_group
from disclosure_control.basics.telling.words import four_digits, share_text, text_table


def first_lines(figures: Mapping) -> str:
    """What has to be seen first: favourable values that nobody has, which may be misspelt; counts alone."""
    n, rule = figures["favourable_values_of_nobody"], figures["favourable"]
    if not n:
        return ""
    return (
        f"NOTE: fairness: {n} of the {len(rule['equals'])} favourable values are held by nobody in column "
        f"{rule['column']!r}; write them as the dataset does, or take them out.\n"
    )


def fairness_report(pilot: str, figures: Mapping, for_screen: bool = False) -> str:
    """Rates, difference, ratio, strata, and who bears the anonymisation.

    ``for_screen`` names no group but those of the config.
    """
    people = {name: count_text(n) for name, n in figures["people"].items()}
    lines = [
        "Fairness",
        f"  Favourable outcome: {_rule(figures['favourable'])}. Groups of {figures['sensitive']}.",
        f"  Compared: {people['compared']} of {people['total']} people; without outcome {people['without_outcome']}, "
        f"without group {people['without_group']}, in groups that are not compared {people['in_other_groups']}.",
        *_comparison_lines(figures),
        *_strata_lines(figures),
    ]
    shares = _tables(figures)
    if for_screen and shares:
        where = f"section Fairness of {pilot}_privacy_details.txt"
        lines += ["", f"  Who is favoured, flagged, removed or changed, by group: {where}."]
    elif shares:
        lines += ["", *shares]
    return "\n".join(lines) + "\n"


def _comparison_lines(figures: Mapping) -> list[str]:
    if figures["not_told"]:
        return [f"  Rates, difference and ratio are not told: {figures['not_told']}."]
    meets = {True: "meets the four-fifths line", False: "fails the four-fifths line"}.get(
        figures["meets_four_fifths"], "nobody is favoured, so the four-fifths line cannot be told"
    )
    return [
        f"  Reference {figures['reference']}: {_rate(figures, 'reference')}; {figures['group']}: "
        f"{_rate(figures, 'group')}.",
        f"  Statistical parity difference {_figure(figures, 'statistical_parity_difference')}; 0 is parity.",
        f"  Disparate impact {_figure(figures, 'disparate_impact')} reference over group, "
        f"{_figure(figures, 'disparate_impact_inverse')} group over reference; {meets}.",
        f"  Massaging would change {abs(figures['massaging_label_changes']):.1f} labels in each group.",
    ]


def _rate(figures: Mapping, name: str) -> str:
    n, rate = figures[f"n_{name}"], figures[f"{name}_rate"]
    return f"about {rate:.2g} (of how many is {MASKED})" if n is None else f"{share_text(rate)} of {n}"


def _rule(rule: Mapping) -> str:
    (name, value) = next((name, value) for name, value in rule.items() if name != "column")
    words = {"at_least": "at or above", "at_most": "at or below", "equals": "one of"}[name]
    shown = ", ".join(map(str, value)) if name == "equals" else ("the mean" if value == "mean" else f"{value:g}")
    return f"{rule['column']} {words} {shown}"


def _between(interval: Sequence[float]) -> str:
    return f"95%: {four_digits(interval[0])} to {four_digits(interval[1])}"


def _figure(figures: Mapping, name: str) -> str:
    value, interval = figures[name], figures[f"{name}_95"]
    if value is None:
        return "not defined"
    return four_digits(value) + ("" if interval is None else f" ({_between(interval)})")


def _strata_lines(figures: Mapping) -> list[str]:
    if "within_strata" not in figures:
        return []
    strata = figures["within_strata"]
    people = f"{count_text(strata['n_compared'])} people; {count_text(strata['n_not_compared'])}"
    first = (
        f"  Within {strata['n_strata_compared']} of {strata['n_strata']} strata of {', '.join(strata['columns'])} "
        f"({people} in strata with one group only): "
    )
    if strata["not_told"]:
        return [f"{first}not told, as {strata['not_told']}."]
    if strata["difference"] is None:
        return [first + "nothing to compare."]
    interval = strata["difference_interval"]
    words = "no interval, as nothing varies" if interval is None else _between(interval)
    lines = [f"{first}difference {four_digits(strata['difference'])} ({words})."]
    if strata["ratio_interval"] is not None:
        ratio = f"{four_digits(strata['ratio'])} ({_between(strata['ratio_interval'])})"
        lines.append(f"  Pooled ratio, reference over group: {ratio}.")
    if strata["p_value"] is not None:
        chance = "<0.0001" if strata["p_value"] < 0.0001 else f"{strata['p_value']:.4f}"
        lines.append(f"  Chance of so much by luck alone (Cochran-Mantel-Haenszel): {chance}.")
    if strata["difference"] * (figures["statistical_parity_difference"] or 0) < 0:
        lines.append("  Within strata the other group is favoured: the difference in all misleads.")
    return lines


def _tables(figures: Mapping) -> list[str]:
    favoured = {
        "measure": "favourable outcome",
        "counted": "favoured",
        "not_considered": figures["people"]["without_outcome"],
        "by_group": figures["by_group"],
    }
    rows = []
    for measure in (favoured, *figures.get("anonymisation", ())):
        for group in measure["by_group"]:
            rows.append([measure["measure"], group["group"], *figures_of_group(group, measure["counted"])])
        if measure["not_considered"] != 0:
            rows.append([measure["measure"], "(not evaluated)", count_text(measure["not_considered"]), "-", "-", "-"])
    headers = ["By group", figures["sensitive"], "People", "Hit", "Share", "95%"]
    return [text_table(headers, rows)] if rows else []
