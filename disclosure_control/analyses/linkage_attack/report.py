"""The report of the step ``linkage_attack``: who could be found, compared with guessing and with a control group."""

from __future__ import annotations

from collections.abc import Iterator

from disclosure_control.analyses.linkage_attack import OUTLINES
from disclosure_control.analyses.linkage_attack.told import AttacksTold, MethodTold
from disclosure_control.basics.drawings.rows import RateWithInterval, interval_chart
from disclosure_control.basics.telling.sections import (
    ADVERSARIAL,
    Figure,
    Part,
    Section,
    Sentence,
    Style,
    Table,
    Where,
    in_chapter,
)
from disclosure_control.basics.telling.small_counts import count_text
from disclosure_control.basics.telling.words import capitalised

METHODS = {"exact": "by equal values", "generalised": "by values and intervals that fit"}
NO_CLAIM_CHECKED = (
    "Nobody can tell whether a match is right: no column of the table holds the USUBJID (key truth). Matches are "
    "claimed ones."
)


def attack_sections(told: AttacksTold) -> tuple[Section, ...]:
    """Each attack beside guessing and, where there is one, the control group; no person and no value."""
    parts = tuple(_parts(told))
    title = "Attacks with records of outsiders (step linkage_attack), beside guessing and a control group"
    drawn = Section(ADVERSARIAL, "", tuple(_drawing(told)))
    return (OUTLINES[0].section(parts), in_chapter(ADVERSARIAL, title, parts), drawn)


def _parts(told: AttacksTold) -> Iterator[Part]:
    yield Sentence("An attacker guesses who is who. What counts is whether this beats guessing.", Style.DEFINITION)
    identified = told.identified
    yield Sentence(f"Identified table: {identified.people} people.")
    yield Sentence(
        f"In the pilot: {count_text(identified.in_pilot)}; not in it (control group): {count_text(identified.control)}."
        if identified.truth_known
        else NO_CLAIM_CHECKED
    )
    columns = ("Release", "Attack", "Right", "Share", "Guessing", "Control group", "Beats guessing")
    yield Table("Attacks", columns, [_row(*one) for one in _found(told)], numbers=(2,))
    yield Sentence(
        "Right: how many of the attacker's guesses are right. Guessing: the share that chance gets right. Control "
        'group: the share among people who are not in the pilot. "-": there is nothing fair to compare with.',
        Style.SMALL,
    )
    rows = [
        [release, method, one.claims.hits_text, one.guesses.attack.share, one.guesses.baseline.share]
        for release, method, one in _found(told)
        if one.guesses
    ]
    if rows:
        title = "Linkage: people for whom one record alone fits, and one guess among the records that fit"
        of_guesses = ("Release", "Method", "Named", "Right by one guess", "Guessing")
        yield Table(title, of_guesses, rows, range(2, 5), Where.TEXT)
    removed = [f"{name}: {found.removed}" for name, found in told.releases.items() if found.removed]
    if removed:
        yield Sentence(f"Records of the pilot that are not in the release: {'; '.join(removed)}.")
    for note in told.notes:
        yield Sentence(capitalised(note), Style.POINT)
    yield Sentence("Who was matched: linkage_matches.csv, for the controller alone.")
    yield Sentence("Another attack may find what these did not, so this does not prove anonymity.", Style.SMALL)


def _found(told: AttacksTold) -> list[tuple[str, str, MethodTold]]:
    """Each attack with its release and method."""
    return [
        (release, method, one)
        for release, attacked in told.releases.items()
        for method, one in attacked.methods.items()
    ]


def _row(release: str, method: str, found: MethodTold) -> list[str]:
    name = f"Linkage: unique pairs, {METHODS[method]}"
    if found.pairs:
        return [release, name, *found.pairs.cells()]
    return [release, f"{name}, claimed", *found.claims.cells(), "-", "-", "-"]


def _drawing(told: AttacksTold) -> Iterator[Figure]:
    """The share of right guesses of each attack with its interval, by release."""
    rates = [(f"{release}: {METHODS[method]}", one.pairs.attack) for release, method, one in _found(told) if one.pairs]
    bars = [
        RateWithInterval(name, rate.rate, *rate.interval, rate.share)
        for name, rate in rates
        if rate.rate is not None and rate.interval is not None and rate.is_told
    ]
    if bars:
        described = "; ".join(f"{bar.label}: {bar.text}" for bar in bars)
        drawing = interval_chart("Right guesses of each attack", described, bars)
        yield Figure(drawing, "A dot on the line of its interval of 95%.", Where.EVIDENCE)
