"""Settings of the pilot SDTM_DEMO: a small trial in SDTM, 60 invented adults (see pilot_report/).

One literal, read and never run. Long SDTM domains need no setting of their own.
"""

config = {
    # What an outsider may know about a subject: columns of combined_dataset.csv, <DOMAIN>__<name>.
    "categorical_qis": ["DM__SEX", "DM__RACE", "DM__ETHNIC"],
    "continuous_qis": ["DM__AGE"],
    # Age in tens of years: [50,60) ... [80,90].
    "binning_config": {"DM__AGE": [50, 60, 70, 80, 90]},
    # What nobody should learn about a subject. In standard units (LBSTRESN), so mmol/L, and at baseline.
    "sensitive_feature": "LB__Cholesterol",
    # l counts bins, not single values: mmol/L, with a tail at either end.
    "sensitive_binning_config_for_L": {"LB__Cholesterol": [3, 4, 5, 6, 7, 8]},
    # At risk: a class of fewer than 3 subjects (5 is more usual; the trial is small), ...
    "K": 3,
    # ... with fewer than 3 distinct bins of cholesterol, ...
    "L": 3,
    # ... or with cholesterol further than 0.8 mmol/L (Wasserstein distance; about 30 mg/dL) from all subjects'.
    "T": 0.8,
    # The ids are spelled alike in all files; this is the default, written out.
    "subject_id": {"column": "USUBJID"},
}
