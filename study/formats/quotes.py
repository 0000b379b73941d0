"""Whether the quotes of a delimited text pair up, piece by piece."""

from __future__ import annotations

import numpy as np

QUOTE = ord('"')
_IS_BREAK = np.isin(np.arange(256), list(b"\r\n"))
END = np.array([ord("\n")], dtype=np.uint8)


class QuoteCheck:
    """The quotes of a text that comes in pieces, ``END`` behind the last one: they open and close in turn.

    ``n_quotes`` are odd in the end if one is opened and never closed. ``have_breaks``: there is a line break between an
    opening and a closing quote; a doubled quote is a closing and an opening one.
    """

    def __init__(self, delimiter: str):
        self.n_quotes, self.have_breaks = 0, False
        self._is_edge = np.isin(np.arange(256), [ord(delimiter), *b'\r\n"'])
        self._last = END  # the beginning of the text is an edge

    def are_regular(self, piece: np.ndarray) -> bool:
        """Whether in one more piece (n_bytes,) every opening quote begins a field and every closing one ends it."""
        text = np.concatenate([self._last, piece])
        places = np.flatnonzero(text[1:-1] == QUOTE) + 1  # one at the very end waits for what comes after it
        is_open = self.n_quotes % 2
        before_opening, behind_closing = text[places[is_open::2] - 1], text[places[1 - is_open :: 2] + 1]
        if not self.have_breaks and (len(places) or is_open):
            breaks = np.flatnonzero(_IS_BREAK.take(text[1:-1])) + 1
            self.have_breaks = bool(((np.searchsorted(places, breaks) + is_open) % 2).any())
        self.n_quotes += len(places)
        self._last = text[-2:]
        return bool(self._is_edge.take(before_opening).all() and self._is_edge.take(behind_closing).all())
