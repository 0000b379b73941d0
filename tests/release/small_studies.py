"""Small studies for the tests of a release, made at will: with supplements, relations and partial dates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from disclosure_control.records.records import EncodedRecords
from disclosure_control.release.deidentify import ReleasedStudy, deidentify
from disclosure_control.release.facts.opened_rows import RowsOfTable
from disclosure_control.release.people import ReleasePeople, people_of, recoded_columns
from disclosure_control.release.study import NOBODY, STRANGER, Study, StudyFile
from disclosure_control.remedy.treatments.keys import Release
from study.formats.tables import SourceTable
from study.models.registry import study_model
from study.models.sdtm import supplemental_parent
from study.models.study_model import StudyModel

KEY = bytes.fromhex("8f14e45fceea167a5a36dedd4bea2543a1b2c3d4e5f60718")
RELEASE = Release("PILOT", "2026")


def table(name: str, rows: list[dict]) -> SourceTable:
    """A domain as a reader gives it: text with missing as NaN, numbers as float64."""
    frame = pd.DataFrame(rows)
    for column in frame:
        is_number = frame[column].map(lambda value: isinstance(value, float) and value == value).any()
        frame[column] = frame[column].astype("float64" if is_number else "str")
    return SourceTable(name, f"{name.lower()}.csv", "0" * 64, frame, {}, ())


def study_of(
    files: Mapping[str, list[dict]], ids: list[str], subject_column: str = "USUBJID", model: str = "sdtm"
) -> Study:
    """A study of these rows; ``ids`` are the people that the combined dataset knows."""
    found, tables = [], []
    for name, rows in files.items():
        read = table(name, rows)
        position = {one: place for place, one in enumerate(ids)}
        who = [
            NOBODY if "USUBJID" not in row or row["USUBJID"] is None else position.get(row["USUBJID"], STRANGER)
            for row in rows
        ]
        parent = supplemental_parent(name)
        domain, is_supplemental = name if parent is None else parent, parent is not None and "QVAL" in read.frame
        found.append(StudyFile(read, domain, np.array(who), "csv", is_supplemental=is_supplemental))
        tables.append(read)
    return Study(tuple(found), {}, study_model(tables, subject_column, model))


def people(ids: list[str], kept: list[int], before: dict | None = None, after: dict | None = None) -> ReleasePeople:
    """The people of a study; ``before`` and ``after`` are columns of the combined dataset, by name."""
    frame = pd.DataFrame({"USUBJID": ids, **(before or {})})
    treated, where = frame.assign(**(after or {})).iloc[kept], np.array(kept, dtype=int)
    values = {str(name): column for name, column in treated.items() if name != "USUBJID"}
    recoded = recoded_columns(EncodedRecords.in_memory(frame), EncodedRecords.in_memory(treated), values, where)
    everybody = people_of(frame["USUBJID"], [], KEY, RELEASE, 365)
    return replace(everybody, stays=np.isin(np.arange(len(ids)), where), recoded=recoded)


def released(files: Mapping[str, list[dict]], who: ReleasePeople, lines=(), subject_column="USUBJID") -> ReleasedStudy:
    """The study as it leaves."""
    return deidentify(study_of(files, list(who.ids), subject_column), who, lines, KEY, RELEASE)


def model_of(files: Mapping[str, pd.DataFrame], model: str = "sdtm") -> StudyModel:
    """What a data model says of files."""
    return study_model(
        [SourceTable(name, f"{name}.csv", "", frame, {}, ()) for name, frame in files.items()], None, model
    )


def rows_of_files(files: Mapping[str, pd.DataFrame]) -> dict[str, RowsOfTable]:
    """All rows of files, for the facts that they tell."""
    return {name: RowsOfTable(frame) for name, frame in files.items()}


def rows_of(frame: pd.DataFrame) -> list[dict]:
    """The rows of a frame as dictionaries without missing values."""
    return [
        {name: value for name, value in row.items() if value == value and value is not None}
        for row in frame.to_dict("records")
    ]


DATES = st.one_of(
    st.dates(pd.Timestamp("1998-01-01").date(), pd.Timestamp("2023-12-31").date()).map(str),
    st.sampled_from(["2012", "2012-04", "2013-02-28T08:15", "2016-02-29", "1999-12-31T23:59:59"]),
)


@st.composite
def studies(draw) -> tuple[dict[str, list[dict]], list[str], list[int]]:
    """Files by name, the ids of the people, and the positions of those who stay."""
    n = draw(st.integers(2, 5))
    ids = [
        f"STUDY-{site:03d}-{number:04d}"
        for number, site in enumerate(draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)), 101)
    ]
    kept = sorted(draw(st.sets(st.integers(0, n - 1), min_size=1)))
    text = st.sampled_from(["HEADACHE", "Pain, of STUDY-001-0101", "=1+1", "x"])
    dm, ae, supp, relrec = [], [], [], []
    for one in ids:
        row = {"STUDYID": "STUDY", "DOMAIN": "DM", "USUBJID": one, "SUBJID": one[-4:], "SITEID": one[6:9]}
        row |= {"AGE": float(draw(st.integers(18, 99))), "SEX": draw(st.sampled_from("FM"))}
        row |= {"COUNTRY": draw(st.sampled_from(["USA", "GRC", "JPN"])), "RFSTDTC": draw(DATES)}
        dm.append(row)
        for number in range(1, 1 + draw(st.integers(0, 3))):
            ae.append(
                {"STUDYID": "STUDY", "DOMAIN": "AE", "USUBJID": one, "AESEQ": float(number)}
                | {"AESPID": draw(st.sampled_from(["E01", one, f"{one}/2"])), "AETERM": draw(text)}
                | {"AEDECOD": draw(st.sampled_from(["Headache", "Nausea"])), "AESTDTC": draw(DATES)}
            )
            if draw(st.booleans()):
                by = draw(st.sampled_from(["AESEQ", "AESPID"]))
                value = str(number) if by == "AESEQ" else ae[-1]["AESPID"]
                extra = draw(
                    st.sampled_from([("AETRTEM", "Y"), ("AEREASOC", "because of " + one), ("AEXDTC", draw(DATES))])
                )
                supp.append(
                    {"STUDYID": "STUDY", "RDOMAIN": "AE", "USUBJID": one, "IDVAR": by, "IDVARVAL": value}
                    | {"QNAM": extra[0], "QLABEL": "Label", "QVAL": extra[1]}
                )
                relrec.append(
                    {
                        "STUDYID": "STUDY",
                        "RDOMAIN": "AE",
                        "USUBJID": one,
                        "IDVAR": by,
                        "IDVARVAL": value,
                        "RELID": f"R{number}",
                    }
                )
    files = {"DM": dm, "AE": ae, "SUPPAE": supp, "RELREC": relrec}
    order = {name: draw(st.permutations(rows)) for name, rows in files.items() if rows}
    return order, ids, kept
