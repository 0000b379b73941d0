"""The data models: each module of this folder that defines a ``MODEL`` is one."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from study.formats.legends import legends_among
from study.formats.tables import SourceTable
from study.models.roles import TableKind, TableModel
from study.models.study_model import StudyModel


@dataclass(frozen=True)
class DataModel:
    """A data model: how its files are recognised, and what it says of their columns.

    ``recognised`` gives the reason why tables are of this model, "" if they are not. ``described`` describes them;
    its second argument is the column with the person's id that the config names, None if it names none. Models are
    asked in the order of their ``place``. ``documentation`` is the model's line in docs/models.md.
    ``has_legends``: other files than the model's may be beside them, and those that are legends are told apart.
    """

    name: str
    documentation: str
    recognised: Callable[[Sequence[SourceTable]], str]
    described: Callable[[Sequence[SourceTable], str | None], StudyModel]
    place: int = 50
    has_legends: bool = False


@cache
def data_models() -> dict[str, DataModel]:
    """Every data model by name, in the order in which they are asked."""
    names = sorted(module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]))
    modules = [importlib.import_module(f"study.models.{name}") for name in names]
    models: list[DataModel] = [module.MODEL for module in modules if hasattr(module, "MODEL")]
    return {model.name: model for model in sorted(models, key=lambda one: one.place)}


def study_model(tables: Sequence[SourceTable], person: str | None, chosen: str | None = None) -> StudyModel:
    """The study that the tables are, by the model that recognises them first, or the ``chosen`` one.

    ``person`` is the column with the person's id, where the config names one. The last model recognises any tables.
    """
    models = data_models()
    model = models[chosen] if chosen else next(one for one in models.values() if one.recognised(tables))
    legends = legends_among(tables, person) if model.has_legends else {}
    found = model.described([table for table in tables if table.domain not in legends], person)
    explained = {domain: TableModel(domain, TableKind.LEGEND, reason) for domain, reason in legends.items()}
    return dataclasses.replace(found, tables={**found.tables, **explained})
