"""All parties read one answer: receipts name it, and one who got another answer is told so. And one version of all."""

from __future__ import annotations

import json
import re
import shutil

from disclosure_control.pooling import keys
from disclosure_control.pooling.invitation import INVITATION
from disclosure_control.pooling.parties import SecretsAtHome
from disclosure_control.pooling.signed_files import write_signed
from tests.cases import each
from tests.pool.nodes import Parties
from tests.pool.small_round import NODES

ONE, TWO, THREE = NODES
REFUSED = 2


def another_answer_of_the_party_that_sums(made: Parties) -> None:
    """The answer with another figure, signed as the first one was."""
    path = made.shared / "answer.pool"
    line, rest = path.read_bytes().split(b"\n", 1)
    header = {name: value for name, value in json.loads(line).items() if name not in ("bytes", "schema")}
    header["figures"]["text"] += "\nAll is well."
    body = rest[: -keys.SIGNATURE_BYTES]
    home = SecretsAtHome(made.data("TRUSTEE") / "pool_results")
    write_signed(path, header, len(body), [body], home.signing_key)


def check_of_answer(made: Parties) -> str:
    return re.search(r"The check of this answer is ([0-9a-f-]{49}); compare it by telephone\.", made.said)[1]


def test_all_parties_read_the_same_answer(at):
    made = at("summed")
    checks = []
    for party in [*NODES, "TRUSTEE"]:
        assert made.run(party, "read") == 0, made.said
        checks.append(check_of_answer(made))
        waiting = [name for name in [*NODES, "TRUSTEE"] if not (made.shared / f"receipt_{name}.pool").exists()]
        assert all(name in made.said.splitlines()[-1] for name in waiting)
    assert len(set(checks)) == 1
    assert "All 4 parties left a receipt of this same answer." in made.said


def test_a_party_that_was_given_another_answer(at):
    made = at("summed")
    assert made.run(ONE, "read") == 0
    another_answer_of_the_party_that_sums(made)
    assert made.run(TWO, "read") == REFUSED
    assert f"receipt_{ONE}.pool: {ONE} has read another answer of TRUSTEE" in made.said
    assert not (made.data(TWO) / "pool_results" / "pool_people.csv").exists()
    # The one that read first learns of it as well, once the answer that it was given is back.
    shutil.copyfile(made.kept("TRUSTEE") / kept_answer(made), made.shared / "answer.pool")
    assert made.run(ONE, "read") == REFUSED
    assert f"receipt_{TWO}.pool: {TWO} has read another answer of TRUSTEE" in made.said


def kept_answer(made: Parties) -> str:
    (path,) = made.kept("TRUSTEE").glob("*_answer")
    return path.name


def test_an_answer_that_changed_after_it_was_read(at):
    made = at("summed")
    assert made.run(ONE, "read") == 0
    check, before = check_of_answer(made), (made.data(ONE) / "pool_results" / "STUDY_pool_report.txt").read_bytes()
    another_answer_of_the_party_that_sums(made)
    assert made.run(ONE, "read") == REFUSED
    assert f"not the answer that {ONE} has read before, whose check is {check}" in made.said
    assert (made.data(ONE) / "pool_results" / "STUDY_pool_report.txt").read_bytes() == before


@each("ruin", ["half", "changed", "of another party"])
def test_a_receipt_that_is_not_its_partys_own(ruin, at):
    made = at("summed", ruin)
    assert made.run(ONE, "read") == 0
    path = made.shared / f"receipt_{ONE}.pool"
    whole = path.read_bytes()
    if ruin == "half":
        path.write_bytes(whole[:-10])
    elif ruin == "changed":
        path.write_bytes(whole.replace(b'"answer":"', b'"answer":"0', 1))
    else:
        path = path.rename(made.shared / f"receipt_{THREE}.pool")
    assert made.run(TWO, "read") == REFUSED
    assert f"{path.name}: " in made.said


@each(
    "program, status, words",
    [
        ("4.0.0", REFUSED, "version 4.0.0 of this program made the invitation, and this is 3.0.0; they may count"),
        ("3.1.0", REFUSED, "install 3.1.0 here, or agree on one version and begin a new round"),
        ("3.0.9", 0, "Their figures should agree; to be sure, install 3.0.9."),
        ("", REFUSED, "no invitation of a pool"),
        ("3.0.0 <script>", REFUSED, "no invitation of a pool"),
    ],
)
def test_an_invitation_of_another_version(program, status, words, at):
    made = at("settled", f"version {program[:5]}")
    made.invite_first(ONE)
    path = made.shared / INVITATION
    content = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**content, "program": program}), encoding="utf-8")
    (made.shared / f"joined_{ONE}.pool").unlink()
    assert made.run(TWO, "invite", "--node", TWO) == status, made.said
    assert words in made.said
