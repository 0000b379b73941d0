"""A set changes hands as one folder, at once or by renames that are undone, whatever stops the run."""

from __future__ import annotations

import contextlib
import errno
import itertools
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.run import exchange as exchanging
from disclosure_control.run.beside import MOVED_OUT, NEW, beside, write_whole
from disclosure_control.run.results import files_of_set, held, recover, staged
from tests.examples import is_thorough

SUMMARY = "P_privacy_summary.json"
OTHER = "merge_report.json"
posix = pytest.mark.skipif(os.name != "posix", reason="modes and links of POSIX systems")


def publish(folder: Path, files: dict[str, bytes | Path], summary: str = SUMMARY, carried: tuple = ()) -> None:
    with staged(folder, summary, carried=carried) as results:
        results.write_all({}, {}, files)
        results.publish({})


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != SUMMARY
    }


OLD = {"a.txt": b"old", "released/dm.csv": b"old dm", "released/gone.csv": b"old gone"}
NEW_ONES = {"a.txt": b"new", "released/dm.csv": b"new dm", "released/ae.csv": b"new ae"}


@pytest.fixture
def results(tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    return folder


@pytest.fixture(params=["at once", "by renames"])
def either_way(request, monkeypatch):
    """As a system does that can exchange folders, and as one that cannot."""
    if request.param == "by renames":
        monkeypatch.setattr(exchanging, "_exchanged", lambda one, other: False)


@posix
@pytest.mark.parametrize(("number", "is_whole"), [(errno.EINVAL, True), (errno.ENOTSUP, True), (errno.EIO, False)])
def test_a_folder_of_another_machine_that_cannot_be_flushed(number, is_whole, results, monkeypatch):
    """A shared folder on CIFS or SSHFS answers EINVAL; a disk that fails is no such case."""
    flush = os.fsync

    def fsync(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(number, os.strerror(number))
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    with contextlib.nullcontext() if is_whole else pytest.raises(OSError, match=os.strerror(number)):
        write_whole(results / "a.txt", [b"whole"])
    assert (results / "a.txt").read_bytes() == b"whole"


def test_a_file_that_was_written_already_is_taken_from_its_path(tmp_path, results):
    aside = tmp_path / "aside.csv"
    content = bytes(range(256)) * 9000  # more than is copied at once, and nothing of it changed
    aside.write_bytes(content)
    publish(results, {"released/dm.csv": aside})
    assert contents(results) == {"released/dm.csv": content}
    assert not aside.exists()
    summaries = []
    for source in (content, tmp_path / "again.csv"):
        (tmp_path / "again.csv").write_bytes(content)
        publish(results, {"released/dm.csv": source})
        summaries.append(json.loads((results / SUMMARY).read_text())["files"]["released/dm.csv"])
    assert summaries[0] == summaries[1]


def test_files_of_a_folder_come_and_go_with_the_set(results, either_way):
    publish(results, OLD)
    publish(results, NEW_ONES)
    assert contents(results) == NEW_ONES
    assert set(json.loads((results / SUMMARY).read_text())["files"]) == set(NEW_ONES)
    publish(results, {"a.txt": b"x"})
    assert not (results / "released").exists()
    assert sorted(path.name for path in beside(results).iterdir()) == [".hash_key"]


def test_what_is_carried_stays_without_room_for_a_second_copy(results, either_way):
    publish(results, {"combined.csv": b"rows"}, OTHER)
    file = (results / "combined.csv").stat().st_ino
    publish(results, OLD, carried=tuple(files_of_set(results / OTHER)))
    assert contents(results).keys() == {*OLD, "combined.csv", OTHER}
    assert (results / "combined.csv").stat().st_ino == file
    publish(results, {"combined.csv": b"other rows"}, OTHER, carried=tuple(files_of_set(results / SUMMARY)))
    assert contents(results).items() >= {**OLD, "combined.csv": b"other rows"}.items()


def test_where_a_file_system_has_no_second_names_what_is_carried_is_copied(results, monkeypatch):
    publish(results, {"combined.csv": b"rows"}, OTHER)
    monkeypatch.setattr(os, "link", lambda source, target: (_ for _ in ()).throw(PermissionError))
    (results / "mine.txt").write_bytes(b"mine")
    publish(results, OLD, carried=("combined.csv", OTHER))
    assert contents(results).items() >= {**OLD, "combined.csv": b"rows"}.items()
    assert [path.read_bytes() for path in (beside(results) / MOVED_OUT).rglob("mine.txt")] == [b"mine"]


@posix
def test_the_folder_and_its_files_are_the_owners_alone(results):
    (results / "released").mkdir(mode=0o755)
    publish(results, NEW_ONES)
    assert stat.S_IMODE(results.stat().st_mode) == stat.S_IMODE((results / "released").stat().st_mode) == 0o700
    assert {stat.S_IMODE((results / name).stat().st_mode) for name in NEW_ONES} == {0o600}
    assert stat.S_IMODE(beside(results).stat().st_mode) == 0o700


# ---------------------------------------------------------------- stopped


@pytest.mark.parametrize("fails_at", [1, 2])
def test_renames_that_fail_leave_the_earlier_set(fails_at, results, monkeypatch):
    publish(results, OLD)
    monkeypatch.setattr(exchanging, "_exchanged", lambda one, other: False)
    count, real = itertools.count(1), Path.rename

    def rename(self, target):
        if next(count) == fails_at:
            raise OSError(errno.EIO, "Input/output error")
        return real(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(OSError, match="Input/output"):
        publish(results, NEW_ONES)
    assert contents(results) == OLD


def test_a_folder_that_cannot_be_flushed_after_the_exchange_leaves_the_earlier_set(results, either_way, monkeypatch):
    publish(results, OLD)

    def flush_folder(folder):
        if folder == results.parent:
            raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("disclosure_control.run.results.flush_folder", flush_folder)
    with pytest.raises(OSError, match="Input/output"):
        publish(results, NEW_ONES)
    assert contents(results) == OLD


def test_an_exchange_that_the_system_refuses_is_no_reason_to_try_otherwise(results):
    with pytest.raises(OSError, match="No such file") as refused:
        exchanging.exchange(results, results / "none", results / "aside")
    assert refused.value.errno == errno.ENOENT


class Killed(BaseException):
    """As if the process was gone: nothing of ours runs after it."""


@pytest.mark.parametrize("killed_at", [1, 2, 3])
def test_a_run_that_is_killed_between_renames_is_undone_or_was_done(killed_at, results, monkeypatch):
    publish(results, OLD)
    count, real = itertools.count(1), Path.rename

    def rename(self, target):
        if next(count) == killed_at:
            raise Killed
        return real(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(exchanging, "_exchanged", lambda one, other: False)
        patched.setattr(Path, "rename", rename)
        patched.setattr("shutil.rmtree", lambda *arguments, **options: None)
        with pytest.raises(Killed):
            publish(results, NEW_ONES)
    assert results.exists() == (killed_at != 2)
    recover(results)
    assert contents(results) == (NEW_ONES if killed_at == 3 else OLD)
    assert sorted(path.name for path in beside(results).iterdir()) == [".hash_key"]


@pytest.mark.parametrize("is_published", [False, True])
def test_whatever_a_killed_run_left_beside_the_set_goes(is_published, results, monkeypatch):
    publish(results, OLD)
    with monkeypatch.context() as patched:
        patched.setattr("shutil.rmtree", lambda *arguments, **options: None)
        with staged(results, SUMMARY) as new:
            new.write_all({}, {}, NEW_ONES)
            if is_published:
                new.publish({})
    assert (beside(results) / NEW).is_dir()
    with held(results):
        pass
    assert contents(results) == (NEW_ONES if is_published else OLD)
    assert not (beside(results) / NEW).exists()
    assert not (beside(results) / MOVED_OUT).exists()


def test_what_cannot_be_removed_is_named_with_what_to_do(results, monkeypatch):
    """A folder of another user in the set before: every later run would meet it, and none could say what it is."""
    publish(results, OLD)
    (beside(results) / NEW).mkdir()

    def rmtree(path, **options):
        raise PermissionError(errno.EACCES, "Permission denied", "d")

    monkeypatch.setattr("shutil.rmtree", rmtree)
    with pytest.raises(FaultyInputError, match=f"^{beside(results).name}/new is left over.*Remove the folder"):
        recover(results)
    assert contents(results) == OLD


READER = """if True:
    import json, sys, threading
    from pathlib import Path
    results, names = Path(sys.argv[1]), sys.argv[2:]
    n_read, n_without_folder, mixtures, seen, is_over = 0, 0, [], set(), threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), is_over.set())).start()
    print("reading", flush=True)
    while not is_over.is_set():
        try:
            before = results.stat()
        except FileNotFoundError:
            n_without_folder += 1
            continue
        found = [(results / name).read_text() for name in names]
        after = results.stat()
        # Another folder afterwards: the files are of two sets that followed each other, each of them whole.
        if (before.st_ino, before.st_ctime_ns) == (after.st_ino, after.st_ctime_ns):
            n_read += 1
            seen.add(found[0])
            mixtures += [found] if len({*found}) != 1 else []
    print(json.dumps([n_read, n_without_folder, mixtures, len(seen)]))
"""


@pytest.mark.thorough("1.4 s")
@posix
def test_a_reader_sees_one_whole_set_at_any_moment(results, tmp_path):
    """Another process reads all files by their paths, over and over, while sets follow each other."""
    one, other = (tmp_path / name for name in ("one", "other"))
    one.mkdir(), other.mkdir()
    if not exchanging._exchanged(one, other):
        pytest.skip("this system, or its file system, cannot exchange two folders")
    names = ("a.txt", "b.txt", "released/dm.csv", "released/ae.csv")
    publish(results, dict.fromkeys(names, b"0"))
    command = [sys.executable, "-S", "-c", READER, str(results), *names]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout.readline() == "reading\n"
        for i in range(1, 201 if is_thorough() else 61):
            publish(results, dict.fromkeys(names, str(i).encode()))
        said, _ = reader.communicate()
    n_read, n_without_folder, mixtures, n_sets = json.loads(said)
    assert (n_without_folder, mixtures) == (0, [])
    assert n_read > n_sets > 20
    assert reader.returncode == 0


# ---------------------------------------------------------------- what is of a set


@pytest.mark.parametrize("name", ["a/b/c.csv", ".notes", ".notes/x", "released/.x", "released/mine.txt"])
def test_a_file_that_no_run_made_is_moved_out_whatever_a_summary_says(name, results):
    publish(results, OLD)
    (results / name).parent.mkdir(parents=True, exist_ok=True)
    (results / name).write_bytes(b"mine")
    summary = json.loads((results / SUMMARY).read_text())
    if name != "released/mine.txt":  # a name that no set has
        (results / SUMMARY).write_text(json.dumps({"files": {**summary["files"], name: {}}}))
    publish(results, NEW_ONES, carried=tuple(files_of_set(results / SUMMARY)) if "mine" not in name else ())
    assert contents(results).keys() - OLD.keys() == NEW_ONES.keys() - OLD.keys()
    assert [path.read_bytes() for path in (beside(results) / MOVED_OUT).glob(f"*/{name}")] == [b"mine"]


@pytest.mark.parametrize("name", ["../outside.csv", "released/../../outside.csv", "/etc/hostname", ".commit/x", 5])
def test_a_summary_cannot_make_a_run_carry_what_is_not_of_the_set(name, results):
    (results.parent / "outside.csv").write_bytes(b"theirs")
    (results / OTHER).write_text(json.dumps({"files": [name]}))
    publish(results, {}, carried=tuple(files_of_set(results / OTHER)))
    assert contents(results).keys() == {OTHER}
    assert (results.parent / "outside.csv").read_bytes() == b"theirs"


@posix
def test_a_link_within_the_folder_that_leads_out_of_the_pilot_stops_the_run(tmp_path):
    folder = tmp_path / "pilot" / "results"
    publish_to = folder / "released"
    publish_to.mkdir(parents=True)
    (publish_to / "dm.csv").symlink_to(tmp_path / "elsewhere.csv")
    with pytest.raises(ValueError, match="leads out"), held(folder):
        pass


@posix
def test_results_behind_a_link_within_the_pilot_are_exchanged_where_they_are(tmp_path, either_way):
    real, link = tmp_path / "data" / "results", tmp_path / "results"
    real.mkdir(parents=True)
    link.symlink_to(real)
    for files in (OLD, NEW_ONES):
        with held(link):
            publish(link, files)
    assert link.is_symlink()
    assert contents(real) == contents(link) == NEW_ONES
