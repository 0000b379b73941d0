"""Every figure that the report on ACTG175 prints, from its file aids_original_data.csv.

Copy this file to config/ACTG175.py, and the data to pilot_report/ACTG175/.
"""

config = {
    "subject_id": {"column": "pidnum"},
    "categorical_qis": ["AIDS_ORIGINAL_DATA__gender", "AIDS_ORIGINAL_DATA__race"],
    "continuous_qis": ["AIDS_ORIGINAL_DATA__age"],
    "binning_config": {},  # the report counts exact ages
    "sensitive_feature": "AIDS_ORIGINAL_DATA__treat",  # arms discloses it
    "t_distance": {"AIDS_ORIGINAL_DATA__treat": "total_variation"},
    "K": 5,
    "L": 2,
    "T": 0.5,
    # Risk summary, key sets, and what discloses the treatment.
    "risk": {
        "sections": ["reidentification", "key_sets", "determined_by"],
        "k_at_most": [5],
    },
    # Tables and pictures of the columns, values of few people, Spearman's correlations, association of arms and treat.
    "explore": {
        "group": "AIDS_ORIGINAL_DATA__arms",
        "mosaic": ["AIDS_ORIGINAL_DATA__gender", "AIDS_ORIGINAL_DATA__race"],
        "max_drawn": 30,
    },
    # Risk and utility of banded ages, and of gender and race flipped by chance (PRAM).
    "sweep": {
        "grid": [
            {
                "method": "band",
                "column": "AIDS_ORIGINAL_DATA__age",
                "width": [5, 10, 15],
                "label": "truncated_midpoint",
            },
            {"method": "flip", "column": "AIDS_ORIGINAL_DATA__gender", "share": [0.01, 0.05, 0.1]},
            {"method": "flip", "column": "AIDS_ORIGINAL_DATA__race", "share": [0.01, 0.05, 0.1]},
        ],
        "seed": 12345,
        "eigenvalue_columns": [
            "AIDS_ORIGINAL_DATA__age",
            "AIDS_ORIGINAL_DATA__wtkg",
            "AIDS_ORIGINAL_DATA__preanti",
            "AIDS_ORIGINAL_DATA__cd40",
            "AIDS_ORIGINAL_DATA__cd420",
            "AIDS_ORIGINAL_DATA__cd496",
            "AIDS_ORIGINAL_DATA__cd80",
            "AIDS_ORIGINAL_DATA__cd820",
            "AIDS_ORIGINAL_DATA__days",
            "AIDS_ORIGINAL_DATA__karnof",
        ],
    },
}
