"""Small random pilots through both doors: no id, no value of few people in whatever goes from hand to hand or is shown.

What the solvers of ``test_masks_hold.py`` read are figures of the JSON summary. That the evidence, the history and the
log tell no further ones is shown here.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from Create_Combined_Pilot_Dataset import add_merge_options, combine_pilot
from disclosure_control.basics.telling.small_counts import SMALLEST_PRINTED_GROUP
from disclosure_control.report.evidence.pack import REPORT_HTML, REPORT_MD
from disclosure_control.report.history import worst_rates
from disclosure_control.run.clock import utc_now
from disclosure_control.run.doors import DONE, run_door
from Main_Anonymization import add_options, assess_pilot
from tests.examples import some_of
from tests.report.figures_for_others import figures_for_others
from tests.report.numbers_told import numbers_in
from tests.report.test_same_numbers import counted_numbers, said_in

KEY = "LEAKS_TEST_KEY"
OF_LOGS = {"event", "when", "pilot", "step", "seconds", "words", "status", "subjects", "rows", "columns", "domains",
           "found", "people", "files", "classes"}  # fmt: skip


@dataclass(frozen=True)
class Ran:
    """A pilot after both doors: its people, its folder of results, all that was shown meanwhile, and what others
    may know of its figures.
    """

    frame: pd.DataFrame
    results: Path
    shown: str
    events: list[dict]
    figures: dict

    @property
    def summary(self) -> dict:
        return json.loads((self.results / "SMALL_privacy_summary.json").read_text(encoding="utf-8"))


def people(chance: np.random.Generator) -> pd.DataFrame:
    """Ids, rare towns and numbers of four digits after the point, which stand nowhere else."""
    n = int(chance.integers(5, 120))
    frame = pd.DataFrame({"USUBJID": [f"ZZSUBJ-{i:05d}" for i in chance.permutation(n) + 40_000]})
    frame["SEX"] = chance.choice(["F", "M"], n)
    rare = [f"ZZTOWN{i}" for i in range(4)]
    frame["TOWN"] = np.where(chance.random(n) < chance.choice([0.05, 0.2]), chance.choice(rare, n), "Athens")
    frame["AGE"] = np.round(chance.uniform(18, 90, n), 4)
    frame["LAB"] = np.round(chance.uniform(100, 300, n), 4)
    frame["VISITDTC"] = (pd.Timestamp("1931-01-01") + pd.to_timedelta(chance.integers(0, 30_000, n), "D")).strftime(
        "%Y-%m-%d"
    )
    for name in ("TOWN", "AGE", "LAB"):
        frame.loc[chance.random(n) < chance.choice([0.0, 0.1]), name] = None
    return frame


def config_of(chance: np.random.Generator) -> dict:
    wanted = {
        "risk": "all",
        "recommend": {"time_limit": 5},
        "treatment": [{"method": str(chance.choice(["suppress_records", "suppress_cells"]))}],
        "explore": {"figures": False},
        "fairness": {"favourable": {"column": "DM__LAB", "at_least": 180}, "sensitive": "DM__SEX", "reference": "M"},
        "release": {"key_from": {"environment": KEY}},
        "context": {"attempt_probability": 0.3},
    }
    return {
        "categorical_qis": ["DM__SEX", "DM__TOWN"],
        "continuous_qis": ["DM__AGE"],
        "binning_config": {"DM__AGE": [30, 50, 70]},
        "sensitive_feature": "DM__LAB",
        "sensitive_binning_config_for_L": {"DM__LAB": [150, 200, 250]},
        "K": int(chance.integers(2, 8)),
        "L": 2,
        "T": 20,
        "missing_qis": str(chance.choice(["category", "exclude", "wildcard"])),
    } | {name: keys for name, keys in wanted.items() if chance.random() < 0.6}


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    folder, configs = tmp_path / "pilots" / "SMALL", tmp_path / "configs"
    folder.mkdir(parents=True)
    configs.mkdir()
    monkeypatch.setenv("BIOSTREAMS_DATA_DIR", str(folder.parent))
    monkeypatch.setenv("BIOSTREAMS_CONFIG_DIR", str(configs))
    monkeypatch.setenv(KEY, "a key of this test alone, 0123456789 abcdefghij")
    monkeypatch.setattr("disclosure_control.run.clock.utc_now", utc_now)

    def both_doors(seed: int) -> Ran:
        chance = np.random.default_rng(seed)
        frame = people(chance)
        frame.to_csv(folder / "DM.csv", index=False)
        (configs / "SMALL.py").write_text(f"config = {config_of(chance)!r}\n", encoding="utf-8")
        assert run_door("", combine_pilot, ["SMALL"], add_merge_options) == DONE
        assert run_door("", assess_pilot, ["SMALL", "--verbose", "--shareable"], add_options) == DONE
        in_words = capsys.readouterr()
        with figures_for_others() as figures:
            assert run_door("", assess_pilot, ["SMALL", "--shareable", "--log-format", "json"], add_options) == DONE
        in_json = capsys.readouterr()
        events = [json.loads(line) for line in in_json.out.splitlines()]
        shown = "\n".join([in_words.out, in_words.err, in_json.out, in_json.err])
        return Ran(frame, folder / "processed_for_anonym", shown, events, figures)

    return both_doors


def told_texts(ran: Ran) -> dict[str, str]:
    """What goes from hand to hand, by name of file; and what was shown."""
    names = [name for name, entry in ran.summary["files"].items() if not entry["restricted"]]
    files = {name: (ran.results / name).read_bytes().decode("utf-8", errors="replace") for name in names}
    return files | {"what was shown": ran.shown, "figures of the evidence": json.dumps(ran.figures)}


WORDS = ("summary", "details")
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")
OF_EVIDENCE = re.compile(f"{MOMENT.pattern}|so with the attempt [\\d.]+%")  # the one is a product of two told numbers


def markers(frame: pd.DataFrame) -> re.Pattern:
    """Ids, and values of fewer people than the threshold, whole or rounded to three digits after the point."""
    digits = frame["USUBJID"].str.removeprefix("ZZSUBJ-")
    found = ["ZZSUBJ", *(rf"{one}(?!\w)" for one in digits)]  # in a hash there are any digits
    for name in ("TOWN", "VISITDTC"):
        n_people = frame[name].value_counts()
        found += n_people.index[n_people < SMALLEST_PRINTED_GROUP].tolist()
    numbers = pd.concat([frame["AGE"], frame["LAB"]]).dropna()
    found += [re.escape(f"{number:.4f}"[:-1]) for number in numbers]
    return re.compile(rf"(?<![\w.])(?:{'|'.join(found)})", re.IGNORECASE)


@pytest.mark.thorough("1 s: a whole run with every step")
@pytest.mark.parametrize("seed", some_of([16, *range(16), *range(17, 24)]))
def test_nobody_stands_in_what_goes_from_hand_to_hand_or_is_shown(seed, run):
    ran = run(seed)
    marks = markers(ran.frame)
    assert marks.search((ran.results / "combined_dataset.csv").read_text(encoding="utf-8"))
    texts = told_texts(ran)
    assert {"evidence/manifest.json", REPORT_MD, REPORT_HTML, "SMALL_privacy_report_shareable.html"} <= {*texts}
    inside = {*ran.summary["files"]} - {*texts}
    assert {"history.jsonl", "SMALL_privacy_report.html", *(f"SMALL_privacy_{one}.txt" for one in WORDS)} <= inside
    # Seconds of the moment of a run may be anybody's value by chance.
    leaked = {name: len(marks.findall(MOMENT.sub("", text))) for name, text in texts.items()}
    assert {name: n for name, n in leaked.items() if n} == {}
    assert all({*event} <= OF_LOGS for event in ran.events), {name for event in ran.events for name in event} - OF_LOGS

    history = (ran.results / "history.jsonl").read_text(encoding="utf-8")
    summary, lines = ran.summary, [json.loads(line) for line in history.splitlines()]
    said = said_in(ran.results, "SMALL", ran.figures)
    assert said.unsaid(counted_numbers(OF_EVIDENCE.sub("", texts[REPORT_MD]))) == []
    assert lines[-1]["risky_rate"] == worst_rates(summary)
    assert lines[-1]["newly_alone"] == 0  # the same people as in the run before
    assert {*lines[-1]["drift"].values()} <= {0.0}
    of_history = {name: lines[-1][name] for name in ("total", "evaluated", "thresholds", "risky_rate")}
    assert {*numbers_in(of_history)} <= {*numbers_in(summary)}
