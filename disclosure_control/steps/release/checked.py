"""A package as it was checked: what a recipient finds in it, what was not looked at, and the reasons to hold it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from disclosure_control.assess.assessment import Assessment
from disclosure_control.attack.questions import Answer, three_questions, without_rows
from disclosure_control.attack.release_findings import ReleaseFindings
from disclosure_control.attack.traces.traces import Traces
from disclosure_control.basics.settings.changes import ConfigChange
from disclosure_control.basics.telling.reasons import DECIDE_COLUMNS, Gravity, Reason
from disclosure_control.basics.telling.small_counts import Policy, count_in_sentence, people_told
from disclosure_control.basics.telling.words import capitalised, counted, listed
from disclosure_control.identifiers.column_findings import ColumnFinding
from disclosure_control.identifiers.outcome import IdentifierOutcome
from disclosure_control.identifiers.outcome import reasons_of as identifier_reasons
from disclosure_control.release.facts.facts import KINDS
from disclosure_control.release.making import Making
from disclosure_control.remedy.treatments.methods.shift_dates import REMOVE_TIMES
from disclosure_control.steps.release.course import (
    NO_COLUMNS,
    CourseRisk,
    not_reckoned_with,
    reasons_of_course,
)
from disclosure_control.steps.release.earlier import (
    BesideEarlier,
    reasons_of_earlier,
)
from disclosure_control.steps.release.keys import reasons_of_keys
from disclosure_control.steps.release.traces import reasons_of_traces
from study.columns.closed import ClosedGroup

COURSES_NOT_LOOKED_AT = (
    "Not looked at: what acquaintances know of events, treatments, visits or a death. A run from disk does not "
    "search so many rows."
)

NO_TRACES = Traces(0, 0, 0, 0, 0, 0, {})


@dataclass(frozen=True)
class PackageChecked:
    """What a recipient finds in the package of a release as it was ``made``, merged again.

    k, l and t; the ``findings`` about the released data; the longitudinal risk (``course``); what the package discloses
    with an ``earlier`` release; ``closed``: the columns that stay here until a person decides. Nothing in a first look:
    ``traces`` of originals, and columns that name people or that outsiders may know, and that the config does not
    explain (``identifiers``). Of a trial the reasons that are ``foreseen`` once lines answer the others.
    """

    made: Making = field(repr=False)
    assessment: Assessment
    findings: Callable[[Policy], ReleaseFindings] = field(repr=False)
    course: CourseRisk | None
    earlier: BesideEarlier | None
    closed: tuple[ClosedGroup, ...]
    traces: Traces = NO_TRACES
    identifiers: tuple[ColumnFinding, ...] = ()
    not_scanned: tuple[str, ...] = ()
    foreseen: tuple[Reason, ...] = ()

    def answers(self, policy: Policy) -> dict[str, Answer]:
        """The answers to the three questions; without those on rows where nobody looked at them."""
        identified = IdentifierOutcome(self.identifiers, assessed=self.assessment.config.quasi_identifiers)
        sensitive = self.made.asked.config.sensitive_features
        by_classes = three_questions(policy, self.assessment, identified=identified, sensitive=sensitive)
        return without_rows(by_classes) if self.course is None else by_classes

    def not_looked_at(self, policy: Policy) -> tuple[str, ...]:
        """Checks that were left out by the config or for size: sentences for the verdict."""
        found = list(_closed_in_words(self.closed))
        if self.course is None:
            found.append(COURSES_NOT_LOOKED_AT)
        elif not self.course.known.facts or not self.course.known.kinds:
            found.append("Not looked at: what acquaintances know of events, treatments, visits or a death.")
        elif kinds := [KINDS[kind].words for kind, why in self.course.not_counted.items() if why == NO_COLUMNS]:
            found.append(
                f"Not looked at, for no table has columns for it: {listed(kinds)}, which acquaintances may know."
            )
        if self.earlier is None:
            found.append("Not looked at: what an earlier release discloses together with this one.")
        people = self.made.people
        if people.undated is not None and (n_undated := int((people.undated & people.stays).sum())):
            n_people = self.assessment.k_anonymity.n_total
            n_told = count_in_sentence(policy.told(n_undated, n_people))
            found.append(f"No offset hides the dates of {n_told} of {people_told(n_people)}: they leave without dates.")
        reckoned = () if self.course is None else not_reckoned_with(policy, self.course)
        found += [*reckoned, *_times_that_leave(self.made.asked.settings.times)]
        found += not_scanned_in_words(self.not_scanned)
        return (*found, *self.findings(policy).not_looked_at())


def _closed_in_words(groups: Sequence[ClosedGroup]) -> Iterator[str]:
    """A sentence on the columns that stay here."""
    if n_columns := sum(len(group.columns) for group in groups):
        of_groups = capitalised("; ".join(group.words for group in groups))
        yield f"Not in it: {counted(n_columns, 'column')} that nobody understood, until you decide. {of_groups}."


def _times_that_leave(times: str | tuple[str, ...]) -> Iterator[str]:
    """A sentence on times of day that the config keeps."""
    if times != REMOVE_TIMES:
        where = "all dates" if isinstance(times, str) else f"dates of {listed(times)}"
        yield f"Not reckoned with: times of day, which the config keeps in {where}, and which single people out."


def not_scanned_in_words(names: Sequence[str]) -> list[str]:
    """A sentence on data sets that were not searched for values that name a person, if there are some."""
    if not names:
        return []
    return [
        f"Not looked at: columns of {listed(names)} that may name people by other values than the originals; these are "
        "more rows than are scanned from disk."
    ]


def _operations(patterns: Iterable[str], operation: str, why: str) -> tuple[ConfigChange, ...]:
    return tuple(ConfigChange.to(("release", "operations", one), operation, why) for one in dict.fromkeys(patterns))


def reasons_of(policy: Policy, checked: PackageChecked) -> tuple[Reason, ...]:
    """Reasons against handing on the package, except k, l and t, which the verdict evaluates itself."""
    released = checked.made.released
    reasons = reasons_of_traces(policy, checked.traces, checked.made.asked.original.columns)
    for reason in identifier_reasons(policy, checked.identifiers, "released/"):
        names = [f"{finding.domain}.{finding.column}" for finding in checked.identifiers]
        changes = _operations(names, "remove", "its values name people, or outsiders may know them")
        remedy = 'or state under "identifiers", "harmless" why they name nobody (docs/identifiers.md)'
        reasons.append(replace(reason, remedy=remedy, changes=changes))
    if released.unplaced:
        reasons.append(
            Reason(
                Gravity.OUTSIDERS_CAN_SINGLE_OUT,
                f"The treatment changed {listed(released.unplaced)}, and no file of the package has such a column or "
                "test: where its values stand, they stand as they were.",
                "or drop these columns in the treatment",
                tuple(
                    ConfigChange.to(("release", "leave_out"), domain, "it holds values as they were", is_added=True)
                    for domain in sorted({name.partition("__")[0] for name in released.unplaced})
                ),
            )
        )
    if checked.closed and not any(one.stays and one.n_values and not one.is_disguised for one in released.accounts):
        sentence = "Nothing but ids and dates would leave: you have not decided about any other column."
        reasons.append(Reason(Gravity.NOT_DECIDED, sentence, DECIDE_COLUMNS))
    worse = _worse_than_promised(checked)
    if worse:
        reasons.append(
            Reason(
                Gravity.THRESHOLD_NOT_MET,
                f"Merged again, the package is riskier than the treatment promised: {listed(worse)}.",
            )
        )
    reasons += reasons_of_keys(checked.made.package.joins)
    if checked.course is not None:
        reasons += reasons_of_course(policy, checked.course)
    if checked.earlier is not None:
        reasons += reasons_of_earlier(policy, checked.earlier)
    return (*reasons, *checked.findings(policy).reasons(), *checked.foreseen)


def _worse_than_promised(checked: PackageChecked) -> list[str]:
    promised = {(result.model, result.sensitive): result for result in checked.made.asked.promised.results}
    return [
        f"{result.model.replace('_', '-')}{f' of {result.sensitive}' if result.sensitive else ''} "
        f"({result.n_risky} instead of {one.n_risky})"
        for result in checked.assessment.results
        if (one := promised.get((result.model, result.sensitive))) and result.n_risky > one.n_risky
    ]
