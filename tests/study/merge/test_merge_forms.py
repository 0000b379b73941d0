"""One pilot as R, pandas, SAS, Excel, SPSS and Stata write it gives one combined dataset."""

from __future__ import annotations

import datetime
import gzip
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from tests.cases import quick
from tests.study.merge.merge_files import combine

DM = pd.DataFrame(
    {
        "STUDYID": "ABC",
        "DOMAIN": "DM",
        "USUBJID": [f"ABC-{number:03d}" for number in range(1, 8)],
        "AGE": [51.0, 62.0, np.nan, 48.0, 70.0, 33.0, 59.0],
        "SEX": ["F", "M", "F", None, "M", "F", "M"],
        "RFSTDTC": [datetime.date(2014, 1, day) for day in (3, 14, 15, 16, 17, 28, 30)],
        "RACE": ["WHITE", "OTHER, MIXED", None, "WHITE", "BLACK", "ASIAN", "WHITE"],
    }
)
LB = pd.DataFrame(
    {
        "STUDYID": "ABC",
        "DOMAIN": "LB",
        "USUBJID": np.repeat(DM["USUBJID"].to_numpy(), 2),
        "LBTEST": ["Glucose", "Iron"] * 7,
        "LBORRES": ["5.5", "<3", *["6.25", None] * 6],
        "LBSTRESN": [5.5, np.nan, *[6.25, np.nan] * 6],
        "LBDTC": [datetime.date(2014, 1, 2), datetime.date(2014, 1, 2)] * 7,
    }
)
SUPPDM = pd.DataFrame(
    {
        "STUDYID": "ABC",
        "RDOMAIN": "DM",
        "USUBJID": DM["USUBJID"],
        "IDVAR": None,
        "IDVARVAL": None,
        "QNAM": "ITT",
        "QVAL": ["Y", "N", "Y", "Y", "N", "Y", "Y"],
    }
)
DOMAINS = {"DM": DM, "LB": LB, "SUPPDM": SUPPDM}


def _number(cell: float) -> str:
    return f"{cell:.15g}"


def _days(frame: pd.DataFrame, form: str) -> pd.DataFrame:
    """Dates as text in a form of strftime."""
    dated = [name for name in frame if name.endswith("DTC")]
    return frame.assign(**{name: [day.strftime(form) for day in frame[name]] for name in dated})


def by_r(frame: pd.DataFrame) -> str:
    """``write.csv``: quotes around names and text, NA without, and the numbers of the rows."""
    lines = [",".join(['""', *(f'"{name}"' for name in frame)])]
    for number, row in enumerate(_days(frame, "%Y-%m-%d").itertuples(index=False), start=1):
        cells = ["NA" if pd.isna(cell) else _number(cell) if isinstance(cell, float) else f'"{cell}"' for cell in row]
        lines.append(",".join([f'"{number}"', *cells]))
    return "\n".join(lines) + "\n"


def by_sas(frame: pd.DataFrame, missing: str) -> str:
    """PROC EXPORT: no quotes but where a comma stands, dates in DATE9., a missing number as a point or nothing."""
    dated = _days(frame, "%d%b%Y")
    dated = dated.assign(**{name: dated[name].str.upper() for name in dated if name.endswith("DTC")})
    lines = [",".join(frame)]
    for row in dated.itertuples(index=False):
        cells = []
        for name, cell in zip(frame, row, strict=True):
            absent = missing if frame[name].dtype.kind == "f" else ""
            text = absent if pd.isna(cell) else _number(cell) if isinstance(cell, float) else str(cell)
            cells.append(f'"{text}"' if "," in text else text)
        lines.append(",".join(cells))
    return "\r\n".join(lines) + "\r\n"


def _to_excel(frame: pd.DataFrame, path: Path, index: bool) -> None:
    frame.to_excel(path, index=index, sheet_name="Sheet1")


def _to_spss(frame: pd.DataFrame, path: Path) -> None:
    text = [name for name in frame if frame[name].dtype.kind != "f" and not name.endswith("DTC")]
    frame = frame.assign(**{name: frame[name].fillna("").astype("str") for name in text})
    (pyreadstat.write_dta if path.suffix == ".dta" else pyreadstat.write_sav)(frame, path)


FORMS = {
    "r": (".csv", lambda frame, path: path.write_text(by_r(frame))),
    "pandas": (".csv", lambda frame, path: frame.to_csv(path)),
    "pandas, day first, semicolon": (
        ".csv",
        lambda frame, path: _days(frame, "%d/%m/%Y").to_csv(path, sep=";", decimal=",", index=False),
    ),
    "sas": (".csv", lambda frame, path: path.write_text(by_sas(frame, "."))),
    "sas, nothing where missing": (".csv", lambda frame, path: path.write_text(by_sas(frame, ""))),
    "tabs": (".txt", lambda frame, path: frame.to_csv(path, sep="\t", index=False)),
    "packed": (".csv.gz", lambda frame, path: path.write_bytes(gzip.compress(frame.to_csv(index=False).encode()))),
    "excel": (".xlsx", lambda frame, path: _to_excel(frame, path, index=False)),
    "excel with an index": (".xlsx", lambda frame, path: _to_excel(frame, path, index=True)),
    "spss": (".sav", _to_spss),
    "stata": (".dta", _to_spss),
}


def merged(tmp_path: Path, form: str) -> pd.DataFrame:
    suffix, writer = FORMS[form]
    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    files = {}
    for domain, frame in DOMAINS.items():
        writer(frame, folder / f"{domain}{suffix}")
        files[f"{domain}{suffix}"] = (folder / f"{domain}{suffix}").read_bytes()
    return combine(tmp_path, files).frame


@pytest.fixture(scope="module")
def expected(tmp_path_factory) -> pd.DataFrame:
    """The pilot in ISO 8601, without anything to guess."""
    files = {f"{name}.csv": _days(frame, "%Y-%m-%d") for name, frame in DOMAINS.items()}
    return combine(tmp_path_factory.mktemp("plain"), files).frame


def test_the_pilot_itself(expected):
    assert expected["DM__RFSTDTC"].tolist()[0] == "2014-01-03"
    assert expected["LB__Iron"].tolist()[0] == "<3"
    assert expected["DM__ITT"].tolist() == SUPPDM["QVAL"].tolist()
    assert expected["DM__SEX"].isna().sum() == 1
    assert list(expected)[:3] == ["USUBJID", "DM__AGE", "DM__SEX"]


# One text and one workbook in the quick run; the others differ in how values are written, which tests of formats try.
ORDERED = sorted(FORMS, key=lambda form: form not in ("sas", "excel with an index"))


@pytest.mark.parametrize("form", quick(2, ORDERED, "0.3 s"))
def test_each_form_gives_the_same_combined_dataset(tmp_path, expected, form):
    found = merged(tmp_path, form)
    numbers = found["DM__AGE"].astype(float).map(_number, na_action="ignore")
    pd.testing.assert_frame_equal(found.assign(DM__AGE=numbers), expected.assign(DM__AGE=_ages(expected)))


def _ages(frame: pd.DataFrame) -> pd.Series:
    """Numbers as CSV has them, ``51.0``, and as files with types have them, ``51``: the same to whoever counts."""
    return frame["DM__AGE"].astype(float).map(_number, na_action="ignore")
