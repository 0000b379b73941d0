"""FHIR R4 as single documents and Bundles: a file for each patient, as Synthea writes them, or for each type.

All of them in a folder are one export. Their resources become lines by type, as a bulk export has them, and are read by
the reader of these. The files may be named after people, so messages count them and name none.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from disclosure_control.basics.files import read_file
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.words import counted
from study.formats.fhir.views import reference_key, views_by_resource
from study.formats.json_values import collector_paused
from study.formats.messages import Note
from study.formats.packed import gunzipped
from study.formats.registry import TablesTogether, hash_of_all
from study.formats.tables import GZIP_SUFFIX

_BROKEN = "not valid JSON in UTF-8, or cut off; export them again"
_DAMAGED = "not a gzip archive, or a damaged one; pack or export them again"
_NO_FHIR = "neither a resource nor a Bundle of FHIR; move them out of the folder"


@dataclass
class _Known:
    """A resource as it was read: its line, the ``url`` in its Bundle, and when it was ``updated``, if that is known."""

    line: str = field(repr=False)
    url: str
    updated: str


@dataclass
class _Export:
    """Resources by type and id; those without an id once each. ``conflicts``: two that are not versions of one."""

    resources: dict[str, dict[str, _Known]] = field(default_factory=lambda: defaultdict(dict))
    repeated: Counter[str] = field(default_factory=Counter)
    older: Counter[str] = field(default_factory=Counter)
    conflicts: Counter[str] = field(default_factory=Counter)
    without_view: set[str] = field(default_factory=set)

    def add(self, resource: dict[str, Any], url: str) -> None:
        kind = resource.get("resourceType")
        if not isinstance(kind, str) or kind not in views_by_resource():
            is_name = isinstance(kind, str) and re.fullmatch(r"[A-Z][A-Za-z]{1,40}", kind)
            self.without_view.add(str(kind) if is_name else "another name than FHIR's")
            return
        found, meta = self.resources[kind], resource.get("meta")
        updated = meta.get("lastUpdated") if isinstance(meta, dict) else None
        new = _Known(json.dumps(resource, sort_keys=True), url, updated if isinstance(updated, str) else "")
        own = resource.get("id")
        key = own if isinstance(own, str) else f" {len(found)}"  # no id has a blank
        known = found.setdefault(key, new)
        if known is new:
            return
        if known.line == new.line:
            self.repeated[kind] += 1
        elif known.url != new.url or not (known.updated and new.updated) or known.updated == new.updated:
            self.conflicts[kind] += 1
        else:
            self.older[kind] += 1
            found[key] = max(known, new, key=lambda one: one.updated)

    def faults(self) -> list[str]:
        return [
            f"FHIR Bundles: {counted(n, f'{kind} resource')} with the id of another one and other contents; allowed: "
            "one resource for each id, or versions of it with the same fullUrl and another meta.lastUpdated. Export "
            "all patients from one server at one time."
            for kind, n in self.conflicts.items()
        ]


@lru_cache(maxsize=1)
def _read_once(paths: tuple[Path, ...], as_of: tuple[tuple[int, int], ...]) -> TablesTogether:
    export, hashes, faults = _Export(), [], Counter[str]()
    for path in paths:
        source = read_file(path)
        hashes.append(source.sha256)
        try:
            content = gunzipped(path, source.content) if path.suffix.lower() == GZIP_SUFFIX else source.content
            for document in _documents(content):
                for url, resource in _resources(document):
                    export.add(resource, url)
        except FaultyInputError:
            faults[_DAMAGED] += 1
        except (ValueError, RecursionError):
            faults[_BROKEN] += 1
        except TypeError:
            faults[_NO_FHIR] += 1
    stop_at(f"FHIR Bundles: {n:,} of {counted(len(paths), 'file')}: {why}." for why, n in faults.items())
    stop_at(export.faults())
    names = {kind: views_by_resource()[kind].name for kind in export.resources}
    return TablesTogether(
        {
            names[kind]: "\n".join(one.line for one in found.values()).encode()
            for kind, found in export.resources.items()
        },
        {names[kind]: _notes(len(paths), export.repeated[kind], export.older[kind]) for kind in export.resources},
        {
            kind: f"FHIR resources of the type {kind}, for which there is no view"
            for kind in sorted(export.without_view)
        },
        hash_of_all(hashes),
    )


@collector_paused()
def tables_of_bundles(paths: Sequence[Path]) -> TablesTogether:
    """The resources of files with one document each, or with one in each line, by the table of their view.

    A resource that several Bundles contain counts once. Files that did not change since are not read again. Raises
    ``FaultyInputError`` with the number of files or resources that are not as FHIR has them.
    """
    known = [path.stat() for path in paths]
    return _read_once(tuple(paths), tuple((one.st_size, one.st_mtime_ns) for one in known))


def _documents(content: bytes) -> Iterator[Any]:
    try:
        yield json.loads(content)
    except json.JSONDecodeError:
        lines = [line for line in content.splitlines() if line.strip()]
        if len(lines) < 2:
            raise
        yield from map(json.loads, lines)


def _resources(document: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """The resources of a document with their fullUrl, also of Bundles within Bundles. TypeError: it is none."""
    if not isinstance(document, dict) or "resourceType" not in document:
        raise TypeError
    if document["resourceType"] != "Bundle":
        yield "", document
        return
    entries = document.get("entry") or []
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise TypeError
    each = [(str(entry.get("fullUrl", "")), entry["resource"]) for entry in entries if entry.get("resource")]
    renamed = {}
    for url, resource in each:
        if not isinstance(resource, dict) or "resourceType" not in resource:
            raise TypeError
        key = reference_key(url)
        if key and not resource.get("id"):
            resource["id"] = key
        elif key and resource["id"] != key:
            renamed[url] = f"{resource['resourceType']}/{resource['id']}"
    for url, resource in each:
        if renamed:
            _refer_to_ids(resource, renamed)
        if resource["resourceType"] == "Bundle":
            yield from _resources(resource)
        else:
            yield url, resource


def _refer_to_ids(value: Any, renamed: Mapping[str, str]) -> None:
    """References by the fullUrl of an entry whose resource has another id, by that id."""
    if isinstance(value, list):
        for one in value:
            _refer_to_ids(one, renamed)
    elif isinstance(value, dict):
        reference = value.get("reference")
        if isinstance(reference, str) and reference in renamed:
            value["reference"] = renamed[reference]
        for one in value.values():
            _refer_to_ids(one, renamed)


def _notes(n_files: int, n_repeated: int, n_older: int) -> tuple[str, ...]:
    repeated = Note.of(lambda told: f"{told(n_repeated, 'resource')} in several Bundles counted once")
    older = Note.of(lambda told: f"{told(n_older, 'older version')} of a resource left out")
    taken = f"taken out of {counted(n_files, 'file')} of FHIR documents and Bundles"
    return (taken, *([repeated] if n_repeated else []), *([older] if n_older else []))
