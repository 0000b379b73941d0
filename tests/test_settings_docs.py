"""The tables of settings in the docs are made of the fields of the classes of settings.

``python -m tests.test_settings_docs`` writes them anew. A table stands below a comment that names its class.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

from config.model_settings import PilotConfig
from disclosure_control.basics.settings.fields import SettingField, SettingsGroup, settings_in
from disclosure_control.release.settings import EarlierReleaseSettings, OutsidersKnow
from disclosure_control.release.terms.rare_terms import RareTerms
from disclosure_control.remedy.treatments.registry import methods
from disclosure_control.steps import READERS, STEPS, settings_module
from disclosure_control.steps.context.settings import DecisionOnRule
from disclosure_control.study_tables.fit import FitForUseSettings
from disclosure_control.study_tables.regression import OutcomeAsked
from study.formats.tables import FileOptions
from study.merge.ages import AgeAt
from study.merge.settings import MergeSettings
from study.merge.subject_ids import SubjectIdRule
from tests.cases import each
from tests.places import PROJECT

# By the name in the comment above it: keys of a config, treatments, and groups of settings within them.
CLASSES: dict[str, type[SettingsGroup]] = {
    "k, l and t": PilotConfig,
    "subject_id": SubjectIdRule,
    "merge": MergeSettings,
    "merge files": FileOptions,
    "merge age": AgeAt,
    "context rules": DecisionOnRule,
    "release rare_terms": RareTerms,
    "release outsiders_know": OutsidersKnow,
    "release earlier": EarlierReleaseSettings,
    "release fit_for_use": FitForUseSettings,
    "release fit_for_use outcome": OutcomeAsked,
    **{name: settings_module(name).SETTINGS for name in STEPS},
    **{f"treatment {name}": treatment.settings for name, treatment in methods().items()},
}
HEAD = "| setting | what it says | allowed | default |\n|---|---|---|---|\n"
PLACE = re.compile(r"(<!-- settings of ([\w, ]+?) -->\n)((?:\|[^\n]*\n)*)")
PAGES = sorted((PROJECT / "docs").glob("*.md"))


def table_of(kind: type[SettingsGroup]) -> str:
    rows = [
        f"| `{name}` | {_cell(one.says)} | {_cell(one.kind.allowed)} | {_default(one, kind)} |"
        for name, one in settings_in(kind).items()
    ]
    return HEAD + "\n".join(rows) + "\n"


def _cell(text: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", text)


def _default(one: SettingField, kind: type[SettingsGroup]) -> str:
    if one.is_required:
        return "needed"
    (field,) = (field for field in dataclasses.fields(kind) if field.name == one.attribute)
    default: Any = field.default
    if one.default_words:
        return one.default_words
    if default in (None, (), "", dataclasses.MISSING) or dataclasses.is_dataclass(default):
        return "none"
    if isinstance(default, float):
        return f"`{default:g}`"
    if isinstance(default, tuple):
        return f"`{list(default)}`".replace("'", '"')
    return f'`"{default}"`' if isinstance(default, str) else f"`{default}`"


def with_tables(page: str) -> str:
    return PLACE.sub(lambda found: found[1] + table_of(CLASSES[found[2]]), page)


@each("page", PAGES)
def test_the_tables_are_made_of_the_settings(page: Path):
    text = page.read_text(encoding="utf-8")
    assert text == with_tables(text), f"docs/{page.name}: python -m tests.test_settings_docs"


def test_every_key_has_its_table():
    found = {name for page in PAGES for _, name, _ in PLACE.findall(page.read_text(encoding="utf-8"))}
    assert found >= {"k, l and t", *READERS}


def test_every_setting_of_a_key_says_what_it_is_for():
    silent = [(key, name) for key, kind in CLASSES.items() for name, one in settings_in(kind).items() if not one.says]
    assert silent == []


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(with_tables(path.read_text(encoding="utf-8")), encoding="utf-8")
