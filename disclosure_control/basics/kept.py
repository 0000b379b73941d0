"""What follows from a column's content alone, kept by that content within one run: many ways leave it as it is."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa

from disclosure_control.basics.encoding.dictionary import as_texts
from disclosure_control.basics.encoding.text_codes import codes_of_few_texts

MOST_KEPT = 20_000  # results, each of a few counts
MOST_FILES = 128  # as they leave, and as they are read: those of two or three ways to release a study
Found = TypeVar("Found")


class Kept:
    """Results by the question and by all that the answer depends on; those that were asked for last, up to a number.

    One for each run of a pilot: it is handed on, and nothing of it outlives the run.
    """

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most, self._found, self._lock = most, dict[Hashable, Any](), threading.Lock()

    def of(self, key: Hashable, find: Callable[[], Found]) -> Found:
        """What ``find`` finds, or found before for the same ``key``: the question, and prints of the content."""
        with self._lock:
            found: Found | None = self._found.pop(key, None)
        if found is None:
            found = find()
        with self._lock:
            self._found[key] = found  # the last one
            if len(self._found) > self._most:
                del self._found[next(iter(self._found))]
        return found

    @property
    def of_files(self) -> Kept:
        """Those with rows: whole files in memory, few of them."""
        return self.of("files", lambda: Kept(MOST_FILES))


def print_of(*contents: pd.Series | pa.Array | np.ndarray) -> bytes:
    """A digest (16 bytes) of contents: values, kinds and order. No others have it, but for a chance of 2^-64."""
    digest = hashlib.blake2b(digest_size=16)
    for content in contents:
        for part in _parts_of(content) if isinstance(content, pd.Series) else [content]:
            if isinstance(part, np.ndarray):
                digest.update(f"{part.dtype} {len(part)} ".encode())
                digest.update(np.ascontiguousarray(part).tobytes())
            else:  # Arrow serialises no more than its own part of a longer memory
                digest.update(pa.record_batch([part], ["_"]).serialize().to_pybytes())
    return digest.digest()


def _parts_of(column: pd.Series) -> list[np.ndarray | pa.Array]:
    """A column as memory: numbers, or codes and texts; of very many texts these alone, as the scan reads them."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "fiub":
        return [column.to_numpy()]
    known = codes_of_few_texts(column.astype("str"))
    return [as_texts(column.astype("str"))] if known is None else [known.codes, known.texts]
