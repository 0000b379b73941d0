"""What a section of the step ``risk`` is: its settings, its computation, its words and its line of documentation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from disclosure_control.basics.settings.fields import SettingsGroup
from disclosure_control.basics.telling.sections import Part
from disclosure_control.basics.telling.small_counts import Policy
from disclosure_control.steps.risk.scene import Scene


class Borne(NamedTuple):
    """A figure of the people of each class, (n_classes,); of some only for people with a value of ``sensitive``."""

    of_class: np.ndarray
    sensitive: str | None = None


@dataclass(frozen=True)
class Finding:
    """What a section found: ``told`` makes it as the reader of a policy may see it; ``tables`` are files for people, by
    name.

    ``per_class`` and ``per_record`` are called only for ``record_risk.csv``: figures that a class shares, and arrays
    (n_records,) of figures that need records.
    """

    told: Callable[[Policy], Any]
    per_class: Callable[[], dict[str, Borne]] = dict
    per_record: Callable[[], dict[str, np.ndarray]] = dict
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict, repr=False)


class Need(NamedTuple):
    """A setting that a section cannot do without, and in words what it is."""

    setting: str
    words: str


@dataclass(frozen=True)
class RiskSection:
    """A section, registered as ``SECTION`` of a module in ``sections``, whose name it has.

    ``place`` orders the sections in figures and records, ``place_in_report``, if not 0, in the report. ``answers`` is
    its row of the documentation. ``evaluate`` computes it; ``words`` makes its parts of the report from the result. The
    parts of the page have the position ``on_page``. The JSON summary contains the result under its name or, if
    ``is_inline``, its fields among those of the step.

    ``settings`` is the dataclass of settings that no other section reads. ``needs``: a setting that it requires.
    ``needs_records_with``: settings that require records; without them, the counts of an engine suffice. It runs
    ``by_default``, or if one of ``wanted_with`` is given, unless the config lists its sections. ``read_files`` replaces
    names of files in the section's own settings by their content, and returns the files read.
    """

    place: int
    answers: str
    evaluate: Callable[[Scene], Finding]
    words: Callable[[Any], Iterable[Part]]
    on_page: str = ""
    is_inline: bool = False
    place_in_report: int = 0
    settings: type[SettingsGroup] | None = None
    needs: Need | None = None
    by_default: bool = False
    needs_records_with: tuple[str, ...] = ()
    wanted_with: tuple[str, ...] = ()
    read_files: Callable[[Any, Path], tuple[Any, dict[str, dict]]] | None = None
