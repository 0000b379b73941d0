"""What rows of released files tell of what the release took out: each attack by its name, and what is no relation."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from disclosure_control.basics.settings.changes import applied
from disclosure_control.steps.release.step import run_step
from study.merge.settings import MergeSettings
from tests.cases import quick
from tests.examples import some_of
from tests.steps.release.conftest import step_on

N = 120
NEARLY_ALL = None  # all but fewer than ten: the number is masked
GENERATOR = np.random.default_rng(5)
IDS = [f"S-{i:05}" for i in range(N)]
SEX = np.repeat(["F", "M"], N // 2)
AGE = GENERATOR.integers(40, 80, N)
WEIGHT = GENERATOR.normal(75, 13, N).round(1)
START = pd.Timestamp("2014-01-06") + pd.to_timedelta(GENERATOR.integers(0, 300, N), unit="D")
SITE = np.array([f"{700 + i % 6}" for i in range(N)])
CONFIG = {
    "categorical_qis": ["DM__SEX"],
    "continuous_qis": ["DM__AGE", "VS__WEIGHT"],
    "binning_config": {},
    "sensitive_feature": [],
    "sensitive_binning_config_for_L": {},
    "K": 5,
    "L": 1,
    "T": 1,
    "release": {"key_from": {"environment": "RELEASE_TEST_KEY"}},
}
BANDS = [
    {"method": "band", "column": "DM__AGE", "width": 20},
    {"method": "band", "column": "VS__WEIGHT", "width": 40},
]
WITHOUT_SEX = [*BANDS, {"method": "drop_column", "columns": ["DM__SEX"]}]


def rows(domain: str, people=range(N), **columns) -> pd.DataFrame:
    """Rows of people of a domain, one each; ``columns`` are as long as the people."""
    ids = [IDS[i] for i in people]
    return pd.DataFrame({"STUDYID": "S", "DOMAIN": domain, "USUBJID": ids, f"{domain}SEQ": "1", **columns})


def study(**files: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """People with a sex, an age, a first day, a site and a weight, and further files."""
    first = START.strftime("%Y-%m-%d")
    dm = rows("DM", SEX=SEX, AGE=AGE, AGEU="YEARS", RFSTDTC=first, SITEID=SITE).drop(columns="DMSEQ")
    vs = rows("VS", VSTESTCD="WEIGHT", VSTEST="WEIGHT", VSORRES=WEIGHT, VSORRESU="kg", VSSTRESN=WEIGHT, VSDTC=first)
    return {"DM": dm, "VS": vs, **files}


@pytest.fixture
def told(tmp_path, release_key):
    """What rows tell, of a study released under a treatment: by column the people told, those changed, and by what."""

    def release(files: dict[str, pd.DataFrame], treatments=BANDS, **more) -> dict[str, tuple]:
        folder = tmp_path / f"study{len(list(tmp_path.iterdir()))}"
        (folder / "processed_for_anonym").mkdir(parents=True)
        for name, frame in files.items():
            frame.to_csv(folder / f"{name.lower()}.csv", index=False)
        merge = MergeSettings(ignore=tuple(more.get("merge", {}).get("ignore", ())))
        given, _ = step_on(folder, folder, CONFIG | more, treatments, merge)
        release.result = result = run_step(given)
        return {
            one["tells"]: (one["people_told"], one["people_changed"], [by["variable"] for by in one["by"]])
            for one in result.figures["telling"]["told"]
        }

    return release


def reasons(result) -> list[str]:
    return [one.sentence for one in result.reasons_to_hold if one.sentence.startswith("Rows in released files")]


def given_together(result, column: str) -> str:
    """The reason that facts together give a column; "" without one."""
    return "".join(one.sentence for one in result.reasons_to_hold if f"give the original {column}" in one.sentence)


@pytest.mark.thorough("1 s: a whole release; what it finds is tested by parts in tests/leaving and tests/release")
def test_by_a_dose_of_five_milligrams_per_kilogram(told):
    ex = rows("EX", EXTRT="DRUG", EXDOSE=(5 * WEIGHT).round(1), EXDOSU="mg")
    found = told(study(EX=ex))
    assert set(found) == {"VS__WEIGHT"}
    assert found["VS__WEIGHT"] == (NEARLY_ALL, N, ["EX.EXDOSE"])
    (sentence,) = reasons(told.result)
    assert "EX.EXDOSE" in sentence
    (changes,) = [one.changes for one in told.result.reasons_to_hold if one.sentence == sentence]
    assert applied({}, changes) == {"release": {"operations": {"EX.EXDOSE": "remove"}}}


@pytest.mark.thorough("2 s: two releases")
@pytest.mark.parametrize("dropped", ["VS__WEIGHT", "VS__Weight"])
def test_by_a_dose_by_the_weight_that_the_merge_leaves_out(told, dropped):
    """The combined dataset has no weight then, and the file no row of it; the dose gives it all the same."""
    files = study(EX=rows("EX", EXTRT="DRUG", EXDOSE=(5 * WEIGHT).round(1)))
    files["VS"] = files["VS"].assign(VSTEST=dropped.partition("__")[2])
    without = {"continuous_qis": ["DM__AGE"], "merge": {"drop": [dropped]}}
    found = told(files, treatments=BANDS[:1], **without)
    assert found[dropped] == (NEARLY_ALL, N, ["EX.EXDOSE"])


@pytest.mark.thorough("4 s: two releases; two numbers that give the age are below")
def test_by_two_numbers_whose_formula_differs_by_the_sex(told):
    """Creatinine and the filtration rate (MDRD) give the age, as the sex stays."""
    generator, is_female = np.random.default_rng(8), SEX == "F"
    creatinine = generator.uniform(0.6, 1.4, N).round(2)
    rate = (175 * creatinine**-1.154 * AGE**-0.203 * np.where(is_female, 0.742, 1)).round(1)
    lb = rows("LB", [*range(N)] * 2, LBTESTCD=np.repeat(["A", "B"], N), LBSTRESN=np.append(creatinine, rate))
    lb = lb.assign(LBTEST=lb["LBTESTCD"], LBORRES=lb["LBSTRESN"], LBSEQ=np.repeat([1, 2], N))
    told(study(LB=lb))
    assert given_together(told.result, "DM__AGE")
    shuffled = lb.assign(LBSTRESN=np.append(creatinine, generator.permutation(rate)))
    assert "DM__AGE" not in told(study(LB=shuffled.assign(LBORRES=shuffled["LBSTRESN"])))
    assert not given_together(told.result, "DM__AGE")


@pytest.mark.thorough("1 s: a release of its own; the unit of a site is below")
def test_by_the_preferred_digit_of_a_site(told):
    """One site reads its sphygmomanometer in tens."""
    value = GENERATOR.integers(100, 160, (3, N))
    value = np.where(SITE == "703", value // 10 * 10, value).ravel()
    fa = rows("FA", [*range(N)] * 3, FATESTCD="SYSBP", FATEST="Blood pressure", FAORRES=value)
    n, changed, by = told(study(FA=fa.assign(FASEQ=np.repeat([1, 2, 3], N))))["DM__SITEID"]
    assert (n, changed, by) == (20, N, ["FA.FAORRES"])


@pytest.mark.thorough("2 s: two releases; the changes are counted in tests/attack")
def test_by_the_visit_at_which_an_age_band_becomes_the_next_one(told):
    """Four visits, three years apart: most people become ten years older, each at one of them."""
    age = np.tile(AGE, 4) + 3 * np.repeat(range(4), N)
    band = [f"{one // 10 * 10} to {one // 10 * 10 + 9}" for one in age]
    qs = rows("QS", [*range(N)] * 4, QSTESTCD="BAND", QSTEST="Age band", QSORRES=band, VISITNUM=np.repeat(range(4), N))
    other = qs.assign(QSTESTCD="MOOD", QSTEST="Mood", QSORRES=GENERATOR.permutation(band))
    found = told(study(QS=pd.concat([qs, other])))
    n, changed, by = found["DM__AGE"]
    assert (n >= 20, changed, by) == (True, N, ["QS.QSORRES"])
    (sentence,) = reasons(told.result)
    (changes,) = [one.changes for one in told.result.reasons_to_hold if one.sentence == sentence]
    assert applied({}, changes) == {"treatment": [{"method": "drop_column", "columns": ["QS__Age band"]}]}
    assert "DM__AGE" not in told(study(QS=other))


@pytest.mark.thorough("2 s: a release; the people who are asked are counted in tests/attack")
def test_no_finding_by_the_band_that_is_released_under_another_name(told):
    """ADSL's age is DM's: its bands give the group of most people, as those of the quasi-identifier do."""
    adsl = rows("ADSL", AGE=AGE, AGEU="YEARS", SEX=SEX, AGEGR1=np.where(AGE < 60, "<60", ">=60"))
    files = study(ADSL=adsl.drop(columns=["DOMAIN", "ADSLSEQ"]).assign(TRT01A="Active", SAFFL="Y"))
    assert not told(files)


@pytest.mark.thorough("1 s: a release of its own")
def test_by_a_laboratory_number_of_rows_of_each_site(told):
    """Three samples at one site, and one or two at others, by chance."""
    n_rows = np.where(SITE == "704", 3, GENERATOR.integers(1, 3, N))
    lb = rows("LB", np.repeat(np.arange(N), n_rows), LBTESTCD="HGB", LBTEST="Hb", LBORRES="12")
    n, changed, by = told(study(LB=lb))["DM__SITEID"]
    assert (n, changed, by) == (20, N, ["LB"])


@pytest.mark.thorough("1 s: a whole release; what it finds is tested by parts in tests/leaving and tests/release")
def test_by_menopause_and_prostate(told):
    women, men = range(N // 2), range(N // 2, N)
    mh = pd.concat([rows("MH", women, MHDECOD="Menopause"), rows("MH", MHDECOD="Headache")])
    qs = rows("QS", QSTESTCD="ITEM1", QSTEST="Item", QSORRES="2")
    qs = pd.concat([qs, rows("QS", men, QSTESTCD="PROST", QSTEST="Prostate", QSORRES="2")])
    n, changed, by = told(study(MH=mh, QS=qs), WITHOUT_SEX)["DM__SEX"]
    assert (n, changed) == (N, N)
    assert {"MH.MHDECOD", "QS.QSTESTCD"} <= set(by)


@pytest.mark.thorough("3 s: a whole release; what it finds is tested by parts in tests/leaving and tests/release")
def test_where_single_terms_tell_they_are_hidden_and_the_variable_stays(told):
    """Tonsillectomies were written down at one site of six, for 16 of its 20 people: one term of many goes."""
    common = np.array(["Headache", "Nausea", "Fatigue", "Cough", "Rash"])
    first, second = common[np.random.default_rng(3).integers(0, 5, (2, N))].astype(object)
    second[np.flatnonzero(SITE == "703")[:16]] = "Tonsillectomy"
    mh = pd.concat([rows("MH", MHDECOD=first), rows("MH", MHDECOD=second).assign(MHSEQ="2")])
    files, drop = study(MH=mh), {"merge": {"drop": ["DM__SITEID"]}}
    assert told(files, **drop)["DM__SITEID"] == (16, N, ["MH.MHDECOD"])
    (changes,) = [one.changes for one in told.result.reasons_to_hold if one.sentence in reasons(told.result)]
    after = applied({}, changes)
    assert after == {"release": {"hide_terms": {"MH.MHDECOD": ["Tonsillectomy"]}}}
    pasted = {"release": CONFIG["release"] | after["release"]}
    assert told(files, **drop, **pasted) == {}


def laboratories() -> dict[str, pd.DataFrame]:
    """A laboratory file for each site."""
    lb = rows("LB", LBTESTCD="HGB", LBTEST="Hb", LBORRES="12", LBSTRESN=12)
    return {f"LB{letter}": lb[site == SITE] for letter, site in zip("ABCDEF", np.unique(SITE), strict=True)}


@pytest.mark.thorough("3 s: two releases of eight files")
def test_by_a_laboratory_file_of_each_site(told):
    """They leave as one file; those that the merge ignores in part stay apart, and are asked about."""
    parts = laboratories()
    assert told(study(**parts)) == {}
    names = {name for name in told.result.files if name.startswith("released/lb")}
    assert names == {"released/lb.csv"}
    left_out = told.result.figures["left_out"]
    assert [name for name in left_out if name.startswith("lb")] == [f"{name.lower()}.csv" for name in parts]
    n, changed, by = told(study(**parts), merge={"ignore": ["LBA"]})["DM__SITEID"]
    assert (n, changed, set(by)) == (N, N, set(parts))
    (sentence,) = reasons(told.result)
    (changes,) = [one.changes for one in told.result.reasons_to_hold if one.sentence == sentence]
    assert applied({}, changes)["release"]["leave_out"] == ["LBA", "LBB", "LBC", "LBD", "LBE", "LBF"]


def noise(seed: int) -> dict[str, pd.DataFrame]:
    """Files that have nothing to do with anybody: terms, doses, results of tests at several visits."""
    generator = np.random.default_rng(seed)
    who = np.sort(generator.integers(0, N, 600))
    mh = rows("MH", who, MHDECOD=generator.integers(0, 30, 600).astype(str), MHSEV=generator.choice(["A", "B"], 600))
    test = generator.choice(list("ABCDE"), 600)
    qs = rows("QS", who, QSTESTCD=test, QSTEST=test, QSORRES=generator.normal(5, 1, 600).round(1), VISITNUM=test)
    ex = rows("EX", EXTRT="DRUG", EXDOSE=generator.normal(300, 50, N).round())
    return {"MH": mh, "QS": qs, "EX": ex}


@pytest.mark.thorough("2 s: a whole release; what it finds is tested by parts in tests/leaving and tests/release")
@pytest.mark.parametrize("seed", quick(1, some_of(range(8)), "2 s: a release"))
def test_rows_that_have_nothing_to_do_with_it_tell_nothing(told, seed):
    assert told(study(**noise(seed)), WITHOUT_SEX) == {}
