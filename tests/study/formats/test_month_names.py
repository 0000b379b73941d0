"""Dates in words and without signs, in the languages of Europe: each form has one reading or none."""

from __future__ import annotations

import pyarrow as pa

from study.formats.dates import DAY_FIRST, iso_dates, may_hold_dates, months_by_language, months_of, read_dates
from tests.cases import each


@each(
    "written, iso",
    [
        (["20161022", "20160104"], ["2016-10-22", "2016-01-04"]),
        (["2016-1-4"], ["2016-01-04"]),
        (["08-DEC-17", "04-Jul-18"], ["2017-12-08", "2018-07-04"]),
        (["22.X.2016", "1 III 2015"], ["2016-10-22", "2015-03-01"]),
        (["20 yanuari 1942 g.", "1 may 1950 g."], ["1942-01-20", "1950-05-01"]),
        (["20 януари 1942 г.", "3 май 1950 г."], ["1942-01-20", "1950-05-03"]),
        (["5. lipnja 2016.", "1. srpnja 2016."], ["2016-06-05", "2016-07-01"]),
        (["5 lip 2016", "6 sie 2016"], ["2016-07-05", "2016-08-06"]),  # Polish, by its August
        (["5 lip 2016", "6 kol 2016"], ["2016-06-05", "2016-08-06"]),  # Croatian
        (["3 de mayo de 2015"], ["2015-05-03"]),
        (["October 22, 2016", "Mar 3, 2015"], ["2016-10-22", "2015-03-03"]),
        (["1er mars 2015", "14 juillet 2015"], ["2015-03-01", "2015-07-14"]),
        (["31. 12. 2014", "1. 2. 2014"], ["2014-12-31", "2014-02-01"]),
        (["2016. október 22."], ["2016-10-22"]),
        (["3 Μαΐου 2015", "4 Ιουνίου 2016"], ["2015-05-03", "2016-06-04"]),
        (["31. prosince 2014"], ["2014-12-31"]),
        (["7 gegužės 2014", "1 liepos 2014"], ["2014-05-07", "2014-07-01"]),
        (["2020 m. vasario 2 d.", "2018 m. birželio 25 d."], ["2020-02-02", "2018-06-25"]),
        (["2018. gada 3. augusts", "2019. gada 28. decembrī"], ["2018-08-03", "2019-12-28"]),
        (["15. decembra 2019", "3. januarja 2018"], ["2019-12-15", "2018-01-03"]),
        (["12. studenog 2019.", "1. lipnja 2018."], ["2019-11-12", "2018-06-01"]),
    ],
)
def test_dates_with_one_reading(written, iso):
    values = pa.array(written, pa.large_string())
    assert DAY_FIRST in read_dates(values)
    assert iso_dates(values, DAY_FIRST).to_pylist() == iso


@each(
    "written",
    [
        ["5 lip 2016"],
        ["5 lis 2016"],
        ["5 lip 2016", "1 Mai 2016"],
        ["08-DEC-17", "04-JUL-98"],
        ["12345678"],
        ["99 abc 2016"],
    ],
)
def test_what_may_be_two_dates_or_none_is_not_read(written):
    assert read_dates(pa.array(written, pa.large_string())) is None


def test_every_month_of_every_language_is_read_as_itself():
    for language, names in months_by_language().items():
        for name, month in names.items():
            assert months_of({name, *names})[name] == month, (language, name)


def test_words_and_numbers_are_no_dates():
    assert not may_hold_dates(pa.array(["may be better 2015", "120/80", "P0001", "stage II 2016"], pa.large_string()))
