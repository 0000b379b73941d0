"""A document of the pack as .docx, for authorities that take no other form; made with python-docx."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from disclosure_control.basics.drawings.files import Panel, figure_files
from disclosure_control.basics.drawings.pieces import Drawing
from disclosure_control.basics.telling.sections import Figure, Sentence, Style, Table
from disclosure_control.basics.telling.words import in_one_line
from disclosure_control.report.evidence.chapters import Document

WIDE = 12  # centimetres of a drawing
IN_THE_BEGINNING = (1980, 1, 1, 0, 0, 0)  # of the format: the same document has the same bytes in every run


def word_document(document: Document, made_by: str) -> bytes:
    """The document with headings, paragraphs, tables and drawings, as Word and LibreOffice read them.

    Drawings need Matplotlib (requirements/figures.txt); without it their words stand in their place.
    """
    import docx

    written = docx.Document()
    written.core_properties.title, written.core_properties.author = document.title, ""
    written.add_heading(document.title, 0)
    written.add_paragraph(" ".join((made_by, *document.head)))
    for number, filled in enumerate(document.chapters, 1):
        written.add_heading(f"{number}. {filled.chapter.title}", 1)
        written.add_paragraph().add_run(f"Asked for by: {filled.chapter.asked_by}.").italic = True
        for part in filled.body:
            _add(written, part)
    return _with_fixed_times(written)


def _add(written: Any, part: Sentence | Table | Figure) -> None:
    if isinstance(part, Table):
        _add_table(written, part)
    elif isinstance(part, Figure):
        _add_drawing(written, part)
    elif part.style is Style.HEADING:
        written.add_heading(in_one_line(part.text), 2)
    elif part.style is Style.OPEN:
        paragraph = written.add_paragraph(style="List Bullet")
        paragraph.add_run("Open point: ").bold = True
        paragraph.add_run(in_one_line(part.text))
    else:
        written.add_paragraph(in_one_line(part.text))


def _add_table(written: Any, table: Table) -> None:
    if table.title:
        written.add_paragraph().add_run(table.title).bold = True
    made = written.add_table(rows=1, cols=len(table.columns), style="Table Grid")
    for cell, header in zip(made.rows[0].cells, table.columns, strict=True):
        cell.paragraphs[0].add_run(str(header)).bold = True
    for row in table.rows:
        for cell, value in zip(made.add_row().cells, row, strict=True):
            cell.text = in_one_line(str(value))


def _add_drawing(written: Any, part: Figure) -> None:
    from docx.shared import Cm

    assert isinstance(part.drawing, Drawing)
    picture = figure_files("drawing", part.drawing.title, [Panel(part.drawing)], ["png"]).get("drawing.png")
    if picture is None:
        written.add_paragraph(in_one_line(part.drawing.words))
    else:
        shape = written.add_picture(io.BytesIO(picture), width=Cm(WIDE))
        shape._inline.docPr.set("descr", in_one_line(part.drawing.words))  # what a screen reader says
    written.add_paragraph(in_one_line(part.caption))


def _with_fixed_times(written: Any) -> bytes:
    saved, packed = io.BytesIO(), io.BytesIO()
    written.save(saved)
    with zipfile.ZipFile(saved) as source, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target:
        for name in sorted(source.namelist(), key=lambda one: (one != "[Content_Types].xml", one)):
            target.writestr(zipfile.ZipInfo(name, IN_THE_BEGINNING), source.read(name), zipfile.ZIP_DEFLATED)
    return packed.getvalue()
