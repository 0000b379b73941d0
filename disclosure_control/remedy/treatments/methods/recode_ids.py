"""Keyed pseudonyms for subject ids: the same id has the same pseudonym in every file of one release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, encode_column, labels_of
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import COLUMNS, whole_number
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.small_counts import people_on_screen
from disclosure_control.remedy.treatments.keys import KEY_FROM, pseudonyms_of, read_key
from disclosure_control.remedy.treatments.registry import (
    Treated,
    Treatment,
    TreatmentInput,
    with_columns,
)


@dataclass(frozen=True)
class RecodeIdsSettings(SettingsGroup):
    """Which ids, under which key, and how long a pseudonym is."""

    key_from: Mapping[str, str] = setting(KEY_FROM, "the secret key")
    columns: tuple[str, ...] = setting(COLUMNS, "columns of ids", (SUBJECT_COLUMN,))
    length: int = setting(whole_number(8, 64), "digits of a pseudonym", 16)


def recode_ids(given: TreatmentInput, settings: RecodeIdsSettings) -> Treated:
    """Replace ids by the first ``length`` hexadecimal digits of their HMAC-SHA-256 under the key.

    Equal ids of different columns and files get equal pseudonyms within a release (``given.release``), and others in
    another release. Anyone with the key can compute them again: the data stay personal data. Raises
    ``FaultyInputError`` if two ids would get the same pseudonym. Source: ``pseudonyms_of``.
    """
    key = read_key(settings.key_from, given.folder)
    recoded, changed = {}, {}
    for name in settings.columns:
        encoded = encode_column(given.frame[name])
        texts = labels_of(encoded)
        pseudonyms = pseudonyms_of(key, given.release, texts, settings.length)
        n_shared = len(pseudonyms) - len(set(pseudonyms))
        if n_shared:
            raise FaultyInputError(
                f"recode_ids: {people_on_screen(n_shared)} of {len(texts)} ids of {name!r} would get the "
                f"pseudonym of another id; found a length of {settings.length}; allowed: up to 64; choose a "
                "larger length"
            )
        values = np.array([*pseudonyms, None], dtype=object)[encoded.codes]
        recoded[name] = pd.Series(values, index=given.frame.index, name=name, dtype="str")
        is_id = encoded.codes >= 0
        changed[name] = int(is_id.sum() if given.people is None else given.people[is_id].sum())
    notes = ("Ids are pseudonyms: anyone with the key can find out whose they are.",)
    return with_columns(given, recoded, notes, changed)


TREATMENTS = {
    "recode_ids": Treatment(
        recode_ids,
        RecodeIdsSettings,
        80,
        "replaces ids by pseudonyms (HMAC-SHA-256), the same in every file of one release of the pilot",
        by_id=True,
    ),
}
