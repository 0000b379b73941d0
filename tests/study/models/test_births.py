"""Dates of birth under any heading, by their distance to the events of the person."""

from __future__ import annotations

import datetime

import numpy as np

from study.formats.files import read_domain_file
from study.models.births import has_dates
from study.models.column_roles import PlainTable
from study.models.roles import Role
from tests.cases import each

RANDOM = np.random.default_rng(7)
VISITS = [datetime.date(2018, 1, 1) + datetime.timedelta(int(day)) for day in RANDOM.integers(0, 400, 40)]


def role(folder, years_before, ages=None, visits=VISITS) -> Role:
    """The role of a column ``qqq`` of days so many years before the visits."""
    days = [visit - datetime.timedelta(int(365.25 * years)) for visit, years in zip(VISITS, years_before, strict=True)]
    lines = [
        f"S{i},{day},{'' if ages is None else ages[i]}" + ("" if visits is None else f",{visits[i]}")
        for i, day in enumerate(days)
    ]
    (folder / "p.csv").write_text("\n".join(["patient_id,qqq,age" + (",visit_date" if visits else ""), *lines]) + "\n")
    return PlainTable(read_domain_file(folder / "p.csv"), "patient_id").role("qqq").role


@each(
    "years_before, has_age, has_visits, found",
    [
        (RANDOM.uniform(20, 80, 40), True, True, Role.BIRTH),
        (RANDOM.uniform(20, 80, 40), False, True, Role.BIRTH),
        (RANDOM.uniform(1, 9, 40), True, True, Role.BIRTH),  # children, whose age stands beside
        (RANDOM.uniform(20, 80, 40), False, False, Role.BIRTH),
        (RANDOM.uniform(0, 9, 40), False, True, Role.DATE),  # a first diagnosis
        (RANDOM.uniform(-1, 1, 40), False, True, Role.DATE),
    ],
)
def test_births_by_values(tmp_path, years_before, has_age, has_visits, found):
    ages = np.floor(years_before).astype(int) if has_age else None
    assert role(tmp_path, years_before, ages, VISITS if has_visits else None) is found


def test_dates_are_found_below_many_records_without_one(tmp_path):
    """As from disk, where a column is asked by its distinct values."""
    lines = [f"S{i},{'' if i < 300 else '2014-01-10'},{i}" for i in range(320)]
    (tmp_path / "p.csv").write_text("\n".join(["patient_id,seen,pulse", *lines]) + "\n")
    table = read_domain_file(tmp_path / "p.csv")
    assert (has_dates(table, "seen"), has_dates(table, "pulse")) == (True, False)
