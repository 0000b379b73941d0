"""Names of countries: in any language and case, of codes none, and of a column all or none."""

from __future__ import annotations

from study.countries import are_countries, continent_of, country_of
from tests.cases import each


@each(
    ("name", "code"),
    [
        ("Österreich", "AT"),
        ("AUSTRIA", "AT"),
        ("Ελλάδα", "GR"),
        ("Grčka", "GR"),
        ("България", "BG"),
        ("Nemčija", "DE"),
        ("Côte d’Ivoire", "CI"),
        ("AT", None),  # a code, which continents know, and other lists too
        ("Tyrol", None),
        ("", None),
    ],
)
def test_the_country_of_a_name(name: str, code: str | None) -> None:
    assert country_of(name) == code


def test_every_name_has_a_continent_or_is_of_none() -> None:
    assert [continent_of(one) for one in ("Austria", "Kenia", "Chile", "AUT", "Tyrol")] == [
        *("EUROPE", "AFRICA", "SOUTH AMERICA", "EUROPE"),
        None,
    ]


def test_a_column_of_countries_has_no_other_word() -> None:
    assert are_countries(["Österreich", "Deutschland"])
    assert not are_countries(["Österreich", "Deutschland", "Tirol"])
    assert not are_countries(["Austria", "Österreich"])  # one country alone
