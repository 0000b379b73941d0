"""Messy exports, made from a seed: every identifier is found in every export that holds it, and nothing else vetoes."""

from __future__ import annotations

import pytest

from tests.corpus.counts import counts_of
from tests.corpus.exports import exports
from tests.corpus.people_words import SECOND_ROUND, TUNING
from tests.examples import some_of


def assert_all_is_found_and_nothing_else(languages, seed):
    counts = counts_of(exports(languages, seed))
    assert counts.missed == []
    assert counts.false == []


@pytest.mark.thorough("1 s; tests/draft/ scans two of these exports in the quick run")
def test_one_language_on_a_seed_of_its_own():
    assert_all_is_found_and_nothing_else({"bulgarian": TUNING["bulgarian"]}, 11)


@pytest.mark.thorough("7 s: at full 64 exports in ten languages; one is above")
@pytest.mark.parametrize("languages", [TUNING, SECOND_ROUND], ids=["tuning", "second round"])
def test_every_language(languages):
    assert_all_is_found_and_nothing_else({one: languages[one] for one in some_of([*languages])}, 12)


@pytest.mark.thorough("1 s")
def test_the_corpus_is_what_the_issue_asks_for():
    made = exports(TUNING, 1)
    assert len(made) >= 24
    assert len({export.name for export in made}) == len(made)
    spellings = {table["USUBJID"].iloc[0][:2] for export in made for table in export.tables.values()}
    assert spellings == {"H-", "h_", " H"}
    again = exports({"greek": TUNING["greek"]}, 1)
    assert all(one.tables["DM"].equals(other.tables["DM"]) for one, other in zip(again, made[:4], strict=True))
