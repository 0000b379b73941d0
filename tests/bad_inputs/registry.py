"""The corpus of broken pilots: one small function per fault, named after it, that breaks a pilot which was whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.run.synthetic_pilot import INPUT_AT_FAULT, SyntheticPilot


@dataclass(frozen=True)
class Case:
    """``build`` introduces the fault. Started with ``arguments``, the door must end with ``status`` and print
    ``n_faults`` lines on stderr that hold every text of ``says``; ``names_pilot``: each begins with the pilot."""

    name: str
    door: int
    says: tuple[str, ...]
    build: Callable[[SyntheticPilot], None]
    arguments: tuple[str, ...]
    n_faults: int
    names_pilot: bool
    status: int = INPUT_AT_FAULT

    def __str__(self) -> str:
        return f"{self.name}-door{self.door}"


CASES: dict[str, Case] = {}


def case(
    *,
    says: Sequence[str],
    door: int | tuple[int, ...] = 1,
    arguments: Sequence[str] = (),
    n_faults: int = 1,
    names_pilot: bool = True,
) -> Callable[[Callable], Callable]:
    """Register a builder as the case of its own name, once for each door that must refuse it."""

    def register(build: Callable[[SyntheticPilot], None]) -> Callable[[SyntheticPilot], None]:
        for one_door in (door,) if isinstance(door, int) else door:
            new = Case(build.__name__, one_door, tuple(says), build, tuple(arguments), n_faults, names_pilot)
            if str(new) in CASES:
                raise ValueError(f"two cases are named {new}")
            CASES[str(new)] = new
        return build

    return register


def config_case(name: str, says: Sequence[str], door: int | tuple[int, ...] = 2, n_faults: int = 1, **changes) -> None:
    """Register the case of a config with these keys changed; a key that is changed to ``...`` is taken out."""

    def build(pilot: SyntheticPilot) -> None:
        taken_out = [key for key, value in changes.items() if value is ...]
        pilot.configure(**{key: value for key, value in changes.items() if value is not ...})
        pilot.unconfigure(*taken_out)

    build.__name__ = name
    case(says=says, door=door, n_faults=n_faults)(build)
