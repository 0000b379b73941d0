"""Door 1 by both engines: the same dataset and merge report, with parts so small that every boundary is met."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import replace
from datetime import time
from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from disclosure_control.basics.encoding import dictionary
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.records import merging
from disclosure_control.records.domain_files import read_large_file as large
from disclosure_control.records.limits import Limits
from disclosure_control.records.merging import choose_merging, working_on
from study.formats import packed
from study.merge.combine import REDUCTIONS, Combined, combine_domains
from tests.cases import quick
from tests.config_keys import settings_of_key
from tests.study.merge.merge_files import write
from tests.study.merge.test_merge_findings_referee import assert_is_as_the_referee_says, large_domain

TINY = Limits(large_bytes=0, rows_per_part=3, file_block_bytes=300)


def merged(folder, engine, subject_id, merge, limits=TINY):
    """The dataset and its report, or the faults."""
    results = folder / "results"
    results.mkdir(exist_ok=True)
    try:
        with working_on(engine, folder, results, limits) as working:
            combined: Combined = combine_domains(
                folder, settings_of_key("subject_id", subject_id or {}), settings_of_key("merge", merge or {}), working
            )
            pieces = list(combined.pieces)
            assert (len(pieces) > 1) == (engine == "disk" and combined.n_subjects > 1)
            return combined.frame.to_dict("list"), list(combined.report.items()), ""
    except FaultyInputError as error:
        return None, None, error.faults
    finally:
        assert not list(results.iterdir())


def assert_same(folder, files, subject_id=None, merge=None, limits=None):
    """Both engines give the same; by default with about four parts, of two people or more each."""
    n_rows = sum(len(rows) for rows in files.values() if not isinstance(rows, (str, bytes)))
    limits = limits or replace(TINY, rows_per_part=max(n_rows // 4, 3))
    for name, rows in files.items():
        write(folder / name, rows)
    frame, report, faults = merged(folder, "memory", subject_id, merge)
    again = merged(folder, "disk", subject_id, merge, limits)
    assert repr(again) == repr((frame, report, faults))
    return frame, dict(report or {}), faults


def people(n, **columns):
    return [
        {
            "STUDYID": "X",
            "DOMAIN": "DM",
            "USUBJID": f"S{i:02}",
            "RFSTDTC": "2014-01-10",
            "AGE": 20 + i,
            "SEX": "FM"[i % 2],
        }
        | {name: values[i % len(values)] for name, values in columns.items()}
        for i in range(n)
    ]


def shuffled_rows(rows, seed=0):
    return [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]


def adverse_events(n):
    return shuffled_rows(
        [
            {"USUBJID": f"S{i * 7 % 9:02}", "AESEQ": i, "AETERM": f"term {i % 3}",
             "AEDECOD": ["HEADACHE", "Rash"][i % 2], "AEOCCUR": ["Y", "N", ""][i % 3]}
            for i in range(n)
        ]
    )  # fmt: skip


def laboratory(n_people, n=6):
    return shuffled_rows(
        [
            {"DOMAIN": "LB", "USUBJID": f"S{i:02}", "LBSEQ": j, "LBTESTCD": ["GLUC", "ALB"][j % 2],
             "LBTEST": ["Glucose", "Albumin"][j % 2], "LBORRES": f"{i + j},5", "LBSTRESN": (i * j) % 5 if j % 5 else "",
             "LBSTRESC": "<3.4" if i % 4 == 0 else "", "LBSTRESU": ["mmol/L", "", "g/L"][(i // 3) % 3],
             "LBPOS": ["", "SUPINE"][i // 5 % 2], "LBDTC": f"{10 + j}/01/2014", "LBSTAT": "NOT DONE" if i == j else "",
             "LBNRIND": ["LOW", "HIGH", "NA"][(i + j) % 3]}
            for i in range(n_people) for j in range(n)
        ]
    )  # fmt: skip


def ward_visits(n_people, n=4):
    return shuffled_rows(
        [
            {"patient": f"S{i:02}", "visit_date": f"2014-0{1 + (i + j) % 3}-01", "pulse": 60 + i * j % 7,
             "ward": ["A", "B", ""][(i * j) % 3], "sex": "FM"[i % 2]}
            for i in range(n_people) for j in range(n)
        ]
    )  # fmt: skip


REDUCED = {
    "findings": ({"DM.csv": people(9), "LB.csv": laboratory(9)}, {}, {}),
    "events": (
        {"DM.csv": people(9), "AE.csv": adverse_events(20)},
        {"events": {"AE": {"AEDECOD": ["Headache", "NEVER"]}}},
        {},
    ),
    "rows in time": ({"WARD.csv": ward_visits(9)}, {"record": {"WARD__pulse": "mean"}}, {"column": "patient"}),
    "wide": ({"DM.csv": people(9, SITEID=["1", "2", ""])}, {}, {}),
}


def test_every_form_of_domain_is_looked_at_here():
    assert set(REDUCED) == {reduction.form for reduction in REDUCTIONS.values()}


@pytest.mark.thorough("3 s: both engines over whole pilots; their parts in the quick run")
@pytest.mark.parametrize("form", REDUCED)
def test_the_engines_agree_on_every_form_of_domain(tmp_path, form):
    files, merge, subject_id = REDUCED[form]
    frame, report, _ = assert_same(tmp_path, files, subject_id, merge, limits=TINY)
    assert len(frame["USUBJID"]) == 9
    assert form in {counts["form"] for counts in report["domains"].values()}


SETTINGS = [
    {},
    {"carry": {"LB": ["LBNRIND", "LBDTC"]}, "text_results": "number"},
    {"record": {"LB": "mean"}, "pool": {"LB__Glucose": ["POS", "UNIT"]}},
    {"carry": {"LB": ["LBNOT"]}, "drop": ["LB__Never"]},
    {"drop": ["LB__Never"]},
    {"missing": ["HIGH", "-"], "files": {"LB": {"dates": "DMY", "decimal": ","}}},
    {"files": {"LB": {"numbers": ["LBSTRESC"], "dates": {"LBDTC": "keep"}}}},
]
DEARER = pytest.mark.thorough("0.5 s each")


@pytest.mark.thorough("1 s: both engines over whole pilots; their parts in the quick run")
@pytest.mark.parametrize("merge", [SETTINGS[0], *(pytest.param(merge, marks=DEARER) for merge in SETTINGS[1:])])
def test_the_engines_agree_on_settings(tmp_path, merge):
    assert_same(tmp_path, {"DM.csv": people(9), "LB.csv": laboratory(9)}, merge=merge)


def test_few_dates_under_a_heading_that_names_none_order_the_rows_of_a_person(tmp_path):
    """From disk the first value is the missing one, in memory the first records may have none."""
    rows = [
        {"patient": f"S{i:02}", "code": f"2014-0{1 + (i + j) % 3}-01" if j else "", "pulse": 90 - j}
        for j in range(4) for i in range(9)
    ]  # fmt: skip
    frame, report, _ = assert_same(tmp_path, {"WARD.csv": rows}, {"column": "patient"}, {}, TINY)
    assert report["domains"]["WARD"]["undecided_ties"] == 0
    assert frame["WARD__pulse"] == ["87", "88", "89"] * 3


def test_what_stands_beside_an_age_has_units_by_all_its_words_and_not_by_those_of_the_first_people(tmp_path):
    rows = [
        {"patient": f"S{i:03}", "age": 20 + i % 50, "how": ["years", "months", "weeks"][i % 3] if i < 210 else "never"}
        for i in range(220)
    ]
    frame, report, faults = assert_same(tmp_path, {"WARD.csv": rows}, {"column": "patient"}, {})
    assert (report.get("units"), faults) == ({}, "")
    assert frame["WARD__age"][:3] == ["20", "21", "22"]


SEEDS = [pytest.param(seed, marks=DEARER) for seed in range(30)]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_engines_agree_on_domains_with_every_kind_of_gap_and_tie(tmp_path, seed):
    records, merge, starts = large_domain(seed)
    demographics = [{"USUBJID": subject, "RFSTDTC": start} for subject, start in starts.items()]
    assert_same(tmp_path, {"dm.csv": demographics, "lb.csv": records}, merge=merge)


def in_blocks_of(n_bytes, folder):
    """How a merge from disk is done whose blocks end after so many bytes, with two people in a part."""

    def merged_so(records, merge, starts):
        write(folder / "dm.csv", [{"USUBJID": subject, "RFSTDTC": start} for subject, start in starts.items()])
        write(folder / "lb.csv", records)
        limits = Limits(large_bytes=0, rows_per_part=3, file_block_bytes=n_bytes)
        (folder / "results").mkdir(exist_ok=True)
        with working_on("disk", folder, folder / "results", limits) as working:
            rules = settings_of_key("subject_id", {}), settings_of_key("merge", merge)
            combined = combine_domains(folder, *rules, working)
            return SimpleNamespace(frame=combined.frame, report=combined.report)  # read while it is there

    return merged_so


@pytest.mark.thorough("3 s: both engines over whole pilots; their parts in the quick run")
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=DEARER) for seed in range(1, 8))])
def test_wherever_a_block_ends_the_slow_referee_of_findings_finds_the_same(tmp_path, seed):
    """Blocks end within a subject's records, a letter of several bytes, and a line break between quotes."""
    records, merge, starts = large_domain(seed)
    here = {subject: f"患者{subject}é" for subject in list(starts)[:8]}
    records = [
        one | {"USUBJID": here[one["USUBJID"]], "LBSPID": "two\r\nlines é"} for one in records if one["USUBJID"] in here
    ]
    starts = {here[subject]: starts[subject] for subject in here}
    write(tmp_path / "lb.csv", records)
    text = (tmp_path / "lb.csv").read_bytes()
    within_a_letter = text.index("患".encode(), 300) + 1
    within_a_line_break = text.index(b"two\r\n", 300) + 4
    for n_bytes in (within_a_letter, within_a_line_break):
        assert_is_as_the_referee_says(records, merge, starts, in_blocks_of(n_bytes, tmp_path))


@pytest.mark.thorough("2 s: both engines over whole pilots; their parts in the quick run")
def test_faults_have_the_numbers_of_all_people(tmp_path):
    twice = people(19) + people(15, SEX=["U"])
    assert "15 of 19 subjects have several rows" in assert_same(tmp_path, {"DM.csv": twice})[2][0]
    assert_same(tmp_path, {"DM.csv": twice}, merge={"several_rows": {"DM": "last"}})
    given_twice = [{"RDOMAIN": "DM", "USUBJID": f"S{i % 19:02}", "QNAM": "A", "QVAL": str(i)} for i in range(36)]
    faults = assert_same(tmp_path, {"DM.csv": people(19), "SUPPDM.csv": given_twice})[2]
    assert "17 records give a parent record a second A" in faults[0]
    (tmp_path / "SUPPDM.csv").unlink()
    assert_same(tmp_path, {"DM.csv": people(5), "LB.csv": laboratory(9)})
    left_out = assert_same(
        tmp_path, {"DM.csv": people(5), "LB.csv": laboratory(9)}, merge={"unknown_subjects": ["LB"]}
    )[1]
    assert left_out["domains"]["LB"]["unknown_subjects_left_out"] == 4


TEXTS = {
    "semicolons and decimal commas": "USUBJID;LBTESTCD;LBSTRESN\nS01;A;1,5\nS02;A;2,25\nS01;B;7,0\n",
    "NA without quotes, as R writes it": '"USUBJID","LBTESTCD","LBSTRESC"\n'
    '"S01","A",NA\n"S02","A","NA"\n"S01","B","x"\n',
    "quotes, line breaks and letters of several bytes": "\ufeff"
    'USUBJID,LBTESTCD,LBSTRESC\nS01,"Ä ""q"", ώ","a\r\nb"\nS02,A,\u212bx\n',
    "tokens that mean missing": "USUBJID,LBTESTCD,LBSTRESN,LBDTC\n"
    "S01,A,1.5,\nS02,A,NA,31/12/2014\nS03,A,.,01/12/2014\n",
    "records without a value at the end": "USUBJID,LBTESTCD,LBSTRESN\nS01,A,1.5\nS02,A,2\n,,\n,,\n",
    "days as numbers": "USUBJID,LBTESTCD,LBSTRESN,LBDTC\nS01,A,1.5,20000\nS02,A,2,21000\n",
    "white space": "USUBJID,LBTESTCD,LBSTRESN\n S01,A , 1.5\nS02,A, \nS02 ,B,3\n",
    "years of two digits": "USUBJID,LBTESTCD,LBSTRESN,LBDTC\nS01,A,1.5,31/12/14\nS02,A,2,01/12/14\n",
}


@pytest.mark.thorough("0.4 s")
@pytest.mark.parametrize("what", TEXTS)
def test_a_file_means_the_same_in_pieces(tmp_path, what):
    assert_same(tmp_path, {"DM.csv": people(4), "LB.csv": TEXTS[what]})


@pytest.fixture
def tiny_packed_pieces(monkeypatch):
    """Of a packed file few bytes are unpacked at once."""
    monkeypatch.setattr(packed, "_PIECE", 5)


@pytest.mark.thorough("0.3 s")
@pytest.mark.parametrize("what", quick(2, TEXTS, "0.2 s; each is read in pieces above"))
def test_a_packed_file_means_the_same_in_pieces(tmp_path, tiny_packed_pieces, what):
    text = TEXTS[what].encode()
    two_members = gzip.compress(text[:50]) + gzip.compress(text[50:]) + bytes(16)
    _, report, _ = assert_same(tmp_path, {"DM.csv": people(4), "LB.csv.gz": two_members})
    assert report["inputs"]["LB.csv.gz"]["sha256"] == hashlib.sha256(two_members).hexdigest()


@pytest.mark.parametrize(
    ("spoilt", "words"),
    [
        (lambda content: content[:-9], "cut off or damaged"),
        (lambda content: content[:200] + b"?" + content[201:], "cut off or damaged"),
        (lambda content: content + b"?", "cut off or damaged"),
        (gzip.decompress, "this is not a gzip archive"),
        (lambda content: gzip.compress(content), "this is a gzip archive saved as"),
        (lambda content: gzip.compress(b"USUBJID,A\n" + b"S01,1\n" * 10**5), "would unfold to"),
    ],
)
def test_a_packed_file_is_refused_in_pieces_as_it_is_whole(tmp_path, monkeypatch, spoilt, words):
    monkeypatch.setattr(packed, "LARGEST_UNFOLDED", 10**5)
    monkeypatch.setattr(packed, "_PIECE", 10**4)
    random = np.random.default_rng(1)
    rows = "".join(f"S{i:02},{random.integers(10**9)}\n" for i in range(100))
    content = spoilt(gzip.compress(b"USUBJID,A\n" + rows.encode()))
    _, _, faults = assert_same(tmp_path, {"DM.csv": people(4), "AE.csv.gz": content}, limits=TINY)
    assert words in faults[0]


NUMBERS = {
    "small": np.arange(24) % 5,
    "large": [2**53 + 1, *range(23)],
    "gaps": [np.nan, 1.5, -0.0, 0.0, 1e300, 0.1] * 4,
    "single": np.linspace(0, 1, 24, dtype=np.float32),
    "truth": [True, False, None] * 8,
    "days": pd.to_datetime(["2014-01-01", None, "2013-12-31"] * 8),
    "moments": pd.to_datetime(["2014-01-01", "2014-01-01 10:30:00.25", "2013-12-31"] * 8, format="ISO8601"),
    "zoned": pd.to_datetime(["2014-01-01 10:00", "2014-03-01 11:00"] * 12).tz_localize("Europe/Athens"),
    "times": pa.array([time(8, 30), None] * 12),
    "exact": pa.array([Decimal("1.50"), None, Decimal("-3.25")] * 8),
    "nothing": [None] * 24,
    "kinds": pd.Categorical(["a", "b", None] * 8),
    "LBDT": [20000, 21000, 22000] * 8,
    "padded": [" é", "e\u0301 ", "", " ", None, "NA"] * 4,
    "commas": ["1,5", "2,25", None] * 8,
}


def parquet_of(folder, name, columns, **options):
    table = pa.table({key: pa.array(column, from_pandas=True) for key, column in columns.items()})
    table = table.replace_schema_metadata({"label": "of the laboratory"})
    pq.write_table(table, folder / name, **{"row_group_size": 7} | options)


@pytest.mark.thorough("0.3 s")
def test_a_parquet_file_of_text_that_is_stored_otherwise_means_the_same_in_pieces(tmp_path):
    packed_lengths = {"use_dictionary": False, "column_encoding": "DELTA_LENGTH_BYTE_ARRAY"}
    parquet_of(tmp_path, "LB.parquet", {"USUBJID": ["S00", "S01", "S02"], "A": ["x", "é", None]}, **packed_lengths)
    assert assert_same(tmp_path, {"DM.csv": people(4)})[0]["LB__A"][:2] == ["x", "é"]
    ends = pa.array([0, 1, 2], pa.int32()).buffers()[1]
    bad = pa.Array.from_buffers(pa.string(), 2, [None, ends, pa.py_buffer(b"x\xff")])
    parquet_of(tmp_path, "LB.parquet", {"USUBJID": ["S00", "S01"], "A": bad})
    assert "'A' (text that is not UTF-8)" in assert_same(tmp_path, {"DM.csv": people(4)})[2][0]


WRITTEN = [{}, {"use_dictionary": False, "data_page_size": 8}, {"row_group_size": 1, "dictionary_pagesize_limit": 4}]


@pytest.mark.thorough("1 s: both engines over whole pilots; their parts in the quick run")
@pytest.mark.parametrize(
    ("is_wide", "options"),
    [
        (True, WRITTEN[0]),
        *(pytest.param(True, how, marks=DEARER) for how in WRITTEN[1:]),
        *(pytest.param(False, how, marks=DEARER) for how in WRITTEN),
    ],
)
def test_a_parquet_file_means_the_same_in_pieces(tmp_path, monkeypatch, options, is_wide):
    rows = {"STUDYID": [7] * 24, "USUBJID": [f"S{i % 24 if is_wide else i % 5:02}" for i in range(24)]}
    tests = {} if is_wide else {"LBTESTCD": ["A", "B"] * 12, "LBSTRESN": NUMBERS["gaps"]}
    read = []
    monkeypatch.setattr(merging, "read_large_file", lambda path, *rest: read.append(path) or large(path, *rest))
    parquet_of(tmp_path, "LB.parquet", rows | tests | NUMBERS, **options)
    carried = {} if is_wide else {"carry": {"LB": list(NUMBERS)}}
    frame, _, faults = assert_same(tmp_path, {"DM.csv": people(24, STUDYID=["7"])}, merge=carried)
    assert not faults
    assert [path.name for path in read] == ["DM.csv", "LB.parquet"]
    assert {one for one in frame["LB__days" if is_wide else "LB__A.days"] if one == one} <= {"2014-01-01", "2013-12-31"}


@pytest.mark.parametrize(
    "spoilt",
    [
        lambda content: content[:-30],
        lambda content: content[:40] + bytes(60) + content[100:],
        lambda content: b"USUBJID,A\n",
    ],
)
def test_a_parquet_file_that_is_damaged_is_refused_alike(tmp_path, spoilt):
    parquet_of(tmp_path, "LB.parquet", {"USUBJID": ["S01", "S02"], "A": ["x", "y"]}, compression="none")
    (tmp_path / "LB.parquet").write_bytes(spoilt((tmp_path / "LB.parquet").read_bytes()))
    assert "LB.parquet: the file is" in assert_same(tmp_path, {"DM.csv": people(4)})[2][0]


@pytest.mark.thorough("0.7 s")
def test_a_parquet_file_whose_text_would_fill_the_memory_is_refused_alike(tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "LARGEST_UNFOLDED", 10**5)
    monkeypatch.setattr(packed, "LARGEST_RATIO", 2)
    rows = {"USUBJID": [f"S{i % 4:02}" for i in range(2000)], "A": ["x" * 300] * 2000}
    parquet_of(tmp_path, "AE.parquet", rows, row_group_size=2000)
    assert "would unfold to" in assert_same(tmp_path, {"DM.csv": people(4)}, limits=TINY)[2][0]


@pytest.mark.parametrize("columns", [{"A": [[1], [2]]}, {"Unnamed: 0": [0, 1]}, {" A": [1, 2], "A": [1, 2]}])
def test_a_parquet_file_that_calls_for_a_look_at_the_whole_is_read_whole(tmp_path, columns):
    parquet_of(tmp_path, "LB.parquet", {**columns, "USUBJID": ["S00", "S01"]})
    assert_same(tmp_path, {"DM.csv": people(4)})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"USUBJID,A\nS01,\xe9\n", "not UTF-8"),
        (b'USUBJID,A\nS01,5" tube\n', "quotes within values"),
        (b"USUBJID,A\nS01,1,2\n", "another number of fields"),
        (b",A\n1,2\n", "does not name every column once"),
        (b"Unnamed: 0,USUBJID\n0,S01\n1,S02\n", "named as row numbers are"),
    ],
)
def test_what_can_not_be_read_in_pieces_says_what_helps(tmp_path, text, words):
    write(tmp_path / "DM.csv", text)
    faults = merged(tmp_path, "disk", None, None)[2]
    assert words in faults[0]
    assert "--engine memory" in faults[0]


def test_a_column_of_too_many_values_is_said_before_memory_is_full(tmp_path):
    write(tmp_path / "DM.csv", people(9))
    few = replace(TINY, n_values=5)
    assert "'USUBJID' has more than 5 distinct values" in merged(tmp_path, "disk", None, None, few)[2][0]


def test_the_files_and_the_free_memory_choose(tmp_path, monkeypatch):
    write(tmp_path / "DM.csv", people(9))
    assert choose_merging("disk", tmp_path).name == "disk"
    assert choose_merging("auto", tmp_path).name == "memory"
    monkeypatch.setattr("disclosure_control.records.choice.free_memory", lambda: 500)
    assert choose_merging("auto", tmp_path).name == "disk"
    assert "--engine disk" in choose_merging("auto", tmp_path).reason


@pytest.mark.thorough("1.0 s")
def test_texts_that_are_filled_up_with_blanks_are_told_apart(tmp_path):
    rows = [row | {"LBCOM": f"{['headache', 'fever'][i % 2]:600}"} for i, row in enumerate(laboratory(4))]
    limits = replace(TINY, file_block_bytes=3000)
    assert_same(tmp_path, {"DM.csv": people(4), "LB.csv": rows}, merge={"carry": {"LB": ["LBCOM"]}}, limits=limits)


@pytest.mark.thorough("1 s: both engines over whole pilots; their parts in the quick run")
def test_texts_with_one_hash_are_told_apart(tmp_path, monkeypatch):
    monkeypatch.setattr(dictionary, "hashes_of_texts", lambda texts: np.zeros(len(texts), dtype=np.uint64))
    assert_same(tmp_path, {"DM.csv": people(9), "LB.csv": laboratory(9)})


@pytest.mark.parametrize("blank", ["\n" * 2000, " \n" * 2000])
def test_a_file_of_blank_lines_is_a_fault_that_names_it(tmp_path, blank):
    write(tmp_path / "DM.csv", people(20))
    write(tmp_path / "LB.csv", blank)
    for engine in ("memory", "disk"):
        _, _, faults = merged(tmp_path, engine, None, None)
        assert [fault.split(": ")[0] for fault in faults] == ["LB.csv"], engine
