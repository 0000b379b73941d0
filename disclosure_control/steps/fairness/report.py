"""The step ``fairness`` as it is told: rates, difference, ratio, strata, and who bears the anonymisation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from disclosure_control.basics.drawings.group_shares import share_chart
from disclosure_control.basics.telling.sections import Figure, Part, Section, Sentence, Style, Table, Where
from disclosure_control.basics.telling.small_counts import MASKED, count_text, figures_of_group
from disclosure_control.basics.telling.words import four_digits, share_text
from disclosure_control.steps.fairness import OUTLINES


def fairness_sections(pilot: str, figures: Mapping) -> tuple[Section, ...]:
    """Groups but for those of the config are named in files alone."""
    (outline,) = OUTLINES
    return (Section(outline.key, outline.title, tuple(_parts(pilot, figures))),)


def _parts(pilot: str, figures: Mapping) -> Iterator[Part]:
    yield from _misspelt(figures)
    people = {name: count_text(n) for name, n in figures["people"].items()}
    yield Sentence(
        f"Favourable outcome: {_rule(figures['favourable'])}. Groups of {figures['sensitive']}.", Style.DEFINITION
    )
    yield Sentence(
        f"Compared: {people['compared']} of {people['total']} people; without outcome {people['without_outcome']}, "
        f"without group {people['without_group']}, in groups that are not compared {people['in_other_groups']}."
    )
    yield from _comparison(figures)
    yield from _strata(figures)
    yield from _by_group(pilot, figures)


def _misspelt(figures: Mapping) -> Iterator[Part]:
    """Favourable values that nobody has; counts alone."""
    n, rule = figures["favourable_values_of_nobody"], figures["favourable"]
    if n:
        yield Sentence(
            f"NOTE: fairness: {n} of the {len(rule['equals'])} favourable values are held by nobody in column "
            f"{rule['column']!r}; write them as the dataset does, or take them out.",
            Style.NOTICE,
            Where.FIRST | Where.PAGE,
        )


def _comparison(figures: Mapping) -> Iterator[Part]:
    if figures["not_told"]:
        yield Sentence(f"Rates, difference and ratio are not told: {figures['not_told']}.", Style.NOTICE)
        return
    rows = [
        [f"{figures['reference']} (reference)", *_rate(figures, "reference")],
        [figures["group"], *_rate(figures, "group")],
    ]
    yield Table("Rates compared", ("Group", "People", "Favoured"), rows, numbers=(1, 2))
    meets = {True: "the four-fifths line is met", False: "the four-fifths line is not met"}.get(
        figures["meets_four_fifths"], "nobody is favoured, so the four-fifths line cannot be assessed"
    )
    yield Sentence(f"Statistical parity difference {_figure(figures, 'statistical_parity_difference')}; 0 is parity.")
    yield Sentence(
        f"Disparate impact {_figure(figures, 'disparate_impact')} reference over group, "
        f"{_figure(figures, 'disparate_impact_inverse')} group over reference; {meets}."
    )
    yield Sentence(f"Massaging would change {abs(figures['massaging_label_changes']):.1f} labels in each group.")


def _rate(figures: Mapping, name: str) -> list[str]:
    n, rate = figures[f"n_{name}"], figures[f"{name}_rate"]
    return [MASKED, f"about {rate:.2g}"] if n is None else [f"{n:,}", share_text(rate)]


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


def _strata(figures: Mapping) -> Iterator[Part]:
    if "within_strata" not in figures:
        return
    strata = figures["within_strata"]
    people = f"{count_text(strata['n_compared'])} people; {count_text(strata['n_not_compared'])}"
    first = (
        f"Within {strata['n_strata_compared']} of {strata['n_strata']} strata of {', '.join(strata['columns'])} "
        f"({people} in strata with one group only): "
    )
    if strata["not_told"]:
        yield Sentence(f"{first}not told, as {strata['not_told']}.")
        return
    if strata["difference"] is None:
        yield Sentence(first + "nothing to compare.")
        return
    interval = strata["difference_interval"]
    words = "no interval, as nothing varies" if interval is None else _between(interval)
    yield Sentence(f"{first}difference {four_digits(strata['difference'])} ({words}).")
    if strata["ratio_interval"] is not None:
        ratio = f"{four_digits(strata['ratio'])} ({_between(strata['ratio_interval'])})"
        yield Sentence(f"Pooled ratio, reference over group: {ratio}.")
    if strata["p_value"] is not None:
        chance = "<0.0001" if strata["p_value"] < 0.0001 else f"{strata['p_value']:.4f}"
        yield Sentence(f"Probability of a difference this large by chance (Cochran-Mantel-Haenszel): {chance}.")
    if strata["difference"] * (figures["statistical_parity_difference"] or 0) < 0:
        yield Sentence("Within strata the other group is favoured: the overall difference misleads.", Style.NOTICE)


def _by_group(pilot: str, figures: Mapping) -> Iterator[Part]:
    favoured = {
        "measure": "favourable outcome",
        "counted": "favoured",
        "not_considered": figures["people"]["without_outcome"],
        "by_group": figures["by_group"],
    }
    measures = (favoured, *figures.get("anonymisation", ()))
    rows, drawn = [], []
    for measure in measures:
        name, counted = measure["measure"], measure["counted"]
        rows += [[name, group["group"], *figures_of_group(group, counted)] for group in measure["by_group"]]
        if measure["not_considered"] != 0:
            rows.append([name, "(not evaluated)", count_text(measure["not_considered"]), "-", "-", "-"])
        drawn.append((name, share_chart(name, measure["by_group"], counted)))
    if not rows:
        return
    columns = ("By group", figures["sensitive"], "People", "Hit", "Share", "95%")
    yield Table("Who is favoured, flagged, removed or changed, by group", columns, rows, where=Where.FILE)
    yield Sentence(
        f"Who is favoured, flagged, removed or changed, by group: section Fairness of {pilot}_privacy_details.txt.",
        where=Where.SCREEN,
    )
    yield Sentence(
        f"Shares by {figures['sensitive']} with their 95% interval. Groups of fewer than ten people are shown as one.",
        Style.SMALL,
        Where.PAGE,
    )
    for name, drawing in drawn:
        if drawing is not None:
            yield Figure(drawing, f"{name[:1].upper()}{name[1:]}")
