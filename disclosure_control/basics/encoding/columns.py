"""One column as whole numbers and labels: what counts as the same value is decided here and nowhere else."""

from __future__ import annotations

import contextlib
import unicodedata
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.text_codes import TextCodes, codes_of_few_texts, text_codes
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.words import few_or_number

if TYPE_CHECKING:
    import pyarrow as pa

SUBJECT_COLUMN = "USUBJID"  # of the combined dataset, whose row each record is
LARGEST_EXACT = 2**53  # whole numbers up to here are floats of their own
LARGEST_NUMBER = 1e300  # differences and sums of larger ones are infinite
# Of the codes of a column: half as wide as numpy's own, wide enough for a label per record. Who multiplies casts first.
CODE = np.int32


@dataclass(frozen=True)
class EncodedColumn:
    """One column as whole numbers: ``codes`` (n_records,) of ``CODE``, -1 where missing, and ``labels`` (n_values,).

    The labels are distinct and in a stable order (numbers by size, bins by their edges, text by letters),
    so that equal data give equal codes in whatever order the records come.
    """

    codes: np.ndarray
    labels: np.ndarray = field(repr=False)

    def of_records(self, place: np.ndarray) -> EncodedColumn:
        """The column of records (n_records,) that have the values at these places, -1 the last one."""
        return EncodedColumn(self.codes.take(place), self.labels)

    @property
    def is_numeric(self) -> bool:
        return self.labels.dtype.kind == "f"


def number_text(number: float) -> str:
    """A number as people write it: ``1.0`` is ``1``, at most 15 significant digits, whole numbers with all of them."""
    if abs(number) <= LARGEST_EXACT and float(number).is_integer():
        return str(int(number))
    return f"{number + 0.0:.15g}"


def encode_column(values: pd.Series) -> EncodedColumn:
    """Codes and labels of one column; only this function decides which values are equal.

    Text is compared after Unicode NFC and trimming; an empty text is missing; the codes ``1`` and ``1.0`` are the same
    value, ``01`` is another one. Whole numbers too large for floats stay numbers if floats distinguish all of them, and
    are text otherwise. Raises ``FaultyInputError`` if several columns have the name. Cost: one pass over the records,
    the rest on distinct values.
    """
    values = one_column(values)
    if isinstance(values.dtype, pd.CategoricalDtype):
        labels = np.array([_label(category) for category in values.cat.categories], dtype=object)
        return _merge_equal_labels(values.cat.codes.to_numpy(), labels, sort=not values.cat.ordered)
    if pd.api.types.is_numeric_dtype(values.dtype) and not pd.api.types.is_bool_dtype(values.dtype):
        numbers = values.to_numpy(dtype=float, na_value=np.nan)
        if fall_together(values, numbers):
            return encode_column(values.astype("str"))
        codes, distinct = pd.factorize(numbers + 0.0)  # adding zero turns -0.0 into 0.0
        order = np.argsort(distinct, kind="stable")
        return EncodedColumn(renumber(codes, order), distinct[order])
    if values.dtype == object:  # to Python, True, 1 and 1.0 are one value
        if _are_decimals(values):
            return encode_column(pd.Series(values.astype("float64")))
        values = values.map(_label, na_action="ignore")
    if values.dtype == "str":
        return _of_texts(text_codes(values))
    codes, values_seen = pd.factorize(values)
    return _merge_equal_labels(codes, np.array([_label(value) for value in values_seen], dtype=object))


def one_column(values: pd.Series) -> pd.Series:
    """The column. Raises ``FaultyInputError`` where it is several, as a frame gives them by a name that they share."""
    if isinstance(values, pd.DataFrame):
        raise FaultyInputError(faults_of_names(values))
    return values


def faults_of_names(frame: pd.DataFrame) -> list[str]:
    """A fault for each name that several columns of the frame share."""
    counts = frame.columns.value_counts(sort=False)
    return [
        f"column {name!r}: {count} columns have this name; allowed: one; rename or drop the others"
        for name, count in zip(counts.index, counts.tolist(), strict=True)
        if count > 1
    ]


def fall_together(values: pd.Series, numbers: np.ndarray) -> bool:
    """Whether different whole numbers of the column are equal as floats (n_records,), as beyond 2**53 they may be."""
    if not pd.api.types.is_integer_dtype(values.dtype) or not (np.abs(numbers) >= LARGEST_EXACT).any():
        return False
    return bool(values.nunique() > len(np.unique(numbers[~np.isnan(numbers)])))


def _are_decimals(values: pd.Series) -> bool:
    """Whether all values of a column of objects are decimals that floats distinguish, such as 1.50; at least one
    exists.
    """
    if pd.api.types.infer_dtype(values, skipna=True) != "decimal":
        return False
    present = values.dropna()
    return present.astype("float64").nunique() == present.nunique()


def as_counted(values: pd.Series) -> pd.Series:
    """The column with each value replaced by the label under which it is counted; missing if that is empty.

    A count of the written values gives the same classes as here: ``1`` and ``1.0`` as text are one value, and both are
    written ``1``; ``-0.0`` is ``0.0``. Other numbers, truth values and dates are unchanged.
    """
    if pd.api.types.is_float_dtype(values.dtype):
        return values + 0.0
    is_category = isinstance(values.dtype, pd.CategoricalDtype)
    if not is_category and not pd.api.types.is_string_dtype(values.dtype) and values.dtype != object:
        return values
    distinct = values.cat.categories if is_category else pd.Index(pd.unique(values.dropna()))
    labels = [_label(value) for value in distinct]
    if labels == list(distinct):
        return values
    encoded = encode_column(values)
    if is_category:
        codes = pd.Categorical.from_codes(
            encoded.codes.tolist(), pd.Index([str(label) for label in encoded.labels]), ordered=values.cat.ordered
        )
        return pd.Series(codes, values.index, name=values.name)
    written = np.array([*encoded.labels, None], dtype=object)[encoded.codes]
    return pd.Series(written, values.index, dtype=values.dtype, name=values.name)


def _label(value: object) -> str:
    if isinstance(value, float | np.floating):
        number = float(value) + 0.0
        return str(int(number)) if abs(number) < 2**63 and number.is_integer() else repr(number)
    if isinstance(value, Decimal) and value.is_finite():
        value = format(value.normalize() + 0, "f")  # 1.50 is 1.5
    text = unicodedata.normalize("NFC", str(value)).strip()
    whole, point, zeros = text.partition(".")
    return whole if point and zeros and not zeros.strip("0") and whole.lstrip("+-").isdigit() else text


def _of_texts(encoded: TextCodes) -> EncodedColumn:
    """The column of distinct texts; only those that may be spelt differently are respelt, mostly none."""
    import pyarrow.compute as pc

    codes, distinct = encoded.codes, encoded.texts
    labels = distinct.to_numpy(zero_copy_only=False)
    may_change = np.flatnonzero(_may_be_spelt_otherwise(distinct))
    spelt = [_label(text) for text in labels[may_change]]
    if spelt != labels[may_change].tolist() or "" in spelt:
        labels[may_change] = spelt
        return _merge_equal_labels(codes, labels)
    order = np.asarray(pc.array_sort_indices(distinct)).astype(np.int64)  # bytes of UTF-8 sort as letters do
    return EncodedColumn(renumber(codes, order), labels[order])


def _may_be_spelt_otherwise(texts: pa.Array) -> pa.Array:
    import pyarrow.compute as pc

    is_spelt_otherwise = pc.match_substring_regex(texts, r"^[\x00-\x20]|[\x00-\x20]$|\.0+$|^$")
    return pc.or_(is_spelt_otherwise, pc.invert(pc.string_is_ascii(texts)))


def texts_as_labels(texts: pa.LargeStringArray) -> pa.LargeStringArray:
    """Each text (n,) as ``encode_column`` spells it, an empty one missing: of texts that hardly repeat."""
    import pyarrow as pa
    import pyarrow.compute as pc

    may_change = _may_be_spelt_otherwise(texts).fill_null(False)
    if not pc.any(may_change, min_count=0).as_py():
        return texts
    spelt = [_label(text) or None for text in texts.filter(may_change).to_pylist()]
    return pc.replace_with_mask(texts, may_change, pa.array(spelt, pa.large_string()))


def _merge_equal_labels(codes: np.ndarray, labels: np.ndarray, sort: bool = True) -> EncodedColumn:
    """Labels that became equal are one value, and an empty one is missing; the rest keep their order unless sorted."""
    merged, distinct = pd.factorize(labels, sort=sort)
    distinct = np.asarray(distinct, dtype=object)
    kept = distinct != ""
    if not kept.all():
        merged = np.where(kept, np.cumsum(kept) - 1, -1)[merged]
    return EncodedColumn(_take(merged.astype(CODE), codes), distinct[kept])


def renumber(codes: np.ndarray, order: np.ndarray) -> np.ndarray:
    """The codes (n,) of ``CODE`` after their values are put in ``order`` (n_values,); -1 stays -1."""
    rank = np.empty(len(order), dtype=CODE)
    rank[order] = np.arange(len(order), dtype=CODE)
    return _take(rank, codes)


def _take(table: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """``table[codes]`` with -1 where the code is -1."""
    return np.append(table, table.dtype.type(-1)).take(codes, mode="wrap")  # twice as fast as by brackets


def parse_numbers(values: pd.Series) -> np.ndarray:
    """A column as floats of its own (n_records,), NaN where there is no number: missing, or other text."""
    if values.dtype == object or values.dtype.kind in "mM":
        values = values.astype("str")  # dates and the like are no numbers
    if values.dtype == "str":
        import pyarrow as pa

        if (few := codes_of_few_texts(values)) is not None and len(few.texts) < len(values):
            return few.taken(parse_numbers(pd.Series(few.texts, dtype="str")), np.nan)
        with contextlib.suppress(pa.ArrowInvalid):  # many times faster, where every text is a number
            return pa.array(values).cast(pa.float64()).to_numpy(zero_copy_only=False).copy()
    return np.array(pd.to_numeric(values, errors="coerce"), dtype=float)


def numbers_of(values: pd.Series, people: np.ndarray | None = None) -> np.ndarray:
    """A column as floats (n_records,), NaN where missing.

    ``people`` (n_records,) have each value; by default one. Raises ``FaultyInputError`` with counts if a value is not a
    number, is infinite or too large to calculate with.
    """
    values = one_column(values)
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype(str).where(values.notna())
    numbers = parse_numbers(values)
    others = np.flatnonzero(~(np.abs(numbers) <= LARGEST_NUMBER))  # mostly none, or those without a value
    if not len(others):
        return numbers
    is_text = np.isnan(numbers[others]) & values.iloc[others].notna().to_numpy()
    is_text[is_text] = values.iloc[others[is_text]].astype(str).str.strip() != ""
    is_infinite = np.isinf(numbers[others])
    n_text, n_infinite, n_too_large = (
        len(which) if people is None else int(people[which].sum())
        for which in (
            others[is_text],
            others[is_infinite],
            others[~is_infinite & (np.abs(numbers[others]) > LARGEST_NUMBER)],
        )
    )
    n_values, too_large = len(values) if people is None else int(people.sum()), f"beyond {LARGEST_NUMBER:g}"
    faults = [
        f"column {values.name!r}: {few_or_number(count)} of {n_values} values are {kind}; allowed: finite numbers "
        "or missing; correct them in the source, or declare the column categorical"
        for count, kind in ((n_text, "text that is not a number"), (n_infinite, "infinite"), (n_too_large, too_large))
        if count
    ]
    stop_at(faults)
    return numbers


def label_texts(labels: np.ndarray) -> list[str]:
    """Labels of an encoded column (n_values,) as people write them, numbers as ``number_text`` does."""
    is_numeric = labels.dtype.kind == "f"
    return [number_text(label) if is_numeric else str(label) for label in labels]


def labels_of(encoded: EncodedColumn) -> list[str]:
    """The labels of an encoded column as people write them, in the order of their codes."""
    return label_texts(encoded.labels)


def canonical_labels_of(encoded: EncodedColumn) -> np.ndarray:
    """The labels (n_values,) as ``encode_column`` would spell them if the column were of text: with all digits.

    What ``labels_of`` writes is for people, and two numbers that differ in the sixteenth digit read alike there.
    """
    if not encoded.is_numeric:
        return encoded.labels.astype(object)
    return np.array([_label(number) for number in encoded.labels], dtype=object)


def value_text(value: object) -> str:
    """A value of a config as the dataset spells it: trimmed, in Unicode NFC, ``1.0`` as ``1``; "" where it is none."""
    labels = encode_column(pd.Series([value], dtype=object)).labels
    return str(labels[0]) if len(labels) else ""


def code_of_value(encoded: EncodedColumn, value: object) -> int | None:
    """The code of a value as a config writes it, None where the column does not have it; ``1`` and ``1.0`` are one."""
    labels, text = labels_of(encoded), value_text(value)
    return labels.index(text) if text in labels else None
