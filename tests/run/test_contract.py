"""The contracts of the results: the JSON schema, names, columns and order of files, and that nothing is by chance."""

from __future__ import annotations

import json
import random

import pytest
from scipy.stats import wasserstein_distance

from tests.run.synthetic_pilot import DISTRICT, DONE, PEOPLE, copy_of, csv_text, files_below, of_the_data, rows_of

QIS = ["DM__SEX", f"SC__{DISTRICT}", "DM__AGE", "VS__BMI"]
CLASSES = [PEOPLE[0:3], PEOPLE[3:6], PEOPLE[6:8], PEOPLE[8:10], PEOPLE[10:11], PEOPLE[11:12]]
BINS = [100, 150, 200, 250]


def cholesterol(people) -> list[float]:
    return [float(person[5]) for person in people]


def l_of(people) -> int:
    """Distinct bins of a class, the values above 250 being one."""
    return len({sum(value >= edge for edge in BINS) for value in cholesterol(people)})


def t_of(people) -> float:
    return wasserstein_distance(cholesterol(people), cholesterol(PEOPLE))


def per_person(measure) -> dict[str, float]:
    return {person[0]: measure(people) for people in CLASSES for person in people}


# ---------------------------------------------------------------- the JSON summary


def test_the_summary_has_the_parts_of_the_contract(pilot):
    summary = pilot.summary()
    assert (summary["schema"], summary["for"]) == (2, "for the data controller alone")
    assert summary["pilot"] == "CLINIC"
    assert summary["config"] == pilot.config
    assert set(summary["inputs"]) == {"combined_dataset.csv"}
    assert summary["inputs"]["combined_dataset.csv"]["rows"] == 12
    k, l_of_sensitive, t = (summary[name] for name in ("k_anonymity", "l_diversity", "t_closeness"))
    common = {"total": 12, "evaluated": 12}
    assert k | common | {"threshold": 3, "risky": 6, "minimum": 1} == k
    assert list(l_of_sensitive) == list(t) == ["LB__Cholesterol"]
    expected = {"threshold": 2, "risky": sum(value < 2 for value in per_person(l_of).values()), "minimum": 1}
    assert l_of_sensitive["LB__Cholesterol"] | common | expected == l_of_sensitive["LB__Cholesterol"]
    distances = per_person(t_of).values()
    figures = t["LB__Cholesterol"]
    expected = {"threshold": 30, "risky": sum(value > 30 for value in distances), "distance": "wasserstein"}
    assert figures | common | expected == figures
    assert figures["maximum"] == pytest.approx(max(distances))  # of one person: others read a range
    assert figures["maximum_between"] is None
    assert set(summary["missing_policies"]) == {"category", "exclude", "wildcard"}
    for policy in summary["missing_policies"].values():
        assert policy | {"evaluated": 12, "risky": 6} == policy


@pytest.mark.thorough("0.7 s")
def test_missing_policies_stand_side_by_side(pilot, doors):
    places = rows_of("SC")
    places[0][DISTRICT] = ""
    pilot.write_rows("SC.csv", places)
    doors.start_both()
    # Without her district the first woman is alone, or left out, or like the two of the north and the two of the south.
    assert {
        name: (figures["evaluated"], figures["risky"]) for name, figures in pilot.summary()["missing_policies"].items()
    } == {"category": (12, 9), "exclude": (11, 8), "wildcard": (12, 4)}
    assert pilot.summary()["k_anonymity"]["risky"] == 9
    short = (pilot.results / "CLINIC_privacy_summary.txt").read_text(encoding="utf-8")
    assert "k by the policy for missing values: category 9 of 12, exclude 8 of 11, wildcard 4 of 12." in short


def test_the_merge_report_counts(pilot, doors):
    pilot.write_rows("VS.csv", rows_of("VS")[:9])
    doors.start(1)
    report = pilot.merge_report()
    assert report["schema"] == 1
    assert report["pilot"] == "CLINIC"
    assert report["subjects"] == 12
    assert report["domains"]["VS"] | {"rows": 9, "subjects": 9, "subjects_without_record": 3} == report["domains"]["VS"]
    assert report["columns"]["VS__BMI"] == {"subjects_with_value": 9}


@pytest.mark.thorough("0.5 s")
def test_json_is_what_every_reader_understands(pilot, doors):
    """UTF-8, no NaN, also where nothing could be evaluated."""
    pilot.write_rows("LB.csv", [row | {"Cholesterol": "", "Glucose": "5"} for row in rows_of("LB")])
    pilot.write_rows("DM.csv", [row | {"SEX": ""} for row in rows_of("DM")])
    pilot.configure(missing_qis="exclude")
    for run in doors.start_both():
        assert run.status == DONE

    def refuse(constant):
        raise AssertionError(constant)

    for name in ("merge_report.json", "CLINIC_privacy_summary.json"):
        text = (pilot.results / name).read_bytes().decode("utf-8")
        assert json.loads(text, parse_constant=refuse)["pilot"] == "CLINIC"


# ---------------------------------------------------------------- files of risky rows


def test_the_combined_dataset_has_one_row_per_subject(pilot):
    rows = pilot.combined_rows()
    assert list(rows[0]) == ["USUBJID", "DM__AGE", "DM__SEX", "LB__Cholesterol", f"SC__{DISTRICT}", "VS__BMI"]
    assert [row["USUBJID"] for row in rows] == [person[0] for person in PEOPLE]
    assert [row["VS__BMI"] for row in rows] == [person[4] for person in PEOPLE]


def test_names_and_columns_of_risky_rows(pilot):
    for name, last in {
        "risky_rows_k3_anonymity.csv": ["k_count"],
        "risky_rows_l2_LB__Cholesterol.csv": ["LB__Cholesterol", "LB__Cholesterol (binned)", "l_count"],
        "risky_rows_t30_LB__Cholesterol.csv": ["LB__Cholesterol", "t_distance"],
    }.items():
        assert (pilot.results / name).read_text().partition("\n")[0] == ",".join(
            f'"{column}"' for column in ["USUBJID", *QIS, *last]
        ), name


def test_risky_rows_of_k_riskiest_first(pilot):
    rows = pilot.result_rows("risky_rows_k3_anonymity.csv")
    # Alone: F in the north, 40 to 50, and M in the south, 30 to 40; then two pairs. Ties by class, then by id.
    assert [(row["USUBJID"][-2:], row["k_count"]) for row in rows] == [
        ("62", "1"),
        ("61", "1"),
        ("57", "2"),
        ("58", "2"),
        ("59", "2"),
        ("60", "2"),
    ]
    assert [rows[0][name] for name in QIS] == ["FMARKER", "MARKERDISTRICT NORTH", "40--50", "30--40"]


def test_risky_rows_of_l(pilot):
    rows = pilot.result_rows("risky_rows_l2_LB__Cholesterol.csv")
    expected = {subject: count for subject, count in per_person(l_of).items() if count < 2}
    assert {row["USUBJID"]: int(row["l_count"]) for row in rows} == expected
    (tail,) = [row for row in rows if row["USUBJID"] == "ZZSUBJ-48161"]
    assert (tail["LB__Cholesterol"], tail["LB__Cholesterol (binned)"][0]) == ("987.654", ">")


def test_risky_rows_of_t_riskiest_first(pilot):
    rows = pilot.result_rows("risky_rows_t30_LB__Cholesterol.csv")
    expected = {subject: distance for subject, distance in per_person(t_of).items() if distance > 30}
    assert {row["USUBJID"]: float(row["t_distance"]) for row in rows} == pytest.approx(expected, rel=1e-12)
    distances = [float(row["t_distance"]) for row in rows]
    assert distances == sorted(distances, reverse=True)
    assert rows[0]["USUBJID"] == "ZZSUBJ-48161"


@pytest.mark.thorough("0.8 s")
def test_thresholds_stand_in_names_as_they_are_and_nobody_at_risk_leaves_the_header(pilot, doors):
    for threshold, lengths in (
        ({"K": 1, "L": 1, "T": 2_500_000}, (1, 1, 1)),
        ({"K": 10**7, "L": 10**6, "T": 0.5}, (13, 13, 13)),
    ):
        pilot.configure(**threshold)
        assert doors.start(2).status == DONE
        names = (f"k{threshold['K']}_anonymity", *(f"{key.lower()}{threshold[key]}_LB__Cholesterol" for key in "LT"))
        lines = [(pilot.results / f"risky_rows_{name}.csv").read_text().splitlines() for name in names]
        assert tuple(map(len, lines)) == lengths
        assert all(of_model[0].startswith('"USUBJID","DM__SEX"') for of_model in lines)


@pytest.mark.thorough("0.8 s")
def test_several_sensitive_features_have_a_file_each(pilot, doors):
    """Also where their names differ in nothing but what a file name cannot hold."""
    pilot.write("LB.csv", csv_text(rows_of("LB")).replace("Cholesterol", "HDL/LDL", 1))
    pilot.write_rows("QS.csv", [{"USUBJID": person[0], "A?": person[5], "A*": person[4]} for person in PEOPLE])
    pilot.configure(
        sensitive_feature=["LB__HDL/LDL", "QS__A?", "QS__A*", f"SC__{DISTRICT}"],
        sensitive_binning_config_for_L={},
        categorical_qis=["DM__SEX"],
        L={"LB__HDL/LDL": 2, "QS__A?": 3, "QS__A*": 3, f"SC__{DISTRICT}": 2},
        T={"LB__HDL/LDL": 30, "QS__A?": 30, "QS__A*": 30, f"SC__{DISTRICT}": 0.25},
    )
    for run in doors.start_both():
        assert run.err == ""
        assert run.status == DONE
    files = sorted(name for name in pilot.summary()["files"] if name.startswith("risky"))
    assert len(files) == 1 + 2 * 4
    assert len({name.lower() for name in files}) == len(files)
    assert not set("".join(files)) & set('<>:"/\\|?*')
    assert "risky_rows_l2_LB__HDL_LDL.csv" in files
    assert set(pilot.summary()["t_closeness"]) == {"LB__HDL/LDL", "QS__A?", "QS__A*", f"SC__{DISTRICT}"}
    assert pilot.summary()["t_closeness"][f"SC__{DISTRICT}"]["distance"] == "total_variation"


@pytest.mark.thorough("0.5 s")
def test_a_sensitive_name_longer_than_a_file_name(pilot, doors):
    name = "Cholesterol in serum " * 20
    pilot.write("LB.csv", csv_text(rows_of("LB")).replace("Cholesterol", name, 1))
    pilot.configure(sensitive_feature=f"LB__{name.strip()}", sensitive_binning_config_for_L={})
    for run in doors.start_both():
        assert run.err == ""
        assert run.status == DONE
    assert list(pilot.summary()["l_diversity"]) == [f"LB__{name.strip()}"]


# ---------------------------------------------------------------- nothing by chance


def results(pilot) -> dict[str, object]:
    return of_the_data(files_below(pilot.results))


def long_lab() -> list[dict]:
    """Three records per subject with ties of every kind: same moment and other value, same value, no moment."""
    rows = []
    for number, (subject, *_, value) in enumerate(PEOPLE):
        for other, visit in ((value, "1"), (f"{float(value) + 1:.4f}", "1" if number % 2 else ""), (value, "1")):
            rows.append(
                {
                    "USUBJID": subject,
                    "LBTESTCD": "CHOL",
                    "LBTEST": "Cholesterol",
                    "VISITNUM": visit,
                    "LBSTRESN": other,
                    "LBSTRESC": other,
                    "LBDTC": "2021-03-28" if number % 3 else "",
                }
            )
    return rows


@pytest.mark.thorough("1 s: both doors several times")
def test_the_order_of_rows_changes_no_byte(pilot, doors, tmp_path):
    pilot.write_rows("LB.csv", long_lab())
    pilot.write_rows("VS.csv", [*rows_of("VS"), *({**row, "BMI": "20"} for row in rows_of("VS")[:5])])
    pilot.configure(merge={"several_rows": {"VS": "last"}})
    shuffled = copy_of(pilot.root, tmp_path / "shuffled")
    for run in doors.start_both():
        assert run.status == DONE

    chance = random.Random(0)
    tables = {"LB": long_lab(), **{domain: rows_of(domain) for domain in ("DM", "SC")}}
    tables["VS"] = [*rows_of("VS"), *({**row, "BMI": "20"} for row in rows_of("VS")[:5])]
    for domain, rows in tables.items():
        chance.shuffle(rows)
        shuffled.write_rows(f"{domain}.csv", rows)
    doors.monkeypatch.chdir(shuffled.desk)
    for run in doors.start_both():
        assert run.status == DONE

    before, after = results(pilot), results(shuffled)
    reports = [json.loads(files.pop("merge_report.json")) for files in (before, after)]
    for report in reports:
        assert report.pop("inputs")  # whose hashes do change
    assert before == after
    assert reports[0] == reports[1]


@pytest.mark.thorough("0.8 s")
def test_the_order_of_the_combined_datasets_rows_changes_no_risky_row(pilot, doors):
    (pilot.results / "merge_report.json").unlink(missing_ok=True)  # it says that the file was changed by hand
    doors.start(2)
    before = results(pilot)
    rows = pilot.combined_rows()
    random.Random(1).shuffle(rows)
    pilot.write_combined(rows)
    doors.start(2)
    after = results(pilot)
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"combined_dataset.csv", "CLINIC_privacy_summary.json"}  # which has the former's hash
