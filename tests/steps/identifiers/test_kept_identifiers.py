"""What the search for identifiers tells both readers of ninety people and of the files beside them: as it is kept."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.kept import changed_since_kept
from tests.ninety_people import ninety_people, outcome_of

WAYS = {
    "plain": {},
    "declared": {"identifiers": {"harmless": {"XX__mail": "a test", "DM__ZIP": "areas", "XX__none": "gone"}}},
    "treated": {"treatment": [{"method": "drop_identifiers"}, {"method": "drop_column", "columns": ["DM__ZIP"]}]},
}


def write_files(folder, ids: pd.Series) -> None:
    """Files beside the dataset: with contacts, with words, of the trial's design, and one that cannot be read."""
    n, draw = len(ids), np.random.default_rng(5)
    days = np.datetime64("1950-01-01") + draw.integers(0, 9_000, n).astype("timedelta64[D]")
    contacts = {"USUBJID": ids, "mail": [f"a{i}@post.example" for i in range(n)], "seen": days.astype(str), "q": "x"}
    words = {"USUBJID": ids, "note": [f"came {i} days late and asked for water" for i in range(n)], "ZIP": "11527"}
    pd.DataFrame(contacts).to_csv(folder / "XX.csv", index=False)
    pd.DataFrame(words).to_csv(folder / "DM.csv", index=False)
    pd.DataFrame({"TSPARM": ["mail"], "TSVAL": ["b@post.example"]}).to_csv(folder / "TS.csv", index=False)
    (folder / "YY.csv").write_bytes(b"USUBJID,a\n" + b"\x00\x01\x02" * 40)


@pytest.mark.parametrize("way", WAYS)
def test_all_findings_of_ninety_people(way, tmp_path):
    write_files(tmp_path, ninety_people()["USUBJID"])
    config = dict(WAYS[way])
    value = config.pop("identifiers", {})
    found = outcome_of("identifiers", {**value, "config": config}, folder=tmp_path)
    assert changed_since_kept(f"identifiers_{way}", found) == {}
