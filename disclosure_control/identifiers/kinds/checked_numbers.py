"""Numbers with check digits: of a state or a health service for one person, of bank accounts, of payment cards."""

from __future__ import annotations

from functools import partial

from disclosure_control.identifiers.check_digits import CheckedNumber, checked_hits
from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.registry import IdentifierKind

NATIONAL = (
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
ACCOUNTS = (CheckedNumber("iban", r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}"),)
CARDS = (CheckedNumber("luhn", r"(4\d{15}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|6\d{15})"),)

KINDS = {
    "national_id": IdentifierKind(
        grade=Grade.NAMES_A_PERSON,
        words="national or patient ids",
        what_to_do="drop the column; where the text must stay, cut them out before the merge",
        documentation=(
            "check digits of national, tax and health ids of 35 countries (python-stdnum), which more values pass than "
            "by chance; also within a text; zeros that a spreadsheet cut off are put back"
        ),
        detect=partial(checked_hits, numbers=NATIONAL),
        yields_to=("bank_account", "card_number"),
        place=20,
    ),
    "bank_account": IdentifierKind(
        grade=Grade.NAMES_A_PERSON,
        words="bank accounts",
        what_to_do="drop the column",
        documentation="IBAN: the form and length of its country, and its two check digits",
        detect=partial(checked_hits, numbers=ACCOUNTS),
        place=21,
    ),
    "card_number": IdentifierKind(
        grade=Grade.NAMES_A_PERSON,
        words="card numbers",
        what_to_do="drop the column",
        documentation="15 or 16 digits that begin like card numbers and pass Luhn's check more often than chance",
        detect=partial(checked_hits, numbers=CARDS),
        place=22,
    ),
}
