"""Imports run one way: doors -> disclosure_control, cdisc, config -> Anonymization_Models -> libraries."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]
MODELS = "Anonymization_Models"
DOORS = {"Create_Combined_Pilot_Dataset", "Main_Anonymization"}
ROOMS = {"cdisc", "config", "disclosure_control"}
FORBIDDEN = {
    MODELS: ROOMS | DOORS | {"benchmarks", "pilot_report", "tests"},
    "cdisc": DOORS | {"config", "disclosure_control", "benchmarks", "pilot_report", "tests"},
    "config": DOORS | {"cdisc", "disclosure_control", "benchmarks", "pilot_report", "tests"},
    "disclosure_control": DOORS | {"benchmarks", "pilot_report", "tests"},
    **{door: (DOORS - {door}) | {"benchmarks", "pilot_report", "tests"} for door in DOORS},
}
HEAVY = ["scipy", "pyreadstat", "pyarrow.parquet", "matplotlib"]


def imported_modules(source: str, package: str = "") -> set[str]:
    """Every module that a text imports, wherever in it: dotted names; those of ``import_module("...")`` as well."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*parts, *([node.module] if node.module else [])])
            found |= {base} | {f"{base}.{name.name}" for name in node.names}
        elif isinstance(node, ast.Call):
            function = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if function in ("import_module", "__import__") and node.args and isinstance(node.args[0], ast.Constant):
                found.add(str(node.args[0].value))
    return found


def top_names(source: str, package: str = "") -> set[str]:
    return {name.partition(".")[0] for name in imported_modules(source, package)}


def project_files() -> list[Path]:
    files = [PROJECT / f"{name}.py" for name in (MODELS, *sorted(DOORS))]
    for room in sorted(ROOMS):
        files += sorted((PROJECT / room).rglob("*.py"))
    return files


@pytest.mark.parametrize("path", project_files(), ids=lambda path: path.relative_to(PROJECT).as_posix())
def test_imports_run_one_way(path):
    parts = path.relative_to(PROJECT).with_suffix("").parts
    found = top_names(path.read_text(encoding="utf-8"), package=".".join(parts[:-1]))
    assert not found & FORBIDDEN[parts[0]]


@pytest.mark.parametrize("folder", ["benchmarks", "pilot_report"])
def test_no_helper_imports_a_door(folder):
    for path in sorted((PROJECT / folder).glob("*.py")):
        assert not top_names(path.read_text(encoding="utf-8")) & DOORS, path.name


def test_the_rooms_are_where_the_rules_look_for_them():
    names = {path.relative_to(PROJECT).parts[0].removesuffix(".py") for path in project_files()}
    assert names == set(FORBIDDEN)
    # The models may use no room, the rooms do use the models: the rules look at real imports.
    rooms = [path for path in project_files() if path.parent.name in ROOMS]
    assert any(MODELS in top_names(path.read_text(encoding="utf-8")) for path in rooms)


@pytest.mark.parametrize(
    "source",
    [
        "import cdisc",
        "import cdisc.files as files",
        "from cdisc import files",
        "from cdisc.files import read_domain_file",
        "def late():\n    import cdisc.sdtm",
        "if True:\n    from . import events",
        "from .files import listed",
        "import importlib\nimportlib.import_module('cdisc.files')",
        "__import__('cdisc')",
    ],
)
def test_every_way_to_import_is_seen(source):
    assert "cdisc" in top_names(source, package="cdisc")


def test_relative_imports_are_resolved_and_words_are_not_imports():
    assert imported_modules("from ..config import x", package="cdisc.inner") >= {"cdisc.config"}
    assert top_names("text = 'import cdisc'  # import cdisc", package="cdisc") == set()


def modules_after(*statements: str) -> set[str]:
    """Names of all modules that a fresh interpreter holds after the statements."""
    code = "; ".join([*statements, "import json, sys", "print(json.dumps(sorted(sys.modules)))"])
    run = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True)
    return set(json.loads(run.stdout))


@pytest.mark.parametrize(
    "statement",
    [
        "import Main_Anonymization",
        "import Create_Combined_Pilot_Dataset",
        "import Anonymization_Models",
        "import Main_Anonymization, disclosure_control.assessment, disclosure_control.combined_dataset",
    ],
)
def test_heavy_libraries_are_not_imported_before_they_are_needed(statement):
    loaded = modules_after(statement)
    assert not loaded & set(HEAVY)
    assert statement.split()[1].strip(",") in loaded


def test_a_heavy_library_would_be_seen():
    assert "scipy" in modules_after("import Main_Anonymization", "import scipy.stats")
