"""Plain tables: one or more, of a register, an electronic record or a questionnaire, which no standard describes.

What a column is for is guessed from its heading and values (``column_roles``), what the rows of a table are from both,
too: a test with its result, an event with its code, or a visit. Headings decide which tables are looked at: of a table
without a word for a test or a date, no value is read. Roles are guessed when they are asked for: a merge of people with
one row each asks for none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from study.concepts import concept_of
from study.formats.tables import SourceTable
from study.formats.values import COMPARATOR
from study.headings import is_number, names_subjects, words_of
from study.models.column_roles import PEOPLE_OF_A_CATEGORY, PlainTable, is_unique
from study.models.registry import DataModel
from study.models.role_words import names_a_label, names_a_term, role_of_heading
from study.models.roles import ColumnModel, Role, TableKind, TableModel
from study.models.study_model import StudyModel
from study.models.values_seen import ValuesSeen
from study.words import form_of, listed_words

FLAT = "flat"  # the name of the model
LISTED = 0.8  # of the values in rows of people, at least this share is in a list


def described(tables: Sequence[SourceTable], person: str | None) -> StudyModel:
    """Each file is a table of its own; a single one lists the people, of several whoever is named in any of them."""
    named = person if any(person in table.frame for table in tables) else None
    models = {table.domain: _table(table, named, tables) for table in tables}
    base = next(iter(models)) if len(models) == 1 else None
    return StudyModel(FLAT, "no other model recognises the files", named, base, models)


def _table(table: SourceTable, person: str | None, tables: Sequence[SourceTable]) -> TableModel:
    others = [one for one in tables if one is not table]
    own = person if person in table.frame else _named_person(table)
    if own is None and (reason := _why_a_list(table, others)):
        listed = PlainTable(table, None, {}, others, is_of_people=False)
        return TableModel(table.domain, TableKind.DICTIONARY, reason, listed.roles)
    return rows_of(PlainTable(table, own, others=others), not others)


def _named_person(table: SourceTable) -> str | None:
    """The column whose heading names the person, where the config's name is not in the table."""
    return next((str(name) for name in table.frame.columns if names_subjects(str(name))), None)


def _why_a_list(table: SourceTable, others: Sequence[SourceTable]) -> str:
    """Why no row of a table is that of a person: its rows have ids, and other tables have a column of its name.

    Such a list is ``ORGANIZATIONS`` beside a column ``ORGANIZATION``, or has a column ``itemid`` with another value in
    each row, which rows of many people name; "" if it is none. What explains codes is a legend, and recognised before.
    """
    name = words_of(table.domain)
    if names_subjects(name.removesuffix("s").removesuffix("en")):
        return ""
    keys = [one for one in map(str, table.frame.columns) if is_number(one) and is_unique(table, one)]
    things = {words_of(str(one)) for other in others for one in other.frame.columns}
    is_named = bool(keys) and any(name in (thing, f"{thing}s", f"{thing}es") for thing in things)
    if is_named or any(_names_shared_rows(str(one), table, others) for one in table.frame.columns):
        return "a list to which other tables refer; no row is that of a person"
    return ""


def _names_shared_rows(name: str, table: SourceTable, others: Sequence[SourceTable]) -> bool:
    """Whether each row of a table has its value in a column, and rows of people name these, the commonest of many.

    A household, a sample or a case is shared by few or by nobody. Numbers that only count, dates and visits name no
    rows of another table.
    """
    if is_number(name) or role_of_heading(name) is not None:
        return False
    naming = [(other, person) for other in others if name in other.frame and (person := _named_person(other))]
    if not naming or not is_unique(table, name):
        return False
    listed = table.counts_of(name).index
    for other, person in naming:
        counts = other.counts_of(name)
        if not len(counts) or counts.index.isin(listed).mean() < LISTED:
            continue
        commonest = min(counts.index[counts == counts.max()])
        if other.has_several(
            person,
            name,
            lambda values, one=commonest: (values == one).to_numpy(dtype=bool, na_value=False),  # type: ignore[misc]
            PEOPLE_OF_A_CATEGORY,
        ):
            return True
    return False


MODEL = DataModel(
    "flat",
    "plain tables: one or more, joined by the person",
    lambda tables: "plain tables",
    described,
    100,
    has_legends=True,
)

# ---------------------------------------------------------------- what the rows of a table are

ROWS_OF_A_TEST = 5  # on average so many rows have the same test
_MOST_PAIRS = 1_000_000


def _headings(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?:.* )?(?:{form_of(listed_words('rows', name))})(?: .*)?")


_TEST = _headings("test")
_RESULT = _headings("result")
_NO_RESULT = _headings("beside a result")
# Of several dates of a row, which one is its own: when it was seen, then any date, then when it began.
_SEEN_ON = _headings("seen on")
_ANY_DATE = re.compile(
    r"(?:date|datum|data|fecha|datetime|timestamp|time stamp|zeitpunkt|zeit|tag|day|dt|when|wann|quando|"
    r"ημερομηνια|дата)(?: time| time stamp| und uhrzeit| uhrzeit| ora| hora)?"
)
_ENDED_ON = _headings("ended on")
# When the export was made or loaded, which is no time of anybody.
_OF_THE_EXPORT = _headings("of the export")
_ORDINAL = re.compile(r".*\b(?:visitnum|visit (?:no|nr|num|number)|visitnr|lfd nr|day|tag|week|woche|seq|sequence)\b.*")
# What says the same in every row of a person, so that it is not lost where rows become tests or events.
_OF_PERSON = (Role.SEX, Role.AGE, Role.BIRTH, Role.BIRTH_YEAR, Role.ORIGIN, Role.PLACE, Role.DEATH, Role.DEATH_DATE)


def rows_of(plain: PlainTable, is_alone: bool) -> TableModel:
    """What the rows of a table with several of a person are.

    ``is_alone``: no other table is beside it. A single table of events is one of rows in time, so that what its first
    row says of each person is not lost.
    """
    order = _order(plain)
    of_person = tuple(name for name in plain.columns if (says := role_of_heading(name)) and says.role in _OF_PERSON)
    found = _findings(plain, order, of_person)
    if found is None and not is_alone:
        found = _events(plain, order, of_person)
    return found or TableModel(
        plain.table.domain, TableKind.ROWS, "each row has columns of its own", plain.roles, order=order
    )


def _findings(plain: PlainTable, order: tuple[str, ...], of_person: tuple[str, ...]) -> TableModel | None:
    """A test in each row with its result."""
    results = [name for name in plain.columns if _is_result(name) and name != plain.person]
    named = [name for name in plain.columns if _TEST.fullmatch(words_of(name)) and name != plain.person]
    labels = [name for name in plain.columns if names_a_label(name)] if results else []
    codes = [name for name in plain.columns if names_a_term(name)] if labels or named else []
    candidates = [name for name in dict.fromkeys([*named, *labels, *codes]) if name != plain.person]
    if not results or not candidates or not _has_several_rows(plain):
        return None
    tests = [name for name in candidates if _may_be_tests(plain.values(name), plain.table.n_rows)]
    results = [name for name in results if name not in tests]
    if not tests or not results:
        return None
    tests.sort(key=lambda name: (plain.values(name).are_codes, candidates.index(name)))
    value = max(results, key=lambda name: plain.values(name).n_values)
    short = {tests[0]: "TEST", value: "ORRES"}
    codes = [name for name in tests[1:] if plain.values(name).are_codes and _decides(plain, name, tests[0])]
    short |= {codes[0]: "TESTCD"} if codes else {}
    told = {name: ColumnModel(Role.CATEGORY, "it names the test", is_guessed=True) for name in short if name != value}
    told[value] = ColumnModel(*_role_of_result(plain.values(value)), is_guessed=True)
    unit = next((name for name in plain.columns if (one := role_of_heading(name)) and one.role is Role.UNIT), None)
    short |= {unit: "ORRESU"} if unit else {}
    return TableModel(
        plain.table.domain,
        TableKind.FINDINGS,
        f"each row has a test ({tests[0]}) and its result ({value})",
        replace(plain, told=told).roles,
        short=short | _when(plain, order),
        order=order,
        of_person=of_person,
    )


def _decides(plain: PlainTable, code: str, test: str) -> bool:
    """Whether each code belongs to one test: a column of codes of something else does not."""
    rows = plain.table.combinations([code, test], _MOST_PAIRS)
    if rows is None:
        return False
    pairs = rows.dropna().drop_duplicates()
    return len(pairs) == pairs[code].nunique()


def _is_result(name: str) -> bool:
    words = words_of(name)
    return _RESULT.fullmatch(words) is not None and _NO_RESULT.fullmatch(words) is None


def _may_be_tests(values: ValuesSeen, n_rows: int) -> bool:
    """Whether a column has names or codes of tests: few, in nearly every row, and no measured numbers."""
    are_many = values.n_values >= 0.9 * n_rows
    are_few = values.n_distinct * ROWS_OF_A_TEST <= values.n_values
    return are_many and are_few and (not values.is_numeric or values.are_codes) and not values.are_dates


def _role_of_result(values: ValuesSeen) -> tuple[Role, str]:
    """Results are numbers, and words where they are few; anything else may be text as it was entered."""
    is_word = ~(values.texts.str.fullmatch(rf"{COMPARATOR}\s*[\d.,]+").to_numpy(dtype=bool) | ~pd.isna(values.numbers))
    n_words, n_records = int(is_word.sum()), int(values.records[is_word].sum())
    if not n_words:
        return Role.NUMBER, "the result of the test"
    if values.are_short and n_words * ROWS_OF_A_TEST <= n_records:
        return Role.CATEGORY, "the result of the test: numbers, and words that repeat"
    return Role.VERBATIM, "the result of the test, among them texts that hardly repeat"


def _events(plain: PlainTable, order: tuple[str, ...], of_person: tuple[str, ...]) -> TableModel | None:
    """A coded diagnosis, drug or procedure in each row, with its day."""
    terms = [name for name in plain.columns if names_a_term(name)]
    if not terms or not order or not _has_several_rows(plain):
        return None
    coded = [name for name in terms if plain.role(name).role is Role.CODED_TERM]
    if not coded:
        return None
    short = {coded[0]: "DECOD", **_when(plain, order, "STDTC")}
    label = next((name for name in plain.columns if names_a_label(name) and name not in short), None)
    short |= {label: "TERM"} if label else {}
    measured = [name for name in plain.columns if name not in (*short, *of_person) and _is_measured(plain, name)]
    return TableModel(
        plain.table.domain,
        TableKind.EVENTS,
        f"each row has a coded term ({coded[0]}) and its day",
        plain.roles,
        short=short,
        order=order,
        of_person=(*of_person, *measured),
    )


def _is_measured(plain: PlainTable, name: str) -> bool:
    """Whether a column has numbers that the heading says were measured of the person: a weight, a laboratory result."""
    return concept_of(name) is not None and name != plain.person and plain.role(name).role is Role.NUMBER


def _when(plain: PlainTable, order: tuple[str, ...], called: str = "DTC") -> dict[str, str]:
    """The short names of the columns of time: the first date, and the number of the visit."""
    dates = [name for name in order if not _ORDINAL.fullmatch(words_of(name))]
    numbers = [name for name in order if name not in dates]
    return {name: short for names, short in ((dates, called), (numbers, "VISITNUM")) for name in names[:1]}


def may_be_row_of_a_person(columns: Sequence[str]) -> bool:
    """Whether headings are those of a visit, of a test with its result, or of a row with a day of its own."""
    roles = [says.role for name in columns if (says := role_of_heading(name))]
    is_of_a_day = any(rank is not None and rank <= _ANY for rank in map(_rank_of_date, columns))
    is_of_a_test = any(map(_is_result, columns)) and any(_TEST.fullmatch(words_of(name)) for name in columns)
    return Role.VISIT in roles or is_of_a_day or is_of_a_test


def _has_several_rows(plain: PlainTable) -> bool:
    return plain.n_people < plain.table.n_rows


# ---------------------------------------------------------------- time


def _order(plain: PlainTable) -> tuple[str, ...]:
    """The columns by which the rows of a person follow each other: their own date first, then numbers of visits."""
    ranks = {name: rank for name in plain.columns if (rank := _rank_of_date(name)) is not None}
    ordinals = tuple(name for name in plain.columns if name not in ranks and _ORDINAL.fullmatch(words_of(name)))
    dates = _most_varied(plain, [name for name, rank in ranks.items() if rank == min(ranks.values())])
    further = sorted((name for name in ranks if name not in dates), key=lambda name: ranks[name])
    if not ranks:
        dates = [name for name in plain.columns if name != plain.person and _looks_like_dates(plain, name)]
        dates = _most_varied(plain, dates)
    return (*dates, *(name for name in further if ranks[name] < _ENDS), *ordinals)


_SEEN, _ANY, _BEGAN, _ENDS = range(4)


def _rank_of_date(name: str) -> int | None:
    """How likely a date is the row's own: 0 is the most likely; None for what is no date of the row."""
    says, words = role_of_heading(name), words_of(name)
    if says is None or says.role is not Role.DATE or _OF_THE_EXPORT.fullmatch(words):
        return None
    if _ENDED_ON.fullmatch(words):
        return _ENDS
    if _SEEN_ON.fullmatch(words):
        return _SEEN
    return _ANY if _ANY_DATE.fullmatch(words) else _BEGAN


def _most_varied(plain: PlainTable, names: list[str]) -> list[str]:
    """The dates, those first with the most values; which has more is asked only where there are several."""
    if len(names) < 2 or not _has_several_rows(plain):
        return names
    return sorted(names, key=lambda name: (-plain.values(name).n_distinct, name))


def _looks_like_dates(plain: PlainTable, name: str) -> bool:
    """Whether nearly all values are dates."""
    says = role_of_heading(name)
    is_another = says is not None and says.role in (Role.BIRTH, Role.DEATH_DATE, Role.IDENTIFIER)
    if is_another or _OF_THE_EXPORT.fullmatch(words_of(name)):
        return False
    return plain.values(name).are_dates
