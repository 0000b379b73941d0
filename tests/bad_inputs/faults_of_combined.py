"""Faults that door 2 finds: in the combined dataset itself, or between its values and the config."""

from __future__ import annotations

from tests.bad_inputs.registry import case
from tests.run.synthetic_pilot import DISTRICT

RUN_DOOR_1 = "Create_Combined_Pilot_Dataset.py"


def change_cells(pilot, column: str, *values: str) -> None:
    """Put these values into the first cells of a column of the combined dataset."""
    rows = pilot.combined_rows()
    for row, value in zip(rows, values, strict=False):
        row[column] = value
    pilot.write_combined(rows)


@case(door=2, says=["combined_dataset.csv: not there", f"run {RUN_DOOR_1}"])
def combined_dataset_missing(pilot):
    pilot.combined.unlink()


@case(door=2, says=["combined_dataset.csv"])
def combined_dataset_is_a_folder(pilot):
    pilot.combined.unlink()
    pilot.combined.mkdir()


@case(door=2, says=["combined_dataset.csv: the file is empty"])
def combined_dataset_empty(pilot):
    pilot.write_combined("")


@case(door=2, says=["combined_dataset.csv: no column 'USUBJID'", RUN_DOOR_1])
def combined_dataset_without_ids(pilot):
    pilot.write_combined([{name: row[name] for name in row if name != "USUBJID"} for row in pilot.combined_rows()])


@case(
    door=2,
    says=[
        "combined_dataset.csv: fewer than 10 of 14 rows repeat the USUBJID of another row",
        "one row per subject",
        RUN_DOOR_1,
    ],
)
def combined_dataset_with_subjects_repeated(pilot):
    rows = pilot.combined_rows()
    pilot.write_combined(rows + rows[:2])


@case(door=2, says=["combined_dataset.csv: USUBJID is empty in fewer than 10 of 12 rows", "every row needs an id"])
def combined_dataset_with_blank_ids(pilot):
    change_cells(pilot, "USUBJID", "", " ")


@case(
    door=2,
    says=[
        "combined_dataset.csv: USUBJID is empty in fewer than 10 of 12 rows",
        "rows repeat the USUBJID",
        "column 'DM__AGE': fewer than 10 of 12 values are text",
    ],
    n_faults=3,
)
def combined_dataset_with_three_faults(pilot):
    change_cells(pilot, "USUBJID", "", "ZZSUBJ-48153")
    change_cells(pilot, "DM__AGE", "MARKER")


@case(door=2, says=["combined_dataset.csv: unbalanced quotes"])
def combined_dataset_cut_within_quotes(pilot):
    pilot.write_combined(pilot.combined.read_bytes()[:-3])


@case(
    door=2,
    says=[
        "column 'DM__AGE': fewer than 10 of 12 values are text that is not a number",
        "correct them in the source",
        "declare the column categorical",
    ],
)
def text_in_a_continuous_column(pilot):
    change_cells(pilot, "DM__AGE", "MARKER", "31.0417 MARKER")


@case(door=2, says=["column 'VS__BMI': fewer than 10 of 12 values are infinite", "finite numbers"])
def infinite_value_in_a_continuous_column(pilot):
    change_cells(pilot, "VS__BMI", "inf")


@case(door=2, says=["column 'VS__BMI': fewer than 10 of 12 values are beyond 1e+300", "finite numbers"])
def value_too_large_to_calculate_with(pilot):
    change_cells(pilot, "VS__BMI", "1.7e308")


@case(door=2, says=["column 'LB__Cholesterol': fewer than 10 of 12 values are text that is not a number"])
def text_in_a_sensitive_column_that_is_binned(pilot):
    change_cells(pilot, "LB__Cholesterol", "<100MARKER")


@case(
    door=2,
    says=[
        "column 'LB__Cholesterol': fewer than 10 of 12 values are not numbers and the others are",
        'merge: {"text_results": ...}',
        '"total_variation"',
    ],
)
def texts_among_sensitive_numbers(pilot):
    pilot.configure(sensitive_binning_config_for_L={})
    change_cells(pilot, "LB__Cholesterol", "<100MARKER", "MARKER")


for distance in ("wasserstein", "ordered", "mean_difference"):

    def distance_on_text(pilot, distance=distance):
        pilot.configure(
            categorical_qis=["DM__SEX"],
            sensitive_feature=f"SC__{DISTRICT}",
            sensitive_binning_config_for_L={},
            T=0.3,
            t_distance=distance,
        )

    distance_on_text.__name__ = f"t_distance_{distance}_on_text"
    case(door=2, says=[f"column 'SC__{DISTRICT}': 12 of 12 values are text that is not a number"])(distance_on_text)


@case(
    door=2,
    n_faults=3,
    says=[
        "column 'DM__AGE': fewer than 10 of 12",
        "column 'VS__BMI': fewer than 10 of 12",
        "column 'LB__Cholesterol': fewer than 10 of 12",
    ],
)
def text_in_three_columns(pilot):
    change_cells(pilot, "DM__AGE", "MARKER")
    change_cells(pilot, "VS__BMI", "MARKER", "MARKER")
    change_cells(pilot, "LB__Cholesterol", "MARKER", "MARKER", "MARKER")
