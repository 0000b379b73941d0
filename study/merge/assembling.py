"""The combined dataset, assembled batch by batch, and the merge report's summary of its columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.encoding.text_codes import codes_of_few_texts
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.words import in_one_line, listed
from study.formats.hand_over import PLAIN_NUMBER
from study.formats.messages import Note
from study.formats.tables import Pieces
from study.formats.values import NUMBER_PATTERN, n_records_of
from study.merge.parts import ColumnOfPeople, MergeState, Reduced
from study.merge.subject_ids import DEFAULT_COLUMN


@dataclass(frozen=True)
class Combined:
    """The combined dataset, all text, ``USUBJID`` first, in ``pieces``; ``report`` for ``merge_report.json``.

    ``numbers`` are the columns of numbers, and whether all of a column are plain, see ``study.formats.hand_over``.
    """

    columns: list[str]
    n_subjects: int
    kept: Iterable[pd.DataFrame] = field(repr=False)
    report: dict[str, Any]
    numbers: Mapping[str, bool] = field(default_factory=dict)

    @property
    def pieces(self) -> Iterator[pd.DataFrame]:
        """The dataset in pieces of some subjects each."""
        return (piece if list(piece.columns) == self.columns else piece[self.columns] for piece in self.kept)

    @property
    def frame(self) -> pd.DataFrame:
        pieces = list(self.pieces)
        return pieces[0] if len(pieces) == 1 else pd.concat(pieces, ignore_index=True)


@dataclass
class _ColumnSummary:
    """Summary of a column: values, those that are no numbers, and plain numbers."""

    n_values: int = 0
    n_texts: int = 0
    n_plain: int = 0


class Assembly:
    """Collects columns batch by batch and summarises them."""

    def __init__(self, state: MergeState, pieces: Pieces[pd.DataFrame]):
        self._state, self._pieces = state, pieces
        self._columns: dict[str, _ColumnSummary] = {}
        self._units: dict[str, str] = {}
        self._n_subjects = 0

    def named(self, reduced: Reduced, is_first: bool) -> Mapping[str, ColumnOfPeople]:
        """Columns by their names without line breaks and tabs, which would break the lines of every report."""
        named = {in_one_line(name): values for name, values in reduced.columns.items()}
        self._units |= {in_one_line(name): unit for name, unit in reduced.units.items()}
        if is_first and len(named) < len(reduced.columns):
            self._state.faults.append(
                f"{len(reduced.columns) - len(named)} of {len(reduced.columns)} column names differ from another one "
                "only by line breaks or tabs; rename these columns in the source"
            )
        n_changed = len(reduced.columns.keys() - named.keys())
        if is_first and n_changed:
            self._state.notes.append(f"Line breaks or tabs in the names of {n_changed} columns were replaced by blanks")
        return named

    def add(self, ids: pd.Index, columns: Mapping[str, ColumnOfPeople]) -> None:
        """Append the columns of some subjects: (n_subjects,) of text each."""
        if not self._n_subjects:
            absent = [name for name in self._state.settings.drop if name not in columns]
            if absent:
                raise FaultyInputError(
                    f"merge['drop']: no column {', '.join(map(repr, absent))} in the combined dataset"
                )
        frame = pd.DataFrame({DEFAULT_COLUMN: ids.array, **columns}, dtype="str")
        for name in columns:
            self._look_at(name, frame[name])
        self._n_subjects += len(frame)
        self._pieces.append(frame)

    def _look_at(self, name: str, column: pd.Series) -> None:
        few = codes_of_few_texts(column)
        values, people = (pa.array(column), None) if few is None else (few.texts, few.people[:-1])
        told = self._columns.setdefault(name, _ColumnSummary())
        told.n_values += n_records_of(pc.is_valid(values), people)
        told.n_texts += n_records_of(pc.invert(pc.match_substring_regex(values, NUMBER_PATTERN)), people)
        told.n_plain += n_records_of(pc.match_substring_regex(values, PLAIN_NUMBER), people)

    def combined(self) -> Combined:
        """The dataset with its report, after all subjects were added."""
        state, told = self._state, self._columns
        kept = {name: column for name, column in told.items() if name not in state.settings.drop}
        state.notes.extend(_text_among_numbers(kept))
        report = {
            "subjects": self._n_subjects,
            "inputs": state.inputs,
            "left_out": state.left_out,
            "notes": state.notes,
            "domains": state.domains,
            "dropped_columns": sorted(state.settings.drop),
            "columns": {name: {"subjects_with_value": column.n_values} for name, column in kept.items()},
            "units": {name: self._units[name] for name in kept if name in self._units},
        }
        of_numbers = {name: column for name, column in kept.items() if column.n_values and not column.n_texts}
        numbers = {name: column.n_plain == column.n_values for name, column in of_numbers.items()}
        return Combined([DEFAULT_COLUMN, *kept], self._n_subjects, self._pieces, report, numbers)


def _text_among_numbers(columns: Mapping[str, _ColumnSummary]) -> list[str]:
    """Columns of which most values are numbers and some are not: read as numbers, they would lose the others."""
    found = {name: column for name, column in columns.items() if 0 < 2 * column.n_texts < column.n_values}

    def write(told: Callable[..., str]) -> str:
        where = (f"{name} ({told(column.n_texts, whole=column.n_values)})" for name, column in found.items())
        return f"Texts in columns of numbers: {listed(where)}"

    return [Note.of(write)] if found else []
