"""The ledger: budgets to the last digit, two runs at once, crashes, a full disk, damage, a clock going backwards."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.analyses.private_release import ledger as room
from disclosure_control.analyses.private_release.ledger import BudgetExhaustedError, Ledger, LedgerFaultError
from tests.analyses.private_release.publish_pilots import SHA, asked, refuses, spending
from tests.cases import each
from tests.examples import examples, tried_of
from tests.places import PROJECT


def test_ten_tenths_are_one_and_the_eleventh_is_refused(ledger):
    for i in range(10):
        assert asked(ledger, f"question {i}").charged == Decimal("0.1")
    assert spending(ledger) == 1
    with pytest.raises(BudgetExhaustedError, match=r"0\.1 is asked and 0 is left; nothing was spent") as refusal:
        asked(ledger, "one more")
    assert refusal.value.left == 0
    assert spending(ledger) == 1


def test_the_same_question_costs_once_and_returns_the_recorded_answer(ledger):
    first = asked(ledger, "q", answer=lambda: {"value": 17, "cells": [{"category": "ä", "value": 0.1}]})
    again = asked(ledger, "q", answer=lambda: pytest.fail("answered twice"))
    assert (first.is_new, again.is_new, again.charged) == (True, False, 0)
    assert json.dumps(first.answer) == json.dumps(again.answer)
    assert asked(Ledger(ledger.folder.parent, Decimal(1)), "q").answer == first.answer  # in a later run
    assert asked(ledger, "q", dataset="1" * 64).is_new  # of other data it is another question
    assert spending(ledger) == Decimal("0.2")


def test_a_recorded_answer_is_given_after_the_budget_was_lowered(ledger):
    asked(ledger, "q", "0.5")
    lowered = Ledger(ledger.folder.parent, Decimal("0.3"))
    assert not asked(lowered, "q", "0.5").is_new
    with pytest.raises(BudgetExhaustedError, match="0 is left"):
        asked(lowered, "other", "0.1")


@examples(25)
@given(
    asks=st.lists(
        st.tuples(st.integers(0, 5), st.decimals("0.0001", "0.9", places=4, allow_nan=False)), min_size=1, max_size=12
    )
)
def test_spending_is_what_a_slow_referee_adds_up(tmp_path_factory, asks):
    ledger, known, spent = Ledger(tmp_path_factory.mktemp("pilot"), Decimal(1)), {}, Fraction(0)
    for word, epsilon in asks:
        key = (word, epsilon.normalize())
        question = {"word": word, "epsilon": str(epsilon.normalize())}
        if key not in known and spent + Fraction(epsilon) > 1:
            with pytest.raises(BudgetExhaustedError) as refusal:
                ledger.ask(question, "d", epsilon, dict, 0.1)
            assert Fraction(refusal.value.left) == 1 - spent
            continue
        number = len(known)
        recorded = ledger.ask(question, "d", epsilon, lambda n=number: {"value": n}, 0.1)
        assert recorded.is_new == (key not in known)
        spent += 0 if key in known else Fraction(epsilon)
        assert recorded.answer == {"value": known.setdefault(key, len(known))}
        assert Fraction(spending(ledger)) == spent


def test_folder_and_files_are_the_controllers_alone(ledger):
    asked(ledger, "q")
    if os.name != "posix":
        pytest.skip("modes apply where the system has them")
    assert stat.S_IMODE(ledger.folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in ledger.folder.iterdir()} == {0o600}


# ---------------------------------------------------------------- processes

DIES = """
import sys, time
from decimal import Decimal
from pathlib import Path
from disclosure_control.analyses.private_release.ledger import Ledger
def answer():
    print("computing", flush=True)
    time.sleep(60)
Ledger(Path(sys.argv[1]), Decimal(1)).ask({"kind": "q"}, "0" * 64, Decimal("0.1"), answer, 0.1)
"""


def start(code: str, *arguments: object) -> subprocess.Popen:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True)


@pytest.mark.thorough("1 s: many draws; one of each kind in the quick run")
@pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX")
def test_killed_between_write_and_answer_the_budget_is_spent(ledger, tmp_path):
    run = start(DIES, tmp_path)
    assert run.stdout.readline() == "computing\n"
    run.send_signal(signal.SIGKILL)
    run.wait()
    state = ledger.look()
    assert (state.spent, state.n_unanswered) == (Decimal("0.1"), 1)
    assert ledger.recorded({"kind": "q"}, SHA) is None
    assert asked(ledger, "q").is_new  # the answer is not known, so it costs again
    assert spending(ledger) == Decimal("0.2")


def test_the_same_question_at_once_is_paid_once_and_has_one_answer(ledger):
    """The second comes while the first is answered; it waits until that is recorded and marked."""
    begun, found = threading.Event(), []

    def slowly():
        begun.set()
        waiting.join(0.05)
        return {"value": 1}

    def second():
        begun.wait()
        found.append(asked(Ledger(ledger.folder.parent, Decimal(1)), "q", answer=lambda: {"value": 2}))

    waiting = threading.Thread(target=second)
    waiting.start()
    first = asked(ledger, "q", answer=slowly)
    waiting.join()
    assert (first.answer, found[0].answer, found[0].charged) == ({"value": 1}, {"value": 1}, 0)
    assert spending(ledger) == Decimal("0.1")
    assert json.loads(ledger.mark.read_bytes())["entries"] == 2


# ---------------------------------------------------------------- a full disk


@pytest.mark.skipif(os.name != "posix", reason="limits of a file's size are POSIX")
@pytest.mark.parametrize("most_bytes", [0, 4096, 12_288])
def test_a_disk_that_takes_no_more_at_the_first_question_gives_no_answer(ledger, most_bytes):
    """Before the file, in the middle of it, and at the first entry."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, before[1]))
    try:
        with pytest.raises(OSError, match=r"Input/output error|No space left"):
            asked(ledger, "long" * 10_000, answer=lambda: pytest.fail("answered unpaid"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert spending(ledger) == 0
    assert asked(ledger, "q").is_new
    assert [path.name for path in ledger.folder.parent.iterdir()] == [ledger.folder.name]


def test_a_ledger_that_may_grow_no_more_is_a_full_disk(ledger, monkeypatch):
    """As SQLite itself reports it: in the middle of an entry, and what the disk took of it is taken back."""
    asked(ledger, "q")
    pages = ledger.path.stat().st_size // 4096
    with monkeypatch.context() as patch:
        patch.setattr(room, "PRAGMAS", (*room.PRAGMAS, f"max_page_count={pages + 2}"))
        with pytest.raises(OSError, match="No space left"):
            asked(ledger, "long" * 10_000, answer=lambda: pytest.fail("answered unpaid"))
        assert spending(ledger) == Decimal("0.1")
        with pytest.raises(OSError, match="No space left"):
            asked(ledger, "answered at length", answer=lambda: {"value": "x" * 40_000})
    assert spending(Ledger(ledger.folder.parent, Decimal(1))) == Decimal("0.2")
    assert asked(ledger, "answered at length").is_new


@each("failure", [ZeroDivisionError("x"), PermissionError(13, "x"), OSError(28, "x"), sqlite3.DatabaseError("x")])
def test_an_answer_that_fails_stays_paid_for_and_its_error_is_none_of_the_ledger(failure, tmp_path_factory):
    """A library that may not read a file of its own is no ledger that may not be written."""

    def fails():
        raise failure

    ledger = Ledger(tmp_path_factory.mktemp("pilot"), Decimal(1))
    with pytest.raises(type(failure)) as raised:
        asked(ledger, "q", answer=fails)
    assert raised.value is failure
    assert spending(ledger) == Decimal("0.1")


# ---------------------------------------------------------------- damage: refused, never reset


def as_read_anew(ledger: Ledger) -> tuple:
    """What another program finds: the state, and the answer to each question."""
    anew = Ledger(ledger.folder.parent, Decimal(1))
    answers = [anew.recorded({"kind": f"question {i}"}, SHA) for i in range(3)]
    return anew.look(), [recorded and recorded.answer for recorded in answers]


@pytest.mark.thorough("0.4 s; the quick run changes letters of an entry")
def test_every_changed_byte_is_seen_or_says_nothing(written):
    """Bytes that SQLite does not read, between entries and in counters of its header, may change: no figure does."""
    content, whole = written.path.read_bytes(), as_read_anew(written)
    n_refused = 0
    step = 13 * len(content) // tried_of(len(content))  # every 13th byte, in the quick run fewer
    for position in range(0, len(content), step):
        changed = bytearray(content)
        changed[position] ^= 1 << position % 8
        written.path.write_bytes(changed)
        try:
            found = as_read_anew(written)
        except LedgerFaultError:
            n_refused += 1
        else:
            assert found == whole, position
    assert n_refused > 0.6 * sum(map(bool, content[::step]))
    written.path.write_bytes(content)
    assert spending(written) == Decimal("0.3")


@pytest.mark.thorough("1 s: many draws; one of each kind in the quick run")
def test_a_ledger_cut_off_anywhere_is_refused(written):
    content = written.path.read_bytes()
    for length in [0, 1, *range(5, len(content), 101), *range(4096, len(content), 4096), len(content) - 1]:
        written.path.write_bytes(content[:length])
        for ledger in (written, Ledger(written.folder.parent, Decimal(1))):
            with pytest.raises(LedgerFaultError, match="damaged"):
                ledger.look()


def test_a_ledger_taken_away_is_refused(written):
    written.path.unlink()
    refuses(written)


def test_entries_that_change_places_are_refused(written):
    with sqlite3.connect(written.path) as changed:
        for old, new in ((0, 99), (1, 0), (99, 1)):
            changed.execute("UPDATE entries SET number = ? WHERE number = ?", (new, old))
    changed.close()
    refuses(Ledger(written.folder.parent, Decimal(1)), "does not continue the chain")


def test_an_entry_ahead_of_the_mark_counts(written):
    """Killed between the entry and its mark: the entry is there, and what it reserved is spent."""
    mark = written.mark.read_bytes()
    asked(written, "last")
    written.mark.write_bytes(mark)
    assert spending(Ledger(written.folder.parent, Decimal(1))) == Decimal("0.4")


def test_a_fault_holds_no_question_and_no_answer(ledger):
    asked(ledger, "SECRETWORD", answer=lambda: {"value": 987654})
    ledger.path.write_bytes(ledger.path.read_bytes()[:-1])
    with pytest.raises(LedgerFaultError) as fault:
        ledger.look()
    assert "SECRETWORD" not in str(fault.value)
    assert "987654" not in str(fault.value)


def test_a_ledger_that_is_held_is_waited_for_and_then_refused(ledger, monkeypatch):
    asked(ledger, "q")
    monkeypatch.setattr(room, "SECONDS_TO_WAIT", 0.05)
    with sqlite3.connect(ledger.path, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerFaultError, match="held by another process"):
            asked(ledger, "q")
    other.close()
