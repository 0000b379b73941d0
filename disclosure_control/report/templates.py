"""Templates of HTML and Markdown, all with the same rules."""

from __future__ import annotations

from pathlib import Path

import jinja2


def templates_of(folder: Path, keep_trailing_newline: bool = False) -> jinja2.Environment:
    """The templates of a folder; those of HTML escape what they are given, and a name that is not given is an error."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=lambda name: bool(name and name.endswith(".html")),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=keep_trailing_newline,
    )
