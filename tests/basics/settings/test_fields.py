"""Settings as fields: every fault at once, in words that name the place, what was found and what is allowed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from disclosure_control.basics.settings.changes import ConfigChange, applied
from disclosure_control.basics.settings.fields import SettingsGroup, columns_named, faults_of, nested, read, setting
from disclosure_control.basics.settings.kinds import (
    COLUMN,
    COLUMNS,
    COUNT,
    SHARE,
    Place,
    all_or_some_of,
    dictionary_of,
    list_of,
    one_of,
    one_or_by_name,
)
from tests.cases import each


@dataclass(frozen=True)
class Inner(SettingsGroup):
    size: int = setting(COUNT, "how many")
    share: float = setting(SHARE, "which part", 0.5)


@dataclass(frozen=True)
class Outer(SettingsGroup):
    INSTEAD = '"all"'

    column: str = setting(COLUMN, "the column")
    columns: tuple[str, ...] = setting(COLUMNS, "further columns", ())
    way: str = setting(one_of("up", "down"), "the way", "up")
    parts: tuple[str, ...] = setting(all_or_some_of("first", "last"), "the parts", ("first",))
    inner: Inner | None = setting(nested(Inner), "what is in it", None)
    inners: tuple[Inner, ...] = setting(list_of(nested(Inner), "a list of dictionaries"), "several of these", ())
    sizes: Mapping[str, int] = setting(dictionary_of(COUNT), "by column how many", {}, named="size")
    limits: Any = setting(one_or_by_name(COUNT), "one limit, or several", None)

    @staticmethod
    def unfold(given: Any) -> Any:
        return {"column": "A", "parts": "all"} if given == "all" else given

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        if self.column in self.columns:
            yield f"{place['columns']}: holds the column"


PLACE = Place("key", columns=["A", "B"])


@each(
    ("given", "faults"),
    [
        ({}, ["key['column']: missing; allowed: the name of a column"]),
        ({"column": 1}, ["key['column']: found 1; allowed: the name of a column"]),
        ({"column": "A", "way": "upp"}, ["key['way']: found 'upp'; allowed: \"up\" or \"down\""]),
        ({"column": "AA"}, ["key['column']: column 'AA' is not in the combined dataset; did you mean 'A'?"]),
        (
            {"column": "A", "parts": ["fist"]},
            ["key['parts']: 'fist' is not known; did you mean 'first'?; known: first, last"],
        ),
        ({"column": "A", "inner": {}}, ["key['inner']['size']: missing; allowed: a whole number from 1"]),
        (
            {"column": "A", "inners": [{"size": 1}, {"size": 0}]},
            ["key['inners'][1]['size']: found 0; allowed: a whole number from 1"],
        ),
        ({"column": "A", "size": {"B": 0}}, ["key['size']['B']: found 0; allowed: a whole number from 1"]),
        ({"column": "A", "limits": {"B": 0}}, ["key['limits']['B']: found 0; allowed: a whole number from 1"]),
        ({"column": "A", "columns": ["A"]}, ["key['columns']: holds the column"]),
    ],
)
def test_a_fault_names_its_place_and_the_fix(given, faults):
    assert faults_of(Outer, given, PLACE) == faults


def test_something_else_than_a_dictionary_names_what_is_allowed():
    (fault,) = faults_of(Outer, [], PLACE)
    assert fault.startswith('key: found list; allowed: "all", or a dictionary of column, columns, way, parts, inner')


def test_an_unknown_key_names_the_nearest_one_and_all_others():
    (fault,) = faults_of(Outer, {"column": "A", "wey": "up"}, PLACE)
    assert fault.startswith("key: unknown key 'wey'; did you mean 'way'?; known: column, ")


def test_what_is_read_is_typed_and_cannot_be_changed():
    settings = read(Outer, {"column": "A", "columns": ["B"], "inner": {"size": 2}, "size": {"A": 1}}, PLACE)
    assert settings == Outer("A", ("B",), inner=Inner(2, 0.5), sizes={"A": 1})
    assert columns_named(settings) == {"column": ["A"], "columns": ["B"]}
    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.way = "down"


def test_something_else_may_stand_for_the_dictionary():
    assert read(Outer, "all", PLACE).parts == ("first", "last")


def test_what_is_added_stands_before_what_the_config_has_and_only_once():
    config = {"merge": {"drop": ["B"]}}
    changes = [ConfigChange.to(("merge", "drop"), name, "", is_added=True) for name in ("A", "B")]
    assert applied(config, changes) == {"merge": {"drop": ["A", "B"]}}
    assert config == {"merge": {"drop": ["B"]}}
