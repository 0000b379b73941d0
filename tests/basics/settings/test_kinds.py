"""The ends of what each kind of setting takes: the last value that is allowed, and the first that is not."""

from __future__ import annotations

from disclosure_control.basics.settings.kinds import (
    COLUMNS,
    COUNT,
    DATE,
    NUMBER,
    POSITIVE,
    SENTENCE,
    SHARE,
    SHARE_ABOVE_ZERO,
    VALUE,
    list_of,
    whole_number,
)
from tests.cases import each


@each(
    ("kind", "valid", "faulty"),
    [
        (SHARE, (0, 0.0, 0.5, 1, 1.0), (-1e-9, 1 + 1e-9, -1, 2, True, False, "0.5", None, float("nan"))),
        (SHARE_ABOVE_ZERO, (1e-9, 1), (0, 1 + 1e-9)),
        (NUMBER, (-3, 0, 1e300, -1e300), (True, "1", float("inf"), float("nan"), 10**400)),
        (POSITIVE, (1e-300, 2), (0, -1)),
        (COUNT, (1, 2**53), (0, 2**53 + 1, 1.0, True)),
        (whole_number(2, 4), (2, 4), (1, 5, 3.0)),
        (SENTENCE, ("why",), ("", " ", 3)),
        (VALUE, ("F", 0, 1.5), ("", " ", True, None, "\ud800", "\udfff")),
        (DATE, ("2026-06-30",), ("2026-6-30", "20260630", "2026-06-31", 20260630)),
        (COLUMNS, (["A"], ("A", "B")), ([], ["A", "A"], ["A", ""], "A")),
        (list_of(COUNT, "counts", least=2), ([1, 1], (1, 2, 3)), ([1], [1, 0], {1, 2})),
    ],
)
def test_a_kind_takes_what_it_says_and_nothing_beyond(kind, valid, faulty):
    assert [value for value in valid if not kind.is_valid(value)] == []
    assert [value for value in faulty if kind.is_valid(value)] == []
