"""Sections of the step ``risk`` that say why the risk is there, and who bears it."""

from __future__ import annotations

import numpy as np
import pandas as pd

from Anonymization_Models import EncodedColumn, bin_count_table, encode_column, number_groups
from disclosure_control import key_sets as keys_of_people
from disclosure_control.assessment import Assessment
from disclosure_control.intervals import wilson_interval
from disclosure_control.risk.scene import Scene, Section
from disclosure_control.special_uniques import special_uniques

SMALLEST_PRINTED_GROUP = 10
MOST_LISTED_CLASSES = 10_000
DIS_FRACTION = 0.01


def determined_by(scene: Scene) -> Section:
    found = {}
    for sensitive in scene.assessment.config.sensitive_features:
        names = scene.assessment.config.quasi_identifiers
        rates = [determination(scene.assessment, sensitive, i) for i in range(len(names))]
        found[sensitive] = sorted(rates, key=lambda entry: -entry["predicted_rate"])
    return Section({"determined_by": found})


def determination(assessment: Assessment, sensitive: str, i: int) -> dict:
    """How well quasi-identifier ``i`` alone tells a sensitive value: share of people guessed right by the commonest.

    ``predicted_rate`` and ``baseline_rate`` (guessing everybody's commonest value) are in [0, 1]; a predicted rate of 1
    means that the attribute determines the sensitive one. Larger is riskier. A missing quasi-identifier is a level.
    Source: Goodman and Kruskal 1954, doi:10.1080/01621459.1954.10501231 (the share behind lambda).
    """
    classes, table = assessment.classes, assessment.counts[sensitive].table
    n_values = max(len(table.values), 1)
    level = classes.class_codes[i][table.class_of_cell] + 1
    n_levels = len(classes.columns[i].labels) + 1
    pair, _ = number_groups(level * n_values + table.value_of_cell, n_levels * n_values)
    people = np.bincount(pair, table.people)
    level_of_pair = np.zeros(len(people), dtype=np.int64)
    level_of_pair[pair] = level
    commonest = np.zeros(n_levels)
    np.maximum.at(commonest, level_of_pair, people)
    total = float(table.people.sum())
    predicted = float(commonest.sum()) / total if total else 0.0
    return {
        "quasi_identifier": classes.quasi_identifiers[i],
        "predicted_rate": predicted,
        "baseline_rate": float(table.people_of_value.max(initial=0)) / total if total else 0.0,
        "determines": bool(total and predicted == 1.0),
    }


def key_sets(scene: Scene) -> Section:
    settings = scene.settings
    found = keys_of_people.key_sets(scene.classes, settings.max_key_set, settings.k_at_most, scene.policy)
    return Section({"key_sets": [_key_set(keys) for keys in found]})


def _key_set(keys: keys_of_people.KeySet) -> dict:
    return {
        "quasi_identifiers": list(keys.quasi_identifiers),
        "evaluated": keys.n_evaluated,
        "unique_rate": keys.unique_rate,
        "median_k": keys.median_k,
        "k_at_most_rate": keys.k_at_most_rate,
    }


def attribute_effects(scene: Scene) -> Section:
    effects = keys_of_people.attribute_effects(scene.classes, scene.settings.k_at_most, scene.policy)
    figures = [
        {
            "quasi_identifier": effect.quasi_identifier,
            "unique_rate_alone": effect.alone.unique_rate,
            "unique_rate_without": effect.without.unique_rate,
            "unique_rate_added": effect.unique_rate_added,
            "average_risk_added": effect.distinction_added,
            "k_at_most_rate_added": effect.k_at_most_rate_added,
        }
        for effect in effects
    ]
    return Section({"attribute_effects": figures})


def riskiest_classes(scene: Scene) -> Section:
    classes, k = scene.classes, scene.classes.frequency(scene.policy)
    below = np.flatnonzero(classes.evaluated(scene.policy) & (k < scene.assessment.config.K))
    listed = below[np.argsort(k[below], kind="stable")][:MOST_LISTED_CLASSES]
    columns = {
        name: _labels_of(column, codes[listed])
        for name, column, codes in zip(classes.quasi_identifiers, classes.columns, classes.class_codes, strict=True)
    }
    table = pd.DataFrame({**columns, "people": classes.size[listed], "k_count": k[listed]})
    figures = {
        "threshold": scene.assessment.config.K,
        "classes": len(below),
        "people": int(classes.size[below].sum()),
        "listed": len(listed),
    }
    return Section({"riskiest_classes": figures}, tables={"riskiest_classes.csv": table})


def _labels_of(column: EncodedColumn, codes: np.ndarray) -> np.ndarray:
    return np.append(column.labels.astype(object), None)[codes]


def small_levels(scene: Scene) -> Section:
    levels = keys_of_people.small_levels(scene.classes, scene.settings.small_level)
    columns = ("quasi_identifier", "label", "n_people")
    table = pd.DataFrame([[getattr(level, name) for name in columns] for level in levels], columns=columns)
    figures = {
        name: {"levels": int(chosen.sum()), "people": int(table["n_people"][chosen].sum())}
        for name in scene.classes.quasi_identifiers
        if (chosen := table["quasi_identifier"] == name).any()
    }
    at_most = {"at_most": scene.settings.small_level, "by_quasi_identifier": figures}
    return Section({"small_levels": at_most}, tables={"small_levels.csv": table})


def near_empty_bins(scene: Scene) -> Section:
    """Bins that hold fewer than K people, or none: the edges are the config's, so they may be named."""
    assessment, found = scene.assessment, []
    for name in assessment.binnings:
        if name in assessment.config.quasi_identifiers:
            i = assessment.config.quasi_identifiers.index(name)
            column, codes = scene.classes.columns[i], scene.classes.class_codes[i]
            labels = assessment.binned[name].cat.categories
            people_of = dict(zip(column.labels, _people_of_codes(codes, scene.classes.size, column), strict=True))
        else:
            edges = assessment.config.sensitive_binning[name]
            table, _ = bin_count_table(assessment.counts[name].table, name, edges, assessment.config.out_of_range)
            labels, people_of = table.values, dict(zip(table.values, table.people_of_value, strict=True))
        for label in labels:
            n_people = int(people_of.get(label, 0))
            is_tail = str(label)[:1] in "<>"  # nobody outside the edges is no bin that is empty
            if n_people < assessment.config.K and (n_people or not is_tail):
                found.append({"column": name, "bin": str(label), "empty": n_people == 0})
    return Section({"near_empty_bins": {"fewer_than": assessment.config.K, "bins": found}})


def _people_of_codes(codes: np.ndarray, size: np.ndarray, column: EncodedColumn) -> np.ndarray:
    present = codes >= 0
    return np.bincount(codes[present], size[present], len(column.labels))


def suda2(scene: Scene) -> Section:
    settings = scene.settings
    fraction = settings.dis_fraction or settings.sampling_fraction or DIS_FRACTION
    uniques = special_uniques(scene.classes, settings.max_key_set, dis_fraction=fraction)
    figures = {
        "special_uniques": uniques.n_special_uniques,
        "total_score": uniques.total_score,
        "highest_score": float(uniques.score_of_class.max(initial=0.0)),
        "highest_dis_score": float(np.nan_to_num(uniques.dis_score_of_class).max(initial=0.0)),
        "dis_fraction": fraction,
        "contribution_rates": uniques.contribution_rates,
    }

    def per_record() -> dict[str, np.ndarray]:
        contributions = dict(zip(uniques.quasi_identifiers, uniques.contribution.T, strict=True))
        return {
            "suda2_score": uniques.scores,
            "dis_score": uniques.dis_scores,
            "minimal_unique_sets": uniques.n_minimal_uniques,
            "smallest_unique_set": uniques.smallest_sizes,
            **{f"suda2 share of {name}": share for name, share in contributions.items()},
        }

    return Section({"suda2": figures}, per_record)


# ---------------------------------------------------------------- who


def by_group(scene: Scene) -> Section:
    assessment, groups = scene.assessment, {}
    result, names = assessment.k_anonymity, assessment.config.quasi_identifiers
    for name in scene.settings.groups if scene.settings.groups is not None else names:
        known = name in names
        column = scene.classes.columns[names.index(name)] if known else encode_column(scene.table[name])
        n_levels = len(column.labels) + 1
        code = (column.codes.astype(np.int64) + 1)[result.evaluated]
        people = np.bincount(code, minlength=n_levels)
        risky = np.bincount(code, result.risky[result.evaluated], n_levels).astype(np.int64)
        groups[name] = _printable_groups(("missing", *column.labels), people, risky)
    return Section({"by_group": groups})


def _printable_groups(labels: tuple, people: np.ndarray, risky: np.ndarray) -> list[dict]:
    """Groups of at least ten people by name; the smaller ones are one group, if that is large enough."""
    small = (people > 0) & (people < SMALLEST_PRINTED_GROUP)
    entries = [
        _group(str(labels[level]), int(people[level]), int(risky[level]))
        for level in np.flatnonzero((people > 0) & ~small)
    ]
    n_small = int(people[small].sum())
    if n_small >= SMALLEST_PRINTED_GROUP:
        entries.append(_group("(smaller groups together)", n_small, int(risky[small].sum())))
    elif n_small:
        entries.append({"group": f"(fewer than {SMALLEST_PRINTED_GROUP} people)"})
    return entries


def _group(name: str, n: int, n_risky: int) -> dict:
    low, high = wilson_interval(n_risky, n)
    return {"group": name, "people": n, "risky": n_risky, "risky_rate": n_risky / n, "low": low, "high": high}
