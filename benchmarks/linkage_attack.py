"""Exact linkage next to a pandas merge, and the three attacks of anonymeter next to anonymeter.

python linkage_attack.py SIDE N [FOLDER]      one side, in a process of its own: prints its seconds as JSON
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from environments import NotInstalledError, python_with, version_of
from measuring import FailedSideError, Side, measure, own_side
from results import BenchmarkOutcome, ComparisonBar, TimedComparison

HERE = Path(__file__).resolve().parent
N_RECORDS = 1_000_000
N_SMALL, N_ATTACKS = 10_000, 500
KEYS = ("sex", "postal_code", "age", "birthday")
ATTACKS = ("singling_out", "linkability", "inference")
PARTS = (["number_0", "number_1", "category_0", "category_1"], ["number_2", "number_3", "category_2", "category_3"])
SECRET = "category_4"


def exact_linkage(scale: float, repeats: int) -> BenchmarkOutcome:
    """(x) Unique pairs of 1,000,000 against 1,000,000 records, and every person's chance; a merge on the same keys."""
    n_records = int(N_RECORDS * scale)
    comparisons = []
    for n_keys in (2, 3, 4):
        ours, merge = measure(
            [_side(f"linkage, {n_keys} keys", n_records), _side(f"merge, {n_keys} keys", n_records)], repeats
        )
        comparisons.append(
            TimedComparison(f"x. exact linkage\n{', '.join(KEYS[:n_keys])}", ours, merge, ComparisonBar(3.0))
        )
    return BenchmarkOutcome(comparisons, [f"x: {n_records:,} records against as many"])


def anonymeter_attacks(scale: float, repeats: int) -> BenchmarkOutcome:
    """(y) Singling out, linkability and inference of 10,000 records, 500 attacks each, with a control group."""
    try:
        python = python_with("anonymeter", "anonymeter==1.1.*")
        name = f"anonymeter {version_of(python, 'anonymeter')}"
    except NotInstalledError as error:
        return BenchmarkOutcome(notes=[f"y: anonymeter could not be installed, and is left out: {error}"])
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
        comparisons.append(
            TimedComparison(f"y. {attack.replace('_', ' ')}", ours, other, ComparisonBar(10, True), faster=True)
        )
        for side in (ours, other):
            found = side.runs[0].found
            rates = ", ".join(f"{kind} {rate:.3f}" for kind, rate in found["figures"].items())
            notes.append(f"y: {attack}, {side.side.name}: {found['attacks']} attacks; {rates}")
    return BenchmarkOutcome(comparisons, notes)


def _side(name: str, n_records: int, *more: str | Path) -> Side:
    return own_side(name, HERE / "linkage_attack.py", name, str(n_records), *more, timed_inside=True)


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


def _linking(n_records: int, n_keys: int, by_merge: bool):
    import numpy as np
    import pandas as pd

    from disclosure_control.analyses.linkage_attack.linkage import attack_linkage, compare_tables

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

    from disclosure_control.analyses.linkage_attack.inference import infer_attribute
    from disclosure_control.analyses.linkage_attack.linkability import link_parts
    from disclosure_control.analyses.linkage_attack.singling_out import single_out

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
    if name in ATTACKS:
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
