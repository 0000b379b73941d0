"""The page of a run: the same numbers as text and JSON, nothing that reaches outside, nobody's id, and small."""

import dataclasses
import itertools
import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from disclosure_control.assess.threshold_curves import threshold_curves
from disclosure_control.basics.telling.sections import Section, Sentence, Where
from disclosure_control.basics.telling.small_counts import MASKED, GroupShare
from disclosure_control.identifiers.column_findings import ColumnFinding, Grade, Scan
from disclosure_control.identifiers.outcome import IdentifierOutcome
from disclosure_control.report.page.page import privacy_page
from disclosure_control.report.verdict import NOTHING_AGAINST_IT, Verdict
from disclosure_control.steps import outlines
from disclosure_control.steps.identifiers.report import identifier_sections, told_identifiers
from disclosure_control.steps.risk.report import risk_sections
from disclosure_control.steps.risk.sections.attribute_effects import EffectTold
from disclosure_control.steps.risk.sections.by_group import RiskByGroup
from disclosure_control.steps.risk.sections.determined_by import Determination, DeterminedBy
from disclosure_control.steps.risk.sections.key_sets import FactsTogether, SetsOfFacts
from tests.report.small_pilots import CONFIG, run_of
from tests.report.test_text import tables
from tests.run.synthetic_pilot import leaks

VOID = {"meta", "br", "input", "link", "img", "hr"}


class Page(HTMLParser):
    """What a browser would see: tags with their attributes, text by section, rows of tables, and unclosed tags."""

    def __init__(self, html: str):
        super().__init__()
        self.tags, self.open, self.rows, self.text, self.faults = [], [], [], [], []
        self.feed(html)
        self.faults += self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"/{tag}")

    def handle_data(self, data):
        if not {"style", "script"} & set(self.open):
            self.text.append(data)
            if {"th", "td"} & set(self.open):
                self.rows[-1][-1] += data

    def having(self, name: str) -> list[dict]:
        return [attributes for tag, attributes in self.tags if tag == name]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A pilot of eighty with every section that needs no further file: its summary, its curves and its page."""
    draw = np.random.default_rng(2)
    n = 80
    frame = pd.DataFrame({"sex": draw.choice(["F", "M"], n), "town": draw.choice(["Alpha", "Beta", "<i>Γ\"'&"], n)})
    frame["age"] = draw.integers(1, 80, n).astype(float)
    frame["lab"] = np.where(draw.random(n) < 0.1, np.nan, draw.integers(0, 30, n))
    keys = {
        "risk": "all",
        "recommend": {},
        "treatment": [{"method": "recommended"}],
        "explore": {"figures": False},
        "fairness": {"favourable": {"column": "lab", "at_least": 12}, "sensitive": "sex", "reference": "M"},
    }
    run = run_of(frame, CONFIG | keys, tmp_path_factory.mktemp("page"))
    summary = json.loads(json.dumps(run.summary))  # as a program reads it
    curves = threshold_curves(run.assessment)
    return summary, curves, run.page(), run


@pytest.mark.thorough("0.6 s")
def test_every_tag_is_closed_and_every_name_is_escaped(made):
    page = Page(made[2])
    assert page.faults == []
    assert "<i>" not in made[2].split("<script")[0]


def test_nothing_is_fetched(made):
    page = Page(made[2])
    assert not [a for tag, a in page.tags if "src" in a or tag in ("link", "iframe", "img", "object", "form")]
    assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest|http-equiv=.refresh", made[2])
    links = [a["href"] for a in page.having("a")]
    assert all(link.startswith(("#", "https://doi.org/")) for link in links)


def test_it_can_be_read_by_a_screen_reader_and_by_keyboard(made):
    """Language, landmarks, one first heading and no level left out, words for every drawing, places for every link."""
    page = Page(made[2])
    names = [tag for tag, _ in page.tags]
    assert page.having("html")[0]["lang"] == "en"
    assert [names.count(name) for name in ("h1", "main", "header", "footer", "nav")] == [1] * 5
    levels = [int(name[1]) for name in names if re.fullmatch(r"h[1-6]", name)]
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    named = [a["aria-label"] for _, a in page.tags if a.get("role") == "region"]
    named += re.findall(r"<h2[^>]*>([^<]+)</h2>", made[2])
    assert len(named) == len(set(named))
    assert all(svg["role"] == "img" and len(svg["aria-label"]) > 20 for svg in page.having("svg"))
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))
    named = [a["aria-labelledby"] for _, a in page.tags if "aria-labelledby" in a]
    assert {link["href"][1:] for link in page.having("a") if link["href"].startswith("#")} | set(named) <= set(ids)
    assert all(a.get("scope") in ("col", "row") for a in page.having("th"))


def test_every_step_that_ran_has_its_section_and_every_other_says_what_it_would_answer(made):
    summary, _, html, _ = made
    page = Page(html)
    sections = {a.get("id") for a in page.having("section")}
    for section in outlines():
        ran = section.key in summary or (section.key in ("who", "why") and "risk" in summary)
        assert (section.key in sections) == ran, section.key
        assert ran or section.question in html


def test_every_section_says_of_which_data_its_figures_are():
    unsaid = {"private_release"}  # made for publication, of the questions that it names
    assert {section.key for section in outlines() if not section.about} == unsaid


def test_what_names_a_section_leads_to_it():
    sections = [
        Section("verdict", "", [Sentence("One moved. 2 further reasons in the section on what the recipient loses.")]),
        Section("study_tables", "", [Sentence("The tables.")]),
    ]
    page = privacy_page("P", sections)
    assert '2 further reasons in the <a href="#study_tables">section on what the recipient loses</a>.' in page
    assert '<section id="study_tables"' in page


def test_the_table_of_models_holds_the_numbers_of_the_summary(made):
    summary, _, html, _ = made
    rows = {row[0]: row[1:] for row in Page(html).rows}
    models = {f"k < {summary['k_anonymity']['threshold']}": summary["k_anonymity"]}
    models |= {f"l of {name} < {one['threshold']}": one for name, one in summary["l_diversity"].items()}
    models |= {f"t of {name} > {one['threshold']}": one for name, one in summary["t_closeness"].items()}
    for name, figures in models.items():
        share = f"{figures['risky_rate']:.1%}"
        assert rows[name] == [str(figures[key]) for key in ("risky", "evaluated")] + [
            share,
            str(figures["not_evaluated"]),
        ]
    for policy, figures in summary["missing_policies"].items():
        used = f"{policy}, in use" if policy == summary["missing_qis"] else policy
        assert rows[used] == [str(figures["risky"]), str(figures["evaluated"])]
    for one in summary["risk"]["key_sets"][:1]:
        assert any(", ".join(one["quasi_identifiers"]) == name for name in rows)


def test_the_sliders_have_the_numbers_of_the_summary_at_the_thresholds_in_use(made):
    summary, _, html, _ = made
    data = json.loads(re.search(r'id="what-if-data">(.*?)</script>', html, re.S)[1])
    assert len(data["curves"]) == 3
    for curve in data["curves"]:
        figures = summary[curve["model"]] if curve["sensitive"] is None else summary[curve["model"]][curve["sensitive"]]
        assert curve["risky"][curve["thresholds"].index(curve["in_use"])] == figures["risky"]
    assert data["landscape"] == summary["recommend"]["landscape"]
    assert None not in {n for _, _, n in data["landscape"]["places"]}  # the controller's: nothing is masked


def test_a_column_of_any_name_breaks_no_page(tmp_path):
    name = "</script><!--<svg onload=x>"
    frame = pd.DataFrame({name: ["F", "M"] * 20, "age": [float(i) for i in range(40)], "lab": [1.0, 15.0] * 20})
    config = CONFIG | {"categorical_qis": [name], "risk": "all", "recommend": {}}
    html = run_of(frame, config, tmp_path).page()
    assert Page(html).faults == []
    assert "<svg onload" not in html


def test_the_same_numbers_in_page_text_and_json(pilot):
    summary = pilot.summary()
    page = Page((pilot.results / "CLINIC_privacy_report.html").read_text(encoding="utf-8"))
    rows = {row[0]: row[1:] for row in page.rows}
    in_page = [rows["k < 3"], rows["l of LB__Cholesterol < 2"], rows["t of LB__Cholesterol > 30"]]
    models = [summary["k_anonymity"], *summary["l_diversity"].values(), *summary["t_closeness"].values()]
    short, details = ((pilot.results / f"CLINIC_privacy_{kind}.txt").read_text() for kind in ("summary", "details"))
    of_text = [found[0] for title, found in tables(details) if "risky where" in title]
    (in_short,) = (found for _, found in tables(short))
    for shown, row, few, figures in zip(in_page, of_text, in_short, models, strict=True):
        counts = [str(figures["risky"]), str(figures["evaluated"])]
        assert shown[:2] == counts == [row["Risky"], row["Evaluated"]] == [few["Risky"], few["Evaluated"]]
        assert row["% Risky"] == f"{figures['risky'] / figures['total']:.1%}"
        assert few["% Risky"] == row["% Risky"]
        assert "% of evaluated" not in few  # everybody is evaluated: it would be the same
    for question in summary["risk"]["three_questions"].values():
        assert question["sentence"] in details
        assert question["sentence"].split(": ", 1)[1][1:] in " ".join(page.text)
    assert all(f"VERDICT: {summary['verdict']['verdict']}" in text for text in (short, details))
    assert summary["verdict"]["verdict"] in " ".join(page.text)


@pytest.mark.thorough("1 s: a whole run with every step")
def test_the_page_shows_nobody(pilot, doors):
    doors.start(2, "--shareable")
    inside, shared = (
        (pilot.results / f"CLINIC_privacy_{name}.html").read_text(encoding="utf-8")
        for name in ("report", "report_shareable")
    )
    assert leaks(shared) == []
    assert (
        leaks(re.sub(r">[^<]*MARKER[^<]*<|aria-label=\"[^\"]*\"", "><", inside)) == []
    )  # names of groups, in drawings
    assert "or the data controller alone" in inside
    assert "or the data controller alone" not in shared
    assert pilot.summary()["files"]["CLINIC_privacy_report.html"]["restricted"]
    assert not pilot.summary()["files"]["CLINIC_privacy_report_shareable.html"]["restricted"]
    doors.start(2)
    assert not (pilot.results / "CLINIC_privacy_report_shareable.html").exists()


@pytest.mark.thorough("0.3 s")
def test_the_page_of_a_pilot_without_a_merge_report_is_written(pilot, doors):
    (pilot.results / "merge_report.json").write_text('{"subjects": 12}', encoding="utf-8")
    assert doors.start(2).status == 0


def widened(n):
    """What the sections of ``risk`` find of a pilot of very many columns and long names."""
    names = [f"LB__A measurement with a long name [{i}]" for i in range(n)]
    groups = [GroupShare(f"{'a long name of a group' * 2} {i}", "risky", 100, 50) for i in range(30)]
    told = [Determination(name, False, 0.5, 0.4, 0.4, determines=False, nearly=False) for name in names]
    return {
        "by_group": RiskByGroup(dict.fromkeys(names, groups), 0.5, 10),
        "determined_by": DeterminedBy(dict.fromkeys(names, told), 0),
        "key_sets": SetsOfFacts([FactsTogether(names[:2], 100, 0.5, 2.0, {})], 20),
        "attribute_effects": [EffectTold(name, 0.1, 0.1, 0.1, 0.1, {}) for name in names],
    }


def test_the_page_stays_small_however_many_columns_there_are_and_says_what_is_left_out():
    html = privacy_page("PILOT", risk_sections(widened(100), {}, {}))
    assert len(html.encode()) < 1_000_000
    for words in ("76 more columns, whose", "76 more, which add least", "9,904 more pairs of a column and"):
        assert words in html, words


def section_of(html, key):
    return " ".join(re.search(rf'<section id="{key}".*?</section>', html, re.S)[0].split())


def test_what_holds_nothing_back_is_counted_by_its_kind():
    """300 possible dates are no 300 rows above the one column that names people."""
    dates = [a_finding(f"LB__T{i}", Grade.KNOWN_TO_OUTSIDERS, "dates of an event") for i in range(300)]
    possible = [dataclasses.replace(one, certainty="possible") for one in dates]
    named = a_finding("DM__NAME", Grade.NAMES_A_PERSON, "names")
    for findings, n_rows in (([*possible, named], 1), (possible, 0), ([named], 1)):
        told = told_identifiers(MASKED, IdentifierOutcome(tuple(findings)), Scan(), Scan(), ())
        html = privacy_page("PILOT", identifier_sections(told))
        text = section_of(html, "identifiers")
        assert text.count('<th scope="row">') == n_rows
        assert ("300 columns hold possible dates of an event" in text) == (possible[0] in findings)
        assert ("No column was found" in text) == (named not in findings)
        assert len(html.encode()) < 1_000_000


def a_finding(column: str, grade: Grade, words: str) -> ColumnFinding:
    return ColumnFinding("", column, words, grade, 12, 12, 12, 12, 0.0, "sure", "do this", words)


def test_sets_that_leave_few_alone_are_counted_and_not_listed():
    """Among those that single out most nobody looks for shares of 0; fewer than 20 people are not distinguished."""
    rates = {"A": 0.25, "B": None, "C": 0.5, "D": None}
    sets = [FactsTogether([name], 100, rate, 20.0, {}) for name, rate in rates.items()]
    page = Page(privacy_page("PILOT", risk_sections({"key_sets": SetsOfFacts(sets, 20)}, {}, {})))
    rows = {row[0]: row[1] for row in page.rows}
    assert (rows["A"], rows["C"]) == ("25.0%", "50.0%")
    assert not {"B", "D"} & set(rows)
    assert "2 sets of facts leave fewer than 20 of the evaluated people alone, or nobody." in " ".join(page.text)


def test_who_may_leave_is_told_what_to_hand_over_and_what_was_not_looked_at():
    verdict = Verdict("released/", (), not_looked_at=("Not looked at: this.",))
    page = privacy_page("PILOT", [verdict.section])
    told = section_of(page, "verdict")
    assert "python Main_Anonymization.py PILOT --shareable" in page
    assert "hand over released/, nothing else" in told
    assert "Not looked at: this." in told
    assert NOTHING_AGAINST_IT in told


@pytest.mark.parametrize("is_shareable", [False, True])
def test_each_section_of_the_page_says_of_which_data_its_figures_are(is_shareable):
    """A green "May leave" on released/ stood above "k < 5: 94 of 162" of the pilot as it came in."""
    verdict = Verdict("released/", ())
    who = Section("who", "", [Sentence("94 of 162.", where=Where.PAGES)])
    left = Section("release", "", [Sentence("The files.", where=Where.PAGES)])
    html = privacy_page("PILOT", [verdict.section, who, left], is_shareable)
    assert "On released/." in section_of(html, "verdict")
    told = section_of(html, "who")
    assert told.index("Of the pilot as it came in, before any treatment.") < told.index("94 of 162.")
    assert "came in" not in section_of(html, "release")
