"""Pilots' folders and ledgers for the tests of the privacy budget."""

from __future__ import annotations

from decimal import Decimal

import pytest

from disclosure_control.analyses.private_release.ledger import Ledger
from tests.analyses.private_release.publish_pilots import asked


@pytest.fixture
def tmp_path(tmp_path, monkeypatch):
    """A pilot's folder in a folder of pilots, so that what is kept beside that one lies in the test's own folder."""
    monkeypatch.delenv("BIOSTREAMS_STATE_DIR", raising=False)
    folder = tmp_path / "data" / "pilot"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path, Decimal(1))


@pytest.fixture
def written(ledger):
    for i in range(3):
        asked(ledger, f"question {i}")
    return ledger
