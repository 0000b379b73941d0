"""Runs of a pilot by other configs than its own, which publish nothing: whole, a first look, or only what they lose."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from config import COMBINED_DATASET
from config.model_settings import PilotConfig
from disclosure_control.assess.assessment import evaluate
from disclosure_control.assess.combined_dataset import checked_config
from disclosure_control.assess.opening import OpenedPilot, opened
from disclosure_control.basics.kept import Kept
from disclosure_control.remedy.treatments.keys import with_keys_to_come
from disclosure_control.report.verdict import Verdict, verdict_on, what_leaves
from disclosure_control.run.doors import Pilot
from disclosure_control.run.logs import SilentLog
from disclosure_control.steps import READERS
from disclosure_control.steps.running import Asks as Asks  # what a verdict is asked, for those who ask
from disclosure_control.steps.running import StepResult, records_needed, run_steps
from disclosure_control.study_tables.fit import FitForUse


@dataclass(frozen=True)
class Weighed:
    """What a recipient would lose by a config (``use``), the ``levels`` of its recommended recoding, and by column how
    many people have a ``hidden`` cell.
    """

    use: FitForUse
    levels: Mapping[str, int] = field(default_factory=dict)
    hidden: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Trials:
    """The ``pilot`` as it is opened by an ``engine``, its own config, and what was ``kept`` of earlier trials.

    Every method gets a literal and raises ``FaultyInputError`` with its faults; ``words`` say what is tried.
    """

    pilot: Pilot
    engine: str
    config: PilotConfig
    kept: Kept

    def check(self, literal: Mapping[str, Any]) -> None:
        """Nothing, if a run by the config would have no fault in it."""
        with with_keys_to_come(literal):
            checked_config(self.pilot.results / COMBINED_DATASET, self.pilot.by(literal), READERS)

    def verdict(self, literal: Mapping[str, Any], words: str, asks: Asks) -> Verdict:
        """What is found by a config. A look has the ids and offsets of today's config, as ways differ by what they
        decide; whatever asks more is a run as it would be in place.
        """
        with self._opened(literal, words) as found:
            asks = asks if "release" in literal else Asks.AHEAD
            steps = self._steps(found, found.config if asks >= Asks.UNTIL_HELD else self.config, asks)
            return verdict_on(what_leaves(steps), steps, (), literal)

    def weigh(self, literal: Mapping[str, Any], words: str) -> Weighed | None:
        """What a recipient would lose; None where nothing would leave, or no tables of the study can be compared."""
        with self._opened(literal, words) as found:
            steps = self._steps(found, self.config, Asks.LOSSES)
        if "release" not in steps or (use := steps["release"].use) is None:
            return None
        levels = steps["recommend"].figures["levels"] or {} if "recommend" in steps else {}
        treated = steps["treatment"].outcome.steps if "treatment" in steps else ()
        hiding = [one.changed for one in treated if one.method == "local_suppression"]
        return Weighed(use, levels, {name: n for changed in hiding for name, n in changed.items() if n})

    @contextlib.contextmanager
    def _opened(self, literal: Mapping[str, Any], words: str) -> Iterator[OpenedPilot]:
        path, config = self.pilot.results / COMBINED_DATASET, self.pilot.by(literal)
        with (
            with_keys_to_come(literal),
            opened(self.engine, path, config, READERS, records_needed, self.pilot.cluster) as found,
        ):
            self.pilot.log.say(words)
            yield found

    def _steps(self, found: OpenedPilot, untried: PilotConfig, asks: Asks) -> dict[str, StepResult]:
        """The steps by what was opened; ``untried`` names the release."""
        pilot, assessment = self.pilot, evaluate(found.people, found.config)
        log = pilot.log if asks >= Asks.UNTIL_HELD else SilentLog()
        how = log, pilot.left_out, pilot.started, untried, self.kept, asks
        return run_steps(pilot.name, pilot.folder, found.dataset, assessment, *how)
