"""The step ``release``: the whole study, released file by file."""

from disclosure_control.basics.telling.sections import Outline

OUTLINES = (Outline(60, "release", "What leaves", "The files of the study as a recipient reads them.", "release"),)
