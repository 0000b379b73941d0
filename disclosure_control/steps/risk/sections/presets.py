"""Section ``presets``: does the pilot meet the published thresholds?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import all_or_some_of
from disclosure_control.basics.telling.sections import Part, Sentence, Style
from disclosure_control.measures.risk_presets import PRESETS, PresetVerdict, judge_by_preset
from disclosure_control.steps.risk.scene import Scene
from disclosure_control.steps.risk.section import Finding, RiskSection


@dataclass(frozen=True)
class PresetsSettings(SettingsGroup):
    """Names of published thresholds."""

    presets: tuple[str, ...] = setting(all_or_some_of(*PRESETS), 'a list of presets, or `"all"`', tuple(PRESETS), "all")


@dataclass(frozen=True)
class PresetTold:
    """Whether the figure of an ``intruder`` that a published threshold limits meets it."""

    met: bool | None
    measured: float | None
    compared_with: str
    intruder: str
    threshold: float
    sentence: str
    source: str

    @classmethod
    def of(cls, verdict: PresetVerdict, intruder: str) -> PresetTold:
        """The published form."""
        preset = verdict.preset
        measured = (verdict.met, verdict.measured, preset.compared_with, intruder, preset.threshold)
        return cls(*measured, verdict.sentence, preset.source)


def evaluate(scene: Scene) -> Finding:
    """Each preset with the intruder's figure that it limits: the journalist's where the population is known."""
    knows_population = scene.population is not None or scene.settings.sampling_fraction is not None
    risk = scene.intruders["journalist" if knows_population else "prosecutor"]
    verdicts = [judge_by_preset(name, risk) for name in scene.settings.of(PresetsSettings).presets]
    found = {verdict.preset.name: PresetTold.of(verdict, risk.intruder) for verdict in verdicts}
    return Finding(lambda policy: found)


def words(found: Mapping[str, PresetTold]) -> Iterator[Part]:
    """A sentence for each preset."""
    yield Sentence("Published thresholds", Style.HEADING)
    for verdict in found.values():
        yield Sentence(f"{verdict.sentence} Source: {verdict.source}.")


SECTION = RiskSection(
    place=40,
    answers="published thresholds: EMA Policy 0070 and Health Canada (0.09), the IPC of Ontario (0.1, 0.075, 0.05; the "
    "strict average with its cap of 0.33). 1/11 = 0.0909 is above 0.09: classes of 12 are needed",
    evaluate=evaluate,
    words=words,
    settings=PresetsSettings,
    wanted_with=("presets",),
)
