"""The section of linkage in words: what its tables name, and what they do not."""

import pytest

from disclosure_control.basics.telling.section_text import as_text
from disclosure_control.basics.telling.sections import Where
from disclosure_control.steps.linkage_attack.report import attack_sections

RATE = {"hits": 0, "attacks": 40, "rate": 0.0, "low": 0.0, "high": 0.09}


@pytest.mark.parametrize(("best_rate", "shown"), [(0.0, "-"), (0.025, "sex, age")])
def test_where_no_set_finds_anybody_none_is_called_the_best(best_rate, shown):
    level = {"n_attributes": 2, "n_sets": 3, "mean_rate": 0.0, "best_rate": best_rate, "best": ["sex", "age"]}
    method = {"claims": RATE, "by_knowledge": [level]}
    release = {"linkage": {"methods": {"exact": method}}, "removed": 0}
    people = {"people": 40, "attacked": 40, "truth_known": False}
    figures = {"releases": {"treated": release}, "identified": people, "notes": []}
    report = as_text(attack_sections(figures), Where.FILE)
    table = report[report.index("Linkage by how much is known") :]
    (row,) = [line for line in table.splitlines() if "exact" in line]
    assert [cell.strip() for cell in row.strip("│").split("│")][-2:] == [f"{100 * best_rate:.1f}%", shown]
