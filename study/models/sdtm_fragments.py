"""The fragments that names of variables of SDTM and ADaM are made of: a sponsor makes new ones of the same.

Source: CDISC SDTM Implementation Guide 3.4, appendix D (variable-naming fragments); ADaM Implementation Guide 1.3,
3.1.6 (fragments and suffixes). Domains are those of ``sdtm_labels``.
"""

from __future__ import annotations

import re
from functools import cache

from study.models.sdtm_labels import standard_data_set_names

_FRAGMENTS = """
ACN ADJ AD ACT AS BL BRTH BOD CAN CAT CND CLAS CL CD COM CON CONG DTC DY DTH DECOD DRV DESC DISAB DOS DOSE DUR EL ET EM
EN END ETHNIC EVAL EVL FAST FN FL FRM FRQ FREQ GR GRP HOSP ID INDC IND INT INTP INV LIFE LOC LOINC LO HI MIE NAM NST NR
ND NUM OBJ ONGO ORD ORIG OR OTH OUT OD PARM PATT POP POS QUAL REAS REF RGM REL RES RL SEQ SIG SPEC SP ST STAT SCAT SUBJ
SUPP SYS TXT TM TPT TOT TOX TRANS TRT UP VAL VAR VEH TEST TERM TXFL
AVAL AVISIT ANL BASE BASETYPE BDS CHG PCHG SHIFT CRIT PARAM PARAMCD PARCAT AVG CNSR CUM DT DTM DTF TMF DIFF FLAG FU IMP
CH HE PH TMS EV DTYP TYP RAE RA OCC OC SFL DC
INTVL ITT FAS SAF SAFETY EFF EFFICACY PP PPROT COMPL COMPLT COMP RAND ENRL DISC DISCON DIS MAX MIN MN SD MEAN SUM CNT
PERIOD PHASE PLAN PR PRE POST QS REG REASCD SITE SRC STRAT STRATA TRTP TRTA TTE VIS VISIT WIN WK WEEK MON YR YRS AGE
AGEGR SEX RACE BMI HEIGHT WEIGHT EDUC LVL SUBJECT ONS ONSET ONSETDY DS EOS EOT RSN CQ SMQ SUB EPOCH DOM DOMAIN COUNTRY
BDSYCD PTCD HLT HLGT LLT SOC SOCCD HLTCD LLTCD HLGTCD SL LB AE VS QS TR TU RS EX CM MH PE EG
ADAS CIBC CIB NPI NPIX MMSE HY HYS HPV CHEM HEMA HEM URIN SERUM MMS MMSETOT TYPE SCREEN SCR BSL STD STDT ENDT RF RFX
RFIC RFPEN RFC XST XEN AR ARM ARMCD ACTARM ACTARMCD ITTFL LST LAST FIRST FRST
"""
_NAME = re.compile(r"[A-Z][A-Z0-9]{0,7}")
_ENDINGS = ("", "N", "C", "U", "F")  # numeric, character, unit, flag


def is_made_of_fragments(name: str) -> bool:
    """Whether a name of at most eight letters and digits is made of fragments, and of at most two digits at a time."""
    letters = name.upper()
    if not _NAME.fullmatch(letters) or re.search(r"\d{3}", letters):
        return False
    parts = [part for part in re.split(r"\d+", letters) if part]
    return all(_is_made(part) for part in parts)


@cache
def _is_made(part: str) -> bool:
    parts = (part, part.removeprefix("A"))  # A stands for the analysis
    divided = any(_is_divided(one.removesuffix(end)) for one in parts for end in _ENDINGS if one.endswith(end))
    return divided or part in "NCUP"


@cache
def _is_divided(part: str) -> bool:
    return part in _fragments() or any(
        part[:place] in _fragments() and _is_divided(part[place:]) for place in range(2, len(part) - 1)
    )


@cache
def _fragments() -> frozenset[str]:
    return frozenset(_FRAGMENTS.split()) | standard_data_set_names()
