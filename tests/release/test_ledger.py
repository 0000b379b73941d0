"""What does not leave is named in the first line, whoever took it out: releases made worse, by one thing each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.sections import Table
from disclosure_control.basics.telling.small_counts import EXACT, MASKED
from disclosure_control.release.before_and_after import CameIn, StudyCompared, study_compared
from disclosure_control.release.cells_compared import columns_of_people, of_their_rows
from disclosure_control.release.deidentify import ReleasedStudy, deidentify
from disclosure_control.release.ledger import By, Loss, What, losses_for, losses_of
from disclosure_control.release.ledger_lines import entries_of
from disclosure_control.release.merge_drop import rules_of_drop, tests_of_drop
from disclosure_control.release.people import RecodedColumn
from disclosure_control.release.study import Study, read_study
from disclosure_control.release.terms.rare_terms import RareTerms, without_rare_terms
from disclosure_control.release.texts.rare_texts import RareTexts
from disclosure_control.steps.release.use import use_sections
from disclosure_control.study_tables.fit import FitForUseSettings
from study.merge.settings import MergeSettings
from study.merge.subject_ids import SubjectIdRule
from study.models.sdtm_operations import overriding_line
from study.operations import OperationKind
from tests.cases import each
from tests.release.small_studies import KEY, RELEASE, people, study_of

tests_of_drop.__test__ = False  # type: ignore[attr-defined]
N, USUAL = 120, FitForUseSettings()
IDS = [f"S-{number:03d}" for number in range(N)]
NUMBERS = np.random.default_rng(3)


def rows_of_study() -> dict[str, list[dict]]:
    """Two arms of sixty; every third person dies or stops, all have weights in one of two units at three visits."""
    own = [{"STUDYID": "S", "USUBJID": one} for one in IDS]
    dm = [
        {**row, "DOMAIN": "DM", "ARM": ("Placebo", "Active")[i % 2], "SEX": "FM"[i // 2 % 2], "AGE": float(40 + i % 37)}
        | {"RACE": ("WHITE", "BLACK", "ASIAN")[i // 4 % 3], "RFXSTDTC": "2020-01-10", "COUNTRY": "DEU"}
        | {"DTHFL": "Y" if i % 5 == 0 else None}
        for i, row in enumerate(own)
    ]
    ae = [
        {
            **row,
            "DOMAIN": "AE",
            "AESEQ": float(k),
            "AEDECOD": term,
            "AESTDY": float(3 + k),
            "AESEV": ("MILD", "SEVERE")[k],
        }
        | {"AESTDTC": "2020-01-13"}
        for i, row in enumerate(own)
        for k, term in enumerate(("Headache", "Nausea"))
        if i % (2 + k) == 0
    ]
    vs = [
        {
            **row,
            "DOMAIN": "VS",
            "VSSEQ": float(10 * k + v),
            "VSTESTCD": test,
            "VSTEST": test.title(),
            "VISITNUM": float(v),
        }
        | {"VISIT": f"WEEK {v}", "VSSTRESU": unit, "VSSTRESN": round(float(NUMBERS.normal(80, 9)), 1)}
        | {"VSDTC": f"2020-01-{9 + v}T{8 + k:02d}:00", "VSBLFL": "Y" if v == 1 else None}
        for i, row in enumerate(own)
        for k, (test, unit) in enumerate((("PULSE", "beats/min"), ("WEIGHT", ("kg", "LB")[i // 2 % 2])))
        for v in (1, 2, 3)
    ]
    ds = [
        {
            **row,
            "DOMAIN": "DS",
            "DSSEQ": 1.0,
            "DSDECOD": "DEATH" if i % 5 == 0 else ("COMPLETED", "WITHDRAWAL")[i % 4 == 3],
        }
        for i, row in enumerate(own)
    ]
    return {"DM": dm, "AE": ae, "VS": vs, "DS": ds}


ROWS = rows_of_study()


@dataclass(frozen=True)
class Worse:
    """What is done to a release, and what its first line has to name: by columns that a config drops or removes, by
    who stays, and by rows and cells that a fault takes.
    """

    named: str
    answer: str
    gone: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    stays: Callable[[int], bool] = lambda i: True
    rows: tuple[str, Callable[[pd.DataFrame], pd.Series]] | None = None
    cells: tuple[str, Callable[[pd.DataFrame], dict[str, pd.Series]]] | None = None
    times: str = "keep"


def emptied(domain: str, column: str, value: str) -> tuple[str, Callable[[pd.DataFrame], dict[str, pd.Series]]]:
    return domain, lambda frame: {column: frame[column].mask(frame[column] == value)}


WORSE = {
    "a domain": Worse("AE", "no", gone=("AE",)),
    "an arm": Worse("nothing is left of arm Active", "no", stays=lambda i: i % 2 == 0),
    "a visit": Worse("nothing is left of WEEK 2", "no", rows=("VS", lambda frame: frame["VISITNUM"] != 2)),
    "deaths": Worse("DEATH", "no", rows=("DS", lambda frame: frame["DSDECOD"] != "DEATH")),
    "a flag of deaths": Worse("DTHFL", "no", remove=("DM.DTHFL",)),
    "a test": Worse("Weight", "no", drop=("VS__Weight",)),
    "a unit": Worse("WEIGHT (LB)", "no", rows=("VS", lambda frame: frame["VSSTRESU"] != "LB")),
    "all of one sex": Worse("sex F", "no", stays=lambda i: i // 2 % 2 == 1),
    "every tenth row": Worse("rows of VS", "with limits", rows=("VS", lambda f: pd.Series(np.arange(len(f)) % 10 > 0))),
    "times": Worse("times of day of VS.VSDTC", "with limits", times="remove"),
    "one category": Worse("severe adverse event", "no", cells=emptied("AE", "AESEV", "SEVERE")),
    "a race": Worse("race ASIAN", "with limits", cells=emptied("DM", "RACE", "ASIAN")),
    "a category of no table": Worse("cells of AE.AESEV", "with limits", cells=emptied("AE", "AESEV", "MILD")),
    "a visit of an arm": Worse(
        "all of VISIT WEEK 3, DM.ARM Active",
        "no",
        rows=("VS", lambda frame: (frame["VISITNUM"] != 3) | (frame["person"] % 2 == 0)),
    ),
    "values under another unit": Worse(
        "changed cells of VS.VSSTRESU (180 of 720 cells; all of VSSTRESU LB)",
        "no",
        cells=("VS", lambda frame: {"VSSTRESU": frame["VSSTRESU"].replace("LB", "kg")}),
    ),
    "rounded results": Worse(
        "changed cells of VS.VSSTRESN", "with limits", cells=("VS", lambda f: {"VSSTRESN": f["VSSTRESN"].round(-1)})
    ),
    "rounded results as text": Worse(
        "changed cells of VS.VSSTRESN",
        "with limits",
        cells=("VS", lambda f: {"VSSTRESN": f["VSSTRESN"].round(-1).astype("str")}),
    ),
    "a test under another unit": Worse(
        "changed cells of VS.VSSTRESU",
        "no",
        cells=("VS", lambda f: {"VSSTRESU": f["VSSTRESU"].replace("beats/min", "1/s")}),
    ),
    "all rows of a domain": Worse("AE for a reason", "no", rows=("AE", lambda frame: frame["AEDECOD"].isna())),
    "times that were to stay": Worse(
        "times of day of VS.VSDTC", "with limits", cells=("VS", lambda f: {"VSDTC": f["VSDTC"].str.slice(0, 10)})
    ),
    "marks of the baseline": Worse(
        "VS.VSBLFL for a reason", "with limits", cells=("VS", lambda f: {"VSBLFL": f["VSBLFL"].where(f["VSBLFL"] == 0)})
    ),
}


@cache
def study_without(gone: tuple[str, ...]) -> tuple[Study, CameIn]:
    study, whole = (
        study_of({n: rows for n, rows in ROWS.items() if n not in left_out}, IDS) for left_out in (gone, ())
    )
    withheld = tuple(file for file in whole.files if file.name in gone)
    study = replace(study, withheld=withheld, model_with_withheld=whole.model)
    return study, CameIn.of(study, N, 10**9)


def as_released(worse: Worse) -> tuple[StudyCompared, tuple[Loss, ...]]:
    """The study of which the worse one leaves, compared as a release is."""
    study, came_in = study_without(worse.gone)
    kept = [i for i in range(N) if worse.stays(i)]
    who = replace(people(IDS, kept), recoded=tests_of_drop(worse.drop, study.model, N))
    lines = tuple(overriding_line(pattern, OperationKind.REMOVE) for pattern in worse.remove)
    keep = tuple(overriding_line(name, OperationKind.KEEP) for name in ("DM.COUNTRY", "VS.VISIT"))
    rules = (*lines, *keep, *rules_of_drop(worse.drop, study.model))
    released = deidentify(study, who, rules, KEY, RELEASE, worse.times)
    if worse.rows is not None:
        name, is_kept = worse.rows
        released = with_frame(released, name, lambda frame: is_kept(frame).to_numpy())
    if worse.cells is not None:
        name, change = worse.cells
        part = released.files[name].whole
        file = replace(released.files[name], parts=[part._replace(frame=part.frame.assign(**change(part.frame)))])
        released = replace(released, files={**released.files, name: file})
    losses = losses_of(study, came_in, released, who, lines, MergeSettings(), (), RareTexts())
    compared = study_compared(came_in, released, who, USUAL, partial(entries_of, losses=losses, settings=USUAL))
    return compared, losses


def with_frame(released: ReleasedStudy, name: str, is_kept: Callable[[pd.DataFrame], np.ndarray]) -> ReleasedStudy:
    file = released.files[name]
    part = file.whole.where(is_kept(file.frame.assign(person=file.people)))
    return replace(released, files={**released.files, name: replace(file, parts=[part])})


@pytest.mark.thorough("0.4 s")
def test_a_release_of_everything_is_a_yes():
    compared, losses = as_released(Worse("", "yes"))
    assert [loss for loss in losses if loss.by is not By.ROLE] == []
    assert compared.fit.answer == "yes", compared.fit.loses


@pytest.mark.thorough("1.9 s")
@each("what", WORSE)
def test_the_first_line_names_what_went_and_the_answer_is_right(what):
    worse = WORSE[what]
    compared, _ = as_released(worse)
    fit = compared.fit_for(EXACT)
    assert worse.named in fit.loses, (what, fit.loses)
    assert fit.answer == worse.answer, (what, fit.reasons)


@pytest.mark.parametrize("n_gone", [0, 6])
def test_shares_of_few_people_and_of_few_who_went_are_the_controllers(n_gone):
    """Each cell of the main tables, by its numbers of people; three of each arm went, or nobody did."""
    compared, _ = as_released(Worse("", "", stays=lambda i: i >= n_gone))
    of_readers = {}
    for policy in (EXACT, MASKED):
        parts = {part.title: part for part in use_sections(policy, compared)[0].parts if isinstance(part, Table)}
        cells = of_readers[policy] = []
        for table in (one for one in compared.tables.values() if one.before.is_main):
            part = parts.get(f"{table.before.title}: share of people, as it came in → as it leaves")
            for name, *texts in part.rows if part else ():
                n, of = (
                    np.array([getattr(side, what)[side.rows.index(name)] for side in (table.before, table.after)])
                    for what in ("n", "of")
                )
                few = [((one > 0) & (one < 10)).any(axis=0) for one in (n, of - n, abs(np.diff(n, axis=0)))]
                cells += [(text.count("%") == 2, is_few) for text, is_few in zip(texts, np.any(few, 0), strict=True)]
    assert all(is_shown for is_shown, _ in of_readers[EXACT])
    assert (True, True) not in of_readers[MASKED]
    assert any(is_shown for is_shown, _ in of_readers[MASKED]) == (n_gone == 0)


@pytest.mark.thorough("0.2 s")
def test_each_line_says_by_whom_and_of_how_many():
    _, losses = as_released(Worse("", "", drop=("VS__Weight",), remove=("AE.AESEV",), stays=lambda i: i > 9))
    lines = {(one.what, one.name): one for one in losses}
    weight, severity = lines[What.COLUMN, "VS.Weight"], lines[What.COLUMN, "AE.AESEV"]
    assert (weight.by, weight.n_rows) == (By.MERGE, 3 * (N - 10))
    n_events = sum(int(row["USUBJID"] not in IDS[:10]) for row in ROWS["AE"])
    n_people = len({row["USUBJID"] for row in ROWS["AE"]} - {*IDS[:10]})  # who stay, as the rows are theirs
    assert (severity.by, severity.n_people, severity.n_rows) == (By.CONFIG, n_people, n_events)
    _, losses = as_released(Worse("", "", gone=("AE",)))
    gone = next(one for one in losses if one.what is What.DATA_SET)
    assert (gone.name, gone.by, gone.n_people, gone.n_rows) == ("AE", By.CONFIG, 80, len(ROWS["AE"]))


def test_small_counts_of_people_and_rows_are_masked_for_others():
    loss = Loss(What.COLUMN, "DM.SEX", By.TREATMENT, 58, 57, 60)
    assert loss.cells(EXACT, (60, 60))[3:] == ["58", "57"]
    assert loss.cells(MASKED, (60, 60))[3:] == ["masked", "masked"]  # two, and three, do not have one
    assert replace(loss, n_people=0).cells(MASKED, (60,))[3] == "-"


def test_what_cells_have_in_common_is_the_controllers():
    """The values of a column that is emptied or coarsened would say whose cells are empty."""
    compared, losses = as_released(WORSE["values under another unit"])
    loss = next(one for one in losses if one.what is What.CHANGED)
    for policy, is_named in ((EXACT, True), (MASKED, False)):
        fit, row = compared.fit_for(policy), loss.cells(policy, (N,))
        texts = (fit.loses, *fit.reasons, *fit.for_recipient, row[1])
        assert any("VSSTRESU LB" in text for text in texts) == is_named


def test_visits_and_arms_that_leave_unchanged_name_to_others_what_is_lost():
    """Rows of a visit of an arm; not if one who stays leaves without the arm."""
    worse = WORSE["a visit of an arm"]
    assert worse.named in as_released(worse)[0].fit_for(MASKED).loses

    def without_an_arm(released):
        dm, few = released.files["DM"], np.arange(N) == 1
        frame = dm.frame.assign(ARM=dm.frame["ARM"].mask(few))
        files = {**released.files, "DM": replace(dm, parts=[dm.whole._replace(frame=frame)])}
        return with_frame(replace(released, files=files), "VS", lambda one: worse.rows[1](one).to_numpy())

    losses = losses_by_hand(ROWS, lines=(overriding_line("VS.VISIT", OperationKind.KEEP),), change=without_an_arm)[0]
    lost = next(one for one in losses if one.what is What.ROWS)
    assert (lost.where, lost.where_told) == ("all of VISIT WEEK 3, DM.ARM Active", "only of VISIT WEEK 3")


@pytest.mark.parametrize(("n_failures", "n_left_out", "is_told"), [(50, 52, False), (50, 62, True), (50, 50, True)])
def test_the_arm_of_those_left_out_is_told_where_it_says_nothing_of_few_others(n_failures, n_left_out, is_told):
    """Of 50 failures among 52 people left out, others would learn of two people more."""
    dm = [{**row, "ARM": "Screen Failure"} if i < n_failures else row for i, row in enumerate(ROWS["DM"])]
    losses = losses_by_hand({"DM": dm}, kept=range(n_left_out, N))[0]
    (arm,) = (one for one in losses if one.what is What.PEOPLE)
    lines = {policy: [*entries_of(policy, [arm], USUAL)] for policy in (EXACT, MASKED)}
    assert [line.words for line in lines[EXACT]] == [f"DM.ARM Screen Failure ({n_failures} of {N} people) left out"]
    assert (lines[EXACT] == lines[MASKED]) == is_told
    assert losses_for(MASKED, [arm]) == ([arm] if is_told else [])


def test_two_arms_of_nearly_the_same_people_are_not_both_told():
    """Fifty by the plan, 47 of them in fact: the difference is three people."""
    dm = [
        {**row, "ARM": "Screen Failure" if i < 50 else row["ARM"], "ACTARM": "Screen Failure" if i < 47 else row["ARM"]}
        for i, row in enumerate(ROWS["DM"])
    ]
    losses = losses_by_hand({"DM": dm}, kept=range(70, N))[0]
    assert [(one.name, one.is_of_few) for one in losses if one.what is What.PEOPLE] == [
        ("DM.ARM Screen Failure", False),
        ("DM.ACTARM Screen Failure", True),
    ]


def losses_by_hand(
    files, kept=range(N), lines=(), change=lambda released: released, recoded=(), model="sdtm", roles=()
):
    """The losses of a release of some people, and the release, in which something was changed."""
    by_name = {one.name: one for one in recoded}
    study, who = study_of(files, IDS, model=model), replace(people(IDS, [*kept]), recoded=by_name, roles=roles)
    released = change(deidentify(study, who, lines, KEY, RELEASE))
    losses = losses_of(study, CameIn.of(study, N, 10**9), released, who, lines, MergeSettings(), (), RareTexts())
    return losses, released


def test_nothing_is_said_of_the_people_of_emptied_cells_if_some_were_unreadable():
    """Of 60 cells 50 were unreadable: whose the ten others are is not known."""

    def change(released):
        part = released.files["DM"].whole
        frame = part.frame.assign(SEX=part.frame["SEX"].mask(part.frame["SEX"] == "F"))
        accounts = tuple(replace(one, n_lost=50 * (one.variable == "SEX")) for one in released.accounts)
        file = replace(released.files["DM"], parts=[part._replace(frame=frame)])
        return replace(released, files={"DM": file}, accounts=accounts)

    losses = losses_by_hand({"DM": ROWS["DM"]}, change=change)[0]
    (found,) = (one for one in losses if one.by is By.UNRECORDED)
    assert (found.n_people, found.n_rows, found.where) == (0, 10, "")


def test_cells_that_the_treatment_hid_are_lines_and_its_countries_are_no_continents():
    """Local suppression leaves codes of countries: nothing raises them, and nine people without one are told of."""
    came = np.array([rows["COUNTRY"] for rows in ROWS["DM"]], dtype=object)
    released = np.where(np.arange(N) < 9, None, came)
    losses, leaves = losses_by_hand({"DM": ROWS["DM"]}, recoded=[RecodedColumn("DM__COUNTRY", came, released)])
    (found,) = (one for one in losses if one.name == "DM.COUNTRY")
    assert (found.what, found.by, found.n_people, found.n_rows, found.of_rows) == (What.CELLS, By.TREATMENT, 9, 9, N)
    assert {one.operation.operation for one in leaves.accounts if one.recoded} == {OperationKind.NO_FURTHER}


@pytest.mark.parametrize(
    ("labels", "n_changed"),
    [
        (lambda kg: f"{kg + 0.5}", N),
        (lambda kg: f"{kg:g}", 0),
        (lambda kg: f"{kg // 10 * 10:g}--{kg // 10 * 10 + 10:g}", 0),
    ],
)
def test_means_of_neighbours_are_told_as_changed_and_bands_are_not(labels, n_changed):
    """Who reads a weight reads a number: that it is another person's is said; a band says so itself."""
    rows = [{"USUBJID": one, "weight": 50.0 + i % 40} for i, one in enumerate(IDS)]
    came = np.array([f"{one['weight']:g}" for one in rows], dtype=object)
    fresh = np.array([labels(one["weight"]) for one in rows], dtype=object)
    recoded = RecodedColumn("P__weight", came, fresh)
    losses, _ = losses_by_hand({"P": rows}, recoded=[recoded], model="flat", roles=("P__weight",))
    assert [(one.by, one.n_rows) for one in losses if one.what is What.CHANGED] == [(By.RECODED, n_changed)][:n_changed]


def test_ages_of_neighbours_are_told_as_changed():
    ages = np.array([f"{row['AGE']:g}" for row in ROWS["DM"]], dtype=object)
    means = np.array([f"{row['AGE'] + 0.4:g}" for row in ROWS["DM"]], dtype=object)
    losses, _ = losses_by_hand({"DM": ROWS["DM"]}, recoded=[RecodedColumn("DM__AGE", ages, means)])
    assert [(one.name, one.n_rows) for one in losses if one.by is By.RECODED] == [("DM.AGE", N)]


@pytest.mark.parametrize(("roles", "by"), [(("P__provincia",), By.TREATMENT), ((), By.ROLE)])
def test_a_place_that_the_config_names_and_the_treatment_dropped_is_not_gone_by_its_role(roles, by):
    """In a plain table a guessed place goes by its role; once the config names it, dropping it is the treatment's."""
    rows = [{"USUBJID": one, "provincia": ("Huelva", "Sevilla")[i % 2]} for i, one in enumerate(IDS)]
    dropped = RecodedColumn("P__provincia", np.array([one["provincia"] for one in rows], dtype=object), None)
    losses, _ = losses_by_hand({"P": rows}, recoded=[dropped], model="flat", roles=roles)
    assert [one.by for one in losses if one.name == "P.provincia"] == [by]


def test_a_number_of_rows_and_one_value_of_everybody_are_no_loss():
    """The config removes three columns: numbers that only count rows, and one country, say nothing."""
    dm = [{**row, "OBS": float(i), "WEIGHED": float(i % 7)} for i, row in enumerate(ROWS["DM"])]
    lines = tuple(overriding_line(f"DM.{name}", OperationKind.REMOVE) for name in ("OBS", "COUNTRY", "WEIGHED"))
    losses = losses_by_hand({"DM": dm}, lines=lines)[0]
    assert {one.name for one in losses if one.by is By.CONFIG} == {"DM.WEIGHED"}


def test_rows_that_leave_more_than_once_are_counted():
    def change(released):
        part = released.files["VS"].whole
        at = np.append(np.arange(10, len(part.rows)), np.arange(20, 80))
        part = part._replace(
            frame=part.frame.iloc[at].reset_index(drop=True), rows=part.rows[at], people=part.people[at]
        )
        return replace(released, files={**released.files, "VS": replace(released.files["VS"], parts=[part])})

    losses = losses_by_hand({"DM": ROWS["DM"], "VS": ROWS["VS"]}, change=change)[0]
    found = {one.what: (one.n_rows, one.of_rows) for one in losses if one.by is By.UNRECORDED}
    assert found == {What.ROWS: (10, 720), What.TWICE: (60, 720)}
    assert {one.rule for one in entries_of(EXACT, losses, USUAL)} >= {"few_gone", "rows_gone"}


def test_rows_that_refer_to_removed_columns_are_removed_with_them():
    """Twenty relations by a sponsor's id that the config removes."""
    events = [{**row, "AESPID": f"E{i}"} for i, row in enumerate(ROWS["AE"])]
    refers = [
        {
            "STUDYID": "S",
            "RDOMAIN": "AE",
            "USUBJID": row["USUBJID"],
            "IDVAR": "AESEQ",
            "IDVARVAL": str(int(row["AESEQ"])),
        }
        for row in events
    ]
    relations = [{**row, "IDVAR": "AESPID", "IDVARVAL": one["AESPID"]} for row, one in zip(refers, events, strict=True)]
    files = {"DM": ROWS["DM"], "AE": events, "RELREC": [*relations[:20], *refers[20:]]}
    remove = (overriding_line("AE.AESPID", OperationKind.REMOVE),)
    losses = losses_by_hand(files, lines=remove)[0]
    found = {(one.name, one.by, one.n_rows) for one in losses if one.what is What.ROWS}
    assert found == {("RELREC", By.REFERENCES, 20)}


def test_words_beside_a_hidden_term_are_hidden_with_it():
    """One of 120 people stopped for a reason of its own, which the kept words say again."""
    reasons = [{**row, "DSDECOD": "MOVED AWAY"} if i == 1 else row for i, row in enumerate(ROWS["DS"])]
    files = {"DM": ROWS["DM"], "DS": [{**row, "DSTERM": row["DSDECOD"].lower()} for row in reasons]}
    keep = (overriding_line("DS.DSTERM", OperationKind.KEEP),)
    losses, released = losses_by_hand(
        files, lines=keep, change=lambda one: without_rare_terms(one, RareTerms(5), np.zeros(N, dtype=np.int64))[0]
    )
    assert released.files["DS"].frame["DSTERM"].isna().any()
    assert not [one for one in losses if one.by is By.UNRECORDED]


def test_a_characteristic_that_is_empty_in_all_rows_is_one_that_is_gone():
    _, losses = as_released(Worse("", "", cells=("DM", lambda frame: {"SEX": frame["SEX"].where(frame["AGE"] == 0)})))
    (gone,) = (one for one in losses if one.name == "DM.SEX")
    assert [line.rule for line in entries_of(MASKED, [gone], USUAL)] == ["characteristic_gone"]


def test_of_who_has_several_values_in_the_table_of_people_none_is_taken():
    """The order of rows decides nothing: whoever changed the arm has none."""
    rows = [{**ROWS["DM"][0], "ARM": arm} for arm in ("Placebo", "Active")] + ROWS["DM"][1:]
    events = ROWS["AE"]
    for of_people in (rows, rows[::-1]):
        study = study_of({"DM": of_people, "AE": events}, IDS)
        arms = of_their_rows(columns_of_people(study, CameIn.of(study, N, 10**9), N), np.array([0, 1, -1]))["DM.ARM"]
        assert arms.fillna("-").tolist() == ["-", "Active", "-"]


@each("what", What)
def test_what_is_counted_is_named_as_what_it_is(what):
    loss = replace(Loss(what, "VS", By.CONFIG, 90, 90, 120), where="all of VISIT WEEK 3")
    ((line,),) = ([*entries_of(EXACT, [loss], USUAL)],)
    counted = {What.CELLS: "cells", What.CHANGED: "cells", What.PEOPLE: "people", What.COLUMN: ""}.get(what, "rows")
    assert (f"(90 of 120 {counted};" in line.words) == bool(counted), line.words


def test_nothing_but_closed_columns_is_a_no():
    closed = [{"patient": one, "xqz": float(i % 7), "vkw": float(i % 11)} for i, one in enumerate(IDS)]
    rows = [{"USUBJID": row["patient"], "XQZ": row["xqz"], "VKW": row["vkw"]} for row in closed]
    study = study_of({"DM": rows}, IDS)
    came_in, who = CameIn.of(study, N, 10**9), people(IDS, list(range(N)))
    released = deidentify(study, who, (), KEY, RELEASE)
    losses = losses_of(study, came_in, released, who, (), MergeSettings(), (), RareTexts())
    assert {(one.name, one.by) for one in losses if one.what is What.COLUMN} == {
        ("DM.XQZ", By.CLOSED),
        ("DM.VKW", By.CLOSED),
    }
    fit = study_compared(came_in, released, who, USUAL, partial(entries_of, losses=losses, settings=USUAL)).fit
    assert fit.answer == "no"
    assert "DM.XQZ, DM.VKW kept here until decided in the sheet" in fit.loses


def in_folder(folder: Path) -> pd.Series:
    for name in ("DM", "AE", "DS"):
        pd.DataFrame(ROWS[name]).to_csv(folder / f"{name.lower()}.csv", index=False)
    return pd.Series(IDS)


def test_what_the_config_leaves_out_came_in(tmp_path):
    """The stages never see it; its tables are those of the study as it came."""
    study = read_study(tmp_path, in_folder(tmp_path), SubjectIdRule(), MergeSettings(), ("AE", "DS"))
    assert [[file.name for file in files] for files in (study.files, study.withheld)] == [["DM"], ["AE", "DS"]]
    tables = CameIn.of(study, N, 10**9).tables
    assert {"adverse_events.AE", "disposition.DS", "terms.AE"} <= set(tables)
    assert study.left_out == {"ae.csv": "left out by the config", "ds.csv": "left out by the config"}


def test_a_file_that_is_left_out_may_be_broken(tmp_path):
    ids = in_folder(tmp_path)
    (tmp_path / "lb.xpt").write_bytes(b"no transport file")
    study = read_study(tmp_path, ids, SubjectIdRule(), MergeSettings(), ("LB",))
    assert study.left_out == {"lb.xpt": "left out by the config, and cannot be read"}


def test_an_arm_that_is_not_there_is_a_fault():
    came_in = CameIn.of(study_of(ROWS, IDS), N, 10**9)
    came_in.check_arm("Placebo")
    with pytest.raises(FaultyInputError, match=r"no arm 'Placbo'.*allowed: 'Active', 'Placebo'"):
        came_in.check_arm("Placbo")


def test_who_people_are_is_named_before_the_other_columns_that_went():
    """By hand: the config removes severity, sex and age, in this order of files; age and sex stand before severity."""
    fit = as_released(Worse("", "", remove=("AE.AESEV", "DM.SEX", "DM.AGE")))[0].fit_for(EXACT)
    (of_people,) = [loss for loss in fit.losses if "DM.AGE" in loss]
    assert of_people.startswith("DM.AGE, DM.SEX"), of_people
    assert fit.losses.index(of_people) < next(i for i, loss in enumerate(fit.losses) if "AE.AESEV" in loss)
