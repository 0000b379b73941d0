"""Imports run one way, from the doors down: each room uses those below it, and none above. ``ROOMS`` is the order."""

from __future__ import annotations

import ast
import functools
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cases import each
from tests.places import PROJECT

# From the top floor down, and what is in it, for CONTRIBUTING.md. A room may import those below it, and itself.
ROOMS = {
    "doors": "the two scripts, and what is started beside them",
    "disclosure_control.draft": (
        "a first config for a pilot that has none, and the next one: roles, bins, thresholds, reasons"
    ),
    "disclosure_control.report": "the report of a run, made of sections: text, JSON summary, page, evidence, history",
    "disclosure_control.analyses": (
        "the analyses of the four documents, one folder per config key; nothing imports them"
    ),
    "disclosure_control.steps": (
        "the main line, one folder per config key: `settings.py` (typed, read once), `step.py` (the findings), "
        "`report.py` (sections of them)"
    ),
    "disclosure_control.attack": (
        "what leaves, attacked: the three questions, who is `alone/`, `answerers/`, what `tells/`, `dates/`, `traces/`"
    ),
    "disclosure_control.release": (
        "the whole study as it is released: one decision per person in all files, the operations, the search for traces"
    ),
    "disclosure_control.remedy": (
        "`recodings/`: the lattice, requirements, losses, search; `treatments/`: what can be done to a pilot, "
        "`methods/` and their algorithms"
    ),
    "disclosure_control.rules": "the rules of authorities as data, and how a run stands to each",
    "disclosure_control.study_tables": "the tables that readers of a study expect, before and after",
    "disclosure_control.identifiers": (
        "which columns name a person, by their names and values: `kinds/`, those found alike in one file, and the scan"
    ),
    "disclosure_control.measures": "risk measures beyond k, l and t",
    "disclosure_control.assess": "reading the combined dataset; k, l and t of one pilot; risky rows",
    "disclosure_control.records": (
        "the store of records: people are counted, and flagged records handed back, in memory, from disk or on a "
        "cluster"
    ),
    "disclosure_control.run": "how a door runs: pilots in turn, locks, results that change in one step, logs",
    "study": (
        "`formats/`: one file per format; `models/`: one file per data model, what its columns are for; `merge/`:"
        " many rows to one per person; what is done with each role when a study leaves"
    ),
    "config": "the settings of the service, and the config keys of k, l and t",
    "Anonymization_Models": "the maths: classes, counts, k, l, t, binning, distances",
    "disclosure_control.basics": (
        "what all use: `encoding/` (columns, keys, hierarchies, bins), `telling/` (small counts, faults, reasons,"
        " words, progress), `settings/` (what a setting may be), `drawings/` (of the page, and figures)"
    ),
}
DOORS = {
    "Create_Combined_Pilot_Dataset": "door 1: files of a pilot to one row per person",
    "Main_Anonymization": "door 2: combined dataset and config to risk, remedies, report, release",
    "disclosure_control.night": "both scripts over all pilots in one process, every night",
    "disclosure_control.overview": "all pilots on one page",
    "disclosure_control.reidentify": "the person behind one pseudonym, logged",
    "disclosure_control.sign": "a person signs off a run",
    "disclosure_control.verify": "runs a pilot again and names what changed",
}
MOST_ROOMS, MOST_PAIRS = 20, 112
CONTRIBUTING, MARK_OF_ROOMS = PROJECT / "CONTRIBUTING.md", "<!-- rooms -->\n"
HELPERS = ("benchmarks", "tests")
# Names that the owner's file promises and that live above it: asked for by name, when they are asked for.
LAZY = {("Anonymization_Models", "config"), ("Anonymization_Models", "disclosure_control.report")}
CLASS_NAME = re.compile(r"^class (\w+)", re.MULTILINE)
ENGINES, AT_HAND = ("memory", "disk", "cluster"), ("at_once", "_folder", "is_at_hand", "put_aside")
HEAVY = ["scipy", "dask", "distributed", "duckdb", "python_calamine", "pyreadstat", "pyarrow.parquet", "matplotlib"]


def statements_of(tree: ast.AST) -> Iterator[ast.stmt]:
    """Every statement, those within others too; not what they are made of, which is most of a text."""
    below = [tree]
    while below:
        node = below.pop()
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            found = getattr(node, part, None)
            below += found if isinstance(found, list) else []
        if isinstance(node, ast.stmt):
            yield node


class Parsed(NamedTuple):
    """What tests ask of a text: how many statements, which classes, and what may import: statements and late calls."""

    n_statements: int
    classes: list[ast.ClassDef]
    importing: list[ast.AST]


@functools.cache
def parsed(source: str) -> Parsed:
    """A text of Python, read once for all tests: a second for each two hundred files. Docstrings are no statements."""
    tree = ast.parse(source)
    statements = [*statements_of(tree)]
    n = sum(not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)) for one in statements)
    late = ast.walk(tree) if "import_module" in source or "__import__" in source else statements
    importing = [node for node in late if isinstance(node, ast.Import | ast.ImportFrom | ast.Call)]
    has_results = "dataclass" in source
    return Parsed(n, [one for one in statements if has_results and isinstance(one, ast.ClassDef)], importing)


@functools.cache
def imported_modules(source: str, package: str = "") -> set[str]:
    """Every module that a text imports, wherever in it: dotted names; those of ``import_module("...")`` as well."""
    found = set()
    for node in parsed(source).importing:
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


@functools.cache
def module_name(path: Path) -> str:
    return ".".join(path.relative_to(PROJECT).with_suffix("").parts).removesuffix(".__init__")


def room_of(module: str) -> str | None:
    """The room that a module belongs to; None for what is none of the project's, and for the bare package."""
    if module in DOORS:
        return "doors"
    return next((room for room in ROOMS if module == room or module.startswith(f"{room}.")), None)


@functools.cache
def project_files() -> list[Path]:
    tops = sorted({room.partition(".")[0] for room in ROOMS} - {"doors"})
    files = [PROJECT / f"{name}.py" for name in sorted(DOORS) if "." not in name]
    for top in tops:
        files += [PROJECT / f"{top}.py"] if (PROJECT / f"{top}.py").is_file() else sorted((PROJECT / top).rglob("*.py"))
    return files


@functools.cache
def project_modules() -> set[str]:
    return {module_name(path) for path in project_files()}


@functools.cache
def project_imports(path: Path) -> set[str]:
    """The project's own modules that a file imports; of ``from package import name`` the module that it really is."""
    module = module_name(path)
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    return imported_modules(path.read_text(encoding="utf-8"), package) & project_modules() - {module}


def test_imports_run_one_way():
    floors = {name: index for index, name in enumerate(ROOMS)}
    upward = [
        f"{module_name(path)} -> {name}"
        for path in project_files()
        if (mine := room_of(module_name(path)))
        for name in sorted(project_imports(path))
        if (room := room_of(name)) and floors[room] < floors[mine] and (mine, room) not in LAZY
    ]
    assert upward == []


def room_at_root(module: str) -> str | None:
    """As ``room_of``, but a folder of helpers is a room by itself."""
    top = module.partition(".")[0]
    return top if top in HELPERS else room_of(module)


def test_few_rooms_import_each_other():
    """Pairs of rooms with an import from one to the other; a definition in the wrong room adds pairs."""
    helpers = [path for name in HELPERS if name != "tests" for path in sorted((PROJECT / name).rglob("*.py"))]
    uses = {module_name(path): project_imports(path) for path in [*project_files(), *helpers]}
    pairs = {(room_at_root(module), room_at_root(name)) for module, names in uses.items() for name in names}
    pairs = {(one, other) for one, other in pairs if one and other and one != other} - LAZY
    rooms = {room for module in uses if (room := room_at_root(module))}
    assert len(rooms) <= MOST_ROOMS, sorted(rooms)
    assert len(pairs) <= MOST_PAIRS, sorted(pairs)


def step_of(module: str) -> str | None:
    """The step in whose folder a module stands, None for any other."""
    parts = module.split(".")
    is_step = parts[0] == "disclosure_control" and parts[1:2] in (["steps"], ["analyses"]) and len(parts) > 3
    return parts[2] if is_step else None


def test_no_step_imports_the_insides_of_another():
    inside = [
        f"{module_name(path)} -> {name}"
        for path in project_files()
        if (mine := step_of(module_name(path)))
        for name in sorted(project_imports(path))
        if step_of(name) not in (mine, None)
    ]
    assert inside == []


def test_nothing_but_helpers_imports_helpers():
    tops = {path: top_names(path.read_text(encoding="utf-8")) for path in project_files()}
    assert {module_name(path): names & set(HELPERS) for path, names in tops.items() if names & set(HELPERS)} == {}


def test_there_is_no_circle():
    """Modules that import each other, late imports included; a circle is named by what it goes through."""
    uses = {module_name(path): project_imports(path) for path in project_files()}
    done: set[str] = set()

    def circle_from(module: str, way: tuple[str, ...]) -> tuple[str, ...]:
        if module in way:
            return (*way[way.index(module) :], module)
        if module in done:
            return ()
        for other in sorted(uses[module]):
            found = circle_from(other, (*way, module))
            if found:
                return found
        done.add(module)
        return ()

    assert [found for module in sorted(uses) if (found := circle_from(module, ()))][:1] == []


def test_every_file_is_in_a_room():
    strangers = {module_name(path) for path in project_files() if room_of(module_name(path)) is None}
    assert strangers == {"disclosure_control"}


def path_of(module: str) -> str:
    path = module.replace(".", "/")
    return f"`{path}.py`" if (PROJECT / f"{path}.py").is_file() else f"`{path}`"


def table_of_rooms() -> str:
    """The table of ``CONTRIBUTING.md``: the doors one by one, then the rooms below them."""
    named = {**DOORS, **{room: words for room, words in ROOMS.items() if room != "doors"}}
    rows = [f"| {path_of(module)} | {words} |\n" for module, words in named.items()]
    return "".join(["| room | what is in it |\n", "|---|---|\n", *rows])


def with_table_of_rooms(page: str) -> str:
    head, _, rest = page.partition(MARK_OF_ROOMS)
    return f"{head}{MARK_OF_ROOMS}{table_of_rooms()}\n{rest.split(chr(10) * 2, 1)[1]}"


def test_the_table_of_rooms_is_made_of_the_rooms():
    page = CONTRIBUTING.read_text(encoding="utf-8")
    assert page == with_table_of_rooms(page), "python -m tests.test_imports"


def test_a_class_name_is_that_of_one_thing():
    """In the house and its helpers alike; a name that two classes share is listed with the files that define them."""
    files: dict[str, list[str]] = {}
    for path in [*project_files(), *(file for helper in HELPERS for file in sorted((PROJECT / helper).rglob("*.py")))]:
        for name in CLASS_NAME.findall(path.read_text(encoding="utf-8")):
            files.setdefault(name, []).append(str(path.relative_to(PROJECT)))
    assert {name: where for name, where in files.items() if len(where) > 1} == {}


def engine_asked(source: str) -> list[str]:
    """Where a text asks which engine holds the records: by its name, by the class of a record, by what is at hand."""
    if not any(word in source for word in ("disclosure_control.records", *ENGINES, *AT_HAND)):
        return []  # nothing that is looked for can be in it
    nodes = list(ast.walk(ast.parse(source)))
    of_records = {
        alias.asname or alias.name
        for node in nodes
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("disclosure_control.records")
        for alias in node.names
    }
    found = []
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            asked = {name.id for name in ast.walk(node.args[1]) if isinstance(name, ast.Name)} & of_records
            found += sorted(asked)
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            found += [one.value for one in sides if isinstance(one, ast.Constant) and one.value in ENGINES]
            if any(isinstance(one, ast.Constant) and one.value is None for one in sides):
                found += [one.attr for one in sides if isinstance(one, ast.Attribute) and one.attr in AT_HAND]
        elif isinstance(node, ast.If | ast.IfExp) and isinstance(node.test, ast.Attribute):
            found += [node.test.attr] if node.test.attr in AT_HAND else []
    return found


def test_nothing_above_the_store_asks_which_engine_holds_the_records():
    above = list(ROOMS)[: list(ROOMS).index("disclosure_control.records")]
    files = [path for path in project_files() if room_of(module_name(path)) in (*above, "study")]
    assert len(files) > 200
    asked = {module_name(path): engine_asked(path.read_text(encoding="utf-8")) for path in files}
    assert {module: found for module, found in asked.items() if found} == {}


@each(
    "source, found",
    [
        (
            "from disclosure_control.records.domain_files import LargeFile\nif isinstance(t, LargeFile): ...",
            ["LargeFile"],
        ),
        ("x = 1 if engine == 'memory' else 2", ["memory"]),
        ("if records.at_once is not None: ...", ["at_once"]),
        ("y = records._folder is None", ["_folder"]),
        ("if table.is_at_hand: ...", ["is_at_hand"]),
    ],
)
def test_every_way_to_ask_for_the_engine_is_seen(source, found):
    assert engine_asked(source) == found


def test_the_rules_look_at_real_imports():
    assert any(room_of(name) == "Anonymization_Models" for path in project_files() for name in project_imports(path))


def test_only_what_runs_the_doors_imports_them():
    importing = {module_name(path) for path in project_files() if project_imports(path) & set(DOORS)}
    assert importing == {"disclosure_control.night", "disclosure_control.verify"}


def test_no_benchmark_imports_a_door():
    for path in sorted((PROJECT / "benchmarks").rglob("*.py")):
        assert not top_names(path.read_text(encoding="utf-8")) & set(DOORS), path.name


@each(
    "source",
    [
        "import study",
        "import study.formats.files as files",
        "from study import files",
        "from study.formats.files import read_domain_file",
        "def late():\n    import study.models.sdtm",
        "if True:\n    from . import events",
        "from .files import listed",
        "import importlib\nimportlib.import_module('study.formats.files')",
        "__import__('study')",
    ],
)
def test_every_way_to_import_is_seen(source):
    assert "study" in top_names(source, package="study")


def test_relative_imports_are_resolved_and_words_are_not_imports():
    assert imported_modules("from ..config import x", package="study.inner") >= {"study.config"}
    assert top_names("text = 'import study'  # import study", package="study") == set()


def modules_after(*statements: str) -> set[str]:
    """Names of all modules that a fresh interpreter holds after the statements."""
    code = "; ".join([*statements, "import json, sys", "print(json.dumps(sorted(sys.modules)))"])
    run = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True)
    return set(json.loads(run.stdout))


COSTLY = pytest.mark.thorough("1 s, and the last statement does this, too")


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param("import Main_Anonymization", marks=COSTLY),
        pytest.param("import Create_Combined_Pilot_Dataset", marks=COSTLY),
        pytest.param("import Anonymization_Models", marks=COSTLY),
        "import Create_Combined_Pilot_Dataset, Main_Anonymization, disclosure_control.assess.assessment, "
        "disclosure_control.assess.combined_dataset",
    ],
)
def test_heavy_libraries_are_not_imported_before_they_are_needed(statement):
    loaded = modules_after(statement)
    assert not loaded & set(HEAVY)
    assert statement.split()[1].strip(",") in loaded


@pytest.mark.thorough("0.6 s in a process")
def test_a_heavy_library_would_be_seen():
    assert "scipy" in modules_after("import Main_Anonymization", "import scipy")


if __name__ == "__main__":
    CONTRIBUTING.write_text(with_table_of_rooms(CONTRIBUTING.read_text(encoding="utf-8")), encoding="utf-8")
