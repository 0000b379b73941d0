"""What a failing assertion, a debugger or a notebook shows of a result: how it was made, and no person's value."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from config.model_settings import validate_config
from disclosure_control.assess.assessment import assess
from tests.test_imports import parsed

ROOT = Path(__file__).parent.parent
OF_PEOPLE = re.compile(r"DataFrame|pd\.Series|pa\.(Table|Array|ChunkedArray|RecordBatch)|\bbytes\b")


def fields_of_results() -> Iterator[tuple[str, str, str]]:
    """Class, annotation and default of each field of a dataclass that shows its fields."""
    for path in (*ROOT.glob("disclosure_control/**/*.py"), *ROOT.glob("study/**/*.py"), *ROOT.glob("*.py")):
        for node in parsed(path.read_text(encoding="utf-8")).classes:
            decorators = " ".join(map(ast.unparse, node.decorator_list))
            own = any(isinstance(one, ast.FunctionDef) and one.name == "__repr__" for one in node.body)
            if "dataclass" not in decorators or "repr=False" in decorators or own:
                continue
            for one in node.body:
                if isinstance(one, ast.AnnAssign):
                    default = "" if one.value is None else ast.unparse(one.value)
                    yield f"{node.name}.{ast.unparse(one.target)}", ast.unparse(one.annotation), default


def test_tables_and_columns_of_people_are_not_shown():
    shown = [
        name
        for name, annotation, default in fields_of_results()
        if OF_PEOPLE.search(annotation)
        and not re.search(r"Callable|ClassVar", annotation)
        and "repr=False" not in default
    ]
    assert shown == []  # field(repr=False)


def test_an_assessment_shows_no_value_of_a_person():
    table = pd.DataFrame({"SEX": ["Amazone", "b"] * 5, "AGE": range(71230, 71240), "V": ["Secret", "x"] * 5})
    columns = {"categorical_qis": ["SEX"], "continuous_qis": ["AGE"], "sensitive_feature": "V"}
    config = validate_config({**columns, "binning_config": {}, "K": 2, "L": 2, "T": 0.5})
    shown = repr(assess(table, config, subjects=pd.Series([f"PERSON{i}" for i in range(10)])))
    assert "ModelResult" in shown
    assert [text for text in ("Amazone", "71231", "Secret", "PERSON") if text in shown] == []
