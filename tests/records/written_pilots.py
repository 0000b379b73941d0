"""Small pilots written as text, nasty text among it, and opened by every engine, on disk in tiny parts."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Iterator
from pathlib import Path

from hypothesis import strategies as st

from config.model_settings import PilotConfig
from disclosure_control.assess.opening import OpenedPilot, opened
from disclosure_control.records.limits import Limits
from disclosure_control.records.needs import faults_of_needs
from disclosure_control.steps import READERS
from disclosure_control.steps.running import records_needed

NASTY = [
    "a",
    " a",
    "é",
    "e\u0301",
    "1",
    "1.0",
    "01",
    "",
    " ",
    'x"y',
    "two\r\nlines",
    "c,d",
    "東京",
    "=1+1",
    "long " * 6,
]
NUMBERS = ["1", "1.0", "2.5", "-3", "1e1", "", "40", "0.1", "7"]
COLUMNS = ["USUBJID", "SEX", "AGE", "V", "W", "SITE"]
LARGEST_RECORD = 200  # bytes; a block holds at least one


@st.composite
def rows(draw, most: int = 30) -> list[list[str]]:
    """Rows of a combined dataset, in any order of their ids."""
    n = draw(st.integers(1, most))
    ids = (
        draw(st.permutations([f"ID-{i}é" for i in range(n)])) if draw(st.booleans()) else [f"{i:03}" for i in range(n)]
    )
    columns = [draw(st.lists(st.sampled_from(kind), min_size=n, max_size=n)) for kind in _kinds(draw)]
    return [list(row) for row in zip(ids, *columns, strict=True)]


def _kinds(draw) -> list[list[str]]:
    few = draw(st.booleans())  # few values make large classes, many make small ones
    texts, numbers = (NASTY[:3], NUMBERS[:3]) if few else (NASTY, NUMBERS)
    return [texts, numbers, NUMBERS, texts, NASTY]


def text_of(rows: list[list[str]], n_empty_at_end: int = 0) -> bytes:
    buffer = io.StringIO()
    writer = csv.writer(buffer, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows)
    buffer.write(("," * (len(COLUMNS) - 1) + "\n") * n_empty_at_end)
    return buffer.getvalue().encode()


configs = st.fixed_dictionaries(
    {
        "categorical_qis": st.just(["SEX"]),
        "continuous_qis": st.just(["AGE"]),
        "binning_config": st.sampled_from([{}, {"AGE": [0, 2, 30]}]),
        "sensitive_feature": st.just(["V", "W"]),
        "sensitive_binning_config_for_L": st.sampled_from([{}, {"V": [0, 2, 8]}]),
        "K": st.integers(1, 4),
        "L": st.fixed_dictionaries({"V": st.integers(1, 3), "W": st.integers(1, 3)}),
        "T": st.fixed_dictionaries({"V": st.sampled_from([0, 0.5, 3]), "W": st.sampled_from([0, 0.3])}),
        "missing_qis": st.sampled_from(["category", "exclude", "wildcard"]),
        "out_of_range": st.sampled_from(["tail", "missing"]),
        "t_distance": st.sampled_from(["wasserstein", "ordered", "mean_difference"]).map(
            lambda name: {"V": name, "W": "total_variation"}
        ),
        "risk": st.sampled_from([{}, {"sections": ["reidentification", "by_group"], "groups": ["SITE", "SEX", "V"]}]),
    }
)
limits = st.builds(
    Limits,
    block_bytes=st.integers(LARGEST_RECORD, 3 * LARGEST_RECORD),
    cells_per_part=st.integers(1, 8),
    flagged_per_part=st.integers(1, 8),
)


@contextlib.contextmanager
def opened_with(engine: str, path: Path, config: dict, parts: Limits | None = None) -> Iterator[OpenedPilot]:
    """The pilot opened by an engine; ``parts`` are for those that work in parts."""
    with opened(engine, path, config, READERS, limits=parts or Limits()) as found:
        yield found


def refused(config: PilotConfig) -> list[str]:
    """What a config asks for and no engine gives that has not all records in memory."""
    return faults_of_needs(records_needed(config))
