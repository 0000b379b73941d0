"""What comes in: file formats, long SDTM to one row per subject, rules for subject ids."""

from __future__ import annotations

from collections.abc import Sequence


# Config keys of this room, each with what reads it; imported where used, so that door 2 stays light.
def _read_subject_id(value: object, config: object, columns: Sequence[str] | None) -> object:
    from study.merge.subject_ids import read_subject_id_rule

    return read_subject_id_rule(value)


def _read_merge(value: object, config: object, columns: Sequence[str] | None) -> object:
    from study.merge.settings import read_merge_settings

    return read_merge_settings(value)


KEY_READERS = {"subject_id": _read_subject_id, "merge": _read_merge}
