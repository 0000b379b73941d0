"""Events and interventions (AE, MH, CM, EX, DS, ...): per subject a count, and flags for the codes asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from study.merge.parts import Domain, DomainPart, Parts, Plan, Reduced, Reduction
from study.merge.wide import says
from study.models.coded_terms import DENIES

YES, NO = "Y", "N"


def reduce_events(part: DomainPart, domain: Domain, _: Any) -> Reduced:
    """Columns ``AE__count`` and, for each variable and code requested, ``AE__AEDECOD=HEADACHE`` (Y or N).

    A subject without a record has the count 0 and N. Records of something that did not occur (--OCCUR N, --STAT
    NOT DONE) do not count.
    """
    asked = domain.settings.events.get(domain.name)
    if asked is None:
        return Reduced({}, counts={"form": "events, not joined"})
    frame, subject, n_subjects, own = part.frame, part.subject, part.n_subjects, domain.name
    happened = np.ones(len(frame), dtype=bool)
    for name, value in DENIES:
        happened &= ~says(frame, domain.model.called(name), value)
    count = np.bincount(subject[happened], minlength=n_subjects)
    columns = {f"{own}__count": count.astype(str).astype(object)}
    for variable, codes in asked.items():
        for code in codes:
            ever = np.zeros(n_subjects, dtype=bool)
            ever[subject[happened & says(frame, variable, code.upper())]] = True
            columns[f"{own}__{variable}={code}"] = np.where(ever, YES, NO).astype(object)
    return Reduced(columns)


def plan_events(parts: Parts, domain: Domain) -> Plan:
    """Nothing has to be known of all people; a variable that the domain does not have is a fault."""
    place = f"merge['events'][{domain.name!r}]: {domain.name}"
    absent = [name for name in domain.settings.events.get(domain.name, ()) if name not in domain.columns]
    return Plan(faults=tuple(f"{place} has no variable {name!r}" for name in absent))


EVENTS = Reduction("events", reduce_events, plan_events)
