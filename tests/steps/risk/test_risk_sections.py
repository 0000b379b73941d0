"""What is registered as a section of ``risk``: its settings are told apart, and docs/risk.md says what it says."""

import pytest

from disclosure_control.basics.settings.fields import settings_in
from disclosure_control.basics.telling.small_counts import GroupShare
from disclosure_control.basics.telling.told_outside import ToldCounts
from disclosure_control.measures.syntactic_measures import SYNTACTIC_MODELS
from disclosure_control.steps.risk.common_settings import RiskSettings
from disclosure_control.steps.risk.sections import SECTIONS
from disclosure_control.steps.risk.sections.by_group import outside
from tests.cases import each
from tests.config_keys import settings_of_key
from tests.places import PROJECT

DOCS = (PROJECT / "docs" / "risk.md").read_text(encoding="utf-8")


def table_of_sections():
    rows = [
        f"| `{name}` | {section.answers} | {f'`{section.needs.setting}` ' if section.needs else ''}|"
        for name, section in SECTIONS.items()
    ]
    return "\n".join(["| section | what it answers | needs |", "|---|---|---|", *rows]) + "\n"


def test_the_docs_have_the_table_of_sections():
    assert table_of_sections() in DOCS, f"docs/risk.md: the table of sections should be\n\n{table_of_sections()}"


def test_the_docs_name_the_sections_by_default():
    names = ", ".join(f"`{name}`" for name, section in SECTIONS.items() if section.by_default)
    assert f"Without it, you get {names} and those whose\nsettings you give." in DOCS


@each("name", [*SYNTACTIC_MODELS, "average_class_size", "delta_presence", "discernibility"])
def test_the_docs_name_every_model(name):
    assert f"`{name}`" in DOCS


def test_no_two_sections_have_a_setting_or_a_place_in_common():
    kinds = [section.settings for section in SECTIONS.values() if section.settings is not None]
    names = [name for kind in kinds for name in settings_in(kind)]
    assert len(set(names)) == len(names)
    assert not set(names) & {"sections", *settings_in(RiskSettings)}
    assert len({section.place for section in SECTIONS.values()}) == len(SECTIONS)
    assert len({section.place_in_report or section.place for section in SECTIONS.values()}) == len(SECTIONS)


def test_settings_are_frozen_and_typed():
    settings = settings_of_key(
        "risk", {"population": {"file": "a.csv"}, "models": {"entropy_l": {"threshold": 2}}, "k_at_most": [2]}
    )
    assert (settings.population.file, settings.population.includes_sample) == ("a.csv", True)
    assert settings.k_at_most == (2,)
    with pytest.raises(AttributeError):
        settings.of(SECTIONS["models"].settings).models = None


def test_groups_that_may_be_shared_keep_both_numbers_and_a_column_of_few_is_left_out():
    """Of 1,000 people; the five of one group would be the rest of the two others."""
    sexes = [GroupShare("F", "risky", 400, 100), GroupShare("M", "risky", 600, 100)]
    wards = [GroupShare("A", "risky", 300, 100), GroupShare("B", "risky", 695, 100), GroupShare("C", "risky", 5, 1)]
    assert outside({"SEX": sexes}, ToldCounts(1000)) == {"SEX": sexes}
    assert outside({"WARD": wards}, ToldCounts(1000)) == {}
