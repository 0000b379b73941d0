"""What is refused, in words, with nothing lost: files that are changed, repeated, late, foreign, cut off or missing."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.model_settings import validate_config
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.pooling import commands, contribution, keys
from disclosure_control.pooling.cells import COUNT, MOST_CELLS, CellSpace
from disclosure_control.pooling.invitation import Invitation
from disclosure_control.pooling.parties import SecretsAtHome, join, members_of
from disclosure_control.pooling.pooled_people import check_sum
from disclosure_control.pooling.signed_files import write_signed
from disclosure_control.steps import READERS
from tests.cases import each
from tests.examples import examples
from tests.places import PROJECT
from tests.pool.nodes import STUDY, Parties
from tests.pool.small_round import CONFIG, NODES, frame

ONE, TWO, THREE = NODES
REFUSED = 2


def config_with(**pool) -> dict:
    return {**CONFIG, "pool": {**CONFIG["pool"], **pool}}


def faults_of(config: dict) -> str:
    with pytest.raises(FaultyInputError) as error:
        CellSpace.of(validate_config(config, None, READERS))
    return "\n".join(error.value.faults)


def files_in(folder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def is_refused(made: Parties, party: str, command: str, *options: str, words: str = "") -> None:
    """With status 2 and these words, no value of a person, and every shared file as it was."""
    before = files_in(made.shared) if made.shared.exists() else {}
    assert made.run(party, command, *options) == REFUSED, made.said
    assert words in made.said
    assert "MARKER" not in made.said
    assert (files_in(made.shared) if made.shared.exists() else {}) == before


# ---------------------------------------------------------------- the config


@each(
    "pool, words",
    [
        ({"nodes": [ONE, TWO]}, "a list of 3 to 100 distinct names"),
        ({"nodes": [ONE, TWO, TWO]}, "a list of 3 to 100 distinct names"),
        ({"nodes": [ONE, TWO, TWO.lower()]}, "a list of 3 to 100 distinct names"),
        ({"sums": ONE.lower()}, "differs from a node in case alone"),
        ({"counts": "pool"}, '"pool, because ..."'),
        ({"categories": {}}, "the values of 'SEX' are not declared"),
        ({"categories": {"SEX": ["F"], "AGE": ["1"]}}, "'AGE' has declared bins"),
        ({"categories": {"SEX": ["F"], "SEKS": ["1"]}}, "did you mean 'SEX'?"),
        ({"values": {}}, "the values of 'LAB' are not declared"),
        ({"values": {"LAB": {"from": 3, "to": 1, "step": 0.5}}}, "a list of distinct numbers"),
        ({"values": {"LAB": {"from": 1, "to": 3, "step": 0.01, "decimals": 1}}}, "fine enough"),
    ],
)
def test_a_config_that_cannot_be_pooled(pool, words):
    assert words in faults_of(config_with(**pool))


@each(
    "values, more, is_refused",
    [
        (["1", "2", "high"], {}, True),
        (["1", "02"], {}, True),
        (["low", "high"], {}, False),
        (["1", "2"], {}, False),
        (["01", "02"], {}, False),
        (["1", "2", "high"], {"t_distance": {"LAB": "total_variation"}}, False),
        (["low", "high"], {"t_distance": {"LAB": "ordered"}}, True),
        (["low", "high"], {"sensitive_binning_config_for_L": {"LAB": [0, 1, 2]}}, True),
    ],
)
def test_categories_that_are_numbers_at_one_node_and_texts_at_another(values, more, is_refused):
    pool = {"values": {}, "categories": {"SEX": ["FMARKER"], "LAB": values}}
    config = {**config_with(**pool), **more}
    if is_refused:
        assert "it depends on a node's people how t compares them" in faults_of(config)
    else:
        assert CellSpace.of(validate_config(config, None, READERS)).n_cells


@each("key, given", [("risk", {"population": {"file": "a.csv"}}), ("recommend", {"hierarchies": {"SEX": "mask"}})])
def test_settings_that_need_records_or_files(key, given):
    assert "a pool has counts" in faults_of({**CONFIG, key: given})


def test_too_many_cells_name_what_to_make_coarser():
    fine = config_with(values={"LAB": {"from": 0, "to": 99_999, "step": 1}})
    wide = {**fine, "binning_config": {"AGE": list(range(200))}}
    words = faults_of(wide)
    n_cells = 3 * (199 + 2 + 1) * (100_000 + 2)
    assert n_cells > MOST_CELLS
    assert f"{n_cells:,} cells" in words
    named = words.partition("leave one out: ")[2]
    assert named == "LAB (100001 values with missing), AGE (202 values with missing), SEX (3 values with missing)"


# ---------------------------------------------------------------- joining


@each("column, value", [("SEX", "XMARKER"), ("LAB", 1.25)])
def test_a_value_that_is_not_declared(column, value, at):
    made = at("settled", f"with {column}")
    made.settle(CONFIG, {ONE: frame(0).assign(**{column: [value] * 12})})
    is_refused(made, ONE, "invite", "--node", ONE, words=f"column '{column}': 1 value of 1 is not among the")
    assert not made.shared.exists()
    listed = made.kept(ONE) / "undeclared_values.csv"
    assert f".pool_results/{listed.name} in the pilot's folder lists these values" in made.said
    assert pd.read_csv(listed).values.tolist() == [[column, value]]
    assert stat.S_IMODE(listed.stat().st_mode) == 0o600
    made.settle(CONFIG, {ONE: frame(0)})
    assert made.run(ONE, "invite", "--node", ONE) == 0
    assert not listed.exists()


def test_undeclared_values_of_all_columns_are_listed_at_once(at):
    made = at("settled")
    strange = frame(0).assign(SEX=["=1+1MARKER", "x", *["FMARKER"] * 10], LAB=[7.0, *[1.0] * 11])
    made.settle(CONFIG, {ONE: strange})
    is_refused(made, ONE, "invite", "--node", ONE, words="column 'SEX': 2 values of 3 are not among the 2")
    assert "column 'LAB': 1 value of 2 is not among the 5" in made.said
    table = pd.read_csv(made.kept(ONE) / "undeclared_values.csv", dtype=str)
    assert sorted(table["undeclared value"]) == ["'=1+1MARKER", "7", "x"]


def test_another_config_than_the_invitation(at):
    made = at("settled")
    made.invite_first(ONE)
    made.write_config(TWO, {**CONFIG, "K": 4})
    is_refused(made, TWO, "invite", "--node", TWO, words="K: 4 in this config, 3 in the invitation")
    values = {"LAB": {"from": 1, "to": 4, "step": 0.5}}
    made.write_config(TWO, {**config_with(values=values), "missing_qis": "exclude"})
    words = "pool['values']['LAB']['to']: 4 in this config, 3 in the invitation"
    is_refused(made, TWO, "invite", "--node", TWO, words=words)
    assert 'missing_qis: "exclude" in this config, not given in the invitation' in made.said


@each(
    "changes",
    [
        {"round": "../../../../../../../../etc/pass"},
        {"round": 7},
        {"config": []},
        {"kind": "joined"},
        {"schema": 2},
        {"study": "OTHER"},
        {"config": {**CONFIG, "K": float("nan")}},
        {"config": {**CONFIG, "pool": {**CONFIG["pool"], "nodes": ["../A", "B", "C"]}}},
    ],
)
def test_an_invitation_that_somebody_changed(changes, at):
    made = at("joined", f"changed {list(changes)} {len(str(changes))}")
    path = made.shared / "invitation.json"
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **changes}), encoding="utf-8")
    for command in ("invite", "contribute", "read"):
        is_refused(made, ONE, command, words="invitation")


def test_half_an_invitation(at):
    made = at("joined")
    path = made.shared / "invitation.json"
    path.write_bytes(path.read_bytes()[:200])
    is_refused(made, ONE, "invite", words="invitation.json: no invitation of a pool, or only the beginning")


def test_a_party_that_nobody_invited_and_one_that_is_another_one(at):
    made = at("joined")
    is_refused(made, ONE, "invite", "--node", TWO, words=f"this folder is that of {ONE}")
    fresh = at("settled", "fresh")
    is_refused(fresh, ONE, "invite", "--node", "LISBON", words="say which party this is")


def test_who_joined_from_another_folder(at):
    made = at("joined")
    shutil.rmtree(made.kept(ONE))
    is_refused(made, ONE, "invite", "--node", ONE, words=f"{ONE} joined this round from another folder")


def test_a_file_of_another_round(at):
    made, other = at("joined"), at("settled", "other")
    other.invite([*NODES, "TRUSTEE"])
    shutil.copyfile(other.shared / f"joined_{TWO}.pool", made.shared / f"joined_{TWO}.pool")
    is_refused(made, ONE, "contribute", "--check", made.check, words=f"{TWO} joined another round")


def test_a_round_that_is_begun_anew_in_the_folder_of_an_earlier_one(at):
    """Somebody took the invitation away alone: what the others have to put away is said, by name."""
    made = at("joined")
    (made.shared / "invitation.json").unlink()
    assert made.run(ONE, "invite") == REFUSED
    assert f"joined_{ONE}.pool: {ONE} joined another round" in made.said
    for path in made.shared.glob("joined_*"):
        path.unlink()
    for party in (*NODES, "TRUSTEE"):
        assert made.run(party, "invite") == 0, made.said
    assert "All 4 parties joined" in made.said


def test_invite_can_be_run_again_and_changes_nothing(at):
    made = at("joined")
    before = files_in(made.shared)
    assert made.run(ONE, "invite") == 0
    assert made.check in made.said
    assert files_in(made.shared) == before


# ---------------------------------------------------------------- contributing


def test_nothing_is_sent_before_the_keys_are_compared(at):
    made = at("joined")
    is_refused(made, ONE, "contribute", words=f"The check of this round is {made.check}")
    assert f"contribute {STUDY} --folder {made.shared} --check {made.check}" in made.said  # runs as it stands
    is_refused(made, ONE, "contribute", "--check", "0" * 40, words="exchanged keys")


def test_keys_that_somebody_exchanged_on_the_way(at):
    """Mallory puts keys of her own in place of a hospital's: whole, signed, for this round; the check differs."""
    made = at("joined")
    stranger = SecretsAtHome(made.root / "mallory" / "pool_results")
    (made.shared / f"joined_{TWO}.pool").unlink()
    join(stranger, Invitation.read(made.shared / "invitation.json"), TWO, made.shared)
    is_refused(made, ONE, "contribute", "--check", made.check, words="exchanged keys")
    is_refused(made, TWO, "contribute", "--check", made.check, words=f"not the keys with which {TWO} joined")


def test_who_has_not_joined_is_named(at):
    made = at("joined")
    (made.shared / f"joined_{TWO}.pool").unlink()
    (made.shared / "joined_TRUSTEE.pool").unlink()
    is_refused(made, ONE, "contribute", "--check", made.check, words=f"{TWO}: has not joined yet")
    assert "TRUSTEE: has not joined yet" in made.said


def test_the_same_counts_are_sent_as_the_same_file(at):
    made = at("contributed")
    target = made.shared / f"contribution_{ONE}.pool"
    before = target.read_bytes()
    target.unlink()
    assert made.run(ONE, "contribute") == 0
    assert "again, the same file" in made.said
    assert target.read_bytes() == before


def test_other_counts_are_not_sent_under_the_same_masks(at):
    made = at("contributed")
    made.settle(CONFIG, {ONE: frame(7)})
    is_refused(made, ONE, "contribute", "--check", made.check, words="the counts changed since then")
    made.settle(CONFIG, {ONE: frame(0)})
    assert made.run(ONE, "contribute") == 0
    assert made.run("TRUSTEE", "sum") == 0


def test_a_contribution_that_this_folder_did_not_send(at):
    made = at("contributed")
    for path in made.kept(ONE).glob("*_sent"):
        path.unlink()
    is_refused(made, ONE, "contribute", "--check", made.check, words="not sent from this folder")


def test_a_late_contribution(at):
    made, ended = at("joined"), at("summed", "ended")
    shutil.copyfile(ended.shared / "answer.pool", made.shared / "answer.pool")
    is_refused(made, ONE, "contribute", "--check", made.check, words="the round has ended")


def test_the_party_that_sums_has_nothing_to_contribute(at):
    is_refused(at("joined"), "TRUSTEE", "contribute", words="TRUSTEE sums and has no people")


# ---------------------------------------------------------------- summing


def test_who_has_not_contributed_is_named(at):
    made = at("contributed")
    for node in (ONE, THREE):
        (made.shared / f"contribution_{node}.pool").unlink()
    is_refused(made, "TRUSTEE", "sum", words=f"{ONE}: has not contributed yet")
    assert f"{THREE}: has not contributed yet" in made.said
    assert TWO not in made.said


def changed(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


@each("place", [20, 200, -70, -10])
def test_a_changed_contribution(place, at):
    made = at("contributed", f"changed {place}")
    path = made.shared / f"contribution_{TWO}.pool"
    whole = path.read_bytes()
    path.write_bytes(changed(whole, place % len(whole)))
    is_refused(made, "TRUSTEE", "sum", words=path.name)
    path.write_bytes(whole)
    assert made.run("TRUSTEE", "sum") == 0


@each("n_bytes", [0, 10, 300, -1])
def test_half_a_contribution(n_bytes, at):
    made = at("contributed", f"half {n_bytes}")
    path = made.shared / f"contribution_{TWO}.pool"
    path.write_bytes(path.read_bytes()[:n_bytes])
    is_refused(made, "TRUSTEE", "sum", words=path.name)


def test_more_than_a_contribution(at):
    made = at("contributed")
    path = made.shared / f"contribution_{TWO}.pool"
    path.write_bytes(path.read_bytes() + b"more")
    is_refused(made, "TRUSTEE", "sum", words="not whole")


def test_what_a_killed_command_left_is_no_file(at):
    made = at("contributed")
    path = made.shared / f"contribution_{TWO}.pool"
    path.rename(made.shared / f"{path.name}.new")
    is_refused(made, "TRUSTEE", "sum", words=f"{TWO}: has not contributed yet")
    assert made.run(TWO, "contribute") == 0
    assert not (made.shared / f"{path.name}.new").exists()
    assert made.run("TRUSTEE", "sum") == 0


def test_the_contribution_of_another_node(at):
    made = at("contributed")
    shutil.copyfile(made.shared / f"contribution_{ONE}.pool", made.shared / f"contribution_{TWO}.pool")
    is_refused(made, "TRUSTEE", "sum", words=f"contribution_{TWO}.pool: changed since it was signed, or signed by")


def test_a_contribution_to_an_earlier_round_of_the_same_parties(at):
    """Signed by the right node, whose signing key stays the same; kept by somebody, and put in place of the new one."""
    made = at("contributed")
    earlier = (made.shared / f"contribution_{ONE}.pool").read_bytes()
    shutil.rmtree(made.shared)
    made.contribute(NODES, made.invite([*NODES, "TRUSTEE"]))
    (made.shared / f"contribution_{ONE}.pool").write_bytes(earlier)
    is_refused(made, "TRUSTEE", "sum", words="made for another round")


def test_a_config_that_does_not_fit_the_pool_ends_the_round_in_words(at, monkeypatch):
    """Some settings of ``recommend`` depend on the values that occur, which nobody knows before the sum."""

    def refuses(*given):
        raise FaultyInputError("recommend['fixed']['SEX']: found 2; allowed: 0 to 1")

    made = at("contributed")
    monkeypatch.setattr(commands, "evaluated_pool", refuses)
    is_refused(made, "TRUSTEE", "sum", words="Once this is settled with all parties, begin a new round")
    assert "recommend['fixed']['SEX']: found 2" in made.said


def test_who_does_not_sum_cannot(at):
    is_refused(at("contributed"), ONE, "sum", words=f"{ONE} does not sum; TRUSTEE does")


def test_the_answer_is_made_once(at):
    made = at("summed")
    answer = (made.shared / "answer.pool").read_bytes()
    (made.shared / "answer.pool").unlink()
    assert made.run("TRUSTEE", "sum") == 0
    assert (made.shared / "answer.pool").read_bytes() == answer


def test_a_contribution_that_is_exchanged_after_the_sum(at):
    made = at("summed")
    shutil.copytree(made.kept(ONE), made.root / "kept")
    for path in made.kept(ONE).glob("*_sent"):
        path.unlink()
    (made.shared / f"contribution_{ONE}.pool").unlink()
    answer = made.shared / "answer.pool"
    answer.rename(made.root / "answer.pool")
    made.settle(CONFIG, {ONE: frame(8)})
    assert made.run(ONE, "contribute", "--check", made.check) == 0
    is_refused(made, "TRUSTEE", "sum", words=f"{ONE}: its contribution is not the one that was summed")


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("a0\n", max_size=3) | st.sampled_from(["0" * 64, "f" * 63]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "kind"]), inner, max_size=2),
    max_leaves=4,
)
FIELDS = ("kind", "round", "party", "cells", "opens_with", "invitation", "signs", "exchanges")


@given(st.sampled_from(["joined", "contribution"]), st.dictionaries(st.sampled_from(FIELDS), ANY_JSON, min_size=1))
@examples(120)
def test_whatever_a_node_signs_is_refused_in_words_or_is_what_it_should_be(hostile, kind, changes):
    """A node with a changed program signs any header with its own key: never an error of ours."""
    made, home, members = hostile
    path = made.shared / f"{kind}_{TWO}.pool"
    whole = path.read_bytes()
    header = {**json.loads(whole.split(b"\n", 1)[0]), **changes}
    body = whole[whole.index(b"\n") + 1 : -keys.SIGNATURE_BYTES]
    try:
        signed = {name: value for name, value in header.items() if name not in ("bytes", "schema")}
        write_signed(path, signed, len(body), [body], home.signing_key)
        sums = SecretsAtHome(made.data("TRUSTEE") / "pool_results")
        with contextlib.suppress(FaultyInputError):
            found = members_of(sums, members.invitation, "TRUSTEE", made.shared)
            contribution.summed(sums, found, contribution.contributions_of(found, made.shared))
    finally:
        path.write_bytes(whole)


@pytest.fixture(scope="module")
def hostile(stages, tmp_path_factory):
    root = tmp_path_factory.mktemp("hostile") / "copy"
    shutil.copytree(stages / "contributed", root)
    made = Parties(root, None, None)
    home = SecretsAtHome(made.data(TWO) / "pool_results")
    return made, home, members_of(home, Invitation.read(made.shared / "invitation.json"), TWO, made.shared)


# Points of order 1, 2, 4 and 8 on Curve25519 and its twist, and two of them not reduced (RFC 7748, 6.1).
LOW_ORDER = (
    "00" * 32,
    "01" + "00" * 31,
    "ec" + "ff" * 30 + "7f",
    "ed" + "ff" * 30 + "7f",
    "ee" + "ff" * 30 + "7f",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
)


@each("point", LOW_ORDER)
def test_a_public_key_of_which_nothing_secret_follows(point, at):
    """The shared secret would be zero for everybody. Whoever joins, or runs any other command, hears whose it is."""
    made = at("joined", point[:4] + point[-4:])
    home = SecretsAtHome(made.data(TWO) / "pool_results")
    path = made.shared / f"joined_{TWO}.pool"
    header = json.loads(path.read_bytes().split(b"\n", 1)[0])
    said = {name: header[name] for name in ("kind", "invitation", "party", "signs")} | {"exchanges": point}
    write_signed(path, said, 0, [], home.signing_key)
    for command in ("invite", "contribute"):
        is_refused(made, ONE, command, words=f"{path.name}: a public key that keeps nothing secret")


@each("point", LOW_ORDER)
def test_a_contribution_that_is_sealed_by_such_a_key(point, at):
    made = at("contributed", point[:4] + point[-4:])
    home = SecretsAtHome(made.data(TWO) / "pool_results")
    path = made.shared / f"contribution_{TWO}.pool"
    line, rest = path.read_bytes().split(b"\n", 1)
    header = {name: value for name, value in json.loads(line).items() if name not in ("bytes", "schema")}
    body = rest[: -keys.SIGNATURE_BYTES]
    write_signed(path, {**header, "opens_with": point}, len(body), [body], home.signing_key)
    is_refused(made, "TRUSTEE", "sum", words=f"{path.name}: without a key that opens it; ask {TWO}")


@each("key", ["signs", "exchanges"])
def test_two_parties_with_one_key(key, at):
    """A pilot's folder that was copied to another hospital with all its keys, or a party that plays two."""
    made = at("joined", key)
    one, two = (json.loads((made.shared / f"joined_{name}.pool").read_bytes().split(b"\n", 1)[0]) for name in NODES[:2])
    said = {name: two[name] for name in ("kind", "invitation", "party", "signs", "exchanges")} | {key: one[key]}
    signer = SecretsAtHome(made.data(ONE if key == "signs" else TWO) / "pool_results").signing_key
    write_signed(made.shared / f"joined_{TWO}.pool", said, 0, [], signer)
    is_refused(made, THREE, "contribute", words=f"{TWO} has a key of {ONE}; each party makes its own")


def test_a_signature_with_another_s_is_none(at):
    """Ed25519 without the bound of RFC 8032, 5.1.7 would take S + L for S: a second signature without the key."""
    order = 2**252 + 27742317777372353535851937790883648493
    made = at("contributed")
    path = made.shared / f"contribution_{TWO}.pool"
    whole = path.read_bytes()
    larger = int.from_bytes(whole[-32:], "little") + order
    path.write_bytes(whole[:-32] + larger.to_bytes(32, "little"))
    is_refused(made, "TRUSTEE", "sum", words="changed since it was signed")


def space_of_config() -> CellSpace:
    return CellSpace.of(validate_config(CONFIG, None, READERS))


def test_counts_that_overflow(at):
    """A node with a changed program sends 2**53 people: the sum is no table of counts, and nothing is written."""
    made = at("joined")
    made.contribute((ONE, TWO), made.check)
    home = SecretsAtHome(made.data(THREE) / "pool_results")
    members = members_of(home, Invitation.read(made.shared / "invitation.json"), THREE, made.shared)
    cells = np.zeros((members.invitation.space.n_classes, members.invitation.space.width), dtype=COUNT)
    cells[0, -1] = 2**53
    contribution.contribute(home, members, THREE, cells, made.shared)
    is_refused(made, "TRUSTEE", "sum", words="the sum of the contributions is no table of counts")


def test_masks_that_do_not_cancel_out_are_no_counts():
    space = space_of_config()
    cells = np.zeros((space.n_classes, space.width), dtype=COUNT)
    check_sum(space, cells)
    cells[3, 1] = 1  # somebody with a value, whom no pattern of gaps counts
    with pytest.raises(FaultyInputError, match="no table of counts"):
        check_sum(space, cells)
    keys.add_mask(cells.reshape(-1), keys.new_key(), is_added=True)
    with pytest.raises(FaultyInputError, match="no table of counts"):
        check_sum(space, cells)


# ---------------------------------------------------------------- reading


def test_there_is_no_answer_yet(at):
    is_refused(at("contributed"), ONE, "read", words="TRUSTEE writes it once all nodes have contributed")


@each("place", [20, 400, -70, -10])
def test_a_changed_answer(place, at):
    made = at("summed", f"changed {place}")
    path = made.shared / "answer.pool"
    whole = path.read_bytes()
    path.write_bytes(changed(whole, place % len(whole)))
    is_refused(made, ONE, "read", words=path.name)
    assert not (made.data(ONE) / "pool_results" / "pool_people.csv").exists()


def test_the_answer_of_another_round(at):
    made = at("summed")
    answer = (made.shared / "answer.pool").read_bytes()
    shutil.rmtree(made.shared)
    made.invite([*NODES, "TRUSTEE"])
    (made.shared / "answer.pool").write_bytes(answer)
    is_refused(made, ONE, "read", words="of another round")


@each("figures", [None, {}, {"recoding": {}, "text": ""}, {"k_anonymity": 1}])
def test_an_answer_of_another_version_of_the_program(figures, at):
    made = at("summed", f"figures {figures}")
    home = SecretsAtHome(made.data("TRUSTEE") / "pool_results")
    path = made.shared / "answer.pool"
    line, rest = path.read_bytes().split(b"\n", 1)
    header = {name: value for name, value in json.loads(line).items() if name not in ("bytes", "schema")}
    body = rest[: -keys.SIGNATURE_BYTES]
    write_signed(path, {**header, "figures": figures}, len(body), [body], home.signing_key)
    is_refused(made, ONE, "read", words="all other parties need the same version of this program")


def test_keys_that_somebody_exchanged_after_the_contributions(at):
    """Mallory puts her key in place of the sum's, once all compared the check, and signs an answer of her own."""
    made = at("summed")
    invitation, stranger = Invitation.read(made.shared / "invitation.json"), SecretsAtHome(made.root / "m" / "results")
    (made.shared / "joined_TRUSTEE.pool").unlink()
    join(stranger, invitation, "TRUSTEE", made.shared)
    mine = SecretsAtHome(made.data(ONE) / "pool_results")
    path = made.shared / "answer.pool"
    line, rest = path.read_bytes().split(b"\n", 1)
    body = rest[: -keys.SIGNATURE_BYTES]
    header = json.loads(line) | {"round": members_of(mine, invitation, ONE, made.shared).round_id.hex()}
    write_signed(path, header, len(body), [body], stranger.signing_key)
    is_refused(made, ONE, "read", words="the keys of the round changed since this hospital contributed")
    is_refused(made, ONE, "contribute", words="the keys of the round changed since this hospital contributed")
    assert not (made.data(ONE) / "pool_results" / "pool_people.csv").exists()


def test_other_people_than_those_of_the_contribution(at):
    """Of a class that was empty then, the node would take chance for flags."""
    made = at("summed")
    made.settle(CONFIG, {ONE: frame(9)})
    is_refused(made, ONE, "read", words="the data are not those of the contribution")


def test_a_signature_of_somebody_else(at):
    """The sum's place is taken by a node that signs an answer of its own."""
    made = at("summed")
    line, rest = (made.shared / "answer.pool").read_bytes().split(b"\n", 1)
    (made.shared / "answer.pool").write_bytes(line.replace(b'"TRUSTEE"', b'"BERLIN"') + b"\n" + rest)
    is_refused(made, ONE, "read", words="answer.pool: changed since it was signed")


# ---------------------------------------------------------------- without the package


def test_without_the_package_the_command_says_what_to_install(at):
    """And whatever else reads the config does without it."""
    made = at("settled")
    without = "import sys; sys.modules['cryptography'] = None; "
    line = "from disclosure_control import pool; sys.exit(pool.main(sys.argv[1:]))"
    environment = {**os.environ, **made.environment(ONE)}
    command = [sys.executable, "-c", without + line, "invite", STUDY, "--node", ONE]
    done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == REFUSED
    assert "install requirements/pool.txt" in done.stderr
    reading = "from disclosure_control.steps import READERS; import disclosure_control.pooling.settings"
    subprocess.run([sys.executable, "-c", without + reading], cwd=PROJECT, check=True)


# ---------------------------------------------------------------- what stays at home


def test_no_secret_and_no_value_travels(at):
    made = at("summed")
    shared = b"".join(files_in(made.shared).values())
    for party in (*NODES, "TRUSTEE"):
        kept = files_in(made.kept(party))
        secrets = [kept["signing_key"]]
        for name, content in kept.items():
            secrets += [content[:32], content[32:]] if name.endswith("_keys") else []
        assert len(secrets) == 3
        assert not [one for one in secrets if one in shared or one.hex().encode() in shared]
    ids = [f"{node}-{i:05}".encode() for node in NODES for i in range(12)]
    assert not [one for one in ids if one in shared]


def test_what_is_kept_and_written_is_readable_by_its_owner_alone(at):
    made = at("summed")
    assert made.run(ONE, "read") == 0
    for path in [made.kept(ONE), made.data(ONE) / "pool_results"]:
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    kept = [*made.kept(ONE).iterdir(), *made.kept("TRUSTEE").iterdir()]
    for path in [*kept, *(made.data(ONE) / "pool_results").iterdir()]:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path.name


def test_reading_again_gives_the_same_people(at):
    made = at("summed")
    tables = []
    for _ in range(2):
        assert made.run(ONE, "read") == 0
        tables.append(pd.read_csv(made.data(ONE) / "pool_results" / "pool_people.csv"))
    pd.testing.assert_frame_equal(*tables)


def test_the_report_says_which_figures_count(at):
    made = at("summed")
    assert made.run(ONE, "read") == 0
    assert "The pool's figures count, because the hospital leaves no trace." in made.said


@each(
    "pool, words",
    [
        ({"hospital_columns": ["SEX"]}, "because the column SEX leaves and tells the hospital"),
        ({"shared_patients": "some, by name"}, "nobody declared that there is none"),
        ({"counts": "home, because of the law"}, "because of the law"),
    ],
)
def test_when_the_home_figures_count(pool, words):
    config = validate_config(config_with(**pool), None, READERS)
    assert words in config.settings["pool"].why_home_counts
