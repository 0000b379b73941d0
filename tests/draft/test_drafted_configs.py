"""Public data and the demo pilots through both doors on the draft alone; beside it, the config of an expert.

``python -m tests.draft.test_drafted_configs`` writes the table in ``docs/drafted_configs.md``.
"""

from __future__ import annotations

import functools
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest

from Anonymization_Models import apply_feature_binning, run_k_anonymity
from config import parse_config
from config.model_settings import validate_config
from disclosure_control.basics.encoding.columns import parse_numbers
from disclosure_control.draft.bins import people_of_bins
from disclosure_control.draft.draft import draft_config
from disclosure_control.steps import READERS
from tests.places import PROJECT, SHARED_DATA

DOC = PROJECT / "docs" / "drafted_configs.md"
HEADER = "| pilot | expert: quasi-identifiers |"


@dataclass(frozen=True)
class Expert:
    """What a person wrote for a pilot whose ``files`` (a folder, or one file) are there: columns with edges, if any."""

    files: Path
    known: dict[str, list[float]]
    sensitive: tuple[str, ...]
    difference: str
    cost: str = ""


AGE_IN_TENS = [50, 60, 70, 80, 90]
SDTM = {"DM__SEX": [], "DM__RACE": [], "DM__ETHNIC": []}
EXPERTS = {
    "SDTM_DEMO": Expert(
        PROJECT / "pilot_report" / "SDTM_DEMO",
        {**SDTM, "DM__AGE": AGE_IN_TENS},
        ("LB__Cholesterol",),
        "PHUSE counts marital status and education as known to acquaintances; the expert did not. With six "
        "quasi-identifiers nearly all of the 60 people are at risk, so this needs review.",
        cost="1 s",
    ),
    "PENTELI": Expert(
        PROJECT / "pilot_report" / "PENTELI",
        {
            "DM__SEX": [],
            "SC__Country of Permanent Address": [],
            "SC__District of Permanent Address": [],
            "DM__AGE": [0, 6, 12, 18],
            "VS__BMI": [0, 20, 30, 40],
        },
        ("LB__Cholesterol",),
        "The name of the district's office is a place as well. Classes of body mass index are for adults: quantiles "
        "for children. The id rule is the expert's without its prefix.",
        cost="1 s",
    ),
    "LINKAGE_DEMO": Expert(
        PROJECT / "pilot_report" / "LINKAGE_DEMO",
        {"DM__SEX": [], "DM__POSTCODE": [], "DM__AGE": []},
        ("DM__DIAGNOSIS",),
        "The expert left the age exact, for Mondrian to group. The draft also names the laboratory result as "
        "sensitive.",
    ),
    "cdiscpilot01": Expert(
        SHARED_DATA / "cdiscpilot01",
        {**SDTM, "DM__AGE": AGE_IN_TENS},
        ("LB__Cholesterol",),
        "Years of education are known to acquaintances (PHUSE level 1); the site, which they may know too, is "
        "dropped, as the standard says.",
        cost="7 s",
    ),
    "whole_study": Expert(
        SHARED_DATA / "dataset_json" / "whole_study" / "xpt",
        {**SDTM, "DM__AGE": AGE_IN_TENS},
        ("LB__Cholesterol",),
        "No expert's config of this study is known; the one shown is that of SDTM_DEMO. No one is under 60.",
        cost="2 s",
    ),
    "ACTG175": Expert(
        SHARED_DATA / "actg175" / "aids_original_data.csv",
        {"gender": [], "race": [], "age": []},
        (),
        "The published sweep bins the age itself and names no sensitive column. The draft finds the two that could "
        "harm a person.",
    ),
    "heart": Expert(
        SHARED_DATA / "heart" / "heart.csv",
        {"Age": [], "Cholesterol": []},
        (),
        "The published figures assume that outsiders know the cholesterol. The draft assumes that they should not "
        "learn it, and adds the sex, which everyone sees.",
    ),
    "Adult": Expert(
        SHARED_DATA / "adult" / "adult.csv",
        {
            name: []
            for name in (
                "sex",
                "age",
                "race",
                "marital-status",
                "education",
                "native-country",
                "workclass",
                "occupation",
            )
        },
        ("salary-class",),
        "The same roles. ARX recodes the age by a hierarchy from exact years.",
        cost="1 s",
    ),
}
PILOTS = [
    pytest.param(name, marks=pytest.mark.thorough(expert.cost) if expert.cost else [])
    for name, expert in EXPERTS.items()
]


def files_of(name: str) -> list[Path]:
    """The pilot's domain files; skips the test where the public data are not there."""
    files = EXPERTS[name].files
    if not files.exists():
        pytest.skip(f"the public data are not beside the project: {files.name}")
    return [files] if files.is_file() else sorted(path for path in files.iterdir() if path.is_file())


@functools.cache
def drafted(name: str) -> tuple[dict, pd.DataFrame]:
    """The draft's literal, and the dataset that the merge makes under it."""
    with tempfile.TemporaryDirectory() as folder:
        for path in files_of(name):
            (Path(folder) / path.name).write_bytes(path.read_bytes())
        draft = draft_config(name, Path(folder), {})
    return parse_config(draft.text, name), draft.combined.frame


def plain(column: str) -> str:
    """A column as an expert of a plain table writes it: without the file's name before it."""
    domain, _, heading = column.partition("__")
    return column if len(domain) == 2 else heading


@pytest.mark.parametrize("name", PILOTS)
def test_what_the_expert_named_is_in_the_draft(name):
    """The expert's quasi-identifiers are the draft's, or sensitive in it; what is sensitive is so in both.

    The page shows both beside each other.
    """
    literal, frame = drafted(name)
    assert row_of(name, literal) in DOC.read_text(encoding="utf-8"), row_of(name, literal)
    known = {plain(column) for column in [*literal["categorical_qis"], *literal["continuous_qis"]]}
    sensitive = {plain(column) for column in literal["sensitive_feature"]}
    assert set(EXPERTS[name].known) <= known | sensitive
    assert set(EXPERTS[name].sensitive) <= sensitive
    # It is a config, and every bin and tail of it has K people or nobody.
    validate_config(literal, frame.columns, READERS)
    for column, edges in (literal["binning_config"] | literal.get("sensitive_binning_config_for_L", {})).items():
        numbers = parse_numbers(frame[column].dropna())
        assert all(n == 0 or n >= literal["K"] for n in people_of_bins(numbers, edges)), column


@pytest.mark.thorough("7 s")
def test_by_the_expert_s_columns_the_draft_finds_the_people_that_the_expert_found():
    """The 29 of 306 subjects whom the README of the public data counts: sex, race, ethnicity and age in tens, k < 5."""
    literal, frame = drafted("cdiscpilot01")
    columns = list(EXPERTS["cdiscpilot01"].known)
    binned, _ = apply_feature_binning(
        frame[columns].assign(DM__AGE=parse_numbers(frame["DM__AGE"])),
        {"DM__AGE": literal["binning_config"]["DM__AGE"]},
    )
    assert run_k_anonymity(binned, columns, k=literal["K"]).n_risky == 29


def row_of(name: str, literal: dict) -> str:
    """The line of the table of one pilot."""
    expert = EXPERTS[name]
    known = [*literal["categorical_qis"], *literal["continuous_qis"]]
    edges = {column: literal["binning_config"].get(column, []) for column in known}
    cells = [
        f"{name}, K {literal['K']}",
        *_columns(expert.known.items()),
        *_columns((plain(column), bins) for column, bins in edges.items()),
        ", ".join(f"`{column}`" for column in expert.sensitive) or "none",
        ", ".join(f"`{plain(column)}`" for column in literal["sensitive_feature"]),
        expert.difference,
    ]
    return f"| {' | '.join(cells)} |"


def _columns(columns) -> list[str]:
    return ["; ".join(f"`{name}`{_edges(edges)}" for name, edges in columns)]


def _edges(edges) -> str:
    return f" at {', '.join(f'{edge:g}' for edge in edges)}" if edges else ""


def write_table() -> None:
    """Write the table's rows into the page."""
    rows = [row_of(name, drafted(name)[0]) for name in EXPERTS]
    text = DOC.read_text(encoding="utf-8")
    start = text.index(HEADER)
    head = text[start:].splitlines()[:2]
    DOC.write_text(text[:start] + "\n".join([*head, *rows]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_table()
