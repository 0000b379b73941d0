"""The step ``release``: the whole study, released file by file."""

from disclosure_control.basics.telling.sections import Outline

OUTLINE = Outline(
    60,
    "release",
    "What leaves",
    "The files of the study as a recipient reads them.",
    "release",
    "Of released/, as a recipient gets it, unless a column names the source.",
)
STUDY_TABLES_OUTLINE = Outline(
    59,
    "study_tables",
    "What the recipient loses",
    "Tables of the study, as they came in and as they leave.",
    "release",
    "Of the study as it came in, beside released/.",
)
OUTLINES = (OUTLINE, STUDY_TABLES_OUTLINE)
