"""The small inputs beside the clone in which people were counted wrongly: each as its list says what is right."""

from __future__ import annotations

import pytest

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.draft.draft import draft_config
from study.formats.files import read_domain_file
from study.merge.combine import combine_domains
from tests.config_keys import settings_of_key
from tests.places import SHARED

CASES = SHARED / "cases"
pytestmark = [
    pytest.mark.skipif(not CASES.is_dir(), reason=f"the small inputs are not beside the clone ({CASES})"),
    pytest.mark.thorough("10 s: drafts of small pilots"),
]


@pytest.mark.parametrize(
    ("case", "n_people"),
    [
        *(("total_row", 40), ("header_mid", 40), ("footer_row", 60), ("units_row", 60), ("person_by_stay", 200)),
        *(
            ("workbook_two_headers", 120),
            ("redcap_empty_form", 60),
            ("polish_cp1250", 150),
            ("polish_cp1250_quiet", 150),
        ),
        *(("fine_genotype", 120), ("fine_scale", 120), ("fine_ck", 120), ("fine_na", 120), ("fine_none", 120)),
    ],
)
def test_people_are_counted(case: str, n_people: int) -> None:
    draft = draft_config(case.upper(), CASES / case / "in", {})
    assert draft.combined.n_subjects == n_people
    if case.startswith("polish"):
        assert "Płeć" in draft.text


@pytest.mark.parametrize("case", ["total_row", "footer_row", "units_row", "workbook_two_headers"])
def test_measurements_stay_measurements(case: str) -> None:
    [path] = (CASES / case / "in").iterdir()
    table = read_domain_file(path)
    assert any("no record of a person" in note for note in table.notes)
    numbers = [name for name in table.frame.columns if str(name).lower() in ("age", "weight", "sbp", "ldl")]
    assert numbers
    assert all(table.frame[name].astype(float).notna().all() for name in numbers)


def test_the_boxes_of_a_form_that_nobody_filled_in_are_missing() -> None:
    combined = draft_config("FORM", CASES / "redcap_empty_form" / "in", {}).combined
    assert int(combined.frame["DATA__race"].isna().sum()) == 10


def test_merged_cells_have_their_value_and_formulas_without_one_are_a_fault() -> None:
    table = read_domain_file(CASES / "xlsx_merged2" / "in" / "patients.xlsx")
    assert table.frame["sex"].value_counts().to_dict() == {"Female": 20, "Male": 20}
    assert table.frame["country"].notna().all()
    with pytest.raises(FaultyInputError, match="13 cells with a formula and no stored value"):
        read_domain_file(CASES / "xlsx_formula_some" / "in" / "patients.xlsx")


def test_one_id_of_two_people_is_a_fault() -> None:
    rules = settings_of_key("subject_id", {"column": "record_id"}), settings_of_key("merge", {})
    with pytest.raises(FaultyInputError, match="of 179 ids have rows that differ in age, arm"):
        combine_domains(CASES / "id_typed_twice" / "in", *rules)
