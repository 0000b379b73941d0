"""Ledgers of earlier versions, one entry a line: taken over with all that was spent and answered, or refused."""

from __future__ import annotations

import hashlib
import json
from decimal import Decimal

import pytest

from disclosure_control.analyses.private_release import json_lines
from disclosure_control.analyses.private_release.entries import key_of
from disclosure_control.analyses.private_release.json_lines import LINES
from disclosure_control.analyses.private_release.ledger import Ledger, LedgerFaultError
from tests.analyses.private_release.publish_pilots import SHA, asked, spending


def written_early(folder, n_questions: int = 3, with_budget: bool = True) -> list[bytes]:
    """A folder as earlier versions left it, the last question paid for and not answered; the lines."""
    (folder / "privacy").mkdir(mode=0o700)
    lines, last = [], "0" * 64

    def add(entry: dict) -> None:
        nonlocal last
        entry = {**entry, "entry": len(lines), "previous": last, "at": f"2024-05-0{len(lines) + 1}"}
        last = hashlib.sha256(json.dumps(entry, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
        lines.append(json.dumps({**entry, "hash": last}, sort_keys=True, separators=(",", ":")).encode() + b"\n")

    for i in range(n_questions):
        question = {"kind": f"question {i}"}
        charge = {"charged": "0.1", **({"budget": "0.5"} if with_budget else {})}
        key = key_of(question, SHA)
        add({"kind": "reserved", "key": key, "question": question, "dataset": SHA, **charge})
        if i < n_questions - 1:
            add({"kind": "answered", "key": key, "epsilon": 0.1, "answer": {"value": f"ä{i}"}})
    (folder / "privacy" / LINES).write_bytes(b"".join(lines))
    head = {"entries": len(lines), "hash": last}
    (folder / "privacy" / "privacy_ledger.head").write_text(json.dumps(head))
    return lines


def test_what_was_spent_and_answered_stays_so(tmp_path):
    written_early(tmp_path)
    ledger = Ledger(tmp_path, Decimal(1))
    state = ledger.look()
    assert (state.n_entries, state.spent, state.n_unanswered) == (5, Decimal("0.3"), 1)
    assert state.lowest_budget == Decimal("0.5")
    again = asked(ledger, "question 1", answer=lambda: pytest.fail("answered twice"))
    assert (again.answer, again.charged) == ({"value": "ä1"}, 0)
    assert asked(ledger, "new").is_new
    assert not (ledger.folder / LINES).exists()
    assert spending(Ledger(tmp_path, Decimal(1))) == Decimal("0.4")
    assert "epsilon 0.3 spent, no mark was found" in ledger.notices[0]


def test_an_early_ledger_without_budgets_is_taken_over(tmp_path):
    written_early(tmp_path, with_budget=False)
    state = Ledger(tmp_path, Decimal(1)).look()
    assert (state.spent, state.lowest_budget) == (Decimal("0.3"), None)


@pytest.mark.parametrize("moment", ["before the new one is in place", "before the lines are gone"])
def test_killed_while_it_is_taken_over_it_is_taken_over_later(tmp_path, monkeypatch, moment):
    written_early(tmp_path)
    lines = tmp_path / "privacy" / LINES
    content = lines.read_bytes()
    if moment == "before the lines are gone":
        assert spending(Ledger(tmp_path, Decimal(1))) == Decimal("0.3")
        lines.write_bytes(content)
    else:
        monkeypatch.setattr(json_lines, "flush_folder", lambda folder: None)
        (tmp_path / "privacy" / json_lines.ASIDE).write_bytes(b"half")
        (tmp_path / "privacy" / f"{json_lines.ASIDE}-journal").write_bytes(b"half")
    assert spending(Ledger(tmp_path, Decimal(1))) == Decimal("0.3")
    assert not lines.exists()
    names = {path.name for path in lines.parent.iterdir()}
    assert names == {"privacy_ledger.sqlite", "privacy_ledger.head", ".privacy_ledger.lock"}


def test_lines_that_the_new_ledger_does_not_hold_are_refused(tmp_path):
    """An earlier version went on with them, beside the new one."""
    written_early(tmp_path)
    ledger = Ledger(tmp_path, Decimal(1))
    asked(ledger, "new")
    (tmp_path / "elsewhere").mkdir()
    written_early(tmp_path / "elsewhere", 4)
    (tmp_path / "elsewhere" / "privacy" / LINES).rename(ledger.folder / LINES)
    ledger.head.write_bytes((tmp_path / "elsewhere" / "privacy" / "privacy_ledger.head").read_bytes())
    with pytest.raises(LedgerFaultError, match=r"does not contain it .an earlier version has spent since"):
        Ledger(tmp_path, Decimal(1)).look()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda lines: [*lines, b'{"kind": "reser'],
            "middle of a line .nothing was answered on it; take that line out",
        ),
        (lambda lines: [*lines[:2], lines[2][:-9]], "middle of a line .lines are missing"),
        (lambda lines: lines[:-1], "does not reach its head .4 entries, and the head counts 5"),
        (lambda lines: [lines[1], lines[0], *lines[2:]], "line 1 does not continue the chain"),
        (lambda lines: [lines[0].replace(b'"0.1"', b'"0.0"'), *lines[1:]], "line 1 does not continue the chain"),
        (lambda lines: [b"[" * 9000 + b"\n", *lines], "line 1 does not continue the chain"),
    ],
)
def test_lines_that_are_not_whole_are_refused_and_stay(tmp_path, change, words):
    lines = written_early(tmp_path)
    path = tmp_path / "privacy" / LINES
    path.write_bytes(b"".join(change(lines)))
    content = path.read_bytes()
    for _ in range(2):
        with pytest.raises(LedgerFaultError, match=words):
            Ledger(tmp_path, Decimal(1)).look()
    assert path.read_bytes() == content
    assert not (tmp_path / "privacy" / "privacy_ledger.sqlite").exists()


@pytest.mark.thorough("0.3 s")
def test_every_changed_byte_of_the_lines_is_seen(tmp_path):
    lines = b"".join(written_early(tmp_path))
    path = tmp_path / "privacy" / LINES
    for position in range(0, len(lines), 17):
        changed = bytearray(lines)
        changed[position] = ord("7") if changed[position] != ord("7") else ord("8")
        path.write_bytes(changed)
        with pytest.raises(LedgerFaultError):
            Ledger(tmp_path, Decimal(1)).look()


def test_an_older_copy_of_the_lines_put_back_is_missed(tmp_path):
    lines = written_early(tmp_path)
    asked(Ledger(tmp_path, Decimal(1)), "new")
    (tmp_path / "privacy" / "privacy_ledger.sqlite").unlink()
    (tmp_path / "privacy" / LINES).write_bytes(b"".join(lines))
    (tmp_path / "privacy" / "privacy_ledger.head").write_text(
        json.dumps({"entries": len(lines), "hash": json.loads(lines[-1])["hash"]})
    )
    with pytest.raises(
        LedgerFaultError, match=r"has lost entries .5 entries and epsilon 0\.3 in it; its mark .* counts 7"
    ):
        Ledger(tmp_path, Decimal(1)).look()
