"""Codes for missing: dates that nobody had, numbers that no column has, and what looks like one and is a value."""

from __future__ import annotations

import numpy as np

from study.formats.files import read_domain_file
from study.formats.placeholders import dates_apart, n_in_another_unit, numbers_apart
from study.formats.tables import FileOptions
from tests.cases import each

DATES = [f"2016-{month:02d}-{day:02d}" for month in range(1, 13) for day in (3, 17)]
BIRTHS = [f"{year}-05-0{1 + year % 9}" for year in range(1901, 1931)]
LIFE = tuple(np.array(["1985-01-01", "2017-01-01"], dtype="datetime64[D]").astype(int).tolist())


def codes(days: list[str], of_file=None) -> tuple[list[str], list[str]]:
    """The days that are codes for sure, and those that may be."""
    numbers = np.array(days, dtype="datetime64[D]").astype(np.int64)
    found = dates_apart(numbers, np.ones(len(days), dtype=np.int64), of_file)
    return tuple([day for day, one in zip(days, which, strict=True) if one] for which in (found.sure, found.may_be))


@each("day", ["9999-12-31", "2999-12-31", "7777-07-07", "0001-01-01", "1900-01-01", "2099-12-31", "1800-01-01"])
def test_a_day_outside_the_life_of_a_study_is_a_code(day):
    assert codes([*DATES, day]) == ([day], [])


@each("day", ["1970-01-01", "1960-01-01"])
def test_the_first_day_of_an_epoch_far_from_all_others_may_be_a_code(day):
    assert codes([*DATES, day]) == ([], [day])


@each("day", ["1962-05-07", "2013-01-01", "2019-12-31"])
def test_an_early_diagnosis_and_a_planned_visit_are_dates(day):
    assert codes([*DATES, day]) == ([], [])


def test_a_birth_of_1900_in_an_old_cohort_is_a_birth():
    assert codes([*BIRTHS, "1900-01-01"], LIFE) == ([], [])


def test_dates_of_another_time_are_dates():
    assert codes([f"2612-{month:02d}-03" for month in range(1, 13)] * 2) == ([], [])


@each(
    "values, n_records, is_age, sure, may_be",
    [
        (range(20, 80), 1, True, [], []),
        ([*range(20, 80), 999], 1, True, [999], []),
        ([*range(20, 80), -9], 2, True, [-9], []),
        (range(11), 9, False, [], []),  # a scale to 10
        ([4, 5, 6, 7, 8, 9], 20, False, [], []),  # hours of sleep
        (range(2, 215, 3), 2, True, [], []),  # ages in months
        ([*range(20, 90), 300, 301], 2, True, [300, 301], []),
        ([120, 250, 480, 730, 999, 1200, 3400], 9, False, [], []),  # a creatine kinase
        ([*range(150, 195), 999], 2, False, [999], []),
        ([*range(150, 195), 999], 1, False, [], [999]),
        ([*range(150, 195), -95, -98], 1, False, [-95, -98], []),
        ([*range(0, 900, 15), -97], 1, False, [], [-97]),  # a balance
        ([*range(0, 900, 15), -99, -97], 1, False, [-99, -97], []),
        ([-99, -97, -96, -95], 1, False, [], []),  # a freezer
        ([1, 2, 3, 97, 98, 99], 9, False, [97, 98, 99], []),
        ([0, 1, 9], 20, False, [], [9]),
        ([-3, -1, 0, 2, -9], 9, False, [], []),  # z-scores
        ([18.5, 24.1, 31.0, 777.7], 4, False, [777.7], []),
    ],
)
def test_numbers_that_are_codes(values, n_records, is_age, sure, may_be):
    numbers = np.array(list(values), dtype=float)
    found = numbers_apart(numbers, np.full(len(numbers), n_records), is_age, counts_days=False)
    assert (numbers[found.sure].tolist(), numbers[found.may_be].tolist()) == (sure, may_be)


def test_days_that_lead_to_a_placeholder_are_codes():
    numbers = np.array([3.0, 42.0, 183.0, 2_915_131.0, 2_916_404.0])
    assert numbers_apart(numbers, np.ones(5), is_age=False, counts_days=False).sure.tolist() == [0, 0, 0, 1, 1]
    before = np.array([3.0, 42.0, 183.0, -42_000.0])
    assert numbers_apart(before, np.ones(4), is_age=False, counts_days=True).sure.tolist() == [0, 0, 0, 1]


def read(folder, values: list, options=None):
    rows = "".join(f"S{i},{value}\n" for i, value in enumerate(values))
    (folder / "ae.csv").write_text(f"USUBJID,AEENDTC\n{rows}")
    table = read_domain_file(folder / "ae.csv", options or FileOptions(keep=("USUBJID",)))
    return table.frame["AEENDTC"], " ".join(table.notes)


@each("written", ["9999-12-31", "31DEC9999"])
def test_a_placeholder_is_missing_and_reported_with_the_setting_that_keeps_it(tmp_path, written):
    months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
    days = DATES if written[4] == "-" else [f"{day[8:]}{months[int(day[5:7]) - 1]}{day[:4]}" for day in DATES]
    column, notes = read(tmp_path, [*days, written, written])
    assert column.isna().sum() == 2
    assert "'9999-12-31' read as missing" in notes
    assert '{"columns": {"AE__AEENDTC": {"kept": ["9999-12-31"]}}}' in notes
    kept = FileOptions(keep=("USUBJID",), kept={"AEENDTC": ("9999-12-31",)})
    column, notes = read(tmp_path, [*days, written, written], kept)
    assert column.notna().all()
    assert "read as missing" not in notes


def test_ids_are_no_codes(tmp_path):
    rows = "".join(f"{number},{number},70\n" for number in (*range(1, 40), 999, 999))
    (tmp_path / "dm.csv").write_text(f"record_id,visitnum,w\n{rows}")
    table = read_domain_file(tmp_path / "dm.csv", FileOptions(keep=("record_id",)))
    assert table.frame.notna().all().all()


def test_an_age_below_0_is_a_code_and_days_lead_to_a_placeholder_under_any_words_for_days(tmp_path):
    rows = "".join(f"{age},{days}\n" for age, days in [*((20 + i, 9 * i) for i in range(40)), (-1, -42_370), (-1, 7)])
    (tmp_path / "p.csv").write_text(f"alter,days_to_event\n{rows}")
    table = read_domain_file(tmp_path / "p.csv")
    assert table.frame.isna().sum().tolist() == [2, 1]


def test_spellings_are_reported_with_the_line_that_makes_them_one(tmp_path):
    (tmp_path / "p.csv").write_text("id,dx,gene\n1,Flu,AA\n2,flu,Aa\n3,Asthma,aa\n")
    (note,) = read_domain_file(tmp_path / "p.csv").notes
    assert "one value for l and t: 'dx' (2)" in note
    assert '"method": "group"' in note


def test_a_day_before_the_start_is_no_code():
    numbers = np.array([-7.0, 1.0, 14.0, 28.0, 56.0])
    assert not numbers_apart(numbers, np.full(5, 40), is_age=False, counts_days=True).sure.any()


@each(
    "others, odd, found",
    [
        ([0], [7, 8, 9, 77, 88, 99, 777, 888, 999], []),  # nothing but codes
        (range(18, 71), [99] * 3, [99]),  # several of 99 years, and the next of 70
        (range(60, 98), [99] * 3, []),
        (range(6), [-1, -3, -10], [-10, -3, -1]),  # not known, not said, less than one
        (range(6), [-1, -2], []),  # a scale that goes on below 0
        (range(13), [-1, -3, -7, -7], []),
        (range(31), [-1, -99], [-99, -1]),
        (range(-12, 9), [-9], []),
        (range(100, 180), [0, 0], [0]),  # blood pressures
        (range(1, 28), [0, 0], []),
        (range(30, 91), [0] * 80, []),  # controls without a dose
        ([101, 102], [999] * 3, [999]),  # rooms
    ],
)
def test_several_of_one_number_far_from_a_dense_column_are_asked_about(others, odd, found):
    numbers, n_records = np.unique([*others, *others, *others, *others, *odd], return_counts=True)
    apart = numbers_apart(numbers.astype(float), n_records, is_age=False, counts_days=False)
    assert numbers[apart.may_be].tolist() == found
    assert not apart.sure.any()


@each(
    "name, values, is_asked",
    [
        ("dose_mg", [*range(30, 90), 0, 0], False),
        ("days_to_relapse", [*range(30, 90), 0, 0], False),
        ("adherence_pct", [*range(50, 100), 0, 0], False),
        ("base_excess", [*range(25), -3], False),
        ("outdoor_temp_c", [*range(25), -1], False),
        ("score", [*range(25), -3], True),
        ("sbp", [*range(90, 150), 0, 0], True),
    ],
)
def test_under_a_heading_of_changes_0_and_less_are_values(tmp_path, name, values, is_asked):
    (tmp_path / "p.csv").write_text(f"id,{name}\n" + "".join(f"{i},{one}\n" for i, one in enumerate(values)))
    assert bool(read_domain_file(tmp_path / "p.csv", FileOptions(keep=("id",))).notes) == is_asked


@each(
    "odd, n",
    [([1.72, 1.65], 2), ([1720.0], 1), ([210.0], 0), ([20.0], 0)],
)
def test_a_height_in_metres_beside_centimetres_is_in_another_unit(odd, n):
    assert n_in_another_unit(np.array([*range(150, 190), *odd, np.nan]), None) == n
    assert n_in_another_unit(np.array([1.0] * 30 + [10.0] * 9), None) == 0  # two doses


@each(
    "name, values, is_asked",
    [
        ("country", ["NA", "ZA", "BW"], False),
        ("what", ["NA", "ZA", "BW"], True),
        ("what", ["NA", "ZA", "BW", "AO", "ZM", "MZ"], False),
        ("what", ["NA", "SI", "NO", "DE", "AT", "SE"], True),
        ("country", [".", "DE", "AT"], True),
        ("test", ["NA", "K", "CL"], False),
        ("LBTESTCD", ["NA", "CK"], False),
        ("what", ["-", "+"], False),
        ("what", ["NA", "+"], True),
        ("what", ["NA", "YES", "NO"], True),
    ],
)
def test_a_token_for_missing_among_its_like_is_a_value(tmp_path, name, values, is_asked):
    (tmp_path / "p.csv").write_text(f"id,{name}\n" + "".join(f"1,{one}\n" for one in values))
    notes = read_domain_file(tmp_path / "p.csv", FileOptions()).notes
    assert any("kept as text" in note for note in notes) == is_asked
