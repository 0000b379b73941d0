"""How results come to their place: modes, hashes, order, what goes and what stays, cells that are no formulas."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import stat
import sys
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.report.history import read_memory
from disclosure_control.run.beside import beside
from disclosure_control.run.exchange import exchange
from disclosure_control.run.fingerprints import KEY_FILE, fingerprint, key_of, known_key
from disclosure_control.run.results import staged
from disclosure_control.run.tables import csv_bytes, harmless
from tests.cases import each
from tests.examples import any_text, examples
from tests.run.synthetic_pilot import DONE, EVIDENCE, INPUT_AT_FAULT, OF_RUNS, files_below, rows_of, snapshot

BOTH_DOORS = pytest.mark.parametrize("door", [1, 2])
SUMMARIES = {1: "merge_report.json", 2: "CLINIC_privacy_summary.json"}
posix = pytest.mark.skipif(os.name != "posix", reason="modes of POSIX systems")


def names(pilot) -> set[str]:
    return set(files_below(pilot.results))


OF_DOOR_1 = {"combined_dataset.csv", "combined_dataset.typed.parquet", "merge_report.json"}
OF_DOOR_2 = {
    "risky_rows_k3_anonymity.csv",
    "risky_rows_l2_LB__Cholesterol.csv",
    "risky_rows_t30_LB__Cholesterol.csv",
    "CLINIC_privacy_report.html",
    "CLINIC_privacy_details.txt",
    "CLINIC_privacy_summary.txt",
    "CLINIC_privacy_summary.json",
    "alone_since.csv",
    *OF_RUNS,
    *EVIDENCE,
}
OF_TEXTS = {f"CLINIC_privacy_{name}" for name in ("details.txt", "summary.txt", "summary.json")}


@contextlib.contextmanager
def watched(look, pilot):
    """While the block lasts, ``look(event, path)`` is told of whatever is opened or renamed below the results."""
    active = True

    def hook(event, arguments):
        if active and event in ("open", "os.rename") and isinstance(arguments[event == "os.rename"], str | os.PathLike):
            path = Path(os.path.normpath(arguments[event == "os.rename"]))
            if path.is_relative_to(pilot.results) or path.is_relative_to(pilot.beside):
                look(event, path)

    sys.addaudithook(hook)  # for good: a hook cannot be taken away
    try:
        yield
    finally:
        active = False


# ---------------------------------------------------------------- modes


@posix
def test_files_are_the_owners_alone_where_the_umask_closes_nothing(fresh, doors):
    before = os.umask(0)
    try:
        for run in doors.start_both():
            assert run.status == DONE
    finally:
        os.umask(before)
    assert stat.S_IMODE(fresh.results.stat().st_mode) == 0o700
    modes = {name: stat.S_IMODE((fresh.results / name).stat().st_mode) for name in files_below(fresh.results)}
    assert set(modes) >= OF_DOOR_1 | OF_DOOR_2
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE((fresh.results / "evidence").stat().st_mode) == 0o700


@pytest.mark.thorough("0.5 s")
@posix
@BOTH_DOORS
def test_nothing_is_open_to_others_for_a_moment(door, pilot, doors):
    """Each file is closed to others when it is created, before anything is written into it."""
    umask = os.umask(0)
    modes = {}

    def look(event, path):
        if path.is_file() and path.name != ".lock":
            in_evidence = "evidence/" if path.parent.name == "evidence" else ""
            modes.setdefault(in_evidence + path.name, set()).add(stat.S_IMODE(path.stat().st_mode))

    try:
        with watched(look, pilot):
            doors.start(door)
    finally:
        os.umask(umask)
    assert set(modes) >= {1: OF_DOOR_1, 2: OF_DOOR_2}[door]
    assert set().union(*modes.values()) == {0o600}


# ---------------------------------------------------------------- hashes and order


def hash_of(content: bytes, door: int, pilot) -> str:
    """As the summary of a door holds it: plain where it is restricted, and keyed where it goes from hand to hand."""
    plain = hashlib.sha256(content).hexdigest()
    return plain if door == 1 else fingerprint((pilot.beside / KEY_FILE).read_bytes(), plain)


@BOTH_DOORS
def test_the_summary_has_the_true_hash_of_every_input_and_of_every_file_of_its_set(door, pilot):
    summary = {1: pilot.merge_report, 2: pilot.summary}[door]()
    folder = {1: pilot.folder, 2: pilot.results}[door]
    assert set(summary["inputs"]) == {1: {"DM.csv", "VS.csv", "LB.csv", "SC.csv"}, 2: {"combined_dataset.csv"}}[door]
    for name, entry in summary["inputs"].items():
        assert entry["sha256"] == hash_of((folder / name).read_bytes(), door, pilot), name
        assert entry["rows"] == 12
    assert set(summary["files"]) == {1: OF_DOOR_1, 2: OF_DOOR_2}[door] - {SUMMARIES[door]}
    for name, entry in summary["files"].items():
        content = (pilot.results / name).read_bytes()
        assert entry["sha256"] == hash_of(content, door, pilot), name
        if door == 1 and name.endswith(".csv"):
            assert entry["rows"] == len(pilot.result_rows(name))
        else:  # as many as the people or values that it lists: a small count
            assert "rows" not in entry


def test_no_hand_to_hand_file_is_an_oracle(pilot):
    """Whoever knows all of the dataset but one value tries the values; no hash without its key says which is right."""
    both = [pilot.results / f"CLINIC_privacy_summary.{kind}" for kind in ("json", "txt")]
    text = "".join(path.read_text(encoding="utf-8") for path in both)
    files = [path for folder in (pilot.folder, pilot.results) for path in folder.iterdir() if path.is_file()]
    assert not [path.name for path in files if hashlib.sha256(path.read_bytes()).hexdigest() in text]
    assert "HMAC-SHA-256" in pilot.summary()["hashes"]


@pytest.mark.thorough("1.0 s")
@posix
def test_the_key_of_the_hashes_is_the_controllers_alone_and_stays(pilot, doors):
    key = pilot.beside / KEY_FILE
    before = key.read_bytes()
    assert (len(before), stat.S_IMODE(key.stat().st_mode)) == (64, 0o600)
    doors.start(2)
    assert key.read_bytes() == before
    hashes = pilot.summary()["inputs"]
    key.unlink()
    doors.start(2)
    assert len(key.read_bytes()) == 64
    assert pilot.summary()["inputs"] != hashes


@pytest.mark.parametrize("changed", [lambda key: key + b"\n", lambda key: key[:9], lambda key: key[:-1] + b"X"])
def test_a_key_that_somebody_changed_is_a_fault_and_is_left_as_it_is(pilot, changed):
    """An editor adds the end of a line: the true key can still be put right, and must not go."""
    key = pilot.beside / KEY_FILE
    key.write_bytes(changed(key.read_bytes()))
    before = snapshot(pilot.folder)
    for look in (key_of, read_memory):
        with pytest.raises(FaultyInputError, match=r"\.hash_key: changed since a run wrote it; restore it from a copy"):
            look(pilot.results)
    assert snapshot(pilot.folder) == before


def test_a_key_is_made_whole_at_once(tmp_path, monkeypatch):
    """A run that is killed while it writes the key leaves none, and the next one makes it."""

    def killed(descriptor: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", killed)
        with pytest.raises(KeyboardInterrupt):
            key_of(tmp_path)
    assert known_key(tmp_path) is None
    made = key_of(tmp_path)
    assert [path.name for path in beside(tmp_path).iterdir()] == [KEY_FILE]
    assert key_of(tmp_path) == known_key(tmp_path) == made


def test_what_is_restricted_is_said_to_be(pilot):
    assert pilot.merge_report()["restricted"].startswith("Restricted")
    summary = pilot.summary()
    restricted = {name for name, entry in summary["files"].items() if entry["restricted"]}
    assert restricted == OF_DOOR_2 - {*EVIDENCE, "CLINIC_privacy_summary.json"}
    assert "restricted" not in summary
    report = (pilot.results / "CLINIC_privacy_details.txt").read_text(encoding="utf-8")
    named = {line.strip() for line in report.split("Restricted files")[1].splitlines()[2:]}
    assert named | {"CLINIC_privacy_details.txt"} == restricted


@pytest.mark.thorough("0.4 s")
@BOTH_DOORS
def test_results_are_flushed_before_they_are_published(door, pilot, doors, monkeypatch):
    """A power cut after the exchange must not leave names without content."""
    steps = []
    flush = os.fsync

    def flushed(descriptor):
        steps.append(os.fstat(descriptor).st_ino)
        flush(descriptor)

    def exchanged(*folders):
        steps.append("exchange")
        exchange(*folders)

    monkeypatch.setattr(os, "fsync", flushed)
    monkeypatch.setattr("disclosure_control.run.results.exchange", exchanged)
    doors.start(door)
    n_before = steps.index("exchange")
    for name in {1: OF_DOOR_1, 2: OF_DOOR_2}[door]:
        assert (pilot.results / name).stat().st_ino in steps[:n_before], name
    for folder in (pilot.results, pilot.results / "evidence"):
        assert folder.stat().st_ino in steps[:n_before]
    for folder in (pilot.folder, pilot.beside):
        assert folder.stat().st_ino in steps[n_before:]


# ---------------------------------------------------------------- what goes and what stays


@pytest.mark.thorough("0.5 s")
def test_what_an_earlier_run_left_and_this_one_does_not_produce_goes(pilot, doors):
    assert names(pilot) == OF_DOOR_1 | OF_DOOR_2
    pilot.configure(
        K=5,
        sensitive_feature=["VS__BMI"],
        sensitive_binning_config_for_L={},
        T=7,
        continuous_qis=["DM__AGE"],
        binning_config={"DM__AGE": [30, 40, 50]},
    )
    assert doors.start(2).status == DONE
    assert names(pilot) == OF_DOOR_1 | {
        "risky_rows_k5_anonymity.csv",
        "risky_rows_l2_VS__BMI.csv",
        "risky_rows_t7_VS__BMI.csv",
        *(name for name in OF_DOOR_2 if not name.startswith("risky_rows")),
    }


OF_THE_USER = (
    "notes.txt",
    "risky_rows.csv",
    "risky_rows_explained.docx",
    "combined_dataset_2023.csv",
    "OTHER.json",
    ".hidden",
    "risky_rows_k3_anonymity_reviewed.csv",
    "risky_rows_k3_anonymity (copy).csv",
    "CLINIC_2023_privacy_summary.txt",
    "archive/risky_rows_k3_anonymity.csv",
)


@pytest.mark.thorough("0.5 s")
@BOTH_DOORS
def test_files_that_no_run_made_are_moved_out_and_the_run_says_so(door, pilot, doors):
    """A set is what runs wrote: nobody hands on, with ``released/``, what was never looked at. Nothing is lost."""
    in_folders = ("evidence/notes.txt", "released/dm.xpt")
    before = names(pilot)
    for name in (*OF_THE_USER, *in_folders):
        (pilot.results / name).parent.mkdir(exist_ok=True)
        (pilot.results / name).write_text("of the user's own")
    listed = json.dumps({"files": {"notes.txt": {}}})
    (pilot.results / "OTHER.json").write_text(listed)  # a list of the user's own names no file of a run
    run = doors.start(door)
    assert run.status == DONE
    assert names(pilot) == before
    (place,) = (pilot.beside / "moved_out").iterdir()
    where = place.relative_to(pilot.folder)
    assert f"12 files in processed_for_anonym that no run wrote were moved to {where}." in run.out
    found = {path.relative_to(place).as_posix(): path.read_text() for path in place.rglob("*") if path.is_file()}
    if os.name == "posix":
        folders = (path for path in (pilot.beside, *pilot.beside.rglob("*")) if path.is_dir())
        assert {stat.S_IMODE(path.stat().st_mode) for path in folders} == {0o700}
    assert found == dict.fromkeys((*OF_THE_USER, *in_folders), "of the user's own") | {"OTHER.json": listed}


@pytest.mark.thorough("0.4 s")
def test_a_combined_dataset_that_no_run_made_stays_for_door_2(pilot, doors):
    (pilot.results / "merge_report.json").unlink()
    assert doors.start(2).status == DONE
    assert names(pilot) == OF_DOOR_2 | OF_DOOR_1 - {"merge_report.json"}
    assert not (pilot.beside / "moved_out").exists()


@pytest.mark.thorough("0.5 s")
@BOTH_DOORS
def test_a_door_leaves_the_files_of_the_other_alone(door, pilot, doors):
    others = {1: OF_DOOR_2, 2: OF_DOOR_1}[door]
    before = {name: entry for name, entry in snapshot(pilot.results).items() if name in others}
    pilot.write_rows("VS.csv", rows_of("VS")[:6])
    pilot.configure(K=4)
    assert doors.start(door).status == DONE
    assert {name: entry for name, entry in snapshot(pilot.results).items() if name in others} == before


@pytest.mark.thorough("0.4 s")
@BOTH_DOORS
def test_a_failed_run_leaves_all_as_it_was(door, pilot, doors, monkeypatch):
    """Failing at the very last: everything is computed, and the summary cannot be written."""
    from disclosure_control.run.results import ResultSet

    write_text = ResultSet.write_text

    def fails_at_the_summary(results, name, text, **options):
        if name == SUMMARIES[door]:
            raise OSError(28, "No space left on device")
        write_text(results, name, text, **options)

    monkeypatch.setattr(ResultSet, "write_text", fails_at_the_summary)
    pilot.write_rows("VS.csv", rows_of("VS")[:6])
    pilot.configure(K=4)
    before = snapshot(pilot.root)
    assert doors.start(door).status == INPUT_AT_FAULT
    assert snapshot(pilot.root) == before


@pytest.mark.thorough("0.3 s")
def test_a_folder_that_another_program_holds_open(pilot, doors, monkeypatch):
    """On Windows a folder with a file that is open in Excel cannot be renamed: nothing is, and nothing is later."""
    rename = Path.rename

    def rename_unless_held(path, target):
        if pilot.results in (path, target):
            raise PermissionError(13, "The process cannot access the file", str(path), None, str(target))
        return rename(path, target)

    pilot.configure(T=20)
    before = snapshot(pilot.folder)
    with monkeypatch.context() as excel:
        excel.setattr("disclosure_control.run.exchange._exchanged", lambda one, other: False)
        excel.setattr(Path, "rename", rename_unless_held)
        run = doors.start(2)
    assert run.status == INPUT_AT_FAULT
    assert "(processed_for_anonym): the results were not changed" in run.err
    assert snapshot(pilot.folder) == before


# ---------------------------------------------------------------- cells that a spreadsheet would run

FORMULAS = [
    "=1+1",
    "+cmd",
    "-2+3",
    "@SUM(A1)",
    '=HYPERLINK("http://x","y")',
    "+49 30 123",
    "-",
    "=",
    "--5",
    "|calc",
    "%x",
    "=cmd|' /C calc'!A0",
    "＝1+1",
    "＋1+1",
    "－1+1",
    "＠SUM(A1)",
]
HARMLESS = ["-5", "+3.2", "-1e-5", "5", "text", "a=b", "1-2", "it's", "x@y", "Female", "MARKER -5"]


@each("cell", [*FORMULAS, "\t=1+1", "\n=1+1", " =1+1", "\tx", "\u00a0=1+1", "\u200b=1+1"])
def test_a_cell_or_a_heading_that_a_spreadsheet_would_run_is_neutralised(cell):
    safe = harmless(pd.DataFrame({cell: [cell, "harmless", None]}, dtype="str"))
    assert [*safe, *safe.iloc[:2, 0]] == ["'" + cell, "'" + cell, "harmless"]
    assert safe.iloc[:, 0].isna().iloc[2]


@each("cell", ["x;=cmd|' /C calc'!A0;y", ";@SUM(A1)", "Alpha; +1+cmd", "a\t=1+1"])
def test_a_formula_behind_a_separator_is_neutralised(cell):
    """Where lists are parted by semicolons, as in Germany or Greece, it would be a cell of its own."""
    (safe,) = harmless(pd.DataFrame({"column": [cell]}, dtype="str"))["column"]
    assert safe.replace("'=", "=").replace("'@", "@").replace("'+", "+") == cell
    cells = re.split(r"[;\t]", safe)
    assert not [one for one in cells if one.strip().startswith(("=", "@", "+"))]


@each("cell", HARMLESS)
def test_numbers_and_other_text_stay(cell):
    frame = pd.DataFrame({"column": [cell, "=1"]}, dtype="str")
    assert harmless(frame)["column"].iloc[0] == cell


@pytest.mark.parametrize("control", ["\x1b[2J", "\x00", "\x08", "\r", "\x7f", "\x9b2J", "\u202e", "\u2066", "\u2028"])
def test_no_control_character_is_left_for_people(control, tmp_path):
    """An escape sequence clears a screen or hides a line, and a turned direction shows another text than there is."""
    name = f"A{control}B"
    safe = harmless(pd.DataFrame({name: [name, "=1", None], "count": [1, 2, 3]}))
    assert [*safe, safe.iloc[0, 0]] == ["A?" + control[1:] + "B", "count", "A?" + control[1:] + "B"]
    with staged(tmp_path, "P.json") as results:
        results.write_text("P.txt", f"a line\n\twith {name}\n")
        results.write_all(
            {"P.csv": pd.DataFrame({name: [name]})},
            {},
            {"Q.txt": name.encode(), "Q.json": b"{}", "Q.svg": f"<text>{name}</text>".encode()},
        )
        results.publish({"column": name})
    written = {path.name: path.read_bytes().decode() for path in tmp_path.iterdir() if path.is_file()}
    assert [file for file, text in written.items() if control[0] in text] == []
    assert json.loads(written["P.json"])["column"] == name  # a program reads the same
    assert written["P.txt"] == f"a line\n\twith A?{control[1:]}B\n"


@examples(60)
@given(cell=st.text(st.sampled_from([*" ;=+-@|%\t<>\"'x5\x7f\x80\u00a0\u200b\x00"]), max_size=4) | any_text())
def test_a_cell_is_judged_alike_alone_and_beside_others(cell):
    """Columns of plain letters are passed over at a glance, and beside a formula every cell is looked at."""
    columns = [cell], [cell, ";=1", "\x00"]
    alone, beside = (harmless(pd.DataFrame({"column": cells}, dtype="str")) for cells in columns)
    assert alone["column"].iloc[0] == beside["column"].iloc[0]


def test_columns_of_numbers_stay_numbers_and_bins_below_zero_are_text_that_is_neutralised():
    frame = pd.DataFrame({"count": [1, -5, 7], "distance": [-0.5, 3.2, 0.0]})
    safe = harmless(frame.assign(BINNED=pd.Categorical(["-5--0", "<-5", "0--5"], ordered=True)))
    assert safe[[*frame]].equals(frame)
    assert list(safe["BINNED"]) == ["'-5--0", "<-5", "0--5"]


@pytest.mark.thorough("0.5 s")
def test_formulas_through_both_doors(pilot, doors):
    """In ids, quasi-identifiers, sensitive values and in a header; the combined dataset keeps what came in."""
    cells = [*FORMULAS[:7], "-5", "+3.2", "text", "\t=1+1", "=1+1"]
    subjects = ["=SUBJECT()", *(f"S{number}" for number in range(11))]
    pilot.remove("VS.csv", "LB.csv", "SC.csv")
    pilot.write_rows("DM.csv", [{"USUBJID": subject, "SEX": "FMARKER"} for subject in subjects])
    pilot.write_rows(
        "+VS.csv",
        [{"USUBJID": subject, "NOTE": cell, "-2+3": cell} for subject, cell in zip(subjects, cells, strict=True)],
    )
    pilot.configure(
        categorical_qis=["DM__SEX", "+VS__NOTE"],
        continuous_qis=[],
        binning_config={},
        K=99,
        T=0.1,
        sensitive_feature="+VS__-2+3",
        sensitive_binning_config_for_L={},
        L=99,
        t_distance="total_variation",
    )
    for run in doors.start_both():
        assert run.err == ""
        assert run.status == DONE

    combined = {row["USUBJID"]: row["+VS__NOTE"] for row in pilot.combined_rows()}
    assert combined == {subject: cell.strip() for subject, cell in zip(subjects, cells, strict=True)}
    expected = {
        ("'" if subject.startswith("=") else "") + subject: cell.strip() if cell in HARMLESS else "'" + cell.strip()
        for subject, cell in zip(subjects, cells, strict=True)
    }
    for name in ("k99_anonymity", "l99_+VS__-2+3", "t0.1_+VS__-2+3"):
        rows = pilot.result_rows(f"risky_rows_{name}.csv")
        for column in ("'+VS__NOTE", "'+VS__-2+3")[: 1 if "anonymity" in name else 2]:
            assert {row["USUBJID"]: row[column] for row in rows} == expected, name


def test_a_piece_of_a_table_that_begins_with_an_empty_chunk_is_written_as_it_is():
    chunks = [pa.array(values, pa.large_string()) for values in ([], ["a"], [], ["b"])]
    frame = pd.DataFrame({"ID": pd.Series(pd.array(pa.chunked_array(chunks), dtype="str"))})
    assert csv_bytes(frame, has_header=False) == b'"a"\n"b"\n'
    assert csv_bytes(frame) == b'"ID"\n"a"\n"b"\n'


@pytest.mark.parametrize("labels", [["b", "a; =1", 'quoted "', "", "ä"], [2.0, 1.5, -0.5], [True, False]])
def test_categories_are_written_as_their_text(labels):
    codes = [1, -1, 0, *range(len(labels))]
    column = pd.Series(pd.Categorical.from_codes(codes, pd.Index(labels)), name="column")
    as_text = pd.DataFrame({"column": column.astype("str"), "n": range(len(codes))})
    frame = as_text.assign(column=column)
    assert csv_bytes(frame) == csv_bytes(as_text)
    assert csv_bytes(harmless(frame)) == csv_bytes(harmless(as_text))
