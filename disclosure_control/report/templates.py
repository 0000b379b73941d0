"""Templates of HTML and Markdown, all with the same rules."""

from __future__ import annotations

import contextlib
import sys
from importlib.metadata import version
from pathlib import Path

import jinja2
from jinja2.bccache import Bucket


class _BesideTemplates(jinja2.FileSystemBytecodeCache):
    """Compiled templates beside them, as Python keeps its modules: nowhere where nothing can be written."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        if not sys.dont_write_bytecode:
            with contextlib.suppress(OSError):
                Path(self.directory).mkdir(exist_ok=True)
                super().dump_bytecode(bucket)


def templates_of(folder: Path, keep_trailing_newline: bool = False) -> jinja2.Environment:
    """The templates of a folder; those of HTML escape what they are given, and a name that is not given is an error."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=lambda name: bool(name and name.endswith(".html")),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=keep_trailing_newline,
        bytecode_cache=_BesideTemplates(str(folder / "__pycache__"), f"%s.jinja2-{version('jinja2')}"),
    )
