"""Changes of a config, as findings propose them: what they come to, and the lines to paste for them.

A line to paste has its key of the config whole, with what the config has there today: it takes the place of that line.
"""

from __future__ import annotations

import ast
import copy
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

EXACT = 2**53  # whole numbers up to here are the same as floats
TREATMENT, STEPS = "treatment", "steps"


@dataclass(frozen=True, order=True)
class ConfigChange:
    """What is written into a config: the keys down to the entry, its value as a config writes it, and why.

    ``is_added``: to the list there, before what it has. The steps of a treatment are at ``treatment``, ``steps``.
    ``is_last_resort``: it takes much away, and other changes of the same run may make it needless.
    """

    path: tuple[str, ...]
    text: str
    why: str = ""
    is_added: bool = False
    is_last_resort: bool = False

    @classmethod
    def to(
        cls, path: Iterable[str], value: object, why: str = "", *, is_added: bool = False, is_last_resort: bool = False
    ) -> ConfigChange:
        """The change to a ``value``."""
        return cls(tuple(path), python_text(value), why, is_added, is_last_resort)

    @property
    def value(self) -> Any:
        """The value that is written."""
        return ast.literal_eval(self.text)


def treatment_steps(config: Mapping[str, Any]) -> list[Any]:
    """The steps of the treatment of a config, named or not."""
    given = config.get(TREATMENT, [])
    return list(given.get(STEPS, ()) if isinstance(given, Mapping) else given)


def applied(config: Mapping[str, Any], changes: Iterable[ConfigChange]) -> dict[str, Any]:
    """The ``config`` after the ``changes``, in their order; it is not changed itself."""
    found = copy.deepcopy(dict(config))
    steps_are_named = isinstance(config.get(TREATMENT), Mapping) and bool(config[TREATMENT])
    for change in changes:
        *within, last = change.path
        place: dict[str, Any] = found
        for key in within:
            here = place.get(key)
            if key == TREATMENT and isinstance(here, list | tuple):
                here = {STEPS: list(here)}
            place[key] = here if isinstance(here, dict) else {}
            place = place[key]
        if not change.is_added:
            place[last] = change.value
        elif change.value not in (before := list(place.get(last) or ())):
            place[last] = [change.value, *before]
        treatment = found.get(TREATMENT)
        if isinstance(treatment, dict) and set(treatment) == {STEPS} and not steps_are_named:
            found[TREATMENT] = treatment[STEPS]
    return found


def dropped_by(change: ConfigChange) -> set[str]:
    """The columns that a change drops."""
    step = change.value
    is_drop = isinstance(step, dict) and step.get("method") == "drop_column"
    return set(step["columns"]) if is_drop else set()


def are_of_the_merge(changes: Iterable[ConfigChange]) -> bool:
    """Whether one of the ``changes`` is of the rules of the merge, which has to run again for it."""
    return any(change.path[0] == "merge" for change in changes)


def lines_to_paste(config: Mapping[str, Any], changes: Iterable[ConfigChange]) -> str:
    """The keys of the config that the changes touch, whole, in one line: each takes the place of the key of today.

    A key that the config has like this already is left out.
    """
    after = applied(config, changes)
    return ", ".join(
        f"{python_text(key)}: {python_text(value)}"
        for key, value in after.items()
        if key not in config or config[key] != value
    )


def python_text(value: object) -> str:
    """A value as a config writes it: text in double quotes, which Python reads back unchanged; ``50.0`` as ``50``."""
    if isinstance(value, str):
        is_pattern = "\\" in value and value.isprintable() and '"' not in value and not value.endswith("\\")
        return f'r"{value}"' if is_pattern else json.dumps(value, ensure_ascii=False)
    if isinstance(value, float) and value.is_integer() and abs(value) < EXACT:
        return str(int(value))
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{python_text(name)}: {python_text(part)}" for name, part in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(python_text, value)) + "]"
    return repr(value)
