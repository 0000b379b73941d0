"""Columns that identify a person or contain free text by their names, and why.

The rules paraphrase the PHUSE De-identification Standard for CDISC SDTM 3.2 for what it removes, and the identifiers
of the HIPAA safe harbour, 45 CFR 164.514(b)(2), for plain tables. The scan of values finds columns with other headings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from disclosure_control.basics.column_names import is_variable, variables_of
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN


@dataclass(frozen=True)
class IdentifierRule:
    """Columns whose whole variable (see ``variables_of``) matches ``names`` are dropped, for the reason ``why``.

    SDTM variables are matched in capitals, with ``..`` for the two letters of the domain; plain names in small letters,
    with one blank for every blank, dot, hyphen and underscore. A number at the end of either makes no difference.
    """

    names: str
    why: str
    sdtm: bool = True


RULES: tuple[IdentifierRule, ...] = (
    IdentifierRule(r"SUBJID", "the id of the subject in the study's own files; USUBJID replaces it"),
    IdentifierRule(r"SITEID", "the site reveals the region and who treats the subject"),
    IdentifierRule(r"INVID|INVNAM|INVNAME", "names the investigator, and so reveals the site"),
    IdentifierRule(r"BRTHDTC|BRTHDT|BRTHDAT|BIRTHDT", "a date of birth; the age replaces it"),
    IdentifierRule(r"..REFID|..SPID", "ids of samples and forms, which other systems can look up"),
    IdentifierRule(r"SPDEVID|DEVID", "the serial number of a device identifies its bearer"),
    IdentifierRule(r"RAND(NO|NUM|ID)|SCR(N|NO|NUM)|SCRNID|SUBJINIT|..INIT", "a number or initials of one subject"),
    IdentifierRule(r"..XFN", "the name of a file, which often contains ids"),
    IdentifierRule(r"..NAM", "the name of a laboratory or vendor reveals the region"),
    IdentifierRule(r"COVAL\d*|..COM|..COMM|..COMMENT|COREF|COEVAL", "a comment is free text"),
    IdentifierRule(r"(AE|CE|DS|DV|HO|MH|BE)TERM", "the verbatim term is free text; the coded one (--DECOD) is kept"),
    IdentifierRule(r"(CM|PR|SU|ML|AG)TRT", "the verbatim name is free text; the coded one (--DECOD) is kept"),
    IdentifierRule(r"..MODIFY", "a verbatim text as it was corrected"),
    IdentifierRule(r"..(REASND|REASOC|REASOTH|INDC|ADJ|ACNOTH|DOSTXT|DESC)", "a reason or description in free text"),
    IdentifierRule(
        r"((full|first|last|middle|maiden|family|given|patient|subject|mother s|father s) )?(name|surname|forename)"
        r"|(first|last|sur|fore|family|full|patient|given)name",
        "a name of a person",
        sdtm=False,
    ),
    IdentifierRule(r"((patient|subject) )?initials?|init", "initials of a person", sdtm=False),
    IdentifierRule(r"(home |street |postal |e ?mail |ip |mac )?address|street( .*)?", "an address", sdtm=False),
    IdentifierRule(
        r"((home|work|mobile|cell) )?(tele)?(phone|fax)( (no|number))?|mobile( (no|number))?|e ?mail",
        "a way to reach a person",
        sdtm=False,
    ),
    IdentifierRule(
        r"ssn|amka|afm|nhs (no|number)|social security.*|national id.*|passport.*|(health )?insurance (no|number|id)",
        "a number that an authority gave to the person",
        sdtm=False,
    ),
    IdentifierRule(
        r"mrn|medical record.*|(hospital|chart|patient|account|licen[cs]e) (no|number|id)",
        "a number that identifies the person in other files",
        sdtm=False,
    ),
    IdentifierRule(r"dob|(date of birth|birth ?date|birthday)", "a date of birth; the age replaces it", sdtm=False),
    IdentifierRule(r"photo.*|fingerprint.*|iris( .*)?|url|licen[cs]e plate", "shows one person", sdtm=False),
    IdentifierRule(r"comments?|notes?|remarks?|free text", "free text", sdtm=False),
)


def identifier_columns(columns: Sequence[str]) -> dict[str, str]:
    """Column -> reason to drop it, for columns that a rule names, without the subject's own id."""
    found = {}
    for column in columns:
        rule = next((rule for rule in RULES if _matches(rule, column)), None)
        if rule and column != SUBJECT_COLUMN:
            found[column] = rule.why
    return found


def _matches(rule: IdentifierRule, column: str) -> bool:
    if rule.sdtm:
        return is_variable(column, rf"(?:{rule.names})\d*")
    headings = [
        re.sub(r"(?<=[a-z])(?=[A-Z])|[\s._\-']+", " ", variable).strip().lower() for variable in variables_of(column)
    ]
    return any(re.fullmatch(rf"(?:{rule.names}) ?\d*", heading) for heading in headings)
