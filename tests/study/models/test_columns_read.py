"""How a model reads columns: by the names of the merge, derived ones, and what counts as numbers or days."""

from __future__ import annotations

import pandas as pd

from study.models.redcap_dictionary import are_dates, are_numbers
from study.models.role_words import words_beside_unit
from study.models.roles import ColumnModel, Role, TableKind, TableModel
from tests.cases import each

TABLE = TableModel(
    "T",
    TableKind.EVENTS,
    columns={"drug": ColumnModel(Role.CODED_TERM), "XDOSE": ColumnModel(Role.NUMBER)},
    prefix="X",
    short={"drug": "TERM"},
    derived={"drug": lambda frame: frame["code"] + "!", "XKIND": lambda frame: frame["code"] + "?"},
)


@each(
    "columns, short, read",
    [
        ("drug code", "TERM", "drug"), ("code", "TERM", None), ("code", "KIND", "code?"), ("XKIND", "KIND", "XKIND"),
        ("XDOSE", "DOSE", "XDOSE"), ("code", "DOSE", None), ("code", "OTHER", None),
    ],
)  # fmt: skip
def test_a_column_by_the_name_of_the_merge(columns, short, read):
    frame = pd.DataFrame({name: [name] for name in columns.split()})
    found = TABLE.read(short, frame)
    assert (None if found is None else found.tolist()) == (None if read is None else [read])
    if "drug" in frame:
        assert TABLE.in_words("drug", frame).tolist() == ["code!"]
        assert TABLE.as_merged(frame)["XKIND"].tolist() == ["code?"]


@each(
    "values, most_others, numbers, dates",
    [
        ([], 0, False, False), ([None], 0, False, False), (["1", None, "2.5"], 0, True, False),
        (["1", "x"], 0, False, False), (["1", "x"], 0.5, True, False), (["1", "x", "y"], 0.5, False, False),
        (["2020-01-02", "2020-01-02T10:00"], 0, False, True), (["2020-01-02", "2020-01"], 0, False, False),
    ],
)  # fmt: skip
def test_what_are_numbers_and_days(values, most_others, numbers, dates):
    column = pd.Series(values, dtype="str")
    assert (are_numbers(column, most_others), are_dates(column)) == (numbers, dates)


def test_the_words_beside_those_for_a_unit():
    headings = ("age_unit", "AGEU", "unit of weight", "Einheit Gewicht")
    assert [*map(words_beside_unit, headings)] == ["age", "ageu", "of weight", "gewicht"]
