"""The rules of authorities beside each other: a chapter per book, a line per rule, and how many wait for a person."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from disclosure_control.basics.telling.sections import Details, Section, Sentence, Table, Where
from disclosure_control.basics.telling.words import counted, listed
from disclosure_control.report.evidence.chapters import Chapter, FilledChapter
from disclosure_control.rules.judging import JudgedBook, JudgedRule, Standing

COLUMNS = ("Rule", "What it asks", "Stands", "What shows it", "Figures of the JSON summary")
MOST_NAMED = 3
RULES_PAGE = "evidence/rules.html"
HEAD = (
    "Evidence for a determination, not a determination: a run can show figures, and a person decides.",
    "A rule that no run can judge is a line for a person, with a name and a date; the line of the config that fills it "
    "stands beside it.",
)


def rules_line(books: Sequence[JudgedBook]) -> str:
    """How many rules there are and how many are not met, for the first screen."""
    return f"Evidence: {_total(books)} rules, {_total(books, Standing.NOT_MET)} not met; {RULES_PAGE}.\n"


def _how_many(books: Sequence[JudgedBook]) -> str:
    failed = [f"{one.book.short}: {_in_short(rule)}" for one in books for rule in one.not_met]
    which = f" ({listed(failed, MOST_NAMED)})" if failed else ""
    n_open, n_not_counted = _total(books, Standing.OPEN), _total(books, Standing.NOT_COUNTED)
    return (
        f"{len(failed)} {'is' if len(failed) == 1 else 'are'} not met{which}, "
        f"{n_open} {'waits' if n_open == 1 else 'wait'} for a person, "
        f"{n_not_counted} {'was' if n_not_counted == 1 else 'were'} not counted in this run"
    )


def _in_short(rule: JudgedRule) -> str:
    """What a rule asks, up to its first pause, within a sentence."""
    words = re.split(r"[:;,]", rule.rule.asks, maxsplit=1)[0]
    return words[:1].lower() + words[1:]


def rules_section(books: Sequence[JudgedBook]) -> Section:
    """The same line beside the verdict on the page, and behind it which rules are not met."""
    how_many = f"Of {_total(books)} rules, {_how_many(books)}; see {RULES_PAGE}."
    return Section("verdict", "", [Details(rules_line(books).partition(";")[0], [how_many], where=Where.PAGES)])


def rules_figures(books: Sequence[JudgedBook]) -> Mapping[str, Any]:
    """How each rule of each book stands, and how many wait: the part ``rules`` of the JSON summary."""
    return {
        "rules": _total(books),
        "wait_for_a_person": _total(books, Standing.OPEN),
        "not_met": _total(books, Standing.NOT_MET),
        "not_counted": _total(books, Standing.NOT_COUNTED),
        "books": {one.book.name: {rule.rule.id: str(rule.standing) for rule in one.rules} for one in books},
    }


def rules_head(books: Sequence[JudgedBook]) -> tuple[str, ...]:
    """The sentences above the books."""
    return (*HEAD, f"Of {_total(books)} rules, {_how_many(books)}.")


def rules_chapters(books: Sequence[JudgedBook]) -> list[FilledChapter]:
    """A chapter per book."""
    return [_chapter(one) for one in books]


def _chapter(judged: JudgedBook) -> FilledChapter:
    book = judged.book
    counts = ", ".join(f"{judged.count(one)} {one}" for one in Standing if judged.count(one))
    read = f"To be read at {book.address} The lines below were checked against {book.checked_against}."
    said = (book.about, f"{counted(len(judged.rules), 'rule')}: {counts}.", read)
    table = Table(book.title, COLUMNS, [_row(rule) for rule in judged.rules])
    return FilledChapter(Chapter((book.name,), book.title, book.source), (*map(Sentence, said), table))


def _row(judged: JudgedRule) -> tuple[str, ...]:
    shown = " ".join(one.sentence for one in judged.shown)
    figures = ", ".join(dict.fromkeys(one.figure for one in judged.shown if one.figure))
    return (judged.rule.clause, judged.rule.asks, str(judged.standing), shown, figures)


def _total(books: Sequence[JudgedBook], *standings: Standing) -> int:
    return sum(one.count(*standings) if standings else len(one.rules) for one in books)
