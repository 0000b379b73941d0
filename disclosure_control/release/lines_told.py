"""Lines for the recipient about the study as it came in: a text that was emptied in the data does not stand there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

INSTEAD = "(a text that was emptied)"
_SHORTEST = 2  # a letter or digit alone is a part of ordinary words


def without_emptied_texts(lines: Sequence[str], emptied: Iterable[str]) -> tuple[str, ...]:
    """The lines without the texts, however these are written: names of rows begin with a small letter."""
    whole = "\n".join(lines).casefold()
    found = sorted({text for text in emptied if len(text) >= _SHORTEST and text.casefold() in whole}, key=len)
    if not found:
        return tuple(lines)
    texts = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, reversed(found)))})(?!\w)", re.IGNORECASE)
    return tuple(texts.sub(INSTEAD, line) for line in lines)
