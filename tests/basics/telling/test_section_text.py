"""Sections as text: steps have numbers, which begin anew after anything else."""

from disclosure_control.basics.telling.section_text import as_text
from disclosure_control.basics.telling.sections import Section, Sentence, Style, Where


def test_steps_are_numbered_and_anew_after_another_sentence():
    styles = (Style.STEP, Style.STEP, Style.POINT, Style.STEP)
    parts = [Sentence(word, style, where=Where.TEXT) for word, style in zip("abcd", styles, strict=True)]
    text = as_text([Section("s", "What to do", parts)], Where.TEXT)
    assert text.splitlines() == ["What to do", "  1. a", "  2. b", "  c", "  1. d"]
