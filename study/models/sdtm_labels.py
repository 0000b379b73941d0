"""The labels of SDTM's variables and data sets, by name: what stands in headers says the same in every study.

Source: CDISC SDTM Implementation Guide 3.4 and the classes of the Study Data Tabulation Model; a variable has the same
label in whatever domain it stands. ``--`` stands for the two letters of the domain.
"""

from __future__ import annotations

import re
from functools import cache

from study.models.medical_words import is_a_medical_term
from study.models.sdtm_terms import standard_terms
from study.words import words_of_the_pilots

_LABELS = """
STUDYID:Study Identifier|DOMAIN:Domain Abbreviation|RDOMAIN:Related Domain Abbreviation
USUBJID:Unique Subject Identifier|SUBJID:Subject Identifier for the Study|SITEID:Study Site Identifier
INVID:Investigator Identifier|INVNAM:Investigator Name|RFSTDTC:Subject Reference Start Date/Time
RFENDTC:Subject Reference End Date/Time|RFXSTDTC:Date/Time of First Study Treatment
RFXENDTC:Date/Time of Last Study Treatment|RFICDTC:Date/Time of Informed Consent
RFPENDTC:Date/Time of End of Participation|RFCSTDTC:Date/Time of First Challenge Agent Admin
RFCENDTC:Date/Time of Last Challenge Agent Admin|DTHDTC:Date/Time of Death|DTHFL:Subject Death Flag
BRTHDTC:Date/Time of Birth|AGE:Age|AGEU:Age Units|AGETXT:Age Text|SEX:Sex|RACE:Race|ETHNIC:Ethnicity
ARMCD:Planned Arm Code|ARM:Description of Planned Arm|ACTARMCD:Actual Arm Code|ACTARM:Description of Actual Arm
ARMNRS:Reason Arm and/or Actual Arm is Null|ACTARMUD:Description of Unplanned Actual Arm|COUNTRY:Country
DMDTC:Date/Time of Collection|DMDY:Study Day of Collection|SPDEVID:Sponsor Device Identifier
FOCID:Focus of Study-Specific Interest|POOLID:Pool Identifier|VISITNUM:Visit Number|VISIT:Visit Name
VISITDY:Planned Study Day of Visit|TAETORD:Planned Order of Element within Arm|EPOCH:Epoch|ETCD:Element Code
ELEMENT:Description of Element|IDVAR:Identifying Variable|IDVARVAL:Identifying Variable Value
QNAM:Qualifier Variable Name|QLABEL:Qualifier Variable Label|QVAL:Data Value|QORIG:Origin|QEVAL:Evaluator
RELTYPE:Relationship Type|RELID:Relationship Identifier|TSPARMCD:Trial Summary Parameter Short Name
TSPARM:Trial Summary Parameter|TSVAL:Parameter Value|TSVALNF:Parameter Null Flavor|TSVALCD:Parameter Value Code
TSVCDREF:Name of the Reference Terminology|TSVCDVER:Version of the Reference Terminology|TABRANCH:Branch
TATRANS:Transition Rule|TESTRL:Rule for Start of Element|TEENRL:Rule for End of Element
TEDUR:Planned Duration of Element|TVSTRL:Visit Start Rule|TVENRL:Visit End Rule
IETESTCD:Inclusion/Exclusion Criterion Short Name|IETEST:Inclusion/Exclusion Criterion
IECAT:Inclusion/Exclusion Category|TIRL:Inclusion/Exclusion Criterion Rule|TIVERS:Protocol Criteria Versions
SVUPDES:Description of Unplanned Visit|SEUPDES:Description of Unplanned Element
DIPARMCD:Device Identifier Element Short Name|DIPARM:Device Identifier Element Name
DIVAL:Device Identifier Element Value|--SEQ:Sequence Number|--GRPID:Group ID|--REFID:Reference ID
--RECID:Invariant Record Identifier|--SPID:Sponsor-Defined Identifier|--LNKID:Link ID|--LNKGRP:Link Group ID
--TESTCD:Short Name of Measurement, Test or Examination|--TEST:Name of Measurement, Test or Examination
--MODIFY:Modified Reported Name|--TSTDTL:Test Detail|--TERM:Reported Term|--TRT:Name of Treatment
--LLT:Lowest Level Term|--LLTCD:Lowest Level Term Code|--DECOD:Dictionary-Derived Term|--PTCD:Preferred Term Code
--HLT:High Level Term|--HLTCD:High Level Term Code|--HLGT:High Level Group Term|--HLGTCD:High Level Group Term Code
--CAT:Category|--SCAT:Subcategory|--BODSYS:Body System or Organ Class|--BDSYCD:Body System or Organ Class Code
--SOC:Primary System Organ Class|--SOCCD:Primary System Organ Class Code|--PRESP:Pre-Specified|--OCCUR:Occurrence
--STAT:Completion Status|--REASND:Reason Not Done|--LOC:Location|--LAT:Laterality|--DIR:Directionality
--PORTOT:Portion or Totality|--SEV:Severity/Intensity|--SER:Serious Event|--ACN:Action Taken with Study Treatment
--ACNOTH:Other Action Taken|--REL:Causality|--RELNST:Relationship to Non-Study Treatment
--PATT:Pattern of Adverse Event|--OUT:Outcome of Adverse Event|--SCAN:Involves Cancer
--SCONG:Congenital Anomaly or Birth Defect|--SDISAB:Persist or Signif Disability/Incapacity|--SDTH:Results in Death
--SHOSP:Requires or Prolongs Hospitalization|--SLIFE:Is Life Threatening|--SOD:Occurred with Overdose
--SMIE:Other Medically Important Serious Event|--CONTRT:Concomitant or Additional Trtmnt Given|--TOX:Toxicity
--TOXGR:Standard Toxicity Grade|--INDC:Indication|--CLAS:Medication Class|--CLASCD:Medication Class Code|--DOSE:Dose
--DOSTXT:Dose Description|--DOSU:Dose Units|--DOSFRM:Dose Form|--DOSFRQ:Dosing Frequency per Interval
--DOSTOT:Total Daily Dose|--DOSRGM:Intended Dose Regimen|--ROUTE:Route of Administration|--LOT:Lot Number
--FAST:Fasting Status|--TRTV:Treatment Vehicle|--VAMT:Treatment Vehicle Amount|--VAMTU:Treatment Vehicle Amount Units
--ADJ:Reason for Dose Adjustment|--PSTRG:Pharmaceutical Strength|--PSTRGU:Pharmaceutical Strength Units
--POS:Position of Subject|--ORRES:Result or Finding in Original Units|--ORRESU:Original Units
--ORNRLO:Reference Range Lower Limit in Orig Unit|--ORNRHI:Reference Range Upper Limit in Orig Unit
--STRESC:Character Result/Finding in Std Format|--STRESN:Numeric Result/Finding in Standard Units
--STRESU:Standard Units|--STNRLO:Reference Range Lower Limit-Std Units|--STNRHI:Reference Range Upper Limit-Std Units
--STNRC:Reference Range for Char Rslt-Std Units|--NRIND:Reference Range Indicator|--RESCAT:Result Category
--XFN:External File Path|--NAM:Laboratory/Vendor Name|--LOINC:LOINC Code|--SPEC:Specimen Type
--SPCCND:Specimen Condition|--METHOD:Method of Test or Examination|--ANMETH:Analysis Method
--LEAD:Lead Location Used for Measurement|--CSTATE:Consciousness State|--LOBXFL:Last Observation Before Exposure Flag
--BLFL:Baseline Flag|--DRVFL:Derived Flag|--EVAL:Evaluator|--EVALID:Evaluator Identifier|--ACPTFL:Accepted Record Flag
--REPNUM:Repetition Number|--LLOQ:Lower Limit of Quantitation|--ULOQ:Upper Limit of Quantitation
--OBJ:Object of the Observation|--DTC:Date/Time of Collection|--STDTC:Start Date/Time|--ENDTC:End Date/Time
--DY:Study Day of Collection|--STDY:Study Day of Start|--ENDY:Study Day of End|--DUR:Duration
--TPT:Planned Time Point Name|--TPTNUM:Planned Time Point Number|--ELTM:Planned Elapsed Time
--TPTREF:Time Point Reference|--RFTDTC:Date/Time of Reference Time Point|--STRF:Start Relative to Reference Period
--ENRF:End Relative to Reference Period|--EVLINT:Evaluation Interval|--EVINTX:Evaluation Interval Text
--STRTPT:Start Relative to Reference Time Point|--STTPT:Start Reference Time Point
--ENRTPT:End Relative to Reference Time Point|--ENTPT:End Reference Time Point
--STINT:Planned Start of Assessment Interval|--ENINT:Planned End of Assessment Interval
ITEMGROUPDATASEQ:Record Identifier|TRTP:Planned Treatment|TRTA:Actual Treatment|TRTPN:Planned Treatment (N)
TRTAN:Actual Treatment (N)|TRT01P:Planned Treatment for Period 01|TRT01A:Actual Treatment for Period 01
TRT01PN:Planned Treatment for Period 01 (N)|TRT01AN:Actual Treatment for Period 01 (N)
TRTSDT:Date of First Exposure to Treatment|TRTEDT:Date of Last Exposure to Treatment|PARAM:Parameter
PARAMCD:Parameter Code|PARAMN:Parameter (N)|AVAL:Analysis Value|AVALC:Analysis Value (C)|BASE:Baseline Value
CHG:Change from Baseline|PCHG:Percent Change from Baseline|AVISIT:Analysis Visit|AVISITN:Analysis Visit (N)
ADT:Analysis Date|ADY:Analysis Relative Day|CNSR:Censor|EVNTDESC:Event or Censoring Description
STARTDT:Time to Event Origin Date for Subject|ABLFL:Baseline Record Flag|ANL01FL:Analysis Flag 01
SAFFL:Safety Population Flag|ITTFL:Intent-To-Treat Population Flag|EFFFL:Efficacy Population Flag
FASFL:Full Analysis Set Population Flag|PPROTFL:Per-Protocol Population Flag|COMPLFL:Completers Population Flag
RANDFL:Randomized Population Flag|ENRLFL:Enrolled Population Flag|SEXN:Sex (N)|RACEN:Race (N)|ASTDT:Analysis Start Date
AENDT:Analysis End Date|ASTDY:Analysis Start Relative Day|AENDY:Analysis End Relative Day|ASEQ:Analysis Sequence Number
TRTEMFL:Treatment Emergent Analysis Flag|BMIBL:Baseline BMI|HEIGHTBL:Baseline Height|WEIGHTBL:Baseline Weight
AGEGR1:Pooled Age Group 1|AGEGR1N:Pooled Age Group 1 (N)|EOSSTT:End of Study Status|ITT:Intent to Treat Population Flag
SAFETY:Safety Population Flag|EFFICACY:Efficacy Population Flag|COMPLT8:Completers of Week 8 Population Flag
COMPLT16:Completers of Week 16 Population Flag|COMPLT24:Completers of Week 24 Population Flag
"""
_DATA_SETS = """
AE:Adverse Events|AG:Procedure Agents|BE:Biospecimen Events|BS:Biospecimen Findings|CE:Clinical Events
CM:Concomitant Medications|CM:Concomitant/Prior Medications|CO:Comments|CP:Cell Phenotype Findings
CV:Cardiovascular System Findings|DA:Drug Accountability|DA:Product Accountability|DD:Death Details
DI:Device Identifiers|DM:Demographics|DS:Disposition|DV:Protocol Deviations|EC:Exposure as Collected
EG:ECG Test Results|EX:Exposure|FA:Findings About|FA:Findings About Events or Interventions|FT:Functional Tests
GF:Genomics Findings|HO:Healthcare Encounters|IE:Inclusion/Exclusion Criteria Not Met
IE:Inclusion/Exclusion Criterion not met|IS:Immunogenicity Specimen Assessments|LB:Laboratory Test Results
LB:Laboratory Tests|LB:Laboratory Tests Results|MB:Microbiology Specimen|MH:Medical History|MI:Microscopic Findings
MK:Musculoskeletal System Findings|ML:Meal Data|MS:Microbiology Susceptibility|NV:Nervous System Findings
OE:Ophthalmic Examinations|PC:Pharmacokinetics Concentrations|PE:Physical Examination|PP:Pharmacokinetics Parameters
PR:Procedures|QS:Questionnaires|RE:Respiratory System Findings|RP:Reproductive System Findings
RS:Disease Response and Clin Classification|RELREC:Related Records|SC:Subject Characteristics|SE:Subject Elements
SM:Subject Disease Milestones|SR:Skin Response|SS:Subject Status|SU:Substance Use|SV:Subject Visits|TA:Trial Arms
TD:Trial Disease Assessments|TE:Trial Elements|TI:Trial Inclusion/Exclusion Criteria|TM:Trial Disease Milestones
TR:Tumor/Lesion Results|TS:Trial Summary|TS:Trial Summary Information|TU:Tumor/Lesion Identification|TV:Trial Visits
UR:Urinary System Findings|VS:Vital Signs|ADSL:Subject-Level Analysis Dataset|ADAE:Adverse Events Analysis Dataset
ADTTE:Time to Event Analysis Dataset|ADTTE:AE Time To 1st Derm. Event Analysis
"""
# Words that labels are written in beside those of the lists: they name no person and no place.
_WORDS = """
a about after all an and any are as at average before below between by change characteristics code completers count
current data dataset date day days derived description details dose duration education end event events factor first
flag for from group groups hour hours id in index information is item last level log long mean measure measurement
minute months most name non not null number of on or order original other out over part per percent period planned
population primary prior quality reason record records reference region related relative report result results scale
score screening second secondary selected short start state status stratum study subject subjects sum supplemental
suppl the this time to total treatment type unit units upper use value values variable version visit visits week weeks
when with within year years qualifiers adverse chemistry hematology safety analysis efficacy intent treat pooled
discontinuation disease onset cumulative randomized randomised standardized reported drug med therapy exam occurrence
avg daily died did discontinue discontinued due trt vis term source domain sequence customized query imputation early
ae soc cq mmse kg cm
characteristic ref question questionnaire questionnaires endpoint occ short std i e st nd rd th supplemental name
datetime imput imputed grp gp known alive field fields undocumented above absolute accepted according across activity
add additional adjusted administered administration adverse agent algorithm allocation allowed alternate amount analyte
annual answer approach area arithmetic assay assessed assessments assigned assignment associated attempt attribute
available average avg back base begin beginning best beyond bin blinded block body both bound burden calculated
calendar case cause censored censoring change changed check child class classification clinic clinical close cluster
coded coding cohort column combined combination comment comparison comparator compartment complete completion component
compound concentration concordance condition confidence confirmed consent considered consistent constant contact
contribution control converted corrected correction count covariate coverage criteria crossover current cutoff cycle
daily decimal decision declared decreased default defined definition degree delta density dependent depth detail
detection deviation diary diff difference direct discontinued display distance done dosed dosing dropout drugs due
duplicate each earliest eligible elapsed endpoints enrolled enrolment enrollment entered entry equal equivalent error
estimate estimated event evaluable evaluation ever exact exam examination excluded exclusion expected experienced
exposed extended extent extrapolated factors failed failure family fasting female final finding findings fixed flags
flagged following follow form formulation fraction free frequency frequent full function further gap general
generation geographic geometric given global goal grade grading greater greatest growth half health height high
higher highest history home imputed improvement include included inclusion increase increased indicator individual
infant infection infusion initial input intake intended interim internal interval interventional into invalid
investigational investigator involved key kind laboratory language large largest last latest least left length less
lesion lesions level levels limit limits line linked list local location lot low lower lowest made main male mapped
marker mass match maximum max measured median member met method middle min minimum missed mode model modified month
mother multiple name nadir negative new next nominal none norm normalized note notes nth nominal observation observed
occasion off offset old once ongoing only onset open option origin outcome outside overall own pair parameters
parent part partial participant participation past patient patients peak pediatric per performed permanent person
phase physical placebo plan plasma point points pool pool pooled positive possible post potential pre predicted
predose pregnant premature presence present previous procedure product progression project projected protocol
proportion provided pulse purpose qualified quant quantitation quantile quarter quartile question questions random
randomized range rank rate rates ratio raw reached reading reason reasons received recent recorded recovery reduction
regimen region registration regular rel relapse relation relevant remaining repeat repeated replaced reported
requested required rescue residual response responder rest resting restart result reviewed right risk role rounded
row rule run sample sampling scheduled secondary section select selection sensitivity sensory sentence separate
sequence serial series serious session set severe sex shift sign significant similar single site sites size slope
small smallest social solid sort special specific specified specify spent spontaneous stage standard standing started
starting steady step stop stopped storage strata stratification strength strong subgroup subgroups subset substance
subtotal success sum summary support surgery surgical survival survey suspected symptom symptoms system target task
temporary temporarily terminal terminated tertile tested text than then therapeutic third threshold through times
timing title together tolerance total toxic tract trait transformed treated treatments trial trials true try two
type types under unique unknown unplanned unscheduled until used useful user usual valid validated validation
variability various vendor very view virtual volume wall warning was washout wave weekly weight weighted well were
which while white whole width window withdrawal withdrawn without worst worsening written year yes young zero zone
alcohol tobacco caffeine education employment income household insurance exercise diet sleep pain quality life
timepoint timepoints obs
encounters conditions observations requests administrations procedures allergies intolerances immunisations made der
die das des dem den und von vom bei nach mit für im am zum zur ist war oder ohne seit bis pro je del de la el los en y
o du des et le les un une il di da dal e na do od po przy dla του της στο και με σε για
patientin patienten patients paciente pacientes pacjent pacjenta paziente pazienti ασθενούς ασθενή пациент пациента
act nom bio log ids dx hx tx rx sx yn yrs mos wks hrs mins nmol pct num no. id desc cat subcat imp std dev avg cum
phq sqls adas npi cgi cibic ham hads eq sf qlq bdi vas nrs moca panss madrs hrqol pro ecog nyha
"""
_WORD = re.compile(r"[^\W\d_]+")


def _listed(text: str) -> list[tuple[str, str]]:
    pairs = (one.partition(":") for one in text.replace("\n", "|").split("|") if one.strip())
    return [(name.strip(), label.strip()) for name, _, label in pairs]


@cache
def _of_variables() -> dict[str, str]:
    return dict(_listed(_LABELS))


@cache
def words_of_the_standard() -> frozenset[str]:
    """The words in which the standard describes variables, in small letters."""
    texts = [label for _, label in _listed(_LABELS)] + [text for one in _listed(_DATA_SETS) for text in one]
    words = {word.casefold() for text in (*texts, *standard_terms()) for word in _WORD.findall(text)}
    concepts = words_of_the_pilots()["concepts"]
    headings = {word for concept in concepts for text in concept["words"] for word in text.split()}
    return frozenset(words | headings | set(_WORDS.split()))


def standard_label(variable: str) -> str:
    """The standard's label of a variable, "" of one that it does not have."""
    known, name = _of_variables(), variable.upper()
    return known.get(name) or known.get(f"--{name[2:]}", "")


def standard_data_set_labels(data_set: str) -> list[str]:
    """The standard's labels of a data set, the first is the usual one; none of others than the standard's."""
    return [label for name, label in _listed(_DATA_SETS) if name == data_set.upper()]


@cache
def standard_data_set_names() -> frozenset[str]:
    """The names of the standard's data sets."""
    return frozenset(name for name, _ in _listed(_DATA_SETS))


def is_word_of_labels(word: str) -> bool:
    """Whether the standard's labels and terms have a word, or a medical dictionary would."""
    return word.casefold() in words_of_the_standard() or is_a_medical_term(word)
