"""The verdict: may what this run made leave the house? First in the text, in the JSON summary and on the screen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from Anonymization_Models import ModelResult
from disclosure_control.assess.assessment import Assessment
from disclosure_control.attack.questions import Answer, beside_reasons
from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.settings.changes import ConfigChange, applied, lines_to_paste, treatment_steps
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.section_text import as_text
from disclosure_control.basics.telling.sections import AnswersGiven, Details, Part, Section, Sentence, Style, Where
from disclosure_control.basics.telling.words import capitalised, counted, in_short
from disclosure_control.steps.running import StepResult
from disclosure_control.steps.treatment import DATASETS
from disclosure_control.study_tables.fit import LOSES, FitForUse, outside_of

MAY_LEAVE, HOLD = "May leave", "Hold"
NOTHING_AGAINST_IT = "It meets all thresholds of the config, and this run found no reason against its release."
LEFT_OPEN = "Not in it, or not looked at"
NO_FINDING = (
    "These figures do not prove anonymity in the sense of the GDPR: with a key, data are pseudonymised. The decision "
    "is yours."
)
MOST_REASONS = 3
ALL_WORDS, MOST_WORDS = 33, 24  # of the reasons on the first screen, and of one of them
BOUNDS = "What these figures do not prove"
TAKE_THE_PLACE = "Lines take the place of those in the config with the same key. Then run again."
PROPOSE_COMMAND = "python Main_Anonymization.py {} --propose"
TOLD = Where.FIRST | Where.PAGE | Where.EVIDENCE
NOTHING = "nothing is released"
FEW_PEOPLE = 10  # of fewer, or of fewer than 2 K, only a person can say that they may leave
NOTHING_SENSITIVE = "Not assessed: what can be inferred about a person, for the config names no sensitive feature."
_RECOMMEND = ConfigChange.to(("recommend",), {}, "searches for the mildest recoding that meets K, L and T")
_TREATMENT = ConfigChange.to(
    ("treatment",),
    [{"method": "drop_identifiers"}, {"method": "recommended"}],
    "columns that name people are dropped, and the recoding that recommend finds is applied",
)
_RECOMMENDED = {"method": "recommended"}
_RELEASE = ConfigChange.to(
    ("release",),
    {"key_from": {"environment": "PILOT_KEY"}},
    "the whole study leaves; the key is in the environment, and pseudonyms are made with it",
)
# Reasons of these steps against their own product do not apply to another product released in its place.
_WHY = "why it is acceptable"  # what a person writes in its place is an answer, and it is none
_OF_ITS_OWN_PRODUCT = {"released/": ("treatment", "identifiers")}


@dataclass(frozen=True)
class LeavingProduct:
    """What would be released: its name, and its k, l and t; None where nothing is released.

    ``answers`` to the three questions about it; ``not_looked_at``: sentences on what this run did not examine.
    ``use``: whether it is fit for use, None where its tables were not compared.
    """

    about: str
    assessment: Assessment | None
    answers: Mapping[str, Answer] = field(default_factory=dict)
    not_looked_at: tuple[str, ...] = ()
    use: FitForUse | None = None


@dataclass(frozen=True)
class Verdict:
    """``about`` what leaves; ``reasons`` against it, gravest first, none where it may leave.

    ``vetoes`` are those among them that no share of risk outweighs: what steps found that names people, or that
    singles them out by what outsiders may know. ``answers`` to the three questions are those of what leaves, and
    ``use`` says whether it is fit for use. ``pilot``: its name, in the command to type next.
    ``before``: the answers about the pilot as it came in.
    """

    about: str
    reasons: tuple[Reason, ...]
    vetoes: tuple[Reason, ...] = ()
    answers: Mapping[str, Answer] = field(default_factory=dict)
    not_looked_at: tuple[str, ...] = ()
    use: FitForUse | None = None
    pilot: str = "PILOT"
    before: Mapping[str, Answer] = field(default_factory=dict)

    @property
    def may_leave(self) -> bool:
        """Whether there is no reason against a release."""
        return not self.reasons

    @property
    def figures(self) -> dict[str, object]:
        """The part ``verdict`` of the JSON summary."""
        return {
            "verdict": MAY_LEAVE if self.may_leave else HOLD,
            "about": self.about,
            "reasons": [
                {"gravity": reason.gravity.name.lower(), "sentence": reason.sentence, "next": reason.next}
                for reason in self.reasons[:MOST_REASONS]
            ],
            "further_reasons": max(0, len(self.reasons) - MOST_REASONS),
            "not_looked_at": list(self.not_looked_at),
            "three_questions": {name: asdict(answer) for name, answer in self.answers.items()},
            **({} if self.use is None else {"fit_for_use": str(self.use.answer), "loses": self.use.loses}),
        }

    @property
    def text(self) -> str:
        """The first screen in lines: verdict, three questions, losses or at most three reasons, and the next step."""
        return as_text([self.section], Where.FIRST)

    @property
    def section(self) -> Section:
        """The verdict at the beginning of every text and page; shared pages do not show its reasons."""
        return Section("verdict", MAY_LEAVE if self.may_leave else HOLD, tuple(self._parts()), self._tone)

    @property
    def at_length(self) -> Section:
        """What the first screen counts or shortens, for the text with everything."""
        return Section("verdict", "The verdict at length", tuple(self._at_length()))

    @property
    def _tone(self) -> str:
        return "good" if self.may_leave else "bad"

    def _parts(self) -> Iterator[Part]:
        fit = "" if self.use is None else f" Fit for use: {self.use.answer}."
        on = "Nothing is released." if self.about == NOTHING else f"On {self.about}."
        yield Sentence(f"{on}{fit}", where=Where.PAGE)
        yield Sentence(on if self.use is None else f"{on} {outside_of(self.use)}", where=Where.OUTSIDE)
        verdict = f"{HOLD}, {NOTHING}" if self.about == NOTHING else MAY_LEAVE if self.may_leave else HOLD
        of = "" if self.about == NOTHING else f" on {self.about}"
        yield Sentence(f"VERDICT{of}: {verdict}.{fit}", Style.HEADING, Where.FIRST | Where.EVIDENCE)
        for sentence in self.not_looked_at:
            if sentence == NOTHING_SENSITIVE:
                yield Sentence(sentence, where=Where.FIRST | Where.EVIDENCE)  # the table of the page says so
        if self.answers:
            before = tuple(self.before[name] for name in self.answers) if self.before else ()
            yield AnswersGiven(f"of {self.about}", tuple(self.answers.values()), TOLD, before)
        yield from self._why_it_may_leave() if self.may_leave else self._why_not()
        n = len(self.not_looked_at)
        if n:
            yield Sentence(f"{LEFT_OPEN} ({n}): in the details.", where=Where.FIRST)
            yield from (Sentence(sentence, where=Where.EVIDENCE) for sentence in self.not_looked_at)
        lines = [*([NOTHING_AGAINST_IT] if self.may_leave else ()), *self.not_looked_at, NO_FINDING]
        yield Details(f"{LEFT_OPEN} ({n})" if n else BOUNDS, lines, where=Where.PAGE)

    def _why_it_may_leave(self) -> Iterator[Part]:
        yield Sentence(NOTHING_AGAINST_IT, where=Where.EVIDENCE)
        if self.use is not None:
            yield Sentence(LOSES, where=Where.FIRST, further=self.use.losses)
            yield Sentence(f"{LOSES}:", where=Where.PAGE)
            yield from (Sentence(loss, Style.POINT, Where.PAGE) for loss in self.use.losses)
        yield Sentence(f"Next: hand over {self.about}, nothing else of this folder.", where=Where.FIRST | Where.PAGE)

    def _why_not(self) -> Iterator[Part]:
        yield Sentence("The reasons are in the data controller's report only.", where=Where.OUTSIDE)
        first = self.reasons[:MOST_REASONS]
        yield Sentence("Reasons", where=Where.FIRST | Where.PAGE)
        for reason in first:
            short = in_short(reason.sentence, min(MOST_WORDS, ALL_WORDS // len(first)))
            words = [] if short == reason.sentence else [reason.sentence]
            words += [capitalised(reason.otherwise)] if reason.remedy else []
            yield Sentence(short, Style.STEP, Where.FIRST)
            yield Sentence(reason.sentence, Style.STEP, Where.EVIDENCE)  # lines of the config are the controller's
            yield Sentence(
                short, Style.STEP, Where.PAGE, [*words, TAKE_THE_PLACE] if reason.lines else words, reason.lines
            )
        rest = self.reasons[MOST_REASONS:]
        if rest:
            more = counted(len(rest), "further reason")
            yield Sentence(f"{more}: in the details.", where=Where.FIRST)
            yield Details(more, [_with_next(reason) for reason in rest], where=Where.PAGE)
            yield Details(more, [reason.sentence for reason in rest], where=Where.EVIDENCE)
        if any(reason.changes for reason in self.reasons):
            command = PROPOSE_COMMAND.format(self.pilot)
            yield Sentence(f"Next: {command}", where=Where.FIRST)
            yield Sentence("Next:", where=Where.PAGE, code=command)
        elif following := [reason.next for reason in self.reasons if reason.next]:
            yield Sentence(f"Next: {following[0]}", where=Where.FIRST)
        if self.use is not None:
            yield Details(f"{LOSES} ({len(self.use.losses)})", self.use.losses, where=Where.PAGE)

    def _at_length(self) -> Iterator[Part]:
        if self.may_leave:
            yield Sentence(NOTHING_AGAINST_IT, where=Where.TEXT)
        elif self.use is not None:
            yield Sentence(LOSES, where=Where.TEXT, further=self.use.losses)
        yield from (Sentence(_with_next(reason), Style.STEP, Where.TEXT) for reason in self.reasons)
        if self.answers:
            yield AnswersGiven(f"of {self.about}", tuple(self.answers.values()), Where.TEXT)
        if self.not_looked_at:
            yield Sentence(LEFT_OPEN, Style.HEADING, Where.TEXT)
            yield from (Sentence(one, where=Where.TEXT) for one in self.not_looked_at)
        yield Sentence(NO_FINDING, where=Where.TEXT)


def _with_next(reason: Reason) -> str:
    return f"{reason.sentence}{f' Next: {reason.next}' if reason.next else ''}"


def what_leaves(steps: Mapping[str, StepResult]) -> LeavingProduct:
    """``released/`` if this run wrote one, else the treated dataset, else nothing.

    Where the config asks for a whole study and none was written, the flat table is no substitute for it.
    """
    release, treatment = steps.get("release"), steps.get("treatment")
    if release is not None:
        found = release.outcome
        if not found:
            return LeavingProduct(NOTHING, None)
        return LeavingProduct("released/", found.assessment, release.answers, release.not_looked_at, release.use)
    written = [name for name in DATASETS if treatment is not None and name in treatment.datasets]
    if treatment is not None and written:
        return LeavingProduct(written[0], treatment.outcome.as_released, treatment.answers, treatment.not_looked_at)
    return LeavingProduct(NOTHING, None)


def verdict_on(
    leaving: LeavingProduct,
    steps: Mapping[str, StepResult],
    further: Sequence[Reason] = (),
    config: Mapping[str, Any] | None = None,
) -> Verdict:
    """The verdict on the release: the reasons of the steps, ``further`` ones, and thresholds that do not hold in it.

    ``config`` is the literal of the run: lines to paste have its keys whole.
    """
    written = config or {}
    silent = _OF_ITS_OWN_PRODUCT.get(leaving.about, ())
    reasons = [reason for name, step in steps.items() if name not in silent for reason in step.reasons_to_hold]
    reasons += further
    vetoes = tuple(reason for reason in reasons if reason.gravity <= Gravity.OUTSIDERS_CAN_SINGLE_OUT)
    if leaving.assessment is None:
        reasons.append(_nothing_released(steps, written))
    else:
        reasons += _thresholds_not_met(leaving, written)
    answers = beside_reasons(leaving.answers, vetoes)
    with_lines = tuple(_with_lines(sorted(set(reasons)), written))
    assessed, named = leaving.assessment, written.get("sensitive_feature")  # one that does not leave is named as well
    has_none = assessed is not None and not (assessed.config.sensitive_features or named)
    not_looked_at = (*((NOTHING_SENSITIVE,) if has_none else ()), *leaving.not_looked_at)
    before = steps["risk"].answers if answers and "risk" in steps else {}
    return Verdict(leaving.about, with_lines, vetoes, answers, not_looked_at, leaving.use, before=before)


def _with_lines(reasons: Iterable[Reason], config: Mapping[str, Any]) -> Iterator[Reason]:
    """The reasons with the lines to paste; those of a later one have what the earlier ones write, too."""
    so_far = dict(config)
    for reason in reasons:
        yield reason.with_lines(so_far)
        so_far = applied(so_far, reason.changes)


def _nothing_released(steps: Mapping[str, StepResult], config: Mapping[str, Any]) -> Reason:
    for name in ("release", "treatment"):
        if name in steps:
            why = str(
                steps[name].figures.get("reason", "no treated dataset is written while columns in it name people.")
            )
            return Reason(Gravity.NOT_DECIDED, f"{name.capitalize()}: {why.removeprefix('Treatment: ')}")
    return Reason(
        Gravity.NOT_DECIDED,
        'The config has neither "treatment" nor "release". '
        "The files in the results folder must stay in your organisation.",
        changes=(_TREATMENT, *_recommend_too(config), _RELEASE),
    )


def _thresholds_not_met(leaving: LeavingProduct, config: Mapping[str, Any]) -> list[Reason]:
    assessment = leaving.assessment
    assert assessment is not None
    reasons = []
    if assessment.classes.n_records < assessment.config.K:
        reasons.append(
            Reason(
                Gravity.OUTSIDERS_CAN_SINGLE_OUT,
                f"It has fewer people than K = {assessment.config.K}; such a pilot can never be released.",
                "bring more people into the pilot",
            )
        )
    elif assessment.classes.n_records < max(FEW_PEOPLE, 2 * assessment.config.K) and not _says_why(config):
        few = f"It has fewer than {FEW_PEOPLE} people, or fewer than 2 K = {2 * assessment.config.K}"
        remedy = (
            f'"context": {{"residual_risk": "{_WHY}"}}, or bring more people into the pilot; else no rows '
            "leave, but totals may, in tables of a larger study"
        )
        sentence = f"{few}: its rows leave only if a person says why the risk that is left is acceptable."
        why = "only if the risk that is left is acceptable: then write why, and delete this mark and #"
        choice = ConfigChange.to(("context", "residual_risk"), _WHY, why)
        reasons.append(Reason(Gravity.NOT_DECIDED, sentence, remedy, choices=(choice,), is_of_all_ways=True))
    reasons += [_of_model(result, config) for result in assessment.results if result.n_risky or not result.n_evaluated]
    n_left_aside = assessment.k_anonymity.n_total - assessment.k_anonymity.n_evaluated
    if n_left_aside:
        reasons.append(
            Reason(
                Gravity.THRESHOLD_NOT_MET,
                f"{n_left_aside} of {assessment.k_anonymity.n_total} people in it are not evaluated, for lack of a "
                "quasi-identifier.",
                changes=(ConfigChange.to(("missing_qis",), "category", "a missing value is a value of its own"),),
            )
        )
    return reasons


def _says_why(config: Mapping[str, Any]) -> bool:
    """Whether a person states in the config why the risk that is left is acceptable."""
    context = config.get("context", {})
    return isinstance(context, Mapping) and context.get("residual_risk") not in (None, "", _WHY)


def _of_model(result: ModelResult, config: Mapping[str, Any]) -> Reason:
    letter, sign = ("t", ">") if result.model == "t_closeness" else (result.model[0], "<")
    what = f"{letter}{f' of {result.sensitive}' if result.sensitive else ''} {sign} {number_text(result.threshold)}"
    if not result.n_evaluated:
        return Reason(Gravity.THRESHOLD_NOT_MET, f"{what}: no record could be evaluated.")
    gravity = Gravity.OUTSIDERS_CAN_SINGLE_OUT if result.model == "k_anonymity" else Gravity.THRESHOLD_NOT_MET
    sentence = f"{what}: {result.n_risky} of {result.n_evaluated} evaluated people in it are at risk."
    key = {"k": "K", "l": "L", "t": "T"}[letter]
    if _recodes_otherwise(config):
        remedy = f"make the steps of the treatment that recode quasi-identifiers coarser, or change {key} in the config"
        return Reason(gravity, sentence, remedy)
    if lines_to_paste(config, _recommended_too(config)):
        return Reason(gravity, sentence, changes=_recommended_too(config))
    remedy = f'see the section on "recommend", by which no recoding reaches it, or change {key} in the config'
    return Reason(gravity, sentence, remedy)


def _recommended_too(config: Mapping[str, Any]) -> tuple[ConfigChange, ...]:
    """The recommended treatment, after the config's own steps, where it is not among them."""
    steps = treatment_steps(config)
    if _RECOMMENDED in steps:
        return ()
    first = [] if steps else [{"method": "drop_identifiers"}]
    path = ("treatment", "steps") if isinstance(config.get("treatment"), Mapping) else ("treatment",)
    treatment = ConfigChange.to(path, [*first, *steps, _RECOMMENDED], "applies what recommend finds")
    return (treatment, *_recommend_too(config))


def _recodes_otherwise(config: Mapping[str, Any]) -> bool:
    """Whether steps take the place of the recommended recoding: numbers in bands cannot be put into bins again."""
    known = {*config.get("categorical_qis", ()), *config.get("continuous_qis", ())}
    others = (one for one in treatment_steps(config) if one.get("method") not in ("drop_column", "drop_identifiers"))
    named = ({one.get("column"), *one.get("columns", ()), *one.get("importance", ())} for one in others)
    return any(not known.isdisjoint(one) for one in named)


def _recommend_too(config: Mapping[str, Any]) -> tuple[ConfigChange, ...]:
    """The search for the recoding, where the config does not ask for it yet."""
    return () if "recommend" in config else (_RECOMMEND,)
