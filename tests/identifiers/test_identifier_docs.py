"""The tables of docs/identifiers.md are made of what is registered, and of what is counted on the corpus.

``python -m tests.identifiers.test_identifier_docs`` writes them anew.
"""

from __future__ import annotations

import pytest

from disclosure_control.identifiers.registry import kinds
from tests.corpus.counts import counts_of, table
from tests.corpus.exports import exports
from tests.corpus.people_words import HELD_OUT
from tests.places import PROJECT

PAGE = PROJECT / "docs" / "identifiers.md"
KINDS = "| kind | grade | how it is recognised |\n|---|---|---|\n"
COUNTS = "| kind | columns with it | found | vetoing findings | right |\n|---|---|---|---|---|\n"
SEED = 20261122


def table_of_kinds() -> str:
    rows = [f"| `{name}` | {_grade(kind.grade.name)} | {kind.documentation} |" for name, kind in kinds().items()]
    return KINDS + "\n".join(rows)


def table_of_counts() -> str:
    return table(counts_of(exports(HELD_OUT, SEED)))


def _grade(name: str) -> str:
    return name.lower().replace("_", " ")


def with_table(page: str, head: str, made: str) -> str:
    before, _, rest = page.partition(head)
    return before + made + rest[rest.index("\n\n") :]


def test_the_table_of_kinds_is_made_of_what_is_registered():
    assert table_of_kinds() in PAGE.read_text(encoding="utf-8"), "see the head of this file"


@pytest.mark.thorough("10 s: forty exports; those of one language are counted in test_corpus")
def test_the_counts_are_those_of_the_corpus():
    assert table_of_counts() in PAGE.read_text(encoding="utf-8"), "see the head of this file"


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    text = with_table(with_table(text, KINDS, table_of_kinds()), COUNTS, table_of_counts())
    PAGE.write_text(text, encoding="utf-8")
