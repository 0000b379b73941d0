"""The step ``explore``: what is in the pilot, in tables and figures."""

from disclosure_control.basics.telling.sections import AS_IT_CAME_IN, Outline

OUTLINES = (
    Outline(
        110,
        "explore",
        "What is in the pilot",
        "Which columns exist, how they vary, and what is missing.",
        "explore",
        AS_IT_CAME_IN,
    ),
)
