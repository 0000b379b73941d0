"""Tests of k, l and t that no engine but the one in memory can pass, why, and how they fail at the others."""

from __future__ import annotations

import pytest

from disclosure_control.basics.telling.faults import FaultyInputError

# Each of them is run over the other engines, too, and is at fault there if it passes, or fails in another way.
NEED_A_FRAME: dict[str, tuple[str, type[BaseException]]] = {
    "test_no_records": ("a file without records is refused when it is read", FaultyInputError),
    "test_without_quasi_identifiers_everybody_is_one_class": (
        "a config names at least one quasi-identifier",
        FaultyInputError,
    ),
    "test_classes_and_counts_may_be_handed_in": (
        "who hands in classes and counts has them in memory; an engine has its own",
        TypeError,
    ),
    "test_t_of_large_whole_numbers_is_in_their_unit_or_refused": (
        "the numbers of a file are floats; which whole numbers floats cannot tell apart is not known there",
        pytest.fail.Exception,
    ),
    "test_two_columns_of_one_name_are_a_fault_that_names_it": (
        "two columns of one name are refused when the file is read, in words of a file; tests/bad_inputs has them",
        AssertionError,
    ),
    "test_faults_name_the_column_or_the_setting_and_no_value": (
        "faults of settings and of values are refused when the config or the file is read; tests/bad_inputs has them",
        AssertionError,
    ),
}
