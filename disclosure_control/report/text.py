"""The text report of k, l and t alone, for notebooks and programs."""

from __future__ import annotations

from Anonymization_Models import ModelResult
from disclosure_control.assess.assessment import Assessment
from disclosure_control.assess.report import MOST_FEATURES, assessment_sections
from disclosure_control.basics.telling.section_text import as_text
from disclosure_control.basics.telling.sections import Where
from disclosure_control.basics.telling.small_counts import MASKED, Policy
from disclosure_control.basics.telling.words import share_text


def full_privacy_report(pilot: str, assessment: Assessment, policy: Policy = MASKED) -> str:
    """The report as text: quasi-identifiers, binning, one table per model, and what the figures leave out.

    It contains no record and no subject. If nothing else is said it may be handed on: small counts are masked.
    """
    return as_text(assessment_sections(policy, pilot, assessment), Where.FILE)


def short_privacy_report(pilot: str, assessment: Assessment, policy: Policy = MASKED) -> str:
    """The same figures in few lines, however many quasi-identifiers there are; the full report has the rest."""
    return as_text(assessment_sections(policy, pilot, assessment), Where.SHORT)


def risky_shares(assessment: Assessment) -> str:
    """The share at risk by each model, in one line; of many sensitive features the largest share by l and by t."""
    by_model: dict[str, list[ModelResult]] = {}
    for one in assessment.results:
        by_model.setdefault(one.model[0], []).append(one)
    words = []
    for letter, results in by_model.items():
        if len(results) <= MOST_FEATURES:
            of = [f"{letter}{f' of {one.sensitive}' if one.sensitive else ''}" for one in results]
            words += [f"{name}: {share_text(one.risky_rate)}" for name, one in zip(of, results, strict=True)]
            continue
        most = max((one.risky_rate for one in results if one.risky_rate is not None), default=None)
        n_none = sum(one.risky_rate is None for one in results)
        not_told = f" ({n_none} of them could not be evaluated)" if n_none else ""
        words.append(f"{letter}, the largest of {len(results)} sensitive features: {share_text(most)}{not_told}")
    return "; ".join(words)
