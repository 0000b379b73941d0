"""Whose pseudonyms each release has, kept beside the results: so they are found after a person left the pilot, too.

Each merge replaces the combined dataset, and without the original id nobody can calculate a pseudonym again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.run.beside import beside, put_beside

CUSTODY = "custody.json"
MOST_UNNAMED = 12  # releases whose config named none: each change of the data makes another one


@dataclass(frozen=True)
class KeptRelease:
    """A release by its ``name``: when it was last made, a keyed fingerprint of its ``key``, and the original ids.

    ``length``: that of the pseudonyms in a treated table. ``is_named``: by the config.
    """

    name: str
    when: str
    key: str
    length: int
    is_named: bool
    ids: tuple[str, ...] = field(repr=False)


def kept_releases(results: Path) -> list[KeptRelease]:
    """Every release that was kept, the last one last. Raises ``FaultyInputError`` where the file cannot be read."""
    path = beside(results) / CUSTODY
    if not path.is_file():
        return []
    try:
        return [KeptRelease(**{**one, "ids": tuple(one["ids"])}) for one in json.loads(path.read_bytes())]
    except (ValueError, KeyError, TypeError):
        raise FaultyInputError(f"{CUSTODY}: not as a run writes it; restore it from a backup, or delete it") from None


def keep_release(results: Path, made: KeptRelease) -> None:
    """Keep a release; one of the same name and key gets the further people."""
    kept = kept_releases(results)
    same = [one for one in kept if (one.name, one.key) == (made.name, made.key)]
    ids = dict.fromkeys(id for one in (*same, made) for id in one.ids)
    others = [one for one in kept if one not in same]
    unnamed = [one for one in others if not one.is_named][-MOST_UNNAMED + 1 :]
    found = [one for one in others if one.is_named or one in unnamed] + [replace(made, ids=tuple(ids))]
    if found != kept:
        put_beside(results, CUSTODY, json.dumps([asdict(one) for one in found], ensure_ascii=False).encode())


def other_key_notice(kept: Iterable[KeptRelease], name: str, key: str) -> str:
    """A question where the last release of this name had another key; "" where it had this one."""
    last = next((one for one in reversed(list(kept)) if one.name == name), None)
    if last is None or last.key == key:
        return ""
    return (
        f"The release {name!r} of {last.when[:10]} had another key: its people now have other pseudonyms and offsets. "
        "Is that intended? If so, give this release another name; if not, set the key of then."
    )
