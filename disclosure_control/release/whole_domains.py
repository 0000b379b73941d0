"""Files of one SDTM domain leave as one, unless they are divided as the standard divides: which file a row is in tells.

Source: SDTM Implementation Guide 3.4, section 4.1.7, "Splitting Domains": a domain may be split by the values of --CAT,
which then is never missing, and Findings About by the domain of --OBJ.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import number_text, parse_numbers
from disclosure_control.basics.telling.faults import stop_at
from disclosure_control.basics.telling.words import listed
from disclosure_control.release.people import labels
from study.formats.tables import SourceTable, suffix_of
from study.models.sdtm import supplemental_parent
from study.models.study_model import StudyModel

SPLIT_BY = {"FA": ("CAT", "OBJ")}  # and all other domains by --CAT


def with_whole_domains(
    tables: Sequence[SourceTable], model: StudyModel, person: str | None, ignored: Collection[str]
) -> tuple[list[SourceTable], dict[str, str]]:
    """The tables with those of one domain put together, and the files that were, each with what became of its rows.

    Rows of SUPP-- follow their records. Tables on disk stay apart, and so do those of which the merge has ``ignored``
    one; the search of what rows disclose asks of them in which file a person is.
    """
    if model.model != "sdtm":
        return list(tables), {}
    by_name = {table.domain: table for table in tables}
    parts: dict[str, list[str]] = {}
    for name in by_name:
        if supplemental_parent(name) is None:
            parts.setdefault(model.domain(name), []).append(name)
    joined: dict[str, SourceTable] = {}
    gone: dict[str, str] = {}
    for domain, names in parts.items():
        beside = {name: f"SUPP{name}" for name in names if f"SUPP{name}" in by_name}
        each = [by_name[name] for name in (*names, *beside.values())]
        if (
            len(names) < 2
            or not all(len(one.frame) == one.n_rows and person in one.frame for one in each)
            or {*names} & {*ignored}
        ):
            continue
        if _is_split_by_the_standard([by_name[name] for name in names], domain):
            continue
        steps = _steps([by_name[name] for name in names], domain, str(person))
        joined[names[0]] = _together(domain, [by_name[name] for name in names], f"{domain}SEQ", steps)
        if beside:
            of_steps = {by_name[supp].domain: steps.get(name, 0) for name, supp in beside.items()}
            supplements = [by_name[supp] for supp in beside.values()]
            joined[supplements[0].domain] = _together(f"SUPP{domain}", supplements, f"{domain}SEQ", of_steps)
        gone |= {
            table.file_name: f"its rows leave in one file of {domain}: which file a row is in may say whose it is, and "
            f"no {domain}CAT says how they are divided"
            for table in each
        }
    kept = [table for table in tables if table.domain in joined or table.file_name not in gone]
    whole = [joined.get(table.domain, table) for table in kept]
    named = {table.file_name for table in whole}
    return whole, {name: why for name, why in gone.items() if name not in named}


def with_pooled_files(tables: Sequence[SourceTable]) -> tuple[list[SourceTable], dict[str, str]]:
    """The tables with those that ``merge["files"]`` combines in one domain put together, as the merge does.

    Also each file that is now in another one. Raises ``FaultyInputError`` for files on disk, which stay apart.
    """
    parts: dict[str, list[SourceTable]] = {}
    for table in tables:
        parts.setdefault(table.domain, []).append(table)
    stop_at(
        f"release: {listed([one.file_name for one in each])} are combined by merge['files'][{domain!r}], and a run "
        "from disk releases each file on its own. Combine them in one file, or run in memory."
        for domain, each in parts.items()
        if len(each) > 1 and not all(len(one.frame) == one.n_rows for one in each)
    )
    gone = {
        table.file_name: f"its rows leave in one file of {domain}, in which merge['files'] combines them"
        for domain, each in parts.items()
        if len(each) > 1
        for table in each
    }
    # The people of one file are not those of another, so their numbers stay.
    whole = [_together(name, each, f"{name}SEQ", {}) if len(each) > 1 else each[0] for name, each in parts.items()]
    named = {table.file_name for table in whole}
    return whole, {name: why for name, why in gone.items() if name not in named}


def _is_split_by_the_standard(tables: Sequence[SourceTable], domain: str) -> bool:
    """Whether a column that may divide the domain has a value in each row, and each value is in one file alone."""
    for name in (f"{domain}{suffix}" for suffix in SPLIT_BY.get(domain, ("CAT",))):
        if all(name in table.frame and table.frame[name].notna().all() for table in tables):
            values = [value for table in tables for value in pd.unique(table.frame[name])]
            if len(values) == len(set(values)):
                return True
    return False


def _steps(tables: Sequence[SourceTable], domain: str, person: str) -> dict[str, int]:
    """What is added to --SEQ in each file, so that a person has each number once; nothing where that is so already."""
    name = f"{domain}SEQ"
    if not all(name in table.frame for table in tables):
        return {}
    numbers = [parse_numbers(table.frame[name]) for table in tables]
    ids = pd.concat([table.frame[person] for table in tables], ignore_index=True)
    together = pd.DataFrame({"person": ids, "number": np.concatenate(numbers)}).dropna()
    if not together.duplicated().any():
        return {}
    step = int(together["number"].max()) + 1
    return {table.domain: place * step for place, table in enumerate(tables)}


def _together(name: str, tables: Sequence[SourceTable], number: str, steps: Mapping[str, int]) -> SourceTable:
    """The rows of all tables as one, whose columns are numbers where those of all are."""
    frames = [_stepped(table.frame, number, steps.get(table.domain, 0)) for table in tables]
    columns = dict.fromkeys(str(column) for frame in frames for column in frame)
    of_text = [c for c in columns if len({frame[c].dtype.kind == "f" for frame in frames if c in frame}) > 1]
    frames = [frame.assign(**{c: _as_text(frame[c]) for c in of_text if c in frame}) for frame in frames]
    whole = pd.concat(frames, ignore_index=True)[list(columns)]
    first = tables[0]
    return dataclasses.replace(
        first,
        domain=name,
        file_name=f"{name.lower()}{suffix_of(first.file_name)}",
        frame=whole,
        labels={c: label for table in reversed(tables) for c, label in table.labels.items()},
        types={c: kind for table in reversed(tables) for c, kind in table.types.items() if c not in of_text},
        label="",
        notes=tuple(note for table in tables for note in table.notes),
    )


def _stepped(frame: pd.DataFrame, number: str, step: int) -> pd.DataFrame:
    """The rows with their numbers raised by a step, or what refers to them by that number."""
    if not step:
        return frame
    if number in frame:
        return frame.assign(**{number: _raised(frame[number], step)})
    refers = (frame["IDVAR"] == number).to_numpy(dtype=bool)
    return frame.assign(IDVARVAL=frame["IDVARVAL"].mask(refers, _raised(frame["IDVARVAL"], step)))


def _raised(column: pd.Series, step: int) -> pd.Series:
    numbers = parse_numbers(column) + step
    if column.dtype.kind == "f":
        return pd.Series(numbers, column.index, name=column.name)
    texts = [number_text(one) if one == one else None for one in numbers.tolist()]
    return pd.Series(texts, column.index, dtype="str", name=column.name)


def _as_text(column: pd.Series) -> pd.Series:
    return pd.Series(labels(column), column.index, dtype="str", name=column.name)
