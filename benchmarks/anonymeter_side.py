"""Runs in the environment of anonymeter: one of its three attacks.

    python anonymeter_side.py ATTACK FOLDER N_ATTACKS

ATTACK is ``singling_out``, ``linkability`` or ``inference``; the folder holds original.csv, released.csv and
control.csv. Reading the files is not timed.
"""

import json
import sys
import time
import warnings

import pandas as pd
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator

PARTS = (["number_0", "number_1", "category_0", "category_1"], ["number_2", "number_3", "category_2", "category_3"])
SECRET = "category_4"


def evaluator(attack, tables, n_attacks):
    original, released, control = tables
    if attack == "singling_out":
        return SinglingOutEvaluator(original, released, n_attacks=n_attacks, n_cols=3, control=control, seed=1)
    if attack == "linkability":
        return LinkabilityEvaluator(original, released, PARTS, n_attacks=n_attacks, control=control)
    known = [*PARTS[0], *PARTS[1]]
    return InferenceEvaluator(original, released, known, SECRET, n_attacks=n_attacks, control=control)


def evaluated(attack, tables, n_attacks):
    one = evaluator(attack, tables, n_attacks)
    return one.evaluate(mode="multivariate") if attack == "singling_out" else one.evaluate()


def main() -> None:
    warnings.simplefilter("ignore")
    attack, folder, n_attacks = sys.argv[1], sys.argv[2], int(sys.argv[3])
    tables = [pd.read_csv(f"{folder}/{name}.csv") for name in ("original", "released", "control")]
    evaluated(attack, [table.head(300) for table in tables], 20)  # so that nothing is imported or compiled below
    start, cpu = time.perf_counter(), time.process_time()
    one = evaluated(attack, tables, n_attacks)
    result = one.results()
    seconds = {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu}
    rates = {"attack": result.attack_rate.value, "control": result.control_rate.value}
    print(json.dumps({**seconds, "figures": rates, "attacks": n_attacks}))


if __name__ == "__main__":
    main()
