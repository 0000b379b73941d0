"""What comes in: file formats, long SDTM to one row per subject, rules for subject ids."""

from collections.abc import Iterable

from config.model_settings import unknown_config_keys
from disclosure_control.basics.faults import FaultyInputError


def _check_subject_id(value: object) -> list[str]:
    from cdisc.merge.subject_ids import check_subject_id

    return check_subject_id(value)


def _check_merge(value: object) -> list[str]:
    from cdisc.merge.settings import check_merge

    return check_merge(value)


# Config keys of this room, each with its check; imported where used, so that door 2 stays light.
DOOR_KEYS = {"subject_id": _check_subject_id, "merge": _check_merge}


def check_door_keys(config: dict[str, object], step_keys: Iterable[str] = ()) -> None:
    """Raise ``FaultyInputError`` with the faults of the keys that the merge reads, and with keys that nobody reads.

    The models' own keys and those of later steps, ``step_keys``, are not looked at: before the first merge nobody
    knows the columns that they name.
    """
    faults = unknown_config_keys(config, [*DOOR_KEYS, *step_keys])
    faults += [fault for key, check in DOOR_KEYS.items() if key in config for fault in check(config[key])]
    if faults:
        raise FaultyInputError(faults)
