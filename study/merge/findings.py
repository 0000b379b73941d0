"""Findings in long form (VS, LB, SC, EG, QS, ...) to one row per subject and one column per measurement.

A measurement is a test under one set of circumstances: the same test at another position, time point, specimen
or in another unit is another column, with the difference in its name. Within a measurement one record per subject
is chosen by a ladder: flagged as baseline, else the last on or before the subject's reference start, else that of
the first visit. Every record that is not chosen is counted.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import parse_numbers
from disclosure_control.basics.encoding.text_codes import texts_at
from disclosure_control.basics.telling.faults import nearest_name
from study.formats.values import COMPARATOR
from study.merge.measurements import (
    Kinds,
    Measurements,
    Pair,
    Tests,
    column_of,
    kinds_of_records,
    name_measurements,
    name_tests,
    pairs_of_tests,
)
from study.merge.parts import ColumnOfPeople, Domain, DomainPart, Parts, Plan, Reduced, Reduction
from study.merge.settings import RECORD_RULES, rule_for
from study.merge.wide import as_texts, rank_of_rows, says, summary_of_groups, text_of
from study.models.roles import QUALIFIERS, TableModel

# Variables that decide which record of a subject is chosen.
LADDER = ("LOBXFL", "BLFL", "DTC", "DY", "VISITNUM", "TPTNUM", "REPNUM", "SEQ")
BY_DATE = ("DTC", "DY", "VISITNUM", "TPTNUM", "REPNUM", "SEQ")
BY_VISIT = ("VISITNUM", "DTC", "DY", "TPTNUM", "REPNUM", "SEQ")
# Rungs of the ladder, the best last.
OTHER, BEFORE_START, FLAGGED_BLFL, FLAGGED_LOBXFL = range(4)
BASELINE, FIRST = map(RECORD_RULES.index, ("baseline", "first"))
RUNG_NAMES = ("first_visit", "last_before_start", "baseline_flag_BLFL", "baseline_flag_LOBXFL")


@dataclass(frozen=True)
class FindingsPlan:
    """What has to be known of all people before the records of some are reduced.

    ``carried`` are the variables to carry that the domain has, by their whole and their short names.
    """

    tests: Tests
    measurements: Measurements
    carried: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _Valued:
    """The records with a result, of a test (n_records,), and counts of the other records.

    ``frame`` has all records of the part; ``rows`` (n_records,) are the places of these, taken only where needed.
    """

    frame: pd.DataFrame = field(repr=False)
    rows: np.ndarray
    subject: np.ndarray
    number: np.ndarray
    text: np.ndarray
    kinds: Kinds
    counts: dict[str, int]


def plan_findings(parts: Parts, whole: Domain) -> Plan:
    """The tests and measurements of a domain whose rows come in ``parts``; a missing variable to carry is a fault."""
    domain, columns = whole.name, whole.columns
    short = whole.model.short_names(columns)
    wanted = whole.settings.carry.get(domain, ())
    faults = [
        f"merge['carry']: {domain} has no variable {name!r}{nearest_name(name, columns)}"
        for name in wanted
        if name not in columns
    ]
    carried = tuple((name, short.get(name, name)) for name in wanted if name in columns)
    pairs: set[Pair] = set()
    for part in parts:
        pairs.update(pairs_of_tests(_short_names(part.frame, whole.model))[0])
    nothing = Measurements([], {}, {})
    plan = FindingsPlan(name_tests(pairs), nothing, carried)
    tables = [_valued(part, whole, plan).kinds.table for part in parts]
    measurements = name_measurements(tables, plan.tests.names, domain, whole.settings)
    return Plan(dataclasses.replace(plan, measurements=measurements), tuple(faults))


def reduce_findings(part: DomainPart, whole: Domain, plan: FindingsPlan) -> Reduced:
    """One value per subject of the part and measurement."""
    valued, names = _valued(part, whole, plan), plan.measurements.names
    subject, n_subjects, n_columns = valued.subject, part.n_subjects, len(names)
    number, text, frame, rows = valued.number.copy(), valued.text.copy(), valued.frame, valued.rows
    column = plan.measurements.of_records(valued.kinds)
    cell = subject.astype(np.int64) * n_columns + column
    rung = _rungs(frame, rows, cell, subject, n_subjects * n_columns, part.reference_start)
    rule_of_column = np.array(
        [rule_for(whole.settings.record, "baseline", whole.name, name) for name in names], dtype=object
    )
    # As numbers: a million words are compared a hundred times slower.
    rule = np.array([*map(RECORD_RULES.index, rule_of_column), -1], dtype=np.int8)[column]
    chosen, n_undecided = _choose(frame, rows, cell, rung, rule, number, text, [short for _, short in plan.carried])
    n_unsummed = _summarise(rule_of_column, column, cell, number, text, chosen)
    # Of all columns together, as many have the same numbers and texts.
    written = {"": pd.Series(_as_text(number[chosen], text[chosen]), dtype="str")}
    written |= {f".{variable}": as_texts(frame[short].iloc[rows[chosen]]) for variable, short in plan.carried}

    columns: dict[str, ColumnOfPeople] = {}
    for name, places in zip(names, _by_column(column[chosen], n_columns), strict=True):
        place_of_subject = np.full(n_subjects, -1)
        place_of_subject[subject[chosen[places]]] = places
        columns |= {f"{name}{what}": texts_at(values, place_of_subject) for what, values in written.items()}
    counts = valued.counts | {
        "chosen": len(chosen),
        "collapsed": len(column) - len(chosen),
        "chosen_by": _chosen_by(rule[chosen], rung[chosen]),
        "undecided_ties": n_undecided,
        "text_left_out_of_summaries": n_unsummed,
    }
    return Reduced(columns, plan.measurements.units, counts)


FINDINGS = Reduction("findings", reduce_findings, plan_findings)


def _by_column(column: np.ndarray, n_columns: int) -> list[np.ndarray]:
    order = np.argsort(column, kind="stable")
    return np.split(order, np.searchsorted(column[order], np.arange(1, n_columns))) if n_columns else []


def _chosen_by(rule: np.ndarray, rung: np.ndarray) -> dict[str, int]:
    """How many chosen records each rung of the ladder gave, or each other rule."""
    by_rung = np.bincount(rung[rule == BASELINE], minlength=len(RUNG_NAMES))
    counts = dict(zip(RUNG_NAMES, by_rung.tolist(), strict=True))
    by_rule = np.bincount(rule, minlength=len(RECORD_RULES)).tolist()
    counts |= {name: n for name, n in zip(RECORD_RULES, by_rule, strict=True) if name != "baseline"}
    return {name: n for name, n in sorted(counts.items()) if n}


def _short_names(frame: pd.DataFrame, model: TableModel) -> pd.DataFrame:
    """The frame under the names that all findings have: those of variables without the letters of the domain."""
    return frame.rename(columns=model.short_names(map(str, frame.columns)))


def _valued(part: DomainPart, whole: Domain, plan: FindingsPlan) -> _Valued:
    """The records of a part with a result; read once, then cached in the part."""
    if "valued" not in part.read:
        frame = _short_names(part.frame, whole.model)
        test = plan.tests.of_records(frame)
        number, text, is_text, unit, n_not_done = _results(frame, test, plan.tests.names, whole)
        has_value = ~np.isnan(number) | pd.notna(text)
        kept = np.flatnonzero(has_value & (test >= 0))
        counts = {
            "records": len(test),
            "not_done": n_not_done,
            "without_value": int((~has_value).sum()) - n_not_done,
            "without_test": int((has_value & (test < 0)).sum()),
        }
        needed = [name for name in (*QUALIFIERS, *LADDER, *(short for _, short in plan.carried)) if name in frame]
        frame = frame[list(dict.fromkeys(needed))]
        kinds = kinds_of_records(frame, kept, test[kept], unit, is_text[kept])
        part.read["valued"] = _Valued(frame, kept, part.subject[kept], number[kept], text[kept], kinds, counts)
    found: _Valued = part.read["valued"]
    return found


def _results(
    frame: pd.DataFrame, test: np.ndarray, names: list[str], domain: Domain
) -> tuple[np.ndarray, np.ndarray, np.ndarray, pd.Series, int]:
    """The number of each record, else its text; whether it was given as text; its unit; and how many were not done."""
    numbers = parse_numbers(column_of(frame, "STRESN"))
    text = np.full(len(frame), None, dtype=object)
    unit = column_of(frame, "STRESU")
    open_rows = np.flatnonzero(np.isnan(numbers))  # text is read only where there is no number
    if len(open_rows):
        standard = _texts(frame, "STRESC", open_rows)
        falls_back = pd.isna(standard)
        text[open_rows] = np.where(falls_back, _texts(frame, "ORRES", open_rows), standard)
        keeps_unit = np.ones(len(frame), dtype=bool)
        keeps_unit[open_rows[falls_back]] = False
        unit = unit.where(keeps_unit, column_of(frame, "ORRESU"))

    not_done = says(frame, "STAT", "NOT DONE")
    numbers[not_done], text[not_done] = np.nan, None
    read = open_rows[pd.notna(text[open_rows])]
    numbers[read] = parse_numbers(pd.Series(text[read], dtype="object"))
    numbers[np.isinf(numbers)] = np.nan
    is_text = np.zeros(len(frame), dtype=bool)
    is_text[read] = np.isnan(numbers[read])
    rules = domain.settings.text_results
    by_test = [rule_for(rules, "keep", domain.name, f"{domain.name}__{name}") for name in names]
    _apply_text_rule(numbers, text, is_text, test, by_test)
    return numbers, text, is_text, unit, int(not_done.sum())


def _texts(frame: pd.DataFrame, name: str, rows: np.ndarray) -> np.ndarray:
    column = column_of(frame, name).iloc[rows]
    if column.dtype.kind != "f":
        column = column.mask(column.str.upper() == "NOT DONE")
    return text_of(column)


def _apply_text_rule(
    numbers: np.ndarray, text: np.ndarray, is_text: np.ndarray, test: np.ndarray, rule_of_test: list[str]
) -> None:
    """Results such as ``<3.42``: kept as text, made missing, or taken as the number in them."""
    of_test = [*rule_of_test, "keep"]
    is_number, is_missing = (np.array([one == rule for one in of_test]) for rule in ("number", "missing"))
    to_number = is_text & is_number[test]
    stripped = pd.Series(text[to_number], dtype="object").str.replace(rf"^\s*{COMPARATOR}\s*", "", regex=True)
    numbers[to_number] = parse_numbers(stripped)
    text[(to_number & ~np.isnan(numbers)) | (is_text & is_missing[test])] = None


def _rungs(
    frame: pd.DataFrame,
    rows: np.ndarray,
    cell: np.ndarray,
    subject: np.ndarray,
    n_cells: int,
    reference_start: np.ndarray,
) -> np.ndarray:
    rung = np.full(len(cell), OTHER)
    for flag, value in (("BLFL", FLAGGED_BLFL), ("LOBXFL", FLAGGED_LOBXFL)):
        rung[says(frame, flag, "Y")[rows]] = value
    has_flag = np.zeros(n_cells, dtype=bool)
    has_flag[cell[rung >= FLAGGED_BLFL]] = True
    open_records = np.flatnonzero(~has_flag[cell])  # dates are read only if no flag decides
    if len(open_records):
        rung[open_records] = np.where(
            _on_or_before(frame, rows[open_records], reference_start[subject[open_records]]), BEFORE_START, OTHER
        )
    return rung


def _on_or_before(frame: pd.DataFrame, rows: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Which of the ``rows`` are on or before the reference start: by --DTC as precisely as both have it, or by --DY."""
    before = parse_numbers(frame["DY"].iloc[rows]) <= 1 if "DY" in frame else np.zeros(len(rows), dtype=bool)
    if pd.isna(start).all():  # of studies without a start no date has to be read
        return before
    date = column_of(frame, "DTC").iloc[rows].astype("str").to_numpy(dtype=object, na_value="").astype("U19")
    start = np.where(pd.isna(start), "", start).astype("U19")
    precision = np.minimum(np.strings.str_len(date), np.strings.str_len(start))
    for length in np.unique(precision[precision > 0]):
        same = precision == length
        before[same] = date[same].astype(f"U{length}") <= start[same].astype(f"U{length}")
    return before


def _choose(
    frame: pd.DataFrame,
    rows: np.ndarray,
    cell: np.ndarray,
    rung: np.ndarray,
    rule: np.ndarray,
    number: np.ndarray,
    text: np.ndarray,
    carried: list[str],
) -> tuple[np.ndarray, int]:
    """Positions of the chosen records, one per cell, and the number of ties decided by value alone."""
    level = np.where(rule == BASELINE, rung, 0)
    best = np.zeros(cell.max(initial=-1) + 1, dtype=np.int64)
    np.maximum.at(best, cell, level)
    rivals = np.flatnonzero(level == best[cell])
    has_rival = np.bincount(cell[rivals], minlength=1)[cell[rivals]] > 1
    alone, rivals = rivals[~has_rival], rivals[has_rival]
    of_several, n_undecided = _choose_of_several(
        frame.iloc[rows[rivals]], cell[rivals], rung[rivals], rule[rivals], number[rivals], text[rivals], carried
    )
    chosen = np.concatenate([alone, rivals[of_several]])
    return chosen[np.argsort(cell[chosen], kind="stable")], n_undecided


def _choose_of_several(
    frame: pd.DataFrame,
    cell: np.ndarray,
    rung: np.ndarray,
    rule: np.ndarray,
    number: np.ndarray,
    text: np.ndarray,
    carried: list[str],
) -> tuple[np.ndarray, int]:
    """As ``_choose``, for the records of cells with several on the best rung."""
    takes_first = (rule == FIRST) | ((rule == BASELINE) & (rung == OTHER))
    moment = rank_of_rows(_in_time(frame, BY_DATE), len(frame))
    first = np.flatnonzero(takes_first)
    moment[first] = -rank_of_rows(_in_time(frame.iloc[first], BY_VISIT), len(first), missing_last=True)
    # Only what has the best moment of its cell is put in order, which takes longer than all else here.
    best = np.full(cell.max(initial=-1) + 1, np.iinfo(np.int64).min)
    np.maximum.at(best, cell, moment)
    kept = np.flatnonzero(moment == best[cell])
    frame, cell, number, text = frame.iloc[kept], cell[kept], number[kept], text[kept]
    text_code = pd.factorize(pd.Series(text, dtype="object"), sort=True)[0]
    value = np.stack([pd.factorize(number, sort=True)[0], np.where(np.isnan(number), text_code, -1)])
    # Neither other variables nor spelling may depend on the order of the file.
    beside = [pd.factorize(frame[name], sort=True)[0] for name in carried] + [text_code]
    order = np.lexsort((*beside, *value, cell))
    last = np.flatnonzero(np.diff(cell[order], append=-1))
    begin = np.flatnonzero(np.diff(cell[order], prepend=-1))
    undecided = (value[:, order[begin]] != value[:, order[last]]).any(axis=0)
    return kept[order[last]], int(undecided.sum())


def _in_time(frame: pd.DataFrame, names: Sequence[str]) -> Iterator[pd.Series | np.ndarray]:
    """The variables of time that there are, all but dates as numbers."""
    return (frame[name] if name == "DTC" else parse_numbers(frame[name]) for name in names if name in frame)


def _summarise(
    rule_of_column: np.ndarray,
    column: np.ndarray,
    cell: np.ndarray,
    number: np.ndarray,
    text: np.ndarray,
    chosen: np.ndarray,
) -> int:
    """Put mean, min or max of a cell's numbers into its chosen record; returns how many text results were left out."""
    n_out = 0
    for rule in ("mean", "min", "max"):
        wanted = np.isin(column, np.flatnonzero(rule_of_column == rule))
        n_out += int((wanted & np.isnan(number)).sum())
        if wanted.any():
            per_cell = summary_of_groups(number[wanted], cell[wanted], rule)
            records = chosen[wanted[chosen]]
            number[records] = per_cell.reindex(cell[records]).to_numpy()
            text[records] = None
    return n_out


def _as_text(number: np.ndarray, text: np.ndarray) -> np.ndarray:
    """Text results unchanged (the code 08 is not 8), numbers as they are usually written."""
    return np.where(pd.isna(text), text_of(pd.Series(number)), text)
