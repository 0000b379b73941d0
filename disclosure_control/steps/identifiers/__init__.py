"""The step ``identifiers``: which columns of the pilot identify a person, by their values."""

from disclosure_control.basics.telling.sections import AS_IT_CAME_IN, Outline

OUTLINES = (
    Outline(
        30,
        "identifiers",
        "Columns that name people",
        "Which columns name or reach a person.",
        "identifiers",
        AS_IT_CAME_IN,
    ),
)
