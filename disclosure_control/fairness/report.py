"""The section of ``fairness`` in the text report."""

from __future__ import annotations

from collections.abc import Mapping

from disclosure_control.fairness.burden import SMALLEST_PRINTED_GROUP


def fairness_report(figures: Mapping, for_screen: bool = False) -> str:
    """Rates, difference, ratio, strata, and who bears the anonymisation. ``for_screen`` names no group of people."""
    people, group = figures["people"], figures["group"]
    if for_screen and min(figures["n_reference"], figures["n_group"]) < SMALLEST_PRINTED_GROUP:
        return f"Fairness\n  A compared group has fewer than {SMALLEST_PRINTED_GROUP} people: see the summary.\n"
    lines = [
        "Fairness",
        f"  Favourable outcome: {_rule(figures['favourable'])}. Groups of {figures['sensitive']}.",
        f"  Compared: {people['compared']} of {people['total']} people; without outcome {people['without_outcome']}, "
        f"without group {people['without_group']}, in groups that are not compared {people['in_other_groups']}.",
        f"  Reference {figures['reference']}: {_share(figures['reference_rate'])} of {figures['n_reference']}; "
        f"{group}: {_share(figures['group_rate'])} of {figures['n_group']}.",
        f"  Statistical parity difference {_figure(figures, 'statistical_parity_difference')}; 0 is parity.",
        f"  Disparate impact {_figure(figures, 'disparate_impact')} reference over group, "
        f"{_figure(figures, 'disparate_impact_inverse')} group over reference; "
        f"{'meets' if figures['meets_four_fifths'] else 'fails'} the four-fifths line.",
        f"  Massaging would change {abs(figures['massaging_label_changes']):.1f} labels in each group.",
        *_strata_lines(figures),
    ]
    shares = _tables(figures)
    if for_screen and shares:
        lines += ["", "  Who is favoured, flagged, removed or changed, by group: see the summary."]
    elif shares:
        lines += ["", *shares]
    return "\n".join(lines) + "\n"


def _rule(rule: Mapping) -> str:
    (name, value) = next((name, value) for name, value in rule.items() if name != "column")
    words = {"at_least": "at or above", "at_most": "at or below", "equals": "one of"}[name]
    shown = ", ".join(map(str, value)) if name == "equals" else ("the mean" if value == "mean" else f"{value:g}")
    return f"{rule['column']} {words} {shown}"


def _share(rate: float) -> str:
    return f"{rate:.1%}"


def _figure(figures: Mapping, name: str) -> str:
    value, interval = figures[name], figures[f"{name}_95"]
    if value is None:
        return "not defined"
    return f"{value:.4f}" + ("" if interval is None else f" (95%: {interval[0]:.4f} to {interval[1]:.4f})")


def _strata_lines(figures: Mapping) -> list[str]:
    if "within_strata" not in figures:
        return []
    strata = figures["within_strata"]
    first = (
        f"  Within {strata['n_strata_compared']} of {strata['n_strata']} strata of {', '.join(strata['columns'])} "
        f"({strata['n_compared']} people; {strata['n_not_compared']} in strata with one group only): "
    )
    if strata["difference"] is None:
        return [first + "nothing to compare."]
    low, high = strata["difference_interval"]
    lines = [f"{first}difference {strata['difference']:.4f} (95%: {low:.4f} to {high:.4f})."]
    if strata["ratio_interval"] is not None:
        low, high = strata["ratio_interval"]
        lines.append(f"  Pooled ratio, reference over group: {strata['ratio']:.4f} (95%: {low:.4f} to {high:.4f}).")
    if strata["p_value"] is not None:
        lines.append(f"  Chance of so much by luck alone (Cochran-Mantel-Haenszel): {strata['p_value']:.4f}.")
    if strata["difference"] * figures["statistical_parity_difference"] < 0:
        lines.append("  Within strata the other group is favoured: the difference in all misleads.")
    return lines


def _tables(figures: Mapping) -> list[str]:
    from tabulate import tabulate

    favoured = {
        "measure": "favourable outcome",
        "counted": "favoured",
        "not_considered": figures["people"]["without_outcome"],
        "by_group": figures["by_group"],
    }
    rows = []
    for measure in (favoured, *figures.get("anonymisation", ())):
        for group in measure["by_group"]:
            shown = _row(group, measure["counted"]) if "people" in group else ["-"] * 4
            rows.append([measure["measure"], group["group"], *shown])
        if measure["not_considered"]:
            rows.append([measure["measure"], "(not evaluated)", str(measure["not_considered"]), "-", "-", "-"])
    headers = ["By group", figures["sensitive"], "People", "Hit", "Share", "95%"]
    return [tabulate(rows, headers, tablefmt="simple_outline", disable_numparse=True)] if rows else []


def _row(group: Mapping, word: str) -> list[str]:
    interval = f"{group['low']:.1%} to {group['high']:.1%}"
    return [str(group["people"]), str(group[word]), _share(group[f"{word}_rate"]), interval]
