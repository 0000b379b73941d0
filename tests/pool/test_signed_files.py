"""Files that travel are whole or not there: while one is written, and when writing it fails."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.pooling import keys, signed_files
from disclosure_control.pooling.signed_files import read_signed, write_signed
from tests.examples import examples

KEY = bytes(range(32))


def read(path):
    return read_signed(path, "test", lambda header: keys.signers_key(KEY))


@given(st.binary(max_size=300), st.dictionaries(st.text("ab", min_size=1, max_size=3), st.integers()))
@examples(60)
def test_what_is_written_is_read(tmp_path, body, more):
    path = tmp_path / "file.pool"
    write_signed(path, {**more, "kind": "test"}, len(body), [body], KEY)
    found = read(path)
    assert b"".join(found.pieces()) == body
    assert {name: found.header[name] for name in more} == more
    half = len(body) // 2
    assert found.part(half, len(body) - half) == body[half:]
    assert found.part(half // 2, half) == body[half // 2 : half // 2 + half]


def test_a_part_may_lie_in_several_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(signed_files, "PIECE_BYTES", 7)
    path, body = tmp_path / "file.pool", bytes(range(100))
    write_signed(path, {"kind": "test"}, 100, [body], KEY)
    for first, n_bytes in ((0, 100), (3, 30), (7, 7), (99, 1), (50, 0)):
        assert read(path).part(first, n_bytes) == body[first : first + n_bytes]


def test_a_file_that_is_changed_between_its_check_and_its_use(tmp_path):
    """By somebody with whom the folder is shared, who waits for the signature to be checked."""
    path = tmp_path / "file.pool"
    write_signed(path, {"kind": "test"}, 40, [bytes(40)], KEY)
    whole, found = path.read_bytes(), read(path)
    for other in (whole[:-70] + b"1" + whole[-69:], whole[: found.start + 20], b"x" + whole[1:], b""):
        path.write_bytes(other)
        for use in (lambda: b"".join(found.pieces()), lambda: found.part(0, 3)):
            with pytest.raises(FaultyInputError, match="changed while it was read"):
                use()


def test_a_header_that_nobody_could_read_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(signed_files, "LONGEST_HEADER", 200)
    with pytest.raises(FaultyInputError, match="declare fewer or shorter ones"):
        write_signed(tmp_path / "file.pool", {"kind": "test", "more": "a" * 200}, 0, [], KEY)
    assert not [*tmp_path.iterdir()]


@given(st.data())
@examples(60)
def test_no_byte_can_be_changed_or_lost(tmp_path, data):
    path = tmp_path / "file.pool"
    write_signed(path, {"kind": "test"}, 40, [bytes(40)], KEY)
    whole = path.read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    if data.draw(st.booleans()):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ data.draw(st.integers(1, 255))]) + whole[place + 1 :])
    else:
        path.write_bytes(whole[:place])
    with pytest.raises(FaultyInputError, match=r"file\.pool"):
        read(path)


def test_a_file_that_could_not_be_finished_is_not_there(tmp_path):
    path = tmp_path / "file.pool"
    write_signed(path, {"kind": "test"}, 1, [b"1"], KEY)

    def pieces():
        yield b"2"
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space"):
        write_signed(path, {"kind": "test"}, 2, pieces(), KEY)
    assert b"".join(read(path).pieces()) == b"1"
    assert [one.name for one in tmp_path.iterdir()] == ["file.pool"]


def test_what_is_sealed_is_opened_by_sealing_it_again():
    chance = np.random.default_rng(0)
    numbers, pads = chance.integers(0, 9, 300_000, dtype=np.uint64), chance.integers(0, 9, 77, dtype=np.uint8)
    sealed = b"".join(keys.sealed(KEY, numbers, pads))
    opened = b"".join(keys.sealed(KEY, np.frombuffer(sealed, dtype=np.uint8)))
    assert opened == numbers.tobytes() + pads.tobytes()
