"""What a treatment is: a function from a frame to a frame and a record of what it changed, registered by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.basics.columns import encode_column, labels_of


@dataclass(frozen=True)
class TreatmentInput:
    """``frame`` (n_records, n_columns): every column of the pilot, the config's own typed, the others as text.

    ``config`` tells the roles of the columns and the thresholds. ``generator`` is seeded by the config and stands at
    the same state in every run; treatments without chance leave it alone. ``subjects`` are the ids as they were before
    any treatment, on the frame's index, None where there are none. ``folder`` is the pilot's, where relative paths
    start. ``recommended`` are the steps that ``recommend`` found.

    The index names the records; a treatment leaves it on those that it keeps, and takes no meaning from it.
    """

    frame: pd.DataFrame
    config: PilotConfig
    generator: np.random.Generator
    subjects: pd.Series | None = None
    folder: Path | None = None
    recommended: Sequence[Mapping] | None = None


@dataclass(frozen=True)
class Treated:
    """The treated ``frame``, and per column what was ``changed`` in counts; ``notes`` are sentences for the report.

    No value and no id stands in ``changed`` or ``notes``. Records keep their order; a treatment that drops records
    says how many in ``n_records_removed``. ``inputs`` are files that it read, with their SHA-256.
    """

    frame: pd.DataFrame
    changed: Mapping[str, int]
    n_records_removed: int = 0
    notes: tuple[str, ...] = ()
    inputs: Mapping[str, dict] = field(default_factory=dict)


@dataclass(frozen=True)
class Treatment:
    """One registered method: ``apply(given, **settings)``, and its ``settings`` with their check and words.

    ``required`` names the settings without a default. ``promises`` are what holds on the output, for the properties
    that the tests run over the registry: of "k", "l", "t", "rows" (none is removed), "ids" (subject ids stay),
    "types" (numbers stay numbers), "columns" (nothing outside the named columns changes).
    ``check`` gets the settings of one step and the pilot's config literal and returns further faults in words, of
    what no setting tells alone. Settings of certain names (``column``, ``strata``, ...) name columns
    and are looked up.
    ``drops`` gets the settings and the columns and returns those that are gone afterwards.
    """

    apply: Callable[..., Treated]
    settings: Mapping[str, tuple[Callable[[object], bool], str]]
    required: tuple[str, ...] = ()
    promises: tuple[str, ...] = field(default=("rows", "ids", "columns"))
    check: Callable[[Mapping, Mapping], list[str]] | None = None
    drops: Callable[[Mapping, Sequence[str]], Sequence[str]] | None = None


# By the name under ``method`` in the config. Each module of this room adds its own; ``methods()`` imports them all.
_METHODS: dict[str, Treatment] = {}


def register(name: str, treatment: Treatment) -> None:
    if name in _METHODS:
        raise ValueError(f"treatment {name!r} is registered twice")
    _METHODS[name] = treatment


def methods() -> Mapping[str, Treatment]:
    """Every registered treatment by name."""
    from disclosure_control.treatments import MODULES

    for module in MODULES:
        import_module(f"disclosure_control.treatments.{module}")
    return _METHODS


# ---------------------------------------------------------------- what treatments share


def n_changed(before: pd.Series, after: pd.Series) -> int:
    """In how many records (n_records,) the value is another one; 1 and 1.0 are the same, and so are two missing."""
    if all(pd.api.types.is_numeric_dtype(column.dtype) for column in (before, after)):
        old, new = (column.to_numpy(dtype=float, na_value=np.nan) for column in (before, after))
        return int(((old != new) & ~(np.isnan(old) & np.isnan(new))).sum())
    old, new = encode_column(before), encode_column(after)
    texts = [labels_of(old), labels_of(new)]
    common, _ = pd.factorize(np.concatenate([np.asarray(part, dtype=object) for part in texts]))
    code_of_old, code_of_new = np.append(common[: len(texts[0])], -1), np.append(common[len(texts[0]) :], -1)
    return int((code_of_old[old.codes] != code_of_new[new.codes]).sum())


def with_columns(
    given: TreatmentInput,
    columns: Mapping[str, pd.Series],
    notes: Sequence[str] = (),
    changed: Mapping[str, int] | None = None,
    inputs: Mapping[str, dict] | None = None,
) -> Treated:
    """The frame with these columns in place of the old ones, and in how many records each of them changed.

    ``changed`` may be handed in where the treatment knows it; ``inputs`` as in ``Treated``.
    """
    if changed is None:
        changed = {name: n_changed(given.frame[name], column) for name, column in columns.items()}
    return Treated(given.frame.assign(**columns), changed, notes=tuple(notes), inputs=inputs or {})


def relabelled(column: pd.Series, labels: Sequence, ordered: bool = False) -> pd.Series:
    """The column as categories: ``labels`` (n_values,) are the texts of its distinct values, None is missing.

    The distinct values are those of ``encode_column``, in its order, which the categories keep where they are
    ``ordered``; otherwise they stand in alphabetical order.
    """
    encoded = encode_column(column)
    texts = pd.Series(list(labels), dtype=object)
    codes, categories = pd.factorize(texts, sort=not ordered)
    codes = np.append(codes, -1)[encoded.codes]
    values = pd.Categorical.from_codes(codes, categories=pd.Index(categories, dtype=object), ordered=ordered)
    return pd.Series(values, index=column.index, name=column.name)


def label_texts(column: pd.Series) -> list[str]:
    """The distinct values of a column as text, in the order of ``encode_column``."""
    return labels_of(encode_column(column))
