"""Dates as numbers: from when each program counts, and which numbers may be dates at all."""

from __future__ import annotations

import datetime

import numpy as np

from study.formats.epochs import EPOCHS, may_count_time
from study.formats.files import read_domain_file
from study.formats.tables import FileOptions
from tests.cases import each


@each(
    "epoch, number, iso",
    [
        ("SAS", 20_000, "2014-10-04"),
        ("Excel", 43_831, "2020-01-01"),
        ("R", 18_262, "2020-01-01"),
        ("Excel-1904", 42_369, "2020-01-01"),
        ("SAS-seconds", 1_893_456_000, "2020-01-01"),
        ("SPSS", 13_797_216_000, "2020-01-01"),
        ("Unix", 1_577_836_800, "2020-01-01"),
        ("Unix-milliseconds", 1_577_836_800_000, "2020-01-01"),
        ("Stata-milliseconds", 1_893_456_000_000, "2020-01-01"),
        ("Stata-weeks", 3_121, "2020-01-08"),
        ("Stata-months", 721, "2020-02"),
        ("Stata-quarters", 241, "2020-04"),
        ("Stata-halfyears", 121, "2020-07"),
        ("Stata-years", 2020, "2020"),
        ("MATLAB", 737_791, "2020-01-01"),
        ("Julian", 2_458_850, "2020-01-01"),
    ],
)
def test_the_first_days_of_2020(epoch, number, iso):
    """By the manual of each program, and by hand."""
    assert EPOCHS[epoch].iso(np.array([number, np.nan])).to_pylist() == [iso, None]


@each(
    "numbers, may",
    [
        (range(18_000, 18_400, 7), True),
        (range(43_000, 43_400, 7), True),
        (range(1_500_000_000, 1_500_900_000, 77_777), True),
        (range(4_000, 11_000, 70), False),  # leucocytes
        (range(150_000, 400_000, 7_777), False),  # platelets
        (range(18, 90), False),
        (np.arange(18_000, 18_400, 7) + 0.5, False),
        ([18_000], False),
        ([*range(18_000, 18_400, 7), 99_999], True),  # a code for missing, or a mistake, in 59 days
    ],
)
def test_which_numbers_may_be_dates(numbers, may):
    assert bool(may_count_time(np.array(list(numbers), dtype=float))) is may


@each("declared", [None, {"admitted": "R"}])
def test_numbers_that_may_be_dates_wait_for_their_epoch(tmp_path, declared):
    days = range(18_262, 18_562, 10)
    (tmp_path / "p.csv").write_text("admitted,crp\n" + "".join(f"{day},{day % 7}\n" for day in days))
    table = read_domain_file(tmp_path / "p.csv", FileOptions(dates=declared))
    if declared:
        assert table.frame["admitted"].iloc[0] == datetime.date(2020, 1, 1).isoformat()
    else:
        assert table.frame["admitted"].iloc[0] == "18262"
        assert 'such as merge: {"files": {"P": {"dates": {"admitted": "R"}}}}' in " ".join(table.notes)
