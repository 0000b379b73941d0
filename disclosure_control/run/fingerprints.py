"""Fingerprints that distinguish files and disclose nothing of their content.

A SHA-256 of a small set is an oracle: an attacker who knows all of a file but one value tries values until the hash
fits. Files that are handed on therefore have the HMAC-SHA-256 of a file's SHA-256, under a random key that stays in the
pilot's folder, beside the results. The same file has the same fingerprint as long as that key exists.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.run.beside import beside, put_beside

KEY_FILE = ".hash_key"
KEY_DIGITS = 64
NO_KEY = (
    f"{KEY_FILE}: changed since a run wrote it; restore it from a copy, or delete it: earlier fingerprints can then no "
    "longer be checked"
)
KIND = "hmac-sha256:"
MEANING = (
    f'Every "sha256" is HMAC-SHA-256 of the SHA-256 (as bytes) of the file, under the key in {KEY_FILE} beside the '
    "results. A plain hash of a small file would let an attacker find values of people by trial."
)


def fingerprint(key: bytes, sha256: str) -> str:
    """The fingerprint, for hand-to-hand files, of the file with this SHA-256 in hexadecimal digits."""
    return KIND + hmac.new(key, bytes.fromhex(sha256), hashlib.sha256).hexdigest()


def fingerprint_of_json(value: object, key: bytes) -> str:
    """The fingerprint of what can be written as JSON, however it is spelt there."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return fingerprint(key, hashlib.sha256(text.encode()).hexdigest())


def with_fingerprints(entries: Mapping[str, Mapping[str, Any]], key: bytes) -> dict[str, dict[str, Any]]:
    """Entries of files by name, with a fingerprint in the place of each plain ``sha256``."""
    return {name: {**entry, "sha256": fingerprint(key, entry["sha256"])} for name, entry in entries.items()}


def known_key(folder: Path) -> bytes | None:
    """The key beside a results folder, 64 hexadecimal digits; None if no run has made one yet.

    Raises ``FaultyInputError`` if a run did not write the file in this form. The file is not changed: the earlier key
    may be recoverable from it, and a new key would make every earlier file look changed.
    """
    path = beside(folder) / KEY_FILE
    if not path.exists():
        return None
    key = path.read_bytes() if path.is_file() else b""
    if not re.fullmatch(rb"[0-9a-f]{%d}" % KEY_DIGITS, key):
        raise FaultyInputError(NO_KEY)
    return key


def key_of(folder: Path) -> bytes:
    """The same; where there is none yet it is made by chance, whole at once, in mode 0600."""
    return known_key(folder) or _new_key(folder)


def _new_key(folder: Path) -> bytes:
    key = secrets.token_hex(KEY_DIGITS // 2).encode()
    put_beside(folder, KEY_FILE, key)
    return key
