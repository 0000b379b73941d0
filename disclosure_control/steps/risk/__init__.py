"""The step ``risk``: measures of risk beyond k, l and t, why the risk is there, and who bears it."""

from disclosure_control.basics.telling.sections import Outline

OUTLINES = (
    Outline(10, "who", "Who is at risk", "How many people are at risk, and in which groups.", "risk"),
    Outline(20, "why", "Why", "Which facts single people out.", "risk"),
)
