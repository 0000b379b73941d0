"""The step ``explore``: what is in the pilot, in tables and figures."""

from disclosure_control.basics.telling.sections import Outline

OUTLINES = (
    Outline(
        110,
        "explore",
        "What is in the pilot",
        "Which columns there are, how they vary, and what they lack.",
        "explore",
    ),
)
