"""A release as the JSON summary gives it: counts and names, as a reader may see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from Anonymization_Models import ModelResult
from disclosure_control.attack.questions import Answer
from disclosure_control.attack.release_findings import ReleaseFindings
from disclosure_control.basics.telling.plain import INLINE, WHERE_FOUND
from disclosure_control.basics.telling.small_counts import Policy
from disclosure_control.basics.telling.words import share_of_text
from disclosure_control.identifiers.outcome import told_counts
from disclosure_control.release.accounts import Account
from disclosure_control.release.deidentify import ReleasedFile, ReleasedStudy
from disclosure_control.release.terms.raised_terms import RaisedTerms
from disclosure_control.release.texts.rare_texts import EmptiedTexts
from disclosure_control.release.undecided import waiting_for_the_config
from disclosure_control.steps.release.checked import PackageChecked
from disclosure_control.steps.release.course import (
    ToldCourse,
    told_course,
)
from disclosure_control.steps.release.earlier import (
    ToldBesideEarlier,
    told_beside_earlier,
)
from disclosure_control.steps.release.keys import ToldJoin, told_joins
from disclosure_control.steps.release.labels import LabelsTold
from disclosure_control.steps.release.traces import TracesTold
from disclosure_control.steps.release.use import UseTold, use_told
from study.operations import OperationKind

_UNCHANGED = (OperationKind.KEEP, OperationKind.NO_FURTHER)


@dataclass(frozen=True)
class FileReleased:
    """A file of the package beside its source."""

    records: int | None
    records_of_source: int | None
    columns: int
    columns_of_source: int

    @classmethod
    def of(cls, policy: Policy, file: ReleasedFile) -> FileReleased:
        """The file as the reader may see it: records are of people, unless the file has no person's row."""
        n, n_of_source = file.n_records, file.source.table.n_rows
        is_of_people = file.has_people or n < n_of_source
        of_source = policy.told(n_of_source, n) if is_of_people else n_of_source
        return cls(
            policy.told(n) if is_of_people else n,
            of_source,
            file.columns.shape[1],
            file.source.table.frame.shape[1],
        )


@dataclass(frozen=True)
class IdentifierReleased:
    """A column of the package that names people, or that outsiders may know."""

    column: str
    kind: str
    certainty: str
    people: int | None


@dataclass(frozen=True)
class ModelInPackage:
    """The people of the package whom k, l or t flags."""

    model: str
    sensitive: str | None
    threshold: float
    evaluated: int
    risky: int

    @classmethod
    def of(cls, result: ModelResult) -> ModelInPackage:
        """The result of a model."""
        return cls(result.model, result.sensitive, result.threshold, result.n_evaluated, result.n_risky)

    @property
    def text(self) -> str:
        """Its people as a cell."""
        if not self.evaluated:
            return "nobody evaluated"
        return f"{self.risky} of {self.evaluated} ({share_of_text(self.risky, self.evaluated)}) at risk"


@dataclass(frozen=True)
class TextsEmptied:
    """The cells of a column that were emptied because few people have their texts; None where masked."""

    column: str
    cells: int | None

    @classmethod
    def of(cls, policy: Policy, emptied: EmptiedTexts) -> TextsEmptied:
        """What was emptied in a column, as the reader may see it."""
        return cls(f"{emptied.file}.{emptied.column}", policy.told(emptied.cells))


@dataclass(frozen=True)
class ReleaseTold:
    """The part ``release`` of the JSON summary: counts and names, no value and no id.

    ``operations`` has the variables by operation, ``kept`` those that no operation changes, ``undecided`` those that
    wait for the config with the number of values of each, ``people_without_quasi_identifiers`` those who lost them so
    that terms stay, ``unplaced`` what the treatment changed and no file has.
    Counts of values and of records are None where masked.
    """

    released: bool
    people: int
    people_left_out: int
    files: Mapping[str, FileReleased]
    left_out: Mapping[str, str]
    operations: Mapping[str, Sequence[str]]
    kept: Sequence[str]
    recoded: Sequence[str]
    values_lost: Mapping[str, int | None]
    partial_dates: Mapping[str, int | None]
    times_removed: Mapping[str, int | None]
    undecided: Mapping[str, int | None]
    unplaced: Sequence[str]
    rare_terms: Sequence[RaisedTerms]
    people_without_quasi_identifiers: int | None
    rare_texts: Sequence[TextsEmptied]
    labels: LabelsTold
    longitudinal: ToldCourse | None
    earlier_release: ToldBesideEarlier | None
    traces: TracesTold
    identifiers: Sequence[IdentifierReleased]
    as_a_recipient_finds_it: Sequence[ModelInPackage]
    as_promised: Sequence[ModelInPackage]
    not_scanned: Sequence[str] | None = field(metadata=WHERE_FOUND)
    joins: Sequence[ToldJoin]
    three_questions: Mapping[str, Answer]
    findings: ReleaseFindings = field(metadata=INLINE)
    no_define_xml: str
    study_tables: UseTold | None


def release_told(policy: Policy, checked: PackageChecked) -> ReleaseTold:
    """What was released, as the reader may see it."""
    made = checked.made
    released, people, package = made.released, made.people, made.package
    accounts = [account for account in released.accounts if account.n_values or not account.rows_of]
    return ReleaseTold(
        released=True,
        people=int(people.stays.sum()),
        people_left_out=int((~people.stays).sum()),
        files={package.names[name]: FileReleased.of(policy, file) for name, file in released.files.items()},
        left_out=released.left_out,
        operations={
            str(kind): sorted({f"{a.file}.{a.variable}" for a in accounts if a.operation.operation == kind})
            for kind in OperationKind
            if kind not in _UNCHANGED
        },
        kept=sorted({f"{a.file}.{a.variable}" for a in accounts if a.operation.operation in _UNCHANGED}),
        recoded=sorted({f"{account.file}.{account.variable}" for account in accounts if account.recoded}),
        values_lost=_told_of_variables(policy, accounts, "n_lost"),
        partial_dates=_told_of_variables(policy, accounts, "n_partial"),
        times_removed=_told_of_variables(policy, accounts, "n_times"),
        undecided={pattern: policy.told(n) for pattern, n in undecided(released).items()},
        unplaced=list(released.unplaced),
        rare_terms=[one.for_reader(policy) for one in made.raised],
        people_without_quasi_identifiers=policy.told(people.n_hidden, int(people.stays.sum())),
        rare_texts=[TextsEmptied.of(policy, one) for one in made.texts.emptied],
        labels=LabelsTold.of(made.labels),
        longitudinal=None if checked.course is None else told_course(policy, checked.course),
        earlier_release=None if checked.earlier is None else told_beside_earlier(policy, checked.earlier),
        traces=TracesTold.of(policy, checked.traces),
        identifiers=[
            IdentifierReleased(finding.name, finding.kind, finding.certainty, told_counts(policy, finding)["people"])
            for finding in checked.identifiers
        ],
        as_a_recipient_finds_it=[ModelInPackage.of(result) for result in checked.assessment.results],
        as_promised=[ModelInPackage.of(result) for result in made.asked.promised.results],
        not_scanned=checked.not_scanned or None,
        joins=told_joins(policy, package.joins),
        three_questions=checked.answers(policy),
        findings=checked.findings(policy),
        no_define_xml=package.no_definition,
        study_tables=None if made.compared is None else use_told(policy, made.compared),
    )


def _told_of_variables(policy: Policy, accounts: Sequence[Account], counts: str) -> dict[str, int | None]:
    """By variable, the values that such a field of its account counts, if there are some; None where masked."""
    found = {f"{one.file}.{one.variable}": (getattr(one, counts), one.n_values) for one in accounts}
    return {name: policy.told(n, n_values) for name, (n, n_values) in found.items() if n}


def undecided(released: ReleasedStudy) -> dict[str, int]:
    """Variables that wait for the config, as patterns for it, with the number of values of each."""
    waiting = waiting_for_the_config(released).items()
    return {pattern: sum(account.n_values for account in accounts) for pattern, accounts in waiting}
