"""Whatever is in a file: a draft is a config that door 2 accepts for the dataset that the merge makes under it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from config import parse_config
from disclosure_control.assess.assessment import evaluate
from disclosure_control.assess.opening import opened
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.draft.draft import draft_config
from disclosure_control.run.tables import csv_bytes
from disclosure_control.steps import READERS
from tests.cases import quick
from tests.corpus.exports import exports
from tests.corpus.people_words import HELD_OUT
from tests.examples import examples

HEADINGS = st.sampled_from(
    [
        "Age",
        "Alter",
        "Φύλο",
        "sex",
        "BMI",
        "PLZ",
        "Diagnosis",
        "cholesterol",
        "HIV",
        "patient",
        "id",
        "x",
        "AGE ",
        "height",
        'a "b"',
        "# review: c",
        "Geburtsjahr",
        "education",
        "\\d",
        "V1",
        "race",
        "RACE1",
        "salary",
        "Date",
    ]
)
VALUES = st.sampled_from(
    [
        ["1", "2", "3"],
        ["01", "02", "10"],
        ["m", "f", ""],
        ["1.5", "2.5", "1e3"],
        ["2020-01-01", "1999-12-31", ""],
        ["", "", ""],
        ["a", "a", "a"],
        ["1", "x", ""],
        ["0", "1", "0"],
        ["-5", "200", "37"],
        ["1e308", "5", "5"],
        [str(number) for number in range(17, 40)],
        [f"{number / 7:.4f}" for number in range(40)],
        ["<3,4", "5", "6"],
    ]
)


@st.composite
def tables(draw) -> pd.DataFrame:
    n = draw(st.integers(1, 40))
    names = draw(st.lists(HEADINGS, min_size=1, max_size=6, unique_by=str.strip))
    columns = {
        name: [values[(i * step) % len(values)] for i in range(n)]
        for name, values, step in ((name, draw(VALUES), draw(st.integers(1, 5))) for name in names)
    }
    return pd.DataFrame(columns, dtype="str")


def evaluated(files: dict[str, pd.DataFrame]) -> int:
    """People evaluated by door 2's own reading and counting, on the draft as it is."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, table in files.items():
            (folder / file).write_bytes(csv_bytes(table))
        draft = draft_config("X", folder, {})
        combined = folder / "combined_dataset.csv"
        combined.write_bytes(csv_bytes(draft.combined.frame))
        with opened("memory", combined, parse_config(draft.text, "X"), READERS) as found:
            return evaluate(found.people, found.config).k_anonymity.n_evaluated


@examples(40)
@given(tables())
@example(pd.DataFrame({"sex": ["m", "f", "m"], "Age": ["40", "41", "42"]}, dtype="str"))
def test_door_2_accepts_every_draft(table):
    try:
        n = evaluated({"STUDY.csv": table})
    except FaultyInputError as error:
        # Nothing but what is at fault in the file itself, or a file that tells nothing of anybody.
        said = str(error)
        # Rows with a day of their own may be visits: whose they are is not guessed.
        is_open = "Date" in table and "seem to be visits" in said
        assert "both are empty" in said or "STUDY.csv" in said or is_open, said
    else:
        assert 0 < n <= len(table)


@pytest.mark.thorough("1.3 s")
@pytest.mark.parametrize("language", quick(1, [*HELD_OUT][:3], "1 s"))
def test_a_messy_export_needs_one_attempt(language):
    """Exports of hospitals in languages and names that nobody tuned anything with."""
    export = exports({language: HELD_OUT[language]}, seed=71)[0]
    n_people = len(export.tables["DM"])
    assert evaluated({f"{domain}.csv": table for domain, table in export.tables.items()}) == n_people
