"""A pilot's people, opened by the engine of the run: from its combined dataset to classes and counts."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from config import ClusterSettings
from config.model_settings import KeyReader, PilotConfig, validate_config
from disclosure_control.assess.absent_columns import known_columns
from disclosure_control.assess.combined_dataset import CombinedDataset, check_subject_column, checked_config
from disclosure_control.basics.telling.faults import stop_at
from disclosure_control.records.choice import ENGINES
from disclosure_control.records.dataset_rules import faults_of_names, faults_of_roles
from disclosure_control.records.limits import USUAL_LIMITS, Limits
from disclosure_control.records.needs import Needed, faults_of_needs
from disclosure_control.records.people import People
from disclosure_control.records.store import Store, StoreInMemory, open_store

AskNeeds = Callable[[PilotConfig], list[Needed]]


@dataclass(frozen=True)
class OpenedPilot:
    """The config, checked and typed, the combined dataset, and its people as they were counted."""

    config: PilotConfig
    dataset: CombinedDataset
    people: People


def _nothing(config: PilotConfig) -> list[Needed]:
    return []


@contextlib.contextmanager
def opened(
    engine: str,
    path: Path,
    literal: Mapping,
    readers: Mapping[str, KeyReader],
    needed: AskNeeds = _nothing,
    cluster: ClusterSettings | None = None,
    limits: Limits | None = None,
) -> Iterator[OpenedPilot]:
    """The pilot, opened by the engine of this name; its temporary files are removed at the end of the block.

    ``literal`` is the config as written, ``readers`` read its further keys. It is checked against the columns of the
    header before the file is read whole, and so is what is ``needed`` of the records. ``cluster``: the workers, for an
    engine that has some. No subject may have two rows. Raises ``FaultyInputError``; its messages contain counts and no
    value.
    """
    columns, config = checked_config(path, literal, readers)
    if not ENGINES[engine].has_all:
        stop_at(faults_of_needs(needed(config)))
    with open_store(engine, path, cluster, limits or USUAL_LIMITS) as store:
        config = _checked_by(store, path, columns, config, literal, readers)
        dataset, people = store.counted(config)
        yield OpenedPilot(config, dataset, people)


def read_texts(path: Path, literal: Mapping, readers: Mapping[str, KeyReader]) -> tuple[PilotConfig, pd.DataFrame, str]:
    """The config, the dataset as text without typed columns, and its SHA-256.

    Faulty values in unused columns are then no fault. Raises ``FaultyInputError`` as ``opened`` does.
    """
    columns, config = checked_config(path, literal, readers)
    store = StoreInMemory(path)
    config = _checked_by(store, path, columns, config, literal, readers)
    stop_at(store.faults_of_subjects())
    return config, store.text, store.sha256


def _checked_by(
    store: Store,
    path: Path,
    columns: list[str] | None,
    config: PilotConfig,
    literal: Mapping,
    readers: Mapping[str, KeyReader],
) -> PilotConfig:
    """The config, checked again if the ``columns`` are not those of its header."""
    check_subject_column(path, store.columns)
    stop_at([*faults_of_roles(config), *faults_of_names(store.columns)])
    if list(store.columns) == columns:
        return config
    return validate_config(literal, known_columns(list(store.columns), path.parent), readers)
