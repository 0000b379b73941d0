"""The judgement of texts, each on its own: which are emptied, and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from disclosure_control.identifiers.single_texts import FORMS, certain_forms, is_in_another_alphabet, possible_forms
from disclosure_control.release.ordinary_texts import are_flags, has_known_words, is_of_the_standard, without_digits
from disclosure_control.release.text_rules import TextKind
from study.models.sdtm_terms import classes_of_terms

FEWEST_TERMS = 10  # of fewer terms nobody can say how they are written
MOSTLY = 0.6  # share of texts that are terms of a list, from which on a column should have these alone
_HARDLY = 0.02
_PLAIN_CODE = re.compile(r"[A-Za-z]{0,6}[-_:.]?\d[\d.:-]*[A-Za-z]?")
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
    followed: Sequence[pd.DataFrame] = ()
    own_numbers: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Judgement:
    """The texts that are ``emptied``, each with the reason in words."""

    emptied: Mapping[str, str] = field(default_factory=dict, repr=False)


def judged(seen: TextsSeen, kind: TextKind, k: int, least: int, known: Collection[str]) -> Judgement:
    """Which texts are emptied, by their ``kind``; ``k``, ``least`` and ``known`` as for ``without_rare_texts``."""
    why = _RULES[kind](seen, k, least, known)
    return Judgement({text: reason for text, reason in zip(seen.texts, why.tolist(), strict=True) if reason})


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


def _flags(seen: TextsSeen, k: int, least: int, known: Collection[str]) -> np.ndarray:
    why = np.full(len(seen.texts), "", dtype=object)
    why[~are_flags(seen.texts) & (seen.people < least)] = "no value of a flag"
    return _with_forms(why, seen, certain_forms, why == "")


def _terms(seen: TextsSeen, k: int, least: int, known: Collection[str]) -> np.ndarray:
    why = np.full(len(seen.texts), "", dtype=object)
    codes = np.array([_PLAIN_CODE.fullmatch(text) is not None for text in seen.texts], dtype=bool)
    are_few = seen.people < least
    if len(seen.texts) >= FEWEST_TERMS:
        why[_is_written_otherwise(seen, codes) & are_few] = "not written as the other terms are"
    why[_is_contradicted(seen) & are_few] = "its code or finer term says otherwise"
    listed = _is_of_the_list(seen) | codes
    if (listed & ~codes).sum() >= MOSTLY * len(seen.texts):
        why[~listed & (seen.people < k)] = "no term of the list"
    why = _with_forms(why, seen, possible_forms, are_few & ~codes)
    return _with_forms(why, seen, certain_forms, ~are_few & ~codes)


def _plans(seen: TextsSeen, k: int, least: int, known: Collection[str]) -> np.ndarray:
    why = np.full(len(seen.texts), "", dtype=object)
    if len(seen.texts) >= FEWEST_TERMS:
        why[is_in_another_alphabet(seen.texts, seen.rows)] = "not written as the other texts are"
    return _with_forms(why, seen, possible_forms, why == "")


def _dictionary(seen: TextsSeen, k: int, least: int, known: Collection[str]) -> np.ndarray:
    why = np.full(len(seen.texts), "", dtype=object)
    codes = np.array([_PLAIN_CODE.fullmatch(text) is not None for text in seen.texts], dtype=bool)
    return _with_forms(why, seen, certain_forms, ~codes)


_Rule = Callable[[TextsSeen, int, int, Collection[str]], np.ndarray]
_RULES: Mapping[TextKind, _Rule] = {
    TextKind.TEXT: _texts,
    TextKind.FLAG: _flags,
    TextKind.TERM: _terms,
    TextKind.PLAN: _plans,
    TextKind.DICTIONARY: _dictionary,
}


def _with_forms(
    why: np.ndarray, seen: TextsSeen, forms: Callable[[Sequence[str]], np.ndarray], asked: np.ndarray
) -> np.ndarray:
    """The reasons (n_texts,) with those of the ``asked`` texts that name somebody by their form."""
    rows = np.flatnonzero(asked & (why == ""))
    found = forms([seen.texts[row] for row in rows])
    why[rows] = [f"holds {_IN_WORDS[name]}" if name else "" for name in found]
    return why


# ---------------------------------------------------------------- coded terms


def _is_of_the_list(seen: TextsSeen) -> np.ndarray:
    """Which texts (n_texts,) are a class of MedDRA or ATC, or a term of the standard."""
    lists = classes_of_terms()
    return np.array([text.casefold() in lists or is_of_the_standard(text) for text in seen.texts], dtype=bool)


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
    words = ~codes & texts.str.contains(r"[^\W\d_]").to_numpy(dtype=bool)
    strange = is_in_another_alphabet(seen.texts, seen.rows)
    signs = (r"[@\\=\"_#*|<>{}~^!?„“”«»;]", r"\d{3,}", r"\d[ /.-]\d{2,}")
    patterns = [texts.str.contains(sign).to_numpy(dtype=bool) for sign in signs]
    patterns.append((texts.str.upper() != texts).to_numpy(dtype=bool))  # small letters
    patterns.append(texts.str.contains(r"^[^\W\d_].*[ -][^\W\d_a-zà-ÿß][a-zà-ÿß]").to_numpy(dtype=bool) & words)
    patterns.append(codes)
    for has in patterns:
        if seen.rows[has].sum() < _HARDLY * seen.rows.sum():
            strange |= has
    return strange
