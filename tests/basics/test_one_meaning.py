"""Sensitive values by what they mean: spellings are one value, words for missing are missing, genotypes are three."""

from __future__ import annotations

import pandas as pd

from disclosure_control.basics.encoding.columns import encode_column
from disclosure_control.basics.encoding.one_meaning import of_one_meaning
from study.words import words_for_missing
from tests.cases import each


@each(
    "values, n_distinct, n_missing",
    [
        (["Hepatitis B", "hepatitis  B", "HEPATITIS B"], 1, 0),
        (["HIV", "Unknown", "Not done", "N/A", "k. A.", "unbekannt", "άγνωστο", "неизвестно"], 1, 7),
        (["MSK", "Cardiac", "Skin"], 3, 0),  # organ systems
        (["NI", "England", "Wales"], 3, 0),
        (["fehlt", "vorhanden"], 2, 0),
        (["липсва", "налице"], 2, 0),
        (["AA", "Aa", "aa"], 3, 0),
        (["AaBb", "aabb", "CcDee", "ccDee"], 4, 0),
        (["Off", "off"], 1, 0),
        (["NA", "K", "CL"], 3, 0),
        (["NA", "Flu", "Asthma"], 2, 1),
        (["none", "mild", "severe"], 3, 0),
        (["mg", "Mg"], 2, 0),
        (["+", "-", "++"], 3, 0),
        (["Y", "y", "n"], 2, 0),
        ([1.0, 2.0, 3.0], 3, 0),
    ],
)
def test_one_meaning_is_one_value(values, n_distinct, n_missing):
    found = of_one_meaning(encode_column(pd.Series(values)), words_for_missing())
    assert (len(found.labels), int((found.codes < 0).sum())) == (n_distinct, n_missing)
