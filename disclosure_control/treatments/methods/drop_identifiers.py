"""Direct identifiers and free text, by the names of columns and by their values: which go, and why.

The rules for names paraphrase the PHUSE De-identification Standard for CDISC SDTM 3.2 for what it removes, and the
identifiers of the HIPAA safe harbour, 45 CFR 164.514(b)(2), for plain tables. What stands under another heading is
found by the scan of values (``disclosure_control.identifiers``). Columns with a role in the config and dates that
``shift_dates`` knows are for other treatments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from config.model_settings import PilotConfig
from disclosure_control.assess.combined_dataset import SUBJECT_COLUMN
from disclosure_control.basics.settings.settings import COLUMNS
from disclosure_control.identifiers.column_findings import ColumnFinding
from disclosure_control.identifiers.scan import scan_combined
from disclosure_control.treatments.methods.shift_dates import date_columns
from disclosure_control.treatments.registry import Example, Treated, Treatment, TreatmentInput, register
from disclosure_control.treatments.variables import is_variable, variables_of

MOVED = ("death_date", "event_date")  # dates for shift_dates


@dataclass(frozen=True)
class IdentifierRule:
    """Columns whose variable (see ``variables_of``) matches ``names`` as a whole go, for the reason ``why``.

    SDTM variables are matched in capitals, with ``..`` for the two letters of the domain; plain names in small
    letters, with one blank for every blank, dot, hyphen and underscore. A number behind either makes no difference.
    """

    names: str
    why: str
    sdtm: bool = True


RULES: tuple[IdentifierRule, ...] = (
    IdentifierRule(r"SUBJID", "the id of the subject in the study's own files; USUBJID stands for the subject"),
    IdentifierRule(r"SITEID", "the site tells the region and who treats the subject"),
    IdentifierRule(r"INVID|INVNAM|INVNAME", "names the investigator, and through the investigator the site"),
    IdentifierRule(r"BRTHDTC|BRTHDT|BRTHDAT|BIRTHDT", "a date of birth; the age stands for it"),
    IdentifierRule(r"..REFID|..SPID", "ids of samples and forms, which other systems can look up"),
    IdentifierRule(r"SPDEVID|DEVID", "the serial number of a device is that of its bearer"),
    IdentifierRule(r"RAND(NO|NUM|ID)|SCR(N|NO|NUM)|SCRNID|SUBJINIT|..INIT", "a number or initials of one subject"),
    IdentifierRule(r"..XFN", "the name of a file, which often holds ids"),
    IdentifierRule(r"..NAM", "the name of a laboratory or vendor tells the region"),
    IdentifierRule(r"COVAL\d*|..COM|..COMM|..COMMENT|COREF|COEVAL", "a comment is free text"),
    IdentifierRule(r"(AE|CE|DS|DV|HO|MH|BE)TERM", "the verbatim term is free text; the coded one (--DECOD) stays"),
    IdentifierRule(r"(CM|PR|SU|ML|AG)TRT", "the verbatim name is free text; the coded one (--DECOD) stays"),
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
        "a number that an authority gave to one person",
        sdtm=False,
    ),
    IdentifierRule(
        r"mrn|medical record.*|(hospital|chart|patient|account|licen[cs]e) (no|number|id)",
        "a number that names one person in other files",
        sdtm=False,
    ),
    IdentifierRule(r"dob|(date of birth|birth ?date|birthday)", "a date of birth; the age stands for it", sdtm=False),
    IdentifierRule(r"photo.*|fingerprint.*|iris( .*)?|url|licen[cs]e plate", "shows one person", sdtm=False),
    IdentifierRule(r"comments?|notes?|remarks?|free text", "free text", sdtm=False),
)


def identifier_columns(columns: Sequence[str]) -> dict[str, str]:
    """Column -> why it goes, of those that a rule names; the subject's own id is not among them."""
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


def dropped_by_scan(findings: Sequence[ColumnFinding], config: PilotConfig, keep: Sequence[str] = ()) -> dict[str, str]:
    """Column -> why it goes, of those whose values name a person or are what outsiders know.

    Columns with a role in the config stay, and so do those that it declares harmless, those to ``keep``, and dates of
    death and admission that ``shift_dates`` knows by their names.
    """
    harmless = config.literal.get("identifiers")
    declared = harmless.get("harmless", {}) if isinstance(harmless, dict) else {}
    stay = {*config.quasi_identifiers, *config.sensitive_features, *keep, *declared}
    return {
        finding.name: f"its values are {finding.words}"
        for finding in findings
        if finding.vetoes and finding.name not in stay and not (finding.kind in MOVED and date_columns([finding.name]))
    }


def drop_identifiers(given: TreatmentInput, keep: Sequence[str] = ()) -> Treated:
    """The frame without columns that by name or values identify a person, or hold free text; not those to ``keep``."""

    def scanned(names: Sequence[str]) -> Sequence[ColumnFinding]:
        return scan_combined(given.frame, given.subjects, names).findings

    found, notes = _found({"keep": keep}, list(map(str, given.frame)), given.config, scanned)
    changed = {name: int(given.frame[name].notna().sum()) for name in found}
    return Treated(given.frame.drop(columns=list(found)), changed, notes=tuple(notes))


def _found(
    settings: Mapping[str, Any],
    columns: Sequence[str],
    config: PilotConfig,
    scanned: Callable[[Sequence[str]], Iterable[ColumnFinding]],
) -> tuple[dict[str, str], list[str]]:
    """Column -> why it goes, and sentences on it; ``scanned`` gives what is found in columns."""
    keep = settings.get("keep", ())
    found = {name: why for name, why in identifier_columns(columns).items() if name not in keep}
    findings = list(scanned([name for name in columns if name not in found]))
    found |= dropped_by_scan(findings, config, keep)
    notes = [f"{name} is dropped: {why}." for name, why in found.items()]
    if not found:
        notes.append("No column has the name or the values of a direct identifier or of free text.")
    dates = [name for name in date_columns(columns) if name not in found]
    if dates:
        notes.append(f"Dates stay, see shift_dates and coarsen_dates: {', '.join(dates)}.")
    return found, notes


def _dropped(settings: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    return [name for name in identifier_columns(columns) if name not in settings.get("keep", ())]


register(
    "drop_identifiers",
    Treatment(
        drop_identifiers,
        {"keep": COLUMNS},
        words=(
            "direct identifiers and free text go, by the names of their columns (PHUSE rules for SDTM, HIPAA safe "
            "harbour) and by their values (see [identifiers](identifiers.md)), carried ones such as "
            "`LB__Cholesterol.LBNAM` too; each with its reason"
        ),
        example=Example(touches=("DM__SUBJID",)),
        place=100,
        drops=_dropped,
        drops_by_values=_found,
    ),
)
