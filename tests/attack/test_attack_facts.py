"""What takes a fact out: of results only those of a test, whatever its data model calls the column of results."""

from __future__ import annotations

import numpy as np
import pandas as pd

from disclosure_control.attack.facts import PersonFacts
from disclosure_control.attack.tells.row_summaries import RowsOfFile, summaries_of
from disclosure_control.attack.tells.summaries import lines_without
from disclosure_control.basics.settings.changes import applied
from tests.release.small_studies import model_of

N = 40
NAMES = {3016723: "Creatinine [Mass/volume] in Serum", 3049187: "Filtration rate"}


def test_the_results_of_a_concept_go_by_its_name_and_others_stay():
    person = np.tile(np.arange(N), 2)
    concept = np.repeat(list(NAMES), N)
    number = np.random.default_rng(4).normal(50, 9, 2 * N)
    measured = pd.DataFrame({"measurement_concept_id": concept.astype(str), "value_as_number": number})
    files = {
        "PERSON": pd.DataFrame({"person_id": np.arange(N).astype(str), "gender_concept_id": "8507"}),
        "MEASUREMENT": measured.assign(person_id=person.astype(str), measurement_id=np.arange(2 * N).astype(str)),
        "CONCEPT": pd.DataFrame({"concept_id": [str(one) for one in NAMES], "concept_name": list(NAMES.values())}),
    }
    model = model_of(files, "omop")
    rows = RowsOfFile("MEASUREMENT", "MEASUREMENT", measured, person, model.table("MEASUREMENT"))
    made = summaries_of([rows], np.arange(N), np.full(N, np.nan))
    facts = PersonFacts.of(pd.DataFrame(index=range(N)), made, N)
    of_rate = sorted({unit for units in facts.units for unit in units if unit.term == "Filtration rate"})
    assert applied({}, lines_without(of_rate[:1], "it tells")) == {"merge": {"drop": ["MEASUREMENT__Filtration rate"]}}
    assert not any(unit.is_of_results and not unit.term for units in facts.units for unit in units), (
        "of all tests: no fact"
    )
    assert {unit.term for units in facts.units for unit in units} >= {"Creatinine (Mass/volume) in Serum"}
