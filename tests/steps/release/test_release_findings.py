"""What is found out about the package as a whole: the three questions, who is alone, what tells what, the calendar."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from disclosure_control.attack import leaving
from disclosure_control.basics.telling.reasons import Gravity
from disclosure_control.remedy.treatments.registry import where_changed
from disclosure_control.report.verdict import verdict_on, what_leaves
from disclosure_control.steps.release.step import run_step
from study.merge.settings import MergeSettings
from tests.steps.release.conftest import step_on

N_PEOPLE = 40
HEIGHTS = np.random.default_rng(2).permutation(np.round(np.linspace(150, 197, N_PEOPLE), 1))


def made_study(to, **columns) -> None:
    """A study of two files; ``columns`` are further ones of DM, (40,) each."""
    rng = np.random.default_rng(1)
    days = pd.Timestamp("2014-01-06") + pd.to_timedelta(rng.integers(0, 300, N_PEOPLE), unit="D")
    dm = {
        "STUDYID": "S",
        "DOMAIN": "DM",
        "USUBJID": [f"S-{i:05}" for i in range(N_PEOPLE)],
        "SEX": ["F", "M"] * (N_PEOPLE // 2),
        "RFSTDTC": days.strftime("%Y-%m-%d"),
    }
    to.mkdir(parents=True)
    pd.DataFrame({**dm, **columns}).to_csv(to / "DM.csv", index=False)


CONFIG = {
    "categorical_qis": ["DM__SEX"],
    "continuous_qis": [],
    "binning_config": {},
    "sensitive_feature": [],
    "sensitive_binning_config_for_L": {},
    "K": 5,
    "L": 1,
    "T": 1,
    "release": {"key_from": {"environment": "RELEASE_TEST_KEY"}},
}


def released(to, more=(), treatments=None, merge=MergeSettings(), beside=(), without=(), **columns):  # noqa: B008
    """The step on such a study; ``more`` are further keys of the config, ``beside`` further files."""
    made_study(to / "study", **columns)
    for name, content in dict(beside).items():
        (to / "study" / name).write_bytes(content.encode() if isinstance(content, str) else content)
    for name in without:
        (to / "study" / name).unlink()
    (to / "study" / "processed_for_anonym").mkdir()
    given, _ = step_on(to / "study", to / "study", CONFIG | dict(more), treatments, merge)
    return run_step(given)


@pytest.mark.thorough("0.5 s")
def test_a_package_of_which_nothing_is_told_has_no_reason(tmp_path, release_key):
    result = released(tmp_path)
    assert "released/define.xml" not in result.files
    assert result.figures["no_define_xml"] == "the study came without one"
    assert result.reasons_to_hold == ()
    assert verdict_on(what_leaves({"release": result}), {"release": result}).may_leave


@pytest.mark.thorough("0.5 s")
def test_what_outsiders_know_and_nobody_assessed_holds_the_package(tmp_path, release_key):
    """Forty heights, each of one person alone: k of the sex says nothing of them."""
    result = released(tmp_path, HEIGHT=HEIGHTS)
    (reason,) = result.reasons_to_hold
    assert reason.gravity == Gravity.OUTSIDERS_CAN_SINGLE_OUT
    assert "DM__HEIGHT (body measure)" in reason.sentence
    assert result.figures["singled_out"]["outsiders"]["people_alone"] == N_PEOPLE
    verdict = verdict_on(what_leaves({"release": result}), {"release": result})
    assert reason in verdict.vetoes, "no share of risk outweighs it"


@pytest.mark.thorough("0.6 s")
def test_what_the_release_changed_is_found_once(tmp_path, release_key, monkeypatch):
    """Of each column once, for the steps that count it and for the findings that ask who it is."""
    asked = []

    def counted(before, after):
        asked.append(before.name)
        return where_changed(before, after)

    monkeypatch.setattr(leaving, "where_changed", counted)
    result = released(tmp_path, HEIGHT=HEIGHTS)
    assert result.figures["released"]
    assert "DM__RFSTDTC" in asked
    assert len(asked) == len(set(asked))


@pytest.mark.thorough("1.1 s")
def test_a_column_that_the_merge_dropped_does_not_leave_and_is_looked_at_where_a_line_keeps_it(tmp_path, release_key):
    dropped, drop = {"merge": {"drop": ["DM__HEIGHT"]}}, MergeSettings(drop=("DM__HEIGHT",))
    result = released(tmp_path / "one", dropped, merge=drop, HEIGHT=HEIGHTS)
    assert result.reasons_to_hold == ()
    assert b"HEIGHT" not in result.files["released/DM.csv"].splitlines()[0]
    kept = {"release": {**CONFIG["release"], "operations": {"DM.HEIGHT": "keep"}}}
    result = released(tmp_path / "other", {**dropped, **kept}, merge=drop, HEIGHT=HEIGHTS)
    (reason,) = result.reasons_to_hold
    assert "DM__HEIGHT (body measure)" in reason.sentence


@pytest.mark.thorough("0.4 s")
def test_a_column_that_tells_what_was_dropped_holds_the_package(tmp_path, release_key):
    """The sex is dropped by the treatment, and a flag beside it says it of everybody."""
    drop = [{"method": "drop_column", "columns": ["DM__SEX"]}]
    result = released(tmp_path, treatments=drop, ITT=["Y", "N"] * (N_PEOPLE // 2))
    (told,) = result.figures["telling"]["told"]
    assert ([by["variable"] for by in told["by"]], told["tells"], told["people_told"]) == (
        ["DM__ITT"],
        "DM__SEX",
        N_PEOPLE,
    )
    assert any("DM__ITT" in reason.sentence for reason in result.reasons_to_hold)


# ---------------------------------------------------------------- define.xml

DEFINE = """<ODM xmlns="http://www.cdisc.org/ns/odm/v1.3" xmlns:def="http://www.cdisc.org/ns/def/v2.1"><Study OID="S">
<MetaDataVersion OID="M" Name="n">
<ItemGroupDef OID="IG.DM" Name="DM" Repeating="No"><Description><TranslatedText>Demographics</TranslatedText>
</Description><ItemRef ItemOID="IT.SEX" Mandatory="Yes"/></ItemGroupDef>
<ItemDef OID="IT.SEX" Name="SEX" DataType="text"><CodeListRef CodeListOID="CL.SEX"/></ItemDef>
<CodeList OID="CL.SEX" Name="Sex" DataType="text"><EnumeratedItem CodedValue="F"/><EnumeratedItem CodedValue="M"/>
<EnumeratedItem CodedValue="S-00007"/></CodeList></MetaDataVersion></Study></ODM>"""


@pytest.mark.thorough("0.5 s")
def test_a_study_with_a_define_xml_leaves_with_one_of_what_leaves(tmp_path, release_key):
    pytest.importorskip("odmlib", reason="optional: requirements/formats.txt")
    result = released(tmp_path, beside={"define.xml": DEFINE})
    content = result.files["released/define.xml"]
    assert b"S-00007" not in content, "a code that the source lists and nobody has"
    assert b"Demographics" in content
    assert "define.xml: of the files as they are" in result.report
    assert b"define.xml" in result.files["released/README.txt"]


@pytest.mark.thorough("0.5 s")
def test_a_define_xml_that_contradicts_the_files_is_not_written(tmp_path, release_key, monkeypatch):
    pytest.importorskip("odmlib", reason="optional: requirements/formats.txt")
    from disclosure_control.release import define

    write = define.define_xml
    monkeypatch.setattr(define, "define_xml", lambda *given: write(*given).replace(b'"SEX"', b'"SEXUS"'))
    result = released(tmp_path, beside={"define.xml": DEFINE})
    assert "released/define.xml" not in result.files
    assert "other data sets or variables" in result.figures["no_define_xml"]
    assert b"define.xml" not in result.files["released/README.txt"]


@pytest.mark.thorough("0.4 s")
def test_packed_text_leaves_packed_under_its_own_name(tmp_path, release_key):
    import gzip

    made_study(tmp_path / "plain")
    packed = {"DM.csv.gz": gzip.compress((tmp_path / "plain" / "DM.csv").read_bytes())}
    result = released(tmp_path, beside=packed, without=("DM.csv",))
    assert [name for name in result.files if name.startswith("released/DM")] == ["released/DM.csv.gz"]
    assert gzip.decompress(result.files["released/DM.csv.gz"]).startswith(b'"STUDYID"')


# ---------------------------------------------------------------- the text for the recipient


@pytest.mark.thorough("0.4 s")
def test_the_readme_says_what_was_done_and_nothing_else(small, tmp_path, release_key):
    """Of a study of dates alone no country, age or id of a record is said; of the small one they are."""
    of_dates = released(tmp_path).files["released/README.txt"].decode()
    of_small = small.files["README.txt"].decode()
    for words, is_said in (("one number of days", True), ("continents", False), ("90 years", False), ("RELREC", False)):
        assert words in of_small
        assert (words in of_dates) == is_said, words
    assert "CSV" in of_dates
