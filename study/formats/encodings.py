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
from disclosure_control.basics.telling.words import counted
from study.formats.messages import setting_of, shown_name

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_CHUNK = 1 << 24
# Pages of one byte for a letter that programs in Europe write.
_SCORED = ("cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1257", "iso-8859-2", "iso-8859-7")
_OF_OLD_SYSTEMS = ("cp850", "cp852", "mac-roman")  # named in a fault, and never guessed
_SCORED_NAMES = {codecs.lookup(name).name: name for name in (*_SCORED, *_OF_OLD_SYSTEMS)}
_MOST_SCORED = 1000  # lines with foreign letters
_CLEARLY, _LEAST_SCORE = 1.2, 0.03  # better than the usual one by this factor, and more than a few letters give


def read_text(source: SourceFile, declared: str | None) -> tuple[pa.Buffer, list[str]]:
    """Return the text of a file as UTF-8 without a byte order mark, and notes on what was guessed.

    Raises FaultyInputError when the file is not text, mixes encodings, or does not fit its encoding.
    """
    path, content = source.path, source.content
    if declared is not None:
        check_encoding_name(declared, path)
    elif content[:2] in _UTF16_MARKS:
        return pa.py_buffer(_decoded_whole(content, path, "utf-16")), []
    # Where every character takes two bytes or more, letters have NUL bytes, and lines are not to be split.
    if declared is not None and codecs.lookup(declared).name.startswith(("utf-16", "utf-32")):
        return pa.py_buffer(_decoded_whole(content, path, declared)), []
    data = pa.py_buffer(content)
    characters = np.frombuffer(content, dtype=np.uint8)
    _check_no_nul(characters, path)
    if characters.max(initial=0) < 0x80:
        return data, []
    may_be_utf8 = declared is None or codecs.lookup(declared).name in ("utf-8", "utf-8-sig")
    if may_be_utf8 and _is_valid_utf8(content):
        return data[3:] if content.startswith(codecs.BOM_UTF8) else data, []
    encoding, notes = chosen_encoding(content.split(b"\n"), "line", path, declared)
    return pa.py_buffer(_decoded_whole(content, path, encoding)), notes


def chosen_encoding(
    pieces: Iterable[bytes], piece_name: str, path: Path, declared: str | None
) -> tuple[str, list[str]]:
    """Return the encoding of pieces of text and a note where it was guessed; every piece is valid in it."""
    pieces = list(pieces)
    foreign = [piece for piece in pieces if not piece.isascii()]
    if declared is not None:
        check_encoding_name(declared, path)
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


def check_encoding_name(name: str, path: Path) -> None:
    """Raise FaultyInputError when Python knows no text encoding of this name."""
    try:
        # A wrong name raises LookupError; whether the one letter fits does not matter here.
        b"a".decode(name, errors="replace")
    except (LookupError, ValueError):
        raise FaultyInputError(
            f"{path.name}: the declared encoding {name!r} is not known. Allowed are names such as utf-8, cp1252, "
            f"cp1253, iso-8859-7: {setting_of(path, 'encoding', 'cp1253')}."
        ) from None


def _guessed(pieces: Sequence[bytes], heading: bytes, path: Path) -> str:
    """The encoding whose letters and words fit best; Greek or western, unless another one fits clearly better.

    Raises FaultyInputError where another one reads letters in words that would have signs, and is not clearly better.
    """
    sample = b"\n".join([heading, *pieces[:_MOST_SCORED]])
    usual = _greek_or_western(pieces)
    scores = _scores(sample)
    best = max(scores, key=lambda name: (scores[name], name == usual), default=usual)
    if best == usual or not _is_valid(sample, best):
        return usual
    if not _is_valid(sample, usual):
        return best if scores[best] >= _LEAST_SCORE else usual
    as_best, as_usual = sample.decode(best), sample.decode(usual)
    if as_best == as_usual:
        return usual
    is_clear = scores[best] >= max(_CLEARLY * scores.get(usual, 0.0), _LEAST_SCORE)
    if is_clear or (usual, best) == ("cp1253", "cp1252"):  # of two letters side by side: Greek is more than that
        return best
    if _reads_letters_for_signs(as_best, as_usual):
        raise FaultyInputError(
            f"{path.name}: not UTF-8, and its encoding is not certain: {best} fits best"
            f"{_both_readings(heading, best, usual)}. Declare it by {setting_of(path, 'encoding', best)}, or "
            f"{setting_of(path, 'encoding', usual)}."
        )
    return usual


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
    readings = [shown_name(foreign[0].decode(name)) for name in (best, usual)]
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
    try:
        text = content.decode(encoding).removeprefix("\ufeff").encode()
    except UnicodeError:
        raise FaultyInputError(
            f"{path.name}: the file's bytes are not valid {encoding}; it may be cut off. Export it again, or "
            f"declare its encoding by {setting_of(path, 'encoding', 'utf-8')}."
        ) from None
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
    # Chunk by chunk: decoding a gigabyte at once would take up to four more.
    decoder = codecs.getincrementaldecoder("utf-8")()
    view = memoryview(content)
    try:
        for start in range(0, len(view), _CHUNK):
            decoder.decode(view[start : start + _CHUNK])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _is_valid(piece: bytes, encoding: str) -> bool:
    try:
        piece.decode(encoding)
    except UnicodeError:
        return False
    return True
