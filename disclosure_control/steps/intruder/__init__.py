"""The step ``intruder``: cases for a person who tries to find people in what leaves, and the form for the result."""

from disclosure_control.basics.telling.sections import Outline

OUTLINES = (
    Outline(
        85,
        "intruder",
        "A motivated intruder",
        "Whether a person with public sources, and not a program, finds somebody in what leaves.",
        "intruder",
        "Of released/, as a recipient gets it.",
    ),
)
