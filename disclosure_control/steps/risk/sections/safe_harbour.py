"""Section ``safe_harbour``: ages and zip codes that the safe harbour of HIPAA does not let pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from disclosure_control.basics.settings.fields import SettingsGroup, nested, setting
from disclosure_control.basics.settings.kinds import COLUMN, Kind, Place, is_number
from disclosure_control.basics.telling.sections import Part, Sentence, Style
from disclosure_control.basics.telling.small_counts import Policy, count_in_sentence, count_text, told_parts
from disclosure_control.measures.risk_presets import (
    SafeHarbourCheck,
    check_safe_harbour_ages,
    check_safe_harbour_zip_codes,
)
from disclosure_control.steps.risk.scene import Scene
from disclosure_control.steps.risk.section import Finding, Need, RiskSection

_COLUMN = COLUMN.but("a column of the combined dataset")
_TOP_CODE = Kind(lambda value: is_number(value) and value >= 90, "a number from 90")
_PEOPLE_OF_AREA = Kind(
    lambda value: (
        isinstance(value, dict)
        and all(isinstance(area, str) and len(area) == 3 and area.isdigit() for area in value)
        and all(type(n) is int and n >= 0 for n in value.values())
    ),
    'a dictionary, first three digits as text -> people who live there: {"036": 12000}',
)


@dataclass(frozen=True)
class SafeHarbourColumns(SettingsGroup):
    """Columns of the combined dataset, the number that means 90 or older, and people by three-digit zip code."""

    ages: str | None = setting(_COLUMN, "the column of ages", None)
    top_code: float | None = setting(_TOP_CODE, "the number that stands for 90 or older", None)
    zip_codes: str | None = setting(_COLUMN, "the column of zip codes", None)
    people_of_area: Mapping[str, int] | None = setting(_PEOPLE_OF_AREA, "people by the first three digits", None)

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """No column, or only one of two settings that belong together."""
        if self.ages is None and self.zip_codes is None:
            yield f"{place}: names no column; give ages, or zip_codes and people_of_area"
        if (self.zip_codes is None) != (self.people_of_area is None):
            yield f"{place}: zip_codes and people_of_area belong together; give both"


@dataclass(frozen=True)
class SafeHarbourSettings(SettingsGroup):
    """None where there is nothing to check."""

    safe_harbour: SafeHarbourColumns | None = setting(
        nested(SafeHarbourColumns),
        "`ages` and `top_code` (the number that means 90 or older); `zip_codes` and `people_of_area` (first "
        "three digits -> people)",
        None,
    )


@dataclass(frozen=True)
class HarbourChecked:
    """How many values of a column break the rule, by the kind of breach."""

    column: str
    checked: int
    texts: int | None
    breaches: int | None
    by_kind: Mapping[str, int | None]
    sentence: str
    source: str

    @classmethod
    def of(cls, policy: Policy, check: SafeHarbourCheck) -> HarbourChecked:
        """As the reader may see it."""
        breaches = policy.told(check.n_breaches, check.n_checked)
        by_kind = told_parts(policy, dict(check.breaches), check.n_checked)
        texts = policy.told(check.n_texts, check.n_checked)
        return cls(check.column, check.n_checked, texts, breaches, by_kind, check.sentence, check.source)


def evaluate(scene: Scene) -> Finding:
    """How many values of each column break the rule, by kind of breach."""
    given, checks = scene.settings.of(SafeHarbourSettings).safe_harbour or SafeHarbourColumns(), {}
    if given.ages is not None:
        ages, people = scene.dataset.table.distinct_texts(given.ages)
        checks["ages"] = check_safe_harbour_ages(ages, given.top_code, people)
    if given.zip_codes is not None:
        codes, people = scene.dataset.table.distinct_texts(given.zip_codes)
        checks["zip_codes"] = check_safe_harbour_zip_codes(codes, given.people_of_area or {}, people)
    return Finding(lambda policy: {name: HarbourChecked.of(policy, check) for name, check in checks.items()})


def words(found: Mapping[str, HarbourChecked]) -> Iterator[Part]:
    """A line for each column."""
    yield Sentence("HIPAA safe harbour", Style.HEADING)
    for check in found.values():
        kinds = ", ".join(f"{kind}: {count_text(n)}" for kind, n in check.by_kind.items() if n != 0) or "none"
        texts = "" if check.texts == 0 else f"{count_in_sentence(check.texts)} are text, for you to judge. "
        yield Sentence(f"{check.column}: {check.checked} values checked, breaches: {kinds}. {texts}{check.sentence}")


SECTION = RiskSection(
    place=50,
    answers="HIPAA: ages of 90 and over, zip codes of more than three digits or of areas with few people",
    evaluate=evaluate,
    words=words,
    settings=SafeHarbourSettings,
    needs=Need("safe_harbour", "the columns of ages and zip codes"),
    wanted_with=("safe_harbour",),
)
