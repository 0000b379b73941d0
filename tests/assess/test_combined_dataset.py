"""The header of the combined dataset: read before the file is, so that a faulty config is told at once."""

from __future__ import annotations

import pandas as pd
import pytest

from disclosure_control.assess import opening
from disclosure_control.assess.combined_dataset import header_of
from disclosure_control.basics.telling.faults import FaultyInputError
from tests.cases import each

PEOPLE = pd.DataFrame({"USUBJID": ["S-1", "S-2"], "DM__AGE": ["30", "40"]})
CONFIG = {"categorical_qis": ["DM__AG"], "continuous_qis": [], "binning_config": {}, "sensitive_feature": []}


@each("content", [b"", b"DM__AGE\n30\n", b"USUBJID,A,A\nS-1,1,2\n", b"USUBJID,\xff\nS-1,2\n"])
def test_a_file_that_is_not_as_it_was_written_has_no_columns(content, tmp_path):
    path = tmp_path / "combined_dataset.csv"
    path.write_bytes(content)
    assert header_of(path) is None


def test_a_column_that_is_not_there_is_told_before_the_file_is_read(tmp_path, monkeypatch):
    path = tmp_path / "combined_dataset.csv"
    PEOPLE.to_csv(path, index=False)
    monkeypatch.delattr(opening, "open_store")  # whoever asked for it would fail
    with (
        pytest.raises(FaultyInputError, match="did you mean 'DM__AGE'"),
        opening.opened("memory", path, {**CONFIG, "K": 2}, {}),
    ):
        pass
