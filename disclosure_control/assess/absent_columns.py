"""Why a column that a config names is not in the combined dataset, according to the merge report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from config import MERGE_REPORT
from disclosure_control.basics.telling.faults import ColumnNames
from study.formats.messages import all_files_setting
from study.formats.tables import domain_of


def known_columns(columns: Sequence[str], results: Path) -> ColumnNames:
    """The columns of the combined dataset, with reasons why others are missing.

    ``results``: the folder with the merge report; without a readable one there are no reasons.
    """

    def absence(name: str) -> str | None:
        spelt = {_folded(column): column for column in columns}.get(_folded(name))
        if spelt is not None:
            return f"it is spelt {spelt!r} there: capital letters and blanks count"
        try:
            return _absence(name, json.loads((results / MERGE_REPORT).read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    return ColumnNames(columns, absence)


def _folded(name: str) -> str:
    return "".join(name.split()).casefold()


def _absence(name: str, report: dict[str, Any]) -> str | None:
    """What the merge did with a column; None where it never saw one of the name."""
    domain, _, variable = name.partition("__")
    of_domain = report["domains"].get(domain, {})
    if name in report["dropped_columns"]:
        return "the merge drops it, by merge['drop'] of the config"
    if variable in of_domain.get("dropped_columns", ()):
        return f"the merge leaves {variable} out, as an id or a number of records that tells nothing about a person"
    if str(of_domain.get("form", "")).startswith("events"):
        asked, _, code = variable.partition("=")
        setting = all_files_setting("events", {domain: {asked: [code or "..."]}})
        return f"{domain} holds events, which are joined as a count and as flags of the codes asked for: {setting}"
    left_out = {domain_of(Path(file)): (file, reason) for file, reason in report["left_out"].items()}
    for owner, words in ((domain, "would bring it"), (f"SUPP{domain}", "may bring it")):
        if owner in left_out:
            file, reason = left_out[owner]
            return f"{file} {words}, and is left out: {reason}"
    if of_domain.get("form") == "findings" and variable.startswith(domain):
        return f"{domain} has one column for each test, {domain}__<test>; merge['carry'] brings further variables"
    return None
