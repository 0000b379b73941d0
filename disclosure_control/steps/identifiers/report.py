"""The report of the step ``identifiers``: counts by column, certainty, and consequence; never a value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from config import COMBINED_DATASET
from disclosure_control.basics.telling.plain import NOT_IN_SUMMARY
from disclosure_control.basics.telling.sections import (
    ADVERSARIAL,
    Details,
    Part,
    Section,
    Sentence,
    Style,
    Table,
    Where,
    in_chapter,
)
from disclosure_control.basics.telling.small_counts import Policy, count_text, people_told
from disclosure_control.basics.telling.words import counted, listed
from disclosure_control.identifiers.column_findings import ColumnFinding, Scan
from disclosure_control.identifiers.outcome import IdentifierOutcome, told_counts
from disclosure_control.steps.identifiers import OUTLINES

OPEN, SAID_ONLY = "open", "said only"  # the states of findings that hold the release back, and of those that do not


@dataclass(frozen=True)
class ToldFinding:
    """A finding with its masked counts, None where masked, and its consequence."""

    column: str
    kind: str
    grade: str
    certainty: str
    values: int | None
    hits: int | None
    people: int | None
    all_people: int | None
    chance_rate: float
    of_a_sample: bool
    in_dataset: bool
    state: str
    what_to_do: str
    words: str = field(default="", metadata=NOT_IN_SUMMARY)

    @property
    def counts(self) -> str:
        """How many people, or rows of a table that names nobody, have such a value."""
        if self.all_people == 0:
            return f"{count_text(self.hits, ',')} of {count_text(self.values, ',')} rows"
        return f"{count_text(self.people, ',')} of {people_told(self.all_people, ',')}"


@dataclass(frozen=True)
class ToldIdentifiers:
    """The part ``identifiers`` of the JSON summary."""

    findings: tuple[ToldFinding, ...]
    open: list[str]
    columns_looked_at: Mapping[str, int]
    not_looked_at: Sequence[str]
    harmless: Mapping[str, str]
    harmless_without_finding: list[str]


def told_identifiers(
    policy: Policy, outcome: IdentifierOutcome, of_dataset: Scan, beside: Scan, not_looked_at: Sequence[str]
) -> ToldIdentifiers:
    """The findings as the reader may see them."""
    every = {finding.name for finding in (*outcome.in_dataset, *outcome.elsewhere)}
    return ToldIdentifiers(
        findings=(
            *(_told(policy, outcome, finding, True) for finding in outcome.in_dataset),
            *(_told(policy, outcome, finding, False) for finding in outcome.elsewhere),
        ),
        open=[finding.name for finding in outcome.open],
        columns_looked_at={COMBINED_DATASET: sum(of_dataset.columns.values()), **beside.columns},
        not_looked_at=not_looked_at,
        harmless=outcome.harmless,
        harmless_without_finding=[name for name in outcome.harmless if name not in every],
    )


def _told(policy: Policy, outcome: IdentifierOutcome, finding: ColumnFinding, in_dataset: bool) -> ToldFinding:
    return ToldFinding(
        column=finding.name,
        kind=finding.kind,
        grade=finding.grade.name.lower(),
        certainty=finding.certainty,
        **told_counts(policy, finding),
        chance_rate=finding.chance_rate,
        of_a_sample=finding.is_sample,
        in_dataset=in_dataset,
        state=_state(outcome, finding, in_dataset),
        what_to_do=finding.what_to_do,
        words=finding.words,
    )


def _state(outcome: IdentifierOutcome, finding: ColumnFinding, in_dataset: bool) -> str:
    if finding.name in outcome.harmless:
        return f"harmless: {outcome.harmless[finding.name]}"
    if not finding.vetoes:
        return SAID_ONLY
    if not in_dataset:
        return "in a file beside the dataset"
    if outcome.is_answered(finding):
        return "a quasi-identifier: k counts it"
    return "dropped by the treatment" if finding.name in outcome.planned_drops else OPEN


def identifier_sections(told: ToldIdentifiers) -> tuple[Section, ...]:
    """First the columns that name a person, then those that hold nothing back, then what was scanned."""
    parts = tuple(_parts(told))
    title = "Search of every column for identifiers (step identifiers), in what came in"
    return (OUTLINES[0].section(parts), in_chapter(ADVERSARIAL, title, parts))


def _parts(told: ToldIdentifiers) -> Iterator[Part]:
    yield Sentence(
        "A column that names or reaches a person (a name, a number of the hospital, an address) must be dropped or "
        "treated before the data leave, however large the classes are.",
        Style.DEFINITION,
        Where.PAGE,
    )
    naming = [one for one in told.findings if one.state != SAID_ONLY]
    if naming:
        rows = [[one.column, one.words, one.certainty, one.counts, _fate(one.state)] for one in naming]
        columns = ("Column", "Contains", "Certainty", "People", "What happens to it")
        yield Table("Columns that name or reach people", columns, rows, numbers=(3,))
    else:
        yield Sentence(
            "No column was found that names a person, or that is sure or likely to contain what outsiders know. "
            "Identifiers of an unknown form are not found."
        )
    waiting = [one for one in naming if one.state == OPEN]
    for remedy in dict.fromkeys(one.what_to_do for one in waiting):
        names = dict.fromkeys(one.column for one in waiting if one.what_to_do == remedy)
        yield Sentence(f"{listed(names, len(names))}: {remedy}.", Style.NOTICE)
    said_only = sorted((one for one in told.findings if one.state == SAID_ONLY), key=lambda one: one.kind)
    for _, of_kind in groupby(said_only, key=lambda one: one.kind):
        yield from _said_only(list(of_kind))
    for name in told.harmless_without_finding:
        yield Sentence(f"Declared harmless, and nothing was found there: {name}.", Style.SMALL)
    n_columns = counted(sum(told.columns_looked_at.values()), "column")
    unread = "".join(f" Not looked at: {file}." for file in told.not_looked_at)
    yield Sentence(
        f"Looked at: {n_columns} of {counted(len(told.columns_looked_at), 'table')}, by their values.{unread}",
        Style.SMALL,
    )


def _fate(state: str) -> str:
    return "nothing yet: it holds the release back" if state == OPEN else state


def _said_only(findings: Sequence[ToldFinding]) -> Iterator[Part]:
    first, names = findings[0], list(dict.fromkeys(one.column for one in findings))
    holds = "holds" if len(names) == 1 else "hold"
    yield Sentence(
        f"{counted(len(names), 'column')} {holds} possible {first.words}. This alone is no reason to hold the data. "
        f"What helps: {first.what_to_do}."
    )
    yield Details("Which columns", [listed(names, len(names))])
