"""Words that coded terms of events, procedures and drugs are made of in English: by endings, and short ones whole.

Terms of MedDRA and names of substances follow the rules of their languages: inflammations end in -itis, statins in
-statin (WHO, stems of international nonproprietary names). A name of a person hardly does.
"""

from __future__ import annotations

import re
from functools import cache

from study.models.sdtm_terms import standard_terms

_ENDINGS = """
itis osis oses asis esis isis iasis aemia emia uria algia oma omas omata opathy pathies ectomy ostomy otomy plasty
oscopy graphy gram grams rrhoea rrhea rrhage rrhagia plegia paresis phobia phagia phasia pnoea pnea trophy trophic
megaly malacia sclerosis stenosis cele lysis penia philia cytosis oedema edema lithiasis ptosis spasm spasms toxic
toxicity tension tion tions sion sions ness ing ings ity ities ance ence ency ment ments ism isms ous ic ical al ial
ary ory ive ible able ular ed ised ized lar eal ure ures gia dynia axis oxia opia osity itus itious rrhythmia cardia
thermia kinesia aesthesia esthesia glycaemia glycemia lipidaemia lipidemia natraemia kalaemia calcaemia ectasis
ectasia ache aches ship hood logy pril prilat sartan artan triptan statin azole azol mycin cillin floxacin cycline
olol alol dipine oxetine zepam zolam azepine idine adine amine imine tidine prazole conazole vudine vir mab nib tinib
gliptin gliflozin glitazone formin sone olone onide asone terol oterol oxacin sulfa sulfate sulphate chloride bromide
iodide acetate maleate mesilate mesylate besilate besylate tartrate citrate phosphate fumarate succinate carbonate
hydroxide oxide gluconate propionate valerate furoate sodium potassium calcium magnesium rate drate thiazide semide
xaban parin trel relin tropin thyroxine steride lukast caine coxib profen fenac oxicam barbital bital epam azine apine
idone peridol ramine iramine phylline tropium statine ferol retinoin cline cort sterone estradiol gestrel platin
rubicin taxel trexate zosin osin lol fen acid acids gen ergot nesia rexia somnia pepsia phonia osmia flexia rhythmia
pecia tonia trichia chezia pexy therapy thorax ptysis systole systoles cusis bismus xin esin icone metry stoma
cephalus ology pathic genic venous arterial
"""
_WHOLE = """
abscess abuse accident ache acne acrochordon age agent agitation air alcohol allergy anaemia aneurysm angina ankle
anus anxiety apnea apnoea appendix appetite areata arm arms arrest arteriosclerosis artery aspirin asthenia asthma
ataxia atrium back bacteria bifida bite bites bladder bleed blister blisters block blood body bone bowel brain breast
breath bronchus bruise bunion burn burns bypass calculus cancer cane cardiac cataract cataracts catheter cell cells
chest chill chills coccyx cold colic colitis colon coma convulsion copd corn cornea coryza cough cpk cramp cramps
crohn crush cut cyst cysts damage deaf deafness death defect delay delirium delusion dementia diabetes diarrhea
diarrhoea diet digoxin diphtheria disc discharge disease diseases disk disorder disorders diverticulum dizziness dizzy
dose drug drugs dry duct duodenum dust dysphagia dysplasia dysuria ear ears eczema elbow embolism emphysema enema
enzyme epilepsy erythema exercise extract eye eyeglasses eyelid eyes face faint fall fat fatigue feeling feet femur
fever fibroid fibrosis finger fistula flu flush food foot fracture fungus gait gall gallstone ganglion gangrene gas
glaucoma goitre gout graft grass growth gum habit haemorrhoids hair hallucination hand hands hay head headache heart
heartburn heel hemorrhoids heparin hernia herpes hiccups hip hive hives hordeolum hot hydrocele hypertrophy hypoxia
hysterectomy illness implant infarct infarction inferior influenza injury insomnia insulin iron itch itchy jaundice
jaw joint joints keratosis kidney knee lack lapse leg legs lens lesion lethargy level libido limb lip lipoma listless
livedo liver loose loss lump lung lupus lymphoma malaise malaria mania measles memory menopause mi migraine
miscarriage mole mood mouth mumps murmur muscle myopia naevus nail nausea nec neck nerve neuropathy nevus nightmare
nodule nos nose numb nut obese oesophagus oil organ ovary pacemaker pain pains palsy panic pelvis penis phimosis
phlegm piles placebo plague plaque plasma pleurisy pneumonia polio pollen polyp polyps pressure prolapse prostate
pruritus psoriasis psychosis pulse pyrexia rales rash rate raynaud reflux removal renal repair retina rhinitis rib
rigors rosacea rubella rupture sac scab scale scar sciatica scoliosis screw seborrhoea sepsis shingles shock shunt
simplex sinus skin sleep smell sniffles soft sore spasm speech spina spine spleen sprain sprue stent stiff sting
stitch stomach stone stones stool stools strain stress stroke stupor stye suicide superior surgery sweat sweats
swelling syncope syndrome tear teeth tendon test testis tetanus therapy thirst throat thrombus thumb thyroid tic tick
tinnitus toe tongue tonsil tooth toxin trauma tree tremor tuberculosis tumor tumour twitch typhoid ulcer ulcers upper
urge urine urticaria user uterus uti vaccine vagina varicella vein veins venom vertigo viral virus vision vitamin
vitamins volvulus vomit walk wart warts weak weakness weight welts wheeze whiplash worm wound wrist xerosis yaws zinc
zoster
"""
_WORD = re.compile(r"[^\W\d_]+")
_LONG = 5


@cache
def _ending() -> re.Pattern[str]:
    """A word with such an ending; the shorter this is, the more stands before it: -ed is that of names, too."""
    by_length: dict[int, list[str]] = {}
    for one in _ENDINGS.split():
        by_length.setdefault(min(max(len(one), 2), 5), []).append(one)
    before = {2: 4, 3: 2, 4: 2, 5: 0}
    parts = [rf"\w{{{before[length]},}}(?:{'|'.join(endings)})" for length, endings in sorted(by_length.items())]
    return re.compile(rf"(?:{'|'.join(parts)})s?")


@cache
def words_of_medicine() -> frozenset[str]:
    of_terms = {word for term in standard_terms() for word in _WORD.findall(term) if len(word) > 2}
    return frozenset(_WHOLE.split()) | of_terms


def is_a_medical_term(text: str) -> bool:
    """Whether a text has a word of medicine, by its ending or whole."""
    words = _WORD.findall(text.casefold())
    return any(word in words_of_medicine() or _ending().fullmatch(word) for word in words)


def is_a_word_of_medicine(word: str) -> bool:
    """Whether a word, in small letters, is one whole or has an ending of five letters and more: no name has."""
    return word in words_of_medicine() or _long_ending().fullmatch(word) is not None


@cache
def _long_ending() -> re.Pattern[str]:
    long = [one for one in _ENDINGS.split() if len(one) >= _LONG]
    return re.compile(rf"\w{{2,}}(?:{'|'.join(long)})s?")
