"""The sheet for a health data access body: what was minimised, who keeps which secret, and the catalogue's entry.

Source: Regulation (EU) 2025/327, Articles 66 and 77.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from disclosure_control.basics.telling.sections import Sentence, Style, Table
from disclosure_control.basics.telling.small_counts import count_text
from disclosure_control.report.evidence.chapters import Chapter, FilledChapter
from disclosure_control.rules.columns_left import columns_of_run
from disclosure_control.rules.judging import ABSENT, in_words, value_at
from disclosure_control.steps.context.catalogue import CatalogueEntry

NOT_COUNTED = "not counted in this run"
OFFSET, CONTINENT = "release.operations.offset", "release.operations.raise to continent"
HIGHEST = "prosecutor_highest_risk"
HEAD = ("The run counts what came in and what leaves; whether the purpose needs all of it, the applicant states.",)


def ehds_chapters(summary: Mapping[str, Any], catalogue: CatalogueEntry | None) -> list[FilledChapter]:
    """The table of minimisation, the secrets, and the entry of the catalogue as it stands."""
    return [_minimised(summary), _secrets(summary), _entry(catalogue)]


def _minimised(summary: Mapping[str, Any]) -> FilledChapter:
    columns = columns_of_run(summary)
    variables = [NOT_COUNTED] * 2 if columns is None else [len(columns.left) + len(columns.gone), len(columns.left)]
    files = summary.get("release", {}).get("files", {})
    records = [count_text(rows_of_all(files, name)) for name in ("records_of_source", "records")]
    rows = [
        ["Who", "people", _at(summary, "k_anonymity.total"), _at(summary, "release.people")],
        ["What", "variables", *variables],
        ["What", "rows of all files", *(records if files else [NOT_COUNTED] * 2)],
        ["When", "variables of dates that were moved by person", "-", _at(summary, OFFSET)],
        ["Where", "variables of places that were raised to continents", "-", _at(summary, CONTINENT)],
        ["How", "variables whose values were made coarser", "-", _at(summary, "release.recoded")],
        [
            "How",
            "highest chance to find one person",
            _at(summary, f"treatment.before.{HIGHEST}"),
            _at(summary, f"treatment.as_released.{HIGHEST}"),
        ],
        ["How", "verdict on what leaves", "-", _at(summary, "verdict.verdict")],
    ]
    table = Table("Minimisation", ("Question", "What was counted", "Came in", "Leaves"), rows)
    return FilledChapter(Chapter((), "Data minimisation", "Regulation (EU) 2025/327, Article 66(1)"), (table,))


def rows_of_all(files: Mapping[str, Mapping[str, int | None]], name: str) -> int | None:
    """The rows of all files together; None where those of a file are masked, which the others would disclose."""
    told = [n for one in files.values() if (n := one[name]) is not None]
    return sum(told) if len(told) == len(files) else None


def _secrets(summary: Mapping[str, Any]) -> FilledChapter:
    custodian = value_at(summary, "config.context.custodian")
    is_stated = custodian not in (ABSENT, None)
    rows = [
        ["key of the pseudonyms and moved dates", custodian if is_stated else "open point", "in no file of a run"],
        ["source files, combined dataset, lists of people at risk", "the controller", "the pilot's folder"],
        ["key of the fingerprints in the manifest", "the controller", ".hash_key beside the results"],
    ]
    table = Table("Secrets", ("Secret", "Who keeps it", "Where"), rows)
    is_open = Sentence('Who keeps the key? ("context": {"custodian": ...})', Style.OPEN)
    asked_by = "Regulation (EU) 2025/327, Article 66(3); EDPB Guidelines 01/2025"
    body = (table,) if is_stated else (is_open, table)
    return FilledChapter(Chapter((), "Who keeps which secret", asked_by), body)


def _entry(catalogue: CatalogueEntry | None) -> FilledChapter:
    chapter = Chapter((), "Entry in the catalogue", "Regulation (EU) 2025/327, Article 77; HealthDCAT-AP, release 8")
    if catalogue is None:
        text = 'How is the dataset described in the catalogue? ("context": {"catalogue": {...}}, docs/context.md)'
        return FilledChapter(chapter, (Sentence(text, Style.OPEN),))
    body = [Sentence("evidence/dataset.ttl has it, with people, rows and variables as this run counted them.")]
    if catalogue.not_in_vocabularies:
        refused = ", ".join(catalogue.not_in_vocabularies)
        text = f"Its validator refuses what is not in the vocabularies of release 8: {refused}. Name their codes."
        body.append(Sentence(text, Style.OPEN))
    return FilledChapter(chapter, tuple(body))


def _at(summary: Mapping[str, Any], path: str) -> str:
    value = value_at(summary, path)
    return NOT_COUNTED if value is ABSENT else in_words(value)
