"""One config key read as the doors read it: its typed settings, or its faults."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from config.model_settings import config_of_valid_keys
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.steps import READERS


def settings_of_key(
    key: str, value: object, literal: Mapping | None = None, columns: Iterable[str] | None = None
) -> Any:
    """What is typed from a further key; ``literal`` is the rest of the config, however little of it there is."""
    config = config_of_valid_keys({**(literal or {}), key: value})
    return READERS[key](value, config, None if columns is None else list(columns))


def faults_of_key(
    key: str, value: object, literal: Mapping | None = None, columns: Iterable[str] | None = None
) -> list[str]:
    try:
        settings_of_key(key, value, literal, columns)
    except FaultyInputError as error:
        return list(error.faults)
    return []
