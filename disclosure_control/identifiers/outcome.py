"""The findings in a pilot and the config's declarations on them: which are open, in the file and in the release."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.basics.settings.changes import ConfigChange
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.small_counts import Policy, count_in_sentence, people_told
from disclosure_control.basics.telling.words import counted, listed
from disclosure_control.identifiers.column_findings import ColumnFinding, Grade

GRAVITY = {
    Grade.NAMES_A_PERSON: Gravity.NAMES_A_PERSON,
    Grade.KNOWN_TO_OUTSIDERS: Gravity.OUTSIDERS_CAN_SINGLE_OUT,
}
# Treatments whose results look like the original values and no longer disclose them.
DISGUISES = ("recode_ids", "shift_dates")


@dataclass(frozen=True)
class IdentifierOutcome:
    """The findings in the combined dataset and in other files, and what the config declares.

    ``in_dataset`` are findings in columns of the combined dataset, ``elsewhere`` those in columns of domain files that
    it does not have. ``harmless`` maps columns to the reason. ``assessed`` are the quasi-identifiers, whose sharing
    k counts. ``planned_drops`` are columns that the config's treatment removes.
    """

    in_dataset: tuple[ColumnFinding, ...] = ()
    elsewhere: tuple[ColumnFinding, ...] = ()
    harmless: Mapping[str, str] = field(default_factory=dict)
    assessed: tuple[str, ...] = ()
    planned_drops: tuple[str, ...] = ()

    @property
    def vetoing(self) -> tuple[ColumnFinding, ...]:
        """Findings in the dataset that nobody declared harmless and that no quasi-identifier accounts for."""
        return tuple(finding for finding in self.in_dataset if finding.vetoes and not self.is_answered(finding))

    @property
    def open(self) -> tuple[ColumnFinding, ...]:
        """Those of them that the config's treatment leaves in."""
        return tuple(finding for finding in self.vetoing if finding.name not in self.planned_drops)

    def is_answered(self, finding: ColumnFinding) -> bool:
        """Whether the config answers for it: declared harmless, or a quasi-identifier of what outsiders may know."""
        is_counted = finding.name in self.assessed and finding.grade is Grade.KNOWN_TO_OUTSIDERS
        return finding.name in self.harmless or is_counted

    def left_in_columns(
        self,
        names: Collection[str],
        treated_by: Mapping[str, Sequence[str]],
        scanned: Callable[[Sequence[str]], Iterable[ColumnFinding]],
    ) -> tuple[ColumnFinding, ...]:
        """Vetoing findings that remain in the released data, for the people in it.

        ``names`` are the released columns, and ``scanned`` examines some of them as released. ``treated_by`` names the
        treatments that changed a column. Every column is examined again, except those whose values keep their form but
        disclose nothing any more; for an unchanged column the earlier finding is kept if the remaining people are too
        few.
        """
        there = [
            finding
            for finding in self.vetoing
            if finding.name in names and not set(treated_by.get(finding.name, ())) & set(DISGUISES)
        ]
        columns = list(dict.fromkeys(finding.name for finding in there))
        found_again = scanned(columns) if columns else ()
        again = {(found.name, found.kind): found for found in found_again if found.vetoes}
        return tuple(
            again.get((finding.name, finding.kind), finding)
            for finding in there
            if (finding.name, finding.kind) in again or not treated_by.get(finding.name)
        )


def told_counts(policy: Policy, finding: ColumnFinding) -> dict[str, int | None]:
    """Its people and those of its table, hits and rows with a value as published together: None is masked.

    A row may be a person, so rows are masked like people; but the number of rows of a table without people is known.
    """
    n_all, n_values = finding.n_all_people, finding.n_values
    values = policy.told(n_values, n_all) if n_all else n_values
    beside = [n_all, *([] if values is None else [values])]
    return {
        "all_people": policy.told(n_all),
        "values": values,
        "hits": policy.told(finding.n_hits, *beside),
        "people": policy.told(finding.n_people, *beside),
    }


def in_words(policy: Policy, finding: ColumnFinding) -> str:
    """``DM__PHONE contains telephone numbers of 400 of 400 people``; rows where the table names nobody."""
    looked_at = " looked at" if finding.is_sample else ""
    told = told_counts(policy, finding)
    people = f"of {count_in_sentence(told['people'], ',')} of {people_told(told['all_people'], ',')}"
    rows = f"in {count_in_sentence(told['hits'], ',')} of {counted(finding.n_values, 'row')}"
    return f"{finding.name} contains {finding.words} {people if finding.n_all_people else rows}{looked_at}"


def one_per_column(findings: Sequence[ColumnFinding]) -> list[ColumnFinding]:
    """The gravest finding of each column, in the order of grades."""
    grades = list(Grade)
    gravest: dict[str, ColumnFinding] = {}
    for finding in sorted(findings, key=lambda finding: grades.index(finding.grade)):
        gravest.setdefault(finding.name, finding)
    return list(gravest.values())


def reasons_of(policy: Policy, findings: Sequence[ColumnFinding], where: str) -> tuple[Reason, ...]:
    """Why a file has to wait, one reason for each grade; ``where`` names the file: "the combined dataset"."""
    reasons = []
    for grade, gravity in GRAVITY.items():
        columns = [finding for finding in one_per_column(findings) if finding.grade is grade]
        if columns:
            sentence = f"In {where}, {listed([in_words(policy, finding) for finding in columns], at_most=3)}."
            remedies = {finding.what_to_do: None for finding in columns}
            to_do = [(remedy, [one.name for one in columns if one.what_to_do == remedy]) for remedy in remedies]
            remedy = "; ".join(f"{listed(names, at_most=len(names))}: {remedy}" for remedy, names in to_do)
            remedy = f'or {remedy}; or say under "identifiers", "harmless" why it names nobody (docs/identifiers.md)'
            step = {"method": "drop_column", "columns": [one.name for one in columns if one.name != SUBJECT_COLUMN]}
            dropped = ConfigChange.to(("treatment", "steps"), step, f"{grade.value}, by its values", is_added=True)
            reasons.append(Reason(gravity, sentence, remedy, (dropped,) if step["columns"] else ()))
    return tuple(reasons)
