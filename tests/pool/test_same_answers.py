"""The answer of the pool is that of ``Main_Anonymization.py`` on the pooled records, to the last count.

The referee is door 2 itself, run on one file with the records of all hospitals: its summary, its steps, its lists.
"""

from __future__ import annotations

import ast
import json

import numpy as np
import pandas as pd
import pytest

from Anonymization_Models import run_k_anonymity
from disclosure_control.assess.assessment import evaluate
from disclosure_control.assess.opening import opened
from disclosure_control.basics.encoding.columns import encode_column
from disclosure_control.basics.telling.plain import plain
from disclosure_control.pooling.lines import shared_steps
from disclosure_control.records.text_table import TextTable
from disclosure_control.report.summary import privacy_summary
from disclosure_control.steps import READERS
from disclosure_control.steps.risk.sections.determined_by import determinations
from disclosure_control.steps.running import run_steps
from tests.examples import is_thorough
from tests.pool.nodes import FIVE, STUDY, WHY, Parties
from tests.pool.random_rounds import RandomRound, random_round

MODELS = ("k_anonymity", "l_diversity", "t_closeness", "missing_policies", "notices")


def referee(made: RandomRound, folder):
    """Door 2 on the pooled records: the assessment, and the figures that the answer has, too."""
    path = folder / "combined_dataset.csv"
    made.pooled.to_csv(path, index=False)
    with opened("memory", path, made.config, READERS) as found:
        assessment = evaluate(found.people, found.config)
        steps = run_steps(STUDY, folder, found.dataset, assessment, left_out=all_but("risk", "recommend"))
    summary = privacy_summary(STUDY, assessment, {})
    figures = {name: summary[name] for name in MODELS} | plain({name: one.found for name, one in steps.items()})
    return assessment, json.loads(json.dumps(figures)), found.dataset.subjects


def all_but(*names: str) -> list[str]:
    return [*READERS.keys() - {*names}]


def released_by_door_2(made: RandomRound, folder) -> pd.DataFrame:
    """The pooled records as door 2 treats them by its own recommendation, by id."""
    return treated_by_door_2(made, folder / "combined_dataset.csv", [{"method": "recommended"}])


def treated_by_door_2(made: RandomRound, path, steps: list[dict]) -> pd.DataFrame:
    """The people of a combined dataset as door 2 treats them by a list of steps, by id."""
    config = {**made.config, "treatment": steps}
    left_out = all_but("treatment", *(["risk", "recommend"] if steps == [{"method": "recommended"}] else []))
    with opened("memory", path, config, READERS) as found:
        assessment = evaluate(found.people, found.config)
        (made_of,) = run_steps(STUDY, path.parent, found.dataset, assessment, left_out=left_out)[
            "treatment"
        ].datasets.values()
        pieces = [made_of] if isinstance(made_of, pd.DataFrame) else list(made_of)
    return pd.concat(pieces).set_index("USUBJID")


def of_quasi_identifiers(risk: dict, names) -> dict:
    """Without attributes that are none: the pool has no other columns, and no two sensitive values of one person.

    Only the five columns that disclose most have a rate of shuffled values, which may be others then; see below.
    """
    determined = {
        name: [{**one, "shuffled_rate": None} for one in several if one["attribute"] in names]
        for name, several in risk["determined_by"].items()
    }
    return {**risk, "determined_by": determined, "determined_by_not_looked_at": None}


def determined_by_quasi_identifiers(assessment) -> dict:
    """What door 2 finds of the pooled records in a file that has no column beside, rates of shuffled values too."""
    alone = TextTable([], None, None, 0)
    found = {name: determinations(assessment, name, alone)[0] for name in assessment.config.sensitive_features}
    return json.loads(json.dumps(plain(found)))


def compare(made: RandomRound, parties: Parties):
    sums = made.config["pool"]["sums"]
    parties.settle(made.config, {**({sums: None} if sums not in FIVE else {}), **made.frames})
    parties.whole_round(FIVE, sums)
    compare_answers(made, parties)


def compare_answers(made: RandomRound, parties: Parties):
    """After a round: figures, flags and recoded values are those of door 2 on the pooled records."""
    assessment, expected, subjects = referee(made, parties.root)
    answer = json.loads((parties.shared / "answer.pool").read_bytes().split(b"\n", 1)[0])["figures"]
    names = assessment.config.quasi_identifiers
    for part in (*MODELS, "recommend"):
        assert answer[part] == expected[part], part
    assert of_quasi_identifiers(answer["risk"], names) == of_quasi_identifiers(expected["risk"], names)
    assert answer["risk"]["determined_by"] == determined_by_quasi_identifiers(assessment)
    flags_are_those_of_the_pool(parties, assessment, subjects)
    if answer["recoding"] is not None:
        released_pool_holds_k(parties, made, answer)


def flags_are_those_of_the_pool(parties: Parties, assessment, subjects):
    """By id: who is flagged by k, l and t in ``pool_people.csv`` is whom door 2 flags in the pooled records."""
    listed = pd.concat(
        [pd.read_csv(parties.data(node) / "pool_results" / "pool_people.csv", dtype={"USUBJID": str}) for node in FIVE]
    ).set_index("USUBJID")
    for result in assessment.results:
        letter = result.model[0]
        name = f"{letter} in the pool" if result.sensitive is None else f"{letter} of {result.sensitive} in the pool"
        assert set(listed.index[listed[name] == 1]) == set(subjects[result.risky]), name


def nobody_learns_which_values_do_not_occur(made: RandomRound, recoding: dict):
    """Every declared value is recoded, one that nobody has as a rare one is."""
    for name, values in made.config["pool"]["categories"].items():
        if name in recoding:
            assert set(recoding[name]) == {*values, ""}
            assert recoding[name]["nobody has it"] == (
                "other" if "other" in recoding[name].values() else "nobody has it"
            )


def canonical(column: pd.Series) -> list[str]:
    """The values as they are counted."""
    encoded = encode_column(column.reset_index(drop=True).astype("str"))
    return [*np.append(encoded.labels.astype(str), "")[encoded.codes]]


def released_pool_holds_k(parties: Parties, made: RandomRound, answer: dict):
    nobody_learns_which_values_do_not_occur(made, answer["recoding"])
    paths = [parties.data(node) / "pool_results" / "pool_recoded.csv" for node in FIVE]
    together = pd.concat([pd.read_csv(path, dtype=str, keep_default_na=False) for path in paths], ignore_index=True)
    kept = [name for name in together if name != "USUBJID"]
    if "k" in answer["recommend"]["models"] and kept and len(together):
        frame = together[kept].replace("", None)
        assert run_k_anonymity(frame, kept, made.config["K"], made.config["missing_qis"]).n_risky == 0
    expected = released_by_door_2(made, parties.root)
    assert set(together["USUBJID"]) == set(expected.index)
    for name in kept:
        column = expected.loc[together["USUBJID"], name]
        assert canonical(together[name].replace("", None)) == canonical(column.astype(object)), name
    lines_recode_each_hospital_alike(made, parties, answer, together.set_index("USUBJID"))
    if answer["recommend"]["suppressed"] is not None:
        assert len(made.pooled) - len(together) == answer["recommend"]["suppressed"]


def lines_recode_each_hospital_alike(made: RandomRound, parties: Parties, answer: dict, together: pd.DataFrame):
    """The lines for a config make of each hospital's people, alone, what the pool's advice makes of them."""
    steps = shared_steps(answer["recommend"]["short_list"][0]["treatment"], answer["recoding"])
    assert not [step for step in steps if "rarer_than" in step]
    recodings = [step for step in steps if step["method"] != "suppress_records"]
    for node in FIVE if recodings else ():
        text = (parties.data(node) / "pool_results" / "pool_treatment.txt").read_text(encoding="utf-8")
        assert ast.literal_eval("{" + text.partition("\n\n")[2].strip() + "}") == {"treatment": steps}
        path = parties.data(node) / "processed_for_anonym" / "combined_dataset.csv"
        treated = treated_by_door_2(made, path, recodings)
        kept = treated.index[treated.index.isin(together.index)]
        for name in together:
            of_pool = together.loc[kept, name].replace("", None)
            assert canonical(treated.loc[kept, name].astype(object)) == canonical(of_pool), name


@pytest.mark.parametrize("seed", range(200 if is_thorough() else 2))
def test_the_answer_is_that_of_door_2_on_the_pooled_records(seed, parties):
    compare(random_round(seed), parties)


EDGE = {
    "categorical_qis": ["C"],
    "continuous_qis": ["N"],
    "binning_config": {"N": [0, 10, 20]},
    "sensitive_feature": ["S", "U"],
    "K": 3,
    "L": {"S": 2, "U": 2},
    "T": {"S": 0.4, "U": 0.3},
    "missing_qis": "category",
    "recommend": {"suppression_limit": 0.3},
    "risk": "all",
    "pool": {
        **WHY,
        "nodes": list(FIVE),
        "sums": "TRUSTEE",
        "categories": {"C": ["a", "b", "c", "1", "nobody has it"], "U": ["x", "y"]},
        "values": {"S": {"from": 0, "to": 3, "step": 0.5}},
    },
}
ALL_MISSING = {"C": None, "N": np.nan, "S": np.nan, "U": None}


def people_of(seed: int, **instead) -> pd.DataFrame:
    """Fifteen people in bins and tails, some without a value; columns ``instead`` have one value."""
    chance = np.random.default_rng(seed)
    columns = {
        "C": chance.choice(["a", "b", "c", None], 15),
        "N": chance.choice([-3, 0, 5, 10, 15, 20, 99, np.nan], 15),
        "S": chance.choice([0, 0.5, 1, 3, np.nan], 15),
        "U": chance.choice(["x", "y", None], 15),
    }
    return pd.DataFrame(columns).assign(**instead)


@pytest.mark.thorough("4 s each: five nodes and door 2")
@pytest.mark.parametrize(
    ("settings", "at_the_first", "at_the_others"),
    [
        ({}, {"S": np.nan, "U": None}, {}),  # no sensitive value at one hospital
        ({}, ALL_MISSING, {}),
        ({"missing_qis": "wildcard"}, ALL_MISSING, {}),
        ({"missing_qis": "exclude"}, ALL_MISSING, {}),
        ({}, ALL_MISSING, ALL_MISSING),
        ({"missing_qis": "exclude"}, {"C": None}, {"C": None}),  # nobody is evaluated
        ({}, {"S": np.nan}, {"S": np.nan}),
        ({}, {"C": "a", "N": 5.0, "S": 1.0, "U": "x"}, {"C": "a", "N": 5.0, "S": 1.0, "U": "x"}),  # one cell
        ({}, {"N": -3.0}, {"N": 99.0}),  # tails alone
        ({}, {"C": 1.0}, {}),  # categories that one hospital's file has as numbers
        ({"K": 500}, {}, {}),  # more than all people
    ],
)
def test_the_edges(settings, at_the_first, at_the_others, parties):
    instead = [at_the_first, *[at_the_others] * 4]
    frames = {node: people_of(i, **instead[i]) for i, node in enumerate(FIVE)}
    compare(RandomRound({**EDGE, **settings}, frames), parties)
