"""A dictionary of texts: each distinct one has one code and is found again, however many came before."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from disclosure_control.basics.encoding import dictionary
from disclosure_control.basics.encoding.dictionary import Dictionary
from disclosure_control.basics.encoding.text_codes import are_rising


@pytest.mark.thorough("0.6 s")
@pytest.mark.parametrize("hashes_are_alike", [False, True])
def test_texts_are_met_once(monkeypatch, hashes_are_alike):
    if hashes_are_alike:
        monkeypatch.setattr(dictionary, "hashes_of_texts", lambda texts: np.zeros(len(texts), dtype=np.uint64))
    texts, known = [f"{i}" for i in np.random.default_rng(5).permutation(200)], Dictionary(["", "ä"])
    for i in range(0, 200, 7):
        some = pa.array(["ä", *texts[max(i - 3, 0) : i + 7]], pa.large_string())
        codes = pa.array(known.encode(some))
        assert known.texts.take(codes).equals(some)
    assert known.texts.to_pylist() == ["", "ä", *texts]
    assert len(known) == 202
    assert known.positions(["7", "none", None, ""]).tolist() == [2 + texts.index("7"), -1, -1, 0]


def test_a_text_is_copied_as_often_as_the_logarithm_of_all_says(monkeypatch):
    n_copied = []
    join = dictionary._Run.followed_by

    def followed_by(run, other):
        n_copied.append(len(run.place) + len(other.place))
        return join(run, other)

    monkeypatch.setattr(dictionary._Run, "followed_by", followed_by)
    known, n_blocks, n_each = Dictionary(), 256, 4
    for i in range(n_blocks):
        known.encode(pa.array([f"{i * n_each + j}" for j in range(n_each)], pa.large_string()))
    assert 0 < sum(n_copied) <= n_blocks * n_each * np.log2(n_blocks)


def test_texts_rise_where_each_is_larger_than_the_one_before():
    for texts, are in (([], True), (["b"], True), (["a", "b"], True), (["a", "a"], False), (["b", "a"], False)):
        assert are_rising(pa.array(texts, pa.large_string())) == are, texts
    assert not are_rising(pa.array(["a", None, "b"]))
