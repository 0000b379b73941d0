"""The last stages of a release: its files as they are written, and as a recipient reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.release.codebook import codebook, codebook_files, levels_of
from disclosure_control.release.define import define_file, what_it_does_not_say
from disclosure_control.release.joins import joins_of
from disclosure_control.release.making import Making
from disclosure_control.release.package import as_opened, data_files, file_names, opened_again, write_small_files
from disclosure_control.release.readme import LimitsOfUse, readme
from disclosure_control.release.study import DEFINITION
from study.formats.tables import SourceTable

README = "README.txt"
_BESIDE = (README, "codebook.json", DEFINITION)  # what is searched for originals beside the data sets


def written(making: Making) -> Making:
    """The data sets, the codebook and the define.xml, in the folder of the package.

    Needs all that the package says. Promises its files but for README.txt, which says what a reader finds in them.
    Raises ``FaultyInputError`` with everything that the format of the files cannot represent.
    """
    asked = making.asked
    assert asked.place is not None
    files = data_files(making.released, asked.settings.format, asked.created, asked.place)
    making = _described(making, files)
    write_small_files(making.package.files, asked.place)
    return making


def opened(making: Making) -> Making:
    """The package as a recipient has it: its files opened from disk, and README.txt beside them.

    Needs the files in their folder. Promises ``tables`` and ``texts`` of nothing else than these files.
    """
    place = making.asked.place
    assert place is not None
    making = _with_readme(making, opened_again(place, making.asked.read_package))
    files = making.package.files
    write_small_files({README: files[README]}, place)
    texts = {name: (place / name).read_text(encoding="utf-8") for name in _BESIDE if name in files}
    return replace(making, package=replace(making.package, texts=texts))


def as_it_would_be_read(making: Making) -> Making:
    """The package as a recipient would have it, of files that nobody writes: for a trial, which publishes nothing.

    Needs what ``written`` needs. Promises what ``opened`` does, but for what a format cannot represent. Files whose
    rows are not in memory are written all the same.
    """
    released, format_name = making.released, making.asked.settings.format
    if any(file.is_in_parts for file in released.files.values()):
        return opened(written(making))
    making = _described(making, dict.fromkeys(file_names(released, format_name).values(), b""))
    making = _with_readme(making, as_opened(released, format_name, making.asked.kept))
    files = making.package.files
    texts = {name: bytes(files[name]).decode() for name in _BESIDE if name in files}
    return replace(making, package=replace(making.package, texts=texts))


def rows_as_read(making: Making) -> Making:
    """The data sets alone as a recipient would read them: for a first look, which searches no text beside them."""
    released, asked = making.released, making.asked
    if any(file.is_in_parts for file in released.files.values()):
        return as_it_would_be_read(making)
    names, tables = file_names(released, asked.settings.format), as_opened(released, asked.settings.format, asked.kept)
    joins = tuple(joins_of(making.study, making.people, tables, asked.rule.column))
    return replace(making, package=replace(making.package, names=names, tables=tables, joins=joins))


def _described(making: Making, data: Mapping[str, bytes | Path]) -> Making:
    """The package of these files of data, with the codebook and the define.xml."""
    asked, released = making.asked, making.released
    names, levels = file_names(released, asked.settings.format), levels_of(released)
    intervals = {} if asked.treated is None else asked.treated.intervals
    use = _without_emptied(making, making.compared.fit.for_recipient if making.compared else ())
    files = {**data, **codebook_files(codebook(released, names, levels, intervals), use)}
    definition, why_not = define_file(asked.folder, released, names, levels, asked.created, making.judge)
    if definition is not None:
        files[DEFINITION] = definition
    return replace(making, package=replace(making.package, files=files, names=names, no_definition=why_not))


def _with_readme(making: Making, tables: dict[str, SourceTable]) -> Making:
    """The package with README.txt, and without a define.xml that does not describe the ``tables``."""
    asked, released, package = making.asked, making.released, making.package
    files, why_not = dict(package.files), package.no_definition
    definition = files.get(DEFINITION)
    if isinstance(definition, bytes) and (why_not := what_it_does_not_say(definition, tables)):
        del files[DEFINITION]
        if asked.place is not None:
            (asked.place / DEFINITION).unlink(missing_ok=True)
    joins = tuple(joins_of(making.study, making.people, tables, asked.rule.column))
    rare = [one.for_reader(MASKED) for one in making.raised]
    text = readme(
        asked.pilot,
        released,
        package.names,
        asked.created,
        making.study.model.form,
        joins,
        rare,
        is_defined=DEFINITION in files,
        use=_on_use(making),
    )
    files[README] = text.encode()
    package = replace(package, files=files, tables=tables, joins=joins, no_definition=why_not)
    return replace(making, package=package)


def _on_use(making: Making) -> LimitsOfUse | None:
    """What the recipient is told of the use of the release."""
    if making.compared is None:
        return None
    fit = making.compared.fit
    cells = _without_emptied(making, [cell for limit in fit.limits for cell in limit])
    return LimitsOfUse(str(fit.answer), tuple(zip(cells[::2], cells[1::2], strict=True)))


def _without_emptied(making: Making, lines: Sequence[str]) -> tuple[str, ...]:
    return without_emptied_texts(lines, making.emptied_words)


INSTEAD = "(not told)"  # the text was emptied, or is the name of a column that nobody read
_SHORTEST = 2  # a letter or digit alone is a part of ordinary words


def without_emptied_texts(lines: Sequence[str], emptied: Iterable[str]) -> tuple[str, ...]:
    """The lines without the texts, however these are written: names of rows begin with a small letter."""
    whole = "\n".join(lines).casefold()
    found = sorted({text for text in emptied if len(text) >= _SHORTEST and text.casefold() in whole}, key=len)
    if not found:
        return tuple(lines)
    texts = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, reversed(found)))})(?!\w)", re.IGNORECASE)
    return tuple(texts.sub(INSTEAD, line) for line in lines)
