"""The sections of the step ``risk`` by name: functions of the classes and the count tables, nothing counted twice."""

from __future__ import annotations

from collections.abc import Callable

from disclosure_control.steps.risk import likelihood, reasons
from disclosure_control.steps.risk.scene import Scene, Section
from disclosure_control.steps.risk.settings import NEEDED_SETTINGS

SECTIONS: dict[str, Callable[[Scene], Section]] = {
    "reidentification": likelihood.reidentification,
    "sampling": likelihood.sampling,
    "population_uniqueness": likelihood.population_uniqueness,
    "presets": likelihood.presets,
    "safe_harbour": likelihood.safe_harbour,
    "models": likelihood.models,
    "determined_by": reasons.determined_by,
    "by_group": reasons.by_group,
    "key_sets": reasons.key_sets,
    "attribute_effects": reasons.attribute_effects,
    "riskiest_classes": reasons.riskiest_classes,
    "small_levels": reasons.small_levels,
    "near_empty_bins": reasons.near_empty_bins,
    "suda2": reasons.suda2,
}


def evaluate_sections(scene: Scene) -> dict[str, Section]:
    """The sections that the settings ask for; one that lacks a setting says under ``not_computed`` what it needs."""
    found, lacking = {}, {}
    for name in scene.settings.sections:
        setting, words = NEEDED_SETTINGS.get(name, ("", ""))
        if setting and not getattr(scene.settings, setting):
            lacking[name] = f"needs {setting}, {words}"
        else:
            found[name] = SECTIONS[name](scene)
    if lacking:
        found["not_computed"] = Section({"not_computed": lacking})
    return found
