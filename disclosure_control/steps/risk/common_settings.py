"""The settings of ``risk`` that several sections look at, and where each section finds its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from disclosure_control.basics.settings.settings import COUNT, FLAG, SHARE, Check, is_name
from disclosure_control.steps.risk.setting_fields import COUNTS, SHARE_ABOVE_ZERO, setting

Own = TypeVar("Own")

_DICTIONARY: Check = (lambda value: isinstance(value, dict), "a dictionary of file, columns, includes_sample")
_COLUMN_OF_EACH: Check = (
    lambda value: isinstance(value, dict) and all(is_name(name) for name in value.values()),
    "a dictionary, quasi-identifier -> its column in that file",
)


@dataclass(frozen=True)
class PopulationFile:
    """A table of the population; ``columns`` says where a quasi-identifier has another name there."""

    file: str = field(
        default="", metadata=setting((is_name, "a file in the pilot's folder, best in a folder of its own there"))
    )
    columns: Mapping[str, str] = field(default_factory=dict, metadata=setting(_COLUMN_OF_EACH))
    includes_sample: bool = field(default=True, metadata=setting(FLAG))

    @staticmethod
    def faults_between(where: str, given: Mapping) -> list[str]:
        return [] if "file" in given else [f"{where}: file is missing; name the table of the population"]


@dataclass(frozen=True)
class RiskSettings:
    """Which ``sections``, in the order in which they are evaluated, and what they compare with.

    ``own`` are the settings of single sections: ask ``of`` for them. ``given`` are the names of all settings that the
    config gives. Names of columns are those of the combined dataset.
    """

    sections: tuple[str, ...] = ()
    given: frozenset[str] = frozenset()
    own: Mapping[type, Any] = field(default_factory=dict)
    records: bool = field(
        default=True,
        metadata=setting(
            FLAG,
            "also what each record bears, in `record_risk.csv`",
            default_words="`True`",
        ),
    )
    threshold: float = field(
        default=0.2, metadata=setting(SHARE_ABOVE_ZERO, "a chance above which a record counts as at risk")
    )
    k_at_most: tuple[int, ...] = field(
        default=(1, 2, 3, 5, 10), metadata=setting(COUNTS, "thresholds of the profile and of the key sets")
    )
    max_key_set: int = field(
        default=3, metadata=setting(COUNT, "how many quasi-identifiers are combined, for `key_sets` and `suda2`")
    )
    alpha: float = field(
        default=1.0,
        metadata=setting(
            SHARE,
            'what a record with a missing quasi-identifier counts for others, under `"missing_qis": "wildcard"`. It '
            "concerns the intruders, the profile, `sampling` and the population; k itself and the key sets count it in "
            "full",
        ),
    )
    sampling_fraction: float | None = field(
        default=None,
        metadata=setting(
            SHARE_ABOVE_ZERO,
            "which share of the population the pilot is; without it, and without a population, the pilot counts as its "
            "own population, and journalist and prosecutor agree",
        ),
    )
    population: PopulationFile | None = field(
        default=None,
        metadata=setting(
            _DICTIONARY,
            '`{"file": "reference/census.csv", "columns": {"DM__SEX": "gender"}, "includes_sample": True}`: one row '
            "per person of the population, in a folder of its own within the pilot's folder (beside the domain files, "
            'the merge would take it for one); it is binned as the pilot is. `"includes_sample": False` says that the '
            "pilot's people are not in it. Whom nobody there equals for lack of a value counts as if the pilot were "
            "the population",
            within=PopulationFile,
        ),
    )

    def of(self, kind: type[Own]) -> Own:
        """The settings of one section, by their type; where none was given, the defaults."""
        return self.own[kind] if kind in self.own else kind()
