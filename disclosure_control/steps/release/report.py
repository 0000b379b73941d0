"""What was released, in figures and in words, and what speaks against letting it leave."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from Anonymization_Models import ModelResult
from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.sections import (
    AnswersGiven,
    Details,
    Part,
    Section,
    Sentence,
    Style,
    Table,
    Where,
)
from disclosure_control.basics.telling.words import counted, listed, people_text, share_text
from disclosure_control.identifiers.column_findings import ColumnFinding
from disclosure_control.identifiers.outcome import reasons_of as identifier_reasons
from disclosure_control.identifiers.outcome import told_counts
from disclosure_control.leaving.questions import Answer
from disclosure_control.leaving.release_findings import FINDINGS, not_looked_at, reasons_to_hold
from disclosure_control.release.deidentify import ReleasedStudy
from disclosure_control.release.people import ReleasePeople
from disclosure_control.release.rare_terms import RaisedTerms
from disclosure_control.release.traces import Traces
from disclosure_control.steps.release import OUTLINES
from disclosure_control.steps.release.course import (
    CourseRisk,
    course_figures,
    course_parts,
    raised_figures,
    raised_parts,
    reasons_of_course,
)
from disclosure_control.steps.release.earlier import (
    BesideEarlier,
    earlier_figures,
    earlier_parts,
    reasons_of_earlier,
)
from study.operations import OperationKind


@dataclass(frozen=True)
class PackageChecked:
    """What a recipient finds in the package, merged again.

    k, l and t, and those that the treatment ``promised``; ``traces`` of originals; columns that name people or that
    outsiders may know, which the config does not answer for (``identifiers``); ``answers`` to the three questions; and
    the figures of the ``findings`` about what leaves, by name; and why its define.xml, where it has one, does not say
    what the files are (``no_definition``); the longitudinal risk (``course``); and what the package tells beside an
    ``earlier`` release.
    """

    assessment: Assessment
    promised: Assessment
    traces: Traces
    identifiers: tuple[ColumnFinding, ...] = ()
    answers: Mapping[str, Answer] = field(default_factory=dict)
    findings: Mapping[str, Any] = field(default_factory=dict)
    no_definition: str = ""
    course: CourseRisk | None = None
    earlier: BesideEarlier | None = None
    not_scanned: tuple[str, ...] = ()

    @property
    def not_looked_at(self) -> tuple[str, ...]:
        """What speaks neither for nor against it, left out by the config or too large: sentences for the verdict."""
        found = []
        if self.course is None:
            found.append(COURSES_NOT_LOOKED_AT)
        elif not self.course.known.facts:
            found.append("Not reckoned with: what acquaintances know of events, treatments, visits or a death.")
        if self.earlier is None:
            found.append("Not looked at: what an earlier release tells beside this one.")
        return (*found, *not_scanned_in_words(self.not_scanned), *not_looked_at(self.findings))


COURSES_NOT_LOOKED_AT = (
    "Not looked at: what acquaintances know of events, treatments, visits or a death; the rows that tell it are more "
    "than are searched from disk."
)


def not_scanned_in_words(names: Sequence[str]) -> list[str]:
    """A sentence on data sets in which no value was searched that names a person, where there are some."""
    if not names:
        return []
    return [
        f"Not looked at: columns of {listed(names)} that may name people by other values than the originals; these are "
        "more rows than are scanned from disk."
    ]


def undecided(released: ReleasedStudy) -> dict[str, int]:
    """Variables that wait for the config, as patterns that it may name, and how many values each has."""
    found: dict[str, int] = {}
    for account in released.accounts:
        if account.operation.operation == OperationKind.REVIEW and account.n_values:
            pattern = f"{account.domain}.{account.variable}"
            found[pattern] = found.get(pattern, 0) + account.n_values
    return found


def reasons_of(released: ReleasedStudy, checked: PackageChecked) -> tuple[Reason, ...]:
    """What speaks against letting the package leave, but for k, l and t, which the verdict asks of itself."""
    reasons = []
    traces = checked.traces
    if traces.total:
        places = listed(f"{place} {n}" for place, n in sorted(traces.where.items()))
        first = next(iter(sorted(traces.where)))
        reasons.append(
            Reason(
                Gravity.NAMES_A_PERSON,
                f"released/ holds {counted(traces.total, 'trace')} of original ids, dates or removed identifiers: "
                f"{places}.",
                f'"release": {{"operations": {{"{first}": "remove"}}}}',
            )
        )
    for reason in identifier_reasons(checked.identifiers, "released/"):
        names = dict.fromkeys(f"{finding.domain}.{finding.column}" for finding in checked.identifiers)
        lines = ", ".join(f'"{name}": "remove"' for name in names)
        reasons.append(replace(reason, remedy=f'"release": {{"operations": {{{lines}}}}}, or declare them harmless'))
    if released.unplaced:
        reasons.append(
            Reason(
                Gravity.OUTSIDERS_CAN_SINGLE_OUT,
                f"The treatment changed {listed(released.unplaced)}, and no file of the package has such a column or "
                "test: where its values stand, they stand as they were.",
                '"release": {"leave_out": [the domain]}',
            )
        )
    waiting = undecided(released)
    if waiting:
        lines = ", ".join(f'"{pattern}": "remove"' for pattern in waiting)
        reasons.append(
            Reason(
                Gravity.NOT_DECIDED,
                f"{counted(len(waiting), 'variable')} that the table of operations leaves to you "
                f"{'is' if len(waiting) == 1 else 'are'} left out until you decide: {listed(waiting)}.",
                f'"release": {{"operations": {{{lines}}}}}  (or "keep")',
            )
        )
    worse = _worse_than_promised(checked)
    if worse:
        reasons.append(
            Reason(
                Gravity.THRESHOLD_NOT_MET,
                f"Merged again, the package is riskier than the treatment promised: {listed(worse)}.",
            )
        )
    if checked.course is not None:
        reasons += reasons_of_course(checked.course)
    if checked.earlier is not None:
        reasons += reasons_of_earlier(checked.earlier)
    return (*reasons, *reasons_to_hold(checked.findings))


def _worse_than_promised(checked: PackageChecked) -> list[str]:
    promised = {(result.model, result.sensitive): result for result in checked.promised.results}
    return [
        f"{result.model.replace('_', '-')}{f' of {result.sensitive}' if result.sensitive else ''} "
        f"({result.n_risky} instead of {one.n_risky})"
        for result in checked.assessment.results
        if (one := promised.get((result.model, result.sensitive))) and result.n_risky > one.n_risky
    ]


def release_figures(
    released: ReleasedStudy,
    file_names: Mapping[str, str],
    checked: PackageChecked,
    people: ReleasePeople,
    raised: Sequence[RaisedTerms] = (),
) -> dict[str, Any]:
    """The figures under ``release`` in the JSON summary: counts and names, no value and no id."""
    traces = checked.traces
    accounts = [account for account in released.accounts if account.n_values or not account.rows_of]
    return {
        "released": True,
        "people": int(people.stays.sum()),
        "people_left_out": int((~people.stays).sum()),
        "files": {
            file_names[name]: {
                "records": file.n_records,
                "records_of_source": file.source.table.n_rows,
                "columns": file.columns.shape[1],
                "columns_of_source": file.source.table.frame.shape[1],
            }
            for name, file in released.files.items()
        },
        "left_out": released.left_out,
        "operations": {
            str(kind): sorted({f"{a.file}.{a.variable}" for a in accounts if a.operation.operation == kind})
            for kind in OperationKind
            if kind not in (OperationKind.KEEP, OperationKind.NO_FURTHER)
        },
        "recoded": sorted({f"{account.file}.{account.variable}" for account in accounts if account.recoded}),
        "values_lost": {f"{account.file}.{account.variable}": account.n_lost for account in accounts if account.n_lost},
        "undecided": undecided(released),
        "unplaced": list(released.unplaced),
        "rare_terms": raised_figures(raised),
        "longitudinal": None if checked.course is None else course_figures(checked.course),
        "earlier_release": None if checked.earlier is None else earlier_figures(checked.earlier),
        "traces": {
            "searched": traces.n_searched,
            "original_ids": traces.original_ids,
            "id_digits": traces.id_digits,
            "original_dates": traces.original_dates,
            "removed_identifiers": traces.removed_identifiers,
            "people_left_out": traces.people_left_out,
            "where": dict(traces.where),
        },
        "identifiers": [
            {"column": finding.name, "kind": finding.kind, "certainty": finding.certainty}
            | {"people": told_counts(finding)["people"]}
            for finding in checked.identifiers
        ],
        "as_a_recipient_finds_it": [_model(result) for result in checked.assessment.results],
        "as_promised": [_model(result) for result in checked.promised.results],
        **({"not_scanned": list(checked.not_scanned)} if checked.not_scanned else {}),
        "three_questions": {name: asdict(answer) for name, answer in checked.answers.items()},
        **checked.findings,
    }


def _model(result: ModelResult) -> dict[str, Any]:
    return {
        "model": result.model,
        "sensitive": result.sensitive,
        "threshold": result.threshold,
        "evaluated": result.n_evaluated,
        "risky": result.n_risky,
    }


def refusal_sections(reason: str) -> tuple[Section, ...]:
    """Why nothing was released."""
    (outline,) = OUTLINES
    return (Section(outline.key, outline.title, (Sentence(f"Nothing was released: {reason}", Style.NOTICE),)),)


def release_sections(figures: Mapping[str, Any], answers: Mapping[str, Answer]) -> tuple[Section, ...]:
    """Files, what was done, what was searched for, and the figures of the package."""
    (outline,) = OUTLINES
    parts = (*_files(figures), *_done(figures), *_searched(figures), *_found(figures, answers))
    named = [[kind, listed(names, 60)] for kind, names in figures["operations"].items() if names]
    operations = Table("Operations", ("Operation on the study's files", "Variables"), named, where=Where.EVIDENCE)
    return (
        Section(outline.key, outline.title, parts),
        Section("treatment", "", [operations] if named else []),
    )


def _files(figures: Mapping[str, Any]) -> Iterator[Part]:
    people, left_out = people_text(figures["people"]), people_text(figures["people_left_out"])
    yield Sentence(f"The whole study is in released/: {people} in the files, {left_out} left out.")
    rows = [
        [name, file["records"], file["records_of_source"], file["columns"], file["columns_of_source"]]
        for name, file in figures["files"].items()
    ]
    columns = ("File", "Records", "In the source", "Columns", "In the source")
    yield Table("Files of the package", columns, rows, range(1, 5))
    for name, reason in figures["left_out"].items():
        yield Sentence(f"Not released: {name}, {reason}.", Style.NOTICE)
    for pattern in figures["undecided"]:
        yield Sentence(f"{pattern} waits for your decision and is left out.", Style.NOTICE)
    no_definition = figures["no_define_xml"]
    yield Sentence(f"define.xml: {f'none, {no_definition}' if no_definition else 'of the files as they are'}.")


def _done(figures: Mapping[str, Any]) -> Iterator[Part]:
    done = [f"{kind.replace('_', ' ')}: {', '.join(names)}" for kind, names in figures["operations"].items() if names]
    done += [f"recoded by the treatment: {', '.join(figures['recoded'])}"] if figures["recoded"] else []
    yield Details("What was done to the variables", done)
    for place, n in figures["values_lost"].items():
        yield Sentence(f"{place}: {counted(n, 'value')} emptied, unreadable.")
    yield from raised_parts(figures["rare_terms"])


def _searched(figures: Mapping[str, Any]) -> Iterator[Part]:
    traces = figures["traces"]
    yield Sentence("What was searched for in the package", Style.HEADING)
    yield Sentence(f"The files were opened again from disk, and {counted(traces['searched'], 'cell')} searched.")
    yield Sentence(
        f"Found: original ids: {traces['original_ids']}; their digits: {traces['id_digits']}; dates that were not "
        f"moved: {traces['original_dates']}; values of removed identifiers: {traces['removed_identifiers']}; records "
        f"of people left out: {traces['people_left_out']}."
    )
    for where, n in traces["where"].items():
        yield Sentence(f"Traces of originals in {where}: {n}.", Style.NOTICE)
    named = "".join(f"; {one['column']} ({one['kind']}, {one['certainty']})" for one in figures["identifiers"])
    n_found = len(figures["identifiers"])
    yield Sentence(f"Columns that name people or that outsiders may know, by the scan of values: {n_found}{named}.")
    for sentence in not_scanned_in_words(figures.get("not_scanned", ())):
        yield Sentence(sentence, Style.NOTICE)


def _found(figures: Mapping[str, Any], answers: Mapping[str, Answer]) -> Iterator[Part]:
    yield Sentence("What a recipient finds in it", Style.HEADING)
    yield Sentence("The package was merged again by door 1 and evaluated.")
    yield Table("Risk in the package", ("Model", "Promised", "Found"), _model_rows(figures))
    yield AnswersGiven("of released/, by its quasi-identifiers", tuple(answers.values()), Where.TEXT)
    yield Sentence("What else the merged package tells", Style.HEADING, Where.TEXT)
    for name, finding in FINDINGS.items():
        for sentence in finding.words(figures[name]):
            yield Sentence(sentence, where=Where.TEXT)
    if figures["longitudinal"]:
        yield from course_parts(figures["longitudinal"])
    else:
        yield Sentence(COURSES_NOT_LOOKED_AT, Style.NOTICE)
    if figures["earlier_release"]:
        yield from earlier_parts(figures["earlier_release"])


def _model_rows(figures: Mapping[str, Any]) -> list[list[str]]:
    promised = {(one["model"], one["sensitive"]): one for one in figures["as_promised"]}
    found = {(one["model"], one["sensitive"]): one for one in figures["as_a_recipient_finds_it"]}
    return [
        [
            f"{model.replace('_', '-')}{f' of {sensitive}' if sensitive else ''}",
            _risky(one),
            _risky(found.get((model, sensitive))),
        ]
        for (model, sensitive), one in promised.items()
    ]


def _risky(one: Mapping[str, Any] | None) -> str:
    if one is None:
        return "not in the package"
    share = one["risky"] / one["evaluated"] if one["evaluated"] else None
    return f"{one['risky']} of {one['evaluated']} ({share_text(share)}) at risk"
