import pytest

from tests.pool.nodes import Parties


@pytest.fixture
def parties(tmp_path, monkeypatch, capsys):
    return Parties(tmp_path, monkeypatch, capsys)
