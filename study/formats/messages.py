"""Messages of the readers of all formats, in the same words."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.small_counts import people_on_screen
from disclosure_control.basics.telling.words import counted, listed
from study.formats.tables import domain_of

NO_RECORDS = "column names, and no records"


class Note(str):
    """A note on a pilot's files, with exact counts for the merge report, which is restricted.

    ``on_screen`` is the same for screens and logs: no count of records, which are of people, from 1 to 9.
    """

    on_screen: str

    @classmethod
    def of(cls, write: Callable[[Callable[..., str]], str]) -> Note:
        """The note that ``write`` makes of a function, which writes a count, a count of a whole, or a count of things.

        The screen does not show the whole: beside the number of all subjects it may disclose that few are missing.
        """
        note = cls(write(_exact))
        note.on_screen = write(_on_screen)
        return note


def _exact(n: int, noun: str = "", whole: int | None = None) -> str:
    of_whole = "" if whole is None else f" of {whole:,}"
    return (counted(n, noun) if noun else f"{n:,}") + of_whole


def _on_screen(n: int, noun: str = "", whole: int | None = None) -> str:
    return people_on_screen(n, ",") + (f" {noun}s" if noun else "")


def shown_name(name: str) -> str:
    """Return a column name for a message, quoted, shortened, and without control characters."""
    printable = "".join(character if character.isprintable() else " " for character in name)
    return repr(printable if len(printable) <= 60 else printable[:57] + "...")


def setting_of(path: Path, key: str, value: object) -> str:
    """Return the config setting that declares ``key`` of a file, ready to be copied."""
    return "merge: " + json.dumps({"files": {domain_of(path): {key: value}}}, ensure_ascii=False)


def leave_out_setting(path: Path) -> str:
    """Return the config setting that leaves a domain out, ready to be copied."""
    return "merge: " + json.dumps({"ignore": [domain_of(path)]}, ensure_ascii=False)


def reason_of(error: OSError) -> str:
    """Return why the system could not do something, in its own words and without a path."""
    return os.strerror(error.errno) if error.errno else "the system refused"


def empty_file_fault(path: Path) -> str:
    return f"{path.name}: the file is empty. Remove it, or leave the domain out by {leave_out_setting(path)}."


def no_record_fault(path: Path) -> str:
    """Return the fault of a file that names columns and contains no record."""
    return (
        f"{path.name}: the file has column names but no records. Remove it, or leave the domain out by "
        f"{leave_out_setting(path)}."
    )


def damaged_fault(path: Path, what: str) -> str:
    """Return the fault of a file that cannot be read, with what is wrong with it."""
    return f"{path.name}: {what}. Copy or export it again, or leave the domain out by {leave_out_setting(path)}."


@contextmanager
def in_our_words(fault: str, *kinds: type[Exception]) -> Iterator[None]:
    """Raise ``FaultyInputError`` for what a library stumbles over in a file: its own message may quote a value.

    What the system refuses, by a number of its own, is no fault of the file.
    """
    try:
        yield
    except FaultyInputError:
        raise
    except kinds as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise FaultyInputError(fault) from None


def has_no_records(error: FaultyInputError, path: Path) -> bool:
    """Whether the only fault of a file is that it has no record: an export has a file for each table, used or not."""
    return list(error.faults) == [no_record_fault(path)]


def several_datasets_fault(path: Path, n_datasets: int) -> str:
    """Return the fault of a file that contains more than one dataset."""
    return (
        f"{path.name}: the file contains {n_datasets} datasets; one dataset per file is allowed. Export each "
        "dataset into a file of its own."
    )


def all_files_setting(key: str, value: object) -> str:
    """Return the config setting that declares something of all files, ready to be copied."""
    return "merge: " + json.dumps({key: value}, ensure_ascii=False)


def counted_note(words: str, counts: Mapping[str, int], *more: str) -> list[str]:
    """Return the note with the columns that have such records, and how many; none where no column has."""
    found = {shown_name(name): number for name, number in counts.items() if number}
    if not found:
        return []
    return [
        Note.of(
            lambda told: words.format(listed((f"{name} ({told(n)})" for name, n in found.items()), at_most=8), *more)
        )
    ]


def unquoted_missing_note(n: int) -> Note:
    """Return the note on fields that are missing because they contain NA without quotes."""
    return Note.of(lambda told: f"NA without quotes, as R writes missing values, read as missing ({told(n)})")
