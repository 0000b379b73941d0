"""Very many texts looked for by hashes, beside what Python finds one by one."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.attack.traces import wanted_texts
from disclosure_control.attack.traces.wanted_texts import Wanted, blocks_of, digits_of
from disclosure_control.basics.encoding import dictionary
from disclosure_control.basics.encoding.columns import texts_as_labels
from disclosure_control.basics.encoding.dictionary import Dictionary, as_texts
from disclosure_control.release.people import labels
from tests.examples import examples

LETTERS = "a1Σ09/:-٣\0"  # beside 0 and 9 stand / and :
TEXTS = st.lists(st.text(LETTERS, max_size=12), max_size=12)


def _all_alike(texts):
    return np.zeros(len(texts), dtype=np.uint64)


@pytest.fixture(params=["hashes that differ", "hashes that are all alike"])
def hashes(request, monkeypatch):
    """Whatever a hash finds is compared: with one hash for all of them the same is found."""
    if request.param == "hashes that are all alike":
        monkeypatch.setattr(dictionary, "hashes_of_texts", _all_alike)
        monkeypatch.setattr(wanted_texts, "_longer", lambda hashes, letters: _all_alike(letters))
    return request.param


@pytest.mark.thorough("0.3 s")
@examples(60)
@given(TEXTS, TEXTS)
def test_known_texts_are_those_that_a_dictionary_finds(hashes, known, others):
    known = list(dict.fromkeys(known))
    places = {text: place for place, text in enumerate(known)}
    given_texts = [*others, None, *known]
    assert Dictionary(known).positions(given_texts).tolist() == [places.get(text, -1) for text in given_texts]


@examples(60)
@given(TEXTS, TEXTS, st.integers(1, 40))
def test_wanted_texts_are_found_as_parts_of_others_block_by_block(hashes, wanted, texts, n_letters):
    wanted = [text for text in dict.fromkeys(wanted) if len(text.encode()) > 1 or hashes == "hashes that differ"]
    expected = [any(one in text for one in wanted if one) for text in texts]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wanted_texts, "blocks_of", lambda given: blocks_of(given, n_letters))
        for given_texts in (texts, as_texts(["before", *texts]).slice(1)):
            found = Wanted(wanted).found_in(given_texts).text
            assert np.isin(np.arange(len(texts)), found).tolist() == expected


@examples(40)
@given(TEXTS, st.integers(1, 40))
def test_blocks_hold_every_text_once_and_few_letters(texts, n_letters):
    blocks = [block.to_pylist() for block in blocks_of(as_texts(texts), n_letters)]
    assert [text for block in blocks for text in block] == texts
    assert all(len(block) == 1 or len("".join(block).encode()) <= n_letters for block in blocks)
    assert all(len("".join([*one, *other[:1]]).encode()) > n_letters for one, other in pairwise(blocks))


@examples(40)
@given(TEXTS)
def test_digits_are_those_from_0_to_9_in_their_order(texts):
    assert digits_of(as_texts(["7", *texts]).slice(1)).to_pylist() == [re.sub("[^0-9]", "", text) for text in texts]


@examples(60)
@given(st.lists(st.none() | st.text("1.0 -e\u0301é\t", max_size=6), max_size=8))
def test_texts_as_labels_are_what_a_column_is_counted_by(texts):
    column = pd.Series(texts, dtype="str")
    assert texts_as_labels(pa.array(texts, pa.large_string())).to_pylist() == labels(column).tolist()
