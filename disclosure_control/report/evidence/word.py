"""A document of the pack as .docx, for authorities that take no other form; made with python-docx."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from typing import Any

from disclosure_control.basics.drawings.files import Panel, figure_files
from disclosure_control.basics.drawings.pieces import Drawing
from disclosure_control.basics.telling.sections import Figure, Sentence, Style, Table
from disclosure_control.basics.telling.words import in_one_line
from disclosure_control.report.evidence.chapters import Document

WIDE = 12  # centimetres of a drawing
LETTERS_OF_TABLES = 8  # points
LETTER_OF_PAGE = 0.0085  # of the width between the margins, for a letter in a table
BOLD = 1.35  # how much wider letters of a head are
FONT = "Arial"  # there, or a font of the same widths, wherever Word and LibreOffice run
MOST_OF_WORD = 20  # letters of a word that are not divided
WIDE_TABLE = 600  # letters of the longest texts of its columns, from which a table is on paper on its side
IN_THE_BEGINNING = (1980, 1, 1, 0, 0, 0)  # of the format: the same document has the same bytes in every run


def word_document(document: Document, made_by: str) -> bytes:
    """The document with headings, paragraphs, tables and drawings, as Word and LibreOffice read them.

    Drawings need Matplotlib (requirements/figures.txt); without it their words stand in their place.
    """
    import docx

    written = docx.Document()
    written.core_properties.title, written.core_properties.author = document.title, ""
    written.styles["Normal"].font.name = FONT
    _lie_down(written, document)
    written.add_heading(document.title, 0)
    written.add_paragraph(" ".join((made_by, *document.head)))
    for number, filled in enumerate(document.chapters, 1):
        written.add_heading(f"{number}. {filled.chapter.title}", 1)
        asked = written.add_paragraph()
        asked.add_run(f"Asked for by: {filled.chapter.asked_by}.").italic = True
        asked.paragraph_format.keep_with_next = True
        for part in filled.body:
            _add(written, part)
    return _with_fixed_times(written)


def _lie_down(written: Any, document: Document) -> None:
    """Paper of Europe, with narrow margins; on its side where a table has long texts in many columns."""
    from docx.enum.section import WD_ORIENT
    from docx.shared import Cm

    section, tables = written.sections[0], [part for one in document.chapters for part in one.body]
    is_wide = any(
        isinstance(part, Table)
        and sum(max(map(len, map(str, column))) for column in zip(*part.rows, strict=True)) > WIDE_TABLE
        for part in tables
    )
    sides = [Cm(21), Cm(29.7)]
    section.page_width, section.page_height = reversed(sides) if is_wide else sides
    section.orientation = WD_ORIENT.LANDSCAPE if is_wide else WD_ORIENT.PORTRAIT
    section.left_margin = section.right_margin = section.top_margin = section.bottom_margin = Cm(2)


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
    from docx.oxml import OxmlElement
    from docx.shared import Pt

    if table.title:
        title = written.add_paragraph()
        title.add_run(table.title).bold = True
        title.paragraph_format.keep_with_next = True
    made = written.add_table(rows=1, cols=len(table.columns), style="Table Grid")
    made.autofit = False
    rows = [[in_one_line(str(value)) for value in row] for row in (table.columns, *table.rows)]
    section = written.sections[0]
    widths = _widths(rows, section.page_width - section.left_margin - section.right_margin)
    for place, row in enumerate(rows):
        line = made.rows[0] if place == 0 else made.add_row()
        properties = line._tr.get_or_add_trPr()
        properties.append(OxmlElement("w:cantSplit"))
        if place == 0:
            properties.append(OxmlElement("w:tblHeader"))  # above the rows of every page
        for cell, value, width in zip(line.cells, row, widths, strict=True):
            cell.width = width
            paragraph = cell.paragraphs[0]
            paragraph.paragraph_format.keep_with_next = place == 0
            run = paragraph.add_run(value)
            run.bold, run.font.size = place == 0, Pt(LETTERS_OF_TABLES)
    for column, width in zip(made.columns, widths, strict=True):
        column.width = width
    written.add_paragraph().paragraph_format.space_after = Pt(0)  # what follows keeps off the last row


def _widths(rows: Sequence[Sequence[str]], whole: int) -> list[int]:
    """The width of each column: more for longer texts and, where all have room, at least that of its longest word."""
    columns = list(zip(*rows, strict=True))
    words = [min(max(_longest(head) * BOLD, *map(_longest, cells), 0), MOST_OF_WORD) for head, *cells in columns]
    texts = [max(len(cell) for cell in column) ** 0.5 for column in columns]
    least = [whole * LETTER_OF_PAGE * (word + 2) for word in words]
    room = max(whole - sum(least), 0.0)
    wanted = [low + room * text / sum(texts) for low, text in zip(least, texts, strict=True)]
    return [int(whole * one / sum(wanted)) for one in wanted]


def _longest(text: str) -> int:
    """How many letters the longest word of a text has."""
    return max(map(len, text.split()), default=0)


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
