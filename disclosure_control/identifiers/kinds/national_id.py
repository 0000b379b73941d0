"""Numbers that a state or a health service gives to one person, by their check digits."""

from __future__ import annotations

from disclosure_control.identifiers.check_digits import CheckedNumber, checked_hits
from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.column_values import ColumnValues
from disclosure_control.identifiers.registry import Hits, IdentifierKind

NUMBERS = (
    CheckedNumber("gr.amka", r"\d{11}"),
    CheckedNumber("gr.vat", r"\d{9}"),
    CheckedNumber("bg.egn", r"\d{10}"),
    CheckedNumber("bg.pnf", r"\d{10}"),
    CheckedNumber("pl.pesel", r"\d{11}"),
    CheckedNumber("es.dni", r"\d{8}[A-Z]"),
    CheckedNumber("es.nie", r"[XYZ]\d{7}[A-Z]"),
    CheckedNumber("de.idnr", r"\d{11}"),
    CheckedNumber("at.vnr", r"\d{10}"),
    CheckedNumber("ch.ssn", r"756\d{10}"),
    CheckedNumber("fr.nir", r"[12]\d{4}(\d\d|2A|2B)\d{8}"),
    CheckedNumber("it.codicefiscale", r"[A-Z]{6}\d\d[A-Z]\d\d[A-Z]\d{3}[A-Z]"),
    CheckedNumber("pt.cc", r"\d{9}[A-Z0-9]{2}\d"),
    CheckedNumber("gb.nhs", r"\d{10}"),
    CheckedNumber("ie.pps", r"\d{7}[A-W][A-IW]?"),
    CheckedNumber("nl.bsn", r"\d{9}"),
    CheckedNumber("be.nn", r"\d{11}"),
    CheckedNumber("ro.cnp", r"\d{13}"),
    CheckedNumber("si.emso", r"\d{13}"),
    CheckedNumber("hr.oib", r"\d{11}"),
    CheckedNumber("cz.rc", r"\d{9,10}"),
    CheckedNumber("se.personnummer", r"(\d\d)?\d{10}"),
    CheckedNumber("fi.hetu", r"\d{6}[A-F]?\d{3}[0-9A-Y]", r"\d{6}[-+A-F]\d{3}[0-9A-Y]"),
    CheckedNumber("no.fodselsnummer", r"\d{11}"),
    CheckedNumber("is_.kennitala", r"\d{10}"),
    CheckedNumber("ee.ik", r"\d{11}"),
    CheckedNumber("lt.asmens", r"\d{11}"),
    CheckedNumber("tr.tckimlik", r"\d{11}"),
    CheckedNumber("il.idnr", r"\d{9}"),
    CheckedNumber("ua.rntrc", r"\d{10}"),
    CheckedNumber("br.cpf", r"\d{11}"),
    CheckedNumber("ca.sin", r"\d{9}"),
    CheckedNumber("in_.aadhaar", r"\d{12}"),
    CheckedNumber("cn.ric", r"\d{17}[\dX]"),
    CheckedNumber("kr.rrn", r"\d{13}"),
    CheckedNumber("za.idnr", r"\d{13}"),
    CheckedNumber("mx.curp", r"[A-Z]{4}\d{6}[A-Z]{6}[A-Z0-9]\d"),
)


def detect(column: ColumnValues) -> Hits | None:
    """Values whose check digits pass more often than chance would have it."""
    return checked_hits(column, NUMBERS)


KIND = IdentifierKind(
    grade=Grade.NAMES_A_PERSON,
    words="national or patient ids",
    what_to_do="drop the column; where the text must stay, cut them out before the merge",
    documentation=(
        "check digits of national, tax and health ids of 35 countries (python-stdnum), which more values pass than by "
        "chance; also within a text; zeros that a spreadsheet cut off are put back"
    ),
    detect=detect,
    yields_to=("bank_account", "card_number"),
    place=20,
)
