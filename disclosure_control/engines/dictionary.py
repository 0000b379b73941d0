"""The distinct texts of a column that is read piece by piece, and how many people have each."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from cdisc.formats.values import clean_values

MISSING = 0  # the code of a missing value


class GrowingDictionary:
    """Distinct texts of one column met so far, cleaned as every reader cleans them; the first one is missing.

    ``people`` (n_texts,) counts who has each. Codes are given in the order in which texts are met, so they say nothing
    by themselves: what is counted is made of the sorted texts.
    """

    def __init__(self) -> None:
        self._texts = pa.nulls(1, pa.large_string())
        self.people = np.zeros(1, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._texts)

    def encode(self, column: pa.Array) -> np.ndarray:
        """The code of each value (n,), in as few bytes as the codes so far need; new texts are added."""
        encoded = column.dictionary_encode(null_encoding="encode")
        texts = clean_values(encoded.dictionary)
        code = pc.index_in(texts, value_set=self._texts)
        if code.null_count:
            new = pc.unique(texts.filter(pc.is_null(code)))
            self._texts = pa.concat_arrays([self._texts, new])
            self.people = np.append(self.people, np.zeros(len(new), dtype=np.int64))
            code = pc.index_in(texts, value_set=self._texts)
        narrow = code.to_numpy().astype(np.min_scalar_type(len(self._texts) - 1))
        codes: np.ndarray = narrow[encoded.indices.to_numpy()]
        self.people += np.bincount(codes, minlength=len(self.people))
        return codes

    def values(self, name: str) -> pd.Series:
        """The texts as a column of the dataset (n_texts,), the first one missing."""
        return pd.Series(pd.array(pa.chunked_array([self._texts]), dtype="str"), name=name)
