"""Headings of birth, sex and age in the languages of the European Union."""

from __future__ import annotations

from study.models.role_words import role_of_heading
from study.models.roles import Role
from tests.cases import each

SEX = "Køn Kön Sukupuoli Płeć Pohlaví Pohlavie Neme Spol Пол Φύλο Sexul Sugu Dzimums Lytis Gnéas Sess Geslacht".split()  # noqa: SIM905
AGE = "Alder Ålder Ikä Wiek Věk Vek Életkor Starost Vârsta Възраст Ηλικία Vanus Vecums Amžius Aois Età Leeftijd".split()  # noqa: SIM905
BIRTH = (
    *("Fødselsdato", "Födelsedatum", "Syntymäaika", "Data urodzenia", "Datum narození", "Dátum narodenia"),
    *("Születési dátum", "Datum rođenja", "Datum rojstva", "Data nașterii", "Дата на раждане", "Ημερομηνία γέννησης"),
    *("Sünniaeg", "Dzimšanas datums", "Gimimo data", "Dáta breithe", "Data tat-twelid", "Geboortedatum"),
    *("Data de nascimento", "Fecha de nacimiento", "Data di nascita", "Date de naissance", "Geburtsdatum"),
)


@each(
    ("heading", "role"),
    [
        *((heading, Role.SEX) for heading in SEX),
        *((heading, Role.AGE) for heading in AGE),
        *((heading, Role.BIRTH) for heading in BIRTH),
        ("Datum přijetí", Role.DATE),  # of an admission
    ],
)
def test_a_heading_of_what_outsiders_know(heading: str, role: Role) -> None:
    says = role_of_heading(heading)
    assert says is not None
    assert says.role is role
