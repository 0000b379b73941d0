"""Local suppression: single cells of the quasi-identifiers are made missing until everyone is alike to k people.

``missing`` says how a missing cell counts, and so what k means: "wildcard" (it matches any value, sdcMicro's reading,
few cells) or "category" (it is a value of its own, the strict reading, more cells).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from Anonymization_Models import EquivalenceClasses, apply_feature_binning, form_equivalence_classes
from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.columns import encode_column
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import COLUMNS, COUNT, Place, one_of
from disclosure_control.basics.telling.small_counts import NoteForReaders, people_on_screen
from disclosure_control.basics.telling.words import people_text
from disclosure_control.remedy.treatments.algorithms.alike import READINGS
from disclosure_control.remedy.treatments.algorithms.suppression_parts import SuppressionParts
from disclosure_control.remedy.treatments.algorithms.suppression_search import search
from disclosure_control.remedy.treatments.record_order import record_ranks
from disclosure_control.remedy.treatments.registry import (
    Reading,
    Treated,
    Treatment,
    TreatmentInput,
    strangers_to_the_quasi_identifiers,
)


@dataclass(frozen=True)
class LocalSuppressionSettings(SettingsGroup):
    """How many people have to be alike, and which cells are suppressed first."""

    k: int | None = setting(COUNT, "how many people", None, "the config's `K`")
    missing: str | None = setting(
        one_of(*READINGS),
        'how a missing value counts: `"category"`, as a value of its own, or `"wildcard"`, as a match for any value',
        None,
        '`missing_qis` (for `"exclude"`: `"category"`)',
    )
    importance: tuple[str, ...] = setting(
        COLUMNS,
        "quasi-identifiers, the most important first, which is suppressed last",
        (),
        "the column with the most values is suppressed first",
    )
    strata: tuple[str, ...] = setting(
        COLUMNS, "columns, such as the site, within which k has to hold; they are not suppressed", ()
    )

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """Importance of columns that are no quasi-identifiers, and strata that are."""
        yield from strangers_to_the_quasi_identifiers(place["importance"], self.importance)
        for name in self.strata:
            if name in place.pilot.quasi_identifiers:
                yield (
                    f"{place['strata']}: {name!r} is a quasi-identifier; allowed: other columns; a person's k counts "
                    "within a stratum anyway"
                )


def apply_local_suppression(given: TreatmentInput, settings: LocalSuppressionSettings) -> Treated:
    """Make few cells of the quasi-identifiers missing, so that everyone is alike to at least ``k`` people.

    ``k`` and ``missing`` are the config's own by default ("category" for "exclude"). ``importance`` names
    quasi-identifiers, the most important first: it is suppressed last. Those not named are suppressed before them, the
    one with the most values first. ``strata`` are columns within which k has to hold; they are not suppressed. The
    search does not find the least possible number of cells, but no single cell can be restored. People in a stratum of
    fewer than ``k`` lose every cell; the notes count them. Continuous quasi-identifiers are compared in the config's
    bins. Source of the problem and of the reading "wildcard": sdcMicro ``localSuppression``.
    """
    config, frame = given.config, given.frame
    k = config.K if settings.k is None else settings.k
    reading = settings.missing or ("category" if config.missing_qis == "exclude" else config.missing_qis)
    looked_at, binned = _as_evaluated(frame, config)
    names = [str(name) for name in looked_at]
    classes = _classes_in_strata(looked_at, [encode_column(frame[name]).codes for name in settings.strata])
    codes, n_names = classes.class_codes.copy(), len(names)
    codes[n_names:] += 1  # a missing stratum is a stratum of its own, under either reading
    order = _order(names, [len(labels) for labels in classes.labels[:n_names]], settings.importance)
    parts, n_alike = search(codes, classes.size, n_names, k, reading, order)
    lost = _cells_of_records(given, classes, parts)
    columns = {name: frame[name].mask(lost[i]) for i, name in enumerate(names) if lost[i].any()}
    changed = {name: int(lost[i].sum()) for i, name in enumerate(names)}
    n_below = int(parts.people[n_alike < k].sum())
    notes = _notes(config, reading, binned, n_below, len(frame), k, bool(settings.strata))
    return Treated(frame.assign(**columns), changed, notes=notes)


def _as_evaluated(frame: pd.DataFrame, config: PilotConfig) -> tuple[pd.DataFrame, list[str]]:
    """The quasi-identifiers that are left, as k is measured on them, and which of them are in the config's bins."""
    names = [name for name in config.quasi_identifiers if name in frame]
    binned = [name for name in names if name in config.binning_config and _is_numeric(frame[name])]
    edges = {name: config.binning_config[name] for name in binned}
    return apply_feature_binning(frame[names], edges, config.out_of_range)[0], binned


def _is_numeric(column: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype)


def _classes_in_strata(looked_at: pd.DataFrame, strata: Sequence[np.ndarray]) -> EquivalenceClasses:
    """Classes by the quasi-identifiers and the strata, which are appended as numbers, NaN where missing."""
    numbers = {f"{i}": np.where(codes < 0, np.nan, codes) for i, codes in enumerate(strata)}
    places = looked_at.set_axis([f"quasi_identifier {i}" for i in range(looked_at.shape[1])], axis=1)
    together = places.assign(**numbers)
    return form_equivalence_classes(together, [str(name) for name in together])


def _order(names: Sequence[str], n_values: Sequence[int], importance: Sequence[str]) -> list[int]:
    """Places of the columns in ``names``, the first to be suppressed first."""
    rank = {name: -place for place, name in enumerate(importance, start=1)}
    least = -len(rank) - 1
    return sorted(range(len(names)), key=lambda i: (rank.get(names[i], least), -n_values[i], i))


def _cells_of_records(given: TreatmentInput, classes: EquivalenceClasses, parts: SuppressionParts) -> np.ndarray:
    """Which cells each record loses: (n_columns, n_records) of bool.

    Within a class people are equal, so their other values decide who loses the cells.
    """
    parts.compact()  # by class
    is_split = len(parts.people) > classes.n_classes
    ranks = record_ranks(given) if is_split else np.zeros(classes.n_records, dtype=np.int64)
    order = np.lexsort((ranks, classes.class_of_record))
    lost = np.empty((parts.n_columns, classes.n_records), dtype=bool)
    lost[:, order] = np.repeat(parts.lost, parts.people, axis=1)
    return lost


def _notes(
    config: PilotConfig, reading: str, binned: Sequence[str], n_below: int, n: int, k: int, in_strata: bool
) -> tuple[str, ...]:
    notes: list[str] = []
    if reading == "wildcard":
        notes.append("K is met where a missing value counts as a match for any value, not where it counts as a value.")
    if config.missing_qis == "exclude":
        notes.append('People with a suppressed cell are not evaluated under missing_qis "exclude".')
    if binned:
        notes.append(f"K is met for {', '.join(binned)} in the config's bins; the file keeps the exact values.")
    if n_below:
        where = "in strata of fewer" if in_strata else "fewer in all"
        of = "" if n_below == n else f" of {people_text(n)}"
        shown = people_text(n) if n_below == n else people_on_screen(n_below)
        why = f"({where} than {k}): all their cells were suppressed."
        notes.append(NoteForReaders.of(lambda n: f"A k of {k} cannot be met for {n}{of} {why}", n_below, shown))
    return tuple(notes)


TREATMENTS = {
    "local_suppression": Treatment(
        apply_local_suppression,
        LocalSuppressionSettings,
        110,
        "suppresses single cells of the quasi-identifiers until every class has at least `k` people: see below",
        Reading.AS_LABEL,
    ),
}
