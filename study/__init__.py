"""What comes in: file formats, long SDTM to one row per subject, rules for subject ids."""

from __future__ import annotations

from config.model_settings import key_reader

# Config keys of this room, each with what reads it.
KEY_READERS = {
    "subject_id": key_reader("subject_id", "study.merge.subject_ids"),
    "merge": key_reader("merge", "study.merge.settings"),
}
