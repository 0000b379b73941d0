"""The figures that evidence is made of, as a run through the door has them: masked, and in no file of their own."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any

import pytest

import Main_Anonymization
from disclosure_control.report.evidence import pack


@contextlib.contextmanager
def figures_for_others() -> Iterator[dict[str, Any]]:
    """A dictionary that holds the masked summary of the last run within the block, as a program would read it."""
    found: dict[str, Any] = {}
    write = pack.write_evidence

    def write_and_keep(results: Any, evidence: pack.EvidenceOf) -> None:
        found.clear()
        found.update(json.loads(json.dumps(evidence.told.summary)))
        write(results, evidence)

    with pytest.MonkeyPatch.context() as patched:
        for room in (pack, Main_Anonymization):  # a script that starts anew takes it from the first
            patched.setattr(room, "write_evidence", write_and_keep)
        yield found
