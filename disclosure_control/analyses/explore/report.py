"""The report of the step ``explore``: columns and counts, no value of a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from disclosure_control.analyses.explore import OUTLINES
from disclosure_control.analyses.explore.columns import ExploredColumn
from disclosure_control.analyses.explore.exploration import Exploration
from disclosure_control.basics.telling.sections import Details, Part, Section, Sentence, Style, Table
from disclosure_control.basics.telling.small_counts import MASKED_CELL, Policy, count_text, missing_told, notes_told
from disclosure_control.basics.telling.words import counted, listed, share_text

MOST_SHOWN = 10


@dataclass(frozen=True)
class ToldColumn:
    """A column in counts of people; None where masked, and for ``outliers`` where there are no fences."""

    role: str
    kind: str
    unit: str | None
    with_value: int | None
    missing: int | None
    distinct: int | None
    constant: bool
    one_person_per_value: bool
    outliers: int | None


@dataclass(frozen=True)
class ToldCorrelation:
    """Spearman's rho of two columns; to others, of ten people or more."""

    columns: tuple[str, str]
    rho: float | None
    people: int


@dataclass(frozen=True)
class ToldExploration:
    """The part ``explore`` of the JSON summary."""

    columns: Mapping[str, ToldColumn]
    spearman: Sequence[ToldCorrelation]
    notes: Sequence[str]


def told_exploration(policy: Policy, found: Exploration, assessed: Mapping[str, int | None]) -> ToldExploration:
    """The reportable part; ``assessed`` gives for columns with a role how many people lack a value."""
    return ToldExploration(
        columns={
            column.name: _told(policy, column, assessed.get(column.name, missing_told(policy, column.encoded)))
            for column in found.columns
        },
        spearman=[
            ToldCorrelation((one.one, one.other), one.rho, one.n_people)
            for one in found.correlations
            if one.n_people >= policy.threshold
        ],
        notes=notes_told(policy, found.notes),
    )


def _told(policy: Policy, column: ExploredColumn, missing: int | None) -> ToldColumn:
    with_value = None if missing is None else column.n_records - missing
    fences = column.statistics
    return ToldColumn(
        role=column.role,
        kind=column.kind,
        unit=column.unit,
        with_value=with_value,
        missing=missing,
        # Where no two people share a value, there are as many values as people who have one.
        distinct=with_value if column.names_people else column.n_distinct,
        constant=column.is_constant,
        one_person_per_value=column.names_people,
        outliers=policy.told(fences.n_below + fences.n_above, column.n_records) if fences else None,
    )


def exploration_sections(told: ToldExploration, found: Exploration, files: Sequence[str]) -> tuple[Section, ...]:
    """Columns with a role, notable columns among all, and the ``files`` that were written."""
    return (OUTLINES[0].section(_parts(told, found, files)),)


def _parts(told: ToldExploration, found: Exploration, files: Sequence[str]) -> Iterator[Part]:
    has_fences = {column.name for column in found.columns if column.statistics}
    rows = [
        [
            name,
            one.role,
            one.kind,
            one.unit or "-",
            MASKED_CELL if one.missing is None else _missing(one.missing, found.column(name).n_records),
            count_text(one.distinct, ","),
            count_text(one.outliers, ",") if name in has_fences else "-",
        ]
        for name, one in told.columns.items()
        if one.role != "other"
    ]
    columns = ("Column", "Role", "Kind", "Unit", "Missing", "Distinct", "Outliers")
    yield Table("Columns with a role in the config", columns, rows, numbers=(4, 5, 6))
    n_others = len(told.columns) - len(rows)
    if n_others:
        yield Sentence(f"{counted(n_others, 'other column')}: see explore_columns.csv.", Style.SMALL)
    flags = {
        "Constant, so they tell nothing": [one.name for one in found.columns if one.is_constant],
        "One value or missing, which may tell as much as two values": [
            one.name for one in found.columns if one.n_distinct == 1 and one.n_missing
        ],
        "Without a single value": [one.name for one in found.columns if one.kind == "empty"],
        "No two people share a value, as good as a name": [one.name for one in found.columns if one.names_people],
    }
    for words, names in flags.items():
        if names:
            yield Sentence(f"{words}: {listed(names, MOST_SHOWN)}.", Style.NOTICE)
    strongest = found.told_correlations[:3]
    if strongest:
        pairs = "; ".join(f"{one.one} and {one.other} {rho:.2f} (n = {one.n_people})" for rho, one in strongest)
        yield Sentence(f"Strongest rank correlations (Spearman): {pairs}.")
    for note in told.notes:
        yield Sentence(note, Style.SMALL)
    yield Details("Files with values of people in them", files)


def _missing(n: int, n_records: int) -> str:
    return f"{n:,} ({share_text(n / max(n_records, 1))})"
