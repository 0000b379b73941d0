"""Settings of the pilot REDCAP_DEMO: an export of REDCap, 150 invented participants (see pilot_report/).

One literal, read and never run. The data dictionary beside the data says what each field is.
"""

config = {
    # What an outsider may know about a person: columns of combined_dataset.csv. The race is a checkbox, folded.
    "categorical_qis": ["DATA__sex", "DATA__race"],
    "continuous_qis": ["DATA__age", "DATA__bmi"],
    # Ages in tens of years, and the WHO classes of body mass index, with a tail at either end.
    "binning_config": {"DATA__age": [50, 60, 70, 130], "DATA__bmi": [25, 30, 35]},
    # What nobody should learn about a person: in mg/dL, at the first event.
    "sensitive_feature": "DATA__cholesterol",
    "sensitive_binning_config_for_L": {"DATA__cholesterol": [180, 200, 225, 245]},
    # At risk: a class of fewer than 5 people, ...
    "K": 5,
    # ... with fewer than 3 distinct bins of cholesterol, ...
    "L": 3,
    # ... or with cholesterol further than 25 mg/dL (Wasserstein distance) from that of all people.
    "T": 25,
    # The record id: the first field of the dictionary.
    "subject_id": {"column": "participant"},
    "merge": {
        # Names, dates of birth, free text and days stay out of the combined dataset.
        "drop": [
            "DATA__first_name",
            "DATA__last_name",
            "DATA__dob",
            "DATA__email",
            "DATA__history",
            "DATA__consent_date",
            "DATA__visit_date",
            "DATA__drug_start",
        ],
    },
}
