"""The one answer of a round: what may be told of the pool, and for each node flags that only it can read.

A flag is a byte or two for each declared class, added by exclusive or to the pad that the node sent. A node knows its
pad of the classes in which it has people; of any other class it reads chance.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from disclosure_control.assess.threshold_curves import threshold_curves, without_small_counts
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.plain import plain
from disclosure_control.basics.telling.section_text import as_text
from disclosure_control.basics.telling.sections import Where
from disclosure_control.basics.telling.small_counts import HAND_TO_HAND
from disclosure_control.pooling import keys
from disclosure_control.pooling.contribution import bytes_per_class, pads_of
from disclosure_control.pooling.evaluation import EvaluatedPool
from disclosure_control.pooling.parties import ANSWER, RoundMembers, SecretsAtHome
from disclosure_control.pooling.report import class_sizes_section, without_home_lines
from disclosure_control.pooling.signed_files import (
    HOME_MODE,
    SHARED_MODE,
    SUFFIX,
    SignedFile,
    read_signed,
    write_signed,
)
from disclosure_control.report.summary import privacy_summary
from disclosure_control.report.text import short_privacy_report
from disclosure_control.run.beside import write_whole

SUMMED = "summed"
NEEDS_SAME = "all other parties need the same version of this program"
FIGURES: Mapping[str, type | tuple[type, ...]] = {
    "k_anonymity": dict,
    "l_diversity": dict,
    "t_closeness": dict,
    "class_sizes": list,
    "recoding": (dict, type(None)),
    "text": str,
}


def class_sizes(pool: EvaluatedPool) -> list[dict[str, int | None]]:
    """The histogram of class sizes: how many people have k from one size up to another, as far as it may be told.

    Bounds at which a count would be small, or could be calculated, are left out, so that bars are joined.
    """
    curves = without_small_counts(threshold_curves(pool.assessment)[:1], HAND_TO_HAND)
    if not curves:
        return []
    (curve,) = curves
    told = [(1, 0), *((int(k), n) for k, n in zip(curve.thresholds, curve.risky, strict=True) if n is not None)]
    bars: list[dict[str, int | None]] = [
        {"from": first, "to": last - 1, "people": after - before}
        for (first, before), (last, after) in itertools.pairwise(told)
    ]
    bars.append({"from": told[-1][0], "to": None, "people": (curve.evaluated or 0) - told[-1][1]})
    joined: list[dict[str, int | None]] = []
    for is_empty, several in itertools.groupby(bars, key=lambda bar: bar["people"] == 0):
        of_kind = list(several)
        joined += [{**of_kind[0], "to": of_kind[-1]["to"]}] if is_empty else of_kind
    return joined


def public_figures(study: str, pool: EvaluatedPool) -> dict[str, Any]:
    """What the answer says to everybody, under the policy for small counts."""
    summary = privacy_summary(study, pool.assessment, {})
    figures: dict[str, Any] = plain({name: result.found for name, result in pool.steps.items()})
    shown = {
        name: summary[name] for name in ("k_anonymity", "l_diversity", "t_closeness", "missing_policies", "notices")
    }
    sizes = class_sizes(pool)
    advice = without_home_lines([section for result in pool.steps.values() for section in result.sections])
    first = "\n".join(result.first_lines for result in pool.steps.values() if result.first_lines)
    texts = [first, as_text(advice, Where.SHORT), short_privacy_report(study, pool.assessment)]
    text = "\n".join([*texts, as_text([class_sizes_section(sizes)], Where.SHORT)])
    return {**shown, **figures, "class_sizes": sizes, "recoding": pool.recoding, "text": text}


@dataclass(frozen=True)
class PoolAnswer:
    """An answer that was checked: its public ``figures``, and the sealed flags in its ``file``."""

    figures: Mapping[str, Any]
    file: SignedFile

    def flags_of(self, home: SecretsAtHome, members: RoundMembers, node: str, places: np.ndarray) -> np.ndarray:
        """The flags (n, n_bytes) of a node's own classes by their places (n,) among those declared."""
        space, nodes = members.invitation.space, members.invitation.settings.nodes
        size = space.n_classes * bytes_per_class(space)
        sealed = self.file.part(nodes.index(node) * size, size)
        own_key = (home.round_keys(members.invitation.number) or (b"", b""))[1]
        pads = pads_of(space, own_key, members.round_id)
        return np.frombuffer(sealed, dtype=np.uint8).reshape(pads.shape)[places] ^ pads[places]


def write_answer(
    home: SecretsAtHome,
    members: RoundMembers,
    pool: EvaluatedPool,
    pads: Mapping[str, np.ndarray],
    summed: Mapping[str, SignedFile],
    shared: Path,
) -> None:
    """Keep the answer at home, and put it into the shared folder; it is made once, as each pad is used once."""
    invitation = members.invitation
    header = {
        "kind": ANSWER,
        "round": members.round_id.hex(),
        "party": invitation.settings.sums,
        "figures": public_figures(invitation.study, pool),
    }
    body = ((pool.flags ^ pads[node]).tobytes() for node in invitation.settings.nodes)
    kept, n_bytes = home.path(invitation.number, ANSWER), len(pads) * pool.flags.nbytes
    write_signed(kept, header, n_bytes, body, home.signing_key, HOME_MODE)
    home.keep(f"{invitation.number}_{SUMMED}", _mark(summed))
    _publish(home, members, shared)


def published_again(home: SecretsAtHome, members: RoundMembers, summed: Mapping[str, SignedFile], shared: Path) -> bool:
    """Whether the round was summed before; its answer is then put into the shared folder again.

    Raises ``FaultyInputError`` where contributions are not those that were summed.
    """
    before = home.read(f"{members.invitation.number}_{SUMMED}")
    if before is None:
        return False
    if before != _mark(summed):
        was, now = json.loads(before), json.loads(_mark(summed))
        others = [node for node in now if was.get(node) != now[node]]
        raise FaultyInputError(
            [f"{node}: its contribution is not the one that was summed; the answer stays as it was" for node in others]
        )
    _publish(home, members, shared)
    return True


def _mark(summed: Mapping[str, SignedFile]) -> bytes:
    return json.dumps({node: file.sha512 for node, file in summed.items()}).encode("ascii")


def _publish(home: SecretsAtHome, members: RoundMembers, shared: Path) -> None:
    with home.path(members.invitation.number, ANSWER).open("rb") as file:
        pieces: Iterator[bytes] = iter(lambda: file.read(keys.PIECE_BYTES), b"")
        write_whole(shared / f"{ANSWER}{SUFFIX}", pieces, SHARED_MODE)


def _are_figures(figures: object) -> bool:
    return isinstance(figures, dict) and all(isinstance(figures.get(name, ...), kind) for name, kind in FIGURES.items())


def read_answer(members: RoundMembers, shared: Path) -> PoolAnswer:
    """The answer in the shared folder. Raises ``FaultyInputError``."""
    path, sums = shared / f"{ANSWER}{SUFFIX}", members.invitation.settings.sums
    if not path.is_file():
        raise FaultyInputError(f"{path.name}: not here yet; {sums} writes it once all nodes have contributed")
    file = read_signed(path, ANSWER, lambda header: members.signing_key(sums))
    if file.header.get("round") != members.round_id.hex():
        raise FaultyInputError(f"{path.name}: of another round; ask {sums} for the one of this round")
    if not _are_figures(file.header.get("figures")):
        raise FaultyInputError(f"{path.name}: its figures are not those of this version; {sums} and {NEEDS_SAME}")
    space = members.invitation.space
    size = len(members.invitation.settings.nodes) * space.n_classes * bytes_per_class(space)
    if file.header["bytes"] != size:
        raise FaultyInputError(f"{path.name}: not of the cells of this round; ask {sums} for it again")
    return PoolAnswer(file.header["figures"], file)
