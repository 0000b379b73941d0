"""The step ``treatment``: treat a pilot, evaluate it again, set before beside after."""

from disclosure_control.basics.telling.sections import Outline

OUTLINES = (Outline(50, "treatment", "Before and after", "What a treatment changed, in risk and in use.", "treatment"),)
