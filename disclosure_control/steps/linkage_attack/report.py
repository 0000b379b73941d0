"""The section of the report on attacks: who could be found, against guessing and against people who are not there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from disclosure_control.basics.telling.words import interval_text, share_text, text_table
from disclosure_control.steps.linkage_attack.attacks import ATTACKS

RATES = ["Attack", "Guessing", "Control group", "Beats guessing"]


def attack_report(figures: Mapping) -> str:
    """The section as text, of the figures of the JSON summary; no person and no value in it."""
    releases = figures["releases"]
    lines = ["Attacks on the release"]
    if "identified" in figures:
        lines += _who(figures["identified"])
        linkage = {name: found["linkage"] for name, found in releases.items()}
        lines += _linkage(linkage, figures["identified"]["truth_known"])
    for part, kind in ATTACKS.items():
        rows = [
            [release, name, *_rates(found)]
            for release, all_of in releases.items()
            for name, found in all_of.get(part, {}).items()
        ]
        if rows:
            lines += ["", kind.title, text_table(["Release", "", *RATES], rows)]
    removed = [f"{name}: {found['removed']}" for name, found in releases.items() if found["removed"]]
    if removed:
        lines.append(f"  Records of the pilot that are not in the release: {'; '.join(removed)}.")
    lines += [f"  {note}" for note in figures["notes"]]
    if "identified" in figures:
        lines.append("  Who was matched: linkage_matches.csv, for the controller alone.")
    lines.append("  What these attacks do not find another one may: this is no finding of anonymity.")
    return "\n".join(lines) + "\n"


def notes_on_control(attacks: Sequence[str], has_control: bool) -> list[str]:
    """Whether a control group is missing, or of no use; ``attacks`` are those that would use it."""
    if attacks and not has_control:
        return [
            f"{_listed(attacks)}: no control group; name a file of people who are not in the pilot under control to "
            "see what is knowledge about the population alone."
        ]
    if has_control and not attacks:
        return [f"control: no use of the file; it is for {_listed(ATTACKS)} alone."]
    return []


def _listed(names: Iterable[str]) -> str:
    return ", ".join(name.replace("_", " ") for name in names)


def _who(people: Mapping) -> list[str]:
    lines = [f"  Identified table: {people['people']} people, {people['attacked']} of them attacked."]
    if people["truth_known"]:
        lines.append(f"  In the pilot: {people['in_pilot']}; not in it (control group): {people['control']}.")
    else:
        lines.append(
            "  Nobody can tell whether a match is right: no column of the table holds the USUBJID (key truth). Matches "
            "are claimed ones."
        )
    return lines


def _linkage(linkage: Mapping, truth_known: bool) -> list[str]:
    methods = [
        (release, method, found) for release, all_of in linkage.items() for method, found in all_of["methods"].items()
    ]
    if not methods:
        return []
    lines = []
    if truth_known:
        rows = [
            [release, method, found["claims"]["hits"], found["pairs"]["attack"]["hits"], *_rates(found["pairs"])]
            for release, method, found in methods
        ]
        lines += [
            "",
            "Linkage: unique pairs of a person and a record",
            text_table(["Release", "Method", "Named", "Right", *RATES], rows),
        ]
        lines.append("  Attack: people of the pilot named rightly. Guessing: a record at random for each of them.")
        lines.append(
            "  Control group: people outside the pilot for whom a record is named all the same, always wrongly."
        )
        rows = [[release, method, *_rates(found["guesses"])[:2]] for release, method, found in methods]
        lines += ["", "Linkage: one guess among the records that fit, by who knows that the person takes part"]
        lines.append(text_table(["Release", "Method", *RATES[:2]], rows))
    else:
        rows = [
            [release, method, found["claims"]["hits"], _share(found["claims"])] for release, method, found in methods
        ]
        lines += [
            "",
            "Linkage: claimed unique pairs",
            text_table(["Release", "Method", "Named", "Share of the attacked"], rows),
        ]
    rows = [
        [
            release,
            method,
            level["n_attributes"],
            level["n_sets"],
            share_text(level["mean_rate"]),
            share_text(level["best_rate"]),
            ", ".join(level["best"]) if level["best_rate"] else "-",
        ]
        for release, method, found in methods
        for level in found["by_knowledge"]
    ]
    what = "named rightly" if truth_known else "for whom a record is named"
    lines += ["", f"Linkage by how much is known: share of people {what}"]
    lines.append(text_table(["Release", "Method", "Attributes", "Sets", "Mean", "Best", "Best set"], rows))
    return lines


def _rates(found: Mapping) -> list[str]:
    verdict = {True: "yes", False: "no", None: "-"}[found["beats_baseline"]]
    control = "none" if found["control"] is None else _share(found["control"])
    return [_share(found["attack"]), _share(found["baseline"]), control, verdict]


def _share(rate: Mapping) -> str:
    return "-" if rate["rate"] is None else f"{share_text(rate['rate'])} ({interval_text(rate['low'], rate['high'])})"
