"""Whether a published run still holds: its folder compared with its manifest, and with a repeated run.

Everything here compares; ``disclosure_control.verify`` repeats the run. Messages name files, keys and counts, never
a value of a person: of two different texts they only say that they differ.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from config import FILES_OF_MERGE, MERGE_REPORT, sheet_of
from disclosure_control import __version__
from disclosure_control.assess.staleness import changed_columns, has_input, hash_of_input
from disclosure_control.basics.files import SourceFile, read_file, sha256_of_file
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.words import counted, text_table
from disclosure_control.report.evidence.manifest import figures_of
from disclosure_control.report.evidence.pack import MANIFEST
from disclosure_control.report.evidence.packages import build, versions
from disclosure_control.run.fingerprints import KEY_FILE, fingerprint, fingerprint_of_json, known_key
from disclosure_control.run.results import files_below, summary_text

# What is compared with the files as they are; all other kinds are compared with a run again.
_AS_WRITTEN = (OF_RESULTS, OF_INPUTS, AS_RECORDED) = ("files of the results", "inputs", "figures as recorded")


@dataclass
class Verification:
    """What was compared, by kind: how many things hold, and in sentences what does not. ``notes`` change nothing.

    ``other_build``: a sentence if another state of this program made the results; "" if it was this one.
    """

    held: dict[str, int] = field(default_factory=dict)
    changed: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    other_build: str = ""

    def check(self, kind: str, holds: bool, otherwise: str) -> None:
        """Count one thing that was compared."""
        self.held[kind] = self.held.get(kind, 0) + holds
        found = self.changed.setdefault(kind, [])
        if not holds:
            found.append(otherwise)

    @property
    def n_changed(self) -> int:
        return sum(map(len, self.changed.values()))

    @property
    def is_of_another_build(self) -> bool:
        """Whether all that changed is what the run again made, and another state of the program may be why."""
        return bool(self.other_build and self.n_changed) and not any(self.changed.get(kind) for kind in _AS_WRITTEN)

    @property
    def text(self) -> str:
        """Kind by kind how much holds; then each thing that does not."""
        rows = [[kind, f"{n} of {n + len(self.changed[kind])}"] for kind, n in self.held.items()]
        lines = [self.other_build] if self.other_build else []
        lines += [text_table(["Compared", "Holds"], rows)]
        lines += [f"  CHANGED, {kind}: {words}" for kind, found in self.changed.items() for words in found]
        lines += [f"  NOTE: {note}" for note in self.notes]
        return "\n".join(lines)


@dataclass(frozen=True)
class PublishedSet:
    """A set of ``results`` as it lies there: its summary as a file and parsed, its manifest, and the key of hashes."""

    results: Path
    file: SourceFile
    summary: dict[str, Any] = field(repr=False)
    manifest: dict[str, Any] = field(repr=False)
    key: bytes = field(repr=False)

    @classmethod
    def of(cls, results: Path) -> PublishedSet:
        """Read it. Raises ``FaultyInputError`` where a part is not there, or is not as a run writes it."""
        file, manifest = (_report(results, name) for name in (f"{results.parent.name}_privacy_summary.json", MANIFEST))
        key = known_key(results)
        if key is None:
            raise FaultyInputError(f"{KEY_FILE}: not there; without it no file can be told from another one")
        return cls(results, file, parsed(file), parsed(manifest), key)

    @contextlib.contextmanager
    def as_written(self) -> Iterator[None]:
        """A block that asks for what a run writes. Raises ``FaultyInputError`` where that is not there."""
        try:
            yield
        except (KeyError, TypeError, AttributeError):
            raise FaultyInputError(f"{self.file.name}, {MANIFEST}: not as a run writes them") from None


def _report(results: Path, name: str) -> SourceFile:
    if not (results / name).is_file():
        raise FaultyInputError(f"{name}: not in {results.name}; name a folder that Main_Anonymization.py wrote")
    return read_file(results / name)


def parsed(file: SourceFile) -> dict[str, Any]:
    """A report in JSON. Raises ``FaultyInputError`` where it is none any more."""
    try:
        found = json.loads(file.content)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise FaultyInputError(f"{file.name}: changed since the run, it is no JSON any more")
    return found


def check_results(found: Verification, made: PublishedSet) -> None:
    """Every file of the set, by its fingerprint; its summary, byte by byte as a run would write it; nothing else."""
    said, results = made.summary, made.results
    for name, entry in said["files"].items():
        found.check(OF_RESULTS, *_file(results / name, name, entry, made.key))
    as_written = summary_text(said).encode("utf-8") == made.file.content
    found.check(OF_RESULTS, as_written, f"{made.file.name}: not spelt as a run writes it")
    of_merge = {name for name in FILES_OF_MERGE if name != MERGE_REPORT or made.manifest["merge_report"] is not None}
    for name, words in _strangers(results, {made.file.name, *said["files"], *of_merge}):
        found.check(OF_RESULTS, False, f"{name}: no run wrote it; {words}")


def _strangers(results: Path, of_runs: set[str]) -> Iterator[tuple[str, str]]:
    """What lies in the results or in a folder of them and is of no run, and what becomes of it.

    A link or an empty folder is one as well: runs write neither, and both can be handed on with the others.
    """
    files = files_below(results)
    for path in sorted(results.rglob("*")):
        name = path.relative_to(results).as_posix()
        if name in of_runs and not path.is_symlink():
            continue
        if name in files and not path.is_symlink():
            yield name, "the next one moves it out of the results"
        elif path.is_symlink() or not path.is_dir() or not any(path.iterdir()):
            yield name, "remove it"


def check_manifest(found: Verification, made: PublishedSet, config: SourceFile) -> None:
    """Compare the manifest with the inputs, in the pilot's folder or among the results, and with the figures."""
    kind, manifest, summary, key = OF_INPUTS, made.manifest, made.summary, made.key
    results, folder = made.results, made.results.parent
    domain_files = manifest["domain_files"]
    found.check(
        kind, fingerprint(key, config.sha256) == manifest["config"]["sha256"], f"{config.name}: changed since the run"
    )
    sheet = sheet_of(config.path)
    sha256 = sha256_of_file(sheet) if sheet.is_file() else None
    of_run, of_today = manifest.get("columns", {}).get("sha256"), sha256 and fingerprint(key, sha256)
    found.check(kind, of_run == of_today, f"{sheet.name}: changed since the run")
    for name, entry in domain_files.items():
        found.check(kind, *_input(hash_of_input(folder, name), name, entry, key))
    for name, entry in manifest["inputs"].items():
        place = results if (results / name).is_file() else folder
        sha256 = hash_of_input(place, name)
        if sha256 is not None:  # otherwise it is elsewhere, or missing, which the repeated run finds
            found.check(kind, *_input(sha256, name, entry, key))
    if manifest["merge_report"] is not None:
        entry = {"sha256": manifest["merge_report"]}
        found.check(kind, *_file(results / MERGE_REPORT, MERGE_REPORT, entry, key))
        for name in changed_columns(results):
            found.check(kind, False, f"{name}: changed since the merge")
    same = fingerprint_of_json(figures_of(summary), key) == manifest["figures"]
    found.check(AS_RECORDED, same, f"{_name(folder)}: its figures are not those that were recorded")
    for name in ("inputs", "hashes"):
        words = f"{_name(folder)}, {MANIFEST}: what they say of {name} is not the same in both"
        found.check(AS_RECORDED, summary[name] == manifest[name], words)
    in_summary = {name: entry for name, entry in summary["files"].items() if name != MANIFEST}
    for name in sorted({*manifest["results"], *in_summary}):
        if manifest["results"].get(name) != in_summary.get(name):
            words = f"{name}: {_name(folder)} and {MANIFEST} differ in what they say of it"
            found.check(OF_RESULTS, False, words)
    if manifest.get("build") != build():
        then, here = (f"{one or 'unknown'}" for one in (manifest.get("build"), build()))
        found.other_build = (
            f"Another build of this program made these results: version {manifest['version']}, build {then}; here is "
            f"{__version__}, build {here}. What the run again makes may differ for that alone."
        )
    now = versions()
    for name in sorted({*now, *manifest["versions"]}):
        then, here = manifest["versions"].get(name, "none"), now.get(name, "none")
        if then != here:
            found.notes.append(f"{name}: version {then} in the run, {here} now")


def _name(folder: Path) -> str:
    return f"{folder.name}_privacy_summary.json"


def are_there(folder: Path, names: Iterable[str]) -> bool:
    """Whether all these domain files are in a pilot's folder; a sheet is in its workbook."""
    return all(has_input(folder, name) for name in names)


def _input(sha256: str | None, name: str, entry: Mapping[str, Any], key: bytes) -> tuple[bool, str]:
    if sha256 is None:
        return False, f"{name}: not there any more"
    return fingerprint(key, sha256) == entry["sha256"], f"{name}: changed since the run"


def _file(path: Path, name: str, entry: Mapping[str, Any], key: bytes) -> tuple[bool, str]:
    if not path.is_file():
        return False, f"{name}: not there any more"
    return fingerprint(key, sha256_of_file(path)) == entry["sha256"], f"{name}: changed since the run"


def check_files_again(found: Verification, results: Path, again: Path, names: set[str]) -> None:
    """Files of the set against those of the run again, byte by byte."""
    for name in sorted(names):
        one, other = results / name, again / name
        same = one.is_file() and other.is_file() and sha256_of_file(one) == sha256_of_file(other)
        found.check("files made again", same, f"{name}: the run again makes another one")


def check_figures_again(
    found: Verification, stored: Mapping[str, Any], again: Mapping[str, Any], left_out: tuple[str, ...] = ()
) -> None:
    """Every figure of a report against that of the run again; ``left_out`` are parts that were not made again.

    A figure that differs is named, and neither number: the report is exact, and what is said here is on the screen.
    """
    before, now = (dict(_leaves({k: v for k, v in one.items() if k not in left_out})) for one in (stored, again))
    for path in sorted({*before, *now}):
        one, other = before.get(path, _NONE), now.get(path, _NONE)
        same = type(one) is type(other) and one == other
        missing = "the run again says" if one is _NONE else "is stored" if other is _NONE else ""
        words = f"is only in what {missing}" if missing else "the run again says otherwise"
        found.check(path[0], same, f"{'.'.join(path)}: {words}")


_NONE = object()


def _leaves(value: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    """Each figure with its way into the report; an empty list or dictionary is a figure, too."""
    inner: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        inner = [(str(name), one) for name, one in value.items()]
    elif isinstance(value, list):
        inner = [(str(number), one) for number, one in enumerate(value)]
    if not inner:
        yield path, value
    for name, one in inner:
        yield from _leaves(one, (*path, name))


def last_line(found: Verification) -> str:
    """The answer in one line."""
    n_held = sum(found.held.values())
    if found.is_of_another_build:
        return f"ANOTHER BUILD: files and inputs hold; {counted(found.n_changed, 'thing')} of the run again differ."
    if found.n_changed:
        return f"DOES NOT HOLD: {counted(found.n_changed, 'thing')} changed, {n_held:,} hold."
    return f"HOLDS: all {n_held:,} figures, files and inputs that were compared."
