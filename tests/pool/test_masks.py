"""What travels looks like chance, never twice the same, and tells those who collude no more than they must know."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from disclosure_control.pooling import contribution, keys
from disclosure_control.pooling.answer import read_answer
from disclosure_control.pooling.cells import COUNT
from disclosure_control.pooling.invitation import Invitation
from disclosure_control.pooling.parties import RoundMembers, SecretsAtHome, join, members_of
from tests.examples import examples
from tests.pool.nodes import FIVE, STUDY, WHY

# 5 x 101 x 8 x 2 classes of 4 counts, of which a hospital has people in a few: nearly all that is masked is zero.
CONFIG = {
    "categorical_qis": ["A", "B", "C"],
    "continuous_qis": [],
    "binning_config": {},
    "sensitive_feature": "S",
    "K": 3,
    "L": 2,
    "T": 0.5,
    "pool": {
        **WHY,
        "nodes": list(FIVE),
        "sums": "TRUSTEE",
        "categories": {
            "A": ["a1", "a2", "a3", "a4"],
            "B": [f"b{i}" for i in range(100)],
            "C": [f"c{i}" for i in range(15)],
            "S": ["s1", "s2"],
        },
    },
}
TWICE_IN_A_MILLION = 2e-6


@dataclass
class Round:
    """A round whose parties are in this process; ``tables`` are what each hospital counts."""

    members: RoundMembers
    homes: dict[str, SecretsAtHome]
    tables: dict[str, np.ndarray]
    shared: object

    @property
    def space(self):
        return self.members.invitation.space

    def opened(self, node: str) -> tuple[np.ndarray, np.ndarray]:
        """What the party that sums sees of a node: the masked numbers (n_cells,), and the pads (n_classes, 1)."""
        file = contribution.contributions_of(self.members, self.shared)[node]
        pieces = contribution.opened_contribution(self.homes["TRUSTEE"], self.members, node, file)
        content = np.concatenate([*pieces])
        n_bytes = self.space.n_cells * COUNT.itemsize
        return content[:n_bytes].view(COUNT), content[n_bytes:].reshape(self.space.n_classes, -1)


def a_round(folder, tables: dict[str, np.ndarray] | None = None) -> Round:
    invitation = Invitation.of(STUDY, CONFIG)
    shared = folder / "shared"
    shared.mkdir(parents=True)
    homes = {name: SecretsAtHome(folder / name / "pool_results") for name in (*FIVE, "TRUSTEE")}
    for name, home in homes.items():
        join(home, invitation, name, shared)
    space = invitation.space
    if tables is None:
        chance = np.random.default_rng(1)
        tables = {}
        for node in FIVE:
            cells = np.zeros((space.n_classes, space.width), dtype=COUNT)
            for row in chance.integers(0, space.n_classes, 50):
                cells[row, 0] += 1
                cells[row, 3] += 1
            tables[node] = cells
    members = members_of(homes["TRUSTEE"], invitation, "TRUSTEE", shared)
    for node in FIVE:
        contribution.contribute(homes[node], members, node, tables[node].copy(), shared)
    return Round(members, homes, tables, shared)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return a_round(tmp_path_factory.mktemp("masks"))


def body_of(made: Round, node: str) -> np.ndarray:
    file = contribution.contributions_of(made.members, made.shared)[node]
    return np.frombuffer(b"".join(file.pieces()), dtype=np.uint8)


def chance_of(bytes_seen: np.ndarray) -> float:
    """The p value of these bytes if all are as probable."""
    return float(chisquare(np.bincount(bytes_seen, minlength=256)).pvalue)


# ---------------------------------------------------------------- chance


def test_the_bytes_of_a_contribution_are_uniform(made):
    for node in FIVE:
        sealed, (masked, pads) = body_of(made, node), made.opened(node)
        assert chance_of(made.tables[node].reshape(-1).view(np.uint8)) < TWICE_IN_A_MILLION  # what is masked is not
        for seen in (sealed, masked.view(np.uint8), pads.reshape(-1)):
            assert len(seen) > 5 * 256
            assert chance_of(seen) > TWICE_IN_A_MILLION


def test_pads_are_uniform_where_a_node_has_people_and_where_not(made, tmp_path):
    """From the pads nobody can tell where a hospital has people: here in every second class."""
    rows = np.zeros((made.space.n_classes, made.space.width), dtype=COUNT)
    rows[::2, [0, 3]] = 1
    other = a_round(tmp_path, dict.fromkeys(FIVE, rows))
    _, pads = other.opened(FIVE[0])
    assert chance_of(pads[::2].reshape(-1)) > TWICE_IN_A_MILLION
    assert chance_of(pads[1::2].reshape(-1)) > TWICE_IN_A_MILLION
    assert chance_of((pads[::2] ^ pads[1::2]).reshape(-1)) > TWICE_IN_A_MILLION


def blocks_of(content: np.ndarray, size: int = 16) -> list[bytes]:
    return [content[i : i + size].tobytes() for i in range(0, len(content) - size + 1, size)]


def test_no_block_is_sent_twice_in_rounds_with_equal_counts(made, tmp_path):
    again = a_round(tmp_path, made.tables)
    sent: list[bytes] = []
    for one, node in itertools.product((made, again), FIVE):
        sent += blocks_of(body_of(one, node))
        sent += blocks_of(one.opened(node)[0].view(np.uint8))
    assert len(sent) > 2 * 5 * 2 * 1000
    assert len(set(sent)) == len(sent)


def test_the_sum_is_that_of_the_tables(made):
    files = contribution.contributions_of(made.members, made.shared)
    cells, _ = contribution.summed(made.homes["TRUSTEE"], made.members, files)
    assert (cells == sum(made.tables.values())).all()


# ---------------------------------------------------------------- the masks themselves


def test_the_stream_is_that_of_rfc_8439():
    """Appendix A.1, test vector 1: key, counter and nonce of zeros."""
    expected = "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
    assert keys.random_bytes(bytes(32), 32).tobytes().hex() == expected


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=40), st.binary(min_size=32, max_size=32), st.booleans())
@examples(60)
def test_a_mask_is_added_modulo_2_to_the_64(numbers, key, is_added):
    masked = np.array(numbers, dtype=COUNT)
    keys.add_mask(masked, key, is_added)
    stream = keys.random_bytes(key, 8 * len(numbers)).tobytes()
    masks = [int.from_bytes(stream[8 * i : 8 * i + 8], "little") for i in range(len(numbers))]
    sign = 1 if is_added else -1
    assert masked.tolist() == [(n + sign * mask) % 2**64 for n, mask in zip(numbers, masks, strict=True)]
    keys.add_mask(masked, key, not is_added)
    assert masked.tolist() == numbers


def test_a_long_mask_is_one_stream():
    n = keys.PIECE_BYTES // 8 * 2 + 3
    masked = np.zeros(n, dtype=COUNT)
    key = bytes(range(32))
    keys.add_mask(masked, key, is_added=True)
    assert masked.tobytes() == keys.random_bytes(key, 8 * n).tobytes()


def test_keys_differ_by_round_purpose_and_names():
    one, other = keys.new_key(), keys.new_key()
    derived = {
        keys.shared_key(one, keys.public_key(other), round_id, *words)
        for round_id in (b"1" * 32, b"2" * 32)
        for words in (("mask", "A", "B"), ("mask", "AB", ""), ("mask", "A", "C"), ("seal", "A"))
    }
    assert len(derived) == 8
    same = keys.shared_key(other, keys.public_key(one), b"1" * 32, "seal", "A")
    assert same == keys.shared_key(one, keys.public_key(other), b"1" * 32, "seal", "A")


# ---------------------------------------------------------------- parties that collude

COLLUDING, REST = FIVE[:3], FIVE[3:]
PAIRS = [*itertools.combinations(sorted(FIVE), 2)]
UNKNOWNS = [*FIVE, *PAIRS]  # the number in one cell of each table, and of each mask


def equations(known_masks, known_tables) -> np.ndarray:
    """What is known of one cell, a row each: every contribution, and what the colluding parties have themselves."""
    rows = []
    for node in FIVE:
        rows.append([int(one == node) if one in FIVE else (node == one[0]) - (node == one[1]) for one in UNKNOWNS])
    rows += [[int(one == known) for one in UNKNOWNS] for known in (*known_tables, *known_masks)]
    return np.array(rows)


def follows(wanted: dict, rows: np.ndarray) -> bool:
    """Whether a sum of unknowns follows from the equations: it is in the space of their rows."""
    row = [[wanted.get(one, 0) for one in UNKNOWNS]]
    return np.linalg.matrix_rank(np.vstack([rows, row])) == np.linalg.matrix_rank(rows)


def test_the_equations_are_those_of_the_program(made):
    """Each contribution, as who sums opens it, is its table plus and minus the masks of its pairs, modulo 2**64."""
    masks = {}
    for low, high in PAIRS:
        exchange, _ = made.homes[low].round_keys(made.members.invitation.number)
        key = keys.shared_key(exchange, made.members.exchange_key(high), made.members.round_id, "mask", low, high)
        masks[low, high] = keys.random_bytes(key, made.space.n_cells * 8).view(COUNT)
    for node, row in zip(FIVE, equations([], []), strict=True):
        expected = np.zeros(made.space.n_cells, dtype=COUNT)
        for sign, unknown in zip(row, UNKNOWNS, strict=True):
            known = made.tables[unknown].reshape(-1) if unknown in FIVE else masks[unknown]
            expected = expected + known if sign > 0 else expected - known if sign < 0 else expected
        assert (made.opened(node)[0] == expected).all(), node


def test_n_minus_2_colluding_parties_and_the_sum_learn_the_sum_of_the_other_two_alone():
    """By solving: unknown are five tables and ten masks; colluding nodes know their tables and every mask of theirs."""
    rows = equations([pair for pair in PAIRS if set(pair) & set(COLLUDING)], COLLUDING)
    assert follows(dict.fromkeys(REST, 1), rows)
    for node in REST:
        assert not follows({node: 1}, rows)
    assert not follows({REST[0]: 1, REST[1]: -1}, rows)


def test_with_n_minus_1_nothing_would_be_left_to_hide():
    rows = equations([pair for pair in PAIRS if pair != tuple(sorted(REST))], FIVE[:4])
    assert follows({FIVE[4]: 1}, rows)


def test_the_party_that_sums_alone_learns_the_sum_of_all_alone():
    rows = equations([], [])
    assert follows(dict.fromkeys(FIVE, 1), rows)
    for n in range(1, 5):
        for some in itertools.combinations(FIVE, n):
            assert not follows(dict.fromkeys(some, 1), rows), some


def test_every_division_between_the_other_two_fits_what_was_sent(made):
    """By construction: whatever moves from one table to the other, a mask of the two exists that hides it."""
    chance = np.random.default_rng(2)
    low, high = sorted(REST)
    sent = {node: made.opened(node)[0] for node in REST}
    exchange, _ = made.homes[low].round_keys(made.members.invitation.number)
    key = keys.shared_key(exchange, made.members.exchange_key(high), made.members.round_id, "mask", low, high)
    mask = keys.random_bytes(key, made.space.n_cells * 8).view(COUNT)
    for _ in range(20):
        moved = chance.integers(0, 2**64, made.space.n_cells, dtype=np.uint64)
        other = {low: made.tables[low].reshape(-1) + moved, high: made.tables[high].reshape(-1) - moved}
        other_mask = mask - moved
        assert (other[low] + other_mask == made.tables[low].reshape(-1) + mask).all()
        assert (other[high] - other_mask == made.tables[high].reshape(-1) - mask).all()
    known = sum(made.tables[node].reshape(-1) for node in COLLUDING)
    total = sum(made.opened(node)[0] for node in FIVE)
    assert (total - known == sum(made.tables[node].reshape(-1) for node in REST)).all()
    assert not any((sent[node] == made.tables[node].reshape(-1)).any() for node in REST)


# ---------------------------------------------------------------- flags


def test_a_node_reads_the_flags_of_its_own_classes_and_chance_elsewhere(parties):
    """Nearly all classes are risky in the pool, or have nobody: in clear these are bytes of few kinds."""
    chance = np.random.default_rng(3)
    names = ["A", "B", "C"]
    frames = {
        node: pd.DataFrame({name: chance.choice(CONFIG["pool"]["categories"][name], 40) for name in (*names, "S")})
        for node in FIVE
    }
    parties.settle({**CONFIG, "recommend": {"time_limit": 1}}, {**frames, "TRUSTEE": None})
    parties.whole_round(FIVE, "TRUSTEE")
    home = SecretsAtHome(parties.data(FIVE[0]) / "pool_results")
    members = members_of(home, Invitation.read(parties.shared / "invitation.json"), FIVE[0], parties.shared)
    space = members.invitation.space
    answer = read_answer(members, parties.shared)
    read = answer.flags_of(home, members, FIVE[0], np.arange(space.n_classes)).reshape(-1)
    own = np.zeros(space.n_classes, dtype=bool)
    declared = {name: CONFIG["pool"]["categories"][name] for name in names}
    codes = [frames[FIVE[0]][name].map(declared[name].index).to_numpy() for name in names]
    own[((codes[0] + 1) * 101 + codes[1] + 1) * 16 + codes[2] + 1] = True
    assert own.sum() >= 38
    assert (read[own] & 1).all()  # by k, which is 3, where nearly all are alone
    assert chance_of(read[~own]) > TWICE_IN_A_MILLION
    assert len(read[~own]) > 5 * 256


def test_a_node_cannot_open_again_what_it_sealed(made):
    """The key that sealed a contribution is forgotten: none that the node keeps opens it."""
    node, masked = FIVE[0], made.opened(FIVE[0])[0]
    file = contribution.contributions_of(made.members, made.shared)[node]
    sealed = np.frombuffer(b"".join(file.pieces()), dtype=np.uint8)[: masked.nbytes]
    publics = [bytes.fromhex(file.header["opens_with"]), *(made.members.exchange_key(name) for name in made.homes)]
    for private, public in itertools.product(made.homes[node].round_keys(made.members.invitation.number), publics):
        key = keys.shared_key(private, public, made.members.round_id, "seal", node)
        opened = sealed ^ keys.random_bytes(key, len(sealed))
        assert not (opened.view(COUNT) == masked).any()


def test_what_a_node_keeps_of_its_counts_is_a_keyed_hash(made):
    home, number = made.homes[FIVE[0]], made.members.invitation.number
    sent = json.loads(home.read(f"{number}_sent"))
    assert set(sent) == {"round", "counts"}
    assert len(sent["counts"]) == 64
