"""Sensitive values by what they mean: spellings of one value are one, and words for missing are missing.

For k every spelling is a value of its own, as it leaves. For l, t and what can be inferred, a class that has one
diagnosis in three spellings has one diagnosis, and one with HIV beside "unknown" and "not done" has HIV alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import numpy as np

from disclosure_control.basics.encoding.columns import CODE, EncodedColumn

# AA, Aa and aa are three genotypes, and so are AaBb and Aabb, CcDee and ccDee; C and c are two antigens.
_OF_CASE = re.compile(r"(?:([a-z])\1)+(?:[a-z](?:([a-z])\2)+)?|[a-z]|[a-z]/[a-z]|m(?:g|mol|l|m|eq)?(?:/.*)?")
_SHORT = 3  # letters: NA beside K and CL is sodium
_ONE_LETTER = frozenset("ynmfwjxu")  # yes and no, the sexes


def one_spelling(text: str) -> str:
    """A text in small letters with single blanks, unless the case of its letters carries meaning."""
    plain = " ".join(text.split())
    small = plain.casefold()
    return plain if _OF_CASE.fullmatch(small) and small not in _ONE_LETTER else small


def of_one_meaning(column: EncodedColumn, words_for_missing: Collection[str]) -> EncodedColumn:
    """The column with spellings of one value as one, under the first of them, and with words for missing as missing.

    ``words_for_missing`` are in small letters with single blanks. Numbers are what they are.
    """
    if column.is_numeric or not len(column.labels):
        return column
    labels = [str(label) for label in column.labels]
    meanings = [one_spelling(label) for label in labels]
    is_missing = [_is_missing(meaning, labels, words_for_missing) for meaning in meanings]
    first: dict[str, int] = {}
    for place, meaning in enumerate(meanings):
        if not is_missing[place]:
            first.setdefault(meaning, place)
    if len(first) == len(labels):
        return column
    kept = {place: code for code, place in enumerate(sorted(first.values()))}
    of_label = [-1 if gone else kept[first[meaning]] for meaning, gone in zip(meanings, is_missing, strict=True)]
    codes = np.append(np.array(of_label, dtype=CODE), CODE(-1))[column.codes]
    return EncodedColumn(codes, column.labels[sorted(kept)])


def _is_missing(meaning: str, labels: Sequence[str], words: Collection[str]) -> bool:
    small = meaning.casefold()
    if small not in words:
        return False
    others = [label for label in labels if label.casefold() != small]
    return not small.isalpha() or len(small) > _SHORT or any(len(label) > _SHORT for label in others)
