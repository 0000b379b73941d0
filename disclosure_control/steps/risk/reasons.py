"""Sections of the step ``risk`` that say why the risk is there, and who bears it."""

from __future__ import annotations

import numpy as np
import pandas as pd

from Anonymization_Models import bin_count_table
from disclosure_control.assess.assessment import Assessment
from disclosure_control.assess.combined_dataset import SUBJECT_COLUMN
from disclosure_control.basics.columns import EncodedColumn, encode_column
from disclosure_control.basics.small_groups import shares_by_group
from disclosure_control.measures import key_sets as keys_of_people
from disclosure_control.measures import small_levels as levels_of_few
from disclosure_control.measures.determination import n_commonest, n_guessed_right
from disclosure_control.measures.special_uniques import special_uniques
from disclosure_control.steps.risk.scene import Scene, Section

NEARLY = 0.9
PEOPLE_PER_LEVEL = 5
MOST_ATTRIBUTES = 50
MOST_LISTED_CLASSES = 10_000
DIS_FRACTION = 0.01


def determined_by(scene: Scene) -> Section:
    """Every column of the dataset is looked at, but for those whose values are nearly as many as the people."""
    found, n_too_many = {}, 0
    for sensitive in scene.assessment.config.sensitive_features:
        found[sensitive], n_too_many = determinations(scene.assessment, sensitive, scene.table)
    return Section({"determined_by": found, "determined_by_not_looked_at": n_too_many})


def determinations(assessment: Assessment, sensitive: str, table: pd.DataFrame) -> tuple[list[dict], int]:
    """How well each attribute alone tells a sensitive value; and how many columns were not looked at.

    For each attribute the share of evaluated people guessed right by the commonest value of its level,
    ``predicted_rate``, beside ``baseline_rate``, guessing everybody's commonest value: both in [0, 1], larger is
    riskier. ``determines``: it tells everybody's value; ``nearly``: at least ``NEARLY`` of what guessing leaves open. A
    missing value is a level. All quasi-identifiers are listed, and the others that tell more than guessing; the best
    come first. Columns with fewer than ``PEOPLE_PER_LEVEL`` people to a level tell them by chance and are left out.
    """
    classes, config = assessment.classes, assessment.config
    counted, evaluated = assessment.counts[sensitive], classes.evaluated(config.missing_qis)
    cells, n_values = np.flatnonzero(evaluated[counted.table.class_of_cell]), max(len(counted.table.values), 1)
    class_of_cell, value_of_cell = counted.table.class_of_cell[cells], counted.table.value_of_cell[cells]
    people = counted.table.people[cells]
    n, baseline = int(people.sum()), n_commonest(value_of_cell, people)
    looked_at = counted.has_value & evaluated[classes.class_of_record]
    values = counted.codes[looked_at]
    entries, n_too_many = [], 0
    for name in dict.fromkeys([*config.quasi_identifiers, *table.columns]):
        if name in (sensitive, SUBJECT_COLUMN):
            continue
        is_qi = name in config.quasi_identifiers
        if is_qi:  # its people are counted already
            i = config.quasi_identifiers.index(name)
            level, n_levels = classes.class_codes[i][class_of_cell] + 1, len(classes.columns[i].labels) + 1
            n_right = n_guessed_right(level, value_of_cell, n_levels, n_values, people)
        else:
            column = encode_column(table[name])
            n_levels = len(column.labels) + 1
            if n_levels == 2 or n_levels * PEOPLE_PER_LEVEL > n:
                n_too_many += n_levels > 2
                continue
            n_right = n_guessed_right(column.codes[looked_at] + 1, values, n_levels, n_values)
        if is_qi or n_right > baseline:
            entries.append(_determination(name, is_qi, n_right, baseline, n))
    return sorted(entries, key=lambda entry: -entry["predicted_rate"])[:MOST_ATTRIBUTES], n_too_many


def _determination(name: str, is_qi: bool, n_right: int, baseline: int, n: int) -> dict:
    open_after_guessing = n - baseline
    return {
        "attribute": name,
        "is_quasi_identifier": is_qi,
        "predicted_rate": n_right / n if n else 0.0,
        "baseline_rate": baseline / n if n else 0.0,
        "determines": bool(open_after_guessing and n_right == n),
        "nearly": bool(open_after_guessing and n > n_right >= baseline + NEARLY * open_after_guessing),
    }


def key_sets(scene: Scene) -> Section:
    settings, found = scene.settings, list(scene.key_sets)
    if settings.max_key_set < len(scene.classes.quasi_identifiers):
        names = scene.classes.quasi_identifiers
        found.append(keys_of_people.key_set(scene.classes, names, settings.k_at_most, scene.policy))
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
    settings = scene.settings
    known = scene.key_sets if "key_sets" in settings.sections else ()
    effects = keys_of_people.attribute_effects(scene.classes, settings.k_at_most, scene.policy, known)
    figures = [
        {
            "quasi_identifier": effect.quasi_identifier,
            "unique_rate_alone": effect.alone.unique_rate,
            "unique_rate_without": effect.without.unique_rate,
            "unique_rate_added": effect.unique_rate_added,
            "average_risk_added": effect.average_risk_added,
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
    levels = levels_of_few.small_levels(scene.classes, scene.settings.small_level)
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
    highest_dis = float(uniques.dis_score_of_class.max(initial=0.0))  # NaN from 28 quasi-identifiers up
    figures = {
        "special_uniques": uniques.n_special_uniques,
        "total_score": uniques.total_score,
        "highest_score": float(uniques.score_of_class.max(initial=0.0)),
        "highest_dis_score": None if np.isnan(highest_dis) else highest_dis,
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
        groups[name] = shares_by_group(column, result.evaluated, result.risky, "risky")
    return Section({"by_group": groups})
