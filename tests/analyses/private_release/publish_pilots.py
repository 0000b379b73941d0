"""Small pilots and questions for the tests of private answers."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from decimal import Decimal
from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from config.model_settings import validate_config
from disclosure_control.analyses.private_release.answers import Records, prepared_answer
from disclosure_control.analyses.private_release.ledger import Ledger, LedgerFaultError
from disclosure_control.analyses.private_release.questions import Query, read_query
from disclosure_control.assess.assessment import assess
from disclosure_control.assess.combined_dataset import CombinedDataset
from disclosure_control.steps.running import StepInput
from tests.config_keys import settings_of_key

# Every test by distribution raises a false alarm in one run of a million: OpenDP's noise cannot be seeded.
FALSE_ALARM = 1e-6
SHA = "0" * 64


def query(kind: str, epsilon: object = 1, **settings) -> Query:
    return read_query({"kind": kind, "epsilon": epsilon, **settings})


def answer_of(query: Query, records: Records) -> dict:
    """The answer without a ledger; each call draws new noise."""
    return prepared_answer(query, records)()


@cache
def people(n: int = 200, seed: int = 7) -> pd.DataFrame:
    """A combined dataset as it is read, all text, some of it missing; made once, so that nobody may change it."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "USUBJID": [f"S{i:06d}" for i in range(n)],
            "DM__SEX": rng.choice(["F", "M"], n),
            "DM__AGE": rng.integers(18, 90, n).astype(str),
            "LB__X": rng.normal(100, 15, n).round(2).astype(str),
            "MH__DX": rng.integers(0, 992, n).astype(str),
        },
        dtype="str",
    )
    frame.loc[frame.index % 10 == 3, "LB__X"] = None
    return frame


def step_input(folder, frame: pd.DataFrame, settings: object, earlier=None, key="private_release", **config):
    literal = {
        "categorical_qis": ["DM__SEX"],
        "continuous_qis": ["DM__AGE"],
        "binning_config": {"DM__AGE": [0, 40, 60, 100]},
        "sensitive_feature": [],
        "K": 5,
        **config,
    }
    checked = validate_config(literal, frame.columns)
    typed = frame[list(checked.quasi_identifiers + checked.sensitive_features)]
    typed = typed.assign(DM__AGE=frame["DM__AGE"].astype(float))
    dataset = CombinedDataset.of(typed, frame["USUBJID"], sha256=SHA, text=frame)
    settings = settings_of_key(key, settings, literal, frame.columns)
    return StepInput("PILOT", folder, settings, dataset, assess(typed, checked), earlier or {})


def spending(ledger) -> Decimal:
    return ledger.look().spent


def asked(ledger, word: str, epsilon: str = "0.1", dataset: str = SHA, answer=lambda: {"value": 1}):
    """One question of the ledger's own form, without OpenDP."""
    return ledger.ask({"kind": word}, dataset, Decimal(epsilon), answer, float(epsilon))


def entries_of(ledger) -> list[dict]:
    with contextlib.closing(sqlite3.connect(ledger.path)) as store:
        return [json.loads(content) for (content,) in store.execute("SELECT content FROM entries ORDER BY number")]


def result(outcome) -> SimpleNamespace:
    return SimpleNamespace(outcome=outcome)


def refuses(ledger: Ledger, words: str = "never reset") -> None:
    files = {path.name: path.read_bytes() for path in ledger.folder.iterdir()}
    for attempt in (ledger.look, lambda: asked(ledger, "q", answer=lambda: pytest.fail("answered"))):
        with pytest.raises(LedgerFaultError, match=words):
            attempt()
    assert files == {path.name: path.read_bytes() for path in ledger.folder.iterdir()}
