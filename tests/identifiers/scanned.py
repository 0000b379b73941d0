"""The scan of tables as they are: frames by domain, in memory."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.identifiers.column_findings import Scan, joined
from disclosure_control.identifiers.scan import scan_source
from study.formats.tables import SourceTable


def scan_table(domain: str, table: pd.DataFrame, subject_column: str | None = SUBJECT_COLUMN) -> Scan:
    return scan_source(SourceTable(domain, "", "", table, {}, ()), subject_column)


def scan_tables(tables: Mapping[str, pd.DataFrame], subject_columns: Mapping[str, str] | None = None) -> Scan:
    """What is found in all of them, whose subjects are in ``USUBJID`` where no other column is named."""
    names = subject_columns or {}
    return joined(scan_table(domain, table, names.get(domain, SUBJECT_COLUMN)) for domain, table in tables.items())
