"""What is done with each variable of SDTM before a release: variable pattern -> operation, class and reason.

A table of the project's own in the terms of the PHUSE De-identification Standard for SDTM 3.2, whose own lines are for
registered users; where the operations alone do not decide, the lines follow what sponsors published for single trials
(TransCelerate 2013, YODA) and El Emam and Malin's paper for the Institute of Medicine (2015, appendix B), and in doubt
the more careful of these. A config overrides any line.
"""

from __future__ import annotations

from collections.abc import Sequence

from study.operations import (
    NOT_IN_THE_TABLE,
    UNNAMED_DOMAIN,
    Operation,
    OperationKind,
    OperationRule,
    VariableClass,
    decided,
)

DIRECT, LEVEL_1, LEVEL_2, PLAIN = (
    VariableClass.DIRECT_IDENTIFIER,
    VariableClass.QUASI_IDENTIFIER_1,
    VariableClass.QUASI_IDENTIFIER_2,
    VariableClass.NOT_IDENTIFYING,
)


def line(patterns: str, operation: OperationKind, variable_class: VariableClass, reason: str) -> OperationRule:
    """One line of a table of operations; its ``patterns`` are divided by blanks."""
    return OperationRule(tuple(patterns.split()), Operation(operation, variable_class, reason))


# The first line with a matching pattern decides: special lines come before general ones.
LINES: tuple[OperationRule, ...] = (
    # Whole data sets
    line("CO.*", OperationKind.REMOVE_DATA_SET, DIRECT, "comments are free text"),
    line("AP*.*", OperationKind.REMOVE_DATA_SET, DIRECT, "about relatives and other people who are not subjects"),
    line(
        "RELSUB.*", OperationKind.REMOVE_DATA_SET, DIRECT, "links between subjects, such as families, single people out"
    ),
    # The design of the trial, which is about nobody; its days are public, and undo offsets
    line(
        "TS.SSTDTC TS.SENDTC TS.DCUTDTC TS.DCUTDESC TS.*DTC",
        OperationKind.REMOVE,
        LEVEL_2,
        "a date of the whole study, which can reveal how far a person's dates were moved",
    ),
    line(
        "TS.ACTSUB TS.ACTSUBJ",
        OperationKind.REMOVE,
        LEVEL_2,
        "the number of all subjects, which can reveal how many people were left out",
    ),
    line(
        "TA.* TE.* TI.* TV.* TS.* TM.* TD.* TX.*", OperationKind.KEEP, PLAIN, "the trial's design describes no person"
    ),
    # People, sites, investigators, devices
    line("USUBJID SUBJID", OperationKind.RECODE_SUBJECT, DIRECT, "identifies the subject in all files"),
    line("RSUBJID POOLID", OperationKind.REMOVE, DIRECT, "identifies other subjects, or a pool of subjects"),
    line("SITEID", OperationKind.REMOVE, LEVEL_1, "the site reveals the region and who treats the subject"),
    line(
        "INVID INVNAM INVNAME",
        OperationKind.REMOVE,
        DIRECT,
        "names the investigator, and so reveals the site",
    ),
    line(
        "SPDEVID DEVID DI.SERIAL DI.UDI DI.LOT DI.BATCH",
        OperationKind.RECODE_ID,
        DIRECT,
        "the serial number of a device identifies its bearer",
    ),
    line("STUDYID DOMAIN RDOMAIN", OperationKind.KEEP, PLAIN, "the same for everybody in the file"),
    line("DM.*INIT SC.*INIT *SUBJINIT", OperationKind.REMOVE, DIRECT, "initials of a person"),
    line(
        "RAND RANDNO RANDNUM RANDID SCRN* SCRNO", OperationKind.REMOVE, DIRECT, "a number of the subject in other files"
    ),
    # Who somebody is
    line("BRTHDTC BRTHDT* BIRTHDT*", OperationKind.REMOVE, DIRECT, "a date of birth; the age replaces it"),
    line("AGE AAGE", OperationKind.DERIVE_AGE, LEVEL_1, "the age is known to many; few are 90 and older"),
    line("AGEU AAGEU", OperationKind.KEEP, PLAIN, "the unit of the age"),
    line("AGETXT AGEGR* AAGEGR*", OperationKind.REMOVE, LEVEL_1, "repeats the age, in other groups"),
    line("SEX RACE ETHNIC", OperationKind.NO_FURTHER, LEVEL_1, "seen and known by many; the treatment recodes it"),
    line(
        "RACE1 RACE2 RACE3 RACE4 RACE5 RACE6 RACE7 RACE8 RACE9", OperationKind.NO_FURTHER, LEVEL_1, "a part of the race"
    ),
    line(
        "RACEOTH RACESP RACEGR* SEXN RACEN ETHNICN",
        OperationKind.REMOVE,
        LEVEL_1,
        "repeats the race or sex in other words",
    ),
    line("COUNTRY", OperationKind.RAISE_TO_CONTINENT, LEVEL_1, "where a person lives or is treated"),
    line(
        "REGION* STATE* CITY* ZIP* COUNTY* DISTRICT* COUNTRYN",
        OperationKind.REMOVE,
        LEVEL_1,
        "where a person lives or is treated",
    ),
    line(
        "SC.MARISTAT SC.EDLEVEL SC.EDULEVEL SC.EDUYRNUM SC.NATORIG SC.JOBCLAS SC.EMPJOB SC.SEXORIEN SC.GESTLAGE "
        "SC.LNGSPK",
        OperationKind.NO_FURTHER,
        LEVEL_1,
        "a characteristic that acquaintances know",
    ),
    line("VS.HEIGHT VS.WEIGHT VS.BMI HEIGHT* WEIGHT* BMI*", OperationKind.NO_FURTHER, LEVEL_1, "can be seen"),
    line("DTHFL --SDTH DTHB* DTHA*", OperationKind.NO_FURTHER, LEVEL_2, "a death is known to many"),
    # Ids of records
    line("--SEQ", OperationKind.NUMBER_ANEW, PLAIN, "numbers the records of a subject; a gap would show a lost record"),
    line(
        "--SPID --REFID --RECID --LNKID --LNKGRP --GRPID --LOT",
        OperationKind.RECODE_ID,
        DIRECT,
        "ids of records, samples and lots, which other systems can look up",
    ),
    line("RELID", OperationKind.RECODE_ID, PLAIN, "ties records together"),
    line("IDVARVAL", OperationKind.KEEP, PLAIN, "handled with the variable that IDVAR names"),
    line("QVAL", OperationKind.KEEP, PLAIN, "handled with the variable that QNAM names"),
    line("IDVAR RELTYPE QNAM QLABEL QORIG QEVAL", OperationKind.KEEP, PLAIN, "describes how records belong together"),
    # Time
    line("DD.DDDTC DTHDTC DTHDT*", OperationKind.OFFSET, LEVEL_2, "the day of death is known to many"),
    line("--*DTC RF*DTC *DTC", OperationKind.OFFSET, LEVEL_2, "days of visits and events are known to many"),
    line(
        "TRT*DT TRT*DTM RF*DT AP*DT TR*DT --*DT ADT ADTM A*DT A*DTM",
        OperationKind.OFFSET,
        LEVEL_2,
        "a date as a number",
    ),
    line("--STTPT --ENTPT", OperationKind.OFFSET, LEVEL_2, "a moment that may be a date"),
    line(
        "--DY --STDY --ENDY VISITDY TA*DY TRT*DUR* ADY",
        OperationKind.KEEP,
        PLAIN,
        "a day counted from the subject's own start",
    ),
    line(
        "--DUR --ELTM --EVLINT --EVINTX --STRF --ENRF --STRTPT --ENRTPT --STINT --ENINT --TPT --TPTNUM --TPTREF",
        OperationKind.KEEP,
        PLAIN,
        "time without a calendar",
    ),
    line("VISIT VISITNUM EPOCH ETCD ELEMENT TAETORD", OperationKind.KEEP, PLAIN, "a part of the trial's plan"),
    # Free text
    line("SE.SEUPDES SV.SVUPDES *UPDES ACTARMUD", OperationKind.REMOVE, LEVEL_2, "a description in free text"),
    line("EX.EXTRT EC.ECTRT", OperationKind.KEEP, PLAIN, "the treatment under study, by its name in the plan"),
    line(
        "--TERM --TRT", OperationKind.REMOVE, LEVEL_2, "the verbatim term is free text; the coded one (--DECOD) is kept"
    ),
    line("--MODIFY", OperationKind.REMOVE, LEVEL_2, "a verbatim text as it was corrected"),
    line("COVAL* --COM --COMM --COMMENT COREF", OperationKind.REMOVE, DIRECT, "a comment is free text"),
    line(
        "--REASND --REASOC --REASOTH --REASPF --INDC --ADJ --ACNOTH --DOSTXT --DESC --RSOTH",
        OperationKind.REMOVE,
        LEVEL_2,
        "a reason or description in free text",
    ),
    line("--XFN", OperationKind.REMOVE, DIRECT, "the name of a file, which often contains ids"),
    line("--NAM", OperationKind.REMOVE, LEVEL_1, "the name of a laboratory or vendor reveals the region"),
    line("DD.DDORRES", OperationKind.REMOVE, LEVEL_2, "the cause of death as it was reported"),
    line("DD.DDSTRESC", OperationKind.REVIEW, LEVEL_2, "a cause of death, which may be verbatim"),
    line("--OBJ", OperationKind.REVIEW, LEVEL_2, "what a finding is about, which may repeat a verbatim term"),
    line("GF.GFORRES GF.GFSTRES* PF.PFORRES PF.PFSTRES*", OperationKind.REVIEW, LEVEL_2, "genes identify a person"),
    # Events and treatments, coded
    line(
        "--DECOD --LLT --LLTCD --PTCD --HLT --HLTCD --HLGT --HLGTCD --BODSYS --BDSYCD --SOC --SOCCD --CLAS --CLASCD",
        OperationKind.NO_FURTHER,
        LEVEL_2,
        "a coded term; rare ones are counted",
    ),
    line(
        "--SEV --SER --ACN --REL --RELNST --OUT --PATT --TOXGR --TOX --CONTRT --SCAN --SCONG --SDISAB --SHOSP --SLIFE "
        "--SOD --SMIE --PRESP --OCCUR --EVDTYP",
        OperationKind.KEEP,
        PLAIN,
        "the course of an event or treatment, as a code",
    ),
    line(
        "--DOSE --DOSU --DOSFRM --DOSFRQ --DOSTOT --DOSRGM --ROUTE --PSTRG --PSTRGU --TRTV --VAMT --VAMTU",
        OperationKind.KEEP,
        PLAIN,
        "how much was given, and how",
    ),
    line(
        "ARM ARMCD ACTARM ACTARMCD ARMNRS TRT*P TRT*A TRT*PN TRT*AN", OperationKind.KEEP, PLAIN, "the treatment group"
    ),
    # Findings
    line(
        "--TEST --TESTCD --CAT --SCAT --PARM --PARMCD --METHOD --SPEC --SPCCND --LOC --LAT --DIR --PORTOT --POS "
        "--EVAL --EVALID --ANTREG --LEAD --ANMETH --REPNUM --STAT --NRIND --RESCAT --FAST --ACPTFL --TSTDTL "
        "--CSTATE FOCID",
        OperationKind.KEEP,
        PLAIN,
        "what was measured, and how",
    ),
    line(
        "--ORRES --ORRESU --STRESC --STRESN --STRESU --LLOQ --ULOQ --VAL",
        OperationKind.KEEP,
        PLAIN,
        "a result; results that outsiders know have lines of their own, by the code of the test",
    ),
    line(
        "--ORNRLO --ORNRHI --STNRLO --STNRHI --STNRC --ORREF --STREFC",
        OperationKind.REMOVE,
        LEVEL_2,
        "limits of normal values depend on age, sex and laboratory; --NRIND is kept",
    ),
    line(
        "ITT SAFETY EFFICACY COMPLT* FULLSET PPROT",
        OperationKind.KEEP,
        PLAIN,
        "whether a subject belongs to an analysis set",
    ),
    line("--*FL *FL", OperationKind.KEEP, PLAIN, "a flag"),
)


def operation_of(domain: str, variable: str, overriding: Sequence[OperationRule] = ()) -> Operation:
    """What is done with a variable: the operation, the class of the variable, and why.

    ``domain`` is the two letters of the domain, or the name of a data set such as RELREC. A variable of SUPP-- counts
    under its parent's domain and its QNAM; a test whose result is a characteristic under its code (``SC``,
    ``MARISTAT``). ``overriding`` lines are asked first. A variable without a line is for review, never kept silently.
    """
    return decided(domain, variable, (*overriding, *LINES)) or NOT_IN_THE_TABLE


def overriding_line(pattern: str, operation: OperationKind) -> OperationRule:
    """The line by which a config overrides the table for the variables of a pattern."""
    says = operation_of(*_example_of(pattern))
    return OperationRule((pattern.upper(),), Operation(operation, says.variable_class, "decided by the config"))


def _example_of(pattern: str) -> tuple[str, str]:
    domain, _, variable = pattern.rpartition(".")
    return domain, variable.replace("--", domain[:2] or UNNAMED_DOMAIN)
