"""The other side of the corpus: what each case would be without its fault, and oddities that are none."""

from __future__ import annotations

import pandas as pd
import pytest

from study.formats.files import read_domain_file
from tests.bad_inputs.faults_of_other_formats import WHOLE, parquet_bytes, vital_signs, write_whole
from tests.cases import each, quick
from tests.run.synthetic_pilot import DONE, PEOPLE, csv_text, leaks, rows_of


@pytest.mark.parametrize("name", quick(1, WHOLE, "0.2 s"))
def test_every_format_of_the_corpus_is_read_when_it_is_whole(name, pilot, doors):
    before = pilot.combined_rows()
    write_whole(pilot, name)
    run = doors.start(1)
    assert run.err == ""
    assert run.status == DONE
    assert pilot.combined_rows() == before


def lab(**columns: object) -> pd.DataFrame:
    """Long LB records, one per subject, as Parquet holds them: every column of the type that it was given."""
    return pd.DataFrame(
        {
            "USUBJID": [person[0] for person in PEOPLE],
            "LBTESTCD": "CHOL",
            "LBTEST": "Cholesterol",
            "LBSTRESN": [float(person[5]) for person in PEOPLE],
            **columns,
        }
    )


ODD = {
    "flags_as_numbers": {"LBBLFL": 1.0},
    "flags_all_missing_numbers": {"LBLOBXFL": float("nan"), "LBBLFL": float("nan")},
    "flags_of_type_null": {"LBBLFL": None},
    "flags_true": {"LBBLFL": True},
    "domain_as_a_number": {"DOMAIN": 4.0},
    "status_all_missing_numbers": {"LBSTAT": float("nan")},
    "status_as_numbers": {"LBSTAT": 0.0},
    "units_all_missing_numbers": {"LBSTRESU": float("nan"), "LBORRESU": float("nan"), "LBORRES": "5"},
    "units_as_numbers_of_one_kind_and_text_of_the_other": {"LBSTRESU": 1.0, "LBORRESU": "mg/dL"},
    "test_names_all_missing_numbers": {"LBTEST": float("nan")},
    "test_codes_as_numbers": {"LBTESTCD": 1.0},
    "results_as_numbers": {"LBSTRESC": 5.0, "LBORRES": 5.0},
    "visits_as_text": {"LBVISITNUM": "first", "LBSEQ": "one"},
    "dates_as_timestamps": {"LBDTC": pd.Timestamp("2021-03-28")},
    "dates_as_numbers": {"LBDTC": 22367.0},
    "specimens_as_numbers": {"LBSPEC": [1.0, 2.0] * 6},
    "positions_partly_missing_numbers": {"LBPOS": [1.0, float("nan")] * 6},
}


@pytest.mark.parametrize("columns", quick(2, ODD.values(), "0.1 s"), ids=ODD)
def test_a_long_domain_whose_columns_have_odd_types(columns, pilot, doors):
    """Parquet and Dataset-JSON say what type a column has; one of the wrong type is no fault of the program."""
    pilot.remove("LB.csv")
    pilot.write("lb.parquet", parquet_bytes(lab(**columns)))
    run = doors.start(1)
    assert run.err == ""
    assert run.status == DONE
    assert leaks(run.out) == []


def test_flags_as_numbers_with_a_domain_that_counts_events(pilot, doors):
    events = pd.DataFrame({"USUBJID": [PEOPLE[0][0]] * 2, "AETERM": ["A", "B"], "AEOCCUR": [1.0, 0.0]})
    pilot.write("ae.parquet", parquet_bytes(events))
    pilot.configure(merge={"events": {"AE": {"AETERM": ["A"]}}})
    run = doors.start(1)
    assert run.err == ""
    assert run.status == DONE


@pytest.mark.thorough("0.3 s")
def test_supplemental_values_that_are_numbers(pilot, doors):
    supplemental = pd.DataFrame(
        {"USUBJID": [PEOPLE[0][0]], "RDOMAIN": "DM", "IDVAR": None, "IDVARVAL": None, "QNAM": "WEIGHT", "QVAL": [81.5]}
    )
    pilot.write("suppdm.parquet", parquet_bytes(supplemental))
    run = doors.start(1)
    assert run.err == ""
    assert run.status == DONE
    assert pilot.combined_rows()[0]["DM__WEIGHT"] == "81.5"


def test_ids_that_are_numbers_in_one_format_and_text_in_another(pilot, doors):
    for domain in ("DM", "LB", "SC"):
        pilot.write(f"{domain}.csv", csv_text(rows_of(domain)).replace("ZZSUBJ-", ""))
    pilot.remove("VS.csv")
    numbered = vital_signs().assign(USUBJID=[float(person[0][-5:]) for person in PEOPLE])
    pilot.write("vs.parquet", parquet_bytes(numbered))
    run = doors.start(1)
    assert run.err == ""
    assert run.status == DONE
    assert all(row["VS__BMI"] for row in pilot.combined_rows())


@pytest.mark.thorough("1.2 s")
def test_forty_thousand_bins(pilot, doors):
    pilot.configure(binning_config={"DM__AGE": list(range(40_000)), "VS__BMI": [20, 30, 40]})
    run = doors.start(2)
    assert run.err == ""
    assert run.status == DONE
    assert pilot.summary()["k_anonymity"]["risky"] == 12


@each(
    "change",
    [
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.rstrip("\n"),
        lambda text: "\n\n" + text.replace("\n", "\n\n"),
        lambda text: text + ",\n,\n",
        lambda text: text.replace(",", " , "),
        lambda text: text.replace(",", ";").replace(".", ","),
        lambda text: text.encode("utf-16"),
    ],
)
def test_csv_oddities_that_are_no_fault(change, tmp_path):
    plain, path = csv_text(rows_of("VS")), tmp_path / "VS.csv"
    path.write_text(plain)
    before, content = read_domain_file(path).frame, change(plain)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    pd.testing.assert_frame_equal(read_domain_file(path).frame, before)


def test_a_header_in_small_letters_is_no_fault(pilot, doors):
    before = pilot.combined_rows()
    pilot.write("VS.csv", csv_text(rows_of("VS")).replace("USUBJID", "usubjid"))
    run = doors.start(1)
    assert (run.err, run.status) == ("", DONE)
    assert pilot.combined_rows() == before
