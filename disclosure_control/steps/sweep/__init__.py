"""The step ``sweep``: a grid of treatments by risk and utility."""

from disclosure_control.basics.telling.sections import Outline

OUTLINES = (
    Outline(80, "sweep", "Treatments compared", "Risk and usefulness of many treatments side by side.", "sweep"),
)
