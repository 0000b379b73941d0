"""The report of a release in words: what was released, what was done to it, and what a recipient finds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from disclosure_control.basics.telling.sections import (
    ADVERSARIAL,
    AnswersGiven,
    Details,
    Part,
    Section,
    Sentence,
    Style,
    Table,
    Where,
    in_chapter,
)
from disclosure_control.basics.telling.small_counts import count_in_sentence, count_text, things_told
from disclosure_control.basics.telling.words import capitalised, counted, listed, people_text
from disclosure_control.steps.release import OUTLINE
from disclosure_control.steps.release.checked import COURSES_NOT_LOOKED_AT, not_scanned_in_words
from disclosure_control.steps.release.course import (
    course_parts,
    not_counted_in_words,
)
from disclosure_control.steps.release.keys import key_parts
from disclosure_control.steps.release.told import ReleaseTold

RARE_TEXTS = "rare_texts.csv"
FILES_THAT_LEAVE = "The files that leave"


def refusal_sections(reason: str) -> tuple[Section, ...]:
    return (OUTLINE.section((Sentence(f"Nothing was released: {reason}", Style.NOTICE),)),)


def release_sections(told: ReleaseTold) -> tuple[Section, ...]:
    """Files, operations, searches, and the figures of the package."""
    asked = (*_searched(told), *_found(told))
    parts = (*_files(told), *_done(told), *key_parts(told.joins), *asked)
    return (
        OUTLINE.section(parts),
        *_evidence(told),
        in_chapter(ADVERSARIAL, "Searches of released/, as somebody would who holds it", asked),
    )


def _evidence(told: ReleaseTold) -> Iterator[Section]:
    """The operations on the files that leave, and the variables that leave as they came in."""
    named = [[kind, listed(names, 60)] for kind, names in told.operations.items() if names]
    operations = Table("Operations", ("Operation on the study's files", "Variables"), named, where=Where.EVIDENCE)
    yield Section("treatment", "", [Sentence(FILES_THAT_LEAVE, Style.HEADING, Where.EVIDENCE), operations])
    kept = sorted(set(told.kept) - set(told.recoded) - {one.column for one in told.rare_texts})
    if kept:
        emptied = ", but for rare terms that were hidden" if told.rare_terms else ""
        text = f"{counted(len(kept), 'variable')} in released/ leave as they came in{emptied}: {listed(kept, 40)}."
        yield Section("residual_risk", "", [Sentence(text, where=Where.EVIDENCE)])


def _files(told: ReleaseTold) -> Iterator[Part]:
    people, left_out = people_text(told.people), people_text(told.people_left_out)
    yield Sentence(f"The whole study is in released/: {people} in the files, {left_out} left out.")
    rows = [
        [name, *map(count_text, (file.records, file.records_of_source, file.columns, file.columns_of_source))]
        for name, file in told.files.items()
    ]
    columns = ("File", "Records", "Records in the source", "Columns", "Columns in the source")
    yield Table("Files of the package", columns, rows, range(1, 5))
    for name, reason in told.left_out.items():
        yield Sentence(f"Not released: {name}, {reason}.", Style.NOTICE)
    for pattern in told.undecided:
        yield Sentence(f"{pattern} waits for your decision and is left out.", Style.NOTICE)
    definition = f"none, {told.no_define_xml}" if told.no_define_xml else "of the files as they are"
    yield Sentence(f"define.xml: {definition}.")


def _done(told: ReleaseTold) -> Iterator[Part]:
    done = [f"{kind.replace('_', ' ')}: {', '.join(names)}" for kind, names in told.operations.items() if names]
    done += [f"recoded by the treatment: {', '.join(told.recoded)}"] if told.recoded else []
    yield Details("What was done to the variables", done)
    for place, n in told.values_lost.items():
        yield Sentence(
            f"{place}: {things_told(n, 'value')} emptied: unreadable, or outside every band of the treatment."
        )
    yield from _on_dates(told)
    if told.rare_texts:
        named = [f"{one.column} {'fewer than 10' if one.cells is None else one.cells}" for one in told.rare_texts]
        yield Sentence(
            f"Emptied cells with a text of few people, or of a form that names somebody: {listed(named, 60)}. "
            f'{RARE_TEXTS} lists the texts, for you alone. Texts that name nobody may leave: "release": '
            f'{{"declared_texts": {{"{told.rare_texts[0].column}": "all", or a list of texts}}}}.',
            Style.NOTICE,
        )
    yield from told.labels.parts()
    if told.rare_terms:
        yield Sentence("Rare terms", Style.HEADING)
        yield from (Sentence(one.words()) for one in told.rare_terms)
        if told.people_without_quasi_identifiers != 0:
            hidden, people = count_in_sentence(told.people_without_quasi_identifiers), people_text(told.people)
            yield Sentence(
                f"{capitalised(hidden)} of {people} leave without quasi-identifiers, so that terms can stay."
            )


def _on_dates(told: ReleaseTold) -> Iterator[Part]:
    """How many partial dates moved, and how many times of day were removed."""
    if told.partial_dates:
        n, named = _together(told.partial_dates, "partial date"), listed(told.partial_dates, 20)
        yield Sentence(
            f"{n} moved as whole months or years: {named}. Intervals and orders of complete dates did not change."
        )
    if told.times_removed:
        n, named = _together(told.times_removed, "time"), listed(told.times_removed, 20)
        yield Sentence(f'{n} of day removed: {named}. To keep them: "release": {{"times": "keep"}}.')


def _together(counts: Mapping[str, int | None], noun: str) -> str:
    """How many things all variables have; masked where one of them is."""
    told = [n for n in counts.values() if n is not None]
    return capitalised(things_told(sum(told) if len(told) == len(counts) else None, noun))


def _searched(told: ReleaseTold) -> Iterator[Part]:
    yield Sentence("What was searched for in the package", Style.HEADING)
    yield from told.traces.parts()
    named = "".join(f"; {one.column} ({one.kind}, {one.certainty})" for one in told.identifiers)
    n_found = len(told.identifiers)
    yield Sentence(f"Columns that name people or that outsiders may know, by the scan of values: {n_found}{named}.")
    for sentence in not_scanned_in_words(told.not_scanned or ()):
        yield Sentence(sentence, Style.NOTICE)


def _found(told: ReleaseTold) -> Iterator[Part]:
    yield Sentence("What a recipient finds in it", Style.HEADING)
    yield Sentence("The package was merged again, as Create_Combined_Pilot_Dataset.py does it, and evaluated.")
    yield Table("Risk in the package", ("Model", "Promised", "Found"), _model_rows(told))
    yield AnswersGiven("of released/, by its quasi-identifiers", tuple(told.three_questions.values()), Where.TEXT)
    yield Sentence("What else the merged package tells", Style.HEADING, Where.TEXT)
    yield from (Sentence(sentence, where=Where.TEXT) for sentence in told.findings.words())
    if told.findings.attempts:
        columns = ("Hidden column", "Guessed by", "People", "Without the facts", "Not asked, because")
        yield Table("What was tried on each hidden column", columns, told.findings.attempts, range(2, 4))
    if told.longitudinal and told.longitudinal.known:
        yield from course_parts(told.longitudinal)
    elif told.longitudinal:
        lines = not_counted_in_words(told.longitudinal.not_counted)
        yield Sentence("What rows disclose beyond the quasi-identifiers: not counted.", Style.NOTICE, further=lines)
    else:
        yield Sentence(COURSES_NOT_LOOKED_AT, Style.NOTICE)
    if told.earlier_release:
        yield from told.earlier_release.parts()


def _model_rows(told: ReleaseTold) -> list[list[str]]:
    found = {(one.model, one.sensitive): one.text for one in told.as_a_recipient_finds_it}
    return [
        [
            f"{one.model.replace('_', '-')}{f' of {one.sensitive}' if one.sensitive else ''}",
            one.text,
            found.get((one.model, one.sensitive), "not in the package"),
        ]
        for one in told.as_promised
    ]
