"""What a treatment is: a function from a frame to a frame and a record of what it changed, registered by name."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, encode_column, labels_of
from disclosure_control.basics.settings.fields import SettingsGroup, columns_named, typed
from disclosure_control.basics.settings.kinds import Place
from disclosure_control.basics.telling.faults import nearest_name
from disclosure_control.remedy.treatments.keys import UNNAMED, Release


@dataclass(frozen=True)
class TreatmentStep:
    """One treatment of a list, checked: its registered ``method``, its settings, and its ``literal``."""

    method: str
    settings: SettingsGroup
    literal: Mapping[str, object]

    @classmethod
    def of(cls, literal: Mapping[str, object]) -> TreatmentStep:
        """The step that a config writes as ``{"method": ..., settings}``, and that has no fault."""
        method = str(literal["method"])
        given = {name: value for name, value in literal.items() if name != "method"}
        return cls(method, typed(methods()[method].settings, given), dict(literal))


@dataclass(frozen=True)
class TreatmentInput:
    """``frame`` (n_records, n_columns): every column of the pilot, the config's own typed, the others as text.

    ``config`` has the roles of the columns and the thresholds. ``generator`` is seeded by the config and in the same
    state in every run; treatments without chance do not use it. ``subjects`` are the ids before any treatment, on the
    frame's index, None without ids. ``folder`` is the pilot's, where relative paths start. ``release`` is that within
    which ids keep their pseudonyms and people the offsets of their dates.

    The index names the records; a treatment preserves it for the records that it keeps, and does not interpret it.

    For a treatment ``by_value`` the frame may have one row for each distinct value: ``people`` (n_rows,) then counts
    the people of each row, None one each.
    """

    frame: pd.DataFrame = field(repr=False)
    config: PilotConfig
    generator: np.random.Generator
    subjects: pd.Series | None = field(default=None, repr=False)
    folder: Path | None = None
    release: Release = UNNAMED
    people: np.ndarray | None = None

    @property
    def n_people(self) -> int:
        """The number of people of all rows."""
        return len(self.frame) if self.people is None else int(self.people.sum())


@dataclass(frozen=True)
class Treated:
    """The treated ``frame``, and per column how many values were ``changed``; ``notes`` are sentences for the report.

    ``changed`` and ``notes`` contain no value and no id. Records keep their order; a treatment that drops records
    counts them in ``n_records_removed``. ``inputs`` are files that it read, with their SHA-256.
    """

    frame: pd.DataFrame = field(repr=False)
    changed: Mapping[str, int]
    n_records_removed: int = 0
    notes: tuple[str, ...] = ()
    inputs: Mapping[str, dict[str, object]] = field(default_factory=dict)


class Reading(IntEnum):
    """How someone with the codebook (method and settings, not the data) reads what a treatment released.

    ``BY_VALUE``: the value alone decides its released form. ``AS_LABEL``: a released label represents every value that
    it was made of, and one value may have several labels. ``PERTURBED``: chance, a key or other people's values decide;
    known is how far values move and how many stay. Of several treatments of a column, the last in this order counts.
    """

    BY_VALUE = 0
    AS_LABEL = 1
    PERTURBED = 2


@dataclass(frozen=True)
class Treatment:
    """One registered method: ``apply(given, settings)``, and the class of its ``settings``.

    If it drops columns, leaves out whole classes or stands for other steps, it says so below and applies nothing.

    ``words`` describe it in the table of the docs. Lists of all treatments are sorted by ``place``, then by file.
    ``reading``: how an attacker with the codebook reads what it releases, see ``Reading``.

    ``intervals`` say how the labels ``a--b`` that it writes are read, "" if it writes none. ``drops`` gets the settings
    and the columns and returns those that are dropped.

    Some treatments need no records. ``BY_VALUE``: the new value depends only on the distinct values of its ``column``
    and how many people have each. ``leaves_out``: whole classes are removed; it gets the assessed pilot and the
    settings, and returns which (n_classes,) of bool. ``drops`` alone: it only drops columns; if their values decide,
    ``drops_by_values`` gets the settings, the columns, the config and a scan of columns, and returns the reason for
    each dropped one, and notes. ``by_id``: the new value depends only on the old one, in each of its ``columns``.
    ``is_of_steps``: it is replaced by others, none of which needs records.
    """

    apply: Callable[..., Treated] | None
    settings: type[SettingsGroup]
    place: int
    words: str
    reading: Reading = Reading.PERTURBED
    intervals: str = ""
    drops: Callable[[Any, Sequence[str]], Sequence[str]] | None = None
    drops_by_values: Callable[..., tuple[dict[str, str], list[str]]] | None = None
    by_id: bool = False
    is_of_steps: bool = False
    leaves_out: Callable[..., np.ndarray] | None = None

    @property
    def by_value(self) -> bool:
        """Whether it is given each distinct value once."""
        return self.reading == Reading.BY_VALUE

    @property
    def needs_everybody(self) -> bool:
        """Whether it needs all records at once, not counts of values or blocks of records."""
        by_blocks = self.is_of_steps or self.by_id or self.drops is not None or self.leaves_out is not None
        return not (self.by_value or by_blocks)


def step_needs_everybody(step: TreatmentStep) -> bool:
    """Whether a step needs all records at once; ids do not count as a column of few values."""
    treatment = methods()[step.method]
    is_of_ids = treatment.by_value and SUBJECT_COLUMN in columns_named(step.settings)["column"]
    return is_of_ids or treatment.needs_everybody


def applied(step: TreatmentStep, given: TreatmentInput) -> Treated:
    """What a step makes of the rows that it is given."""
    apply = methods()[step.method].apply
    assert apply is not None, step.method
    return apply(given, step.settings)


@cache
def methods() -> Mapping[str, Treatment]:
    """Every treatment by the name that a config calls it by, in the order of their places.

    Each file of the folder ``methods`` has its own as ``TREATMENTS``.
    """
    folder = import_module(f"{__package__}.methods")
    files = [import_module(f"{folder.__name__}.{file.name}") for file in pkgutil.iter_modules(folder.__path__)]
    found = [entry for file in files for entry in file.TREATMENTS.items()]
    assert len(dict(found)) == len(found), "a name is taken once"
    return dict(sorted(found, key=lambda entry: (entry[1].place, entry[1].settings.__module__)))


# ---------------------------------------------------------------- what treatments share


def strangers_to_the_quasi_identifiers(place: Place, names: Iterable[str]) -> list[str]:
    """A fault for each of the ``names`` of a setting that is none of the config's quasi-identifiers."""
    known = place.pilot.quasi_identifiers
    return [
        f"{place}: {name!r} is not a quasi-identifier{nearest_name(name, known)}; allowed: {', '.join(known)}"
        for name in names
        if name not in known
    ]


def n_changed(before: pd.Series, after: pd.Series, people: np.ndarray | None = None) -> int:
    """In how many records (n_records,) the value changed; see ``where_changed``.

    ``people`` (n_records,): the number of people of each row, one if not given.
    """
    changed = where_changed(before, after)
    return int(changed.sum() if people is None else people[changed].sum())


def where_changed(before: pd.Series, after: pd.Series) -> np.ndarray:
    """Whether the value of each record (n_records,) is another one; 1 and 1.0 are the same, and so are two missing."""
    if all(pd.api.types.is_numeric_dtype(column.dtype) for column in (before, after)):
        was, is_now = (column.to_numpy(dtype=float, na_value=np.nan) for column in (before, after))
        different: np.ndarray = (was != is_now) & ~(np.isnan(was) & np.isnan(is_now))
        return different
    old, new = encode_column(before), encode_column(after)
    texts = [labels_of(old), labels_of(new)]
    common, _ = pd.factorize(np.concatenate([np.asarray(part, dtype=object) for part in texts]))
    code_of_old, code_of_new = np.append(common[: len(texts[0])], -1), np.append(common[len(texts[0]) :], -1)
    different = code_of_old[old.codes] != code_of_new[new.codes]
    return different


def with_columns(
    given: TreatmentInput,
    columns: Mapping[str, pd.Series],
    notes: Sequence[str] = (),
    changed: Mapping[str, int] | None = None,
    inputs: Mapping[str, dict[str, object]] | None = None,
) -> Treated:
    """The frame with these columns in place of the old ones, and in how many records each of them changed.

    ``changed`` may be handed in where the treatment knows it; ``inputs`` as in ``Treated``.
    """
    if changed is None:
        changed = {name: n_changed(given.frame[name], column, given.people) for name, column in columns.items()}
    return Treated(given.frame.assign(**columns), changed, notes=tuple(notes), inputs=inputs or {})


def relabelled(column: pd.Series, labels: Sequence[object]) -> pd.Series:
    """The column as categories: ``labels`` (n_values,) are the texts of its distinct values, None is missing.

    The distinct values are those of ``encode_column``, in its order; categories are in alphabetical order.
    """
    encoded = encode_column(column)
    texts = pd.Series(list(labels), dtype=object)
    codes, categories = pd.factorize(texts, sort=True)
    codes = np.append(codes, -1)[encoded.codes]
    values = pd.Categorical.from_codes(codes, categories=pd.Index(categories, dtype=object))
    return pd.Series(values, index=column.index, name=column.name)
