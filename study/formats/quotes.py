"""Whether the quotes of a delimited text pair up, by bits: sixty-four letters at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

QUOTE, BREAKS = ord('"'), (ord("\n"), ord("\r"))
BLOCK = 1 << 19  # letters, few enough for all results to stay in the cache
_ONE, _LAST = np.uint64(1), np.uint64(63)


@dataclass(frozen=True)
class Quotes:
    """Whether every opening quote begins a field and every closing one ends it, as in text written by a program.

    ``have_breaks``: there is a line break between an opening and a closing quote.
    """

    are_regular: bool
    have_breaks: bool = True


def quotes_of(text: np.ndarray, delimiter: str, block: int = BLOCK) -> Quotes:
    """The quotes of a text (n_bytes,): they open and close in turn, a doubled one being a closing and an opening one.

    ``block`` is a multiple of 64.
    """
    edges = (ord(delimiter), *BREAKS, QUOTE)
    is_open, after_edge, have_breaks = False, True, False  # the beginning and the end of the text are edges
    for start in range(0, len(text), block):
        some = text[start : start + block]
        is_quote, is_break = some == QUOTE, np.logical_or(*(some == letter for letter in BREAKS))
        is_edge = is_quote | is_break | (some == edges[0])
        if is_open or is_quote.any():
            stop = start + len(some)
            before_edge = stop == len(text) or text[stop] in edges
            quotes, breaks = _bits(is_quote), _bits(is_break)
            inside = _is_odd(quotes, is_open)  # from the opening quote to the letter before the closing one
            have_breaks = have_breaks or bool((breaks & inside).any())
            has_edge_before, has_edge_after = _neighbours(_bits(is_edge), after_edge, before_edge, len(some))
            opening, closing = quotes & inside, quotes & ~inside
            if (opening & ~has_edge_before).any() or (closing & ~has_edge_after).any():
                return Quotes(False)
            is_open ^= bool(np.count_nonzero(is_quote) % 2)
        after_edge = bool(is_edge[-1])
    return Quotes(not is_open, have_breaks)


def _bits(is_so: np.ndarray) -> np.ndarray:
    """Truth values (n,) as whole numbers of 64 bits, the first value the lowest bit; zeros fill the last one."""
    packed = np.zeros(-(-len(is_so) // 64) * 8, dtype=np.uint8)
    packed[: -(-len(is_so) // 8)] = np.packbits(is_so, bitorder="little")
    return packed.view("<u8")


def _is_odd(bits: np.ndarray, so_far: bool) -> np.ndarray:
    """For each bit whether an odd number is set up to there, itself included, and ``so_far`` before the first one."""
    odd = bits.copy()
    for shift in (1, 2, 4, 8, 16, 32):
        odd ^= odd << np.uint64(shift)
    up_to = np.logical_xor.accumulate((odd >> _LAST).astype(bool)) ^ so_far
    np.invert(odd, out=odd, where=np.append(so_far, up_to[:-1]))
    return odd


def _neighbours(bits: np.ndarray, first: bool, last: bool, n: int) -> tuple[np.ndarray, np.ndarray]:
    """For each of ``n`` bits the one before it and the one after it, ``first`` and ``last`` at either end."""
    before, after = bits << _ONE, bits >> _ONE
    before[1:] |= bits[:-1] >> _LAST
    before[0] |= np.uint64(first)
    after[:-1] |= bits[1:] << _LAST
    after[-1] |= np.uint64(last) << np.uint64((n - 1) % 64)
    return before, after
