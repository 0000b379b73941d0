"""The modules that the check of types still leaves out: each is there, and they never become more."""

import tomllib

from tests.places import PROJECT

LONGEST = 1  # lowered with every module that leaves the list, never raised


def _left_out() -> list[str]:
    mypy = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]
    return [module for part in mypy["overrides"] if part.get("ignore_errors") for module in part["module"]]


def _is_module(name: str) -> bool:
    path = PROJECT.joinpath(*name.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def test_every_module_on_the_list_exists_and_stands_there_once():
    left_out = _left_out()
    assert [name for name in left_out if not _is_module(name)] == []
    assert left_out == sorted(set(left_out))


def test_the_list_only_shrinks():
    assert len(_left_out()) == LONGEST
