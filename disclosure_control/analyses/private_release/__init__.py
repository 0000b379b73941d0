"""The step ``private_release``: noisy answers under a privacy budget."""

from disclosure_control.basics.telling.sections import Outline

OUTLINES = (
    Outline(
        100,
        "private_release",
        "Private answers",
        "Counts with noise, meant for publication, and their error.",
        "private_release",
    ),
)
