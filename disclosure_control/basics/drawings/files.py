"""Drawings as files of their own: SVG, and on request in print, PNG or PDF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from markupsafe import escape

from disclosure_control.basics.drawings.pieces import WIDTH, Drawing, text, wrapped
from disclosure_control.basics.drawings.style import file_style
from disclosure_control.basics.settings.kinds import Kind, some_of

FORMATS = ("svg", "png", "pdf")
PRINTED = ("png", "pdf")
DEFAULT_FORMATS = ("svg",)
FIGURES = Kind(
    lambda value: isinstance(value, bool) or some_of(*FORMATS).is_valid(value),
    f"True (SVG), False, or a list of {', '.join(FORMATS)}",
    lambda value: formats_of(value),
)
MARGIN = 10
MOST_IN_HEAD, MOST_IN_NOTE = 38, 50  # letters of a line
HEAD_LINE, NOTE_LINE, GAP = 21, 17, 14


@dataclass(frozen=True)
class Panel:
    """A drawing for a file, with the ``note`` below its title."""

    drawing: Drawing
    note: str = ""


def formats_of(value: bool | Sequence[str]) -> tuple[str, ...]:
    """The forms of files that a setting of ``FIGURES`` asks for; by default one."""
    if isinstance(value, bool):
        return DEFAULT_FORMATS if value else ()
    return tuple(dict.fromkeys(value))


def not_printed(formats: Sequence[str]) -> str:
    """A notice on requested forms that cannot be made here; "" where all can."""
    wanted = [form.upper() for form in formats if form in PRINTED]
    if not wanted or find_spec("matplotlib") is not None:
        return ""
    return (
        f"No {' and no '.join(wanted)} files: Matplotlib, which prints them, is not installed; "
        "pip install -r requirements/figures.txt. SVG files need nothing."
    )


def figure_files(name: str, heading: str, panels: Sequence[Panel], formats: Sequence[str]) -> dict[str, bytes]:
    """``{name}.svg`` as bytes, and files of other ``formats`` that can be made here: the panels below each other."""
    drawn = sheet(heading, panels)
    files = {}
    for form in formats:
        if form == "svg":
            files[f"{name}.svg"] = drawn.encode()
        elif not not_printed([form]):
            from disclosure_control.basics.drawings.printing import printed

            files[f"{name}.{form}"] = printed(drawn, form)
    return files


def sheet(heading: str, panels: Sequence[Panel]) -> str:
    """An SVG document that needs nothing beside it, light or dark as the reader has it."""
    parts, y = _lines(heading, MARGIN + 6, "head", MOST_IN_HEAD, HEAD_LINE)
    for panel in panels:
        if panel.drawing.title != heading:
            more, y = _lines(panel.drawing.title, y + GAP, "head", MOST_IN_HEAD, HEAD_LINE)
            parts += more
        more, y = _lines(panel.note, y, "note", MOST_IN_NOTE, NOTE_LINE)
        described = escape(panel.drawing.words)
        parts += [*more, f'<g transform="translate(0 {y + 2})" role="img" aria-label="{described}">']
        parts += [*panel.drawing.parts, "</g>"]
        y += panel.drawing.height + GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" width="{WIDTH}" height="{y}">\n'
        f"<title>{escape(heading)}</title>\n<style>\n{file_style()}\n</style>\n"
        f'<rect class="paper" x="0" y="0" width="{WIDTH}" height="{y}"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _lines(words: str, y: int, kind: str, n_letters: int, tall: int) -> tuple[list[str], int]:
    """Words on as many lines as they need, from ``y`` downwards, and where the last one ends."""
    lines = [one for part in words.split("\n") for one in wrapped(part, n_letters, 12)] if words else []
    return [text(6, y + tall * (i + 1) - 5, one, kind=kind) for i, one in enumerate(lines)], y + tall * len(lines)
