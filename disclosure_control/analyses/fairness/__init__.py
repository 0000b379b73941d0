"""The step ``fairness``: who has the favourable outcome, and whom the anonymisation affects most."""

from disclosure_control.basics.telling.sections import Outline

OUTLINES = (
    Outline(
        90,
        "fairness",
        "Fairness",
        "Whether groups bear risk, or a decision, unequally.",
        "fairness",
        "Of the pilot as it came in; who was removed or changed is of the treatment.",
    ),
)
