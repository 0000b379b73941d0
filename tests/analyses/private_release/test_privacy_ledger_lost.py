"""A ledger that is gone, cut short or out of reach is no full budget; and what it tells of budgets that change."""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
from decimal import Decimal
from pathlib import Path

import pytest

from disclosure_control.analyses.private_release import ledger as room
from disclosure_control.analyses.private_release.ledger import Ledger, LedgerFaultError, published_spending
from tests.analyses.private_release.publish_pilots import asked, entries_of, refuses, spending
from tests.cases import each


def never_begun_again(ledger: Ledger, words: str) -> None:
    """Neither reading nor asking makes a new ledger in place of the one that is gone."""
    for attempt in (ledger.look, lambda: asked(ledger, "q", answer=lambda: pytest.fail("answered"))):
        with pytest.raises(LedgerFaultError, match=words):
            attempt()
    assert not ledger.path.exists()


def test_looking_at_a_pilot_that_was_never_asked_writes_nothing(ledger, tmp_path):
    assert spending(ledger) == 0
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_removed_is_missed(written, tmp_path):
    written.folder.rename(tmp_path / "elsewhere")
    never_begun_again(written, "0 in it; its mark data.state/pilot.mark counts 6")


def test_a_ledger_of_an_early_version_is_no_full_budget(tmp_path):
    (tmp_path / "privacy").mkdir()
    (tmp_path / "privacy" / "privacy_ledger.jsonl").write_text("{}")
    never_begun_again(Ledger(tmp_path, Decimal(1)), "is converted by one run with version 3")


def test_a_pilot_whose_folder_is_not_there_is_not_made(tmp_path):
    with pytest.raises(LedgerFaultError, match="the pilot's folder is not there"):
        asked(Ledger(tmp_path / "nowhere", Decimal(1)), "q")
    assert not (tmp_path / "nowhere").exists()


def test_a_ledger_put_back_shorter_than_it_was_is_refused(written):
    before = written.path.read_bytes()
    asked(written, "one more")
    later = written.path.read_bytes()
    written.path.write_bytes(before)
    told = "6 entries and epsilon 0.3 in it; its mark data.state/pilot.mark counts 8 and epsilon 0.4 spent"
    refuses(Ledger(written.folder.parent, Decimal(1)), told)
    written.path.write_bytes(later)
    assert spending(written) == spending(Ledger(written.folder.parent, Decimal(1))) == Decimal("0.4")


def test_other_entries_than_were_seen_are_refused(written, tmp_path):
    (tmp_path / "other").mkdir()
    other = Ledger(tmp_path / "other", Decimal(1))
    for i in range(5):
        asked(other, f"other {i}")
    written.path.write_bytes(other.path.read_bytes())
    refuses(written, "has lost entries")


@pytest.mark.skipif(os.name != "posix", reason="links are POSIX")
@pytest.mark.parametrize("what", ["folder", "path"])
def test_links_that_lead_nowhere_are_no_full_budget(written, tmp_path, what):
    link = getattr(written, what)
    link.rename(tmp_path / "elsewhere")
    link.symlink_to(tmp_path / "nowhere")
    never_begun_again(Ledger(written.folder.parent, Decimal(1)), "a link that leads out|cannot be reached|is not there")
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.skipif(os.name != "posix", reason="links are POSIX")
@pytest.mark.parametrize("what", ["folder", "file"])
def test_links_that_lead_out_of_the_pilot_are_refused(written, tmp_path_factory, what):
    """Through one a ledger elsewhere would be believed, and the mode of a folder of somebody else changed."""
    link = written.folder if what == "folder" else written.path
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "it"
    link.rename(elsewhere)
    elsewhere.chmod(0o777)
    link.symlink_to(elsewhere)
    with pytest.raises(LedgerFaultError, match="a link that leads out of the pilot's folder"):
        Ledger(written.folder.parent, Decimal(1)).look()
    assert elsewhere.stat().st_mode & 0o777 == 0o777


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("private_release.json", {"epsilon_spent": "0.5"}),
        ("P_privacy_summary.json", {"private_release": {"spent": "0.5"}}),
    ],
)
def test_a_ledger_that_holds_less_than_was_published_has_lost_entries(tmp_path, name, content):
    (tmp_path / name).write_text(json.dumps(content))
    published = published_spending(tmp_path, "P")
    assert published == Decimal("0.5")
    never_begun_again(Ledger(tmp_path, Decimal(1), published), "epsilon 0 in it, and the results .* 0.5 was spent")
    whole = Ledger(tmp_path, Decimal(1))
    asked(whole, "q", "0.4")
    refuses(Ledger(tmp_path, Decimal(1), published), "epsilon 0.4 in it")
    asked(whole, "other")
    assert spending(Ledger(tmp_path, Decimal(1), published)) == Decimal("0.5")


@each(
    "content",
    ["", "{", "[]", "3", "{}", '{"epsilon_spent": null}', '{"epsilon_spent": "NaN"}', '{"epsilon_spent": []}'],
)
def test_publications_that_say_nothing_of_spending(tmp_path, content):
    (tmp_path / "private_release.json").write_text(content)
    assert published_spending(tmp_path, "P") == 0
    assert published_spending(tmp_path / "nowhere", "P") == 0


# ---------------------------------------------------------------- budgets that change, folders that may not be written


def test_every_reserved_entry_holds_the_budget_it_was_paid_under(tmp_path):
    for word, budget in (("a", "0.5"), ("b", "0.3"), ("c", "2")):
        asked(Ledger(tmp_path, Decimal(budget)), word)
    entries = entries_of(Ledger(tmp_path, Decimal(2)))
    assert [entry["budget"] for entry in entries if entry["kind"] == "reserved"] == ["0.5", "0.3", "2"]
    assert Ledger(tmp_path, Decimal(2)).look().lowest_budget == Decimal("0.3")
    assert Ledger(tmp_path / "none", Decimal(2)).look().lowest_budget is None


@pytest.mark.skipif(os.name != "posix", reason="modes apply where the system has them")
def test_a_folder_set_read_only_stays_so_and_one_open_to_others_is_closed(written):
    written.folder.chmod(0o500)
    written.look()
    assert stat.S_IMODE(written.folder.stat().st_mode) == 0o500
    written.folder.chmod(0o755)
    written.look()
    assert stat.S_IMODE(written.folder.stat().st_mode) == 0o700


def test_without_permission_the_message_says_what_to_allow(written, monkeypatch):
    monkeypatch.setattr(room, "PRAGMAS", (*room.PRAGMAS, "query_only=ON"))
    with pytest.raises(LedgerFaultError, match=r"may not be written.* let the user who runs this program write"):
        asked(written, "new", answer=lambda: pytest.fail("answered"))
    monkeypatch.undo()
    assert spending(written) == Decimal("0.3")


@pytest.mark.parametrize(("place", "call"), [(room.tempfile, "mkdtemp"), (Path, "chmod")])
def test_a_folder_of_another_user_is_told_as_a_fault(tmp_path, monkeypatch, place, call):
    """That of the pilot, where none can be made, and that of the ledger, which only its owner can close."""

    def forbidden(*arguments, **options):
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    ledger = Ledger(tmp_path, Decimal(1))
    if call == "chmod":
        asked(ledger, "before")
        ledger.folder.chmod(0o755)
    monkeypatch.setattr(place, call, forbidden)
    with pytest.raises(LedgerFaultError, match=r"may not be written.* let the user who runs this program write"):
        asked(ledger, "new", answer=lambda: pytest.fail("answered"))


# ---------------------------------------------------------------- the mark outside of the pilot's folder


def test_a_pilot_that_is_put_back_is_missed_too_and_so_is_the_folder_of_all_pilots(written):
    pilots = written.folder.parent.parent
    shutil.copytree(pilots, pilots.with_name("copy"))
    asked(written, "one more")
    shutil.rmtree(pilots)
    pilots.with_name("copy").rename(pilots)
    refuses(Ledger(written.folder.parent, Decimal(1)), "has lost entries")


def test_the_mark_is_its_owners_alone_and_holds_no_question(written):
    mark = written.mark
    assert (mark.parent.name, mark.name) == ("data.state", "pilot.mark")
    assert set(json.loads(mark.read_bytes())) == {"entries", "hash", "spent"}
    assert json.loads(mark.read_bytes())["spent"] == "0.3"
    assert [path.name for path in mark.parent.iterdir()] == ["pilot.mark"]
    if os.name == "posix":
        assert (stat.S_IMODE(mark.stat().st_mode), stat.S_IMODE(mark.parent.stat().st_mode)) == (0o600, 0o700)


def test_a_mark_that_is_gone_is_said_and_begins_again(written):
    written.mark.unlink()
    anew = Ledger(written.folder.parent, Decimal(1))
    assert spending(anew) == Decimal("0.3")
    (notice,) = anew.notices
    assert "epsilon 0.3 spent, no mark was found; data.state/pilot.mark begins now" in notice
    after = Ledger(written.folder.parent, Decimal(1))
    assert spending(after) == Decimal("0.3")
    assert after.notices == ()


def test_without_a_place_for_the_mark_that_is_said_and_questions_are_answered(tmp_path):
    (tmp_path / "file").write_text("")
    ledger = Ledger(tmp_path, Decimal(1), state_folder=tmp_path / "file" / "state")
    assert spending(ledger) == 0
    assert asked(ledger, "q").is_new
    (notice,) = ledger.notices
    assert "no mark of the private answers can be kept" in notice
    assert "Set BIOSTREAMS_STATE_DIR to a folder that lasts" in notice


def test_a_disk_that_is_full_where_the_mark_is_gives_no_answer(written, monkeypatch):
    def full(path, pieces):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(room, "write_whole", full)
    with pytest.raises(OSError, match="No space left"):
        asked(written, "one more")
    monkeypatch.undo()
    assert spending(written) == Decimal("0.4")  # it was paid for


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\xff", b'{"entries": "6", "hash": ""}'])
def test_a_damaged_mark_is_no_missing_one(written, content):
    written.mark.write_bytes(content)
    refuses(Ledger(written.folder.parent, Decimal(1)), "data.state/pilot.mark: cannot be read.* so nothing is answered")
