"""Files that are often sent under a wrong name, known by how they begin."""

from __future__ import annotations

from pathlib import Path

from study.formats.messages import leave_out_setting
from study.formats.tables import suffix_of

_NEW_WORKBOOK, _OLD_WORKBOOK = "a zip archive or an Excel workbook", "an old Excel workbook or Word document"
_GZIP = "a gzip archive"
_SIGNATURES = {
    b"PK\x03\x04": _NEW_WORKBOOK,
    b"\xd0\xcf\x11\xe0": _OLD_WORKBOOK,
    b"%PDF": "a PDF document",
    b"\x1f\x8b": _GZIP,
    b"{\\rtf": "a rich text document",
}
_MARKUP_BEGINNINGS = (b"<!doctype", b"<html", b"<head", b"<body", b"<meta", b"<script", b"<table", b"<!--")
_BEGINNING_BYTES = 4096


# Formats that are one of these kinds themselves.
_EXPECTED = {
    ".dsjc": (_GZIP,),
    ".xlsx": (_NEW_WORKBOOK, _OLD_WORKBOOK),
    ".xlsm": (_NEW_WORKBOOK, _OLD_WORKBOOK),
    ".xls": (_NEW_WORKBOOK, _OLD_WORKBOOK),
}


def foreign_content_faults(path: Path, content: bytes) -> list[str]:
    """Return the fault of a file whose first bytes contradict its suffix."""
    kind = _kind_of(content[:_BEGINNING_BYTES])
    suffix = suffix_of(path)
    if kind is None or kind in _EXPECTED.get(suffix, ()):
        return []
    return [
        f"{path.name}: this is {kind} saved as {suffix}. Export the data again as {suffix}, or leave the domain out by "
        f"{leave_out_setting(path)}."
    ]


def _kind_of(beginning: bytes) -> str | None:
    """What a file really is, or None if its content fits its name."""
    for signature, kind in _SIGNATURES.items():
        if beginning.startswith(signature):
            return kind
    text = beginning.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if text.startswith(b"<?xml"):
        return "an HTML page" if b"<html" in text[:1000] else "an XML document"
    return "an HTML page" if text.startswith(_MARKUP_BEGINNINGS) else None
