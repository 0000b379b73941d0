"""Settings of the pilot LINKAGE_DEMO: 1,000 invented people, and a register that names them (see pilot_report/).

One literal, read and never run. It shows how many of them a neighbour's knowledge, sex and postal code, re-identifies
once the names are gone, and what is left of that after Mondrian with k = 2.
"""

config = {
    "categorical_qis": ["DM__SEX", "DM__POSTCODE"],
    "continuous_qis": ["DM__AGE"],
    "binning_config": {},
    "sensitive_feature": "DM__DIAGNOSIS",
    "K": 2,
    "L": 2,
    "T": 0.5,
    # What leaves the house: ages below 18 and above 90 made one, then groups of at least two people.
    "treatment": [
        {"method": "bottom_code", "column": "DM__AGE", "limit": 18},
        {"method": "top_code", "column": "DM__AGE", "limit": 90},
        {"method": "mondrian", "k": 2, "also": []},
    ],
    # What an attacker holds: identified/register.csv with names. USUBJID stands in it so that the controller can tell
    # a right match from a wrong one; the attack itself does not look at it.
    "linkage_attack": {
        "folder": "identified",
        "identified": "register.csv",
        "id": "name",
        "truth": "USUBJID",
        "known": {"DM__SEX": "sex", "DM__POSTCODE": "postal_code"},
        "method": ["exact", "generalised"],
    },
}
