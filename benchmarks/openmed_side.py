"""Runs in the environment of OpenMed: k, l and t by ``openmed.risk.kanon_report``, one call for all three.

    python openmed_side.py FILE     (the last column is sensitive, all others are quasi-identifiers)

``kanon_report`` is the least that OpenMed does to give the three for every class; its ``KAnonymityEngine`` and
``LDiversityEngine`` call it and add more. Reading the file is not timed.
"""

import csv
import json
import sys
import time

from openmed.risk import kanon_report


def read_records(path: str) -> list[dict]:
    """Rows as dictionaries, as the library wants them."""
    with open(path, newline="", encoding="utf-8") as file:  # noqa: PTH123
        records = list(csv.DictReader(file))
    *_, sensitive = records[0]
    for record in records:
        record[sensitive] = int(record[sensitive])
    return records


def figures(report: dict, sensitive: str) -> dict:
    """Worst values, and sums over the records by position, as ``inside.py`` gives them."""
    sums = {"k": 0, "l": 0, "t": 0.0}
    for members in report["equivalence_classes"]:
        positions = sum(members["members"]) + len(members["members"])
        sums["k"] += positions * members["size"]
        sums["l"] += positions * members["l_diversity"][sensitive]["distinct"]
        sums["t"] += positions * members["t_closeness"][sensitive]
    return {
        "classes": report["class_count"],
        "k": report["k"],
        "l": report["l_diversity"][sensitive]["min_distinct"],
        "t": report["t_closeness"][sensitive],
        **{f"{letter} of all records": total for letter, total in sums.items()},
    }


records = read_records(sys.argv[1])
*quasi_identifiers, sensitive = records[0]
wall, cpu = time.perf_counter(), time.process_time()
report = kanon_report(records, quasi_identifiers, [sensitive])
found = {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
print(json.dumps({**found, "figures": figures(report, sensitive)}))
