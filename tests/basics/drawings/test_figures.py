"""Figures as files: which forms, the same bytes each time, and a plain sentence where matplotlib is absent."""

import pytest

from disclosure_control.basics.drawings.figures import (
    FIGURES,
    FORMATS,
    cut_in_the_middle,
    figure_files,
    formats_of,
    not_drawn,
    panels,
    short_names,
)


def test_the_setting_of_forms():
    is_valid = FIGURES.is_valid
    assert [value for value in (True, ["svg"], ["pdf", "png"], [], ["gif"], "svg", 1) if is_valid(value)] == [
        *(True, ["svg"], ["pdf", "png"])
    ]
    assert (formats_of(True), formats_of(False), formats_of(["png", "png"])) == (("svg",), (), ("png",))


def drawn(title):
    figure, (axes, other) = panels(title, [2.0, 1.0], "a note")
    axes.bar([0, 1], [3, 5], hatch="//")
    other.pcolormesh([[1, 2], [3, 4]])
    yield "one", figure


@pytest.mark.thorough("2.4 s")
def test_equal_figures_are_equal_bytes_in_every_form():
    pytest.importorskip("matplotlib", reason="matplotlib is missing: pip install -r requirements/figures.txt")
    files = figure_files(drawn("people with $ signs_ <&>"), FORMATS)
    assert [files[f"one.{form}"][:4] for form in FORMATS] == [b"<?xm", b"\x89PNG", b"%PDF"]
    assert figure_files(drawn("people with $ signs_ <&>"), FORMATS) == files
    assert figure_files(drawn("others"), ("svg",))["one.svg"] != files["one.svg"]


def test_without_matplotlib_nothing_is_drawn_and_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setattr("disclosure_control.basics.drawings.figures.find_spec", lambda name: None)

    def never():
        raise AssertionError("drawn without matplotlib")
        yield

    assert figure_files(never(), ("svg",)) == {}
    assert "pip install -r requirements/figures.txt. All tables are written." in not_drawn(["svg"])
    assert not_drawn(()) == ""


def test_long_names_keep_their_ends_and_differ():
    assert cut_in_the_middle("abcdefghijklmnopqrstuvwxyz", 15) == "abcdefg … vwxyz"
    assert short_names(["one two", "x" * 90, "x" * 91], 20, 5)[0] == "one\ntwo"
    assert len(set(short_names(f"{'x' * 60}{i}{'y' * 60}" for i in range(3)))) == 3
