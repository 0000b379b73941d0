"""The scan of values by every engine: the same findings, and of too many values a sample that is said to be one."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.basics.encoding.text_hashes import hashes_of_texts
from disclosure_control.identifiers.column_findings import Scan
from disclosure_control.identifiers.column_values import SAMPLE
from disclosure_control.identifiers.scan import scan_dataset
from disclosure_control.records.limits import Limits
from disclosure_control.records.texts import SAMPLED_PART, CountedTexts, TextsBeingRead
from tests.examples import examples
from tests.records.written_pilots import opened_with

CONFIG = {
    "categorical_qis": ["SEX"], "continuous_qis": [], "binning_config": {}, "sensitive_feature": "CODE",
    "K": 2, "L": 2, "T": 1, "t_distance": "total_variation",
}  # fmt: skip


def people(n: int, is_in_order: bool) -> pd.DataFrame:
    """Columns that name people, each in a way of its own, and some that do not."""
    rng = np.random.default_rng(5)
    order = np.arange(n) if is_in_order else rng.permutation(n)
    return pd.DataFrame(
        {
            "USUBJID": [f"S-{i:05d}" for i in order],
            "SEX": np.where(rng.random(n) < 0.5, "f", "m"),
            "CODE": [f"K{i:06d}" for i in rng.permutation(10 * n)[:n]],
            "DM__MAIL": [f"p{i}@post.example" if i % 3 else "" for i in rng.permutation(n)],
            "DM__OWN": [f"{i:05d}" for i in order],
            "DM__RUNNING": rng.permutation(n).astype(str),
            "DM__ORDER": (order * 3.7 + 100).astype(str),
            "DM__BORN": (np.datetime64("1940-01-01") + rng.integers(0, 15_000, n).astype("timedelta64[D]")).astype(str),
            "DM__NOTE": np.where(np.arange(n) == 7, "ring +30 210 123 4567", "no remark"),
            "LB__VALUE": np.round(rng.normal(100, 20, n), 1).astype(str),
        }
    )


def scanned(engine: str, path, limits: Limits) -> Scan:
    with opened_with(engine, path, CONFIG, limits) as opened:
        return scan_dataset(opened.dataset)


@pytest.mark.parametrize(
    ("n", "is_in_order"),
    [
        pytest.param(60, True, marks=pytest.mark.thorough("0.4 s")),
        (60, False),
        pytest.param(SAMPLE + 900, False, marks=pytest.mark.thorough("2 s: more than the sample")),
    ],
)
def test_the_findings_are_those_in_memory(tmp_path, n, is_in_order):
    path = tmp_path / "combined_dataset.csv"
    people(n, is_in_order).to_csv(path, index=False)
    expected = scanned("memory", path, Limits())
    assert {"email", "subject_id", "same_order", "birth_date", "unique_code", "phone"} <= {
        finding.kind for finding in expected.findings
    }
    assert scanned("disk", path, Limits(block_bytes=100 * n // 7 + 200)) == expected


@pytest.mark.thorough("1 s: both engines over whole pilots; their parts in the quick run")
def test_of_very_many_values_a_sample_is_looked_at_and_said_to_be_one(tmp_path):
    path = tmp_path / "combined_dataset.csv"
    people(900, False).to_csv(path, index=False)
    whole = {(one.name, one.kind): one for one in scanned("memory", path, Limits()).findings}
    sample = {
        (one.name, one.kind): one
        for one in scanned("disk", path, Limits(block_bytes=3_000, few_texts=400)).findings
        if one.is_sample
    }
    assert {"email", "subject_id", "same_order", "unique_code"} <= {kind for _, kind in sample}
    for key, finding in sample.items():
        assert finding.vetoes == whole[key].vetoes
        assert 20 <= finding.n_all_people == finding.n_values <= 50 < whole[key].n_all_people


@st.composite
def blocks_of_texts(draw):
    return draw(st.lists(st.lists(st.sampled_from([None, *"abcdefghijk"]), max_size=9), min_size=1, max_size=6))


@examples(100)
@given(blocks_of_texts(), st.integers(0, 3), st.integers(1, 12))
def test_a_sample_has_everybody_with_its_texts_whatever_was_counted_before(blocks, n_before, n_most):
    sampled = TextsBeingRead(SAMPLED_PART * n_most)
    n_before = min(n_before, len(blocks))
    for block in blocks[:n_before]:
        sampled.encode(pa.array(block, pa.large_string()))
    if not sampled.is_sample:
        sampled.give_up()
    for block in blocks[n_before:]:
        sampled.encode(pa.array(block, pa.large_string()))
    records = [one for block in blocks for one in block]
    found = sampled.counted()
    counts = Counter(one for one in records if one is not None)
    texts = found.texts.to_pylist()
    assert dict(zip(texts, found.people.tolist(), strict=True)) == {text: counts[text] for text in texts}
    assert [records.index(text) for text in texts] == found.first_record.tolist()
    at_once = _counted(sorted(counts)).sampled(n_most)
    assert (sorted(texts), found.share_at_hand) == (sorted(at_once.texts.to_pylist()), at_once.share_at_hand)
    assert len(texts) <= n_most
    assert found.share_at_hand == 1 or len(counts) > n_most


def _counted(texts: list[str]) -> CountedTexts:
    return CountedTexts(pa.array(texts, pa.large_string()), np.ones(len(texts), dtype=int), np.arange(len(texts)))


@pytest.mark.thorough("1 s for a table of all characters; hashes are spread and samples are compared below")
@examples(100)
@given(st.lists(st.text(max_size=6).filter(lambda text: text.isprintable()), max_size=12), st.integers(0, 3))
def test_a_hash_is_of_the_text_alone(texts, start):
    column = pa.array(texts, pa.large_string())
    alone = [int(hashes_of_texts(pa.array([text], pa.large_string()))[0]) for text in texts]
    assert hashes_of_texts(column[start:]).tolist() == alone[start:]
    assert len(set(alone)) == len(set(texts))


def test_hashes_divide_texts_evenly_that_differ_little():
    """Chi-squared of 64 cells for 20,000 texts: above 110 in one of ten thousand."""
    for written in ("2024-{:05d}T00:00:00", "{:05d}@post.example", "{}"):
        hashes = hashes_of_texts(pa.array([written.format(i) for i in range(20_000)], pa.large_string()))
        counts = np.bincount((hashes >> np.uint64(58)).astype(int), minlength=64)
        assert ((counts - 312.5) ** 2 / 312.5).sum() < 110
