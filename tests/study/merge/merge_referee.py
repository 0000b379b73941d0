"""A slow, obvious referee of the merge of findings: plain loops over records, which are dictionaries of text.

It knows nothing of arrays and codes. Where the contract leaves a choice (records of the same moment with different
values), it returns every value that may stand in the column.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

WHAT_IS_MEASURED = ["CAT", "SCAT", "OBJ", "SPEC", "SPCCND"]
QUALIFIERS = [*WHAT_IS_MEASURED, "METHOD", "LOC", "LAT", "DIR", "POS", "TPT", "FAST", "EVAL", "EVALID"]

OF_THE_OTHERS = "the unit of the others"


@dataclass(frozen=True)
class Result:
    """What one record found; ``shown`` is how a column writes it, ``number`` is None for text."""

    number: float | None
    shown: str
    unit: str | None

    @property
    def value(self) -> float | str:
        return self.shown if self.number is None else self.number


@dataclass(frozen=True)
class Expected:
    """``cells``: column -> subject -> what may stand there, each with the carried values beside it."""

    cells: dict[str, dict[str, set[tuple[str | None, ...]]]]
    units: dict[str, set[str]]
    counts: dict[str, int | dict[str, int]]


class FindingsReferee:
    """Judges the records of one findings domain; ``starts``: subject -> reference start or None."""

    def __init__(self, domain: str, records: list[dict], starts: dict[str, str | None], merge: dict):
        self.domain, self.prefix, self.starts, self.merge = domain, domain[:2], starts, merge
        self.records = records
        self.names = self.names_of_tests()
        variables = {variable for record in records for variable in record}
        variable_of = {"TPT": ("TPT", "TPTNUM")}
        circumstances = [
            name
            for name in QUALIFIERS
            if any(self.prefix + variable in variables for variable in variable_of.get(name, (name,)))
        ]
        self.qualifiers = [*circumstances, "UNIT"]

    def judge(self) -> Expected:
        n_not_done = n_without_value = 0
        valued: list[tuple[dict, str, Result]] = []
        for record, name in zip(self.records, self.names, strict=True):
            if self.get(record, "STAT") == "NOT DONE":
                n_not_done += 1
            elif (result := self.result_of(record, name)) is None:
                n_without_value += 1
            else:
                valued.append((record, name, result))
        valued = self.with_units_of_text(valued)
        self.circumstances: dict[tuple[str, str], set[str | None]] = {}
        for record, name, result in valued:
            for qualifier in self.qualifiers:
                found = self.qualifier(record, result, qualifier)
                self.circumstances.setdefault((name, qualifier), set()).add(found)

        cells: dict[tuple[str, str], list[tuple[dict, Result]]] = {}
        units: dict[str, set[str]] = {}
        for record, name, result in valued:
            column = self.column_of(record, name, result)
            cells.setdefault((column, record["USUBJID"]), []).append((record, result))
            if result.unit is not None:
                units.setdefault(column, set()).add(result.unit)

        columns: dict[str, dict[str, set]] = {}
        n_ties = n_text_left_out = 0
        rungs: dict[str, int] = {}
        for (column, subject), rivals in cells.items():
            rule = self.setting("record", column, "baseline")
            rung, best = self.best_of(rule, subject, rivals)
            rungs[rung] = rungs.get(rung, 0) + 1
            n_ties += len({result.value for _, result in best}) > 1
            if rule in ("mean", "min", "max"):
                numbers = [result.number for _, result in rivals if result.number is not None]
                n_text_left_out += len(rivals) - len(numbers)
                allowed = {(self.summary(rule, numbers),)}
            else:
                allowed = {(result.shown, *self.carried(record)) for record, result in best}
            columns.setdefault(column, {})[subject] = allowed
        counts = {
            "records": len(self.records),
            "not_done": n_not_done,
            "without_value": n_without_value,
            "chosen": len(cells),
            "collapsed": len(valued) - len(cells),
            "text_left_out_of_summaries": n_text_left_out,
            "undecided_ties": n_ties,
            "chosen_by": rungs,
        }
        return Expected(columns, units, counts)

    # -- what a record says

    def get(self, record: dict, variable: str) -> str | None:
        return record.get(self.prefix + variable, record.get(variable)) or None

    def setting(self, key: str, column: str, default: str) -> str:
        rules = self.merge.get(key, default)
        if isinstance(rules, str):
            return rules
        for scope in (column, column.split(" [")[0], self.domain):
            if scope in rules:
                return rules[scope]
        return default

    def names_of_tests(self) -> list[str]:
        """The name of each record's test; where one name stands for two codes, both."""
        names = [self.get(record, "TEST") or self.get(record, "TESTCD") for record in self.records]
        codes: dict[str, set[str]] = {}
        for record, name in zip(self.records, names, strict=True):
            if self.get(record, "TESTCD"):
                codes.setdefault(name, set()).add(self.get(record, "TESTCD"))
        return [
            f"{name} ({self.get(record, 'TESTCD')})" if len(codes.get(name, ())) > 1 else name
            for record, name in zip(self.records, names, strict=True)
        ]

    def result_of(self, record: dict, name: str) -> Result | None:
        column = f"{self.domain}__{name}"
        for variable, unit_variable in [("STRESN", "STRESU"), ("STRESC", "STRESU"), ("ORRES", "ORRESU")]:
            text, unit = self.get(record, variable), self.get(record, unit_variable)
            if text is None or text == "NOT DONE":
                continue
            number = number_in(text)
            if number is not None:
                return Result(number, shown(number) if variable == "STRESN" else text, unit)
            rule = self.setting("text_results", column, "keep")
            if rule == "missing":
                return None
            limit = number_in(re.sub(r"^\s*[<>]=?\s*", "", text))
            if rule == "number" and limit is not None:
                # Still a text result, as far as its unit is concerned.
                return Result(limit, shown(limit), unit or OF_THE_OTHERS)
            return Result(None, text, unit or OF_THE_OTHERS)
        return None

    def with_units_of_text(self, valued: list[tuple[dict, str, Result]]) -> list[tuple[dict, str, Result]]:
        """A text result without a unit is in that of the test's other results, if these have only one."""
        units: dict[str, set[str]] = {}
        for _, name, result in valued:
            if result.unit not in (None, OF_THE_OTHERS):
                units.setdefault(name, set()).add(result.unit)
        completed = []
        for record, name, result in valued:
            unit = result.unit
            if unit == OF_THE_OTHERS:
                unit = next(iter(units[name])) if len(units.get(name, ())) == 1 else None
            completed.append((record, name, Result(result.number, result.shown, unit)))
        return completed

    # -- columns

    def qualifier(self, record: dict, result: Result, qualifier: str) -> str | None:
        if qualifier == "UNIT":
            return result.unit
        if qualifier == "TPT":
            return self.get(record, "TPT") or self.get(record, "TPTNUM")
        return self.get(record, qualifier)

    def column_of(self, record: dict, name: str, result: Result) -> str:
        column = f"{self.domain}__{name}"
        told = []
        for qualifier in self.qualifiers:
            differs = len(self.circumstances[name, qualifier]) > 1
            own = self.qualifier(record, result, qualifier)
            if differs and own is not None and qualifier not in self.merge.get("pool", {}).get(column, ()):
                told.append(own)
        return f"{column} [{', '.join(told)}]" if told else column

    # -- one record of several

    def best_of(self, rule: str, subject: str, rivals: list) -> tuple[str, list]:
        """The rung of the ladder, and the records on it of the same, best moment."""
        if rule == "first":
            return "first", self.earliest(rivals)
        if rule != "baseline":
            return rule, self.latest(rivals)
        for flag in ("LOBXFL", "BLFL"):
            flagged = [rival for rival in rivals if self.get(rival[0], flag) == "Y"]
            if flagged:
                return f"baseline_flag_{flag}", self.latest(flagged)
        before = [rival for rival in rivals if self.is_before_start(rival[0], self.starts.get(subject))]
        return ("last_before_start", self.latest(before)) if before else ("first_visit", self.earliest(rivals))

    def is_before_start(self, record: dict, start: str | None) -> bool:
        date, day = self.get(record, "DTC"), self.get(record, "DY")
        if date and start:
            common = min(len(date), len(start))
            return date[:common] <= start[:common]
        return day is not None and float(day) <= 1

    def latest(self, rivals: list) -> list:
        """Those of the last moment; what is known is later than what is not."""

        def moment(record: dict) -> tuple:
            return tuple((known is not None, known or 0) for known in self.moment(record, last=True))

        best = max(moment(record) for record, _ in rivals)
        return [rival for rival in rivals if moment(rival[0]) == best]

    def earliest(self, rivals: list) -> list:
        """Those of the first moment; what is known is earlier than what is not."""

        def moment(record: dict) -> tuple:
            return tuple((known is None, known or 0) for known in self.moment(record, last=False))

        best = min(moment(record) for record, _ in rivals)
        return [rival for rival in rivals if moment(rival[0]) == best]

    def moment(self, record: dict, last: bool) -> list:
        visit, *others = [
            None if self.get(record, variable) is None else float(self.get(record, variable))
            for variable in ("VISITNUM", "TPTNUM", "REPNUM", "SEQ")
        ]
        date = self.get(record, "DTC")
        return [date, visit, *others] if last else [visit, date, *others]

    def summary(self, rule: str, numbers: list[float]) -> str | None:
        if not numbers:
            return None
        return shown({"mean": sum(numbers) / len(numbers), "min": min(numbers), "max": max(numbers)}[rule])

    def carried(self, record: dict) -> list[str | None]:
        return [record.get(variable) for variable in self.merge.get("carry", {}).get(self.domain, ())]


def number_in(text: str | None) -> float | None:
    return float(text) if text and re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", text) else None


def shown(number: float) -> str:
    return f"{number:.15g}"
