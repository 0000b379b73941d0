"""The config key ``release``: the key of pseudonyms and offsets, the format, and lines that override the operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from config.model_settings import PilotConfig
from disclosure_control.basics.settings.settings import (
    FLAG,
    SHARE,
    TEXT,
    Check,
    are_names,
    faults_of_settings,
    is_name,
    one_of,
    whole_number,
)
from disclosure_control.basics.telling.faults import nearest_name, stop_at
from disclosure_control.measures.longitudinal import LARGEST_SIZE
from disclosure_control.release.facts import KINDS
from disclosure_control.release.rare_terms import ALONG, RareTerms
from disclosure_control.treatments.keys import KEY_FROM, faults_of_key
from study.formats.registry import writers_by_name
from study.merge.subject_ids import DEFAULT_COLUMN, SubjectIdRule
from study.operations import OperationKind, OperationRule, overriding_line, patterns_deciding


@dataclass(frozen=True)
class OutsidersKnow:
    """What of a person's course the verdict reckons with: up to so many ``facts`` of these ``kinds``.

    The package is held where a greater share of the people than ``alone_at_most`` is alone by them.
    """

    facts: int = 1
    kinds: tuple[str, ...] = tuple(KINDS)
    months: bool = False
    alone_at_most: float = 0.0


@dataclass(frozen=True)
class EarlierReleaseSettings:
    """An earlier release of the pilot: its ``folder``, and its ``name``; None for that of this one.

    The folder is absolute, or lies within the pilot's. The key was the same.
    """

    folder: str
    name: str | None = None


@dataclass(frozen=True)
class ReleaseSettings:
    """The config key ``release``.

    ``format`` None: each file in the format it came in. ``operations`` override the table, the config's words by
    pattern. ``name`` is that of the release where no treatment names it. ``rare_terms`` None: coded terms stay.
    ``earlier``: a release that a recipient may have as well.
    """

    key_from: Mapping[str, str]
    days: int = 365
    format: str | None = None
    operations: Mapping[str, OperationKind] = field(default_factory=dict)
    leave_out: tuple[str, ...] = ()
    name: str | None = None
    outsiders_know: OutsidersKnow = OutsidersKnow()
    rare_terms: RareTerms | None = None
    earlier: EarlierReleaseSettings | None = None

    @property
    def lines(self) -> tuple[OperationRule, ...]:
        """The config's own lines of the table of operations; those of one domain are asked before those of all."""
        return _lines(self.operations)


def _lines(operations: Mapping[str, OperationKind]) -> tuple[OperationRule, ...]:
    ordered = sorted(operations.items(), key=lambda item: "." not in item[0])
    return tuple(overriding_line(pattern, operation) for pattern, operation in ordered)


# What a config may say of a variable; a data set is taken away by "leave_out".
_NOT_FOR_A_CONFIG = (OperationKind.REMOVE_DATA_SET, OperationKind.REVIEW)
_ALLOWED = tuple(str(kind) for kind in OperationKind if kind not in _NOT_FOR_A_CONFIG)


def _are_operations(value: object) -> bool:
    return isinstance(value, dict) and all(map(is_name, value))


WITHIN = {"study": False, "class": True}
_OUTSIDERS_KNOW: dict[str, Check] = {
    "facts": whole_number(0, LARGEST_SIZE),
    "kinds": (lambda value: are_names(value) and set(value) <= set(KINDS), f"a list of {', '.join(KINDS)}"),
    "months": FLAG,
    "alone_at_most": SHARE,
}
_RARE_TERMS: dict[str, Check] = {
    "at_least": whole_number(2, 1_000_000),
    "along": (are_names, 'a list of columns from the finest on, such as "AEDECOD", "AESOC", or "--DECOD", "--SOC"'),
    "within": one_of(*WITHIN),
}
_EARLIER: dict[str, Check] = {"folder": TEXT, "name": TEXT}
_PARTS = {"outsiders_know": _OUTSIDERS_KNOW, "rare_terms": _RARE_TERMS, "earlier": _EARLIER}
_NEEDED = {"rare_terms": "at_least", "earlier": "folder"}
_KEYS: dict[str, Check] = {
    "key_from": KEY_FROM,
    "days": whole_number(30, 36_500),
    "format": (lambda value: value in writers_by_name(), " or ".join(f'"{name}"' for name in writers_by_name())),
    "operations": (_are_operations, '{pattern of a variable, such as "AE.AETERM" or "--SPID": an operation}'),
    "leave_out": (are_names, "a list of domains"),
    "name": TEXT,
    **{name: (lambda value: isinstance(value, dict), f"a dictionary of {', '.join(_PARTS[name])}") for name in _PARTS},
}


def read_settings(value: Any, config: PilotConfig, columns: Sequence[str] | None) -> ReleaseSettings:
    """The settings of the key. Raises ``FaultyInputError`` with every fault of it, a key that is missing among them."""
    faults = faults_of_settings("release", value, _KEYS)
    stop_at(faults if not isinstance(value, dict) else ())
    if "key_from" not in value:
        faults.append(f"release['key_from']: missing; allowed: {KEY_FROM[1]}")
    else:
        faults += [f"release: {fault}" for fault in faults_of_key(value)]
    for name, keys in _PARTS.items():
        if isinstance(value.get(name), dict):
            faults += faults_of_settings(f"release[{name!r}]", value[name], keys)
        needed = _NEEDED.get(name)
        if isinstance(value.get(name), dict) and needed and needed not in value[name]:
            faults.append(f"release[{name!r}][{needed!r}]: missing; allowed: {keys[needed][1]}")
    operations = value.get("operations", {})
    known: dict[str, OperationKind] = {}
    for pattern, operation in operations.items() if isinstance(operations, dict) else ():
        if operation not in _ALLOWED:
            allowed = ", ".join(f'"{kind}"' for kind in _ALLOWED)
            faults.append(
                f"release['operations'][{pattern!r}]: unknown operation{nearest_name(operation, _ALLOWED)}; "
                f"allowed: {allowed}"
            )
        elif is_name(pattern):
            known[pattern] = OperationKind(operation)
    faults += _faults_of_ids(_lines(known), config)
    stop_at(faults)
    given = {name: value[name] for name in ("key_from", "days", "format", "name") if name in value}
    return ReleaseSettings(
        **given,
        operations=known,
        leave_out=tuple(domain.upper() for domain in value.get("leave_out", ())),
        outsiders_know=_outsiders_know(value.get("outsiders_know", {})),
        rare_terms=_rare_terms(value["rare_terms"]) if "rare_terms" in value else None,
        earlier=EarlierReleaseSettings(**value["earlier"]) if "earlier" in value else None,
    )


def _faults_of_ids(lines: Sequence[OperationRule], config: PilotConfig) -> list[str]:
    """Lines that would leave the subject's id as it is, take it out, or give it another name in each file."""
    rule = config.literal.get("subject_id", {})
    column = rule.get("column", DEFAULT_COLUMN) if isinstance(rule, dict) else DEFAULT_COLUMN
    if not isinstance(column, str):
        return []
    return [
        f"release['operations'][{pattern!r}]: {says.operation} is for other variables than {column}, the subject id, "
        f'which is always a pseudonym; allowed: "{OperationKind.RECODE_SUBJECT}", or a pattern without it'
        for pattern, says in patterns_deciding(column, lines).items()
        if says.operation != OperationKind.RECODE_SUBJECT
    ]


FROM_DISK = (
    "needs all records in memory, and this run works from disk; take it out for this run, or use --engine memory"
)


def faults_without_records(settings: ReleaseSettings, config: PilotConfig) -> list[str]:
    """What needs all records in memory: settings that look at all rows of a domain, files that are written whole."""
    faults = [
        f"release[{name!r}]: {FROM_DISK} on a machine with enough memory"
        for name in ("rare_terms", "earlier")
        if getattr(settings, name) is not None
    ]
    by_rows = [name for name, writer in writers_by_name().items() if writer.write_rows is not None]
    if settings.format is not None and settings.format not in by_rows:
        allowed = " or ".join(f'"{name}"' for name in by_rows)
        faults.append(
            f"release['format']: {settings.format} is written whole, and this run works from disk; allowed: {allowed}, "
            "or nothing, for each file as it came; or use --engine memory on a machine with enough memory"
        )
    if config.of(SubjectIdRule).column is None:
        faults.append(
            'release: subject_id: {"column": None} numbers the rows of a file, which is done in memory alone; give the '
            "file a column that holds the id, or use --engine memory on a machine with enough memory"
        )
    return faults


def _outsiders_know(given: Mapping[str, Any]) -> OutsidersKnow:
    kinds = {"kinds": tuple(given["kinds"])} if "kinds" in given else {}
    return OutsidersKnow(**{**given, **kinds})


def _rare_terms(given: Mapping[str, Any]) -> RareTerms:
    along = tuple(name.upper() for name in given.get("along", ALONG))
    return RareTerms(given["at_least"], along, WITHIN[given.get("within", "study")])
