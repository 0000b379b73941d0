"""What was not counted is never shown as 0: not in the text, not on the page, not in the JSON summary."""

from __future__ import annotations

import re

import pytest

from tests.run.synthetic_pilot import DONE, rows_of

KEY = "8f14e45fceea167a5a36dedd4bea2543a1b2c3d4e5f60718"
FEATURE = "LB__Empty"


@pytest.fixture
def of_nobody(pilot, doors, monkeypatch):
    """A pilot with a second sensitive feature, of which nobody has a value."""
    monkeypatch.setenv("CLINIC_KEY", KEY)
    pilot.write_rows("LB.csv", [row | {"Empty": ""} for row in rows_of("LB")])
    pilot.configure(
        sensitive_feature=["LB__Cholesterol", FEATURE],
        risk={},
        release={"key_from": {"environment": "CLINIC_KEY"}, "name": "2026"},
    )
    assert [run.status for run in doors.start_both()] == [DONE, DONE]
    return pilot


@pytest.mark.thorough("1.5 s")
def test_a_feature_of_which_nobody_has_a_value_has_no_figure_of_zero(of_nobody):
    summary = of_nobody.summary()
    t = summary["t_closeness"][FEATURE]
    assert (t["evaluated"], t["risky"], t["risky_rate"]) == (0, None, None)
    inferred = summary["verdict"]["three_questions"]["inference"]
    assert inferred["figures"][FEATURE] == {"certain": None, "with_value": 0, "above_t": None}
    assert f"{FEATURE} was not looked at: nobody evaluated has a value of it." in inferred["sentence"]
    assert summary["risk"]["determined_by"][FEATURE] == []
    text = (of_nobody.results / "CLINIC_privacy_details.txt").read_text(encoding="utf-8")
    assert "0 of 0" not in text
    table = text[text.index(f"t-closeness of {FEATURE}: risky") :]
    cells = next(line for line in table.splitlines() if line.startswith("│ CLINIC"))
    assert [cell.strip() for cell in cells.strip("│").split("│")] == ["CLINIC", "12", "0", "-", "-"]
    assert "Nobody was evaluated." in table
    assert f"Inference: not computed for {FEATURE}, of which nobody evaluated has a value." in text
    page = (of_nobody.results / "CLINIC_privacy_report.html").read_text(encoding="utf-8")
    row = re.search(rf"<tr>\s*<t[dh][^>]*>t of {FEATURE}.*?</tr>", page, re.S)
    assert row is not None
    assert re.findall(r"<td[^>]*>\s*(.*?)\s*</td>", row[0], re.S)[-4:-2] == ["-", "0"]
