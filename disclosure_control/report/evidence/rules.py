"""The rules of authorities beside each other: a chapter per book, a line per rule, and how many wait for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from disclosure_control.basics.telling.sections import Section, Sentence, Table, Where
from disclosure_control.basics.telling.words import counted
from disclosure_control.report.evidence.chapters import Chapter, FilledChapter
from disclosure_control.rules.judging import JudgedBook, JudgedRule, Standing

COLUMNS = ("Rule", "What it asks", "Stands", "What shows it", "Figures of the JSON summary")
HEAD = (
    "Evidence for a determination, not a determination: a run can show figures, and a person decides.",
    "A rule that no run can judge is a line for a person, with a name and a date; the line of the config that fills it "
    "stands beside it.",
)


def rules_line(books: Sequence[JudgedBook]) -> str:
    """How many rules wait for a person and how many are not met, in one line for the first screen."""
    n_rules, n_open, n_not_met = _total(books), _total(books, Standing.OPEN), _total(books, Standing.NOT_MET)
    waiting = f"{n_open} {'waits' if n_open == 1 else 'wait'} for a person"
    not_met = f"{n_not_met} {'is' if n_not_met == 1 else 'are'} not met"
    return f"Evidence: of {n_rules} rules of authorities {waiting} and {not_met}; see evidence/rules.html.\n"


def rules_section(books: Sequence[JudgedBook]) -> Section:
    """The same line beside the verdict on the page."""
    return Section("verdict", "", [Sentence(rules_line(books).rstrip(), where=Where.PAGES)])


def rules_figures(books: Sequence[JudgedBook]) -> Mapping[str, Any]:
    """How each rule of each book stands, and how many wait: the part ``rules`` of the JSON summary."""
    return {
        "rules": _total(books),
        "wait_for_a_person": _total(books, Standing.OPEN),
        "not_met": _total(books, Standing.NOT_MET),
        "books": {one.book.name: {rule.rule.id: str(rule.standing) for rule in one.rules} for one in books},
    }


def rules_head(books: Sequence[JudgedBook]) -> tuple[str, ...]:
    """The sentences above the books."""
    return (*HEAD, rules_line(books).partition(": ")[2].partition(";")[0].capitalize() + ".")


def rules_chapters(books: Sequence[JudgedBook]) -> list[FilledChapter]:
    """A chapter per book."""
    return [_chapter(one) for one in books]


def _chapter(judged: JudgedBook) -> FilledChapter:
    book = judged.book
    counts = ", ".join(f"{judged.count(one)} {one}" for one in Standing if judged.count(one))
    said = (book.about, f"{counted(len(judged.rules), 'rule')}: {counts}.", f"To be read at {book.address}")
    table = Table(book.title, COLUMNS, [_row(rule) for rule in judged.rules])
    return FilledChapter(Chapter((book.name,), book.title, book.source), (*map(Sentence, said), table))


def _row(judged: JudgedRule) -> tuple[str, ...]:
    shown = " ".join(one.sentence for one in judged.shown)
    figures = ", ".join(dict.fromkeys(one.figure for one in judged.shown if one.figure))
    return (judged.rule.clause, judged.rule.asks, str(judged.standing), shown, figures)


def _total(books: Sequence[JudgedBook], *standings: Standing) -> int:
    return sum(one.count(*standings) if standings else len(one.rules) for one in books)
