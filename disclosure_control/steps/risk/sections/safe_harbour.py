"""Section ``safe_harbour``: ages and zip codes that the safe harbour of HIPAA does not let pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from disclosure_control.basics.settings.settings import Check, is_number
from disclosure_control.basics.telling.small_counts import HAND_TO_HAND, count_text, told_parts
from disclosure_control.measures.risk_presets import check_safe_harbour_ages, check_safe_harbour_zip_codes
from disclosure_control.records.columns_of_file import distinct_texts
from disclosure_control.steps.risk.scene import Scene
from disclosure_control.steps.risk.section import Finding, RiskSection
from disclosure_control.steps.risk.setting_fields import COLUMN, Need, setting


def _is_top_code(value: Any) -> bool:
    return is_number(value) and value >= 90


_TOP_CODE: Check = (_is_top_code, "a number from 90")
_PEOPLE_OF_AREA: Check = (
    lambda value: (
        isinstance(value, dict)
        and all(isinstance(area, str) and len(area) == 3 and area.isdigit() for area in value)
        and all(type(n) is int and n >= 0 for n in value.values())
    ),
    'a dictionary, first three digits as text -> people who live there: {"036": 12000}',
)
_DICTIONARY: Check = (
    lambda value: isinstance(value, dict),
    "a dictionary of ages, top_code, zip_codes, people_of_area",
)


@dataclass(frozen=True)
class SafeHarbourColumns:
    """Columns of the combined dataset, the number that stands for 90 or older, and people by three-digit zip code."""

    ages: str | None = field(default=None, metadata=setting(COLUMN, names_columns=True))
    top_code: float | None = field(default=None, metadata=setting(_TOP_CODE))
    zip_codes: str | None = field(default=None, metadata=setting(COLUMN, names_columns=True))
    people_of_area: Mapping[str, int] | None = field(default=None, metadata=setting(_PEOPLE_OF_AREA))

    @staticmethod
    def faults_between(where: str, given: Mapping) -> list[str]:
        faults = []
        if not {"ages", "zip_codes"} & set(given):
            faults.append(f"{where}: names no column; give ages, or zip_codes and people_of_area")
        if ("zip_codes" in given) != ("people_of_area" in given):
            faults.append(f"{where}: zip_codes and people_of_area belong together; give both")
        return faults


@dataclass(frozen=True)
class SafeHarbourSettings:
    """None where there is nothing to check."""

    safe_harbour: SafeHarbourColumns | None = field(
        default=None,
        metadata=setting(
            _DICTIONARY,
            "`ages` and `top_code` (the number that stands for 90 or older); `zip_codes` and `people_of_area` (first "
            "three digits -> people)",
            within=SafeHarbourColumns,
        ),
    )


def evaluate(scene: Scene) -> Finding:
    """How many values of each column break the rule, by kind of breach."""
    given, checks = scene.settings.of(SafeHarbourSettings).safe_harbour or SafeHarbourColumns(), {}
    if given.ages is not None:
        ages, people = distinct_texts(scene.table, given.ages)
        checks["ages"] = check_safe_harbour_ages(ages, given.top_code, people)
    if given.zip_codes is not None:
        codes, people = distinct_texts(scene.table, given.zip_codes)
        checks["zip_codes"] = check_safe_harbour_zip_codes(codes, given.people_of_area or {}, people)
    figures = {
        name: {
            "column": check.column,
            "checked": check.n_checked,
            "texts": check.n_texts,
            "breaches": HAND_TO_HAND.told(check.n_breaches, check.n_checked),
            "by_kind": told_parts(dict(check.breaches), check.n_checked),
            "sentence": check.sentence,
            "source": check.source,
        }
        for name, check in checks.items()
    }
    return Finding({"safe_harbour": figures})


def words(figures: Mapping) -> Iterator[str]:
    """A line for each column."""
    yield "HIPAA safe harbour"
    for check in figures["safe_harbour"].values():
        kinds = ", ".join(f"{kind}: {count_text(n)}" for kind, n in check["by_kind"].items() if n != 0) or "none"
        texts = f"{check['texts']} are text, for you to judge. " if check["texts"] else ""
        yield f"  {check['column']}: {check['checked']} values checked, breaches: {kinds}. {texts}{check['sentence']}"


SECTION = RiskSection(
    place=50,
    answers="HIPAA: ages of 90 and over, zip codes of more than three digits or of areas with few people",
    evaluate=evaluate,
    words=words,
    settings=SafeHarbourSettings,
    needs=Need("safe_harbour", "the columns of ages and zip codes"),
    wanted_with=("safe_harbour",),
)
