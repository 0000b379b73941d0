"""The config key ``release``: the key of pseudonyms and offsets, the format, and lines that override the operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cdisc.formats.registry import writers_by_name
from cdisc.operations import Line, OperationKind, overriding_line
from config.model_settings import PilotConfig
from disclosure_control.basics.faults import nearest_name, stop_at
from disclosure_control.basics.settings import TEXT, Check, are_names, faults_of_settings, is_name, whole_number
from disclosure_control.treatments.keys import KEY_FROM, faults_of_key


@dataclass(frozen=True)
class ReleaseSettings:
    """The config key ``release``.

    ``format`` None: each file in the format it came in. ``operations`` override the table, the config's words by
    pattern. ``name`` is that of the release where no treatment names it.
    """

    key_from: Mapping[str, str]
    days: int = 365
    format: str | None = None
    operations: Mapping[str, OperationKind] = field(default_factory=dict)
    leave_out: tuple[str, ...] = ()
    name: str | None = None

    @property
    def lines(self) -> tuple[Line, ...]:
        """The config's own lines of the table of operations; those of one domain are asked before those of all."""
        ordered = sorted(self.operations.items(), key=lambda item: "." not in item[0])
        return tuple(overriding_line(pattern, operation) for pattern, operation in ordered)


# What a config may say of a variable; a data set is taken away by "leave_out".
_NOT_FOR_A_CONFIG = (OperationKind.REMOVE_DATA_SET, OperationKind.REVIEW)
_ALLOWED = tuple(str(kind) for kind in OperationKind if kind not in _NOT_FOR_A_CONFIG)


def _are_operations(value: object) -> bool:
    return isinstance(value, dict) and all(map(is_name, value))


_KEYS: dict[str, Check] = {
    "key_from": KEY_FROM,
    "days": whole_number(30, 36_500),
    "format": (lambda value: value in writers_by_name(), " or ".join(f'"{name}"' for name in writers_by_name())),
    "operations": (_are_operations, '{pattern of a variable, such as "AE.AETERM" or "--SPID": an operation}'),
    "leave_out": (are_names, "a list of domains"),
    "name": TEXT,
}


def read_settings(value: Any, config: PilotConfig, columns: Sequence[str] | None) -> ReleaseSettings:
    """The settings of the key. Raises ``FaultyInputError`` with every fault of it, a key that is missing among them."""
    faults = faults_of_settings("release", value, _KEYS)
    stop_at(faults if not isinstance(value, dict) else ())
    if "key_from" not in value:
        faults.append(f"release['key_from']: missing; allowed: {KEY_FROM[1]}")
    else:
        faults += [f"release: {fault}" for fault in faults_of_key(value)]
    operations = value.get("operations", {})
    for pattern, operation in operations.items() if isinstance(operations, dict) else ():
        if operation not in _ALLOWED:
            known = ", ".join(f'"{kind}"' for kind in _ALLOWED)
            faults.append(
                f"release['operations'][{pattern!r}]: unknown operation{nearest_name(operation, _ALLOWED)}; "
                f"allowed: {known}"
            )
    stop_at(faults)
    given = {name: value[name] for name in ("key_from", "days", "format", "name") if name in value}
    return ReleaseSettings(
        **given,
        operations={pattern: OperationKind(operation) for pattern, operation in operations.items()},
        leave_out=tuple(domain.upper() for domain in value.get("leave_out", ())),
    )
