"""Who died, wherever a study says so: by a flag, date, cause or outcome, a reason to leave it, the event of a time."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import parse_numbers
from disclosure_control.release.facts.opened_rows import NO_MONTH, OpenedRows, fact_entries
from disclosure_control.release.facts.scales import columns_of_scales, deaths_on_scales
from disclosure_control.release.facts.words_told import Words, columns_saying, rows_saying
from disclosure_control.release.people import labels
from study.formats.days import first_days_of
from study.formats.tables import SourceTable
from study.models.roles import Role, TableKind, TableModel
from study.words import yes_or_no

# Of the words for yes and no no other letters than these: a letter may be a chapter of causes.
_DIED = frozenset(("y", "1", "dead", "died", "deceased", "death", *(word for word in yes_or_no()[0] if len(word) > 1)))
_ALIVE = frozenset(("n", "0", "alive", "living", *(word for word in yes_or_no()[1] if len(word) > 1)))
_NOT_KNOWN = frozenset(("", "u", "unk", "unknown", "na"))
# A short text with one of these words says that somebody died, unless another word denies it or names somebody else.
_DEAD = re.compile(
    r"(?i)\b(?:deaths?|dead|died|deceased|fatal|expired|exitus|tot|tod|verstorben\w*|gestorben|todesfall|d[ée]c[ée]d[ée]e?|"
    r"d[ée]c[eè]s|autops(?:y|ies|i\w)|post-?mortem|obdu[kc]\w+|mort[oae]?|dece[sd]\w+|fallecid[oa]|muerte|muert[oa]|[óo]bito|falecid[oa]|overleden|overlijden|zgon|"
    r"zmar[łl]\w*|θ[άα]νατος|απεβ[ίι]ωσε|смърт|почина\w*)\b"
)
_OTHERWISE = re.compile(
    r"(?i)\b(?:not|no|non|nicht|kein\w*|without|alive|f(?:o|oe)?etal|intra-?uterine|neonatal|near|fear|thoughts?|wish|cells?|"
    r"crib|cot|family|relative|spouse|husband|wife|parent|father|mother|siblings?|child|brother|sister|partner|friend|pet|"
    r"time|days?|risk|date|certificate|drug|kit|medication|consent|licen[cs]e|tissue|teeth|tooth|space|pulp|amort\w*)\b"
)
_HINT = (
    "dea[dt]|died|dece|déc|deć|fatal|expired|exitus|tot|tod|storben|mort|autops|obdu|fallecid|muer|[óo]bito|falecid|overl|zgon|zmar|"
    "θ[άα]νατο|απεβ|смърт|почина"
)
WORDS = Words(_DEAD, _OTHERWISE, _HINT, most_words=8)
_EVENT, _PARAMETERS = "CNSR", ("PARAMCD", "PARAM")  # ADaM: 0 where the event of a parameter was observed
_OF_SURVIVAL = re.compile(r"(?i)\b(?:os|dth\w*|ttd(?:th|eath)?|death|overall survival)\b")
_OF_DEATHS = re.compile(
    r"(?i)deaths?|mortality|sterbe\w*|todes\w*|verstorbene|decessi|d[ée]c[èe]s|fallecimientos|zgony"
)
_QUALIFIER, _NAME_OF_IT = "QVAL", "QNAM"
_NAMED_DEATH = re.compile(r"(?i)(?:..)?(?:dth\w*|sdth|death\w*|deceased\w*)")


def deaths(known: OpenedRows) -> list[pd.DataFrame] | None:
    """Who died, and of what: None where no table could say it."""
    found, could_tell = [], False
    for name, table, frame in known.described():
        could_tell |= is_of_deaths(table) or any(name in frame for name in table.of_role(Role.DEATH, Role.DEATH_DATE))
        dates = [column for column in table.of_role(Role.DEATH_DATE) if column in frame]
        died = frame[dates].notna().any(axis=1).to_numpy() | is_of_deaths(table)
        causes = []
        for column in table.of_role(Role.DEATH):
            if column in frame:
                says_so, cause = _death_said(frame[column], table.values.get(column, {}))
                died |= says_so
                causes.append(cause)
        for _, at in (*_tellers(known, name, table), *deaths_on_scales(table, frame)):
            died |= at
        months = known.months_of_days(name, first_days_of(frame, dates))
        found.append(fact_entries(known.people(name)[died], "death", np.full(died.sum(), "died"), months[died]))
        found += [fact_entries(known.people(name), "cause of death", cause, months) for cause in causes]
    return _once(found) if could_tell or any(map(len, found)) else None


def _once(found: Sequence[pd.DataFrame]) -> list[pd.DataFrame]:
    """A death with its month, where any file has it, is the same death where another file has none."""
    entries = pd.concat(found).drop_duplicates()
    is_dated = entries["month"].ne(NO_MONTH)
    dated = pd.MultiIndex.from_frame(entries.loc[is_dated, ["person", "fact"]])
    is_again = pd.MultiIndex.from_frame(entries[["person", "fact"]]).isin(dated) & ~is_dated.to_numpy()
    return [entries[~is_again]]


def columns_of_deaths(table: TableModel, columns: Sequence[str]) -> list[str]:
    """The columns of a table that tell of a death by their role or name."""
    return [*table.of_role(Role.DEATH, Role.DEATH_DATE), *((_EVENT, *_PARAMETERS) if _EVENT in columns else ())]


def columns_by_values(table: TableModel, source: SourceTable) -> list[str]:
    """The columns of a table some value of which says that somebody died."""
    found = [*columns_saying(table, source, WORDS), *columns_of_scales(table, source)]
    if _NAME_OF_IT in source.frame and _QUALIFIER in source.frame:
        names = source.counts_of(_NAME_OF_IT).index
        if _QUALIFIER in found or any(_NAMED_DEATH.fullmatch(str(name)) for name in names):
            found = [*found, _QUALIFIER, _NAME_OF_IT]
    return list(dict.fromkeys(found))


def told_by(known: OpenedRows, name: str, table: TableModel) -> list[str]:
    """The columns of a table that tell of a death; ``*`` where every row is about one.

    Coded terms and outcomes are not among them: rare ones are hidden.
    """
    frame = known.frames[name]
    named = [column for column in table.of_role(Role.DEATH, Role.DEATH_DATE) if column in frame]
    named += [column for column, at in _tellers(known, name, table) if at.any()]
    terms = table.of_role(Role.CODED_TERM)
    named = [one for one in named if not (one in terms or is_hidden_with_terms(table, one))]
    named += [column for column, at in deaths_on_scales(table, frame) if at.any()]
    return [*named, *(["*"] if is_of_deaths(table) else [])]


def is_hidden_with_terms(table: TableModel, column: str) -> bool:
    """Whether rare words of a column are hidden as rare terms are: an outcome of events, but no flag."""
    is_word = column in table.columns and table.columns[column].role not in (Role.DEATH, Role.DEATH_DATE)
    return table.kind is TableKind.EVENTS and is_word


def _tellers(known: OpenedRows, name: str, table: TableModel) -> Iterator[tuple[str, np.ndarray]]:
    """The columns that tell of a death by their values, and the rows (n_rows,) in which they do."""
    frame = known.frames[name]
    events = parse_numbers(frame[_EVENT]) == 0 if _EVENT in frame else np.ones(len(frame), dtype=bool)
    for column, at in rows_saying(table, frame, WORDS):
        if column == _QUALIFIER and _NAME_OF_IT in frame:
            for qualifier in frame[_NAME_OF_IT][at].dropna().unique():
                yield str(qualifier), at & frame[_NAME_OF_IT].eq(qualifier).to_numpy(dtype=bool, na_value=False)
        else:
            yield column, at & events
    if _EVENT in frame:
        named = [frame[one] for one in _PARAMETERS if one in frame]
        texts = [one.astype("str").str.contains(_OF_SURVIVAL).fillna(False).to_numpy(dtype=bool) for one in named]
        yield _EVENT, np.logical_or.reduce([np.zeros(len(frame), dtype=bool), *texts]) & events
    if _NAME_OF_IT in frame and _QUALIFIER in frame:
        for qualifier in frame[_NAME_OF_IT].dropna().unique():
            if _NAMED_DEATH.fullmatch(str(qualifier)):
                at = frame[_NAME_OF_IT].eq(qualifier).to_numpy(dtype=bool, na_value=False)
                yield (
                    str(qualifier),
                    at & ~labels_in(frame[_QUALIFIER], _ALIVE | _NOT_KNOWN) & frame[_QUALIFIER].notna().to_numpy(),
                )


def labels_in(column: pd.Series, words: Collection[str]) -> np.ndarray:
    """Which rows (n_rows,) have one of the words, which are in small letters."""
    return column.astype("str").str.casefold().str.strip().isin(words).to_numpy()


def _death_said(column: pd.Series, words: Mapping[str, str]) -> tuple[np.ndarray, np.ndarray]:
    """Whether each row (n_rows,) says that somebody died, and of what, None if it does not say.

    A column with a word for yes or no is a flag; one of other numbers counts the days to a death; any other has causes,
    among which "unknown" says nothing.
    """
    codes, distinct = pd.factorize(labels(column))
    texts = [words.get(str(one), str(one)).strip() for one in distinct]
    said = [text.casefold() for text in texts]
    are_days = (
        not words
        and bool(said)
        and not set(said) <= {"0", "1", "2", "9"}
        and all(re.fullmatch(r"-?\d+(\.\d+)?", one) for one in said)
    )
    is_flag = not are_days and not (_ALIVE | _DIED).isdisjoint(said)
    died = [one in _DIED or WORDS.says(one) if is_flag else one not in _NOT_KNOWN for one in said]
    causes = [None if is_flag or are_days or text.casefold() in _NOT_KNOWN else text for text in texts]
    return np.array([*died, False])[codes], np.array([*causes, None], dtype=object)[codes]


def is_of_deaths(table: TableModel) -> bool:
    """Whether every row of a table is about a death, also one without its date: SDTM's DD, OMOP's DEATH."""
    return table.prefix == table.name == "DD" or bool(_OF_DEATHS.fullmatch(table.name))
