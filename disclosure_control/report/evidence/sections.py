"""The sections of the anonymisation report, under the headings that regulators and the standard ask for.

EMA: external guidance on Policy 0070, EMA/90915/2016, and its template of the anonymisation report, which Health Canada
shares for the public release of clinical information (PRCI). ISO: ISO/IEC 27559:2022, a framework of four parts.
Everything stands in the JSON summary, or was said by the controller; what was not said stands as an open point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.basics.telling.words import counted, listed, share_text
from disclosure_control.steps.context.settings import QUESTIONS, ContextSettings, open_points

CONTEXT = "ISO/IEC 27559, context assessment"
DATA = "EMA Policy 0070 and Health Canada PRCI, identification of data variables; ISO/IEC 27559, data assessment"
RISK = "EMA Policy 0070 and Health Canada PRCI, risk assessment; ISO/IEC 27559, identifiability assessment"
METHOD = "EMA Policy 0070 and Health Canada PRCI, anonymisation methodology; ISO/IEC 27559, mitigation"
UTILITY = "EMA Policy 0070 and Health Canada PRCI, data utility"
GOVERNANCE = "ISO/IEC 27559, governance before and after the data are available"


@dataclass(frozen=True)
class ChapterTable:
    """A table of the report: cells are text."""

    headers: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Chapter:
    """``asked_by``: who wants to know; ``open_points``: questions that the controller has not answered."""

    title: str
    asked_by: str
    paragraphs: Sequence[str] = ()
    tables: Sequence[ChapterTable] = ()
    open_points: Sequence[str] = ()


@dataclass(frozen=True)
class EvidenceContent:
    """What the report is made of: the JSON summary, what the controller says, the config, the dataset's columns."""

    summary: Mapping[str, Any]
    context: ContextSettings
    config: PilotConfig
    columns: Sequence[str]
    started: str

    @property
    def open_points(self) -> list[str]:
        return open_points(self.context, self.config)

    @property
    def open_line(self) -> str:
        """How many points are open, in a sentence."""
        return f"{len(self.open_points)} of {len(QUESTIONS)} points that the controller has to answer are open."

    def still_open(self, *names: str) -> list[str]:
        """The questions among these that are open, each with the key that answers it."""
        return [f'{QUESTIONS[name]} ("context": {{"{name}": ...}})' for name in names if name in self.open_points]


def sections_of(content: EvidenceContent) -> list[Chapter]:
    """All sections, in their order."""
    return [write(content) for write in _SECTIONS]


def _said(content: EvidenceContent, **labels: str) -> list[str]:
    told = {label: getattr(content.context, name) for name, label in labels.items()}
    return [f"{label}: {value}" for label, value in told.items() if value is not None]


def _purpose(content: EvidenceContent) -> Chapter:
    labels = {
        "purpose": "Purpose",
        "legal_basis": "Legal basis",
        "recipient": "Recipient",
        "environment": "Environment",
        "controls": "Controls",
    }
    return Chapter(
        "Purpose, recipient and context", CONTEXT, _said(content, **labels), open_points=content.still_open(*labels)
    )


def _threats(content: EvidenceContent) -> Chapter:
    told = _said(content, threat_model="Threat model")
    attempt = content.context.attempt_probability
    if attempt is not None:
        told.append(f"Probability of an attempt: {number_text(attempt)}.")
    prosecutor = content.summary["risk"].get("prosecutor")
    if attempt is not None and prosecutor and prosecutor["average"] is not None:
        product = share_text(attempt * prosecutor["average"])
        told.append(
            f"An attempt that is made on the pilot as it is finds a person with a chance of "
            f"{share_text(prosecutor['average'])} on average, so with the attempt {product}."
        )
    asked_by = f"{RISK}; {CONTEXT}, threat modelling"
    return Chapter(
        "Threat model and probability of an attempt",
        asked_by,
        told,
        open_points=content.still_open("threat_model", "attempt_probability"),
    )


def _variables(content: EvidenceContent) -> Chapter:
    config, treatment = content.config, content.summary.get("treatment", {})
    dropped = set(treatment.get("columns_dropped", ()))
    named = dict.fromkeys(config.quasi_identifiers, "quasi-identifier")
    named |= dict.fromkeys(config.sensitive_features, "sensitive")
    rows = [
        [name, role, "dropped" if name in dropped else "kept", content.context.roles.get(name, "open point")]
        for name, role in named.items()
    ]
    others = [name for name in content.columns if name not in named]
    released = [name for name in others if name not in dropped]
    paragraphs = [
        f"The combined dataset has {counted(len(content.columns), 'column')}, the id included; {len(named)} have a "
        "role. k, l and t speak of these alone."
    ]
    if released:
        paragraphs.append(f"Without a role, and not assessed by k, l and t: {listed(released, 40)}.")
    if dropped - set(named):
        paragraphs.append(f"Dropped by the treatment: {listed(sorted(dropped - set(named)), 40)}.")
    return Chapter(
        "Identification of data variables",
        DATA,
        paragraphs,
        [ChapterTable(["Column", "Role", "Fate", "Why it has this role"], rows)],
        content.still_open("roles"),
    )


def _thresholds(content: EvidenceContent) -> Chapter:
    config, reasons = content.config, content.context.thresholds
    rows = [["K", str(config.K), reasons.get("K", "open point")]]
    for letter, numbers in (("L", config.L), ("T", config.T)):
        for name in config.sensitive_features:
            rows.append([f"{letter} of {name}", number_text(numbers[name]), reasons.get(letter, "open point")])
    return Chapter(
        "Thresholds, and why",
        RISK,
        [
            "At risk is who shares the quasi-identifiers with fewer than K people, whose class holds fewer than L "
            "sensitive values, or whose class lies farther than T from everybody. EMA and Health Canada recommend 0.09 "
            "for public release, which is K = 12 at the worst person.",
            *content.summary["notices"],
        ],
        [ChapterTable(["Threshold", "Value", "Why"], rows)],
        content.still_open("thresholds"),
    )


def _missing(content: EvidenceContent) -> Chapter:
    policies = content.summary["missing_policies"]
    rows = [[name, _n(n["evaluated"]), _n(n["not_evaluated"]), _n(n["risky"])] for name, n in policies.items()]
    return Chapter(
        "Missing values",
        DATA,
        [
            f'Policy in use: "{content.config.missing_qis}". Whom k flags under each policy:',
            *_said(content, missing_values="Why"),
        ],
        [ChapterTable(["Policy", "Evaluated", "Not evaluated", "At risk by k"], rows)],
        content.still_open("missing_values"),
    )


def _risk(content: EvidenceContent) -> Chapter:
    summary = content.summary
    treatment = summary.get("treatment", {})
    states = {"before": treatment.get("before", summary), "as released": treatment.get("as_released")}
    rows = [
        [f"{model}{f' of {name}' if name else ''}", *(_share_at_risk(state, key, name) for state in states.values())]
        for model, key in (("k", "k_anonymity"), ("l", "l_diversity"), ("t", "t_closeness"))
        for name in ([None] if key == "k_anonymity" else content.config.sensitive_features)
    ]
    chances = {"largest chance of a person": "prosecutor_highest_risk", "average chance": "marketer_risk"}
    rows += [[words, *(_share(state, key) for state in states.values())] for words, key in chances.items()]
    if not treatment.get("before"):
        prosecutor = summary["risk"].get("prosecutor", {})
        rows[-2][1], rows[-1][1] = (share_text(prosecutor.get(name)) for name in ("highest", "average"))
    paragraphs = _answers(summary["risk"].get("three_questions", {}), "Of the pilot as it came in")
    if not states["as released"]:
        paragraphs.append("Nothing was treated in this run, so there is no risk after treatment.")
    return Chapter("Risk before and after", RISK, paragraphs, [ChapterTable(["At risk", *states], rows)])


def _answers(questions: Mapping[str, Mapping[str, Any]], of_what: str) -> list[str]:
    """The three questions with their answers, one paragraph each; each says of what it is the answer."""
    return [f"{of_what}: {answer['question']} {answer['sentence']}" for answer in questions.values()]


def _share_at_risk(state: Mapping[str, Any] | None, key: str, name: str | None) -> str:
    if state is None or key not in state:
        return "-"
    figures = state[key] if name is None else state[key].get(name)
    if figures is None:
        return "-"
    return f"{_n(figures['risky'])} of {_n(figures['evaluated'])} ({share_text(figures['risky_rate'])})"


def _share(state: Mapping[str, Any] | None, key: str) -> str:
    return "-" if state is None else share_text(state.get(key))


def _treatment(content: EvidenceContent) -> Chapter:
    treatment, release = content.summary.get("treatment", {}), content.summary.get("release", {})
    rows = [
        [step["method"], name, _n(n), _n(step["records_removed"])]
        for step in treatment.get("steps", ())
        for name, n in (step["changed"] or {"-": 0}).items()
    ]
    tables = [ChapterTable(["Method", "Column", "Values changed", "Records removed"], rows)] if rows else []
    operations = release.get("operations", {})
    if operations:
        named = [[kind, listed(names, 60)] for kind, names in operations.items() if names]
        tables.append(ChapterTable(["Operation on the study's files", "Variables"], named))
    notes = [note for step in treatment.get("steps", ()) for note in step["notes"]] + list(treatment.get("notes", ()))
    paragraphs = notes or ["Nothing was treated in this run."]
    return Chapter("Treatment by variable", METHOD, paragraphs, tables)


def _utility(content: EvidenceContent) -> Chapter:
    treatment = content.summary.get("treatment", {})
    paragraphs = _said(content, utility="What the data must be good for")
    if "before" in treatment:
        before, after = treatment["before"]["records"], treatment["as_released"]["records"]
        paragraphs.append(f"{after} of {before} records are released; {_n(treatment['records_removed'])} were removed.")
        if treatment["columns_dropped"]:
            paragraphs.append(f"Columns lost: {listed(treatment['columns_dropped'], 40)}.")
    loss = content.summary.get("recommend", {}).get("loss")
    if loss is not None:
        metric = content.summary["recommend"]["metric"]
        paragraphs.append(f"Loss of the recommended recoding ({metric}, from 0 to 1): {loss:.4g}.")
    return Chapter("Loss of utility", UTILITY, paragraphs, open_points=content.still_open("utility"))


def _residual(content: EvidenceContent) -> Chapter:
    verdict = content.summary.get("verdict", {})
    paragraphs = []
    if verdict:
        paragraphs.append(f"Verdict on {verdict['about']}: {verdict['verdict']}.")
        paragraphs += [reason["sentence"] for reason in verdict["reasons"]]
        if verdict.get("further_reasons"):
            paragraphs.append(f"{counted(verdict['further_reasons'], 'further reason')}, in the report.")
        paragraphs += _answers(verdict.get("three_questions", {}), f"Of {verdict['about']}")
        paragraphs += verdict.get("not_looked_at", ())
    untouched = content.summary.get("treatment", {}).get("untouched", ())
    if untouched:
        paragraphs.append(f"Released as they were and not assessed: {listed(untouched, 40)}.")
    paragraphs.append("Low figures are no finding of anonymity in the sense of the GDPR, but evidence for who decides.")
    paragraphs += _said(content, residual_risk="Why the risk that is left is acceptable")
    return Chapter("Residual risk", RISK, paragraphs, open_points=content.still_open("residual_risk"))


def _approval(content: EvidenceContent) -> Chapter:
    labels = {"approver": "Approved by", "approved_on": "Approved on", "review_date": "To be reviewed by"}
    return Chapter("Approval and review", GOVERNANCE, _said(content, **labels), open_points=content.still_open(*labels))


def _check(content: EvidenceContent) -> Chapter:
    return Chapter(
        "How to check this report",
        GOVERNANCE,
        [
            "evidence/manifest.json names every input and result with a fingerprint, the config, the versions of all "
            "packages and the time. It goes with the folder of results and with .hash_key beside it, which the "
            "fingerprints need.",
            "python -m disclosure_control.verify, with the path of the results folder, runs everything again from the "
            "inputs and says figure by figure whether it holds, and what changed.",
        ],
    )


def _n(n: object) -> str:
    return MASKED if n is None else str(n)


_SECTIONS = (
    _purpose,
    _threats,
    _variables,
    _thresholds,
    _missing,
    _risk,
    _treatment,
    _utility,
    _residual,
    _approval,
    _check,
)
