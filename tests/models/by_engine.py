"""``Anonymization_Models`` as the tests of k, l and t ask it: of a frame in memory, or of its file by another engine.

A module of tests imports this as ``models`` and takes ``asked_of_engine`` and ``pytest_generate_tests`` from here. Its
tests that ask of people then run over every engine: the frame is written as a combined dataset, counted in parts of few
people, and what the engine says of classes is handed back to records by their ids.
"""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import functools
import inspect
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import CodeType

import numpy as np
import pandas as pd
import pytest
from hypothesis.errors import UnsatisfiedAssumption

import Anonymization_Models
from Anonymization_Models import EquivalenceClasses, ModelResult, SensitiveCounts
from config.model_settings import PilotConfig
from disclosure_control.assess import assessment as assessments
from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.encoding.columns import EncodedColumn
from disclosure_control.records.choice import ENGINES
from disclosure_control.records.dataset_rules import SUBJECT_COLUMN
from disclosure_control.records.disk import Limits
from tests.models.need_a_frame import NEED_A_FRAME
from tests.records.written_pilots import opened_with

N_PARTS = 7  # at most, so that a larger table takes no longer than its size does
FEW = 4  # examples of a property by an engine that writes a file for each
COST = "a file for each question; tests/models/by_engine.py names cheap siblings"
# By another engine in the quick run, too: one of each question.
QUICK = {
    "test_k_anonymity",
    "test_l_diversity_of_numbers_with_and_without_bins",
    "test_only_evaluated_records_are_everybody",
    "test_a_class_of_exactly_k_with_exactly_l_values",
    "test_one_step_beyond_what_can_be_met_is_said",
}
QUESTIONS = {
    "assess",
    "count_sensitive_values",
    "form_equivalence_classes",
    "run_k_anonymity",
    "run_l_diversity",
    "run_t_closeness",
}


@dataclasses.dataclass
class _Asked:
    """The engine of the test that runs, what it was asked, and what it holds open until the test ends."""

    engine: str = "memory"
    n_questions: int = 0
    n_examples: int = 0
    has_failed: bool = False
    open_files: contextlib.ExitStack = dataclasses.field(default_factory=contextlib.ExitStack)

    def start(self, engine: str) -> None:
        """A new test, by this engine."""
        self.__dict__.update(engine=engine, n_questions=0, n_examples=0, has_failed=False)


_asked = _Asked()


# ---------------------------------------------------------------- which tests, and which engines


@pytest.fixture(autouse=True)
def asked_of_engine(request) -> Iterator[None]:
    """The engine that answers the questions of this test; one that asks of people and runs over none is at fault."""
    engine = getattr(request, "param", None)
    _asked.start(engine or "memory")
    with contextlib.ExitStack() as _asked.open_files:
        yield
    assert (engine is not None) == (_asked.n_questions > 0), (
        "this test asks of people and runs in memory alone: its code does not show that to tests/models/by_engine.py"
        if engine is None
        else "this test runs over the engines and asks them nothing"
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every test that asks of people runs over every engine; where it needs a frame, others have to fail at it."""
    name = metafunc.function.__name__
    if name not in NEED_A_FRAME and not _asks(_innermost(metafunc.function)):
        return
    _try_few(metafunc.function)
    metafunc.parametrize("asked_of_engine", [_by(engine, name) for engine in ENGINES], indirect=True)


def _by(engine: str, test: str) -> object:
    if engine == "memory":
        return engine
    marks = [] if engine == "disk" and test in QUICK else [pytest.mark.thorough(COST)]
    if test in NEED_A_FRAME:
        why, raises = NEED_A_FRAME[test]
        marks.append(pytest.mark.xfail(reason=why, raises=raises, strict=True))
    return pytest.param(engine, marks=marks)


def _innermost(test: Callable) -> Callable:
    return inspect.unwrap(getattr(getattr(test, "hypothesis", None), "inner_test", test))


def _asks(function: Callable, looked_at: frozenset = frozenset()) -> bool:
    """Whether the code of a function, or of those of its module that it calls, has one of the questions."""
    names = _names_in(function.__code__)
    if names & QUESTIONS:
        return True
    of_module = [function.__globals__.get(name) for name in names]
    others = {other for other in of_module if inspect.isfunction(other) and other.__module__ == function.__module__}
    return any(_asks(other, looked_at | {function}) for other in others - looked_at - {function})


def _names_in(code: CodeType) -> set[str]:
    inner = (_names_in(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*inner)


def _try_few(test: Callable) -> None:
    """Other engines try the first few examples of a property that ask them something, and all once one has failed."""
    if not hasattr(test, "hypothesis"):
        return
    inner = test.hypothesis.inner_test

    @functools.wraps(inner)
    def first_few(*arguments, **named):
        if reads_files() and _asked.n_examples >= FEW and not _asked.has_failed:
            return
        n_before = _asked.n_questions
        try:
            inner(*arguments, **named)
        except UnsatisfiedAssumption:
            raise
        except Exception:
            _asked.has_failed = True
            raise
        _asked.n_examples += _asked.n_questions > n_before

    test.hypothesis.inner_test = first_few


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


def _by_engine(in_memory: Callable) -> Callable[[Callable], Callable]:
    """A question that is counted; in memory the function of that name answers, else the one that is decorated."""

    def of(by_file: Callable) -> Callable:
        @functools.wraps(in_memory)
        def ask(*arguments, **named):
            _asked.n_questions += 1
            return (by_file if reads_files() else in_memory)(*arguments, **named)

        return ask

    return of


@_by_engine(assessments.assess)
def assess(frame: pd.DataFrame, config: PilotConfig) -> Assessment:
    """Everything of an assessment but what is handed back to records."""
    return _assessed(frame, config.literal)


@_by_engine(Anonymization_Models.form_equivalence_classes)
def form_equivalence_classes(frame: pd.DataFrame, names: Sequence[str]) -> EquivalenceClasses:
    """The classes of the file, with the class of each record."""
    frame = frame[list(names)]
    return _of_records(_assessed(frame, _literal(frame, names)), frame)[0]


@_by_engine(Anonymization_Models.count_sensitive_values)
def count_sensitive_values(classes: ClassesOfFile, sensitive: pd.Series) -> SensitiveCounts:
    """The count table of the file that has the column, too."""
    frame = classes.frame.assign(sensitive=sensitive.to_numpy())
    found = _assessed(frame, _literal(frame, classes.quasi_identifiers, "sensitive"))
    return _of_records(found, frame)[1]["sensitive"]


@_by_engine(Anonymization_Models.run_k_anonymity)
def run_k_anonymity(frame, names, k, missing_qis="category") -> ModelResult:
    """k of the file, with the k of each record."""
    frame = frame[list(names)]
    found = _assessed(frame, _literal(frame, names) | {"K": int(k), "missing_qis": missing_qis})
    return _handed_back(found, found.k_anonymity, frame)


@_by_engine(Anonymization_Models.run_l_diversity)
def run_l_diversity(frame, names, sensitive, least, bins=None, out_of_range="tail", missing_qis="category"):
    """l of the file, with the l of each record."""
    frame = frame[[*names, sensitive]]
    policies = {"missing_qis": missing_qis, "out_of_range": out_of_range}
    literal = _literal(frame, names, sensitive) | {"L": int(least)} | policies
    if bins is not None:
        literal["sensitive_binning_config_for_L"] = {sensitive: list(bins)}
    found = _assessed(frame, literal)
    return _handed_back(found, found.l_diversity[sensitive], frame)


@_by_engine(Anonymization_Models.run_t_closeness)
def run_t_closeness(
    frame, names, sensitive, t, distance=None, missing_qis="category", classes=None, counts=None
) -> ModelResult:
    """t of the file, with the t of each record; what is handed in is counted again."""
    frame = frame[[*names, sensitive]]
    literal = _literal(frame, names, sensitive, distance) | {"T": float(t), "missing_qis": missing_qis}
    found = _assessed(frame, literal)
    return _handed_back(found, found.t_closeness[sensitive], frame)


def count_by_missing_policy(classes: EquivalenceClasses, k: int) -> dict[str, dict[str, int]]:
    """By the classes as the engine has them."""
    return Anonymization_Models.count_by_missing_policy(getattr(classes, "of_engine", classes), k)


def wildcard_frequency(classes: EquivalenceClasses, alpha: float = 1.0) -> np.ndarray:
    """By the classes as the engine has them."""
    return Anonymization_Models.wildcard_frequency(getattr(classes, "of_engine", classes), alpha)


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


@dataclasses.dataclass(frozen=True)
class ClassesOfFile(EquivalenceClasses):
    """The classes of a file with the class of each record: ``of_engine`` are those that the engine has."""

    of_engine: EquivalenceClasses
    frame: pd.DataFrame


class CountsOfFile(SensitiveCounts):
    """The count of a column of a file, and who has a value."""

    def __init__(self, of_engine: SensitiveCounts, has_value: np.ndarray):
        self.__dict__.update(table=of_engine.table, has_value=has_value)


def _of_records(found: Assessment, frame: pd.DataFrame) -> tuple[ClassesOfFile, dict[str, CountsOfFile]]:
    """What the engine lists of everybody, put at the place that the id of each tells."""
    classes, n_records = found.classes, len(frame)
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
        EncodedColumn(codes[class_of_record], column.labels)
        for codes, column in zip(classes.class_codes, classes.columns, strict=True)
    )
    names = classes.quasi_identifiers
    counts = {name: CountsOfFile(counted, has_value[name]) for name, counted in found.counts.items()}
    return ClassesOfFile(names, columns, class_of_record, classes.size, classes, frame), counts


def _places(subjects: pd.Series) -> np.ndarray:
    return subjects.str.slice(1).astype(int).to_numpy()


def _handed_back(found: Assessment, result: ModelResult, frame: pd.DataFrame) -> ModelResult:
    """The result with its records; who is flagged is whom the engine lists."""
    classes, counts = _of_records(found, frame)
    told = dataclasses.replace(result, classes=classes, counts=counts[result.sensitive] if result.counts else None)
    listed = np.zeros(len(frame), dtype=bool)
    for _, records in found.people.flagged(result, np.arange(classes.n_classes)):
        listed[_places(records[SUBJECT_COLUMN])] = True
    np.testing.assert_array_equal(listed, told.risky)
    return told


def __getattr__(name: str) -> object:
    """Whatever is not asked of people."""
    return getattr(Anonymization_Models, name)
