"""The step ``risk``: measures of risk beyond k, l and t, the causes of risk, and the people at risk."""

from disclosure_control.basics.telling.sections import Outline

OUTLINES = (
    Outline(10, "who", "Who is at risk", "How many people are at risk, and in which groups.", "risk"),
    Outline(20, "why", "Why", "Which facts single people out.", "risk"),
)
