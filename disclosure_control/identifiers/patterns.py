r"""Patterns of text in any alphabet: one spelling for Arrow (millions of values) and for Python (a sample).

``[\pL]`` is a letter, ``[\p{Lu}]`` a capital and ``[\p{Ll}]`` a small one, always within brackets; a part that ignores
case is written ``(?i:...)``.
"""

from __future__ import annotations

import re
from functools import cache

_UP_TO = 0x2000  # Latin, Greek, Cyrillic, Armenian, Hebrew, Arabic, Georgian, and the letters with marks


@cache
def in_python(pattern: str) -> re.Pattern:
    """The pattern as Python's ``re`` understands it."""
    for name, is_in in ((r"\pL", str.isalpha), (r"\p{Lu}", str.isupper), (r"\p{Ll}", str.islower)):
        if name in pattern:
            pattern = pattern.replace(name, _ranges(is_in))
    return re.compile(pattern)


@cache
def _ranges(is_in: object) -> str:
    """The letters of a kind as ranges for a class of ``re``."""
    letters = [number for number in range(_UP_TO) if is_in(chr(number))]  # type: ignore[operator]
    parts, start = [], letters[0]
    for number, following in zip(letters, [*letters[1:], -1], strict=True):
        if following != number + 1:
            parts.append(chr(start) if start == number else f"{chr(start)}-{chr(number)}")
            start = following
    return "".join(parts)
