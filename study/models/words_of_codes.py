"""Codes as the words that a dictionary beside the data has for them: concepts of OMOP, choices of a REDCap field."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
import pyarrow as pa

from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.encoding.text_codes import column_of_codes, text_codes
from study.models.roles import Derive


def text_of_code(code: object) -> str:
    """A code as the dictionary has it: without blanks, whole numbers without a point."""
    return number_text(code) if isinstance(code, float) else str(code).strip()


def in_words(codes: pd.Series, word_of: Callable[[str], str | None]) -> pd.Series:
    """Codes (n_rows,) of text or numbers as words; ``word_of`` gives that of a code, None for one that is no value."""
    if codes.dtype.kind == "f":
        of_row, distinct = pd.factorize(codes)
        words = [word_of(text_of_code(float(one))) for one in distinct]
        return pd.Series(np.array([*words, None], dtype=object)[of_row], codes.index, name=codes.name, dtype="str")
    known = text_codes(codes)
    texts = pa.array([word_of(text) for text in known.texts.to_pylist()], pa.large_string())
    return column_of_codes(texts, known).set_axis(codes.index).rename(str(codes.name))


def column_in_words(name: str, words: Mapping[str, str]) -> Derive:
    """A column of codes as their ``words``; a code without one stays, and rows that leave without the column have none.

    Codes that went through a table of numbers may end in ``.0``.
    """

    def word_of(code: str) -> str:
        text = code.strip()
        return words.get(text) or words.get(text.removesuffix(".0"), code)

    def derive(frame: pd.DataFrame) -> pd.Series:
        if name not in frame:
            return pd.Series(np.nan, frame.index, name=name, dtype="str")
        return in_words(frame[name], word_of)

    return derive
