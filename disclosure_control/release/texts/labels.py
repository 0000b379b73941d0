"""Labels and names of what leaves: they stand in headers, README.txt, codebook and define.xml, beside no person's row.

A label of a standard's variable is the standard's. Others are judged by their words: see ``identifiers.label_words``.
A label that may name somebody is emptied; a column, or a QNAM, with such a name is left out; a file with such a name,
or a column that the config needs, holds the release. A name in words that no list has holds it until it is declared.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.identifiers.label_words import why_of_label, why_of_name, without_moment
from disclosure_control.identifiers.ordinary_names import is_in_known_words, is_ordinary_name
from disclosure_control.release.deidentify import ReleasedFile, ReleasedStudy
from disclosure_control.release.study import Study, StudyFile
from disclosure_control.release.texts.descriptions import own_descriptions
from study.define_xml import CodeList, DatasetDefinition, StudyDefinition, VariableDefinition
from study.formats.tables import stem_of
from study.models.roles import Role
from study.models.standard_words import (
    is_word_of_labels,
    standard_data_set_labels,
    standard_label,
)
from study.operations import Operation, OperationKind, OperationRule, VariableClass

LABEL, NAME, TEXT = "label", "name", "description"
_STANDARDS = ("sdtm", "adam")  # whose variables have labels by name
_BY_OTHER_WORDS = "in words that neither the standard nor headings use"
_UNKNOWN = "has a word that no list of ordinary words has"
_REMOVED = "holds a value that was removed from the data"
_WORD = re.compile(r"[^\W_]+")
_VERSION = re.compile(r"\d{4}-\d\d-\d\d")
_MOST_VALUES = 5_000  # of a removed column; sites, investigators and wards are fewer
_FEWEST_LETTERS = 4


@dataclass(frozen=True)
class JudgedLabel:
    """A label of a ``file`` ("" of a column: of the file itself), or a name, that does not leave, and ``why``.

    ``instead``: the standard's label, "" of none.
    """

    file: str
    column: str
    kind: str
    text: str = field(repr=False)
    why: str
    instead: str = ""


@dataclass(frozen=True)
class JudgedLabels:
    """What was emptied or left out; ``needed`` are names that may name somebody and cannot be left out.

    ``unread`` names leave in words that nothing says to be ordinary: nobody has declared them yet.
    """

    gone: tuple[JudgedLabel, ...] = ()
    needed: tuple[JudgedLabel, ...] = ()
    unread: tuple[JudgedLabel, ...] = ()

    def __add__(self, other: JudgedLabels) -> JudgedLabels:
        return JudgedLabels(self.gone + other.gone, self.needed + other.needed, self.unread + other.unread)

    @property
    def any(self) -> bool:
        """Whether there is one."""
        return bool(self.gone or self.needed or self.unread)

    @property
    def table(self) -> pd.DataFrame:
        """All of them with their texts: restricted."""
        found = (*self.gone, *self.needed, *self.unread)
        rows = [(one.file, one.column, one.kind, one.text, one.why, one.instead) for one in found]
        return pd.DataFrame(rows, columns=["file", "column", "kind", "text", "why", "instead"])


@dataclass(frozen=True)
class LabelJudge:
    """Judges labels of a study; in one that ``is_standard`` the standard's replace those that do not leave.

    ``removed`` words are of values that do not leave; ``declared`` labels may leave.
    """

    is_standard: bool
    removed: frozenset[str] = field(default=frozenset(), repr=False)
    declared: frozenset[str] = field(default=frozenset(), repr=False)

    def why(self, label: str) -> str:
        """Why a label does not leave, "" if it may."""
        if label in self.declared:
            return ""
        if found := self.why_by_form(label):
            return found
        return "" if is_in_known_words(label) else _BY_OTHER_WORDS

    def why_by_form(self, text: str) -> str:
        """Why a text may name somebody, in whatever words it is written; "" if it does not seem to."""
        is_removed = any(word.casefold() in self.removed for word in _WORD.findall(text))
        return why_of_label(text) or (_REMOVED if is_removed else "")

    def leaving(self, label: str) -> str:
        """The label, or "" if it does not leave."""
        return "" if self.why(label) else label


# ---------------------------------------------------------------- names


def judged_names(
    study: Study, config: PilotConfig, id_column: str | None, declared: Collection[str]
) -> tuple[tuple[OperationRule, ...], JudgedLabels]:
    """The lines that leave columns and QNAMs out whose name may name somebody, and what these are."""
    lines, gone, needed = [], [], []
    roles = {*config.quasi_identifiers, *config.sensitive_features}
    for file in study.files:
        if file.stem not in declared and (why := why_of_name(without_moment(file.stem))):
            needed.append(JudgedLabel(file.name, "", NAME, file.stem, why))
        for name in (*map(str, file.table.frame), *_qualifiers(file)):
            why = "" if name in declared or standard_label(name) else why_of_name(name)
            if not why:
                continue
            one = JudgedLabel(file.name, name, NAME, name, why)
            model = study.model.column(file.domain, name)
            if f"{file.domain}__{name}" in roles or name == id_column or (model and model.role is Role.PERSON):
                needed.append(one)
                continue
            gone.append(one)
            says = Operation(OperationKind.REMOVE, VariableClass.DIRECT_IDENTIFIER, "its name may name somebody")
            lines.append(OperationRule((f"{file.domain}.{name}".upper(),), says))
    return tuple(lines), JudgedLabels(tuple(gone), tuple(needed))


def _qualifiers(file: StudyFile) -> list[str]:
    """The variables of a supplement that is at hand."""
    frame = file.table.frame
    return sorted(map(str, frame["QNAM"].dropna().unique())) if file.is_supplemental and "QNAM" in frame else []


def names_read(
    released: ReleasedStudy, names: JudgedLabels, declared: Collection[str]
) -> tuple[ReleasedStudy, JudgedLabels]:
    """The study with the names that the recipient is not told, of what does not leave; and all names with the unread.

    Names of files, columns and QNAMs that leave are unread if they have other words than those that names have.
    """
    known = _Ordinary(frozenset(declared), released.model.model in _STANDARDS)
    judged = {(one.file, one.text) for one in (*names.gone, *names.needed)}
    unread = [
        one for one in _names_that_leave(released) if (one.file, one.text) not in judged and not known.name(one.text)
    ]
    not_told = {one.text for one in names.gone}
    not_told |= {one.variable for one in released.accounts if not one.stays and not known.name(one.variable)}
    not_told |= {name for name in released.left_out if not known.file(stem_of(name))}
    unread = [one for one in unread if one.column or not known.file(one.text)]
    texts = (JudgedLabel(file, column, TEXT, text, _UNKNOWN) for file, column, text in own_descriptions(released))
    unread += [one for one in texts if one.text not in known.declared and not known.name(one.text)]
    return replace(released, unnamed=frozenset(not_told)), replace(names, unread=tuple(unread))


@dataclass(frozen=True)
class _Ordinary:
    """Which names are told: the declared ones, and ordinary ones, those of variables too in a study of a standard."""

    declared: frozenset[str] = field(repr=False)
    of_a_standard: bool

    def name(self, text: str) -> bool:
        return text in self.declared or is_ordinary_name(text, self.of_a_standard)

    def file(self, stem: str) -> bool:
        return stem in self.declared or is_ordinary_name(without_moment(stem), self.of_a_standard)


def _names_that_leave(released: ReleasedStudy) -> Iterator[JudgedLabel]:
    for name, file in released.files.items():
        yield JudgedLabel(name, "", NAME, file.source.stem, _UNKNOWN)
        for column in map(str, file.columns):
            yield JudgedLabel(name, column, NAME, column, _UNKNOWN)
    for account in released.accounts:
        if account.rows_of == "QNAM" and account.stays and account.n_values:
            yield JudgedLabel(account.file, account.variable, NAME, account.variable, _UNKNOWN)


# ---------------------------------------------------------------- labels


def with_judged_labels(
    released: ReleasedStudy, study: Study, declared: Collection[str]
) -> tuple[ReleasedStudy, JudgedLabels, LabelJudge]:
    """The study with the labels that may leave, what became of the others, and what judged them."""
    is_standard = study.model.model in _STANDARDS
    judge = LabelJudge(is_standard, _removed_words(study, released), frozenset(declared))
    files, gone = {}, list[JudgedLabel]()
    for name, file in released.files.items():
        found = list(_of_file(name, file, judge))
        files[name] = _with(file, found) if found else file
        gone += found
    return replace(released, files=files), JudgedLabels(tuple(gone)), judge


def _of_file(name: str, file: ReleasedFile, judge: LabelJudge) -> Iterator[JudgedLabel]:
    table = file.source.table
    known = standard_data_set_labels(file.source.domain) if judge.is_standard else []
    if table.label and table.label not in known and (why := judge.why(table.label)):
        yield JudgedLabel(name, "", LABEL, table.label, why, known[0] if known else "")
    for column, label in table.labels.items():
        standard = standard_label(column) if judge.is_standard else ""
        if label.casefold() == column.casefold():  # as formats write a column that has none
            continue
        if label and label.casefold() != standard.casefold() and (why := judge.why(label)):
            yield JudgedLabel(name, column, LABEL, label, why, standard)


def _with(file: ReleasedFile, gone: list[JudgedLabel]) -> ReleasedFile:
    """The file with other labels; its parts and what was seen of them stay."""
    source, instead = file.source, {one.column: one.instead for one in gone}
    labels = {name: instead.get(name, label) for name, label in source.table.labels.items()}
    table = replace(
        source.table,
        label=instead.get("", source.table.label),
        labels={name: label for name, label in labels.items() if label},
    )
    found = replace(file, source=replace(source, table=table))
    return found.with_overview_of(file, ())


def _removed_words(study: Study, released: ReleasedStudy) -> frozenset[str]:
    """The words of values that identify a person, a site or a place and do not leave."""
    by_name, found = {file.name: file for file in study.files}, set[str]()
    classes = (VariableClass.DIRECT_IDENTIFIER, VariableClass.QUASI_IDENTIFIER_1)
    for account in released.accounts:
        table = by_name[account.file].table
        if account.stays or account.rows_of or account.variable not in table.frame:
            continue
        if account.operation.variable_class not in classes or table.frame[account.variable].dtype.kind == "f":
            continue
        values = table.counts_of(account.variable).index
        if len(values) <= _MOST_VALUES:
            found.update(word.casefold() for value in values.tolist() for word in _WORD.findall(str(value)))
    return frozenset(
        word for word in found if len(word) >= _FEWEST_LETTERS and not word.isdigit() and not is_word_of_labels(word)
    )


# ---------------------------------------------------------------- the study's own description


def judged_definition(source: StudyDefinition, judge: LabelJudge) -> StudyDefinition:
    """A define.xml of the study with the descriptions and meanings of codes that may leave."""
    described = {name: _judged_data_set(one, judge) for name, one in source.described.items()}
    datasets = {
        name: {key: _judged_variable(one, judge) for key, one in variables.items()}
        for name, variables in source.datasets.items()
    }
    standards = tuple(one for one in source.standards if not any(_may_name(text, judge) for text in one.values()))
    return replace(source, described=described, datasets=datasets, standards=standards)


def _may_name(text: str, judge: LabelJudge) -> bool:
    """Whether a further text of a define.xml does not leave; versions are dates."""
    return not _VERSION.fullmatch(text) and text not in judge.declared and bool(judge.why_by_form(text))


def _judged_data_set(one: DatasetDefinition, judge: LabelJudge) -> DatasetDefinition:
    label = one.label if one.label in standard_data_set_labels(one.domain) else judge.leaving(one.label)
    words = " ".join(word for word in one.structure.split() if not standard_label(word.strip(",.()")))
    structure = one.structure if judge.leaving(words) and not _may_name(one.structure, judge) else ""
    further = {"class_name": one.class_name, "domain": one.domain}
    further = {name: "" if _may_name(text, judge) else text for name, text in further.items()}
    return replace(one, label=label, structure=structure, **further)


def _judged_variable(one: VariableDefinition, judge: LabelJudge) -> VariableDefinition:
    standard = standard_label(one.name)
    label = one.label if one.label == standard else judge.leaving(one.label) or standard
    codes = one.code_list
    if codes is not None:
        codes = CodeList(codes.name, _judged_terms(codes.terms, judge))
    return replace(one, label=label, code_list=codes, origin="" if _may_name(one.origin, judge) else one.origin)


def _judged_terms(terms: Mapping[str, str], judge: LabelJudge) -> Mapping[str, str]:
    """The meanings of codes; those of a list in which one may name somebody are not told."""
    return {} if any(_may_name(meaning, judge) for meaning in terms.values()) else terms
