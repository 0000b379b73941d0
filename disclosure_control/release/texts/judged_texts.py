"""The judgement of texts, each on its own: which are emptied, and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pyarrow as pa

from disclosure_control.basics.kept import print_of
from disclosure_control.identifiers.label_words import why_of_label, why_of_name, why_of_term
from disclosure_control.identifiers.single_texts import FORMS, certain_forms, is_in_another_alphabet, possible_forms
from disclosure_control.release.texts.ordinary_texts import (
    are_flags,
    has_known_words,
    is_a_term_of_the_standard,
    without_digits,
)
from disclosure_control.release.texts.text_rules import TextKind
from study.models.standard_words import classes_of_terms, is_a_medical_term
from study.models.values_seen import CODE_SYSTEMS

FEWEST_ROWS = 20  # of fewer rows nobody can say how terms are written
MOSTLY = 0.8  # share of the common texts that are of a list, from which on a column has no others
FEWEST_PLANS = 10  # texts
_HARDLY = 0.1  # share of the rows
_CLOSED = 0.96  # share of the rows with terms of many people, from which on the others are no terms
# Signs, numbers, a small letter in front, and a further word with a capital, as names have: an acronym has several.
_SIGNS = (
    r"[@\\=\"_#*|<>{}~^!?„“”«»;]",
    r"\d{3,}",
    r"\d[ /.-]\d{2,}",
    r"^0",
    r"^[a-zß-ÿ]",
    r"^[^\W\d_].* [A-ZÀ-Þ][a-zß-ÿ]",
)
_PLAIN_CODE = re.compile(r"[A-Za-z]{0,6}[-_:.]?\d[\d.:-]*[A-Za-z]?")
_FEW_OF_A_LIST = "few people have it, in a list of terms that many people share"
_IN_WORDS = {"name": "names of persons"} | {name: form.words for name, form in FORMS.items()}


@dataclass(frozen=True)
class TextsSeen:
    """Distinct ``texts`` (n_texts,) of columns of one name, how many ``people`` and ``rows`` have each.

    ``followed`` count the rows with each text by the term or code from which it follows. ``own_numbers`` are parts of
    their person's id.
    """

    texts: Sequence[str] = field(repr=False)
    people: np.ndarray
    rows: np.ndarray
    followed: Sequence[pd.DataFrame] = field(default=(), repr=False)
    own_numbers: frozenset[str] = field(default=frozenset(), repr=False)

    @property
    def print(self) -> bytes:
        """A digest of all of it."""
        columns = [column for one in self.followed for _, column in one.items()]
        texts = [pa.array(some, pa.large_string()) for some in (self.texts, sorted(self.own_numbers))]
        return print_of(*texts, self.people, self.rows, *columns)


def judged(seen: TextsSeen, kind: TextKind, k: int, least: int, known: Collection[str]) -> dict[str, str]:
    """Which texts are emptied, by their ``kind``, each with the reason in words; ``k``, ``least`` and ``known`` as for
    ``without_rare_texts``.
    """
    why = _RULES[kind](seen, k, least, known)
    return {text: reason for text, reason in zip(seen.texts, why.tolist(), strict=True) if reason}


def _texts(seen: TextsSeen, k: int, least: int, known: Collection[str]) -> np.ndarray:
    why = np.full(len(seen.texts), "", dtype=object)
    shared = _people_of_plans(seen)
    of_few = np.array(
        [
            n < k or (n < least and not has_known_words(text, known))
            for text, n in zip(seen.texts, np.maximum(seen.people, shared).tolist(), strict=True)
        ],
        dtype=bool,
    )
    why[of_few] = "few people have it"
    why[[text in seen.own_numbers for text in seen.texts]] = "part of the person's id"
    return _with_forms(why, seen, certain_forms, ~of_few)


def _people_of_plans(seen: TextsSeen) -> np.ndarray:
    """How many people, at most, have a text that differs from each in a digit or two: visits 3.1 and 4.1."""
    plans = pd.Series([without_digits(text) for text in seen.texts], dtype="str")
    most = pd.Series(seen.people).groupby(plans).transform("sum")
    return np.where(plans.eq("").to_numpy(), 0, most.to_numpy())


def _names(seen: TextsSeen, k: int, least: int, known: Collection[str]) -> np.ndarray:
    why = _texts(seen, k, least, known)
    rows = np.flatnonzero(why == "").tolist()
    why[rows] = [why_of_label(seen.texts[row]) or why_of_name(seen.texts[row]) for row in rows]
    return why


def _flags(seen: TextsSeen, k: int, least: int, known: Collection[str]) -> np.ndarray:
    why = np.full(len(seen.texts), "", dtype=object)
    why[~are_flags(seen.texts) & (seen.people < least)] = "no value of a flag"
    return _with_forms(why, seen, certain_forms, why == "")


def _terms(seen: TextsSeen, k: int, least: int, known: Collection[str]) -> np.ndarray:
    why = np.full(len(seen.texts), "", dtype=object)
    codes = np.array([_PLAIN_CODE.fullmatch(text) is not None for text in seen.texts], dtype=bool)
    are_few = seen.people < least
    of_the_list = _is_of_the_list(seen)
    listed = of_the_list | codes
    if seen.rows[~are_few].sum() >= _CLOSED * seen.rows.sum():
        why[~listed & (seen.people < k)] = _FEW_OF_A_LIST
    if seen.rows.sum() >= FEWEST_ROWS:
        why[_is_written_otherwise(seen, codes) & are_few] = "not written as the other terms are"
    why[_is_contradicted(seen) & are_few] = "its code or finer term says otherwise"
    common = ~are_few & ~codes
    if common.any() and listed[common].mean() >= MOSTLY:
        why[~listed & are_few] = "no term of the list"
    why[of_the_list] = ""
    why = _with_forms(why, seen, possible_forms, are_few & ~codes & ~of_the_list)
    return _with_forms(why, seen, certain_forms, ~are_few & ~codes)


def _medical_terms(seen: TextsSeen, k: int, least: int, known: Collection[str]) -> np.ndarray:
    why = _terms(seen, k, least, known)
    why[why == _FEW_OF_A_LIST] = ""  # rare terms of medicine stay
    words = np.array([_PLAIN_CODE.fullmatch(text) is None for text in seen.texts], dtype=bool)
    medical = np.array([is_a_medical_term(text) for text in seen.texts], dtype=bool)
    common = words & (seen.people >= least) if (words & (seen.people >= least)).any() else words
    if words.any() and seen.rows[common & medical].sum() >= MOSTLY * seen.rows[common].sum():
        why[(why == "") & words & ~medical & (seen.people < least)] = "no word of it is one of medicine"
    return why


def _plans(seen: TextsSeen, k: int, least: int, known: Collection[str]) -> np.ndarray:
    why = np.full(len(seen.texts), "", dtype=object)
    if len(seen.texts) >= FEWEST_PLANS:
        why[is_in_another_alphabet(seen.texts, seen.rows)] = "not written as the other texts are"
    why = _with_forms(why, seen, possible_forms, why == "")
    rows = np.flatnonzero(why == "").tolist()
    why[rows] = [why_of_label(seen.texts[row]) for row in rows]
    return why


def _dictionary(seen: TextsSeen, k: int, least: int, known: Collection[str]) -> np.ndarray:
    why = np.full(len(seen.texts), "", dtype=object)
    codes = np.array([_PLAIN_CODE.fullmatch(text) is not None for text in seen.texts], dtype=bool)
    why = _with_forms(why, seen, certain_forms, ~codes)
    rows = np.flatnonzero(why == "").tolist()
    why[rows] = [why_of_term(seen.texts[row]) for row in rows]
    return why


_Rule = Callable[[TextsSeen, int, int, Collection[str]], np.ndarray]
_RULES: Mapping[TextKind, _Rule] = {
    TextKind.TEXT: _texts,
    TextKind.NAME: _names,
    TextKind.FLAG: _flags,
    TextKind.TERM: _terms,
    TextKind.MEDICAL_TERM: _medical_terms,
    TextKind.PLAN: _plans,
    TextKind.DICTIONARY: _dictionary,
}


def _with_forms(
    why: np.ndarray, seen: TextsSeen, forms: Callable[[Sequence[str]], np.ndarray], asked: np.ndarray
) -> np.ndarray:
    """The reasons (n_texts,) with those of the ``asked`` texts that name somebody by their form."""
    rows = np.flatnonzero(asked & (why == "")).tolist()
    found = forms([seen.texts[row] for row in rows])
    why[rows] = [f"holds {_IN_WORDS[name]}" if name else "" for name in found]
    return why


# ---------------------------------------------------------------- coded terms


def _is_of_the_list(seen: TextsSeen) -> np.ndarray:
    """Which texts (n_texts,) are a class of MedDRA or ATC, or a term of the standard."""
    lists = classes_of_terms()
    return np.array([text.casefold() in lists or is_a_term_of_the_standard(text) for text in seen.texts], dtype=bool)


def _is_contradicted(seen: TextsSeen) -> np.ndarray:
    """Which texts (n_texts,) stand, in most of their rows, beside a code or finer term that mostly has another one."""
    if not seen.followed:
        return np.zeros(len(seen.texts), dtype=bool)
    pairs = pd.concat(seen.followed).groupby(["by", "finer", "text"], as_index=False)["rows"].sum()
    most = pairs.groupby(["by", "finer"])["rows"].transform("max")
    against = pairs["rows"].where(2 * pairs["rows"] <= most, 0).groupby(pairs["text"]).sum()
    share = against.reindex(seen.texts).fillna(0).to_numpy() / np.maximum(seen.rows, 1)
    return np.asarray(2 * share > 1)


def _is_written_otherwise(seen: TextsSeen, codes: np.ndarray) -> np.ndarray:
    """Which texts (n_texts,) have letters, capitals, digits or signs that hardly any other text of the column has."""
    texts = pd.Series(seen.texts, dtype="str")
    strange, n_rows = is_in_another_alphabet(seen.texts, seen.rows), seen.rows.sum()
    traits = [texts.str.contains(sign).to_numpy(dtype=bool) for sign in _SIGNS]
    traits += [(texts.str.upper() != texts).to_numpy(dtype=bool), codes, ~codes]
    for form in CODE_SYSTEMS.values():
        traits.append(~texts.str.fullmatch(form).to_numpy(dtype=bool))
    for has in traits:
        if seen.rows[has].sum() < _HARDLY * n_rows:
            strange |= has
    return strange
