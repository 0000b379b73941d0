"""The report of the step ``linkage_attack``: who could be found, compared with guessing and with a control group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from disclosure_control.analyses.linkage_attack import OUTLINES
from disclosure_control.analyses.linkage_attack.rates import Rate
from disclosure_control.analyses.linkage_attack.told import AttacksTold, ReleaseAttacked
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
from disclosure_control.basics.telling.small_counts import MASKED_CELL
from disclosure_control.basics.telling.words import capitalised, share_text

METHODS = {"exact": "by equal values", "generalised": "by values and intervals that fit"}
INTERVALS = "Interval disclosure"
NO_CLAIM_CHECKED = (
    "Nobody can tell whether a match is right: no column of the table holds the USUBJID (key truth). Matches are "
    "claimed ones."
)


def attack_sections(told: AttacksTold) -> tuple[Section, ...]:
    """Each attack beside guessing and, where there is one, the control group; no person and no value."""
    parts = tuple(_parts(told))
    title = "Attacks with records of outsiders (step linkage_attack), beside guessing and a control group"
    masked = told.masked()
    drawn = Section(ADVERSARIAL, "", tuple(_drawing(masked)))
    return (OUTLINES[0].section(parts), in_chapter(ADVERSARIAL, title, tuple(_parts(masked))), drawn)


def _parts(told: AttacksTold) -> Iterator[Part]:
    yield Sentence(
        "An attacker guesses who is who, or what is true of whom. What counts is whether this beats guessing.",
        Style.DEFINITION,
    )
    releases, identified = told.releases, told.identified
    if identified:
        yield Sentence(f"Identified table: {identified.people} people.")
        yield Sentence(
            f"In the pilot: {identified.in_pilot}; not in it (control group): {identified.control}."
            if identified.truth_known
            else NO_CLAIM_CHECKED
        )
    columns = ("Release", "Attack", "Right", "Share", "Guessing", "Control group", "Beats guessing")
    rows = [[release, *row] for release, found in releases.items() for row in _attacks(found)]
    yield Table("Attacks", columns, rows, numbers=(2,))
    yield Sentence(
        "Right: how many of the attacker's guesses are right. Guessing: the share that chance gets right. Control "
        'group: the share among people who are not in the pilot. "-": there is nothing fair to compare with.',
        Style.SMALL,
    )
    if identified:
        yield from _linkage(releases, identified.truth_known)
    removed = [f"{name}: {found.removed}" for name, found in releases.items() if found.removed]
    if removed:
        yield Sentence(f"Records of the pilot that are not in the release: {'; '.join(removed)}.")
    for note in told.notes:
        yield Sentence(capitalised(note), Style.POINT)
    if identified:
        yield Sentence("Who was matched: linkage_matches.csv, for the controller alone.")
    yield Sentence("Another attack may find what these did not, so this does not prove anonymity.", Style.SMALL)


def _drawing(told: AttacksTold) -> Iterator[Figure]:
    """The share of right guesses of each attack with its interval, by release."""
    bars = [
        RateWithInterval(f"{release}: {name}", rate.rate, *rate.interval, rate.share)
        for release, found in told.releases.items()
        for name, rate in _rates(found)
        if rate.rate is not None and rate.interval is not None and rate.share != MASKED_CELL
    ]
    if bars:
        described = "; ".join(f"{bar.label}: {bar.text}" for bar in bars)
        drawing = interval_chart("Right guesses of each attack", described, bars)
        yield Figure(drawing, "A dot on the line of its interval of 95%.", Where.EVIDENCE)


def _rates(found: ReleaseAttacked) -> Iterator[tuple[str, Rate]]:
    """How often each attack is right, by its name, where that is known."""
    for method, one in found.linkage.methods.items() if found.linkage else ():
        if one.pairs:
            yield f"Linkage, {METHODS.get(method, method)}", one.pairs.attack
    for name, attack in (found.interval_disclosure or {}).items():
        yield f"{INTERVALS}, {name}", attack.rates.attack


def _attacks(found: ReleaseAttacked) -> Iterator[list[str]]:
    """Every attack on a release: linkage by its methods, then the others by their kinds."""
    for method, one in found.linkage.methods.items() if found.linkage else ():
        name = f"Linkage: unique pairs, {METHODS.get(method, method)}"
        if one.pairs:
            yield [name, *one.pairs.cells()]
        else:
            yield [f"{name}, claimed", *one.claims.cells(), "-", "-", "-"]
    for name, attack in (found.interval_disclosure or {}).items():
        yield [f"{INTERVALS}, {name}", *attack.rates.cells()]


def _linkage(releases: Mapping[str, ReleaseAttacked], truth_known: bool) -> Iterator[Part]:
    methods = [
        (release, method, found)
        for release, attacked in releases.items()
        if attacked.linkage
        for method, found in attacked.linkage.methods.items()
    ]
    if not methods:
        return
    if truth_known:
        rows = [
            [release, method, found.claims.hits_text, found.guesses.attack.share, found.guesses.baseline.share]
            for release, method, found in methods
            if found.guesses
        ]
        columns = ("Release", "Method", "Named", "Right by one guess", "Guessing")
        yield Table(
            "Linkage: people for whom one record alone fits, and one guess among the records that fit",
            columns,
            rows,
            range(2, 5),
            Where.TEXT,
        )
    levels = [
        [
            release,
            method,
            level.n_attributes,
            level.n_sets,
            share_text(level.mean_rate),
            share_text(level.best_rate),
            ", ".join(level.best) if level.best_rate else "-",
        ]
        for release, method, found in methods
        for level in found.by_knowledge
    ]
    if not levels:
        return
    what = "named rightly" if truth_known else "for whom a record is named"
    of_levels = ("Release", "Method", "Attributes", "Sets", "Mean", "Best", "Best set")
    yield Table(f"Linkage by how much is known: share of people {what}", of_levels, levels, range(2, 6), Where.TEXT)
