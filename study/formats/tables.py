"""What a config declares about a file, what a reader finds in it, and the table that comes of both."""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeAlias, TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa

from disclosure_control.basics.encoding.text_codes import TextCodes, text_codes
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import (
    TEXT,
    TEXTS,
    Kind,
    as_tuple,
    is_name,
    one_of,
    one_or_by_name,
    whole_number,
)
from disclosure_control.basics.telling.faults import stop_at
from study.formats.dates import ORDERS
from study.formats.epochs import EPOCHS
from study.formats.rows_of_people import RowsOfPeople, rows_in_memory, starts_of_parts

GZIP_SUFFIX = ".gz"
KEEP = "keep"
READINGS = (*ORDERS, *EPOCHS, KEEP)  # of dates
# All FHIR Bundles of a folder are tables of one file of this name, which does not exist.
BUNDLES = "Bundles.json"
# The name of a sheet, or of a table of Bundles, as a table of its own: no file of data has a name that ends so.
_SHEET = re.compile(rf"(?P<workbook>.+\.xls[xm]?|{re.escape(BUNDLES)})#(?P<sheet>.+)", re.IGNORECASE | re.DOTALL)
_NOT_IN_NAMES = re.compile(r'[<>:"/\\|?*\x00-\x1f]')  # of files, on one system or another
Piece = TypeVar("Piece")
ColumnFound: TypeAlias = TextCodes | pa.ChunkedArray | pa.Array | np.ndarray


def _is_encoding(name: object) -> bool:
    try:
        return is_name(name) and isinstance("".encode(name), bytes)
    except (LookupError, ValueError):
        return False


NAMES_OF_FILES = Kind(
    lambda value: is_name(value) or (TEXTS.is_valid(value) and len(value) > 0),
    "the name of the domain's file, or a list of files to combine",
    as_tuple,
)


@dataclass(frozen=True)
class Through:
    """Where the person of a row is found that names a stay or a sample: the other domain, and the key of both."""

    through: str
    key: str


@dataclass(frozen=True)
class OtherPeople:
    """The ``column`` with the person's id in a file whose people are others than those of the other files."""

    others: str


_FORMS_OF_PERSON: Mapping[frozenset[str], Callable[..., Through | OtherPeople]] = {
    frozenset({"through", "key"}): lambda through, key: Through(through.upper(), key),
    frozenset({"others"}): OtherPeople,
}
_PERSON = Kind(
    lambda value: (
        is_name(value)
        or (isinstance(value, dict) and frozenset(value) in _FORMS_OF_PERSON and all(map(is_name, value.values())))
    ),
    'a column of the file, {"through": "PATIENT", "key": "stay_id"} or {"others": "patient_id"}',
    lambda value: value if isinstance(value, str) else _FORMS_OF_PERSON[frozenset(value)](**value),
)


@dataclass(frozen=True)
class FileOptions(SettingsGroup):
    """The config's declarations about one file; None means: guess, and note it.

    ``dates``: how dates are written, in the whole file or by column. ``file``: the files of the domain, where
    several may have it. ``keep``: columns that are never taken for row numbers. ``called``: columns that get another
    name once they are read. ``codes``: what means missing in single columns, beside what does so in the whole file;
    ``kept``: what is a value in single columns, although it looks like a code for missing. ``is_written_as_meant``:
    this tool wrote it, so that all its rows are people, and its values what they are.
    """

    delimiter: str | None = setting(
        Kind(
            lambda value: is_name(value) and len(value) == 1 and value.isascii() and value not in '"\r\n\0',
            "one ASCII character, such as ;",
        ),
        "the character between columns",
        None,
    )
    encoding: str | None = setting(
        Kind(_is_encoding, 'the name of an encoding, such as "cp1253"'), "the encoding of the text", None
    )
    decimal: str | None = setting(one_of(".", ","), "the decimal sign", None)
    thousands: str | None = setting(one_of(".", ",", " ", "'", "none"), "the sign between groups of three digits", None)
    missing: tuple[str, ...] | None = setting(
        TEXTS.but("a list of texts that mean missing"), "texts that mean missing in this file", None
    )
    numbers: tuple[str, ...] = setting(
        TEXTS.but("a list of columns that contain only numbers"),
        "columns of numbers: any other value is missing",
        (),
    )
    dates: str | Mapping[str, str] | None = setting(
        one_or_by_name(one_of(*READINGS)), "the form of dates, for the whole file or by column", None
    )
    unnamed: str | None = setting(one_of("drop"), '`"drop"` leaves out a column without a name', None)
    sheet: str | None = setting(TEXT.but("the name of a workbook's sheet"), "the one sheet of a workbook to read", None)
    header_row: int | None = setting(
        whole_number(1, 1000), "the number of the row with the headings, counted from 1, in a workbook or in text", None
    )
    value_labels: str = setting(
        one_of("codes", "labels"), "what is read from SPSS, Stata and SAS files: codes, or their labels", "codes"
    )
    person: str | Through | OtherPeople | None = setting(
        _PERSON,
        "the column with the person's id, where the file calls it otherwise; "
        '`{"through": "PATIENT", "key": "stay_id"}`, where another file says whose `stay_id` it is; '
        '`{"others": "patient_id"}`, where its people are in no other file',
        None,
    )
    file: tuple[str, ...] = setting(
        NAMES_OF_FILES, "the domain's file, where there are several; a list combines them", ()
    )
    keep: tuple[str, ...] = ()
    called: Mapping[str, str] = field(default_factory=dict)
    codes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    kept: Mapping[str, Sequence[str]] = field(default_factory=dict)
    is_written_as_meant: bool = False

    @property
    def person_column(self) -> str | None:
        """The column of the file that is declared to have the person's id."""
        if isinstance(self.person, OtherPeople):
            return self.person.others
        return self.person if isinstance(self.person, str) else None

    def date_order_of(self, column: str) -> str | None:
        """How the dates of a column are declared to be written; None: not declared."""
        return self.dates.get(column) if isinstance(self.dates, Mapping) else self.dates


NOTHING_DECLARED = FileOptions()


@dataclass(frozen=True, kw_only=True)
class Described:
    """What a file says of its table, whatever the format.

    ``types`` maps columns to the data types of Dataset-JSON if the file names them, ``label`` is that of the data set,
    and ``written_as`` the name of the writer that writes such a file again, if the suffix alone is not enough.
    ``depends_on_keep``: with other columns to ``keep`` the headings or the records could be others.
    """

    types: Mapping[str, str] = field(default_factory=dict)
    label: str = ""
    written_as: str = ""
    depends_on_keep: bool = False


@dataclass(frozen=True)
class FileContents(Described):
    """The result of a reader: columns by name, (n_records,) each, text as Arrow arrays or encoded, numbers as float64.

    Text is unchanged: ``column_reading`` decides for all formats what it means. ``notes`` say what was guessed;
    ``labels`` maps columns to labels if the format has them. ``may_guess_comma``: a comma between digits may be a
    decimal sign, because it does not separate the columns. ``domain``: that of the content, if it is not the file's
    name. ``n_records``: if a column has distinct values only, how many records have each of them. ``is_typed_by_hand``:
    the format lets people write what they like, so that some rows may be no records.
    """

    columns: Mapping[str, ColumnFound] = field(repr=False)
    notes: Sequence[str]
    labels: Mapping[str, str] = field(default_factory=dict)
    may_guess_comma: bool = True
    domain: str = ""
    n_records: Mapping[str, np.ndarray] = field(default_factory=dict)
    is_typed_by_hand: bool = False


class Pieces(Protocol[Piece]):
    """Where the pieces of a result are kept until it is written: in a list, or on disk."""

    def append(self, piece: Piece, /) -> None:
        """Keep one more piece."""

    def __iter__(self) -> Iterator[Piece]:
        """The pieces in their order, as often as needed."""


@dataclass(frozen=True)
class SourceTable(Described):
    """One domain file as it was read.

    ``sha256`` is of the very bytes that were parsed. ``frame`` has a RangeIndex in the order of the file; text columns
    have pandas' default ``str`` dtype with missing as NaN and never ``''``, numeric columns are float64. Columns of CSV
    files are all text. ``notes`` says what was guessed. ``labels`` are as in ``FileContents``.
    """

    domain: str
    file_name: str
    sha256: str
    frame: pd.DataFrame = field(repr=False)
    labels: Mapping[str, str]
    notes: tuple[str, ...]

    @property
    def n_rows(self) -> int:
        return len(self.frame)

    def fits(self, most: int) -> bool:
        """Whether whole columns can be read: at most so many rows of them that are not in memory yet."""
        return True

    def column(self, name: str) -> pd.Series:
        """A column whole (n_rows,)."""
        return self.frame[name]

    def columns_together(self, names: Iterable[str]) -> Iterator[list[tuple[str, pd.Series]]]:
        """Columns whole with their names, those together that are in memory together."""
        yield [(name, self.frame[name]) for name in names]

    def rows_in_order(self, lengths: Iterable[int], columns: Sequence[str] | None = None) -> Iterator[pd.DataFrame]:
        """The rows in the order of the file, in blocks; of some ``columns``, None for all."""
        frame, start = self.frame if columns is None else self.frame[list(columns)], 0
        for length in lengths:
            yield frame.iloc[start : start + length].reset_index(drop=True)
            start += length

    def combinations(self, columns: Sequence[str], most: int | None) -> pd.DataFrame | None:
        """Rows of some columns, each combination at least once; None if more than ``most`` that are not in memory."""
        return self.frame[list(columns)]

    def under_names(self, called: Mapping[str, str]) -> SourceTable:
        """The table with columns under other names, each with a note; one that the file does not have changes nothing.

        Raises ``FaultyInputError`` if the file has another column of a new name.
        """
        names = {old: new for old, new in called.items() if old in self.frame}
        stop_at(
            [
                f"{self.file_name}: it has a column {new!r} beside {old!r}, which would get that name; choose another "
                'one by subject_id: {"column": "..."}, and name the person of each file by merge.files'
                for old, new in names.items()
                if new in self.frame
            ]
        )
        if not names:
            return self
        notes = (*self.notes, *(f"the column {old!r} names the person, and is called {names[old]!r}" for old in names))
        return dataclasses.replace(
            self,
            frame=self.frame.rename(columns=names),
            labels={names.get(name, name): label for name, label in self.labels.items()},
            types={names.get(name, name): kind for name, kind in self.types.items()},
            notes=notes,
        )

    def source_ids(self, column: str | None) -> tuple[pd.Series, np.ndarray | None]:
        """The ids in a column, and how many records have each; None: one each. No column: one for each row."""
        return (self.frame.index.to_series() if column is None else self.frame[column]), None

    def with_column_of_ids(
        self, column: str | None, name: str, of_ids: Callable[[pd.Series], pd.Series]
    ) -> SourceTable:
        """The table with a further column of text, which ``of_ids`` makes of the ids in a column: (n,) of each id."""
        ids = self.source_ids(column)[0] if column is None else self.frame[column]
        return dataclasses.replace(self, frame=self.frame.assign(**{name: of_ids(ids)}))

    def where(self, column: str, is_kept: Callable[[pd.Series], np.ndarray]) -> SourceTable:
        """The table with only the rows whose value in a column is kept by a function of the values."""
        return dataclasses.replace(self, frame=self.frame[is_kept(self.frame[column])].reset_index(drop=True))

    def has_several(
        self, column: str, beside: str, is_meant: Callable[[pd.Series], np.ndarray], least: int = 2
    ) -> bool:
        """Whether two or ``least`` different values of a column occur with the selected values of another one."""
        return len(self.frame.loc[is_meant(self.frame[beside]), column].dropna().unique()) >= least

    def starts_of_parts(self, n_people: int, rows_per_part: int) -> np.ndarray:
        """Where the parts of so many people begin, of about so many rows each; a table in memory is one part."""
        return starts_of_parts(n_people, 0, rows_per_part)

    def of_people(self, person: np.ndarray, column: str | None) -> RowsOfPeople:
        """The rows divided by person; ``person`` is the place of each id of ``source_ids(column)``, -1 for nobody."""
        return rows_in_memory(self.frame, person)

    def pieces(self, made: Callable[..., Piece]) -> Pieces[Piece]:
        """The storage for results of the rows: ``made`` from a frame and two arrays of its rows each."""
        return []

    def give_back(self) -> None:
        """Give back what the rows take on the disk: they are not asked for again."""

    def counts_of(self, column: str) -> pd.Series:
        """The values of a column, and how many records have each; those without one are not counted."""
        values = self.frame[column]
        if values.dtype != "str":
            return values.value_counts(sort=False)
        known = text_codes(values)
        return pd.Series(known.people[:-1], pd.Index(known.texts, dtype="str"))

    def counted_column(self, column: str) -> tuple[pd.Series, np.ndarray | None]:
        """A column, and how many records have each value in it; None: one each."""
        return self.frame[column], None


def sheet_path(workbook: Path, sheet: str) -> Path:
    """The path by which a sheet of a workbook is read and reported as a table of its own: ``visits.xlsx#Labs``."""
    return workbook.with_name(f"{workbook.name}#{_NOT_IN_NAMES.sub('_', sheet).strip()}")


def file_of(path: Path) -> Path:
    """The file in which a table is: the path itself, and for a sheet its workbook."""
    sheet = _SHEET.fullmatch(path.name)
    return path.with_name(sheet["workbook"]) if sheet else path


def suffix_of(path: Path | str) -> str:
    """Return a file's suffix, in small letters: ``.csv``, and ``.csv.gz`` where it is packed."""
    path = file_of(Path(path))
    suffix = path.suffix.lower()
    return path.with_suffix("").suffix.lower() + suffix if suffix == GZIP_SUFFIX else suffix


def stem_of(path: Path | str) -> str:
    """The name of a file without the suffix; of a sheet, its own name."""
    name = Path(path).name
    sheet = _SHEET.fullmatch(name)
    return sheet["sheet"] if sheet else name[: len(name) - len(suffix_of(name))]


def domain_of(path: Path) -> str:
    """Return the domain of a file or sheet: its name without the suffix, in capitals."""
    return unicodedata.normalize("NFC", stem_of(path)).strip().upper()


# Project_DATA_2024-05-01_1201.csv, Project_DATA_LABELS_2024-05-01_1201.csv
_OF_A_MOMENT = re.compile(r"(.+?)_DATA(?:_LABELS)?_\d{4}-\d\d-\d\d_\d{4}")


def without_moments(domains: Iterable[str]) -> dict[str, str]:
    """The name of each domain without the moment of an export, as REDCap appends it: a config fits the next export.

    Domains that would have one name keep their own.
    """
    short = {name: match[1] if (match := _OF_A_MOMENT.fullmatch(name)) else name for name in domains}
    return {name: one if list(short.values()).count(one) == 1 else name for name, one in short.items()}
