"""Tables and texts as written: a spreadsheet runs nothing in them, and a terminal obeys nothing in them."""

from __future__ import annotations

import hashlib
import io
import re
from typing import TYPE_CHECKING

import pandas as pd

from disclosure_control.basics.telling.words import CONTROL_CHARACTERS, with_controls_escaped, without_controls

if TYPE_CHECKING:
    import pyarrow as pa

BLANKS, RUNS = r"[\s\p{Z}\p{Cf}]*", r"[=+\-@|%＝＋－＠]"  # what a spreadsheet passes over, and what it runs
NOT_PLAIN = r"[^ -~]|;|^[ =+\-@|%]"
FORMULA_WITHIN = rf"(;{BLANKS}|[^\s\p{{Z}}\p{{Cf}}]{BLANKS}\t{BLANKS})({RUNS})"
TEXT_FOR_PEOPLE = (".txt", ".svg", ".html", ".md")


def csv_bytes(frame: pd.DataFrame, has_header: bool = True) -> bytes:
    """CSV in UTF-8: text in quotes, numbers without, an empty cell for missing, 38 and not 38.0."""
    import pyarrow as pa
    import pyarrow.csv

    plain = {str(name): _as_text(column) for name, column in frame.items() if column.dtype == "category"}
    # Arrow writes whatever is in its memory where a column begins with an empty chunk and there is no header.
    table = pa.Table.from_pandas(frame.assign(**plain), preserve_index=False).combine_chunks()
    buffer = io.BytesIO()
    pyarrow.csv.write_csv(table, buffer, pyarrow.csv.WriteOptions(include_header=has_header))
    return buffer.getvalue()


def _as_text(categories: pd.Series) -> pd.Series:
    """A column of categories as text; where they are text each is taken by its number, many times faster."""
    import pyarrow as pa

    if categories.cat.categories.dtype != "str":
        return categories.astype("str")
    codes = categories.cat.codes.to_numpy()
    texts = pa.array(categories.cat.categories, pa.large_string()).take(pa.array(codes, mask=codes < 0))
    return pd.Series(pd.array(texts, dtype="str"), categories.index, name=categories.name, copy=False)


def harmless(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame without control characters, and with an apostrophe before text that a spreadsheet would run.

    This applies to cells and to the names of columns; numbers stay numbers.
    """
    text = {name: column for name, column in frame.items() if not _is_harmless(column)}
    safe = frame.assign(**{str(name): _harmless_text(column.astype("str")) for name, column in text.items()})
    return safe.set_axis(_harmless_text(pd.Series(frame.columns, dtype="str")), axis="columns")


def _is_harmless(column: pd.Series) -> bool:
    """Whether a column is of numbers, or of categories that are plain text."""
    import pyarrow as pa

    if not isinstance(column.dtype, pd.CategoricalDtype):
        return bool(pd.api.types.is_numeric_dtype(column))
    return _are_plain(pa.array(column.cat.categories.astype("str"), pa.large_string()))


def _harmless_text(text: pd.Series) -> pd.Series:
    import pyarrow as pa
    import pyarrow.compute as pc

    values = pa.array(text)
    if _are_plain(values):
        return text
    if pc.any(pc.match_substring_regex(values, CONTROL_CHARACTERS)).as_py():
        text = text.map(without_controls, na_action="ignore")
        values = pa.array(text)
    # Where lists are parted by semicolons or tabs a spreadsheet takes what follows one for a cell of its own.
    if pc.any(pc.match_substring_regex(values, FORMULA_WITHIN)).as_py():
        values = pc.replace_substring_regex(values, FORMULA_WITHIN, r"\1'\2")
        text = pd.Series(values.to_pylist(), text.index, dtype="str", name=text.name)
    matches = pc.match_substring_regex(values, rf"^({BLANKS}{RUNS}|[\t\r\n])")
    suspect = pc.fill_null(matches, False).to_numpy(zero_copy_only=False)
    if not suspect.any():
        return text
    formula = pd.Series(suspect, index=text.index)
    formula[suspect] = pd.to_numeric(text[suspect], errors="coerce").isna()
    return text.where(~formula, "'" + text)


def _are_plain(texts: pa.Array | pa.ChunkedArray) -> bool:
    """Whether all are printable ASCII without a semicolon, and none begins with a blank or what a spreadsheet runs.

    Then no pattern of ``_harmless_text`` can match; this one is asked of all letters in one pass.
    """
    import pyarrow.compute as pc

    return not pc.any(pc.match_substring_regex(texts, NOT_PLAIN), min_count=0).as_py()


def harmless_file(name: str, content: bytes) -> bytes:
    """A file of text without control characters; JSON keeps them in its own spelling, and an image its bytes."""
    if name.endswith(TEXT_FOR_PEOPLE):
        return without_controls(content.decode("utf-8")).encode("utf-8")
    if name.endswith(".json"):
        return with_controls_escaped(content.decode("utf-8")).encode("utf-8")
    return content


def file_name_part(name: str) -> str:
    """A column's name as part of a file's name: what Windows forbids becomes ``_``, at most 100 characters."""
    safe = re.sub(r'[<>:"/\\|?*\x00-\x1f]', "_", name).strip(" .")
    return safe if len(safe) <= 100 else f"{safe[:91]}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"
