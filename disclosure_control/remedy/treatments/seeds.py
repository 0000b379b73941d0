"""The start of chance: the published default, a number in the config, or a key that no result contains.

Anyone with the seed can draw the same numbers again and subtract them. The order in which they are assigned to records
does not protect, because the released values disclose it. Only a seed that nobody knows or guesses protects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from disclosure_control.basics.settings.changes import ConfigChange
from disclosure_control.basics.settings.kinds import whole_number
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.remedy.treatments.keys import UNNAMED, Release, digests, read_key

DEFAULT_SEED = 12345
ENOUGH_BITS = 64
# Of random seeds of 64 bits one in 256 is below this; one that a person makes up nearly always is.
SMALLEST_OWN_SEED = 2 ** (ENOUGH_BITS - 8)
SEED = whole_number(0, 2**128 - 1).but("a whole number from 0")
HOW_TO_CHOOSE = (
    f'before release set "seed_from" to a key (or "seed" to {ENOUGH_BITS} random bits or more: python -c "import '
    f'secrets; print(secrets.randbits({2 * ENOUGH_BITS - 1}))"), and keep it as secret as a key'
)
SEED_OF_A_KEY = ConfigChange.to(("treatment", "seed_from"), {"environment": "SEED_KEY"}, "a secret start of chance")
WARNING = (
    "WARNING: Chance was drawn from {}. Anyone with the released file can draw the same numbers again and undo the "
    f"random changes; {HOW_TO_CHOOSE}."
)


@dataclass(frozen=True)
class SeedSource:
    """Where the seed comes from: ``number``, or where it is not None ``key_from``, a key as for pseudonyms.

    The key itself is read where the seed is needed, and is kept nowhere.
    """

    number: int = DEFAULT_SEED
    key_from: Mapping[str, str] | None = None

    @property
    def in_words(self) -> str | None:
        """The description for files that are handed on."""
        return whose_seed(self.number) if self.key_from is None else "from a key"

    def read(self, folder: Path | None = None, release: Release = UNNAMED) -> int:
        """The seed. Raises ``FaultyInputError`` where the key cannot be read, or lies in the pilot's ``folder``.

        From a key each ``release`` draws other chance: the same noise in two files of other strengths is taken off by
        subtracting one from the other.
        """
        if self.key_from is None:
            return self.number
        (digest,) = digests(read_key(self.key_from, folder), "seed", release, [""])
        return int.from_bytes(digest)


def whose_seed(seed: int | None) -> str | None:
    """The description of a seed for a summary; None if a generator was passed in."""
    if seed is None:
        return None
    return "the published default" if seed == DEFAULT_SEED else "your own"


def _weakness(seed: int | None) -> str | None:
    """What anybody knows, or finds by trying, that chance was drawn from; None if that is not so."""
    if seed is None or seed >= SMALLEST_OWN_SEED:
        return None
    short = "a seed of your own that is short enough to be found by trying"
    return "the published default seed" if seed == DEFAULT_SEED else short


def seed_reasons(seed: int | None, what_leaves: str) -> list[Reason]:
    """Why ``what_leaves`` has to wait where chance was drawn from a seed that anybody knows, or finds by trying."""
    weak = _weakness(seed)
    if weak is None:
        return []
    return [
        Reason(
            Gravity.OUTSIDERS_CAN_SINGLE_OUT,
            f"Anyone with the file can undo the random changes to {what_leaves}: they were drawn from {weak}.",
            f"or {HOW_TO_CHOOSE}" if seed == DEFAULT_SEED else HOW_TO_CHOOSE,
            (SEED_OF_A_KEY,) if seed == DEFAULT_SEED else (),
        )
    ]


def seed_warnings(seed: int | None) -> list[str]:
    """What to know of the seed before release, where chance was drawn from it; never the seed itself."""
    if seed is None:
        return []
    if weak := _weakness(seed):
        return [WARNING.format(weak)]
    return [
        "Chance was drawn from a seed of your own. Anyone who learns it can undo the random changes, often with only "
        "the released file. Keep it secret like a key. The privacy summary shows a seed of the config, but never a key."
    ]
