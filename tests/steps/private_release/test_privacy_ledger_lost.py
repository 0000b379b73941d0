"""A ledger that is gone, cut short or out of reach is no full budget; and what it tells of budgets that change."""

from __future__ import annotations

import errno
import json
import os
import stat
from decimal import Decimal

import pytest

from disclosure_control.steps.private_release import ledger as room
from disclosure_control.steps.private_release.ledger import Ledger, LedgerFaultError, published_spending
from tests.steps.private_release.publish_pilots import asked, refuses, spending


def never_begun_again(ledger: Ledger, words: str) -> None:
    """Neither reading nor asking makes a new ledger in place of the one that is gone."""
    for attempt in (ledger.look, lambda: asked(ledger, "q", answer=lambda: pytest.fail("answered"))):
        with pytest.raises(LedgerFaultError, match=words):
            attempt()
    assert not ledger.path.exists()


def test_looking_at_a_pilot_that_was_never_asked_writes_nothing(ledger, tmp_path):
    assert spending(ledger) == 0
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_removed_while_it_is_served_is_missed(written, tmp_path):
    written.folder.rename(tmp_path / "elsewhere")
    never_begun_again(written, "has lost entries .0 entries, and this program has read 6")


def test_a_pilot_that_is_moved_while_it_is_served_is_not_made_again(tmp_path):
    (tmp_path / "pilot").mkdir()
    ledger, untouched = (Ledger(tmp_path / "pilot", Decimal(1)) for _ in range(2))
    asked(ledger, "q")
    (tmp_path / "pilot").rename(tmp_path / "moved")
    never_begun_again(ledger, "has lost entries")
    with pytest.raises(LedgerFaultError, match="the pilot's folder is not there"):
        asked(untouched, "q")
    assert not (tmp_path / "pilot").exists()


def test_a_ledger_put_back_shorter_than_it_was_seen_is_refused(written):
    files = [(path, path.read_bytes()) for path in (written.path, written.head)]
    asked(written, "one more")
    later = [(path, path.read_bytes()) for path in (written.path, written.head)]
    for path, content in files:
        path.write_bytes(content)
    refuses(written, "6 entries, and this program has read 8")
    for path, content in later:
        path.write_bytes(content)
    assert spending(written) == Decimal("0.4")


def test_other_entries_than_were_seen_are_refused(written, tmp_path):
    (tmp_path / "other").mkdir()
    other = Ledger(tmp_path / "other", Decimal(1))
    for i in range(5):
        asked(other, f"other {i}")
    for name in ("path", "head"):
        getattr(written, name).write_bytes(getattr(other, name).read_bytes())
    refuses(written, "has lost entries")


def test_a_folder_that_holds_the_lock_alone_has_lost_its_ledger(written):
    written.path.unlink()
    written.head.unlink()
    never_begun_again(Ledger(written.folder.parent, Decimal(1)), "has no head .*was taken away; where nothing was ever")


def test_a_head_set_back_does_not_hide_that_the_ledger_is_gone(written):
    written.path.unlink()
    written.head.write_text(json.dumps({"entries": 0, "hash": room.BEGINNING}))
    never_begun_again(Ledger(written.folder.parent, Decimal(1)), "is not there")


@pytest.mark.skipif(os.name != "posix", reason="links are POSIX")
@pytest.mark.parametrize("what", ["folder", "files"])
def test_links_that_lead_nowhere_are_no_full_budget(written, tmp_path, what):
    links = [written.folder] if what == "folder" else [written.path, written.head]
    for i, link in enumerate(links):
        link.rename(tmp_path / f"elsewhere {i}")
        link.symlink_to(tmp_path / "nowhere")
    never_begun_again(Ledger(written.folder.parent, Decimal(1)), "cannot be reached|has no head")
    assert not (tmp_path / "nowhere").exists()


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


@pytest.mark.parametrize(
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
    entries = [json.loads(line) for line in (tmp_path / "privacy" / room.LEDGER).read_text().splitlines()]
    assert [entry["budget"] for entry in entries if entry["kind"] == "reserved"] == ["0.5", "0.3", "2"]
    assert Ledger(tmp_path, Decimal(2)).look().lowest_budget == Decimal("0.3")
    assert Ledger(tmp_path / "none", Decimal(2)).look().lowest_budget is None


def test_an_early_ledger_without_budgets_is_read(ledger, monkeypatch):
    real = room._canonical
    monkeypatch.setattr(
        room, "_canonical", lambda value: real({name: one for name, one in value.items() if name != "budget"})
    )
    asked(ledger, "q")
    monkeypatch.undo()
    assert b"budget" not in ledger.path.read_bytes()
    assert (spending(ledger), ledger.look().lowest_budget) == (Decimal("0.1"), None)


@pytest.mark.skipif(os.name != "posix", reason="modes apply where the system has them")
def test_a_folder_set_read_only_stays_so_and_one_open_to_others_is_closed(written):
    written.folder.chmod(0o500)
    written.look() if os.geteuid() == 0 else refuses(written, "may not be written")
    assert stat.S_IMODE(written.folder.stat().st_mode) == 0o500
    written.folder.chmod(0o755)
    written.look()
    assert stat.S_IMODE(written.folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("error", [errno.EACCES, errno.EPERM, errno.EROFS])
def test_without_permission_the_message_says_what_to_allow(written, monkeypatch, error):
    real = os.open

    def forbidden(path, *arguments, **options):
        if str(path).endswith(room.LEDGER):
            raise OSError(error, os.strerror(error))
        return real(path, *arguments, **options)

    monkeypatch.setattr(os, "open", forbidden)
    with pytest.raises(LedgerFaultError, match=r"may not be written .* let the user who runs this program write"):
        asked(written, "new", answer=lambda: pytest.fail("answered"))
    monkeypatch.undo()
    assert spending(written) == Decimal("0.3")
