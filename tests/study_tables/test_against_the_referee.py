"""All figures of five kinds of studies, as they came and made worse, beside those of slow code of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.study_tables.registry import study_tables
from disclosure_control.study_tables.table import StudyTable
from study.formats.files import find_domain_files, read_domain_file
from study.formats.tables import NOTHING_DECLARED
from tests.places import SHARED_DATA
from tests.study_tables import tables_referee as slow
from tests.study_tables.sides import frames_in, model_of, side_of

pytestmark = pytest.mark.thorough("5 s: whole public studies by loops over their rows")
Frames = dict[str, pd.DataFrame]


def figures_of(table: StudyTable) -> slow.Figures:
    """The cells that have people or a value."""
    rows = zip(table.groups, table.rows, strict=True)
    return {
        (group, name, arm): (int(table.n[i, j]), round(float(table.value[i, j]), 9))
        for i, (group, name) in enumerate(rows)
        for j, arm in enumerate(table.columns)
        if not np.isnan(table.value[i, j])
    }


OF_OMOP = {"CONDITION_OCCURRENCE": "condition_concept_id", "PROCEDURE_OCCURRENCE": "procedure_concept_id"}


def with_records(folder: Path) -> Frames:
    """The files of a folder that have records."""
    found = {}
    for name, path in find_domain_files(folder).by_domain.items():
        with contextlib.suppress(FaultyInputError):
            found[name] = read_domain_file(path, NOTHING_DECLARED).frame
    return found


def with_people(figures: slow.Figures) -> slow.Figures:
    """Without cells of nobody: a row of which only people without an arm are left has none."""
    return {key: cell for key, cell in figures.items() if cell[0]}


def thinned(frames: Frames, seed: int) -> Frames:
    """A study of which some rows and some cells are gone, in another order."""
    rng = np.random.default_rng(seed)
    found = {}
    for name, frame in frames.items():
        kept = frame.sample(frac=1, random_state=rng)
        if name not in ("DM", "ADSL", "PERSON"):
            kept = kept[rng.random(len(kept)) < 0.8]
        found[name] = kept.reset_index(drop=True)
    return found


def both(frames: Frames, ids: list[str], person: str, check: Callable[[Frames, dict[str, StudyTable]], int]) -> int:
    """How many figures were equal, of the study as it came and of one that leaves."""
    model, n = model_of(frames, person), 0
    came = side_of(frames, ids, model)
    n += check(frames, study_tables(came))
    worse = thinned(frames, 4)
    return n + check(worse, study_tables(side_of(worse, ids, model, came)))


def assert_equal(found: slow.Figures, expected: slow.Figures) -> int:
    assert found.keys() == expected.keys(), sorted(found.keys() ^ expected.keys())[:5]
    for key, (n, value) in expected.items():
        assert found[key][0] == n, key
        assert found[key][1] == pytest.approx(value, abs=2e-8, rel=1e-8, nan_ok=True), key
    return len(expected)


def people_of_arms(rows: list[dict], column: str) -> dict[str, str]:
    return {row["USUBJID"]: row[column] for row in rows if "fail" not in str(row.get(column, "fail")).lower()}


def test_sdtm():
    frames = frames_in(SHARED_DATA / "cdiscpilot01")
    ids = list(frames["DM"]["USUBJID"])

    def check(of: Frames, tables: dict[str, StudyTable]) -> int:
        people = slow.rows_of(of["DM"])
        arms, treated = people_of_arms(people, "ARM"), people_of_arms(people, "ACTARM")
        starts = {row["USUBJID"]: row["RFXSTDTC"] for row in people if "RFXSTDTC" in row}
        n = 0
        for domain, names in {"VS": ("VS",), "LB": ("LBCH", "LBHE")}.items():
            rows = slow.rows_of(*(of[name] for name in names))
            rows = [row for row in rows if row["USUBJID"] in arms]
            expected = slow.means(slow.changes(rows, domain, starts), arms)
            n += assert_equal(figures_of(tables[f"change_from_baseline.{domain}"]), expected)
        for domain, levels in {
            "AE": ("AEBODSYS", "AEDECOD"),
            "CM": ("CMCLAS", "CMDECOD"),
            "MH": ("MHBODSYS", "MHDECOD"),
        }.items():
            groups = dict(zip(("class", "term"), levels, strict=True))
            rows = slow.rows_of(of[domain])
            expected = slow.shares(
                rows,
                treated,
                "USUBJID",
                lambda row, groups=groups: [(g, row[c]) for g, c in groups.items() if c in row],
            )
            n += assert_equal(with_people(figures_of(tables[f"terms.{domain}"])), with_people(expected))
        doses = slow.rows_of(of["EX"])
        values = {("Mean dose of a record",) * 2: slow.by_person(doses, "USUBJID", "EXDOSE")}
        found = figures_of(tables["exposure.EX"])
        n += assert_equal(
            {key: cell for key, cell in found.items() if key[0].startswith("Mean")}, slow.means(values, treated)
        )
        ended = [row for row in slow.rows_of(of["DS"]) if row.get("DSCAT") == "DISPOSITION EVENT"]
        expected = slow.shares(ended, arms, "USUBJID", lambda row: [("DSDECOD", row["DSDECOD"])])
        n += assert_equal(with_people(figures_of(tables["disposition.DS"])), with_people(expected))
        events = [row for row in slow.rows_of(of["AE"]) if row["USUBJID"] in treated]

        def kinds(row: dict) -> list[tuple[str, str]]:
            start = starts[row["USUBJID"]]
            says = {
                "Any adverse event": True,
                "Adverse event since treatment began": row["AESTDTC"] >= start[: len(row["AESTDTC"])],
                "Serious adverse event": row.get("AESER") == "Y",
                "Severe adverse event": row.get("AESEV") == "SEVERE",
                "Adverse event related to treatment": row.get("AEREL") in ("POSSIBLE", "PROBABLE"),
                "Fatal adverse event": row.get("AESDTH") == "Y" or row.get("AEOUT") == "FATAL",
            }
            return [(name, name) for name, is_so in says.items() if is_so]

        expected = slow.shares(events, treated, "USUBJID", kinds)
        return n + assert_equal(figures_of(tables["adverse_events.AE"]), expected)

    n = both(frames, ids, "USUBJID", check)
    assert n > 4000


def test_adam():
    frames = frames_in(SHARED_DATA / "adam")
    ids = list(frames["ADSL"]["USUBJID"])

    def check(of: Frames, tables: dict[str, StudyTable]) -> int:
        people, n = slow.rows_of(of["ADSL"]), 0
        arms = people_of_arms(people, "ARM")
        found = figures_of(tables["demographics_means.ADSL"])
        values = {(name, name): slow.by_person(people, "USUBJID", name) for name in {key[0] for key in found}}
        assert {"AGE", "BMIBL", "HEIGHTBL"} <= {key[0] for key in values}
        n += assert_equal(found, slow.means(values, arms))
        found = figures_of(tables["demographics.ADSL"])
        groups = {key[0] for key in found}
        assert {"SEX", "RACE", "AGEGR1"} <= groups
        expected = slow.shares(
            people, arms, "USUBJID", lambda row: [(g, slow.text(row[g])) for g in groups if g in row], of_known=True
        )
        flags = {g for g in groups if {slow.text(row[g]) for row in people if g in row} == {"Y"}}
        everybody = slow.shares(people, arms, "USUBJID", lambda row: [(g, "Y") for g in flags if g in row])
        n += assert_equal(found, expected | everybody)
        for unit in tables:
            if unit.startswith("time_to_event.ADTTE"):
                times = slow.rows_of(of["ADTTE"])
                table = tables[unit]
                for place, name in enumerate(table.rows):
                    for column, arm in enumerate(table.columns):
                        own = [(row["AVAL"], row["CNSR"] == 0) for row in times if arms[row["USUBJID"]] == arm]
                        if not np.isnan(table.value[place, column]):
                            at = float(name.removeprefix("day "))
                            assert table.value[place, column] == pytest.approx(slow.curve(own, at))
                            n += 1
        return n

    assert both(frames, ids, "USUBJID", check) > 100


@pytest.mark.parametrize("name", ["omop", "redcap", "long"])
def test_other_models(name):
    if name == "omop":
        frames, person = with_records(SHARED_DATA / "omop" / "synthea27nj"), "person_id"
    elif name == "redcap":
        frames, person = with_records(SHARED_DATA / "redcap" / "clinical-trial-1"), "record_id"
    else:
        rng = np.random.default_rng(2)
        rows = {"patient": rng.choice([f"P{i}" for i in range(80)], 991), "labname": rng.choice(["CRP", "ALT"], 991)}
        frames, person = (
            {"LAB": pd.DataFrame(rows | {"labresult": rng.normal(5, 1, 991).round(2).astype(str)})},
            "patient",
        )
    ids = sorted({one for frame in frames.values() if person in frame for one in frame[person].dropna()})

    def check(of: Frames, tables: dict[str, StudyTable]) -> int:
        everybody, n = dict.fromkeys(ids, "All people"), 0
        for key, table in tables.items():
            kind, source = key.split(".")[:2]
            rows, found = slow.rows_of(of[source]), figures_of(table)
            if kind == "demographics_means":
                values = {(g, g): slow.by_person(rows, person, g) for g in table.groups}
                n += assert_equal(found, slow.means(values, everybody))
            elif kind == "demographics":
                groups = set(table.groups)
                expected = slow.shares(
                    rows, everybody, person, lambda row, g=groups: [(c, slow.text(row[c])) for c in g if c in row], True
                )
                if "Any record" in groups:  # of a table of some people, as of those who died
                    expected |= slow.shares(rows, everybody, person, lambda row: [("Any record", "Any record")])
                n += assert_equal(found, expected)
            elif kind == "terms" and source in OF_OMOP:
                column = OF_OMOP[source]
                coded = [row for row in rows if row.get(column, "0") != "0"]
                expected = slow.shares(coded, everybody, person, lambda row, c=column: [("term", row[c])])
                terms = {key: cell for key, cell in found.items() if key[0] == "term"}
                n += assert_equal(with_people(terms), with_people(expected))
            elif kind == "results" and source == "LAB":
                n += assert_equal(found, slow.means(slow.results(rows, person, "labname", "labresult"), everybody))
            elif kind == "associations":
                for place, (label, value) in enumerate(zip(table.rows, table.value[:, 0], strict=True)):
                    one, other = label.split(" and ")
                    if f"demographics_means.{source}" in tables and {one, other} <= set(
                        tables[f"demographics_means.{source}"].groups
                    ):
                        n_both, r = slow.correlation(
                            slow.by_person(rows, person, one), slow.by_person(rows, person, other)
                        )
                        assert table.n[place, 0] == n_both
                        assert value == pytest.approx(r, nan_ok=True)
                        n += 1
        return n

    assert both(frames, ids, person, check) > (1 if name == "long" else 20)
