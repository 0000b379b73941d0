"""The step ``tables``: tables that may leave, made fit by the rules of a house."""

from disclosure_control.basics.telling.sections import Outline

OUTLINES = (
    Outline(65, "tables", "Tables that may leave", "Tables whose cells tell of nobody, with the proof.", "tables"),
)
