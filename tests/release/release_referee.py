"""The slow and obvious version: every released cell of a small study by the table of operations, with plain loops.

Nothing here is shared with what it judges but the table itself, the pseudonyms and the offsets of the key.
"""

from __future__ import annotations

import datetime
import hmac

from study.models.sdtm_operations import operation_of
from study.operations import OperationKind

CONTINENT = {"USA": "NORTH AMERICA", "CAN": "NORTH AMERICA", "GRC": "EUROPE", "DEU": "EUROPE", "JPN": "ASIA"}
GONE = (OperationKind.REMOVE, OperationKind.REVIEW)


def digest(key: bytes, purpose: str, pilot: str, name: str, text: str) -> bytes:
    return hmac.new(
        key, b"\0".join(w.encode() for w in (purpose, pilot, name)) + b"\0" + text.encode(), "sha256"
    ).digest()


def pseudonym(key, pilot, name, text, length=16):
    return digest(key, "id", pilot, name, text).hex()[:length]


def offset_days(key, pilot, name, text, days=365):
    number = int.from_bytes(digest(key, "date", pilot, name, text)) % (2 * days)
    return number - days if number < days else number - days + 1


def moved(text: str, days: int) -> str | None:
    date = text.partition("T")[0]
    try:
        if len(date) == 4:
            day = datetime.date(int(date), 7, 1) + datetime.timedelta(days)
            return f"{day.year:04d}"
        if len(date) == 7:
            day = datetime.date(int(date[:4]), int(date[5:]), 15) + datetime.timedelta(days)
            return f"{day:%Y-%m}"
        return (datetime.date.fromisoformat(date) + datetime.timedelta(days)).isoformat()
    except ValueError:
        return None


def spelled(value) -> str:
    return repr(value + 0.0).removesuffix(".0") if isinstance(value, float) else str(value).strip()


def released_rows(domain, rows, stays, recoded, key, pilot, name):
    """The rows of one file as they should leave: a list of dictionaries, in the order of the pseudonyms.

    ``rows`` are dictionaries without missing values; ``stays`` the ids of people who stay; ``recoded`` maps a variable
    to {id: label}.
    """
    out = []
    for row in rows:
        person = row.get("USUBJID")
        if person is not None and person not in stays:
            continue
        fresh = {}
        for variable, value in row.items():
            cell = released_cell(domain, variable, value, row, recoded, key, pilot, name)
            if cell is not None:
                fresh[variable] = cell
        if domain == "RELREC" or "QNAM" in row:
            target = operation_of(row["RDOMAIN"][:2], row.get("QNAM", "X")).operation if "QNAM" in row else None
            if target in GONE:
                continue
            if "QNAM" in row and target == OperationKind.OFFSET:
                fresh["QVAL"] = moved(row["QVAL"], offset_days(key, pilot, name, person))
        if domain in ("TS", "SC", "DI"):
            code = row.get(f"{domain}PARMCD", row.get(f"{domain}TESTCD"))
            says = operation_of(domain, code).operation
            if says == OperationKind.REMOVE or (domain == "SC" and says == OperationKind.REVIEW):
                continue
        out.append((pseudonym(key, pilot, name, person) if person is not None else "~", fresh))
    return [row for _, row in sorted(out, key=lambda pair: pair[0])]  # sorted is stable: within a person as they came


def released_cell(domain, variable, value, row, recoded, key, pilot, name):
    person = row.get("USUBJID")
    says = operation_of(domain[4:6] if domain.startswith("SUPP") else domain[:6], variable).operation
    if says in GONE:
        return None
    if variable in recoded:
        return recoded[variable].get(person)
    if says == OperationKind.RECODE_SUBJECT:
        return pseudonym(key, pilot, name, person)
    if says == OperationKind.OFFSET:
        return moved(value, offset_days(key, pilot, name, person))
    if says == OperationKind.RAISE_TO_CONTINENT:
        return CONTINENT.get(value)
    if says == OperationKind.DERIVE_AGE:
        return min(value, 90.0)
    if says == OperationKind.RECODE_ID:
        text = spelled(value)
        within = variable.startswith(domain[:2])
        return pseudonym(key, pilot, name, f"{person}\0{text}" if within else text, 12)
    if variable == "IDVARVAL":
        target = operation_of(row["RDOMAIN"], row["IDVAR"]).operation
        if target == OperationKind.RECODE_ID:
            return pseudonym(key, pilot, name, f"{person}\0{spelled(value)}", 12)
    return value
