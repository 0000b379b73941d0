"""The shipped pilots: reproducible, PENTELI with its published figures, SDTM_DEMO with every trap it is there for.

Nothing here uses the project's own reading, merging or measuring: pandas, SciPy, pyreadstat and json alone.
"""

import ast
import itertools
import json
import re
import runpy
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from scipy.stats import wasserstein_distance

PROJECT = Path(__file__).resolve().parent.parent
PILOTS = PROJECT / "pilot_report"
PENTELI, SDTM = PILOTS / "PENTELI", PILOTS / "SDTM_DEMO"
RESULTS = "processed_for_anonym"


def config_of(pilot):
    module = ast.parse((PROJECT / "config" / f"{pilot}.py").read_text(encoding="utf-8"))
    return ast.literal_eval(module.body[-1].value)


def shipped_files(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for pilot in ("PENTELI", "SDTM_DEMO")
        for path in (folder / pilot).rglob("*")
        if path.is_file() and RESULTS not in path.parts
    }


def test_the_script_reproduces_the_shipped_files_byte_for_byte(tmp_path):
    runpy.run_path(str(PROJECT / "benchmarks" / "makers" / "make_synthetic_pilots.py"))["write_pilots"](tmp_path)
    written, shipped = shipped_files(tmp_path), shipped_files(PILOTS)
    assert sorted(written) == sorted(shipped)
    assert [name for name in written if written[name] != shipped[name]] == []


# ---------------------------------------------------------------- PENTELI

SEX, COUNTRY, DISTRICT = "SEX", "Country of Permanent Address", "District of Permanent Address"
QUASI_IDENTIFIERS = [SEX, COUNTRY, DISTRICT, "AGE", "BMI"]
PUBLISHED_CLASSES_BELOW_5 = {
    ("M", "Rural", "6--12", "20--30"): 1,
    ("M", "Rural", "12--18", "20--30"): 2,
    ("F", "Rural", "12--18", "20--30"): 2,
    ("F", "Rural", "6--12", "0--20"): 2,
    ("M", "Rural", "12--18", "30--40"): 2,
    ("F", "Urban", "6--12", "30--40"): 4,
    ("M", "Urban", "12--18", "0--20"): 4,
    ("F", "Urban", "0--6", "0--20"): 2,
}
PUBLISHED_ROWS_ABOVE_30 = [
    ("F", "Urban", "0--6", "0--20", 202, 52.15),
    ("M", "Urban", "6--12", "0--20", 168, 40.56),
    ("M", "Urban", "6--12", "0--20", 24, 40.56),
    ("M", "Urban", "6--12", "0--20", 158, 40.56),
    ("M", "Rural", "6--12", "20--30", 185, 38.74),
    ("M", "Urban", "12--18", "30--40", 187, 33.02),
    ("M", "Urban", "12--18", "30--40", 173, 33.02),
    ("M", "Urban", "12--18", "30--40", 189, 33.02),
    ("M", "Urban", "12--18", "30--40", 173, 33.02),
    ("M", "Rural", "12--18", "30--40", 160, 30.44),
    ("M", "Rural", "12--18", "30--40", 200, 30.44),
]


def penteli_files():
    return {
        "DM": pd.read_csv(PENTELI / "DM.csv", dtype={"USUBJID": str}),
        "VS": pd.read_csv(PENTELI / "VS.csv", dtype={"USUBJID": str}, sep=";", decimal=","),
        "LB": pd.read_csv(PENTELI / "LB.csv", dtype={"USUBJID": str}, encoding="utf-8-sig"),
        "SC": pd.read_csv(PENTELI / "SC.csv", dtype={"USUBJID": str}, encoding="cp1253"),
    }


@pytest.fixture(scope="module")
def children():
    """One row per child of DM, joined by the number in each id, whatever stands around it."""
    merged = None
    for domain, frame in penteli_files().items():
        frame.index = [int(re.search(r"\d+", subject).group()) for subject in frame["USUBJID"]]
        assert frame.index.is_unique
        assert (frame["DOMAIN"] == domain).all()
        frame = frame.drop(columns=["STUDYID", "DOMAIN", "USUBJID"])
        assert merged is None or frame.index.isin(merged.index).all()
        merged = frame if merged is None else merged.join(frame, validate="one_to_one")
    return merged


def with_bins(children, tails):
    """The quasi-identifiers as text; NaN where missing, and outside the edges too unless ``tails``."""
    binned = children[QUASI_IDENTIFIERS].astype(object)
    for column, edges in [("AGE", [0, 6, 12, 18]), ("BMI", [0, 20, 30, 40])]:
        values = children[column]
        binned[column] = None
        for low, high in itertools.pairwise(edges):
            binned.loc[(values >= low) & (values < high), column] = f"{low}--{high}"
        binned.loc[values == edges[-1], column] = f"{edges[-2]}--{edges[-1]}"
        if tails:
            binned.loc[values < edges[0], column] = f"<{edges[0]}"
            binned.loc[values > edges[-1], column] = f">{edges[-1]}"
    return binned


@pytest.fixture(scope="module")
def evaluated(children):
    """The children that the published report evaluated, with the size and the distance of their class."""
    binned = with_bins(children, tails=False).dropna()
    binned["Cholesterol"] = children["Cholesterol"]
    classes = binned.groupby(QUASI_IDENTIFIERS)
    everyone = binned["Cholesterol"].dropna()
    binned["size"] = classes["SEX"].transform("size")
    distances = {
        name: wasserstein_distance(values.dropna(), everyone) if values.notna().any() else np.nan
        for name, values in classes["Cholesterol"]
    }
    binned["distance"] = [distances[name] for name in binned[QUASI_IDENTIFIERS].itertuples(index=False, name=None)]
    return binned


def test_penteli_has_633_children_of_whom_86_have_no_gap(children, evaluated):
    assert len(children) == 633
    assert len(evaluated) == 86
    assert set(evaluated[COUNTRY]) == {"Greece"}


def test_penteli_classes_below_5_are_the_published_ones(evaluated):
    below = evaluated[evaluated["size"] < 5]
    assert len(below) == 19
    assert below.groupby([SEX, DISTRICT, "AGE", "BMI"]).size().to_dict() == PUBLISHED_CLASSES_BELOW_5


@pytest.mark.parametrize("edges", [[100, 150, 200, 250], [-np.inf, 100, 150, 200, 250.001, np.inf]])
def test_penteli_has_no_class_with_five_bins_of_cholesterol(evaluated, edges):
    """All 86 are below l=5, also when the tails below 100 and above 250 count as bins."""
    bins = pd.cut(evaluated["Cholesterol"], edges, right=False, include_lowest=True)
    n_distinct = bins.groupby([evaluated[name] for name in QUASI_IDENTIFIERS]).transform("nunique")
    assert (n_distinct < 5).sum() == 86


def test_penteli_rows_above_30_are_the_published_ones(evaluated):
    flagged = evaluated[(evaluated["distance"] > 30) & evaluated["Cholesterol"].notna()]
    found = [
        (row.SEX, row[DISTRICT], row.AGE, row.BMI, int(row.Cholesterol), round(row.distance, 2))
        for _, row in flagged.iterrows()
    ]
    assert sorted(found) == sorted(PUBLISHED_ROWS_ABOVE_30)


def test_penteli_is_not_near_a_threshold_or_a_rounding_edge(evaluated):
    distances = evaluated["distance"].dropna()
    assert distances[distances <= 30].max() < 29
    published = distances[distances > 30]
    assert (abs(published * 100 - round(published * 100)) < 0.46).all()


def test_penteli_shows_more_people_at_risk_once_nobody_is_left_out(children):
    sizes = with_bins(children, tails=True).fillna("missing").groupby(QUASI_IDENTIFIERS)[SEX].transform("size")
    assert len(sizes) == 633
    assert (sizes < 5).sum() == 61


def test_penteli_has_gaps_of_every_kind(children):
    assert children[["AGE", "BMI", COUNTRY, DISTRICT]].isna().any().all()
    assert (children["AGE"] > 18).any()
    assert (children["BMI"] > 40).any()
    assert (children["Height"].notna() & children["Weight"].isna()).any()
    n_rows = {domain: len(frame) for domain, frame in penteli_files().items()}
    assert n_rows["DM"] == 633
    assert all(n_rows[domain] < 633 for domain in ("VS", "LB", "SC"))


def test_penteli_body_mass_index_follows_from_height_and_weight(children):
    computed = children["Weight"] / (children["Height"] / 100) ** 2
    assert (computed - children["BMI"]).abs().max() <= 0.05001
    assert (computed.isna() == children["BMI"].isna()).all()


def test_penteli_files_differ_in_spelling_delimiter_and_encoding():
    spellings = {"DM": r"PENTELI-\d{4}", "VS": r"penteli_\d+", "LB": r" P \d{4} ", "SC": r"\d+"}
    for domain, frame in penteli_files().items():
        assert frame["USUBJID"].str.fullmatch(spellings[domain]).all()
        assert not frame["USUBJID"].is_monotonic_increasing
    assert not (PENTELI / "DM.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    assert (PENTELI / "LB.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    assert re.search(r";\d+,\d;", (PENTELI / "VS.csv").read_text(encoding="ascii"))
    with pytest.raises(UnicodeDecodeError):
        (PENTELI / "SC.csv").read_text(encoding="utf-8")
    assert penteli_files()["SC"]["Name of District Office"].eq("Αττική").any()


def test_the_subject_id_rule_of_penteli_reconciles_all_four_files():
    rule = config_of("PENTELI")["subject_id"]

    def reconciled(subject):
        subject = re.sub(rule["pattern"], rule["replacement"], subject.strip().upper())
        return rule["prefix"] + (subject.zfill(rule["zero_pad"]) if subject.isdigit() else subject)

    files = penteli_files()
    known = set(files["DM"]["USUBJID"])
    for frame in files.values():
        subjects = frame["USUBJID"].map(reconciled)
        assert subjects.is_unique
        assert known.issuperset(subjects)
    assert reconciled("SITE 2-0001") not in known


# ---------------------------------------------------------------- SDTM_DEMO


def xpt(domain, encoding="utf-8"):
    return pyreadstat.read_xport(SDTM / f"{domain}.xpt", encoding=encoding)[0]


def dataset_json(name):
    lines = (SDTM / name).read_text(encoding="utf-8").splitlines()
    head = json.loads(lines[0])
    rows = [json.loads(line) for line in lines[1:]] if name.endswith(".ndjson") else head["rows"]
    assert head["datasetJSONVersion"] == "1.1.0"
    assert head["records"] == len(rows)
    return pd.DataFrame(rows, columns=[column["name"] for column in head["columns"]], dtype=object), head


@pytest.fixture(scope="module")
def vital_signs():
    return dataset_json("vs.ndjson")[0]


@pytest.fixture(scope="module")
def screen_failures():
    subjects = xpt("dm")
    return set(subjects.loc[subjects["ARMCD"] == "SCRNFAIL", "USUBJID"])


def test_sdtm_demo_is_small_and_complete():
    text = "dm.xpt suppdm.json vs.ndjson lbch.xpt lbhe.xpt supplbch.json sc.json ae.xpt mh.json cm.xpt ex.xpt ds.xpt"
    paths = [path for path in SDTM.iterdir() if path.is_file()]
    assert sorted(path.name for path in paths) == sorted(f"{text} sv.xpt se.xpt ts.xpt relrec.xpt".split())
    assert sum(path.stat().st_size for path in paths) < 400_000
    assert len(xpt("dm")) == 60


def test_transport_files_are_of_version_5_and_8():
    assert (SDTM / "lbch.xpt").read_bytes().startswith(b"HEADER RECORD*******LIBRARY ")
    assert (SDTM / "lbhe.xpt").read_bytes().startswith(b"HEADER RECORD*******LIBV8 ")


@pytest.mark.parametrize("path", sorted(SDTM.glob("*.xpt")), ids=lambda path: path.name)
def test_transport_files_have_a_fixed_date_and_labels(path):
    meta = pyreadstat.read_xport(path, encoding="cp1252")[1]
    assert meta.table_name == path.stem.upper()
    assert all(meta.column_labels)
    assert max(map(len, meta.column_labels)) <= 40
    assert set(re.findall(rb"\d\d[A-Z]{3}\d\d:\d\d:\d\d:\d\d", path.read_bytes())) == {b"01JAN24:00:00:00"}


def test_trap_subject_ids_carry_the_site_and_parts_look_like_integers():
    subjects = xpt("dm")
    expected = "04-" + subjects["SITEID"] + "-" + subjects["SUBJID"]
    assert subjects["USUBJID"].tolist() == expected.tolist()
    assert subjects["SITEID"].str.fullmatch(r"0\d{2}").all()
    assert subjects["SUBJID"].str.fullmatch(r"\d{4}").all()
    assert subjects["SUBJID"].str.startswith("0").any()


def test_trap_stored_zeros():
    results = xpt("lbhe")
    assert (results.loc[results["LBTESTCD"] == "BASO", "LBSTRESN"] == 0).any()
    assert (xpt("ex")["EXDOSE"] == 0).any()


def test_trap_blanks_are_empty_text():
    subjects = xpt("dm")
    assert {"RFSTDTC", "DTHFL", "ETHNIC"} <= {name for name in subjects if (subjects[name] == "").any()}
    assert subjects["DTHFL"].eq("Y").any()


def test_trap_fractional_visit_number(vital_signs):
    assert (vital_signs["VISITNUM"] == 3.5).any()
    assert (xpt("sv")["VISITNUM"] == 3.5).any()


def test_trap_height_has_no_baseline_flag(vital_signs):
    assert (vital_signs.loc[vital_signs["VSTESTCD"] == "HEIGHT", "VSLOBXFL"] == "").all()


def test_trap_some_subjects_lack_the_flag_of_a_test(vital_signs):
    for results, code, flag in [(vital_signs, "VSTESTCD", "VSLOBXFL"), (xpt("lbch"), "LBTESTCD", "LBBLFL")]:
        test = {"VSTESTCD": "WEIGHT", "LBTESTCD": "CHOL"}[code]
        flags = results[results[code] == test].groupby("USUBJID")[flag].agg(lambda values: (values == "Y").sum())
        assert set(flags) == {0, 1}
        assert 1 <= (flags == 0).sum() <= 6
    cholesterol = xpt("lbch").query("LBTESTCD == 'CHOL'")
    assert (cholesterol.groupby("USUBJID")["VISITNUM"].min() > 3).sum() == 1  # nothing before the first dose


def test_trap_pressure_repeats_by_position_and_time_point(vital_signs):
    for code in ("SYSBP", "DIABP"):
        repeats = vital_signs[(vital_signs["VSTESTCD"] == code) & (vital_signs["VISIT"] == "BASELINE")]
        assert (repeats.groupby("USUBJID").size() == 3).all()
        assert set(zip(repeats["VSPOS"], repeats["VSTPT"], strict=True)) == {
            ("SUPINE", "AFTER LYING DOWN FOR 5 MINUTES"),
            ("STANDING", "AFTER STANDING FOR 1 MINUTE"),
            ("STANDING", "AFTER STANDING FOR 3 MINUTES"),
        }


def test_trap_not_done_has_no_unit(vital_signs):
    missed = vital_signs[vital_signs["VSSTAT"] == "NOT DONE"]
    assert len(missed) == 4
    assert (missed[["VSORRES", "VSORRESU", "VSSTRESC", "VSSTRESU"]] == "").all(axis=None)
    assert missed["VSSTRESN"].isna().all()


def test_trap_temperature_by_location(vital_signs):
    temperature = vital_signs[vital_signs["VSTESTCD"] == "TEMP"]
    assert set(temperature["VSLOC"]) == {"EAR", "ORAL CAVITY"}
    assert (temperature.groupby("USUBJID")["VSLOC"].nunique() == 2).any()


def test_trap_cholesterol_is_reported_and_standardised_in_different_units():
    cholesterol = xpt("lbch").query("LBTESTCD == 'CHOL'")
    assert set(cholesterol["LBORRESU"]) == {"mg/dL"}
    assert set(cholesterol["LBSTRESU"]) == {"mmol/L"}
    assert pd.api.types.is_string_dtype(cholesterol["LBORRES"])
    np.testing.assert_allclose(cholesterol["LBORRES"].astype(float) * 0.02586, cholesterol["LBSTRESN"], atol=1e-4)


def test_trap_text_results():
    results = xpt("lbch")
    texts = results[results["LBSTRESC"] == "<3.42"]
    assert len(texts) > 0
    assert texts["LBSTRESN"].isna().all()
    assert results.loc[results["LBSTRESC"] != "<3.42", "LBSTRESN"].notna().all()


def test_trap_suppdm_has_no_idvar():
    supplemental, head = dataset_json("suppdm.json")
    assert (supplemental[["IDVAR", "IDVARVAL"]] == "").all(axis=None)
    assert supplemental["QNAM"].nunique() == 3
    assert head["name"] == "SUPPDM"


def test_trap_supplb_joins_padded_text_to_a_float_sequence_number():
    supplemental, results = dataset_json("supplbch.json")[0], xpt("lbch")
    assert (supplemental[["RDOMAIN", "IDVAR"]] == ["LB", "LBSEQ"]).all(axis=None)
    assert supplemental["IDVARVAL"].str.fullmatch(r" +\d+").all()
    assert results["LBSEQ"].dtype == float
    keys = set(zip(supplemental["USUBJID"], supplemental["IDVARVAL"].astype(float), strict=True))
    assert keys <= set(zip(results["USUBJID"], results["LBSEQ"], strict=True))


def test_sequence_numbers_are_unique_over_both_parts_of_lb():
    both = pd.concat([xpt("lbch"), xpt("lbhe")])
    assert not both.duplicated(["USUBJID", "LBSEQ"]).any()
    assert set(both["DOMAIN"]) == {"LB"}


def test_trap_screen_failures_are_in_four_domains_only(screen_failures, vital_signs):
    assert len(screen_failures) == 8
    subjects = xpt("dm").set_index("USUBJID")
    assert set(subjects.index[subjects["RFSTDTC"] == ""]) == screen_failures
    for domain in ("ds", "sv", "se"):
        assert screen_failures < set(xpt(domain)["USUBJID"])
    others = [vital_signs, *(xpt(domain) for domain in ("lbch", "lbhe", "ae", "cm", "ex", "relrec"))]
    others += [dataset_json(name)[0] for name in ("suppdm.json", "supplbch.json", "mh.json")]
    assert not any(screen_failures & set(frame["USUBJID"]) for frame in others)
    assert all(set(frame["USUBJID"]) <= set(subjects.index) for frame in others)


def test_trap_height_and_weight_but_no_body_mass_index(vital_signs):
    assert {"HEIGHT", "WEIGHT"} <= set(vital_signs["VSTESTCD"])
    assert "BMI" not in set(vital_signs["VSTESTCD"])


def test_trap_partial_dates():
    for dates in (dataset_json("mh.json")[0]["MHSTDTC"], xpt("cm")["CMSTDTC"]):
        assert {0, 4, 7, 10} == set(dates.str.len())
        assert dates.str.fullmatch(r"(\d{4}(-\d\d(-\d\d)?)?)?").all()


def test_trap_decimals_are_padded_text(vital_signs):
    column = next(column for column in dataset_json("vs.ndjson")[1]["columns"] if column["name"] == "VSSTRESN")
    assert (column["dataType"], column["targetDataType"]) == ("decimal", "decimal")
    values = vital_signs["VSSTRESN"].dropna()
    assert values.str.startswith(" ").all()
    assert values.astype(float).gt(0).all()


def test_trap_dataset_json_of_version_1_0(screen_failures):
    whole = json.loads((SDTM / "sc.json").read_text(encoding="utf-8"))
    assert whole["datasetJSONVersion"] == "1.0.0"
    [group] = whole["clinicalData"]["itemGroupData"].values()
    assert group["records"] == len(group["itemData"])
    names = [item["name"] for item in group["items"]]
    assert names[:4] == ["ITEMGROUPDATASEQ", "STUDYID", "DOMAIN", "USUBJID"]
    characteristics = pd.DataFrame(group["itemData"], columns=names)
    assert set(characteristics["SCTESTCD"]) == {"EDULEVEL", "MARISTAT"}
    assert not screen_failures & set(characteristics["USUBJID"])


def test_trap_trial_summary_is_not_utf_8():
    assert b"Sponsor\x92s" in (SDTM / "ts.xpt").read_bytes()
    assert "’" in xpt("ts", encoding="cp1252")["TSVAL"].iloc[0]


def test_related_records_point_to_events_and_medications():
    related = xpt("relrec")
    assert set(zip(related["RDOMAIN"], related["IDVAR"], strict=True)) == {("AE", "AESEQ"), ("CM", "CMSEQ")}
    assert (related.groupby("RELID").size() == 2).all()


def test_the_config_of_sdtm_demo_needs_no_merge_setting_and_its_edges_hold_everyone():
    config, subjects = config_of("SDTM_DEMO"), xpt("dm")
    assert "merge" not in config
    assert subjects["AGE"].between(*np.array(config["binning_config"]["DM__AGE"])[[0, -1]]).all()
    names = config["categorical_qis"] + config["continuous_qis"]
    assert {name.removeprefix("DM__") for name in names} <= set(subjects.columns)
    sizes = subjects.assign(AGE=subjects["AGE"] // 10).groupby([name.removeprefix("DM__") for name in names]).size()
    assert 0 < sizes[sizes < config["K"]].sum() < 30
