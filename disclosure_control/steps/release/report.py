"""The report of a release: what was released, in figures and in words, and the reasons against handing it on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd

from Anonymization_Models import ModelResult
from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.settings.changes import ConfigChange
from disclosure_control.basics.telling.plain import INLINE, WHERE_FOUND
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.sections import (
    ADVERSARIAL,
    AnswersGiven,
    Details,
    Part,
    Section,
    Sentence,
    Style,
    Table,
    Where,
    in_chapter,
)
from disclosure_control.basics.telling.small_counts import HAND_TO_HAND, count_text, things_told
from disclosure_control.basics.telling.words import capitalised, counted, listed, people_text, share_of_text
from disclosure_control.identifiers.column_findings import ColumnFinding
from disclosure_control.identifiers.outcome import reasons_of as identifier_reasons
from disclosure_control.identifiers.outcome import told_counts
from disclosure_control.leaving.questions import Answer
from disclosure_control.leaving.release_findings import ReleaseFindings
from disclosure_control.release.accounts import Account
from disclosure_control.release.deidentify import ReleasedFile, ReleasedStudy
from disclosure_control.release.facts import KINDS
from disclosure_control.release.joins import KeyJoin
from disclosure_control.release.labels import JudgedLabels
from disclosure_control.release.people import ReleasePeople
from disclosure_control.release.raised_terms import RaisedTerms, ToldTerms
from disclosure_control.release.rare_texts import EmptiedTexts, RareTexts
from disclosure_control.release.traces import Traces
from disclosure_control.release.undecided import ProposedOperation, waiting_for_the_config
from disclosure_control.steps.release import OUTLINE
from disclosure_control.steps.release.course import (
    NO_COLUMNS,
    CourseRisk,
    ToldCourse,
    course_parts,
    not_counted_in_words,
    not_reckoned_with,
    reasons_of_course,
    told_course,
)
from disclosure_control.steps.release.earlier import (
    BesideEarlier,
    ToldBesideEarlier,
    reasons_of_earlier,
    told_beside_earlier,
)
from disclosure_control.steps.release.keys import ToldJoin, key_parts, reasons_of_keys, told_joins
from disclosure_control.steps.release.labels import LabelsTold
from disclosure_control.steps.release.traces import TracesTold, reasons_of_traces
from disclosure_control.steps.release.use import StudyCompared, UseTold, use_told
from disclosure_control.treatments.methods.shift_dates import REMOVE_TIMES
from study.operations import OperationKind

RARE_TEXTS = "rare_texts.csv"


@dataclass(frozen=True)
class PackageChecked:
    """What a recipient finds in the package, merged again.

    k, l and t, and those that the treatment ``promised``; ``traces`` of originals; columns that name people or that
    outsiders may know, and that the config does not explain (``identifiers``); ``answers`` to the three questions; the
    ``findings`` about the released data; why its define.xml, if there is one, does not describe the files
    (``no_definition``); the longitudinal risk (``course``); what the package discloses with an ``earlier`` release; and
    what became of its keys (``joins``). ``proposed``: for the variables that wait for the config.
    ``people_alike``: by the id in the package how many people share its class, for an intruder's cases.
    ``times``: which times of day the config keeps.
    """

    assessment: Assessment
    promised: Assessment
    traces: Traces
    identifiers: tuple[ColumnFinding, ...]
    answers: Mapping[str, Answer]
    findings: ReleaseFindings
    no_definition: str
    course: CourseRisk | None
    earlier: BesideEarlier | None
    not_scanned: tuple[str, ...]
    joins: tuple[KeyJoin, ...]
    proposed: tuple[ProposedOperation, ...] = ()
    people_alike: pd.Series | None = field(default=None, repr=False)
    times: str | tuple[str, ...] = REMOVE_TIMES

    @property
    def not_looked_at(self) -> tuple[str, ...]:
        """Checks that were left out by the config or for size: sentences for the verdict."""
        found = []
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
        reckoned = () if self.course is None else not_reckoned_with(self.course)
        found += [*reckoned, *_times_that_leave(self.times)]
        return (*found, *not_scanned_in_words(self.not_scanned), *self.findings.not_looked_at())


_UNCHANGED = (OperationKind.KEEP, OperationKind.NO_FURTHER)
FILES_THAT_LEAVE = "The files that leave"
COURSES_NOT_LOOKED_AT = (
    "Not looked at: what acquaintances know of events, treatments, visits or a death. A run from disk does not "
    "search so many rows."
)


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


def undecided(released: ReleasedStudy) -> dict[str, int]:
    """Variables that wait for the config, as patterns for it, with the number of values of each."""
    waiting = waiting_for_the_config(released).items()
    return {pattern: sum(account.n_values for account in accounts) for pattern, accounts in waiting}


def _operations(patterns: Iterable[str], operation: str, why: str) -> tuple[ConfigChange, ...]:
    return tuple(ConfigChange.to(("release", "operations", one), operation, why) for one in dict.fromkeys(patterns))


def reasons_of(released: ReleasedStudy, checked: PackageChecked) -> tuple[Reason, ...]:
    """Reasons against handing on the package, except k, l and t, which the verdict evaluates itself."""
    reasons = reasons_of_traces(checked.traces)
    for reason in identifier_reasons(checked.identifiers, "released/"):
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
    proposed = checked.proposed
    if proposed:
        reasons.append(
            Reason(
                Gravity.NOT_DECIDED,
                f"{counted(len(proposed), 'variable')} that the table of operations leaves to you "
                f"{'is' if len(proposed) == 1 else 'are'} left out until you decide: "
                f"{listed([one.pattern for one in proposed])}.",
                "or decide otherwise: the lines go by the values",
                tuple(change for one in proposed for change in _operations([one.pattern], one.operation, one.why)),
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
    reasons += reasons_of_keys(checked.joins)
    if checked.course is not None:
        reasons += reasons_of_course(checked.course)
    if checked.earlier is not None:
        reasons += reasons_of_earlier(checked.earlier)
    return (*reasons, *checked.findings.reasons())


def _worse_than_promised(checked: PackageChecked) -> list[str]:
    promised = {(result.model, result.sensitive): result for result in checked.promised.results}
    return [
        f"{result.model.replace('_', '-')}{f' of {result.sensitive}' if result.sensitive else ''} "
        f"({result.n_risky} instead of {one.n_risky})"
        for result in checked.assessment.results
        if (one := promised.get((result.model, result.sensitive))) and result.n_risky > one.n_risky
    ]


@dataclass(frozen=True)
class FileReleased:
    """A file of the package beside its source."""

    records: int | None
    records_of_source: int | None
    columns: int
    columns_of_source: int

    @classmethod
    def of(cls, file: ReleasedFile) -> FileReleased:
        """The file masked for the report: records are of people, unless the file has no person's row."""
        n, n_of_source = file.n_records, file.source.table.n_rows
        is_of_people = file.has_people or n < n_of_source
        of_source = HAND_TO_HAND.told(n_of_source, n) if is_of_people else n_of_source
        return cls(
            HAND_TO_HAND.told(n) if is_of_people else n,
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
        """The result of a model, masked for the report."""
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
    def of(cls, emptied: EmptiedTexts) -> TextsEmptied:
        """What was emptied in a column, masked for the report."""
        return cls(f"{emptied.file}.{emptied.column}", HAND_TO_HAND.told(emptied.cells))


@dataclass(frozen=True)
class ReleaseTold:
    """The part ``release`` of the JSON summary: counts and names, no value and no id.

    ``operations`` has the variables by operation, ``kept`` those that no operation changes, ``undecided`` those that
    wait for the config with the number of values of each, ``unplaced`` what the treatment changed and no file has.
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
    rare_terms: Sequence[ToldTerms]
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


def release_told(
    released: ReleasedStudy,
    file_names: Mapping[str, str],
    checked: PackageChecked,
    people: ReleasePeople,
    raised: Sequence[RaisedTerms],
    no_definition: str,
    texts: RareTexts,
    labels: JudgedLabels,
    compared: StudyCompared | None = None,
) -> ReleaseTold:
    """What was released, masked for the report; ``no_definition`` says why the package has no define.xml."""
    accounts = [account for account in released.accounts if account.n_values or not account.rows_of]
    return ReleaseTold(
        released=True,
        people=int(people.stays.sum()),
        people_left_out=int((~people.stays).sum()),
        files={file_names[name]: FileReleased.of(file) for name, file in released.files.items()},
        left_out=released.left_out,
        operations={
            str(kind): sorted({f"{a.file}.{a.variable}" for a in accounts if a.operation.operation == kind})
            for kind in OperationKind
            if kind not in _UNCHANGED
        },
        kept=sorted({f"{a.file}.{a.variable}" for a in accounts if a.operation.operation in _UNCHANGED}),
        recoded=sorted({f"{account.file}.{account.variable}" for account in accounts if account.recoded}),
        values_lost=_told_of_variables(accounts, "n_lost"),
        partial_dates=_told_of_variables(accounts, "n_partial"),
        times_removed=_told_of_variables(accounts, "n_times"),
        undecided={pattern: HAND_TO_HAND.told(n) for pattern, n in undecided(released).items()},
        unplaced=list(released.unplaced),
        rare_terms=[ToldTerms.of(one) for one in raised],
        rare_texts=[TextsEmptied.of(one) for one in texts.emptied],
        labels=LabelsTold.of(labels),
        longitudinal=None if checked.course is None else told_course(checked.course),
        earlier_release=None if checked.earlier is None else told_beside_earlier(checked.earlier),
        traces=TracesTold.of(checked.traces),
        identifiers=[
            IdentifierReleased(finding.name, finding.kind, finding.certainty, told_counts(finding)["people"])
            for finding in checked.identifiers
        ],
        as_a_recipient_finds_it=[ModelInPackage.of(result) for result in checked.assessment.results],
        as_promised=[ModelInPackage.of(result) for result in checked.promised.results],
        not_scanned=checked.not_scanned or None,
        joins=told_joins(checked.joins),
        three_questions=checked.answers,
        findings=checked.findings,
        no_define_xml=no_definition,
        study_tables=None if compared is None else use_told(compared),
    )


def _told_of_variables(accounts: Sequence[Account], counts: str) -> dict[str, int | None]:
    """By variable, the values that such a field of its account counts, if there are some; None where masked."""
    found = {f"{one.file}.{one.variable}": (getattr(one, counts), one.n_values) for one in accounts}
    return {name: HAND_TO_HAND.told(n, n_values) for name, (n, n_values) in found.items() if n}


def refusal_sections(reason: str) -> tuple[Section, ...]:
    return (OUTLINE.section((Sentence(f"Nothing was released: {reason}", Style.NOTICE),)),)


def release_sections(told: ReleaseTold) -> tuple[Section, ...]:
    """Files, operations, searches, and the figures of the package."""
    asked = (*_searched(told), *_found(told))
    parts = (*_files(told), *_done(told), *key_parts(told.joins), *asked)
    return (
        OUTLINE.section(parts),
        *_evidence(told),
        in_chapter(ADVERSARIAL, "Searches of released/, as somebody would who holds it", asked),
    )


def _evidence(told: ReleaseTold) -> Iterator[Section]:
    """The operations on the files that leave, and the variables that leave as they came in."""
    named = [[kind, listed(names, 60)] for kind, names in told.operations.items() if names]
    operations = Table("Operations", ("Operation on the study's files", "Variables"), named, where=Where.EVIDENCE)
    yield Section("treatment", "", [Sentence(FILES_THAT_LEAVE, Style.HEADING, Where.EVIDENCE), operations])
    kept = sorted(set(told.kept) - set(told.recoded))
    if kept:
        emptied = ", but for cells that were emptied as rare" if told.rare_texts or told.rare_terms else ""
        text = f"{counted(len(kept), 'variable')} in released/ leave as they came in{emptied}: {listed(kept, 40)}."
        yield Section("residual_risk", "", [Sentence(text, where=Where.EVIDENCE)])


def _files(told: ReleaseTold) -> Iterator[Part]:
    people, left_out = people_text(told.people), people_text(told.people_left_out)
    yield Sentence(f"The whole study is in released/: {people} in the files, {left_out} left out.")
    rows = [
        [name, *map(count_text, (file.records, file.records_of_source, file.columns, file.columns_of_source))]
        for name, file in told.files.items()
    ]
    columns = ("File", "Records", "In the source", "Columns", "In the source")
    yield Table("Files of the package", columns, rows, range(1, 5))
    for name, reason in told.left_out.items():
        yield Sentence(f"Not released: {name}, {reason}.", Style.NOTICE)
    for pattern in told.undecided:
        yield Sentence(f"{pattern} waits for your decision and is left out.", Style.NOTICE)
    definition = f"none, {told.no_define_xml}" if told.no_define_xml else "of the files as they are"
    yield Sentence(f"define.xml: {definition}.")


def _done(told: ReleaseTold) -> Iterator[Part]:
    done = [f"{kind.replace('_', ' ')}: {', '.join(names)}" for kind, names in told.operations.items() if names]
    done += [f"recoded by the treatment: {', '.join(told.recoded)}"] if told.recoded else []
    yield Details("What was done to the variables", done)
    for place, n in told.values_lost.items():
        yield Sentence(
            f"{place}: {things_told(n, 'value')} emptied: unreadable, or outside every band of the treatment."
        )
    yield from _on_dates(told)
    if told.rare_texts:
        named = [f"{one.column} {'fewer than 10' if one.cells is None else one.cells}" for one in told.rare_texts]
        yield Sentence(
            f"Emptied cells with a text of few people, or of a form that names somebody: {listed(named, 60)}. "
            f'{RARE_TEXTS} lists the texts, for you alone. Texts that name nobody may leave: "release": '
            f'{{"declared_texts": {{"{told.rare_texts[0].column}": "all", or a list of texts}}}}.',
            Style.NOTICE,
        )
    yield from told.labels.parts()
    if told.rare_terms:
        yield Sentence("Rare terms", Style.HEADING)
        yield from (Sentence(one.words()) for one in told.rare_terms)


def _on_dates(told: ReleaseTold) -> Iterator[Part]:
    """How many partial dates moved, and how many times of day were removed."""
    if told.partial_dates:
        n, named = _together(told.partial_dates, "partial date"), listed(told.partial_dates, 20)
        yield Sentence(
            f"{n} moved as whole months or years: {named}. Intervals and orders of complete dates did not change."
        )
    if told.times_removed:
        n, named = _together(told.times_removed, "time"), listed(told.times_removed, 20)
        yield Sentence(f'{n} of day removed: {named}. To keep them: "release": {{"times": "keep"}}.')


def _together(counts: Mapping[str, int | None], noun: str) -> str:
    """How many things all variables have; masked where one of them is."""
    told = [n for n in counts.values() if n is not None]
    return capitalised(things_told(sum(told) if len(told) == len(counts) else None, noun))


def _searched(told: ReleaseTold) -> Iterator[Part]:
    yield Sentence("What was searched for in the package", Style.HEADING)
    yield from told.traces.parts()
    named = "".join(f"; {one.column} ({one.kind}, {one.certainty})" for one in told.identifiers)
    n_found = len(told.identifiers)
    yield Sentence(f"Columns that name people or that outsiders may know, by the scan of values: {n_found}{named}.")
    for sentence in not_scanned_in_words(told.not_scanned or ()):
        yield Sentence(sentence, Style.NOTICE)


def _found(told: ReleaseTold) -> Iterator[Part]:
    yield Sentence("What a recipient finds in it", Style.HEADING)
    yield Sentence("The package was merged again, as Create_Combined_Pilot_Dataset.py does it, and evaluated.")
    yield Table("Risk in the package", ("Model", "Promised", "Found"), _model_rows(told))
    yield AnswersGiven("of released/, by its quasi-identifiers", tuple(told.three_questions.values()), Where.TEXT)
    yield Sentence("What else the merged package tells", Style.HEADING, Where.TEXT)
    yield from (Sentence(sentence, where=Where.TEXT) for sentence in told.findings.words())
    if told.longitudinal and told.longitudinal.known:
        yield from course_parts(told.longitudinal)
    elif told.longitudinal:
        lines = not_counted_in_words(told.longitudinal.not_counted)
        yield Sentence("What rows disclose beyond the quasi-identifiers: not counted.", Style.NOTICE, further=lines)
    else:
        yield Sentence(COURSES_NOT_LOOKED_AT, Style.NOTICE)
    if told.earlier_release:
        yield from told.earlier_release.parts()


def _model_rows(told: ReleaseTold) -> list[list[str]]:
    found = {(one.model, one.sensitive): one.text for one in told.as_a_recipient_finds_it}
    return [
        [
            f"{one.model.replace('_', '-')}{f' of {one.sensitive}' if one.sensitive else ''}",
            one.text,
            found.get((one.model, one.sensitive), "not in the package"),
        ]
        for one in told.as_promised
    ]
