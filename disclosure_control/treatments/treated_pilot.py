"""A pilot after its treatment: treatments applied one after the other, and what comes out evaluated again.

``treat`` and ``evaluate_treated`` work on any DataFrame with one row per person, from a notebook as well::

    treated = treat(df, config, [{"method": "band", "column": "AGE", "width": 10}])
    treated.assessment.k_anonymity.n_risky, treated.released
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from Anonymization_Models import DISTANCES
from config.model_settings import PilotConfig
from disclosure_control.assess.assessment import Assessment, assess
from disclosure_control.assess.combined_dataset import SUBJECT_COLUMN
from disclosure_control.basics.columns import as_counted, encode_column, numbers_of
from disclosure_control.basics.faults import FaultyInputError, nearest_name
from disclosure_control.basics.settings import faults_of_settings
from disclosure_control.treatments.registry import Treated, TreatmentInput, methods
from disclosure_control.treatments.seeds import DEFAULT_SEED

COLUMN_SETTINGS = ("column", "columns", "strata", "importance", "sensitive", "score", "keep")


@dataclass(frozen=True)
class AppliedStep:
    """One treatment as it was applied: what it changed per column, in counts, what it read, if chance was drawn."""

    method: str
    changed: Mapping[str, int]
    n_records_removed: int
    notes: tuple[str, ...]
    used_chance: bool
    inputs: Mapping[str, dict] = field(default_factory=dict)


@dataclass(frozen=True)
class TreatedPilot:
    """A pilot after its treatment.

    ``frame`` (n_kept, n_columns) are the records as released, in the order in which they came; its index, and
    ``kept`` (n_kept,), are their positions in the frame that was treated. ``assessment`` looks at it as the config
    does, ``as_released`` at the exact values that stand in it, without the config's bins of quasi-identifiers.
    ``config`` holds the roles that the columns have now; ``notes`` are sentences for the report.
    """

    frame: pd.DataFrame
    config: PilotConfig
    assessment: Assessment
    as_released: Assessment
    steps: tuple[AppliedStep, ...]
    n_records_before: int
    seed: int | None
    notes: tuple[str, ...]

    @property
    def kept(self) -> np.ndarray:
        return self.frame.index.to_numpy()

    @property
    def inputs(self) -> dict[str, dict]:
        """Files that the steps read, with their SHA-256."""
        return {name: read for step in self.steps for name, read in step.inputs.items()}

    @property
    def n_records_removed(self) -> int:
        return self.n_records_before - len(self.frame)

    @cached_property
    def released(self) -> pd.DataFrame:
        """The records as they are written: in an order that tells nothing of the original one, without row numbers.

        By subject id where there is one, otherwise by the values of all columns. Each value is the label that was
        counted, so that k of the file is k as released; an id is a name and stays as it is spelled.
        """
        counted = {name: as_counted(column) for name, column in self.frame.items() if name != SUBJECT_COLUMN}
        frame = self.frame.assign(**counted)
        names = [SUBJECT_COLUMN] if SUBJECT_COLUMN in frame else list(frame.columns)
        return frame.iloc[_sorted([frame[name] for name in names])].reset_index(drop=True)


# ---------------------------------------------------------------- the pilot after its treatment


def evaluate_treated(frame: pd.DataFrame, config: PilotConfig, as_released: bool = False) -> Assessment:
    """k, l and t of a treated frame under the thresholds of ``config``, the roles of its columns adapted.

    A continuous column that became text is a category and not binned; one that is gone has no role any more. The
    config's bins of quasi-identifiers are how the pilot is looked at, not what is released: ``as_released`` leaves
    them out, so that exact values count as such. Bins of a sensitive feature stay: they define l.
    """
    adapted = config_of(frame, config)
    if as_released:
        adapted = dataclasses.replace(adapted, binning_config={})
    return assess(frame, adapted)


def config_of(frame: pd.DataFrame, config: PilotConfig) -> PilotConfig:
    """The config with the roles that its columns have in this frame, after whatever treatment."""
    numeric = {name for name in config.continuous_qis if name in frame and holds_numbers(frame[name])}
    text = {name for name in config.continuous_qis if name in frame} - numeric
    sensitive = tuple(name for name in config.sensitive_features if name in frame)
    numeric_sensitive = {name for name in sensitive if encode_column(frame[name]).is_numeric}
    distances = {name: config.t_distance.get(name) for name in sensitive}
    for name, distance in distances.items():
        if distance and DISTANCES[distance].needs_numbers and name not in numeric_sensitive:
            distances[name] = "total_variation"
    binned = {name: edges for name, edges in config.sensitive_binning.items() if name in sensitive}
    return dataclasses.replace(
        config,
        categorical_qis=tuple(n for n in config.categorical_qis if n in frame)
        + tuple(n for n in config.continuous_qis if n in text),
        continuous_qis=tuple(name for name in config.continuous_qis if name in numeric),
        binning_config={name: edges for name, edges in config.binning_config.items() if name in numeric},
        sensitive_features=sensitive,
        sensitive_binning={name: edges for name, edges in binned.items() if holds_numbers(frame[name])},
        L={name: config.L[name] for name in sensitive},
        T={name: config.T[name] for name in sensitive},
        t_distance=distances,
    )


def holds_numbers(column: pd.Series) -> bool:
    """Whether a column can be read as numbers; categories never can, even where their names are digits."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return False
    try:
        numbers_of(column)
    except FaultyInputError:
        return False
    return True


def treat(
    frame: pd.DataFrame,
    config: PilotConfig,
    steps: Sequence[Mapping],
    seed: int | np.random.Generator = DEFAULT_SEED,
    folder: Path | None = None,
    recommended: Sequence[Mapping] | None = None,
) -> TreatedPilot:
    """Apply treatments one after the other and evaluate what comes out.

    ``frame`` (n_records, n_columns) has one row per person and is left as it was; ``steps`` are dictionaries of a
    ``method`` and its settings. A ``seed`` that is a generator is drawn from and runs on. Chance goes to the records
    in the order of their subject ids (column USUBJID), so the order of rows does not matter; where a frame has no ids,
    the order of rows stands for them. Raises ``FaultyInputError`` with every fault of the steps.
    """
    literal = config.literal if recommended is None else {**config.literal, "recommend": {}}
    faults = faults_of_steps(steps, literal, frame.columns)
    if faults:
        raise FaultyInputError(faults)
    generator = np.random.default_rng(seed)
    start = frame.reset_index(drop=True)
    work = start.iloc[_natural_order(start)]
    subjects = work.get(SUBJECT_COLUMN)
    applied = []
    for step in steps:
        given = TreatmentInput(work, config, generator, subjects, folder, recommended)
        treated, used_chance = _apply(step, given)
        work = treated.frame
        subjects = None if subjects is None else subjects.loc[work.index]
        n_removed = treated.n_records_removed
        applied.append(
            AppliedStep(step["method"], treated.changed, n_removed, treated.notes, used_chance, treated.inputs)
        )
    work = _without_unused_categories(work.sort_index())
    assessment = evaluate_treated(work, config)
    return TreatedPilot(
        frame=work,
        config=assessment.config,
        assessment=assessment,
        as_released=evaluate_treated(work, config, as_released=True),
        steps=tuple(applied),
        n_records_before=len(frame),
        seed=None if isinstance(seed, np.random.Generator) else seed,
        notes=tuple(_notes_on_roles(start, work, config)),
    )


def apply_steps(steps: Iterable[Mapping], given: TreatmentInput) -> Treated:
    """Several treatments as one: what they changed in sum, with all their notes."""
    frame, subjects, changed, notes, inputs = given.frame, given.subjects, {}, [], {}
    for step in steps:
        treated, _ = _apply(step, dataclasses.replace(given, frame=frame, subjects=subjects))
        frame = treated.frame
        subjects = None if subjects is None else subjects.loc[frame.index]
        notes += treated.notes
        inputs |= treated.inputs
        for name, count in treated.changed.items():
            changed[name] = changed.get(name, 0) + count
    return Treated(frame, changed, len(given.frame) - len(frame), tuple(notes), inputs)


def _without_unused_categories(frame: pd.DataFrame) -> pd.DataFrame:
    """The list of a column's categories must not name a value whose people are gone."""
    categories = frame.select_dtypes("category")
    return frame.assign(**{name: column.cat.remove_unused_categories() for name, column in categories.items()})


def _apply(step: Mapping, given: TreatmentInput) -> tuple[Treated, bool]:
    state = given.generator.bit_generator.state
    settings = {name: value for name, value in step.items() if name != "method"}
    treated = methods()[step["method"]].apply(given, **settings)
    return treated, given.generator.bit_generator.state != state


def _natural_order(frame: pd.DataFrame) -> np.ndarray:
    """Positions (n_records,) by subject id, shorter ids first, so that 9 comes before 10; as given without ids."""
    if SUBJECT_COLUMN not in frame:
        return np.arange(len(frame))
    ids = frame[SUBJECT_COLUMN].astype("str").str.strip()
    return _sorted([ids.str.len(), ids])


def _sorted(columns: Sequence[pd.Series]) -> np.ndarray:
    """Positions (n_records,) in the order of the columns' values: numbers by size, text by letters, missing last."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not columns:
        return np.empty(0, dtype=np.int64)
    arrays = {
        str(i): pa.array(column if pd.api.types.is_numeric_dtype(column.dtype) else column.astype("str"))
        for i, column in enumerate(columns)
    }
    return pc.sort_indices(pa.table(arrays), sort_keys=[(name, "ascending") for name in arrays]).to_numpy()


def _notes_on_roles(before: pd.DataFrame, after: pd.DataFrame, config: PilotConfig) -> list[str]:
    """What the treatment did to the roles of the columns, said aloud."""
    adapted = config_of(after, config)
    notes = []
    gone = [name for name in config.quasi_identifiers if name not in after]
    if gone:
        notes.append(f"No quasi-identifier any more, because it is not released: {', '.join(gone)}.")
    notes += [
        f"{name} is not released: its l and t are no longer evaluated."
        for name in config.sensitive_features
        if name not in after
    ]
    became_text = [name for name in config.continuous_qis if name in adapted.categorical_qis]
    if became_text:
        notes.append(f"Released as categories, and evaluated as they are, without bins: {', '.join(became_text)}.")
    for name in adapted.sensitive_features:
        if encode_column(before[name]).is_numeric and not encode_column(after[name]).is_numeric:
            notes.append(
                f"{name} is released as categories: its t is now total variation, a share from 0 to 1, which cannot "
                f"be compared with the t before nor with T = {config.T[name]:g} in the unit of the value."
            )
    return notes


# ---------------------------------------------------------------- the config key


def faults_of_steps(
    steps: object, config: Mapping, columns: Iterable[str] | None, name: str = "treatment"
) -> list[str]:
    """Faults of a list of treatments: their methods, their settings, and columns that are not there any more."""
    known = None if columns is None else list(columns)
    faults = []
    for position, step in enumerate(steps):
        where = f"{name}[{position}]"
        if not isinstance(step, dict) or not isinstance(step.get("method"), str):
            faults.append(f'{where}: a dictionary with a "method" is needed; known: {", ".join(methods())}')
            continue
        method = step["method"]
        if method not in methods():
            hint = nearest_name(method, methods()) or f"; known: {', '.join(methods())}"
            faults.append(f"{where}: unknown method {method!r}{hint}")
            continue
        settings = {key: value for key, value in step.items() if key != "method"}
        n_before = len(faults)
        faults += _faults_of_step(f"{where} {method}", settings, methods()[method], config, known)
        drops = methods()[method].drops
        if drops and known is not None and len(faults) == n_before:
            gone = set(drops(settings, known))
            known = [column for column in known if column not in gone]
    return faults


def _faults_of_step(where: str, settings: dict, treatment, config: Mapping, known: list[str] | None) -> list[str]:
    faults = faults_of_settings(where, settings, treatment.settings)
    faults += [
        f"{where}[{key!r}]: missing; allowed: {treatment.settings[key][1]}"
        for key in treatment.required
        if key not in settings
    ]
    if faults:
        return faults
    if treatment.check:
        faults += [f"{where}: {fault}" for fault in treatment.check(settings, config)]
    if known is not None:
        faults += [
            f"{where}[{key!r}]: column {column!r} is not in the dataset at this step{nearest_name(column, known)}"
            for key in COLUMN_SETTINGS
            for column in _names(settings.get(key))
            if column not in known
        ]
    return faults


def _names(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return list(value) if isinstance(value, list | tuple | dict) else []


# ---------------------------------------------------------------- the step
