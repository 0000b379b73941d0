"""The step ``fairness``: who gets the favourable outcome, and whom the anonymisation hits most."""

from disclosure_control.basics.telling.sections import Outline

OUTLINES = (Outline(90, "fairness", "Fairness", "Whether groups bear risk, or a decision, unequally.", "fairness"),)
