"""The step ``recommend``: the recoding of least loss that meets the thresholds."""

from disclosure_control.basics.telling.sections import AS_IT_CAME_IN, Outline

OUTLINES = (
    Outline(
        40,
        "recommend",
        "What it would cost to be safe",
        "The mildest recoding that meets K, L and T.",
        "recommend",
        AS_IT_CAME_IN,
    ),
)
