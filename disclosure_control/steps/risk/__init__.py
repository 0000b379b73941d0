"""The step ``risk``: measures of risk beyond k, l and t, the causes of risk, and the people at risk."""

from disclosure_control.basics.telling.sections import AS_IT_CAME_IN, Outline

OUTLINES = (
    Outline(10, "who", "Who is at risk", "How many people are at risk, and in which groups.", "risk", AS_IT_CAME_IN),
    Outline(20, "why", "Why", "Which facts single people out.", "risk", AS_IT_CAME_IN),
)
