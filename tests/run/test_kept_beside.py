"""What is kept beside results and configs: sign-offs, whose pseudonyms a release has, drafts and sheets."""

from __future__ import annotations

import dataclasses
import hashlib

import pytest

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.run.beside import add_line, beside, carry, read_lines, work_folder
from disclosure_control.run.config_files import stop_if_closed, write_draft, write_sheet
from disclosure_control.run.custody import MOST_UNNAMED, KeptRelease, keep_release, kept_releases, other_key_notice
from disclosure_control.run.sign_offs import (
    SIGN_OFFS,
    SignOff,
    add_sign_off,
    manifest_hash,
    read_sign_offs,
    sign_offs_in_words,
)
from study.columns.profile import ColumnProfile
from study.columns.sheet import read_sheet

SIGNED = SignOff("P", "aa", "A. Berger", "DPO", "2026-01-02T03:04:05", "yes")


def test_sign_offs_are_kept_in_their_order(tmp_path):
    results = tmp_path / "results"
    assert read_sign_offs(results) == []
    others = [SIGNED, dataclasses.replace(SIGNED, manifest="bb"), dataclasses.replace(SIGNED, by="Ä")]
    for one in others:
        add_sign_off(results, one)
    assert read_sign_offs(results) == others
    (beside(results) / SIGN_OFFS).write_text("{}\n")
    with pytest.raises(FaultyInputError):
        add_sign_off(results, SIGNED)
    assert (beside(results) / SIGN_OFFS).read_text() == "{}\n"
    assert SIGNED.text == "A. Berger (DPO) on 2026-01-02"
    with pytest.raises(FaultyInputError):
        manifest_hash(tmp_path / "manifest")
    (tmp_path / "manifest").write_bytes(b"{}")
    assert manifest_hash(tmp_path / "manifest") == hashlib.sha256(b"{}").hexdigest()


def test_who_signed_this_set():
    signed = dataclasses.replace(SIGNED, signature="AA")
    others = ([SIGNED, signed], [dataclasses.replace(SIGNED, manifest="b")], [])
    lines = [[*sign_offs_in_words(given, "aa")] for given in others]
    assert [len(one) for one in lines] == [2, 1, 1]
    assert lines[0][0] == "Signed off by A. Berger (DPO) on 2026-01-02."
    assert "sign again" in lines[0][1]
    assert [one[0].startswith("Not signed off") for one in lines] == [False, True, True]
    assert ["A. Berger" in one[0] for one in lines] == [True, True, False]


def test_lines_lose_fields_that_are_gone_and_no_others(tmp_path):
    add_line(tmp_path / "r", "x", SIGNED)
    path = beside(tmp_path / "r") / "x"
    path.write_text(path.read_text().rstrip().replace("{", '{"key": 1, ', 1))
    add_line(tmp_path / "r", "x", SIGNED)
    assert read_lines(tmp_path / "r", "x", SignOff, gone=("key",)) == [SIGNED] * 2
    with pytest.raises(FaultyInputError):
        read_lines(tmp_path / "r", "x", SignOff)
    assert work_folder(tmp_path / "r", "new").stat().st_mode & 0o777 == 0o700
    carry(path, tmp_path / "a" / "b" / "x")
    assert (tmp_path / "a" / "b" / "x").read_bytes() == path.read_bytes()
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o700


def release(name: str, key: str = "k", is_named: bool = True, ids: tuple[str, ...] = ("a",)) -> KeptRelease:
    return KeptRelease(name, "2026-01-02T03:04:05", key, 8, is_named, ids)


def test_a_release_keeps_everybody_who_was_ever_in_it(tmp_path):
    results = tmp_path / "results"
    for one in (release("n", ids=("a", "b")), release("n", key="other"), release("n", ids=("b", "c"))):
        keep_release(results, one)
    assert kept_releases(results) == [release("n", key="other"), release("n", ids=("a", "b", "c"))]
    for number in range(MOST_UNNAMED + 2):
        keep_release(results, release(str(number), is_named=False))
    kept = kept_releases(results)
    assert [one.name for one in kept if one.is_named] == ["n", "n"]
    assert [one.name for one in kept if not one.is_named] == [str(number) for number in range(2, MOST_UNNAMED + 2)]
    asked = [("n", "k"), ("n", "other"), ("m", "k")]
    assert [bool(other_key_notice(kept, *one)) for one in asked] == [False, True, False]
    (beside(results) / "custody.json").write_text("[{}]")
    with pytest.raises(FaultyInputError):
        kept_releases(results)


def test_drafts_are_written_once_and_never_over_another(tmp_path):
    stop_if_closed(tmp_path, "a draft")
    with pytest.raises(FaultyInputError):
        stop_if_closed(tmp_path / "not_there", "a draft")
    assert write_draft("a", tmp_path, "P") == tmp_path / "P.py"
    with pytest.raises(FaultyInputError):
        write_draft("b", tmp_path, "P")
    names = [write_draft(text, tmp_path, "P", "draft").name for text in "bcd"]
    assert names == ["P.draft.py", "P.draft2.py", "P.draft3.py"]
    written = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert written == {"P.py": "a", **dict(zip(names, "bcd", strict=True))}


def test_a_sheet_that_somebody_changed_stays(tmp_path):
    path = tmp_path / "P.columns.csv"
    row = ColumnProfile("DM", "=AGE")
    write_sheet([row], path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    assert b"'=AGE" in path.read_bytes()
    earlier = read_sheet(path)
    write_sheet([row, row], path, earlier)
    assert path.read_bytes().count(b"AGE") == 2
    with pytest.raises(FaultyInputError):
        write_sheet([row], path, earlier)
    assert path.read_bytes().count(b"AGE") == 2
