"""Each kind by cases written by hand: values that are of it, and values that look like it and are not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from disclosure_control.basics.column_names import folded
from disclosure_control.identifiers.chance import certainty_beside_chance
from disclosure_control.identifiers.dates import days_of
from disclosure_control.identifiers.kinds.checked_numbers import NATIONAL
from tests.cases import each
from tests.corpus.check_numbers import NATIONAL_IDS
from tests.identifiers.scanned import scan_table

N = 120
RANDOM = np.random.default_rng(7)


def kinds_of(values, heading="V1", vetoing=True, ids=None):
    ids = [f"S-{i:03d}" for i in RANDOM.permutation(len(values))] if ids is None else ids
    frame = pd.DataFrame({"USUBJID": ids, heading: values}, dtype="str")
    return {f.kind for f in scan_table("DM", frame).findings if f.vetoes or not vetoing}


def digits(n):
    return ["".join(map(str, RANDOM.integers(0, 10, n))) for _ in range(N)]


@pytest.mark.parametrize("name", NATIONAL_IDS)
def test_national_ids_are_found_by_rules_calculated_elsewhere(name):
    born = np.datetime64("1960-01-01") + RANDOM.integers(0, 9_000, N).astype("timedelta64[D]")
    values = [NATIONAL_IDS[name](RANDOM, day) for day in born]
    assert "national_id" in kinds_of(values)


@pytest.mark.parametrize("length", [9, 10, 11, 12, 13])
def test_random_digits_are_no_national_ids_though_one_in_ten_passes(length):
    assert "national_id" not in kinds_of(digits(length))


def test_the_evidence_is_that_of_the_binomial():
    """30 of 300 where chance gives one in ten is nothing; 12 of 12 has a chance of 10^-12, 5 of 5 one of 10^-5."""
    assert certainty_beside_chance(30, 300, 0.1) is None
    assert certainty_beside_chance(12, 12, 0.1) == "sure"
    assert certainty_beside_chance(5, 5, 0.1) == "likely"
    assert certainty_beside_chance(3, 3, 0.1) is None
    assert certainty_beside_chance(0, 0, 0.1) is None


def test_every_check_is_one_that_the_library_has():
    from importlib import import_module

    for number in NATIONAL:
        assert callable(import_module(f"stdnum.{number.module}").is_valid), number.module


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([f"37.9{i:04d}, 23.7{i:04d}" for i in range(N)], "coordinates"),
        ([f"10.{i}.33.{200 - i}" for i in range(N)], "ip_address"),
        ([f"fe80:0:0:0:a:{i:x}:2:1" for i in range(N)], "ip_address"),
        ([f"00:1a:2b:3c:4d:{i:02x}" for i in range(N)], "ip_address"),
        ([f"see https://x.example/{i}" for i in range(N)], "web_address"),
        ([f"name{i} (at) post.example" for i in range(N)], "email"),
        ([f"00-{i:03d}" for i in range(100, 100 + N)], "postcode"),
        ([f"Lindenallee {i}" for i in range(N)], "address"),
        ([f"{i} Mill Lane" for i in range(N)], "address"),
        ([f"(0{30 + i}) 555 {1000 + 7 * i}" for i in range(N)], "phone"),
        ([f"call tel. 0{6900000 + i * 13}" if i < 9 else "no answer" for i in range(N)], "phone"),
        ([f"M. Quux{'abcdefgh'[i % 8]}er" for i in range(N)], "person_name"),
        ([f"{i // 28 + 1:02d}/{i % 28 + 1:02d}/{1930 + i % 70}" for i in range(N)], "birth_date"),
        ([str(5001 + i) for i in RANDOM.permutation(N)], "unique_code"),
        ([f"K-{i:05d}" for i in RANDOM.permutation(90_000)[:N]], "unique_code"),
        ([str(i) for i in RANDOM.permutation(1_000)[:N]], "unique_code"),
    ],
)
def test_a_kind_is_found_under_a_heading_that_says_nothing(values, kind):
    assert kind in kinds_of(values)


def test_decimals_hold_no_telephone_number_and_a_dot_before_one_hides_none():
    """5.0019999999999 is what some programs write for 5.002."""
    assert "phone" not in kinds_of([f"{i}.00199999999{i % 90 + 10}" for i in range(N)])
    assert "phone" in kinds_of([f"Nr.0043664123{i % 9000 + 1000}" for i in range(N)])


@pytest.mark.parametrize("heading", ["V1", "PHONE"])
def test_eight_telephone_numbers_are_a_column_of_them_and_seven_are_not(heading):
    numbers = [f"(0{30 + i}) 555 {1000 + 7 * i}" for i in range(8)]
    assert kinds_of(numbers, heading) == {"phone"}
    assert kinds_of(numbers[:7], heading) == set()


def test_addresses_of_some_are_found_among_words_without_a_number():
    values = [f"Lindenallee {i}" if i % 3 else "not told" for i in range(N)]
    assert "address" in kinds_of(values)


def test_one_word_of_each_person_is_free_text():
    letters = "abcdefghijklmnopqrst"
    words = [f"{letters[i % 20]}{letters[i // 20]}quest" for i in range(N)]
    assert kinds_of(words, vetoing=False) == {"free_text"}


@each(
    "values",
    [
        [f"{110 + i % 60}/{60 + i % 40}" for i in range(N)],
        [f"{5 + i % 30 / 10:.1f}".replace(".", ",") for i in range(N)],
        [f"{i % 24:02d}:{i % 60:02d}" for i in range(N)],
        [f"1.{i % 4}.{i % 3}.{i % 7}" for i in range(N)],
        [["I10", "E11.9", "J45.0"][i % 3] for i in range(N)],
        [["Placebo", "Xanomeline Low Dose", "Xanomeline High Dose", "Screen Failure"][i % 4] for i in range(N)],
        [["HEADACHE", "APPLICATION SITE PRURITUS", "UPPER RESPIRATORY TRACT INFECTION"][i % 3] for i in range(N)],
        [f"WEEK {i % 26}" for i in range(N)],
        [f"Visit {i % 12}" for i in range(N)],
        [str(18 + i % 70) for i in range(N)],
        [f"{value:.4f}" for value in RANDOM.normal(5, 1, N)],
        [str(value) for value in RANDOM.integers(3_000, 11_000, N) // 100 * 100],
        [["ΑΘΗΝΑ", "Πάτρα", "Βόλος"][i % 3] for i in range(N)],
        ["2021-03", "2021-04"] * (N // 2),
    ],
)
def test_what_looks_like_an_identifier_and_is_none_vetoes_nothing(values):
    assert kinds_of(values) == set()


@pytest.mark.thorough("0.3 s")
def test_the_subjects_id_is_found_as_it_is_in_part_in_digits_and_in_texts():
    ids = [f"01-70{i % 9}-{1001 + 3 * i}" for i in range(N)]
    for values in (ids, [i[-4:] for i in ids], [i.replace("-", "") for i in ids], [f"sample {i} B" for i in ids]):
        assert "subject_id" in kinds_of(values, ids=ids), values[0]
    of_others = [*ids[7:], *ids[:7]]
    assert "subject_id" not in kinds_of(of_others, ids=ids)


def test_three_readings_that_are_the_number_of_the_own_site_by_chance_are_no_ids():
    ids = [f"01-{101 + i % 6}-{3001 + i}" for i in range(N)]
    of_own_site, of_another = ["101", "102", "103"], ["106", "104", "105"]
    of_nobody_else = [str(107 + i) for i in range(40)]
    of_many = [f"{70 + i % 20}" for i in range(N - 46)]
    assert "subject_id" not in kinds_of([*of_own_site, *of_another, *of_nobody_else, *of_many], ids=ids)


def test_numbers_in_the_order_of_the_ids_are_found_whatever_the_ids_look_like():
    ids = [f"S-{i}" for i in range(1, N + 1)]  # S-2 behind S-10 as text
    rising = [str(200_000 + 977 * i + 13 * (i * i % 7)) for i in range(N)]
    assert "same_order" in kinds_of(rising, ids=ids)
    assert "same_order" not in kinds_of(list(RANDOM.permutation(rising)), ids=ids)


def test_zeros_that_a_spreadsheet_cut_off_are_put_back():
    born = np.datetime64("1960-01-01") + RANDOM.integers(0, 9_000, N).astype("timedelta64[D]")
    values = [NATIONAL_IDS["amka"](RANDOM, day).lstrip("0") for day in born]
    assert len({len(value) for value in values}) > 1
    assert "national_id" in kinds_of(values)


def test_month_before_day_is_taken_where_only_that_reading_fits():
    first, second = days_of(["03/25/1980", "03/04/1980"])
    assert first - second == 21
    assert np.isnan(days_of(["2012", "2012-04", "99/99/1980", "30.02.1980", "abc", ""])).all()


def test_headings_are_read_without_accents_capitals_and_hyphens():
    assert folded("Date_of-Birth") == folded("dateOfBirth") == "date of birth"
    assert folded("Ημ. Γέννησης") == "ημ γεννησησ"
