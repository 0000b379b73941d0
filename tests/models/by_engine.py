"""``Anonymization_Models`` as the tests of k, l and t ask it: of a frame in memory, or of its file by another engine.

A module of tests imports this as ``models`` and takes ``engine`` and ``pytest_generate_tests`` from here: its tests
then run over every engine, but for those that are marked ``in_memory``. The frame is written as a combined dataset,
counted in parts of few people, and what the engine says of classes is handed back to records by their ids.
"""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import functools
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import Anonymization_Models
from Anonymization_Models import ClassedRecords, EquivalenceClasses, ModelResult, SensitiveCounts
from config.model_settings import PilotConfig
from disclosure_control.assess import assessment as assessments
from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, EncodedColumn
from disclosure_control.records.choice import ENGINES
from disclosure_control.records.limits import Limits
from tests.records.written_pilots import opened_with

N_PARTS = 7  # at most, so that a larger table takes no longer than its size does
FEW = 4  # examples of a property by an engine that writes a file for each
COST = "a file for each question; those marked in_quick_run are cheap siblings"
# Of a test: no other engine can pass it, and why. Or: by another engine it is in the quick run, too.
in_memory, in_quick_run = pytest.mark.in_memory, pytest.mark.in_quick_run


@dataclasses.dataclass
class _Asked:
    """The engine of the test that runs, and what it holds open until the test ends."""

    engine: str = "memory"
    open_files: contextlib.ExitStack = dataclasses.field(default_factory=contextlib.ExitStack)


_asked = _Asked()


@pytest.fixture(autouse=True)
def engine(request) -> Iterator[str]:
    """The engine that answers the questions of this test."""
    with contextlib.ExitStack() as open_files:
        _asked.engine, _asked.open_files = request.param, open_files
        yield request.param


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every test over every engine, but for those that are marked."""
    test = metafunc.definition
    costly = [] if test.get_closest_marker("in_quick_run") else [pytest.mark.thorough(COST)]
    others = [] if test.get_closest_marker("in_memory") else [name for name in ENGINES if name != "memory"]
    by_file = [pytest.param(name, marks=costly if name == "disk" else pytest.mark.thorough(COST)) for name in others]
    metafunc.parametrize("engine", ["memory", *by_file], indirect=True)
    if hasattr(metafunc.function, "hypothesis"):
        metafunc.function.hypothesis.inner_test = _first_few(metafunc.function.hypothesis.inner_test)


def _first_few(property_of: Callable) -> Callable:
    """A property of which other engines than that in memory try the first few examples."""
    n_tried = dict.fromkeys(ENGINES, 0)

    @functools.wraps(property_of)
    def of_example(*arguments, **named):
        if not reads_files() or n_tried[_asked.engine] < FEW:
            property_of(*arguments, **named)
            n_tried[_asked.engine] += 1

    return of_example


# ---------------------------------------------------------------- a frame as a file


def reads_files() -> bool:
    """Whether the engine of the test reads a file, which has at least one record."""
    return _asked.engine != "memory"


def as_a_file_holds_it(frame: pd.DataFrame) -> pd.DataFrame:
    """Numbers and text alone, in place of every other kind of column, where the engine of the test reads a file."""
    if not reads_files():
        return frame
    return pd.DataFrame({name: _held(frame[name]) for name in frame.columns}, index=range(len(frame)))


def _held(column: pd.Series) -> pd.Series:
    if _is_of_numbers(column):
        return pd.Series(column.to_numpy(dtype=float, na_value=np.nan))
    values = [None if missing else str(value) for value, missing in zip(column, column.isna(), strict=True)]
    return pd.Series(values, dtype="str")


def _is_of_numbers(column: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype)


def _write(frame: pd.DataFrame, path: Path) -> Limits:
    """The frame as a combined dataset whose ids are the places of the records, and parts for it."""
    ids = pd.Series([f"é{place}" for place in range(len(frame))], index=frame.index, dtype="str", name=SUBJECT_COLUMN)
    pd.concat([ids, frame], axis=1).to_csv(path, index=False, quoting=csv.QUOTE_ALL, lineterminator="\n")
    lines = path.read_bytes().splitlines(keepends=True)
    block, people = max(path.stat().st_size // N_PARTS, *map(len, lines)), max(len(frame) // N_PARTS, 2)
    return Limits(block_bytes=block, range_bytes=block, people_per_part=people, flagged_per_part=people)


def _assessed(frame: pd.DataFrame, literal: Mapping) -> Assessment:
    """The frame's file as the engine of the test assesses it."""
    path = Path(_asked.open_files.enter_context(tempfile.TemporaryDirectory())) / "combined_dataset.csv"
    parts = _write(frame, path)
    opened = _asked.open_files.enter_context(opened_with(_asked.engine, path, dict(literal), parts))
    return assessments.evaluate(opened.people, opened.config)


# ---------------------------------------------------------------- what is asked


def assess(frame: pd.DataFrame, config: PilotConfig) -> Assessment:
    """Everything of an assessment; by another engine but what is handed back to records."""
    return _assessed(frame, config.literal) if reads_files() else assessments.assess(frame, config)


def form_equivalence_classes(frame: pd.DataFrame, names: Sequence[str]) -> EquivalenceClasses:
    """The classes, with the class of each record."""
    if not reads_files():
        return Anonymization_Models.form_equivalence_classes(frame, names)
    frame = frame[list(names)]
    return _of_records(_assessed(frame, _literal(frame, names)), len(frame))[0]


def count_sensitive_values(frame: pd.DataFrame, names: Sequence[str], sensitive: str) -> SensitiveCounts:
    """The count table of a column by the classes of others."""
    if not reads_files():
        classes = Anonymization_Models.form_equivalence_classes(frame, names)
        return Anonymization_Models.count_sensitive_values(classes, frame[sensitive])
    frame = frame[[*names, sensitive]]
    return _of_records(_assessed(frame, _literal(frame, names, sensitive)), len(frame))[1][sensitive]


def run_k_anonymity(frame, names, k, missing_qis="category", **in_memory_alone) -> ModelResult:
    """k, with the k of each record."""
    if not reads_files():
        return Anonymization_Models.run_k_anonymity(frame, names, k, missing_qis, **in_memory_alone)
    frame = frame[list(names)]
    found = _assessed(frame, _literal(frame, names) | {"K": int(k), "missing_qis": missing_qis})
    return _handed_back(found, found.k_anonymity, len(frame))


def run_l_diversity(
    frame, names, sensitive, least, bins=None, out_of_range="tail", missing_qis="category", **in_memory_alone
) -> ModelResult:
    """l, with the l of each record."""
    if not reads_files():
        asked = (frame, names, sensitive, least, bins, out_of_range, missing_qis)
        return Anonymization_Models.run_l_diversity(*asked, **in_memory_alone)
    frame = frame[[*names, sensitive]]
    policies = {"missing_qis": missing_qis, "out_of_range": out_of_range}
    literal = _literal(frame, names, sensitive) | {"L": int(least)} | policies
    if bins is not None:
        literal["sensitive_binning_config_for_L"] = {sensitive: list(bins)}
    found = _assessed(frame, literal)
    return _handed_back(found, found.l_diversity[sensitive], len(frame))


def run_t_closeness(
    frame, names, sensitive, t, distance=None, missing_qis="category", **in_memory_alone
) -> ModelResult:
    """t, with the t of each record."""
    if not reads_files():
        asked = (frame, names, sensitive, t, distance, missing_qis)
        return Anonymization_Models.run_t_closeness(*asked, **in_memory_alone)
    frame = frame[[*names, sensitive]]
    literal = _literal(frame, names, sensitive, distance) | {"T": float(t), "missing_qis": missing_qis}
    found = _assessed(frame, literal)
    return _handed_back(found, found.t_closeness[sensitive], len(frame))


def _literal(frame: pd.DataFrame, names: Sequence[str], sensitive: str | None = None, distance: str | None = None):
    """A config under which the columns of the file are what they are in the frame."""
    numbers = [name for name in names if _is_of_numbers(frame[name])]
    literal = {
        "categorical_qis": [name for name in names if name not in numbers],
        "continuous_qis": numbers,
        "binning_config": {},
        "sensitive_feature": [] if sensitive is None else [sensitive],
        "K": 1, "L": 1, "T": 1.0,
    }  # fmt: skip
    if sensitive is not None:
        of_text = None if _is_of_numbers(frame[sensitive]) else "total_variation"
        if distance or of_text:
            literal["t_distance"] = distance or of_text
    return literal


# ---------------------------------------------------------------- handed back to records


def _of_records(found: Assessment, n_records: int) -> tuple[EquivalenceClasses, dict[str, SensitiveCounts]]:
    """What the engine lists of everybody, put at the place that the id of each tells."""
    classes = found.classes
    class_of_record = np.full(n_records, -1)
    has_value = {name: np.zeros(n_records, dtype=bool) for name in found.counts}
    for part in found.people.everybody(np.arange(classes.n_classes)):
        places = _places(part.subjects)
        assert (class_of_record[places] == -1).all()
        class_of_record[places] = part.classes
        for name in has_value:
            has_value[name][places] = part.has_value[name]
    assert (class_of_record >= 0).all()
    columns = tuple(
        EncodedColumn(column.codes[class_of_record], column.labels) for column in classes.columns_of_classes
    )
    codes = {name: np.where(has, 0, -1) for name, has in has_value.items()}  # who has one, and not which
    counts = {name: dataclasses.replace(one, codes_of_records=codes[name]) for name, one in found.counts.items()}
    return dataclasses.replace(classes, records=ClassedRecords(columns, class_of_record)), counts


def _places(subjects: pd.Series) -> np.ndarray:
    return subjects.str.slice(1).astype(int).to_numpy()


def _handed_back(found: Assessment, result: ModelResult, n_records: int) -> ModelResult:
    """The result with its records; who is flagged is whom the engine lists."""
    classes, counts = _of_records(found, n_records)
    told = dataclasses.replace(result, classes=classes, counts=counts[result.sensitive] if result.counts else None)
    listed = np.zeros(n_records, dtype=bool)
    for _, records in found.people.flagged(result, np.arange(classes.n_classes)):
        listed[_places(records[SUBJECT_COLUMN])] = True
    np.testing.assert_array_equal(listed, told.risky)
    return told


def __getattr__(name: str) -> object:
    """Whatever is not asked of people."""
    return getattr(Anonymization_Models, name)
