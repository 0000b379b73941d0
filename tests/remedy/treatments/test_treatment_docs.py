"""The table of treatments in docs/treatment.md is made of what is registered.

``python -m tests.remedy.treatments.test_treatment_docs`` writes it anew.
"""

from __future__ import annotations

from disclosure_control.basics.settings.fields import settings_in
from disclosure_control.remedy.treatments.registry import methods
from tests.places import PROJECT
from tests.remedy.treatments.treatment_examples import EXAMPLES

PAGE = PROJECT / "docs" / "treatment.md"
HEAD = "| method | settings | what it does |\n|---|---|---|\n"


def page_with_the_table() -> str:
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(HEAD)
    after = rest[rest.index("\n\n") :]
    rows = [
        f"| `{name}` | {', '.join(f'`{setting}`' for setting in settings_in(treatment.settings))} | {treatment.words} |"
        for name, treatment in methods().items()
    ]
    return before + HEAD + "\n".join(rows) + after


def test_the_table_of_the_docs_is_made_of_what_is_registered():
    assert PAGE.read_text(encoding="utf-8") == page_with_the_table(), "see the head of this file"


def test_every_treatment_has_an_example():
    assert set(EXAMPLES) == set(methods())


if __name__ == "__main__":
    PAGE.write_text(page_with_the_table(), encoding="utf-8")
