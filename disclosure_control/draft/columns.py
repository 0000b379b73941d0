"""What the draft knows of a column of the combined dataset: its heading, how many people share a value, its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import LARGEST_NUMBER, encode_column, parse_numbers
from disclosure_control.identifiers.column_findings import ColumnFinding
from study.concepts import CONCEPT_OF_NAME, Concept, concept_of
from study.merge.wide import ROWS
from study.models.column_roles import SEEN
from study.models.roles import ColumnModel, Role, TableModel
from study.models.study_model import StudyModel
from study.models.values_seen import ValuesSeen
from study.operations import NOT_IN_THE_TABLE, Operation

# Roles that a column's values show as well, whatever it is about: the heading has to say whether outsiders know them.
SAYS_LITTLE = (Role.NUMBER, Role.CATEGORY, Role.FLAG, Role.UNKNOWN)
MOST_LEVELS = 10_000  # of a column of codes, of which draws of people are made
MOST_WORDS = 5  # of a label that names what a column is
FEW_VALUES = 10  # a column of at most this many different numbers counts as codes of categories


@dataclass(frozen=True)
class Column:
    """A column ``DOMAIN__heading``. ``form`` is that of its domain in the merge: "wide", "findings" or "events".

    ``n_values`` of ``n_people`` have a value, ``n_distinct`` different ones; ``n_rare`` people have one that fewer than
    K share. ``numbers`` (n_values,) if every value is a number and none is written as a code (``01``), else None.
    ``operation`` is the release operation of its variable; ``unit`` is the unit of an age, if a column has it.
    ``role`` is the one that the data model gives it where no standard says what is done with it; ``is_guessed`` if from
    its heading and values. ``counts_rows``: it is the number of rows in time of each person. ``is_result``: it has the
    results of a test in a table that no standard names. ``label``: what a dictionary calls it. ``named``: the
    concept that its values are words of. ``people_of`` (n_distinct,) have each value.
    """

    name: str
    domain: str
    heading: str
    form: str
    n_people: int
    n_values: int
    n_distinct: int
    n_rare: int
    numbers: np.ndarray | None = field(repr=False)
    is_dates: bool
    operation: Operation
    unit: str = ""
    findings: tuple[ColumnFinding, ...] = ()
    role: Role | None = None
    is_guessed: bool = False
    counts_rows: bool = False
    is_result: bool = False
    label: str = ""
    named: str | None = None
    people_of: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False)

    @property
    def concept(self) -> Concept | None:
        return concept_of(self.heading) or concept_of(self.label) or CONCEPT_OF_NAME.get(self.named or "")

    @property
    def is_measured(self) -> bool:
        """Whether it counts as numbers, not as codes of categories."""
        return self.numbers is not None and self.n_distinct > FEW_VALUES


def columns_of(
    frame: pd.DataFrame,
    forms: Mapping[str, str],
    test_codes: Mapping[tuple[str, str], str],
    findings: Sequence[ColumnFinding],
    at_least: int,
    model: StudyModel,
) -> list[Column]:
    """Each column of the combined dataset except the subject's id, which comes first.

    ``model`` is that of the study.
    """
    found = []
    for name in frame.columns[1:]:
        domain, _, heading = str(name).partition("__")
        table = model.table(domain)
        form = forms.get(domain, "wide").replace(ROWS.form, "wide")  # one value of each column for a person
        code = test_codes.get((domain, heading.split(" [")[0])) if form == "findings" else heading
        if table is not None and heading in table.of_person:
            form, code = "wide", heading
        known = model.column(domain, heading) if form == "wide" else None
        people_of = np.bincount(codes := _present_codes(frame[name]))
        seen = ValuesSeen.of_counts(frame[name].value_counts())
        found.append(
            Column(
                name=str(name),
                domain=domain,
                heading=heading,
                form=form,
                n_people=len(frame),
                people_of=people_of if len(people_of) <= MOST_LEVELS else people_of[:0],
                n_values=len(codes),
                n_distinct=len(people_of),
                n_rare=int(people_of[people_of < at_least].sum()),
                numbers=_numbers(frame[name]),
                is_dates=seen.are_dates,
                operation=_operation(domain, code, model),
                unit=_unit(frame, str(name)),
                findings=tuple(finding for finding in findings if finding.name == name),
                role=known.role if known is not None and (known.says is None or known.is_guessed) else None,
                is_guessed=known is not None and known.is_guessed,
                is_result=form == "findings" and table is not None and _is_long(table),
                label="" if table is None else _label(table, heading),
                named=seen.named if form == "wide" else None,
                counts_rows=heading == "count" and forms.get(domain) == ROWS.form,
            )
        )
    return found


def _operation(domain: str, variable: str | None, model: StudyModel) -> Operation:
    """What the data model does with a variable; a name in small letters is none of SDTM's."""
    column = model.column(domain, variable or "")
    if column is not None and column.is_guessed:
        return _operation_of_guess(column, model.operation(domain, variable or ""))
    if (column is None or column.says is not None) and not (variable and variable.isupper()):
        return NOT_IN_THE_TABLE
    return model.operation(domain, variable or "")


def _operation_of_guess(column: ColumnModel, says: Operation) -> Operation:
    """What is done with a guessed role, with the reason of the guess; values alone do not say that outsiders know them.

    What the standard's table says of a heading in capitals holds as it is.
    """
    if column.says is not None:
        return NOT_IN_THE_TABLE if column.says == SEEN else says
    if column.role in SAYS_LITTLE:
        return NOT_IN_THE_TABLE
    return replace(says, reason=f"{says.reason} ({column.reason})")


def _label(table: TableModel, heading: str) -> str:
    """The label of a column in its dictionary; none if it is a question, whose words may be about something else."""
    label = table.labels.get(heading, "")
    return label if len(label.split()) <= MOST_WORDS else ""


def _is_long(table: TableModel) -> bool:
    """Whether the tests of a table were guessed: it is a long table of no standard."""
    test = table.columns.get(table.called("TEST"))
    return test is not None and test.is_guessed


def _present_codes(values: pd.Series) -> np.ndarray:
    codes = encode_column(values).codes
    return np.asarray(codes[codes >= 0])


def _numbers(values: pd.Series) -> np.ndarray | None:
    present = values[values.notna()]
    numbers = parse_numbers(present)
    is_code = present.str.match(r"[+-]?0\d").any()
    if not len(numbers) or is_code or np.isnan(numbers).any() or (np.abs(numbers) > LARGEST_NUMBER).any():
        return None
    return numbers


def _unit(frame: pd.DataFrame, name: str) -> str:
    """The units in the column beside an age (``DM__AGEU``), several together; "" where there is none."""
    return "/".join(sorted(frame[f"{name}U"].dropna().str.upper().unique())) if f"{name}U" in frame else ""
