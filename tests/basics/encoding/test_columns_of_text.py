"""A column of very many texts is spelt as each text by itself is."""

from __future__ import annotations

import re
import unicodedata

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.basics.encoding.columns import encode_column
from tests.examples import examples


@examples(150)
@given(st.lists(st.text(st.sampled_from("ab1.0 \t\x1f\x85\u00e9e\u0301\u3000\u6771+"), max_size=5), max_size=20))
def test_texts_are_told_apart_as_each_is_spelt(texts):
    """The slow way: every text normalised and trimmed by Python, then sorted by it."""

    def spelt(text: str) -> str:
        text = unicodedata.normalize("NFC", text).strip()
        return re.sub(r"^([+-]*\d+)\.0+$", r"\1", text)

    encoded = encode_column(pd.Series(texts, dtype="str"))
    labels = sorted({spelt(text) for text in texts} - {""})
    assert encoded.labels.tolist() == labels
    assert encoded.codes.tolist() == [labels.index(spelt(text)) if spelt(text) else -1 for text in texts]
