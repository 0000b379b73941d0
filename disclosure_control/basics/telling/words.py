"""How figures and tables are written: one way to print a table, a share, a list of names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

# What a terminal obeys or what turns the direction of writing; tabs and line feeds are layout. The letters themselves
# are in the pattern, because Arrow's regular expressions spell them differently.
CONTROL_CHARACTERS = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
SMALLEST_PRINTED_GROUP = 10  # counts of people from 1 to 9 are small: see small_counts
_IN_BRACKETS, _PAUSE = re.compile(r" \([^()]*\)"), re.compile(r"[:;] |\. (?=[A-Z])")
_CONTROLS = re.compile(CONTROL_CHARACTERS)
_BREAKS = re.compile("[ ]*[\t\n\x0b\x0c\r\x85\u2028\u2029]\\s*")


def without_controls(text: str) -> str:
    """Text that a terminal shows and does not obey: ``?`` for every control character but tabs and ends of lines."""
    return _CONTROLS.sub("?", text.replace("\r\n", "\n"))


def with_controls_escaped(text: str) -> str:
    """Equal JSON that a terminal shows and does not obey: control characters as ``\u009b``."""
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def in_one_line(text: str) -> str:
    """Text without line breaks and tabs: one blank for each run of them, with the blanks around it."""
    return _BREAKS.sub(" ", text).strip() if _BREAKS.search(text) else text


def text_table(
    headers: Sequence[str],
    rows: Sequence[Sequence[object]],
    form: str = "simple_outline",
    widest: Sequence[int | None] | None = None,
) -> str:
    """A table in lines, as in every report of this project; cells are printed unchanged, each in one line.

    ``form`` "plain" has no lines between the cells; ``widest``: of each column the widest line, if it is limited.
    """
    from tabulate import tabulate

    lines = [[in_one_line(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    titles = [in_one_line(header) for header in headers]
    return tabulate(lines, titles, tablefmt=form, disable_numparse=True, maxcolwidths=widest)


def share_text(rate: float | None) -> str:
    """A share in [0, 1] as reports print it: ``9.6%``, and ``-`` if there is none.

    0.0% is nobody and 100.0% everyone: 87 people of a million are ``<0.1%``, all but these ``>99.9%``.
    """
    if rate is None:
        return "-"
    written = f"{rate:.1%}"
    if rate > 0 and written == "0.0%":
        return "<0.1%"
    return ">99.9%" if rate < 1 and written == "100.0%" else written


def share_of_text(part: float, whole: float) -> str:
    """How much of a whole a part is, as ``share_text`` prints it; ``-`` of nothing."""
    return share_text(part / whole if whole else None)


def interval_text(low: float, high: float) -> str:
    """An interval of a share in [0, 1]: ``3.1% to 20.4%``."""
    return f"{share_text(low)} to {share_text(high)}"


def people_text(n: int, form: str = "") -> str:
    """A number of people in words: ``1 person``, ``1000 people``; ``form`` "," writes ``1,000 people``."""
    return f"{n:{form}} {'person' if n == 1 else 'people'}"


def few_or_number(n: int, form: str = "") -> str:
    """A number of people, records or values, possibly zero; from 1 to 9 it is "fewer than 10"."""
    return f"fewer than {SMALLEST_PRINTED_GROUP}" if 0 < n < SMALLEST_PRINTED_GROUP else f"{n:{form}}"


def capitalised(text: str) -> str:
    """A text as a sentence begins; nothing but its first letter changes."""
    return text[:1].upper() + text[1:]


def in_short(sentence: str, most: int = 20) -> str:
    """A sentence of more than so many words up to its first pause, or without its brackets, or its first words."""
    without = _IN_BRACKETS.sub("", sentence)
    for words in (sentence, _up_to_pause(sentence), without, _up_to_pause(without)):
        if len(words.split()) <= most and words.count("(") == words.count(")"):
            return words if words.endswith(".") else f"{words}."
    return f"{' '.join(without.split()[: most - 1])} ..."


def _up_to_pause(text: str) -> str:
    return _PAUSE.split(text, maxsplit=1)[0]


def listed(names: Iterable[str], at_most: int = 12) -> str:
    """Names in a sentence, the first ``at_most`` of them in full: ``a, b, c and 4 more``."""
    names = list(names)
    more = f" and {len(names) - at_most:,} more" if len(names) > at_most else ""
    return ", ".join(names[:at_most]) + more


def counted(number: int, noun: str) -> str:
    """A number of things: ``1 record``, ``2,000 records``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def many_text(number: int) -> str:
    """A whole number of any size: ``2,000``, and from 10**15 on ``about 8.03e59``, which may exceed a float."""
    return f"{number:,}" if number < 10**15 else f"about {Decimal(number):.2e}".replace("e+", "e")


def four_digits(number: float) -> str:
    """Four digits after the point, and no zero with a minus."""
    text = f"{number:.4f}"
    return "0.0000" if text == "-0.0000" else text
