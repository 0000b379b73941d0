"""Exploring a pilot, exact linkage, and the three attacks of anonymeter, next to pandas and to anonymeter.

python look.py SIDE N [FOLDER]      one side, in a process of its own: prints its seconds as JSON
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from environments import NotInstalledError, python_with, version_of
from measuring import FailedSideError, Side, measure, own_side
from results import Bar, Comparison, Outcome

HERE = Path(__file__).resolve().parent
N_RECORDS, N_COLUMNS = 1_000_000, 30
N_SMALL, N_ATTACKS = 10_000, 500
KEYS = ("sex", "postal_code", "age", "birthday")
ATTACKS = ("singling_out", "linkability", "inference")
PARTS = (["number_0", "number_1", "category_0", "category_1"], ["number_2", "number_3", "category_2", "category_3"])
SECRET = "category_4"


def explore_beside_pandas(scale: float, repeats: int) -> Outcome:
    """(e) Tables of 1,000,000 people by 30 columns, and with figures; pandas' describe, counts and Spearman beside."""
    n_records = int(N_RECORDS * scale)
    tables, figures, pandas = measure(
        [_side("explore, tables", n_records), _side("explore, figures", n_records), _side("pandas", n_records)], repeats
    )
    comparisons = [
        Comparison("e. exploring, beside", tables, pandas, None),
        Comparison("e. with figures, beside", figures, pandas, None),
    ]
    return Outcome(comparisons, [f"e: {n_records:,} people by {N_COLUMNS} columns of text, ten of them with gaps"])


def exact_linkage(scale: float, repeats: int) -> Outcome:
    """(x) Unique pairs of 1,000,000 against 1,000,000 records, and every person's chance; a merge on the same keys."""
    n_records = int(N_RECORDS * scale)
    comparisons = []
    for n_keys in (2, 3, 4):
        ours, merge = measure(
            [_side(f"linkage, {n_keys} keys", n_records), _side(f"merge, {n_keys} keys", n_records)], repeats
        )
        comparisons.append(Comparison(f"x. exact linkage\n{', '.join(KEYS[:n_keys])}", ours, merge, Bar(3.0)))
    return Outcome(comparisons, [f"x: {n_records:,} records against as many"])


def anonymeter_attacks(scale: float, repeats: int) -> Outcome:
    """(y) Singling out, linkability and inference of 10,000 records, 500 attacks each, with a control group."""
    try:
        python = python_with("anonymeter", "anonymeter==1.1.*")
        name = f"anonymeter {version_of(python, 'anonymeter')}"
    except NotInstalledError as error:
        return Outcome(notes=[f"y: anonymeter could not be installed, and is left out: {error}"])
    n_records = int(N_SMALL * scale)
    folder = _made_tables(n_records)
    comparisons, notes = [], []
    for attack in ATTACKS:
        command = [python, HERE / "anonymeter_side.py", attack, folder, str(N_ATTACKS)]
        theirs = Side(name, command, timed_inside=True, warm_up=False)
        try:
            ours, other = measure([_side(attack, n_records, folder), theirs], repeats)
        except FailedSideError as error:
            notes.append(f"y: {error}")
            continue
        comparisons.append(Comparison(f"y. {attack.replace('_', ' ')}", ours, other, Bar(10, True), faster=True))
        for side in (ours, other):
            found = side.runs[0].found
            rates = ", ".join(f"{kind} {rate:.3f}" for kind, rate in found["figures"].items())
            notes.append(f"y: {attack}, {side.side.name}: {found['attacks']} attacks; {rates}")
    return Outcome(comparisons, notes)


def _side(name: str, n_records: int, *more: str | Path) -> Side:
    return own_side(name, HERE / "look.py", name, str(n_records), *more, timed_inside=True)


def _made_tables(n_records: int) -> Path:
    """Original people, a release that is half of them and half of others, and a control group, as CSV files."""
    folder = HERE / "data" / f"attacks_{n_records}"
    if not (folder / "control.csv").is_file():
        import numpy as np

        folder.mkdir(parents=True, exist_ok=True)
        random = np.random.default_rng(20260101)
        original, others, control = (_mixed_people(random, n_records) for _ in range(3))
        released = original.copy()
        released.iloc[n_records // 2 :] = others.iloc[n_records // 2 :]
        for name, table in (("original", original), ("released", released), ("control", control)):
            table.to_csv(folder / f"{name}.csv", index=False)
    return folder


# ---------------------------------------------------------------- inside the child process


def _mixed_people(random, n_records: int):
    import pandas as pd

    columns = {f"number_{i}": random.normal(50, 15, n_records).round(i % 3) for i in range(5)}
    for i in range(5):
        names = pd.Series([f"value {j}" for j in range(3 + 4 * i)])
        columns[f"category_{i}"] = names[random.integers(0, len(names), n_records)].to_numpy()
    return pd.DataFrame(columns)


def _wide_people(n_records: int):
    """Text as the combined dataset holds it: ten categories, ten numbers with gaps, nine without."""
    import numpy as np
    import pandas as pd

    random = np.random.default_rng(20260101)
    columns = {"USUBJID": pd.Series([f"B{i:08d}" for i in range(n_records)], dtype="str")}
    for i in range(10):
        names = pd.Series([f"value {j}" for j in range(3 + 3 * i)], dtype="str")
        columns[f"category_{i}"] = names[random.integers(0, 3 + 3 * i, n_records)].reset_index(drop=True)
    for i in range(19):
        numbers = pd.Series(random.normal(100, 15, n_records).round(1 if i < 15 else 6)).astype("str")
        columns[f"number_{i}"] = numbers.mask(random.random(n_records) < 0.05) if i < 10 else numbers
    return pd.DataFrame(columns)


def _exploring(n_records: int, figures: bool):
    import pandas as pd

    from config.model_settings import validate_config
    from disclosure_control.assess.assessment import assess
    from disclosure_control.steps.explore.drawing import draw_exploration
    from disclosure_control.steps.explore.exploration import explore
    from disclosure_control.steps.explore.settings import ExploreSettings
    from disclosure_control.steps.explore.step import exploration_tables

    table = _wide_people(n_records)
    for name in ("number_0", "number_1"):
        table[name] = table[name].astype(float)
    literal = {"categorical_qis": ["category_0", "category_1"], "continuous_qis": ["number_0"], "K": 5, "L": 2, "T": 9}
    literal |= {"binning_config": {"number_0": [0, 50, 100, 150, 200]}, "sensitive_feature": "number_1"}
    config = validate_config(literal, table.columns, {})
    assessment = assess(table, config)
    settings = ExploreSettings(group="category_0")

    def call(rows: pd.DataFrame = table):
        found = explore(rows, config, settings)
        exploration_tables(found, rows["USUBJID"])
        return draw_exploration(found, assessment) if figures else {}

    return call


def _by_pandas(n_records: int):
    import pandas as pd

    table = _wide_people(n_records)

    def call():
        numeric = table.filter(like="number").apply(pd.to_numeric)
        counts = {name: table[name].value_counts() for name in table.filter(like="category")}
        return numeric.describe(), counts, numeric.corr("spearman")

    return call


def _linking(n_records: int, n_keys: int, by_merge: bool):
    import numpy as np
    import pandas as pd

    from disclosure_control.steps.linkage_attack.linkage import attack_linkage, compare_tables

    random, keys = np.random.default_rng(20260101), list(KEYS[:n_keys])
    identified = pd.DataFrame(
        {
            "sex": random.choice(["F", "M"], n_records),
            "postal_code": random.integers(10_000, 10_000 + max(n_records // 2, 1), n_records).astype(str),
            "age": random.integers(18, 90, n_records),
            "birthday": random.integers(0, 366, n_records),
        }
    ).astype({"sex": "str", "postal_code": "str"})
    order = random.permutation(n_records)
    truth = np.empty(n_records, dtype=np.int64)
    truth[order] = np.arange(n_records)
    released = identified.iloc[order].reset_index(drop=True)
    if by_merge:
        sides = [table[keys].assign(number=np.arange(n_records)) for table in (released, identified)]
        return lambda: sides[0].merge(sides[1], on=keys)

    def call():
        attack = attack_linkage(
            compare_tables(released, identified, {key: key for key in keys}, "exact"), truth, "exact"
        )
        return {"named": attack.pairs.attack.rate, "chance": attack.guesses.attack.rate}

    return call


def _attacking(attack: str, folder: Path):
    import numpy as np
    import pandas as pd

    from disclosure_control.steps.linkage_attack.inference import infer_attribute
    from disclosure_control.steps.linkage_attack.linkability import link_parts
    from disclosure_control.steps.linkage_attack.singling_out import single_out

    original, released, control = (pd.read_csv(folder / f"{name}.csv") for name in ("original", "released", "control"))

    def call():
        random = np.random.default_rng(1)
        people, others = (
            table.iloc[random.choice(len(table), min(N_ATTACKS, len(table)), replace=False)]
            for table in (original, control)
        )
        if attack == "singling_out":
            names = list(original.columns)
            rates = single_out(released, original, names, "multivariate", random, N_ATTACKS, 3, control).rates
        elif attack == "linkability":
            rates = link_parts(released, people, *PARTS, others)
        else:
            rates = infer_attribute(released, people, SECRET, [*PARTS[0], *PARTS[1]], others).rates
        return {"attack": rates.attack.rate, "control": rates.control.rate}, rates.attack.n

    return call


def main(arguments: list[str]) -> None:
    from inside import timed

    name, n_records = arguments[0], int(arguments[1])
    if name.startswith("explore"):
        found, _ = timed(_exploring(n_records, name.endswith("figures")), 1)
    elif name == "pandas":
        found, _ = timed(_by_pandas(n_records), 1)
    elif name in ATTACKS:
        call = _attacking(name, Path(arguments[2]))
        call()  # imports are not timed
        found, (rates, n_attacks) = timed(call, 1)
        found |= {"figures": rates, "attacks": n_attacks}
    else:
        what, n_keys, _ = name.replace(",", "").split()
        _linking(100, int(n_keys), what == "merge")()
        found, _ = timed(_linking(n_records, int(n_keys), what == "merge"), 1)
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
