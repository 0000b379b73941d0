"""Drafts from exports of REDCap: the record id, and quasi-identifiers by name, by label, or by heading."""

from __future__ import annotations

import ast

import pytest

from disclosure_control.draft.draft import draft_config
from tests.cases import quick
from tests.places import PROJECT

DEMO = PROJECT / "pilot_report" / "REDCAP_DEMO"
KNOWN_BY_LABEL = {"sex": "q1", "age": "q2", "race": "q3"}


def drafted(folder, files):
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    draft = draft_config("DEMO", folder, {})
    return ast.literal_eval(ast.parse(draft.text).body[-1].value), draft


@pytest.mark.thorough("1 s: whole drafts; their parts in the quick run")
@pytest.mark.parametrize("left_out", quick(1, [["dictionary.csv"], []], "1 s"))
def test_the_demo_is_drafted_with_and_without_its_dictionary(tmp_path, left_out):
    files = {path.name: path.read_text() for path in DEMO.glob("*.csv") if path.name not in left_out}
    config, draft = drafted(tmp_path, files)
    assert draft.combined.n_subjects == 150
    assert config["subject_id"] == {"column": "participant"}
    assert config["categorical_qis"] == ["DATA__sex", "DATA__race"]
    assert config["continuous_qis"] == ["DATA__age", "DATA__bmi"]
    # Without a dictionary that says otherwise, a drug is as sensitive as in any table, and three notes are asked about.
    assert config["sensitive_feature"] == ["DATA__cholesterol", *(["DATA__drug"] if left_out else [])]
    dropped = {"first_name", "last_name", "dob", "email", "consent_date", "visit_date", "drug_start"}
    dropped |= set() if left_out else {"history"}
    assert set(config["merge"]["drop"]) == {f"DATA__{name}" for name in dropped}


def test_a_drafted_age_fits_the_next_export(tmp_path):
    """The name of the file has the moment of its export, which the config does not name."""
    rows = "".join(f"P{i},enrolled,{1950 + i}-03-01,2020-05-{10 + i}\n" for i in range(12))
    files = {"Heart_DATA_2024-05-01_1201.csv": f"no,redcap_event_name,dob,seen\n{rows}"}
    config, _ = drafted(tmp_path, files)
    assert config["merge"]["age"] == {"HEART": {"born": "dob", "at": "seen"}}
    assert "HEART__age" in config["continuous_qis"]
    (tmp_path / "Heart_DATA_2024-05-01_1201.csv").rename(tmp_path / "Heart_DATA_2024-08-01_0900.csv")
    given = {name: config[name] for name in ("subject_id", "merge")}
    assert "HEART__age" in draft_config("DEMO", tmp_path, given).combined.frame


@pytest.mark.thorough("2 s: whole drafts; their parts in the quick run")
@pytest.mark.parametrize(
    ("label", "is_known"),
    [("Highest level of education", True), ("Did anybody explain the questions in another language?", False)],
)
def test_a_short_label_names_what_outsiders_know_and_a_question_does_not(tmp_path, label, is_known):
    files = {path.name: path.read_text() for path in DEMO.glob("*.csv")}
    files["dictionary.csv"] = files["dictionary.csv"].replace("Smokes?", label)
    files = {name: text.replace("smoker", "item_7") for name, text in files.items()}
    config, _ = drafted(tmp_path, files)
    assert ("DATA__item_7" in config["categorical_qis"]) == is_known


@pytest.mark.thorough("1 s: whole drafts; their parts in the quick run")
def test_fields_whose_label_alone_says_what_they_are_become_quasi_identifiers(tmp_path):
    """Fields q1, q2 and q3: the dictionary calls them sex, age and race."""
    files = {path.name: path.read_text() for path in DEMO.glob("*.csv")}
    header, _, rows = files["data.csv"].partition("\n")
    for name, code in KNOWN_BY_LABEL.items():
        header = header.replace(f",{name},", f",{code},").replace(f",{name}___", f",{code}___")
        files["dictionary.csv"] = files["dictionary.csv"].replace(f"\n{name},", f"\n{code},")
    files["data.csv"] = f"{header}\n{rows}"
    config, draft = drafted(tmp_path, files)
    assert config["categorical_qis"] == ["DATA__q1", "DATA__q3"]
    assert config["continuous_qis"] == ["DATA__q2", "DATA__bmi"]
    assert "by its name or label" in draft.text
