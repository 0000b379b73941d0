"""The next config: from Hold to May leave by the tool's own lines alone, and every line pastes without a fault."""

from __future__ import annotations

import re
import shutil
from types import SimpleNamespace

import pytest

from config import lines_to_review, parse_config, sheet_of
from disclosure_control.assess.combined_dataset import checked_config
from disclosure_control.attack.tells.summaries import without_column
from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.settings.changes import ConfigChange
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.reasons import DECIDE, Gravity, Reason, found_of
from disclosure_control.draft.next_config import next_config
from disclosure_control.draft.proposal import Proposal, proposal_in_words, propose, propose_tried, with_open_choices
from disclosure_control.remedy.treatments.keys import command_to_set
from disclosure_control.steps import READERS, running
from disclosure_control.steps.running import Asks, StepResult, run_steps
from tests.places import PROJECT
from tests.run.synthetic_pilot import DONE, SyntheticPilot

KEY = "8f14e45fceea167a5a36dedd4bea2543a1b2c3d4e5f60718"
TEXT = 'config = {\n    "K": 5,  # review: usual\n    "recommend": {},\n}\n'
RELEASE = ConfigChange.to(("release",), {"key_from": {"environment": "NO_SUCH_KEY"}}, "it leaves")
REASONS = (
    Reason(Gravity.NOT_DECIDED, "x.py has 1 line.", DECIDE),
    Reason(Gravity.NOT_DECIDED, "Nothing is released.", changes=(RELEASE, ConfigChange.to(("recommend",), {}))),
    Reason(Gravity.NOT_DECIDED, "Something else.", "Think."),
)
# The files of which a round is played: a trial's own, without laboratories and questionnaires, which cost most of it.
PILOTS = {"SDTM_DEMO": "[ade][mesx]*", "OMOP_DEMO": "*", "REDCAP_DEMO": "*", "LINKAGE_DEMO": "*.csv"}


def test_the_proposal_keeps_todays_lines_and_says_what_is_left(tmp_path):
    found = propose(TEXT, "x.py", REASONS, lambda literal: None)
    assert parse_config(found.text, "x") == {
        "K": 5,
        "recommend": {},
        "release": {"key_from": {"environment": "NO_SUCH_KEY"}},
    }
    assert (lines_to_review(found.text), found.n_decided) == (0, 1)
    assert "# proposed: usual" in found.text
    assert [reason.sentence for reason in found.left] == ["Something else."]
    words = "\n".join(proposal_in_words(found, tmp_path / "x.proposed.py", tmp_path / "x.py", "X"))
    assert command_to_set("NO_SUCH_KEY") in words
    assert re.search(r"(mv|move) .*x\.proposed\.py .*x\.py", words)
    assert '+    "release"' in words
    assert "No line answers: Something else. Think." in words


def test_no_step_of_the_treatment_names_a_column_that_the_next_merge_leaves_out():
    """It was a fault of the config once door 1 had run: the weight was still averaged."""
    text = """config = {
    "K": 5,
    "treatment": [
        {"method": "microaggregation", "columns": ["VS__WEIGHT"], "group_size": 9},
        {"method": "microaggregation", "columns": ["VS__HEIGHT", "VS__WEIGHT"], "group_size": 9},
        {"method": "band", "column": "VS__WEIGHT", "width": 10},
    ],
}
"""
    steps = ("treatment", "steps")
    merge = ConfigChange.to(("merge", "drop"), "VS__WEIGHT", "its rows disclose it", is_added=True)
    drop = ConfigChange.to(steps, {"method": "drop_column", "columns": ["VS__BMI", "VS__WEIGHT"]}, "", is_added=True)
    reason = Reason(Gravity.OUTSIDERS_CAN_SINGLE_OUT, "Rows disclose.", changes=(drop, merge))
    found = propose(text, "x.py", (reason,), lambda literal: None)
    height = {"method": "microaggregation", "columns": ["VS__HEIGHT"], "group_size": 9}
    assert parse_config(found.text, "x") == {
        "K": 5,
        "treatment": [{"method": "drop_column", "columns": ["VS__BMI"]}, height],
        "merge": {"drop": ["VS__WEIGHT"]},
    }
    assert max(map(len, found.text.splitlines())) < 100


def test_steps_of_which_nothing_is_dropped_stay_as_they_are_written():
    text = 'config = {\n    "treatment": [{"method": "drop_column", "columns": ("A", "B")}],\n}\n'
    merge = ConfigChange.to(("merge", "drop"), "LB__X", "its rows disclose it", is_added=True)
    found = propose(text, "x.py", (Reason(Gravity.NOT_DECIDED, "It tells.", changes=(merge,)),), lambda literal: None)
    assert [change.path for change in found.changes] == [("merge", "drop")]


def test_what_a_trial_finds_is_proposed_too_and_the_last_resort_only_then():
    flag = ConfigChange.to(("release", "operations", "AE.FLAG"), "keep", "a flag")
    gone = ConfigChange.to(("release", "operations", "AE.TERM"), "remove", "it tells", is_last_resort=True)
    both = Reason(Gravity.NOT_DECIDED, "Two.", changes=(gone, flag))
    tells = Reason(Gravity.NOT_DECIDED, "It tells.", changes=(gone,))
    of_runs = iter([(both,), (tells,), ()])
    tried = []

    def run(literal):
        tried.append(literal)
        return next(of_runs)

    found = propose_tried(TEXT, "x.py", REASONS, lambda literal: None, run)
    operations = [literal["release"].get("operations") for literal in tried]
    assert operations == [None, {"AE.FLAG": "keep"}, {"AE.FLAG": "keep", "AE.TERM": "remove"}]
    assert (found.before, found.n_decided, found.left, found.is_tried) == (TEXT, 1, (), True)
    assert parse_config(found.text, "x") == tried[-1]


def test_a_change_of_the_merge_is_put_in_place_by_both_scripts_in_their_order(tmp_path):
    drop = ConfigChange.to(("merge", "drop"), "VS__WEIGHT", "its rows disclose it", is_added=True)
    reason = Reason(Gravity.OUTSIDERS_CAN_SINGLE_OUT, "Rows disclose.", "or state why they do not", (drop,))
    commands = ["python Create_Combined_Pilot_Dataset.py X", "python Main_Anonymization.py X"]
    for reasons, expected in ((reason,), commands), (REASONS, commands[1:]):
        found = propose(TEXT, "x.py", reasons, lambda literal: None)
        words = [*proposal_in_words(found, tmp_path / "x.proposed.py", tmp_path / "x.py", "X")]
        assert [line.strip() for line in words if line.startswith("  python ")] == expected
    to_paste = '"merge": {"drop": ["VS__WEIGHT"]}, then run Create_Combined_Pilot_Dataset.py again, or state'
    assert reason.with_lines({}).next.startswith(to_paste)
    assert "Create" not in REASONS[1].with_lines({}).next


def test_a_trial_that_the_files_refuse_leaves_what_was_found_before():
    def run(literal):
        raise FaultyInputError("no rows")

    found = propose_tried(TEXT, "x.py", REASONS, lambda literal: None, run)
    assert not found.is_tried
    assert "release" in parse_config(found.text, "x")


def test_a_trial_runs_what_makes_a_release_and_spends_no_budget(monkeypatch, tmp_path):
    """A private release was made in every whole trial, and its privacy budget was spent."""
    ran = []

    def step_module(name):
        return SimpleNamespace(run_step=lambda step: ran.append(name) or StepResult({}))

    monkeypatch.setattr(running, "step_module", step_module)
    named = ("risk", "explore", "recommend", "treatment", "release", "private_release")
    config = SimpleNamespace(settings=dict.fromkeys(named))
    monkeypatch.setattr(running, "_asked", lambda step: "")
    for untried, expected in ((None, len(named) + 2), (config, 4)):  # identifiers and context run in any case
        ran.clear()
        run_steps("X", tmp_path, SimpleNamespace(domains=None), SimpleNamespace(config=config), untried=untried)
        assert len(ran) == expected
        assert ("private_release" in ran) == (untried is None)


def test_a_change_that_a_run_would_refuse_is_not_made():
    def check(literal):
        if "release" in literal:
            raise FaultyInputError("no")

    found = propose(TEXT, "x.py", REASONS, check)
    assert "release" not in parse_config(found.text, "x")


def test_what_is_foreseen_is_neither_proposed_nor_named_where_a_line_before_it_is_refused():
    """A column was dropped because of one that stays, and what a trial had only foreseen was named as left."""
    height = Reason(Gravity.NOT_DECIDED, "Heights tell.", changes=(without_column("VS__HEIGHT", "it tells"),))
    weight = Reason(
        Gravity.NOT_DECIDED, "Weights tell.", changes=(without_column("VS__WEIGHT", "so"),), is_foreseen=True
    )
    own = ConfigChange.to(("release", "operations", "AE.FLAG"), "keep", "a flag")
    reasons = (height, weight, Reason(Gravity.NOT_DECIDED, "A flag.", changes=(own,)))

    def check(literal):
        if "VS__HEIGHT" in str(literal):
            raise FaultyInputError("no")

    text = 'config = {\n    "treatment": [{"method": "drop_identifiers"}],\n}\n'
    assert "VS__WEIGHT" in propose(text, "x.py", reasons, lambda literal: None).text
    refused = propose(text, "x.py", reasons, check).text
    assert "VS__WEIGHT" not in refused
    assert "AE.FLAG" in refused
    assert found_of(reasons) == (height, reasons[2])


def pilot_without_config(tmp_path, name: str) -> SyntheticPilot:
    """The files of a demo pilot, in folders of the test."""
    pilot = SyntheticPilot(tmp_path, name)
    pilot.create()
    shutil.rmtree(pilot.folder)
    pilot.folder.mkdir()
    for path in (PROJECT / "pilot_report" / name).glob(PILOTS[name]):
        if path.is_file():
            shutil.copy(path, pilot.folder)
    pilot.config_file.unlink()
    return pilot


@pytest.mark.thorough("40 s")
@pytest.mark.parametrize("name", PILOTS)
def test_from_hold_to_may_leave_by_the_tools_own_lines(tmp_path, doors, monkeypatch, name):
    """At most two rounds; or the plain sentence that no line brings the rows out."""
    monkeypatch.setenv("PILOT_KEY", KEY)
    pilot = pilot_without_config(tmp_path, name)
    assert doors.start(1).status == DONE
    beside = pilot.config_file.with_name(f"{name}.proposed.py")
    nexts = ["the first round"]
    for _ in range(2):
        before = pilot.config_file.read_text(encoding="utf-8")
        run = doors.start(2, "--propose")
        assert (run.status, run.err) == (DONE, "")
        paste_every_line(pilot, before)
        assert pilot.config_file.read_text(encoding="utf-8") == before
        assert re.search(rf"(mv|move) \S+{name}\.proposed\.py \S+{name}\.py\n", run.out)
        beside.replace(pilot.config_file)
        assert (doors.start(2).status, sheet_of(beside).exists()) == (DONE, False)  # a proposal decides no column
        verdict = pilot.summary()["verdict"]
        nexts = [reason["next"] for reason in verdict["reasons"]]
        if verdict["verdict"] == "May leave" or any("rows cannot leave" in one for one in nexts):
            return
    raise AssertionError(nexts)


def paste_every_line(pilot: SyntheticPilot, text: str) -> None:
    """Each line of the report goes into the config, in place of the key of today or, without one, at its end."""
    config = parse_config(text, "x")
    for reason in pilot.summary()["verdict"]["reasons"]:
        pasted = literal_at_start(reason["next"])
        if pasted:
            added = {key: value for key, value in pasted.items() if key not in config}
            lines = "".join(f"    {key!r}: {value!r},\n" for key, value in added.items())
            end = text.rindex("}")
            assert parse_config(f"{text[:end]}{lines}{text[end:]}", "x") == config | added
            checked_config(pilot.combined, config | pasted, READERS)


def literal_at_start(words: str) -> dict:
    """The keys of a config with which some words begin; {} where they begin otherwise."""
    for end in range(len(words), 0, -1):
        try:
            found = parse_config(f"config = {{{words[:end]}}}", "x")
        except FaultyInputError:
            continue
        return found
    return {}


def test_a_choice_that_only_the_controller_has_is_a_marked_comment_once(tmp_path):
    known = ConfigChange.to(("release", "outsiders_know"), {"kinds": ["terms"]}, "only if no outsider can know visits")
    alone = Reason(Gravity.OUTSIDERS_CAN_SINGLE_OUT, "12 are alone.", "Tables may leave.", choices=(known,))
    text = 'config = {\n    "K": 5,\n    "release": {\n        "key_from": {"environment": "A"},\n    },\n}\n'

    def proposed(text: str) -> Proposal:
        reasons = [alone, Reason(Gravity.NOT_DECIDED, "More.", changes=(ConfigChange.to(("K",), 6),))]
        found = propose_tried(text, "x.py", reasons, lambda literal: None, lambda literal: [alone])
        return with_open_choices(found, "x.py")

    found = proposed(text)
    assert parse_config(found.text, "x") == parse_config(text, "x") | {"K": 6}
    assert lines_to_review(found.text) == 1
    assert '        # "outsiders_know": {"kinds": ["terms"]},\n' in found.text
    assert proposed(found.text).text.count("outsiders_know") == 1
    decided = re.sub(r" *# review:[^\n]*\n", "", found.text).replace('# "outsiders_know"', '"outsiders_know"')
    assert parse_config(decided, "x")["release"]["outsiders_know"] == {"kinds": ["terms"]}
    assert lines_to_review(decided) == 0
    own = text.replace('"A"}', '"A"}, "outsiders_know": {"facts": 0}')
    assert "# review:" not in proposed(own).text
    words = "\n".join(proposal_in_words(found, tmp_path / "x.proposed.py", tmp_path / "x.py", "X"))
    assert 'Only you can decide: "# review:" in x.proposed.py' in words


def test_what_only_the_controller_can_say_stands_in_the_file_also_after_a_whole_run(tmp_path):
    """A first look finds nothing; the run in place finds people who are alone by the number of their visits."""
    known = ConfigChange.to(("release", "outsiders_know"), {"kinds": ["terms"]}, "only if no outsider can know visits")
    alone = Reason(Gravity.OUTSIDERS_CAN_SINGLE_OUT, "12 are alone.", "Tables may leave.", choices=(known,))

    class RunsOfNothing:
        pilot = SimpleNamespace(config_file=SourceFile(tmp_path / "x.py", TEXT.encode()))
        config = SimpleNamespace(settings={})

        def check(self, literal):
            """Every config can be run."""

        def verdict(self, literal, words, asks):
            return SimpleNamespace(reasons=() if asks is Asks.NAMES else (alone,), use=None)

    found, said = next_config(RunsOfNothing(), SimpleNamespace(reasons=REASONS[1:2], use=None), {})
    assert (found.left, said) == ((alone,), [])
    assert '        # "outsiders_know": {"kinds": ["terms"]},\n' in found.text
