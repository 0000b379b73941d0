"""What the tool knows of SDTM: which variables say nothing about a person, and of which kind a domain is.

Source: CDISC Study Data Tabulation Model Implementation Guide 3.4.
"""

from __future__ import annotations

import re

BASE_DOMAIN = "DM"  # defines the subjects
# Not about subjects, or about relations between records of other domains.
TRIAL_DESIGN = ("TA", "TE", "TV", "TI", "TS", "TD", "TM", "TT", "TX", "TP")
RELATIONS = ("RELREC", "RELSUB", "RELSPEC", "POOLDEF", "OI", "DI")
FREE_TEXT = ("CO",)
EVENTS_AND_INTERVENTIONS = ("AE", "BE", "CE", "DS", "DV", "HO", "MH", "AG", "CM", "EC", "EX", "ML", "PR", "SU")
SUBJECT_TIMING = ("SE", "SV", "SM")

LEFT_OUT = {
    **dict.fromkeys(TRIAL_DESIGN, "a table of the trial's design, not of subjects"),
    **dict.fromkeys(RELATIONS, "a table of relations between records"),
    **dict.fromkeys(FREE_TEXT, "free-text comments"),
    "DEFINE": "a description of the data",
}

# Variables that carry no information about a person, with and without the domain's two letters.
NOT_INFORMATIVE = ("STUDYID", "DOMAIN", "RDOMAIN", "SUBJID", "POOLID", "SPDEVID", "ITEMGROUPDATASEQ")
NOT_INFORMATIVE_SUFFIXES = ("SEQ", "GRPID", "REFID", "RECID", "SPID", "LNKID", "LNKGRP")

# What makes two results of one test two different measurements, in the order of a column's name.
WHAT_IS_MEASURED = ("CAT", "SCAT", "OBJ", "SPEC", "SPCCND")
HOW_IT_IS_MEASURED = ("METHOD", "LOC", "LAT", "DIR", "POS", "TPT", "FAST", "EVAL", "EVALID")
QUALIFIERS = WHAT_IS_MEASURED + HOW_IT_IS_MEASURED
UNIT = "UNIT"

_TEST = re.compile(r"([A-Z][A-Z0-9])TEST(CD)?")


def findings_prefix(columns: list[str]) -> str | None:
    """The two letters of a findings domain in long form (a test and a result in each row), else None."""
    prefixes = {match[1] for name in columns if (match := _TEST.fullmatch(name))}
    for prefix in sorted(prefixes):
        if any(f"{prefix}{result}" in columns for result in ("STRESN", "STRESC", "ORRES")):
            return prefix
    return None


def events_prefix(domain: str, columns: list[str]) -> str | None:
    """The two letters of an events or interventions domain (a term or a treatment in each row), else None.

    A de-identified file may lack the topic; its records are numbered nevertheless.
    """
    prefix = domain[:2]
    has_topic = any(f"{prefix}{topic}" in columns for topic in ("TERM", "TRT", "DECOD"))
    return prefix if has_topic or (prefix in EVENTS_AND_INTERVENTIONS and f"{prefix}SEQ" in columns) else None


def supplemental_parent(domain: str) -> str | None:
    """``LBCH`` for ``SUPPLBCH``, "" for ``SUPPQUAL`` (its rows name the parent), None for other domains."""
    if not domain.startswith("SUPP") or len(domain) < 6:
        return None
    return "" if domain == "SUPPQUAL" else domain[4:]


def is_informative(name: str, domain: str) -> bool:
    """Whether a variable of a domain can say something about a person."""
    prefix = domain[:2]
    return name not in NOT_INFORMATIVE and name not in {f"{prefix}{suffix}" for suffix in NOT_INFORMATIVE_SUFFIXES}
