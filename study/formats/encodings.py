"""The encoding of a file's text: declared, known from a byte order mark, UTF-8, or guessed and noted.

Text is checked in pieces (lines of a CSV file, values of a SAS file), so that a file put together from two
encodings is noticed, and so that faults can be counted without showing any of the text.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.small_counts import people_on_screen
from disclosure_control.basics.telling.words import counted
from study.formats.messages import in_our_words, setting_of, shown_name

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Pages of one byte for a letter that programs in Europe write.
_SCORED = ("cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1257", "iso-8859-2", "iso-8859-7")
# Named in a fault, and never guessed.
_OF_OLD_SYSTEMS = (
    *("cp850", "cp852", "cp857", "cp775", "cp737", "cp866", "koi8-r", "iso-8859-5"),
    *("mac-roman", "mac-cyrillic"),
)
_SCORED_NAMES = {codecs.lookup(name).name: name for name in (*_SCORED, *_OF_OLD_SYSTEMS)}
_MOST_SCORED = 1000  # lines with foreign letters
_CLEARLY, _LEAST_SCORE = 1.2, 0.03  # better than the usual one by this factor, and more than a few letters give
_MOST_LETTERS = 1 << 16  # that are looked at one by one
# Of the foreign letters of a text that is read in its own encoding; and fewer different ones than these.
_MOST_ODD, _FEWEST_ODD = 0.04, 2
# Signs that stand between two letters, and behind one: Crohn’s, m².
_WITHIN_WORDS = frozenset("\xa0\xad\u2018\u2019\u2013\u2014\u2026·")
_BEHIND_WORDS = _WITHIN_WORDS | frozenset("\u201c\u201d»°²³¹®™©±†‡•")
_OF_UNITS = frozenset("µªº×÷§°²³´")  # that stand anywhere
_LAST_LATIN = "\u02af"


def read_text(source: SourceFile, declared: str | None) -> tuple[pa.Buffer, list[str]]:
    """Return the text of a file as UTF-8 without a byte order mark, and notes on what was guessed.

    Raises FaultyInputError when the file is not text, mixes encodings, or does not fit its encoding.
    """
    path, content = source.path, source.content
    wide = declared or ("utf-16" if content[:2] in _UTF16_MARKS else "utf-8")
    # Where every character takes two bytes or more, letters have NUL bytes, and lines are not to be split.
    if codecs.lookup(wide).name.startswith(("utf-16", "utf-32")):
        return pa.py_buffer(_decoded_whole(content, path, wide)), []
    data = pa.py_buffer(content)
    characters = np.frombuffer(content, dtype=np.uint8)
    _check_no_nul(characters, path)
    if characters.max(initial=0) < 0x80:
        return data, []
    may_be_utf8 = declared is None or codecs.lookup(declared).name in ("utf-8", "utf-8-sig")
    if may_be_utf8 and _is_valid_utf8(content):
        data = data[3:] if content.startswith(codecs.BOM_UTF8) else data
        return (data, []) if declared is not None or not _may_be_twice(content) else _encoded_once(data, path)
    encoding, notes = chosen_encoding(content.split(b"\n"), "line", path, declared)
    return pa.py_buffer(_decoded_whole(content, path, encoding)), notes


# What UTF-8 has two or three bytes for, if each of these was taken for a character of cp1252 and encoded again.
_TWICE = re.compile(
    rb"\xc3[\x82-\x9f](?:\xc2[\x80-\xbf]|[\xc5\xc6\xcb][\x80-\xbf]|\xe2[\x80-\x84][\x80-\xbf])"
    rb"|\xc3\xa2(?:\xe2\x82\xac|\xc2\x80)"
)
# Two such letters after a capital may be the end of a word in capitals, and a sign: IRMÃ “A” without its blank.
_IN_CAPITALS = re.compile(rb"(?:[A-Z]|\xc3[\x80-\x9e])(" + _TWICE.pattern + rb")(?![a-z])")
_WRITTEN = re.compile("[\ufeff\u00c0-\u017f\u0370-\u052f\u2010-\u2026°µ±²³]")  # letters, dashes and quotes


def _may_be_twice(content: bytes) -> bool:
    """Whether two different letters may have been encoded twice, or one that is not in a word in capitals."""
    found = _TWICE.findall(content)
    return len(set(found)) > 1 or len(found) > len(_IN_CAPITALS.findall(content))


def _encoded_once(data: pa.Buffer, path: Path) -> tuple[pa.Buffer, list[str]]:
    """A text of which every line with foreign letters was encoded twice as it was before, with a note.

    Where only some were, the text as it is, and how many.
    """
    lines = data.to_pybytes().decode().split("\n")
    foreign = {line: _once(line) for line in lines if not line.isascii()}
    twice = {line: once for line, once in foreign.items() if once is not None and _WRITTEN.search(once)}
    if not twice:
        return data, []
    if len(twice) < len(foreign):
        few = f"{people_on_screen(len(twice))} of {len(foreign):,} different lines with foreign letters"
        return data, [f"{few} encoded twice in UTF-8, left unchanged: one letter is two signs there; export it again"]
    once = "\n".join(twice.get(line, line) for line in lines).removeprefix("\ufeff")
    one = setting_of(path, "encoding", "utf-8")
    return pa.py_buffer(once.encode()), [f"encoded twice in UTF-8: read as encoded once (guessed; if not, {one})"]


def notes_on_twice(texts: Iterable[str]) -> list[str]:
    """A note on texts of a file that has no encoding of its own, if some were encoded twice before they came there."""
    n = sum(_TWICE.search(one.encode()) is not None and _once(one) is not None for one in texts)
    return [f"{people_on_screen(n)} texts encoded twice in UTF-8, left unchanged: one letter is two signs"] if n else []


def _once(text: str) -> str | None:
    """A text as it was before it was encoded a second time; None if it was not."""
    try:
        return text.translate(_CONTROLS_OF_CP1252).encode("cp1252", errors="surrogateescape").decode()
    except UnicodeError:
        return None


# The bytes that cp1252 has no character for stay controls, or bytes.
_CONTROLS_OF_CP1252 = {code: 0xDC00 + code for code in range(0x80, 0xA0)}


def chosen_encoding(
    pieces: Iterable[bytes], piece_name: str, path: Path, declared: str | None
) -> tuple[str, list[str]]:
    """Return the encoding of pieces of text and a note where it was guessed; every piece is valid in it."""
    pieces = list(pieces)
    foreign = [piece for piece in pieces if not piece.isascii()]
    if declared is not None:
        _check_decodable(foreign, declared, piece_name, path, "declared")
        return declared, []
    not_utf8 = [piece for piece in foreign if not _is_valid(piece, "utf-8")]
    if not not_utf8:
        return "utf-8", []
    if len(not_utf8) < len(foreign):
        one = setting_of(path, "encoding", _greek_or_western(not_utf8))
        raise _mixed(len(foreign), len(not_utf8), piece_name, path, f", or declare one by {one}")
    heading = pieces[0] if piece_name == "line" else b""
    guess = _guessed(not_utf8, heading, path)
    _check_decodable(not_utf8, guess, piece_name, path, "guessed")
    return guess, [f"not UTF-8: read as {guess} (guessed)"]


def _mixed(n_foreign: int, n_not_utf8: int, piece_name: str, path: Path, further: str = "") -> FaultyInputError:
    return FaultyInputError(
        f"{path.name}: mixed encodings: {counted(n_foreign - n_not_utf8, piece_name)} with characters in UTF-8 and "
        f"{counted(n_not_utf8, piece_name)} that cannot be UTF-8. Export the file again in one encoding{further}."
    )


def _guessed(pieces: Sequence[bytes], heading: bytes, path: Path) -> str:
    """The encoding whose letters and words fit best; Greek or western, unless another one fits clearly better.

    Raises FaultyInputError where another one reads letters in words that would have signs, and is not clearly better,
    or is that of an old system.
    """
    sample = b"\n".join([heading, *pieces[:_MOST_SCORED]])
    usual = _greek_or_western(pieces)
    scores = _scores(sample)
    best = max(scores, key=lambda name: (scores[name], name == usual), default=usual)
    guess, other = usual, ""
    if best != usual and _is_valid(sample, best):
        if not _is_valid(sample, usual):
            guess = best if scores[best] >= _LEAST_SCORE else usual
        elif (as_best := sample.decode(best)) != (as_usual := sample.decode(usual)):
            is_clear = scores[best] >= max(_CLEARLY * scores.get(usual, 0.0), _LEAST_SCORE)
            # Of two letters side by side: Greek is more than that.
            guess = best if is_clear or (usual, best) == ("cp1253", "cp1252") else usual
            other = best if guess == usual and _reads_letters_for_signs(as_best, as_usual) else ""
    other = _of_old_system(sample, other or guess) or other
    if other:
        raise FaultyInputError(
            f"{path.name}: not UTF-8, and its encoding is not certain: {other} fits best"
            f"{_both_readings(heading, other, guess)}. Declare it by {setting_of(path, 'encoding', other)}"
            f"{', or ' + setting_of(path, 'encoding', guess) if _is_valid(sample, guess) else ''}."
        )
    return guess


def _of_old_system(sample: bytes, guess: str) -> str:
    """The page of an old system that fits better, and by which words are whole that have signs in them by the guess."""
    sample = sample[:_MOST_LETTERS]
    odd = _odd(sample.decode(guess, errors="replace"))
    if len(set(odd)) < _FEWEST_ODD or len(odd) <= _MOST_ODD * sum(letter >= 0x80 for letter in sample):
        return ""
    scores = _scores(sample, (*_OF_OLD_SYSTEMS, guess))
    least = scores.pop(guess, 0.0)
    whole = [name for name in scores if _is_valid(sample, name) and 4 * len(_odd(sample.decode(name))) <= len(odd)]
    best = max(whole, key=lambda name: (scores[name], name == "cp850"), default=guess)
    return best if scores.get(best, 0.0) > least else ""


def _odd(text: str) -> list[str]:
    """The foreign characters that are signs in a word, of another script, or capitals beside small letters."""

    def is_odd(before: str, one: str, after: str) -> bool:
        if not one.isalpha():
            is_of_word = before.isalpha() and one not in (_WITHIN_WORDS if after.isalpha() else _BEHIND_WORDS)
            return is_of_word or "\x80" <= one <= "\x9f" or one == "\ufffd"
        is_of_two_scripts = one > _LAST_LATIN and (before + after).isascii() and (before.isalpha() or after.isalpha())
        return (before.islower() and one.isupper()) or (one.islower() and after.isupper()) or is_of_two_scripts

    around = zip(f" {text}", text, f"{text[1:]} ", strict=False)
    return [
        one for before, one, after in around if one > "\x7f" and one not in _OF_UNITS and is_odd(before, one, after)
    ]


def _scores(sample: bytes, encodings: Sequence[str] = _SCORED) -> dict[str, float]:
    """How well the letters and words of a text fit each encoding, by name; larger is better."""
    import chardet

    found = chardet.detect_all(sample, ignore_threshold=True, compat_names=False, include_encodings=encodings)
    known = [one for one in found if one["encoding"]]  # some bytes are of none
    return {_SCORED_NAMES[codecs.lookup(str(one["encoding"])).name]: float(one["confidence"]) for one in known}


def _reads_letters_for_signs(as_best: str, as_usual: str) -> bool:
    """Whether one reading has a letter where the other one has a sign with a letter behind it, which no unit has."""
    signs = zip(as_usual, as_usual[1:] + " ", as_best, strict=False)
    return any(best.isalpha() and not usual.isalpha() and after.isalpha() for usual, after, best in signs)


def _both_readings(heading: bytes, best: str, usual: str) -> str:
    """Both readings of a heading, where the first line has headings: of numbers and dates it has none."""
    cells = re.split(rb"[,;\t|]", heading.strip())
    foreign = [cell for cell in cells if not cell.isascii()]
    if not foreign or len(cells) < 2 or any(re.search(rb"\d", cell) for cell in cells):
        return ""
    readings = [shown_name(foreign[0].decode(name, errors="replace")) for name in (best, usual)]
    return f", by which a heading is {readings[0]} and not {readings[1]}"


def _greek_or_western(pieces: Sequence[bytes]) -> str:
    """Guess between Greek and western Windows text.

    Greek words consist of high bytes, which are therefore adjacent; in western text a high byte is an
    accented letter or a sign, alone among ASCII letters.
    """
    text = np.frombuffer(b"\n".join(pieces), dtype=np.uint8)
    high = np.concatenate(([False], text >= 0x80, [False]))
    has_high_neighbour = high[1:-1] & (high[:-2] | high[2:])
    return "cp1253" if 2 * has_high_neighbour.sum() > high.sum() else "cp1252"


def _check_decodable(pieces: Sequence[bytes], encoding: str, piece_name: str, path: Path, how: str) -> None:
    n_undecodable = sum(not _is_valid(piece, encoding) for piece in pieces)
    if n_undecodable:
        not_utf8 = [piece for piece in pieces if not _is_valid(piece, "utf-8")]
        if 0 < 2 * len(not_utf8) < len(pieces):
            raise _mixed(len(pieces), len(not_utf8), piece_name, path)
        scores = _scores(b"\n".join(pieces[:_MOST_SCORED]), (*_SCORED, *_OF_OLD_SYSTEMS)) if not_utf8 else {"utf-8": 1}
        fitting = [
            one
            for one in sorted(scores, key=lambda name: -scores[name])
            if scores[one] >= _LEAST_SCORE and all(_is_valid(piece, one) for piece in pieces)
        ]
        others = [one for one in (*fitting, "cp1252", "cp1253") if codecs.lookup(one) != codecs.lookup(encoding)]
        raise FaultyInputError(
            f"{path.name}: {counted(n_undecodable, piece_name)} with bytes that do not exist in the {how} "
            f"encoding {encoding}. Declare the encoding the file was written in, e.g. "
            f"{setting_of(path, 'encoding', others[0])}."
        )


def _decoded_whole(content: bytes, path: Path, encoding: str) -> bytes:
    cut_off = (
        f"{path.name}: the file's bytes are not valid {encoding}; it may be cut off. Export it again, or "
        f"declare its encoding by {setting_of(path, 'encoding', 'utf-8')}."
    )
    with in_our_words(cut_off, UnicodeError):
        text = content.decode(encoding).removeprefix("\ufeff").encode()
    _check_no_nul(np.frombuffer(text, dtype=np.uint8), path)
    return text


def _check_no_nul(characters: np.ndarray, path: Path) -> None:
    if characters.min(initial=0xFF) == 0:
        n_nul = len(characters) - int(np.count_nonzero(characters))
        raise FaultyInputError(
            f"{path.name}: this is not a text file ({counted(n_nul, 'NUL byte')} found). Export it again as text; "
            f"if it is UTF-16, declare that by {setting_of(path, 'encoding', 'utf-16-le')}."
        )


def _is_valid_utf8(content: bytes) -> bool:
    """Whether a whole file is, without a second copy of it in memory."""
    offsets = pa.py_buffer(np.array([0, len(content)], dtype=np.int64))
    text = pa.Array.from_buffers(pa.large_string(), 1, [None, offsets, pa.py_buffer(content)])
    try:
        text.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _is_valid(piece: bytes, encoding: str) -> bool:
    try:
        piece.decode(encoding)
    except UnicodeError:
        return False
    return True
