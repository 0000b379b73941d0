"""The step ``treatment``: treat a pilot, evaluate it again, and compare before and after."""

from disclosure_control.basics.telling.sections import Outline

OUTLINES = (Outline(50, "treatment", "Before and after", "How a treatment changed risk and usefulness.", "treatment"),)
