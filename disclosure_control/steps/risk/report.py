"""The step ``risk`` in words: the three questions for the first lines, and the section of the text report."""

from __future__ import annotations

from collections.abc import Mapping

from disclosure_control.leaving.questions import Answer, in_lines
from disclosure_control.steps.risk.section import Finding
from disclosure_control.steps.risk.sections import SECTIONS


def first_lines(answers: Mapping[str, Answer]) -> str:
    """What a controller reads first."""
    return "\n".join(["Three questions (WP216), of the pilot as it came in", *in_lines(answers)]) + "\n"


def risk_report(findings: Mapping[str, Finding], not_computed: Mapping[str, str], for_screen: bool = False) -> str:
    """The section of the text report, from what each section found and why others were not computed.

    ``for_screen`` leaves out values of people, such as names of groups: they belong into files alone.
    """
    lines = ["Risk beyond k, l and t"]
    for name, section in sorted(SECTIONS.items(), key=lambda named: named[1].place_in_report or named[1].place):
        if name in findings:
            write = section.words_on_screen if for_screen and section.words_on_screen is not None else section.words
            written = list(write(findings[name].figures))
            lines += ["", *written] if written else []
    for name, reason in not_computed.items():
        lines += ["", f"Not computed: {name} {reason}."]
    return "\n".join(lines) + "\n"
