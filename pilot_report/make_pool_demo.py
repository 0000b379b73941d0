"""Split SDTM_DEMO, 60 invented adults, into three hospitals and one config: the demo of docs/pool.md.

    python pilot_report/make_pool_demo.py pool_demo

pool_demo/AMSTERDAM/POOL_DEMO/*.csv   the domains of 20 people; BERLIN and COIMBRA have 20 others each
pool_demo/config/POOL_DEMO.py         the config of SDTM_DEMO with the key "pool", the same for everybody

Each hospital's folder is a data folder (``BIOSTREAMS_DATA_DIR``). Without chance: each run writes the same bytes.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from pprint import pformat

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))

from study.formats.files import find_domain_files, read_domain_file  # noqa: E402

STUDY, SUBJECT = "POOL_DEMO", "USUBJID"
NODES = ("AMSTERDAM", "BERLIN", "COIMBRA")
POOL = {
    "nodes": list(NODES),
    "sums": "TRUSTEE",
    "counts": "pool, because the pooled file has no column that tells the hospital",
    "shared_patients": "none, because each person was enrolled at one site",
    "categories": {
        "DM__SEX": ["F", "M"],
        "DM__RACE": ["WHITE", "ASIAN", "BLACK OR AFRICAN AMERICAN", "AMERICAN INDIAN OR ALASKA NATIVE"],
        "DM__ETHNIC": ["HISPANIC OR LATINO", "NOT HISPANIC OR LATINO"],
    },
    # Measured in whole mg/dL, 100 to 400, and converted to mmol/L with four decimals.
    "values": {"LB__Cholesterol": {"from": 2.586, "to": 10.344, "step": 0.02586, "decimals": 4}},
}


def write_pool_demo(folder: Path) -> None:
    """The hospitals' files and the config below ``folder``."""
    tables = {
        domain: read_domain_file(path).frame
        for domain, path in find_domain_files(PROJECT / "pilot_report" / "SDTM_DEMO").by_domain.items()
    }
    subjects = sorted(tables["DM"][SUBJECT])
    for number, node in enumerate(NODES):
        data, own = folder / node / STUDY, set(subjects[number :: len(NODES)])
        data.mkdir(parents=True, exist_ok=True)
        for domain, table in tables.items():
            if SUBJECT in table:
                table[table[SUBJECT].isin(own)].to_csv(data / f"{domain.lower()}.csv", index=False)
    config = {
        **runpy.run_path(str(PROJECT / "config" / "SDTM_DEMO.py"))["config"],
        "recommend": {"suppression_limit": 0.2},
        "pool": POOL,
    }
    (folder / "config").mkdir(exist_ok=True)
    text = f"config = {pformat(config, sort_dicts=False, width=110)}\n"
    (folder / "config" / f"{STUDY}.py").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_pool_demo(Path(sys.argv[1]) if len(sys.argv) > 1 else PROJECT / "pool_demo")
