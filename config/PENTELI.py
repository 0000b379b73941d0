"""Settings of the pilot PENTELI: a childhood-obesity clinic, 633 invented children (see pilot_report/).

One literal, read and never run. Copy this file to config/<PILOT>.py for a pilot of your own and change it.
"""

config = {
    # What an outsider may know about a child: columns of combined_dataset.csv, <DOMAIN>__<name>.
    "categorical_qis": ["DM__SEX", "SC__Country of Permanent Address", "SC__District of Permanent Address"],
    "continuous_qis": ["DM__AGE", "VS__BMI"],
    # Edges of the bins: [0,6), [6,12), [12,18]; the last one is closed. Age in years, body mass index in kg/m2.
    "binning_config": {"DM__AGE": [0, 6, 12, 18], "VS__BMI": [0, 20, 30, 40]},
    # What nobody should learn about a child. mg/dL.
    "sensitive_feature": "LB__Cholesterol",
    # l counts bins, not single values. Three bins and the tails below 100 and above 250.
    "sensitive_binning_config_for_L": {"LB__Cholesterol": [100, 150, 200, 250]},
    # At risk: a class of fewer than 5 children, ...
    "K": 5,
    # ... with fewer than 5 distinct bins of cholesterol, ...
    "L": 5,
    # ... or with cholesterol further than 30 mg/dL (Wasserstein distance) from that of all children.
    "T": 30,
    # A child with a missing quasi-identifier, or one outside the edges, is evaluated like all others. The report
    # that PENTELI published left such children out (547 of 633). To see that report, take the two # away:
    # "missing_qis": "exclude",
    # "out_of_range": "missing",
    #
    # The files spell one child in four ways: "PENTELI-0001" (DM), "penteli_1" (VS), " P 0001 " (LB), "1" (SC).
    # In this order: blanks at both ends go; capitals; the pattern leaves the number alone; it is filled up to four
    # digits; the prefix comes before it. An id of another form matches no child of DM, which is an error.
    "subject_id": {
        "column": "USUBJID",
        "case": "upper",
        "pattern": r"^(?:P(?:ENTELI)?[-_ ]?)?0*(\d+)$",
        "replacement": r"\1",
        "zero_pad": 4,
        "prefix": "PENTELI-",
    },
    # Which recoding is the mildest that meets K, L and T? The report answers under "Next best step".
    "recommend": {},
}
