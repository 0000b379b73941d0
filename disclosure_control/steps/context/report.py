"""The report of the step ``context``: the controller's statements for the evidence, and the open points."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.telling.sections import ADVERSARIAL, Part, Section, Sentence, Style, Table, Where
from disclosure_control.basics.telling.words import counted, listed, share_text
from disclosure_control.steps.context.settings import QUESTIONS, ContextSettings

MOST_NAMED = 40
PURPOSE = {
    "purpose": "Purpose",
    "legal_basis": "Legal basis",
    "recipient": "Recipient",
    "environment": "Environment",
    "controls": "Controls",
}
CUSTODY = {"custodian": "Custody of the key"}
APPROVAL = {"approver": "Approved by", "approved_on": "Approved on", "review_date": "To be reviewed by"}
RISK_OF = {"before": "the untreated pilot", "as_released": "what leaves, by its quasi-identifiers,"}
WHAT_IS_AT_RISK = (
    "At risk are people who share the quasi-identifiers with fewer than K people, whose class holds fewer than L "
    "sensitive values, or whose class differs from the overall distribution by more than T. EMA and Health Canada "
    "recommend 0.09 for public release, which is K = 12 at the worst person."
)
NOT_ATTACKED = (
    "No attack with records of outsiders was run: name a file of people whom somebody outside may know under "
    "linkage_attack."
)
HOW_TO_CHECK = (
    "evidence/manifest.json names every input and result with a fingerprint, the config, the versions of all packages "
    "and the time. The fingerprints need the file .hash_key that is kept beside the results.",
    "python -m disclosure_control.verify, with the path of the results folder, runs everything again from the inputs "
    "and says for every figure whether it holds, and what changed.",
)


@dataclass(frozen=True)
class AttemptedRisk:
    """The chance that one attempt finds a person, on average, and the same times the probability of an attempt."""

    average: float
    with_attempt: float


@dataclass(frozen=True)
class EvidenceInput:
    """The controller's statements, and what this run knows: the columns and their fate, the risk, the attack.

    ``with_attempt``: the average risk with the probability of an attempt, by what it is the risk of.
    """

    said: ContextSettings
    still_open: Sequence[str]
    config: PilotConfig
    columns: Sequence[str]
    dropped: Sequence[str]
    changed: Collection[str]
    with_attempt: Mapping[str, AttemptedRisk]
    is_treated: bool
    is_attacked: bool

    def of(self, labels: Mapping[str, str]) -> list[Part]:
        """The statements under these names, each with its label, and which of them are open."""
        values = {label: getattr(self.said, name) for name, label in labels.items()}
        told = [_paragraph(f"{label}: {value}") for label, value in values.items() if value is not None]
        return [*told, *self.open(*labels)]

    def open(self, *names: str) -> list[Part]:
        """The questions among these that are open, each with the key that answers it."""
        return [
            Sentence(f'{QUESTIONS[name]} ("context": {{"{name}": ...}})', Style.OPEN, Where.EVIDENCE)
            for name in names
            if name in self.still_open
        ]


def context_sections(given: EvidenceInput) -> tuple[Section, ...]:
    """How many points are open, and the chapters of the evidence that the controller fills."""
    n_open, still_open = len(given.still_open), given.still_open
    count = f"{n_open} of {len(QUESTIONS)} points"
    text = f"Evidence: all {len(QUESTIONS)} points are answered, see evidence/anonymisation_report.html."
    if still_open:
        text = (
            f"Evidence: {count} are open ({listed(still_open, 4)}). Answer them under the config key "
            '"context"; evidence/anonymisation_report.html lists them.'
        )
    chapters: dict[str, Sequence[Part]] = {
        "head": [_paragraph(f"{count} that the controller has to answer are open.")],
        "purpose": given.of(PURPOSE),
        "threats": _threats(given),
        "variables": _variables(given),
        "thresholds": _thresholds(given),
        "missing_values": given.of({"missing_values": "Why"}),
        "treatment": [] if given.is_treated else [_paragraph("Nothing was treated in this run.")],
        ADVERSARIAL: [] if given.is_attacked else [_paragraph(NOT_ATTACKED)],
        "utility": given.of({"utility": "What the data must be good for"}),
        "residual_risk": [
            _paragraph(
                "Low figures do not prove anonymity in the sense of the GDPR; they are evidence for a decision."
            ),
            *given.of({"residual_risk": "Why the risk that is left is acceptable"}),
        ],
        "approval": [*given.of(CUSTODY), *given.of(APPROVAL)],
        "check": [_paragraph(sentence) for sentence in HOW_TO_CHECK],
    }
    told = Section("context", "", (Sentence(text, where=Where.TEXT),))
    return (told, *(Section(key, "", parts) for key, parts in chapters.items()))


def _paragraph(text: str) -> Sentence:
    return Sentence(text, where=Where.EVIDENCE)


def _threats(given: EvidenceInput) -> list[Part]:
    told = given.of({"threat_model": "Threat model"})
    if given.said.attempt_probability is not None:
        told.append(_paragraph(f"Probability of an attempt: {number_text(given.said.attempt_probability)}."))
    for about, risk in given.with_attempt.items():
        told.append(
            _paragraph(
                f"An attempt on {RISK_OF[about]} finds a person with a chance of {share_text(risk.average)} on "
                f"average, so with the attempt {share_text(risk.with_attempt)}."
            )
        )
    return [*told, *given.open("attempt_probability")]


def _variables(given: EvidenceInput) -> list[Part]:
    config, dropped = given.config, set(given.dropped)
    named = dict.fromkeys(config.quasi_identifiers, "quasi-identifier")
    named |= dict.fromkeys(config.sensitive_features, "sensitive")
    others = [name for name in given.columns if name not in named]
    released = [name for name in others if name not in dropped]
    rows = [[name, role, _fate(name, given), given.said.roles.get(name, "open point")] for name, role in named.items()]
    n_columns = f"{counted(len(given.columns), 'column')}, the id included"
    told = [f"The combined dataset has {n_columns}. k, l and t assess only the columns in the table below."]
    if released:
        told.append(f"Without a role, and not assessed by k, l and t: {listed(released, MOST_NAMED)}.")
    if dropped - set(named):
        told.append(f"Dropped by the treatment: {listed(sorted(dropped - set(named)), MOST_NAMED)}.")
    table = Table("Variables", ("Column", "Role", "Fate", "Why it has this role"), rows, where=Where.EVIDENCE)
    return [*map(_paragraph, told), table, *given.open("roles")]


def _fate(name: str, given: EvidenceInput) -> str:
    if name in given.dropped:
        return "dropped"
    return "changed" if name in given.changed else "kept"


def _thresholds(given: EvidenceInput) -> list[Part]:
    config, reasons = given.config, given.said.thresholds
    rows = [["K", str(config.K), reasons.get("K", "open point")]]
    for letter, numbers in (("L", config.L), ("T", config.T)):
        for name in config.sensitive_features:
            rows.append([f"{letter} of {name}", number_text(numbers[name]), reasons.get(letter, "open point")])
    table = Table("Thresholds", ("Threshold", "Value", "Why"), rows, where=Where.EVIDENCE)
    return [_paragraph(WHAT_IS_AT_RISK), table, *given.open("thresholds")]
