"""The step ``risk`` in words: the three questions for the first lines, and the section of the text report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from disclosure_control.basics.words import interval_text, share_text, text_table
from disclosure_control.measures.reidentification import INTRUDERS
from disclosure_control.steps.risk.questions import Answer

MOST_KEY_SETS = 10


def first_lines(answers: Mapping[str, Answer]) -> str:
    """What a controller reads first."""
    width = max(len(answer.question) for answer in answers.values())
    lines = ["Three questions (WP216)"]
    lines += [f"  {answer.question:<{width}}  {answer.sentence}" for answer in answers.values()]
    return "\n".join(lines) + "\n"


def risk_report(figures: Mapping, for_screen: bool = False) -> str:
    """The section of the text report.

    ``for_screen`` leaves out who bears the risk: names of groups are values of people and belong into files alone.
    """
    lines = ["Risk beyond k, l and t"]
    for name, write in _WRITERS.items():
        if for_screen and name == "near_empty_bins" and figures.get(name):
            n_bins = len(figures[name]["bins"])
            lines += ["", f"Bins with fewer than {figures[name]['fewer_than']} people: {n_bins}, see the summary."]
        elif name in figures:
            written = list(write(figures[name])) if name != "prosecutor" else list(_intruders(figures))
            lines += ["", *written] if written else []
    groups = figures.get("by_group", {})
    if groups:
        lines += ["", "Who bears the risk, by group: see the summary."] if for_screen else ["", *_by_group(groups)]
    for section, reason in figures.get("not_computed", {}).items():
        lines += ["", f"Not computed: {section} {reason}."]
    return "\n".join(lines) + "\n"


def _number(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or "-"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _intruders(figures: Mapping) -> Iterator[str]:
    rows = [
        [
            name,
            share_text(risk["highest"]),
            share_text(risk["average"]),
            share_text(risk["at_risk_rate"]),
            f"{risk['threshold']:g}",
        ]
        for name, risk in ((name, figures[name]) for name in INTRUDERS)
    ]
    yield text_table(["Intruder", "Highest", "Average", "At risk", "Threshold"], rows)
    if "population" in figures:
        population = figures["population"]
        yield (
            f"  The population {population['file']} has {population['people']:,} people, of whom "
            f"{population['in_a_class_of_the_pilot']:,} are in a class of the pilot. "
            f"{population['counted_as_in_the_pilot']:,} people of the pilot have nobody like them there, for lack of a "
            "value, and count as if the pilot were the population."
        )
        yield from (f"  {population['file']}: {note}" for note in population["notes"])


def _sampling(sampling: Mapping) -> Iterator[str]:
    risks = {f"individual, {method} form": risk for method, risk in sampling["individual"].items()}
    risks |= {"household": sampling["household"]} if "household" in sampling else {}
    rows = [
        [
            name,
            _number(risk["expected_reidentifications"]),
            share_text(risk["global_risk"]),
            share_text(risk["highest"]),
        ]
        for name, risk in risks.items()
    ]
    yield "Risk under the sampling weights"
    yield text_table(["Risk", "Expected re-identifications", "Average", "Highest"], rows)
    if sampling["weights_below_one"]:
        yield (
            f"  {sampling['weights_below_one']:,} records have a weight below 1, which stands for less than the person "
            "itself; a class counts at least its own people. Are these weights normalised?"
        )


def _population_uniqueness(estimates: Mapping) -> Iterator[str]:
    yield "Estimated population uniques"
    rows = []
    for name, one in estimates.items():
        taken = f"dankar (takes {one['estimator']})" if name == "dankar" else name
        rows.append([taken, _number(one["population_uniques"]), share_text(one["rate"]), one["reason"] or ""])
    yield text_table(["Estimator", "People", "Share of the population", ""], rows)


def _presets(verdicts: Mapping) -> Iterator[str]:
    yield "Published thresholds"
    for verdict in verdicts.values():
        yield f"  {verdict['sentence']} Source: {verdict['source']}."


def _safe_harbour(checks: Mapping) -> Iterator[str]:
    yield "HIPAA safe harbour"
    for check in checks.values():
        kinds = ", ".join(f"{kind}: {n}" for kind, n in check["by_kind"].items() if n) or "none"
        texts = f"{check['texts']} are text, for you to judge. " if check["texts"] else ""
        texts = f"{check['texts']} are text, for you to judge. " if check["texts"] else ""
        yield f"  {check['column']}: {check['checked']} values checked, breaches: {kinds}. {texts}{check['sentence']}"


def _models(models: Mapping) -> Iterator[str]:
    rows, lacking = [], []
    for name, entry in models.items():
        by_feature = entry if all(isinstance(one, Mapping) for one in entry.values()) else {"": entry}
        for sensitive, one in by_feature.items():
            if "not_computed" in one:
                lacking.append(f"  Not computed: {name}, {one['not_computed']}.")
                continue
            given = ", ".join(f"{key}={value}" for key, value in one.get("parameters", {}).items() if key == "c")
            judged = [_number(one.get("threshold")), share_text(one.get("risky_rate"))]
            title = f"{name} ({given})" if given else name
            counted = [one["evaluated"], one["not_evaluated"]]
            rows.append([title, sensitive, _number(one["worst"]), one["riskier"], *judged, *counted])
    yield "Models, on sensitive values as they are, not binned; people whose class holds no value are not evaluated"
    headers = ["Model", "Sensitive feature", "Worst", "Riskier if", "Threshold", "Risky", "Evaluated", "Not evaluated"]
    yield text_table(headers, rows)
    yield from lacking


def _determined_by(features: Mapping) -> Iterator[str]:
    for sensitive, entries in features.items():
        fully = [entry["attribute"] for entry in entries if entry["determines"]]
        nearly = [
            f"{entry['attribute']} ({share_text(entry['predicted_rate'])})" for entry in entries if entry["nearly"]
        ]
        if fully:
            yield f"Inference: {sensitive} of everybody is told by any one of: {', '.join(fully)}."
        if nearly:
            yield f"Inference: {sensitive} of nearly everybody is told by any one of: {', '.join(nearly)}."
        if entries and not fully and not nearly:
            best = entries[0]
            yield (
                f"Inference: {best['attribute']} alone tells {sensitive} of {share_text(best['predicted_rate'])} "
                f"of the people; guessing without it tells {share_text(best['baseline_rate'])}."
            )


def _key_sets(found: list[Mapping]) -> Iterator[str]:
    riskiest = sorted(found, key=_most_at_risk_first)[:MOST_KEY_SETS]
    yield f"Riskiest combinations of quasi-identifiers ({len(riskiest)} of {len(found)})"
    rows = []
    for keys in riskiest:
        at_most = [share_text(rate) for rate in keys["k_at_most_rate"].values()]
        names = " + ".join(keys["quasi_identifiers"])
        rows.append([names, share_text(keys["unique_rate"]), _number(keys["median_k"]), *at_most])
    thresholds = [f"k <= {k}" for k in (found[0]["k_at_most_rate"] if found else ())]
    yield text_table(["Known", "Unique", "Median k", *thresholds], rows)


def _most_at_risk_first(keys: Mapping) -> tuple:
    rates = (keys["unique_rate"], *keys["k_at_most_rate"].values())
    return (*(-(rate or 0.0) for rate in rates), keys["median_k"] or 0.0)


def _attribute_effects(effects: list[Mapping]) -> Iterator[str]:
    yield "What each quasi-identifier adds: people who are alone, with it by itself, and without it"
    shown = ("unique_rate_alone", "unique_rate_without", "unique_rate_added")
    rows = [[effect["quasi_identifier"], *(share_text(effect[name]) for name in shown)] for effect in effects]
    yield text_table(["Quasi-identifier", "Unique by it alone", "Unique without it", "Added by it"], rows)


def _riskiest_classes(riskiest: Mapping) -> Iterator[str]:
    yield (
        f"Riskiest classes: {riskiest['classes']} classes of fewer than {riskiest['threshold']} people hold "
        f"{riskiest['people']} people; {riskiest['listed']} are listed in riskiest_classes.csv."
    )


def _small_levels(levels: Mapping) -> Iterator[str]:
    words = [
        f"{name}: values {one['levels']}, people {one['people']}" for name, one in levels["by_quasi_identifier"].items()
    ]
    yield f"Values that at most {levels['at_most']} people have (listed in small_levels.csv): " + (
        "; ".join(words) or "none"
    )


def _near_empty_bins(found: Mapping) -> Iterator[str]:
    words = [f"{one['column']} {one['bin']}{' (empty)' if one['empty'] else ''}" for one in found["bins"]]
    yield f"Bins with fewer than {found['fewer_than']} people: " + (", ".join(words) or "none")


def _suda2(uniques: Mapping) -> Iterator[str]:
    yield (
        f"Special uniques (SUDA2): {uniques['special_uniques']} people are singled out by few attributes; highest DIS "
        f"score {_number(uniques['highest_dis_score'])}, where the pilot is {share_text(uniques['dis_fraction'])} of "
        "the population."
    )
    rows = [[name, share_text(rate)] for name, rate in uniques["contribution_rates"].items()]
    yield text_table(["Quasi-identifier", "Share of the score"], rows)


def _by_group(groups: Mapping) -> Iterator[str]:
    yield "Who bears the risk (k)"
    rows = [
        [name, group["group"], *(_figures_of(group) if "people" in group else "----")]
        for name, entries in groups.items()
        for group in entries
    ]
    yield text_table(["Column", "Group", "People", "Risky", "Share", "95%"], rows)


def _figures_of(group: Mapping) -> list:
    interval = interval_text(group["low"], group["high"])
    return [group["people"], group["risky"], share_text(group["risky_rate"]), interval]


# In the order of the report; the intruders are written from the figures of all three.
_WRITERS: dict[str, Callable[..., Iterator[str]]] = {
    "prosecutor": _intruders,
    "sampling": _sampling,
    "population_uniqueness": _population_uniqueness,
    "presets": _presets,
    "safe_harbour": _safe_harbour,
    "models": _models,
    "determined_by": _determined_by,
    "key_sets": _key_sets,
    "attribute_effects": _attribute_effects,
    "riskiest_classes": _riskiest_classes,
    "small_levels": _small_levels,
    "near_empty_bins": _near_empty_bins,
    "suda2": _suda2,
}
