"""Sections as text: every kind of part, and steps whose numbers begin anew after anything else."""

from dataclasses import dataclass, replace

from disclosure_control.basics.drawings.rows import row_chart
from disclosure_control.basics.telling.section_text import as_text
from disclosure_control.basics.telling.sections import (
    AnswersGiven,
    Details,
    Figure,
    Section,
    Sentence,
    Style,
    Table,
    Where,
    in_chapter,
)


@dataclass
class AnswerMade:
    question: str
    answer: str
    sentence: str
    people: str
    is_by_figures: bool = False


ANSWERS = [
    AnswerMade("Can people be singled out", "yes", "A.", "5"),
    AnswerMade("Can they be linked", "no", "B.", "-", True),
    AnswerMade("Can it be inferred", "not assessable", "C.", "-"),
]
PARTS = (
    Sentence("a", Style.STEP, further=["more"]),
    Sentence("b", Style.STEP),
    Sentence("c", Style.POINT),
    Sentence("d", Style.STEP),
    Sentence("H", Style.HEADING),
    Table("H", ["n", "k"], [["x", 1], ["two\nlines", "22"]]),
    Table("T", ["n"], [["x"]], where=Where.EVERYWHERE | Where.SHORT),
    Sentence("short", where=Where.SHORT | Where.FILE),
    Details("lines", ["x = 1"]),
    Figure(row_chart("t", "", []), "never in a text", Where.EVERYWHERE),
    AnswersGiven("the file", ANSWERS, Where.REPORT | Where.SHORT),
)

IN_THE_FILE = """\
What to do
  1. a
     more
  2. b
  c
  1. d

H
┌───────────┬─────┐
│ n         │ k   │
├───────────┼─────┤
│ x         │ 1   │
│ two lines │ 22  │
└───────────┴─────┘

T
┌─────┐
│ n   │
├─────┤
│ x   │
└─────┘
  short
  lines:
      x = 1
Three questions (WP216), the file
  Can people be singled out  A.
  Can they be linked  B.
  Can it be inferred  C.
"""
IN_SHORT = """\
T
┌─────┐
│ n   │
├─────┤
│ x   │
└─────┘
short
Three questions (WP216), the file
                               people
  Singled out  Yes             5
  Linked       No              -
  Inferred     Not assessable  -
  C.
"""


def test_a_section_with_every_kind_of_part():
    section = Section("s", "What to do", PARTS)
    assert as_text([section, Section("e", "Nothing", [])], Where.FILE) == IN_THE_FILE
    assert as_text([replace(section, title=""), section], Where.SHORT) == f"{IN_SHORT}\n{IN_SHORT}"
    assert as_text([section], Where.OUTSIDE) == IN_SHORT.partition("short")[0]


def test_answers_before_and_after_are_one_table_and_a_chapter_has_what_the_report_says():
    both = AnswersGiven("the file", ANSWERS, before=[replace(one, people="9") for one in ANSWERS])
    assert both.in_rows == [
        ("Singled out", "yes", "9", "5"),
        ("Linked", "no", "9", "-"),
        ("Inferred", "not assessable", "9", "-"),
    ]
    assert (both.columns, both.beside_figures) == (("", "", "people before", "after"), ["C."])
    chapter = in_chapter("k", "Title", PARTS)
    assert [(type(one), one.where) for one in chapter.parts] == [
        *[(Sentence, Where.EVIDENCE)] * 6, *[(Table, Where.EVIDENCE)] * 2, (Sentence, Where.EVIDENCE),
        (Details, Where.EVIDENCE), (AnswersGiven, Where.EVIDENCE),
    ]  # fmt: skip
    assert in_chapter("k", "Title", [Sentence("x", where=Where.SHORT)]).parts == []
