"""The stages of a release, one after the other: each is given what the one before made, and changes nothing of it.

Ids and offsets are given by the operations, which see a column beside its source. Draws decide whose terms and texts
are hidden, and what is rare after that; the order of rows, and their numbers, come last.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.words import listed
from disclosure_control.records.columns import places_of_all
from disclosure_control.release.before_and_after import study_compared
from disclosure_control.release.deidentify import deidentify
from disclosure_control.release.dictionaries import with_used_entries
from disclosure_control.release.facts.facts import KINDS
from disclosure_control.release.ledger import By, losses_of
from disclosure_control.release.ledger_lines import entries_of
from disclosure_control.release.making import Making, Stage
from disclosure_control.release.merge_drop import rules_of_drop, tests_of_drop
from disclosure_control.release.numbering import in_an_order_of_their_own
from disclosure_control.release.people import recoded_columns
from disclosure_control.release.terms.kept_terms import (
    alone_in_all,
    facts_held,
    people_to_hide,
    terms_held,
    without_quasi_identifiers,
)
from disclosure_control.release.terms.rare_terms import RareTerms, without_rare_terms
from disclosure_control.release.texts.labels import judged_names, names_read, with_judged_labels
from disclosure_control.release.texts.rare_texts import without_rare_texts
from disclosure_control.release.writing import as_it_would_be_read, opened, rows_as_read, written

MOST_LEFT_OUT = 0.05  # of the people, for a fact by which each is alone among all; as many as a recoding may leave out


def decisions(making: Making) -> Making:
    """What is decided about each column: ``lines`` over the table of operations, and recodings of the treatment.

    Needs the study. Promises that every later stage finds these decisions, and takes none of its own about a column.
    """
    asked, study, merge = making.asked, making.study, making.asked.merge
    recoded = tests_of_drop(merge.drop, study.model, len(making.people.ids))
    if asked.treated is not None:
        treated = asked.treated
        recoded |= recoded_columns(asked.original, treated.records, treated.values, treated.kept)
    declared = asked.settings.declared_names
    of_names, names_gone = judged_names(study, asked.config, asked.rule.column, declared)
    return replace(
        making,
        people=replace(making.people, recoded=recoded),
        lines=(*of_names, *asked.settings.lines, *rules_of_drop(merge.drop, study.model)),
        labels=names_gone,
    )


def people_who_stay(making: Making) -> Making:
    """Only those whom the treatment kept stay, in the classes in which it left them.

    Needs nothing of other stages. Promises that no row of anybody else is in any file.
    """
    asked, stays = making.asked, making.people.stays
    if asked.treated is not None:
        stays = np.zeros(len(stays), dtype=bool)
        stays[asked.treated.kept] = True
    classes = np.zeros(len(stays), dtype=np.int64)
    classes[stays] = places_of_all(asked.promised.people.classes_of_blocks())
    return replace(making, people=replace(making.people, stays=stays), classes=classes)


def operations(making: Making) -> Making:
    """Every file of the study after the operation on each of its columns, with an account of each.

    Needs decisions, and who stays. Promises pseudonyms for ids, one offset for all dates of a person, and rows by
    pseudonym in the order of the source.
    """
    asked, of_study = making.asked, (making.study, making.people, making.lines)
    made = deidentify(*of_study, asked.key, asked.release, asked.settings.times, asked.kept)
    return replace(making, released=made)


def terms_that_stay(making: Making) -> Making:
    """Where terms are to stay, people who are few with one lose their quasi-identifiers instead; operations run again.

    Needs the operations. Promises that no class has fewer people with such a term than the config says. A few people
    who are alone by a fact among all people are left out: no class would hide them.
    """
    asked, people, released = making.asked, making.people, making.released
    rare = asked.settings.rare_terms
    if rare is None or not rare.keep:
        return making
    kinds = [kind for kind in KINDS if kind in rare.keep]
    domains = {released.model.domain(name) for name in released.files}
    if unknown := [one for one in rare.keep if one not in (*kinds, *domains)]:
        raise FaultyInputError(
            f"release['rare_terms']['keep']: {listed(unknown)} {'is' if len(unknown) == 1 else 'are'} neither a domain "
            f"of the release nor a kind of fact; allowed: {listed([*sorted(domains), *KINDS])}"
        )
    facts = facts_held(released, people, asked.rule.column, kinds)
    alone = alone_in_all(facts, people.stays)
    if alone.sum() <= MOST_LEFT_OUT * people.stays.sum():
        people = replace(people, stays=people.stays & ~alone)
    held = terms_held(released, rare.keep, rare.at_least).and_also(facts)
    of_those_who_leave, numbers = np.where(people.stays, making.classes, -1), making.drawn("quasi-identifiers")
    hidden = people_to_hide(of_those_who_leave, held, max(rare.at_least, asked.config.K), numbers)
    people = without_quasi_identifiers(people, hidden, asked.original, asked.config.quasi_identifiers)
    of_hidden = int(making.classes.max(initial=-1)) + 1  # they are one more class
    made = replace(making, people=people, classes=np.where(hidden, of_hidden, making.classes))
    return operations(made) if hidden.any() or alone.any() else made


def terms(making: Making) -> Making:
    """Coded terms of few people raised or hidden, where the config asks for it; dictionaries without unused entries.

    Needs the operations, and who lost the quasi-identifiers: these people are a class of their own.
    """
    settings, released, raised = making.asked.settings, making.released, making.raised
    if settings.rare_terms is not None or settings.hide_terms:
        rare = settings.rare_terms or RareTerms(at_least=1)
        released, raised = without_rare_terms(released, rare, making.classes, making.drawn, settings.hide_terms)
    return replace(making, released=with_used_entries(released, released.model), raised=raised)


def texts(making: Making) -> Making:
    """Texts of few people, or of a form that names somebody, emptied.

    Needs the terms as they leave: a text stays where enough people still have it. Promises what was emptied.
    """
    asked = making.asked
    config, declared = asked.config, asked.settings.declared_texts
    released, found = without_rare_texts(
        making.released, making.people, config.K, config.quasi_identifiers, declared, making.drawn, asked.kept
    )
    return replace(making, released=released, texts=found)


def labels_and_names(making: Making) -> Making:
    """Labels that may name somebody emptied, and the names that a recipient is not told.

    Needs every column that leaves, and the names that decisions took out. Promises the judge of all further labels.
    """
    declared = making.asked.settings.declared_names
    released, gone, judge = with_judged_labels(making.released, making.study, declared)
    released, names = names_read(released, making.labels, declared)
    return replace(making, released=released, labels=names + gone, judge=judge)


def order_and_numbers(making: Making) -> Making:
    """Rows in an order of their own, and numbered in it.

    Needs all values as they leave: they are the order. Promises that a place or number tells nothing of the source.
    """
    asked = making.asked
    return replace(making, released=in_an_order_of_their_own(making.released, making.people, asked.key, asked.release))


def study_tables(making: Making) -> Making:
    """The study's tables of what leaves beside those of what came in, and the ledger of what does not leave.

    Needs the rows as they leave. Promises the lines on use that the package contains.
    """
    if making.came_in is None:
        return making
    asked, of_study = making.asked, (making.study, making.came_in, making.released, making.people)
    losses = losses_of(*of_study, asked.settings.lines, asked.merge, making.raised, making.texts)
    ledger = partial(entries_of, losses=losses, settings=asked.settings.fit_for_use)
    by_role = {one.name for one in losses if one.by is By.ROLE and one.characteristic is None}
    compared = study_compared(*of_study[1:], asked.settings.fit_for_use, ledger, by_role)
    return replace(making, compared=compared, losses=losses)


# In the order in which they run. What leaves ends by its files; a trial, which publishes nothing, without them. Where
# only losses are asked, what changes no figure of a table is not made: names, labels, order. Nor are the tables for a
# look at who is alone.
DECIDED: tuple[Stage, ...] = (decisions, people_who_stay)
MAKING: tuple[Stage, ...] = (
    *DECIDED,
    operations,
    terms_that_stay,
    terms,
    texts,
    labels_and_names,
    order_and_numbers,
    study_tables,
)
LEAVING: tuple[Stage, ...] = (*MAKING, written, opened)
ON_TRIAL: tuple[Stage, ...] = (*MAKING, as_it_would_be_read)
WEIGHED: tuple[Stage, ...] = (operations, terms_that_stay, terms, texts, study_tables)  # of what is decided
LOOKED_AT: tuple[Stage, ...] = (*DECIDED, *WEIGHED[:-1], rows_as_read)


def through(stages: tuple[Stage, ...], making: Making) -> Making:
    """A release after some stages."""
    for stage in stages:
        making = stage(making)
    return making
