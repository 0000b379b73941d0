"""Section ``by_group``: the risk of each group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from disclosure_control.assess.told import gaps_of
from disclosure_control.basics.drawings.group_shares import share_chart
from disclosure_control.basics.encoding.columns import EncodedColumn
from disclosure_control.basics.encoding.nested_groups import hidden_beside_each_other
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import COLUMN, list_of
from disclosure_control.basics.telling.plain import INLINE, NOT_IN_SUMMARY
from disclosure_control.basics.telling.sections import Figure, Part, Sentence, Style, Table, Where
from disclosure_control.basics.telling.small_counts import GroupShare, MissingShown, Policy, count_text, shares_by_group
from disclosure_control.basics.telling.told_outside import ToldCounts
from disclosure_control.basics.telling.words import listed
from disclosure_control.records.columns import ColumnOfRecords
from disclosure_control.records.people import pairs_of_levels
from disclosure_control.steps.risk.scene import Scene
from disclosure_control.steps.risk.section import Finding, RiskSection

MOST_DRAWN = 24  # columns with a drawing: nobody reads hundreds
MOST_NAMED = 5  # groups that are masked


@dataclass(frozen=True)
class ByGroupSettings(SettingsGroup):
    """Columns of the combined dataset; None for the quasi-identifiers."""

    groups: tuple[str, ...] | None = setting(
        list_of(COLUMN, "a list of columns of the combined dataset"),
        "columns whose groups are compared",
        None,
        "the quasi-identifiers",
    )


@dataclass(frozen=True)
class RiskByGroup:
    """By column, the shares of its groups at risk by k, beside the share of all people."""

    groups: Mapping[str, Sequence[GroupShare]] = field(metadata=INLINE)
    of_everybody: float | None = field(metadata=NOT_IN_SUMMARY)
    fewest: int = field(metadata=NOT_IN_SUMMARY)  # people of a group that is named


def evaluate(scene: Scene) -> Finding:
    """People at risk by k in each group."""
    names, chosen = scene.assessment.config.quasi_identifiers, scene.settings.of(ByGroupSettings).groups
    result = scene.assessment.k_anonymity
    kind = result.evaluated_classes + 2 * result.risky_classes
    others = {
        name: _people_by_kind(scene, column, kind)
        for name, column in scene.dataset.table.in_full(name for name in chosen or () if name not in names).items()
    }
    return Finding(lambda policy: _told(policy, scene, names if chosen is None else chosen, others))


def _people_by_kind(
    scene: Scene, column: ColumnOfRecords, kind: np.ndarray
) -> tuple[EncodedColumn, np.ndarray, np.ndarray]:
    """The people of each level of a column by the ``kind`` of their class (n_classes,), an entry for each pair."""
    kinds = (kind[classes] for classes in scene.assessment.people.classes_of_blocks())
    pairs = pairs_of_levels(column, kinds, 4)
    return EncodedColumn(pairs.level - 1, column.labels()), pairs.value, pairs.people


def _told(
    policy: Policy,
    scene: Scene,
    chosen: Sequence[str],
    others: Mapping[str, tuple[EncodedColumn, np.ndarray, np.ndarray]],
) -> RiskByGroup:
    """As the reader may see it, to others the small groups together; ``others`` are no quasi-identifiers."""
    assessment, groups = scene.assessment, {}
    result, names, classes = assessment.k_anonymity, assessment.config.quasi_identifiers, scene.classes
    gaps = gaps_of(policy, assessment)
    hidden = _hidden_quasi_identifiers(policy, scene, gaps)
    for name in chosen:
        kept = gaps.get(name, MissingShown.LIKE_ANY_GROUP)
        if name in names:  # its people are counted already
            column, flags = (
                classes.columns_of_classes[names.index(name)],
                (result.evaluated_classes, result.risky_classes),
            )
            groups[name] = shares_by_group(
                policy, column, *flags, "risky", gaps=kept, people=classes.size, also=hidden[name]
            )
        else:
            column, of_entry, people = others[name]
            flags = (of_entry % 2 > 0, of_entry >= 2)
            groups[name] = shares_by_group(policy, column, *flags, "risky", gaps=kept, people=people)
    return RiskByGroup(groups, result.risky_rate, policy.threshold)


def _hidden_quasi_identifiers(policy: Policy, scene: Scene, gaps: Mapping[str, MissingShown]) -> dict[str, np.ndarray]:
    """Which groups of each quasi-identifier are hidden, because all of them are published together."""
    result, names, classes = scene.assessment.k_anonymity, scene.assessment.config.quasi_identifiers, scene.classes
    flags = (result.evaluated_classes, result.risky_classes)
    kept = [gaps.get(name, MissingShown.LIKE_ANY_GROUP) for name in names]
    columns = [classes.columns_of_classes[i] for i in range(len(names))]
    return dict(zip(names, hidden_beside_each_other(policy, columns, *flags, kept, classes.size), strict=True))


def words(found: RiskByGroup) -> Iterator[Part]:
    """A drawing for each column, and a row for each group: names of groups are values of people, and in files alone."""
    by_group = found.groups
    if not by_group:
        return
    drawn = sorted(by_group, key=lambda name: -_largest_rate(by_group[name]))[:MOST_DRAWN]
    charts = {
        name: share_chart(f"Share at risk by {name}", entries, found.of_everybody)
        for name, entries in by_group.items()
        if name in drawn
    }
    if any(charts.values()):
        together = " Groups of fewer than ten people are shown as one." if found.fewest > 1 else ""
        yield Sentence("Who bears the risk", Style.HEADING, Where.PAGES)
        yield Sentence(
            "Share at risk by k in each group with its 95% interval, the riskiest first. The line is the share "
            f"of all people.{together}",
            Style.SMALL,
            Where.PAGES,
        )
    for name, chart in charts.items():
        if chart is not None:
            yield Figure(chart, f"By {name}{_masked(by_group[name])}", Where.PAGES)
    n_more = len(by_group) - len(drawn)
    if n_more:
        yield Sentence(
            f"{n_more:,} more columns, whose riskiest groups bear less, are in the JSON summary.",
            Style.SMALL,
            Where.PAGES,
        )
    rows = [[name, group.group, *group.cells()] for name, entries in by_group.items() for group in entries]
    columns = ("Column", "Group", "People", "Risky", "Share", "95%")
    yield Table("Who bears the risk (k)", columns, rows, range(2, 6), Where.FILE)
    yield Sentence("Who bears the risk, by group: see the summary.", where=Where.SCREEN)


def _masked(groups: Sequence[GroupShare]) -> str:
    """Groups without a share, with their people, so that the drawing is not taken for everyone."""
    masked = [f"{one.group} ({count_text(one.people, ',')})" for one in groups if one.rate is None]
    why = ". Masked: few people in them are at risk or few are not, or such a number could be calculated: "
    return f"{why}{listed(masked, MOST_NAMED)}" if masked else ""


def _largest_rate(groups: Sequence[GroupShare]) -> float:
    return max((group.rate or 0.0 for group in groups), default=0.0)


def outside(by_group: Mapping[str, Sequence[GroupShare]], counts: ToldCounts) -> dict[str, list[GroupShare]]:
    """The groups that may be shared, each number masked that is near another published one.

    A column is left out if the masked groups together, subtracted from all evaluated people, would still be such a
    number.
    """
    found = {}
    for name, rows in by_group.items():
        told = [_outside(row, counts) for row in rows]
        people = [(row.people, one.people) for row, one in zip(rows, told, strict=True)]
        hits = [(row.hits, one.hits) for row, one in zip(rows, told, strict=True)]
        if _rest_is_open(people, counts) and _rest_is_open(hits, counts):
            found[name] = told
    return found


def _rest_is_open(numbers: Sequence[tuple[int | None, int | None]], counts: ToldCounts) -> bool:
    """Whether the masked numbers outside, given those in the house and outside, disclose no small count."""
    masked = [n for n, told in numbers if told is None]
    return None in masked or counts.tell(sum(n for n in masked if n is not None)) is not None


def _outside(row: GroupShare, counts: ToldCounts) -> GroupShare:
    people = counts.tell(row.people)
    return replace(row, people=people, hits=None if people is None else counts.tell(row.hits, people))


SECTION = RiskSection(
    place=80,
    place_in_report=150,
    answers="the share of people at risk by group, with a 95% interval; to others groups below ten people are not "
    "named, and counts below ten, or from which such a count could be calculated, are masked",
    evaluate=evaluate,
    words=words,
    on_page="who",
    settings=ByGroupSettings,
    by_default=True,
)
