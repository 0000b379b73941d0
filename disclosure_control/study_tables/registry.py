"""The tables of a study: each module of ``definitions`` has a function that makes one, or a family of them."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from disclosure_control.study_tables.side import StudySide
from disclosure_control.study_tables.table import StudyTable

Make = Callable[[StudySide], Iterator[StudyTable]]


@dataclass(frozen=True)
class TableDefinition:
    """A table, or one for each domain that has its rows: ``make`` gives none where the study has no such rows.

    Tables come in the order of their ``place``. ``documentation`` is their line in docs/study_tables.md.
    """

    name: str
    place: int
    documentation: str
    make: Make


def defined(place: int, documentation: str) -> Callable[[Make], TableDefinition]:
    """Makes a definition of a function, with the name of its module: it is written above the one named ``make``."""
    return lambda make: TableDefinition(make.__module__.rpartition(".")[2], place, documentation, make)


@cache
def definitions() -> dict[str, TableDefinition]:
    """Every definition by name, in the order of the tables."""
    from disclosure_control.study_tables import definitions as folder

    modules = (
        importlib.import_module(f"{folder.__name__}.{one.name}") for one in pkgutil.iter_modules(folder.__path__)
    )
    found: list[TableDefinition] = [module.make for module in modules]
    return {one.name: one for one in sorted(found, key=lambda one: one.place)}


def study_tables(side: StudySide) -> dict[str, StudyTable]:
    """Every table that can be made of one side of a study, by its key; tables without a row are left out."""
    made = (table for definition in definitions().values() for table in definition.make(side))
    return {table.key: table for table in made if table.rows}
