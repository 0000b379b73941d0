"""The settings of ``risk`` that several sections use; each section has further ones of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from disclosure_control.basics.settings.fields import SettingsGroup, nested, setting
from disclosure_control.basics.settings.kinds import (
    COUNT,
    FLAG,
    SHARE,
    SHARE_ABOVE_ZERO,
    TEXT,
    Place,
    dictionary_of,
    list_of,
)

Own = TypeVar("Own", bound=SettingsGroup)


@dataclass(frozen=True)
class PopulationFile(SettingsGroup):
    """A table of the population; ``columns`` maps quasi-identifiers to their other names there."""

    file: str = setting(
        TEXT.but("a file in the pilot's folder, best in a folder of its own there"), "the table of the population"
    )
    columns: Mapping[str, str] = setting(
        dictionary_of(TEXT.but("its column in that file"), names="quasi-identifier"),
        "the columns of the file that have another name than in the pilot",
        {},
    )
    includes_sample: bool = setting(FLAG, "whether the pilot's people are in the file", True)


@dataclass(frozen=True)
class RiskSettings(SettingsGroup):
    """The ``sections``, in the order of evaluation, and their settings for comparison.

    An instance has the settings of every section as well: ask ``of`` for them.
    """

    sections: tuple[str, ...] = ()
    records: bool = setting(FLAG, "also the risk of each record, in `record_risk.csv`", True)
    threshold: float = setting(SHARE_ABOVE_ZERO, "a chance above which a record counts as at risk", 0.2)
    k_at_most: tuple[int, ...] = setting(
        list_of(COUNT, "a list of whole numbers from 1"),
        "thresholds of the profile and of the key sets",
        (1, 2, 3, 5, 10),
    )
    max_key_set: int = setting(COUNT, "how many quasi-identifiers are combined, for `key_sets` and `suda2`", 3)
    alpha: float = setting(
        SHARE,
        'how much a record with a missing quasi-identifier counts for others, under `"missing_qis": "wildcard"`. It '
        "concerns the intruders, the profile, `sampling` and the population; k and the key sets count it in full",
        1.0,
    )
    sampling_fraction: float | None = setting(
        SHARE_ABOVE_ZERO,
        "the share of the population in the pilot; without it, and without a population, the pilot counts as its "
        "own population, and journalist and prosecutor agree",
        None,
    )
    population: PopulationFile | None = setting(
        nested(PopulationFile),
        '`{"file": "reference/census.csv", "columns": {"DM__SEX": "gender"}, "includes_sample": True}`: one row per '
        "person of the population, in a folder of its own within the pilot's folder (beside the domain files, the "
        "merge would take it for one); it is binned as the pilot is. A person whom nobody there equals for lack of a "
        "value counts as if the pilot were the population",
        None,
    )

    def of(self, kind: type[Own]) -> Own:
        """The same settings as those of one section."""
        assert isinstance(self, kind), kind
        return self

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """Settings without effect, or at odds with each other."""
        if "alpha" in given and place.pilot.missing_qis != "wildcard":
            yield f'{place["alpha"]}: has no effect but with "missing_qis": "wildcard"; set that, or leave alpha out'
        if self.population is not None and self.sampling_fraction is not None:
            yield f"{place}: population and sampling_fraction are both given; allowed: one of them"
