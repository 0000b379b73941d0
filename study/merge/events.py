"""Events and interventions (AE, MH, CM, EX, DS, ...): per subject a count, and flags for the codes asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from study.merge.parts import CountedFault, Domain, DomainPart, Parts, Plan, Reduced, Reduction, literal
from study.merge.wide import says
from study.models.roles import TableKind, TableModel

YES, NO = "Y", "N"
DENIES = (("OCCUR", "N"), ("STAT", "NOT DONE"))  # by the names of general classes


def are_events(domain: Domain) -> bool:
    """Whether a domain contains events or interventions, any number per person."""
    return domain.model.kind in (TableKind.EVENTS, TableKind.TIMING)


@dataclass(frozen=True)
class EventsPlan:
    """The requested codes by variable; ``flags`` is None where the domain is not to be joined."""

    domain: str
    model: TableModel
    flags: Mapping[str, tuple[str, ...]] | None


def plan_events(parts: Parts, domain: Domain) -> Plan[EventsPlan]:
    """The codes that the settings request of a domain; the plan needs nothing of all people."""
    return Plan(EventsPlan(domain.name, domain.model, domain.settings.events.get(domain.name)))


def reduce_events(part: DomainPart, plan: EventsPlan) -> Reduced:
    """Columns ``AE__count`` and, for each variable and code requested, ``AE__AEDECOD=HEADACHE`` (Y or N).

    A subject without a record has the count 0 and N. Records of something that did not occur (--OCCUR N, --STAT
    NOT DONE) do not count. A variable that the domain does not have is a fault.
    """
    if plan.flags is None:
        return Reduced({}, counts={"form": "events, not joined"})
    frame, subject, n_subjects, domain = part.frame, part.subject, part.n_subjects, plan.domain
    happened = np.ones(len(frame), dtype=bool)
    for name, value in DENIES:
        happened &= ~says(frame, plan.model.called(name), value)
    count = np.bincount(subject[happened], minlength=n_subjects)
    columns = {f"{domain}__count": count.astype(str).astype(object)}
    faults = []
    for variable, codes in plan.flags.items():
        if variable not in frame:
            words = f"merge['events'][{domain!r}]: {domain} has no variable {variable!r}"
            faults.append(CountedFault(literal(words), {}))
            continue
        for code in codes:
            ever = np.zeros(n_subjects, dtype=bool)
            ever[subject[happened & says(frame, variable, code.upper())]] = True
            columns[f"{domain}__{variable}={code}"] = np.where(ever, YES, NO).astype(object)
    return Reduced(columns, faults=tuple(faults))


EVENTS = Reduction("events", are_events, plan_events, reduce_events)
