"""What the heading of a column of a plain table says of its role, in several languages: a table of the project's own.

Headings are compared in small letters, without accents, one blank between words (``study.headings.words_of``). A
pattern is a list of words or endings of words: ``*datum`` is any word that ends so, ``geb*`` any that begins so. A role
by its heading holds only as far as the values agree; ``column_roles`` asks them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from study.concepts import Part, concept_of
from study.headings import is_number, words_of
from study.models.roles import Role
from study.words import words_of_births


@dataclass(frozen=True)
class HeadingSays:
    """The role that a heading names, and why."""

    role: Role
    reason: str


def _pattern(phrases: str, *, whole: bool = False) -> re.Pattern[str]:
    parts = [re.escape(phrase.strip()).replace(r"\*", r"\w*").replace(r"\ ", " ") for phrase in phrases.split(",")]
    joined = "|".join(parts)
    return re.compile(rf"(?:{joined})" if whole else rf".*\b(?:{joined})\b.*")


def _but_no_id(phrases: str) -> re.Pattern[str]:
    """As ``_pattern``, in headings that name no id: ``visit`` and ``visit number``, not ``visit id``."""
    return re.compile(rf"(?!.*\b(?:id|key|uuid)\b)(?:{_pattern(phrases).pattern})")


def _but_no_years(phrases: str) -> re.Pattern[str]:
    """As ``_pattern``, in headings that name no group of years: ``anchor year group`` says when, not what is given."""
    return re.compile(rf"(?!.*\byears? groups?\b)(?:{_pattern(phrases).pattern})")


_BIRTH = _pattern(
    "birth date, birthdate, birth day, birthday, birth datetime, date of birth, day of birth, month of birth, dob, "
    "birth month, birthdat, geburtstag, geburtsmonat, geb dat, gebdat, gebdatum, geboren am, geboren, fecha nac, "
    f"nascita, date naissance, naissance, {', '.join(words_of_births())}"
)
_DEATH = _pattern(
    "death, dead, died, deceased, mortality, tod, *todes*, sterbedatum, sterbetag, sterbe*, verstorben*, gestorben, "
    "exitus, decesso, deceduto, deces, decede, fallecido, fallecimiento, defuncion, zgon, zgonu, θανατοσ, θανατου, "
    "смърт, vital status, dod, deathdate, overleden, overlijden, obito, falecido, falecimento, umrti, zemrel, "
    "expired, expire, deathtime"
)
_DATE = _pattern(
    "date, datetime, timestamp, time stamp, *datum, *dat, *date, data, fecha, dt, dtc, dtm, zeitpunkt, "
    "datum*, admittime, dischtime, intime, outtime, charttime, storetime, "
    "deathtime, starttime, endtime, start, stop, begin, beginn, end, ende, ημερομηνια, дата, "
    "issued, recorded, performed, collected, dod"
)
_DEATH_DATE = re.compile(rf"(?={_DEATH.pattern}$){_DATE.pattern}")
_VERBATIM = _pattern(
    "comment, comments, note, notes, remark, remarks, free text, freetext, freitext, *text, narrative, anamnese, "
    "bemerkung, bemerkungen, kommentar, kommentare, anmerkung, anmerkungen, notiz, notizen, arztbrief, befund, "
    "osservazioni, commento, commenti, anamnesi, observaciones, comentario, comentarios, notas, remarque, remarques, "
    "commentaire, commentaires, uwagi, uwaga, komentarz, σχολια, παρατηρησεισ, коментар, забележка, забележки, "
    "reason, grund, motivo, opis, reasondescription, verbatim"
)
_SITE = _pattern(
    "site, center, centre, centro, clinic, *klinik, clinica, hospital, *krankenhaus, spital, ospedale, ward, *station, "
    "*abteilung, department, dept, reparto, provider, provider id, practitioner, physician, doctor, arzt, *arzt, "
    "*aerztin, arztin, behandler, medico, medecin, investigator, nurse, pflegekraft, performer, organization, "
    "organisation, payer, facility, servicio, oddzial, lekarz, szpital, κλινικη, νοσοκομειο, ιατροσ, γιατροσ, "
    "лекар, болница, отделение, siteid, wardid, hospitalid, providerid, facilityid, pfleger, "
    "hopital, operator, laboratory, labor name, laboratorio, insurer, "
    "*kasse, krankenversicherung, user, username, benutzer"
)
_NUMBER_OF_A_PERSON = _pattern(
    "ssn, social security, nhs no, nhs number, national id, passport, passport no, drivers, driver licence, "
    "license, licence, insurance no, insurance number, insurance id, *versicherungsnummer, "
    "*versichertennummer, versicherten nr, versichertennr, versicherungsnr, kvnr, svnr, codice fiscale, "
    "tessera sanitaria, dni, nie, cip, nuhsa, nif, nir, pesel, amka, αμκα, afm, αφμ, егн, egn, ahv, mrn, "
    "medical record, medical record number, account no, account number, telefonnummer, bsn, cnp, personnummer, "
    "device serial, serial number, udi, rodne cislo"
)
# The first that fits decides, so those that disclose most come first: "date of birth of the mother" is a birth.
_DISCLOSING: tuple[tuple[re.Pattern[str], Role, str], ...] = (
    (_BIRTH, Role.BIRTH, "a date of birth"),
    (
        _pattern(
            "last name, lastname, surname, first name, firstname, forename, given name, middle name, maiden name, "
            "family name, full name, patient name, patientname, nachname, vorname, familienname, geburtsname, name "
            "patient, cognome, nombre, nombres, apellido, apellidos, prenom, nom, imie, nazwisko, ονομα, επωνυμο, "
            "ονοματεπωνυμο, име, фамилия, презиме, initials, initialen, iniziali, phone, telephone, telefon, telefono, "
            "tel, mobile, mobil, handy, cell, fax, email, e mail, mail, address, adresse, anschrift, strasse, street, "
            "indirizzo, direccion, domicilio, calle, rue, ulica, διευθυνση, адрес, τηλεφωνο, телефон, *strasse, "
            "hausnummer, jmeno, prijmeni, adresa, latitude, longitude, gps, photo, foto, url"
        ),
        Role.IDENTIFIER,
        "a name, or a way to reach a person",
    ),
    (
        _pattern("first, last, middle, maiden, prefix, suffix, lat, lon, nome, name", whole=True),
        Role.IDENTIFIER,
        "a name, or a way to reach a person",
    ),
    (_NUMBER_OF_A_PERSON, Role.IDENTIFIER, "a number of a person in other files"),
    (_pattern("fips, birthplace, birth place, place of birth, geburtsort, luogo di nascita"), Role.PLACE, "a place"),
)
_FURTHER: tuple[tuple[re.Pattern[str], Role, str], ...] = (
    (_DEATH_DATE, Role.DEATH_DATE, "a date of death"),
    (_VERBATIM, Role.VERBATIM, "text as it was entered"),
    (_DATE, Role.DATE, "a date"),
    (
        _pattern(
            "unit, units, uom, einheit, *einheit, unita, unita di misura, unidad, unidades, unite, jednostka, "
            "μοναδα, μοναδεσ, единица, мерна единица, mass einheit, eenheid, orresu, stresu"
        ),
        Role.UNIT,
        "a unit",
    ),
    (
        _but_no_id(
            "visit, visits, visite, visita, wizyta, επισκεψη, посещение, visitnum, visit no, visit nr, visit number, "
            "event name, timepoint, time point, epoch, cycle, zyklus, besuch, follow up, wave, welle, week, woche, "
            "settimana, semana, semaine"
        ),
        Role.VISIT,
        "a visit, or another part of a plan",
    ),
    (
        _but_no_years(
            "arm, arms, treatment group, treatment arm, study arm, studienarm, gruppe, group, randomization, "
            "randomisation, randomised, randomized, braccio, grupo, gruppo, groupe, grupa, ομαδα"
        ),
        Role.ARM,
        "a treatment group",
    ),
    # Before the site: "hospital death" is a death.
    (_DEATH, Role.DEATH, "a death"),
    (_SITE, Role.SITE, "a site, or who treats the person"),
)
# What a coded term is about. Its values decide between codes, words for them, and text as it was entered.
_TERM = _pattern(
    "icd, icd10, icd 10, icd9, icd code, icdcode, atc, atc code, loinc, loinc code, loinccode, snomed, snomedct, sct, "
    "meddra, pt code, llt, soc, ops, ops code, opscode, cpt, hcpcs, rxnorm, rxcui, ndc, pzn, drg, dx, "
    "code, codes, kode, kodierung, codice, codigo, kod, κωδικοσ, код, diagnosis, diagnoses, diagnose, diagnosen, "
    "*diagnose, *diagnosis, diagnosi, diagnostico, diagnostic, rozpoznanie, διαγνωση, диагноза, disease, erkrankung, "
    "krankheit, condition, procedure, prozedur, eingriff, procedura, procedimiento, drug, drugs, medication, "
    "medications, medikament, *medikament, medikation, wirkstoff, substance, substanz, farmaco, principio attivo, "
    "medicamento, medicament, lek, φαρμακο, лекарство, allergy, allergie, vaccine, impfstoff, *schluessel, *schlussel"
)
_LABEL = _pattern(
    "label, description, bezeichnung, *bezeichnung, term, terms, display, decode, descrizione, descripcion, libelle, "
    "klartext, meaning, bedeutung, etikett, denominazione, begriff, title, long name, full form, περιγραφη, описание, "
    "nazwa"
)
_KEY = _pattern(
    "*id, *nr, no, num, *nummer, number, key, uuid, guid, oid, encounter, *fall, fallnr, caso, episode, episodio, "
    "accession, order, auftrag, probe, sample, barcode, claimid, ricovero, nosologico, pobyt"
)


@cache
def role_of_heading(heading: str) -> HeadingSays | None:
    """The role that a heading names; None where it names none, and the values have to say."""
    words = words_of(heading)
    return _first(_DISCLOSING, words) or _of_concept(heading) or _first(_FURTHER, words)


def _first(table: tuple[tuple[re.Pattern[str], Role, str], ...], words: str) -> HeadingSays | None:
    found = next(((role, what) for pattern, role, what in table if pattern.fullmatch(words)), None)
    return HeadingSays(found[0], f"the heading names {found[1]}") if found else None


# What acquaintances know, by the table of concepts; what is no role of its own is a category or a number.
_ROLE_OF_CONCEPT = {
    "age": Role.AGE,
    "year of birth": Role.BIRTH_YEAR,
    "sex": Role.SEX,
    "race": Role.ORIGIN,
    "country": Role.ORIGIN,
    "place": Role.PLACE,
}


def _of_concept(heading: str) -> HeadingSays | None:
    concept = concept_of(heading)
    role = _ROLE_OF_CONCEPT.get(concept.name) if concept else None
    return HeadingSays(role, f"the heading names the {concept.name}") if concept and role else None


@cache
def words_of_roles() -> frozenset[str]:
    """The single words of these tables, without the beginnings and endings of words."""
    tables = (*(one for one, *_ in (*_DISCLOSING, *_FURTHER)), _TERM, _LABEL, _KEY)
    whole = (re.sub(r"\\w\*\w+|\w+\\w\*|\\b|\(\?[:!=]", " ", pattern.pattern) for pattern in tables)
    return frozenset(word for text in whole for word in re.findall(r"[^\W\d_]{2,}", text))


def is_known_to_acquaintances(heading: str) -> bool:
    """Whether a heading names what acquaintances know or see: education, an occupation, the body weight."""
    concept = concept_of(heading)
    return concept is not None and concept.part in (Part.KNOWN, Part.SEEN)


def numbers_a_person(heading: str) -> bool:
    """Whether a heading names a number that a person has in many files, as that of a state or an insurance."""
    return _NUMBER_OF_A_PERSON.fullmatch(words_of(heading)) is not None


def names_a_term(heading: str) -> bool:
    """Whether a heading names a diagnosis, drug or procedure, or the code of one."""
    return _TERM.fullmatch(words_of(heading)) is not None


def names_a_label(heading: str) -> bool:
    """Whether a heading names words for a code beside it."""
    return _LABEL.fullmatch(words_of(heading)) is not None


def is_key(heading: str) -> bool:
    """Whether a heading names a number or id of a record."""
    words = words_of(heading)
    return is_number(heading) or any(_KEY.fullmatch(word) for word in words.split())
