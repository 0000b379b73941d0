"""The check of a list of treatments: their methods, their settings, and columns that are not there any more."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from config.model_settings import PilotConfig
from disclosure_control.basics.settings.fields import columns_named, faults_of, typed
from disclosure_control.basics.settings.kinds import Kind, Place
from disclosure_control.basics.settings.unknown_keys import hint_of_name
from disclosure_control.basics.telling.faults import stop_at
from disclosure_control.identifiers.column_findings import ColumnFinding
from disclosure_control.remedy.treatments.registry import TreatmentStep, methods


def checked_steps(
    steps: Sequence[TreatmentStep | Mapping[str, object]], config: PilotConfig, columns: Sequence[str] | None
) -> tuple[TreatmentStep, ...]:
    """The steps, checked where they are still dictionaries. Raises ``FaultyInputError`` with every fault of them."""
    read = tuple(step for step in steps if isinstance(step, TreatmentStep))
    if len(read) == len(steps):
        return read
    literals = [step.literal if isinstance(step, TreatmentStep) else step for step in steps]
    stop_at(faults_of_steps(literals, config, columns))
    return tuple(TreatmentStep.of(literal) for literal in literals)


def faults_of_columns_gone(step: TreatmentStep, columns: Collection[str]) -> list[str]:
    """A fault for each column of a step that an earlier step dropped by its values; others are found before the run."""
    return [
        f"treatment: {step.method}[{key!r}]: column {column!r} is no longer in the dataset at this step; an earlier "
        "step dropped it because of its values; remove this step, or put it before that one"
        for key, named in columns_named(step.settings).items()
        for column in named
        if column not in columns
    ]


def dropped_columns(
    steps: Iterable[TreatmentStep],
    columns: Sequence[str],
    config: PilotConfig,
    findings_in: Callable[[Sequence[str]], Iterable[ColumnFinding]],
) -> tuple[str, ...]:
    """The columns that the steps drop, in the order of the steps; ``findings_in`` finds values that name a person."""
    dropped: dict[str, None] = {}
    for step in steps:
        treatment = methods()[step.method]
        if treatment.drops_by_values is not None:
            dropped |= dict.fromkeys(treatment.drops_by_values(step.settings, columns, config, findings_in)[0])
        elif treatment.drops is not None:
            dropped |= dict.fromkeys(treatment.drops(step.settings, columns))
    return tuple(dropped)


def faults_of_steps(
    steps: Iterable[object], config: PilotConfig, columns: Iterable[str] | None, name: str = "treatment"
) -> list[str]:
    """Faults of a list of treatments as a config writes it; ``columns`` are the dataset's, None where unknown."""
    known = None if columns is None else list(columns)
    faults: list[str] = []
    for position, step in enumerate(steps):
        where = f"{name}[{position}]"
        if not isinstance(step, Mapping) or not isinstance(step.get("method"), str):
            faults.append(f'{where}: found no dictionary with a "method"; known: {", ".join(methods())}')
            continue
        if step["method"] not in methods():
            hint = hint_of_name("method", step["method"], methods()) or f"; known: {', '.join(methods())}"
            faults.append(f"{where}: unknown method {step['method']!r}{hint}")
            continue
        treatment = methods()[step["method"]]
        given = {key: value for key, value in step.items() if key != "method"}
        place = Place(f"{where} {step['method']}", config, known, "the dataset at this step")
        found = faults_of(treatment.settings, given, place)
        faults += found
        if treatment.drops and known is not None and not found:
            gone = set(treatment.drops(typed(treatment.settings, given), known))
            known = [column for column in known if column not in gone]
    return faults


STEPS = Kind(
    lambda value: isinstance(value, list | tuple),
    'a list of {"method": ..., settings}',
    lambda value: tuple(map(TreatmentStep.of, value)),
    within=lambda value, place: faults_of_steps(value, place.pilot, place.columns),
)
