"""Secret keys, and what is derived from them: the pseudonym of an id, the days by which a person's dates move.

Keys are read from the environment or a file, never from the config. Nothing here writes a key, and no message contains
one.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import re
import secrets
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log2
from pathlib import Path
from string import ascii_letters, printable

import numpy as np

from disclosure_control.basics.settings.kinds import Kind, Place
from disclosure_control.basics.telling.faults import FaultyInputError

SHORTEST_KEY, LONGEST_KEY = 16, 4096  # bytes
LEAST_BITS = 48  # keys as the message makes them, half as long too, have far more
LONGEST_LOOK = 200  # characters
BITS_PER_PART, BITS_PER_LETTER = 6.0, 1.5
WORD = r"[A-Z][a-z]{2,}|[a-z]{3,}|[A-Z]{3,}|[^\W\d_a-zA-Z]{2,}"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,40}")
MAKE_A_KEY = "python -c 'import secrets; print(secrets.token_hex(32))'"
ALLOWED = '{"environment": "NAME"}, or {"file": "/path/of/the/key"}'


def _faults_of_key(key_from: object, place: Place) -> list[str]:
    """Faults of the place of a key, and of the key there; none shows the key."""
    try:
        read_key(key_from)
    except FaultyInputError as error:
        return [fault.replace("key_from", place.name, 1) for fault in error.faults]
    return []


KEY_FROM = Kind(lambda value: True, ALLOWED, dict, within=_faults_of_key)


def read_key(key_from: object, folder: Path | None = None) -> bytes:
    """The key that a config names. Raises ``FaultyInputError``, which never shows a key.

    A key beside the data that it protects protects nothing: in the pilot's ``folder`` it is a fault.
    """
    where = _place(key_from)
    if where is None:
        raise FaultyInputError(f"key_from: allowed: {ALLOWED}; never write the key itself into a config")
    kind, name = where
    key = _from_environment(name) if kind == "environment" else _from_file(name, folder)
    if len(key) < SHORTEST_KEY:
        raise FaultyInputError(
            f"key_from: the key has {len(key)} bytes; allowed: {SHORTEST_KEY} or more; make one with "
            'python -c "import secrets; print(secrets.token_hex(32))"'
        )
    if estimated_bits(key) < LEAST_BITS:
        raise FaultyInputError(
            "key_from: the key has too little variety (words, repeats or sequences can be guessed); make one with "
            'python -c "import secrets; print(secrets.token_hex(32))"'
        )
    return key


def estimated_bits(key: bytes) -> float:
    """A lower estimate of the randomness of a key, in bits, for an attacker who tries what people choose.

    A part that occurred in the key before, and letters or digits in even steps (1111, abcd), cost a guesser
    ``BITS_PER_PART``, a letter of a likely word ``BITS_PER_LETTER`` (Shannon 1951 found 1 to 2 in English), another
    character the logarithm of the number of its kind. Source: the idea of zxcvbn, Wheeler 2016, without its lists of
    words, so a list that contains the key is not noticed.
    """
    try:
        text = key.decode()[:LONGEST_LOOK]
    except UnicodeDecodeError:
        text = key.decode("latin-1")[:LONGEST_LOOK]
    in_word = {i for word in re.finditer(WORD, text) for i in range(*word.span())}
    bits, i = 0.0, 0
    while i < len(text):
        # Of a longer part that follows, the first four characters do, too: most places are looked at once.
        lengths = range(len(text) - i, 3, -1) if _follows(text, i, 4) else ()
        n_followed = next((n for n in lengths if _follows(text, i, n)), 0)
        if n_followed:
            bits, i = bits + BITS_PER_PART, i + n_followed
        else:
            bits += BITS_PER_LETTER if i in in_word else _bits_of(text[i])
            i += 1
    return bits


def _follows(text: str, start: int, n: int) -> bool:
    """Whether ``n`` characters from ``start`` occurred before, or continue in even steps."""
    part = text[start : start + n]
    steps = {ord(after) - ord(before) for before, after in pairwise(part)}
    return part in text[: start + n - 1] or steps in ({0}, {1}, {-1})


def _bits_of(character: str) -> float:
    kinds = {" -_.": 1.0, "0123456789": log2(10), ascii_letters: log2(26), printable: 5.0}
    return next((bits for characters, bits in kinds.items() if character in characters), 7.0)


def _place(key_from: object) -> tuple[str, str] | None:
    if not isinstance(key_from, dict) or len(key_from) != 1:
        return None
    ((kind, name),) = key_from.items()
    return (
        (kind, name)
        if kind in ("environment", "file") and isinstance(name, str) and name and name.isprintable()
        else None
    )


def names_of_keys(config: object) -> list[str]:
    """The environment variables that a config names for keys, each once."""
    found: dict[str, None] = {}
    below = [config]
    while below:
        one = below.pop()
        if isinstance(one, Mapping):
            name = one.get("environment")
            found |= {name: None} if len(one) == 1 and isinstance(name, str) and name else {}
            below += one.values()
        elif isinstance(one, list | tuple):
            below += one
    return sorted(found)


@contextlib.contextmanager
def with_keys_to_come(config: object) -> Iterator[None]:
    """A block in which keys of the environment that a config names, and that are not set yet, are no fault."""
    missing = [name for name in names_of_keys(config) if not os.environ.get(name)]
    os.environ.update(dict.fromkeys(missing, secrets.token_hex(32)))
    try:
        yield
    finally:
        for name in missing:
            del os.environ[name]


def command_to_set(name: str) -> str:
    """The command that sets an environment variable to a new key."""
    if os.name == "nt":
        return f"$env:{name} = {MAKE_A_KEY}"
    return f'export {name}="$({MAKE_A_KEY})"'


def _from_environment(name: str) -> bytes:
    if not os.environ.get(name):
        # A name that looks like a key may be one, written there by mistake.
        is_a_name = _VARIABLE.fullmatch(name) and estimated_bits(name.encode()) < LEAST_BITS
        called = f"{name}, the named environment variable," if is_a_name else "the named environment variable"
        how = f"; {command_to_set(name)}" if is_a_name else ""
        raise FaultyInputError(f"key_from: {called} is not set; set it before the run{how}, or name a file")
    key = os.fsencode(os.environ[name])  # a key may be any bytes, not only UTF-8
    if key != key.strip():
        raise FaultyInputError(
            "key_from: the key begins or ends with white space, which would be part of it, and give other pseudonyms "
            'than the same key without; set it without, such as by export NAME="$(cat /path/of/the/key)"'
        )
    return key


def _from_file(name: str, folder: Path | None) -> bytes:
    path = Path(name).expanduser()
    if not path.is_absolute():
        raise FaultyInputError("key_from: the path of the key file is not absolute; write an absolute one")
    if folder is not None and path.resolve().is_relative_to(folder.resolve()):
        raise FaultyInputError("key_from: the key file is in the pilot's folder; move it out of this folder")
    if os.name == "posix" and path.is_file() and path.stat().st_mode & stat.S_IRWXO:
        raise FaultyInputError("key_from: other users of this machine may read the key file; chmod 600 it")
    if path.exists() and not path.is_file():  # a device or a pipe may have no end
        raise FaultyInputError("key_from: the path of the key file is not a regular file; create one")
    try:
        with path.open("rb") as file:
            key = file.read(LONGEST_KEY + 1)
    except OSError:
        raise FaultyInputError("key_from: the key file cannot be read; create it, or correct the path") from None
    if len(key) > LONGEST_KEY:
        raise FaultyInputError(
            f"key_from: the key file has more than {LONGEST_KEY} bytes; allowed: {SHORTEST_KEY} to "
            f"{LONGEST_KEY}; name a file that contains only the key"
        )
    return key.strip()


# ---------------------------------------------------------------- what is derived from a key


@dataclass(frozen=True)
class Release:
    """The release ``name`` of a ``pilot``, within which an id has one pseudonym and a person one offset.

    Another pilot or release gives others, so that two files cannot be joined by them.
    """

    pilot: str
    name: str


UNNAMED = Release("", "")  # in a notebook, and where nothing is released


BITS_OF_NUMBER = 53  # the largest whole number that every program reads exactly


def pseudonyms_of(
    key: bytes, release: Release, ids: Sequence[str], length: int = 16, as_numbers: bool = False
) -> list[str]:
    """The pseudonym of each original id (n,): the first ``length`` hexadecimal digits, at most 64, of its digest.

    ``as_numbers``: whole numbers of at most 53 bits instead, for databases whose ids are numbers. Equal ids have equal
    pseudonyms within the release. Source: RFC 2104; ENISA 2019, Pseudonymisation techniques and best practices,
    section 5; domains of their own per recipient: EDPB 2025, Guidelines 01/2025 on pseudonymisation.
    """
    found = digests(key, "id", release, ids)
    if as_numbers:
        return [str(int.from_bytes(digest[:8]) >> (64 - BITS_OF_NUMBER)) for digest in found]
    return [digest.hex()[:length] for digest in found]


def offsets_of(key: bytes, release: Release, ids: Sequence[str], days: int) -> np.ndarray:
    """Days (n,) by which the dates of each person move, -``days`` to -1 or 1 to ``days``, by the original id."""
    numbers = [int.from_bytes(digest) % (2 * days) for digest in digests(key, "date", release, ids)]
    offsets = np.array(numbers, dtype=np.int64)
    return np.where(offsets < days, offsets - days, offsets - days + 1)


def digests(key: bytes, purpose: str, release: Release, texts: Iterable[str]) -> list[bytes]:
    """HMAC-SHA-256 of each text under the key; ``purpose`` and ``release`` keep different uses apart."""
    words = (purpose, release.pilot, release.name)
    start = hmac.new(key, b"".join(word.encode() + b"\0" for word in words), hashlib.sha256)
    found = []
    for text in texts:
        state = start.copy()
        state.update(text.encode())
        found.append(state.digest())
    return found
