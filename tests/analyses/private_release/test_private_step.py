"""The step ``private_release``: what is answered, refused and not asked, and the true value nowhere."""

from __future__ import annotations

import json
import shutil

import pytest

from Create_Combined_Pilot_Dataset import add_merge_options, combine_pilot
from disclosure_control.analyses.private_release import report
from disclosure_control.analyses.private_release.step import ANSWERS_FILE, run_step
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.run.doors import run_door
from disclosure_control.steps import STEPS
from Main_Anonymization import add_options, assess_pilot
from tests.analyses.private_release.publish_pilots import people, step_input
from tests.places import PROJECT

QUERIES = [
    {"name": "people", "kind": "count", "epsilon": 0.1},
    {"name": "mean", "kind": "mean", "column": "LB__X", "bounds": [50, 150], "epsilon": 0.2},
    {"name": "sum", "kind": "sum", "column": "LB__X", "bounds": [50, 150], "epsilon": 0.2},
    {"name": "by sex", "kind": "histogram", "column": "DM__SEX", "categories": ["F", "M"], "epsilon": 0.3},
]


def settings(queries=QUERIES, budget=1.0) -> dict:
    return {"budget": {"epsilon": budget}, "queries": list(queries)}


def statuses(result) -> dict[str, str]:
    return {query["name"]: query["status"] for query in result.figures["queries"]}


def test_answers_costs_and_what_is_left_and_the_file_for_publication(tmp_path):
    too_noisy = {"name": "noisy", "kind": "count", "epsilon": 0.0001}
    result = run_step(step_input(tmp_path, people(2000), settings([*QUERIES, too_noisy])))
    figures = result.figures
    assert statuses(result) == dict.fromkeys(("people", "mean", "sum", "by sex"), "answered") | {"noisy": "not asked"}
    assert (figures["budget"], figures["spent"], figures["left"], figures["delta"]) == ("1", "0.8", "0.2", 0)
    assert [query.get("charged") for query in figures["queries"]] == ["0.1", "0.2", "0.2", "0.3", None]
    assert all(query["epsilon"] <= float(query["charged"]) for query in figures["queries"][:4])
    assert "add or remove one person" in result.report
    assert "spent 0.8, left 0.2" in result.report
    json.dumps(figures, allow_nan=False)
    published = json.loads(result.files[ANSWERS_FILE])
    assert [answer["name"] for answer in published["answers"]] == ["people", "mean", "sum", "by sex"]
    assert (published["epsilon_spent"], published["delta"]) == ("0.8", 0)
    assert set(published) == {"schema", "pilot", "guarantee", "neighbours", "epsilon_spent", "delta", "answers"}
    assert "noisy" not in result.files[ANSWERS_FILE].decode()


def test_what_was_answered_is_free_and_what_the_budget_does_not_hold_is_refused(tmp_path):
    first = run_step(step_input(tmp_path, people(2000), settings()))
    lowered = run_step(step_input(tmp_path, people(2000), settings(QUERIES[::-1], budget=0.5)))
    assert set(statuses(lowered).values()) == {"answered before"}
    assert {query["charged"] for query in lowered.figures["queries"]} == {"0"}
    assert (lowered.figures["spent"], lowered.figures["left"]) == ("0.8", "0")
    assert "ask for epsilon 0.8 together, more than the budget" in lowered.report
    assert "budget was raised" not in lowered.report
    answers = [{query["name"]: query["answer"] for query in run.figures["queries"]} for run in (first, lowered)]
    assert answers[0] == answers[1]
    turned = {**QUERIES[3], "categories": ["M", "F"]}
    other = {"name": "other", "kind": "count", "column": "LB__X", "epsilon": 0.3}
    result = run_step(step_input(tmp_path, people(2000), settings([turned, other])))
    assert statuses(result) == {"by sex": "answered before", "other": "refused"}
    assert "'other' asks for epsilon 0.3 and 0.2 is left: refused" in result.first_lines
    assert run_step(step_input(tmp_path, people(2000), settings())).files == first.files
    (tmp_path / "privacy" / "privacy_ledger.sqlite").unlink()
    with pytest.raises(FaultyInputError, match="never reset"):
        run_step(step_input(tmp_path, people(2000), settings()))


def test_the_true_value_is_nowhere(tmp_path, capfd):
    """Sums and means with noise come out as the true ones by chance less than once in ten thousand runs."""
    table = people(2000)
    numbers = table["LB__X"].astype(float).clip(50, 150)
    result = run_step(step_input(tmp_path, table, settings()))
    written = "".join(path.read_text("latin-1") for path in sorted((tmp_path / "privacy").iterdir()))
    shown = "".join([result.report, result.on_screen, result.first_lines, json.dumps(result.figures), written])
    shown += "".join(content.decode() for content in result.files.values()) + "".join(capfd.readouterr())
    for true in (f"{numbers.sum():.2f}", f"{numbers.mean():.6f}"[:-1]):  # digits enough not to be met by chance
        assert true not in shown
    assert "S000001" not in shown


def test_groups_too_many_for_the_noise_are_not_asked_and_cost_nothing(tmp_path):
    """The 992 diagnoses: five people each, and noise of thirty."""
    by_diagnosis = {
        "name": "diagnoses",
        "kind": "histogram",
        "column": "MH__DX",
        "categories": list(range(992)),
        "epsilon": 0.1,
    }
    for declared in ({}, {"people": 5000}):
        result = run_step(step_input(tmp_path, people(5000), {**settings([by_diagnosis]), **declared}))
        assert statuses(result) == {"diagnoses": "not asked"}
        assert result.figures["spent"] == "0"
        assert "not asked and cost nothing" in result.first_lines
        assert not (tmp_path / "privacy").exists()
    accepted = run_step(step_input(tmp_path, people(5000), settings([{**by_diagnosis, "accept_noise": True}])))
    assert statuses(accepted) == {"diagnoses": "answered"}
    assert accepted.figures["spent"] == "0.1"
    assert len(accepted.figures["queries"][0]["answer"]["cells"]) == 993
    # What was paid for is shown whether or not the noise is still accepted.
    again = run_step(step_input(tmp_path, people(5000), settings([by_diagnosis])))
    assert statuses(again) == {"diagnoses": "answered before"}


ONE_SEX = {"name": "sex", "kind": "histogram", "column": "DM__SEX", "categories": ["F"], "epsilon": 0.01}


@pytest.mark.parametrize(("declared", "status"), [({}, "not asked"), ({"people": 1300}, "answered")])
def test_whether_a_question_is_asked_does_not_depend_on_how_many_people_there_are(tmp_path, declared, status):
    """Two cells whose noise is worth about 300 people each: were 1199 and 1201 told apart, one person would be."""
    for n in (20, 5000):
        (tmp_path / str(n)).mkdir()
        result = run_step(step_input(tmp_path / str(n), people(n), {**settings([ONE_SEX]), **declared}))
        assert statuses(result) == {"sex": status}, n
        assert len(json.loads(result.files[ANSWERS_FILE])["answers"]) == (status == "answered")


def test_what_is_mostly_noise_on_the_data_is_said_to_the_controller_alone(tmp_path):
    declared = {**settings([ONE_SEX]), "people": 5000}
    result = run_step(step_input(tmp_path, people(100), declared))
    assert "'sex' is mostly noise" in result.first_lines
    assert result.figures["queries"][0]["mostly_noise"]
    assert "noise" not in result.files[ANSWERS_FILE].decode()
    (tmp_path / "many").mkdir()
    many = run_step(step_input(tmp_path / "many", people(5000), declared))
    assert many.first_lines == ""
    accepted = run_step(step_input(tmp_path, people(100), settings([{**ONE_SEX, "accept_noise": True}])))
    assert accepted.first_lines == ""


def test_a_raised_budget_is_told(tmp_path):
    run_step(step_input(tmp_path, people(2000), settings(QUERIES[:1], budget=0.5)))
    raised = run_step(step_input(tmp_path, people(2000), settings(budget=2)))
    assert raised.figures["budget_raised_from"] == "0.5"
    assert "The budget was raised: it was 0.5 when questions were paid for" in raised.report
    (tmp_path / "new").mkdir()
    assert run_step(step_input(tmp_path / "new", people(2000), settings())).figures["budget_raised_from"] is None


def test_no_zero_is_printed_with_a_minus():
    assert report._value_and_accuracy({"value": -0.04, "accuracy_95": 20.0}) == ["0", "± 20"]
    assert report._value_and_accuracy({"value": -0.0, "accuracy_95": 0.5}) == ["0.00", "± 0.50"]


def test_an_epsilon_above_ten_is_warned_about(tmp_path):
    high = {**QUERIES[0], "name": "high", "epsilon": 10.5}
    result = run_step(step_input(tmp_path, people(2000), settings([QUERIES[0], high], budget=20)))
    assert "a budget of epsilon 20 promises little: above 10 an answer hardly hides" in result.first_lines
    assert "epsilon above 10 for 'high' promises little" in result.first_lines
    assert result.first_lines.count("promises little") == 2
    (tmp_path / "ten").mkdir()
    ten = run_step(step_input(tmp_path / "ten", people(2000), settings([{**high, "epsilon": 10}], budget=10)))
    assert ten.first_lines == ""


def test_the_screen_names_no_category(tmp_path):
    table = people(2000).replace({"DM__SEX": {"F": "Fuchsia"}})
    query = {**QUERIES[3], "categories": ["Fuchsia", "M"]}
    result = run_step(step_input(tmp_path, table, settings([query])))
    assert "Fuchsia" in result.report
    assert "Fuchsia" not in result.on_screen
    assert "see private_release.json" in result.on_screen


def test_a_fault_of_the_library_says_nothing_of_the_data(tmp_path, monkeypatch):
    from disclosure_control.analyses.private_release import answers

    def fails(records):
        raise ValueError("the value 123456 of S000001")

    for prepared in (fails, lambda records: lambda: fails(records)):
        mechanism = answers.Mechanism(None, 0.1, 0.0, prepared)
        monkeypatch.setattr(answers, "mechanism_of", lambda query, found=mechanism: found)
        with pytest.raises(RuntimeError, match=r"OpenDP could not answer \(ValueError\)$"):
            answers.prepared_answer(None, None)()


# ---------------------------------------------------------------- through the door


@pytest.fixture
def demo(tmp_path, monkeypatch):
    """The demo pilot with a budget, merged; returns a function that runs door 2 and gives its JSON summary."""
    without_results = shutil.ignore_patterns("*processed_for_anonym", "privacy")
    shutil.copytree(PROJECT / "pilot_report" / "PENTELI", tmp_path / "data" / "PENTELI", ignore=without_results)
    import config as pilots

    literal = pilots.parse_config((PROJECT / "config" / "PENTELI.py").read_text(encoding="utf-8"), "PENTELI.py")
    queries = [
        {"name": "children", "kind": "count", "epsilon": 0.1},
        {"name": "cholesterol", "kind": "mean", "column": "LB__Cholesterol", "bounds": [50, 350], "epsilon": 0.4},
    ]
    literal["private_release"] = {"budget": {"epsilon": 0.5}, "queries": queries}
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "PENTELI.py").write_text(f"config = {literal!r}", encoding="utf-8")
    monkeypatch.setenv("BIOSTREAMS_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("BIOSTREAMS_CONFIG_DIR", str(tmp_path / "config"))
    assert run_door("", combine_pilot, ["PENTELI"], add_merge_options) == 0
    results = tmp_path / "data" / "PENTELI" / "processed_for_anonym"

    def run(status: int = 0, **keys) -> dict:
        (tmp_path / "config" / "PENTELI.py").write_text(f"config = { ({**literal, **keys})!r}", encoding="utf-8")
        assert run_door("", assess_pilot, ["PENTELI"], add_options) == status
        return json.loads((results / "PENTELI_privacy_summary.json").read_text(encoding="utf-8"))

    run.results = results
    return run


@pytest.mark.thorough("0.7 s")
def test_door_1_and_a_later_door_2_leave_the_ledger_alone(demo):
    demo()
    path = demo.results.parent / "privacy" / "privacy_ledger.sqlite"
    content = path.read_bytes()
    assert run_door("", combine_pilot, ["PENTELI"], add_merge_options) == 0
    demo()
    assert path.read_bytes() == content


@pytest.mark.thorough("1 s: many draws; one of each kind in the quick run")
def test_nothing_is_spent_where_another_step_fails(demo, capfd):
    """The reference group is one that nobody has: seen only when the step ``fairness`` looks at the data."""
    assert list(STEPS)[-1] == "private_release"
    rule = {"column": "LB__Cholesterol", "at_least": "mean"}
    (demo.results / "PENTELI_privacy_summary.json").write_text("{}")
    demo(status=2, fairness={"favourable": rule, "sensitive": "DM__SEX", "reference": "nobody"})
    assert "nobody has this value" in capfd.readouterr().err
    assert not (demo.results.parent / "privacy").exists()
