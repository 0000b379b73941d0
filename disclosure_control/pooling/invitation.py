"""The invitation to a round: one file with everything that all nodes must have in common, made from a config."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from config.model_settings import PilotConfig, validate_config
from disclosure_control import __version__
from disclosure_control.basics.settings.fields import settings_in
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.pooling.cells import CellSpace
from disclosure_control.pooling.keys import new_round
from disclosure_control.pooling.settings import PoolSettings
from disclosure_control.pooling.signed_files import SCHEMA, SHARED_MODE, canonical
from disclosure_control.run.beside import write_whole
from disclosure_control.steps import READERS

INVITATION = "invitation.json"
NOT_GIVEN = object()
NUMBER = re.compile(r"[0-9a-f]{32}")
VERSION = re.compile(r"\d{1,4}\.\d{1,4}\.\w{1,16}")
# The keys of a config that all nodes have in common; others, such as ``merge``, are a node's own.
COMMON_KEYS = (*settings_in(PilotConfig), "risk", "recommend", "pool")


@dataclass(frozen=True)
class Invitation:
    """A round by its random ``number``: the ``study``, and the part of the config that all nodes have in common.

    ``program``: the version of this program that made it.
    """

    study: str
    number: str
    literal: Mapping[str, Any] = field(repr=False)
    program: str = __version__

    @classmethod
    def of(cls, study: str, literal: Mapping[str, Any]) -> Invitation:
        """That to a new round. Raises ``FaultyInputError`` with every fault of the config."""
        made = cls(study, new_round(), common_part(literal))
        made.space  # noqa: B018 - checked before anybody is invited
        return made

    @classmethod
    def read(cls, path: Path) -> Invitation:
        """That of a shared folder. Raises ``FaultyInputError``."""
        if not path.is_file():
            raise FaultyInputError(
                f"{path.name}: not in {path.parent}; run invite first, or name the shared folder with --folder"
            )
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            read = cls(str(content["study"]), str(content["round"]), dict(content["config"]), str(content["program"]))
            is_ours = (content["kind"], content["schema"]) == ("invitation", SCHEMA)
            is_ours &= NUMBER.fullmatch(read.number) is not None  # files are named by it
            is_ours &= VERSION.fullmatch(read.program) is not None
        except (ValueError, KeyError, TypeError, RecursionError):
            is_ours = False
        if not is_ours:
            raise FaultyInputError(f"{path.name}: no invitation of a pool, or only the beginning of one; copy it again")
        return read

    def write(self, folder: Path) -> None:
        """Put it into the shared folder, whole or not at all."""
        text = json.dumps(self.content, indent=1, ensure_ascii=True, allow_nan=False)
        write_whole(folder / INVITATION, [text.encode("ascii"), b"\n"], SHARED_MODE)

    @property
    def content(self) -> dict[str, Any]:
        return {
            "kind": "invitation",
            "schema": SCHEMA,
            "study": self.study,
            "round": self.number,
            "program": self.program,
            "config": dict(self.literal),
        }

    @cached_property
    def sha256(self) -> str:
        """What every file of the round is bound to."""
        return hashlib.sha256(canonical(self.content)).hexdigest()

    @cached_property
    def config(self) -> PilotConfig:
        """The common part of the config, typed. Raises ``FaultyInputError``."""
        checked = validate_config(self.literal, None, READERS)
        if "pool" not in checked.settings:
            raise FaultyInputError('pool: missing; the config needs the key "pool", see docs/pool.md')
        return checked

    @property
    def settings(self) -> PoolSettings:
        return self.config.of(PoolSettings)

    @cached_property
    def space(self) -> CellSpace:
        """The cells of the round. Raises ``FaultyInputError``."""
        return CellSpace.of(self.config)

    def check_program(self) -> str:
        """What to say of a version that differs in its last number, "" of the same one.

        Raises ``FaultyInputError`` of any other: it may read a config, or evaluate a pool, in another way.
        """
        if self.program == __version__:
            return ""
        said = f"version {self.program} of this program made the invitation, and this is {__version__}"
        if self.program.split(".")[:2] != __version__.split(".")[:2]:
            raise FaultyInputError(
                f"{INVITATION}: {said}; they may count or evaluate otherwise: install {self.program} here, or agree on "
                "one version and begin a new round"
            )
        return f"Note: {said}. Their figures should agree; to be sure, install {self.program}."

    def check_config(self, study: str, literal: Mapping[str, Any]) -> None:
        """Raise ``FaultyInputError`` with every key in which a node's config is not what the invitation says."""
        mine = common_part(literal)
        faults = [f"study: this is {study}, the invitation is to {self.study}"] if study != self.study else []
        faults += [
            f"{place}: {here} in this config, {there} in the invitation; all nodes need the same; agree on one, "
            "and begin a new round where the invitation has to change"
            for key in COMMON_KEYS
            for place, here, there in _differences(key, mine.get(key, NOT_GIVEN), self.literal.get(key, NOT_GIVEN))
        ]
        stop_at(faults)


def common_part(literal: Mapping[str, Any]) -> dict[str, Any]:
    """Those keys of a config that all nodes have in common, as JSON gives them back."""
    common = {key: literal[key] for key in COMMON_KEYS if key in literal}
    validate_config(common, None, READERS)
    return dict(json.loads(canonical({"recommend": {}, **common})))


def _differences(place: str, mine: object, other: object) -> Iterator[tuple[str, str, str]]:
    """Where two values of a config differ, as deep as both have dictionaries, and what either says there."""
    if isinstance(mine, dict) and isinstance(other, dict):
        for key in {**mine, **other}:
            yield from _differences(f"{place}[{key!r}]", mine.get(key, NOT_GIVEN), other.get(key, NOT_GIVEN))
    elif mine != other:
        yield place, _said(mine), _said(other)


def _said(value: object) -> str:
    if value is NOT_GIVEN or isinstance(value, dict):
        return "not given" if value is NOT_GIVEN else "a dictionary"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:77]}..."
