"""The documents as .docx: what the HTML says, in the same order, and the same bytes for the same run."""

from __future__ import annotations

import io
import re
import zipfile

import pytest

from disclosure_control.basics.telling.sections import Sentence, Style, Table
from disclosure_control.report.evidence.chapters import Chapter, Document, FilledChapter
from disclosure_control.report.evidence.word import word_document
from tests.run.synthetic_pilot import DONE, leaks

docx = pytest.importorskip("docx", reason="no python-docx")
DOCUMENT = Document(
    "A report",
    ("Of one run.",),
    [
        FilledChapter(
            Chapter(("a",), "First", "an authority"),
            (
                Sentence("Below a title", Style.HEADING),
                Sentence("As it is."),
                Sentence("Why?", Style.OPEN),
                Table("Numbers", ("What", "How many"), [["people", 12]]),
            ),
        )
    ],
)


def test_a_document_has_its_headings_sentences_open_points_and_tables():
    read = docx.Document(io.BytesIO(word_document(DOCUMENT, "Run of today.")))
    assert [one.text for one in read.paragraphs] == [
        *("A report", "Run of today. Of one run.", "1. First", "Asked for by: an authority."),
        *("Below a title", "As it is.", "Open point: Why?", "Numbers", ""),
    ]
    assert [[cell.text for cell in row.cells] for row in read.tables[0].rows] == [
        ["What", "How many"],
        ["people", "12"],
    ]


def test_a_table_of_long_texts_lies_on_paper_on_its_side_and_its_head_is_on_every_page():
    """Five narrow columns on upright paper took 36 pages for the rules of one run."""
    long = "many words in one cell, " * 40
    tables = {"few": [["people", 12]], "long": [["people", long], ["a" * 90, 1]]}
    shapes = {}
    for name, rows in tables.items():
        chapter = FilledChapter(Chapter(("a",), "First", "an authority"), (Table("T", ("What", "How many"), rows),))
        read = docx.Document(io.BytesIO(word_document(Document("A report", (), [chapter]), "Run of today.")))
        (section,), (table,) = read.sections, read.tables
        whole = section.page_width - section.left_margin - section.right_margin
        widths = [cell.width for cell in table.rows[0].cells]
        assert 0.98 * whole <= sum(widths) <= whole
        assert "tblHeader" in table.rows[0]._tr.xml
        assert all("cantSplit" in row._tr.xml for row in table.rows)
        shapes[name] = (section.page_width > section.page_height, widths[1] > widths[0])
    assert shapes == {"few": (False, True), "long": (True, True)}


def test_the_same_document_has_the_same_bytes(monkeypatch):
    first = word_document(DOCUMENT, "Run of today.")
    monkeypatch.setattr("time.localtime", lambda *_: (2040, 1, 1, 0, 0, 0, 0, 1, 0))
    assert word_document(DOCUMENT, "Run of today.") == first
    assert zipfile.ZipFile(io.BytesIO(first)).namelist()[0] == "[Content_Types].xml"


def test_a_run_writes_them_where_they_are_asked_for(pilot, doors):
    assert not list(pilot.results.rglob("*.docx"))
    pilot.configure(context={"word": True})
    assert doors.start(2).status == DONE
    names = sorted(path.name for path in (pilot.results / "evidence").glob("*.docx"))
    assert names == ["anonymisation_report.docx", "ehds.docx", "rules.docx"]
    for name in names:
        read = docx.Document(str(pilot.results / "evidence" / name))
        page = (pilot.results / "evidence" / name.replace(".docx", ".html")).read_text(encoding="utf-8")
        titles = [one.text for one in read.paragraphs if one.style.name == "Heading 1"]
        assert titles == re.findall(r"<h2[^>]*>(.*?)</h2>", page)
        cells = [cell.text for table in read.tables for row in table.rows for cell in row.cells]
        assert leaks("\n".join([*(one.text for one in read.paragraphs), *cells])) == []
        assert len(read.tables) == page.count("<table>")
