"""Which cells of a column contain an original, in which form, and whether chance explains it.

Exchange the originals among the people. The number of people with their own in their rows then has a distribution
whose factorial moments are bounded: that of order k is at most (mean pairs per person)**k, because no more sets of k
pairs in different rows exist. So k or more people have a chance of at most mean**k / k!, exactly, whatever the rows
are and without drawing one permutation (Markov's inequality for the number of sets of k such people).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from math import exp, lgamma, log

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from scipy.sparse import csr_array

from disclosure_control.attack.traces.originals import Originals
from disclosure_control.attack.traces.wanted_texts import blocks_of, digits_of
from disclosure_control.basics.encoding.columns import texts_as_labels
from disclosure_control.basics.encoding.dictionary import Dictionary, as_texts
from disclosure_control.basics.kept import print_of
from disclosure_control.release.columns import ROW_ID_LENGTH
from disclosure_control.release.people import texts_of
from study.formats.matches import are_matching

LONGEST_WITH_DIGITS = 100  # of a longer text the digits together are no id
SEVERAL = 10  # people with a word of others in their rows, from whom on it is a word that people use
MOST_SHAPES = 20
PAIRS_AT_ONCE = 10_000_000
MOST_PAIRS = 500_000_000  # which are told apart; of more, in a study of very many people, few are the same
_NUMBER = r"^[+-]?[0-9]+(\.[0-9]+)?$"
_OWN_DIGITS = "^[0-9]{5,18}$"  # of a cell in which they may be: a number may have lost a zero in front
_FEW_DIGITS = r"^[^0-9]{0,4}([0-9][^0-9]?){4,10}$"
_ROW_ID = f"^[0-9a-f]{{{ROW_ID_LENGTH}}}$"


class OriginalKind(StrEnum):
    """What was found of a person; the first one counts where a cell has several."""

    ID = "original_ids"
    DIGITS = "id_digits"
    REMOVED = "removed_identifiers"


class FoundForm(StrEnum):
    """In which form an original stands in a cell. Its words are those of the report."""

    WHOLE = "whole"
    WORD = "a word"
    NUMBER = "a number"
    SHORT = "a whole cell"
    PART = "within a longer number or a date"
    OWN_DIGITS = "the digits of an id or a true day of the same person, within a number or text"
    END = "the end of an id among the digits of a number or code"


# Forms that any number may have.
_BY_CHANCE = (FoundForm.PART, FoundForm.OWN_DIGITS, FoundForm.END)
# How surely a form is no chance: of one value the first that applies counts.
_PRECEDENCE = list(FoundForm)


@dataclass(frozen=True)
class OriginalsFound:
    """Values of a column that contain originals of one kind in one form.

    ``values`` (n_values,) are the texts of the cells, ``n_cells`` how many have each. Pairs (n_pairs,): the value
    ``value_of_pair`` contains the original ``text_of_pair``. ``n_alike`` other values of the column have the same form
    and are nobody's original.
    """

    kind: OriginalKind
    form: FoundForm
    originals: Originals
    values: pa.LargeStringArray
    n_cells: np.ndarray
    value_of_pair: np.ndarray
    text_of_pair: np.ndarray
    n_alike: int

    def met_by(self, people: np.ndarray, values: pa.LargeStringArray, codes: np.ndarray) -> tuple[Exchange, int]:
        """How some rows (n_rows,) meet them, all rows of their people: ``codes`` of ``values``; and the own cells."""
        n_people = max(self._owners.shape[1], int(people.max(initial=-1)) + 1)
        value = np.append(Dictionary(self.values).positions(values), -1)[codes]
        there = value >= 0
        cells = pd.DataFrame({"person": people[there], "value": value[there]}).value_counts(sort=False).reset_index()
        pairs = pd.DataFrame({"value": self.value_of_pair, "text": self.text_of_pair})
        met = cells.merge(pairs, on="value")
        owned_text, owner = self._owners.nonzero()
        key = met["text"].to_numpy() * n_people + met["person"].to_numpy()
        met["own"] = np.isin(key, owned_text.astype(np.int64) * n_people + owner) & (met["person"] >= 0).to_numpy()
        once = met.drop_duplicates(["person", "text"])
        own_cells = met[met["own"]].drop_duplicates(["person", "value"])
        return Exchange(
            n_own=int(own_cells["person"].nunique()),
            n_pairs=self._n_pairs(once[once["person"] >= 0]),
            n_of_others=int((~once["own"]).sum()),
        ), int(own_cells["count"].sum())

    @cached_property
    def _owners(self) -> csr_array:
        """Whose the texts found are, (n_texts, n_people) of bool."""
        is_found = np.zeros(len(self.originals.texts), dtype=bool)
        is_found[self.text_of_pair] = True
        known = is_found[self.originals.text_of_pair]
        pairs = self.originals.text_of_pair[known], self.originals.person_of_pair[known]
        shape = len(is_found), int(self.originals.person_of_pair.max(initial=0)) + 1
        return csr_array((np.ones(len(pairs[0]), dtype=bool), pairs), shape=shape)

    def _n_pairs(self, met: pd.DataFrame) -> int:
        """Pairs of a person and an owner of texts that the person has ``met``, one for all texts of the owner.

        Where these are very many, the most that there can be.
        """
        codes, people = pd.factorize(met["person"])
        shape = len(people), len(self.originals.texts)
        texts = csr_array((np.ones(len(met), dtype=bool), (codes, met["text"])), shape=shape)
        n_owners = texts @ np.diff(self._owners.indptr).astype(np.int64)
        if n_owners.sum() > MOST_PAIRS:
            return int(np.minimum(n_owners, self._owners.shape[1]).sum())
        cuts = np.flatnonzero(np.diff(np.cumsum(n_owners) // PAIRS_AT_ONCE)) + 1
        blocks = np.split(np.arange(len(people)), cuts)
        return sum(int((texts[block] @ self._owners).nnz) for block in blocks)

    def traces(self, exchange: Exchange, n_own_cells: int) -> int:
        """How many cells chance does not explain.

        An original spelled out is one whosever row it is in, unless most values of its form are nobody's. What a number
        can be by chance is one in the person's own rows alone: if nothing else in the column has that form, or if more
        people have their own than chance gives.
        """
        n_cells = int(self.n_cells.sum())
        if self.form is FoundForm.WHOLE and self.n_alike <= len(self.values):
            return n_cells
        if self.form is FoundForm.WORD and exchange.n_of_others < SEVERAL:
            return n_cells
        is_alone = not exchange.n_of_others and self.form not in _BY_CHANCE
        if is_alone and (not self.n_alike or self.form in (FoundForm.WHOLE, FoundForm.WORD)):
            return n_own_cells
        return n_own_cells if exchange.is_more_than_chance else 0


@dataclass(frozen=True)
class _Pairs:
    """Which values contain which originals, and in which form."""

    kind: OriginalKind
    form: FoundForm
    value: np.ndarray
    text: np.ndarray


@dataclass(frozen=True)
class Searched:
    """The originals by kind, ``short`` ids, compared with whole cells, ``own`` digits of people, ``ends`` of ids."""

    by_kind: Mapping[OriginalKind, Originals]
    short: Originals
    own: Originals
    ends: Originals

    @property
    def print(self) -> bytes:
        """A digest of all of them, and of whose they are."""
        originals = (*self.by_kind.values(), self.short, self.own, self.ends)
        return print_of(*(part for one in originals for part in (one.texts, one.text_of_pair, one.person_of_pair)))

    def in_numbers(self, values: pd.Series, n_cells: np.ndarray) -> list[OriginalsFound]:
        """Originals in a column of numbers, (n,) different ones."""
        number = pd.DataFrame({"number": values.to_numpy(), "value": np.arange(len(values))})
        found = []
        for kind in (OriginalKind.ID, OriginalKind.DIGITS):
            both = number.merge(self.by_kind[kind].numbers, on="number")
            found.append(_Pairs(kind, FoundForm.NUMBER, both["value"].to_numpy(), both["wanted"].to_numpy()))
        texts = texts_of(values)
        found += [self._short_in(texts), self._own_in(texts), self._ends_in(texts)]
        return self._hits(texts, n_cells, found, are_numbers=np.ones(len(texts), dtype=bool))

    def in_texts(
        self, values: pa.LargeStringArray, n_cells: np.ndarray, pseudonyms: Dictionary, may_be_ids: bool
    ) -> list[OriginalsFound]:
        """Originals in a column of text, (n,) different ones; cells that are ``pseudonyms`` are passed over.

        ``may_be_ids``: the cells are pseudonyms of records. One that has their form is compared as a whole: of many
        thousand, some contain a short id by chance.
        """
        found, n_before = [], 0
        are_numbers = [np.zeros(0, dtype=bool)]
        for block in blocks_of(values):
            others = np.flatnonzero(pseudonyms.positions(block) < 0)
            texts = block.take(pa.array(others))
            are_whole = are_matching(texts, _NUMBER)
            is_row_id = are_matching(texts, _ROW_ID) & may_be_ids
            are_numbers.append(np.zeros(len(block), dtype=bool))
            are_numbers[-1][others] = are_whole & ~is_row_id
            for one in self._in_block(texts, are_whole, is_row_id, may_be_ids):
                found.append(_Pairs(one.kind, one.form, others[one.value] + n_before, one.text))
            n_before += len(block)
        return self._hits(values, n_cells, found, np.concatenate(are_numbers))

    def _in_block(
        self, texts: pa.LargeStringArray, are_numbers: np.ndarray, is_row_id: np.ndarray, may_be_ids: bool
    ) -> Iterator[_Pairs]:
        is_whole = are_numbers | is_row_id
        labels = texts_as_labels(texts)
        yield self._short_in(labels)
        others = pc.if_else(pa.array(is_row_id), "", labels)
        yield self._own_in(others)
        yield self._ends_in(others)
        for kind, originals in self.by_kind.items():
            if kind is OriginalKind.DIGITS:
                yield from self._digits_in(texts, originals, is_whole, is_row_id)
                continue
            position = originals.whole.positions(texts)
            cells = np.flatnonzero(position >= 0)
            if may_be_ids:  # among pseudonyms of records, a number that was one is no chance
                yield _Pairs(kind, FoundForm.WHOLE, cells, position[cells])
            else:
                yield from _by_form(kind, originals, cells, position[cells])
            words = np.flatnonzero(~is_whole & (position < 0))
            found = originals.parts.found_in(texts.take(pa.array(words)))
            goes_on = (_is_digit(found.before) & originals.begin_with_digit[found.wanted]) | (
                _is_digit(found.after) & originals.end_with_digit[found.wanted]
            )
            yield from _by_form(kind, originals, words[found.text[~goes_on]], found.wanted[~goes_on])
            yield _Pairs(kind, FoundForm.PART, words[found.text[goes_on]], found.wanted[goes_on])

    def _digits_in(
        self, texts: pa.LargeStringArray, originals: Originals, is_whole: np.ndarray, is_row_id: np.ndarray
    ) -> Iterator[_Pairs]:
        are_short = pc.and_(pc.less(pc.utf8_length(texts), LONGEST_WITH_DIGITS), pa.array(~is_row_id))
        digits = digits_of(pc.if_else(are_short, texts, ""))
        position = originals.whole.positions(digits)
        cells = np.flatnonzero(position >= 0)
        yield _Pairs(OriginalKind.DIGITS, FoundForm.NUMBER, cells, position[cells])
        words = np.flatnonzero(~is_whole & (position < 0))
        found = originals.parts.found_in(digits.take(pa.array(words)))
        if not len(found.text):
            return
        holding = words[np.unique(found.text)]
        # One number of the text, with or without signs between its digits.
        joined, sign = texts.take(pa.array(holding)), "([0-9])[^0-9A-Za-z]([0-9])"
        for _ in range(2):  # a digit is the end of one pair and the begin of the next
            joined = pc.replace_substring_regex(joined, sign, r"\1\2")
        exact = originals.parts.found_in(joined)
        alone = ~_is_digit(exact.before) & ~_is_digit(exact.after)
        yield _Pairs(OriginalKind.DIGITS, FoundForm.NUMBER, holding[exact.text[alone]], exact.wanted[alone])
        yield _Pairs(OriginalKind.DIGITS, FoundForm.PART, words[found.text], found.wanted)

    def _short_in(self, labels: pa.LargeStringArray) -> _Pairs:
        position = self.short.whole.positions(labels)
        cells = np.flatnonzero(position >= 0)
        return _Pairs(OriginalKind.ID, FoundForm.SHORT, cells, position[cells])

    def _own_in(self, labels: pa.LargeStringArray) -> _Pairs:
        digits = digits_of(labels)
        rows = np.flatnonzero(are_matching(digits, _OWN_DIGITS))
        found = self.own.parts.found_in(pc.replace_substring_regex(digits.take(pa.array(rows)), "^", "0"))
        return _Pairs(OriginalKind.DIGITS, FoundForm.OWN_DIGITS, rows[found.text], found.wanted)

    def _ends_in(self, labels: pa.LargeStringArray) -> _Pairs:
        """Last digits of ids among the digits of numbers and codes: 39/06, S39.06, 4.203906."""
        rows = np.flatnonzero(are_matching(labels, _FEW_DIGITS))
        found = self.ends.parts.found_in(digits_of(labels.take(pa.array(rows))))
        return _Pairs(OriginalKind.DIGITS, FoundForm.END, rows[found.text], found.wanted)

    def _hits(
        self, values: pa.LargeStringArray, n_cells: np.ndarray, found: list[_Pairs], are_numbers: np.ndarray
    ) -> list[OriginalsFound]:
        """The hits of a column by kind and form, each value in its first kind and form.

        A stranger's day hides no end of the own id: a value may be both.
        """
        there = [one for one in found if len(one.value)]
        if not there:
            return []
        met = pd.concat(
            pd.DataFrame(
                {"kind": list(OriginalKind).index(one.kind), "form": _PRECEDENCE.index(one.form), "value": one.value}
                | {"text": one.text}
            )
            for one in there
        )
        met["rank"] = met["form"] * len(OriginalKind) + met["kind"]
        others = met["rank"].where(met["form"] != _PRECEDENCE.index(FoundForm.OWN_DIGITS))
        met = met[met["rank"] <= others.groupby(met["value"]).transform("min").fillna(np.inf)]
        is_hit = np.zeros(len(values), dtype=bool)
        is_hit[met["value"]] = True
        hits = []
        for rank, group in met.groupby("rank"):
            form_place, kind_place = divmod(int(str(rank)), len(OriginalKind))
            form, kind = _PRECEDENCE[form_place], list(OriginalKind)[kind_place]
            known = self._of(form, kind)
            codes, places = pd.factorize(group["value"])
            wanted = known.texts.take(pa.array(group["text"].unique()))
            n_alike = _n_alike(values, ~is_hit, are_numbers, bool(are_numbers[places].any()), wanted)
            texts, n_of_values = values.take(pa.array(places)), n_cells[places]
            hits.append(OriginalsFound(kind, form, known, texts, n_of_values, codes, group["text"].to_numpy(), n_alike))
        return hits

    def _of(self, form: FoundForm, kind: OriginalKind) -> Originals:
        others = {FoundForm.SHORT: self.short, FoundForm.OWN_DIGITS: self.own, FoundForm.END: self.ends}
        return others.get(form, self.by_kind[kind])


def _by_form(kind: OriginalKind, originals: Originals, value: np.ndarray, text: np.ndarray) -> Iterator[_Pairs]:
    """Originals that stand in full, by what else could look so: numbers and dates, words, or neither."""
    numbers, words = originals.are_numbers[text], originals.are_words[text]
    for form, is_so in ((FoundForm.NUMBER, numbers), (FoundForm.WORD, words), (FoundForm.WHOLE, ~numbers & ~words)):
        yield _Pairs(kind, form, value[is_so], text[is_so])


def _n_alike(
    values: pa.LargeStringArray,
    others: np.ndarray,
    are_numbers: np.ndarray,
    among_numbers: bool,
    wanted: pa.LargeStringArray,
) -> int:
    """How many of the ``others`` (n_values,) of a column have the form of a wanted text; among numbers any number."""
    if among_numbers:
        return int((others & are_numbers).sum())
    shapes = pc.replace_substring_regex(pc.replace_substring_regex(wanted, "[0-9]", "0"), r"\p{L}", "A")
    rest = values.filter(pa.array(others))
    found = np.zeros(len(rest), dtype=bool)
    for shape in pc.unique(shapes).to_pylist()[:MOST_SHAPES]:
        pattern = re.sub(r"0+|A+|[^0A]+", _pattern_of_run, shape[:LONGEST_WITH_DIGITS])
        found |= are_matching(rest, rf"(^|[^0-9\p{{L}}])({pattern})($|[^0-9\p{{L}}])")
    return int(found.sum())


def _pattern_of_run(run: re.Match[str]) -> str:
    text = run.group()
    if text[0] in "0A":
        return f"{'[0-9]' if text[0] == '0' else chr(92) + 'p{L}'}{{{len(text)}}}"
    return re.escape(text)


def _is_digit(letters: np.ndarray) -> np.ndarray:
    return np.asarray((letters >= ord("0")) & (letters <= ord("9")))


def in_text_beside(searched: Searched, text: str) -> int:
    """Originals that are spelled out in a text beside the files; numbers in it are of the files."""
    hits = searched.in_texts(as_texts([text]), np.ones(1, dtype=np.int64), Dictionary(), may_be_ids=False)
    return sum(hit.form is FoundForm.WHOLE for hit in hits)


# A run asks some thousand columns; a false alarm in one of a million is no more than one in a thousand runs.
HIGHEST_CHANCE = 1e-6


@dataclass(frozen=True)
class Exchange:
    """How people and originals meet in some rows.

    ``n_own``: people in whose rows their own original is; ``n_pairs``: pairs of a person and anybody, the person
    included, whose original is in the person's rows; ``n_of_others``: pairs of a person and an original that is not the
    person's; ``n_people`` of the pilot.
    """

    n_own: int = 0
    n_pairs: int = 0
    n_of_others: int = 0
    n_people: int = 0

    def __add__(self, other: Exchange) -> Exchange:
        """Those of other people together with these."""
        return Exchange(
            self.n_own + other.n_own,
            self.n_pairs + other.n_pairs,
            self.n_of_others + other.n_of_others,
            max(self.n_people, other.n_people),
        )

    @property
    def highest_chance(self) -> float:
        """How likely so many own originals are at most, if originals had nothing to do with people: in [0, 1]."""
        if not self.n_own:
            return 1.0
        return min(1.0, exp(self.n_own * log(self.n_pairs / self.n_people) - lgamma(self.n_own + 1)))

    @property
    def is_more_than_chance(self) -> bool:
        """Whether chance does not explain them. Of few people the most that there can be is that all have their own."""
        return self.highest_chance <= max(HIGHEST_CHANCE, exp(-lgamma(self.n_people + 1)) * (1 + 1e-9))
