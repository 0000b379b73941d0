"""Runs in the environment of pyCANON: k, l and t by its three functions, which give the worst value of each.

    python pycanon_side.py FILE     (the last column is sensitive, all others are quasi-identifiers)

Reading the file is not timed.
"""

import json
import sys
import time

import pandas as pd
from pycanon.anonymity import k_anonymity, l_diversity, t_closeness

table = pd.read_csv(sys.argv[1])
*quasi_identifiers, sensitive = table.columns
wall, cpu = time.perf_counter(), time.process_time()
found = {
    "k": int(k_anonymity(table, quasi_identifiers)),
    "l": int(l_diversity(table, quasi_identifiers, [sensitive])),
}
cpu_before_t = time.process_time()
found["t"] = float(t_closeness(table, quasi_identifiers, [sensitive]))
timing = {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
print(json.dumps({**timing, "cpu_seconds_of_t": time.process_time() - cpu_before_t, "figures": found}))
