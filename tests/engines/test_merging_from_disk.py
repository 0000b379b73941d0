"""What the merge from disk takes of the machine: open files, room on the disk, and how often a file's rows are read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from cdisc.merge.combine import combine_domains
from cdisc.merge.settings import MergeSettings
from cdisc.merge.subject_ids import SubjectIdRule
from disclosure_control.engines.merging import MergeLimits, working_on
from tests.cdisc.merge.merge_files import write
from tests.engines.test_merge_by_engine import people

N_PEOPLE, N_PARTS = 32, 8


def results_of(folder: Path, findings: tuple[str, ...] = ("LB", "VS", "EG")) -> Path:
    """A pilot with a large file of each domain, one row for each person; its folder of results."""
    write(folder / "DM.csv", people(N_PEOPLE))
    for domain in findings:
        rows = [{"USUBJID": f"S{i:02}", f"{domain}TESTCD": "A", f"{domain}ORRES": i % 9} for i in range(N_PEOPLE)]
        write(folder / f"{domain}.csv", rows)
    (folder / "results").mkdir()
    return folder / "results"


def limits_for(n_files: int) -> MergeLimits:
    return MergeLimits(large_bytes=0, rows_per_part=n_files * N_PEOPLE // N_PARTS)


@pytest.fixture
def few_more_files() -> Iterator[None]:
    """The process may open as many files as one large file has parts, and a few beside."""
    resource = pytest.importorskip("resource", reason="this system has no limit of open files to set")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    n_open = len(os.listdir("/dev/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (n_open + N_PARTS + 8, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_the_parts_of_one_large_file_at_a_time_are_open(tmp_path, few_more_files):
    results = results_of(tmp_path)
    with working_on("disk", tmp_path, results, limits_for(4)) as working:
        combined = combine_domains(tmp_path, SubjectIdRule(), MergeSettings(), working)
        assert len(list(combined.pieces)) == N_PARTS
