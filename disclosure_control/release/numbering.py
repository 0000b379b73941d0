"""Numbers of rows (--SEQ, repeat instances) made anew, so that a gap or their order tells nothing of the source.

A number that is missing says whose row was taken away, and where it stood. Rows are numbered in the order in which they
leave; what refers to a number (IDVARVAL of SUPP--, CO and RELREC, --SEQ and SRCSEQ in ADaM) follows it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
import pyarrow.compute as pc

from disclosure_control.basics.encoding.keys import KEY_LIMIT, number_groups
from disclosure_control.basics.encoding.text_codes import TextCodes, codes_of_few_texts, column_of_codes, text_codes
from disclosure_control.release.deidentify import ReleasedFile, ReleasedRows, ReleasedStudy
from disclosure_control.release.people import ReleasePeople, labels
from disclosure_control.release.study import RELATIONS
from disclosure_control.remedy.treatments.keys import Release, digests
from study.models.roles import Role, TableKind, TableModel
from study.models.study_model import StudyModel
from study.operations import OperationKind

_OF_SDTM = re.compile(r"[A-Z][A-Z0-9]SEQ")
_OF_ANOTHER, _ITS_DOMAIN = "SRCSEQ", "SRCDOM"  # ADaM: the record of a domain that a value was derived from
_CODES_AT_MOST = 1 << 31


def in_an_order_of_their_own(
    released: ReleasedStudy, people: ReleasePeople, key: bytes, release: Release
) -> ReleasedStudy:
    """The study with its rows ordered by what is released, and their numbers made anew.

    Numbers that the config keeps stay. Rows of SUPP--, CO and RELREC that name a record which does not leave go.
    """
    numbers = _Numbers(people, key, release, released.model)
    named = {name: numbered_columns(file) for name, file in released.files.items()}
    # A domain gives the numbers of its records; analysis data sets and relations take them over.
    first = sorted(released.files, key=lambda name: (_rank(released.files[name], named[name]), name))
    files = {name: numbers.arranged(released.files[name], named[name]) for name in first}
    return released.with_files({name: files[name] for name in released.files})


def numbered_columns(file: ReleasedFile) -> list[str]:
    """The columns of a file whose values are numbered anew."""
    return [
        account.variable
        for account in file.accounts
        if account.operation.operation == OperationKind.NUMBER_ANEW
        and not account.rows_of
        and account.variable in file.columns
    ]


def _rank(file: ReleasedFile, numbered: Sequence[str]) -> int:
    if {str(name) for name in file.columns} >= RELATIONS:
        return 2
    return 0 if any(name[:2] == file.source.domain for name in numbered) else 1


@dataclass
class _Scope:
    """The numbers of the records of one kind: ``codes`` of the old ones, how many each person has, and old -> new."""

    n_people: int
    codes: dict[str, int] = field(default_factory=dict, repr=False)
    n_used: np.ndarray = field(init=False, repr=False)
    pairs: list[np.ndarray] = field(default_factory=list, repr=False)
    fresh: list[np.ndarray] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        self.n_used = np.zeros(self.n_people + 1, dtype=np.int64)

    def pairs_of(self, people: np.ndarray, texts: np.ndarray) -> np.ndarray:
        """One number (n_rows,) for each person and old number; -1 without one."""
        places, distinct = pd.factorize(texts)
        codes = np.array([*(self.codes.setdefault(str(one), len(self.codes)) for one in distinct), -1])
        found: np.ndarray = np.where(places < 0, -1, (people + 1) * _CODES_AT_MOST + codes[places])
        return found

    def known(self, pairs: np.ndarray) -> np.ndarray:
        """The new number of each pair (n,), 0 where it has none yet."""
        if not any(map(len, self.pairs)):
            return np.zeros(len(pairs), dtype=np.int64)
        if len(self.pairs) > 1 or not bool((self.pairs[0][1:] > self.pairs[0][:-1]).all()):
            together, fresh = np.concatenate(self.pairs), np.concatenate(self.fresh)
            order = np.argsort(together, kind="stable")
            self.pairs, self.fresh = [together[order]], [fresh[order]]
        (have,), (fresh,) = self.pairs, self.fresh
        place = np.minimum(np.searchsorted(have, pairs), len(have) - 1)
        return np.where(have[place] == pairs, fresh[place], 0)


class _Numbers:
    def __init__(self, people: ReleasePeople, key: bytes, release: Release, model: StudyModel) -> None:
        self._people, self._key, self._release, self._model = people, key, release, model
        self._scopes: dict[str, _Scope] = {}

    def arranged(self, file: ReleasedFile, numbered: Sequence[str]) -> ReleasedFile:
        """A file with its rows ordered and numbered, part by part."""
        table = self._model.table(file.source.name)
        parts = file.source.table.pieces(ReleasedRows)
        for part in file.parts:
            related = self._related(part)
            rank = self._people.rank[related.people]
            order = order_of_rows(related.frame, rank, table, numbered, self._secret)
            parts.append(self._numbered(_taken(related, order), file, table, numbered))
        made = replace(file, parts=parts)
        is_relation = {str(name) for name in file.columns} >= RELATIONS  # may have lost rows
        return made if is_relation else made.with_overview_of(file, numbered)

    def _secret(self, column: pd.Series) -> np.ndarray:
        codes, distinct = pd.factorize(labels(column))
        drawn = digests(self._key, "order", self._release, map(str, distinct))
        place = np.empty(len(distinct) + 1, dtype=np.int64)
        place[np.argsort(np.array(drawn, dtype="S32"), kind="stable")] = np.arange(len(distinct))
        place[-1] = -1
        return place[codes]

    # ------------------------------------------------------------ numbers

    def _numbered(
        self, rows: ReleasedRows, file: ReleasedFile, table: TableModel | None, numbered: Sequence[str]
    ) -> ReleasedRows:
        fresh = {}
        for name in numbered:
            within = () if table is None or name not in table.columns else table.columns[name].numbers_within
            if within:
                new = _ranks_within(rows, [one for one in within if one in rows.frame], rows.frame[name])
            else:
                new = self._of_scopes(rows, name, file)
            fresh[name] = _as_the_column(new, rows.frame[name])
        return rows._replace(frame=rows.frame.assign(**fresh)) if fresh else rows

    def _of_scopes(self, rows: ReleasedRows, name: str, file: ReleasedFile) -> np.ndarray:
        texts, new = labels(rows.frame[name]), np.zeros(len(rows.frame), dtype=np.int64)
        if name == _OF_ANOTHER and _ITS_DOMAIN in rows.frame:
            domains = labels(rows.frame[_ITS_DOMAIN])
            for domain in pd.unique(domains[pd.notna(domains)]):
                at = np.flatnonzero(domains == domain)
                new[at] = self._of_scope(f"{domain}SEQ", rows.people[at], texts[at])
            return new
        return self._of_scope(name if _OF_SDTM.fullmatch(name) else f"{file.source.name}.{name}", rows.people, texts)

    def _of_scope(self, name: str, people: np.ndarray, texts: np.ndarray) -> np.ndarray:
        """The new number of each row (n_rows,), 0 without an old one: those of a person go on where they ended."""
        scope = self._scopes.setdefault(name, _Scope(len(self._people.ids)))
        pairs = scope.pairs_of(people, texts)
        code, distinct = pd.factorize(pairs)
        person = distinct // _CODES_AT_MOST - 1
        new = np.where(distinct < 0, 0, scope.known(distinct))
        waits = np.flatnonzero((new == 0) & (distinct >= 0))
        waits = waits[np.argsort(person[waits], kind="stable")]
        of_person, n_of_person = np.unique(person[waits], return_counts=True)
        within = np.arange(len(waits)) - np.repeat(np.cumsum(n_of_person) - n_of_person, n_of_person)
        new[waits] = scope.n_used[person[waits]] + within + 1
        scope.n_used[of_person] += n_of_person
        scope.pairs.append(distinct[waits])
        scope.fresh.append(new[waits])
        return new[code]

    # ------------------------------------------------------------ what refers to a number

    def _related(self, rows: ReleasedRows) -> ReleasedRows:
        """The rows of a relation with the new numbers in IDVARVAL, those of records that leave."""
        frame = rows.frame
        if not {str(name) for name in frame} >= RELATIONS:
            return rows
        value, kept = frame["IDVARVAL"].astype(object), np.ones(len(frame), dtype=bool)
        for variable in frame["IDVAR"].dropna().unique():
            if variable not in self._scopes:
                continue
            at = np.flatnonzero((frame["IDVAR"].eq(variable) & frame["IDVARVAL"].notna()).to_numpy(dtype=bool))
            scope = self._scopes[variable]
            new = scope.known(scope.pairs_of(rows.people[at], labels(frame["IDVARVAL"].iloc[at])))
            value.iloc[at], kept[at] = [str(one) for one in new], new > 0
        return rows._replace(frame=frame.assign(IDVARVAL=value.astype("str"))).where(kept)


def _taken(rows: ReleasedRows, order: np.ndarray) -> ReleasedRows:
    if bool((order[1:] > order[:-1]).all()):
        return rows
    columns = {str(name): _column_taken(column, order) for name, column in rows.frame.items()}
    return ReleasedRows(pd.DataFrame(columns, index=rows.frame.index), rows.rows[order], rows.people[order])


def _column_taken(column: pd.Series, order: np.ndarray) -> pd.Series:
    """The values of a column in another order; of few texts their codes, which the writers and searches need again."""
    known = codes_of_few_texts(column)
    if known is None:
        return column.take(order).reset_index(drop=True)
    return column_of_codes(known.texts, TextCodes(known.codes.take(order), known.texts))


def _ranks_within(rows: ReleasedRows, within: Sequence[str], column: pd.Series) -> np.ndarray:
    """The place of each number (n_rows,) among those of its person and the columns ``within``, from 1; 0 without one.

    The order of such numbers is that in which things were entered, and stays.
    """
    keys = [rows.people, *(pd.factorize(labels(rows.frame[name]))[0] for name in within)]
    number = pd.to_numeric(column, errors="coerce")
    grouped = number.groupby(keys, sort=False).rank(method="dense")
    return np.nan_to_num(grouped.to_numpy(dtype=float)).astype(np.int64)


def _as_the_column(new: np.ndarray, column: pd.Series) -> pd.Series:
    """Numbers (n_rows,) as values of the kind of a column; missing where they are 0."""
    if column.dtype.kind == "f":
        return pd.Series(np.where(new > 0, new, np.nan), column.index, dtype="float64", name=column.name)
    codes, distinct = pd.factorize(new)
    texts = np.array([str(one) if one else None for one in distinct.tolist()], dtype=object)
    return pd.Series(texts[codes], column.index, dtype="str", name=column.name)


# What says when a row is: these come first, in this order.
_WHEN = (Role.DATE, Role.DEATH_DATE, Role.STUDY_DAY, Role.VISIT)
# Of a table of findings: what makes two results of one day and visit different, but for their number.
_OF_A_RESULT = ("TPTNUM", "TPT", "REPNUM", "TESTCD", "TEST")
# Tables whose rows of nobody keep their order: it is the reader's, and was made for no person. Not of a dictionary of a
# database, whose entries have keys: it is cut to the entries that people have, and may come in the order of their use.
AS_THEY_CAME = (TableKind.DESIGN, TableKind.DICTIONARY, TableKind.LEGEND)

Secret = Callable[[pd.Series], np.ndarray]


def order_of_rows(
    frame: pd.DataFrame, rank: np.ndarray, table: TableModel | None, numbers: Sequence[str], secret: Secret
) -> np.ndarray:
    """The places of the rows (n_rows,) in the order in which they leave.

    ``rank`` (n_rows,): the place of each row's person. ``numbers`` are columns that number the rows, and are numbered
    anew; ``secret`` gives a number to each of their values that nobody can know, for rows that are equal in all else.
    Results of one test and one time keep the order of their numbers: it decides which of them a merge takes.
    """
    kept = np.arange(len(frame), dtype=np.int64)
    if table is not None and table.kind in AS_THEY_CAME and not table.of_role(Role.RECORD_KEY):
        return kept[np.argsort(rank, kind="stable")]
    key = _key(np.asarray(rank, dtype=np.int64), _codes(frame, table, numbers, secret))
    if len(key) < 2 or bool((key[1:] >= key[:-1]).all()):
        return kept
    return np.argsort(key, kind="stable")


def _codes(
    frame: pd.DataFrame, table: TableModel | None, numbers: Sequence[str], secret: Secret
) -> Iterator[tuple[np.ndarray, int]]:
    """Of each column, the first ones first, the place of each row's value (n_rows,), -1 without one; how many there
    are.
    """
    there = [str(name) for name in frame]
    own = [name for name in numbers if name in there]
    is_of_findings = table is not None and table.kind is TableKind.FINDINGS
    first = [] if table is None else [name for role in _WHEN for name in table.of_role(role)]
    if table is not None and is_of_findings:
        first += [table.called(short) for short in _OF_A_RESULT]
    first = [name for name in dict.fromkeys(first) if name in there and name not in own]
    yield from (_places(frame[name]) for name in first)
    if is_of_findings:
        yield from (_places(frame[name]) for name in own)
    yield from (_places(frame[name]) for name in there if name not in (*first, *own))
    for name in own:
        codes = secret(frame[name])
        yield codes, int(codes.max(initial=-1)) + 1


def _places(column: pd.Series) -> tuple[np.ndarray, int]:
    if column.dtype != "str":
        codes, distinct = pd.factorize(column, sort=True)
        return codes.astype(np.int64), len(distinct)
    known = text_codes(column)
    place = np.full(len(known.texts) + 1, -1, dtype=np.int64)
    place[pc.array_sort_indices(known.texts).to_numpy()] = np.arange(len(known.texts))
    return place.take(known.codes, mode="wrap"), len(known.texts)


def _key(first: np.ndarray, columns: Iterable[tuple[np.ndarray, int]]) -> np.ndarray:
    """One whole number per row (n_rows,) that rises as the rows are ordered; columns that change nothing are not
    asked for.
    """
    key, n_keys = first, int(first.max(initial=0)) + 1
    for codes, n_codes in columns:
        if n_keys > KEY_LIMIT // (n_codes + 1):
            key, sizes = number_groups(key, n_keys)
            if len(sizes) == len(key):
                break
            n_keys = len(sizes)
        key, n_keys = key * (n_codes + 1) + codes + 1, n_keys * (n_codes + 1)
    return key
