"""Whole pilots through both doors: the shipped ones, the public data, and texts that must survive the way."""

import csv
import functools
import hashlib
import json
import tempfile
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from config import parse_config
from disclosure_control.assess.opening import opened
from disclosure_control.run.fingerprints import KEY_FILE, fingerprint
from disclosure_control.run.tables import csv_bytes
from study import KEY_READERS
from tests.examples import examples
from tests.run.fixtures import kept_screen
from tests.run.synthetic_pilot import PROJECT, Doors, SyntheticPilot
from tests.study.merge.merge_files import (
    SHARED_DATA,
    combine,
    needs_shared_data,
    transport_records,
    write,
)

SHIPPED = PROJECT / "pilot_report"
PENTELI_QIS = [
    "DM__SEX",
    "SC__Country of Permanent Address",
    "SC__District of Permanent Address",
    "DM__AGE",
    "VS__BMI",
]


def config_of(name):
    return parse_config((PROJECT / "config" / f"{name}.py").read_text(encoding="utf-8"), name)


@pytest.fixture
def start(tmp_path, monkeypatch, capsys):
    """A function that puts files and a config in place and runs both doors; it returns the pilot and their output."""
    return lambda name, files, config: started(tmp_path, monkeypatch, capsys, name, files, config)


def started(root, monkeypatch, screen, name, files, config, doors=(1, 2)):
    pilot = SyntheticPilot(root, name)
    for folder in (pilot.folder, pilot.config_folder, pilot.desk):
        folder.mkdir(parents=True, exist_ok=True)
    pilot.write_env(f"BIOSTREAMS_PILOT={name}")
    for file_name, content in files.items():
        write(pilot.folder / file_name, content.read_bytes() if isinstance(content, Path) else content)
    pilot.config = config
    pilot.configure()
    runs = [Doors(pilot.desk, monkeypatch, screen).start(door) for door in doors]
    assert {(run.status, run.err) for run in runs} == {(0, "")}
    return pilot, runs


@pytest.fixture(scope="module")
def shipped(tmp_path_factory):
    """A function that runs door 1 once on a shipped pilot, as it is; it returns the pilot and the door's output."""

    @functools.cache
    def start_shipped(name):
        root = tmp_path_factory.mktemp(name)
        with kept_screen() as screen, pytest.MonkeyPatch.context() as monkeypatch:
            return started(root, monkeypatch, screen, name, files_in(SHIPPED / name), config_of(name), [1])

    return start_shipped


def files_in(folder):
    return {path.name: path for path in sorted(folder.iterdir()) if path.is_file()}


def csv_rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_back(path, frame):
    """The combined dataset as door 2 reads it, every column a category."""
    columns = [name for name in frame if name != "USUBJID"]
    literal = {"categorical_qis": columns, "continuous_qis": [], "binning_config": {}, "sensitive_feature": [], "K": 2}
    with opened("memory", path, literal, KEY_READERS) as found:
        return pd.concat([found.dataset.everybody.subjects, found.dataset.everybody.frame], axis="columns")


def assert_equal_texts(found, expected):
    assert list(found) == list(expected)
    for name in expected:
        unequal = [
            pair for pair in zip(found[name].fillna(""), expected[name].fillna(""), strict=True) if pair[0] != pair[1]
        ]
        assert unequal == [], name


def assert_report_counts_the_files(pilot):
    """Hashes, rows, subjects and values, counted once more from the files that stand in the folders."""
    report, rows = pilot.merge_report(), csv_rows(pilot.combined)
    assert report["subjects"] == len(rows)
    assert report["files"]["combined_dataset.csv"]["rows"] == len(rows)
    digest = hashlib.sha256(pilot.combined.read_bytes()).hexdigest()
    assert report["files"]["combined_dataset.csv"]["sha256"] == digest
    files = files_in(pilot.folder)
    assert sorted([*report["inputs"], *report["left_out"]]) == sorted(files)
    for name, counts in report["inputs"].items():
        assert counts["sha256"] == hashlib.sha256(files[name].read_bytes()).hexdigest()
    for name, counts in report["columns"].items():
        assert counts["subjects_with_value"] == sum(row[name] != "" for row in rows)
    assert [*rows[0]] == ["USUBJID", *report["columns"]]
    for counts in report["domains"].values():
        if "form" in counts:  # else a supplemental file, which is no domain of its own
            assert counts["subjects"] + counts["subjects_without_record"] == len(rows)


# ---------------------------------------------------------------- PENTELI

CLASSES_BELOW_5 = {
    ("M", "Rural", "6--12", "20--30"): 1,
    ("M", "Rural", "12--18", "20--30"): 2,
    ("F", "Rural", "12--18", "20--30"): 2,
    ("F", "Rural", "6--12", "0--20"): 2,
    ("M", "Rural", "12--18", "30--40"): 2,
    ("F", "Urban", "6--12", "30--40"): 4,
    ("M", "Urban", "12--18", "0--20"): 4,
    ("F", "Urban", "0--6", "0--20"): 2,
}
ROWS_ABOVE_30 = [
    ("F", "Urban", "0--6", "0--20", "202", 52.15),
    *[("M", "Urban", "6--12", "0--20", value, 40.56) for value in ("168", "24", "158")],
    ("M", "Rural", "6--12", "20--30", "185", 38.74),
    *[("M", "Urban", "12--18", "30--40", value, 33.02) for value in ("187", "173", "189", "173")],
    *[("M", "Rural", "12--18", "30--40", value, 30.44) for value in ("160", "200")],
]


def class_of(row):
    assert row[PENTELI_QIS[1]] == "Greece"
    return tuple(row[name] for name in PENTELI_QIS if name != PENTELI_QIS[1])


@pytest.mark.thorough("1.4 s")
def test_penteli_gives_the_published_report(start):
    config = config_of("PENTELI") | {"missing_qis": "exclude", "out_of_range": "missing"}
    pilot, _ = start("PENTELI", files_in(SHIPPED / "PENTELI"), config)
    summary = pilot.summary()
    assert_report_counts_the_files(pilot)
    digest = hashlib.sha256(pilot.combined.read_bytes()).hexdigest()
    keyed = fingerprint((pilot.beside / KEY_FILE).read_bytes(), digest)
    assert summary["inputs"]["combined_dataset.csv"] == {"sha256": keyed, "rows": 633}
    cholesterol = "LB__Cholesterol"
    results = [summary["k_anonymity"], summary["l_diversity"][cholesterol], summary["t_closeness"][cholesterol]]
    assert [result["risky"] for result in results] == [19, 86, 11]
    assert [result["total"] for result in results] == [633, 633, 633]
    assert [result["evaluated"] for result in results[:2]] == [86, 86]
    risky = pilot.result_rows("risky_rows_k5_anonymity.csv")
    assert Counter(map(class_of, risky)) == CLASSES_BELOW_5
    distant = pilot.result_rows("risky_rows_t30_LB__Cholesterol.csv")
    found = [(*class_of(row), row[cholesterol], round(float(row["t_distance"]), 2)) for row in distant]
    assert sorted(found) == sorted(ROWS_ABOVE_30)
    text = (pilot.results / "PENTELI_privacy_summary.txt").read_text(encoding="utf-8")
    for share in ("3.0%", "13.6%", "1.7%"):
        assert share in text


# ---------------------------------------------------------------- SDTM_DEMO


@pytest.fixture
def demo(shipped):
    return shipped("SDTM_DEMO")[0]


def json_records(name):
    lines = (SHIPPED / "SDTM_DEMO" / name).read_text(encoding="utf-8").splitlines()
    head = json.loads(lines[0])
    if "clinicalData" in head:
        [group] = head["clinicalData"]["itemGroupData"].values()
        names, rows = [item["name"] for item in group["items"]], group["itemData"]
    else:
        names = [column["name"] for column in head["columns"]]
        rows = [json.loads(line) for line in lines[1:]] if name.endswith(".ndjson") else head["rows"]
    records = [dict(zip(names, row, strict=True)) for row in rows]
    return [
        {name: str(cell).strip() for name, cell in record.items() if cell is not None and str(cell).strip()}
        for record in records
    ]


@pytest.mark.thorough("3.5 s")
def test_the_demo_has_one_row_for_each_subject_of_dm(demo):
    rows, subjects = csv_rows(demo.combined), transport_records(SHIPPED / "SDTM_DEMO" / "dm.xpt")
    assert [row["USUBJID"] for row in rows] == sorted(subject["USUBJID"] for subject in subjects)
    assert len(rows) == 60
    by_subject = {subject["USUBJID"]: subject for subject in subjects}
    for row in rows:
        for name in ("SITEID", "AGE", "SEX", "RACE", "ETHNIC", "ARM", "RFSTDTC", "DTHFL"):
            assert row[f"DM__{name}"] == by_subject[row["USUBJID"]].get(name, "")


def test_the_demos_report_counts_the_files(demo):
    assert_report_counts_the_files(demo)
    report = demo.merge_report()
    assert sorted(report["left_out"]) == ["relrec.xpt", "ts.xpt"]
    assert report["domains"]["DM"]["supplemental_folded"] == len(json_records("suppdm.json"))
    assert report["domains"]["LB"]["supplemental_folded"] == len(json_records("supplbch.json"))
    flags = Counter((row["USUBJID"], row["QNAM"]) for row in json_records("suppdm.json"))
    found = {(row["USUBJID"], name) for row in csv_rows(demo.combined) for name in ("ITT", "SAFETY", "COMPLT2")
             if row[f"DM__{name}"] == "Y"}  # fmt: skip
    assert found == set(flags)
    for domain in ("AE", "CM", "EX", "MH", "DS", "SV", "SE"):
        assert report["domains"][domain]["form"] == "events, not joined"
        assert not any(name.startswith(f"{domain}__") for name in report["columns"])


# ---------------------------------------------------------------- the public data


def flat_config(domain, quasi_identifiers, sensitive, k, column, **more):
    return {
        "categorical_qis": [f"{domain}__{name}" for name in quasi_identifiers],
        "continuous_qis": [],
        "binning_config": {},
        "sensitive_feature": f"{domain}__{sensitive}",
        "K": k,
        "L": 2,
        "T": 0.5,
        "subject_id": {"column": column},
        **more,
    }


@pytest.mark.thorough("1 s: whole public exports; every form by small ones in the quick run")
@needs_shared_data
@pytest.mark.parametrize(
    ("name", "source", "delimiter", "config", "n_risky", "total"),
    [
        ("AIDS", "actg175/aids_original_data.csv", ";",
         flat_config("AIDS", ["age", "gender", "race"], "cd40", 6, "pidnum", T=100), 225, 2139),
        pytest.param("HEART", "heart/heart.csv", ",",
                     flat_config("HEART", ["Age", "Cholesterol"], "HeartDisease", 3, None), 764, 918,
                     marks=pytest.mark.thorough("0.2 s")),
        pytest.param("ADULT", "adult/adult.csv", ";",
                     flat_config("ADULT", ["sex", "age", "race", "marital-status", "education"], "salary-class", 2,
                                 None), 3187, 30162, marks=pytest.mark.thorough("1 s")),
    ],
)  # fmt: skip
def test_a_single_file_that_is_not_cdisc(start, name, source, delimiter, config, n_risky, total):
    """The figures below k are published: records with k <= 5, shares suppressed at k=3, uniques."""
    path = SHARED_DATA / source
    pilot, _ = start(name, {f"{name}.csv": path}, config)
    k_anonymity = pilot.summary()["k_anonymity"]
    assert (k_anonymity["risky"], k_anonymity["total"]) == (n_risky, total)
    rows = csv_rows(pilot.combined)
    with path.open(encoding="utf-8", newline="") as file:
        expected = list(csv.DictReader(file, delimiter=delimiter))
    column = config["subject_id"]["column"]
    numbered = {str(number): row for number, row in enumerate(expected, start=1)}
    by_id = {row[column]: row for row in expected} if column else numbered
    assert [*rows[0]] == ["USUBJID", *(f"{name}__{own}" for own in expected[0] if own != column)]
    assert len(rows) == len(by_id)
    for row in rows:
        source_row = by_id[row["USUBJID"]]
        for own, value in source_row.items():
            if own != column:
                assert row[f"{name}__{own}"] == ("" if value == "NA" else value)
    assert_report_counts_the_files(pilot)


# ---------------------------------------------------------------- what is written is what is read


@pytest.mark.thorough("0.3 s")
def test_difficult_texts_survive_the_way_through_both_doors(start):
    """Leading zeros, Namibia, quotes, new lines, letters of many scripts: as values of quasi-identifiers."""
    texts = ["007", "7", "1e5", "NA", "-", "=1+1", 'say "hi"', "'quoted'", "two\nlines", "a,b;c\td", "Αθήνα ☃ 𝔘"]
    rows = [{"USUBJID": f"0{number}", "Text": text} for number, text in enumerate(texts, start=10)]
    config = {"categorical_qis": ["SC__Text"], "continuous_qis": [], "binning_config": {}, "sensitive_feature": []}
    files = {"DM.csv": [{"USUBJID": row["USUBJID"]} | {"SEX": "F"} for row in rows], "SC.csv": rows}
    pilot, _ = start("TEXTS", files, config | {"K": 2})
    combined = {row["USUBJID"]: row["SC__Text"] for row in csv_rows(pilot.combined)}
    assert combined == {row["USUBJID"]: row["Text"] for row in rows}
    assert pilot.summary()["k_anonymity"]["risky"] == len(texts)
    risky = {row["USUBJID"].lstrip("'"): row["SC__Text"] for row in pilot.result_rows("risky_rows_k2_anonymity.csv")}
    assert {subject: text.lstrip("'") for subject, text in risky.items()} == {
        subject: text.lstrip("'") for subject, text in combined.items()
    }


def written_and_read_back(tmp_path, rows, name="dm.parquet", merge=None):
    combined = combine(tmp_path, {name: pd.DataFrame(rows)}, merge=merge).frame
    path = Path(tempfile.mkdtemp(dir=tmp_path)) / "combined_dataset.csv"
    path.write_bytes(csv_bytes(combined))
    return read_back(path, combined), combined


MARKS = ['"', "'", ",", ";", "\t", "|", "\n", "\r\n", " ", "\u00a0", "-", "="]
LETTERS = ["a", "Ω", "é", "e\u0301", "1", "0", ".5"]
difficult_texts = st.lists(st.sampled_from(MARKS + LETTERS), max_size=4).map("".join)


@pytest.mark.thorough("0.5 s")
@given(
    st.integers(1, 3).flatmap(
        lambda n_columns: st.lists(
            st.lists(difficult_texts, min_size=n_columns, max_size=n_columns), min_size=1, max_size=4
        )
    )
)
@examples(50, suppress_health_check=list(HealthCheck))
def test_whatever_door_1_writes_door_2_reads(cells):
    rows = [
        {"USUBJID": f"S{number}"} | {f"C{column}": cell for column, cell in enumerate(row)}
        for number, row in enumerate(cells)
    ]
    with tempfile.TemporaryDirectory() as folder:
        assert_equal_texts(*written_and_read_back(Path(folder), rows))


def test_text_that_elsewhere_means_missing_stays_what_door_1_wrote(tmp_path):
    """Whether NA is Namibia is decided once, when the source is read; here the config says that it is text.

    A column for each text, beside numbers, texts and nothing.
    """
    texts, kinds = ["NA", "N/A", "NaN", "nan", "null", "NULL", "."], [["1", "2"], ["GR", "DE"], [None, None]]
    columns = {f"C{a}{b}": [text, *others] for a, text in enumerate(texts) for b, others in enumerate(kinds)}
    rows = pd.DataFrame({"USUBJID": ["S0", "S1", "S2"], **columns})
    found, expected = written_and_read_back(tmp_path, rows, merge={"missing": []})
    assert [expected[f"DM__{name}"].iloc[0] for name in columns] == [text for text, *_ in columns.values()]
    assert_equal_texts(found, expected)


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_the_file_of_door_1_needs_no_guessing_of_its_delimiter(tmp_path, delimiter):
    """A column and its values hold another delimiter equally often, and oftener than the file has commas."""
    rows = [
        {"USUBJID": f"S{n}", delimiter.join("ABC"): delimiter.join(cells)} for n, cells in enumerate(["123", "456"])
    ]
    assert_equal_texts(*written_and_read_back(tmp_path, rows))
