"""Findings in long form (VS, LB, SC, EG, QS, ...) to one row per subject and one column per measurement.

A measurement is a test under one set of circumstances: the same test at another position, time point, specimen
or in another unit is another column, with the difference in its name. Within a measurement one record per subject
is chosen by a ladder: flagged as baseline, else the last on or before the subject's reference start, else that of
the first visit. Every record that is not chosen is counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from cdisc.merge.sdtm import QUALIFIERS, UNIT
from cdisc.merge.settings import MergeSettings, rule_for
from cdisc.merge.wide import says, text_of
from disclosure_control.basics.columns import parse_numbers
from disclosure_control.basics.keys import number_groups

# Variables that tell which record of a subject is chosen.
LADDER = ("LOBXFL", "BLFL", "DTC", "DY", "VISITNUM", "TPTNUM", "REPNUM", "SEQ")
BY_DATE = ("DTC", "DY", "VISITNUM", "TPTNUM", "REPNUM", "SEQ")
BY_VISIT = ("VISITNUM", "DTC", "DY", "TPTNUM", "REPNUM", "SEQ")
# Rungs of the ladder, the best last.
OTHER, BEFORE_START, FLAGGED_BLFL, FLAGGED_LOBXFL = range(4)
RUNG_NAMES = ("first_visit", "last_before_start", "baseline_flag_BLFL", "baseline_flag_LOBXFL")


@dataclass(frozen=True)
class Reduced:
    """A domain after its reduction: text columns (n_subjects,) and what happened, in counts."""

    columns: dict[str, np.ndarray]
    units: dict[str, str]
    counts: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class _Results:
    """Value of each record: a number where it has one, else text; whether it was given as text; its unit."""

    number: np.ndarray
    text: np.ndarray
    is_text: np.ndarray
    unit: pd.Series
    n_not_done: int

    @property
    def has_value(self) -> np.ndarray:
        """Which records hold a result: (n_records,) of bool."""
        return np.asarray(~np.isnan(self.number) | pd.notna(self.text))


def reduce_findings(
    frame: pd.DataFrame,
    prefix: str,
    domain: str,
    subject: np.ndarray,
    n_subjects: int,
    reference_start: np.ndarray,
    settings: MergeSettings,
) -> Reduced:
    """One value per subject and measurement.

    ``subject`` (n_rows,) codes the subject of each row; ``reference_start`` (n_subjects,) is ISO 8601 text or None.
    """
    frame = frame.rename(columns={name: name[2:] for name in frame.columns if name.startswith(prefix)})
    test, names = _tests(frame, settings)
    results = _results(frame, test, names, domain, settings)
    kept = np.flatnonzero(results.has_value & (test >= 0))
    carried = [(name, name.removeprefix(prefix)) for name in settings.carry.get(domain, ())]
    needed = [name for name in (*QUALIFIERS, *LADDER, *(short for _, short in carried)) if name in frame]
    frame = frame[list(dict.fromkeys(needed))].iloc[kept].reset_index(drop=True)
    subject, test_of_all, test = subject[kept], test, test[kept]
    number, text, is_text = results.number[kept], results.text[kept], results.is_text[kept]
    unit = results.unit.iloc[kept].reset_index(drop=True)

    column, column_names, units = _measurements(frame, test, names, unit, is_text, domain, settings)
    n_columns = len(column_names)
    cell = subject.astype(np.int64) * n_columns + column
    rung = _rungs(frame, cell, subject, n_subjects * n_columns, reference_start)
    rule_of_column = np.array(
        [rule_for(settings.record, "baseline", domain, name) for name in column_names], dtype=object
    )
    rule = rule_of_column[column] if n_columns else column
    beside = [short for _, short in carried if short in frame]
    chosen, n_undecided = _choose(frame, cell, rung, rule, number, text, beside)
    number, text = number.copy(), text.copy()
    n_unsummed = _summarise(rule_of_column, column, cell, number, text, chosen)

    columns = {}
    of_column = [chosen[column[chosen] == i] for i in range(n_columns)]
    for name, records in zip(column_names, of_column, strict=True):
        columns[name] = _spread(n_subjects, subject[records], _as_text(number[records], text[records]))
        for variable, short in carried:
            if short in frame:
                values = text_of(frame[short].iloc[records])
                columns[f"{name}.{variable}"] = _spread(n_subjects, subject[records], values)
    reason = np.where(rule[chosen] == "baseline", np.array(RUNG_NAMES, dtype=object)[rung[chosen]], rule[chosen])
    counts = {
        "records": len(results.number),
        "not_done": results.n_not_done,
        "without_value": int((~results.has_value).sum()) - results.n_not_done,
        "without_test": int((results.has_value & (test_of_all < 0)).sum()),
        "chosen": len(chosen),
        "collapsed": len(kept) - len(chosen),
        "chosen_by": {
            str(name): int(n) for name, n in pd.Series(reason, dtype="object").value_counts(sort=False).items()
        },
        "undecided_ties": n_undecided,
        "text_left_out_of_summaries": n_unsummed,
    }
    return Reduced(columns, units, counts)


def _codes(values: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    codes, distinct = pd.factorize(values, sort=True)
    return codes, np.asarray(distinct, dtype=object)


def _column(frame: pd.DataFrame, name: str) -> pd.Series:
    return frame[name] if name in frame else pd.Series(np.nan, index=frame.index, dtype="str")


def _tests(frame: pd.DataFrame, settings: MergeSettings) -> tuple[np.ndarray, list[str]]:
    """Code of each record's test and the tests' names, by --TEST or --TESTCD; where a name stands for two, both."""
    test, code = _column(frame, "TEST"), _column(frame, "TESTCD")
    name = test.fillna(code) if settings.column_names == "TEST" else code.fillna(test)
    other = code if settings.column_names == "TEST" else test
    codes, names = _codes(name)
    if other.isna().all():
        return codes, list(names)
    other_codes, others = pd.factorize(other)
    known = (codes >= 0) & (other_codes >= 0)
    n_others = _n_distinct(codes[known], other_codes[known], len(names), len(others))
    if (n_others <= 1).all():
        return codes, list(names)
    both = name.where(n_others[codes] <= 1, name + " (" + other.fillna("") + ")")
    codes, names = _codes(both)
    return codes, list(names)


def _results(frame: pd.DataFrame, test: np.ndarray, names: list[str], domain: str, settings: MergeSettings) -> _Results:
    numbers = parse_numbers(_column(frame, "STRESN"))
    by_test = [rule_for(settings.result, "standard", domain, f"{domain}__{name}") == "reported" for name in names]
    wants_reported = np.array([*by_test, False])[test]
    numbers[wants_reported] = np.nan
    text = np.full(len(frame), None, dtype=object)
    unit = _column(frame, "STRESU")
    open_rows = np.flatnonzero(np.isnan(numbers))  # text is looked at only where there is no number
    if len(open_rows):
        standard = _texts(frame, "STRESC", open_rows)
        standard[wants_reported[open_rows]] = None
        falls_back = pd.isna(standard)
        text[open_rows] = np.where(falls_back, _texts(frame, "ORRES", open_rows), standard)
        keeps_unit = np.ones(len(frame), dtype=bool)
        keeps_unit[open_rows[falls_back]] = False
        unit = unit.where(keeps_unit, _column(frame, "ORRESU"))

    not_done = says(frame, "STAT", "NOT DONE")
    numbers[not_done], text[not_done] = np.nan, None
    read = np.isnan(numbers) & pd.notna(text)
    numbers[read] = parse_numbers(pd.Series(text[read], dtype="object"))
    numbers[np.isinf(numbers)] = np.nan
    is_text = np.isnan(numbers) & pd.notna(text)
    _apply_text_rule(numbers, text, is_text, test, names, domain, settings)
    return _Results(numbers, text, is_text, unit, int(not_done.sum()))


def _texts(frame: pd.DataFrame, name: str, rows: np.ndarray) -> np.ndarray:
    column = _column(frame, name).iloc[rows]
    if column.dtype.kind != "f":
        column = column.mask(column.str.upper() == "NOT DONE")
    return text_of(column)


def _apply_text_rule(
    numbers: np.ndarray,
    text: np.ndarray,
    is_text: np.ndarray,
    test: np.ndarray,
    names: list[str],
    domain: str,
    settings: MergeSettings,
) -> None:
    """Results such as ``<3.42``: kept as text, made missing, or taken as the number in them."""
    rule_of_test = [rule_for(settings.text_results, "keep", domain, f"{domain}__{name}") for name in names]
    rules = np.array([*rule_of_test, "keep"], dtype=object)[test]
    to_number = is_text & (rules == "number")
    stripped = pd.Series(text[to_number], dtype="object").str.replace(r"^\s*[<>]=?\s*", "", regex=True)
    numbers[to_number] = parse_numbers(stripped)
    text[(to_number & ~np.isnan(numbers)) | (is_text & (rules == "missing"))] = None


def _measurements(
    frame: pd.DataFrame,
    test: np.ndarray,
    names: list[str],
    unit: pd.Series,
    is_text: np.ndarray,
    domain: str,
    settings: MergeSettings,
) -> tuple[np.ndarray, list[str], dict[str, str]]:
    """Column of each record, the columns' names, and the unit of each column where there is one."""
    unit_code, unit_names = _codes(unit.astype("str"))
    unit_code = _unit_of_text(test, unit_code, is_text, len(names), len(unit_names))
    parts = [(UNIT, unit_code, unit_names)]
    for qualifier in QUALIFIERS:
        if qualifier not in frame and not (qualifier == "TPT" and "TPTNUM" in frame):
            continue
        values = _column(frame, qualifier)
        if qualifier == "TPT" and "TPTNUM" in frame:
            values = values.fillna(pd.Series(text_of(frame["TPTNUM"]), frame.index, dtype="str"))
        if values.notna().any():
            parts.insert(-1, (qualifier, *_codes(values.astype("str"))))

    column = np.arange(len(names), dtype=np.int64)[test]
    telling = []
    for qualifier, code, labels in parts:
        differs = _differs(test, code, len(names), len(labels))
        for i, name in enumerate(names):
            if qualifier in settings.pool.get(f"{domain}__{name}", ()):
                differs[i] = False
        shown = np.where(differs[test], code, -1)
        telling.append((qualifier, shown, labels))
        n_codes = len(labels) + 1
        column, _ = number_groups(column * n_codes + shown + 1, (column.max(initial=0) + 1) * n_codes)
    n_columns = int(column.max(initial=-1)) + 1
    first = np.full(n_columns, -1)
    first[column[::-1]] = np.arange(len(column))[::-1]
    column_names = [_name_of_column(domain, names[test[record]], telling, record, plain=True) for record in first]
    if len(set(column_names)) < len(column_names):  # SUPINE may be a position here and a method there
        column_names = [_name_of_column(domain, names[test[record]], telling, record, plain=False) for record in first]
    units_of_column = (
        pd.Series(np.array([*unit_names, None], dtype=object)[unit_code], dtype="object").groupby(column).unique()
    )
    units = {
        name: ", ".join(sorted(found[pd.notna(found)]))
        for name, found in zip(column_names, units_of_column, strict=True)
        if pd.notna(found).any()
    }
    return column, column_names, units


def _name_of_column(
    domain: str, test: str, telling: list[tuple[str, np.ndarray, np.ndarray]], record: int, plain: bool
) -> str:
    told = [
        labels[code[record]] if plain else f"{qualifier}={labels[code[record]]}"
        for qualifier, code, labels in telling
        if code[record] >= 0
    ]
    return f"{domain}__{test}" + (f" [{', '.join(told)}]" if told else "")


def _differs(test: np.ndarray, code: np.ndarray, n_tests: int, n_labels: int) -> np.ndarray:
    """Tests whose records do not all have the same code: (n_tests,) of bool."""
    return _n_distinct(test, code, n_tests, n_labels) > 1


def _n_distinct(test: np.ndarray, code: np.ndarray, n_tests: int, n_labels: int) -> np.ndarray:
    """Number of distinct codes, missing (-1) being one, per test: (n_tests,)."""
    seen = np.zeros((n_tests, n_labels + 1), dtype=bool)
    seen[test, code + 1] = True
    return np.asarray(seen.sum(axis=1))


def _unit_of_text(test: np.ndarray, unit: np.ndarray, is_text: np.ndarray, n_tests: int, n_units: int) -> np.ndarray:
    """A text result without a unit (TRACE, <3.42) belongs to the test's one unit, where there is only one."""
    has_unit = unit >= 0
    n_known = _n_distinct(test[has_unit], unit[has_unit], n_tests, n_units)
    only = np.full(n_tests, -1)
    only[test[has_unit]] = unit[has_unit]
    only[n_known != 1] = -1
    return np.where(~has_unit & is_text, only[test], unit)


def _rungs(
    frame: pd.DataFrame, cell: np.ndarray, subject: np.ndarray, n_cells: int, reference_start: np.ndarray
) -> np.ndarray:
    rung = np.full(len(cell), OTHER)
    for flag, value in (("BLFL", FLAGGED_BLFL), ("LOBXFL", FLAGGED_LOBXFL)):
        rung[says(frame, flag, "Y")] = value
    has_flag = np.zeros(n_cells, dtype=bool)
    has_flag[cell[rung >= FLAGGED_BLFL]] = True
    open_records = np.flatnonzero(~has_flag[cell])  # only where no flag decides are dates looked at
    if len(open_records):
        rung[open_records] = np.where(
            _on_or_before(frame.iloc[open_records], reference_start[subject[open_records]]), BEFORE_START, OTHER
        )
    return rung


def _on_or_before(frame: pd.DataFrame, start: np.ndarray) -> np.ndarray:
    """Whether a record is on or before the reference start: by --DTC at the precision both have, else by --DY <= 1."""
    date = _column(frame, "DTC").astype("str").to_numpy(dtype=object, na_value="").astype("U19")
    start = np.where(pd.isna(start), "", start).astype("U19")
    before = parse_numbers(_column(frame, "DY")) <= 1
    precision = np.minimum(np.strings.str_len(date), np.strings.str_len(start))
    for length in np.unique(precision[precision > 0]):
        same = precision == length
        before[same] = date[same].astype(f"U{length}") <= start[same].astype(f"U{length}")
    return before


def _choose(
    frame: pd.DataFrame,
    cell: np.ndarray,
    rung: np.ndarray,
    rule: np.ndarray,
    number: np.ndarray,
    text: np.ndarray,
    carried: list[str],
) -> tuple[np.ndarray, int]:
    """Positions of the chosen records, one per cell, and how many ties between different values only order by value."""
    level = np.where(rule == "baseline", rung, 0)
    best = np.zeros(cell.max(initial=-1) + 1, dtype=np.int64)
    np.maximum.at(best, cell, level)
    rivals = np.flatnonzero(level == best[cell])
    frame, cell, rule, rung = frame.iloc[rivals], cell[rivals], rule[rivals], rung[rivals]
    number, text = number[rivals], text[rivals]

    takes_first = (rule == "first") | ((rule == "baseline") & (rung == OTHER))
    moment = _order_codes(frame, BY_DATE)
    first = np.flatnonzero(takes_first)
    moment[first] = -_order_codes(frame.iloc[first], BY_VISIT, missing_last=True)
    text_code = pd.factorize(pd.Series(text, dtype="object"), sort=True)[0]
    value = np.stack([pd.factorize(number, sort=True)[0], np.where(np.isnan(number), text_code, -1)])
    # Neither what stands beside the value nor how it is written may depend on the order of the file.
    beside = [pd.factorize(frame[name], sort=True)[0] for name in carried] + [text_code]
    order = np.lexsort((*beside, *value, moment, cell))
    last = np.flatnonzero(np.diff(cell[order], append=-1))
    moment_begins = (np.diff(cell[order], prepend=-1) != 0) | (np.diff(moment[order], prepend=0) != 0)
    begin = np.maximum.accumulate(np.where(moment_begins, np.arange(len(order)), 0))[last]
    undecided = (value[:, order[begin]] != value[:, order[last]]).any(axis=0)
    return rivals[order[last]], int(undecided.sum())


def _order_codes(frame: pd.DataFrame, names: tuple[str, ...], missing_last: bool = False) -> np.ndarray:
    """Rank of each record by several variables, the first the most important; a missing one is first or last."""
    rank = np.zeros(len(frame), dtype=np.int64)
    for name in names if len(frame) else ():
        if name in frame:
            values = frame[name] if name == "DTC" else parse_numbers(frame[name])
            codes, distinct = pd.factorize(values, sort=True)
            n_codes = len(distinct) + 1
            codes = np.where(codes < 0, len(distinct), codes) if missing_last else codes + 1
            rank, _ = number_groups(rank * n_codes + codes, (rank.max() + 1) * n_codes)
    return rank


def _summarise(
    rule_of_column: np.ndarray,
    column: np.ndarray,
    cell: np.ndarray,
    number: np.ndarray,
    text: np.ndarray,
    chosen: np.ndarray,
) -> int:
    """Put mean, min or max of a cell's numbers into its chosen record; returns how many text results stayed out."""
    n_out = 0
    for rule in ("mean", "min", "max"):
        wanted = np.isin(column, np.flatnonzero(rule_of_column == rule))
        numeric = wanted & ~np.isnan(number)
        n_out += int((wanted & ~numeric).sum())
        if wanted.any():
            rows = np.flatnonzero(numeric)
            rows = rows[np.lexsort((number[rows], cell[rows]))]  # sums depend on the order of what is added
            per_cell = getattr(pd.Series(number[rows]).groupby(cell[rows]), rule)()
            records = chosen[wanted[chosen]]
            number[records] = per_cell.reindex(cell[records]).to_numpy()
            text[records] = None
    return n_out


def _as_text(number: np.ndarray, text: np.ndarray) -> np.ndarray:
    """Text results as they stand (the code 08 is not 8), others as numbers are written."""
    return np.where(pd.isna(text), text_of(pd.Series(number)), text)


def _spread(n_subjects: int, subject: np.ndarray, values: np.ndarray) -> np.ndarray:
    spread = np.full(n_subjects, None, dtype=object)
    spread[subject] = values
    return spread
