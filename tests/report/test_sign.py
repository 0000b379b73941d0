"""Who signed which set: over its manifest, and gone with any change."""

from __future__ import annotations

import datetime
import json

import pytest

from config import read_settings
from disclosure_control import sign
from disclosure_control.report.pilots.rows import pilot_rows
from disclosure_control.run.beside import beside
from disclosure_control.run.sign_offs import SIGN_OFFS, read_sign_offs
from disclosure_control.verify import verify
from tests.run.synthetic_pilot import DONE, INPUT_AT_FAULT, NOW, leaks, snapshot

ARGUMENTS = ("--by", "A. Berger", "--role", "Data protection officer")


@pytest.fixture
def signing(pilot, capsys, monkeypatch):
    def run(*arguments: str) -> tuple[int, str]:
        status = sign.main([str(pilot.results), *arguments])
        captured = capsys.readouterr()
        assert leaks(captured.out + captured.err) == []
        return status, captured.out + captured.err

    return run


def test_a_set_is_signed_and_stays_as_it_was(pilot, signing):
    before = snapshot(pilot.results)
    assert signing()[0] == sign.NOT_SIGNED
    status, said = signing(*ARGUMENTS, "--says", "for the university alone")
    assert status == DONE
    assert "signed off by A. Berger (Data protection officer)" in said
    assert signing()[0] == DONE
    assert "Signed off by A. Berger" in signing()[1]
    assert snapshot(pilot.results) == before
    against = "The verdict is Hold, for 1 reason: see CLINIC_privacy_summary.txt."
    assert against in said
    assert read_sign_offs(pilot.results)[0].says == f"{against} for the university alone"


def test_whoever_signs_says_who_in_one_line(pilot, signing, capsys):
    """A name with a line break was shown as two lines, of which the second said what it liked."""
    assert signing("--by", "A. Berger\nSigned off by the board", "--role", "DPO")[0] == DONE
    assert "Signed off by A. Berger Signed off by the board (DPO)" in signing()[1]
    for given in (("--by", " ", "--role", "DPO"), ("--by", "A. Berger", "--role", "")):
        with pytest.raises(SystemExit) as stopped:
            signing(*given)
        assert stopped.value.code == INPUT_AT_FAULT
        assert "found blanks alone" in capsys.readouterr().err
    assert len(read_sign_offs(pilot.results)) == 1


def test_lines_that_another_program_touched_stay_apart_and_damaged_ones_are_not_added_to(pilot, signing):
    assert signing(*ARGUMENTS)[0] == DONE
    kept = beside(pilot.results) / SIGN_OFFS
    kept.write_bytes(kept.read_bytes().rstrip(b"\n"))  # as an editor saves it
    assert signing(*ARGUMENTS)[0] == DONE
    assert len(read_sign_offs(pilot.results)) == 2
    signed = {**json.loads(kept.read_text().splitlines()[0]), "signature": "AAAA"}  # by a key, by an earlier version
    kept.write_text(json.dumps(signed) + "\n")
    assert signing()[0] == sign.NOT_SIGNED
    kept.write_text('{"pilot": "CLI')
    assert signing(*ARGUMENTS)[0] == INPUT_AT_FAULT
    assert kept.read_text() == '{"pilot": "CLI'


@pytest.mark.thorough("0.5 s")
def test_a_changed_file_and_a_new_run_are_not_signed(pilot, signing, doors):
    assert signing(*ARGUMENTS)[0] == DONE
    risky = next(pilot.results.glob("risky_rows_k*"))
    content = risky.read_bytes()
    risky.write_bytes(content + b"\n")
    status, said = signing()
    assert status == sign.NOT_SIGNED
    assert "Changed since the run" in said
    assert signing(*ARGUMENTS)[0] == INPUT_AT_FAULT
    risky.write_bytes(content)
    assert signing()[0] == DONE
    pilot.configure(K=2)
    assert doors.start(2).status == DONE
    status, said = signing()
    assert status == sign.NOT_SIGNED
    assert "changed or run again since A. Berger" in said


@pytest.mark.thorough("1 s: a whole run with every step")
def test_the_overview_and_verify_say_who_signed(pilot, signing, doors):
    assert signing(*ARGUMENTS)[0] == DONE
    (row,) = pilot_rows(read_settings(), datetime.datetime.fromisoformat(NOW), 31)
    assert any(remark.startswith("Signed off by A. Berger") for remark in row.remarks)
    assert any(note.startswith("Signed off by A. Berger") for note in verify(pilot.results).notes)
