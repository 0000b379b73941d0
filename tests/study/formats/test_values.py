"""Column names and values in the form that every reader hands on."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from study.formats.values import (
    clean_name,
    clean_numbers,
    clean_text,
    clean_values,
    declared_missing,
    frame_of,
    name_faults,
    with_repeats_numbered,
)
from tests.cases import each

PATH = Path("vs.csv")


def test_names_are_composed_and_trimmed():
    assert clean_name(" Ηλικι\u0301α\u00a0") == "Ηλικία"


def test_name_faults_give_every_empty_and_every_repeated_name():
    faults = name_faults(["A", "", "B", "A", "", "B", "A"], PATH)
    assert len(faults) == 3
    assert "2 columns without a name (position 2, 5 of 7)" in faults[0]
    assert "3 columns have the name 'A' (positions 1, 4, 7)" in faults[1]
    assert "2 columns have the name 'B' (positions 3, 6)" in faults[2]


def test_headings_that_redcap_repeats_get_a_number_and_others_do_not():
    names = ["Date", "Complete?", "Date", "Complete?", "Complete?"]
    assert with_repeats_numbered(names) == ["Date", "Complete?", "Date (2)", "Complete? (2)", "Complete? (3)"]
    assert with_repeats_numbered(["Date", "Date"]) == ["Date", "Date"]


def test_names_that_may_be_values_are_not_shown():
    (fault,) = name_faults(["01-701-1015", "01-701-1015"], PATH, show_names=False)
    assert "701" not in fault
    assert "positions 1, 2" in fault


def test_control_characters_of_names_do_not_reach_the_screen():
    (fault,) = name_faults(["A\x1b[31m\n", "A\x1b[31m\n"], PATH)
    assert "\x1b" not in fault
    assert "\n" not in fault


@each(
    ("given", "expected"),
    [
        (["a", "b"], ["a", "b"]),
        ([" a", "a ", "a", "\ta\n", "\u2003a"], ["a"] * 5),
        (["", " ", "\u00a0", None], [None] * 4),
        (["e\u0301", "é", "α\u0301"], ["é", "é", "ά"]),
        (["−99", "–.5", " — ", "a–b", "–b", "1–2"], ["-99", "-.5", "—", "a–b", "–b", "1–2"]),
        (["\ufb01"], ["\ufb01"]),  # compatibility forms stay: NFC, not NFKC
        (["a b"], ["a b"]),
        ([], []),
        ([None, None], [None, None]),
    ],
)
@each("kind", [pa.string(), pa.large_string()])
def test_clean_text(given, expected, kind):
    assert clean_text(pa.array(given, type=kind)).to_pylist() == expected


@each(
    "mark",
    ["\u00ad", "\u200b", "\u200c", "\u200d", "\u200e", "\u202e", "\u2060", "\ufeff", "\U000e0041", "\u200b\u200c"],
)
def test_by_marks_that_nobody_sees_in_a_text(mark):
    texts = [f"NOR{mark}MAL", f"NORMAL{mark}", f"{mark}NORMAL", f" {mark} NORMAL"]
    assert clean_text(pa.chunked_array([texts])).to_pylist() == ["NORMAL"] * 4


@each("blank", ["\u00a0", "\u2009", "\u202f", "\u3000"])
def test_by_the_kind_of_a_blank_in_a_text(blank):
    assert clean_text(pa.chunked_array([[f"NOT{blank}DONE"]])).to_pylist() == ["NOT DONE"]


def test_joiners_of_letters_that_are_not_latin_stay():
    assert clean_text(pa.chunked_array([["می\u200cخواهم"]])).to_pylist() == ["می\u200cخواهم"]


def test_clean_text_over_several_chunks_keeps_the_order():
    column = pa.chunked_array([pa.array(["x", " y"]), pa.array([], type=pa.string()), pa.array([None, "x "])])
    assert clean_text(column).to_pylist() == ["x", "y", None, "x"]


def test_declared_tokens_are_missing_in_text_after_cleaning_and_in_numbers_as_numbers():
    missing = declared_missing([" UNK", "-99", "ά"])
    assert clean_values(pa.array(["UNK ", "unk", "-99", "α\u0301"]), missing).to_pylist() == [None, "unk", None, None]
    np.testing.assert_array_equal(clean_numbers(np.array([-99.0, 99, np.nan]), missing), [np.nan, 99, np.nan])


def test_numbers_without_tokens_stay_as_they_are():
    np.testing.assert_array_equal(clean_numbers(np.array([0.0, -0.5]), declared_missing(["UNK"])), [0.0, -0.5])


def test_frame_has_text_and_float_columns():
    frame = frame_of({"A": pa.chunked_array([pa.array(["x", None])]), "B": np.array([1.0, np.nan])})
    assert [str(dtype) for dtype in frame.dtypes] == ["str", "float64"]
    assert frame.isna().to_numpy().tolist() == [[False, False], [True, True]]
