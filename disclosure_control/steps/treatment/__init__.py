"""The step ``treatment``: treat a pilot, evaluate it again, and compare before and after."""

from disclosure_control.basics.telling.sections import Outline

OUTLINES = (
    Outline(
        50,
        "treatment",
        "Before and after",
        "How a treatment changed risk and usefulness.",
        "treatment",
        "Before: the pilot as it came in. After: as treated, in the config's bins. As released: exact values.",
    ),
)

# What the treatment makes. With the original ids in it, it is no file to hand on, and its name says so.
DATASET, WITH_ORIGINAL_IDS = "anonymised_dataset.csv", "treated_with_original_ids.csv"
DATASETS = (DATASET, WITH_ORIGINAL_IDS)
