"""What a run shows of each rule: met, not met, shown, not counted, stated by a person, or open; never more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.telling.small_counts import NOT_SHOWN, count_text
from disclosure_control.basics.telling.words import counted, listed
from disclosure_control.rules.columns_left import ColumnsOfRun, columns_of_run
from disclosure_control.rules.registry import FigureAsked, Rule, RuleBook, rule_books

MOST_NAMED = 40
ABSENT = object()  # a path that the summary does not have
STATED_AT = "config.context."  # figures that a person states
NAMED_BY = ("method", "column", "key", "name")  # the keys of entries that are their name


class Standing(StrEnum):
    """How a rule stands, the gravest first: the standing of a rule is the gravest among what it asks."""

    NOT_MET = "not met"
    NOT_COUNTED = "not counted in this run"
    OPEN = "open: a person decides"
    STATED = "stated by a person"
    SHOWN = "shown"  # figures without a bound: whether they are enough is not theirs to say
    MET = "met by this run"


ORDER = tuple(Standing)


@dataclass(frozen=True)
class ShownForRule:
    """One thing that was asked of a run: its standing, the sentence, and the ``figure`` of the JSON it rests on."""

    standing: Standing
    sentence: str
    figure: str = ""


@dataclass(frozen=True)
class JudgedRule:
    """A rule and what shows it."""

    reference: str
    rule: Rule
    shown: tuple[ShownForRule, ...]

    @property
    def standing(self) -> Standing:
        """The gravest of what was asked."""
        return min((one.standing for one in self.shown), key=ORDER.index)


@dataclass(frozen=True)
class JudgedBook:
    """A book with its rules as they stand."""

    book: RuleBook
    rules: tuple[JudgedRule, ...]

    @property
    def not_met(self) -> list[JudgedRule]:
        """Its rules that a figure or a column contradicts."""
        return [one for one in self.rules if one.standing is Standing.NOT_MET]

    def count(self, *standings: Standing) -> int:
        """How many of its rules stand so."""
        return sum(one.standing in standings for one in self.rules)


def judged_books(summary: Mapping[str, Any], masked: Mapping[str, Any]) -> tuple[JudgedBook, ...]:
    """Every rule of every book, by the JSON summary of a run; its config has what persons stated.

    How a rule stands follows from the exact ``summary``; sentences, which others read, have the figures as ``masked``.
    Of a masked count a rule asks only whether it is nobody's, which its mask says already.
    """
    columns = columns_of_run(summary)
    stated: Mapping[str, Any] = summary.get("config", {}).get("context", {})
    return tuple(
        JudgedBook(
            book,
            tuple(
                JudgedRule(
                    book.reference(rule),
                    rule,
                    tuple(_shown(rule, book.reference(rule), summary, masked, columns, stated)),
                )
                for rule in book.rules
            ),
        )
        for book in rule_books()
    )


def _shown(
    rule: Rule,
    reference: str,
    summary: Mapping[str, Any],
    masked: Mapping[str, Any],
    columns: ColumnsOfRun | None,
    stated: Mapping[str, Any],
) -> Iterator[ShownForRule]:
    decision = _decision(rule, reference, stated.get("rules", {}).get(reference))
    still_open: Sequence[str] = summary.get("context", {}).get("open_points", ())
    if rule.columns is not None:
        yield from _columns_shown(rule, columns, decision)
    for figure in rule.figures:
        if figure.if_counted and value_at(summary, figure.path) is ABSENT:
            continue
        shown = _figure_shown(figure, summary, masked)
        if figure.or_person and shown.standing is Standing.NOT_MET:
            yield replace(shown, standing=Standing.SHOWN)
            yield decision
        else:
            yield shown
    for name in rule.statements:
        yield _statement_shown(name, stated.get(name), is_whole=name not in still_open)
    if rule.person:
        yield decision


def _columns_shown(rule: Rule, columns: ColumnsOfRun | None, decision: ShownForRule) -> Iterator[ShownForRule]:
    assert rule.columns is not None
    if columns is None:
        yield ShownForRule(
            Standing.NOT_COUNTED, "Nothing leaves: this run made neither a release nor a treated dataset."
        )
        return
    asked = columns.asked(rule.columns)
    if asked.present:
        yield ShownForRule(Standing.NOT_MET, f"Present in {columns.product}: {_names(asked.present)}.", "release.kept")
    for how, names in asked.changed.items():
        sentence = f"Present in {columns.product}, {how}: {_names(names)}."
        yield ShownForRule(Standing.SHOWN, sentence, "release.operations")
    if asked.changed and not rule.person:
        yield decision
    if asked.removed:
        yield ShownForRule(Standing.MET, f"Removed: {_names(asked.removed)}.", "release.operations")
    if not (asked.present or asked.changed or asked.removed):
        yield _absent(columns, by_values=bool(rule.columns.kinds))


def _absent(columns: ColumnsOfRun, *, by_values: bool) -> ShownForRule:
    if not by_values:
        return ShownForRule(Standing.SHOWN, "Absent by heading: no column is called so.", "release.operations")
    if not columns.is_scanned:
        words = 'No heading names it; values were not searched, which the step "identifiers" does.'
        return ShownForRule(Standing.NOT_COUNTED, words, "identifiers.findings")
    return ShownForRule(
        Standing.MET, "Absent: no column was found by its values or its heading.", "identifiers.findings"
    )


def _names(names: Sequence[str]) -> str:
    return listed(list(names), MOST_NAMED)


def _figure_shown(figure: FigureAsked, summary: Mapping[str, Any], masked: Mapping[str, Any]) -> ShownForRule:
    value = value_at(summary, figure.path)
    if value is ABSENT and figure.path.startswith(STATED_AT):
        return _statement_shown(figure.path.removeprefix(STATED_AT), None, is_whole=False)
    if value is ABSENT:
        return ShownForRule(Standing.NOT_COUNTED, f'Not counted: the run had no figure "{figure.path}".', figure.path)
    sentence = figure.says.replace("{value}", in_words(value_at(masked, figure.path)))
    if not figure.is_bounded:
        return ShownForRule(Standing.SHOWN, sentence, figure.path)
    if value is None:
        return ShownForRule(Standing.NOT_COUNTED, f'Not counted: "{figure.path}" has no figure here.', figure.path)
    return ShownForRule(Standing.MET if _is_within(figure, value) else Standing.NOT_MET, sentence, figure.path)


def _is_within(figure: FigureAsked, value: Any) -> bool:
    if figure.equals is not None and value != figure.equals:
        return False
    entries = [n for n in value.values() if n != 0] if isinstance(value, Mapping) else value
    number = len(entries) if isinstance(entries, list) else entries
    above = figure.at_most is not None and number > figure.at_most
    return not above and not (figure.at_least is not None and number < figure.at_least)


def value_at(summary: Mapping[str, Any], path: str) -> Any:
    """The value at a path with dots, ``ABSENT`` where there is none."""
    found: Any = summary
    for part in path.split("."):
        if not isinstance(found, Mapping) or part not in found:
            return ABSENT
        found = found[part]
    return found


def in_words(value: Any) -> str:
    """A figure within a sentence: names as such, entries by what names them, and anything else by its length."""
    if value is None:
        return NOT_SHOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return number_text(round(value, 4))
    if not isinstance(value, list | dict):
        return str(value)
    if isinstance(value, Mapping) and all(one is None or isinstance(one, int) for one in value.values()):
        return listed([f"{name} {count_text(one)}" for name, one in value.items()], MOST_NAMED) or "none"
    names = [_name(one) for one in value]
    if not value:
        return "none"
    return counted(len(value), "line") if None in names else _names([str(name) for name in names])


def _name(entry: object) -> str | None:
    """What names an entry of a list in the JSON summary."""
    if isinstance(entry, str):
        return entry
    return next((entry[key] for key in NAMED_BY if key in entry), None) if isinstance(entry, Mapping) else None


def _statement_shown(name: str, value: Any, *, is_whole: bool) -> ShownForRule:
    path = f"{STATED_AT}{name}"
    if value in (None, "", {}):
        return ShownForRule(Standing.OPEN, f'Not stated yet: "context": {{"{name}": ...}}.', path)
    words = "; ".join(f"{one}: {why}" for one, why in value.items()) if isinstance(value, Mapping) else str(value)
    words = f"{name.replace('_', ' ')}: {words}."
    if not is_whole:
        return ShownForRule(Standing.OPEN, f"Stated in part, {words}", path)
    return ShownForRule(Standing.STATED, f"Stated, {words}", path)


def _decision(rule: Rule, reference: str, decided: Mapping[str, Any] | None) -> ShownForRule:
    asks = rule.person or "Is this enough for the rule?"
    if not decided:
        line = f'"context": {{"rules": {{"{reference}": {{"by": "...", "on": "...", "says": "..."}}}}}}'
        return ShownForRule(Standing.OPEN, f"{asks} Name: ________ Date: ________ ({line})")
    said = f"{asks} {decided['says']} ({decided['by']}, {decided['on']})"
    return ShownForRule(Standing.STATED, said, f"config.context.rules.{reference}")
