"""The sections of the step ``risk``: each module here is one, of its own name, and registered by being here."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType

from disclosure_control.steps.risk.section import RiskSection


def _sections() -> dict[str, RiskSection]:
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    found: dict[str, RiskSection] = {name: import_module(f"{__name__}.{name}").SECTION for name in names}
    return dict(sorted(found.items(), key=lambda named: (named[1].place, named[0])))


# By name, in the order of their places.
SECTIONS: Mapping[str, RiskSection] = MappingProxyType(_sections())
