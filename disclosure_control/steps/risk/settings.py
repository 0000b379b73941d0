"""The config key ``risk``: its settings, their checks and defaults."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from config.model_settings import PilotConfig
from disclosure_control.basics.faults import nearest_name, stop_at
from disclosure_control.basics.settings import faults_of_settings
from disclosure_control.measures.risk_presets import PRESETS

SECTION_NAMES = (
    "reidentification",
    "sampling",
    "population_uniqueness",
    "presets",
    "safe_harbour",
    "models",
    "determined_by",
    "by_group",
    "key_sets",
    "attribute_effects",
    "riskiest_classes",
    "small_levels",
    "near_empty_bins",
    "suda2",
)
DEFAULT_SECTIONS = ("reidentification", "determined_by", "by_group")
# Sections that cannot do without a setting: its name, and what it is.
NEEDED_SETTINGS = {
    "sampling": ("weights", "the column of the sampling weights"),
    "population_uniqueness": ("sampling_fraction", "the share of the population that the pilot is"),
    "safe_harbour": ("safe_harbour", "the columns of ages and zip codes"),
}
NOTHING: Mapping = MappingProxyType({})


@dataclass(frozen=True)
class RiskSettings:
    """Which sections, and what they compare with; names of columns are those of the combined dataset.

    ``population`` is {"file", "columns", "includes_sample"}; ``safe_harbour`` {"ages", "top_code", "zip_codes",
    "people_of_area"}; ``models`` maps a model's name to its parameters, each one value or one per sensitive feature.
    """

    sections: tuple[str, ...] = DEFAULT_SECTIONS
    threshold: float = 0.2
    k_at_most: tuple[int, ...] = (1, 2, 3, 5, 10)
    max_key_set: int = 3
    alpha: float = 1.0
    sampling_fraction: float | None = None
    population: Mapping | None = None
    weights: str | None = None
    household: str | None = None
    presets: tuple[str, ...] = tuple(PRESETS)
    safe_harbour: Mapping = field(default_factory=dict)
    models: Mapping[str, Mapping] = field(default_factory=dict)
    groups: tuple[str, ...] | None = None
    small_level: int = 5
    dis_fraction: float | None = None


def _is_share(value: object) -> bool:
    return _is_number(value) and 0 < value <= 1


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _are_names_or_all(value: object) -> bool:
    return value == "all" or (isinstance(value, list | tuple) and len(value) > 0 and all(map(_is_name, value)))


def _is_dictionary(value: object) -> bool:
    return isinstance(value, dict)


_SHARE, _COUNT, _COLUMN = "a number above 0 and up to 1", "a whole number from 1", "a column of the combined dataset"
_KEYS: dict[str, tuple[Callable[[object], bool], str]] = {
    "sections": (_are_names_or_all, f'"all" or a list of {", ".join(SECTION_NAMES)}'),
    "threshold": (_is_share, _SHARE),
    "k_at_most": (
        lambda value: isinstance(value, list | tuple) and all(type(k) is int and k >= 1 for k in value),
        "a list of whole numbers from 1",
    ),
    "max_key_set": (lambda value: type(value) is int and value >= 1, _COUNT),
    "alpha": (lambda value: _is_number(value) and 0 <= value <= 1, "a number from 0 to 1"),
    "sampling_fraction": (_is_share, _SHARE),
    "population": (_is_dictionary, "a dictionary of file, columns, includes_sample"),
    "weights": (_is_name, _COLUMN),
    "household": (_is_name, _COLUMN),
    "presets": (_are_names_or_all, f'"all" or a list of {", ".join(PRESETS)}'),
    "safe_harbour": (_is_dictionary, "a dictionary of ages, top_code, zip_codes, people_of_area"),
    "models": (_is_dictionary, "a dictionary of models, each with a dictionary of its parameters"),
    "groups": (
        lambda value: isinstance(value, list | tuple) and all(_is_name(name) for name in value),
        "a list of columns of the combined dataset",
    ),
    "small_level": (lambda value: type(value) is int and value >= 1, _COUNT),
    "dis_fraction": (_is_share, _SHARE),
}
_POPULATION_KEYS: dict[str, tuple[Callable[[object], bool], str]] = {
    "file": (_is_name, "a file in the pilot's folder, best in a folder of its own there"),
    "columns": (
        lambda value: isinstance(value, dict) and all(_is_name(name) for name in value.values()),
        "a dictionary, quasi-identifier -> its column in that file",
    ),
    "includes_sample": (lambda value: isinstance(value, bool), "True or False"),
}
_SAFE_HARBOUR_KEYS: dict[str, tuple[Callable[[object], bool], str]] = {
    "ages": (_is_name, _COLUMN),
    "top_code": (lambda value: _is_number(value) and value >= 90, "a number from 90"),
    "zip_codes": (_is_name, _COLUMN),
    "people_of_area": (
        lambda value: (
            isinstance(value, dict)
            and all(isinstance(area, str) and len(area) == 3 and area.isdigit() for area in value)
            and all(type(n) is int and n >= 0 for n in value.values())
        ),
        'a dictionary, first three digits as text -> people who live there: {"036": 12000}',
    ),
}


def check_settings(value: object, config: Mapping, columns: Iterable[str] | None) -> list[str]:
    """Faults of the config key ``risk``."""
    if value == "all":
        return []
    if not isinstance(value, dict):
        return [f'risk: found {type(value).__name__}; allowed: "all", or a dictionary of {", ".join(_KEYS)}']
    faults = _faults_of_values(value)
    if not faults:
        faults = _faults_within(value, config) + _faults_of_columns(value, columns) + _faults_of_models(value, config)
    return faults


def _faults_of_values(value: Mapping) -> list[str]:
    faults = faults_of_settings("risk", value, _KEYS)
    for key, known in (("sections", SECTION_NAMES), ("presets", tuple(PRESETS))):
        given = value.get(key)
        strangers = [name for name in given if name not in known] if isinstance(given, list | tuple) else []
        faults += [
            f"risk[{key!r}]: {name!r} is not known{nearest_name(name, known)}; known: {', '.join(known)}"
            for name in strangers
        ]
    return faults


def _faults_within(value: Mapping, config: Mapping) -> list[str]:
    faults = []
    if "alpha" in value and config.get("missing_qis") != "wildcard":
        faults.append('risk[\'alpha\']: has no effect but with "missing_qis": "wildcard"; set that, or leave alpha out')
    if "population" in value:
        faults += faults_of_settings("risk['population']", value["population"], _POPULATION_KEYS)
        if "file" not in value["population"]:
            faults.append("risk['population']: file is missing; name the table of the population")
        if "sampling_fraction" in value:
            faults.append("risk: population and sampling_fraction are both given; allowed: one of them")
    if "safe_harbour" in value:
        given = value["safe_harbour"]
        faults += faults_of_settings("risk['safe_harbour']", given, _SAFE_HARBOUR_KEYS)
        if not {"ages", "zip_codes"} & set(given):
            faults.append("risk['safe_harbour']: names no column; give ages, or zip_codes and people_of_area")
        if ("zip_codes" in given) != ("people_of_area" in given):
            faults.append("risk['safe_harbour']: zip_codes and people_of_area belong together; give both")
    for name in value.get("sections", ()) if value.get("sections") != "all" else ():
        setting, words = NEEDED_SETTINGS.get(name, ("", ""))
        if setting and setting not in value:
            faults.append(f"risk['sections']: {name!r} needs {setting!r}, {words}; give it, or leave the section out")
    if "household" in value and "weights" not in value:
        faults.append("risk['household']: needs weights too; name the column of the sampling weights")
    return faults


def _faults_of_columns(value: Mapping, columns: Iterable[str] | None) -> list[str]:
    if columns is None:
        return []
    known, harbour = list(columns), value.get("safe_harbour", {})
    named = [(f"risk[{key!r}]", value[key]) for key in ("weights", "household") if key in value]
    named += [(f"risk['safe_harbour'][{key!r}]", harbour[key]) for key in ("ages", "zip_codes") if key in harbour]
    named += [("risk['groups']", name) for name in value.get("groups", ())]
    return [
        f"{where}: column {name!r} is not in the combined dataset{nearest_name(name, known)}"
        for where, name in named
        if name not in known
    ]


def _faults_of_models(value: Mapping, config: Mapping) -> list[str]:
    if "models" not in value:
        return []
    from disclosure_control.measures.syntactic_models import faults_of_parameters  # with SciPy, which few runs need

    sensitive = config.get("sensitive_feature") or ()
    known = [sensitive] if isinstance(sensitive, str) else list(sensitive)
    faults = [
        f"risk['models'][{name!r}]: found {type(given).__name__}; allowed: a dictionary of parameters"
        for name, given in value["models"].items()
        if not isinstance(given, dict)
    ]
    if faults:
        return faults
    faults = [
        f"risk['models'][{name!r}]['hierarchy']: allowed: a dictionary, sensitive feature -> file in the pilot's folder"
        for name, given in value["models"].items()
        if "hierarchy" in given
        and not (isinstance(given["hierarchy"], dict) and all(map(_is_name, given["hierarchy"].values())))
    ]
    if faults:
        return faults
    # The hierarchies are files that nobody has opened yet.
    by_feature = {
        key: {name: one for name, one in given.items() if not (name == "hierarchy" and _is_name(one))}
        for key, given in parameters_by_feature(value["models"]).items()
    }
    return [f"risk['models']: {fault}" for fault in faults_of_parameters(known, by_feature)]


def parameters_by_feature(models: Mapping[str, Mapping]) -> dict[object, dict[str, object]]:
    """``{model: {parameter: value or {feature: value}}}`` as ``evaluate_syntactic_models`` takes it."""
    by_key: dict[object, dict[str, object]] = {}
    for name, given in models.items():
        by_key[name] = {}
        for parameter, value in given.items():
            entries = value.items() if isinstance(value, dict) else [(None, value)]
            for feature, one in entries:
                by_key.setdefault(name if feature is None else (name, feature), {})[parameter] = one
    return by_key


def read_settings(value: object, config: PilotConfig, columns: Sequence[str] | None) -> RiskSettings:
    """The settings of the config key ``risk``. Raises ``FaultyInputError`` with every fault of it."""
    stop_at(check_settings(value, config.literal, columns))
    given = {"sections": "all"} if value == "all" else dict(value)
    everything = {"sections": SECTION_NAMES, "presets": tuple(PRESETS)}
    for name, setting in given.items():
        if name in everything and setting == "all":
            given[name] = everything[name]
        elif isinstance(setting, list):
            given[name] = tuple(setting)
    # What a setting is for is wanted where the setting is given.
    if "sections" not in given:
        wanted = {section for key, section in _SECTION_OF_SETTING.items() if key in given}
        given["sections"] = tuple(name for name in SECTION_NAMES if name in DEFAULT_SECTIONS or name in wanted)
    return RiskSettings(**given)


_SECTION_OF_SETTING = {
    "weights": "sampling",
    "sampling_fraction": "population_uniqueness",
    "presets": "presets",
    "safe_harbour": "safe_harbour",
    "models": "models",
    "max_key_set": "key_sets",
    "small_level": "small_levels",
    "dis_fraction": "suda2",
}
