"""The report of the step ``fairness``: rates, difference, ratio, and the burden of the anonymisation by group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from disclosure_control.analyses.fairness import OUTLINES
from disclosure_control.analyses.fairness.settings import FavourableRule
from disclosure_control.analyses.fairness.told import FairnessTold, MeasureByGroup
from disclosure_control.basics.drawings.group_shares import share_chart
from disclosure_control.basics.telling.sections import Figure, Part, Section, Sentence, Style, Table, Where
from disclosure_control.basics.telling.small_counts import MASKED_CELL, Policy, count_text
from disclosure_control.basics.telling.words import capitalised, four_digits, share_text


def fairness_sections(policy: Policy, pilot: str, found: FairnessTold) -> tuple[Section, ...]:
    """The sections; only files name groups other than the config's two."""
    return (OUTLINES[0].section(_parts(policy, pilot, found)),)


def _parts(policy: Policy, pilot: str, found: FairnessTold) -> Iterator[Part]:
    yield from _misspelt(found)
    people = {name: count_text(n) for name, n in found.people.items()}
    yield Sentence(f"Favourable outcome: {_rule(found.favourable)}. Groups of {found.sensitive}.", Style.DEFINITION)
    yield Sentence(
        f"Compared: {people['compared']} of {people['total']} people; without outcome {people['without_outcome']}, "
        f"without group {people['without_group']}, in groups that are not compared {people['in_other_groups']}."
    )
    yield from _comparison(found)
    yield from _by_group(policy, pilot, found)


def _misspelt(found: FairnessTold) -> Iterator[Part]:
    n, rule = found.favourable_values_of_nobody, found.favourable
    if n:
        yield Sentence(
            f"NOTE: fairness: {n} of the {len(rule.value)} favourable values are held by nobody in column "
            f"{rule.column!r}; write them as the dataset does, or take them out.",
            Style.NOTICE,
            Where.FIRST | Where.PAGE,
        )


def _comparison(found: FairnessTold) -> Iterator[Part]:
    rates = found.rates
    if rates.not_told:
        yield Sentence(f"Rates, difference and ratio are not shown: {rates.not_told}.", Style.NOTICE)
        return
    rows = [
        [f"{found.reference} (reference)", *_rate(rates.n_reference, rates.reference_rate)],
        [found.group, *_rate(rates.n_group, rates.group_rate)],
    ]
    yield Table("Rates compared", ("Group", "People", "Favoured"), rows, numbers=(1, 2))
    meets = {
        True: "the four-fifths line is met",
        False: "the four-fifths line is not met",
        None: "nobody is favoured, so the four-fifths line cannot be assessed",
    }[rates.meets_four_fifths]
    difference = _figure(rates.statistical_parity_difference, rates.statistical_parity_difference_95)
    impact = _figure(rates.disparate_impact, rates.disparate_impact_95)
    inverse = _figure(rates.disparate_impact_inverse, rates.disparate_impact_inverse_95)
    yield Sentence(f"Statistical parity difference {difference}; 0 is parity.")
    yield Sentence(f"Disparate impact {impact} reference over group, {inverse} group over reference; {meets}.")
    yield Sentence(f"Massaging would change {abs(rates.massaging_label_changes or 0.0):.1f} labels in each group.")


def _rate(n: int | None, rate: float | None) -> list[str]:
    return [MASKED_CELL, f"about {rate:.2g}"] if n is None else [f"{n:,}", share_text(rate)]


def _rule(rule: FavourableRule) -> str:
    name, value = rule.relation, rule.value
    words = {"at_least": "at or above", "at_most": "at or below", "equals": "one of"}[name]
    shown = ", ".join(map(str, value)) if name == "equals" else ("the mean" if value == "mean" else f"{value:g}")
    return f"{rule.column} {words} {shown}"


def _between(interval: Sequence[float]) -> str:
    return f"95%: {four_digits(interval[0])} to {four_digits(interval[1])}"


def _figure(value: float | None, interval: Sequence[float] | None) -> str:
    if value is None:
        return "not defined"
    return four_digits(value) + ("" if interval is None else f" ({_between(interval)})")


def _by_group(policy: Policy, pilot: str, found: FairnessTold) -> Iterator[Part]:
    favoured = MeasureByGroup("favourable outcome", "favoured", found.people["without_outcome"], found.by_group)
    rows, drawn = [], []
    for one in (favoured, *found.anonymisation):
        rows += [[one.measure, group.group, *group.cells()] for group in one.by_group]
        if one.not_considered != 0:
            rows.append([one.measure, "(not evaluated)", count_text(one.not_considered), "-", "-", "-"])
        drawn.append((one.measure, share_chart(one.measure, one.by_group)))
    if not rows:
        return
    columns = ("By group", found.sensitive, "People", "Hit", "Share", "95%")
    yield Table("Who is favoured, flagged, removed or changed, by group", columns, rows, where=Where.FILE)
    yield Sentence(
        f"Who is favoured, flagged, removed or changed, by group: section Fairness of {pilot}_privacy_details.txt.",
        where=Where.SCREEN,
    )
    together = "" if policy.is_exact else " Groups of fewer than ten people are shown as one."
    yield Sentence(f"Shares by {found.sensitive} with their 95% interval.{together}", Style.SMALL, Where.PAGE)
    for name, drawing in drawn:
        if drawing is not None:
            yield Figure(drawing, capitalised(name))
