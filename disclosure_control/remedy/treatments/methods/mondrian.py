"""Mondrian: people are put into parts of at least k who are near in all quasi-identifiers, and share one label each.

A number becomes the interval of its part, a category the lowest node of its hierarchy above the part's values
or the set of them. Parts keep to k, l and t together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from Anonymization_Models import (
    DISTANCES,
    CountTable,
    bin_count_table,
    count_sensitive_values,
    default_distance,
    form_equivalence_classes,
)
from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.hierarchies import ValueHierarchy
from disclosure_control.basics.encoding.interval_labels import PARTS_HOLD
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import COUNT, Kind, Place, dictionary_of, is_name
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.words import people_text
from disclosure_control.remedy.treatments.algorithms.mondrian_labels import QuasiIdentifier
from disclosure_control.remedy.treatments.algorithms.mondrian_parts import Demand, partition
from disclosure_control.remedy.treatments.evaluation import distance_of_categories
from disclosure_control.remedy.treatments.hierarchy_files import PLACE, hierarchy_of_pilot
from disclosure_control.remedy.treatments.registry import (
    Reading,
    Treated,
    Treatment,
    TreatmentInput,
    strangers_to_the_quasi_identifiers,
    with_columns,
)

FURTHER_MODELS = ("l", "t")


_MODELS = Kind(
    lambda value: isinstance(value, list | tuple) and set(map(str, value)) <= set(FURTHER_MODELS),
    'a list of "l" and "t", [] for neither',
)
_HIERARCHIES = dictionary_of(
    Kind(lambda value: is_name(value) or isinstance(value, ValueHierarchy), f"a hierarchy's file, {PLACE}")
)


@dataclass(frozen=True)
class MondrianSettings(SettingsGroup):
    """How small a part may be, what it has to meet besides, and how its labels are written."""

    k: int | None = setting(COUNT, "the least number of people in a part", None, "the config's `K`")
    also: tuple[str, ...] = setting(
        _MODELS, 'which of `"l"` and `"t"` each part has to meet as well; `[]` for neither', FURTHER_MODELS, "both"
    )
    hierarchies: Mapping[str, str | ValueHierarchy] = setting(
        _HIERARCHIES, "by column, a file in the form of ARX, such as `hierarchies/race.csv` in the pilot's folder", {}
    )

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """Hierarchies of columns that are not cut."""
        yield from strangers_to_the_quasi_identifiers(place["hierarchies"], self.hierarchies)


def apply_mondrian(given: TreatmentInput, settings: MondrianSettings) -> Treated:
    """Replace the quasi-identifiers of each person by labels shared by the person's part of at least ``k`` people.

    People with equal values stay together. ``also``: which of the config's L and T each part has to meet too; t is
    measured against all people, on raw values. ``hierarchies``: by column, a file in the form of ARX. Both ends of an
    interval ``a--b`` are included. Missing values form parts of their own if these are large enough; elsewhere the
    label ends in ``|missing``. A threshold that all people together miss is ignored, with a note. Under missing_qis
    "exclude" the parts of missing values are not evaluated, so t of the others is measured against fewer people than
    here, and T is not guaranteed; a note says so. Raises ``FaultyInputError`` on a faulty hierarchy. Source: see
    ``partition``.
    """
    also = settings.also
    config, frame = given.config, given.frame
    k = config.K if settings.k is None else settings.k
    names = [name for name in config.quasi_identifiers if name in frame]
    if not names or frame.empty:
        return Treated(frame, dict.fromkeys(names, 0))
    trees, inputs = _read_hierarchies(settings.hierarchies or {}, given.folder)
    classes = form_equivalence_classes(frame, names)
    columns = [QuasiIdentifier(column, trees.get(name)) for name, column in zip(names, classes.columns, strict=True)]
    codes = np.stack([one.code[of_class] for one, of_class in zip(columns, classes.class_codes, strict=True)])
    attributes = [one.attribute for one in columns]
    present = [name for name in config.sensitive_features if name in frame]
    tables = {name: count_sensitive_values(classes, frame[name]).table for name in present}
    demands, notes = _demands(config, tables, also)
    parts = partition(codes, classes.size, attributes, k, demands)
    part_of_record = parts.part_of_unit[classes.class_of_record]
    if len(frame) < k:
        notes.append(f"A k of {k} cannot be met: there are only {people_text(len(frame))}.")
    new = {}
    for name, one, of_unit in zip(names, columns, codes, strict=True):
        labels = one.labels_of_parts(parts, of_unit)
        new[name] = pd.Series(labels.take(part_of_record), index=frame.index, name=name)
    notes += _note_on_those_not_evaluated(config, new, also)
    return with_columns(given, new, [f"{len(parts.length)} parts of at least {k} people.", *notes], inputs=inputs)


def _read_hierarchies(
    files: Mapping[str, str | ValueHierarchy], folder: Path | None
) -> tuple[dict[str, ValueHierarchy], dict[str, dict[str, object]]]:
    trees: dict[str, ValueHierarchy] = {}
    inputs: dict[str, dict[str, object]] = {}
    faults: list[str] = []
    for name, file in files.items():
        try:
            if isinstance(file, ValueHierarchy):
                trees[name] = file
            else:
                trees[name], read = hierarchy_of_pilot(file, folder, f"hierarchies[{name!r}]")
                inputs |= read
        except FaultyInputError as error:
            faults += error.faults
    stop_at(faults)
    return trees, inputs


def _note_on_those_not_evaluated(
    config: PilotConfig, labels: Mapping[str, pd.Series], also: Sequence[str]
) -> list[Any]:
    """Under "exclude" the evaluation compares with fewer people than the parts were, if any label is missing."""
    missing = np.any([column.isna().to_numpy() for column in labels.values()], axis=0)
    if config.missing_qis != "exclude" or "t" not in also or not config.sensitive_features or not missing.any():
        return []
    return [
        "T was met against the distribution of all people. "
        f'Under missing_qis "exclude", {people_text(int(missing.sum()))} without a quasi-identifier are not evaluated, '
        "so t of the others may be above T."
    ]


# ---------------------------------------------------------------- l and t


def _demands(
    config: PilotConfig, tables: Mapping[str, CountTable], also: Sequence[str]
) -> tuple[list[Demand], list[str]]:
    """What parts have to meet beyond k, without what all people together do not meet; and this in sentences."""
    demands, notes = [], []
    for name, table in tables.items():
        wanted = {}
        if "l" in also:
            wanted["L"] = _diversity(config, name, table)
        if "t" in also and len(table.values):
            wanted["T"] = _closeness(config, name, table)
        for letter, demand in wanted.items():
            if demand.holds(np.zeros(table.n_classes, dtype=np.int64), 1)[0]:
                demands.append(demand)
            else:
                notes.append(f"All people together do not meet {letter} of {name}, so the parts need not meet it.")
    return demands, notes


def _diversity(config: PilotConfig, name: str, table: CountTable) -> Demand:
    if name in config.sensitive_binning and table.is_numeric:
        table, _ = bin_count_table(table, name, config.sensitive_binning[name], config.out_of_range)
    least = config.L[name]
    return Demand(table, lambda parts: np.bincount(parts.class_of_cell, minlength=parts.n_classes) >= least)


def _closeness(config: PilotConfig, name: str, table: CountTable) -> Demand:
    wanted = config.t_distance.get(name) or default_distance(table)
    distance = DISTANCES[wanted if table.is_numeric else distance_of_categories(wanted)]
    reference, most = table.people_of_value, config.T[name]
    unit = float(np.ptp(table.values)) if distance.in_units else 1.0
    # As ``run_t_closeness`` flags: equal up to rounding is not too far, and a part without a value is not assessable.
    limit = most + 1e-12 * max(unit, most)
    return Demand(table, lambda parts: ~(distance.function(parts, reference) > limit))


TREATMENTS = {
    "mondrian": Treatment(
        apply_mondrian,
        MondrianSettings,
        120,
        (
            "divides people into parts of at least `k` with similar quasi-identifiers and gives each part shared "
            "labels; the parts meet `l` and `t` as well: see below"
        ),
        Reading.AS_LABEL,
        intervals=PARTS_HOLD,
    ),
}
