"""The config key ``merge``: the rules that a pilot's merge needs beyond the defaults."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from disclosure_control.basics.settings.fields import SettingsGroup, nested, setting
from disclosure_control.basics.settings.kinds import (
    TEXTS,
    Kind,
    Place,
    dictionary_of,
    is_name,
    one_of,
    one_or_by_name,
)
from study.columns.decisions import ColumnDecision, by_column
from study.formats.tables import NAMES_OF_FILES, FileOptions, OtherPeople
from study.merge.ages import AgeAt
from study.models.roles import QUALIFIERS, UNIT

RECORD_RULES = ("baseline", "first", "last", "mean", "min", "max")


def _rules(*names: str) -> Kind:
    """A rule for everything, or rules by domain or column; "" means everything."""
    kind = one_or_by_name(one_of(*names), "domain or column")
    return kind.read_as(lambda value: dict(value) if isinstance(value, dict) else {"": value})


def _by_domain(kind: Kind) -> Kind:
    return dictionary_of(kind, names="domain")


_STUDY = dataclasses.replace(
    NAMES_OF_FILES,
    allowed='the STUDYID to merge, a list of several to combine, or "*" for all',
    read=lambda value: value if isinstance(value, str) else tuple(value),
)


def _faults_of_model(value: str, place: Place) -> list[str]:
    """The models are loaded where one is named: their patterns take a tenth of a small run."""
    from study.models.registry import data_models

    names = ", ".join(f'"{name}"' for name in data_models())
    return [] if value in data_models() else [f"{place}: found {value!r}; allowed: the name of a data model: {names}"]


_MODEL = Kind(is_name, "the name of a data model", within=_faults_of_model)
_DOMAINS = TEXTS.but("a list of domains")
_DIFFERENCES = Kind(
    lambda value: TEXTS.is_valid(value) and set(value) <= {*QUALIFIERS, UNIT},
    f"a list of the differences to ignore, from {', '.join((*QUALIFIERS, UNIT))}",
)
_CODES = dictionary_of(TEXTS.but("a list of codes"), names="variable")


@dataclass(frozen=True)
class MergeSettings(SettingsGroup):
    """How domain files become one row per subject; every default is the one that merges nothing silently.

    ``missing``: texts that mean missing in all files; ``files`` may declare another list for a file.
    ``study``: the STUDYID that is merged, several to pool, or "*".
    ``record`` and ``text_results`` are dictionaries from a column (``LB__Glucose``), a domain (``LB``)
    or ``""`` (everything) to a rule.
    """

    ignore: tuple[str, ...] = setting(
        _DOMAINS.read_as(lambda domains: tuple(map(str.upper, domains))), '`["QS"]` leaves whole domains out', ()
    )
    study: str | tuple[str, ...] | None = setting(
        _STUDY, "the STUDYID to merge, where the files contain several; a list combines them", None
    )
    missing: tuple[str, ...] | None = setting(
        TEXTS.but("a list of texts that mean missing in all files"),
        '`["NA", "UNK"]` mean missing, in all files and formats',
        None,
    )
    files: dict[str, FileOptions] = setting(
        _by_domain(nested(FileOptions)).read_as(
            lambda files: {name.upper(): nested(FileOptions).read(options) for name, options in files.items()}
        ),
        '`{"VS": {"delimiter": ";", "decimal": ","}}` declares what is otherwise guessed: see the next table',
        {},
    )
    age: dict[str, AgeAt] = setting(
        _by_domain(nested(AgeAt)).read_as(
            lambda rules: {name.upper(): nested(AgeAt).read(one) for name, one in rules.items()}
        ),
        '`{"VISITS": {"born": "dob", "at": "visit_date"}}` adds the age in years, where the file has a date of birth '
        "and no age: see [below](#an-age-from-a-date-of-birth)",
        {},
    )
    record: dict[str, str] = setting(
        _rules(*RECORD_RULES),
        'which record of a subject counts: `"last"`, or `{"LB": "mean", "VS__Weight": "first"}`',
        {},
        '`"baseline"`',
    )
    text_results: dict[str, str] = setting(
        _rules("keep", "missing", "number"),
        'what becomes of results such as `<3.42`: `{"LB__Bilirubin": "number"}`',
        {},
        '`"keep"`',
    )
    pool: dict[str, tuple[str, ...]] = setting(
        dictionary_of(_DIFFERENCES), '`{"VS__Temperature": ["LOC"]}` ignores differences between records', {}
    )
    carry: dict[str, tuple[str, ...]] = setting(
        _by_domain(TEXTS.but("a list of variables of the chosen record")),
        '`{"LB": ["LBDTC"]}` adds further variables of the chosen record, as `LB__Cholesterol.LBDTC`',
        {},
    )
    events: dict[str, dict[str, tuple[str, ...]]] = setting(
        _by_domain(_CODES),
        '`{"AE": {"AEDECOD": ["HEADACHE"]}, "MH": {}}` joins a count, `AE__count`, and flags, `AE__AEDECOD=HEADACHE`',
        {},
    )
    several_rows: dict[str, str] = setting(
        _by_domain(one_of("first", "last")),
        '`{"SC": "last"}`: takes the first or last row by date, where a wide domain has several rows per subject',
        {},
    )
    unknown_subjects: tuple[str, ...] = setting(
        _DOMAINS.but("a list of domains whose unknown subjects are left out"),
        '`["VS"]` leaves out rows of subjects that are not in DM, and counts them',
        (),
    )
    drop: tuple[str, ...] = setting(
        TEXTS.but("a list of columns of the combined dataset"),
        '`["DM__SITEID"]` leaves columns out, of a `release` as well; keys leave as pseudonyms, and dates of events '
        "outside CDISC moved",
        (),
    )
    columns: dict[str, ColumnDecision] = setting(
        dictionary_of(nested(ColumnDecision)),
        '`{"LB__CODE": {"known_to_outsiders": False, "missing": ["-99"]}}` decides about a column; what it says stands '
        "above [the sheet of columns](columns.md)",
        {},
    )
    model: str | None = setting(
        _MODEL, "the data model of the files, where it is not recognised: see [docs/models.md](models.md)", None
    )

    @property
    def other_people(self) -> frozenset[str]:
        """The domains whose people are declared to be others than those of the other files."""
        return frozenset(name for name, options in self.files.items() if isinstance(options.person, OtherPeople))

    @property
    def chosen_files(self) -> dict[str, tuple[str, ...]]:
        """Domain to the names of its files, where the config names them."""
        return {domain: options.file for domain, options in self.files.items() if options.file}

    def options_of(self, domain: str, id_column: str | None) -> FileOptions:
        """What is declared of a domain's file, with what is declared of all files."""
        options = self.files.get(domain, FileOptions())
        missing = self.missing if options.missing is None else options.missing
        own = options.person_column
        keep = tuple(name for name in (id_column, own) if name)
        called = {own: id_column} if own and id_column and own != id_column else {}
        codes, kept = (by_column(self.columns, domain, what) for what in ("missing", "kept"))
        return dataclasses.replace(options, missing=missing, keep=keep, called=called, codes=codes, kept=kept)


def rule_for(rules: dict[str, str], default: str, domain: str, column: str) -> str:
    """The narrowest rule that applies: the column's, with or without its ``[...]``, else the domain's, else all's."""
    scopes = (column, column.split(" [")[0], domain, "")
    return next((rules[scope] for scope in scopes if scope in rules), default)


SETTINGS = MergeSettings
