"""The step ``sweep``: a grid of treatments by risk and utility."""

from disclosure_control.basics.telling.sections import Outline

OUTLINES = (
    Outline(
        80,
        "sweep",
        "Treatments compared",
        "Risk and usefulness of many treatments side by side.",
        "sweep",
        "Of treatments tried on the pilot as it came in; none of these figures is of what leaves.",
    ),
)
