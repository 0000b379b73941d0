"""Thresholds of regulators and guidelines: each with its source, its figure and the measure that it limits.

Risks are 1/k, so a threshold between two of them asks for more people than its rounded name suggests: 1/11 = 0.0909
is above 0.09, so classes of 12 are needed. Every verdict states this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import encode_column, labels_of, parse_numbers
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.measures.reidentification import ROUNDING, ReidentificationRisk, smallest_class_within


@dataclass(frozen=True)
class RiskPreset:
    """A published rule: the ``compared_with`` figure of a re-identification risk must not be above ``threshold``.

    ``compared_with`` is "highest" or "average"; ``highest_cap``, where there is one, must not be exceeded by the
    highest risk either. Thresholds are risks in (0, 1); larger is riskier.
    """

    name: str
    source: str
    threshold: float
    compared_with: str
    sentence: str
    highest_cap: float | None = None

    @property
    def class_limit(self) -> float | None:
        """The risk that no single record may exceed; None where only the average counts."""
        return self.threshold if self.compared_with == "highest" else self.highest_cap

    @property
    def smallest_class(self) -> int | None:
        """The fewest people allowed in a class: 12 for 0.09; None where only the average counts."""
        return None if self.class_limit is None else smallest_class_within(self.class_limit)

    @property
    def class_sentence(self) -> str | None:
        """The limit in people: "1/11 = 0.0909 is above 0.09, so every class must have at least 12 people."."""
        if self.smallest_class is None:
            return None
        k, limit = self.smallest_class, f"{self.class_limit:g}"
        return f"1/{k - 1} = {1 / (k - 1):.4f} is above {limit}, so every class must have at least {k} people."


@dataclass(frozen=True)
class PresetVerdict:
    """Whether a risk meets a preset: the figure that was compared, the highest risk, and it all in a sentence.

    ``met`` is None where nothing was evaluated.
    """

    preset: RiskPreset
    measured: float | None
    highest: float | None
    met: bool | None
    sentence: str


def judge_by_preset(name: str, risk: ReidentificationRisk) -> PresetVerdict:
    """Compare a risk (prosecutor, journalist or marketer) with the preset of that name.

    Raises ``FaultyInputError`` on a name that is not in ``PRESETS``.
    """
    if name not in PRESETS:
        raise FaultyInputError(f"preset {name!r} is not known; allowed: {', '.join(PRESETS)}")
    preset = PRESETS[name]
    measured, highest = getattr(risk, preset.compared_with), risk.highest
    if measured is None or highest is None:
        return PresetVerdict(preset, None, None, None, f"{name}: no record is evaluated, so nothing can be said.")
    met = not _above(measured, preset.threshold)
    words = [
        f"{name}: the {preset.compared_with} {risk.intruder} risk is {measured:.4g}, {_side(met)} {preset.threshold:g}"
    ]
    if preset.highest_cap is not None:
        within_cap = not _above(highest, preset.highest_cap)
        words.append(f"the highest is {highest:.4g}, {_side(within_cap)} the cap of {preset.highest_cap:g}")
        met = met and within_cap
    sentence = f"{', and '.join(words)}: {'met' if met else 'not met'}."
    return PresetVerdict(preset, measured, highest, met, " ".join(filter(None, [sentence, preset.class_sentence])))


def _above(risk: float, threshold: float) -> bool:
    return risk > threshold * (1.0 + ROUNDING)


def _side(within: bool) -> str:
    return "not above" if within else "above"


_IPC = "Information and Privacy Commissioner of Ontario, De-identification Guidelines for Structured Data, June 2016"
_STRICT = (
    "for a release to known recipients: the average risk is compared, and as a strict average it also caps the "
    "highest one at 0.33"
)
# Level of invasion of privacy -> threshold; the guideline prints them as cells of 10, 15 and 20 people.
_IPC_LEVELS = {"low": 0.1, "medium": 0.075, "high": 0.05}

PRESETS: dict[str, RiskPreset] = {
    preset.name: preset
    for preset in [
        RiskPreset(
            "ema_policy_0070",
            "European Medicines Agency, External guidance on the implementation of Policy 0070, EMA/90915/2016, "
            "chapter 3",
            0.09,
            "highest",
            "Clinical reports for publication: the maximum risk of a trial participant is at most 0.09.",
        ),
        RiskPreset(
            "health_canada_prci",
            "Health Canada, Public Release of Clinical Information: guidance document, 2019",
            0.09,
            "highest",
            "Clinical information for public release: the risk of every participant is at most 0.09.",
        ),
        *(
            RiskPreset(
                f"ipc_ontario_public_{level}",
                f"{_IPC}, steps 3 and 4",
                threshold,
                "highest",
                f"{level.capitalize()} potential invasion of privacy, public release: the highest risk is compared.",
            )
            for level, threshold in _IPC_LEVELS.items()
        ),
        *(
            RiskPreset(
                f"ipc_ontario_strict_average_{level}",
                f"{_IPC}, steps 3 and 4",
                threshold,
                "average",
                f"{level.capitalize()} potential invasion of privacy, {_STRICT}.",
                highest_cap=0.33,
            )
            for level, threshold in _IPC_LEVELS.items()
        ),
    ]
}


# ---------------------------------------------------------------- HIPAA's safe harbour, checks on values


@dataclass(frozen=True)
class SafeHarbourCheck:
    """How many records of a column break a rule of HIPAA's safe harbour, by kind of breach; no value is in it.

    ``n_checked`` records have a value, ``n_breaches`` of them break the rule. ``n_texts`` of them are text where
    numbers were sought, which is for the reader to judge.
    """

    column: str
    source: str
    sentence: str
    n_checked: int
    breaches: Mapping[str, int]
    n_texts: int = 0

    @property
    def n_breaches(self) -> int:
        """Values that break the rule, of any kind; none where the rule is kept."""
        return sum(self.breaches.values())


SAFE_HARBOUR_AGE = 90
SAFE_HARBOUR_PEOPLE = 20_000


def check_safe_harbour_ages(
    ages: pd.Series, top_code: float | None = None, people: np.ndarray | None = None
) -> SafeHarbourCheck:
    """Which of the ages in years (n_records,) still disclose more than the one category of 90 and over?

    ``top_code`` is the number that means "90 or older", if there is one. Text that is not a number counts as a
    category, "90+" as well as a bin such as "85--95", which the reader has to judge. ``people`` (n_records,) count each
    entry, one if not given. Source: 45 CFR 164.514(b)(2)(i)(C).
    """
    if top_code is not None and top_code < SAFE_HARBOUR_AGE:
        raise FaultyInputError(f"top_code is {top_code:g}; allowed: {SAFE_HARBOUR_AGE} or more, or None")
    texts = ages.astype("str").str.strip()
    numbers = parse_numbers(texts)
    told = numbers >= SAFE_HARBOUR_AGE
    if top_code is not None:
        told &= numbers != top_code
    sentence = "All ages over 89 must be aggregated into one category of age 90 or older."
    people = np.ones(len(texts), dtype=np.int64) if people is None else people
    n_checked = int(people[(texts.notna() & (texts != "")).to_numpy()].sum())
    return SafeHarbourCheck(
        column=str(ages.name),
        source="45 CFR 164.514(b)(2)(i)(C)",
        sentence=sentence,
        n_checked=n_checked,
        breaches={"age of 90 or over": int(people[told].sum())},
        n_texts=n_checked - int(people[~np.isnan(numbers)].sum()),
    )


def check_safe_harbour_zip_codes(
    zip_codes: pd.Series, people_of_area: Mapping[str, int], people: np.ndarray | None = None
) -> SafeHarbourCheck:
    """Only three digits of a zip code may stay, and "000" instead where their area has at most 20,000 people.

    ``zip_codes`` (n_records,) as text or as numbers, to which leading zeros are given back;
    ``people_of_area``: the first three digits -> people who live there, from the current census. An area that is
    not in it is a breach, as nothing is known of it. ``people`` as in ``check_safe_harbour_ages``.
    Source: 45 CFR 164.514(b)(2)(i)(B).
    """
    people_by_code = _count_zip_codes(zip_codes, people)
    too_long, small, unknown = "more than three digits", "area of at most 20,000 people", "area not in the census"
    breaches = {too_long: 0, small: 0, unknown: 0}
    for code, n_records in people_by_code.items():  # distinct codes, not records
        if len(code) > 3:
            breaches[too_long] += n_records
        elif code != "000" and code not in people_of_area:
            breaches[unknown] += n_records
        elif code != "000" and people_of_area[code] <= SAFE_HARBOUR_PEOPLE:
            breaches[small] += n_records
    sentence = 'A zip code may keep its first three digits where more than 20,000 people share them; else it is "000".'
    return SafeHarbourCheck(
        str(zip_codes.name), "45 CFR 164.514(b)(2)(i)(B)", sentence, sum(people_by_code.values()), breaches
    )


def _count_zip_codes(zip_codes: pd.Series, people: np.ndarray | None) -> dict[str, int]:
    """Records per code as text; numbers lost their leading zeros, and all of a column have one length."""
    distinct = encode_column(zip_codes)
    texts = labels_of(distinct)
    if distinct.is_numeric:
        n_digits = 5 if max(distinct.labels, default=0) > 999 else 3
        texts = [text.zfill(n_digits) for text in texts]
    n_records = np.bincount(distinct.codes + 1, people, len(texts) + 1)[1:]
    return {text: int(n) for text, n in zip(texts, n_records, strict=True) if n}
