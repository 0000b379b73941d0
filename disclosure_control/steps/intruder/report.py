"""The report of the step ``intruder``, and the protocol that the intruder works by; neither names anybody."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from disclosure_control.basics.telling.plain import WHERE_FOUND
from disclosure_control.basics.telling.sections import ADVERSARIAL, Part, Section, Sentence, Style, in_chapter
from disclosure_control.basics.telling.words import counted, interval_text, share_text
from disclosure_control.steps.intruder import OUTLINES
from disclosure_control.steps.intruder.settings import IntruderSettings

NOTHING = (
    "No study was released in this run, so there is nobody to look for: the config needs a release that is written."
)
SOURCE = (
    "Source: Information Commissioner's Office, guidance on anonymisation (2025), motivated intruder test; ISO/IEC "
    "27559, adversarial testing."
)
PROTOCOL = """\
A motivated intruder test of {pilot}

What you are given: {about}, with its README and codebook, and intruder_form.csv with {cases} numbered cases.
A case is one person of these data, by the id that the data have.

What you try: find out who each person is. Write a name into the form only where you would act on it; how sure
you are, in percent; which sources led you there; and how many minutes it took. Leave a case empty where you
cannot tell.

What you may use: {may_use}.
What you may not use: anything from inside the organisation, prior knowledge of a person in the data, deceit,
contact with the people or their families, and anything that the law forbids.
Time: {hours} hours in all.

Afterwards: hand the form to the custodian and to nobody else, and delete your notes and the data. The custodian
compares your names with the cases and reports two numbers: how many cases were named, and how many names were right.

For the custodian: intruder_cases.csv has how each case was drawn, and how many people of the release are alike. Who is
behind an id, python -m disclosure_control.reidentify finds. The result belongs into the config:
"intruder": {{"cases": {cases}, "result": {{"named": ..., "right": ..., "by": "...", "on": "..."}}}}
"""


@dataclass(frozen=True)
class CasesDrawn:
    """The part ``intruder`` of the JSON summary: numbers of cases, and no person.

    ``about``: what leaves, "" for nothing. ``right_rate`` in [0, 1], higher is riskier, with its interval of 95%, None
    where few names were right: whoever gave them would know that they are;
    ``average_risk``: the share that guessing within the class gets right, over all people.
    """

    about: str
    cases: int
    with_fewest_alike: int
    somebody_named: bool | None = field(default=None, metadata=WHERE_FOUND)
    right_rate: float | None = field(default=None, metadata=WHERE_FOUND)
    right_between: tuple[float, float] | None = field(default=None, metadata=WHERE_FOUND)
    average_risk: float | None = None


def intruder_sections(told: CasesDrawn, settings: IntruderSettings) -> tuple[Section, ...]:
    """What was drawn, what came back, and what is still to be done."""
    parts = tuple(_parts(told, settings))
    title = "A motivated intruder: a person with sources that are open to anybody"
    return (OUTLINES[0].section(parts), in_chapter(ADVERSARIAL, title, parts))


def _parts(told: CasesDrawn, settings: IntruderSettings) -> Iterator[Part]:
    if not told.about:
        yield Sentence(NOTHING, Style.NOTICE)
        return
    result = settings.result
    yield Sentence(
        f"{counted(told.cases, 'case')} of {told.about}: {told.with_fewest_alike} people with the fewest others alike, "
        f"{told.cases - told.with_fewest_alike} drawn at random. The intruder may use {settings.may_use}, for "
        f"{counted(settings.hours, 'hour')}."
    )
    if result is None:
        yield Sentence(
            "Nobody has tried yet. Hand over what leaves with intruder_protocol.txt and intruder_form.csv; "
            "intruder_cases.csv stays with the custodian. The result belongs into the config, under intruder, result.",
            Style.NOTICE,
        )
    elif told.somebody_named is not None:
        guessing = "" if told.average_risk is None else f" Guessing within a class: {share_text(told.average_risk)}."
        yield Sentence(
            f"Tried by {result.by}, until {result.on}: {result.named} of {told.cases} cases were named, "
            f"{_rightly(told, result.right)}.{guessing}"
        )
    yield Sentence(SOURCE, Style.SMALL)


def _rightly(told: CasesDrawn, n_right: int) -> str:
    if told.right_rate is None or told.right_between is None:
        return "at least one and fewer than 10 of them rightly"
    share, between = share_text(told.right_rate), interval_text(*told.right_between)
    return f"{n_right} rightly: {share} of the cases ({between})"


def protocol(pilot: str, told: CasesDrawn, settings: IntruderSettings) -> str:
    """The protocol as text."""
    return PROTOCOL.format(
        pilot=pilot, about=told.about, cases=told.cases, may_use=settings.may_use, hours=settings.hours
    )
