"""The config key ``merge``: the rules that a pilot's merge needs beyond the defaults, checked and typed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from config import COMBINED_DATASETS
from disclosure_control.basics.settings.settings import faults_of_settings, is_name
from disclosure_control.basics.telling.faults import stop_at
from study.formats.dates import READINGS
from study.formats.tables import FileOptions
from study.merge.sdtm import QUALIFIERS, UNIT

RECORD_RULES = ("baseline", "first", "last", "mean", "min", "max")
RESULT_RULES = ("standard", "reported")
TEXT_RULES = ("keep", "missing", "number")
NAME_RULES = ("TEST", "TESTCD")
ROW_RULES = ("first", "last")
POOLABLE = (*QUALIFIERS, UNIT)


@dataclass(frozen=True)
class MergeSettings:
    """How domain files become one row per subject; every default is the one that merges nothing silently.

    ``missing``: texts that mean missing in all files; a list that ``files`` declares of a file holds there instead.
    ``study``: the STUDYID that is merged, several to pool, or "*".
    ``record``, ``result`` and ``text_results`` are dictionaries from a column (``LB__Glucose``), a domain (``LB``)
    or ``""`` (everything) to a rule. ``combined_as``: the kind of file that the combined dataset is written as.
    """

    ignore: tuple[str, ...] = ()
    study: str | tuple[str, ...] | None = None
    missing: tuple[str, ...] | None = None
    files: dict[str, FileOptions] = field(default_factory=dict)
    column_names: str = "TEST"
    record: dict[str, str] = field(default_factory=dict)
    result: dict[str, str] = field(default_factory=dict)
    text_results: dict[str, str] = field(default_factory=dict)
    pool: dict[str, tuple[str, ...]] = field(default_factory=dict)
    carry: dict[str, tuple[str, ...]] = field(default_factory=dict)
    events: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    several_rows: dict[str, str] = field(default_factory=dict)
    unknown_subjects: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    drop_constants: bool = False
    combined_as: str = "csv"

    @property
    def chosen_files(self) -> dict[str, tuple[str, ...]]:
        """Domain to the names of the files that hold it, where the config names them."""
        return {domain: options.file for domain, options in self.files.items() if options.file}

    def options_of(self, domain: str, id_column: str | None) -> FileOptions:
        """What is declared of a domain's file, with what is declared of all files."""
        options = self.files.get(domain, FileOptions())
        missing = self.missing if options.missing is None else options.missing
        return dataclasses.replace(options, missing=missing, keep=(id_column,) if id_column else ())


def rule_for(rules: dict[str, str], default: str, domain: str, column: str) -> str:
    """The narrowest rule that applies: the column's, with or without its ``[...]``, else the domain's, else all's."""
    scopes = (column, column.split(" [")[0], domain, "")
    return next((rules[scope] for scope in scopes if scope in rules), default)


def _are_texts(value: object) -> TypeGuard[list[str] | tuple[str, ...]]:
    return isinstance(value, list | tuple) and all(is_name(part) for part in value)


def _is_dictionary(of: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, dict) and all(is_name(key) and of(part) for key, part in value.items())


def _is_one_of(names: tuple[str, ...]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and value in names


def _rule_or_rules(names: tuple[str, ...]) -> Callable[[object], bool]:
    one = _is_one_of(names)
    return lambda value: one(value) or _is_dictionary(one)(value)


_IN_WORDS = " or ".join
_FILE_OPTIONS: dict[str, tuple[Callable[[object], bool], str]] = {
    "file": (
        lambda value: is_name(value) or (_are_texts(value) and len(value) > 0),
        "the name of the file that holds the domain, or a list of those that are pooled",
    ),
    "delimiter": (lambda value: is_name(value) and len(value) == 1, "one character"),
    "encoding": (lambda value: is_name(value) and _is_encoding(value), 'the name of an encoding, such as "cp1253"'),
    "decimal": (_is_one_of((".", ",")), '"." or ","'),
    "missing": (_are_texts, "a list of texts that mean missing"),
    "numbers": (_are_texts, "a list of columns that hold numbers alone"),
    "dates": (
        _rule_or_rules(READINGS),
        f"how dates are written, {_IN_WORDS(READINGS)}, or {{column: one of them}}",
    ),
    "unnamed": (_is_one_of(("drop",)), '"drop"'),
    "sheet": (is_name, "the name of a workbook's sheet"),
    "value_labels": (_is_one_of(("codes", "labels")), '"codes" or "labels"'),
}


def _is_encoding(name: str) -> bool:
    try:
        return isinstance("".encode(name), bytes)
    except (LookupError, ValueError):
        return False


def _are_file_options(value: object) -> bool:
    return isinstance(value, dict) and all(
        name in _FILE_OPTIONS and _FILE_OPTIONS[name][0](option) for name, option in value.items()
    )


_KEYS: dict[str, tuple[Callable[[object], bool], str]] = {
    "ignore": (_are_texts, "a list of domains"),
    "study": (
        lambda value: is_name(value) or (_are_texts(value) and len(value) > 0),
        'the STUDYID to merge, a list of those that are pooled, or "*" for all',
    ),
    "missing": (_are_texts, "a list of texts that mean missing in all files"),
    "files": (
        _is_dictionary(_are_file_options),
        "{domain: {" + ", ".join(f"{name}: {words}" for name, (_, words) in _FILE_OPTIONS.items()) + "}}",
    ),
    "column_names": (_is_one_of(NAME_RULES), _IN_WORDS(NAME_RULES)),
    "record": (_rule_or_rules(RECORD_RULES), f"{_IN_WORDS(RECORD_RULES)}, or {{domain or column: one of them}}"),
    "result": (_rule_or_rules(RESULT_RULES), f"{_IN_WORDS(RESULT_RULES)}, or {{domain or column: one of them}}"),
    "text_results": (_rule_or_rules(TEXT_RULES), f"{_IN_WORDS(TEXT_RULES)}, or {{domain or column: one of them}}"),
    "pool": (
        _is_dictionary(lambda value: _are_texts(value) and set(value) <= set(POOLABLE)),
        f"{{column: list of the differences to overlook, of {', '.join(POOLABLE)}}}",
    ),
    "carry": (_is_dictionary(_are_texts), "{domain: list of variables of the chosen record}"),
    "events": (_is_dictionary(_is_dictionary(_are_texts)), "{domain: {variable: list of codes}}"),
    "several_rows": (_is_dictionary(_is_one_of(ROW_RULES)), f"{{domain: {_IN_WORDS(ROW_RULES)}}}"),
    "unknown_subjects": (_are_texts, "a list of domains whose unknown subjects are left out"),
    "drop": (_are_texts, "a list of columns of the combined dataset"),
    "drop_constants": (lambda value: isinstance(value, bool), "True or False"),
    "combined_as": (_is_one_of(tuple(COMBINED_DATASETS)), _IN_WORDS(COMBINED_DATASETS)),
}


def _file_options(options: dict[str, Any]) -> FileOptions:
    lists: dict[str, Any] = {name: tuple(options[name]) for name in ("missing", "numbers") if name in options}
    file = options.get("file", ())
    return FileOptions(**options | lists | {"file": (file,) if isinstance(file, str) else tuple(file)})


def check_merge(value: object) -> list[str]:
    """Faults of the config key ``merge``."""
    return faults_of_settings("merge", value, _KEYS)


def read_merge_settings(literal: Any) -> MergeSettings:
    """The settings of a config's ``merge`` key. Raises ``FaultyInputError`` with every fault of it."""
    stop_at(check_merge(literal))

    def rules(key: str) -> dict[str, str]:
        value = literal.get(key, {})
        return value if isinstance(value, dict) else {"": value}

    def lists(key: str) -> dict[str, tuple[str, ...]]:
        return {name: tuple(value) for name, value in literal.get(key, {}).items()}

    study = literal.get("study")
    return MergeSettings(
        ignore=tuple(domain.upper() for domain in literal.get("ignore", ())),
        missing=tuple(literal["missing"]) if "missing" in literal else None,
        study=tuple(study) if isinstance(study, list) else study,
        files={domain.upper(): _file_options(options) for domain, options in literal.get("files", {}).items()},
        column_names=literal.get("column_names", "TEST"),
        record=rules("record"),
        result=rules("result"),
        text_results=rules("text_results"),
        pool=lists("pool"),
        carry=lists("carry"),
        events={
            domain: {name: tuple(codes) for name, codes in variables.items()}
            for domain, variables in literal.get("events", {}).items()
        },
        several_rows=literal.get("several_rows", {}),
        unknown_subjects=tuple(literal.get("unknown_subjects", ())),
        drop=tuple(literal.get("drop", ())),
        drop_constants=literal.get("drop_constants", False),
        combined_as=literal.get("combined_as", "csv"),
    )
