"""Linkage of a release with an identified table, beside guessing and a control group."""

from disclosure_control.basics.telling.sections import Outline

OUTLINES = (
    Outline(
        70,
        "linkage_attack",
        "What attacks found",
        "How many people an attacker with a register finds.",
        "linkage_attack",
        'Of the data that each row names: "combined" is the pilot as it came in, "treated" is what the treatment made.',
    ),
)
