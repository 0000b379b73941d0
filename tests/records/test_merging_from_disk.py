"""What the merge from disk takes of the machine: open files, room on the disk, and how often a file's rows are read."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from Create_Combined_Pilot_Dataset import add_merge_options, combine_or_draft
from disclosure_control.records import choice, domain_files, merging
from disclosure_control.records.domain_files import read_large_file
from disclosure_control.records.limits import Limits
from disclosure_control.records.merging import SpilledPieces, working_on
from disclosure_control.records.sql import database_in
from disclosure_control.run.beside import SPILL, beside
from disclosure_control.run.doors import INPUT_AT_FAULT, run_door
from study.formats.rows_of_people import SUBJECT
from study.formats.tables import FileOptions
from study.merge.combine import combine_domains
from study.merge.domains import DividedDomain
from study.merge.settings import MergeSettings
from study.merge.subject_ids import SubjectIdRule
from tests.records.test_merge_by_engine import people
from tests.study.merge.merge_files import write

N_PEOPLE, N_PARTS = 32, 8


def results_of(folder: Path, findings: tuple[str, ...] = ("LB", "VS", "EG")) -> Path:
    """A pilot with a large file of each domain, one row for each person; its folder of results."""
    write(folder / "DM.csv", people(N_PEOPLE))
    for domain in findings:
        rows = [{"USUBJID": f"S{i:02}", f"{domain}TESTCD": "A", f"{domain}ORRES": i % 9} for i in range(N_PEOPLE)]
        write(folder / f"{domain}.csv", rows)
    (folder / "results").mkdir()
    return folder / "results"


def limits_for(n_files: int) -> Limits:
    return Limits(large_bytes=0, rows_per_part=n_files * N_PEOPLE // N_PARTS)


@pytest.fixture
def few_more_files() -> Iterator[None]:
    """The process may open a few more files, and not as many as one large file has parts."""
    resource = pytest.importorskip("resource", reason="this system has no limit of open files to set")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    n_open = len(list(Path("/dev/fd").iterdir()))
    resource.setrlimit(resource.RLIMIT_NOFILE, (n_open + 6, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.thorough("1 s")
def test_a_large_file_has_more_parts_than_may_be_open_at_once(tmp_path, few_more_files):
    results = results_of(tmp_path)
    with working_on("disk", tmp_path, results, limits_for(4)) as working:
        combined = combine_domains(tmp_path, SubjectIdRule(), MergeSettings(), working)
        assert len(list(combined.pieces)) == N_PARTS


@pytest.mark.thorough("1 s: both engines over whole pilots; their parts in the quick run")
def test_demographics_are_looked_at_twice_however_many_domains_there_are(tmp_path, monkeypatch):
    results, read = results_of(tmp_path), Counter()
    part = DividedDomain.part
    monkeypatch.setattr(DividedDomain, "part", lambda self, i: read.update([self.name]) or part(self, i))
    with working_on("disk", tmp_path, results, limits_for(4)) as working:
        combine_domains(tmp_path, SubjectIdRule(), MergeSettings(), working)
    assert read["DM"] == 2 * N_PARTS


@pytest.mark.thorough("0.5 s")
def test_how_far_it_is_is_said_of_every_pass_over_the_people(tmp_path, monkeypatch):
    results, said = results_of(tmp_path, ("LB",)), []

    @contextlib.contextmanager
    def told(words, n_total, unit):
        n_done = []
        yield n_done.append
        said.append((words, unit, sum(n_done) == n_total, len(n_done)))

    monkeypatch.setattr(merging, "progress", told)
    with working_on("disk", tmp_path, results, limits_for(2)) as working:
        combine_domains(tmp_path, SubjectIdRule(), MergeSettings(), working)
    assert said == [(words, "people", True, N_PARTS) for words in ("Looking at LB", "Looking at LB", "Merging")]


@pytest.mark.parametrize(
    ("engine", "reason"), [("auto", "the domain files have 0.0 GB of text"), ("disk", "--engine disk was asked for")]
)
def test_who_asks_for_a_draft_from_disk_is_told_why_it_is_refused(tmp_path, monkeypatch, capsys, engine, reason):
    n_asked = []
    monkeypatch.setattr(choice, "free_memory", lambda: n_asked.append(1) or 500)
    for name in ("NEW", "configs"):
        (tmp_path / name).mkdir()
    write(tmp_path / "NEW" / "DM.csv", people(9))
    monkeypatch.setenv("BIOSTREAMS_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("BIOSTREAMS_CONFIG_DIR", str(tmp_path / "configs"))
    asked = ["NEW", "--engine", engine]
    assert run_door("", combine_or_draft, asked, add_merge_options, needs_config=False) == INPUT_AT_FAULT
    said = " ".join(capsys.readouterr().err.split())
    assert f"in memory, but {reason}" in said
    assert len(n_asked) == (engine == "auto")


def test_cells_without_a_value_take_next_to_nothing_on_the_disk(tmp_path):
    n_people, n_columns = 20_000, 20
    piece = pd.DataFrame({f"c{i}": pd.array([None] * (n_people - 1) + ["x"], dtype="str") for i in range(n_columns)})
    kept = SpilledPieces(tmp_path / "combined")
    kept.append(piece)
    kept.append(piece)
    assert (tmp_path / "combined").stat().st_size < n_people * n_columns
    assert all(again.equals(piece) for again in kept)


def test_columns_are_divided_some_at_a_time_in_the_order_of_people(tmp_path, monkeypatch):
    monkeypatch.setattr(domain_files, "COLUMNS_AT_ONCE", 2)
    rows = [{"ID": f"S{i * 7 % 5}", **{name: f"{name}{i}" for name in "ABCD"}} for i in range(12)]
    write(tmp_path / "LB.csv", rows)
    with database_in(tmp_path) as database:
        table = read_large_file(tmp_path / "LB.csv", FileOptions(), database)
        place = {name: i for i, name in enumerate(["S3", "S0", "S4", "S2"])}  # S1 is not among the people
        person = np.array([place.get(name, -1) for name in table.source_ids("ID")[0]])
        divided = table.of_people(person, "ID")
        assert not table.codes.path.exists()  # rows are not kept beside those that are divided
        found = [divided.part(*part).to_dict("records") for part in ((0, 3), (3, 4))]
    theirs = sorted((row for row in rows if row["ID"] in place), key=lambda row: place[row["ID"]])
    numbered = [{**row, SUBJECT: place[row["ID"]] % 3} for row in theirs]
    assert found == [[row for row in numbered if row["ID"] != "S2"], [row for row in numbered if row["ID"] == "S2"]]


@pytest.mark.thorough("1.2 s: of a whole merge; of one table above")
def test_rows_are_not_kept_beside_those_that_are_divided(tmp_path):
    results = results_of(tmp_path, ("LB",))
    with working_on("disk", tmp_path, results, limits_for(2)) as working:
        n_pieces = len(list(combine_domains(tmp_path, SubjectIdRule(), MergeSettings(), working).pieces))
        assert n_pieces > 1
        kept = [path.name for path in (beside(results) / SPILL).rglob("*") if path.is_file()]
        assert sorted(kept) == ["combined", "divided", "divided"]
