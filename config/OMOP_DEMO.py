"""Settings of the pilot OMOP_DEMO: an export of OMOP CDM 5.4, 120 invented people (see pilot_report/).

One literal, read and never run. Concepts have the names of CONCEPT.csv; square brackets of names are parentheses.
"""

config = {
    # What an outsider may know about a person: columns of combined_dataset.csv.
    "categorical_qis": ["PERSON__gender_concept_id", "PERSON__race_concept_id"],
    "continuous_qis": ["PERSON__year_of_birth", "MEASUREMENT__Body mass index (BMI) (Ratio)"],
    # Years of birth in tens, and the WHO classes of body mass index, with a tail at either end.
    "binning_config": {
        "PERSON__year_of_birth": [1945, 1955, 1965],
        "MEASUREMENT__Body mass index (BMI) (Ratio)": [25, 30, 35],
    },
    # What nobody should learn about a person: in mg/dL, at the first visit.
    "sensitive_feature": "MEASUREMENT__Cholesterol (Mass/volume) in Serum or Plasma",
    "sensitive_binning_config_for_L": {
        "MEASUREMENT__Cholesterol (Mass/volume) in Serum or Plasma": [165, 180, 200, 220],
    },
    # At risk: a class of fewer than 5 people, ...
    "K": 5,
    # ... with fewer than 3 distinct bins of cholesterol, ...
    "L": 3,
    # ... or with cholesterol further than 25 mg/dL (Wasserstein distance) from that of all people.
    "T": 25,
    # Names the person of each row in all tables.
    "subject_id": {"column": "person_id"},
    "merge": {
        # Few died, and the day is known to many.
        "drop": ["DEATH__death_date", "DEATH__cause_concept_id"],
        # The number of conditions, and who has these.
        "events": {"CONDITION_OCCURRENCE": {"condition_concept_id": ["Essential hypertension"]}},
    },
}
