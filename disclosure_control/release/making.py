"""A release in the making: what is asked of it, and what it is after each of its stages."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.kept import Kept
from disclosure_control.records.domains import DomainReader
from disclosure_control.records.records import EncodedRecords
from disclosure_control.release.before_and_after import CameIn, StudyCompared
from disclosure_control.release.deidentify import ReleasedStudy
from disclosure_control.release.joins import KeyJoin
from disclosure_control.release.ledger import Loss
from disclosure_control.release.merge_drop import columns_of_source
from disclosure_control.release.package import evaluated
from disclosure_control.release.people import ReleasePeople, drawn_order, people_of
from disclosure_control.release.settings import ReleaseSettings
from disclosure_control.release.study import Study, is_divisible, read_study
from disclosure_control.release.terms.raised_terms import RaisedTerms
from disclosure_control.release.texts.labels import JudgedLabels, LabelJudge
from disclosure_control.release.texts.rare_texts import RareTexts
from disclosure_control.remedy.treatments.keys import Release
from disclosure_control.remedy.treatments.one_release import days_of_release
from disclosure_control.remedy.treatments.treated_pilot import TreatedPilot
from study.formats.files import Read
from study.formats.tables import SourceTable
from study.merge.settings import MergeSettings
from study.merge.subject_ids import SubjectIdRule
from study.operations import OperationRule


@dataclass(frozen=True)
class Asked:
    """What is asked of a release, and of which pilot: the same in all stages.

    ``original`` are the pilot's records and ``treated`` what its treatment made of them, None without one; ``files``
    reads the study in the pilot's ``folder``. Only ``key`` and ``release`` determine pseudonyms, offsets, the order of
    rows and draws. ``kept`` is what was found before in columns of the same content. The package is written into the
    folder ``place``; None: nothing is written.
    """

    pilot: str
    folder: Path
    config: PilotConfig
    settings: ReleaseSettings
    files: DomainReader
    original: EncodedRecords = field(repr=False)
    treated: TreatedPilot | None = field(repr=False)
    key: bytes = field(repr=False)
    release: Release
    created: datetime
    kept: Kept = field(default_factory=Kept, repr=False)
    place: Path | None = None

    @property
    def rule(self) -> SubjectIdRule:
        """Which column has the subject's id."""
        return self.config.of(SubjectIdRule)

    @property
    def merge(self) -> MergeSettings:
        """How door 1 merged the pilot."""
        return self.config.of(MergeSettings)

    @property
    def harmless(self) -> dict[str, str]:
        """Columns that the config declares harmless, and why: under ``treatment`` or ``identifiers``."""
        found: dict[str, str] = {}
        for name in ("treatment", "identifiers"):
            found |= getattr(self.config.settings.get(name), "harmless", {})
        return found

    @cached_property
    def promised(self) -> Assessment:
        """k, l and t that the treatment promises; without one, those of the pilot."""
        if self.treated is not None:
            return self.treated.as_released
        values = {name: column.values for name, column in self.original.columns.items()}
        return evaluated(self.original, values, self.config)

    @property
    def read_package(self) -> Read:
        """How the files of a package are read."""
        return self.files.read_package(partial(is_divisible, rule=self.rule))


@dataclass(frozen=True)
class PackageMade:
    """What leaves: ``files`` by name, of data sets by their ``names``; and as a recipient reads it.

    ``tables`` are the data sets as they are read, ``texts`` the files beside them; ``joins``: what became of the keys.
    ``no_definition`` says why there is no define.xml.
    """

    files: Mapping[str, bytes | Path] = field(default_factory=dict, repr=False)
    names: Mapping[str, str] = field(default_factory=dict)
    tables: dict[str, SourceTable] = field(default_factory=dict, repr=False)
    texts: Mapping[str, str] = field(default_factory=dict, repr=False)
    joins: tuple[KeyJoin, ...] = ()
    no_definition: str = ""


@dataclass(frozen=True)
class Making:
    """A release after some of its stages. What a later stage finds out is empty until then.

    ``study`` is what came in, ``came_in`` its tables, None if the config wants none, and ``of_source`` its columns of
    people that were not merged. ``people``, each in one of the equivalence ``classes`` (n_people,), and ``lines``
    decide what ``released`` is. ``raised``, ``texts`` and ``labels`` say what few people's terms, texts and labels
    became, ``compared`` what became of the study's tables, and ``losses`` what does not leave.
    """

    asked: Asked
    study: Study = field(repr=False)
    came_in: CameIn | None = field(repr=False)
    of_source: Mapping[str, pd.Series] = field(repr=False)
    people: ReleasePeople
    classes: np.ndarray = field(repr=False)
    released: ReleasedStudy
    lines: tuple[OperationRule, ...] = ()
    raised: tuple[RaisedTerms, ...] = ()
    texts: RareTexts = field(default_factory=RareTexts)
    labels: JudgedLabels = field(default_factory=JudgedLabels)
    judge: LabelJudge = field(default_factory=partial(LabelJudge, is_standard=False))
    compared: StudyCompared | None = None
    losses: tuple[Loss, ...] = ()
    package: PackageMade = field(default_factory=PackageMade)
    n_held_back: int = 0

    @property
    def decided(self) -> Hashable:
        """All that decides over what leaves, once it is known who stays; ways that decide the same are one release."""
        asked, people = self.asked, self.people
        return (
            repr((asked.settings, asked.merge, days_of_release(asked.config), asked.harmless, self.lines)),
            repr(replace(asked.config, settings={}, literal={})),
            *(asked.key, asked.release, people.stays.tobytes(), self.classes.tobytes()),
            tuple((name, one.print) for name, one in people.recoded.items()),
        )

    def drawn(self, purpose: str) -> np.ndarray:
        """A number of each person (n_people,), drawn by the key for one purpose."""
        return drawn_order(self.people, self.asked.key, self.asked.release, purpose)

    @property
    def emptied_words(self) -> tuple[str, ...]:
        """Texts and names that no line for the recipient may have."""
        return (*self.texts.texts, *self.released.unnamed)


def begun(asked: Asked, kept_between_trials: bool = False) -> Making:
    """The study as it came in, before any stage: nobody is taken out, and nothing leaves.

    ``kept_between_trials``: the study is that of the trial before, where the config reads it alike. Raises
    ``FaultyInputError`` with the faults of all files, or if two people would share a pseudonym.
    """
    rule, merge, settings = asked.rule, asked.merge, asked.settings
    ids = asked.original.ids()
    key = repr(("study", rule, merge, settings.leave_out, settings.study_tables, settings.fit_for_use))
    study, of_source, came_in = asked.kept.of(key, partial(_read, asked)) if kept_between_trials else _read(asked)
    roles, days = asked.config.quasi_identifiers + asked.config.sensitive_features, days_of_release(asked.config)
    people = people_of(ids, roles, asked.key, asked.release, days, study.model.ids_are_numbers)
    nothing, one_class = ReleasedStudy({}, study.left_out, (), (), study.model), np.zeros(len(ids), dtype=np.int64)
    return Making(asked, study, came_in, of_source, people, one_class, nothing)


def _read(asked: Asked) -> tuple[Study, Mapping[str, pd.Series], CameIn | None]:
    """The study, its columns of people that were not merged, and its tables as they came in, if they are asked for."""
    rule, merge, settings, files = asked.rule, asked.merge, asked.settings, asked.files
    ids = asked.original.ids()
    read = files.read_to_release(partial(is_divisible, rule=rule))
    study = read_study(asked.folder, ids, rule, merge, settings.leave_out, read, files.rows_per_part)
    of_source = columns_of_source(merge.drop, study, asked.original, rule, files.rows_to_search)
    came_in = None
    if settings.study_tables:
        came_in = CameIn.of(study, len(ids), files.rows_to_search, settings.fit_for_use.outcome)
        came_in.check_arm(settings.fit_for_use.compare_with)
    return study, of_source, came_in


# What a stage makes of a release; it changes nothing that it is given.
Stage = Callable[[Making], Making]
