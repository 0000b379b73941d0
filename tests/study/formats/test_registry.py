"""What holds for every registered format: it is listed, it is light until it is needed, it is given bytes alone."""

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from disclosure_control.basics.files import SourceFile, read_file
from study.formats.__main__ import PAGE, with_formats
from study.formats.files import read_domain_file
from study.formats.registry import readers_by_suffix, registered_formats
from study.formats.tables import suffix_of
from tests.bad_inputs.faults_of_other_formats import WHOLE
from tests.cases import each
from tests.places import PROJECT
from tests.run.synthetic_pilot import csv_text, rows_of

WRITERS = {"VS.csv": lambda path: path.write_text(csv_text(rows_of("VS")), encoding="utf-8"), **WHOLE}


def test_the_page_of_the_config_lists_the_formats_that_are_registered():
    text = PAGE.read_text(encoding="utf-8")
    assert with_formats(text) == text, "run: python -m study.formats"
    assert with_formats("Files: none\nat all.\n\nMore.").endswith("\n\nMore.")
    assert all(one.documentation in " ".join(text.split()) for one in registered_formats())


def test_a_suffix_is_in_small_letters_and_belongs_to_one_format_and_to_those_known_by_their_first_bytes():
    of_their_own = [one for one in registered_formats() if one.together is None]
    suffixes = [suffix for one in of_their_own for suffix in one.readers]
    packed = [f"{suffix}.gz" for one in of_their_own if one.is_text for suffix in one.readers]
    assert suffixes + packed == list(readers_by_suffix())
    assert [suffix for suffix in suffixes + packed if suffix_of(f"VS{suffix.upper()}") != suffix] == []


@pytest.mark.thorough("0.8 s in a process; test_imports starts the doors in one")
def test_suffixes_are_known_before_a_library_of_one_format_is_imported():
    code = (
        "import sys; from study.formats.registry import readers_by_suffix; print(len(readers_by_suffix()),"
        "[name for name in ('pyreadstat', 'python_calamine', 'pyarrow.parquet') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == f"{len(readers_by_suffix())} []"


@each("name", WRITERS)
def test_what_is_hashed_is_what_is_parsed(name, tmp_path):
    """A file that is gone or has changed since it was read is parsed, and hashed, as it was read."""
    path = tmp_path / name
    WRITERS[name](path)
    source = read_file(path)
    before = read_domain_file(path)
    path.unlink()
    table = read_domain_file(source)
    assert table.frame.equals(before.frame)
    assert table.sha256 == before.sha256 == hashlib.sha256(source.content).hexdigest()


def test_the_content_of_a_file_is_not_shown():
    assert "MARKER" not in repr(SourceFile(Path("vs.csv"), b"MARKER"))
