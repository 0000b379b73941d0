"""The steps of door 2 that come after k, l and t: what each is given, what it gives back, and how they are run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import IntEnum
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.assess.assessment import Assessment
from disclosure_control.assess.combined_dataset import CombinedDataset
from disclosure_control.assess.told import ToldModel
from disclosure_control.attack.questions import Answer
from disclosure_control.basics.kept import Kept
from disclosure_control.basics.telling.plain import plain
from disclosure_control.basics.telling.reasons import Reason
from disclosure_control.basics.telling.section_text import as_text
from disclosure_control.basics.telling.sections import Section, Where
from disclosure_control.basics.telling.small_counts import MASKED, Policy
from disclosure_control.basics.telling.told_outside import ToldCounts
from disclosure_control.records.domains import DomainReader
from disclosure_control.records.needs import Needed
from disclosure_control.run import clock
from disclosure_control.run.logs import Log, SilentLog
from disclosure_control.steps import STEPS, settings_module, step_module
from disclosure_control.study_tables.fit import FitForUse

ALWAYS_RUN = ("identifiers", "risk", "context")  # without their keys, too
MAKE_A_RELEASE = ("identifiers", "recommend", "treatment", "release")
OF_THE_PILOT_ALONE = ("identifiers", "recommend")  # they find the same, whatever else a trial changes

Settings = TypeVar("Settings", covariant=True)


class Asks(IntEnum):
    """What a run is asked; each includes those before it, and costs more."""

    LOSSES = 0  # what a recipient would lose: nothing is searched
    FIRST = 1  # whether what leaves meets k, l and t, and who is alone by what outsiders may know
    NAMES = 2  # and which names that leave a line has to declare
    UNTIL_HELD = 3  # all, up to a reason that no line of the config answers
    ALL = 4
    AHEAD = 5  # and what would be found once the lines that answer it are in place


@dataclass(frozen=True)
class StepInput(Generic[Settings]):
    """The input of a step. ``settings`` are those of its config key, or the defaults without the key.

    ``folder`` is the pilot's, where results of earlier runs are; ``earlier`` has the results of the steps before,
    ``files`` reads the pilot's domain files, each once where a later step needs it again. ``started`` is when the run
    began, UTC, ISO 8601: the only clock that a result may contain, so that the same run can be made again. A trial
    publishes nothing, and gives the pseudonyms of the ``untried`` config, so that one way differs from the next by what
    it decides alone. ``kept`` is what was found in columns of the same content before, in any way of this run.
    ``asks``: how much is searched.
    """

    pilot: str
    folder: Path
    settings: Settings
    dataset: CombinedDataset
    assessment: Assessment
    earlier: Mapping[str, StepResult]
    files: DomainReader = field(default_factory=DomainReader)
    started: str = field(default_factory=lambda: clock.utc_now())
    untried: PilotConfig | None = None
    kept: Kept = field(default_factory=Kept, repr=False)
    asks: Asks = Asks.ALL

    @property
    def is_trial(self) -> bool:
        """Whether another config than the pilot's is tried."""
        return self.untried is not None

    @property
    def release_config(self) -> PilotConfig:
        """The config that gives a release its name, where none is written."""
        return self.assessment.config if self.untried is None else self.untried


@dataclass(frozen=True)
class StepTold:
    """What a step says to one reader, by the policy of that reader.

    ``found`` is the part of the JSON summary under the step's key: no record and no subject. ``sections`` say the same
    to people; in the short text these are at most four lines: what to do next, or the result. ``reasons_to_hold`` are
    reasons against the release, ``answers`` are those to the three questions about it, and ``not_looked_at`` lists what
    was not searched. ``use``: whether the release is fit for use.
    """

    found: Any
    sections: tuple[Section, ...] = ()
    reasons_to_hold: tuple[Reason, ...] = ()
    answers: Mapping[str, Answer] = field(default_factory=dict)
    not_looked_at: tuple[str, ...] = ()
    use: FitForUse | None = None

    @cached_property
    def figures(self) -> Any:
        """The findings as in the JSON summary."""
        return plain(self.found)

    @property
    def report(self) -> str:
        """Its sections in the full text."""
        return as_text(self.sections, Where.FILE)

    @property
    def first_lines(self) -> str:
        """The lines above everything else in every text."""
        return as_text(self.sections, Where.FIRST)

    @property
    def short(self) -> str:
        """The lines for the short text."""
        return as_text(self.sections, Where.SHORT)

    @property
    def on_screen(self) -> str:
        """Its sections as printed."""
        return as_text(self.sections, Where.SCREEN)


@dataclass(frozen=True)
class StepResult(StepTold):
    """The findings of a step: nothing is written before every step is done.

    It says what others may read, masked; ``for_reader`` is the same for another reader. ``tell`` makes what it says
    from the findings, by the policy of a reader; without it, nothing in it is masked. ``outside``: the part that may be
    shared, given the counts published there and k.
    ``tables`` are CSV files for people to read, by file name, each whole or in pieces that are made as it is written;
    ``datasets`` are such files for programs, with unchanged cells; ``files`` are any others, as bytes or, where they
    are written already, by their path. All are in mode 0600, and restricted, because they contain values of people,
    except those of ``files`` that ``hand_to_hand`` names. ``inputs`` are further files that were read, with their
    SHA-256, as ``file_of_pilot`` gives them. ``outcome`` is for later steps.
    """

    tell: Callable[[Policy], StepTold] | None = field(default=None, repr=False)
    outside: Callable[[ToldCounts, ToldModel], Sequence[Section]] | None = field(default=None, repr=False)
    tables: Mapping[str, pd.DataFrame | Iterator[pd.DataFrame]] = field(default_factory=dict, repr=False)
    datasets: Mapping[str, pd.DataFrame | Iterator[pd.DataFrame]] = field(default_factory=dict, repr=False)
    files: Mapping[str, bytes | Path] = field(default_factory=dict, repr=False)
    hand_to_hand: frozenset[str] = frozenset()
    inputs: Mapping[str, dict] = field(default_factory=dict)
    outcome: Any = None

    @classmethod
    def told_by(cls, tell: Callable[[Policy], StepTold], **beside: Any) -> Self:
        """What ``tell`` says to others; ``beside`` are the further fields."""
        once = cache(tell)
        return cls(**_fields(once(MASKED)), tell=once, **beside)

    def for_reader(self, policy: Policy) -> Self:
        """The same as that reader may see it."""
        return self if self.tell is None else replace(self, **_fields(self.tell(policy)))


def _fields(told: StepTold) -> dict[str, Any]:
    return {one.name: getattr(told, one.name) for one in fields(StepTold)}


def for_reader(steps: Mapping[str, StepResult], policy: Policy) -> dict[str, StepResult]:
    """The results of all steps as that reader may see them."""
    return {name: result.for_reader(policy) for name, result in steps.items()}


def records_needed(config: PilotConfig) -> list[Needed]:
    """The records that the steps of a config need.

    A step that can do without all of them has a function of the same name in its ``settings``, which is called.
    """
    needed: list[Needed] = []
    for name in STEPS:
        if name in config.settings:
            ask = getattr(settings_module(name), "records_needed", None)
            needed += ask(config.settings[name], config) if ask else [Needed(name)]
    return needed


def run_steps(
    pilot: str,
    folder: Path,
    dataset: CombinedDataset,
    assessment: Assessment,
    log: Log | None = None,
    left_out: Collection[str] = (),
    started: str | None = None,
    untried: PilotConfig | None = None,
    kept: Kept | None = None,
    asks: Asks = Asks.ALL,
) -> dict[str, StepResult]:
    """Run the steps whose key is in the config, in the order of the registry; returns their results by name.

    The ``log`` gets each step with its seconds. Steps that are ``left_out`` are not run. The run ``started``
    now, if no time is given. ``untried``: in a trial, the pilot's config in place of which another one is tried;
    ``kept``: what follows from the content of columns, found before in the same run. Of a trial
    only the steps that make what leaves run: no other one has a reason against it. ``asks``: how much is searched.
    """
    log, started, kept = log or SilentLog(), started or clock.utc_now(), kept or Kept()
    results: dict[str, StepResult] = {}
    given = assessment.config.settings
    for name in STEPS if untried is None else MAKE_A_RELEASE:
        if (name in given or name in ALWAYS_RUN) and name not in left_out:
            settings = given[name] if name in given else settings_module(name).SETTINGS()
            how = dataset.domains, started, untried, kept, asks
            step = StepInput(pilot, folder, settings, dataset, assessment, dict(results), *how)
            find = partial(step_module(name).run_step, step)
            with log.step(name, is_said=name not in ALWAYS_RUN):
                found_before = step.is_trial and name in OF_THE_PILOT_ALONE
                results[name] = kept.of((name, _asked(step)), find) if found_before else find()
    return results


def _asked(step: StepInput) -> str:
    """What a step of the pilot alone is asked: its settings, and the config of k, l and t."""
    return repr((step.settings, replace(step.assessment.config, settings={}, literal={})))
