"""The scan: who is counted, what is sampled, and that neither the order of rows nor a spelling changes anything."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.column_values import SAMPLE
from disclosure_control.identifiers.registry import kinds
from disclosure_control.identifiers.scan import scan_combined
from tests.cases import each
from tests.corpus.exports import exports
from tests.corpus.people_words import TUNING
from tests.examples import any_text, examples
from tests.identifiers.scanned import scan_table, scan_tables


def table(n=60, **columns):
    return pd.DataFrame({"USUBJID": [f"S-{i:03d}" for i in range(n)], **columns}, dtype="str")


def found(frame, domain="DM", **options):
    return {(f.column, f.kind): f for f in scan_table(domain, frame, **options).findings}


def test_a_finding_counts_rows_and_people_and_never_holds_a_value():
    people = [f"S-{i // 2:03d}" for i in range(40)]  # two rows each
    mails = [f"a{i}@b.example" if i < 6 else "none" for i in range(40)]
    frame = pd.DataFrame({"USUBJID": people, "Q": mails}, dtype="str")
    finding = found(frame)["Q", "email"]
    assert (finding.n_values, finding.n_hits, finding.n_people, finding.n_all_people) == (40, 6, 3, 20)
    assert finding.grade is Grade.NAMES_A_PERSON
    assert finding.vetoes
    assert "@" not in repr(finding)


def test_an_identifier_on_one_row_in_thirty_thousand_is_found():
    n = 30_000
    values = np.array([f"code {i}" for i in range(n)], dtype=object)
    values[17_777] = "write to maria@post.example"
    finding = found(table(n, Q=values))["Q", "email"]
    assert finding.n_hits == 1
    assert not finding.is_sample


def test_what_is_read_one_by_one_is_a_sample_and_says_so():
    n = 3 * SAMPLE
    mails = [f"a{i}@b.example" for i in range(n)]
    streets = [f"{1 + i % 997} {'ABCDEFGH'[i % 8]}{'abcdefghijk'[i % 11]}l{'eiou'[i % 4]} Lane" for i in range(n)]
    finding = found(table(n, Q=mails, R=streets))
    assert not finding["Q", "email"].is_sample
    address = finding["R", "address"]
    assert address.is_sample
    assert SAMPLE <= address.n_hits == address.n_values == address.n_people == address.n_all_people < n


@pytest.mark.thorough("1.0 s")
@given(st.permutations(range(24)))
@examples(20)
def test_the_order_of_the_rows_makes_no_difference(order):
    frame = exports({"greek": TUNING["greek"]}, 4)[1].tables["DM"].iloc[:24]
    assert scan_table("DM", frame.iloc[list(order)].reset_index(drop=True)) == scan_table("DM", frame)


@pytest.mark.thorough("0.3 s")
@pytest.mark.parametrize("form", ["{0} Mill Lane {1}", "{1} Mill Lane, Little Snoring, Norfolk"])
def test_a_sample_is_the_same_in_every_order(form):
    frame = table(2 * SAMPLE, Q=[form.format(i * 7919 % 1000, i) for i in range(2 * SAMPLE)])
    turned = frame.iloc[::-1].reset_index(drop=True)
    assert scan_table("DM", turned) == scan_table("DM", frame)


def test_numbers_are_read_as_text_would_be():
    numbers = pd.Series([100_003 + 7 * i * i for i in range(60)])
    as_numbers, as_text = table(Q=numbers).assign(Q=numbers.astype(float)), table(Q=numbers.astype(str))
    assert scan_table("DM", as_numbers) == scan_table("DM", as_text)


def test_blanks_around_a_value_and_empty_values_make_no_difference():
    mails = [f"a{i}@b.example" for i in range(60)]
    spaced = table(Q=[f" {mail} " if i % 2 else mail for i, mail in enumerate(mails)], R=["  "] * 60)
    assert found(spaced)["Q", "email"].n_hits == 60
    assert not [key for key in found(spaced) if key[0] == "R"]


def test_rows_are_people_where_no_column_names_them_and_nobody_is_counted_where_it_is_absent():
    frame = pd.DataFrame({"number": [str(10_001 + i * 37) for i in range(80)]})
    assert ("number", "unique_code") in found(frame, subject_column=None)
    assert found(frame) == {}


def test_the_subjects_column_is_known_in_any_capitals_and_is_no_finding():
    frame = table(Q=["a@b.example"] * 60).rename(columns={"USUBJID": "UsubjId"})
    looked_at = scan_table("DM", frame)
    assert [(finding.column, finding.n_people) for finding in looked_at.findings] == [("Q", 60)]
    assert looked_at.columns == {"DM": 1}


def test_tables_may_name_their_subjects_in_different_columns():
    frame = pd.DataFrame({"pid": [f"P{i}" for i in range(30)], "Q": ["x@y.example"] * 30})
    looked_at = scan_tables({"XX": frame, "DM": table(Q=["x@y.example"] * 60)}, {"XX": "pid"})
    assert {f.name: f.n_all_people for f in looked_at.findings} == {"XX__Q": 30, "DM__Q": 60}


def test_a_combined_dataset_names_its_domains_in_the_headings():
    frame = table(**{"LB__Chol.LBNAM": ["www.lab.example"] * 60, "x": ["www.lab.example"] * 60})
    assert {f.name: (f.domain, f.column) for f in scan_combined(frame).findings} == {
        "LB__Chol.LBNAM": ("LB", "Chol.LBNAM"),
        "x": ("", "x"),
    }


@pytest.mark.parametrize("frame", [pd.DataFrame({"USUBJID": []}), table(0, Q=[]), table(3, Q=[None, None, None])])
def test_nothing_is_found_where_nothing_is(frame):
    assert scan_table("DM", frame).findings == ()


@given(st.lists(any_text(max_size=30), min_size=1, max_size=40), st.booleans())
@examples(40)
def test_any_text_can_be_looked_at(values, is_category):
    values = [value.encode("utf-8", "ignore").decode() for value in values]
    frame = table(len(values), Q=values)
    if is_category:
        frame["Q"] = frame["Q"].astype("category")
    scan_table("DM", frame)


@each("name", kinds())
def test_every_kind_says_what_it_is(name):
    kind = kinds()[name]
    assert kind.words
    assert kind.what_to_do
    assert kind.documentation
    assert set(kind.yields_to) <= set(kinds())
