"""The definitions: found, named as their files, documented, and made of every model that has rows for them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from disclosure_control.study_tables.fit import RULES
from disclosure_control.study_tables.registry import definitions, study_tables
from disclosure_control.study_tables.rows import ColumnsOnDisk, DomainRows, PersonRows
from disclosure_control.study_tables.table import CellKind
from tests.places import PROJECT
from tests.study_tables.sides import model_of, side_of

FOLDER = PROJECT / "disclosure_control" / "study_tables" / "definitions"
PAGE = PROJECT / "docs" / "study_tables.md"


def documented() -> dict[str, str]:
    """What the page has between two comments: the tables, and the rules of the answer."""
    tables = [f"| `{one.name}` | {one.documentation} |" for one in definitions().values()]
    rules = [f"| {one.documentation} | {one.answer} |" for one in RULES.values()]
    return {
        "study tables": "\n".join(["| table | what it holds |", "|---|---|", *tables]) + "\n",
        "rules of use": "\n".join(["| the ledger has | fit for use |", "|---|---|", *rules]) + "\n",
    }


def test_every_file_is_a_definition_of_its_name():
    assert set(definitions()) == {path.stem for path in FOLDER.glob("*.py")} - {"__init__"}


@pytest.mark.parametrize("name", documented())
def test_the_page_lists_every_table_and_rule(name):
    text = PAGE.read_text(encoding="utf-8")
    assert text.partition(f"<!-- {name} -->\n")[2].partition(f"<!-- end of {name} -->\n")[0] == documented()[name]


def test_a_study_without_people_has_no_table():
    frames = {"DM": pd.DataFrame({"USUBJID": pd.Series(dtype="str"), "ARM": pd.Series(dtype="str")})}
    assert study_tables(side_of(frames, [], model_of(frames))) == {}


def test_tables_of_one_study_have_keys_of_their_own_and_arrays_of_one_shape():
    frames = {
        "DM": pd.DataFrame({"USUBJID": ["a", "b", "c"], "ARM": ["X", "Y", "Y"], "AGE": [1.0, 2.0, np.nan]}),
        "AE": pd.DataFrame({"USUBJID": ["a", "a", "c"], "AEDECOD": ["p", "q", "p"], "AESTDY": [-1.0, 1.0, 5.0]}),
    }
    found = study_tables(side_of(frames, ["a", "b", "c"], model_of(frames)))
    assert {"adverse_events.AE", "terms.AE", "demographics_means.DM"} <= set(found)
    for key, table in found.items():
        shape = (len(table.rows), len(table.columns))
        assert key == table.key
        assert {table.n.shape, table.of.shape, table.value.shape, table.error.shape} == {shape}
        if table.kind is CellKind.SHARE:
            assert (table.n <= table.of).all()
    emergent = found["adverse_events.AE"]
    assert emergent.n.tolist() == [[1, 1], [1, 1]]
    assert emergent.events.tolist() == [[2, 1], [1, 1]]


def test_a_column_is_read_once_and_encoded_once_whatever_its_parts():
    table = model_of({"AE": pd.DataFrame({"USUBJID": ["a"], "AEDECOD": ["p"]})}).tables["AE"]
    frames = [pd.DataFrame({"AEDECOD": ["q", "p"], "AESTDY": [1.0, np.nan]}), pd.DataFrame({"AEDECOD": ["p", None]})]
    n_read = [Counter() for _ in frames]

    def reading(frame: pd.DataFrame, count: Counter) -> ColumnsOnDisk:
        return ColumnsOnDisk(list(frame), len(frame), lambda name: count.update([name]) or {name: frame[name]})

    parts = list(map(reading, frames, n_read))
    rows = DomainRows("AE", table, [PersonRows(part, np.arange(2)) for part in parts])
    assert rows.called("DECOD") == "AEDECOD"
    assert [rows.has("AEDECOD"), rows.has("AESTDY"), rows.has("AETERM")] == [True, True, False]
    codes, labels = rows.codes("AEDECOD")
    assert (codes.tolist(), labels.tolist()) == ([1, 0, 0, -1], ["p", "q"])
    assert rows.is_one_of("AEDECOD", "P").tolist() == [False, True, True, False]
    np.testing.assert_array_equal(rows.numbers("AESTDY"), [1, np.nan, np.nan, np.nan])
    assert n_read == [{"AEDECOD": 1, "AESTDY": 1}, {"AEDECOD": 1}]


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    for name, lines in documented().items():
        start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
        text = text.partition(start)[0] + start + lines + end + text.partition(end)[2]
    PAGE.write_text(text, encoding="utf-8")
