"""What outsiders may know of the people of whole studies, by kind and by table: as it is kept."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from disclosure_control.measures.longitudinal import alone_by_facts
from disclosure_control.release.facts.facts import (
    KINDS,
    columns_with_facts,
    facts_known,
    rows_with_facts,
    variables_that_tell,
)
from study.formats.files import find_domain_files, read_domain_file
from study.formats.tables import SourceTable
from study.merge.subject_ids import SubjectIdRule
from study.models.registry import study_model
from tests.kept import changed_since_kept
from tests.places import PROJECT
from tests.study.models.test_described import tables_of
from tests.study_tables.test_awkward_study import STUDY

N_PEOPLE, DOMAINS = 40, ("dm", "ae", "ds", "mh", "suppdm")


def tables_by_name(name: str) -> dict[str, SourceTable]:
    if name == "awkward":
        return {one: SourceTable(one, f"{one}.csv", "", frame, {}, ()) for one, frame in STUDY.items()}
    if name != "SDTM_DEMO":
        return {one.domain: one for one in tables_of(name)}
    files = find_domain_files(PROJECT / "pilot_report" / name).by_domain.values()
    return {path.stem.upper(): read_domain_file(path) for path in files if path.stem.lower() in DOMAINS}


@pytest.mark.parametrize("name", ["SDTM_DEMO", "OMOP_DEMO", "REDCAP_DEMO", "awkward", "plain"])
def test_the_facts_of_a_whole_study(name):
    tables, found = tables_by_name(name), {}
    model = study_model(list(tables.values()), None)
    person = model.person or "USUBJID"
    rule = SubjectIdRule(column=person)
    ids = sorted({one for table in tables.values() if person in table.frame for one in table.frame[person].dropna()})
    subjects = pd.Series(ids[:N_PEOPLE], dtype="str")
    for kind in KINDS:
        read = rows_with_facts(tables, model, rule, (kind,), None)
        opened = {one: rows for one, rows in read.items() if rows is not None}
        plain, dated = facts_known(opened, subjects, rule, (kind,), model)
        found[kind] = {one: columns_with_facts(one, table, model, rule, (kind,)) for one, table in tables.items()}
        found[kind] |= {"holders": plain.holders, "tell": variables_that_tell(opened, subjects, rule, kind, model)}
        for of, facts in (("plain", plain), ("dated", dated)):
            alone = alone_by_facts(np.zeros(len(subjects), dtype=np.int64), facts.people, facts.facts)
            n_people = np.bincount(facts.people, minlength=len(subjects))
            found[kind][of] = [len(facts.people), len(set(facts.facts)), [one.n_alone for one in alone]]
            found[kind][f"{of} of people"] = n_people
    assert changed_since_kept(f"facts_{name}", found) == {}
