"""Templates: those of HTML escape what they are given, others do not, and a name that nobody gave is an error."""

from __future__ import annotations

import jinja2
import pytest

from disclosure_control.report.templates import templates_of


@pytest.mark.parametrize(("name", "shown"), [("a.html", "A &amp; B"), ("a.md", "A & B"), ("html", "A & B")])
def test_what_is_escaped(name, shown, tmp_path):
    (tmp_path / name).write_text("{{ given }}")
    template = templates_of(tmp_path).get_template(name)
    assert template.render(given="A & B") == shown
    with pytest.raises(jinja2.UndefinedError):
        template.render()
