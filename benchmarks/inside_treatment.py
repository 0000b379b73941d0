"""What is timed of the treatments inside a child process, ours or anonypy's: one call on the people of a file.

    python inside_treatment.py METHOD FILE [OPTION ...]

Prints one line of JSON: seconds, CPU seconds and figures, after a call on a few people that does the imports.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

K = {"local_suppression": 3, "mdav": 3, "mondrian": 5, "anonypy": 5}


def run_inside(method: str, file: Path, *options: str) -> None:
    """One call, after one on a few people that does the imports; prints a line of JSON."""
    import pandas as pd

    run = {
        "local_suppression": _local_suppression,
        "mdav": _mdav,
        "mondrian": _mondrian,
        "anonypy": _anonypy,
    }[method]
    people = pd.read_csv(file)
    run(people.head(200), *options)
    wall, cpu = time.perf_counter(), time.process_time()
    figures = run(people, *options)
    seconds = {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
    print(json.dumps({**seconds, "figures": figures}))


def _given(people):
    import numpy as np
    from made_data import PEOPLE_CONFIG

    from config.model_settings import validate_config
    from disclosure_control.remedy.treatments.registry import TreatmentInput

    bins = {"VS__BMI": PEOPLE_CONFIG["binning_config"]["VS__BMI"]}
    return TreatmentInput(people, validate_config(PEOPLE_CONFIG | {"binning_config": bins}), np.random.default_rng(1))


def _local_suppression(people, missing: str) -> dict:
    from disclosure_control.remedy.treatments.methods.local_suppression import (
        LocalSuppressionSettings,
        apply_local_suppression,
    )

    treated = apply_local_suppression(
        _given(people), LocalSuppressionSettings(k=K["local_suppression"], missing=missing)
    )
    return {"cells": sum(treated.changed.values())}


def _mdav(people) -> dict:
    from disclosure_control.remedy.treatments.methods.microaggregation import MdavSettings, apply_mdav

    columns = ["DM__AGE", "VS__BMI", "LB__Cholesterol"]
    treated = apply_mdav(_given(people), MdavSettings(columns=columns, group_size=K["mdav"]))
    return {"groups at most": len(treated.frame[columns].drop_duplicates())}


def _mondrian(people) -> dict:
    from disclosure_control.remedy.treatments.methods.mondrian import MondrianSettings, apply_mondrian

    given = _given(people)
    treated = apply_mondrian(given, MondrianSettings(k=K["mondrian"], also=[]))
    size = treated.frame.groupby(list(given.config.quasi_identifiers), dropna=False, observed=True).size()
    return {"classes": len(size), "smallest": int(size.min())}


def _anonypy(people) -> dict:
    import anonypy

    *names, sensitive = people.columns
    people = people.fillna({name: "missing" if people[name].dtype == object else 0 for name in names})
    categories = [name for name in names if people[name].dtype == object]
    people = people.astype(dict.fromkeys(categories, "category"))
    rows = anonypy.Preserver(people, names, sensitive).anonymize_k_anonymity(k=K["anonypy"])
    sizes = [row["count"] for row in rows]
    return {"rows": len(rows), "people": int(sum(sizes))}


if __name__ == "__main__":
    run_inside(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
