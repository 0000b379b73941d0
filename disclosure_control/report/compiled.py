"""Templates of HTML and Markdown, compiled once: compiling costs more than filling in."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import jinja2
from jinja2.bccache import Bucket, FileSystemBytecodeCache


class CompiledTemplates(FileSystemBytecodeCache):
    """The compiled templates of a folder, in its ``__pycache__``; where nothing can be kept, they are compiled anew."""

    def __init__(self, templates: Path):
        folder = templates / "__pycache__"
        super().__init__(str(folder), f"%s.jinja2-{jinja2.__version__}.{sys.implementation.cache_tag}")

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template, unless Python is set to write no bytecode."""
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
        bytecode_cache=CompiledTemplates(folder),
    )
