"""A small round of three hospitals at every stage; a test gets a copy of the folders and may ruin it."""

import shutil

import pytest

from tests.pool.nodes import Parties
from tests.pool.small_round import CONFIG, NODES, frame
from tests.run.fixtures import kept_screen


@pytest.fixture
def parties(tmp_path, monkeypatch, capsys):
    return Parties(tmp_path, monkeypatch, capsys)


@pytest.fixture(scope="session")
def stages(tmp_path_factory):
    """A round by its stage: settled, joined (with its check), contributed, summed."""
    root = tmp_path_factory.mktemp("round")
    with kept_screen() as screen, pytest.MonkeyPatch.context() as monkeypatch:
        made = Parties(root / "now", monkeypatch, screen)
        made.settle(CONFIG, {**{node: frame(i) for i, node in enumerate(NODES)}, "TRUSTEE": None})
        shutil.copytree(root / "now", root / "settled")
        (root / "check").write_text(made.invite([*NODES, "TRUSTEE"]), encoding="utf-8")
        shutil.copytree(root / "now", root / "joined")
        made.contribute(NODES, made.check)
        shutil.copytree(root / "now", root / "contributed")
        assert made.run("TRUSTEE", "sum") == 0
        shutil.copytree(root / "now", root / "summed")
    return root


@pytest.fixture
def at(stages, tmp_path, monkeypatch, capsys):
    """The parties at a stage, in a copy of their folders."""

    def copied(stage: str, name: str = "copy") -> Parties:
        shutil.copytree(stages / stage, tmp_path / name)
        shutil.copyfile(stages / "check", tmp_path / "check")
        return Parties(tmp_path / name, monkeypatch, capsys)

    return copied
