"""How a rule stands: by columns, by figures, by the controller's statements, and by a person's decision."""

from __future__ import annotations

from disclosure_control.rules.judging import Standing, judged_books, value_at
from disclosure_control.rules.registry import rule_books
from tests.cases import each

# By letter of Safe Harbor a column as clinics call it.
PLANTED = {
    "A": "patient_name",
    "B": "Wohnort",
    "C": "date_of_birth",
    "D": "mobile",
    "E": "fax",
    "F": "e_mail",
    "G": "SVNR",
    "H": "MRN",
    "I": "health_plan_id",
    "J": "IBAN",
    "K": "drivers_license",
    "L": "KFZ",
    "M": "device_serial",
    "N": "homepage",
    "O": "IP",
    "P": "fingerprint",
    "Q": "photo",
    "R": "study_code",
}
ABROAD = {
    "A": "Cognome nombre_completo Vorname prenom",
    "B": "comune_di_residenza adresse direccion Postleitzahl",
    "C": "data_ricovero date_de_naissance Entlassungsdatum",
    "D": "cellulare movil Rufnummer",
    "E": "telecopie fax_privat",
    "F": "courriel correo adresse_mail",
    "G": "numero_securite_sociale personnummer codice_fiscale",
    "H": "numero_dossier numero_cartella Krankenakte",
    "I": "numero_adherent_mutuelle Krankenversicherungsnummer poliza",
    "J": "RIB Bankverbindung conto_corrente",
    "K": "patente_guida Personalausweis rijbewijs",
    "L": "targa_auto Kennzeichen plaque_immatriculation",
    "M": "numero_serie_stimulateur Herzschrittmacher dispositivo",
    "N": "sito_web Webseite",
    "O": "indirizzo_ip adresse_ip",
    "P": "empreinte_digitale impronta Fingerabdruck",
    "Q": "fotografia volto Lichtbild",
}
MEDICAL = (
    "disposition",
    "plaque_score",
    "adherent_to_treatment",
    "imaging_done",
    "capacity",
    "quartile",
    "residency_year",
)
FOUND_AS = {"R": "unique_code"}  # where no heading tells of it, the scan does
HARMLESS = ("sex", "age_group", "smoker", "systolic", "visit", "treatment")


def released(gone=(), left=(), operations=None, found=(), in_package=(), **summary) -> dict:
    """The JSON summary of a run that released these columns."""
    return {
        "verdict": {"verdict": "May leave"},
        "identifiers": {"findings": [{"column": f"CLINIC__{name}", "kind": kind} for name, kind in found]},
        "release": {
            "released": True,
            "operations": {
                "remove": [f"CLINIC.{name}" for name in gone],
                **{kind: [f"CLINIC.{name}" for name in names] for kind, names in (operations or {}).items()},
            },
            "kept": [f"CLINIC.{name}" for name in left],
            "identifiers": [{"column": f"CLINIC__{name}", "kind": kind} for name, kind in in_package],
            "not_scanned": None,
        },
        **summary,
    }


def standing_of(summary: dict, book: str, rule: str) -> tuple[Standing, str]:
    (judged,) = (
        one
        for found in judged_books(summary, summary)
        if found.book.name == book
        for one in found.rules
        if one.rule.id == rule
    )
    return judged.standing, " ".join(one.sentence for one in judged.shown)


@each("letter, heading", [(letter, one) for letter, headings in ABROAD.items() for one in headings.split()])
def test_headings_of_other_languages_are_known(letter, heading):
    """Each is in the line of its letter; a heading of an address on a network is no place."""
    stands, sentence = standing_of(released(left=(*HARMLESS, heading)), "hipaa_safe_harbor", letter)
    assert (stands, f"CLINIC.{heading}" in sentence) == (Standing.NOT_MET, True)
    if letter in "FMO":
        assert standing_of(released(left=(*HARMLESS, heading)), "hipaa_safe_harbor", "B")[0] is Standing.MET


def test_medical_headings_are_no_identifiers():
    summary = released(left=(*HARMLESS, *MEDICAL))
    found = {letter: standing_of(summary, "hipaa_safe_harbor", letter)[0] for letter in PLANTED}
    assert [letter for letter, stands in found.items() if stands is Standing.NOT_MET] == []


@each("letter", sorted(PLANTED))
def test_a_column_that_leaves_is_present_and_named(letter):
    name = PLANTED[letter]
    found = [(name, FOUND_AS[letter])] if letter in FOUND_AS else []
    stands, sentence = standing_of(released(left=(*HARMLESS, name), found=found), "hipaa_safe_harbor", letter)
    assert stands is Standing.NOT_MET
    assert f"Present in released/: CLINIC.{name}." in sentence


@each("letter", sorted(set(PLANTED) - {"R"}))
def test_a_column_that_was_taken_out_is_removed_and_named(letter):
    stands, sentence = standing_of(released(gone=[PLANTED[letter]], left=HARMLESS), "hipaa_safe_harbor", letter)
    assert stands in (Standing.MET, Standing.OPEN)
    assert f"Removed: CLINIC.{PLANTED[letter]}." in sentence
    assert "Present" not in sentence


@each("letter", sorted(PLANTED))
def test_what_never_came_in_is_absent(letter):
    """Where no search by values knows them, no column is called so, and a person has to say the rest."""
    summary = released(left=HARMLESS)
    summary["release"]["traces"] = {"original_ids": 0, "removed_identifiers": 0}
    stands, sentence = standing_of(summary, "hipaa_safe_harbor", letter)
    by_heading_alone = letter in "EHIKLMPQ"
    assert ("Absent by heading: no column is called so." if by_heading_alone else "Absent: no column was f") in sentence
    assert stands is (Standing.OPEN if letter in "CEHIKLMPQR" else Standing.MET)
    assert "Present" not in sentence


def test_what_was_made_coarser_is_for_a_person_to_judge():
    """Three digits of a postcode may be enough for (B), which depends on how many people live there."""
    summary = released(left=(*HARMLESS, "zip"))
    assert standing_of(summary, "hipaa_safe_harbor", "B")[0] is Standing.NOT_MET
    summary["release"]["recoded"] = ["CLINIC.zip"]
    stands, sentence = standing_of(summary, "hipaa_safe_harbor", "B")
    assert stands is Standing.OPEN
    assert "Present in released/, made coarser: CLINIC.zip." in sentence
    emptied = released(left=(*HARMLESS, "iban"))
    assert standing_of(emptied, "hipaa_safe_harbor", "J")[0] is Standing.NOT_MET
    emptied["release"]["rare_texts"] = [{"column": "CLINIC.iban", "cells": 150}]
    assert standing_of(emptied, "hipaa_safe_harbor", "J")[0] is Standing.OPEN
    treatment = {"released": True, "missing_of_kept": {"DM__ZIP": [0, 0]}, "columns_dropped": []}
    steps = [{"method": "group", "changed": {"DM__ZIP": None}}]
    treated = {"treatment": {**treatment, "steps": steps}, "identifiers": {"findings": []}}
    stands, sentence = standing_of(treated, "hipaa_safe_harbor", "B")
    assert (stands, "changed by the treatment: DM.ZIP." in sentence) == (Standing.OPEN, True)


def test_what_a_step_of_the_treatment_did_is_said_as_it_is():
    """Pseudonyms and moved dates are not made coarser; a step that changed nothing did nothing."""
    left = ("DM__MRN", "DM__ADMISSION DATE", "DM__ZIP")
    changed = (("recode_ids", "DM__MRN"), ("shift_dates", "DM__ADMISSION DATE"))
    steps = [{"method": method, "changed": {name: 5, "DM__ZIP": 0}} for method, name in changed]
    treatment = {"released": True, "missing_of_kept": dict.fromkeys(left), "columns_dropped": [], "steps": steps}
    summary = {"treatment": treatment, "identifiers": {"findings": []}}
    said = {letter: standing_of(summary, "hipaa_safe_harbor", letter) for letter in "HCB"}
    assert "replaced by pseudonyms: DM.MRN." in said["H"][1]
    assert "moved by a number of days per person: DM.ADMISSION DATE." in said["C"][1]
    assert said["B"][0] is Standing.NOT_MET


def test_a_carried_column_is_that_of_its_file():
    """LB__Cholesterol.LBXX of the merge is LB.LBXX, which was found by its values and taken out."""
    summary = released()
    summary["identifiers"]["findings"] = [{"column": "LB__Cholesterol.LBXX", "kind": "email"}]
    summary["release"]["operations"]["remove"] = ["LB.LBXX", "CM.LBXX"]
    assert standing_of(summary, "hipaa_safe_harbor", "F")[1] == "Removed: LB.LBXX."


def test_a_column_that_was_merged_from_several_files_is_that_of_each():
    summary = released(left=("study_code", "sex"))
    summary["release"]["kept"].append("LAB.study_code")
    summary["identifiers"]["findings"] = [{"column": "TOGETHER__study_code", "kind": "unique_code"}]
    stands, sentence = standing_of(summary, "hipaa_safe_harbor", "R")
    assert (stands, "CLINIC.study_code, LAB.study_code" in sentence) == (Standing.NOT_MET, True)
    assert "sex" not in sentence


def test_what_was_asked_for_and_not_made_does_not_leave():
    held = {"release": {"released": False}, "treatment": {"released": False}}
    stands, sentence = standing_of(held, "hipaa_safe_harbor", "D")
    assert stands is Standing.NOT_COUNTED
    assert sentence == "Nothing leaves: this run made neither a release nor a treated dataset."


def test_a_reason_to_hold_that_is_no_knowledge_of_a_person_does_not_fail_actual_knowledge():
    """An open decision in the config holds a release, and tells nothing of whether somebody can be identified."""
    no = {"answer": "no", "sentence": "No: the smallest class has 12 people."}
    held = {"verdict": "Hold", "three_questions": {"singling_out": no}}
    assert standing_of(released(left=HARMLESS, verdict=held), "hipaa_safe_harbor", "ii")[0] is Standing.OPEN
    held["three_questions"]["singling_out"] = {**no, "answer": "yes"}
    assert standing_of(released(left=HARMLESS, verdict=held), "hipaa_safe_harbor", "ii")[0] is Standing.NOT_MET


@each(
    "environment, stands", [(None, Standing.OPEN), ("under agreement", Standing.NOT_MET), ("secure environment", None)]
)
def test_a_statement_that_contradicts_its_rule_does_not_meet_it(environment, stands):
    """Article 73 of the EHDS asks for a secure environment; whether nothing personal leaves it, a person says."""
    context = {} if environment is None else {"environment": environment}
    found, sentence = standing_of(released(config={"context": context}), "ehds", "secure")
    assert found is (stands or Standing.OPEN)
    assert ("Not stated yet" in sentence) is (environment is None)


def test_what_is_stated_in_part_is_open():
    """Roles of some columns, or a threshold without its reason, are an open point of the report, too."""
    stated = {"config": {"context": {"roles": {"DM__SEX": "visible"}}}}
    assert standing_of(released(**stated), "iso_27559", "features")[0] is Standing.STATED
    stated["context"] = {"open_points": ["roles"]}
    stands, sentence = standing_of(released(**stated), "iso_27559", "features")
    assert (stands, sentence) == (Standing.OPEN, "Stated in part, roles: DM__SEX: visible.")


def test_each_planted_column_is_that_of_its_own_letter():
    """A telephone number is no name; plates are licenses of vehicles, and may stand under both."""
    by_letter = {
        letter: standing_of(
            released(left=[name for one, name in PLANTED.items() if one != letter]), "hipaa_safe_harbor", letter
        )[1]
        for letter in PLANTED
    }
    assert {letter: said for letter, said in by_letter.items() if "Present" in said and letter not in "H"} == {}


def test_values_are_enough_where_the_heading_says_nothing():
    summary = released(left=["x17"], found=[("x17", "email")], in_package=[("x17", "email")])
    assert standing_of(summary, "hipaa_safe_harbor", "F")[0] is Standing.NOT_MET
    assert standing_of(released(gone=["x17"], found=[("x17", "email")]), "hipaa_safe_harbor", "F")[0] is Standing.MET


def test_dates_that_were_moved_are_for_a_person_to_judge():
    summary = released(left=HARMLESS, operations={"offset": ["admission"]})
    stands, sentence = standing_of(summary, "hipaa_safe_harbor", "C")
    assert stands is Standing.OPEN
    assert "moved by a number of days per person: CLINIC.admission." in sentence
    decided = {"by": "the board", "on": "2026-01-15", "says": "Intervals are needed."}
    summary["config"] = {"context": {"rules": {"hipaa_safe_harbor:C": decided}}}
    stands, sentence = standing_of(summary, "hipaa_safe_harbor", "C")
    assert stands is Standing.STATED
    assert "Intervals are needed. (the board, 2026-01-15)" in sentence


def test_a_pseudonym_is_not_the_number_that_it_replaces():
    stands, _ = standing_of(released(operations={"recode id": ["MRN"]}), "hipaa_safe_harbor", "H")
    assert stands is Standing.OPEN


def test_what_no_scan_looked_at_is_not_absent():
    summary = released(left=HARMLESS)
    summary["release"]["not_scanned"] = ["CLINIC"]
    assert standing_of(summary, "hipaa_safe_harbor", "A")[0] is Standing.NOT_COUNTED


def test_a_treated_table_is_what_leaves_where_there_is_no_release():
    treatment = {"released": True, "missing_of_kept": {"DM__SEX": [0, 0]}, "columns_dropped": ["DM__PHONE"]}
    summary = {"treatment": treatment, "identifiers": {"findings": []}}
    stands, sentence = standing_of(summary, "hipaa_safe_harbor", "D")
    assert (stands, sentence) == (Standing.MET, "Removed: DM.PHONE.")


@each("highest, stands", [(0.09, Standing.MET), (0.0901, Standing.NOT_MET), (None, Standing.NOT_COUNTED)])
def test_a_figure_beyond_its_bound_does_not_meet_the_rule(highest, stands):
    """1/11 is above 0.09 and 1/12 below; a figure that nobody counted shows nothing."""
    after = {"prosecutor_highest_risk": highest, "marketer_risk": 0.01}
    summary = released(treatment={"as_released": after})
    assert standing_of(summary, "ema_policy_0070", "risk")[0] is (Standing.SHOWN if highest == 0.09 else stands)


def test_the_gravest_of_what_is_asked_decides():
    summary = released(treatment={"as_released": {"prosecutor_highest_risk": 0.5, "marketer_risk": 0.01}})
    assert standing_of(summary, "ema_policy_0070", "risk")[0] is Standing.NOT_MET


def test_a_statement_is_quoted_under_its_name():
    summary = released(config={"context": {"review_date": "2027-01-15"}})
    assert standing_of(summary, "hipaa_expert_determination", "time_limit") == (
        Standing.STATED,
        "Stated, review date: 2027-01-15.",
    )


def test_every_figure_is_traced_to_the_summary():
    """Who reads a line finds its figure at the path that stands beside it."""
    summary = released(left=HARMLESS, treatment={"as_released": {"unique_rate": 0.25}}, risk={"unique_rate": 0.5})
    (judged,) = (
        one
        for found in judged_books(summary, summary)
        if found.book.name == "hipaa_expert_determination"
        for one in found.rules
        if one.rule.id == "distinguishability"
    )
    assert [value_at(summary, one.figure) for one in judged.shown] == [0.5, 0.25]
    assert ["0.5" in judged.shown[0].sentence, "0.25" in judged.shown[1].sentence] == [True, True]


@each(
    "counted, linking, inference",
    [
        (None, Standing.MET, Standing.MET),
        ({"fewer_than_k_by_both_together": 0, "values_follow": {"A": 0}}, Standing.MET, Standing.MET),
        ({"fewer_than_k_by_both_together": 50, "values_follow": {"A": 0, "B": 13}}, Standing.NOT_MET, Standing.NOT_MET),
        ({"fewer_than_k_by_both_together": 3, "values_follow": {"A": 3}}, Standing.NOT_MET, Standing.NOT_MET),
    ],
)
def test_an_earlier_release_counts_where_there_is_one(counted, linking, inference):
    """A release that links nobody by itself may do so beside the one that a recipient has."""
    no = {"answer": "no", "sentence": "No."}
    summary = released(verdict={"three_questions": {"linkability": no, "inference": no}})
    if counted is not None:
        summary["release"]["earlier_release"] = counted
    found = {}
    for rule in ("linkability", "inference"):
        _, sentence = standing_of(summary, "gdpr_wp216", rule)
        bounded = next(one for one in judged_books(summary, summary)[2].rules if one.rule.id == rule).shown[:-1]
        found[rule] = min((one.standing for one in bounded), key=list(Standing).index)
        assert ("Beside the earlier release" in sentence) is (counted is not None)
    assert found == {"linkability": linking, "inference": inference}


def test_a_masked_count_is_judged_exactly_and_written_as_masked():
    """That it is nobody's or somebody's is all that a rule asks of it, and what its mask says already."""
    exact, masked = released(left=HARMLESS), released(left=HARMLESS)
    exact["release"]["traces"] = {"original_ids": 3, "removed_identifiers": 0}
    masked["release"]["traces"] = {"original_ids": None, "removed_identifiers": 0}
    (rule,) = (one for one in judged_books(exact, masked)[0].rules if one.rule.id == "R")
    assert rule.standing is Standing.NOT_MET
    words = " ".join(one.sentence for one in rule.shown)
    assert "an undisclosed number" in words
    assert "3" not in words


def test_of_counts_rules_ask_no_more_than_whether_they_are_nobodys():
    """A bound at any other number would say of a masked count on which side of it it lies."""
    never_masked = {"k_anonymity.threshold", "treatment.as_released.prosecutor_highest_risk"}
    asked = [one for book in rule_books() for rule in book.rules for one in rule.figures if one.is_bounded]
    assert asked
    for one in asked:
        bounds = {one.at_most, one.at_least, one.equals} - {None}
        assert one.path in never_masked or all(bound == 0 or not isinstance(bound, int | float) for bound in bounds)


@each(
    "needed, unread, stands",
    [(0, 0, Standing.MET), (0, 3, Standing.OPEN), (1, 0, Standing.NOT_MET)],
)
def test_names_of_files_and_columns_can_be_names_of_people(needed, unread, stands):
    """A file that is called after a person leaves with the name, and words that nobody has read are for a person."""
    summary = released(left=HARMLESS)
    summary["release"]["labels"] = {"needed": needed, "unread": unread}
    assert standing_of(summary, "hipaa_safe_harbor", "A")[0] is stands
    decided = {"by": "DPO", "on": "2026-01-15", "says": "Read: they are words."}
    summary["config"] = {"context": {"rules": {"hipaa_safe_harbor:A": decided}}}
    assert standing_of(summary, "hipaa_safe_harbor", "A")[0] is (Standing.STATED if unread else stands)
