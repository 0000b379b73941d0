"""A pilot's people, opened by the engine of the run: from its combined dataset to classes and counts."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from config import ClusterSettings
from config.model_settings import KeyReader, PilotConfig
from disclosure_control.assess.combined_dataset import (
    CombinedDataset,
    CombinedDatasetOnDisk,
    check_subject_column,
    checked_config,
    read_combined_dataset,
)
from disclosure_control.basics.telling.faults import stop_at
from disclosure_control.records.choice import ENGINES
from disclosure_control.records.dataset_rules import faults_of_names, faults_of_roles
from disclosure_control.records.disk import USUAL_LIMITS, Limits, count_on_disk
from disclosure_control.records.other_columns import TableOnDisk
from disclosure_control.records.people import People, count_in_memory
from disclosure_control.records.spill import spill_folder
from study.formats.blocks import Blocks, kind_of

SPILL_PER_BYTE = 1.5  # what is put aside, at most, by each byte of the text


@dataclass(frozen=True)
class OpenedPilot:
    """The config, checked and typed, the combined dataset, and its people as they were counted."""

    config: PilotConfig
    dataset: CombinedDataset
    people: People


def _no_faults(config: PilotConfig) -> list[str]:
    return []


@contextlib.contextmanager
def opened_in_memory(path: Path, literal: Mapping, readers: Mapping[str, KeyReader]) -> Iterator[OpenedPilot]:
    """The pilot with all its records: see ``read_combined_dataset``."""
    config, dataset = read_combined_dataset(path, literal, readers)
    yield OpenedPilot(config, dataset, count_in_memory(dataset.frame, config, dataset.subjects))


# Counts the people of a text, in a folder and within limits.
Count = Callable[[Blocks, PilotConfig, Path, Limits], tuple[People, TableOnDisk]]


@contextlib.contextmanager
def opened_from_disk(
    path: Path,
    literal: Mapping,
    readers: Mapping[str, KeyReader],
    faults_of_engine: Callable[[PilotConfig], list[str]] = _no_faults,
    limits: Limits | None = None,
    counting: Callable[[Path], AbstractContextManager[Count]] | None = None,
) -> Iterator[OpenedPilot]:
    """The pilot counted part by part; what is put aside for that is gone when the block ends.

    ``faults_of_engine`` names what the config asks for and only an engine with all records does: it is said before the
    file is read. ``counting`` gives, for a folder, who counts; this process if not given. Raises ``FaultyInputError``
    as ``read_combined_dataset`` does.
    """
    counting = (lambda folder: contextlib.nullcontext(count_on_disk)) if counting is None else counting
    limits = USUAL_LIMITS if limits is None else limits
    _, config = checked_config(path, literal, readers)
    kind = kind_of(path)
    text = kind.blocks(path, limits.block_bytes)
    check_subject_column(path, text.columns)
    stop_at([*faults_of_roles(config), *faults_of_names(text.columns), *faults_of_engine(config)])
    with spill_folder(path.parent, int(SPILL_PER_BYTE * kind.bytes_as_text(path))) as folder, counting(folder) as count:
        people, table = count(text, config, folder, limits)
        yield OpenedPilot(config, CombinedDatasetOnDisk(text.sha256, text.n_records, table, path.name), people)


@contextlib.contextmanager
def counting_on_cluster(settings: ClusterSettings, folder: Path) -> Iterator[Count]:
    """Workers of a cluster, who count; those of this machine are gone when the block ends, before the folder is."""
    from disclosure_control.records.cluster import count_on_cluster
    from disclosure_control.records.dask_workers import dask_workers

    with dask_workers(settings, folder) as workers:
        yield functools.partial(count_on_cluster, workers=workers)


@contextlib.contextmanager
def opened(
    engine: str,
    path: Path,
    literal: Mapping,
    readers: Mapping[str, KeyReader],
    faults_without_records: Callable[[PilotConfig], list[str]] = _no_faults,
    cluster: ClusterSettings | None = None,
) -> Iterator[OpenedPilot]:
    """The pilot by the engine of this name; ``faults_without_records`` is asked where it does not hold records.

    ``cluster``: who works, where the engine asks others.
    """
    if ENGINES[engine].holds_records:
        opening = opened_in_memory(path, literal, readers)
    else:
        on_cluster = functools.partial(counting_on_cluster, cluster or ClusterSettings())
        counting = on_cluster if engine == "cluster" else None
        opening = opened_from_disk(path, literal, readers, faults_without_records, counting=counting)
    with opening as found:
        yield found
