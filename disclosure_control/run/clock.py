"""The one clock of a run: all code asks it for the time, and tests can stop it."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now() -> str:
    """The present moment, UTC, ISO 8601: ``2026-01-31T23:59:59.123456Z``.

    Call it as ``clock.utc_now()``: a name imported from this module keeps running when a test stops the clock.
    """
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
