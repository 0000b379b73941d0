"""The config key ``intruder``: how many cases are drawn, what the intruder may use, and how it went."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from config.model_settings import PilotConfig
from disclosure_control.basics.settings.fields import SettingsGroup, nested, setting
from disclosure_control.basics.settings.kinds import COUNT, DATE, SENTENCE, Place, whole_number
from disclosure_control.records.needs import Needed

MAY_USE = "search engines, social networks, newspapers, obituaries, registers that are open to anybody, and a library"
_NUMBER = whole_number(0, 10_000)


@dataclass(frozen=True)
class IntruderResult(SettingsGroup):
    """What came back: of the drawn cases, how many the intruder named, and how many of these names were right."""

    named: int = setting(_NUMBER, "cases to which the intruder gave a name")
    right: int = setting(_NUMBER, "of these, names that were right, as the custodian found")
    by: str = setting(SENTENCE, "who tried, by function and experience")
    on: str = setting(DATE, "when it ended")

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """More right ones than named ones."""
        if self.right > self.named:
            yield f"{place['right']}: found {self.right}, and {self.named} cases were named; allowed: up to that"


@dataclass(frozen=True)
class IntruderSettings(SettingsGroup):
    """Half of the ``cases`` are people with the fewest others alike, half are drawn at random, by the ``seed``."""

    cases: int = setting(COUNT, "how many people are tried", 20)
    may_use: str = setting(SENTENCE, "what the intruder may use", MAY_USE, "what is open to anybody")
    hours: int = setting(COUNT, "how many hours the intruder has", 16)
    seed: int = setting(whole_number(0, 2**63 - 1), "where chance starts", 1)
    result: IntruderResult | None = setting(nested(IntruderResult), "how it went, once it is known", None)

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """More names than cases."""
        if self.result is not None and self.result.named > self.cases:
            yield f"{place['result']}: found {self.result.named} named cases of {self.cases}; allowed: up to that"


SETTINGS = IntruderSettings


def records_needed(settings: IntruderSettings, config: PilotConfig) -> list[Needed]:
    """None: people are listed part by part."""
    return []
