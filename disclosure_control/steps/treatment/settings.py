"""The config key ``treatment``: a list of treatments, the seed of the random ones, the name of the release."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from config.model_settings import PilotConfig
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import TEXT, Kind, Place, dictionary_of
from disclosure_control.records.needs import Needed
from disclosure_control.remedy.treatments.keys import KEY_FROM
from disclosure_control.remedy.treatments.registry import TreatmentStep, methods, step_needs_everybody
from disclosure_control.remedy.treatments.seeds import DEFAULT_SEED, SEED, SeedSource
from disclosure_control.remedy.treatments.steps import STEPS

RELEASE_NAME = Kind(
    lambda value: isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9._-]{1,64}", value) is not None,
    "a name of letters, digits, . _ and -, up to 64",
)
_WHY = TEXT.but("why nobody outside the study knows it")


@dataclass(frozen=True)
class TreatmentSettings(SettingsGroup):
    """The config key ``treatment``: the ``steps`` in their order, the seed or key, and the release.

    ``harmless``: columns that disclose nobody's identity, whatever their names, and why.
    """

    INSTEAD = STEPS.allowed

    steps: tuple[TreatmentStep, ...] = setting(STEPS, "the treatments, in their order")
    seed: int = setting(SEED, "the start of the random numbers; the default is published here", DEFAULT_SEED)
    seed_from: Mapping[str, str] | None = setting(KEY_FROM, "a secret key that starts the random numbers", None)
    release: str | None = setting(
        RELEASE_NAME,
        "the name of this release: within it ids keep their pseudonyms",
        None,
        "that of `release` (`name`), else by config and dataset",
    )
    harmless: Mapping[str, str] = setting(
        dictionary_of(_WHY, '{"VS__HEIGHT": "why nobody outside the study knows it"}', are_columns=True),
        "columns that disclose no person to outsiders, and why",
        {},
    )

    @property
    def chance(self) -> SeedSource:
        """The start of chance: a number, or a key."""
        return SeedSource(self.seed, self.seed_from)

    @staticmethod
    def unfold(given: Any) -> Any:
        """A list becomes the list of steps."""
        return {"steps": given} if isinstance(given, list | tuple) else given

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """Two seeds."""
        if "seed" in given and "seed_from" in given:
            yield f'{place}: "seed" and "seed_from" name two seeds; take one out'


SETTINGS = TreatmentSettings


def records_needed(settings: TreatmentSettings, config: PilotConfig) -> list[Needed]:
    """All at once for the treatments that need them."""
    allowed = ", ".join(name for name, one in methods().items() if not one.needs_everybody)
    return [
        Needed(f"treatment[{place}] {step.method}", f"from disk run {allowed}; take the step out for this run")
        for place, step in enumerate(settings.steps)
        if step_needs_everybody(step)
    ]
